"""How unequal the variances of pairwise differences are, once the noise of few topics is taken out."""

from __future__ import annotations

import math
from collections.abc import Iterable

import numpy as np
from numpy.typing import NDArray

from cranfield.errors import ArgumentError, DataError
from cranfield.resampling import cross_products
from cranfield.scores import ScoreMatrix
from cranfield.variance.unbiased_epsilon import difference_variances

Array = NDArray[np.float64]


def pair_spread(matrices: ScoreMatrix | Iterable[ScoreMatrix]) -> float:
    """Standard deviation over pairs of the variance of a difference, divided by its mean.

    With v_jl the sample variance of the difference of systems j and l over n topics, the variance of the v over pairs
    is part truth, part noise of the topics. The noise of each v is about (m₄ − v²)/(n − 1), m₄ its fourth central
    moment, of which the part that all pairs share (the noise of the mean v) does not spread them. Both come from sums
    over topics; there is no loop over pairs. Several collections are pooled with the weights n − 1.

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
        raise ArgumentError("`matrices` is empty; give at least one score matrix.")
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
        raise DataError(f"{measure}: no difference between systems changes from topic to topic; there is no spread")
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
