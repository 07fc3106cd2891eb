"""The page for people who come from another tool runs as it stands: its blocks, and the code inside its lines."""

from __future__ import annotations

import json
import re
import shlex
from pathlib import Path
from typing import Any

import pandas as pd
import pytest
import pytrec_eval

from cranfield import make_sample, write_qrels, write_run
from support import Type

PAGE = Path(__file__).resolve().parents[2] / "docs" / "coming_from.md"
BLOCK = re.compile(r"```python\n(.*?)```", re.DOTALL)


def inline(beginning: str) -> list[str]:
    """The code inside lines that begins so, and is a whole call or command."""
    codes = re.findall(r"`([^`\n]+)`", BLOCK.sub("", PAGE.read_text()))
    return [code for code in codes if code.startswith(beginning) and re.search(r"[ (].", code)]


@pytest.fixture(scope="module")
def names() -> dict[str, Any]:
    """What the blocks of the page leave behind."""
    blocks = BLOCK.findall(PAGE.read_text())
    assert len(blocks) == 5
    names: dict[str, Any] = {}
    for block in blocks:
        exec(compile(block, str(PAGE), "exec"), names)
    return names


@pytest.mark.filterwarnings("ignore")
def test_the_blocks_run(capsys: pytest.CaptureFixture[str], request: pytest.FixtureRequest) -> None:
    request.getfixturevalue("names")
    printed = capsys.readouterr().out
    assert "nDCG@10" in printed
    assert "run 'bm25': topic '1', document 'd1' has score nan; scores must be finite numbers" in printed


@pytest.mark.filterwarnings("ignore")
def test_the_calls_inside_lines_run(names: dict[str, Any]) -> None:
    evaluator = pytrec_eval.RelevanceEvaluator(names["qrels"], {"map"})
    ranx_like = {
        kind: type(kind, (dict,), {"__module__": f"ranx.{kind}", "to_dict": lambda self: dict(self), "name": None})
        for kind in ("Run", "Qrels")
    }
    held = {
        "results": evaluator.evaluate(names["bm25"]),
        "other_results": evaluator.evaluate(names["ours"]),
        "ranx_qrels": ranx_like["Qrels"](names["qrels"]),
        "run_1": ranx_like["Run"](names["bm25"]),
        "run_2": ranx_like["Run"](names["ours"]),
        "frame": pd.DataFrame({"topic": ["1", "2"], "bm25": [0.1, 0.2], "ours": [0.3, 0.2]}),
    }
    held["run_1"].name, held["run_2"].name = "bm25", "ours"
    calls = inline("cf.")
    assert len(calls) == 4
    for call in calls:
        assert eval(call, {**names, **held}) is not None, call


@pytest.mark.filterwarnings("ignore")
def test_the_commands_inside_lines_run(cranfield: Type) -> None:
    sample = make_sample(n_topics=8, n_systems=2, n_documents=200, depth=10, length=20, seed=5)
    for folder in ("qrels", "predictions", "evals"):
        Path(folder).mkdir()
    write_qrels(sample.qrels, "qrels.txt")
    assert cranfield("convert", "qrels.txt", "--layout", "beir", "-o", "qrels/test.tsv").exit_code == 0
    for run in sample.runs:
        write_run(run, f"{run.system}.run")
        printed = cranfield("trec_eval", "-q", "qrels.txt", f"{run.system}.run").stdout
        Path("evals", f"{run.system}.eval").write_text(printed)
        scores: dict[str, dict[str, float]] = {}
        for topic, document, score in run.frame.select("topic", "document", "score").iter_rows():
            scores.setdefault(topic, {})[document] = score
        Path("predictions", run.system).mkdir()
        content = {"mteb_model_meta": {"model_name": run.system}, "default": {"test": scores}}
        for place in (f"predictions/{run.system}.json", f"predictions/{run.system}/SciFact_predictions.json"):
            Path(place).write_text(json.dumps(content))
    commands = inline("cranfield ")
    assert len(commands) == 4
    for command in commands:
        words = shlex.split(command)[1:]
        done = cranfield(*(words if words != ["trec_eval"] else [*words, "qrels.txt", f"{sample.runs[0].system}.run"]))
        assert done.exit_code == 0, f"{command}\n{done.stderr}"
