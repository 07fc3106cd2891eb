"""Unjudged documents: what is said of them, and condensed lists."""

from __future__ import annotations

from pathlib import Path

import pytest

from cranfield import DataError, compare, evaluate, make_sample, replicate, reuse, tune
from cranfield.collection.types import Qrels
from cranfield.collection.writers import write_qrels, write_run
from cranfield.core.errors import quietly
from small_collections import qrels_of, run_of

TENTH = "5 of 5 runs have less than 90% of their top 10 judged (lowest: "


@pytest.fixture(scope="module")
def sparse() -> tuple[Qrels, list]:  # type: ignore[type-arg]
    """Every tenth judgment of a collection, and its runs."""
    sample = make_sample(n_topics=12, n_systems=5, n_documents=800, depth=50)
    frame = sample.qrels.frame
    return Qrels(frame.gather_every(10), "qrels"), list(sample.runs)


def test_a_sample_of_the_judgments_is_noticed_by_whatever_evaluates(sparse: tuple[Qrels, list]) -> None:  # type: ignore[type-arg]
    qrels, runs = sparse
    with quietly():
        for result in (evaluate(qrels, runs, "nDCG@10"), compare(qrels, runs, measure="nDCG@10")):
            assert sum(TENTH in one for one in result.warnings) == 1


def test_tuning_replicates_and_reuse_notice_it_too(sparse: tuple[Qrels, list]) -> None:  # type: ignore[type-arg]
    qrels, runs = sparse
    settings = {f"ql(mu={at})": run for at, run in enumerate(runs)}
    with quietly():
        results = (
            tune(settings, qrels=qrels, measure="nDCG@10", folds=2),
            replicate(qrels, runs, "nDCG@10", n_splits=2, n_resamples=100, empty="keep"),
            reuse(qrels, runs, {run.system: run.system for run in runs}, measures="nDCG@10", depths=10),
        )
    for result in results:
        assert sum(TENTH in one for one in result.warnings) == 1, type(result).__name__


def test_the_depth_is_that_of_the_measure(sparse: tuple[Qrels, list]) -> None:  # type: ignore[type-arg]
    qrels, runs = sparse
    with quietly():
        said = evaluate(qrels, runs, ["P@7", "P@9"]).warnings
        none = evaluate(qrels, runs, ["Bpref", "NumRel"]).warnings
    assert sum("of their top 7 judged" in one for one in said) == 1
    assert not any("top 9" in one for one in said)
    assert not any("judged (lowest" in one for one in none)


def test_the_worst_run_is_named_and_known_items_are_no_reason() -> None:
    topics = list(map(str, range(20)))
    runs = [
        run_of([(t, d, -k) for t in topics for k, d in enumerate(documents)], name)
        for name, documents in (("half", "ax"), ("third", "yxa"))
    ]
    with quietly():
        said = evaluate(qrels_of([(t, "0", d, int(d == "a")) for t in topics for d in "ab"]), runs, "AP").warnings
        none = evaluate(qrels_of([(t, "0", "a", 1) for t in topics]), runs, "AP").warnings
        few = evaluate(qrels_of([("1", "0", d, int(d == "a")) for d in "ab"]), runs, "AP").warnings
    assert "2 of 2 runs have less than 90% of their top 10 judged (lowest: third, 33%)" in said[0]
    assert none == ()
    assert not any("judged (lowest" in one for one in few)


def test_condensed_lists_are_runs_without_their_unjudged_documents(tmp_path: Path) -> None:
    """By hand and by removing the documents first; from files as from memory, and through ir_measures' door."""
    qrels = qrels_of([("1", "0", "a", 1), ("1", "0", "b", 0), ("2", "0", "a", 2), ("2", "0", "c", 0)])
    run = run_of([("1", "x", 9), ("1", "b", 8), ("1", "y", 7), ("1", "a", 6), ("2", "x", 5), ("2", "a", 4)], "r")
    bare = run_of([("1", "b", 8), ("1", "a", 6), ("2", "a", 4)], "r")
    measures = ["AP", "nDCG@10", "P@2", "RBP(p=0.5)", "SetP", "ERR", "RR"]
    wanted = evaluate(qrels, bare, measures)
    got = evaluate(qrels, run, measures, judged_only=True)
    assert got.warnings == ()
    assert [m.values.tolist() for m in got.values()] == [m.values.tolist() for m in wanted.values()]
    assert got["RR"].values[:, 0].tolist() == [0.5, 1.0]
    assert "lists condensed" in got["AP"].provenance[0]
    write_qrels(qrels, tmp_path / "qrels.txt")
    write_run(run, tmp_path / "r.run")
    read = evaluate(tmp_path / "qrels.txt", tmp_path / "r.run", measures, judged_only=True)
    assert [m.values.tolist() for m in read.values()] == [m.values.tolist() for m in wanted.values()]


def test_condensed_lists_need_a_document_judged_not_relevant() -> None:
    with pytest.raises(DataError) as error:
        evaluate(qrels_of([("1", "0", "a", 1)]), run_of([("1", "a", 1)]), "AP", judged_only=True)
    assert str(error.value) == (
        "qrels: every judged document is relevant, so condensed lists would all be perfect. Leave out `judged_only`."
    )


def test_reuse_names_the_view_after_what_was_scored() -> None:
    sample = make_sample(n_topics=6, n_systems=6, n_documents=300, depth=20)
    teams = dict(sample.truth.select("system", "team").iter_rows())
    with quietly():
        result = reuse(sample.qrels, sample.runs, teams, measures="AP", depths=20, judged_only=True)
    assert set(result.to_frame()["view"]) == {"condensed list"}
