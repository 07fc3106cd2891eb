"""The estimators of a variance, one file each; a file that registers an `Estimator` here is one everywhere.

The files import nothing numerical at the top, because help texts list the estimators.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING

from cranfield.registry import Registry

if TYPE_CHECKING:
    from cranfield.variance.squares import Array, Squares


@dataclass(frozen=True)
class Estimator:
    """A way to estimate, from past scores, the variance that a new test collection must cope with.

    Give one of `of_squares` and `of_scores`. The first brings an interval: the sums of squares without each
    topic are known in closed form, and the jackknife over them tells how sure the estimate is.

    Parameters
    ----------
    name : how it is asked for
    summary : one line for help and documentation
    formula : the formula, with its source
    holds_topics : whether it contains the variance between topics, which systems on shared topics have in common
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
