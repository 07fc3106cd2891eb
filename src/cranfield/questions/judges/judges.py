"""`judges`: are machine judgments as good as a second person, and what do they add to human ones?"""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass
from functools import reduce
from typing import TYPE_CHECKING, Any, Unpack

import polars as pl

from cranfield.collection.doors import RunsLike
from cranfield.core.answer import sentence
from cranfield.core.arguments import check_arguments
from cranfield.core.defaults import ALPHA, SEED, TAU_RESAMPLES
from cranfield.core.errors import DataError, notify
from cranfield.core.labels import plural, summary
from cranfield.core.results import Result, check_finite, check_frame, signature
from cranfield.measures.options import ScoringOptions, complete_scoring
from cranfield.questions.judges import tables
from cranfield.questions.judges.estimates import UNKNOWN_SAMPLING, estimate, no_estimates
from cranfield.questions.judges.inputs import PAIR, Bench, JudgesLike, SamplingLike, gather, read_groups, read_strata
from cranfield.questions.judges.plan import Needed, needed_topics
from cranfield.questions.judges.question import JudgesQuestion
from cranfield.questions.judges.rankings import effective_judges
from cranfield.questions.judges.verdict import Verdict, beside_people, verdicts
from cranfield.scores.tau_interval import LEAST_APART

if TYPE_CHECKING:
    from cranfield.core.answer import Answer, Drawings
    from cranfield.core.question import Question

Groups = Mapping[str, str] | str | os.PathLike[str] | None
UNMATCHED = sentence(
    "judges.unmatched",
    "{machine}: {human_only:,} documents were judged by people only, {machine_only:,} by the machine only.",
    "on the shared topics some pairs have one judgment only",
)
DROPPED = sentence(
    "judges.dropped-systems",
    "{systems} left out, because some judge has no scores: {names}.",
    "some judge has no scores of some system",
)
SCALES = sentence(
    "judges.scales",
    "Grades by {judge} are {own}, by {person} {people}. Labels and leniency compare them unmapped. Declare `map`.",
    "the lowest or highest grade of a machine is not that of people on the pairs of both, and no mapping is declared",
)
PART = sentence(
    "judges.part-of-pairs",
    "Δ uses the {shared} that every second person judged. With {name} alone it would use {own}.",
    "several second persons judged, and one of them shares more pairs or topics with people and machines than all do",
)
HUMAN_ONLY = sentence(
    "judges.human-only-topics",
    "{topics} left out, because not every machine judged them: {names}.",
    "the reference judged topics that some machine did not, and other topics are shared",
)
NO_SHARED_TOPIC = sentence(
    "judges.no-shared-topic",
    "People and machines share no topic. Only rankings can be compared.",
    "no topic is scored by the reference and by every machine",
    measured="judges.md#what-simulation-says",
)
TOO_FEW_APART = sentence(
    "judges.too-few-apart",
    "τ has no interval: with different topics, both sides need at least {least} topics.",
    "no topic is shared, and people or a machine scored fewer than 50 topics",
)
UNEXAMINED = sentence(
    "judges.unexamined-group",
    "Bias was not examined for {groups}: a group needs 1 system inside, 3 outside, and 3 shared topics.",
    "a declared group has no system among the runs, or too few systems or topics beside it",
)
INTERVALS = {
    "decision_rows": None, "conflict_rows": None, "ranking_rows": "value", "mean_rows": "value",
    "pair_rows": "difference", "bias_rows": "difference", "label_rows": "value", "leniency_rows": "value",
    "confusion_rows": None, "judge_rows": "difference", "score_rows": None,
}  # fmt: skip
"""The tables of a result, and the column whose interval each holds."""


