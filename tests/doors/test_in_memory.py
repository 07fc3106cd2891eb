"""The front doors: what people hold in memory, of every kind, and what they are told when it cannot be used.

pytrec_eval, ir_measures, pandas and polars are the real packages. ranx (numba, and half a minute of compiling) and
PyTerrier (Java) are not installed for the tests: their objects are stood in for by classes of the same module name and
attributes, and by frames with their columns; where ranx is there, a slow test takes its own objects and files.
"""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable
from dataclasses import replace
from functools import cache
from pathlib import Path
from types import ModuleType
from typing import Any

import ir_measures
import numpy as np
import pandas as pd
import polars as pl
import pytest
import pytrec_eval

from cranfield import (
    ArgumentError,
    CranfieldError,
    DataError,
    Qrels,
    Run,
    ScoreMatrix,
    Scores,
    UnknownNameError,
    build_report,
    compare,
    compare_measures,
    correlate,
    cost,
    depth_pools,
    design_anova,
    design_ttest,
    estimate_variance,
    evaluate,
    fit_standardisation,
    gate,
    make_sample,
    make_scores,
    monitor,
    paper_table,
    read_qrels,
    read_run,
    read_scores,
    recommend,
    replicate,
    simulate_tests,
    standardisation_effect,
    tune,
    variances,
    write_qrels,
    write_run,
    write_scores,
)
from cranfield.collection.doors import as_qrels, as_runs
from cranfield.questions.reliability.reliability import reliability
from cranfield.questions.reliability.tau import expected_tau
from cranfield.questions.reuse.reuse import reuse
from cranfield.scores.doors import as_collections, as_scores

SAMPLE = make_sample(n_topics=8, n_systems=4, n_documents=300, depth=20, length=40, seed=5)
QRELS = SAMPLE.qrels
RUNS = [replace(run, system=f"ql(mu={at})") for at, run in enumerate(SAMPLE.runs, 1)]  # named so that they can be tuned
MEASURES = ["AP", "nDCG@10"]
EXPECTED = evaluate(QRELS, RUNS, MEASURES)
MADE = make_scores(20, 4, seed=2)
SCORES = ScoreMatrix(MADE.values, MADE.topics, [run.system for run in RUNS], MADE.measure)
FIRST, SECOND = SCORES.systems[:2]


def nested(frame: pl.DataFrame, value: str) -> dict[str, dict[str, Any]]:
    """{topic: {document: value}}, as pytrec_eval and ranx have it."""
    out: dict[str, dict[str, Any]] = {}
    for topic, document, one in frame.select("topic", "document", value).iter_rows():
        out.setdefault(topic, {})[document] = one
    return out


QRELS_DICT = nested(QRELS.frame, "relevance")
RUN_DICTS = {run.system: nested(run.frame, "score") for run in RUNS}


class RanxLike:
    """What ranx's Run and Qrels share: `to_dict`, `name`, and a length."""

    def __init__(self, content: dict[str, dict[str, Any]], name: str | None = None) -> None:
        self.content, self.name = content, name

    def keys(self) -> Any:
        return self.content.keys()

    def to_dict(self) -> dict[str, dict[str, Any]]:
        return self.content

    def __getitem__(self, topic: str) -> dict[str, Any]:
        return self.content[topic]

    def __len__(self) -> int:
        return len(self.content)


RanxRun = type("Run", (RanxLike,), {"__module__": "ranx.data_structures.run"})
RanxQrels = type("Qrels", (RanxLike,), {"__module__": "ranx.data_structures.qrels"})


def framed(run: Run, names: list[str]) -> pl.DataFrame:
    return run.frame.select("topic", "document", "rank", "score").rename(
        dict(zip(["topic", "document", "rank", "score"], names, strict=True))
    )


