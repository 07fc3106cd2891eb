"""A walk through the page with a real browser, by mouse and by keyboard alone; it may ask nobody but the server."""

from __future__ import annotations

import re
import shutil
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import pytest

from cranfield import design_all_pairs
from cranfield.web.server.page import pages
from web_page import scores

playwright = pytest.importorskip(
    "playwright.sync_api", reason="no browser test: playwright is not installed; pip install 'cranfield[dev]'"
)
BROWSERS = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable", "chrome")
FOUND = next((path for name in BROWSERS if (path := shutil.which(name))), None)
pytestmark = pytest.mark.skipif(
    FOUND is None, reason="no browser test: no Chromium found; install one, for example with `make browser`"
)
WIDTHS = (1280, 390)
expect = playwright.expect
PATIENCE = 120_000
"""Milliseconds: what must come may take its time on a busy machine."""
expect.set_options(timeout=PATIENCE)


@pytest.fixture(scope="module")
def browser() -> Iterator[Any]:
    with playwright.sync_playwright() as started:
        opened = started.chromium.launch(executable_path=FOUND, args=["--no-sandbox"], timeout=PATIENCE)
        yield opened
        opened.close()


class Visit:
    """A page of the browser that keeps what went wrong on it."""

    def __init__(self, page: Any, base: str) -> None:
        self.page, self.base = page, base
        self.complaints: list[str] = []
        self.foreign: list[str] = []
        page.on("console", lambda message: self._heard(message))
        page.on("pageerror", lambda error: self.complaints.append(str(error)))
        page.on("request", lambda request: self._asked(request.url))
        page.set_default_timeout(PATIENCE)

    def _heard(self, message: Any) -> None:
        if message.type in ("error", "warning"):
            self.complaints.append(message.text)

    def _asked(self, address: str) -> None:
        if not address.startswith(("data:", "blob:")) and urlsplit(address).netloc != urlsplit(self.base).netloc:
            self.foreign.append(address)

    def open(self, address: str) -> None:
        self.page.goto(self.base + address)
        self.settle()

    def settle(self) -> None:
        """Wait until no job is under way and all has loaded."""
        expect_no_job(self.page)
        self.page.wait_for_load_state("networkidle")

    def follow(self, link: Any, address: str) -> None:
        """Click a link or button that leads to an address with this in it; a click returns before the new page is there."""
        link.click()
        self.expect_address(address)
        self.settle()

    def unfold(self) -> None:
        """Open all that is folded: settings and details."""
        self.page.evaluate("for (const one of document.querySelectorAll('main details')) one.open = true")

    def expect_address(self, part: str) -> None:
        expect(self.page).to_have_url(re.compile(re.escape(part)))

    def expect_headline(self, text: str | re.Pattern[str]) -> None:
        expect(self.page.locator("#answer")).to_have_text(text)


def expect_no_job(page: Any) -> None:
    """Wait for a page that has arrived to its end and shows no job; an empty page, about to be filled, is not enough."""
    expect(page.locator("body:not(:has([data-job], .stale)) > footer")).to_have_count(1)


@pytest.fixture
def visit(browser: Any, served: tuple[str, int]) -> Iterator[Visit]:
    context = browser.new_context(viewport={"width": 1280, "height": 900}, accept_downloads=True)
    found = Visit(context.new_page(), served[0])
    yield found
    context.close()
    assert found.complaints == []
    assert found.foreign == []


def wait_for(page: Any, happened: Callable[[], bool]) -> None:
    """Wait until something has happened outside of the page, which goes on meanwhile; two minutes at most."""
    for _ in range(2400):
        if happened():
            return
        page.wait_for_timeout(50)
    pytest.fail("it did not happen")


def saved(visit: Visit, link: Any) -> bytes:
    with visit.page.expect_download() as waiting:
        link.click()
    return Path(waiting.value.path()).read_bytes()


