"""The tables of docs/trec_eval.md are those the program has."""

from __future__ import annotations

import runpy
from pathlib import Path

from cranfield.trec_eval.arguments import FLAGS
from cranfield.trec_eval.measures import MEASURES

DOCS = Path(__file__).resolve().parents[2] / "docs"


def test_the_tables_are_up_to_date() -> None:
    page = (DOCS / "trec_eval.md").read_text()
    script = runpy.run_path(str(DOCS / "trec_eval.py"))
    assert script["filled"](page) == page, "run: python docs/trec_eval.py"
    for flag in FLAGS:
        assert f"\n| `-{flag.letter}" in page
    for name in MEASURES:
        assert f"\n| `{name}` |" in page
