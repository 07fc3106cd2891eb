"""mypy knows what a question returns, and what the main functions take and give."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import pytest

pytest.importorskip("mypy")
ROOT = Path(__file__).resolve().parents[1]
SHOWN = """
from typing import reveal_type
import cranfield as cf
from cranfield.questions.compare.question import CompareQuestion
from cranfield.questions.design.question import TtestQuestion
from cranfield.questions.reuse.question import ReuseQuestion
scores = cf.read_scores("scores.csv")
qrels, runs = cf.read_qrels("qrels.txt"), cf.read_runs("runs")
reveal_type(ReuseQuestion(depths=(3,)).ask(qrels, runs))
reveal_type(TtestQuestion().ask(scores))
reveal_type(CompareQuestion().ask(scores))
reveal_type(cf.compare(scores["AP"]))
reveal_type(cf.compare(qrels, runs, measure="AP"))
reveal_type(cf.compare(scores, measure=["AP", "RR"]))
reveal_type(cf.evaluate(qrels, runs))
reveal_type(cf.table(scores))
"""
EXPECTED = [
    "Reuse", "Design", "Comparison | MeasureComparisons", "Comparison", "Comparison", "Comparison | MeasureComparisons",
    "Scores", "PaperTable",
]  # fmt: skip


def test_answers_are_typed(tmp_path: Path) -> None:
    (tmp_path / "shown.py").write_text(SHOWN)
    words = [sys.executable, "-m", "mypy", "--config-file", str(ROOT / "pyproject.toml"), str(tmp_path / "shown.py")]
    ended = subprocess.run(words, capture_output=True, text=True, cwd=ROOT, check=False)
    revealed = re.findall(r'Revealed type is "(.+)"', ended.stdout)
    assert ended.returncode == 0, ended.stdout
    assert [re.sub(r"[\w.]+\.(\w+)", r"\1", one) for one in revealed] == EXPECTED
