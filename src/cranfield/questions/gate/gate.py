"""`gate`: from the scores of two systems to a verdict: pass, fail, or undecided on these topics."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import polars as pl

from cranfield.collection.doors import QrelsLike
from cranfield.core.answer import sentence
from cranfield.core.arguments import check_arguments
from cranfield.core.defaults import ALPHA, GATE_TEST, POWER, RESAMPLES, SEED, Alternative, GateTest, Verdict
from cranfield.core.errors import notify, quietly
from cranfield.core.executors import Progress
from cranfield.core.labels import plural, positions
from cranfield.core.results import Result, check_finite, check_interval, check_p, signature
from cranfield.measures.doors import scores_or_evaluated
from cranfield.questions.compare.clusters import Clusters, TopicGroups, grouped_cautions, groups_of
from cranfield.questions.gate.answer import gate_answer
from cranfield.questions.gate.question import GateQuestion
from cranfield.questions.gate.rule import (
    Differences,
    absent_share,
    bounds,
    hall_bounds,
    hall_values,
    t_values,
    topics_for,
    verdict_of,
)
from cranfield.scores.doors import ScoresLike
from cranfield.scores.matrix import ScoreMatrix

if TYPE_CHECKING:
    from cranfield.core.answer import Drawings

BETTER = sentence(
    "gating.better",
    "{candidate} is better than {baseline}{more} ({where}).",
    "superiority was asked for, and the lower bound lies above the least gain",
    measured="gate",
)
NOT_WORSE = sentence(
    "gating.not-worse",
    "{candidate} is not worse than {baseline} by {margin:g} or more ({where}).",
    "non-inferiority was asked for, and the lower bound lies above −margin",
    measured="gate",
)
EQUIVALENT = sentence(
    "gating.equivalent",
    "{candidate} and {baseline} are equivalent within {margin:g} ({where}).",
    "equivalence was asked for, and both bounds lie within ±margin",
    measured="gate",
)
NOT_BETTER = sentence(
    "gating.not-better",
    "{candidate} is not better than {baseline}{least} ({where}).",
    "superiority was asked for, and the upper bound lies below the least gain",
    measured="gate",
)
WORSE = sentence(
    "gating.worse",
    "{candidate} is worse than {baseline} by more than {margin:g} ({where}).",
    "non-inferiority was asked for, and the upper bound lies below −margin",
    measured="gate",
)
NOT_EQUIVALENT = sentence(
    "gating.not-equivalent",
    "{candidate} and {baseline} differ by more than {margin:g} ({where}).",
    "equivalence was asked for, and one bound lies beyond the margin on the far side",
    measured="gate",
)
CANNOT_TELL = sentence(
    "gating.cannot-tell",
    "{candidate} {claim} ({where}). {remedy}.",
    "the bounds show neither a pass nor a fail",
    measured="gate",
)
COULD_DECIDE = sentence(
    "gating.could-decide",
    "About {topics} could decide if the difference stays the same",
    "undecided, and the observed difference lies off the threshold",
)
UNLIKELY = sentence(
    "gating.unlikely",
    "More topics are unlikely to decide: the difference equals the threshold",
    "undecided, and the observed difference is the threshold",
)
WIDE_MARGIN = sentence(
    "gating.wide-margin",
    "The margin {margin:g} is at least the mean {measure} of {baseline}, so almost anything would pass. Give it in "
    "units of the measure.",
    "the margin is at least the mean of the baseline",
)
NO_SPREAD = sentence(
    "gating.no-spread",
    "{measure}: the difference is {difference:+.4g} on every topic, so it decides without a test. Check the scores.",
    "the differences are all the same and not 0, and the verdict rests on bounds",
)


_SIDES = ("threshold", "candidate")
"""The two systems of a randomisation test: the baseline raised by the threshold, and the candidate."""


@dataclass(frozen=True)
class GateCheck:
    """The gate for one measure.

    Attributes
    ----------
    measure, n_topics : what was measured, on how many topics
    mean_baseline, mean_candidate : both systems' means
    difference : the candidate's mean minus the baseline's
    lower, upper : one-sided bounds of the difference, each at level 1 − alpha: the wider of the t bound and Hall's, or
        t bounds with the other tests
    p : the p-value of passing, for "the difference is no more than the threshold"
    p_fail : the p-value of failing, for "the difference is no less than the threshold"; with equivalence, both
        p-values are about both thresholds
    verdict : ``"pass"``, ``"fail"`` or ``"undecided"``
    topics_needed : for an undecided one, the topics that would decide a true difference as large as the observed one,
        by normal theory
    topics_if_equal : the topics on which a candidate just as good as the baseline would pass; None for superiority
    absent_loss : for a pass, the loss per topic (or gain, for equivalence) on 1 − alpha^(1/topics) of the topics that
        would use up the margin; None where scores of at most 1 cannot hold it
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
    absent_loss: float | None = None

    def __post_init__(self) -> None:
        what = f"{self.measure}: the gate"
        numbers = ("mean_baseline", "mean_candidate", "difference", "lower", "upper")
        check_finite(what, **{name: getattr(self, name) for name in numbers})
        check_interval(what, "difference", self.lower, self.difference, self.upper)
        check_p(what, [self.p, self.p_fail])


