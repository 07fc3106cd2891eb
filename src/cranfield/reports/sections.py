"""The sections of a report: each asks questions about the collection and shows what their answers say."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from itertools import combinations
from typing import Any

import polars as pl

from cranfield.collection.pools import judged_counts
from cranfield.core.answer import Answer
from cranfield.core.charts.phone import FEWER
from cranfield.core.charts.style import number
from cranfield.core.defaults import RELIABILITY_TARGET, STANDARDISE_A
from cranfield.core.errors import ArgumentError, CranfieldError, DataError, quietly
from cranfield.core.labels import plural, summary
from cranfield.core.parts import Figure, Notice, Part, Section, Table, Text, notices
from cranfield.core.results import Result
from cranfield.core.sentences import sentence
from cranfield.core.tables import Sheet
from cranfield.questions.cost.cost import cost
from cranfield.questions.design.all_pairs import design_all_pairs
from cranfield.questions.design.interval import design_interval
from cranfield.questions.design.result import Design
from cranfield.questions.design.ttest import design_ttest
from cranfield.questions.recommend.recommend import recommend
from cranfield.questions.reliability.question import ReliabilityQuestion
from cranfield.questions.reliability.reliability import Reliability, reliability
from cranfield.questions.replicates.replicate import replicate
from cranfield.questions.reuse.reuse import reuse
from cranfield.questions.standardise.effect import standardisation_effect
from cranfield.questions.standardise.fit import fit_standardisation
from cranfield.reports.case import Case
from cranfield.reports.view.data import JUDGED_DEPTH, measures_agree
from cranfield.reports.view.topic import topics_frame

NOT_SHOWN = sentence(
    "report.not-shown-to-differ",
    "Tests of all pairs do not show that these differ from {system}: {systems}. That is no evidence that they are as "
    "good.",
    "some system's comparison with the leader is not significant",
)
UNCORRECTED = sentence(
    "report.uncorrected",
    "Without correction for {comparisons} it would have been {uncorrected:,}; if no two systems differed at all, about "
    "{chance} of {pairs:,} would come out significant by chance.",
    "`uncorrected` pairs have a p of at most alpha; alpha times the pairs are expected by chance",
    always=True,
)
WITHOUT_WORST = sentence(
    "generalisability.without-worst",
    "Bad systems make a collection look more reliable: without the {left} with the lowest means, Eρ² is {values}.",
    "leaving out the worst quarter leaves systems enough for a study, and Eρ² is lower without them",
)
WITHOUT_WORST_NO_LOWER = sentence(
    "generalisability.without-worst-no-lower",
    "Bad systems do not raise it here: without the {left} with the lowest means, Eρ² is {values}.",
    "leaving out the worst quarter leaves systems enough for a study, and Eρ² is no lower without them",
)
_TESTS, _DESIGNS = ("fisher", "smucker", "phipson", "holm"), ("sakai-evia", "sakai-rd003", "greenhouse")
TITLES: dict[str, tuple[str, tuple[str, ...]]] = {
    "data": ("The data", ()),
    "leaderboard": ("Leaderboard", _TESTS),
    "differences": ("Which systems differ", (*_TESTS, "sakai-asl")),
    "collection": ("How good the collection is", _DESIGNS),
    "reliability": ("How reliable is this collection", ("brennan", "feldt", "arteaga", "urbano", "kendall")),
    "next": ("What the next collection needs", _DESIGNS),
    "standardisation": ("Standardisation", ("sakai-std", "webber-std", "kendall")),
    "replicates": ("Other documents: replicates", ("voorhees", "benjamini")),
    "reuse": ("Will it serve systems not yet built", ("zobel", "sakai-condensed")),
}
"""The title of every section, and the works it cites."""
NO_PROBLEM = Text("No problem was found in the files.")
MIN_DIFFS = (0.05, 0.10, 0.20)
SYSTEMS = (2, 3, 5, 7, 10, 15, 20, 30, 40, 50, 70, 100)
DROPPED = 0.25
"""Share of the worst systems that a second look leaves out."""
MOST_LEFT_OUT = 3
"""Measures by which teams are left out."""


def build(name: str, case: Case) -> Section:
    """The section, or a section that says why there is none."""
    try:
        with quietly():
            return BUILDERS[name](case)
    except (DataError, ArgumentError) as error:
        return Section(name, TITLES[name][0], (Notice(f"This section could not be made: {error}"),))


def section(name: str, parts: Sequence[Part], *asked: Result) -> Section:
    """The parts of a section, with how its results were obtained and the works to cite."""
    title, works = TITLES[name]
    return Section(name, title, tuple(parts), tuple(one.signature for one in asked), works)


def finding(text: str) -> Text:
    """A headline as a paragraph."""
    return Text(text if text.endswith(".") else f"{text}.", strong=True)


def told(said: Answer) -> list[Part]:
    """What an answer says: its headline, its sentences, and what to know about it."""
    lines = said.headline.splitlines()
    return [*map(finding, lines), *map(Text, said.sentences), *notices(said.warnings)]


def figure(id: str, result: Result, kind: str, **options: Any) -> Figure:
    """A chart of a result, drawn with less in it for a narrow screen where it can be."""
    narrow = result.chart(kind, **options, **FEWER[kind]) if kind in FEWER else None
    return Figure(id, result.chart(kind, **options), narrow)


def data(case: Case) -> Section:
    """Sources, counts, problems, coverage, and how hard the topics were."""
    matrix, measures, judged = case.main, list(case.scores), case.material.qrels
    were = "was" if matrix.n_systems == 1 else "were"
    by = f"{plural(len(measures), 'measure')}: {summary(measures, 8)}" if len(measures) > 1 else case.measure
    beside = f" The report is told by {case.measure}; the other measures stand beside it." if len(measures) > 1 else ""
    size = f"{plural(matrix.n_systems, 'system')} {were} scored on {plural(matrix.n_topics, 'topic')}"
    parts: list[Part] = [Text(f"{size} by {by}. Source: {case.material.source}.{beside}")]
    if judged is not None:
        n_judged, relevant = (int(judged_counts(judged)[name].sum()) for name in ("judged", "relevant"))
        each = f"{plural(len(judged.topics), 'topic')} ({number(n_judged / len(judged.topics), 0)} a topic)"
        share = f"{relevant:,} of them ({relevant / n_judged:.0%}) are relevant."
        parts.append(Text(f"{n_judged:,} documents were judged for {each}; {share}"))
    known = notices(_problems(case))
    parts += [Text(f"{plural(len(known), 'thing')} to know about the data:"), *known] if known else [NO_PROBLEM]
    if shares := case.judged_shares:
        rows = pl.DataFrame({"system": list(shares), "judged": list(shares.values())}).sort("judged")
        mean = sum(shares.values()) / len(shares)
        caption = f"Judged share of the first {JUDGED_DEPTH} documents, lowest first ({mean:.0%} on average)"
        parts.append(Table("coverage", caption, Sheet("report", rows), shown=8))
    counts = None if judged is None else {row["topic"]: row for row in judged_counts(judged).iter_rows(named=True)}
    topics = topics_frame(matrix, counts).sort("mean", descending=True, maintain_order=True)
    by_topic = case.scores.answer().sheet
    parts += [
        figure("fig-topics", matrix, "topics"),
        Table("topics", f"Topics by mean {case.measure}, easiest first", Sheet("report", topics), shown=10),
        *(
            Table(f"scores-{k}", f"{name} of every system on every topic (file only)", by_topic(f"{name} by topic"), 0)
            for k, name in enumerate(measures, 1)
        ),
    ]
    origins = dict.fromkeys(one.provenance[0] for one in case.scores.values() if one.provenance)
    return replace(section("data", parts), signatures=tuple(origins))


def _problems(case: Case) -> list[str]:
    matrix, problems = case.main, list(case.material.problems)
    if matrix.n_systems < 2:
        return problems
    by_topic = list(zip(matrix.topics, matrix.values, strict=True))
    zero = [topic for topic, row in by_topic if not row.any()]
    if zero and not any("no relevant document" in text for text in problems):
        problems.append(f"every system scores 0 on {plural(len(zero), 'topic')}: {summary(zero, 4)}")
    if same := [topic for topic, row in by_topic if row.any() and row.min() == row.max()]:
        problems.append(
            f"all systems tie on {plural(len(same), 'topic')}, which tell nothing about them: {summary(same, 4)}"
        )
    columns: dict[bytes, list[str]] = {}
    for system, column in zip(matrix.systems, matrix.values.T, strict=True):
        columns.setdefault(column.tobytes(), []).append(system)
    alike = [group for group in columns.values() if len(group) > 1]
    return problems + [f"identical {case.measure} on every topic: {summary(group, 4)}" for group in alike]


def leaderboard(case: Case) -> Section:
    """Ranks, means with intervals, rank intervals and groups."""
    comparison = case.comparison
    board, best = comparison.answer().sheet("leaderboard"), comparison.systems[0]
    parts: list[Part] = [finding(case.findings[0]), *map(Text, case.findings[2:])]
    if alike := [name for name in comparison.unseparated_from_best if name != best]:
        parts.append(Text(NOT_SHOWN(system=best, systems=summary(alike, 12))))
    others = ", beside it the mean of the other measures" if len(case.scores) > 1 else ""
    parts += [
        figure("fig-leaderboard", comparison, "leaderboard"),
        Text(
            "An interval belongs to one system's mean over topics, and topics are shared: two systems whose intervals "
            "overlap may still differ. The groups come from the test of each pair: systems of one group are not "
            "shown to differ, which does not show that they are alike."
        ),
        Table(
            "leaderboard", f"Leaderboard by {case.measure}{others}", _with_means(case, board), shown=board.rows.height
        ),
    ]
    return section("leaderboard", parts, comparison)


def _with_means(case: Case, board: Sheet) -> Sheet:
    """The leaderboard with teams, judged shares and the means by the other measures."""
    columns: dict[str, Any] = {"team": case.teams, "judged": case.judged_shares}
    for name, matrix in list(case.scores.items())[1:]:
        columns[name] = dict(zip(matrix.systems, matrix.system_means.tolist(), strict=True))
    added = [
        pl.Series(name, list(map(known.get, board.rows["system"])), pl.String if name == "team" else pl.Float64)
        for name, known in columns.items()
        if known
    ]
    return replace(board, rows=board.rows.with_columns(added))


def differences(case: Case) -> Section:
    """Decisions on all pairs, the two best topic by topic, and the measures compared."""
    comparison, several = case.comparison, case.comparisons
    row, (first, second) = comparison.power_row(), comparison.systems[:2]
    pairs, closest = comparison.answer().sheet("pairs"), comparison.pair(first, second).answer()
    nearness = (pl.col("p_adjusted") / case.alpha).log().abs()
    ordered = pairs.rows.sort(nearness, pl.col("difference").abs(), descending=[False, True])
    nearest = replace(pairs, rows=ordered, hidden=(*pairs.hidden, "p", "p_method"))
    uncorrected = UNCORRECTED(
        comparisons=plural(comparison.family, "comparison"), uncorrected=row["uncorrected"],
        chance=number(case.alpha * row["pairs"], 0), pairs=row["pairs"],
    )  # fmt: skip
    parts: list[Part] = [
        finding(case.findings[1]),
        Text(uncorrected),
        *notices(comparison.warnings),
        figure("fig-pairs", comparison, "pairs"),
        Text(f"First against second: {closest.headline}. {' '.join(closest.sentences)}"),
        figure("fig-first-second", case.main, "difference", a=first, b=second),
        Table("first-second", "First against second", closest.sheet("pair")),
        Table("pairs", f"Pairs worth a second look: those nearest to p = {case.alpha:g} come first", nearest, shown=15),
        Table("discriminative-power", "How many pairs each measure separates", several.answer().sheet("power")),
    ]
    if len(case.scores) > 1:
        caption = "Do measures agree? Kendall's τ between the orders of systems"
        parts += [
            Table("measures-agree", caption, _agreement(case)),
            figure("fig-levels", several, "significance-levels"),
        ]
    return section("differences", parts, *several.values())


def _agreement(case: Case) -> Sheet:
    """Rank correlation between each two measures."""
    rows = []
    for one, other in combinations(case.scores.values(), 2):
        found = measures_agree(one, other, len(case.scores), case.alpha)
        lower, upper = found.intervals.get("tau") or (None, None)
        rows.append({
            "measure": one.measure, "other": other.measure, "tau": found.values["tau"],
            "corrected": found.corrected.get("tau"), "lower": lower, "upper": upper, "tau_ap": found.values["tau_ap"],
        })  # fmt: skip
    note = f"corrected: tau without topic noise. lower, upper: {1 - case.alpha:.0%} interval of tau, unlimited topics."
    ends = dict.fromkeys(("corrected", "lower", "upper"), pl.Float64)
    return Sheet("report", pl.DataFrame(rows, schema_overrides=ends), notes=(note,))


def detectable(case: Case) -> Design:
    """The smallest difference that these topics show between two of the systems, corrected for all pairs."""
    n, m = case.main.n_topics, case.main.n_systems
    return design_all_pairs(case.variance("residual"), m, n_topics=n, power=case.power, alpha=case.alpha)


def quality(case: Case) -> Section:
    """What the collection can detect, and what its scores vary by."""
    among, average = detectable(case), case.variance("residual")
    asked: dict[str, Any] = {"n_topics": case.main.n_topics, "alpha": case.alpha}
    designs = [among, design_ttest(average, power=case.power, **asked), design_interval(average, **asked)]
    varied = design_interval(case.variance("percentile95"), **asked)
    wide = varied.answer().headline
    said = case.variances.answer()
    estimates, anova = (replace(said.sheet(name), hidden=("collection",)) for name in ("estimates", "anova"))
    strong, *others = (text for design in designs for text in design.answer().sentences)
    parts: list[Part] = [
        finding(strong),
        *map(Text, others),
        Text(f"The same of a pair that varies more than 95% of the pairs: {wide[0].lower()}{wide[1:]}."),
        figure("fig-detectable", among, "detectable"),
        *notices(said.warnings),
        figure("fig-sources", case.variances, "sources"),
        figure("fig-variances", case.variances, "estimators"),
        *map(Text, (*estimates.notes, *anova.notes)),
        Table("variances", f"Variance of {case.measure}", estimates),
        Table("anova", "Analysis of variance", anova),
    ]
    return section("collection", parts, *designs, varied, average, case.variances.tables[0])


def reliable(case: Case) -> Section:
    """Both coefficients, topics for .95, the agreement to expect, and three views of the same topics."""
    n = case.main.n_topics
    question = ReliabilityQuestion(
        n_topics=(n, *sorted({25, 50, 100, 200} - {n})), target=(RELIABILITY_TARGET,), alpha=case.alpha,
        min_diff=case.min_diff, seed=case.seed,
    )  # fmt: skip
    study: Reliability = question.ask(case.main)
    said, asked = study.answer(question), list[Result]([study])
    coefficients = said.sheet("coefficients")
    parts: list[Part] = [finding(study.summary()), *map(Text, (coefficients.notes[0], *said.sentences))]
    figures: list[Part] = [figure("fig-reliability", study, "coefficients")]
    tables: list[Part] = [
        Table("reliability", "Reliability of ranking (erho2) and scores (phi)", coefficients),
        Table("components", "Components of the variance", said.sheet("components")),
    ]
    if "views" in said.shown:
        (three,) = study.views(min_diff=case.min_diff, seed=case.seed).values()
        views = said.sheet("views")
        parts += [Text(f"{text}.") for text in (three.tau.summary(), three.summary())]
        parts.append(Text(" ".join(views.notes)))
        figures.append(figure("fig-views", study, "views", min_diff=case.min_diff, seed=case.seed))
        tables.append(Table("views", "Three views of the same topics", views))
        asked.append(three)
    parts += [*map(Text, _without_worst(study, case)), *notices(study.warnings), *figures, *tables]
    return section("reliability", parts, *asked)


def _without_worst(study: Reliability, case: Case) -> list[str]:
    """The same without the worst quarter, where that leaves enough: bad systems can make a collection look reliable."""
    try:
        rest = reliability(case.main, drop=DROPPED, alpha=case.alpha)
    except DataError:
        return []
    left, n = case.main.n_systems - round(rest.components.n_systems), case.main.n_topics
    if not left:
        return []
    value, lower, upper = rest.ratio("erho2").at(n)
    told = WITHOUT_WORST if value < study.ratio("erho2").at(n)[0] else WITHOUT_WORST_NO_LOWER
    values = f"{number(value)} ({1 - case.alpha:.0%} interval {number(lower)} to {number(upper)})"
    return [told(left=plural(left, "system"), values=values)]


def next_one(case: Case) -> Section:
    """How many topics, for how many systems, and how deep to judge."""
    asked: dict[str, Any] = {"power": case.power, "alpha": case.alpha}
    advice = recommend(case.main, case.n_systems, case.min_diff, **asked)
    grid = design_all_pairs(case.variance("residual"), list(SYSTEMS), list(MIN_DIFFS), **asked)
    said, results = advice.answer(), list[Result]([advice, grid])
    parts: list[Part] = [
        *told(said),
        figure("fig-recommendation", advice, "recommendation"),
        Table("recommendation", "Every design and estimator", said.sheet("designs")),
        figure("fig-systems", grid, "systems"),
        Table("sizes", "What a given number of topics does", said.sheet("sizes")),
    ]
    if case.material.runs:
        try:
            priced = cost(
                [(case.judgments, list(case.runs()))], [case.measure], case.depths, n_systems=case.n_systems,
                min_diff=case.min_diff, order=case.scoring["order"], **asked,
            )  # fmt: skip
        except CranfieldError as error:
            parts.append(Notice(f"Pool depths could not be compared: {error}"))
        else:
            sheet = replace(priced.answer().sheet(), hidden=("cost",))
            parts += [
                *told(priced.answer()),
                figure("fig-cost", priced, "cost"),
                Table("cost", "Cost by pool depth", sheet),
            ]
            results.append(priced)
    return section("next", parts, *results)


def standardisation(case: Case) -> Section:
    """Scores before and after, and what changes that is free of scale."""
    factors = fit_standardisation(case.scores)
    effect = standardisation_effect(
        case.scores, alpha=case.alpha, power=case.power, seed=case.seed, n_resamples=2000, workers=case.workers
    )
    said = effect.answer()
    hidden = ("systems", "topics", "clipped", "tied_topics")
    parts: list[Part] = [
        Text("Standardised scores say how far a system is above or below the others on each topic."),
        *told(said),
        figure("fig-standardised", factors.apply(case.main), "topics", raw=case.main),
        figure("fig-effect", effect, "effect"),
        Text(
            "Variances before and after are not comparable: standardised scores have a variance near "
            f"A² = {STANDARDISE_A**2:.4f} whatever the measure. F does not change when scores are rescaled, so it can "
            "be compared; the factors come from these very scores, so it says nothing about other systems, topics or "
            "measures."
        ),
        Table(
            "standardisation", "Variance, and agreement of the two rankings",
            replace(said.sheet("variance"), hidden=hidden),
        ),
        Table(
            "scale-free",
            "Free of scale: F of the blocked analysis of variance, and topics for a difference of one standard "
            "deviation between systems",
            said.sheet("scale-free"),
        ),
        Table(
            "factors", "Standardisation factors, to score other systems by (file only)", factors.answer().sheet(), 0
        ),
    ]  # fmt: skip
    return section("standardisation", parts, factors, effect)


def replicated(case: Case) -> Section:
    """Whether the differences hold on other documents."""
    result = replicate(
        case.judgments, list(case.material.runs), case.measure, n_partitions=case.n_partitions, n_splits=case.n_splits,
        n_resamples=case.replicate_resamples, alpha=case.alpha, seed=case.seed, **case.scoring, workers=case.workers,
    )  # fmt: skip
    said = result.answer()
    parts: list[Part] = [
        *told(said),
        Text(
            "The numbers of pairs here and on the leaderboard are not comparable: replicates control the false "
            "discovery rate, the leaderboard the family-wise error rate."
        ),
        *(figure(f"fig-{kind}", result, kind) for kind in ("effects", "agreement", "methods")),
        Table("effects", "System effects", said.sheet("systems")),
        Table("replicate-pairs", "Every pair over the splits", said.sheet("pairs"), shown=10),
        Table("agreement", "How many pairs the splits agree on", said.sheet("agreement")),
        Table("methods-compared", "Decisions of the methods", said.sheet("comparison")),
    ]
    return section("replicates", parts, result)


def reusable(case: Case) -> Section:
    """What happens to a team's runs when the documents that it alone brought into the pool are not judged."""
    scoring = {name: value for name, value in case.scoring.items() if name not in ("lenient", "name")}
    depths = sorted({min(case.depths), max(case.depths)})
    result = reuse(
        case.judgments, list(case.runs()), case.teams, measures=list(case.scores)[:MOST_LEFT_OUT], depths=depths,
        alpha=case.alpha, seed=case.seed, **scoring,
    )  # fmt: skip
    said = result.answer()
    parts: list[Part] = [
        *told(said),
        Text(
            "A system that is built later has brought nothing into the pool. To see how it would fare, the judgments "
            f"of documents that only one team had among its first {depths[-1]} were taken away and that team's runs "
            f"scored anew, for each of {plural(result.settings['n_teams'], 'team')} in turn."
        ),
        Text(
            "Bpref and condensed lists pass over unjudged documents; where they hold the order and the other measures "
            "do not, use them for new systems, or judge what those bring."
        ),
        figure("fig-drops", result, "drops"),
        *([figure("fig-reuse-depths", result, "depths")] if len(depths) > 1 else []),
        Table("reuse-worst", "The team that loses most ranks", said.sheet("worst")),
        Table("reuse", "Every team left out in turn", said.sheet("teams"), shown=10),
        Table("reuse-systems", "How much of every run is judged", said.sheet("systems"), shown=10),
    ]
    return section("reuse", parts, result)


BUILDERS: dict[str, Callable[[Case], Section]] = {
    "data": data,
    "leaderboard": leaderboard,
    "differences": differences,
    "collection": quality,
    "reliability": reliable,
    "next": next_one,
    "standardisation": standardisation,
    "replicates": replicated,
    "reuse": reusable,
}
