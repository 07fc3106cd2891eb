"""A walk through the linked view with a real browser: mouse, keyboard, a phone, no script, paper; page and report."""

from __future__ import annotations

import re
import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import httpx
import numpy as np
import polars as pl
import pytest

from cranfield import Scores, build_report, make_sample, make_scores
from cranfield.questions.compare.compare import compare
from cranfield.reports.view.data import detection
from cranfield.scores.matrix import ScoreMatrix
from hostile import hostile_matrix

playwright = pytest.importorskip("playwright.sync_api", reason="no browser test: playwright is not installed")
BROWSERS = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable", "chrome")
FOUND = next((path for name in BROWSERS if (path := shutil.which(name))), None)
pytestmark = pytest.mark.skipif(FOUND is None, reason="no browser test: no Chromium found")
expect = playwright.expect
PATIENCE = 120_000
"""Milliseconds: what must come may take its time on a busy machine."""
expect.set_options(timeout=PATIENCE)


@pytest.fixture(scope="module")
def browser() -> Iterator[Any]:
    with playwright.sync_playwright() as started:
        found = started.chromium.launch(executable_path=FOUND, args=["--no-sandbox"], timeout=PATIENCE)
        yield found
        found.close()


def opened(browser: Any, **options: Any) -> Any:
    """A page of its own that waits as long as a busy machine may take."""
    context = browser.new_context(**options)
    context.set_default_timeout(PATIENCE)
    return context.new_page()


@pytest.fixture
def page(browser: Any) -> Iterator[Any]:
    found = opened(browser, viewport={"width": 1440, "height": 900}, accept_downloads=True)
    complaints: list[str] = []
    found.on(
        "console", lambda message: complaints.append(message.text) if message.type in ("error", "warning") else None
    )
    found.on("pageerror", lambda error: complaints.append(str(error)))
    yield found
    found.context.close()
    assert complaints == []


def upload(base: str, systems: int, topics: int = 30) -> str:
    """The address of a dataset of so many systems and topics."""
    return send(base, make_scores(n_topics=topics, n_systems=systems, seed=4))


def send(base: str, x: ScoreMatrix) -> str:
    """The address of these scores, sent as a file."""
    lines = [
        "topic," + ",".join(x.systems),
        *(f"{t}," + ",".join(f"{v:.4f}" for v in row) for t, row in zip(x.topics, x.values.clip(0, 1), strict=True)),
    ]
    name, text = f"made{x.n_systems}.AP.csv", "\n".join(lines) + "\n"
    with httpx.Client(trust_env=False, timeout=PATIENCE / 1000) as client:
        answer = client.post(f"{base}/api/data", files={"files": (name, text)}).json()
    id = answer.get("id") or answer["data"]  # a busy server still reads it
    return f"{base}/data/{id}?resamples=2000"


