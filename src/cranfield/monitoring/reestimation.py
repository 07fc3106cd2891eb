"""`reestimate`: halfway through, is the planned number of topics still right? Asked without looking at who is ahead."""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import polars as pl
from scipy.special import stdtrit

from cranfield.defaults import ALPHA, POWER
from cranfield.design.ttest import design_ttest
from cranfield.errors import DataError, notify
from cranfield.invariants import check_finite, check_interval
from cranfield.monitoring.boundaries import check_alpha
from cranfield.results import Result
from cranfield.scores.doors import ScoresLike, as_matrix
from cranfield.scores.matrix import inherited
from cranfield.sentences import monitoring as say
from cranfield.signature import signature


@dataclass(frozen=True, eq=False)
class Reestimate(Result):
    """A variance estimated without knowing which system is which, and the topics it asks for; from `reestimate`.

    Attributes
    ----------
    variance_of_difference, lower, upper : float
        The blinded σ_t² with its interval.
    n_topics, topics_lower, topics_upper : int
        Topics in all that the paired t-test needs, never fewer than there are.
    """

    measure: str
    data_topics: int
    n_systems: int
    variance_of_difference: float
    lower: float | None
    upper: float | None
    n_topics: int
    topics_lower: int | None
    topics_upper: int | None
    min_diff: float
    power: float
    alpha: float
    warnings: tuple[str, ...] = field(default=())

    def __post_init__(self) -> None:
        what = f"{self.measure}: the new estimate"
        check_finite(what, variance=self.variance_of_difference, lower=self.lower, upper=self.upper)
        check_interval(what, "variance", self.lower, self.variance_of_difference, self.upper)
        check_interval(what, "number of topics", self.topics_lower, self.n_topics, self.topics_upper)

    @property
    def settings(self) -> dict[str, Any]:
        """The settings in force, defaults included."""
        names = ("measure", "data_topics", "n_systems", "min_diff", "power", "alpha")
        return {name: getattr(self, name) for name in names}

    @property
    def signature(self) -> str:
        """One line for a paper's footnote."""
        return signature("blinded re-estimation of the topic set size", **self.settings)

    def to_frame(self) -> pl.DataFrame:
        """One row: measure, topics, systems, variance_of_difference and topics_needed, each with its interval."""
        row = {
            "measure": self.measure,
            "topics": self.data_topics,
            "systems": self.n_systems,
            "variance_of_difference": self.variance_of_difference,
            "lower": self.lower,
            "upper": self.upper,
            "topics_needed": self.n_topics,
            "topics_lower": self.topics_lower,
            "topics_upper": self.topics_upper,
        }
        types = {"lower": pl.Float64, "upper": pl.Float64, "topics_lower": pl.Int64, "topics_upper": pl.Int64}
        return pl.DataFrame([row], schema_overrides=types)

    def to_dict(self) -> dict[str, Any]:
        """Everything as plain Python values."""
        return {
            "settings": self.settings,
            "signature": self.signature,
            "rows": self.to_frame().to_dicts(),
            "warnings": list(self.warnings),
        }

    def summary(self) -> str:
        """One sentence: the topics needed in all."""
        interval = "" if self.topics_lower is None else f" [{self.topics_lower}, {self.topics_upper}]"
        return say.REESTIMATED(
            measure=self.measure, seen=self.data_topics, topics=self.n_topics, interval=interval,
            min_diff=self.min_diff, power=self.power,
        )  # fmt: skip

    def __repr__(self) -> str:
        return f"Reestimate({self.summary()})"


def reestimate(scores: ScoresLike, min_diff: float, *, power: float = POWER, alpha: float = ALPHA) -> Reestimate:
    """How many topics in all, judging by the variance so far and blind to which system is which?

    The blinded variance is twice the mean over topics of the variance between systems within a topic,
    σ̂_t² = 2·Σ_i Σ_j (x_ij − x̄_i)²/(n(m − 1)); for two systems Σd²/n. It stays the same when the systems of any topic
    change places, so it tells nothing of who is ahead, and planning by it leaves the level of the final test almost as
    it was. The price: differences between the systems' means count as noise, so it errs upwards (for two systems by
    δ²). The interval is the leave-one-topic-out jackknife of its logarithm. Topics already there are never given back.

    References
    ----------
    Gould & Shih (1992); Kieser & Friede, "Simple procedures for blinded sample size adjustment that do not affect the
    type I error rate", Statistics in Medicine 22 (2003).

    Examples
    --------
    >>> from cranfield import ScoreMatrix
    >>> x = ScoreMatrix([[0.1, 0.3], [0.5, 0.4], [0.2, 0.2], [0.6, 0.4]], "1234", ["a", "b"], "AP")
    >>> round(reestimate(x, 0.1).variance_of_difference, 4), round((0.04 + 0.01 + 0 + 0.04) / 4, 4)
    (0.0225, 0.0225)
    """
    check_alpha(alpha)
    matrix = as_matrix(scores).require(what="a blinded re-estimation").canonical()
    each = matrix.values.var(axis=1, ddof=1)
    n = len(each)
    variance = 2 * float(each.mean())
    if not variance > (1e-12 * float(np.abs(matrix.values).max())) ** 2:
        raise DataError(
            f"{matrix.measure}: all systems score the same on every topic; there is no variance to plan with"
        )

    def topics(value: float) -> int:
        return max(n, design_ttest(value, min_diff, power=power, alpha=alpha).n_topics)

    said = inherited([matrix])
    left = 2 * (each.sum() - each) / (n - 1)
    if n > 2 and (left > 1e-12 * variance).all():
        logs = np.log(left)
        reach = math.sqrt((n - 1) / n * float(np.square(logs - logs.mean()).sum())) * float(
            stdtrit(n - 1, 1 - alpha / 2)
        )
        lower, upper = variance * math.exp(-reach), variance * math.exp(reach)
        made = Reestimate(
            matrix.measure, n, matrix.n_systems, variance, lower, upper,
            topics(variance), topics(lower), topics(upper), float(min_diff), power, alpha, said,
        )  # fmt: skip
    else:
        note = say.NO_BLINDED_INTERVAL(measure=matrix.measure)
        made = Reestimate(
            matrix.measure, n, matrix.n_systems, variance, None, None,
            topics(variance), None, None, float(min_diff), power, alpha, (*said, note),
        )  # fmt: skip
    notify(made.warnings)
    return made
