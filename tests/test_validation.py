"""docs/validation.md: its tables are those of docs/validation.json, and a short form of every simulation holds."""

from __future__ import annotations

import importlib
import math
import re
import sys
from pathlib import Path
from types import ModuleType

import pytest

DOCS = Path(__file__).resolve().parents[1] / "docs"


def load() -> ModuleType:
    sys.path.insert(0, str(DOCS))
    try:
        return importlib.import_module("validate")
    finally:
        sys.path.remove(str(DOCS))


VALIDATE = load()
KEPT = VALIDATE.stored()
PAGE = (DOCS / "validation.md").read_text()


def test_every_promise_was_measured_and_stands_on_the_page() -> None:
    assert set(KEPT) == set(VALIDATE.PROMISES)
    for name, kept in KEPT.items():
        assert f"## {name}\n" in PAGE
        marked = re.search(rf"<!-- validated {name} -->\n(.*?)\n<!-- /validated -->", PAGE, re.DOTALL)
        assert marked is not None, name
        assert marked[1] == VALIDATE.block(name, kept), f"python docs/validate.py {name} --write"
        assert f"](#{name}) |" in PAGE


def test_a_table_has_a_row_for_every_cell() -> None:
    rows = [{"population": "x", "cell": "25 topics", "trials": 2000, "values": {"held": 0.9505, "width": 1.25}}]
    assert VALIDATE.table(rows).splitlines() == [
        "| population | cell | trials | held | width |",
        "|:--|:--|--:|--:|--:|",
        "| x | 25 topics | 2,000 | .951 | 1.25 |",
    ]


BOUNDS = {
    "families": ("error, max-t", 0.0, 0.10), "ranks": ("rank interval, mean", 0.92, 1.0), "tau": ("hull", 0.93, 1.0),
    "sizes": ("interval", 0.90, 1.0), "recommend": ("power", 0.76, 0.86), "tune": ("interval", 0.92, 1.0),
    "reliability": ("Eρ², jackknife", 0.87, 1.0),
}  # fmt: skip
"""What a share may be in every cell, but for the noise of the trials."""


@pytest.mark.parametrize("name", BOUNDS)
def test_what_was_measured_is_within_bounds(name: str) -> None:
    column, low, high = BOUNDS[name]
    for row in KEPT[name]["rows"]:
        share = row["values"][column]
        noise = 3 * math.sqrt(max(share * (1 - share), 0.01) / row["trials"])
        assert low - noise <= share <= high + noise, row


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore::cranfield.CranfieldWarning")
@pytest.mark.parametrize("name", list(VALIDATE.PROMISES))
def test_a_short_form_of_every_promise(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Synthetic populations alone, few trials: the rows come out, and shares are far from failing."""
    monkeypatch.setattr(VALIDATE, "MATRICES", DOCS / "no matrices here")
    trials = {"gate": 4000, "monitor": 2000, "tune": 200, "sizes": 100}.get(name, 40)
    rows = list(VALIDATE.PROMISES[name].run(trials, 2))
    assert bool(rows) == (name != "reliability")  # which needs real systems
    if name not in BOUNDS:
        return
    column, low, high = BOUNDS[name]
    for row in rows:
        share = row.values[column]
        noise = 4 * math.sqrt(max(share * (1 - share), 0.02) / row.trials)
        assert low - noise <= share <= high + noise, row