@dataclass(frozen=True, eq=False)
class Judging(Result):
    """Machine judges beside people; get one from `judges`.

    Attributes
    ----------
    verdicts : one per machine, where a second person judged; else empty
    decision_rows : judge, decision, pairs, share
    conflict_rows : every pair of systems with its decision under both judgments, opposite ones first
    ranking_rows : judge, role, systems, coefficient, value, corrected, lower, upper
    mean_rows, pair_rows : as `evaluate` and `compare`, with method, weight and effective_topics
    bias_rows : judge, role, group, systems, difference, lower, upper, p, p_teams
    label_rows : judge, statistic, value, lower, upper
    leniency_rows : judge minus reference, by grade and by system
    confusion_rows : judge, grade, judge_grade, pairs
    judge_rows : two machines, the correlation of their errors, and the difference of their τ
    score_rows : judge, system, human, machine: the means behind the rankings
    method : ``"powered"`` or ``"human"``, the judgments behind means and pairs
    reason : why means and pairs use human judgments only; empty when they are powered
    effective_topics : human topics that alone would give intervals as narrow, the median over pairs
    needed : human topics that the next study needs, alone and beside a machine; None with few topics
    effective_judges : independent machines that several machines are worth
    """

    settings: Mapping[str, Any]
    verdicts: tuple[Verdict, ...]
    decision_rows: pl.DataFrame
    conflict_rows: pl.DataFrame
    ranking_rows: pl.DataFrame
    mean_rows: pl.DataFrame
    pair_rows: pl.DataFrame
    bias_rows: pl.DataFrame
    label_rows: pl.DataFrame
    leniency_rows: pl.DataFrame
    confusion_rows: pl.DataFrame
    judge_rows: pl.DataFrame
    score_rows: pl.DataFrame
    method: str
    effective_topics: float | None
    effective_judges: float | None
    needed: Needed | None = None
    reason: str = ""
    warnings: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        for name, estimated in INTERVALS.items():
            check_frame("judges", getattr(self, name), estimated)
        check_finite("judges", effective_topics=self.effective_topics, effective_judges=self.effective_judges)

    @property
    def signature(self) -> str:
        """One line for a paper's footnote."""
        known = dict(self.settings)
        told = [
            "measure",
            "human",
            "machine",
            "n_systems",
            "n_topics",
            "n_machine_topics",
            "sampled",
            "n_resamples",
            "seed",
        ]
        if known["map"] is not None:
            told.insert(3, "map")
        return signature("machine and human judges", **{name: _text(known[name]) for name in told})

    def to_frame(self) -> pl.DataFrame:
        """One row per machine and decision: measure, judge, decision, pairs, share."""
        return self.decision_rows

    def to_dict(self) -> dict[str, Any]:
        """Everything as plain Python values."""
        rows = {name.removesuffix("_rows"): getattr(self, name).to_dicts() for name in INTERVALS}
        outcomes = [
            {"judge": one.judge, "outcome": one.outcome, **one.difference._asdict(), "topics": one.n_topics}
            for one in self.verdicts
        ]
        needed = None if self.needed is None else self.needed._asdict()
        more = {"effective_topics": self.effective_topics, "effective_judges": self.effective_judges, "needed": needed}
        return {**super().to_dict(), "verdicts": outcomes, **more, **rows}

    def summary(self) -> str:
        """The verdict, or τ with its interval."""
        from cranfield.questions.judges.answer import headline

        return headline(self)

    def __repr__(self) -> str:
        return f"Judging({self.summary()})\n{self.decision_rows}"

    def answer(self, question: Question | None = None) -> Answer:
        """What the result says, as every skin shows it."""
        from cranfield.questions.judges.answer import judges_answer

        return judges_answer(self)

    @staticmethod
    def drawings() -> Drawings:
        """Its charts by name; the first is drawn unless another is named."""
        from cranfield.questions.judges import charts

        return {
            "scores": charts.scores, "slopes": charts.slopes, "decisions": charts.decisions, "bias": charts.bias,
        }  # fmt: skip


def _text(value: Any) -> Any:
    return "+".join(value) if isinstance(value, list) else value


