"""Sphericity: ε for any number of systems, and the spread of the variances of differences.

Both are unbiased for few topics and need no random numbers.

Let v_jl be the variance of the difference of systems j and l, and V the matrix of them. The doubly centred covariance
of k systems is −½CVC, so that (tr S)² and tr S² need nothing but three sums: of v², of squared row sums, and the
square of the whole sum. Their means over all sets of k of the m systems follow from mean products of two v. The two
share both, one or none of their systems. The same three means are unbiased when the m systems are themselves a
sample, and so serve for more systems than there are.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np
from numpy.typing import NDArray

from cranfield.core.errors import ArgumentError, DataError
from cranfield.core.resampling import cross_products
from cranfield.questions.variance.squares import group_sums
from cranfield.scores.matrix import ScoreMatrix

Array = NDArray[np.float64]

FEWEST_TO_EXTRAPOLATE: Final = 8
"""Fewest past systems for extrapolating ε to more systems. From 5, ε for 50 systems may be 1 instead of .25 (TREC
matrices); from 8, the middle 90% of the estimates are about half to twice the truth."""


def greenhouse_geisser(covariance: Array) -> float:
    """ε = tr(Σ̃)² / ((m−1)·tr(Σ̃²)) with Σ̃ the doubly centred m × m covariance of the systems.

    1 when all pairwise differences have the same variance, 1/(m−1) at worst (Greenhouse and Geisser 1959).
    NaN when there is no variance at all.

    >>> greenhouse_geisser(np.eye(4)), greenhouse_geisser(1e300 * np.eye(4)), greenhouse_geisser(1e-300 * np.eye(4))
    (1.0, 1.0, 1.0)
    """
    m = len(covariance)
    centred = covariance - covariance.mean(axis=0) - covariance.mean(axis=1, keepdims=True) + covariance.mean()
    _, exponent = math.frexp(float(np.abs(centred).max()))
    centred = np.ldexp(centred, -exponent)  # a power of two, so that no square is too large or too small
    squared = float(np.square(centred).sum())
    return float(np.trace(centred)) ** 2 / ((m - 1) * squared) if squared > 0 else float("nan")


def traces(scores: Array) -> tuple[Array, Array]:
    """(tr S)² and tr S² of all systems, S their doubly centred covariance, in a unit of their own.

    tr S² is the sum of the squared products of all columns of the centred scores, or of all rows: whichever are fewer.

    >>> squared_trace, trace_of_square = traces(np.array([[1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]]))
    >>> round(float(squared_trace / trace_of_square), 6)
    2.0
    """
    n, m = scores.shape
    centred = scores - scores.mean(axis=0)
    centred -= centred.mean(axis=1, keepdims=True)
    centred /= float(np.abs(centred).max()) or 1.0
    products = cross_products(centred if m < n else centred.T) / (n - 1)
    return np.asarray(np.trace(products) ** 2), np.asarray(np.square(products).sum())


@dataclass(frozen=True)
class Moments:
    """Sums over an m × m matrix V of variances of differences: Σv², Σ(row sum)², (Σv)²; numbers or arrays."""

    m: int
    pairs: Array
    rows: Array
    total: Array


def difference_variances(covariance: Array) -> Array:
    """V with v_jl = σ_j² + σ_l² − 2σ_jl, never below 0."""
    own = np.diag(covariance)
    variances = np.maximum(own[:, None] + own - 2 * covariance, 0.0)
    np.fill_diagonal(variances, 0.0)
    return np.asarray(variances)


def moments(variances: Array) -> Moments:
    """The sums of one matrix of variances of differences."""
    rows = variances.sum(axis=1)
    sums = np.square(variances).sum(), np.square(rows).sum(), rows.sum() ** 2
    return Moments(len(variances), *map(np.asarray, sums))


def moments_without_each_topic(scores: Array) -> Moments:
    """The sums of the n matrices V that lack one topic each, from the whole V: no loop over topics or pairs.

    Without topic i, V becomes ((n−1)V − n/(n−1)·D_i)/(n−2) with D_i the squared differences of the centred scores.
    """
    n, m = scores.shape
    centred = scores - scores.mean(axis=0)
    centred -= centred.mean(axis=1, keepdims=True)  # differences do not see it, and the sums below get simpler
    variances = difference_variances(cross_products(centred) / (n - 1))
    keep, drop = (n - 1) / (n - 2), n / ((n - 1) * (n - 2))
    squares = np.square(centred)
    sums = squares.sum(axis=1, keepdims=True)
    whole_rows = variances.sum(axis=1)
    # Σ v·d and Σ d² over all ordered pairs, d_jl = (c_j − c_l)², with Σ_j c_j = 0.
    crossed = 2 * (squares @ whole_rows) - 2 * np.einsum("ij,ij->i", centred @ variances, centred)
    fourth = 2 * m * np.square(squares).sum(axis=1) + 6 * sums[:, 0] ** 2
    rows = keep * whole_rows - drop * (m * squares + sums)
    pairs = keep**2 * np.square(variances).sum() - 2 * keep * drop * crossed + drop**2 * fourth
    return Moments(m, pairs, np.square(rows).sum(axis=1), np.square(rows.sum(axis=1)))


def moments_without_each_group(variances: Array, group: NDArray[np.intp]) -> list[Moments]:
    """The sums of the matrices V that lack each group of systems; `group` has the number of each system's group."""
    members = np.bincount(group)
    inside = group[:, None] == np.arange(len(members))
    squared = np.square(variances)
    rows = np.where(inside, 0.0, variances.sum(axis=1)[:, None] - group_sums(variances, group))
    # Both triangles of the group's rows and columns go; its own block was then taken off twice.
    pairs = squared.sum() - 2 * group_sums(squared.sum(axis=1), group)
    pairs = pairs + np.where(inside, group_sums(squared, group), 0.0).sum(axis=0)
    sums = zip(pairs, np.square(rows).sum(axis=0), np.square(rows.sum(axis=0)), strict=True)
    return [Moments(len(group) - int(m), *one) for m, one in zip(members, sums, strict=True)]