def test_from_the_sample_to_a_pair(visit: Visit) -> None:
    page = visit.page
    visit.open("/")
    visit.follow(page.get_by_role("link", name="Use the sample collection"), "/data/sample")
    expect(page.locator(".lead")).to_contain_text("50 topics × 30 systems")
    visit.follow(page.get_by_role("link", name="Plan next"), "/design?data=sample")
    visit.expect_headline(re.compile(r"^\d+ topics by AP$"))
    visit.unfold()
    page.get_by_label("compare many systems").check()
    visit.expect_address("kind=pairs")
    visit.expect_headline(re.compile(r"^\d+ topics by AP, \d+ topics by nDCG@10, \d+ topics by P@10$"))
    visit.follow(page.get_by_role("link", name="Topics", exact=True), "/topic?data=sample")
    visit.expect_headline(re.compile(", the hardest of 50 topics"))
    page.locator(".view-topics .view-bars button").last.click()
    visit.expect_headline(re.compile("mean AP .*, the easiest of 50 topics"))
    page.get_by_label("by", exact=True).select_option("P@10")
    visit.expect_headline(re.compile("mean P@10 "))
    expect(page.locator(".view-heat .view-legend")).to_contain_text("P@10")
    visit.follow(page.get_by_role("link", name="Result", exact=True), "/data/sample")
    visit.follow(page.get_by_role("link", name="Compare", exact=True), "/compare?")
    visit.expect_headline(re.compile("of 435 pairs differ"))
    assert page.locator("#answer").bounding_box()["y"] < 250, "the answer comes first"
    expect(page.locator(".still-map")).to_be_in_viewport(ratio=0.5)
    visit.unfold()
    image = page.locator("img").first
    image.scroll_into_view_if_needed()
    expect(image).not_to_have_js_property("naturalWidth", 0)
    assert image.evaluate("image => image.naturalWidth") > 100
    assert saved(visit, page.get_by_role("link", name="CSV of Leaderboard")).startswith(b"measure,rank,system,mean")
    assert saved(visit, page.get_by_role("link", name="PDF of Which pairs differ")).startswith(b"%PDF")
    visit.follow(page.get_by_role("button", name="Topic by topic"), "/compare/pair?")
    visit.expect_headline(re.compile(" beats "))
    visit.follow(page.get_by_role("link", name="Back to the comparison"), "/compare?")
    visit.unfold()
    page.get_by_label("Test", exact=True).select_option("t")
    visit.expect_address("test=t")
    visit.settle()  # a page that is just being loaded anew would lose what is chosen now
    page.get_by_label("Baseline").select_option("birch-1")
    visit.follow(page.get_by_role("button", name="Compare"), "baseline=birch-1")
    visit.expect_headline(re.compile("against birch-1"))
    visit.expect_address("test=t")


def test_compare_follows_its_form_and_goes_back_with_it(visit: Visit) -> None:
    page = visit.page
    visit.open("/compare?data=sample&test=t&baseline=birch-1")
    first = str(page.locator("#answer").inner_text())
    visit.unfold()
    page.get_by_label("Baseline", exact=True).select_option("alder-1")
    visit.expect_address("baseline=alder-1")
    visit.settle()
    visit.expect_headline(re.compile("against alder-1"))
    page.get_by_label("Correction").select_option("bonferroni")
    visit.expect_address("correction=bonferroni")
    visit.settle()
    page.go_back()  # the form is asked for anew, and is there when it has its old value
    expect(page.get_by_label("Correction")).to_have_value("")
    visit.settle()
    visit.expect_headline(re.compile("against alder-1"))
    page.go_back()
    visit.expect_headline(first)
    expect(page.get_by_label("Baseline", exact=True)).to_have_value("birch-1")


def test_a_choice_made_while_a_job_ends_is_kept(visit: Visit) -> None:
    """The news that a computation is done meets a form in which something else was chosen just before."""
    page = visit.page
    news: list[Any] = []  # what the page asks about its job, to be answered here
    answers: list[Any] = []  # what it asks for after the choice

    def begun(route: Any) -> None:
        """The page as it is while a job is under way."""
        answer = route.fetch()
        route.fulfill(response=answer, body=answer.text().replace('id="result"', 'id="result" data-job="7-held"', 1))

    def hold(route: Any) -> None:
        if route.request.method == "GET":
            news.append(route)
        else:
            route.fulfill(json={})

    page.route("**/api/jobs/7-held", hold)
    page.route("**/compare?data=sample&test=t", begun)
    page.route("**/compare?*correction=bonferroni*", lambda route: answers.append(route), times=1)
    page.goto(f"{visit.base}/compare?data=sample&test=t")
    wait_for(page, lambda: bool(news))
    visit.unfold()
    page.get_by_label("Correction").select_option("bonferroni")
    wait_for(page, lambda: bool(answers))  # it is chosen, and not yet answered
    news.pop().fulfill(json={"state": "done"})
    page.wait_for_timeout(500)  # time to do the wrong thing, which is to load the page anew
    answers[0].continue_()
    expect(page.locator("#result")).to_contain_text("Bonferroni-adjusted")
    visit.expect_address("correction=bonferroni")
    visit.settle()
    expect(page.get_by_label("Correction")).to_have_value("bonferroni")