PYTERRIER = ["qid", "docno", "rank", "score"]
IR_MEASURES = ["query_id", "doc_id", "rank", "score"]
KINDS_OF_RUNS: dict[str, Any] = {
    "Run objects": RUNS,
    "a generator": (run for run in RUNS),
    "dictionaries by name": RUN_DICTS,
    "Run objects by name": {run.system: run for run in RUNS},
    "polars frames by name": {run.system: run.frame for run in RUNS},
    "a lazy polars frame by name": {run.system: run.frame.lazy() for run in RUNS},
    "PyTerrier's frames by name": {run.system: pd.DataFrame(framed(run, PYTERRIER).to_dicts()) for run in RUNS},
    "ir_measures' frames by name": {run.system: pd.DataFrame(framed(run, IR_MEASURES).to_dicts()) for run in RUNS},
    "ir_measures' tuples by name": {
        run.system: [ir_measures.ScoredDoc(*row) for row in run.frame.select("topic", "document", "score").iter_rows()]
        for run in RUNS
    },
    "ranx runs": [RanxRun(RUN_DICTS[run.system], run.system) for run in RUNS],
    "ranx runs by name": {run.system: RanxRun(RUN_DICTS[run.system]) for run in RUNS},
    "one frame of all": pl.concat([run.frame.with_columns(pl.lit(run.system).alias("name")) for run in RUNS]),
    "TREC columns with a tag": pl.concat([run.frame.with_columns(pl.lit(run.system).alias("tag")) for run in RUNS]),
}
KINDS_OF_QRELS: dict[str, Any] = {
    "Qrels": QRELS,
    "a dictionary": QRELS_DICT,
    "numpy numbers": {t: {d: np.int64(r) for d, r in inside.items()} for t, inside in QRELS_DICT.items()},
    "a polars frame": QRELS.frame,
    "PyTerrier's frame": pd.DataFrame(
        {"qid": QRELS.frame["topic"], "docno": QRELS.frame["document"], "label": QRELS.frame["relevance"]}
    ),
    "ir_measures' frame": QRELS.frame.select(
        query_id="topic", doc_id="document", relevance="relevance", iteration="subtopic"
    ),
    "BEIR's columns": QRELS.frame.select(**{"query-id": "topic", "corpus-id": "document", "score": "relevance"}),
    "ir_measures' tuples": [
        ir_measures.Qrel(*row) for row in QRELS.frame.select("topic", "document", "relevance").iter_rows()
    ],
    "ranx's object": RanxQrels(QRELS_DICT, "sample"),
}


@pytest.mark.parametrize("kind", KINDS_OF_RUNS)
def test_every_kind_of_runs_gives_the_same_scores(kind: str) -> None:
    assert evaluate(QRELS, KINDS_OF_RUNS[kind], MEASURES) == EXPECTED


@pytest.mark.parametrize("kind", KINDS_OF_QRELS)
def test_every_kind_of_judgments_gives_the_same_scores(kind: str) -> None:
    assert evaluate(KINDS_OF_QRELS[kind], RUNS, MEASURES) == EXPECTED


def test_scores_equal_those_of_pytrec_eval_on_the_same_dictionaries() -> None:
    peer = pytrec_eval.RelevanceEvaluator(QRELS_DICT, {"map", "ndcg_cut_10"})
    results = {system: peer.evaluate(run) for system, run in RUN_DICTS.items()}
    theirs = as_scores(results, measure=["map", "ndcg_cut_10"])
    for name, matrix in zip(theirs, EXPECTED.values(), strict=True):
        assert theirs[name].systems == matrix.systems
        np.testing.assert_allclose(theirs[name].sorted().values, matrix.sorted().values, atol=1e-6)
    assert compare(results, measure="map", test="t").measure == "map"


def test_one_run_is_called_run_or_what_its_tool_calls_it() -> None:
    (alone,) = as_runs(RUN_DICTS[RUNS[0].system])
    assert isinstance(alone, Run)
    assert alone.system == "run"
    (theirs,) = as_runs(RanxRun(RUN_DICTS[RUNS[0].system], "mine"))
    assert isinstance(theirs, Run)
    assert theirs.system == "mine"


def test_whole_numbers_are_ids_and_topics_without_documents_are_fine() -> None:
    (run,) = as_runs({1: {10: 2, 11: 1.5}, 2: {}})
    assert isinstance(run, Run)
    assert run.frame.rows() == [("1", "10", None, 2.0), ("1", "11", None, 1.5)]


