"""Scores that leave a test nothing to go by: no p of 0, nothing infinite, every interval holds its estimate."""

from __future__ import annotations

import warnings
from dataclasses import replace

import numpy as np
import pytest

from cranfield import Comparison, DataError, ScoreMatrix, compare
from cranfield.core.errors import CranfieldWarning
from cranfield.questions.compare.classical import skewness
from cranfield.questions.compare.tests import TESTS

RANDOM = np.random.default_rng(3)
BASE = RANDOM.random((6, 3))
MATRICES = {
    "all equal": np.full((6, 3), 0.5),
    "constant shift": BASE[:, :1] + [0, 0.1, 0.3],
    "constant columns": np.tile([0.1, 0.2, 0.3], (6, 1)),
    "tiny": BASE * 1e-149,
    "beside 1e16": 1e16 + np.round(BASE * 8),
    "sparse": np.where(RANDOM.random((6, 3)) < 0.15, 1.0, 0.0),
    "one topic differs": np.vstack([np.full((5, 3), 0.5), [0.5, 0.6, 0.7]]),
    "noise of rounding": np.array([0, 0.1, 0.3]) + 1e-15 * np.round(BASE * 4),
    "two topics": np.array([[0.1, 0.2, 0.3], [0.1, 0.2, 0.3]]),
    "mixed scales": BASE * [1, 1e100, 1e-100],
}


def quiet_compare(values: np.ndarray, **options: object) -> Comparison:
    matrix = ScoreMatrix(values, [str(i) for i in range(len(values))], ["a", "b", "c"], "AP")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", CranfieldWarning)
        return compare(matrix, n_resamples=300, **options)


@pytest.mark.parametrize("intervals", ["simultaneous", "pairwise"])
@pytest.mark.parametrize("test", list(TESTS))
@pytest.mark.parametrize("name", list(MATRICES))
def test_degenerate_scores_give_sound_results(name: str, test: str, intervals: str) -> None:
    for statistic in ("mean", "median") if TESTS[test].any_statistic else ("mean",):
        result = quiet_compare(MATRICES[name], test=test, intervals=intervals, statistic=statistic)
        assert ((result.p > 0) & (result.p <= 1)).all()
        assert ((result.lower <= result.difference) & (result.difference <= result.upper)).all()
        assert ((result.value_lower <= result.value) & (result.value <= result.value_upper)).all()
        for column in result.to_frame().select(pl_floats(result)).iter_columns():
            assert column.drop_nulls().is_finite().all()


def pl_floats(result: Comparison) -> list[str]:
    return [name for name, kind in result.to_frame().schema.items() if kind.is_float()]


def test_an_effect_size_without_spread_is_not_defined_and_that_is_said() -> None:
    result = quiet_compare(MATRICES["constant columns"])
    assert result.to_frame()["effect_size"].to_list() == [None] * 3
    said = "No effect size for c − b, c − a"
    assert any(text.startswith(said) for text in result.warnings)


@pytest.mark.parametrize(
    ("unit", "reason"),
    [(1e300, "too large for a double"), (1e-160, "too small for a double"), (5e-324, "too small for a double")],
)
def test_scores_that_cannot_be_squared_are_refused(unit: float, reason: str) -> None:
    with pytest.raises(DataError, match=rf"AP: the largest score in size is .*{reason}.*; scale the scores first"):
        quiet_compare(np.round(BASE * 4) * unit)


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ({"p": np.zeros(3)}, r"a p-value outside \(0, 1\]"),
        ({"p_adjusted": np.array([0.9, 0.5, 2.0])}, r"an adjusted p-value outside \(0, 1\]"),
        ({"p": np.array([0.1, 0.2, 0.3]), "p_adjusted": np.array([0.5, 0.4, 0.3])}, "adjusted p-values out of order"),
        ({"p": np.array([0.1, 0.2, 0.3]), "p_adjusted": np.array([0.05, 0.4, 0.5])}, "below its p-value"),
        ({"difference": np.full(3, 99.0)}, "a difference outside its interval"),
        ({"value": np.full(3, np.nan)}, "a value that is not finite"),
        ({"effect_size": np.full(3, np.inf)}, "an infinite effect size"),
        ({"upper": np.full(3, np.inf)}, "an interval without end"),
    ],
)
def test_no_comparison_is_made_that_cannot_be_right(change: dict[str, np.ndarray], said: str) -> None:
    result = quiet_compare(BASE, test="t")
    with pytest.raises(ArithmeticError, match=f"{said}; this is a bug in cranfield"):
        replace(result, **change)


def test_the_skewness_of_huge_scores_is_that_of_small_ones() -> None:
    x = np.random.default_rng(5).gamma(1.0, 1.0, (30, 3))
    a, b = np.array([0, 0, 1]), np.array([1, 2, 2])
    sd = (x[:, a] - x[:, b]).std(axis=0, ddof=1)
    for scale in (2.0**400, 2.0**-400):
        assert (skewness(scale * x, a, b, scale * sd) == skewness(x, a, b, sd)).all()


@pytest.mark.parametrize("test", list(TESTS))
@pytest.mark.parametrize("unit", [2.0**-497, 2.0**490])
def test_no_p_value_depends_on_the_unit_of_the_scores(test: str, unit: float) -> None:
    """Squares of tiny differences that are 0 would make every difference certain."""
    x = np.random.default_rng(3).random((20, 3))
    usual, other = (quiet_compare(x * scale, test=test) for scale in (1.0, unit))
    np.testing.assert_allclose(other.p, usual.p, rtol=1e-6)
    np.testing.assert_allclose(other.upper / unit, usual.upper, rtol=1e-6)


@pytest.mark.parametrize(
    ("apart", "said"), [(1e-8, "p = 1 for a − b: their scores differ"), (1e-15, "Identical runs: {")]
)
def test_only_noise_of_rounding_is_called_identical_beside_a_huge_score(apart: float, said: str) -> None:
    values = np.column_stack([BASE[:, 0], BASE[:, 0] * (1 + apart), 1e12 * BASE[:, 1]])
    named = [text for text in quiet_compare(values).warnings if text.startswith(("p = 1", "Identical runs"))]
    assert len(named) == 1
    assert named[0].startswith(said)
