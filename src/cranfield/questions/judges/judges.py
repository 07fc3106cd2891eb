"""`judges`: are machine judgments as good as a second person, and what do they add to human ones?"""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass
from itertools import combinations
from typing import TYPE_CHECKING, Any, Unpack

import numpy as np
import polars as pl
from numpy.typing import NDArray

from cranfield.collection.doors import RunsLike
from cranfield.core.defaults import ALPHA, JUDGES_MEASURE, SEED, TAU_RESAMPLES, Sampled, names
from cranfield.core.errors import ArgumentError, DataError, notify, quietly
from cranfield.core.invariants import check_frame
from cranfield.core.labels import plural, summary
from cranfield.core.results import Result
from cranfield.core.sentences import sentence
from cranfield.core.signature import signature
from cranfield.measures.options import ScoringOptions, complete_scoring
from cranfield.questions.compare.compare import compare
from cranfield.questions.judges import bias, labels, powered, rankings
from cranfield.questions.judges.inputs import Bench, Judge, JudgesLike, gather, read_groups
from cranfield.scores.matrix import ScoreMatrix
from cranfield.scores.rank_coefficients import rank_correlations
from cranfield.scores.tau_interval import LEAST_SYSTEMS, RankedScores, tau_intervals

if TYPE_CHECKING:
    from cranfield.core.answer import Answer, Drawings
    from cranfield.core.question import Question

Array = NDArray[np.float64]
TOP = 15
"""Systems at the top, by human means, whose order is looked at by itself."""
COEFFICIENTS = ("tau_b", "tau_ap_b")

NO_FURTHER = sentence(
    "judges.no-further-topics",
    "Means and pairs use human judgments only: {machine} judged no further topic.",
    "every topic of the machine is judged by people too",
)
TOO_FEW = sentence(
    "judges.too-few",
    "Means and pairs use human judgments only: {n} topics with both judgments are fewer than {least}.",
    "fewer than 15 topics have both judgments, and the machine judged further topics",
)
TOO_WEAK = sentence(
    "judges.too-weak",
    "Means and pairs use human judgments only: the median correlation of differences is {rho:.2f}, below {least}.",
    "human and machine differences of pairs correlate less than .5 in the median",
)
UNKNOWN_SAMPLING = sentence(
    "judges.unknown-sampling",
    "How the human topics were chosen is unknown, so no powered means are given. If they were drawn at random, "
    "add --sampled random.",
    "the sampling of the human topics is not declared and powered estimates were possible",
)
NO_CEILING = sentence(
    "judges.no-ceiling",
    "No ceiling: one assessor. Add a second person's judgments with --human for a verdict.",
    "the judgments of one person only are given",
)
UNMATCHED = sentence(
    "judges.unmatched",
    "{machine}: {human_only:,} pairs are judged by people only, {machine_only:,} by the machine only.",
    "on the shared topics some pairs have one judgment only",
)


@dataclass(frozen=True, eq=False)
class Verdict:
    """The three outcomes of a machine beside second persons: ``not worse``, ``worse`` or ``cannot tell``."""

    judge: str
    outcome: str
    difference: rankings.TauDifference
    n_systems: int
    n_topics: int
    opposite: int
    opposite_of_people: float
    biased: tuple[str, ...] = ()


