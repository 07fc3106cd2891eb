"""The interval of the final setting's true mean, with the uncertainty of its choice."""

from __future__ import annotations

import math
from typing import Final

import numpy as np
from numpy.typing import NDArray
from scipy.special import stdtrit

from cranfield.core.defaults import ALPHA, SEED
from cranfield.core.resampling import topic_weights

Array = NDArray[np.float64]
RESAMPLES: Final = 500
"""Resamples of topics behind the spread of the choice; its relative error is then about 3%."""
_AT_ONCE: Final = 2**22
"""Resampled means per step."""


def final_interval(
    held_out: Array, raw: Array, units: Array, final: int, *, alpha: float = ALPHA, seed: int = SEED
) -> tuple[float, float] | None:
    r"""The interval of the true mean of the setting that is best on all topics.

    The t interval of held-out scores ignores that other topics would lead to another choice. With H̄ the held-out mean,
    Z̄ the final setting's mean on all topics and e_b the excess of the best mean of a topic resample over the original
    mean of that setting,

    .. math:: s = \max(SE_{held\ out},\ SE_{final},\ \sqrt{n/(n-1)}\,sd(e_b)), \qquad
              [\min(\bar H, \bar Z) - t s,\ \max(\bar H, \bar Z) + t s]

    with t at n − 1 degrees of freedom. None with fewer than two topics. docs/validation.md has the coverage.

    Parameters
    ----------
    held_out : held-out score of every topic that was held out
    raw, units : topics × settings, as scores and in units of the exact grid (whole numbers)
    final : the column of the final setting
    """
    n = min(len(held_out), len(raw))
    if n < 2:
        return None
    error = max(_standard_error(held_out), _standard_error(raw[:, final]), _spread_of_choice(raw, units, seed))
    reach = float(stdtrit(n - 1, 1 - alpha / 2)) * error
    means = float(held_out.mean()), float(raw[:, final].mean())
    return min(means) - reach, max(means) + reach


def _standard_error(scores: Array) -> float:
    return float(scores.std(ddof=1)) / math.sqrt(len(scores))


def _spread_of_choice(raw: Array, units: Array, seed: int) -> float:
    """√(n/(n−1))·sd(e_b); sums of whole numbers are exact, so the choice is the same on every processor."""
    n, m = units.shape
    totals, means = units.sum(axis=0), raw.mean(axis=0)
    # A unit is worth so much; any setting tells, the one with the largest sum most exactly.
    largest = int(np.abs(totals).argmax())
    worth = means[largest] / totals[largest] if totals[largest] else 0.0
    excess = []
    for weights in topic_weights(n, RESAMPLES, seed, max(1, _AT_ONCE // m)):
        sums = weights @ units
        best = sums.argmax(axis=1)
        excess.append((sums[np.arange(len(sums)), best] - totals[best]) * worth)
    return math.sqrt(n / (n - 1)) * float(np.concatenate(excess).std(ddof=1))
