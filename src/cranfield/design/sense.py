"""Does a smallest difference make sense beside the scores it is asked of? What is odd, in sentences."""

from __future__ import annotations

import math
from collections.abc import Iterable
from typing import Final

import numpy as np

from cranfield.design.grid import positive
from cranfield.scores import ScoreMatrix
from cranfield.variance.squares import squares

MANY_TOPICS: Final = 5_000
"""More topics than any test collection has had."""
SMALL_EFFECT: Final = 0.05
"""A difference below this share of the standard deviation of a difference is lost in it."""


def sense(
    scores: ScoreMatrix | Iterable[ScoreMatrix], min_diff: float, *, topics: int | None = None
) -> tuple[str, ...]:
    """What is odd about `min_diff`, compared with the observed scores; nothing if nothing is.

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
    >>> print(sense(x, 5)[0])
    `min_diff` = 5 is more than any two AP scores differ by (they run from 0.2023 to 0.5985), so two means on this scale can hardly differ by it; did you mean 0.05?
    """  # noqa: E501
    matrices = [scores] if isinstance(scores, ScoreMatrix) else list(scores)
    difference = positive("min_diff", min_diff)
    measure = matrices[0].measure
    low = min(float(x.values.min()) for x in matrices)
    high = max(float(x.values.max()) for x in matrices)
    apart = max(float(np.ptp(x.values.mean(axis=0))) for x in matrices)
    spread = math.sqrt(2 * float(np.mean([squares(x.values).mean_residual for x in matrices])))
    said = []
    percent = low >= 0 and 1 < high <= 100 and difference < 1 and high - low > 20 * difference
    if percent:
        said.append(
            f"{measure} scores run from {low:.4g} to {high:.4g}, perhaps per cent; `min_diff` = {difference:g} is then "
            f"{difference:g} of a point. Write {difference * 100:g} if {difference:g} of the whole scale is meant."
        )
    if difference > high - low:
        meant = f"; did you mean {difference / 100:g}?" if difference >= 1 >= high else "."
        said.append(
            f"`min_diff` = {difference:g} is more than any two {measure} scores differ by (they run from {low:.4g} to "
            f"{high:.4g}), so two means on this scale can hardly differ by it{meant}"
        )
    elif difference > apart:
        said.append(
            f"`min_diff` = {difference:g} is more than the best and the worst past system are apart ({apart:.4g} by "
            f"{measure}); a collection of this size tells only systems apart that differ more than any did before."
        )
    elif not percent and difference < SMALL_EFFECT * spread:
        said.append(
            f"`min_diff` = {difference:g} is {difference / spread:.2g} standard deviations of the difference of two "
            f"systems ({spread:.4g} by {measure}): an effect too small for any test collection in use."
        )
    if topics is not None and topics > MANY_TOPICS:
        said.append(
            f"{topics:,} topics are more than any test collection has; 200 could detect a difference of about "
            f"{difference * math.sqrt(topics / 200):.2g}."
        )
    return tuple(said)
