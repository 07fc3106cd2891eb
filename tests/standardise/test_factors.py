"""Fitting and applying factors: the formulas, ties, clipping, order, and what is refused."""

from __future__ import annotations

import math
import re

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import norm

from cranfield import ArgumentError, CranfieldWarning, DataError, ScoreMatrix, Scores, fit_standardisation
from cranfield.scores.readers import read_scores
from support import SHARED, needs_shared

RAW = ScoreMatrix([[0.1, 0.3, 0.8], [0.0, 0.5, 0.4], [0.9, 0.7, 0.95]], ["t1", "t2", "t3"], ["a", "b", "c"], "AP")


def matrix(values: object, measure: str = "AP") -> ScoreMatrix:
    array = np.asarray(values, dtype=float)
    return ScoreMatrix(array, [f"t{i}" for i in range(len(array))], [f"s{j}" for j in range(array.shape[1])], measure)


def test_mean_and_sd_are_those_of_the_paper() -> None:
    factors = fit_standardisation(RAW)["AP"]
    np.testing.assert_allclose(factors.mean, RAW.values.mean(axis=1), rtol=1e-15)
    np.testing.assert_allclose(factors.sd, RAW.values.std(axis=1, ddof=1), rtol=1e-14)
    assert factors.n_systems == (3, 3, 3)


def test_the_three_transformations() -> None:
    factors = fit_standardisation(RAW)
    z = (RAW.values - RAW.values.mean(axis=1, keepdims=True)) / RAW.values.std(axis=1, ddof=1, keepdims=True)
    np.testing.assert_allclose(factors.apply(RAW, to="z").scores.only().values, z, rtol=1e-13, atol=1e-14)
    np.testing.assert_allclose(factors.apply(RAW, to="cdf").scores.only().values, norm.cdf(z), rtol=1e-13)
    np.testing.assert_allclose(factors.apply(RAW).scores.only().values, 0.15 * z + 0.5, rtol=1e-13)
    np.testing.assert_allclose(factors.apply(RAW, a=0.1, b=0.4).scores.only().values, 0.1 * z + 0.4, rtol=1e-13)
    assert factors.apply(RAW).scores.only().measure == "std-AB(AP)"


def test_new_systems_and_other_orders_of_topics_use_the_saved_factors() -> None:
    factors = fit_standardisation(RAW)
    new = ScoreMatrix([[0.5], [0.2]], ["t3", "t1"], ["new"], "AP")
    z = factors.apply(new, to="z").scores.only()
    expected = [(0.5 - 0.85) / np.std([0.9, 0.7, 0.95], ddof=1), (0.2 - 0.4) / np.std([0.1, 0.3, 0.8], ddof=1)]
    np.testing.assert_allclose(z.values[:, 0], expected, rtol=1e-13)
    assert z.topics == ("t3", "t1")


def test_tied_topics_go_by_largest_and_smallest_score_not_by_a_rounded_sd() -> None:
    tied = np.full(3, 0.1)
    assert tied.std(ddof=1) != 0, "the case is pointless where rounding gives an sd of 0"
    with pytest.warns(
        CranfieldWarning, match=r"^AP: all standardising systems tied on 1 of 2 topics \(t0\)\. A score there "
    ):
        factors = fit_standardisation(matrix([tied, [0.1, 0.2, 0.3]]))
    assert factors["AP"].tied == ("t0",)
    assert factors["AP"].mean[0] == 0.1
    new = matrix([[0.1, 0.2, 0.0], [0.2, 0.2, 0.2]])
    for to, expected in (("z", [0, math.inf, -math.inf]), ("cdf", [0.5, 1, 0]), ("ab", [0.5, 1, 0])):
        with pytest.warns(CranfieldWarning) as caught:
            done = factors.apply(new, to=to)  # type: ignore[arg-type]
        assert done.scores.only().values[0].tolist() == expected
        assert [str(w.message) for w in caught] == [
            "AP: on 1 of 2 topics all standardising systems have the same score; 2 other scores differ from it"
        ]
        assert (done.counts[0].tied_topics, done.counts[0].off_tie) == (1, 2)
        assert (done.counts[0].below, done.counts[0].above) == (0, 0), "a tie decides, it does not clip"


def test_clipped_cells_are_counted() -> None:
    factors = fit_standardisation(RAW)
    new = ScoreMatrix([[9.0, -9.0], [0.3, 0.3], [9.0, 0.8]], RAW.topics, ["x", "y"], "AP")
    done = factors.apply(new)
    assert (done.counts[0].below, done.counts[0].above, done.counts[0].cells) == (1, 2, 6)
    assert done.clipping() == ["AP: 3 of 6 cells (50.00%) were clipped: 1 at 0, 2 at 1"]
    assert done.scores.only().values.min() == 0
    assert done.scores.only().values.max() == 1


@given(
    st.integers(2, 6).flatmap(
        lambda m: st.lists(st.lists(st.floats(0, 1), min_size=m, max_size=m), min_size=1, max_size=5)
    ),
    st.randoms(use_true_random=False),
)
@pytest.mark.filterwarnings("ignore::cranfield.core.errors.CranfieldWarning")
def test_the_order_of_topics_and_systems_never_matters(rows: list[list[float]], random: object) -> None:
    raw = matrix(rows)
    topics, systems = list(raw.topics), list(raw.systems)
    random.shuffle(topics)  # type: ignore[attr-defined]
    random.shuffle(systems)  # type: ignore[attr-defined]
    shuffled = raw.select(topics=topics, systems=systems)
    ours = fit_standardisation(raw).apply(raw).scores.only()
    theirs = fit_standardisation(shuffled).apply(shuffled).scores.only()
    assert theirs.select(topics=raw.topics, systems=raw.systems).values.tobytes() == ours.values.tobytes()


