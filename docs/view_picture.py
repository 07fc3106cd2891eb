"""Make the pictures of the manual: `python docs/view_picture.py` writes docs/images/view.png and leaderboard.svg.

Needs the page (`pip install '.[web]'`), playwright and a Chromium; the collection is the synthetic sample.
"""

from __future__ import annotations

import re
import shutil
import subprocess
import sys
from pathlib import Path

from playwright.sync_api import sync_playwright

import cranfield as cf

IMAGES = Path(__file__).parent / "images"
BROWSERS = ("chromium", "chromium-browser", "google-chrome")


def main() -> None:
    """Draw a chart of the sample; serve it, choose a system, and take the picture."""
    sample = cf.make_sample()
    board = cf.leaderboard(cf.evaluate(sample.qrels, sample.runs, ["AP"]))
    cf.save_chart(board.chart("leaderboard"), IMAGES / "leaderboard.svg")
    words = [sys.executable, "-m", "cranfield", "serve", "--port", "0"]
    with subprocess.Popen(words, stderr=subprocess.PIPE, text=True) as server, sync_playwright() as started:
        assert server.stderr is not None
        base = re.search(r"http://[^/]+", server.stderr.readline())
        assert base is not None
        browser = started.chromium.launch(
            executable_path=next(filter(None, map(shutil.which, BROWSERS)), None), args=["--no-sandbox"]
        )
        page = browser.new_page(viewport={"width": 1280, "height": 860})
        page.goto(f"{base.group(0)}/data/sample#system=aspen-2", timeout=120_000)
        page.wait_for_selector("#view[data-ready]", timeout=120_000)
        page.evaluate("document.getElementById('view').scrollIntoView()")
        page.wait_for_timeout(500)
        page.screenshot(path=IMAGES / "view.png")
        browser.close()
        server.terminate()


if __name__ == "__main__":
    main()