@dataclass(frozen=True, eq=False)
class Judging(Result):
    """Machine judges beside people; get one from `judges`.

    Attributes
    ----------
    verdicts : one per machine, where a second person judged; else empty
    decision_rows : judge, decision, pairs, share
    opposite_rows : pairs decided in opposite directions
    ranking_rows : judge, role, systems, coefficient, value, corrected, lower, upper
    mean_rows, pair_rows : as `evaluate` and `compare`, with method, weight and effective_topics
    bias_rows : judge, group, difference, lower, upper, p
    label_rows : judge, statistic, value, lower, upper
    confusion_rows : judge, grade, machine_grade, pairs
    judge_rows : two machines, the correlation of their errors, and the difference of their τ
    score_rows : judge, system, human, machine: the means behind the rankings
    """

    settings: Mapping[str, Any]
    verdicts: tuple[Verdict, ...]
    decision_rows: pl.DataFrame
    opposite_rows: pl.DataFrame
    ranking_rows: pl.DataFrame
    mean_rows: pl.DataFrame
    pair_rows: pl.DataFrame
    bias_rows: pl.DataFrame
    label_rows: pl.DataFrame
    confusion_rows: pl.DataFrame
    judge_rows: pl.DataFrame
    score_rows: pl.DataFrame
    method: str
    effective_topics: float | None
    warnings: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        for table in (self.decision_rows, self.ranking_rows, self.pair_rows, self.bias_rows, self.label_rows):
            check_frame("judges", table)

    @property
    def signature(self) -> str:
        """One line for a paper's footnote."""
        return signature("machine and human judges", **dict(self.settings))

    def to_frame(self) -> pl.DataFrame:
        """One row per machine and decision: judge, decision, pairs, share."""
        return self.decision_rows

    def to_dict(self) -> dict[str, Any]:
        """Everything as plain Python values."""
        tables = {name.removesuffix("_rows"): getattr(self, name).to_dicts() for name in _TABLES}
        outcomes = [
            {"judge": one.judge, "outcome": one.outcome, **one.difference._asdict(), "topics": one.n_topics}
            for one in self.verdicts
        ]
        return {**super().to_dict(), "verdicts": outcomes, **tables}

    def summary(self) -> str:
        """The verdict, or τ with its interval."""
        from cranfield.questions.judges.answer import headline

        return headline(self)

    def __repr__(self) -> str:
        return f"Judging({self.summary()})\n{self.decision_rows}"

    def answer(self, question: Question | None = None) -> Answer:
        """What the result says, as every skin shows it."""
        from cranfield.questions.judges.answer import judges_answer

        return judges_answer(self, question)

    @staticmethod
    def drawings() -> Drawings:
        """Its charts by name; the first is drawn unless another is named."""
        from cranfield.questions.judges import charts

        return {
            "scores": charts.scores, "slopes": charts.slopes, "decisions": charts.decisions, "bias": charts.bias,
        }  # fmt: skip


_TABLES = (
    "opposite_rows", "ranking_rows", "mean_rows", "pair_rows", "bias_rows", "label_rows", "confusion_rows",
    "judge_rows",
)  # fmt: skip


def judges(
    human: JudgesLike,
    machine: JudgesLike,
    runs: RunsLike | None = None,
    *,
    measure: str = JUDGES_MEASURE,
    map: str | None = None,
    system_groups: Mapping[str, str] | str | os.PathLike[str] | None = None,
    teams: Mapping[str, str] | str | os.PathLike[str] | None = None,
    sampled: str = "unknown",
    alpha: float = ALPHA,
    n_resamples: int = TAU_RESAMPLES,
    seed: int = SEED,
    **scoring: Unpack[ScoringOptions],
) -> Judging:
    r"""Are machine judgments as good as a second person, and what do they add to human ones?

    The unit is the topic, never the document. Δ = τ(human, machine) − τ(human, second person), both on the pairs that
    all of them judged. A machine is *not worse than a second person* when the lower end of Δ's interval is above
    −.10, no more pairs of systems are significantly opposite than between people, and no declared group of systems is
    favoured beyond what the second person does. It is *worse* when the upper end is below 0. Otherwise these topics
    cannot tell. Nothing here says that a machine may replace people.

    Where the machine judged further topics, means and differences are prediction-powered (see `powered`).

    Parameters
    ----------
    human : judgments of people, or scores by them
        The first is the reference; further ones are second persons.
    machine : judgments of machines, or scores by them; several in a list or by name
    runs : the runs to score; leave out when scores are given
    measure : the measure that ranks systems
    map : machine grade to human grade, such as ``"0:0,1:0,2:1,3:1"``
    system_groups : mapping from system to group, or a file
        Groups that a machine may favour, such as systems built on the judging model. Systems without a group are the
        others.
    teams : mapping from system to team, or a file; whole teams are permuted for a second p-value of bias
    sampled : ``"random"`` when the human topics were drawn at random from all topics, else ``"unknown"``
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
    >>> result = judges({"people": people}, {"machine": machine}, measure=people.measure)
    >>> result.ranking_rows.row(0, named=True)["value"]
    1.0
    """
    if sampled not in names(Sampled):
        raise ArgumentError(f"`sampled` must be random or unknown; got {sampled!r}.")
    bench = gather(human, machine, runs, measure, map, complete_scoring(scoring, "judges"))
    groups, members = read_groups(system_groups), read_groups(teams)
    warnings = list(_overlap_warnings(bench))
    shared = bool(bench.common)
    if len(bench.common) == 1:
        raise DataError("people and machines share 1 topic; at least 2 are needed. Judge more topics twice.")
    verdicts = _verdicts(bench, groups, alpha, n_resamples, seed) if shared else ()
    if not bench.seconds and shared:
        warnings.append(NO_CEILING())
    estimates, reasons = _estimates(bench, sampled, alpha, n_resamples, seed) if shared else (_no_estimates(), [])
    result = Judging(
        settings=_settings(bench, measure, map, system_groups, teams, sampled, alpha, n_resamples, seed),
        verdicts=verdicts,
        decision_rows=_decision_rows(bench, alpha),
        opposite_rows=_opposite_rows(bench, alpha),
        ranking_rows=_ranking_rows(bench, alpha, n_resamples, seed),
        mean_rows=estimates.means,
        pair_rows=estimates.pairs,
        bias_rows=_bias_rows(bench, groups, members, alpha, n_resamples, seed),
        label_rows=_label_rows(bench, alpha),
        confusion_rows=_confusion_rows(bench),
        judge_rows=_judge_rows(bench, alpha, n_resamples, seed),
        score_rows=_score_rows(bench),
        method=estimates.method,
        effective_topics=estimates.effective_topics,
        warnings=(*warnings, *reasons),
    )
    notify(result.warnings)
    return result


