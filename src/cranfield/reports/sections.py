"""The sections of a report: each asks questions about the collection and shows what their answers say."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from itertools import combinations
from typing import Any, TypeAlias

import polars as pl

from cranfield.collection.pools import judged_counts
from cranfield.core.answer import Answer, Chart, sentence
from cranfield.core.charts.phone import FEWER
from cranfield.core.charts.style import number
from cranfield.core.defaults import RELIABILITY_TARGET
from cranfield.core.errors import ArgumentError, CranfieldError, DataError, quietly
from cranfield.core.labels import plural, summary
from cranfield.core.pages import SHOWN, Figure, Notice, Part, Section, Table, Text, notices
from cranfield.core.question import Question
from cranfield.core.results import Result
from cranfield.core.tables import Sheet
from cranfield.questions.across.across import across, as_parts
from cranfield.questions.across.collected import from_scores
from cranfield.questions.across.files import Parts, merge
from cranfield.questions.cost.cost import cost
from cranfield.questions.design.all_pairs import design_all_pairs
from cranfield.questions.design.interval import design_interval
from cranfield.questions.design.result import Design
from cranfield.questions.design.ttest import design_ttest
from cranfield.questions.judges.judges import judges
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
from cranfield.scores.matrix import Scores

NOT_SHOWN = sentence(
    "report.not-shown-to-differ",
    "Not shown to differ from {system}: {systems}. That is no evidence that they are as good.",
    "some system's comparison with the leader is not significant",
    measured="families small",
)
UNCORRECTED = sentence(
    "report.uncorrected",
    "Without correction for {comparisons}, {uncorrected:,} would be significant. If no systems differed, about "
    "{chance} of {pairs:,} would be significant by chance.",
    "`uncorrected` pairs have a p of at most alpha; alpha times the pairs are expected by chance",
    always=True,
)
WITHOUT_WORST = sentence(
    "generalisability.without-worst",
    "Weak systems inflate reliability: without the {left} with the lowest means, Eρ² is {values}.",
    "leaving out the worst quarter leaves systems enough for a study, and Eρ² is lower without them",
)
WITHOUT_WORST_NO_LOWER = sentence(
    "generalisability.without-worst-no-lower",
    "Weak systems do not inflate reliability here: without the {left} with the lowest means, Eρ² is {values}.",
    "leaving out the worst quarter leaves systems enough for a study, and Eρ² is no lower without them",
)
MIN_DIFFS = (0.05, 0.10, 0.20)
SYSTEMS = (2, 3, 5, 7, 10, 15, 20, 30, 40, 50, 70, 100)
DROPPED = 0.25
"""Share of the worst systems that a second look leaves out."""
MOST_LEFT_OUT = 3
"""Measures by which teams are left out."""
Piece: TypeAlias = Part | Result | str
"""A part of a section, or what its parts come from: a result, or a line about the source."""


def build(name: str, case: Case) -> Section:
    """The section, or a section that says why there is none."""
    title, works, ask = SECTIONS[name]
    try:
        with quietly():
            pieces = list(ask(case))
    except (DataError, ArgumentError) as error:
        return Section(name, title, (Notice(f"This section could not be made: {error}"),))
    parts = [_named(name, one) for one in pieces if isinstance(one, Part)]
    lines = [one if isinstance(one, str) else one.signature for one in pieces if isinstance(one, (str, Result))]
    return Section(name, title, tuple(parts), tuple(lines), works)


def _named(section: str, part: Part) -> Part:
    """The part with an id that no other section has."""
    if isinstance(part, (Text, Notice)):
        return part
    own = part.id if part.id.startswith(section) else f"{section}-{part.id}"
    return replace(part, id=f"fig-{own}" if isinstance(part, Figure) else own)


def shown(result: Result, question: Question | None = None, *, rows: int = SHOWN) -> Iterator[Piece]:
    """A result, and all its answer says: headline, sentences, warnings, charts, and the tables of a page."""
    said = result.answer(question)
    yield result
    yield from told(said)
    yield from map(figure, said.charts)
    yield from tables(said, *said.shown, rows=rows)


def told(said: Answer) -> Iterator[Part]:
    """Headline, sentences and warnings of an answer."""
    yield from map(finding, said.headline.splitlines())
    yield from map(Text, said.sentences)
    yield from notices(said.warnings)


def finding(text: str) -> Text:
    """A headline as a paragraph."""
    return Text(text if text.endswith(".") else f"{text}.", strong=True)


def figure(one: Chart) -> Figure:
    """A chart of an answer, with less in it for a narrow screen where it can be."""
    kind, options = one.kind, one.options
    narrow = one.source.chart(kind, **options, **FEWER[kind]) if kind in FEWER else None
    return Figure(one.name, one.source.chart(kind, **options), narrow)


def tables(said: Answer, *names: str, rows: int = SHOWN, hide: Sequence[str] = ()) -> Iterator[Piece]:
    """Tables of an answer with their signatures, then their notes, without what the answer says anyway."""
    sheets = {name: said.sheet(name) for name in names}
    for name, sheet in sheets.items():
        yield sheet.signature
        yield Table(name, sheet.heading or sheet.title, replace(sheet, hidden=(*sheet.hidden, *hide)), rows)
    known = {line.rstrip(".") for line in (*said.headline.splitlines(), *said.sentences)}
    notes = dict.fromkeys(note for sheet in sheets.values() for note in sheet.notes)
    yield from (Text(note) for note in notes if note.rstrip(".") not in known)


def data(case: Case) -> Iterator[Piece]:
    """Sources, counts, problems, coverage, and how hard the topics were."""
    matrix, measures, judged = case.main, list(case.scores), case.material.qrels
    yield from dict.fromkeys(one.provenance[0] for one in case.scores.values() if one.provenance)
    were = "was" if matrix.n_systems == 1 else "were"
    by = f"{plural(len(measures), 'measure')}: {summary(measures, 8)}" if len(measures) > 1 else case.measure
    beside = f" Main measure: {case.measure}." if len(measures) > 1 else ""
    size = f"{plural(matrix.n_systems, 'system')} {were} scored on {plural(matrix.n_topics, 'topic')}"
    yield Text(f"{size} by {by}. Source: {case.material.source}.{beside}")
    counts = None
    if judged is not None:
        known = judged_counts(judged)
        n_judged, relevant = (int(known[name].sum()) for name in ("judged", "relevant"))
        each = f"{plural(len(judged.topics), 'topic')} ({number(n_judged / len(judged.topics), 0)} per topic)"
        share = f"{relevant:,} ({relevant / n_judged:.0%}) are relevant."
        yield Text(f"{n_judged:,} documents were judged for {each}; {share}")
        counts = {row["topic"]: row for row in known.iter_rows(named=True)}
    problems = notices(_problems(case))
    yield Text(f"{plural(len(problems), 'note')} on the data:" if problems else NO_PROBLEM)
    yield from problems
    if shares := case.judged_shares:
        rows = pl.DataFrame({"system": list(shares), "judged": list(shares.values())}).sort("judged")
        mean = sum(shares.values()) / len(shares)
        caption = f"Judged share of the first {JUDGED_DEPTH} documents, lowest first ({mean:.0%} on average)"
        yield Table("coverage", caption, Sheet("report", rows), shown=8)
    yield figure(Chart("topics", "", "", matrix, "topics"))
    topics = topics_frame(matrix, counts).sort("mean", descending=True, maintain_order=True)
    yield Table("topics", f"Topics by mean {case.measure}, easiest first", Sheet("report", topics), shown=10)
    for k, name in enumerate(measures, 1):
        caption = f"{name} of every system on every topic (file only)"
        yield Table(f"scores-{k}", caption, case.scores.answer().sheet(f"{name} by topic"), 0)


NO_PROBLEM = "No problems found in the files."


def _problems(case: Case) -> list[str]:
    matrix, problems = case.main, list(case.material.problems)
    if matrix.n_systems < 2:
        return problems
    by_topic = list(zip(matrix.topics, matrix.values, strict=True))
    zero = [topic for topic, row in by_topic if not row.any()]
    if zero and not any("no relevant document" in text for text in problems):
        problems.append(f"every system scores 0 on {plural(len(zero), 'topic')}: {summary(zero, 4)}")
    if same := [topic for topic, row in by_topic if row.any() and row.min() == row.max()]:
        problems.append(f"all systems tie on {plural(len(same), 'topic')} ({summary(same, 4)})")
    columns: dict[bytes, list[str]] = {}
    for system, column in zip(matrix.systems, matrix.values.T, strict=True):
        columns.setdefault(column.tobytes(), []).append(system)
    alike = [group for group in columns.values() if len(group) > 1]
    return problems + [f"identical runs by {case.measure}: {summary(group, 4)}" for group in alike]


def leaderboard(case: Case) -> Iterator[Piece]:
    """Ranks, means with intervals, rank intervals and groups."""
    comparison = case.comparison
    yield comparison
    yield finding(case.findings[0])
    yield from map(Text, case.findings[2:])
    best = comparison.systems[0]
    if alike := [name for name in comparison.unseparated_from_best if name != best]:
        yield Text(NOT_SHOWN(system=best, systems=summary(alike, 12)))
    said = comparison.answer()
    yield Text(
        "Each interval is for one system's mean. Two systems with overlapping intervals may still differ, because they "
        "share topics."
    )
    board = _with_means(case, said.sheet("leaderboard"))
    yield from tables(replace(said, sheets={"leaderboard": lambda: board}), "leaderboard", rows=board.rows.height)


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


def differences(case: Case) -> Iterator[Piece]:
    """Decisions on all pairs, the two best topic by topic, and the measures compared."""
    comparison, several = case.comparison, case.comparisons
    row, said = comparison.power_row(), comparison.answer()
    yield from several.values()
    yield finding(case.findings[1])
    yield Text(
        UNCORRECTED(
            comparisons=plural(comparison.family, "comparison"), uncorrected=row["uncorrected"],
            chance=number(case.alpha * row["pairs"], 0), pairs=row["pairs"],
        )
    )  # fmt: skip
    yield from notices(comparison.warnings)
    closest = comparison.pair(*comparison.systems[:2]).answer()
    yield Text(f"First against second: {closest.headline}. {' '.join(closest.sentences)}")
    yield from tables(closest, "pair")
    pairs = said.sheet("pairs")
    nearness = (pl.col("p_adjusted") / case.alpha).log().abs()
    ordered = pairs.rows.sort(nearness, pl.col("difference").abs(), descending=[False, True])
    nearest = replace(pairs, rows=ordered, hidden=(*pairs.hidden, "p", "p_method"))
    yield Table("pairs", f"Pairs by closeness to p = {case.alpha:g}", nearest, 15)
    yield from tables(several.answer(), "power")
    if len(case.scores) > 1:
        yield Table("agreement", "Kendall's τ between the rankings by each two measures", _agreement(case))
        yield figure(Chart("levels", "", "", several, "significance-levels"))


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
    return Sheet(
        "report", pl.DataFrame(rows, schema_overrides=dict.fromkeys(("corrected", "lower", "upper"), pl.Float64))
    )


def detectable(case: Case) -> Design:
    """The smallest difference that these topics show between two of the systems, corrected for all pairs."""
    n, m = case.main.n_topics, case.main.n_systems
    return design_all_pairs(case.variance("residual"), m, n_topics=n, power=case.power, alpha=case.alpha)


def quality(case: Case) -> Iterator[Piece]:
    """What the collection can detect, and what its scores vary by."""
    among, average = detectable(case), case.variance("residual")
    asked: dict[str, Any] = {"n_topics": case.main.n_topics, "alpha": case.alpha}
    designs = (among, design_ttest(average, power=case.power, **asked), design_interval(average, **asked))
    varied = design_interval(case.variance("percentile95"), **asked)
    yield from (*designs, varied, average, case.variances.tables[0])
    strong, *others = (text for design in designs for text in design.answer().sentences)
    yield finding(strong)
    yield from map(Text, others)
    wide, said = varied.answer().headline, case.variances.answer()
    yield Text(f"For a pair more variable than 95% of pairs, expect {wide[0].lower()}{wide[1:]}.")
    yield from notices(said.warnings)
    yield from map(figure, (among.answer().chart("detectable"), *said.charts))
    yield from tables(said, *said.shown, hide=["collection"])


def reliable(case: Case) -> Iterator[Piece]:
    """Both coefficients, topics for .95, the agreement to expect, and three views of the same topics."""
    n = case.main.n_topics
    question = ReliabilityQuestion(
        n_topics=(n, *sorted({25, 50, 100, 200} - {n})), target=(RELIABILITY_TARGET,), alpha=case.alpha,
        min_diff=case.min_diff, seed=case.seed,
    )  # fmt: skip
    study = question.ask(case.main)
    first, headline, *rest = shown(study, question)
    yield from (first, headline, *map(Text, _without_worst(study, case)), *rest)


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


def next_one(case: Case) -> Iterator[Piece]:
    """How many topics, for how many systems, and how deep to judge."""
    asked: dict[str, Any] = {"power": case.power, "alpha": case.alpha}
    yield from shown(recommend(case.main, case.n_systems, case.min_diff, **asked))
    grid = design_all_pairs(case.variance("residual"), list(SYSTEMS), list(MIN_DIFFS), **asked)
    yield from (grid, figure(grid.answer().chart("systems")))
    if case.material.runs:
        try:
            priced = cost(
                [(case.judgments, list(case.runs()))], [case.measure], case.depths, n_systems=case.n_systems,
                min_diff=case.min_diff, order=case.scoring["order"], **asked,
            )  # fmt: skip
        except CranfieldError as error:
            yield Notice(f"Pool depths could not be compared: {error}")
        else:
            yield from shown(priced)


def standardisation(case: Case) -> Iterator[Piece]:
    """Scores before and after, and what changes that is free of scale."""
    factors = fit_standardisation(case.scores)
    yield factors
    yield figure(Chart("topics", "", "", factors.apply(case.main), "topics", {"raw": case.main}))
    yield from shown(
        standardisation_effect(
            case.scores, alpha=case.alpha, power=case.power, seed=case.seed, n_resamples=2000, workers=case.workers
        )
    )
    yield Text(
        "Do not compare variances before and after: they are on different scales. F is invariant to rescaling. The "
        "factors come from these scores, so F does not generalise to other systems or topics."
    )
    yield Table("factors", "Standardisation factors for other systems (file only)", factors.answer().sheet(), 0)


def replicated(case: Case) -> Iterator[Piece]:
    """Whether the differences hold on other documents."""
    result = replicate(
        case.judgments, list(case.material.runs), case.measure, n_partitions=case.n_partitions, n_splits=case.n_splits,
        n_resamples=case.replicate_resamples, alpha=case.alpha, seed=case.seed, **case.scoring, workers=case.workers,
    )  # fmt: skip
    yield from shown(result, rows=10)
    yield Text(
        "Do not compare these numbers of pairs with the leaderboard's. Replicates control the false discovery rate, "
        "the leaderboard the family-wise error rate."
    )


def reusable(case: Case) -> Iterator[Piece]:
    """What happens to a team's runs when the documents that it alone brought into the pool are not judged."""
    scoring = {name: value for name, value in case.scoring.items() if name not in ("lenient", "name")}
    depths = sorted({min(case.depths), max(case.depths)})
    result = reuse(
        case.judgments, list(case.runs()), case.teams, measures=list(case.scores)[:MOST_LEFT_OUT], depths=depths,
        alpha=case.alpha, seed=case.seed, **scoring,
    )  # fmt: skip
    yield from shown(result, rows=10)
    yield Text(
        "Bpref and condensed lists ignore unjudged documents. If only they keep the order, use them for new systems, "
        "or judge the new documents."
    )