def test_replicates_show_progress_and_can_be_cancelled(visit: Visit) -> None:
    page = visit.page
    page.goto(f"{visit.base}/replicates?data=sample&splits=1000")  # more than are done before it is cancelled
    expect(page.locator("#job-text")).to_contain_text(" of ")
    page.get_by_role("button", name="Cancel").click()
    visit.expect_address("start=cancelled")  # the page that was watching says it too, a moment before
    expect(page.get_by_text("Cancelled. Submit the form to start again.")).to_be_visible()
    visit.settle()  # a page that is still loading loses what is typed
    visit.unfold()
    page.get_by_label("Splits", exact=True).fill("3")
    visit.expect_address("splits=3&")
    visit.expect_headline(re.compile("of 435 pairs differ"))


def test_a_report_is_written_and_saved(visit: Visit) -> None:
    page = visit.page
    visit.open("/data/sample")
    visit.follow(page.get_by_role("link", name="Report", exact=True), "/report?")
    page.get_by_label("Measure").fill("AP")
    page.get_by_text("More settings").click()
    for section in ("replicates", "standardisation", "collection", "reliability"):
        page.get_by_label(section, exact=True).check()
    page.get_by_role("button", name="Write the report").click()
    link = page.get_by_role("link", name="Download the report")
    expect(link).to_be_visible()  # it is written
    visit.settle()  # a browser that is still loading the page may lose the download
    report = saved(visit, link)
    assert report.startswith(b"<!doctype html>")


def _topics(n_systems: int) -> str:
    """The headline of the worked example with this many systems."""
    return f"{design_all_pairs(0.025, n_systems, 0.10).n_topics} topics"


def test_typed_values_answer_as_they_are_typed(visit: Visit) -> None:
    page = visit.page
    visit.open("/design")
    visit.expect_headline(_topics(20))
    visit.unfold()
    page.get_by_label("Systems", exact=True).fill("30")
    visit.expect_headline(_topics(30))
    visit.expect_address("systems=30")
    page.get_by_label("What do you want to know?").select_option("min_diff")
    page.get_by_label("Topics I have", exact=True).fill("50")
    detected = design_all_pairs(0.025, 30, n_topics=50).min_diff
    visit.expect_headline(f"A difference of {detected:.3g}")
    expect(page.get_by_label("Smallest difference worth detecting (minD)", exact=True)).to_be_hidden()
    page.get_by_label("estimate a difference").check()
    page.get_by_label("What do you want to know?").select_option("topics")
    page.get_by_label("Variance of the difference of two systems (σₜ²)", exact=True).fill("0.0441")
    page.get_by_label("Width of the interval (δ)", exact=True).fill("0.10")
    visit.expect_headline("70 topics")  # RD-003 Table 3
    bookmarked = page.evaluate("location.href")
    visit.open("/")
    page.goto(bookmarked)
    visit.expect_headline("70 topics")
    visit.unfold()
    with page.expect_console_message(lambda message: message.type == "error"):  # the browser notes the status
        page.get_by_label("Width of the interval (δ)", exact=True).fill("wide")
    expect(page.locator("[role=alert]")).to_have_text("“Width of the interval (δ)” must be a number; got 'wide'.")
    visit.complaints.clear()


def test_files_are_dropped_and_problems_named(visit: Visit, tmp_path: Path) -> None:
    page = visit.page
    file = tmp_path / "past.AP.csv"
    file.write_text(scores())
    visit.open("/data")
    page.get_by_label("Score files, or runs with their qrels file").set_input_files(file)
    page.get_by_role("button", name="Read the files").click()
    expect(page.locator(".lead")).to_contain_text("12 topics × 4 systems")
    visit.settle()
    file.write_text(scores() + "13,0.5,high,0.1,0.2\n")
    visit.open("/data")
    page.get_by_label("Score files, or runs with their qrels file").set_input_files(file)
    page.get_by_role("button", name="Read the files").click()
    expect(page.locator(".finding")).to_contain_text("past.AP.csv:14:")


DROP = """(text) => {
  const carried = new DataTransfer();
  carried.items.add(new File([text], "past.AP.csv"));
  document.body.dispatchEvent(new DragEvent("drop", { bubbles: true, cancelable: true, dataTransfer: carried }));
}"""