def _settings(
    bench: Bench, measure: str, map: str | None, groups: Any, teams: Any, sampled: str, alpha: float, n: int, seed: int
) -> dict[str, Any]:
    return {
        "measure": measure,
        "human": [bench.reference.name, *(one.name for one in bench.seconds)],
        "machine": [one.name for one in bench.machines],
        "n_systems": bench.reference.scores.n_systems,
        "n_topics": len(bench.common),
        "n_machine_topics": len(bench.extra),
        "map": map,
        "system_groups": os.fspath(groups) if isinstance(groups, (str, os.PathLike)) else bool(groups) or None,
        "teams": os.fspath(teams) if isinstance(teams, (str, os.PathLike)) else bool(teams) or None,
        "sampled": sampled,
        "alpha": alpha,
        "n_resamples": n,
        "seed": seed,
    }


def _overlap_warnings(bench: Bench) -> list[str]:
    found = []
    for one in bench.machines:
        if one.qrels is None or bench.reference.qrels is None:
            continue
        both = bench.pairs_in_common(bench.reference, one).height
        here = pl.col("topic").is_in(bench.common)
        human_only = bench.reference.qrels.frame.filter(here).height - both
        machine_only = one.qrels.frame.filter(here).height - both
        if human_only or machine_only:
            found.append(UNMATCHED(machine=one.name, human_only=human_only, machine_only=machine_only))
    return found


# ── verdict ──


def _verdicts(
    bench: Bench, groups: Mapping[str, str] | None, alpha: float, n_resamples: int, seed: int
) -> tuple[Verdict, ...]:
    if not bench.seconds or bench.reference.scores.n_systems < LEAST_SYSTEMS:
        return ()
    found = []
    for machine in bench.machines:
        sides = bench.restricted([bench.reference, machine, *bench.seconds])
        if sides is None:
            topics = [topic for topic in bench.common if all(topic in one.topics for one in bench.seconds)]
            sides = topics, [one.on(topics) for one in (bench.reference, machine, *bench.seconds)]
        topics, (reference, own, *people) = sides
        if len(topics) < 2:
            continue
        first, *others = rankings.rankings(reference, [own, *people], alpha=alpha, n_resamples=n_resamples, seed=seed)
        difference = rankings.tau_difference(first, others, len(topics), alpha)
        opposite, of_people = _opposite(reference, own), float(np.mean([_opposite(reference, one) for one in people]))
        placebo = np.mean(people, axis=0)
        biased = tuple(
            group
            for group, inside in _groups(bench, groups)
            if (bias.group_bias(reference, own, inside, alpha, placebo)).p <= alpha
        )
        if difference.upper < 0:
            outcome = "worse"
        elif difference.lower > -rankings.MARGIN and opposite <= of_people and not biased:
            outcome = "not worse"
        else:
            outcome = "cannot tell"
        n_systems = reference.shape[1]
        found.append(Verdict(machine.name, outcome, difference, n_systems, len(topics), opposite, of_people, biased))
    return tuple(found)


