"""Properties of tuning that hold for any scores."""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray

from cranfield import CranfieldWarning, ScoreMatrix, Tuning
from cranfield import tune as tune_aloud
from cranfield.questions.tune.folds import HoldOut, LeaveOneOut, NFold


def tune(*args: Any) -> Tuning:
    """Ties are frequent here and their warning is no news."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", CranfieldWarning)
        return tune_aloud(*args)


@st.composite
def matrices(draw: st.DrawFn, least_topics: int = 4) -> ScoreMatrix:
    """Scores with many ties, of few decimals, as measures at a cut-off give."""
    n, m = draw(st.integers(least_topics, 14)), draw(st.integers(2, 6))
    seed, step = draw(st.integers(0, 2**32 - 1)), draw(st.sampled_from([2, 10, 1000]))
    values = np.random.default_rng(seed).integers(0, step + 1, (n, m)) / step
    return ScoreMatrix(values, [f"t{i}" for i in range(n)], [f"x(a={j})" for j in range(m)], "P@10")


splitters = st.one_of(
    st.builds(NFold, st.integers(2, 4), st.integers(1, 3), st.just(False), st.integers(0, 99)),
    st.just(LeaveOneOut()),
    st.builds(HoldOut, st.floats(0.1, 0.9), st.integers(1, 3), st.just(False), st.integers(0, 99)),
)


@given(matrices(), splitters, st.randoms(use_true_random=False))
def test_the_order_of_topics_and_families_never_matters(x: ScoreMatrix, splitter: Any, random: Any) -> None:
    y = x.select(systems=x.systems[::-1])
    topics = list(x.topics)
    random.shuffle(topics)
    one = tune({"x": x, "y": y}, splitter)
    other = tune({"y": y.select(topics=topics), "x": x.select(topics=topics)}, splitter)
    assert one.held_out.canonical() == other.held_out.canonical()
    for name in ("x", "y"):
        assert one[name].chosen == other[name].chosen
        assert one[name].held_out_mean == other[name].held_out_mean
        assert one[name].train_means.tolist() == other[name].train_means.tolist()


@given(matrices(), st.booleans(), splitters, st.data())
def test_stratified_folds_do_not_depend_on_order_either(
    x: ScoreMatrix, one_fold: bool, splitter: Any, data: st.DataObject
) -> None:
    stratified = HoldOut(0.4, stratified=True) if one_fold else NFold(3, stratified=True)
    topics = data.draw(st.permutations(x.topics))
    systems = data.draw(st.permutations(x.systems))
    one, other = tune({"x": x}, stratified), tune({"x": x.select(topics=topics, systems=systems)}, stratified)
    assert [one.folds.held_out_topics(i) for i in range(len(one.folds))] == [
        other.folds.held_out_topics(i) for i in range(len(other.folds))
    ]


@given(matrices(), splitters, st.data())
def test_no_topic_influences_the_choice_it_is_scored_by(x: ScoreMatrix, splitter: Any, data: st.DataObject) -> None:
    before = tune({"x": x}, splitter)
    fold = data.draw(st.integers(0, len(before.folds) - 1))
    seed = data.draw(st.integers(0, 2**32 - 1))
    gone = set(before.folds.held_out_topics(fold))
    changed: NDArray[np.float64] = np.array(x.values)
    rows = [i for i, topic in enumerate(x.topics) if topic in gone]
    changed[rows] = np.random.default_rng(seed).random((len(rows), x.n_systems))
    after = tune({"x": ScoreMatrix(changed, x.topics, x.systems, x.measure)}, splitter)
    assert after["x"].chosen[fold] == before["x"].chosen[fold]
    assert abs(after["x"].train_means[fold] - before["x"].train_means[fold]) < 1e-14


@given(matrices(), splitters)
def test_every_held_out_score_is_one_the_chosen_setting_has(x: ScoreMatrix, splitter: Any) -> None:
    found = tune({"x": x}, splitter)
    for topic, score in zip(found.held_out.topics, found.held_out.values[:, 0], strict=True):
        folds = [f for f in range(len(found.folds)) if topic in found.folds.held_out_topics(f)]
        assert all(topic not in found.folds.training_topics(f) for f in folds)
        chosen = [found["x"].chosen[f] for f in folds]
        values = [x.select(topics=[topic], systems=[label]).values[0, 0] for label in chosen]
        assert abs(score - np.mean(values)) < 1e-12


@given(matrices())
def test_leave_one_out_is_n_fold_with_one_topic_a_fold(x: ScoreMatrix) -> None:
    assert tune({"x": x}, LeaveOneOut()).held_out == tune({"x": x}, NFold(x.n_topics)).held_out


@given(matrices(), st.sampled_from([-3, 5, 10]))
def test_a_change_of_unit_changes_no_choice(x: ScoreMatrix, power: int) -> None:
    scaled = ScoreMatrix(np.ldexp(x.values, power), x.topics, x.systems, x.measure)
    assert tune({"x": x}, NFold(3))["x"].chosen == tune({"x": scaled}, NFold(3))["x"].chosen