def machine_judged(case: Case) -> Iterator[Piece]:
    """What machine judgments change, beside those of people."""
    given, runs = case.judges, list(case.material.runs) or None
    # Scores by one measure are those to compare, whatever their files call it.
    measure = None if runs is None and len(case.scores) == 1 else case.measure
    result = judges(
        [case.judgments if runs else case.main, *_each(given["second"])], _each(given["machine"]), runs,
        measure=measure, system_groups=given["system_groups"], teams=case.teams, alpha=case.alpha, seed=case.seed,
        **case.scoring,
    )  # fmt: skip
    yield from shown(result, rows=10)


def _each(given: Any) -> list[Any]:
    """Judgments as a list: none, one or several."""
    return [] if given is None else list(given) if isinstance(given, (list, tuple)) else [given]


def elsewhere(case: Case) -> Iterator[Piece]:
    """Whether the differences hold on other collections too."""
    parts = as_parts(case.across, [case.measure], "error")
    name = case.title.removesuffix(f".{case.measure}") or "this collection"
    merge(parts, from_scores({name: Scores([case.main])}), "across")
    result = across(Parts(parts), "drop-system", alpha=case.alpha, seed=case.seed)
    said = result.answer()
    yield result
    yield from told(said)
    yield from map(figure, said.charts)
    # The table of a paper has its own command, and columns that repeat themselves or the leaderboard are in the files.
    hide = ("measure", "mean_a", "mean_b", "p_flips", "collections")
    yield from tables(said, *(name for name in said.shown if name != "table"), rows=10, hide=hide)


