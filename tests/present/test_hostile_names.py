"""Hostile names in everything a browser opens: they are shown, and nothing of them runs."""

from __future__ import annotations

import html
import json
import os
import re
import shutil
import subprocess
from collections.abc import Callable
from html.parser import HTMLParser
from pathlib import Path
from xml.etree import ElementTree

import pytest

from cranfield import build_report, chart, gate, paper_table
from cranfield.core.answer import answer
from cranfield.core.charts.export import script_json, to_html, to_svg
from cranfield.core.formats import render
from cranfield.questions.compare.compare import compare
from cranfield.questions.gate.answer import to_junit
from hostile import HOSTILE, RAW, hostile_matrix

X = hostile_matrix()
BROWSER = next(
    (path for name in ("chromium", "chromium-browser", "google-chrome") if (path := shutil.which(name))), None
)


def in_page(body: str) -> str:
    return f'<!doctype html><html><head><meta charset="utf-8"><title>t</title></head><body>{body}</body></html>'


def a_gate() -> str:
    return render(answer(gate(X, baseline=HOSTILE[0], candidate=HOSTILE[1], margin=0.02)).sheet(), "markdown")


PAGES: dict[str, Callable[[], str]] = {
    "chart page": lambda: to_html(chart(compare(X, n_resamples=200), "leaderboard")),
    "pairs page": lambda: to_html(chart(compare(X, n_resamples=200), "pairs")),
    "svg": lambda: to_svg(chart(compare(X, n_resamples=200), "leaderboard")),
    "report": lambda: build_report(X, n_resamples=200).html,
    "notebook": lambda: in_page(compare(X, n_resamples=200)._repr_html_()),
    "notebook of scores": lambda: in_page(X._repr_html_()),
    "table": lambda: in_page(render(answer(compare(X, n_resamples=200)).sheet(), "html")),
    "paper table": lambda: in_page(render(answer(paper_table(X, n_resamples=200)).sheet(), "html")),
    # Markdown passes tags on as they are, so its text as a page is the worst that a renderer could make of it.
    "markdown": lambda: in_page(render(answer(compare(X, n_resamples=200)).sheet(), "markdown")),
    "gate markdown": lambda: in_page(a_gate()),
    "gate table": lambda: in_page(
        render(answer(gate(X, baseline=HOSTILE[0], candidate=HOSTILE[1], margin=0.02)).sheet(), "html")
    ),
}


@pytest.fixture(scope="module", params=PAGES)
def page(request: pytest.FixtureRequest) -> str:
    return PAGES[request.param]()


class Handlers(HTMLParser):
    """The event handlers, scripted addresses and scripts of a page."""

    def __init__(self) -> None:
        super().__init__()
        self.active: list[str] = []
        self.scripts = 0

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.scripts += tag == "script"
        self.active += [f"{tag} {name}" for name, value in attrs if name.startswith("on") or ("javascript:" in (value or "")
                        and name in ("href", "src", "action", "xlink:href"))]  # fmt: skip


pytestmark = pytest.mark.filterwarnings("ignore::cranfield.core.errors.CranfieldWarning")


def test_no_raw_name_stands_in_it(page: str) -> None:
    shown = re.sub(r"<script>const n=.*?</script>", "", page, flags=re.S)  # the drawing library has tags in strings
    assert [raw for raw in RAW if raw in shown] == []
    parser = Handlers()
    parser.feed(shown)
    assert parser.active == []
    assert parser.scripts == (
        1 if 'id="chart"' in page else 2 if 'id="view-data"' in page else 0
    )  # its data, its script


def test_the_check_can_see_them() -> None:
    parser = Handlers()
    parser.feed(in_page("".join(HOSTILE)))
    assert parser.scripts == 3
    assert "img onerror" in parser.active


@pytest.mark.skipif(BROWSER is None, reason="no Chromium found: the page is not opened in a browser")
def test_nothing_runs_in_a_browser(page: str, tmp_path: Path) -> None:
    file = tmp_path / ("page.svg" if page.startswith("<svg") else "page.html")
    file.write_text(page, encoding="utf-8")
    dom, console = opened(file, tmp_path)
    assert "data-owned=" not in dom
    assert console == []
    if 'id="chart"' in page:
        assert 'class="marks"' in dom, "the chart is drawn under its policy"
        assert html.escape(HOSTILE[2], quote=False) in dom, "and shows the names as text"


@pytest.mark.skipif(BROWSER is None, reason="no Chromium found: the page is not opened in a browser")
def test_the_browser_would_tell(tmp_path: Path) -> None:
    file = tmp_path / "page.html"
    file.write_text(in_page(HOSTILE[0]), encoding="utf-8")
    dom, _ = opened(file, tmp_path)
    assert "data-owned=" in dom


def opened(file: Path, place: Path) -> tuple[str, list[str]]:
    """The page after its scripts ran, and what it said in the console."""
    words = [
        str(BROWSER), "--headless", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run",
        "--disable-background-networking", "--disable-component-update", "--disable-sync", "--disable-dev-shm-usage",
        "--enable-logging=stderr", "--v=0", "--host-resolver-rules=MAP * ~NOTFOUND", "--no-proxy-server",
        "--virtual-time-budget=5000", f"--user-data-dir={place / 'profile'}", "--dump-dom", file.as_uri(),
    ]  # fmt: skip
    environment = {**os.environ, "DBUS_SESSION_BUS_ADDRESS": "none"}
    done = subprocess.run(words, capture_output=True, text=True, timeout=120, check=False, env=environment)
    assert done.stdout, done.stderr[-2000:]
    return done.stdout, [line for line in done.stderr.splitlines() if "CONSOLE" in line or "Refused" in line]


def test_json_in_a_script_reads_back() -> None:
    names = list(HOSTILE)
    text = script_json(names)
    assert json.loads(text) == names
    assert text.isascii()
    assert not set("<>&") & set(text)


def test_a_chart_page_lets_only_its_own_scripts_run() -> None:
    made = PAGES["chart page"]()
    (policy,) = re.findall(r'http-equiv="Content-Security-Policy" content="([^"]*)"', made)
    assert "default-src 'none'" in policy
    assert "unsafe-eval" not in policy
    (scripts,) = re.findall(r"script-src ([^;]*);", policy)
    assert re.fullmatch(r"('sha256-[A-Za-z0-9+/=]{44}' ?){2}", scripts)


def test_junit_keeps_names_as_text() -> None:
    text = to_junit(gate(X, baseline=HOSTILE[0], candidate=HOSTILE[1], margin=0.02))
    assert [raw for raw in RAW if raw in text] == []
    case = ElementTree.fromstring(text).find(".//testcase")
    assert case is not None
    assert (case.get("name") or "").startswith(HOSTILE[1])
