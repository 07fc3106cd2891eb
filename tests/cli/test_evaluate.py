"""``evaluate`` and ``measures`` as a user types them."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from cranfield import read_scores
from cranfield.measures import registry
from support import Type

QRELS = "1 0 a 2\n1 0 b 1\n1 0 c 0\n2 0 a 1\n"
RUNS = {
    "bm25.run": "1 Q0 a 1 9.5 tagA\n1 Q0 x 2 9 tagA\n1 Q0 b 3 8 tagA\n2 Q0 a 1 3 tagA\n",
    "ql.run": "1 Q0 c 1 2 tagB\n1 Q0 b 2 1 tagB\n",
}


@pytest.fixture
def collection(cranfield: Type) -> Type:
    Path("qrels").write_text(QRELS)
    Path("runs").mkdir()
    for name, text in RUNS.items():
        Path("runs", name).write_text(text)
    return cranfield


def test_means_by_default(collection: Type) -> None:
    result = collection("evaluate", "qrels", "runs", "-m", "AP", "-m", "num_rel_ret", "--format", "json")
    assert result.exit_code == 0
    answer = json.loads(result.stdout)
    assert answer["command"] == "evaluate"
    assert answer["settings"]["measures"] == ["AP", "NumRelRet"]
    assert answer["signature"].startswith("evaluated on qrels; order score; cranfield")
    assert answer["warnings"] == ["ql: no document for 1 of 2 topics, scored 0: 2"]
    assert answer["rows"] == [
        {"system": "bm25", "topic": "all", "measure": "AP", "value": ((1 + 2 / 3) / 2 + 1) / 2},
        {"system": "ql", "topic": "all", "measure": "AP", "value": 0.125},
        {"system": "bm25", "topic": "all", "measure": "NumRelRet", "value": 3.0},
        {"system": "ql", "topic": "all", "measure": "NumRelRet", "value": 1.0},
    ]


def test_default_measures(collection: Type) -> None:
    lines = collection("evaluate", "qrels", "runs", "--format", "csv").stdout.splitlines()
    assert [line.split(",")[2] for line in lines[1:]] == ["AP", "AP", "nDCG@10", "nDCG@10", "P@10", "P@10"]


def test_scores_of_topics_are_read_back_to_the_last_bit(collection: Type) -> None:
    for file in ("scores.csv", "scores.parquet", "scores.tsv.gz"):
        result = collection("evaluate", "qrels", "runs", "-m", "nDCG", "-m", "AP", "-q", "-o", file)
        assert result.exit_code == 0
        assert result.stdout == ""
        assert result.stderr.splitlines()[-1] == f"wrote {file} (12 rows)"
        scores = read_scores(file)
        assert list(scores) == ["nDCG", "AP"]
        assert scores["AP"].topics == ("1", "2")
        assert scores["AP"].values.tolist() == [[(1 + 2 / 3) / 2, 0.25], [1.0, 0.0]]


def test_means_in_a_file_come_with_a_hint(collection: Type) -> None:
    result = collection("evaluate", "qrels", "runs", "-m", "AP", "-o", "means.csv")
    assert result.stderr.splitlines()[-1] == (
        "note: means.csv contains means only; other commands need the score of every topic, which -q writes"
    )


def test_trec_lines(collection: Type) -> None:
    result = collection("evaluate", "qrels", "runs/bm25.run", "-m", "P@5 ndcg_cut_10 map num_ret", "--trec", "-q")
    assert result.stdout.splitlines() == [
        "num_ret               \t1\t3",
        "map                   \t1\t0.8333",
        "P_5                   \t1\t0.4000",
        "ndcg_cut_10           \t1\t0.9502",
        "num_ret               \t2\t1",
        "map                   \t2\t1.0000",
        "P_5                   \t2\t0.2000",
        "ndcg_cut_10           \t2\t1.0000",
        "num_ret               \tall\t4",
        "map                   \tall\t0.9167",
        "P_5                   \tall\t0.3000",
        "ndcg_cut_10           \tall\t0.9751",
    ]
    both = collection("evaluate", "qrels", "runs", "-m", "map", "--trec", "-o", "out.eval")
    assert both.exit_code == 0
    assert Path("out.eval").read_text().splitlines() == [
        "runid                 \tall\tbm25",
        "map                   \tall\t0.9167",
        "runid                 \tall\tql",
        "map                   \tall\t0.1250",
    ]
    assert collection("evaluate", "qrels", "runs", "--trec", "--format", "csv").exit_code == 2


def test_level_gains_order_and_names(collection: Type) -> None:
    def rows(*options: str) -> dict[str, float]:
        result = collection("evaluate", "qrels", "runs/bm25.run", "--format", "json", *options)
        assert result.exit_code == 0, result.stderr
        return {row["measure"]: row["value"] for row in json.loads(result.stdout)["rows"]}

    assert rows("-m", "AP", "-l", "2") == {"AP(rel=2)": 0.5}
    assert rows("-m", "ERR@1", "--gains", "1:3") == {"ERR(gains=1:3)@1": (3 / 4 + 1 / 4) / 2}
    assert rows("-m", "RR", "--order", "file", "--single-precision", "--workers", "1") == {"RR": 1.0}
    result = collection("evaluate", "qrels", "runs", "--name", "tag", "-m", "AP", "--format", "csv")
    assert "tagA,all,AP," in result.stdout


def test_missing_topics_can_be_dropped(collection: Type) -> None:
    result = collection("evaluate", "qrels", "runs", "-m", "AP", "--missing", "drop-topic", "-q", "--format", "csv")
    assert [line.split(",")[1] for line in result.stdout.splitlines()[1:]] == ["1", "1", "all", "all"]


def test_diversity_with_intents(cranfield: Type) -> None:
    Path("qrels").write_text("1 1 a 1\n1 2 a 0\n1 2 b 2\n")
    Path("run").write_text("1 Q0 b 1 3 x\n1 Q0 a 2 2 x\n")
    Path("Iprob").write_text("1 1 0.9\n1 2 0.1\n")
    arguments = ("evaluate", "qrels", "run", "-m", "D#-nDCG@1", "--gains", "linear", "--format", "json")
    value = json.loads(cranfield(*arguments, "--intents", "Iprob").stdout)["rows"][0]["value"]
    assert value == pytest.approx(0.5 * 0.5 + 0.5 * 0.2 / 0.9, abs=1e-15)


@pytest.mark.parametrize(
    ("words", "code", "message"),
    [
        (("-m", "nDGC@10"), 2, "error: unknown measure 'nDGC'. Did you mean 'nDCG' or 'RnDCG' or 'nG'?"),
        (("-m", "RBP(p=9)"), 2, "error: measure 'RBP(p=9)': `p` must be between 0 and 1, both excluded; got 9"),
        (("-l", "0"), 2, "error: --level, the lowest level that counts as relevant, must be at least 1; got 0"),
        (("--intents", "none"), 1, "error: none: no such file; check the name"),
        (("-o", "scores.xls"), 2, "error: cannot tell the format of scores.xls from its ending; use --format"),
    ],
)
def test_mistakes(collection: Type, words: tuple[str, ...], code: int, message: str) -> None:
    result = collection("evaluate", "qrels", "runs", *words)
    assert (result.exit_code, result.stdout) == (code, "")
    assert message in result.stderr


def test_own_measure_on_the_command_line(collection: Type, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("cranfield.measures.registry._DEFINITIONS", dict(registry._DEFINITIONS))
    monkeypatch.setattr("cranfield.measures.registry._ALIASES", dict(registry._ALIASES))
    Path("cli_own.py").write_text(
        "from cranfield.measures import Cutoff, measure\n\n"
        '@measure("CliOwn")\n'
        "def first_levels(ranking, *, cutoff: Cutoff = 10):\n"
        '    """Sum of the first levels."""\n'
        "    return ranking.top(cutoff).clip(0).sum(axis=1)\n"
    )
    result = collection("evaluate", "qrels", "runs/bm25.run", "-m", "cli_own.first_levels@1", "--format", "json")
    assert json.loads(result.stdout)["rows"][0] == {
        "system": "bm25",
        "topic": "all",
        "measure": "CliOwn@1",
        "value": 1.5,
    }


def test_measures_lists_everything(cranfield: Type) -> None:
    rows = json.loads(cranfield("measures", "--format", "json").stdout)["rows"]
    names = [row["measure"].split("(")[0].split("@")[0] for row in rows]
    for name in ("AP", "nDCG", "Q", "P+", "ERR", "nERR", "RBP", "Bpref", "infAP", "alpha-nDCG", "D#-nDCG", "strec"):
        assert name in names
    table = cranfield("measures", "map", "nDCG").stdout
    assert "AP(rel=1,tool=trec)@k or without @k" in table
    assert "MAP, map, map_cut_k" in table
    assert cranfield("measures", "nope").exit_code == 2


def test_systems_by_measures_best_first(collection: Type) -> None:
    """For people; CSV and JSON keep one row per system and measure, and so does --long."""
    words = ("evaluate", "qrels", "runs", "-m", "map", "-m", "num_rel_ret")
    lines = [line.split() for line in collection(*words).stdout.splitlines() if line]
    assert [lines[0], *(line[0] for line in lines[2:4])] == [["system", "AP", "NumRelRet"], "bm25", "ql"]
    backwards = collection("evaluate", "qrels", "runs/ql.run", "runs/bm25.run", "-m", "map").stdout.splitlines()
    assert [line.split()[0] for line in backwards[2:4]] == ["bm25", "ql"]
    assert collection(*words, "--format", "markdown").stdout.startswith("| system | AP | NumRelRet |")
    assert collection(*words, "--long").stdout.split()[:4] == ["system", "topic", "measure", "value"]
    assert collection(*words, "--format", "csv").stdout.startswith("system,topic,measure,value\n")


def test_a_result_of_mteb_is_no_run_and_says_what_to_do(collection: Type) -> None:
    Path("mteb.json").write_text('{"task_name": "X", "scores": {"test": [{"ndcg_at_10": 0.5, "main_score": 0.5}]}}')
    result = collection("evaluate", "qrels", "mteb.json")
    assert result.exit_code == 1
    assert "contains only means over topics" in result.stderr
    assert "save the predictions (MTEB: prediction_folder)" in result.stderr


@pytest.mark.parametrize("command", ["compare", "leaderboard", "table"])
def test_what_evaluating_had_to_say_is_said_by_whatever_evaluates(cranfield, tmp_path, monkeypatch, command):
    """Every tenth judgment: the warning is printed, and JSON holds it."""
    from cranfield import make_sample

    make_sample(n_topics=6, n_systems=3, n_documents=300, depth=20).write(tmp_path)
    monkeypatch.chdir(tmp_path)
    kept = Path("qrels.txt").read_text().splitlines(keepends=True)[::10]
    Path("few.txt").write_text("".join(kept))
    asked = [command, "few.txt", "runs", "-m", "nDCG@10", "--test", "t"]
    printed, data = cranfield(*asked), cranfield(*asked, "--format", "json")
    assert "3 of 3 runs have less than 90% of their top 10 judged" in printed.stderr
    assert sum("less than 90% of their top 10" in one for one in json.loads(data.stdout)["warnings"]) == 1