@given(st.lists(st.lists(st.floats(0, 1), min_size=4, max_size=4), min_size=1, max_size=5))
@pytest.mark.filterwarnings("ignore::cranfield.core.errors.CranfieldWarning")
def test_before_clipping_every_untied_topic_has_mean_b_and_sd_a(rows: list[list[float]]) -> None:
    raw = matrix([row for row in rows if max(row) - min(row) > 1e-9] or [[0.0, 0.1, 0.2, 0.3]])
    linear = 0.15 * fit_standardisation(raw).apply(raw, to="z").scores.only().values + 0.5
    np.testing.assert_allclose(linear.mean(axis=1), 0.5, atol=1e-6)
    np.testing.assert_allclose(linear.std(axis=1, ddof=1), 0.15, atol=1e-6)


@pytest.mark.parametrize("unit", [1e-200, 1e150])
def test_tiny_and_huge_scores_keep_their_z(unit: float) -> None:
    z = fit_standardisation(RAW).apply(RAW, to="z").scores.only().values
    scaled = matrix(RAW.values * unit)
    np.testing.assert_allclose(fit_standardisation(scaled).apply(scaled, to="z").scores.only().values, z, rtol=1e-12)


def test_nothing_given_is_changed() -> None:
    before = RAW.values.copy()
    fit_standardisation(RAW).apply(RAW)
    assert np.array_equal(RAW.values, before)


def test_several_measures_at_once() -> None:
    both = Scores([RAW, matrix(RAW.values * 30, "M").select(topics=["t0", "t1", "t2"])])
    factors = fit_standardisation(both)
    assert list(factors) == ["AP", "M"]
    done = factors.apply(both)
    np.testing.assert_allclose(done.scores["std-AB(AP)"].values, done.scores["std-AB(M)"].values, rtol=1e-12)
    assert done.to_frame().columns == ["topic", "system", "measure", "value"]
    assert "AP: mean and sd of 3 systems on 3 topics" in factors.provenance
    assert factors.signature.startswith("standardisation factors; measure AP, M; topics 3; systems 3; sd m - 1;")


def message(text: str) -> str:
    return f"^{re.escape(text)}$"


def test_one_system_cannot_standardise() -> None:
    text = "AP: fitting standardisation factors needs at least 2 systems; there is 1. Give scores of more systems."
    with pytest.raises(DataError, match=message(text)):
        fit_standardisation(RAW.select(systems=["a"]))


@pytest.mark.parametrize(
    ("settings", "text"),
    [
        ({"a": 0}, "`a` must be a positive number; got 0. The papers use 0.15."),
        ({"a": -0.1}, "`a` must be a positive number; got -0.1. The papers use 0.15."),
        ({"a": math.nan}, "`a` must be a positive number; got nan. The papers use 0.15."),
        (
            {"b": 500},
            "`b` must be between 0 and 1, the range scores are clipped to; got 500. The papers use 0.5.",
        ),
        ({"to": "AB"}, "`to` must be one of ab, cdf, z; got 'AB'"),
    ],
)
def test_bad_settings_are_refused(settings: dict[str, object], text: str) -> None:
    with pytest.raises(ArgumentError, match=message(text)):
        fit_standardisation(RAW).apply(RAW, **settings)  # type: ignore[arg-type]


def test_missing_topics_and_measures_are_refused() -> None:
    factors = fit_standardisation(RAW)
    text = "the factors have no measure 'P@20', only AP; fit factors for it, or leave the measure out"
    with pytest.raises(DataError, match=message(text)):
        factors.apply(matrix(RAW.values, "P@20"))
    more = ScoreMatrix([[0.1], [0.2]], ["t1", "t9"], ["a"], "AP")
    text = "AP: no factors for 1 of 2 topics (t9); pass missing='drop-topic' to leave them out"
    with pytest.raises(DataError, match=message(text)):
        factors.apply(more)
    with pytest.warns(CranfieldWarning, match=message("AP: 1 topic without factors left out: t9")):
        kept = factors.apply(more, missing="drop-topic").scores.only()
    assert kept.topics == ("t1",)
    assert "1 topic without factors left out: t9" in kept.provenance
    text = "AP: no factors for 1 of 1 topics (t9); are these factors of this collection?"
    with pytest.raises(DataError, match=message(text)):
        factors.apply(more.select(topics=["t9"]), missing="drop-topic")


def test_partitions_and_infinite_scores_are_refused() -> None:
    text = "AP: fitting standardisation factors needs finite scores; topic 't0', system 's0' has inf"
    with pytest.raises(DataError, match=message(text)):
        fit_standardisation(matrix([[math.inf, 1.0]]))


@needs_shared
@pytest.mark.parametrize("path", sorted((SHARED / "data" / "matrices").glob("*.csv")), ids=lambda p: p.stem)
def test_real_matrices_have_mean_b_and_sd_a_before_clipping(path: object) -> None:
    raw = read_scores(path).only()  # type: ignore[arg-type]
    tied = [topic for topic, row in zip(raw.topics, raw.values, strict=True) if row.max() == row.min()]
    if tied:
        with pytest.warns(CranfieldWarning, match=f"tied on {len(tied)} of {raw.n_topics} topics"):
            fit_standardisation(raw)
        raw = raw.drop(topics=tied)
    factors = fit_standardisation(raw)
    linear = 0.15 * factors.apply(raw, to="z").scores.only().values + 0.5
    np.testing.assert_allclose(linear.mean(axis=1), 0.5, atol=1e-12)
    np.testing.assert_allclose(linear.std(axis=1, ddof=1), 0.15, atol=1e-12)
    assert not factors.warnings
