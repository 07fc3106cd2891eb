"""What a leaderboard claims beyond its order: which systems may be the best, and which ranks each may have."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from cranfield.core.errors import ArgumentError
from cranfield.core.resampling import SIGNS, Block, pieces, signed_sums
from cranfield.questions.compare.classical import TINY
from cranfield.questions.compare.grid import GridScores
from cranfield.questions.compare.resampled import Resampling
from cranfield.questions.compare.westfall_young import critical_value, pair_scale

Array = NDArray[np.float64]
_ROWS = 128
"""Flips handled together; a system's statistics against all others then stay in the processor's cache."""


@dataclass(frozen=True)
class BoardFlips:
    """What chance alone makes of every system's differences to the others.

    With u_ji = Σ(x_j − x_i)/√Σ(x_j − x_i)² over topics:

    Attributes
    ----------
    scale : systems × systems, 1/√Σ(x_j − x_i)², 0 where two do not differ
    ahead : systems × flips, the largest u_ji over all j: how far some other system is ahead of system i
    apart : systems × flips, the largest |u_ji|
    """

    scale: Array
    ahead: Array
    apart: Array


def board_flips(scores: GridScores, how: Resampling) -> BoardFlips:
    """The flips of a leaderboard: every topic's scores change sign together, for all systems.

    Parameters
    ----------
    scores : topics × systems, on the exact grid
    how : resamples, seed; the statistic must be the mean

    Examples
    --------
    >>> flips = board_flips(GridScores.of([[0.0, 3.0], [0.0, 4.0]]), Resampling(n_resamples=4))
    >>> bool((flips.apart == np.abs(flips.apart)).all()), flips.ahead.shape
    (True, (2, 4))
    """
    scale = pair_scale(scores)
    systems = np.ascontiguousarray(scores.values.T)
    ahead, apart = np.empty((2, len(systems), how.n_resamples))
    for block, (its_ahead, its_apart) in how.over_blocks(_of_block, systems, scale):
        ahead[:, block.start : block.stop] = its_ahead
        apart[:, block.start : block.stop] = its_apart
    return BoardFlips(scale, ahead, apart)


def _of_block(systems: Array, scale: Array, how: Resampling, block: Block) -> tuple[Array, Array]:
    """`ahead` and `apart` of the flips of a block."""
    rng = block.generator(how.seed, SIGNS)
    ahead, apart = np.empty((2, len(systems), len(block)))
    for start, stop in pieces(block, _ROWS):
        values = signed_sums(systems, rng, stop - start)
        work = np.empty_like(values)
        own = slice(start - block.start, stop - block.start)
        for i, row in enumerate(scale):
            np.subtract(values, values[i], out=work)
            work *= row[:, None]
            work.max(axis=0, out=ahead[i, own])
            np.maximum(ahead[i, own], -work.min(axis=0), out=apart[i, own])
    return ahead, apart


@dataclass(frozen=True)
class BestSet:
    """The systems that may be the best.

    Attributes
    ----------
    p : one per system
        The p-value of "no other system has a higher true mean"; at most alpha for systems outside the set.
    member : one per system, whether it is in the set
    alpha : the set holds the best system with probability 1 − alpha or more
    """

    p: Array
    member: NDArray[np.bool_]
    alpha: float

    def __len__(self) -> int:
        return int(self.member.sum())


def best_set(scores: GridScores, how: Resampling, alpha: float, flips: BoardFlips | None = None) -> BestSet:
    """The systems that may be the best: with probability 1 − alpha the truly best one is among them.

    Multiple comparisons with the best (Hsu, Annals of Statistics 9, 1981; 1996, ch. 4), with topics as blocks and by
    sign flips. System i leaves the set when some other beats it by more than chance: with
    u_ji = Σ(x_j − x_i)/√Σ(x_j − x_i)² over topics, the largest u_ji over all j is compared with the largest under
    flips of the differences, p = (b + 1)/(B + 1) ≤ alpha. Every system has its own critical value, because
    differences to it have their own spread and correlation.

    Why that suffices without a correction over systems: the set misses the best system only if the test of that
    one system errs. Where its differences to systems that are as good are jointly symmetric about 0, flips give
    the distribution of their largest u exactly, and worse systems only make it larger. The leader in the data is
    always a member.

    A system may be far ahead on few topics and a little behind on the others. A sample with too few of those topics
    makes it look worse than it is, and flips, which take differences as symmetric, do not allow for that. So u_ji is
    first made smaller by the skewness of the differences (`allowing_for_skewness`): the set only grows.

    Parameters
    ----------
    scores : topics × systems, on the exact grid
    how : resamples, seed; the statistic must be the mean
    alpha : one minus the level of the set
    flips : the flips, where they are drawn already

    Notes
    -----
    A clear loser is out without flips. By Hoeffding's inequality no pair's u passes x with a probability above
    exp(−x²/2); where m − 1 times that is below alpha/10, this bound stands for the p-value.

    Examples
    --------
    >>> rng = np.random.default_rng(1)
    >>> scores = GridScores.of(rng.normal(size=(50, 5)) + [0.0, 0.1, 0.2, 1.5, 1.5])
    >>> result = best_set(scores, Resampling(n_resamples=2000), alpha=0.05)
    >>> result.member.tolist(), len(result)
    ([False, False, False, True, True], 2)
    """
    if not 0 < alpha < 1:
        raise ArgumentError(f"`alpha` must be between 0 and 1; got {alpha:g}. Write 0.05.")
    flips = flips or board_flips(scores, how)
    m, total = flips.ahead.shape
    sums = scores.sums
    # Row i: how far every other system is ahead of system i.
    lead = (sums[None, :] - sums[:, None] - scores.tolerance) * flips.scale
    ahead = np.array([allowing_for_skewness(row, scores.values, i).max() for i, row in enumerate(lead)])
    bound = (m - 1) * np.exp(-(np.maximum(ahead, 0.0) ** 2) / 2)
    counts = (flips.ahead >= ahead[:, None]).sum(axis=1)
    p = np.where(bound > alpha / 10, (counts + 1) / (total + 1), np.maximum(bound, TINY))
    leaders = sums >= sums.max() - scores.tolerance
    p[leaders] = 1.0
    return BestSet(np.minimum(p, 1.0), (p > alpha) | leaders, alpha)


MORE_SKEWED = 2.0
"""How much more skewed differences are taken to be than they look: few topics show too few of the rare ones."""

FARTHEST = 4.0
"""The t up to which the correction grows. It is an expansion about the centre, and at a t of 1/a turns flat: a system
that is far behind on all topics alike would never be out."""


def allowing_for_skewness(lead: Array, values: Array, behind: int) -> Array:
    """How far every system is ahead of one, u = Σd/√Σd², less what the skewness of the differences may have added.

    With t from u, n topics, g the sample skewness of the differences x_j − x_i where it is negative (system i ahead
    by far on few topics) and a = `MORE_SKEWED`·|g|/(3√n), Hall's transformation (JRSS B 54, 1992) of t,

        t − a·s² + a²·s³/3 − a/2,  s = min(t, `FARTHEST`),

    which grows with t; never more than t. The sample skewness of few values is too small on average, wherefore it is
    doubled: simulated coverage in docs/compare.md. Nothing helps where the few topics are missing from the sample.

    Parameters
    ----------
    lead : one per system, u of its differences to system `behind`
    values : topics × systems
    behind : which system they are compared with

    Examples
    --------
    The second system loses to the first on most topics and wins by far on a few; the third does not.

    >>> ahead = np.where(np.arange(40) % 10 == 0, 0.4, -0.1)
    >>> values = np.column_stack([np.full(40, 0.5), 0.5 + ahead, 0.5 - ahead])
    >>> [allowing_for_skewness(np.array([2.0, 0.0, 0.0]), values, behind).round(2).tolist() for behind in (1, 2)]
    [[0.96, 0.0, 0.0], [2.0, 0.0, 0.0]]
    """
    less = lead.copy()
    at = np.flatnonzero(lead > 0)
    n = len(values)
    each = values[:, at] - values[:, [behind]]
    each -= each.mean(axis=0)
    largest = np.abs(each).max(axis=0)
    each /= np.where(largest > 0, largest, 1.0)  # skewness has no unit, and cubes of huge scores no double
    square = each * each
    spread = np.sqrt(square.mean(axis=0))
    square *= each
    with np.errstate(divide="ignore", invalid="ignore", over="ignore"):
        skewness = np.where(spread > 0, square.mean(axis=0) / spread**3, 0.0)
        a = MORE_SKEWED * np.maximum(-skewness, 0.0) / (3 * np.sqrt(n))
        u = lead[at]
        t = u * np.sqrt((n - 1) / (n - np.minimum(u * u, n)))
        near = np.minimum(t, FARTHEST)
        halls = t - a * near**2 + a**2 * near**3 / 3 - a / 2
        smaller = (a > 0) & (halls < t) & np.isfinite(halls)
        less[at] = np.where(smaller, halls * np.sqrt(n / (n - 1 + halls**2)), u)
    return less


@dataclass(frozen=True)
class RankIntervals:
    """The best and the worst rank that each system may have.

    Attributes
    ----------
    lower : one per system, 1 + the number of systems significantly better
    upper : one per system, the number of systems − the number significantly worse
    """

    lower: NDArray[np.int64]
    upper: NDArray[np.int64]


def marginal_ranks(scores: GridScores, how: Resampling, alpha: float, flips: BoardFlips | None = None) -> RankIntervals:
    """Intervals for the true rank of each system, each right by itself with probability 1 − alpha.

    For system i only its m − 1 differences to the others matter. Those are significant whose |u_ij| passes the
    1 − alpha quantile, over flips that all of them share, of the largest |u_ij| (u as in `best_set`): the marginal
    confidence sets of Mogstad, Romano, Shaikh & Wilhelm (Review of Economic Studies 91, 2024), with flips for their
    bootstrap: right for the question "which rank may this system have", not for the whole table at once.

    Parameters
    ----------
    scores : topics × systems, on the exact grid
    how : resamples, seed; the statistic must be the mean
    alpha : one minus the level of an interval
    flips : the flips, where they are drawn already

    Examples
    --------
    >>> rng = np.random.default_rng(1)
    >>> scores = GridScores.of(rng.normal(size=(50, 5)) + [2.0, 1.0, 0.1, 0.1, 0.0])
    >>> ranks = marginal_ranks(scores, Resampling(n_resamples=2000), alpha=0.05)
    >>> list(zip(ranks.lower.tolist(), ranks.upper.tolist()))
    [(1, 1), (2, 2), (3, 5), (3, 5), (3, 5)]
    """
    flips = flips or board_flips(scores, how)
    m = scores.n_systems
    critical = np.array([critical_value(np.sort(row), alpha) for row in flips.apart])
    # Row i: how far system i is ahead of every other.
    ahead = scores.sums[:, None] - scores.sums[None, :]
    passed = (np.abs(ahead) - scores.tolerance) * flips.scale > critical[:, None]
    return RankIntervals(1 + (passed & (ahead < 0)).sum(axis=1), m - (passed & (ahead > 0)).sum(axis=1))