def judges(
    human: JudgesLike,
    machine: JudgesLike,
    runs: RunsLike | None = None,
    *,
    measure: str | None = None,
    map: str | None = None,
    system_groups: Groups = None,
    teams: Groups = None,
    sampled: SamplingLike = "unknown",
    alpha: float = ALPHA,
    n_resamples: int = TAU_RESAMPLES,
    seed: int = SEED,
    **scoring: Unpack[ScoringOptions],
) -> Judging:
    r"""Are machine judgments as good as a second person, and what do they add to human ones?

    The unit is the topic, never the document. Δ = τ(human, machine) − τ(human, second person), both on the pairs that
    all of them judged. A machine is *not worse than a second person* under three conditions: the lower end of Δ's
    interval is above −.10; no more pairs of systems are significantly opposite than between people; and the machine
    favours no declared group more than the second person does. It is *worse* when the upper end is below 0. Otherwise
    these topics cannot tell. Nothing here says that a machine may replace people.

    Where the machine judged further topics, means and differences are prediction-powered (see `powered`).

    Parameters
    ----------
    human : judgments of people, or scores by them
        The first is the reference; further ones are second persons.
    machine : judgments of machines, or scores by them; several in a list or by name
    runs : the runs to score; leave out when scores are given
    measure : the measure that ranks systems; by default nDCG@10 for runs, or the only one of the scores
    map : machine grade to human grade, such as ``"0:0,1:0,2:1,3:1"``
    system_groups : mapping from system to group, or a file
        Groups that a machine may favour, such as systems built on the judging model. Systems without a group are the
        others.
    teams : mapping from system to team, or a file; whole teams are permuted for a second p-value of bias
    sampled : how the human topics were chosen
        ``"random"``, ``"unknown"``, or strata with different rates: a mapping from topic to stratum, or a file of lines
        ``topic stratum`` for all topics.
    alpha : level of tests, and one minus the level of intervals
    n_resamples, seed : resamples of topics

    References
    ----------
    Angelopoulos, Bates, Fannjiang, Jordan & Zrnic, "Prediction-powered inference", Science 382 (2023); Cohen (1960,
    1968); Krippendorff (2011); Gwet (2014).

    Examples
    --------
    >>> from cranfield import make_scores, ScoreMatrix
    >>> people = make_scores(n_topics=40, n_systems=8, seed=2)
    >>> machine = ScoreMatrix(0.8 * people.values + 0.1, people.topics, people.systems, people.measure)
    >>> result = judges({"people": people}, {"machine": machine})
    >>> print(result.summary())
    machine and people rank 8 systems with τ = 1.000 [1.000, 1.000]
    """
    check_arguments(judges, locals())
    options = complete_scoring(scoring, "judges")
    strata, groups, members = read_strata(sampled), read_groups(system_groups), read_groups(teams)
    bench = gather(human, machine, runs, measure, map, options)
    if len(bench.common) == 1:
        raise DataError("people and machines share 1 topic; at least 2 are needed. Judge more topics twice.")
    shared = bool(bench.common)
    draws = alpha, n_resamples, seed
    warnings = _warnings(bench, map is not None)
    beside = beside_people(bench)
    estimates = estimate(bench, _name(sampled), strata, *draws) if shared else no_estimates()
    if estimates.method == "powered" and sampled == "unknown":
        warnings.append(UNKNOWN_SAMPLING())
    asked = {
        "map": map, "system_groups": _name(system_groups), "teams": _name(teams), "sampled": _name(sampled),
        "alpha": alpha, "n_resamples": n_resamples, "seed": seed, **options, "intents": _name(options["intents"]),
    }  # fmt: skip
    rows = {
        "decision_rows": tables.decision_rows(bench, alpha),
        "conflict_rows": tables.pair_decision_rows(bench, alpha),
        "ranking_rows": tables.ranking_rows(bench, beside, *draws),
        "mean_rows": estimates.means,
        "pair_rows": estimates.pairs,
        "bias_rows": tables.bias_rows(bench, beside, groups, members, *draws),
        "label_rows": tables.label_rows(bench, alpha),
        "leniency_rows": tables.leniency_rows(bench, alpha),
        "confusion_rows": tables.confusion_rows(bench),
        "judge_rows": tables.judge_rows(bench, *draws),
        "score_rows": tables.score_rows(bench),
    }
    if unexamined := _unexamined(groups, rows["bias_rows"]):
        warnings.append(UNEXAMINED(groups=unexamined))
    several = shared and len(bench.machines) > 1
    result = Judging(
        settings=JudgesQuestion.in_force(**_facts(bench), **asked),
        verdicts=verdicts(bench, beside, groups, *draws),
        **{name: table.select(pl.lit(bench.measure).alias("measure"), pl.all()) for name, table in rows.items()},
        method=estimates.method,
        effective_topics=estimates.effective_topics,
        effective_judges=effective_judges(tables.errors_by_topic(bench)) if several else None,
        needed=needed_topics(bench, alpha),
        reason=estimates.reason,
        warnings=tuple(warnings),
    )
    notify(result.warnings)
    return result


