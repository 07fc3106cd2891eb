"""`Gate`: whether a candidate passes, fails, or cannot be judged on these topics."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from cranfield.defaults import Verdict
from cranfield.invariants import check_finite, check_interval, check_p
from cranfield.labels import plural
from cranfield.results import Result
from cranfield.sentences import gating as say
from cranfield.settings.gate import GateSettings
from cranfield.signature import signature

if TYPE_CHECKING:
    import polars as pl


@dataclass(frozen=True)
class GateCheck:
    """The gate for one measure.

    Attributes
    ----------
    measure, n_topics : what was measured, on how many topics
    mean_baseline, mean_candidate : both systems' means
    difference : the candidate's mean minus the baseline's
    lower, upper : one-sided bounds of the difference, each at level 1 − alpha
    p : the p-value of passing, for "the difference is no more than the threshold"
    p_fail : the p-value of failing, for "the difference is no less than the threshold"
    verdict : ``"pass"``, ``"fail"`` or ``"undecided"``
    topics_needed : for an undecided one, the topics that would decide a true difference as large as the observed one
    topics_if_equal : the topics on which a candidate just as good as the baseline would pass; None for superiority
    """

    measure: str
    n_topics: int
    mean_baseline: float
    mean_candidate: float
    difference: float
    lower: float
    upper: float
    p: float
    p_fail: float
    verdict: Verdict
    topics_needed: int | None
    topics_if_equal: int | None

    def __post_init__(self) -> None:
        what = f"{self.measure}: the gate"
        numbers = {"mean_baseline": self.mean_baseline, "mean_candidate": self.mean_candidate}
        check_finite(what, **numbers, difference=self.difference, lower=self.lower, upper=self.upper)
        check_interval(what, "difference", self.lower, self.difference, self.upper)
        check_p(what, [self.p, self.p_fail])


@dataclass(frozen=True, repr=False)
class Gate(Result):
    """The answer of `gate`: a check for every measure, and what they say together.

    Attributes
    ----------
    baseline, candidate : the names of the two systems
    margin, better, alpha, power, test : what was asked
    checks : one `GateCheck` per measure
    n_resamples, seed : of the randomisation test; None for the t-test
    warnings : what to know before relying on it
    """

    baseline: str
    candidate: str
    margin: float
    better: bool
    alpha: float
    power: float
    test: str
    checks: tuple[GateCheck, ...]
    n_resamples: int | None = None
    seed: int | None = None
    warnings: tuple[str, ...] = ()

    @property
    def threshold(self) -> float:
        """What the difference has to be above: −margin, or for superiority the margin."""
        return self.margin if self.better else -self.margin

    @property
    def verdict(self) -> Verdict:
        """``fail`` when any measure fails, ``pass`` when all pass, else ``undecided``."""
        verdicts = [check.verdict for check in self.checks]
        return "fail" if "fail" in verdicts else "undecided" if "undecided" in verdicts else "pass"

    @property
    def topics_needed(self) -> int | None:
        """The topics that would decide every measure that is undecided; None where nothing is, or none would."""
        undecided = [check.topics_needed for check in self.checks if check.verdict == "undecided"]
        known = [topics for topics in undecided if topics is not None]
        return max(known) if known and len(known) == len(undecided) else None

    def to_frame(self) -> pl.DataFrame:
        """One row per measure: means, difference with bounds, p, margin, verdict and the topics needed."""
        import polars as pl

        rows = [
            {
                "measure": one.measure, "topics": one.n_topics, "mean_baseline": one.mean_baseline,
                "mean_candidate": one.mean_candidate, "difference": one.difference, "lower": one.lower,
                "upper": one.upper, "p": one.p, "p_fail": one.p_fail, "margin": self.margin, "verdict": one.verdict,
                "topics_needed": one.topics_needed,
            }
            for one in self.checks
        ]  # fmt: skip
        return pl.DataFrame(rows, schema_overrides={"topics_needed": pl.Int64})

    @property
    def settings(self) -> dict[str, Any]:
        """The settings in force, defaults included."""
        measures = [check.measure for check in self.checks]
        return GateSettings.in_force(self, measures=measures, threshold=self.threshold, verdict=self.verdict)

    @property
    def signature(self) -> str:
        """One line for a footnote."""
        kind = {"t": "one-sided paired t-test", "randomisation": "one-sided randomisation test"}[self.test]
        return signature(
            f"{'superiority' if self.better else 'non-inferiority'} gate, {kind}",
            measures=[check.measure for check in self.checks],
            margin=self.margin,
            alpha=self.alpha,
            topics=self.checks[0].n_topics,
            resamples=self.n_resamples,
            seed=self.seed,
        )

    @property
    def claim(self) -> str:
        """What a pass claims, as words behind the candidate's name."""
        if self.better:
            more = f" by more than {self.margin:g}" if self.margin else ""
            return f"is better than {self.baseline}{more}"
        return f"is not worse than {self.baseline} by {self.margin:g} or more"

    def sentence(self, check: GateCheck) -> str:
        """What was found by one measure."""
        where = f"{check.measure} {check.difference:+.4f} [{check.lower:.4f}, {check.upper:.4f}]"
        names = {"candidate": self.candidate, "baseline": self.baseline, "where": where}
        if check.verdict == "pass":
            if self.better:
                more = f" by more than {self.margin:g}" if self.margin else ""
                return say.BETTER(**names, more=more)
            return say.NOT_WORSE(**names, margin=self.margin)
        if check.verdict == "fail":
            if self.better:
                return say.NOT_BETTER(**names, least=f" by {self.margin:g}" if self.margin else "")
            return say.WORSE(**names, margin=self.margin)
        remedy = say.UNLIKELY()
        if check.topics_needed is not None:
            remedy = say.COULD_DECIDE(topics=plural(check.topics_needed, "topic"))
        return say.CANNOT_TELL(
            topics=plural(check.n_topics, "topic"), candidate=self.candidate, claim=self.claim, where=where,
            remedy=remedy,
        )  # fmt: skip

    def summary(self) -> str:
        """The verdict, and what it rests on."""
        return f"{self.verdict}: " + " ".join(self.sentence(check) for check in self.checks)

    def __repr__(self) -> str:
        return f"Gate({self.summary()})\n{self.to_frame()}"
