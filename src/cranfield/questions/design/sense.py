"""Checks of `min_diff` against past scores: warnings about implausible values."""

from __future__ import annotations

import math
from collections.abc import Iterable
from typing import Final

import numpy as np

from cranfield.core.answer import sentence
from cranfield.core.errors import ArgumentError
from cranfield.questions.design.grid import positive
from cranfield.questions.variance.squares import squares
from cranfield.scores.matrix import ScoreMatrix

LARGE: Final = 5_000
"""Few test collections have more topics."""
SMALL_EFFECT: Final = 0.05
"""A smaller share of the standard deviation of a difference earns a warning."""
IMPOSSIBLE = sentence(
    "design.impossible",
    "`min_diff` = {min_diff:g} is impossible for mean {measure}: scores range from {low:.4g} to {high:.4g}",
    "min_diff is above 1 and all past scores lie in [0, 1], or above 100 and they lie in [0, 100]; an error",
)
PER_CENT = sentence(
    "design.per-cent",
    "{measure} scores range from {low:.4g} to {high:.4g} and may be per cent. Write `min_diff` = {hundredfold:g} if "
    "{min_diff:g} means a share of the scale.",
    "scores lie between 0 and 100 and not between 0 and 1, and the difference is below 1 and a twentieth of "
    "their range",
)
MORE_THAN_RANGE = sentence(
    "design.more-than-range",
    "`min_diff` = {min_diff:g} exceeds the range of the {measure} scores ({low:.4g} to {high:.4g}). Two means can "
    "hardly differ so much.",
    "min_diff is more than the largest past score less the smallest, and not refused",
)
MORE_THAN_APART = sentence(
    "design.more-than-apart",
    "`min_diff` = {min_diff:g} exceeds the gap between the best and the worst past system ({apart:.4g} {measure}). "
    "Such a collection may detect only larger differences than any past one.",
    "min_diff is more than the largest past mean less the smallest, and no more than the scores' range",
)
TOO_SMALL = sentence(
    "design.too-small",
    "`min_diff` = {min_diff:g} is only {share:.2g} standard deviations of a difference ({spread:.4g} {measure}). "
    "A paired t-test needs more than 3,000 topics for power 0.8 at level 0.05.",
    "min_diff is below a twentieth of the standard deviation of a difference",
)
MANY_TOPICS = sentence(
    "design.many-topics",
    "{topics:,} topics are more than most collections have. 200 topics detect a difference of about {detectable:.2g}.",
    "the answer is above 5,000 topics",
)


def sense(
    scores: ScoreMatrix | Iterable[ScoreMatrix], min_diff: float, *, topics: int | None = None
) -> tuple[str, ...]:
    """Warnings about `min_diff` compared with the observed scores.

    A difference above 1 for scores in [0, 1], or above 100 for scores in [0, 100], is an error.

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
    cranfield.ArgumentError: `min_diff` = 5 is impossible for mean AP: scores range from 0.2023 to 0.5985. Did you mean 0.05?
    """  # noqa: E501
    matrices = [scores] if isinstance(scores, ScoreMatrix) else list(scores)
    difference = positive("min_diff", min_diff)
    measure = matrices[0].measure
    low = min(float(x.values.min()) for x in matrices)
    high = max(float(x.values.max()) for x in matrices)
    whole = 1 if low >= 0 and high <= 1 else 100 if low >= 0 and high <= 100 else math.inf
    if difference > whole:
        meant = f". Did you mean {difference / 100:g}?" if difference <= 100 and whole == 1 else "."
        raise ArgumentError(f"{IMPOSSIBLE(min_diff=difference, measure=measure, low=low, high=high)}{meant}")
    apart = max(float(np.ptp(x.values.mean(axis=0))) for x in matrices)
    spread = math.sqrt(2 * float(np.mean([squares(x.values).mean_residual for x in matrices])))
    said = []
    percent = low >= 0 and 1 < high <= 100 and difference < 1 and high - low > 20 * difference
    if percent:
        said.append(PER_CENT(measure=measure, low=low, high=high, min_diff=difference, hundredfold=difference * 100))
    if difference > high - low:
        said.append(MORE_THAN_RANGE(min_diff=difference, measure=measure, low=low, high=high))
    elif difference > apart:
        said.append(MORE_THAN_APART(min_diff=difference, apart=apart, measure=measure))
    elif not percent and difference < SMALL_EFFECT * spread:
        said.append(TOO_SMALL(min_diff=difference, share=difference / spread, spread=spread, measure=measure))
    if topics is not None and topics > LARGE:
        said.append(MANY_TOPICS(topics=topics, detectable=difference * math.sqrt(topics / 200)))
    return tuple(said)