@pytest.mark.parametrize("address", ["/", "/design", "/data"])
def test_files_are_dropped_on_any_page(visit: Visit, address: str) -> None:
    visit.open(address)
    visit.page.evaluate(DROP, scores(seed=3))
    expect(visit.page.locator(".lead")).to_contain_text("12 topics × 4 systems")


def test_what_is_too_large_is_packed_or_refused_with_a_remedy(visit: Visit) -> None:
    visit.open("/design")
    visit.page.evaluate("document.body.dataset.limit = '900'")
    visit.page.evaluate(DROP, scores(seed=4, topics=200))  # about 6 kB, of which half is left
    expect(visit.page.locator("#dropping")).to_contain_text("cranfield serve QRELS RUNS")
    visit.page.evaluate(DROP, "topic,a,b\n" + "".join(f"{at},0.5000,0.2500\n" for at in range(200)))
    expect(visit.page.locator(".lead")).to_contain_text("200 topics × 2 systems")


def test_the_keyboard_is_enough(visit: Visit) -> None:
    page = visit.page
    visit.open("/")
    page.keyboard.press("Tab")
    assert page.evaluate("document.activeElement.className") == "skip"
    _tab_to(page, "Plan next")
    page.keyboard.press("Enter")
    visit.expect_address("/design")
    visit.settle()
    _tab_to(page, "", lambda: page.evaluate("document.activeElement.matches('.settings > summary')"))
    page.keyboard.press("Enter")
    _tab_to(page, "systems")
    page.keyboard.press("Control+a")
    page.keyboard.type("2")
    visit.expect_headline(_topics(2))
    _tab_to(page, "CSV")
    assert page.evaluate("getComputedStyle(document.activeElement).outlineStyle") != "none"
    _tab_to(page, "power-image", lambda: page.evaluate("document.activeElement.className") == "canvas")


def _tab_to(page: Any, wanted: str, arrived: Any = None) -> None:
    """Press Tab until the element with this text or id has the focus."""
    for _ in range(80):
        page.keyboard.press("Tab")
        text = page.evaluate("document.activeElement.id || document.activeElement.innerText.trim()")
        if arrived() if arrived else text.split("\n")[0].partition(" of ")[0] == wanted:
            return
    raise AssertionError(f"the keyboard never reached {wanted}")


def test_pages_work_without_scripts(browser: Any, served: tuple[str, int]) -> None:
    context = browser.new_context(java_script_enabled=False)
    page = context.new_page()
    page.set_default_timeout(PATIENCE)
    page.goto(served[0] + "/design")
    page.click(".settings > summary")
    page.fill("#systems", "30")
    page.click("#question button")
    expect(page.locator("#answer")).to_have_text(_topics(30))
    page.goto(served[0] + "/compare?data=sample&test=t")
    page.wait_for_selector("#answer")
    context.close()


PLACES = ["Result", "Topics", "Collection", "Plan next", "Tools"]


@pytest.mark.parametrize("width", [1440, 390])
def test_five_places_take_one_line(browser: Any, served: tuple[str, int], width: int) -> None:
    context = browser.new_context(viewport={"width": width, "height": 844})
    page = context.new_page()
    page.set_default_timeout(PATIENCE)
    page.goto(served[0] + "/data/sample")
    places = page.locator(".places a")
    expect(page.locator(".which summary")).to_have_text("the sample collection")  # the sample is made first
    expect(places).to_have_text(PLACES)
    boxes = [one.bounding_box() for one in places.all()]
    assert len({box["y"] for box in boxes}) == 1, "one line"
    assert boxes[-1]["x"] + boxes[-1]["width"] <= width
    expect(page.locator(".which summary")).to_have_text("the sample collection")
    for name in PLACES:
        page.get_by_role("link", name=name, exact=True).click()
        expect(page.locator(".places [aria-current]")).to_have_text(name)
        expect(page.locator(".which summary")).to_have_text("the sample collection")
    context.close()


FITS = """() => [...document.querySelectorAll(".canvas")].map((canvas) => {
  const image = canvas.querySelector("img");
  return [canvas.scrollWidth - canvas.clientWidth, image.clientWidth / image.naturalWidth, image.getBoundingClientRect().right];
})"""
"""Of every chart: how far it scrolls sideways, how much its text is made smaller, and where it ends."""