def test_ranks_alone_order_a_run() -> None:
    (run,) = as_runs(pl.DataFrame({"qid": ["1", "1"], "docno": ["a", "b"], "rank": [2, 1]}))
    assert isinstance(run, Run)
    assert run.frame["score"].to_list() == [-2.0, -1.0]


def test_measure_objects_of_ir_measures_stand_beside_names() -> None:
    from ir_measures import AP, nDCG

    assert evaluate(QRELS, RUNS, [AP, nDCG @ 10]) == EXPECTED
    assert evaluate(QRELS, RUNS, ["AP", nDCG @ 10]) == EXPECTED
    assert list(evaluate(QRELS, RUNS, nDCG(dcg="exp-log2") @ 5)) == ["nDCG(gains=exp)@5"]
    assert list(evaluate(QRELS, RUNS, ir_measures.Accuracy)) == ["Accuracy"]
    with pytest.raises(ArgumentError, match=r"a measure must be a name such as 'nDCG@10'.*got 7"):
        evaluate(QRELS, RUNS, [7])


# ── scores ────────────────────────────────────────────────────────────────────────────────────────────────

LONG = EXPECTED.to_long()
BY_SYSTEM = {
    system: {t: {m: float(EXPECTED[m].select(topics=[t], systems=[system]).values[0, 0]) for m in MEASURES} for t in
             EXPECTED["AP"].topics}
    for system in EXPECTED["AP"].systems
}  # fmt: skip
KINDS_OF_SCORES: dict[str, Any] = {
    "Scores": EXPECTED,
    "a long polars frame": LONG,
    "a PyTerrier experiment": pd.DataFrame(
        {"name": LONG["system"], "qid": LONG["topic"], "measure": LONG["measure"], "value": LONG["value"]}
    ),
    "a tidy frame": LONG.pivot(on="measure", index=["system", "topic"], values="value"),
    "pytrec_eval's results by system": BY_SYSTEM,
    "ir_measures' metrics by system": {
        system: [
            ir_measures.Metric(t, ir_measures.parse_measure(m), v) for t, ms in topics.items() for m, v in ms.items()
        ]
        for system, topics in BY_SYSTEM.items()
    },
    "matrices in a list": list(EXPECTED.values()),
}


@pytest.mark.parametrize("kind", KINDS_OF_SCORES)
def test_every_kind_of_scores_by_several_measures(kind: str) -> None:
    assert as_scores(KINDS_OF_SCORES[kind]) == EXPECTED
    assert list(as_scores(KINDS_OF_SCORES[kind], measure="nDCG@10")) == ["nDCG@10"]
    assert len(compare(KINDS_OF_SCORES[kind], test="t")) == 2


AP = EXPECTED["AP"]
WIDE = AP.to_wide()
KINDS_OF_ONE: dict[str, Any] = {
    "a matrix": AP,
    "a wide frame": WIDE,
    "a wide pandas frame with an index": pd.DataFrame(AP.values, index=list(AP.topics), columns=list(AP.systems)),
    "a wide pandas frame": pd.DataFrame(WIDE.to_dict(as_series=False)),
    "scores by system": {s: dict(zip(AP.topics, AP.values[:, j], strict=True)) for j, s in enumerate(AP.systems)},
    "an array with labels": (AP.values, AP.topics, AP.systems),
}


@pytest.mark.parametrize("kind", KINDS_OF_ONE)
def test_every_kind_of_scores_by_one_measure(kind: str) -> None:
    assert as_scores(KINDS_OF_ONE[kind], measure="AP") == Scores([AP])


def test_lists_of_scores_number_their_topics() -> None:
    scores = as_scores({"a": [0.5, 0.25], "b": np.array([1.0, 0.0])}).only()
    assert (scores.topics, scores.measure) == (("1", "2"), "score")


def test_a_measure_goes_by_any_of_its_names() -> None:
    assert compare(EXPECTED, measure="map", test="t").measure == "AP"


