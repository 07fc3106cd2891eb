"""Many comparisons at once: p-values adjusted for the size of their family."""

from __future__ import annotations

import math
from typing import get_args

import numpy as np
from numpy.typing import ArrayLike, NDArray

from cranfield.defaults import CORRECTION, Correction
from cranfield.errors import ArgumentError, UnknownNameError


def adjust(p: ArrayLike, method: Correction = CORRECTION) -> NDArray[np.float64]:
    """Adjusted p-values of a family: reject where they are at most alpha.

    Parameters
    ----------
    p : array of any shape
        The p-values of every comparison in the family, whether interesting or not.
    method : {"holm", "bonferroni", "bh", "by", "none"}
        ``bonferroni`` and ``holm`` bound the probability of any false rejection, whatever the dependence
        (Holm 1979; never less powerful than Bonferroni, hence the default). ``bh`` bounds the expected share of
        false rejections under independence or positive dependence (Benjamini & Hochberg 1995), which is not
        proven for all pairs of systems; ``by`` does so under any dependence (Benjamini & Yekutieli 2001).

    Returns
    -------
    array
        The adjusted p-values, in the shape of `p`, never above 1 and never below the p-value itself.

    Examples
    --------
    The fifteen p-values of Benjamini & Hochberg (1995, section 4): Bonferroni and Holm reject three hypotheses
    at .05, their procedure four.

    >>> p = [.0001, .0004, .0019, .0095, .0201, .0278, .0298, .0344, .0459, .3240, .4262, .5719, .6528, .7590, 1]
    >>> {m: int((adjust(p, m) <= .05).sum()) for m in ("none", "bonferroni", "holm", "bh", "by")}
    {'none': 9, 'bonferroni': 3, 'holm': 3, 'bh': 4, 'by': 3}
    """
    values = np.asarray(p, dtype=np.float64)
    if values.size and not ((values >= 0) & (values <= 1)).all():
        wrong = values[~((values >= 0) & (values <= 1))].flat[0]
        raise ArgumentError(f"`p` must hold probabilities between 0 and 1; got {wrong}")
    if method not in get_args(Correction):
        raise UnknownNameError("correction", str(method), get_args(Correction))
    flat = values.ravel()
    count = flat.size
    order = np.argsort(flat, kind="stable")
    rank = np.arange(1, count + 1)
    if method == "bonferroni":
        adjusted = flat * count
    elif method == "holm":
        adjusted = _restore(np.maximum.accumulate(flat[order] * (count - rank + 1)), order)
    elif method in ("bh", "by"):
        penalty = harmonic(count) if method == "by" else 1.0
        stepped = flat[order] * (count * penalty / rank)
        adjusted = _restore(np.minimum.accumulate(stepped[::-1])[::-1], order)
    else:
        adjusted = flat.copy()
    return np.minimum(adjusted, 1.0).reshape(values.shape)


def _restore(values: NDArray[np.float64], order: NDArray[np.intp]) -> NDArray[np.float64]:
    back = np.empty_like(values)
    back[order] = values
    return back


def harmonic(count: int) -> float:
    """1 + 1/2 + … + 1/count, the price of `by` for any dependence.

    >>> harmonic(4) * 12
    25.0
    """
    return math.fsum(1 / rank for rank in range(1, count + 1))


def resamples_needed(family: float, alpha: float) -> int:
    """The fewest resamples with which one pair of a family can be significant under bonferroni or holm.

    The smallest Monte-Carlo p-value is 1/(B+1); times the family it must not pass alpha.

    >>> resamples_needed(8256, 0.05)
    165119
    >>> resamples_needed(10, 5e-324) > 10**17  # nobody draws so many, but a level may be that small
    True
    """
    return math.ceil(round(min(family / alpha, 1e18), 9)) - 1