@pytest.mark.parametrize("script", [True, False])
@pytest.mark.parametrize(
    "address",
    [
        "/compare/pair?data=sample&test=t&a=alder-1&b=birch-1",
        "/compare?data=sample&test=t&measure=AP",
        pytest.param("/design?data=sample&measure=AP", marks=pytest.mark.slow),
        pytest.param("/topic?data=sample&topic=3", marks=pytest.mark.slow),
        pytest.param("/correlate?data=sample&resamples=20", marks=pytest.mark.slow),
        pytest.param("/reliability?data=sample&measure=AP", marks=pytest.mark.slow),
        pytest.param("/data/sample", marks=pytest.mark.slow),
    ],
)
def test_on_a_phone_no_chart_is_off_the_screen(
    browser: Any, served: tuple[str, int], address: str, script: bool
) -> None:
    context = browser.new_context(viewport={"width": 390, "height": 844}, java_script_enabled=script)
    page = context.new_page()
    page.set_default_timeout(PATIENCE)
    page.goto(served[0] + address)
    expect_no_job(page)
    for folded in page.locator("#result details:not([open]) > summary").all():
        folded.click()
    for figure in page.locator("figure:not(.still)").all():
        figure.scroll_into_view_if_needed()
        expect(figure.locator("img")).not_to_have_js_property("naturalWidth", 0)
    found = page.evaluate(FITS)
    assert found or (script and address == "/data/sample"), "the view draws itself; without a script there are charts"
    for scrolls, scaled, right in found:
        assert scrolls <= 0
        assert scaled > 0.97, "the chart is drawn for the screen, not made smaller"
        assert right <= 390
    wide = page.locator(".cards").evaluate_all("all => all.filter((one) => one.scrollWidth > one.clientWidth).length")
    assert wide == 0, "a short table of many columns is a list of names and values"
    context.close()


ADDRESSES = ["/", "/data", "/data/sample", "/design", "/design?power=80", "/compare?data=sample&test=t&baseline=birch-1", "/api", "/nowhere",
             "/compare/pair?data=sample&test=t&a=alder-1&b=birch-1", "/standardise?data=sample", "/replicates?data=sample",
             "/tuning?data=sample", "/report?data=sample", "/reuse?data=sample", "/view?data=sample", "/judges?data=sample", "/judges/design?data=sample", "/across?data=sample", "/table?data=sample&test=t", "/gate?data=sample", "/jobs",
             "/gate?data=sample&baseline=alder-1&candidate=birch-1&margin=0.02&measure=AP&start=yes",
             "/simulate?data=sample&topics=10&trials=20&test=t&start=yes", "/simulate/design?data=sample", "/simulate/scores?data=sample",
             "/correlate?data=sample&resamples=20",
             "/cost?data=sample&depth=10", "/reliability?data=sample", "/monitor?data=sample&looks=2", "/topic?data=sample&topic=3"]  # fmt: skip


QUICK = {WIDTHS[0]: ADDRESSES[:9], WIDTHS[1]: ADDRESSES[3:6]}
"""These in the usual run; every address at every width in `make test-all`."""
WITH_WIDTH = [
    pytest.param(width, one, marks=[] if one in QUICK[width] else [pytest.mark.slow])
    for width in WIDTHS
    for one in ADDRESSES
]


def test_every_page_is_looked_at() -> None:
    assert {page.address for page in pages().values()} <= {address.partition("?")[0] for address in ADDRESSES}


@pytest.mark.parametrize(("width", "address"), WITH_WIDTH)
def test_a_page_is_accessible_and_fits(browser: Any, served: tuple[str, int], width: int, address: str) -> None:
    axe = pytest.importorskip("axe_playwright_python.sync_playwright", reason="axe-playwright-python is not installed")
    context = browser.new_context(
        viewport={"width": width, "height": 900}, bypass_csp=True
    )  # axe is a script of its own
    blank = {
        "body": '<svg xmlns="http://www.w3.org/2000/svg" width="560" height="300"/>',
        "content_type": "image/svg+xml",
    }
    context.route("**/files/**", lambda route: route.fulfill(**blank))  # charts are looked at elsewhere
    visit = Visit(context.new_page(), served[0])
    try:
        visit.open(address)
        violations = axe.Axe().run(visit.page).response["violations"]
        assert [(rule["id"], [node["html"][:120] for node in rule["nodes"][:3]]) for rule in violations] == []
        assert visit.page.evaluate("document.documentElement.scrollWidth") <= width
        assert visit.page.locator("h1").count() == 1
    finally:
        context.close()