def _unexamined(groups: Mapping[str, str] | None, rows: pl.DataFrame) -> str:
    """The declared groups without a row of bias, by name."""
    examined = set(rows["group"])
    return summary([group for group in dict.fromkeys((groups or {}).values()) if group not in examined])


def _name(given: Any) -> str | None:
    """A setting as a result keeps it: the name of a file; of a mapping, that it was given."""
    if given is None or isinstance(given, str):
        return given
    return os.fspath(given) if isinstance(given, os.PathLike) else "given"


def _facts(bench: Bench) -> dict[str, Any]:
    return {
        "measure": bench.measure,
        "human": [bench.reference.name, *(one.name for one in bench.seconds)],
        "machine": [one.name for one in bench.machines],
        "n_systems": bench.reference.scores.n_systems,
        "n_topics": len(bench.common),
        "n_human_topics": bench.reference.scores.n_topics,
        "n_machine_topics": len(bench.extra),
        "n_pairs": _pairs_judged_twice(bench),
    }


def _pairs_judged_twice(bench: Bench) -> int | None:
    """Topic–document pairs that the reference and every machine judged; None for scores."""
    judges = (bench.reference, *bench.machines)
    found = [one.qrels.frame.select(PAIR) for one in judges if one.qrels is not None]
    if len(found) < len(judges):
        return None
    return reduce(lambda both, more: both.join(more, on=PAIR, how="semi"), found).height


def _warnings(bench: Bench, mapped: bool) -> list[str]:
    """What does not match between people and machines."""
    found = []
    if bench.dropped:
        found.append(DROPPED(systems=plural(len(bench.dropped), "system"), names=summary(bench.dropped)))
    if not bench.common:
        sizes = [one.scores.n_topics for one in (bench.reference, *bench.machines)]
        return [*found, NO_SHARED_TOPIC(), *([TOO_FEW_APART(least=LEAST_APART)] if min(sizes) < LEAST_APART else [])]
    if alone := bench.human_only:
        found.append(HUMAN_ONLY(topics=plural(len(alone), "topic"), names=summary(alone)))
    for one in bench.machines:
        if one.qrels is None or bench.reference.qrels is None:
            continue
        here = pl.col("topic").is_in(bench.common)
        both = bench.pairs_in_common(bench.reference, one).filter(here)
        human_only = bench.reference.qrels.frame.filter(here).height - both.height
        machine_only = one.qrels.frame.filter(here).height - both.height
        if human_only or machine_only:
            found.append(UNMATCHED(machine=one.name, human_only=human_only, machine_only=machine_only))
        people, own = (f"{both[name].min()!r} to {both[name].max()!r}" for name in ("relevance", "grade"))
        if both.height and not mapped and people != own:
            found.append(SCALES(judge=one.name, own=own, person=bench.reference.name, people=people))
    return found + _partly(bench)


def _partly(bench: Bench) -> list[str]:
    """That second persons judged different pairs, so that only those of all of them count."""
    if len(bench.seconds) < 2:
        return []
    fixed, unit = (bench.reference, *bench.machines[:1]), "topic" if bench.runs is None else "pair"
    sizes = [bench.judged_by((*fixed, one)).height for one in bench.seconds]
    of_all, most = bench.judged_by((*fixed, *bench.seconds)).height, max(sizes)
    if of_all == most:
        return []
    name = bench.seconds[sizes.index(most)].name
    return [PART(shared=plural(of_all, unit), name=name, own=plural(most, unit))]