def mean_traces(sums: Moments, k: int) -> tuple[Array, Array]:
    """Means of (tr S)² and tr S² over sets of k systems, S doubly centred; by extrapolation for k > m."""
    m = sums.m
    one_shared = sums.rows - sums.pairs
    none_shared = sums.total - 2 * sums.pairs - 4 * one_shared

    def scaled(products: Array, places: int) -> Array:
        """The sum over ordered sets of different systems, from m systems to k."""
        return products * (math.perm(k, places) / max(math.perm(m, places), 1))

    pairs = scaled(sums.pairs, 2)
    one, none = scaled(one_shared, 3), scaled(none_shared, 4)
    total = 2 * pairs + 4 * one + none
    return total / (4 * k**2), (pairs - 2 / k * (pairs + one) + total / k**2) / 4


def without_bias(squared_trace: Array, trace_of_square: Array, n_topics: int) -> tuple[Array, Array]:
    """Unbiased a for (tr Σ)² and b for tr Σ², from E(tr S)² = a + 2b/ν and E tr S² = a/ν + (1 + 1/ν)b, ν = n − 1."""
    nu = n_topics - 1
    b = (trace_of_square - squared_trace / nu) * nu**2 / ((nu - 1) * (nu + 2))
    return squared_trace - 2 * b / nu, b


def ratio(a: Array, b: Array, k: int) -> Array:
    """ε = a/((k−1)b), held between its bounds 1/(k−1) and 1; b ≤ 0 is sampling error and counts as equal variances."""
    with np.errstate(divide="ignore", invalid="ignore"):
        return np.clip(np.where(b > 0, a / ((k - 1) * b), 1.0), 1 / (k - 1), 1.0)


def check_systems(m: int, k: int) -> None:
    """An error when ε for k systems cannot be had from m."""
    if k < 2:
        raise ArgumentError(f"`n_systems` must be a whole number of at least 2; got {k}.")
    if k > m and m < FEWEST_TO_EXTRAPOLATE and k > 2:
        raise DataError(
            f"ε for {k} systems needs at least {FEWEST_TO_EXTRAPOLATE} past systems; there are {m}. Give more "
            f"systems, ask for at most {m} systems, or use a design for all pairs, which needs no ε"
        )


def unbiased_epsilon(covariance: Array, n_topics: int, n_systems: int | None = None) -> float:
    """ε from the ratio of unbiased estimates of (tr Σ)² and tr Σ², for all systems or for `n_systems` of them.

    With S the doubly centred covariance of n topics and ν = n − 1, a and b solve E(tr S)² = a + 2b/ν and
    E tr S² = a/ν + (1 + 1/ν)b; ε = a/((k−1)b), clipped to [1/(k−1), 1]: Huynh and Feldt's ε with Lecoutre's
    correction. The Greenhouse–Geisser ε of a sample is too low when topics are few. For k systems a and b are averaged
    over all sets of k, in closed form; for more systems than there are, these averages are extrapolated as if the
    systems were a sample of many.

    Parameters
    ----------
    covariance : array
        The m × m covariance of the systems' scores over topics.
    n_topics : int
        How many topics it comes from: at least 3.
    n_systems : int, optional
        k; all systems unless given. More than m is refused below 8 past systems.

    References
    ----------
    Huynh and Feldt, Journal of Educational Statistics 1 (1976); Lecoutre, Journal of Educational Statistics 16 (1991).

    Examples
    --------
    Equal variances, 30 topics and 40 systems; the plain ε sees two fifths of it.

    >>> covariance = np.cov(np.random.default_rng(1).normal(size=(30, 40)), rowvar=False)
    >>> round(unbiased_epsilon(covariance, 30), 2), round(greenhouse_geisser(covariance), 2)
    (1.0, 0.42)
    """
    return pooled_epsilon([(covariance, n_topics)], n_systems or len(covariance))


