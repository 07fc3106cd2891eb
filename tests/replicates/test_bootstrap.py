"""The residual bootstrap: one product equals refitting, whatever the design; p-values behave."""

from __future__ import annotations

import numpy as np
import pytest

from cranfield.core.errors import ArgumentError, UnknownNameError
from cranfield.core.resampling import BLOCK, RESIDUAL_CELLS, RESIDUAL_ROWS, generator
from cranfield.questions.compare.family import Pairs, all_pairs
from cranfield.questions.replicates.bootstrap import (
    Bootstrap,
    Effects,
    Replicated,
    bootstrap_effects,
    difference_p,
    effect_p,
    fit,
)

UNBALANCED = np.array([[1, 1, 1], [1, 0, 1], [0, 1, 1], [1, 1, 0], [0, 0, 1]], dtype=bool)


def some_scores(mask: np.ndarray | None = None, seed: int = 5) -> Replicated:
    return Replicated.of(np.random.default_rng(seed).random((5, 4, 3)), mask)


@pytest.mark.parametrize("interaction", [True, False])
@pytest.mark.parametrize("mask", [None, UNBALANCED], ids=["balanced", "unbalanced"])
@pytest.mark.parametrize("resample", ["rows", "cells"])
def test_equals_refitting(interaction: bool, mask: np.ndarray | None, resample: str) -> None:
    """The first resamples, done the long way: draw, add to the fit, fit again."""
    scores = some_scores(mask)
    how = Bootstrap(20, "rescaled", resample, interaction=interaction)  # type: ignore[arg-type]
    found = bootstrap_effects(scores, how, 7)
    model = fit(scores, interaction=interaction)
    fitted = scores.values - model.residuals
    rows, systems = scores.values.shape
    stream = RESIDUAL_ROWS if resample == "rows" else RESIDUAL_CELLS
    rng = generator(how.seed, stream, 7, 0)
    if resample == "rows":
        drawn = model.residuals[rng.integers(rows, size=(20, rows))]
    else:
        drawn = model.residuals.ravel()[rng.integers(rows * systems, size=(20 * systems, rows))]
        drawn = drawn.reshape(20, systems, rows).transpose(0, 2, 1)
    for at in range(20):
        again = fit(Replicated(fitted + model.rescaling * drawn[at], scores.topic), interaction=interaction)
        assert np.allclose(found.resampled[:, at], again.systems, atol=1e-10, rtol=0)


@pytest.mark.parametrize("resample", ["rows", "cells"])
@pytest.mark.parametrize("x", [2, 3, 5])
def test_rescaled_is_raw_times_the_factor(resample: str, x: int) -> None:
    scores = Replicated.of(np.random.default_rng(2).random((10, 6, x)))
    lengths = []
    for residuals in ("raw", "rescaled"):
        found = bootstrap_effects(scores, Bootstrap(500, residuals, resample))  # type: ignore[arg-type]
        lower, upper = found.intervals(0.05)
        lengths.append(upper - lower)
    assert np.allclose(lengths[1] / lengths[0], np.sqrt(x / (x - 1)), rtol=1e-10)


@pytest.mark.parametrize("resample", ["rows", "cells"])
def test_workers_do_not_matter(resample: str) -> None:
    scores = some_scores(UNBALANCED)
    first, second = (
        bootstrap_effects(scores, Bootstrap(3 * BLOCK + 5, resample=resample, workers=workers), 1)  # type: ignore[arg-type]
        for workers in (1, 3)
    )
    assert first.deviations.tobytes() == second.deviations.tobytes()


def test_more_resamples_begin_like_fewer() -> None:
    scores = some_scores()
    few, many = (bootstrap_effects(scores, Bootstrap(n)).deviations for n in (BLOCK, 2 * BLOCK + 9))
    assert np.array_equal(few, many[:, :BLOCK])


@pytest.mark.parametrize("p", ["difference", "effect"])
def test_identical_systems_have_p_one_and_no_p_is_zero(p: str) -> None:
    values = np.random.default_rng(1).random((6, 4, 2))
    values[:, 1] = values[:, 0]
    values[:, 3] += 100
    found = bootstrap_effects(Replicated.of(values), Bootstrap(200, p=p))  # type: ignore[arg-type]
    got = found.p_values(all_pairs(4))
    assert got[0] == 1.0
    assert got.min() == pytest.approx(2 / 201)


def brute(found: Effects, pairs: Pairs) -> tuple[list[float], list[float]]:
    """Both p-values as the documentation says them, pair by pair."""
    size = found.deviations.shape[1]
    difference, effect = [], []
    for a, b in zip(pairs.a, pairs.b, strict=True):
        if found.effects[a] < found.effects[b]:
            a, b = b, a
        beyond = int((found.resampled[a] - found.resampled[b] <= 1e-12).sum())
        difference.append(min(1.0, 2 * (beyond + 1) / (size + 1)))
        ways = (found.resampled[a] <= found.effects[b]).sum(), (found.resampled[b] >= found.effects[a]).sum()
        effect.append(min(1.0, 2 * (int(max(ways)) + 1) / (size + 1)))
    return difference, effect


def test_p_values_by_hand() -> None:
    found = bootstrap_effects(some_scores(), Bootstrap(400))
    pairs = all_pairs(4)
    difference, effect = brute(found, pairs)
    assert difference_p(found, pairs).tolist() == pytest.approx(difference)
    assert effect_p(found, pairs).tolist() == pytest.approx(effect)
    turned = Pairs(pairs.b, pairs.a)
    assert np.array_equal(difference_p(found, pairs), difference_p(found, turned))
    assert np.array_equal(effect_p(found, pairs), effect_p(found, turned))


def test_intervals_are_quantiles_around_the_effect() -> None:
    found = bootstrap_effects(some_scores(), Bootstrap(4000))
    lower, upper = found.intervals(0.05)
    assert ((lower < found.effects) & (found.effects < upper)).all()
    assert np.allclose(found.resampled.sum(axis=0), 0, atol=1e-9)


def test_bad_settings() -> None:
    with pytest.raises(UnknownNameError) as unknown:
        Bootstrap(residuals="rescale")  # type: ignore[arg-type]
    assert str(unknown.value) == "unknown residuals 'rescale'. Did you mean 'rescaled'?"
    with pytest.raises(ArgumentError) as few:
        Bootstrap(0)
    assert str(few.value) == "`n_resamples` must be a whole number of at least 1; got 0. Write 100000."
    with pytest.raises(ArgumentError) as negative:
        Bootstrap(seed=-1)
    assert str(negative.value) == "`seed` must be a whole number of at least 0; got -1. Write 1."