def test_settings_in_columns_become_systems_that_tune_reads() -> None:
    rows = [(str(t), mu, 0.1 * t + mu / 10_000) for t in range(1, 9) for mu in (500, 1000)]
    frame = pd.DataFrame(rows, columns=["query", "mu", "P@10"])
    scores = as_scores(frame).only()
    assert (scores.systems, scores.measure) == (("system(mu=500)", "system(mu=1000)"), "P@10")
    tuning = tune(frame, folds=4)
    assert [family.name for family in tuning.families] == ["system"]
    assert tuning.held_out.system_means.round(4).tolist() == [0.55]  # the second setting wins in every fold


# ── the one-liner, and every public function ──────────────────────────────────────────────────────────────


def test_compare_in_one_line() -> None:
    expected = compare(evaluate(QRELS, RUNS, "nDCG@10"), test="t")
    found = compare(RUN_DICTS, qrels=QRELS_DICT, measure="nDCG@10", test="t")
    assert found.to_frame().equals(expected.to_frame())
    assert found.signature == expected.signature
    several = compare_measures(RUN_DICTS, qrels=QRELS_DICT, measure=MEASURES, test="t")
    assert [one.measure for one in several.comparisons] == MEASURES
    assert len(compare(RUN_DICTS, qrels=QRELS_DICT, test="t")) == 3  # the usual measures


@pytest.mark.filterwarnings("ignore::cranfield.CranfieldWarning")
def test_what_evaluation_has_to_say_is_in_the_comparison() -> None:
    short = {**RUN_DICTS, "short": dict(list(RUN_DICTS[RUNS[0].system].items())[:-1])}
    found = compare(short, qrels=QRELS_DICT, measure="AP", test="t")
    assert any(text.startswith("short: no document for 1 of 8 topics, scored 0") for text in found.warnings)


def test_tune_takes_runs_and_judgments() -> None:
    runs = {f"ql(mu={k})": run for k, run in enumerate(RUN_DICTS.values(), 1)}
    tuning = tune(runs, qrels=QRELS_DICT, measure="AP", folds=2)
    assert [family.name for family in tuning.families] == ["ql"]
    matrix = evaluate(QRELS, {f"ql(mu={k})": run for k, run in enumerate(RUNS, 1)}, "AP").only()
    assert tuning.held_out == tune(matrix, folds=2).held_out


TIDY = SCORES.to_long().rename({"system": "name", "topic": "qid"})
ASKED: dict[str, Any] = {
    "compare": lambda x: compare(x, test="t"),
    "compare_measures": lambda x: compare_measures(x, test="t"),
    "estimate_variance": estimate_variance,
    "variances": lambda x: variances(x, estimator="residual"),
    "design_anova": lambda x: design_anova(x, 4, 0.1),
    "design_ttest": lambda x: design_ttest(x, min_diff=0.1),
    "recommend": lambda x: recommend(x, 4, 0.1),
    "standardise": fit_standardisation,
    "standardisation_effect": lambda x: standardisation_effect(x, n_systems=[2], min_diff=[0.1], n_resamples=0),
    "correlate": lambda x: correlate(x, SCORES, n_resamples=0),
    "reliability": reliability,
    "monitor": lambda x: monitor(x, looks=2),
    "gate": lambda x: gate(x, baseline=FIRST, candidate=SECOND, margin=0.1),
    "table": lambda x: paper_table(x, test="t"),
    "tune": lambda x: tune(x, folds=4),
    "simulate_tests": lambda x: simulate_tests(x, n_topics=10, tests="t", n_trials=16),
    "expected_tau": lambda x: expected_tau(x, n_resamples=10),
}


HELD: dict[str, Any] = {
    "a PyTerrier experiment of polars": TIDY,
    "a PyTerrier experiment of pandas": pd.DataFrame(TIDY.to_dicts()),
    "a wide frame": SCORES.to_wide(),
    "dictionaries": {
        s: dict(zip(SCORES.topics, SCORES.values[:, j], strict=True)) for j, s in enumerate(SCORES.systems)
    },
    "an array with labels": (SCORES.values, SCORES.topics, SCORES.systems),
    "Scores": Scores([SCORES]),
}