@dataclass(frozen=True, repr=False)
class Gate(Result):
    """The answer of `gate`: a check for every measure, and what they say together.

    Attributes
    ----------
    baseline, candidate : the names of the two systems
    margin, better, equivalent, alpha, power, test : the settings
    checks : one `GateCheck` per measure
    n_resamples, seed : of the randomisation test; None for the t-test
    warnings : what to know before relying on it
    n_groups : how many groups of topics, where topics are grouped
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
    equivalent: bool = False
    n_groups: int | None = None

    @property
    def threshold(self) -> float:
        """What the difference has to be above: −margin, or for superiority the margin."""
        return self.margin if self.better else -self.margin

    @property
    def thresholds(self) -> tuple[float, ...]:
        """The threshold, and for equivalence also the margin, which the difference has to be below."""
        return (self.threshold, self.margin) if self.equivalent else (self.threshold,)

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
        rows = pl.DataFrame([vars(one) for one in self.checks], schema_overrides={"topics_needed": pl.Int64})
        rows = rows.rename({"n_topics": "topics"}).with_columns(margin=pl.lit(self.margin))
        return rows.select(
            "measure", "topics", "mean_baseline", "mean_candidate", "difference", "lower", "upper", "p", "p_fail",
            "margin", "verdict", "topics_needed",
        )  # fmt: skip

    @property
    def settings(self) -> dict[str, Any]:
        """The settings in force, defaults included."""
        measures = [check.measure for check in self.checks]
        return GateQuestion.in_force(
            self, measures=measures, threshold=self.threshold, verdict=self.verdict,
            topic_groups=None if self.n_groups is None else f"{self.n_groups} groups",
        )  # fmt: skip

    @property
    def signature(self) -> str:
        """One line for a footnote."""
        kind = {
            "hall": "one-sided bounds, the wider of t and Hall's",
            "t": "one-sided paired t-test",
            "randomisation": "one-sided randomisation test",
        }[self.test]
        aim = "superiority" if self.better else "equivalence" if self.equivalent else "non-inferiority"
        return signature(
            f"{aim} gate, {kind}",
            measures=[check.measure for check in self.checks],
            margin=self.margin,
            alpha=self.alpha,
            topics=self.checks[0].n_topics
            if self.n_groups is None
            else f"{self.checks[0].n_topics} in {self.n_groups} groups",
            resamples=self.n_resamples,
            seed=self.seed,
        )

    @property
    def claim(self) -> str:
        """What a pass claims, as words behind the candidate's name."""
        if self.equivalent:
            return f"is equivalent to {self.baseline} within {self.margin:g}"
        if self.better:
            return f"is better than {self.baseline}{self._more}"
        return f"is not worse than {self.baseline} by {self.margin:g} or more"

    @property
    def _open(self) -> str:
        """What an undecided measure leaves possible, as words behind the candidate's name."""
        words = self.claim
        return (
            f"may be {words.removeprefix('is not ')}"
            if words.startswith("is not ")
            else f"may not {words.replace('is', 'be', 1)}"
        )

    @property
    def _more(self) -> str:
        return f" by more than {self.margin:g}" if self.margin else ""

    @property
    def findings(self) -> str:
        """What was found by every measure."""
        return " ".join(self.sentence(check) for check in self.checks)

    def sentence(self, check: GateCheck) -> str:
        """What was found by one measure."""
        places = {
            "candidate": self.candidate,
            "baseline": self.baseline,
            "margin": self.margin,
            "where": f"{check.measure} {check.difference:+.4f} [{check.lower:.4f}, {check.upper:.4f}]",
            "more": self._more,
            "least": f" by {self.margin:g}" if self.margin else "",
        }
        if check.verdict == "pass":
            return (BETTER if self.better else EQUIVALENT if self.equivalent else NOT_WORSE)(**places)
        if check.verdict == "fail":
            return (NOT_BETTER if self.better else NOT_EQUIVALENT if self.equivalent else WORSE)(**places)
        needed = check.topics_needed
        remedy = UNLIKELY() if needed is None else COULD_DECIDE(topics=plural(needed, "topic"))
        return CANNOT_TELL(**places, claim=self._open, remedy=remedy)

    def summary(self) -> str:
        """The verdict, and what it rests on."""
        return f"{self.verdict}: {self.findings}"

    def __repr__(self) -> str:
        return f"Gate({self.summary()})\n{self.to_frame()}"

    answer = gate_answer

    @staticmethod
    def drawings() -> Drawings:
        """Its charts by name; the first is drawn unless another is named."""
        from cranfield.questions.gate import charts

        return {"gate": charts.gate}