_TESTS, _DESIGNS = ("fisher", "smucker", "phipson", "holm"), ("sakai-evia", "sakai-rd003", "greenhouse")
_RELIABILITY = ("brennan", "feldt", "arteaga", "urbano", "kendall")
SECTIONS: dict[str, tuple[str, tuple[str, ...], Callable[[Case], Iterator[Piece]]]] = {
    "data": ("The data", (), data),
    "leaderboard": ("Leaderboard", _TESTS, leaderboard),
    "differences": ("Which systems differ", (*_TESTS, "sakai-asl"), differences),
    "collection": ("What the collection can detect", _DESIGNS, quality),
    "reliability": ("How reliable the collection is", _RELIABILITY, reliable),
    "next": ("What the next collection needs", _DESIGNS, next_one),
    "standardisation": ("Standardisation", ("sakai-std", "webber-std", "kendall"), standardisation),
    "replicates": ("Replicates: other documents", ("voorhees", "benjamini"), replicated),
    "reuse": ("Reusability for new systems", ("zobel", "sakai-condensed"), reusable),
    "judges": ("Machine judgments", ("angelopoulos", "cohen", "krippendorff", "gwet"), machine_judged),
    "across": ("Other collections", ("romano", "benjamini-heller"), elsewhere),
}
"""The title of every section, the works it cites, and who writes it."""