def _opposite(first: Array, second: Array) -> int:
    """Pairs that both judgments decide by an unadjusted paired t-test at .05, in opposite directions."""
    return rankings.count_decisions(rankings.decisions(first, second, 0.05, holm=False))["opposite"]


# ── tables ──


def _decision_rows(bench: Bench, alpha: float) -> pl.DataFrame:
    rows = []
    for one in bench.machines if bench.common else ():
        counts = rankings.count_decisions(_decided(bench, one, alpha))
        total = sum(counts.values())
        rows += [(one.name, name, count, count / total) for name, count in counts.items()]
    schema = {"judge": pl.String, "decision": pl.String, "pairs": pl.Int64, "share": pl.Float64}
    return pl.DataFrame(rows, schema=schema, orient="row")


def _decided(bench: Bench, machine: Judge, alpha: float) -> Array:
    return rankings.decisions(bench.reference.on(bench.common), machine.on(bench.common), alpha, holm=True)


def _opposite_rows(bench: Bench, alpha: float) -> pl.DataFrame:
    rows = []
    systems = bench.reference.scores.systems
    a, b = np.triu_indices(len(systems), 1)
    for one in bench.machines if bench.common else ():
        decided = _decided(bench, one, alpha)
        human, machine = (values.mean(axis=0) for values in (bench.reference.on(bench.common), one.on(bench.common)))
        for at in np.flatnonzero(decided[0] * decided[1] < 0):
            first, second = a[at], b[at]
            rows.append((
                one.name, systems[first], systems[second], float(human[first] - human[second]),
                float(machine[first] - machine[second]),
            ))  # fmt: skip
    names = ("judge", "system_a", "system_b")
    return pl.DataFrame(
        rows, schema={**dict.fromkeys(names, pl.String), "human": pl.Float64, "machine": pl.Float64}, orient="row"
    )


def _ranking_rows(bench: Bench, alpha: float, n_resamples: int, seed: int) -> pl.DataFrame:
    rows = []
    sides = [("machine", one) for one in bench.machines] + [("second person", one) for one in bench.seconds]
    for role, judge in sides:
        topics = [topic for topic in bench.reference.scores.topics if topic in judge.topics]
        shared = len(topics) >= 2
        # A ceiling counts only on pairs that both people judged.
        both = bench.restricted([bench.reference, judge]) if role == "second person" else None
        if both is not None:
            first, second = both[1]
        else:
            first, second = (one.on(topics) if shared else one.scores.values for one in (bench.reference, judge))
        rows += _coefficients(judge.name, role, "all", first, second, shared, alpha, n_resamples, seed)
        if shared and first.shape[1] > TOP + LEAST_SYSTEMS:
            top = np.sort(np.argsort(-first.mean(axis=0), kind="stable")[:TOP])
            rows += _coefficients(
                judge.name, role, f"top {TOP}", first[:, top], second[:, top], shared, alpha, n_resamples, seed
            )
    texts = ("judge", "role", "systems", "coefficient")
    numbers = ("value", "corrected", "lower", "upper")
    schema = {**dict.fromkeys(texts, pl.String), **dict.fromkeys(numbers, pl.Float64)}
    return pl.DataFrame(rows, schema=schema, orient="row")