def gate(
    scores: ScoresLike,
    *,
    baseline: str,
    candidate: str,
    qrels: QrelsLike | None = None,
    measure: str | Sequence[str] | None = None,
    margin: float | None = None,
    better: bool = False,
    equivalent: bool = False,
    alpha: float = ALPHA,
    power: float = POWER,
    test: GateTest = GATE_TEST,
    n_resamples: int = RESAMPLES,
    seed: int = SEED,
    workers: int | None = None,
    progress: Progress | None = None,
    topic_groups: TopicGroups | None = None,
) -> Gate:
    r"""May the candidate replace the baseline? Pass, fail, or undecided with the topics that could decide.

    dᵢ is the candidate's score minus the baseline's on topic i. The threshold θ is −margin (not worse) or margin
    (better, 0 by default). One-sided bounds ℓ and u of level 1 − α decide:

    - *pass* when ℓ > θ; for equivalence when ℓ > −margin and u < margin;
    - *fail* when u < θ; for equivalence when u < −margin or ℓ > margin;
    - *undecided* otherwise. Absence of a significant difference is no evidence of equality, so it is no pass.

    ℓ = min(d̄ − s·y, d̄ − s·h(y)) and u = max(d̄ + s·y, d̄ − s·h(−y)), with y = t(n − 1; 1 − α)/√n,
    h(y) = (3/γ)(∛(1 + γ(y − γ/(6n))) − 1) and γ = mean((d − d̄)³)/s³: the wider of the t bound and Hall's (1992).
    Identical runs pass; any other difference that is the same on all topics decides by itself, with a warning.

    The level is approximate. A candidate at the threshold passes with probability about α, unless it loses much on few
    topics: these may be absent from the sample, and nothing in it can show that. Several measures pass together when
    each passes, which needs no correction (Berger 1982); any that fails fails the gate.

    Parameters
    ----------
    scores : ScoreMatrix, Scores, or whatever `as_scores` takes
        Both systems, scored on the same topics. With `qrels`, runs by name: ``{"main": run, "new": run}``.
    baseline, candidate : str
        Their names.
    qrels, measure : optional
        Judgments, by which runs are evaluated first; the measures to decide by.
    margin : float
        The loss that can be accepted, in units of the measure; with `better`, the least gain (0 unless given).
    better : bool
        Ask whether the candidate is better, not only whether it is not worse.
    equivalent : bool
        Ask whether the difference lies within ±margin.
    alpha : float
        Level of each one-sided test; `lower` and `upper` form an interval of level 1 − 2α.
    power : float
        With what probability the number of topics named for an undecided gate would decide.
    test : {"hall", "t", "randomisation"}
        The bounds above; the paired t-test, which passes rare losses more often; or Fisher's randomisation test of
        dᵢ − θ (the bounds are those of the t-test then).
    n_resamples, seed, workers, progress
        Of the randomisation test.
    topic_groups : mapping from topic to group, or a file that `read_topic_groups` reads, optional
        Topics that belong together. The bounds then use the variance and the skewness of groups, with as many degrees
        of freedom as groups less one. Not for the randomisation test.

    Returns
    -------
    Gate

    Notes
    -----
    `topics_needed` uses the observed difference and variance as the true ones. It is the n of a one-sided paired t-test
    with the required power (Julious 2004), for every test. For equivalence each side gets the power (1 + power)/2. The
    observed difference is itself uncertain, and skewed differences need more topics.

    References
    ----------
    Schuirmann (1987), Journal of Pharmacokinetics and Biopharmaceutics 15, 657-680 (two one-sided tests). Berger
    (1982), Technometrics 24, 295-300. Hall (1992), Journal of the Royal Statistical Society B 54, 221-228. Julious
    (2004), Statistics in Medicine 23, 1921-1986. Lakens (2017), Social Psychological and Personality Science 8,
    355-362.

    Examples
    --------
    >>> old, new = [.2, .3, .1, .4, .5, .3, .2, .6], [.2, .31, .1, .4, .49, .3, .21, .6]
    >>> runs = ScoreMatrix(np.array([old, new]).T, "12345678", ["main", "new"], "AP")
    >>> result = gate(runs, baseline="main", candidate="new", margin=0.01)
    >>> result.verdict, round(result.checks[0].lower, 4)
    ('pass', -0.0031)
    >>> gate(runs, baseline="main", candidate="new", better=True).verdict
    'undecided'
    """
    check_arguments(gate, locals())
    asked = GateQuestion(
        baseline=baseline, candidate=candidate, margin=margin, better=better, equivalent=equivalent, alpha=alpha,
        power=power, test=test, n_resamples=n_resamples, seed=seed,
        topic_groups=None if topic_groups is None else Path("groups"),
    )  # fmt: skip
    several = scores_or_evaluated(scores, qrels, measure, workers=workers)
    groups = groups_of(topic_groups)
    checks = [_check(matrix, asked, groups, workers, progress) for matrix in several.values()]
    first = next(iter(several.values())).canonical()
    clusters = Clusters.of(first.topics, groups)
    drawn = test == "randomisation"
    result = Gate(
        baseline, candidate, asked.accepted, better, alpha, power, test, tuple(checks),
        n_resamples if drawn else None, seed if drawn else None,
        (
            *several.select(systems=[baseline, candidate]).warnings,
            *_cautions(asked, checks),
            *grouped_cautions(first.topics, clusters),
        ),
        equivalent,
        None if clusters is None else len(clusters),
    )  # fmt: skip
    notify(result.warnings)
    return result


