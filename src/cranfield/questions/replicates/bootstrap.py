"""The residual bootstrap of system effects: add resampled residuals to the fit and estimate again, in closed form."""

from __future__ import annotations

from concurrent.futures import Executor
from dataclasses import dataclass, replace
from functools import cached_property, partial
from typing import get_args

import numpy as np
from numpy.typing import NDArray

from cranfield.core.defaults import PAIR_P, REPLICATES_RESAMPLES, RESAMPLE, RESIDUALS, SEED, PairP, Resample, Residuals
from cranfield.core.errors import ArgumentError, UnknownNameError
from cranfield.core.executors import map_in_order
from cranfield.core.resampling import RESIDUAL_CELLS, RESIDUAL_ROWS, Block, blocks, generator, to_grid
from cranfield.questions.compare.pairs import Pairs, count_true
from cranfield.questions.compare.resampled import monte_carlo
from cranfield.questions.replicates.model import Fit, Floats, Replicated, fit

_DRAWN_TOGETHER = 1 << 20
"""Residuals drawn by one call, to bound memory. Part of what a seed means: it must not change."""


@dataclass(frozen=True)
class Bootstrap:
    """How to bootstrap. The number of workers never changes a result.

    Parameters
    ----------
    n_resamples : how often residuals are drawn, B
    residuals : ``"rescaled"`` by √(N/(N−p)), or ``"raw"`` as published
    resample : whole (topic, partition) ``"rows"``, or ``"cells"`` as published
    p : ``"difference"``, or ``"effect"`` as published
    interaction : whether the model has a topic × system term
    seed : of the random draws
    workers, executor : threads to use, or any `concurrent.futures.Executor`
    """

    n_resamples: int = REPLICATES_RESAMPLES
    residuals: Residuals = RESIDUALS
    resample: Resample = RESAMPLE
    p: PairP = PAIR_P
    interaction: bool = True
    seed: int = SEED
    workers: int | None = None
    executor: Executor | None = None

    @property
    def settings_alone(self) -> Bootstrap:
        """The same without what belongs to this process: what travels with a unit of work."""
        return replace(self, workers=1, executor=None)

    def __post_init__(self) -> None:
        for kind, value, known in [
            ("residuals", self.residuals, Residuals),
            ("resample", self.resample, Resample),
            ("p", self.p, PairP),
        ]:
            if value not in get_args(known):
                raise UnknownNameError(kind, str(value), get_args(known))
        blocks(self.n_resamples)
        if self.seed < 0:
            raise ArgumentError(f"`seed` must be a whole number of at least 0; got {self.seed}. Write 1.")


@dataclass(frozen=True, eq=False)
class Effects:
    """System effects of one split, and what the bootstrap made of them.

    Parameters
    ----------
    fit : the fitted model
    deviations : systems × resamples; how far each resampled system mean lies from the fitted one
    tolerance : two system means no further apart count as equal
    how : the bootstrap's settings
    """

    fit: Fit
    deviations: Floats
    tolerance: float
    how: Bootstrap

    @property
    def effects(self) -> Floats:
        """s_j, the estimates from the scores themselves."""
        return self.fit.systems

    @cached_property
    def resampled(self) -> Floats:
        """s*_j of every resample, centred: systems × resamples."""
        return np.asarray(self.effects[:, None] + (self.deviations - self.deviations.mean(axis=0)))

    def intervals(self, alpha: float) -> tuple[Floats, Floats]:
        """The alpha/2 and 1 − alpha/2 quantiles of every system's resampled effects.

        Slides "Confidence Intervals on s_j": the 2.5% and 97.5% quantiles give the 95% interval.
        """
        lower, upper = np.quantile(self.resampled, [alpha / 2, 1 - alpha / 2], axis=1)
        return lower, upper

    def p_values(self, pairs: Pairs) -> Floats:
        """Two-sided p-value of every pair by the chosen rule; see `difference_p` and `effect_p`."""
        return difference_p(self, pairs) if self.how.p == "difference" else effect_p(self, pairs)


def difference_p(effects: Effects, pairs: Pairs) -> Floats:
    """Two-sided share of the bootstrapped differences that lie beyond 0: 2·(b + 1)/(B + 1), at most 1.

    b counts the resamples in which the system with the lower estimate does at least as well as the other.
    """
    order = np.argsort(-effects.effects, kind="stable")
    means = (effects.effects[:, None] + effects.deviations)[order]
    size, total = means.shape
    counts = np.zeros((size, size), dtype=np.int64)
    for better in range(size - 1):
        counts[better, better + 1 :] = count_true(means[better] - effects.tolerance <= means[better + 1 :])
    place = np.empty(size, dtype=np.int64)
    place[order] = np.arange(size)
    first, second = place[pairs.a], place[pairs.b]
    chosen = counts[np.minimum(first, second), np.maximum(first, second)]
    return np.minimum(1.0, 2 * monte_carlo(chosen, total))