def _coefficients(
    name: str, role: str, which: str, first: Array, second: Array, shared: bool, alpha: float, n: int, seed: int
) -> list[tuple[Any, ...]]:
    x, y = RankedScores.of(first), RankedScores.of(second)
    point = rank_correlations(x.totals[None], y.totals[None], (x.tolerance, y.tolerance))
    values = {key: float(point[key][0]) for key in COEFFICIENTS}
    ends = tau_intervals(x, y, values, shared=shared, alpha=alpha, n_resamples=n, seed=seed)
    return [
        (name, role, which, key, None if np.isnan(value) else value, *_plain(ends[key]))
        for key, value in values.items()
    ]


def _plain(found: Any) -> tuple[float | None, float | None, float | None]:
    return found.corrected, found.lower, found.upper


@dataclass(frozen=True, eq=False)
class _Estimates:
    means: pl.DataFrame
    pairs: pl.DataFrame
    method: str
    effective_topics: float | None


MEAN_SCHEMA = {
    "system": pl.String, "method": pl.String, "value": pl.Float64, "lower": pl.Float64, "upper": pl.Float64,
    "weight": pl.Float64, "effective_topics": pl.Float64,
}  # fmt: skip
PAIR_SCHEMA = {
    "system_a": pl.String, "system_b": pl.String, "difference": pl.Float64, "lower": pl.Float64, "upper": pl.Float64,
    "p": pl.Float64, "p_adjusted": pl.Float64, "significant": pl.Boolean, "method": pl.String, "weight": pl.Float64,
    "effective_topics": pl.Float64,
}  # fmt: skip


def _no_estimates() -> _Estimates:
    return _Estimates(pl.DataFrame(schema=MEAN_SCHEMA), pl.DataFrame(schema=PAIR_SCHEMA), "human", None)


def _estimates(bench: Bench, sampled: str, alpha: float, n_resamples: int, seed: int) -> tuple[_Estimates, list[str]]:
    """Means and pairs, powered by the first machine where that is sound; else by human judgments only."""
    machine, common = bench.machines[0], bench.common
    y, f, others = bench.reference.on(common), machine.on(common), machine.on(bench.extra)
    a, b = np.triu_indices(y.shape[1], 1)
    human = _human_means(bench, y, f, alpha)
    if len(others) < 2:
        return _human_pairs(bench, human, alpha, n_resamples, seed), [NO_FURTHER(machine=machine.name)]
    if len(y) < powered.LEAST_TOPICS:
        reason = TOO_FEW(n=len(y), least=powered.LEAST_TOPICS)
        return _human_pairs(bench, human, alpha, n_resamples, seed), [reason]
    sides = [values[:, a] - values[:, b] for values in (y, f, others)]
    found = powered.powered(*sides)
    if not powered.offered(len(y), found.correlation):
        reason = TOO_WEAK(rho=float(np.median(found.correlation)), least=powered.LEAST_CORRELATION)
        return _human_pairs(bench, human, alpha, n_resamples, seed), [reason]
    family = powered.powered_max_t(*sides, alpha=alpha, n_resamples=n_resamples, seed=seed)
    flip = np.where(found.estimate < 0, -1.0, 1.0)
    systems = np.array(bench.reference.scores.systems)
    half = np.where(np.isfinite(family.error), family.critical * family.error, np.inf)
    pairs = pl.DataFrame(
        {
            "system_a": systems[np.where(flip > 0, a, b)],
            "system_b": systems[np.where(flip > 0, b, a)],
            "difference": np.abs(found.estimate),
            "lower": np.abs(found.estimate) - half,
            "upper": np.abs(found.estimate) + half,
            "p": family.p,
            "p_adjusted": family.p_adjusted,
            "significant": family.p_adjusted <= alpha,
            "method": ["powered"] * len(a),
            "weight": found.weight,
            "effective_topics": found.effective_topics(len(y)),
        },
        schema=PAIR_SCHEMA,
    ).sort("difference", descending=True, maintain_order=True)
    effective = float(np.median(found.effective_topics(len(y))))
    if sampled == "unknown":
        return _Estimates(human, pairs, "powered", effective), [UNKNOWN_SAMPLING()]
    own = powered.powered(y, f, others)
    lower, upper = own.interval(len(y), alpha)
    means = pl.DataFrame(
        {
            "system": systems, "method": ["powered"] * len(systems), "value": own.estimate, "lower": lower,
            "upper": upper, "weight": own.weight, "effective_topics": own.effective_topics(len(y)),
        },
        schema=MEAN_SCHEMA,
    )  # fmt: skip
    return _Estimates(pl.concat([human, means]), pairs, "powered", effective), []


