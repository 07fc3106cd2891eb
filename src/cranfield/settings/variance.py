"""How much past scores vary: the settings of `variance`."""

from __future__ import annotations

from typing import ClassVar

from cranfield.errors import ArgumentError
from cranfield.records import record
from cranfield.settings import shared
from cranfield.settings.base import Settings, registered, setting

estimators = registered("cranfield.variance.estimators:ESTIMATORS")
"""The names of the estimators."""


@record(kw_only=True)
class VarianceSettings(Settings):
    """Estimate the variance of past scores, collection by collection and pooled.

    Every table is a collection; per-run files make one collection together. The last row of each measure and estimator
    pools them. lower and upper bound the variance (leave-one-topic-out jackknife).

    Example: cranfield variance robust2003.AP.csv robust2004.AP.csv
    """

    command: ClassVar[str] = "variance"
    brief: ClassVar[str] = "What varies in past scores, and by how much."
    takes: ClassVar[str] = "collections"
    answered_by: ClassVar[str] = "cranfield.variance:variances"
    place: ClassVar[int] = 140

    measure: str | None = shared.measure()
    system: tuple[str, ...] | None = shared.systems(shared.ONLY_SYSTEMS)
    estimator: tuple[str, ...] | None = setting(
        None, "Estimator; repeat for several.", "--estimator", "--method", choices=estimators, usual="all"
    )
    alpha: float = shared.alpha()
    missing: str = shared.missing()
    anova: bool = setting(False, "Show the two-way analysis of variance instead.", part="view")

    def check_together(self) -> None:
        """The analysis of variance is one table, whatever the estimators."""
        if self.anova and self.estimator:
            raise ArgumentError("`anova` shows the whole table; leave out `estimator`.")
