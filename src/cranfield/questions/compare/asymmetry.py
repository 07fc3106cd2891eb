"""Differences that are not symmetric: trouble for tests that look at ranks and signs but are read as tests of means."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from cranfield.core.labels import plural
from cranfield.core.sentences import sentence

if TYPE_CHECKING:
    from cranfield.questions.compare.classical import Differences
    from cranfield.questions.compare.comparison import Comparison

Array = NDArray[np.float64]
LIMIT = 4.0
"""Trouble is where the skewness is this large, divided by √topics, on average over the pairs.

With equal means and a mild skewness γ the signed-rank statistic is off by about √(3n)·γ/(12√π) standard errors
(Edgeworth): a test at .05 then rejects .06 of the time from γ√n = 3.6 on. How often it is said where it should be is
simulated by `docs/asymmetry_study.py`."""
FEWEST_TOPICS = 25
"""With fewer, the skewness of a sample says little, and tests err little."""
ASYMMETRIC = sentence(
    "comparison.asymmetric",
    "differences are asymmetric (skewness {average:.2f}, mean over {pairs}; {limit:.2f} is much with {topics} "
    "topics), and there {test} tends to reject equal means too often, the more topics the more; prefer randomisation, "
    "or count its errors on scores like these with `simulate tests`",
    "the test is Wilcoxon's or the sign test, there are at least 25 topics, and the skewness of the pairs' differences "
    "is at least 4/√topics on average (hits and false alarms: docs/simulate.md)",
)


def skewness(values: Array, a: NDArray[np.intp], b: NDArray[np.intp], sd: Array) -> Array:
    """The skewness g₁ of the topic-wise differences of every pair, 0 where they do not spread.

    With centred scores x, Σ(x_a − x_b)³ = Σx_a³ − 3Σx_a²x_b + 3Σx_a x_b² − Σx_b³: two matrix products serve all pairs.

    Parameters
    ----------
    values : topics × systems
    a, b : the systems of every pair
    sd : the standard deviation (n − 1) of every pair's differences

    >>> x = np.array([[0.0, 0.1], [0.0, 0.1], [0.0, 0.1], [0.0, 0.9]])
    >>> skewness(x, np.array([1]), np.array([0]), np.array([0.4])).round(3).tolist()
    [1.155]
    """
    n = len(values)
    x = values - values.mean(axis=0)
    binary = -int(np.frexp(np.abs(x).max())[1])  # a power of two changes no digit, and no cube is then too large
    x, sd = np.ldexp(x, binary), np.ldexp(sd, binary)
    mixed, cubes = (x * x).T @ x, (x**3).sum(axis=0)
    third = cubes[a] - 3 * mixed[a, b] + 3 * mixed[b, a] - cubes[b]
    spread = sd**3 * (1 - 1 / n) ** 1.5
    lowest = 1e-9 * (float(np.abs(x).max()) or 1.0) ** 3
    return np.asarray(np.divide(third / n, spread, out=np.zeros(len(a)), where=spread > lowest))


def asymmetric(skewness: Array, n_topics: int) -> bool:
    """Whether differences are so skewed that tests of ranks and signs reject equal means too often.

    >>> asymmetric(np.array([0.2, -0.8]), 50), asymmetric(np.array([0.2, -1.2]), 50)
    (False, True)
    """
    return n_topics >= FEWEST_TOPICS and float(np.abs(skewness).mean()) * math.sqrt(n_topics) >= LIMIT


def asymmetry_caution(result: Comparison, each: Differences, test: str) -> list[str]:
    """A sentence when the differences of the pairs are strongly skewed, else nothing."""
    place = {name: j for j, name in enumerate(result.scores.systems)}
    a, b = (np.array([place[name] for name in names]) for names in (result.system_a, result.system_b))
    found = skewness(np.asarray(result.scores.values), a, b, each.sd)
    if not asymmetric(found, each.n_topics):
        return []
    return [
        ASYMMETRIC(
            average=float(np.abs(found).mean()),
            pairs=plural(len(a), "pair"),
            limit=LIMIT / math.sqrt(each.n_topics),
            topics=each.n_topics,
            test=test,
        )
    ]
