"""`make_scores`: its variance components are what it says they are."""

from __future__ import annotations

import numpy as np
import pytest

from cranfield import ArgumentError, make_scores


def components(x: np.ndarray) -> tuple[float, float, float]:
    """within, residual and two_way (EVIA 2014, eq. 4–7), written out."""
    n, m = x.shape
    grand, by_system, by_topic = x.mean(), x.mean(axis=0), x.mean(axis=1)
    v_a = n * ((by_system - grand) ** 2).sum() / (m - 1)
    v_b = m * ((by_topic - grand) ** 2).sum() / (n - 1)
    within = ((x - by_system) ** 2).sum() / (m * (n - 1))
    residual = ((x - by_topic[:, None] - by_system + grand) ** 2).sum() / ((m - 1) * (n - 1))
    return within, residual, (m - 1) / (m * n) * (v_a - residual) + (v_b - residual) / m + residual


def test_estimators_have_the_promised_expectations() -> None:
    draws = np.array([components(make_scores(20, 6, seed).values) for seed in range(2000)])
    promised = np.array([0.03 + 0.0125, 0.0125, 5 / 6 * 0.007 + 0.03 + 0.0125])
    error = draws.std(axis=0, ddof=1) / np.sqrt(len(draws))
    assert (np.abs(draws.mean(axis=0) - promised) < 4 * error).all()
    assert (error < 0.02 * promised).all()  # the check above is sharp


def test_fixed_effects_are_exact() -> None:
    effects = [-0.1, 0.0, 0.1]
    x = make_scores(30, 3, topic_variance=0.0, residual_variance=0.0, mean=0.5, system_effects=effects)
    assert x.values.tolist() == [[0.4, 0.5, 0.6]] * 30
    assert x.provenance == (
        "drawn from an additive normal model: mean 0.5, fixed system effects, topic variance 0, "
        "residual variance 0, seed 1",
    )


def test_same_seed_same_scores_and_a_smaller_matrix_is_the_beginning() -> None:
    assert make_scores(20, 5, 3) == make_scores(20, 5, 3)
    assert make_scores(20, 5, 3) != make_scores(20, 5, 4)
    assert np.array_equal(make_scores(10, 5, 3).values, make_scores(20, 5, 3).values[:10])


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"n_topics": 0}, "`n_topics` must be at least 1; got 0"),
        ({"n_systems": 0}, "`n_systems` must be at least 1; got 0"),
        ({"seed": -1}, "`seed` must be at least 0; got -1"),
        ({"topic_variance": -0.1}, "`topic_variance` must be 0 or more; got -0.1"),
        ({"residual_variance": float("nan")}, "`residual_variance` must be a finite number; got nan."),
        (
            {"n_systems": 3, "system_effects": [0.0, 0.1]},
            "`system_effects` must hold one effect per system: 3 are needed; got 2",
        ),
    ],
)
def test_bad_arguments(arguments: dict[str, object], message: str) -> None:
    with pytest.raises(ArgumentError) as caught:
        make_scores(**arguments)  # type: ignore[arg-type]
    assert str(caught.value) == message