@cache
def expected_of(name: str) -> pl.DataFrame:
    return pl.DataFrame(ASKED[name](SCORES).to_frame())


@pytest.mark.filterwarnings("ignore::cranfield.CranfieldWarning")
@pytest.mark.parametrize("kind", HELD)
@pytest.mark.parametrize("name", ASKED)
def test_every_question_about_scores_takes_every_kind(name: str, kind: str) -> None:
    answer = ASKED[name](HELD[kind]).to_frame()
    if "measure" in answer.columns:  # an array has no name for what it holds
        answer = answer.with_columns(expected_of(name)["measure"])
    assert answer.equals(expected_of(name))


FEW: dict[str, Any] = {"n_splits": 2, "n_resamples": 20, "seed": 1}
ASKED_OF_RUNS: dict[str, Callable[[Any, Any], Any]] = {
    "compare": lambda q, r: compare(r, qrels=q, measure="AP", test="t"),
    "compare_measures": lambda q, r: compare_measures(r, qrels=q, measure=MEASURES, test="t"),
    "table": lambda q, r: paper_table(r, qrels=q, measure=MEASURES, test="t"),
    "gate": lambda q, r: gate(r, qrels=q, measure="map", baseline=FIRST, candidate=SECOND, margin=0.05),
    "tune": lambda q, r: tune(r, qrels=q, measure="AP", folds=4),
    "replicate": lambda q, r: replicate(q, r, measures="AP", **FEW),
}


@cache
def expected_of_runs(name: str) -> pl.DataFrame:
    return pl.DataFrame(ASKED_OF_RUNS[name](QRELS, RUNS).to_frame())


@pytest.mark.filterwarnings("ignore::cranfield.CranfieldWarning")
@pytest.mark.parametrize("kind", [kind for kind in KINDS_OF_RUNS if kind != "a generator"])
@pytest.mark.parametrize("name", ASKED_OF_RUNS)
def test_every_question_about_runs_takes_every_kind(name: str, kind: str) -> None:
    assert ASKED_OF_RUNS[name](QRELS_DICT, KINDS_OF_RUNS[kind]).to_frame().equals(expected_of_runs(name))


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore")
def test_the_real_objects_of_ranx(tmp_path: Path) -> None:
    """ranx compiles itself for half a minute when its first object is made."""
    ranx = pytest.importorskip("ranx")
    runs = [ranx.Run(run, name=name) for name, run in RUN_DICTS.items()]
    assert evaluate(ranx.Qrels(QRELS_DICT), runs, MEASURES) == EXPECTED
    by_name = {run.name: run for run in runs}
    found = compare(by_name, qrels=ranx.Qrels(QRELS_DICT), measure="AP", test="t")
    assert found.to_frame().equals(compare(EXPECTED["AP"], test="t").to_frame())
    for kind in ("json", "trec"):  # the files that it writes
        runs[0].save(str(tmp_path / f"run.{kind}"), kind=kind)
        ranx.Qrels(QRELS_DICT).save(str(tmp_path / f"qrels.{kind}"), kind=kind)
        scores = evaluate(tmp_path / f"qrels.{kind}", {RUNS[0].system: tmp_path / f"run.{kind}"}, MEASURES)
        assert scores == EXPECTED.select(systems=[RUNS[0].system])


