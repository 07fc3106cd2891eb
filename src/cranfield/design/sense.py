"""Does a smallest difference make sense beside the scores it is asked of? What is odd, in sentences."""

from __future__ import annotations

import math
from collections.abc import Iterable
from typing import Final

import numpy as np

from cranfield.design.grid import positive
from cranfield.errors import ArgumentError
from cranfield.scores import ScoreMatrix
from cranfield.sentences import design as say
from cranfield.variance.squares import squares

MANY_TOPICS: Final = 5_000
"""An answer above it is called large: few test collections have so many topics."""
SMALL_EFFECT: Final = 0.05
"""A difference below this share of the standard deviation of a difference is lost in it."""


def sense(
    scores: ScoreMatrix | Iterable[ScoreMatrix], min_diff: float, *, topics: int | None = None
) -> tuple[str, ...]:
    """What is odd about `min_diff`, compared with the observed scores; nothing if nothing is.

    A difference that no two systems can have, above 1 for scores in [0, 1] or above 100 for scores in [0, 100], is
    refused.

    Parameters
    ----------
    scores : ScoreMatrix, or several
        Past scores by one measure.
    min_diff : float
        The smallest difference of two system means worth detecting.
    topics : int, optional
        What a design answered.

    Examples
    --------
    >>> values = np.random.default_rng(1).uniform(0.2, 0.6, size=(30, 5))
    >>> x = ScoreMatrix(values, map(str, range(30)), "abcde", "AP")
    >>> sense(x, 0.03)
    ()
    >>> sense(x, 5)
    Traceback (most recent call last):
    cranfield.errors.ArgumentError: no two systems can differ by `min_diff` = 5 in mean AP, whose scores run from 0.2023 to 0.5985; did you mean 0.05?
    """  # noqa: E501
    matrices = [scores] if isinstance(scores, ScoreMatrix) else list(scores)
    difference = positive("min_diff", min_diff)
    measure = matrices[0].measure
    low = min(float(x.values.min()) for x in matrices)
    high = max(float(x.values.max()) for x in matrices)
    whole = 1 if low >= 0 and high <= 1 else 100 if low >= 0 and high <= 100 else math.inf
    if difference > whole:
        meant = f"; did you mean {difference / 100:g}?" if difference <= 100 and whole == 1 else "."
        raise ArgumentError(f"{say.IMPOSSIBLE(min_diff=difference, measure=measure, low=low, high=high)}{meant}")
    apart = max(float(np.ptp(x.values.mean(axis=0))) for x in matrices)
    spread = math.sqrt(2 * float(np.mean([squares(x.values).mean_residual for x in matrices])))
    said = []
    percent = low >= 0 and 1 < high <= 100 and difference < 1 and high - low > 20 * difference
    if percent:
        said.append(
            say.PER_CENT(measure=measure, low=low, high=high, min_diff=difference, hundredfold=difference * 100)
        )
    if difference > high - low:
        said.append(say.MORE_THAN_RANGE(min_diff=difference, measure=measure, low=low, high=high))
    elif difference > apart:
        said.append(say.MORE_THAN_APART(min_diff=difference, apart=apart, measure=measure))
    elif not percent and difference < SMALL_EFFECT * spread:
        said.append(say.TOO_SMALL(min_diff=difference, share=difference / spread, spread=spread, measure=measure))
    if topics is not None and topics > MANY_TOPICS:
        said.append(say.MANY_TOPICS(topics=topics, detectable=difference * math.sqrt(topics / 200)))
    return tuple(said)