def _human_means(bench: Bench, y: Array, f: Array, alpha: float) -> pl.DataFrame:
    """Human means with t intervals, and machine means without: those would not be about human judgments."""
    from scipy.special import stdtrit

    half = float(stdtrit(len(y) - 1, 1 - alpha / 2)) * y.std(axis=0, ddof=1) / np.sqrt(len(y))
    systems, m = bench.reference.scores.systems, y.shape[1]
    mean = y.mean(axis=0)
    own = {"system": systems, "method": ["human"] * m, "value": mean, "lower": mean - half, "upper": mean + half}
    n = {"weight": [0.0] * m, "effective_topics": [float(len(y))] * m}
    nothing = {name: [None] * m for name in ("lower", "upper", "weight", "effective_topics")}
    machine = {"system": systems, "method": ["machine"] * m, "value": f.mean(axis=0), **nothing}
    return pl.concat([pl.DataFrame({**own, **n}, schema=MEAN_SCHEMA), pl.DataFrame(machine, schema=MEAN_SCHEMA)])


def _human_pairs(bench: Bench, means: pl.DataFrame, alpha: float, n_resamples: int, seed: int) -> _Estimates:
    """All pairs as `compare` has them, by human judgments only."""
    matrix = ScoreMatrix(bench.reference.on(bench.common), bench.common, bench.reference.scores.systems, bench.measure)
    with quietly():
        frame = compare(matrix, alpha=alpha, seed=seed).to_frame()
    n = float(len(bench.common))
    rows = frame.with_columns(method=pl.lit("human"), weight=pl.lit(0.0), effective_topics=pl.lit(n))
    return _Estimates(means, rows.select(*PAIR_SCHEMA), "human", None)


def _groups(bench: Bench, groups: Mapping[str, str] | None) -> list[tuple[str, NDArray[np.bool_]]]:
    """Every group with its systems; a group needs 1 system inside and 3 outside."""
    if not groups:
        return []
    systems = bench.reference.scores.systems
    if not set(groups) & set(systems):
        raise DataError(f"`system_groups` names none of the systems, such as {summary(systems)}. Check the names.")
    names = list(dict.fromkeys(group for system, group in groups.items() if system in set(systems)))
    found = [(name, np.array([groups.get(system) == name for system in systems])) for name in names]
    return [(name, inside) for name, inside in found if inside.any() and (~inside).sum() >= 3]


def _bias_rows(
    bench: Bench,
    groups: Mapping[str, str] | None,
    teams: Mapping[str, str] | None,
    alpha: float,
    n_resamples: int,
    seed: int,
) -> pl.DataFrame:
    rows: list[tuple[Any, ...]] = []
    systems = bench.reference.scores.systems
    at_team = None
    if teams:
        order = {team: at for at, team in enumerate(dict.fromkeys(teams.get(system, system) for system in systems))}
        at_team = np.array([order[teams.get(system, system)] for system in systems])
    for group, inside in _groups(bench, groups) if bench.common else ():
        for role, judge in [("machine", one) for one in bench.machines] + [("person", one) for one in bench.seconds]:
            topics = [topic for topic in bench.common if topic in judge.topics]
            if len(topics) < 3:
                continue
            h, x = bench.reference.on(topics), judge.on(topics)
            found = bias.group_bias(h, x, inside, alpha)
            p = None if at_team is None else bias.permutation_p(h, x, inside, at_team, min(n_resamples, 999), seed)
            rows.append((judge.name, role, group, int(inside.sum()), *found, p))
    schema = {
        "judge": pl.String, "role": pl.String, "group": pl.String, "systems": pl.Int64, "difference": pl.Float64,
        "lower": pl.Float64, "upper": pl.Float64, "p": pl.Float64, "p_teams": pl.Float64,
    }  # fmt: skip
    return pl.DataFrame(rows, schema=schema, orient="row")