def _check(
    matrix: ScoreMatrix,
    asked: GateQuestion,
    groups: Mapping[str, str] | None,
    workers: int | None,
    progress: Progress | None,
) -> GateCheck:
    """The gate for one measure."""
    names = [asked.baseline, asked.candidate]
    positions("system", names, matrix.systems)
    pair = matrix.select(systems=names).canonical().require(what="a gate")
    at = [pair.systems.index(name) for name in names]
    old, new = pair.values[:, at].T
    clusters = Clusters.of(pair.topics, groups)
    units = pair.values if clusters is None else clusters.spread(pair.values)
    each = Differences.of(units[:, at[1]], units[:, at[0]])
    per_unit = len(pair.topics) / each.n  # topics needed are counted in topics, not in groups

    def sides(threshold: float) -> tuple[float, float]:
        """The p-values for a difference above the threshold, and below it."""
        if asked.test == "randomisation":
            shifted = ScoreMatrix(np.stack([old + threshold, new], axis=1), pair.topics, _SIDES, pair.measure)
            return _flipped(shifted, asked, workers, progress)
        return (hall_values if asked.test == "hall" else t_values)(each, threshold)

    threshold = asked.accepted if asked.better else -asked.accepted
    (p, p_fail), power, gap = sides(threshold), asked.power, each.above(threshold)
    if asked.equivalent:
        above, below = sides(asked.accepted)
        p, p_fail = max(p, below), min(p_fail, above)
        gap = min(gap, each.above(asked.accepted), key=abs)
        power = (1 + power) / 2
    lower, upper = (hall_bounds if asked.test == "hall" else bounds)(each, asked.alpha)
    verdict = verdict_of(p, p_fail, asked.alpha)
    if each.sd == 0.0 and asked.test == "hall":
        # Both bounds are the difference itself, which decides however few topics there are.
        verdict = "pass" if p < 1 else "fail" if p_fail < 1 else "undecided"
    needed = absent = None
    if verdict == "undecided":
        beyond = asked.equivalent and abs(each.mean) > asked.accepted  # then only one side is left to show
        needed = topics_for(gap, each.sd, asked.alpha, asked.power if beyond else power)
        needed = None if needed is None else math.ceil(max(needed, each.n + 1) * per_unit)
    elif verdict == "pass" and pair.values.min() >= 0 and pair.values.max() <= 1:
        loss = abs(gap) / absent_share(each.n, asked.alpha)
        absent = loss if loss <= 1 else None
    equal = None if asked.better else topics_for(threshold, each.sd, asked.alpha, power)
    equal = None if equal is None else math.ceil(equal * per_unit)
    means = (float(pair.system_means[at[0]]), float(pair.system_means[at[1]]))
    return GateCheck(pair.measure, len(old), *means, each.mean, lower, upper, p, p_fail, verdict, needed, equal, absent)


def _flipped(
    shifted: ScoreMatrix, asked: GateQuestion, workers: int | None, progress: Progress | None
) -> tuple[float, float]:
    """One-sided p-values of Fisher's randomisation test of the candidate against the baseline raised to θ."""
    from cranfield.questions.compare.compare import compare

    def p_value(alternative: Alternative) -> float:
        with quietly():
            result = compare(
                shifted, test="randomisation", baseline=_SIDES[0], alternative=alternative, correction="none",
                alpha=asked.alpha, n_resamples=asked.n_resamples, seed=asked.seed, workers=workers, progress=progress,
            )  # fmt: skip
        return float(result.p[0])

    return p_value("greater"), p_value("less")


def _cautions(asked: GateQuestion, checks: list[GateCheck]) -> list[str]:
    """What is odd about the question, given the scores."""
    wide = [one.measure for one in checks if not asked.better and asked.accepted >= one.mean_baseline > 0]
    flat = [one for one in checks if asked.test == "hall" and one.lower == one.upper and one.difference]
    return [
        *(WIDE_MARGIN(margin=asked.accepted, measure=measure, baseline=asked.baseline) for measure in wide),
        *(NO_SPREAD(measure=one.measure, difference=one.difference) for one in flat),
    ]
