"""The variance estimators, one entry each.

Nothing numerical is imported at the top, because help texts list the estimators.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING

from cranfield.core.registry import Registry

if TYPE_CHECKING:
    from cranfield.questions.variance.squares import Array, Squares

PERCENTILE = 95


@dataclass(frozen=True)
class Estimator:
    """A variance estimator for past scores.

    Give one of `of_squares` and `of_scores`. The first has an interval: a jackknife over the sums of squares without
    each topic and each system, which have a closed form.

    Parameters
    ----------
    name : its name in options
    summary : one line for help and documentation
    formula : the formula, with its source
    holds_topics : whether it includes the variance between topics
    of_squares : sums of squares → the variance
    of_scores : scores, topics × systems → the variance
    rank : its place in lists
    """

    name: str
    summary: str
    formula: str
    holds_topics: bool
    of_squares: Callable[[Squares], Array] | None = None
    of_scores: Callable[[Array], float] | None = None
    rank: int = 1000


ESTIMATORS: Registry[Estimator] = Registry("estimator", __name__)


def table() -> list[tuple[str, str, str]]:
    """Name, summary and formula of every estimator: the rows of the documentation."""
    return [(one.name, one.summary, one.formula) for one in ESTIMATORS.values()]


def one_way(s: Squares) -> Array:
    """The total variance by one-way ANOVA (Sakai (2014a), eq. 4)."""
    return (s.m - 1) / (s.m * s.n) * (s.mean_between_systems - s.mean_within) + s.mean_within


def two_way(s: Squares) -> Array:
    """The total variance by two-way ANOVA (Sakai (2014a), eq. 7)."""
    systems = (s.m - 1) / (s.m * s.n) * (s.mean_between_systems - s.mean_residual)
    topics = (s.mean_between_topics - s.mean_residual) / s.m
    return systems + topics + s.mean_residual


def percentile95(scores: Array) -> float:
    """Half the 95th percentile of σ_j² + σ_k² − 2σ_jk over all pairs (Sakai (2014b), §3.2; Sakai (2014a), eq. 1).

    Only the variances from the percentile upwards are kept, because thousands of systems have many pairs.
    """
    import numpy as np

    from cranfield.core.resampling import cross_product_rows

    n, m = scores.shape
    pairs = m * (m - 1) // 2
    place = (pairs - 1) * (PERCENTILE / 100)
    many = pairs - int(place)
    own, largest, least = np.empty(m), np.empty(0), -np.inf
    for first, rows in cross_product_rows(scores - scores.mean(axis=0)):
        rows /= n - 1
        own[first : first + len(rows)] = np.diag(rows)
        rows *= -2
        rows += own[first:] + own[first : first + len(rows), None]
        found = rows[np.triu_indices_from(rows, 1)]
        largest = np.concatenate([largest, found[found > least]])
        if len(largest) > 2 * many or first == 0:
            largest = np.partition(largest, len(largest) - many)[-many:]
            least = largest[0]
    largest.partition(range(min(many, 2)))
    return float(np.quantile(largest[:2], place - int(place))) / 2


for estimator in (
    Estimator(
        "within", "variance of a system's score over topics, unbiased for the one-way model",
        "V_E1 = Σ(x_ij − x̄_j)²/(m(n−1)), Sakai (2016), eq. 1", True, lambda s: s.mean_within, rank=10,
    ),
    Estimator(
        "one_way", "within plus the variance between systems; on the large side",
        "(m−1)/(mn)·(V_A − V_E1) + V_E1, Sakai (2014a), eq. 4", True, one_way, rank=20,
    ),
    Estimator(
        "two_way", "the same as one_way by two-way ANOVA, the papers' choice",
        "(m−1)/(mn)·(V_A − V_E2) + (V_B − V_E2)/m + V_E2, Sakai (2014a), eq. 7", True, two_way, rank=30,
    ),
    Estimator(
        "residual", "residual variance after removing topic and system effects",
        "V_E2 = Σ(x_ij − x̄_i − x̄_j + x̄)²/((m−1)(n−1)), Sakai (2014a), eq. 6", False, lambda s: s.mean_residual, rank=40,
    ),
    Estimator(
        "percentile95", "half the variance of a difference that covers 95% of the pairs",
        "95th percentile of the variances of all pairwise differences, /2, Sakai (2014b), §3.2", False,
        of_scores=percentile95, rank=50,
    ),
):  # fmt: skip
    ESTIMATORS.register(estimator)
