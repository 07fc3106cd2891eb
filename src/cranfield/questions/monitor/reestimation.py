"""`reestimate`: is the planned number of topics still right, by the blinded variance so far?"""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np
import polars as pl
from scipy.special import stdtrit

from cranfield.core.answer import sentence
from cranfield.core.defaults import ALPHA, POWER
from cranfield.core.errors import DataError, notify
from cranfield.core.options import share
from cranfield.core.results import Result, check_finite, check_interval, signature
from cranfield.questions.design.ttest import design_ttest
from cranfield.questions.monitor.answer import reestimate_answer
from cranfield.scores.doors import ScoresLike, as_matrix
from cranfield.scores.matrix import inherited

if TYPE_CHECKING:
    from cranfield.core.answer import Drawings

REESTIMATED = sentence(
    "monitoring.reestimated",
    "{measure}: {topics:,}{interval} topics in all detect a difference of {min_diff:g} with power {power:g} ({seen:,} "
    "seen so far)",
    "topics of a paired t-test of two systems by the blinded variance so far, which is biased high; its jackknife "
    "interval",
    always=True,
)
NO_BLINDED_INTERVAL = sentence(
    "monitoring.no-blinded-interval",
    "{measure}: the blinded variance has no interval, because too few topics have a difference.",
    "without one of the topics no difference is left, or there are fewer than three topics",
)


@dataclass(frozen=True, eq=False)
class Reestimate(Result):
    """The blinded variance and the topics needed; get one from `reestimate`.

    Attributes
    ----------
    variance_of_difference, lower, upper : float
        The blinded σ_t² with its interval.
    n_topics, topics_lower, topics_upper : int
        Total topics that the paired t-test needs, at least the present number.
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
        names = {
            "measure": "measure", "topics": "data_topics", "systems": "n_systems",
            "variance_of_difference": "variance_of_difference", "lower": "lower", "upper": "upper",
            "topics_needed": "n_topics", "topics_lower": "topics_lower", "topics_upper": "topics_upper",
        }  # fmt: skip
        types = {"lower": pl.Float64, "upper": pl.Float64, "topics_lower": pl.Int64, "topics_upper": pl.Int64}
        row = {column: getattr(self, name) for column, name in names.items()}
        return pl.DataFrame([row], schema_overrides=types)

    def summary(self) -> str:
        """One sentence: the topics needed in all."""
        interval = "" if self.topics_lower is None else f" [{self.topics_lower}, {self.topics_upper}]"
        return REESTIMATED(
            measure=self.measure, seen=self.data_topics, topics=self.n_topics, interval=interval,
            min_diff=self.min_diff, power=self.power,
        )  # fmt: skip

    def __repr__(self) -> str:
        return f"Reestimate({self.summary()})"

    answer = reestimate_answer

    @staticmethod
    def drawings() -> Drawings:
        """Its charts by name; the first is drawn unless another is named."""
        from cranfield.questions.monitor import charts

        return {"needed": charts.needed}


def reestimate(scores: ScoresLike, min_diff: float, *, power: float = POWER, alpha: float = ALPHA) -> Reestimate:
    """How many topics are needed in all, by the blinded variance so far?

    The blinded variance is twice the mean over topics of the variance between systems within a topic,
    σ̂_t² = 2·Σ_i Σ_j (x_ij − x̄_i)²/(n(m − 1)); for two systems Σd²/n. It does not change when the systems of a topic are
    permuted, so it does not reveal which system is better. The level of the final test stays almost the same. But
    differences between the systems' means count as noise, so the variance is biased high (for two systems by δ²). The
    interval is the leave-one-topic-out jackknife of its logarithm. The result is at least the present number of topics.

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
    share("alpha", alpha)
    matrix = as_matrix(scores).require(what="a blinded re-estimation").canonical()
    each = matrix.values.var(axis=1, ddof=1)
    n = len(each)
    variance = 2 * float(each.mean())
    if not variance > (1e-12 * float(np.abs(matrix.values).max())) ** 2:
        raise DataError(
            f"{matrix.measure}: all systems have the same scores, so the variance is 0. Give systems that differ."
        )

    def topics(value: float) -> int:
        return max(n, design_ttest(value, min_diff, power=power, alpha=alpha).n_topics)

    said = inherited([matrix])
    bounds: tuple[float | None, float | None] = (None, None)
    left = 2 * (each.sum() - each) / (n - 1)
    if n > 2 and (left > 1e-12 * variance).all():
        logs = np.log(left)
        error = math.sqrt((n - 1) / n * float(np.square(logs - logs.mean()).sum()))
        reach = error * float(stdtrit(n - 1, 1 - alpha / 2))
        bounds = variance * math.exp(-reach), variance * math.exp(reach)
    else:
        said += (NO_BLINDED_INTERVAL(measure=matrix.measure),)
    fewest, most = (None if bound is None else topics(bound) for bound in bounds)
    made = Reestimate(
        matrix.measure, n, matrix.n_systems, variance, *bounds, topics(variance), fewest, most, float(min_diff), power,
        alpha, said,
    )  # fmt: skip
    notify(made.warnings)
    return made
