"""The collection the golden tests ask about, and the option that writes their files anew."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from golden import data


def pytest_addoption(parser: pytest.Parser) -> None:
    """`--update-golden`, when these tests are named on the command line."""
    parser.addoption("--update-golden", action="store_true", help="Write the golden files anew instead of comparing.")


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """The program silences warnings of results, which carry them; so must what stands in for it here."""
    for item in items:
        if Path(__file__).parent in item.path.parents:
            item.add_marker(pytest.mark.filterwarnings("ignore"))


@pytest.fixture(scope="session")
def update(pytestconfig: pytest.Config) -> bool:
    """Whether golden files are to be written."""
    return bool(pytestconfig.getoption("--update-golden", default=False)) or "GOLDEN_UPDATE" in os.environ


@pytest.fixture(scope="session")
def collection(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A directory with a small sample collection and what is made from it, once per session."""
    directory = tmp_path_factory.mktemp("golden")
    before = Path.cwd()
    os.chdir(directory)
    try:
        data.make()
    finally:
        os.chdir(before)
    return directory


@pytest.fixture
def here(collection: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The current directory is that of the collection."""
    monkeypatch.chdir(collection)
    monkeypatch.delenv("COLUMNS", raising=False)  # tables in a pipe keep their full width
    monkeypatch.setenv("NO_COLOR", "1")
    return collection