@pytest.mark.filterwarnings("ignore::cranfield.CranfieldWarning")
def test_functions_of_runs_and_judgments_take_dictionaries() -> None:
    expected = cost([(QRELS, RUNS)], measures="AP", depths=[10], n_systems=4, min_diff=0.2)
    found = cost([(QRELS_DICT, RUN_DICTS)], measures="AP", depths=[10], n_systems=4, min_diff=0.2)
    assert found.to_frame().equals(expected.to_frame())
    how: dict[str, Any] = {"measures": "AP", "n_splits": 2, "n_resamples": 50, "seed": 1}
    assert replicate(QRELS_DICT, RUN_DICTS, **how).to_frame().equals(replicate(QRELS, RUNS, **how).to_frame())
    assert depth_pools(QRELS_DICT, RUN_DICTS, [5])[5].frame.equals(depth_pools(QRELS, RUNS, [5])[5].frame)
    teams = {run.system: f"team {at % 2}" for at, run in enumerate(RUNS)}
    both = [reuse(q, r, teams, measures="AP", depths=20, n_resamples=20) for q, r in
            [(QRELS, RUNS), (QRELS_DICT, RUN_DICTS)]]  # fmt: skip
    assert both[0].to_frame().equals(both[1].to_frame())
    skip = ["standardisation", "replicates", "collection", "next"]
    page = build_report(qrels=QRELS_DICT, runs=RUN_DICTS, measures=["AP"], skip=skip, n_resamples=50)
    assert RUNS[0].system in page.html
    again = build_report(EXPECTED, measures=["map"], skip=skip, n_resamples=50)  # scores that are called AP
    assert "AP" in again.headline


def test_collections_by_name_in_any_form() -> None:
    collections = as_collections({"one": SCORES.to_wide(), "two": SCORES})
    assert list(collections) == ["one", "two"]
    assert collections["one"].only() == SCORES


# ── what cannot be used ───────────────────────────────────────────────────────────────────────────────────

BAD_RUNS: list[tuple[Any, type[CranfieldError], str]] = [
    ({"1": {"d1": float("nan")}}, DataError, r"run 'run': topic '1', document 'd1' has score nan; scores must be finite"),
    ({"1": {"d1": float("inf")}}, DataError, r"has score inf"),
    ({"1": {"d1": "high"}}, DataError, r"topic '1', document 'd1' has score 'high'; scores must be finite numbers"),
    ({"1": {"d1": "0,5"}}, DataError, r"has score '0,5'.*decimal comma: write a point"),
    ({"1": {"d1": True}}, DataError, r"document 'd1' has score True"),
    ({"1": {"d1": None}}, DataError, r"document 'd1' has score nothing"),
    ({"a": {"1": {"d1": float("nan")}}}, DataError, r"run 'a': topic '1', document 'd1' has score nan"),
    ({1: {"d1": 1.0}, "1": {"d1": 2.0}}, DataError, r"document 'd1' occurs twice in topic '1'"),
    ({"1": {("d", 1): 1.0}}, DataError, r"the document id is \('d', 1\), a tuple; ids must be text"),
    ({"1": {"": 1.0}}, DataError, r"has no document"),
    ({"1": {"d1": 1.0}, "2": 5}, DataError, r"topic '2' has int 5 where its documents are expected; give \{topic: "),
    ({"": {"1": {"d1": 1.0}}}, DataError, r"a system name must be non-empty text; got ''"),
    ({}, DataError, r"`runs` is empty; give at least one run"),
    ({"1": {}}, DataError, r"run 'run': holds no documents"),
    (42, ArgumentError, r"`runs` cannot be made of int. Give one of:\n  a Run.*pytrec_eval"),
    ([RUNS[0], 42], ArgumentError, r"`runs` cannot be made of int"),
    ({"a": object()}, ArgumentError, r"`runs\['a'\]` cannot be made of object"),
    (pl.DataFrame({"a": [1]}), DataError, r"the columns are not a run: expected topic, document and score.*found a"),
    (pl.DataFrame({"qid": [], "docno": [], "score": []}), DataError, r"the frame is empty"),
    (pl.DataFrame({"qid": ["1", None], "docno": ["a", "b"], "score": [1, 2]}), DataError, r"row 2: has no topic"),
    (pl.DataFrame({"qid": ["1"] * 2, "docno": ["a"] * 2, "score": [1, 2]}), DataError, r"row 2: document 'a' occurs twice"),
    (pd.DataFrame({"qid": ["1"], "docno": ["a"], "score": [None]}), DataError, r"row 1: topic '1', document 'a' has"),
    (pl.DataFrame({"qid": [1.5], "docno": ["a"], "score": [1]}), DataError, r"topic ids are Float64; they must be text"),
]  # fmt: skip


