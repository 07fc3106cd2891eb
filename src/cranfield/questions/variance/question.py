"""Settings of `variance`."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar

from cranfield.core import options as shared
from cranfield.core.errors import ArgumentError
from cranfield.core.options import setting
from cranfield.core.question import HelpGroup, Question, Takes
from cranfield.core.registry import Registry

if TYPE_CHECKING:
    from cranfield.questions.variance.variances import Variances


def estimators() -> Registry[Any]:
    """The registry of variance estimators."""
    from cranfield.questions.variance.estimators import ESTIMATORS

    return ESTIMATORS


@dataclass(frozen=True, kw_only=True)
class VarianceQuestion(Question):
    """Estimate the variance of past scores, collection by collection and pooled.

    Every table is a collection; per-run files form one collection together. The last row of each measure and estimator
    pools them. lower and upper are a jackknife interval over topics and systems, or teams with --teams.

    Example: cranfield variance robust2003.AP.csv robust2004.AP.csv
    """

    command: ClassVar[str] = "variance"
    group: ClassVar[HelpGroup] = "Design"
    brief: ClassVar[str] = "Variance of past scores, by estimator and collection."
    takes: ClassVar[Takes] = "collections"
    place: ClassVar[int] = 140

    measure: str | None = shared.measure()
    system: tuple[str, ...] | None = shared.systems(shared.ONLY_SYSTEMS)
    estimator: tuple[str, ...] | None = setting(
        None, "Estimator; repeat for several.", "--estimator", "--method", registry=estimators, usual="all"
    )
    alpha: float = shared.alpha()
    teams: Path | None = shared.teams("File of lines `system team`; the interval leaves out teams instead of systems.")
    topic_groups: Path | None = shared.topic_groups(part="source")
    missing: str = shared.missing()
    anova: bool = setting(False, "Show the two-way analysis of variance instead.", part="view")

    @staticmethod
    def verb() -> Callable[..., Variances]:
        """The public function that answers it."""
        from cranfield.questions.variance.variances import variances

        return variances

    def check_together(self) -> None:
        """The analysis of variance is one table for all estimators."""
        if self.anova and self.estimator:
            raise ArgumentError("`anova` uses no estimator. Leave out `estimator`.")
