"""``variance``, ``design``, ``cost`` and ``pool`` as a user types them."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from cranfield import make_sample, make_scores, read_qrels
from cranfield.scores.matrix import ScoreMatrix
from cranfield.scores.writers import write_scores
from support import Type


def rows(result: Any) -> list[dict[str, Any]]:
    assert result.exit_code == 0, result.stderr
    return list(json.loads(result.stdout)["rows"])


@pytest.fixture
def past(cranfield: Type) -> Type:
    """The program, in a directory with two past collections."""
    for name, seed in (("old", 1), ("older", 2)):
        x = ScoreMatrix(*_parts(seed), "AP")
        write_scores(x, f"{name}.AP.csv", layout="wide")
    return cranfield


def _parts(seed: int) -> tuple[Any, list[str], list[str]]:
    import numpy as np

    rng = np.random.default_rng(seed)
    values = 0.5 + rng.uniform(-0.35, 0.35, (30, 1)) + rng.normal(0, 0.03, (1, 6)) + rng.normal(0, 0.1, (30, 6))
    values = values.clip(0, 1)
    return values, [str(i) for i in range(30)], list("abcdef")


def test_variance_shows_every_method_and_pools(past: Type) -> None:
    found = rows(past("variance", "old.AP.csv", "older.AP.csv", "--format", "json"))
    assert len(found) == 15
    assert [row["collection"] for row in found[:3]] == ["old", "older", "pooled"]
    assert list(found[0]) == (
        [
            "collection",
            "measure",
            "topics",
            "systems",
            "method",
            "variance",
            "variance_of_difference",
            "lower",
            "upper",
        ]
    )
    one = rows(past("variance", "old.AP.csv", "--method", "residual", "--format", "json"))
    assert [row["method"] for row in one] == ["residual"]
    table = past("variance", "old.AP.csv").stdout
    assert "Variance of past scores" in table
    assert "Designs use residual (all pairs, blocked ANOVA)" in table


def test_variance_shows_the_anova_table(past: Type) -> None:
    found = rows(past("variance", "old.AP.csv", "--anova", "--format", "json"))
    assert [row["source"] for row in found] == ["systems", "topics", "residual", "total"]
    result = past("variance", "old.AP.csv", "--anova", "--method", "within")
    assert (result.exit_code, result.stderr) == (2, "error: --anova uses no estimator. Leave out --estimator.\n")
    result = past("variance", "old.AP.csv", "--method", "twoway")
    assert result.exit_code == 2
    assert "Invalid value for '--estimator' / '--method': 'twoway' is not one of 'within', 'one_way'" in result.stderr


def test_variance_refuses_constant_scores(cranfield: Type) -> None:
    Path("flat.csv").write_text("topic,a,b\n1,0.5,0.5\n2,0.5,0.5\n")
    result = cranfield("variance", "flat.csv")
    assert (result.exit_code, result.stdout) == (1, "")
    assert (
        result.stderr
        == "error: score: all 4 scores are 0.5, so there is no variance. Give scores of other systems or topics.\n"
    )


def test_an_estimator_without_variance_does_not_stop_the_others(cranfield: Type) -> None:
    Path("identical.csv").write_text("topic,a,b\n1,0.5,0.5\n2,0.25,0.25\n3,0.75,0.75\n")
    text = "score: differences between systems are the same on all topics, so there is no variance. Give scores of other systems or topics."
    result = cranfield("variance", "identical.csv", "--format", "json")
    assert [row["method"] for row in rows(result)] == ["within", "one_way", "two_way"]
    assert [f"no {name} estimate: {text}" for name in ("residual", "percentile95")] == json.loads(result.stdout)[
        "warnings"
    ][-2:]
    result = cranfield("variance", "identical.csv", "--method", "residual")
    assert (result.exit_code, result.stderr) == (1, f"error: {text}\n")
    result = cranfield(
        "design", "anova", "--published", "--scores", "identical.csv", "--systems", "2", "--min-diff", "0.1"
    )
    assert result.exit_code == 0, result.stderr
    assert "residual none, percentile95 none." in result.stdout


def test_another_estimator_without_solution_does_not_stop_a_design(past: Type) -> None:
    """50 topics serve many systems that share them, and not even two that do not."""
    options = ["--topics", "50", "--min-diff", "0.1"]
    result = past("design", "anova", "--scores", "old.AP.csv", "--blocked", *options)
    assert result.exit_code == 0, result.stderr
    assert "systems by other estimators: within none, one_way none, two_way none, percentile95" in result.stdout
    result = past("design", "anova", "--published", "--scores", "old.AP.csv", *options)
    assert result.exit_code == 2
    assert result.stderr.startswith("error: with 50 topics, no number of systems reaches power 0.8 (two systems: ")


def test_anova_from_a_typed_variance(cranfield: Type) -> None:
    found = rows(
        cranfield(
            "design", "anova", "--variance", "0.0530", "--systems", "10", "--min-diff", "0.10", "--format", "json"
        )
    )
    columns = "method blocked variance systems min_diff alpha power topics achieved_power"
    assert list(found[0]) == columns.split()
    assert found[0]["topics"] == 167
    published = cranfield(
        "design", "anova", "--variance", "0.0530", "--systems", "10", "--min-diff", "0.10", "--method", "published",
        "--format", "csv",
    )  # fmt: skip
    assert published.stdout.splitlines()[1].startswith("published,False,0.053,10,0.1,0.05,0.8,166,0.797")


def test_repeated_options_build_a_grid(cranfield: Type) -> None:
    words = ["--variance", "0.05", "--systems", "5", "--systems", "10", "--topics", "25", "--topics", "50", "--format"]
    found = rows(cranfield("design", "anova", *words, "json"))
    assert [(row["systems"], row["topics"]) for row in found] == [(5, 25), (5, 50), (10, 25), (10, 50)]
    assert all(0 < row["min_diff"] < 1 for row in found)


def test_designs_from_scores_bring_intervals_and_other_estimators(past: Type) -> None:
    words = ["--scores", "old.AP.csv", "older.AP.csv", "--systems", "5", "--min-diff", "0.1"]
    result = past("design", "anova", "--published", *words, "--format", "json")
    envelope = json.loads(result.stdout)
    (row,) = envelope["rows"]
    assert (row["estimator"], row["measure"]) == ("within", "AP")
    assert row["topics_lower"] < row["topics"] < row["topics_upper"]
    others = {other["estimator"]: other["topics"] for other in envelope["settings"]["other_estimators"]}
    assert set(others) == {"one_way", "two_way", "residual", "percentile95"}
    table = past("design", "anova", "--published", *words).stdout
    assert f"topics by other estimators: one_way {others['one_way']}" in table
    assert "Shared topics need the blocked design" in table
    (row,) = rows(past("design", "anova", *words, "--format", "json"))
    assert row["estimator"] == "residual"
    assert row["epsilon"] > 0.7
    (adjusted,) = rows(past("design", "anova", *words, "--blocked", "--epsilon", "past", "--format", "json"))
    assert adjusted["topics"] == row["topics"]
    (row,) = rows(past("design", "ttest", "--scores", "old.AP.csv", "--min-diff", "0.1", "--format", "json"))
    assert row["estimator"] == "percentile95"
    (row,) = rows(past("design", "interval", "--scores", "old.AP.csv", "--width", "0.1", "--format", "json"))
    assert row["expected_width"] <= 0.1


def test_ttest_and_interval_take_either_variance(cranfield: Type) -> None:
    def topics(*words: str) -> int:
        return int(rows(cranfield("design", *words, "--format", "json"))[0]["topics"])

    assert topics("ttest", "--variance", "0.05", "--min-diff", "0.1") == topics(
        "ttest", "--variance-of-difference", "0.1", "--min-diff", "0.1"
    )
    assert topics("ttest", "--two-sample", "--variance", "0.05", "--min-diff", "0.1") == topics(
        "ttest", "--two-sample", "--variance-of-difference", "0.1", "--min-diff", "0.1"
    )
    assert topics("interval", "--variance-of-difference", "0.0441", "--width", "0.10") == 70
    assert topics("interval", "--two-sample", "--variance", "0.02205", "--width", "0.10") == 69


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (
            "--variance .05 --systems 10 --min-diff .1 --power 80",
            "--power must be between 0 and 1; got 80. Write 0.8.",
        ),
        ("--variance .05 --systems 10 --min-diff .1 --alpha 0", "--alpha must be between 0 and 1; got 0. Write 0.05."),
        ("--variance .05 --systems 1 --min-diff .1", "--systems must be a whole number of at least 2; got 1."),
        ("--variance -1 --systems 10 --min-diff .1", "--variance must be above 0; got -1."),
        ("--systems 10 --min-diff .1", "give one of --scores, --variance; got none."),
        (
            "--variance .05 --scores old.AP.csv --systems 10 --min-diff .1",
            "give one of --scores, --variance; got --scores, --variance.",
        ),
        (
            "--variance .05 --systems 10 --min-diff 1e-9",
            "more than 1,000,000,000 topics would be needed. Check --min-diff = 1e-09.",
        ),
    ],
)
def test_bad_designs_end_with_2_and_one_line(past: Type, words: str, message: str) -> None:
    result = past("design", "anova", *words.split())
    assert (result.exit_code, result.stdout, result.stderr) == (2, "", f"error: {message}\n")


def test_recommend_speaks_plainly_and_in_numbers(past: Type) -> None:
    words = ["design", "recommend", "old.AP.csv", "older.AP.csv", "--systems", "5", "--min-diff", "0.1"]
    text = past(*words, "--format", "markdown").stdout
    assert text.startswith("# How many topics for AP?\n\n**Create ")
    envelope = json.loads(past(*words, "--format", "json").stdout)
    *table, signature = past(*words).stdout.splitlines()
    assert table[0] == f"{envelope['topics']} topics by AP"
    assert table[2].split() == ["design", "estimator", "topics", "interval", "assured"]
    assert max(map(len, table)) <= 80
    assert "with about 80% assurance." in " ".join(table)
    assert signature.startswith("topic set size recommendation; ")
    assert f"**Create {envelope['topics']} topics.**" in text
    assert list(envelope)[:3] == ["schema", "command", "topics"]
    assert len(envelope["settings"]["what_topics_buy"]) == 4
    assert past(*words, "-o", "advice.md").exit_code == 0
    assert Path("advice.md").read_text() == text
    assert past(*words, "-o", "advice.csv").exit_code == 0
    assert Path("advice.csv").read_text().startswith("measure,design,estimator,method,variance,topics")


def test_recommend_wants_one_measure(past: Type) -> None:
    write_scores(ScoreMatrix(*_parts(3), "nDCG"), "old.nDCG.csv", layout="wide")
    result = past("design", "recommend", "old.AP.csv", "old.nDCG.csv", "--systems", "5", "--min-diff", "0.1")
    assert result.exit_code == 1
    assert result.stderr == "error: there are 2 measures (AP, nDCG); choose one, such as --measure AP\n"


@pytest.fixture
def judged(cranfield: Type) -> Type:
    """The program, in a directory with a small judged collection."""
    from cranfield import write_qrels, write_run

    sample = make_sample(n_topics=12, n_systems=5, n_documents=400, depth=20, length=50)
    write_qrels(sample.qrels, "qrels.txt")
    Path("runs").mkdir()
    for run in sample.runs:
        write_run(run, f"runs/{run.system}.run")
    return cranfield


def test_cost_for_every_depth(judged: Type) -> None:
    words = ["qrels.txt", "runs", "-m", "AP", "-m", "P@5", "--depth", "20", "--depth", "5"]
    found = rows(judged("cost", *words, "--systems", "5", "--min-diff", "0.15", "--format", "json"))
    assert [(row["measure"], row["depth"]) for row in found] == [("AP", 5), ("AP", 20), ("P@5", 5), ("P@5", 20)]
    columns = "measure depth judged_per_topic pool_per_topic judged_share dropped_topics variance topics judgments cost topics_assured ratio best"
    assert list(found[0]) == columns.split()
    pair = ["--collection", "qrels.txt", "runs"]
    pooled = rows(
        judged(
            "cost", *pair, *pair, "-m", "AP", "--depth", "5", "--systems", "5", "--min-diff", "0.15", "--format", "json"
        )
    )
    assert pooled[0]["judged_per_topic"] == found[0]["judged_per_topic"]
    assert pooled[0]["variance"] == pytest.approx(found[0]["variance"])
    table = judged("cost", *words, "--systems", "5", "--budget", "5000").stdout
    assert "Best for AP: " in table
    assert "Lowest cost for AP: " in judged("cost", *words, "--width", "0.2").stdout


def test_cost_refuses_half_a_collection(judged: Type) -> None:
    result = judged("cost", "qrels.txt", "-m", "AP", "--depth", "5", "--width", "0.2")
    assert result.exit_code == 2
    assert result.stderr == "error: no runs given. Write: cranfield cost QRELS RUN…\n"
    result = judged("cost", "--collection", "qrels.txt", "-m", "AP", "--depth", "5", "--width", "0.2")
    assert result.stderr == (
        "error: --collection needs one RUNS for each QRELS; got 0 for 1. Write --collection QRELS RUNS, "
        "with RUNS a directory or a quoted glob.\n"
    )


@pytest.mark.parametrize(
    ("name", "begins"), [("q.json", b'{"1": {"'), ("q.csv", b"topic,"), ("q.jsonl", b'{"topic"'), ("q.qrels", b"1 0 ")]
)
def test_pool_writes_what_the_ending_says(name: str, begins: bytes, judged: Type) -> None:
    assert judged("pool", "qrels.txt", "runs", "--depth", "5", "-o", "plain").exit_code == 0
    assert judged("pool", "qrels.txt", "runs", "--depth", "5", "-o", name).exit_code == 0
    assert Path(name).read_bytes().startswith(begins)
    assert set(read_qrels(name).frame.rows()) == set(read_qrels("plain").frame.rows())


def test_pool_refuses_an_ending_of_no_judgments(judged: Type) -> None:
    result = judged("pool", "qrels.txt", "runs", "--depth", "5", "-o", "q.md")
    assert result.exit_code == 2
    assert result.stderr == (
        "error: cannot write judgments to q.md: end the name in .csv, .json, .jsonl or .txt (TREC's lines).\n"
    )
    assert not Path("q.md").exists()


def test_pool_writes_judgments_and_prints_counts(judged: Type) -> None:
    result = judged("pool", "qrels.txt", "runs", "--depth", "5", "-o", "shallow.txt.gz", "--format", "json")
    found = rows(result)
    assert list(found[0]) == ["topic", "judged", "relevant"]
    assert len(found) == 12
    shallow = read_qrels("shallow.txt.gz")
    assert len(shallow) == sum(row["judged"] for row in found) < len(read_qrels("qrels.txt"))
    assert result.stderr.splitlines()[0].startswith("wrote shallow.txt.gz: ")


def test_the_sample_scores_serve_as_past(cranfield: Type) -> None:
    write_scores(make_scores(40, 10, seed=3), "past.csv", layout="wide")
    assert cranfield("design", "recommend", "past.csv", "--systems", "10", "--min-diff", "0.1").exit_code == 0


def test_a_row_too_wide_for_the_terminal_stands_upright() -> None:
    import polars as pl

    from cranfield.core.tables import Sheet
    from cranfield.core.terminal import table_text, transposed

    answer = Sheet("x", pl.DataFrame({"a_long_name": [0.5], "another": ["word"]}), digits={"a_long_name": 1})
    assert transposed(answer, 80) is answer
    assert transposed(answer, None) is answer
    assert [line.split() for line in table_text(transposed(answer, 20), 20).splitlines()[2:]] == [
        ["a_long_name", "0.5"],
        ["another", "word"],
    ]


def test_teams_and_assurance(past: Type) -> None:
    text = past("design", "recommend", "old.AP.csv", "--systems", "5", "--min-diff", "0.1", "--format", "json").stdout
    usual = json.loads(text)
    assert usual["topics"] < usual["topics_assured"] < usual["topics_upper"]
    words = ["--systems", "5", "--min-diff", "0.1", "--assurance", "0.5", "--format", "json"]
    assert json.loads(past("design", "recommend", "old.AP.csv", *words).stdout)["topics_assured"] == usual["topics"]
    Path("teams.txt").write_text(
        "".join(f"{name} {'ab'[i % 2] if i < 4 else 'c'}\n" for i, name in enumerate(_parts(1)[2]))
    )
    one, other = (
        rows(past("variance", "old.AP.csv", "--estimator", "residual", *more, "--format", "json"))[0]
        for more in ((), ("--teams", "teams.txt"))
    )
    assert one["variance"] == other["variance"]
    assert one["upper"] != other["upper"]
