"""Standardised scores: the settings of `standardise`, and of `correlate`."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar

from cranfield.core import defaults
from cranfield.core import options as shared
from cranfield.core.errors import ArgumentError
from cranfield.core.options import setting
from cranfield.core.question import HelpGroup, Page, Place, Question, Takes, group
from cranfield.questions.variance.question import estimators

if TYPE_CHECKING:
    from cranfield.core.answer import Answer
    from cranfield.core.results import Result
    from cranfield.questions.standardise.apply import Standardised
    from cranfield.questions.standardise.effect import StandardisationEffect
    from cranfield.questions.standardise.fit import Standardisation
    from cranfield.questions.standardise.robustness import Robustness

group("standardise", "Scores comparable across topics: fit, apply, effect.")


@dataclass(frozen=True, kw_only=True)
class StandardisedScores(Question):
    """How scores are standardised."""

    takes: ClassVar[Takes] = "scores"

    to: defaults.StandardiseTo = setting(
        defaults.STANDARDISE_TO, "ab: clip(A*z + B, 0, 1); cdf: normal probability; z: z-score.", label="Standardise to"
    )
    a: float = setting(defaults.STANDARDISE_A, "Slope A of std-AB.", label="A of std-AB", least=-1e6, most=1e6)
    b: float = setting(defaults.STANDARDISE_B, "Centre B of std-AB.", label="B of std-AB", least=-1e6, most=1e6)
    measure: str | None = shared.measure()
    system: tuple[str, ...] | None = shared.systems(shared.ONLY_SYSTEMS)
    missing: str = shared.missing()


@dataclass(frozen=True, kw_only=True)
class FitQuestion(Question):
    """Fit standardisation factors: every topic's mean and standard deviation over the systems given.

    With -o the factors are kept with their version and history, for `standardise apply` on any later run.

    Example: cranfield standardise fit scores.csv -o factors.csv
    """

    command: ClassVar[str] = "standardise fit"
    group: ClassVar[HelpGroup] = "Compare"
    brief: ClassVar[str] = "Fit standardisation factors to scores."
    takes: ClassVar[Takes] = "scores"
    place: ClassVar[int] = 130
    own_file: ClassVar[bool] = True

    measure: str | None = shared.measure()
    system: tuple[str, ...] | None = shared.systems(shared.ONLY_SYSTEMS)
    missing: str = shared.missing()
    trec: bool = setting(False, "Write the file of trec_eval's -Z option.", part="view")

    @staticmethod
    def verb() -> Callable[..., Standardisation]:
        """The public function that answers it."""
        from cranfield.questions.standardise.fit import fit_standardisation

        return fit_standardisation

    def text(self, result: Standardisation, to: Path | None, format: str | None) -> tuple[bytes, str] | None:
        """The file of factors, where one is named or trec_eval's is asked for."""
        from cranfield.questions.standardise.files import format_of, to_bytes

        if self.trec and format is not None:
            raise ArgumentError("--trec sets the format; leave out --format")
        if to is None or format not in (None, "csv", "json"):
            return (to_bytes(result, "trec"), "") if self.trec else None
        kept = "trec" if self.trec else "csv" if format == "csv" else "json" if format else format_of(str(to))
        return to_bytes(result, kept), f" (factors of {len(result.to_frame())} topics and measures)"


@dataclass(frozen=True, kw_only=True)
class ApplyQuestion(StandardisedScores):
    """Standardise the scores of any systems, known or new, by saved factors.

    Example: cranfield standardise apply scores.csv --factors factors.csv --to cdf
    """

    command: ClassVar[str] = "standardise apply"
    group: ClassVar[HelpGroup] = "Compare"
    brief: ClassVar[str] = "Standardise scores by saved factors."
    place: ClassVar[int] = 131
    own_file: ClassVar[bool] = True

    factors: str = setting(help="Factors written by `standardise fit`, or a -Z file.", metavar="FILE")

    @classmethod
    def results(cls) -> tuple[type[Result], ...]:
        """Standardised scores; what makes them is a method of the factors."""
        from cranfield.questions.standardise.apply import Standardised

        return (Standardised,)

    def ask(self, *data: Any, **more: Any) -> Standardised:
        """The scores by the factors in the file."""
        from cranfield.questions.standardise.fit import Standardisation

        how = {**self.values("question"), "missing": self.missing, **more}
        return Standardisation.load(how.pop("factors")).apply(*data, **how)

    def answer(self, result: Standardised, *data: Any) -> Answer:
        """The scores, drawn beside the raw ones."""
        said = super().answer(result)
        options = {"raw": data[0]} if data else {}
        return replace(said, charts=tuple(replace(one, options=options) for one in said.charts))

    def notes(self, result: Standardised, to: Path | None, format: str | None) -> Iterable[str]:
        """What was clipped, which stands below the table where that is printed."""
        return [f"note: {line}" for line in result.clipping()] if to or format not in (None, "table") else ()


