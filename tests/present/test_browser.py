"""The report in a browser: no console message, so no script error and no request refused by its policy."""

from __future__ import annotations

import os
import shutil
import struct
import subprocess
from pathlib import Path

import pytest

from chart_support import matrix
from cranfield import ScoreMatrix, Scores, build_report

BROWSER = next(
    (path for name in ("chromium", "chromium-browser", "google-chrome") if (path := shutil.which(name))), None
)

pytestmark = pytest.mark.skipif(BROWSER is None, reason="no Chromium found: the page is not opened in a browser")

QUIET = [
    "--headless",
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--disable-dev-shm-usage",
    "--hide-scrollbars",
    "--enable-logging=stderr",
    "--v=0",
]


def open_page(page: Path, profile: Path, *options: str) -> subprocess.CompletedProcess[str]:
    # No proxy and no address resolves: a request to any host could only fail, and would be logged.
    closed = ["--host-resolver-rules=MAP * ~NOTFOUND", "--no-proxy-server"]
    return subprocess.run(
        [str(BROWSER), *QUIET, *closed, f"--user-data-dir={profile}", *options, page.as_uri()],
        capture_output=True, text=True, timeout=120, check=False, env={**os.environ, "DBUS_SESSION_BUS_ADDRESS": "none"},
    )  # fmt: skip


@pytest.fixture(scope="module")
def page(tmp_path_factory: pytest.TempPathFactory) -> Path:
    x = matrix(12, 5)
    scores = Scores([x, ScoreMatrix(x.values**2, x.topics, x.systems, "other")])
    return build_report(scores, n_resamples=1000).write(tmp_path_factory.mktemp("page") / "report.html")


def console(text: str) -> list[str]:
    return [line for line in text.splitlines() if "CONSOLE" in line or "Refused" in line]


@pytest.mark.parametrize("width", [1280, 390])
def test_it_opens_without_a_word_in_the_console(page: Path, tmp_path: Path, width: int) -> None:
    picture = tmp_path / "page.png"
    done = open_page(page, tmp_path / "profile", f"--window-size={width},2000", f"--screenshot={picture}")
    assert console(done.stderr) == []
    assert picture.is_file(), done.stderr[-2000:]
    size = struct.unpack(">II", picture.read_bytes()[16:24])
    assert size == (width, 2000)


def test_the_check_can_fail(page: Path, tmp_path: Path) -> None:
    """A page that asks for something outside is told so in the console."""
    bad = tmp_path / "bad.html"
    bad.write_text(page.read_text().replace("</header>", '<img src="https://example.org/x.png" alt=""></header>', 1))
    done = open_page(bad, tmp_path / "profile", "--dump-dom")
    assert any("example.org" in line for line in console(done.stderr))
