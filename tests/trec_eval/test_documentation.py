"""The tables of docs/trec_eval.md hold all the program has; that they are up to date is seen in tests/test_figures.py."""

from __future__ import annotations

from pathlib import Path

from cranfield.measures.aliases import TREC_MEASURES
from cranfield.trec_eval.arguments import FLAGS

DOCS = Path(__file__).resolve().parents[2] / "docs"


def test_the_tables_hold_every_flag_and_measure() -> None:
    page = (DOCS / "trec_eval.md").read_text()
    for flag in FLAGS:
        assert f"\n| `-{flag.letter}" in page
    for name in TREC_MEASURES:
        assert f"\n| `{name}` |" in page
