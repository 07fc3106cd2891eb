"""A way to type commands in tests."""

from __future__ import annotations

import gc
import os
from collections.abc import Iterator
from typing import Any

import pytest
from click.testing import CliRunner, Result
from hypothesis import settings

import support
from cranfield.cli.main import app
from support import Type

# Printed tables follow COLUMNS; the tests read them at full width.
os.environ.pop("COLUMNS", None)
# A slow machine is no failure; and in continuous integration the same commit gives the same verdict.
settings.register_profile("cranfield", deadline=None, derandomize=bool(os.environ.get("CI")))
settings.load_profile("cranfield")


def pytest_configure(config: pytest.Config) -> None:
    support.THOROUGH = config.getoption("markexpr") != "not slow"
    gc.disable()  # collecting tests makes no garbage


def pytest_collection_finish() -> None:
    """Thousands of tests stay for the whole session: looking through them for garbage takes half of the time."""
    gc.freeze()
    gc.enable()


@pytest.fixture
def cranfield(tmp_path: object, monkeypatch: pytest.MonkeyPatch) -> Type:
    """Runs the program in an empty directory; bad input must never end in a traceback."""
    monkeypatch.chdir(tmp_path)  # type: ignore[arg-type]

    def run(*words: str, stdin: bytes | None = None) -> Result:
        result = CliRunner().invoke(app, list(words), input=stdin)
        if result.exception is not None and not isinstance(result.exception, SystemExit):
            raise result.exception
        return result

    return run


@pytest.fixture(scope="session")
def dask_cluster() -> Iterator[Any]:
    """A Dask cluster of two worker processes on this machine."""
    from cranfield.core.cluster import open_cluster

    with open_cluster("local:2") as executor:
        yield executor