def mean_greenhouse_geisser(covariance: Array, n_systems: int | None = None) -> float:
    """The Greenhouse–Geisser ε for `n_systems` of the systems: ratio of the means of (tr S)² and tr S², not corrected.

    >>> mean_greenhouse_geisser(np.eye(6), 3)
    1.0
    """
    k = n_systems or len(covariance)
    check_systems(len(covariance), k)
    variances = _scaled([covariance])[0]
    squared_trace, trace_of_square = mean_traces(moments(variances), k)
    return float(ratio(squared_trace, trace_of_square, k))


def pooled_epsilon(samples: Sequence[tuple[Array, int]], n_systems: int) -> float:
    """The unbiased ε of several past collections, as (covariance, topics): a and b averaged with the weights n − 1.

    >>> pooled_epsilon([(np.eye(5), 20), (2 * np.eye(5), 30)], 5)
    1.0
    """
    a, b = 0.0, 0.0
    variances = _scaled([covariance for covariance, _ in samples])
    for one, (_, n_topics) in zip(variances, samples, strict=True):
        check_systems(len(one), n_systems)
        check_topics(n_topics)
        here = without_bias(*mean_traces(moments(one), n_systems), n_topics)
        a, b = a + (n_topics - 1) * float(here[0]), b + (n_topics - 1) * float(here[1])
    return float(ratio(np.asarray(a), np.asarray(b), n_systems))


def check_topics(n_topics: int) -> None:
    """An error when there are too few topics to take the bias out."""
    if n_topics < 3:
        raise DataError(f"an unbiased ε needs at least 3 topics; there are {n_topics}. Give scores of more topics")


def _scaled(covariances: Sequence[Array]) -> list[Array]:
    """Variances of differences as shares of the largest one, whose squares any double can hold."""
    variances = [difference_variances(covariance) for covariance in covariances]
    largest = max(float(one.max()) for one in variances)
    if largest <= 0:
        raise DataError("differences between systems are the same on all topics, so there is no ε")
    return [one / largest for one in variances]


def pair_spread(matrices: ScoreMatrix | Iterable[ScoreMatrix]) -> float:
    """Standard deviation over pairs of the variance of a difference, divided by its mean.

    Let v_jl be the sample variance of the difference of systems j and l over n topics. The variance of the v over pairs
    is part truth, part noise of the topics. The noise of each v is about (m₄ − v²)/(n − 1), with m₄ its fourth central
    moment. The part that all pairs share (the noise of the mean v) does not spread them. Both come from sums over
    topics; there is no loop over pairs. Several collections are pooled with the weights n − 1.

    Examples
    --------
    Six steady systems and six erratic ones; and twelve that are alike, where all the spread seen is noise.

    >>> noise = np.random.default_rng(1).normal(size=(400, 12))
    >>> labels = [str(i) for i in range(400)], "abcdefghijkl", "AP"
    >>> round(pair_spread(ScoreMatrix(noise * ([0.1] * 6 + [0.3] * 6), *labels)), 1)
    0.5
    >>> round(pair_spread(ScoreMatrix(noise * 0.1, *labels)), 1)
    0.0
    """
    listed = [matrices] if isinstance(matrices, ScoreMatrix) else list(matrices)
    if not listed:
        raise ArgumentError("`matrices` is empty. Give at least one score matrix.")
    spread = weight = 0.0
    for matrix in listed:
        x = matrix.require(what="the spread of pairs").canonical().values
        spread += (len(x) - 1) * _squared_spread(x, matrix.measure)
        weight += len(x) - 1
    return math.sqrt(spread / weight)


def _squared_spread(x: Array, measure: str) -> float:
    n, m = x.shape
    centred = x - x.mean(axis=0)
    centred -= centred.mean(axis=1, keepdims=True)
    size = float(np.abs(centred).max())
    if size <= 1e-12 * float(np.abs(x).max()):
        raise DataError(f"{measure}: differences between systems are the same on all topics, so there is no spread")
    centred /= size
    variances = difference_variances(cross_products(centred) / (n - 1))
    ordered = m * (m - 1)
    mean, mean_square = float(variances.sum()) / ordered, float(np.square(variances).sum()) / ordered
    squares = np.square(centred).sum(axis=1)
    of_topic = 2 * m * squares / ordered  # mean over pairs of a topic's squared difference
    fourth = float((2 * m * np.power(centred, 4).sum(axis=1) + 6 * squares**2).mean()) / ordered
    noise = (fourth - mean_square) / (n - 1)
    shared = float(of_topic.var()) / (n - 1)
    return float(max(mean_square - mean**2 - noise + shared, 0.0) / mean**2)
