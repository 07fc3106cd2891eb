"""A page to ask, in this process, and one that runs by itself."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from cranfield.web.server.app import create_app
from cranfield.web.server.security import MB, Limits
from web_page import HERE, Client

SOURCE = Path(__file__).resolve().parents[2] / "src"


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """The command line silences warnings of results, which carry them; so must what stands in for it here."""
    for item in items:
        if Path(__file__).parent in item.path.parents:
            item.add_marker(pytest.mark.filterwarnings("ignore::cranfield.core.errors.CranfieldWarning"))


@pytest.fixture(scope="module")
def client() -> Iterator[Client]:
    """An application with small limits, asked without a network."""
    limits = Limits(upload=5 * MB, file=3 * MB, store=8 * MB, files=40, datasets=6, patience=30.0)
    with Client(create_app(limits=limits), base_url=HERE, follow_redirects=False) as asked:
        yield asked


@pytest.fixture(scope="session")
def served() -> Iterator[tuple[str, int]]:
    """The program itself on a free port: its address and its process id."""
    environment = {**os.environ, "PYTHONPATH": str(SOURCE)}
    words = [sys.executable, "-m", "cranfield", "serve", "--port", "0"]
    with subprocess.Popen(words, stderr=subprocess.PIPE, text=True, env=environment) as process:
        assert process.stderr is not None
        line = process.stderr.readline()
        found = re.search(r"http://[^/]+", line)
        assert found is not None, line
        yield found.group(0), process.pid
        process.terminate()
        process.wait(120)
