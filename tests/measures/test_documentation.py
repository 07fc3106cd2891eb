"""The measure of your own in docs/measures.md works as printed."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from cranfield import evaluate, parse_measure
from cranfield.measures import registry
from small_collections import qrels_of, run_of

PAGE = (Path(__file__).resolve().parents[2] / "docs" / "measures.md").read_text()


def test_own_measure_of_the_page(monkeypatch: pytest.MonkeyPatch) -> None:
    registry.known_names()  # so that no family registers itself in what is put back
    monkeypatch.setattr(registry, "_DEFINITIONS", dict(registry._DEFINITIONS))
    monkeypatch.setattr(registry, "_ALIASES", dict(registry._ALIASES))
    (code,) = re.findall(r"```python\n(from cranfield.measures import.*?)```", PAGE, re.DOTALL)
    assert len(code.splitlines()) <= 10
    exec(compile(code, "docs/measures.md", "exec"), {"__name__": "page"})
    qrels = qrels_of([("1", "0", "a", 1), ("1", "0", "b", 1)])
    run = run_of([("1", "a", 4), ("1", "x", 3), ("1", "y", 2), ("1", "b", 1)])
    scores = evaluate(qrels, run, ["FirstTwo", "FirstTwo@3"])
    assert [matrix.values.tolist() for matrix in scores.values()] == [[[0.25]], [[0.0]]]


def test_every_measure_the_page_writes_exists() -> None:
    names = set(re.findall(r"`([A-Za-z#+-]+(?:\([^`)]*\))?@\d+)`", PAGE))
    assert {"AP@10", "nDCG(gains=exp)@20", "ERR-IA@10", "D#-nDCG@10", "P@10"} <= names, "the pattern misses measures"
    for name in names:
        assert str(parse_measure(name)).partition("@")[2] == name.partition("@")[2]