def _tables(bench: Bench, judge: Judge) -> tuple[Array, Array] | None:
    """Tables of counts by topic, and the grades."""
    if judge.qrels is None or bench.reference.qrels is None:
        return None
    both = bench.pairs_in_common(bench.reference, judge)
    if both.is_empty():
        return None
    first, second = (both[name].to_numpy().astype(np.float64) for name in ("relevance", "grade"))
    grades = np.union1d(first, second)
    if len(grades) < 2:
        return None
    topics = np.unique(both["topic"].to_numpy(), return_inverse=True)[1]
    return labels.counts_by_topic(topics, first, second, grades), grades


def _label_rows(bench: Bench, alpha: float) -> pl.DataFrame:
    rows = []
    for judge in (*bench.machines, *bench.seconds):
        found = _tables(bench, judge)
        if found is not None:
            rows += [(judge.name, *one) for one in labels.agreements(*found, alpha)]
    numbers = dict.fromkeys(("value", "lower", "upper"), pl.Float64)
    return pl.DataFrame(rows, schema={"judge": pl.String, "statistic": pl.String, **numbers}, orient="row")


def _confusion_rows(bench: Bench) -> pl.DataFrame:
    rows = []
    for judge in (*bench.machines, *bench.seconds):
        found = _tables(bench, judge)
        if found is not None:
            total, grades = found[0].sum(axis=0), found[1].astype(int)
            rows += [
                (judge.name, int(own), int(other), int(total[i, j]))
                for i, own in enumerate(grades)
                for j, other in enumerate(grades)
            ]
    schema = {"judge": pl.String, "grade": pl.Int64, "judge_grade": pl.Int64, "pairs": pl.Int64}
    return pl.DataFrame(rows, schema=schema, orient="row")


def _judge_rows(bench: Bench, alpha: float, n_resamples: int, seed: int) -> pl.DataFrame:
    """Two machines at a time: correlation of their errors by topic, and which is nearer to people."""
    rows = []
    h = bench.reference.on(bench.common)
    if len(bench.machines) > 1 and len(bench.common) >= 3 and h.shape[1] >= LEAST_SYSTEMS:
        every = [one.on(bench.common) for one in bench.machines]
        found = rankings.rankings(h, every, alpha=alpha, n_resamples=n_resamples, seed=seed)
        for i, j in combinations(range(len(every)), 2):
            errors = [(every[at] - h).mean(axis=1) for at in (i, j)]
            r = float(np.corrcoef(errors)[0, 1]) if min(one.std() for one in errors) > 0 else None
            difference = rankings.tau_difference(found[i], [found[j]], len(h), alpha)
            names = bench.machines[i].name, bench.machines[j].name
            rows.append((*names, r, difference.value, difference.lower, difference.upper))
    texts = dict.fromkeys(("judge_a", "judge_b"), pl.String)
    numbers = dict.fromkeys(("error_correlation", "difference", "lower", "upper"), pl.Float64)
    return pl.DataFrame(rows, schema={**texts, **numbers}, orient="row")


def _score_rows(bench: Bench) -> pl.DataFrame:
    frames = []
    for judge in bench.machines:
        topics = bench.common
        first, second = (one.on(topics) if topics else one.scores.values for one in (bench.reference, judge))
        each = {"system": bench.reference.scores.systems, "human": first.mean(axis=0), "machine": second.mean(axis=0)}
        ends: dict[str, Array] = {}
        for name, values in (("human", first), ("machine", second)):
            error = values.std(axis=0, ddof=1) / np.sqrt(len(values)) if len(values) > 1 else np.zeros(values.shape[1])
            ends |= {f"{name}_lower": each[name] - 2 * error, f"{name}_upper": each[name] + 2 * error}
        frames.append(pl.DataFrame({"judge": [judge.name] * len(each["system"]), **each, **ends}))
    return pl.concat(frames)


def counted(result: Judging) -> str:
    """How many topics and systems the answer rests on."""
    known = result.settings
    return f"{plural(known['n_systems'], 'system')} on {plural(known['n_topics'], 'shared topic')}"
