"""A walk through the linked view with a real browser: mouse, keyboard, a phone, no script, paper; page and report."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import httpx
import pytest

from cranfield import Scores, build_report, make_sample, make_scores
from cranfield.scores import ScoreMatrix
from hostile import hostile_matrix

playwright = pytest.importorskip("playwright.sync_api", reason="no browser test: playwright is not installed")
BROWSERS = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable", "chrome")
FOUND = next((path for name in BROWSERS if (path := shutil.which(name))), None)
pytestmark = pytest.mark.skipif(FOUND is None, reason="no browser test: no Chromium found")


@pytest.fixture(scope="module")
def browser() -> Iterator[Any]:
    with playwright.sync_playwright() as started:
        opened = started.chromium.launch(executable_path=FOUND, args=["--no-sandbox"])
        yield opened
        opened.close()


@pytest.fixture
def page(browser: Any) -> Iterator[Any]:
    context = browser.new_context(viewport={"width": 1440, "height": 900}, accept_downloads=True)
    opened = context.new_page()
    opened.set_default_timeout(60_000)
    complaints: list[str] = []
    opened.on(
        "console", lambda message: complaints.append(message.text) if message.type in ("error", "warning") else None
    )
    opened.on("pageerror", lambda error: complaints.append(str(error)))
    yield opened
    context.close()
    assert complaints == []


def upload(base: str, systems: int, topics: int = 30) -> str:
    """The address of a dataset of so many systems and topics."""
    x = make_scores(n_topics=topics, n_systems=systems, seed=4)
    lines = [
        "topic," + ",".join(x.systems),
        *(f"{t}," + ",".join(f"{v:.4f}" for v in row) for t, row in zip(x.topics, x.values, strict=True)),
    ]
    with httpx.Client(trust_env=False, timeout=60) as client:
        answer = client.post(f"{base}/api/data", files={"files": (f"made{systems}.AP.csv", "\n".join(lines) + "\n")})
    return f"{base}/data/{answer.json()['id']}?resamples=2000"


def ready(page: Any, address: str) -> None:
    page.goto(address)
    page.wait_for_selector("#view[data-ready]", timeout=120_000)


def row(page: Any, name: str) -> Any:
    return page.locator(".view-rows").get_by_text(name, exact=True).first


def rows(page: Any) -> list[str]:
    return [str(name) for name in page.locator(".view-rows tr[tabindex] .view-name").all_inner_texts()]


def rule_breaks(page: Any) -> list[Any]:
    axe = pytest.importorskip("axe_playwright_python.sync_playwright", reason="axe-playwright-python is not installed")
    broken = axe.Axe().run(page).response["violations"]
    return [(rule["id"], [node["html"][:160] for node in rule["nodes"][:3]]) for rule in broken]


def test_a_system_a_pair_and_topics_by_mouse(page: Any, served: tuple[str, int]) -> None:
    ready(page, upload(served[0], 40))
    names = rows(page)
    assert len(names) == 40
    row(page, names[3]).click()
    assert f"system={names[3]}" in page.url
    kept, faded = page.locator("tr.near").count(), page.locator("tr.apart").count()
    assert kept + faded == 39
    assert f"not shown to differ from {kept}." in page.locator(".view-board .view-note").inner_text()
    row(page, names[30]).click(modifiers=["Shift"])
    panel = page.locator(".view-pair")
    assert panel.locator("h3").inner_text() == f"{names[3]} against {names[30]}"
    counts = [
        int(part)
        for part in panel.locator(".view-verdict")
        .inner_text()
        .split("Wins ")[1]
        .rstrip(".")
        .replace("ties", "")
        .replace("losses", "")
        .split("·")
    ]
    assert sum(counts) == 30
    shown = panel.bounding_box()
    assert shown["y"] >= 0, "the pair opens out of sight"
    assert shown["y"] + shown["height"] < 901, "the pair opens out of sight"
    page.locator(".view-map canvas").scroll_into_view_if_needed()
    box = page.locator(".view-map canvas").bounding_box()
    page.mouse.move(box["x"] + box["width"] * 0.95, box["y"] + box["height"] * 0.1)
    assert " is better" in page.locator(".view-tip").inner_text()
    page.mouse.click(box["x"] + box["width"] * 0.95, box["y"] + box["height"] * 0.1)
    assert panel.locator("h3").inner_text() != f"{names[3]} against {names[30]}"
    panel.get_by_role("button", name="scatter").click()
    assert panel.locator("circle").count() == 30
    before = page.locator(".view-c-mean").nth(1).inner_text()
    page.locator(".view-topics .view-bars button").nth(2).click()
    page.locator(".view-topics .view-bars button").nth(9).click(modifiers=["Shift"])
    assert (
        "Means over 8 chosen topics; ranks, intervals and which systems differ are those of all 30 topics."
        in page.locator(".view-board .view-note").inner_text()
    )
    assert page.locator(".view-c-mean").nth(1).inner_text() != before
    page.go_back()
    assert "Means over 1 chosen topic;" in page.locator(".view-board .view-note").inner_text()
    page.go_forward()
    here = page.url
    page.locator("h3").first.click()
    page.keyboard.press("Escape")
    assert not panel.is_visible(), "Escape closes the pair first"
    assert "only=" in page.url
    page.keyboard.press("Escape")
    assert page.url.endswith("#bars=scatter"), "how panels are set stays"
    assert page.locator("tr.apart").count() == 0
    assert not panel.is_visible()
    page.goto("about:blank")
    ready(page, here)
    assert "Means over 8 chosen topics" in page.locator(".view-board .view-note").inner_text()


def test_search_sort_table_and_file(page: Any, served: tuple[str, int]) -> None:
    ready(page, upload(served[0], 40))
    names = rows(page)
    page.get_by_label("Search systems").fill(names[7])
    assert names[7] in rows(page)
    assert len(rows(page)) < 40
    page.get_by_label("Search systems").fill("")
    page.locator(".view-board").get_by_role("button", name="system", exact=True).click()
    assert rows(page) == sorted(names)
    page.get_by_role("button", name="Which pairs differ: show as table").click()
    assert page.locator(".view-map tbody tr").count() == 300
    assert "480 more rows in the CSV file." in page.locator(".view-map").inner_text()
    with page.expect_download() as waiting:
        page.get_by_role("button", name="Leaderboard: download as CSV").click()
    text = Path(waiting.value.path()).read_text()
    assert text.startswith("rank,system,mean,lower,upper,rank_lower,rank_upper,may_be_best\n")
    assert text.count("\n") == 41


def test_the_keyboard_is_enough(page: Any, served: tuple[str, int]) -> None:
    ready(page, upload(served[0], 40))
    names = rows(page)
    page.locator(".view-rows tr[tabindex='0']").focus()
    page.keyboard.press("ArrowDown")
    page.keyboard.press("ArrowDown")
    page.keyboard.press("Enter")
    assert f"system={names[2]}" in page.url
    page.keyboard.press("End")
    page.keyboard.press("Shift+Enter")
    assert page.locator(".view-pair h3").inner_text() == f"{names[2]} against {names[39]}"
    page.locator(".view-map canvas").focus()
    for key in ("ArrowRight", "ArrowRight", "ArrowDown"):
        page.keyboard.press(key)
    assert page.locator("[aria-live]").inner_text().startswith(f"{names[1]} − {names[3]}: ")
    page.keyboard.press("Enter")
    assert page.locator(".view-pair h3").inner_text() == f"{names[1]} against {names[3]}"
    page.locator(".view-topics .view-bars button").first.focus()
    page.keyboard.press("ArrowRight")
    page.keyboard.press("Enter")
    assert "only=" in page.url
    page.locator(".view-pair .view-bars button").first.focus()
    page.keyboard.press("Enter")
    assert "topic=" in page.url
    for left in ("a=", "only=", "#"):
        page.keyboard.press("Escape")
        assert "topic=" not in page.url
        assert left in page.url, "Escape takes back what is innermost"
    assert page.url.endswith("#")
    assert page.evaluate("document.activeElement.tagName") == "TR", "the focus went to the leaderboard"


def test_how_panels_are_set_is_in_the_address(page: Any, served: tuple[str, int]) -> None:
    ready(page, f"{served[0]}/data/sample")
    page.get_by_label("Grouping").select_option("best")
    assert "group=best" in page.url
    for _ in range(2):
        page.locator("th.view-c-system button").click()
    names = rows(page)
    assert names == sorted(names, reverse=True)
    page.get_by_label("Search systems").fill("alder")
    page.get_by_label("Search systems").press("Escape")  # empties the box, as browsers do
    page.get_by_label("Search systems").fill("b")
    shown, here = rows(page), page.url
    page.goto("about:blank")
    ready(page, here)
    assert rows(page) == shown, "a bookmark keeps it"
    assert page.get_by_label("Search systems").input_value() == "b"
    page.get_by_label("Grouping").select_option("team")
    page.go_back()
    assert page.get_by_label("Grouping").input_value() == "best"
    page.go_forward()
    assert page.get_by_label("Grouping").input_value() == "team"
    ready(page, f"{served[0]}/data/sample#group=nonsense&sort=nothing&down=maybe")
    page.reload()
    page.wait_for_selector("#view[data-ready]")
    assert len(rows(page)) == 30
    page.locator(".view-rows tr[tabindex]").first.click()
    page.locator("select[name=test]").select_option("t")
    page.get_by_role("button", name="Ask").click()
    page.wait_for_url("**test=t**")
    assert "#system=" in page.url, "another test, the same selection"


def test_the_sample_has_teams_lists_and_other_measures(page: Any, served: tuple[str, int]) -> None:
    ready(page, f"{served[0]}/data/sample")
    names = rows(page)
    page.get_by_label("Grouping").select_option("best")
    assert len(rows(page)) == 10
    page.get_by_label("Grouping").select_option("team")
    assert page.locator(".view-team").count() == 10
    assert sorted(rows(page)) == sorted(names)
    page.locator("#view").get_by_label("Measure", exact=True).select_option("nDCG@10")
    playwright.expect(page.locator("[data-headline] p").first).to_contain_text("by nDCG@10", timeout=60_000)
    assert "measure=nDCG" in page.url
    page.goto(f"{served[0]}/data/sample#a={names[0]}&b={names[5]}&topic=7")
    page.reload()
    page.wait_for_selector(".view-two li")
    assert page.locator(".view-two ol").count() == 2
    assert page.locator(".view-two li").count() == 40
    assert rule_breaks_of(page) == []


def test_a_measure_that_comes_late_does_not_replace_one_chosen_meanwhile(page: Any, served: tuple[str, int]) -> None:
    ready(page, f"{served[0]}/data/sample")
    held: list[Any] = []
    page.route("**/api/view?*nDCG*", lambda route: held.append(route))
    page.locator("#view").get_by_label("Measure", exact=True).select_option("nDCG@10")
    page.wait_for_url("**nDCG**")
    for _ in range(600):  # the browser tells of the request in its own time
        if held:
            break
        page.wait_for_timeout(50)
    page.go_back()
    with page.expect_response(lambda answer: "nDCG" in answer.url and answer.status == 200, timeout=60_000):
        held[0].continue_()
    playwright.expect(page.locator("#view")).not_to_have_attribute("aria-busy", "true")
    assert "nDCG" not in page.url
    playwright.expect(page.locator("[data-headline] p").first).to_contain_text("by AP")


def rule_breaks_of(page: Any) -> list[Any]:
    """The rules a page breaks; axe is a script of its own, so the page is opened without its policy."""
    context = page.context.browser.new_context(viewport=page.viewport_size, bypass_csp=True)
    other = context.new_page()
    other.goto(page.url)
    other.wait_for_selector("#view[data-ready]", timeout=120_000)
    told = rule_breaks(other)
    context.close()
    return told


def test_on_a_phone_in_the_dark(browser: Any, served: tuple[str, int]) -> None:
    context = browser.new_context(viewport={"width": 390, "height": 844}, color_scheme="dark", bypass_csp=True)
    page = context.new_page()
    many = upload(served[0], 5, topics=240)
    ready(page, f"{many}#a=system1&b=system2")
    strips = page.locator(".view-bars")
    for at in range(strips.count()):
        assert strips.nth(at).evaluate("strip => strip.scrollWidth - strip.clientWidth") <= 0, "all topics are in sight"
    ready(page, f"{served[0]}/data/sample#system=alder-1&a=alder-1&b=birch-1")
    assert page.evaluate("document.documentElement.scrollWidth") <= 390
    for bar in (page.locator(".view-pair .view-bars button").first, page.locator(".view-pair .view-bars button").last):
        box = bar.bounding_box()
        assert 0 <= box["x"] < 390  # the winning and the losing topics are both in sight
    assert rule_breaks(page) == []
    context.close()


def test_without_a_script_and_on_paper(browser: Any, served: tuple[str, int]) -> None:
    address = upload(served[0], 44)
    context = browser.new_context(java_script_enabled=False)
    page = context.new_page()
    page.goto(address)
    page.wait_for_selector("[data-still] table", timeout=60_000)
    assert " leads by AP" in page.locator("[data-headline]").inner_text()
    assert page.locator("[data-still] tbody tr").count() == 44
    assert page.locator("[data-still] img").count() >= 2
    context.close()
    context = browser.new_context()
    page = context.new_page()
    ready(page, address)
    page.emulate_media(media="print")
    for shown, what in (
        (True, ".view-rows"),
        (True, ".view-map canvas"),
        (False, ".view-heat"),
        (False, ".view-tools >> nth=0"),
        (False, ".next"),
    ):
        assert page.locator(what).is_visible() == shown, what
    assert page.locator(".view-rows tr:visible").count() == 41, "the head and forty systems"
    assert page.locator(".view-cut").inner_text() == "Printed: 40 of 44 systems."
    page.emulate_media(media="screen")
    assert not page.locator(".view-cut").is_visible()
    context.close()


@pytest.fixture(scope="module")
def mailed(tmp_path_factory: pytest.TempPathFactory) -> Path:
    sample = make_sample(n_topics=12, n_systems=6, n_documents=400, seed=3)
    skip = ["replicates", "standardisation", "reliability", "next", "collection", "reuse"]
    report = build_report(qrels=sample.qrels, runs=sample.runs, measures=["AP", "P@10"], n_resamples=1000, skip=skip)
    return report.write(tmp_path_factory.mktemp("mail") / "report.html")


def test_the_report_carries_the_same_view(browser: Any, mailed: Path) -> None:
    context = browser.new_context(viewport={"width": 1024, "height": 900}, offline=True)
    page = context.new_page()
    complaints: list[str] = []
    page.on("console", lambda message: complaints.append(message.text))
    ready(page, mailed.as_uri())
    names = rows(page)
    assert page.locator("td.view-c-interval svg").first.bounding_box()["width"] > 60
    row(page, names[1]).click()
    row(page, names[4]).click(modifiers=["Shift"])
    page.locator(".view-pair .view-bars button").first.click()
    page.wait_for_selector(".view-two li")
    assert page.locator(".view-two li").count() == 20
    page.get_by_label("Measure", exact=True).select_option("P@10")
    assert "by P@10" in page.locator("[data-headline]").inner_text()
    page.go_back()
    assert page.get_by_label("Measure", exact=True).input_value() == "AP"
    assert complaints == []
    context.close()


@pytest.mark.parametrize("width", [1280, 390])
def test_the_report_is_accessible(browser: Any, mailed: Path, width: int) -> None:
    context = browser.new_context(viewport={"width": width, "height": 900}, bypass_csp=True)
    page = context.new_page()
    ready(page, mailed.as_uri())
    assert rule_breaks(page) == []
    assert page.evaluate("document.documentElement.scrollWidth") <= width
    context.close()


def test_hostile_names_run_nothing(browser: Any, tmp_path: Path) -> None:
    x = hostile_matrix()
    skip = ["standardisation", "reliability", "next", "collection"]
    file = build_report(
        Scores([x, ScoreMatrix(x.values**2, x.topics, x.systems, "P<b>")]),
        n_resamples=200,
        skip=skip,
        title=x.systems[0],
    ).write(tmp_path / "report.html")
    context = browser.new_context()
    page = context.new_page()
    ready(page, file.as_uri())
    page.locator(".view-rows tr[tabindex]").nth(0).click()
    page.locator(".view-rows tr[tabindex]").nth(5).click(modifiers=["Shift"])
    page.locator(".view-pair .view-bars button").first.click()
    tables = page.locator(".view-tools button", has_text="Table")
    while tables.count():
        tables.first.click()
    assert page.evaluate("document.documentElement.dataset.owned") is None
    context.close()


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
    page.goto(upload(served[0], systems))
    page.wait_for_selector("#view[data-ready]", timeout=300_000)
    assert len(rows(page)) == systems
    page.locator(".view-rows tr[tabindex]").nth(5).click()
    assert page.locator("tr.near").count() + page.locator("tr.apart").count() == systems - 1
    box = page.locator(".view-map canvas").bounding_box()
    page.mouse.click(box["x"] + box["width"] * 0.8, box["y"] + box["height"] * 0.2)
    assert page.locator(".view-pair").is_visible()
    assert len(page.evaluate(TIMED)) == 3
    assert page.evaluate("document.documentElement.scrollWidth") <= 1440