@dataclass(frozen=True, kw_only=True)
class RobustnessQuestion(StandardisedScores):
    """How far systems move when factors are fitted without them: each in turn, a team, or those named.

    \b
    Examples:
      cranfield standardise robustness scores.csv
      cranfield standardise robustness scores.csv --teams teams.txt
    """

    command: ClassVar[str] = "standardise robustness"
    group: ClassVar[HelpGroup] = "Compare"
    brief: ClassVar[str] = "Sensitivity of scores to leaving systems out of the factors."
    place: ClassVar[int] = 132

    leave_out: tuple[str, ...] | None = setting(
        None, "Leave out this system; repeat to leave out several together.", metavar="SYSTEM"
    )
    teams: Path | None = shared.teams()

    @staticmethod
    def verb() -> Callable[..., Robustness]:
        """The public function that answers it."""
        from cranfield.questions.standardise.robustness import standardisation_robustness

        return standardisation_robustness


@dataclass(frozen=True, kw_only=True)
class EffectQuestion(StandardisedScores):
    """Raw and standardised scores side by side: variances, rank agreement, topics needed.

    Three tables: variances with tau between the two rankings; a scale-free comparison;
    and the topics needed for each number of systems and each difference. In JSON, CSV and parquet they are one table
    with a column `table`.

    Example: cranfield standardise effect scores.csv --systems 10 --min-diff 0.10
    """

    command: ClassVar[str] = "standardise effect"
    group: ClassVar[HelpGroup] = "Compare"
    brief: ClassVar[str] = "Effect of standardisation on variance, ranking and design."
    place: ClassVar[int] = 133
    page = Page(
        name="standardise",
        title="Standardise",
        place=Place.TOOLS,
        order=10,
        heading="Standardise scores",
        lead="Make topics comparable: each score relative to the mean and spread of its topic.",
        button="Standardise",
        doing="Standardising",
        brief="Variance, ranking and design before and after; factors and standardised scores are in `tables`.",
    )

    factors: str | None = setting(
        None,
        "File of factors from `standardise fit`.",
        metavar="FILE",
        usual="fitted on the scores given",
        on_page=False,
    )
    n_systems: tuple[int, ...] = setting(
        defaults.EFFECT_SYSTEMS,
        "Systems to compare; repeatable.",
        usual="2 10 20 30 50",
        on_page=False,
        check=shared.whole,
    )
    min_diff: tuple[float, ...] = setting(
        defaults.EFFECT_MIN_DIFFS,
        "Smallest difference to detect; repeatable.",
        usual=".02 .05 .10 .20",
        on_page=False,
        check=shared.positive,
    )
    fraction: float = setting(
        1.0, "Scale-free difference, in standard deviations between systems.", more=True, check=shared.positive
    )
    alpha: float = shared.alpha(more=True)
    power: float = shared.power(more=True)
    estimator: str = setting(
        defaults.ANOVA_VARIANCE, "How to estimate the variance of the design.", "--estimator", "--variance-method",
        registry=estimators,
        on_page=False,
    )  # fmt: skip
    n_resamples: int = shared.n_resamples(defaults.TAU_RESAMPLES, "Bootstrap samples of topics; 0 for none.", least=0)
    seed: int = shared.seed()
    published: bool = setting(False, "Add the published interval of tau, cut at 1.", on_page=False)
    workers: int | None = shared.workers()
    cluster: str | None = shared.cluster()

    @staticmethod
    def verb() -> Callable[..., StandardisationEffect]:
        """The public function that answers it."""
        from cranfield.questions.standardise.effect import standardisation_effect

        return standardisation_effect

    def arguments(self) -> dict[str, Any]:
        """The settings; saved factors are read first."""
        from cranfield.questions.standardise.fit import Standardisation

        factors = None if self.factors is None else Standardisation.load(self.factors)
        return {**super().arguments(), "factors": factors, "missing": self.missing}