def ready(page: Any, address: str, seconds: int = PATIENCE // 1000) -> None:
    """Open a view and wait until it is built and its map, which is drawn last, is there to be pointed at."""
    page.goto(address)
    page.wait_for_selector("#view[data-ready] .view-map canvas[style]", state="attached", timeout=1000 * seconds)


def row(page: Any, name: str) -> Any:
    return page.locator(".view-rows").get_by_text(name, exact=True).first


def listed(page: Any) -> Any:
    return page.locator(".view-rows tr[tabindex] .view-name")


def rows(page: Any) -> list[str]:
    return [str(name) for name in listed(page).all_inner_texts()]


def expect_address(page: Any, *parts: str, without: str = "") -> None:
    """Wait for an address that has these parts, and lacks another: the browser tells of it later than of a click."""
    lacks = f"(?!.*{re.escape(without)})" if without else ""
    expect(page).to_have_url(re.compile("^" + lacks + "".join(f"(?=.*{re.escape(part)})" for part in parts)))


def rule_breaks(page: Any) -> list[Any]:
    axe = pytest.importorskip("axe_playwright_python.sync_playwright", reason="axe-playwright-python is not installed")
    broken = axe.Axe().run(page).response["violations"]
    return [(rule["id"], [node["html"][:160] for node in rule["nodes"][:3]]) for rule in broken]


def test_a_system_a_pair_and_topics_by_mouse(page: Any, served: tuple[str, int]) -> None:
    ready(page, upload(served[0], 40))
    names, board = rows(page), page.locator(".view-board .view-note")
    assert len(names) == 40
    row(page, names[3]).click()
    expect_address(page, f"system={names[3]}")
    expect(page.locator("tr.near, tr.apart")).to_have_count(39)
    expect(board).to_contain_text(f"not shown to differ from {page.locator('tr.near').count()}.")
    row(page, names[30]).click(modifiers=["Shift"])
    assert page.evaluate("String(getSelection())") == ""  # Shift compares, and marks no text
    panel = page.locator(".view-pair")
    expect(panel.locator("h3")).to_have_text(f"{names[3]} against {names[30]}")
    expect(panel.locator(".view-verdict")).to_contain_text("Wins ")
    told = re.search(r"Wins (\d+) · ties (\d+) · losses (\d+)\.", panel.locator(".view-verdict").inner_text())
    assert told is not None
    assert sum(map(int, told.groups())) == 30
    expect(panel).to_be_in_viewport(ratio=0.99)
    assert panel.bounding_box()["x"] > page.locator(".view-board").bounding_box()["x"] + 600, "beside the leaderboard"
    panel.get_by_role("button", name="Close").click()
    canvas = page.locator(".view-map canvas")
    canvas.scroll_into_view_if_needed()
    box = canvas.bounding_box()
    corner = {"x": box["width"] * 0.95, "y": box["height"] * 0.1}
    canvas.hover(position=corner)
    expect(page.locator(".view-tip")).to_contain_text(" is better")
    canvas.click(position=corner)
    expect(panel.locator("h3")).not_to_have_text(f"{names[3]} against {names[30]}")
    panel.get_by_role("button", name="scatter").click()
    expect(panel.locator("circle")).to_have_count(30)
    mean = page.locator(".view-c-mean").nth(1)
    before = mean.inner_text()
    page.locator(".view-topics .view-bars button").nth(2).click()
    page.locator(".view-topics .view-bars button").nth(9).click(modifiers=["Shift"])
    expect(board).to_contain_text(
        "Means over 8 chosen topics. Intervals and “may be best” need all 30 topics and are hidden; ranks and decisions use all."
    )
    expect(mean).not_to_have_text(before)
    expect(page.locator("th.view-c-mean")).to_have_attribute("aria-sort", "descending")  # by what orders the rows
    expect(page.locator("th.view-c-rank")).to_have_attribute("aria-sort", "none")
    expect(panel.locator("circle.off")).to_have_count(22)
    expect(panel.locator(".view-verdict")).to_contain_text(" On 8 chosen topics: ")
    told = re.search(r", wins (\d+) · ties (\d+) · losses (\d+)\.$", panel.locator(".view-verdict").inner_text())
    assert told is not None
    assert sum(map(int, told.groups())) == 8
    page.go_back()
    expect(board).to_contain_text("Means over 1 chosen topic.")
    page.go_forward()
    expect(board).to_contain_text("Means over 8 chosen topics.")
    here = page.evaluate("location.href")
    page.locator("h3").first.click()
    page.keyboard.press("Escape")
    expect(panel).to_be_hidden()  # Escape closes the pair first
    expect_address(page, "only=")
    page.keyboard.press("Escape")
    expect(page).to_have_url(re.compile("#bars=scatter$"))  # how panels are set stays
    expect(page.locator("tr.apart")).to_have_count(0)
    expect(panel).to_be_hidden()
    page.goto("about:blank")
    ready(page, here)
    expect(board).to_contain_text("Means over 8 chosen topics")


def test_search_sort_table_and_file(page: Any, served: tuple[str, int]) -> None:
    ready(page, upload(served[0], 40))
    names = rows(page)
    page.get_by_label("Search systems").fill(names[7])
    expect(listed(page)).to_have_text([name for name in names if names[7] in name])
    page.get_by_label("Search systems").fill("")
    page.locator(".view-board").get_by_role("button", name="system", exact=True).click()
    expect(listed(page)).to_have_text(sorted(names))
    page.get_by_role("button", name="Which pairs differ: show as table").click()
    expect(page.locator(".view-map tbody tr")).to_have_count(300)
    expect(page.locator(".view-map")).to_contain_text("480 more rows in the CSV file.")
    with page.expect_download() as waiting:
        page.get_by_role("button", name="Leaderboard: download as CSV").click()
    text = Path(waiting.value.path()).read_text()
    assert text.startswith("rank,system,mean,lower,upper,rank_lower,rank_upper,may_be_best\n")
    assert text.count("\n") == 41
    with page.expect_download() as waiting:
        page.get_by_role("button", name="Which pairs differ: download as CSV").click()
    values = [float(line.split(",")[2]) for line in Path(waiting.value.path()).read_text().splitlines()[1:]]
    assert len(values) == 780
    assert all(value == float(f"{value:.7g}") for value in values)  # no noise of 32 bits after the digits


def test_the_keyboard_is_enough(page: Any, served: tuple[str, int]) -> None:
    ready(page, upload(served[0], 40))
    names, pair = rows(page), page.locator(".view-pair h3")
    page.locator(".view-rows tr[tabindex='0']").focus()
    page.keyboard.press("ArrowDown")
    page.keyboard.press("ArrowDown")
    page.keyboard.press("Enter")
    expect_address(page, f"system={names[2]}")
    page.keyboard.press("End")
    page.keyboard.press("Shift+Enter")
    expect(pair).to_have_text(f"{names[2]} against {names[39]}")
    page.keyboard.press("Escape")  # the pair lies over the map
    page.locator(".view-map canvas").focus()
    for key in ("ArrowRight", "ArrowRight", "ArrowDown"):
        page.keyboard.press(key)
    expect(page.locator("[aria-live]")).to_have_text(re.compile(f"^{names[1]} − {names[3]}: "))
    page.keyboard.press("Enter")
    expect(pair).to_have_text(f"{names[1]} against {names[3]}")
    expect(page.locator(".view-close:focus")).to_have_count(1)  # the focus is not left beneath it
    page.locator(".view-topics .view-bars button").first.focus()
    page.keyboard.press("ArrowRight")
    page.keyboard.press("Enter")
    expect_address(page, "only=")
    page.locator(".view-pair .view-bars button").first.focus()
    page.keyboard.press("Enter")
    expect_address(page, "topic=")
    for left, gone in (("a=", "topic="), ("only=", "a="), ("#", "only=")):  # Escape takes back what is innermost
        page.keyboard.press("Escape")
        expect_address(page, left, without=gone)
    expect(page).to_have_url(re.compile("#$"))
    expect(page.locator(".view-rows tr:focus")).to_have_count(1)  # the focus went to the leaderboard


def test_how_panels_are_set_is_in_the_address(page: Any, served: tuple[str, int]) -> None:
    ready(page, f"{served[0]}/data/sample")
    page.get_by_label("Grouping").select_option("best")
    expect_address(page, "group=best")
    expect(listed(page)).to_have_count(10)
    best = rows(page)
    for _ in range(2):
        page.locator("th.view-c-system button").click()
    expect(listed(page)).to_have_text(sorted(best, reverse=True))
    page.get_by_label("Search systems").fill("alder")
    page.get_by_label("Search systems").press("Escape")  # empties the box, as browsers do
    page.get_by_label("Search systems").fill("b")
    shown = [name for name in sorted(best, reverse=True) if "b" in name]
    expect(listed(page)).to_have_text(shown)
    here = page.evaluate("location.href")
    page.goto("about:blank")
    ready(page, here)
    expect(listed(page)).to_have_text(shown)  # a bookmark keeps it
    expect(page.get_by_label("Search systems")).to_have_value("b")
    page.get_by_label("Grouping").select_option("team")
    expect_address(page, "group=team")
    page.go_back()
    expect(page.get_by_label("Grouping")).to_have_value("best")
    page.go_forward()
    expect(page.get_by_label("Grouping")).to_have_value("team")
    page.goto("about:blank")
    ready(page, f"{served[0]}/data/sample#group=nonsense&sort=nothing&down=maybe")
    expect(listed(page)).to_have_count(30)
    page.locator(".view-rows tr[tabindex]").first.click()
    page.locator("select[name=test]").select_option("t")
    expect_address(page, "test=t", "#system=")  # another test at once, the same selection


def test_the_sample_has_teams_lists_and_other_measures(page: Any, served: tuple[str, int]) -> None:
    ready(page, f"{served[0]}/data/sample")
    names = rows(page)
    page.get_by_label("Grouping").select_option("best")
    expect(listed(page)).to_have_count(10)
    page.get_by_label("Grouping").select_option("team")
    expect(page.locator(".view-team")).to_have_count(10)
    assert sorted(rows(page)) == sorted(names)
    page.locator("#view").get_by_label("Measure", exact=True).select_option("nDCG@10")
    expect(page.locator("[data-headline]")).to_contain_text("by nDCG@10")
    expect_address(page, "measure=nDCG")
    page.goto("about:blank")
    ready(page, f"{served[0]}/data/sample#a={names[0]}&b={names[5]}&topic=7")
    expect(page.locator(".view-two ol")).to_have_count(2)
    expect(page.locator(".view-two li")).to_have_count(40)
    assert rule_breaks_of(page) == []


def test_judged_shares_follow_the_chosen_topics(page: Any, served: tuple[str, int]) -> None:
    ready(page, f"{served[0]}/data/sample")
    panel = page.locator(".view-judged")
    panel.scroll_into_view_if_needed()  # what is out of sight is drawn when it is scrolled to
    expect(panel.get_by_text("mean AP", exact=True)).to_have_count(1)
    before = panel.locator("circle").evaluate_all("dots => dots.map((dot) => dot.getAttribute('cy'))")
    page.locator(".view-topics .view-bars button").nth(2).click()
    panel.scroll_into_view_if_needed()
    expect(panel.get_by_text("mean AP on 1 chosen topic", exact=True)).to_have_count(1)
    after = panel.locator("circle").evaluate_all("dots => dots.map((dot) => dot.getAttribute('cy'))")
    assert len(before) == len(after) == 30
    assert before != after
    panel.get_by_role("button", name="Judged share and score: show as table").click()
    name = panel.locator("tbody tr").first.locator("td").first.inner_text()
    shown = panel.locator("tbody tr").first.locator("td").nth(2).inner_text()
    line = page.locator(".view-rows tr[tabindex]").filter(has=page.get_by_text(name, exact=True))
    expect(line.locator(".view-c-mean")).to_have_text(shown)


def test_why_fewer_may_be_best_than_are_not_shown_to_differ(page: Any, served: tuple[str, int]) -> None:
    """The sentence stands where the first is not told apart from one that is not among those that may be the best."""
    found = []
    for systems in (3, 5, 40):
        ready(page, upload(served[0], systems))
        said = page.locator(".view-board .view-note")
        expect(said).to_contain_text("Click a system. ")
        told = "“May be best” means that the rank interval includes 1" in said.inner_text()
        best = page.locator(".view-rows tr[tabindex] .view-best").count()
        page.locator(".view-rows tr[tabindex]").first.click()
        expect(said).to_contain_text("not shown to differ from ")
        assert told == (page.locator("tr.near").count() + 1 > best)
        found.append(told)
    assert set(found) == {True, False}


def test_ranked_lists_that_cannot_be_had_are_said(browser: Any, served: tuple[str, int]) -> None:
    page = opened(browser, viewport={"width": 1440, "height": 900})
    page.route("**/rankings?*", lambda route: route.abort())
    ready(page, f"{served[0]}/data/sample")
    names = rows(page)
    page.goto("about:blank")
    ready(page, f"{served[0]}/data/sample#a={names[0]}&b={names[5]}&topic=7")
    told = "No ranked lists: the server does not respond. Check that it is running, then try again."
    expect(page.locator(".view-lists .view-note")).to_have_text(told)
    page.context.close()


def test_a_measure_that_comes_late_does_not_replace_one_chosen_meanwhile(page: Any, served: tuple[str, int]) -> None:
    ready(page, f"{served[0]}/data/sample")
    held: list[Any] = []
    # Only the first is held back: where the answer is not ready yet, the page asks again.
    page.route("**/api/view?*nDCG*", lambda route: route.continue_() if held else held.append(route))
    page.locator("#view").get_by_label("Measure", exact=True).select_option("nDCG@10")
    expect_address(page, "nDCG")
    for _ in range(2400):  # the browser tells of the request in its own time
        if held:
            break
        page.wait_for_timeout(50)
    assert held, "the view asked for the measure"
    page.go_back()
    expect_address(page, "/data/sample", without="nDCG")
    with page.expect_response(lambda answer: "nDCG" in answer.url and answer.status == 200):
        held[0].continue_()
    expect(page.locator("#view")).not_to_have_attribute("aria-busy", "true")
    expect_address(page, "/data/sample", without="nDCG")
    expect(page.locator("[data-headline]")).to_contain_text("by AP")


def test_a_measure_that_cannot_be_had_is_said(browser: Any, served: tuple[str, int]) -> None:
    page = opened(browser, viewport={"width": 1440, "height": 900})
    ready(page, f"{served[0]}/data/sample")
    page.route("**/api/view?*nDCG*", lambda route: route.abort())
    page.locator("#view").get_by_label("Measure", exact=True).select_option("nDCG@10")
    told = "No numbers by nDCG@10: the server does not respond. Check that it is running, then try again."
    expect(page.locator(".view-problem")).to_have_text(told)
    expect(page.locator("[data-headline]")).to_contain_text("by AP")
    expect_address(page, "/data/sample", without="nDCG")
    page.goto("about:blank")
    ready(page, f"{served[0]}/data/sample#measure=nDCG%4010")
    expect(page.locator(".view-problem")).to_have_text(told)
    page.unroute("**/api/view?*nDCG*")
    page.locator("#view").get_by_label("Measure", exact=True).select_option("nDCG@10")
    expect(page.locator("[data-headline]")).to_contain_text("by nDCG@10")
    expect(page.locator(".view-problem")).to_have_count(0)
    page.context.close()


def rule_breaks_of(page: Any) -> list[Any]:
    """The rules a page breaks; axe is a script of its own, so the page is opened without its policy."""
    other = opened(page.context.browser, viewport=page.viewport_size, bypass_csp=True)
    ready(other, page.url)
    told = rule_breaks(other)
    other.context.close()
    return told


def test_on_a_phone_in_the_dark(browser: Any, served: tuple[str, int]) -> None:
    page = opened(browser, viewport={"width": 390, "height": 844}, color_scheme="dark", bypass_csp=True)
    many = upload(served[0], 5, topics=240)
    ready(page, f"{many}#a=system1&b=system2")
    strips = page.locator(".view-bars")
    for at in range(strips.count()):
        assert strips.nth(at).evaluate("strip => strip.scrollWidth - strip.clientWidth") <= 0, "all topics are in sight"
    ready(page, f"{served[0]}/data/sample#system=alder-1&a=alder-1&b=birch-1&topic=7")
    expect(page.locator(".view-two li.relevant").first).to_be_visible()
    assert page.evaluate("document.documentElement.scrollWidth") <= 390
    for bar in (page.locator(".view-pair .view-bars button").first, page.locator(".view-pair .view-bars button").last):
        box = bar.bounding_box()
        assert 0 <= box["x"] < 390  # the winning and the losing topics are both in sight
    assert rule_breaks(page) == []
    page.context.close()


def test_without_a_script_and_on_paper(browser: Any, served: tuple[str, int]) -> None:
    address = upload(served[0], 44)
    page = opened(browser, java_script_enabled=False)
    page.goto(address)
    expect(page.locator("[data-still] tbody tr")).to_have_count(44)
    expect(page.locator("[data-headline]")).to_contain_text(" leads by AP")
    expect(page.locator("[data-still] img").nth(1)).to_be_attached()
    page.context.close()
    page = opened(browser)
    ready(page, address)
    page.emulate_media(media="print")
    for shown, what in (
        (True, ".view-rows"),
        (True, ".view-map canvas"),
        (False, ".view-heat"),
        (False, ".view-tools >> nth=0"),
        (False, ".next"),
    ):
        expect(page.locator(what)).to_be_visible(visible=shown)
    expect(page.locator(".view-rows tr:visible")).to_have_count(41)  # the head and forty systems
    expect(page.locator(".view-cut")).to_have_text("Printed: 40 of 44 systems.")
    page.emulate_media(media="screen")
    expect(page.locator(".view-cut")).to_be_hidden()
    page.context.close()


def test_narrow_leaderboards_show_names_and_intervals_whole(browser: Any, served: tuple[str, int]) -> None:
    """Runs of one team differ in the ends of their names, which nobody can hover over on a phone."""
    x = make_scores(n_topics=30, n_systems=5, seed=4)
    values = np.column_stack([x.values, x.values[:, 0]])
    names = [f"some_team.with.a.long.name.run{k}" for k in range(6)]
    page = opened(browser, viewport={"width": 390, "height": 844})
    ready(page, send(served[0], ScoreMatrix(values, x.topics, names, "AP")))
    expect(listed(page)).to_have_count(6)
    for at in range(6):
        assert listed(page).nth(at).evaluate("name => name.scrollWidth - name.clientWidth") <= 0
        cell = page.locator("td.view-c-interval").nth(at)
        assert cell.locator("line").bounding_box()["width"] > cell.locator("circle").bounding_box()["width"]
    assert page.evaluate("document.documentElement.scrollWidth") <= 390
    best = page.locator(".view-rows td.view-c-best").first
    expect(best).to_have_accessible_name("may be best")  # "best?" is for the eye alone
    expect(page.locator(".view-alike .view-note")).to_have_text(
        "1 pair with a mean absolute difference of at most a tenth of the median."
    )
    page.context.close()


def test_a_map_without_names_says_that_it_shows_ranks(browser: Any, served: tuple[str, int]) -> None:
    page = opened(browser, viewport={"width": 1440, "height": 900})
    ready(page, upload(served[0], 40))
    told = page.locator(".view-map .view-ranks")
    expect(told).to_be_hidden()
    page.set_viewport_size({"width": 1000, "height": 900})  # two columns, and no room for names in the second
    expect(told).to_be_visible()
    page.set_viewport_size({"width": 700, "height": 900})  # one column
    expect(told).to_be_hidden()
    ready(page, upload(served[0], 70))
    expect(told).to_be_visible()
    page.emulate_media(media="print")
    expect(told).to_be_visible()
    page.context.close()


def test_the_map_keeps_the_size_of_its_text_on_paper(browser: Any, served: tuple[str, int]) -> None:
    page = opened(browser, viewport={"width": 1920, "height": 1080}, color_scheme="dark")
    ready(page, upload(served[0], 40))
    canvas = page.locator(".view-map canvas")
    assert canvas.bounding_box()["width"] > 700
    page.emulate_media(media="print")
    page.evaluate("dispatchEvent(new Event('beforeprint'))")
    expect(page.locator(".lead")).to_have_css("color", "rgb(77, 90, 103)")  # paper is light
    shown, drawn = canvas.bounding_box()["width"], canvas.evaluate("canvas => parseFloat(canvas.style.width)")
    assert shown == pytest.approx(drawn, rel=0.005)  # 11 pixels are more than 8 points, unless they are made smaller
    page.emulate_media(media="screen")
    page.evaluate("dispatchEvent(new Event('afterprint'))")
    expect(canvas).to_have_attribute("style", re.compile(r"width: [7-9]\d\d"))
    page.context.close()


@pytest.fixture(scope="module")
def mailed(tmp_path_factory: pytest.TempPathFactory) -> Path:
    sample = make_sample(n_topics=12, n_systems=6, n_documents=400, seed=3)
    skip = ["replicates", "standardisation", "reliability", "next", "collection", "reuse"]
    report = build_report(qrels=sample.qrels, runs=sample.runs, measures=["AP", "P@10"], n_resamples=1000, skip=skip)
    return report.write(tmp_path_factory.mktemp("mail") / "report.html")


def test_the_report_carries_the_same_view(browser: Any, mailed: Path) -> None:
    page = opened(browser, viewport={"width": 1024, "height": 900}, offline=True)
    complaints: list[str] = []
    page.on("console", lambda message: complaints.append(message.text))
    ready(page, mailed.as_uri())
    names = rows(page)
    assert page.locator("td.view-c-interval svg").first.bounding_box()["width"] > 60
    row(page, names[1]).click()
    row(page, names[4]).click(modifiers=["Shift"])
    page.locator(".view-pair .view-bars button").first.click()
    expect(page.locator(".view-two li")).to_have_count(20)
    page.get_by_label("Measure", exact=True).select_option("P@10")
    expect(page.locator("[data-headline]")).to_contain_text("by P@10")
    page.go_back()
    expect(page.get_by_label("Measure", exact=True)).to_have_value("AP")
    page.emulate_media(media="print")
    expect(page.locator("main section p").first).to_have_css("break-inside", "avoid")  # no sentence over two pages
    assert complaints == []
    page.context.close()


@pytest.mark.parametrize("width", [1280, 390])
def test_the_report_is_accessible(browser: Any, mailed: Path, width: int) -> None:
    page = opened(browser, viewport={"width": width, "height": 900}, bypass_csp=True)
    ready(page, mailed.as_uri())
    assert rule_breaks(page) == []
    assert page.evaluate("document.documentElement.scrollWidth") <= width
    page.context.close()


def test_hostile_names_run_nothing(browser: Any, tmp_path: Path) -> None:
    x = hostile_matrix()
    skip = ["standardisation", "reliability", "next", "collection"]
    file = build_report(
        Scores([x, *(ScoreMatrix(x.values**2, x.topics, x.systems, measure) for measure in ("P<b>", "constructor"))]),
        n_resamples=200,
        skip=skip,
        title=x.systems[0],
    ).write(tmp_path / "report.html")
    page = opened(browser)
    ready(page, file.as_uri())
    page.locator(".view-rows tr[tabindex]").nth(0).click()
    page.locator(".view-rows tr[tabindex]").nth(5).click(modifiers=["Shift"])
    page.locator(".view-pair .view-bars button").first.click()
    tables = page.locator(".view-tools button", has_text="Table")
    while (seen := tables.filter(visible=True)).count():
        seen.first.click()
    page.keyboard.press("Escape")  # the topic shown
    page.keyboard.press("Escape")  # the pair, which lies over the map
    expect(page.locator(".view-pair")).to_be_hidden()
    page.get_by_role("button", name="Which pairs differ: show as table").click()
    assert page.evaluate("document.documentElement.dataset.owned") is None
    page.get_by_label("Measure", exact=True).select_option("constructor")
    expect(page.locator("[data-headline]")).to_contain_text("by constructor")
    expect(listed(page)).to_have_count(len(x.systems))
    page.context.close()


def test_a_p_value_is_printed_on_its_side_of_alpha(browser: Any, tmp_path: Path) -> None:
    """Digits that would round a p above alpha down to it, or one below up above it, are not enough."""
    x = make_scores(n_topics=20, n_systems=6, seed=3)
    found = compare(x, n_resamples=2000).to_frame().filter(pl.col("p_adjusted").is_between(0.01, 0.9))
    rounded = {
        (row["system_a"], row["system_b"]): (row["p_adjusted"], float(f"{row['p_adjusted']:.3g}"))
        for row in found.to_dicts()
    }
    above = next((pair, p) for pair, (p, text) in rounded.items() if text < p)
    below = next((pair, p) for pair, (p, text) in rounded.items() if text > p)
    for (names, p), alpha, verdict in (
        (above, above[1] - 1e-7, "not shown to differ"),
        (below, below[1] + 1e-7, " is better"),
    ):
        skip = ["standardisation", "reliability", "next", "collection"]
        file = build_report(x, alpha=alpha, n_resamples=2000, skip=skip).write(tmp_path / "report.html")
        page = opened(browser)
        ready(page, f"{file.as_uri()}#a={names[0]}&b={names[1]}")
        told = page.locator(".view-pair .view-verdict")
        expect(told).to_contain_text(verdict)
        text = re.search(r"p = ([\d.]+):", told.inner_text())
        assert text is not None
        assert (float(text[1]) > alpha) == (p > alpha)
        assert float(text[1]) == pytest.approx(p, abs=1e-3)
        page.keyboard.press("Escape")  # the pair, which lies over the map
        page.get_by_role("button", name="Which pairs differ: show as table").click()
        line = page.locator(".view-map tr", has_text=names[0]).filter(has_text=names[1])
        cell = float(line.locator("td").nth(5).inner_text())
        assert (cell > alpha) == (p > alpha)
        page.context.close()


TIMED = """async () => {
  const rows = [...document.querySelectorAll(".view-rows tr[tabindex]")], took = [];
  for (const at of [3, 20, rows.length - 2]) {
    const began = performance.now();
    rows[at].click();
    await new Promise(requestAnimationFrame);
    took.push(performance.now() - began);
  }
  return took;
}"""


@pytest.mark.slow
@pytest.mark.parametrize("systems", [143, 500])
def test_many_systems(page: Any, served: tuple[str, int], systems: int) -> None:
    ready(page, upload(served[0], systems), seconds=300)
    expect(listed(page)).to_have_count(systems)
    page.locator(".view-rows tr[tabindex]").nth(5).click()
    expect(page.locator("tr.near, tr.apart")).to_have_count(systems - 1)
    box = page.locator(".view-map canvas").bounding_box()
    page.locator(".view-map canvas").click(position={"x": box["width"] * 0.8, "y": box["height"] * 0.2})
    expect(page.locator(".view-pair")).to_be_visible()
    assert len(page.evaluate(TIMED)) == 3
    assert page.evaluate("document.documentElement.scrollWidth") <= 1440


def test_the_slider_whitens_the_map(page: Any, served: tuple[str, int]) -> None:
    """With fewer topics fewer differences would be detected, with more topics more; the numbers are those of a design."""
    ready(page, upload(served[0], 12))
    note, slider = page.locator(".view-map .view-note"), page.get_by_label("with so many topics")
    expect(page.locator(".view-plan output")).to_have_text("30 topics, as here")
    before, canvas = slider.bounding_box(), page.locator(".view-map canvas").bounding_box()
    assert before["y"] + before["height"] <= canvas["y"], "above the map, which may be higher than the window"
    slider.focus()
    page.keyboard.press("Home")
    expect(note).to_contain_text("10 topics detect ")
    expect_address(page, "plan=10")
    few = re.search(r"power\. (\d+) of 66 observed", note.inner_text())
    assert slider.bounding_box() == before, "it stays under the pointer that moves it"
    page.keyboard.press("End")
    expect(note).to_contain_text("300 topics detect ")
    many = re.search(r"power\. (\d+) of 66 observed", note.inner_text())
    assert few is not None
    assert many is not None
    assert int(few[1]) < int(many[1])
    x = make_scores(n_topics=30, n_systems=12, seed=4)
    wanted = detection(compare(ScoreMatrix(x.values.clip(0, 1).round(4), x.topics, x.systems, "AP")))
    assert wanted is not None
    least = float(f"{wanted['min_diff'][-1]:.2g}")
    expect(note).to_contain_text(f"300 topics detect {least:g} AP with 80% power.")


def test_the_axis_of_the_leaderboard_has_round_numbers(page: Any, served: tuple[str, int]) -> None:
    ready(page, upload(served[0], 12))
    marks = page.locator(".view-axis > span:not(.view-unseen)")
    values = [float(text) for text in marks.all_inner_texts()]
    assert len(values) >= 3
    assert values == pytest.approx([k * values[1] for k in range(len(values))])
    assert values[1] in (0.05, 0.1, 0.2)
    left = [mark.bounding_box()["x"] for mark in marks.all()]
    assert left == sorted(left)


def test_a_mailed_address_pins_a_run(browser: Any, mailed: Path) -> None:
    page = opened(browser, viewport={"width": 1200, "height": 900}, offline=True)
    ready(page, mailed.as_uri())
    name = rows(page)[2]
    page.goto("about:blank")
    ready(page, f"{mailed.as_uri()}#system={name}")
    expect(page.locator("[data-yours]")).to_have_text(
        re.compile(
            rf"^Your run: {name}: rank 3 \(\d–\d\), better than .*, worse than .*, not shown to differ from \d\.$"
        )
    )
    expect(page.locator("tr.pinned .view-name")).to_have_text(name)
    expect(page.locator("#appendix")).not_to_have_attribute("open", "")
    page.evaluate("location.hash = 'methods'")
    expect(page.locator("#methods-title")).to_be_in_viewport()
    page.context.close()


def test_chosen_topics_leave_no_stale_interval(page: Any, served: tuple[str, int]) -> None:
    ready(page, upload(served[0], 12))
    marks = (".view-c-interval line", "td.view-c-ranks", ".view-best")
    for what in marks:
        expect(page.locator(what).first).to_have_css("visibility", "visible")
    page.locator(".view-topics .view-bars button").nth(2).click()
    for what in marks:
        expect(page.locator(what).first).to_have_css("visibility", "hidden")