@pytest.mark.parametrize(("runs", "kind", "message"), BAD_RUNS)
def test_runs_that_cannot_be_used(runs: Any, kind: type[CranfieldError], message: str) -> None:
    with pytest.raises(kind, match=f"(?s){message}"):
        evaluate(QRELS, runs, "AP")


def test_many_problems_are_counted_and_the_first_shown() -> None:
    with pytest.raises(DataError, match="run 'run': 9 problems; the first 5\n  topic '1', document '0' has score nan"):
        as_runs({"1": {str(d): float("nan") for d in range(9)}})


BAD_QRELS: list[tuple[Any, type[CranfieldError], str]] = [
    ({"1": {"d1": 0.5}}, DataError, r"qrels: topic '1', document 'd1' has relevance 0.5; relevance must be a whole number"),
    ({"1": {"d1": None}}, DataError, r"has relevance nothing"),
    ({"1": {"d1": 2**40}}, DataError, r"has relevance 1099511627776"),
    ({"1": ["d1"]}, DataError, r"topic '1' has list"),
    ({}, DataError, r"holds no judgments"),
    (3.5, ArgumentError, r"`qrels` cannot be made of float. Give one of:\n  Qrels"),
    (pl.DataFrame({"x": [1]}), DataError, r"the columns are not judgments: expected topic, document, relevance"),
    ([1, 2], ArgumentError, r"`qrels` cannot be made of list"),
]  # fmt: skip


@pytest.mark.parametrize(("qrels", "kind", "message"), BAD_QRELS)
def test_judgments_that_cannot_be_used(qrels: Any, kind: type[CranfieldError], message: str) -> None:
    with pytest.raises(kind, match=message):
        evaluate(qrels, RUNS, "AP")


BAD_SCORES: list[tuple[Any, type[CranfieldError], str]] = [
    ({"a": {"1": float("nan")}, "b": {"1": 1.0}}, DataError, r"1 of 2 scores is missing, first for topic '1', system 'a'"),
    ({"a": {"1": 1.0}, "b": {"2": 1.0}}, DataError, r"2 of 4 scores are missing"),
    ({"a": {"1": "x"}}, DataError, r"system 'a', topic '1': scores must be numbers; got 'x', a str"),
    ({"a": {"1": float("inf")}}, DataError, r"system 'a', topic '1': the score is inf; scores must be finite"),
    ({"a": {"1": {"d": {"x": 1}}}}, DataError, r"found a mapping where a score is expected; to evaluate runs.*qrels="),
    ({"a": 3}, ArgumentError, r"`scores\['a'\]` cannot be made of int"),
    ({}, ArgumentError, r"`scores` is empty"),
    ({"a": {}}, DataError, r"`scores` holds no scores"),
    (np.eye(3), ArgumentError, r"an array without labels.*ScoreMatrix\(values, topics="),
    ((np.eye(3), ["1", "2"], ["a", "b", "c"]), DataError, r"the labels describe a \(2, 3\) matrix"),
    (7, ArgumentError, r"`scores` cannot be made of int. Give one of:\n  ScoreMatrix or Scores"),
    (pl.DataFrame({"a": [0.5]}), DataError, r"no column holds topics; found a"),
    (pl.DataFrame({"topic": [], "a": []}), DataError, r"the frame is empty"),
    ({"x": SCORES, "y": SCORES}, ArgumentError, r"holds 2 collections \(x, y\), but this question takes one"),
    (pd.DataFrame({"system": ["a", "a"], "topic": ["1", "1"], "AP": [1, 2]}), DataError, r"has 2 scores \(1 cells affected\)"),
]  # fmt: skip


@pytest.mark.parametrize(("scores", "kind", "message"), BAD_SCORES)
def test_scores_that_cannot_be_used(scores: Any, kind: type[CranfieldError], message: str) -> None:
    with pytest.raises(kind, match=message):
        compare(scores, test="t")


@pytest.mark.parametrize("measure", ["AP", ["AP", "nDCG@10"], None])
def test_runs_without_judgments_are_named_as_such(measure: Any) -> None:
    run = {"1": {"doc-1": 2.0, "doc-2": 1.0}, "2": {"doc-3": 2.0, "doc-4": 1.0}}
    with pytest.raises(ArgumentError, match=r"looks like runs without judgments: 'doc-1' is not a measure.*qrels=…"):
        compare({"a": run, "b": run}, measure=measure, test="t")


