"""What was missing is said by the scores and by every result made from them."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor

import numpy as np
import polars as pl
import pytest

import cranfield as cf
from cranfield.core.errors import quietly

HOLES = "topic,bm25,ql,dense\n1,.2,,.4\n2,.5,.4,.1\n3,.8,.9,.7\n4,.3,.2,.6\n5,.4,.1,.3\n6,.6,.5,.2\n"
SAID = "1 of 18 scores was missing and counts as 0: ql"
DROPPED = "dropped 1 topic with a missing score: 1"


@pytest.fixture(autouse=True)
def _silence():
    with quietly():
        yield


@pytest.fixture
def path(tmp_path):
    path = tmp_path / "past.AP.csv"
    path.write_text(HOLES)
    return path


@pytest.fixture
def zero(path):
    return cf.read_scores(path, missing="zero").only()


def results(matrix):
    """One result of every kind that is made from scores."""
    estimate = cf.estimate_variance(matrix, "residual")
    factors = cf.fit_standardisation(matrix)
    settings = cf.ScoreMatrix(
        matrix.values, matrix.topics, ["x(a=1)", "x(a=2)", "x(a=3)"], matrix.measure, filled=matrix.filled,
        left_out=matrix.left_out,
    )  # fmt: skip
    yield cf.compare(matrix, n_resamples=200)
    yield cf.compare_measures(cf.Scores([matrix]), n_resamples=200)
    yield cf.correlate(matrix, matrix, n_resamples=50)
    yield estimate
    yield cf.pool_variances([estimate, estimate])
    yield cf.anova_table(matrix)
    yield cf.design_anova(estimate, 3, 0.1)
    yield cf.design_ttest(estimate, 0.1)
    yield cf.design_interval(estimate, 0.1)
    yield cf.recommend(matrix, 3, 0.1)
    yield factors
    yield factors.apply(matrix)
    yield cf.standardisation_robustness(matrix)
    yield cf.standardisation_effect(matrix, n_resamples=0)
    yield cf.tune({"x": settings}, folds=3)
    yield cf.reliability(matrix)
    yield cf.expected_tau(matrix, n_resamples=20)
    yield cf.three_views(matrix, n_resamples=20)
    yield cf.monitor(matrix, per_look=3, looks=2)
    yield cf.reestimate(matrix, 0.2)
    yield cf.gate(matrix, baseline="bm25", candidate="ql", margin=0.5)
    yield cf.paper_table(matrix, n_resamples=200)


def test_scores_say_what_was_filled_or_left_out(path):
    assert cf.read_scores(path, missing="zero").warnings == (f"AP: {SAID}",)
    assert cf.read_scores(path, missing="drop-topic").warnings == (f"AP: {DROPPED}",)


@pytest.mark.parametrize(("missing", "said"), [("zero", "scores was missing and counts as 0"), ("drop-topic", DROPPED)])
def test_every_result_says_it_too(path, missing, said):
    matrix = cf.read_scores(path, missing=missing).only()
    for result in results(matrix):
        assert [text for text in result.warnings if said in text], (type(result).__name__, result.warnings)


def test_results_of_complete_scores_say_nothing_of_it(zero):
    for result in results(cf.ScoreMatrix(zero.values, zero.topics, zero.systems, "AP")):
        assert not [text for text in result.warnings if "missing" in text or "want of" in text]


def test_it_is_issued_once():
    matrix = cf.ScoreMatrix(np.eye(4), "1234", "abcd", "AP", filled=np.eye(4) > 0)
    with ThreadPoolExecutor(1) as other, pytest.warns(cf.CranfieldWarning) as caught:  # quietly is this thread's alone
        other.submit(cf.compare, matrix, n_resamples=5000).result()
    assert len([w for w in caught if "were missing and count as 0" in str(w.message)]) == 1


def test_a_part_without_the_hole_has_no_warning(zero):
    assert zero.warnings == (SAID,)
    assert zero.drop(systems=["ql"]).warnings == ()
    assert zero.drop(topics=["1"]).warnings == ()
    assert zero.select(topics=["1", "2"]).warnings == ("1 of 6 scores was missing and counts as 0: ql",)
    assert zero.canonical().warnings == zero.sorted().warnings == (SAID,)


def test_joining_keeps_both_sides(zero):
    other = cf.ScoreMatrix(np.full((6, 1), 0.5), zero.topics, ["new"], "AP")
    assert zero.join(other).warnings == ("1 of 24 scores was missing and counts as 0: ql",)
    assert other.join(zero).warnings == ("1 of 24 scores was missing and counts as 0: ql",)
    short = other.drop(topics=["3"])
    (said, hole) = zero.join(short, missing="drop-topic").warnings
    assert said == "dropped 1 topics that only one of two matrices has: 3"
    assert hole == "1 of 20 scores was missing and counts as 0: ql"


def test_a_partition_keeps_its_own_holes():
    filled = np.zeros((2, 2, 2), dtype=bool)
    filled[0, 1, 1] = True
    matrix = cf.ScoreMatrix(np.ones((2, 2, 2)), "12", "ab", "AP", "xy", filled=filled)
    assert matrix.warnings == ("1 of 8 scores was missing and counts as 0: b",)
    assert matrix.partition("x").warnings == ()
    assert matrix.partition("y").warnings == ("1 of 4 scores was missing and counts as 0: b",)


def test_evaluate_carries_its_warnings_and_marks_the_cells():
    sample = cf.make_sample(n_topics=6, n_systems=3, n_documents=300, seed=3)
    topic = sample.qrels.topics[0]
    first = sample.runs[0]
    short = cf.Run(first.frame.filter(pl.col("topic") != topic), first.system)
    scores = cf.evaluate(sample.qrels, [short, *sample.runs[1:]], ["AP", "RR"])
    (text,) = [text for text in scores.warnings if "no document" in text]
    assert text.startswith(f"{first.system}: no document for 1 of 6 topics, scored 0")
    assert scores["RR"].warnings == (f"1 of 18 scores was missing and counts as 0: {first.system}",)
    assert text in scores.select(measures=["RR"]).warnings
    assert text in scores.drop(systems=[sample.runs[1].system]).warnings
    assert text not in scores.drop(systems=[first.system]).warnings
    assert text not in scores.select(systems=[sample.runs[1].system]).warnings