def effect_p(effects: Effects, pairs: Pairs) -> Floats:
    """Where one system's estimate falls in the other's bootstrap distribution, two-sided; the larger of both ways.

    The published rule. It forgets that the first system's estimate varies too, so it rejects too often.
    """
    total = effects.deviations.shape[1]
    better_is_a = pairs.of(effects.effects) >= 0
    better = np.where(better_is_a, pairs.a, pairs.b)
    worse = np.where(better_is_a, pairs.b, pairs.a)
    ordered = np.sort(effects.resampled, axis=1)
    counts = np.empty((2, len(pairs)), dtype=np.int64)
    for system in range(len(ordered)):
        mine = np.flatnonzero(better == system)
        bound = effects.effects[worse[mine]] + effects.tolerance
        counts[0, mine] = np.searchsorted(ordered[system], bound, side="right")
        mine = np.flatnonzero(worse == system)
        bound = effects.effects[better[mine]] - effects.tolerance
        counts[1, mine] = total - np.searchsorted(ordered[system], bound, side="left")
    return np.minimum(1.0, 2 * monte_carlo(counts.max(axis=0), total))


def bootstrap_effects(scores: Replicated, how: Bootstrap, *key: int) -> Effects:
    """Fit the model and bootstrap its residuals.

    Residuals are drawn with replacement, added to the fit, and the system effects estimated again. A system's
    effect is a (weighted) mean, so its new estimate is the old one plus the same mean of the drawn residuals: no
    refitting, and for ``rows`` one matrix product for all systems and resamples.

    Parameters
    ----------
    scores : the replicated scores
    how : settings
    key : numbers that, with the seed, choose the random draws (the split)

    Examples
    --------
    >>> scores = Replicated.of([[[.2, .4], [.6, .8]], [[.1, .3], [.1, .1]]])
    >>> raw = bootstrap_effects(scores, Bootstrap(1000, residuals="raw"))
    >>> rescaled = bootstrap_effects(scores, Bootstrap(1000))
    >>> lengths = [np.subtract(*fitted.intervals(.05)[::-1]) for fitted in (raw, rescaled)]
    >>> (lengths[1] / lengths[0]).round(12).tolist()  # √(x/(x−1)) with x = 2
    [1.414213562373, 1.414213562373]
    """
    model = fit(scores, interaction=how.interaction)
    total = int(model.weights.sum())
    # On this grid any weighted sum of `total` residuals is exact, so threads and blocks cannot change it.
    residuals = to_grid(model.residuals, total)
    draw = _rows if how.resample == "rows" else _cells
    stream = RESIDUAL_ROWS if how.resample == "rows" else RESIDUAL_CELLS
    work = partial(draw, residuals, model.weights, (how.seed, stream, *key))
    sums = np.concatenate(
        list(map_in_order(work, blocks(how.n_resamples), executor=how.executor, workers=how.workers)), axis=1
    )
    scale = (model.rescaling if how.residuals == "rescaled" else 1.0) / total
    return Effects(model, sums * scale, scores.tolerance, how)


def _rows(residuals: Floats, weights: NDArray[np.int64], key: tuple[int, ...], block: Block) -> Floats:
    """Weighted sums of whole rows drawn with replacement: systems × resamples."""
    rows = len(residuals)
    drawn = generator(*key, block.index).integers(rows, size=(len(block), rows))
    drawn += np.arange(len(block))[:, None] * rows
    heavy = None if (weights == 1).all() else np.tile(weights, len(block)).astype(np.float64)
    counts = np.bincount(drawn.ravel(), weights=heavy, minlength=len(block) * rows).reshape(len(block), rows)
    return np.asarray(residuals.T @ counts.T.astype(np.float64, copy=False))


def _cells(residuals: Floats, weights: NDArray[np.int64], key: tuple[int, ...], block: Block) -> Floats:
    """Weighted sums of residuals drawn from all cells alike, each system with draws of its own."""
    rows, systems = residuals.shape
    pool = residuals.ravel()
    rng = generator(*key, block.index)
    step = max(1, _DRAWN_TOGETHER // pool.size)
    sums = np.empty((systems, len(block)))
    for start in range(0, len(block), step):
        stop = min(start + step, len(block))
        drawn = rng.integers(pool.size, size=((stop - start) * systems, rows))
        values = np.take(pool, drawn, mode="clip")  # always in range; clip saves the check
        if (weights != 1).any():
            values *= weights
        sums[:, start:stop] = values.sum(axis=1).reshape(stop - start, systems).T
    return sums