def test_runs_of_the_same_documents_are_no_scores_either() -> None:
    run = {topic: {f"doc-{n}": float(n) for n in range(30)} for topic in ("1", "2", "3")}
    with pytest.raises(ArgumentError, match=r"looks like runs without judgments: 'doc-0' is not a measure"):
        compare({"a": run, "b": run}, test="t")


def test_runs_without_names_are_asked_for_them() -> None:
    run = {"1": {"d": 1.0}}
    with pytest.raises(DataError, match=r"run 2: system 'run' exists already \(run 1\); give every run its own name"):
        evaluate({"1": {"d": 1}}, [run, run], "AP")


@pytest.mark.parametrize("typed", ["map", "MAP", "ap"])
def test_scores_are_found_by_any_name_of_their_measure(typed: str, tmp_path: Path) -> None:
    values = {"a": {"1": {"AP": 0.1, "joy": 1.0}, "2": {"AP": 0.3, "joy": 1.0}}}
    scores = as_scores(values)
    write_scores(scores, tmp_path / "scores.csv")
    assert scores[typed] == scores["AP"] == as_scores(values, measure=typed).only()
    assert read_scores(tmp_path / "scores.csv", measure=typed).only().measure == "AP"
    with pytest.raises(UnknownNameError, match=r"unknown measure 'MRR'. Known: AP, joy"):
        scores["MRR"]


def test_a_measure_of_ones_own_is_no_document() -> None:
    scores = {"a": {"1": {"joy": 0.1}, "2": {"joy": 0.3}}, "b": {"1": {"joy": 0.2}, "2": {"joy": 0.9}}}
    assert compare(scores, test="t").n_topics == compare(scores, measure="joy", test="t").n_topics == 2


# ── nothing is imported that nobody has ───────────────────────────────────────────────────────────────────


def test_no_foreign_package_is_imported() -> None:
    code = (
        "import sys, cranfield as cf\n"
        "cf.compare({'a': {'1': {'d': 1.0}, '2': {'d': 1.0}}, 'b': {'1': {'e': 1.0}, '2': {'d': 2.0}}},"
        " qrels={'1': {'d': 1}, '2': {'d': 1}}, measure='AP', test='t')\n"
        "print(sorted({'pandas', 'ranx', 'pyterrier', 'ir_measures', 'pytrec_eval', 'pyarrow', 'ir_datasets', 'fsspec'}"
        " & set(sys.modules)))"
    )
    done = subprocess.run([sys.executable, "-W", "ignore", "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"


def test_nothing_but_parquet_needs_pyarrow(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "pyarrow", None)  # importing it fails
    result = compare(SCORES, test="t")
    assert result.to_pandas().shape == result.to_frame().shape
    assert "\\toprule" in result.to_latex()
    assert result.to_markdown().startswith("|")
    assert Scores.from_frame(result_frame := pd.DataFrame(TIDY.to_dicts())).only() == SCORES
    assert isinstance(result_frame, pd.DataFrame)
    assert SCORES.to_pandas().shape == (80, 4)
    assert isinstance(sys.modules.get("pyarrow"), ModuleType | None)


def test_doors_and_files_agree(tmp_path: Any) -> None:
    write_qrels(QRELS, tmp_path / "qrels.txt")
    write_run(RUNS[0], tmp_path / f"{RUNS[0].system}.run")
    assert as_qrels(str(tmp_path / "qrels.txt")) == read_qrels(tmp_path / "qrels.txt")
    by_file = evaluate(tmp_path / "qrels.txt", {"mine": tmp_path / f"{RUNS[0].system}.run"}, "AP").only()
    assert by_file.systems == ("mine",)
    assert read_run(tmp_path / f"{RUNS[0].system}.run").frame.equals(RUNS[0].frame)
    assert isinstance(as_qrels(QRELS_DICT), Qrels)
    assert isinstance(SCORES, ScoreMatrix)
