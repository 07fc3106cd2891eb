"""What a comparison says: the pairs, the leaderboard, and which measure separates most."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from cranfield import defaults
from cranfield.comparison.corrections import at_most
from cranfield.comparison.groups import mark
from cranfield.comparison.measures import MeasureComparisons
from cranfield.comparison.topics import every_pair
from cranfield.labels import plural, summary
from cranfield.present.answer import Answer, Chart, answers
from cranfield.present.tables import Sheet, p_text
from cranfield.sentences import comparison as say
from cranfield.settings.compare import CompareSettings, LeaderboardSettings

if TYPE_CHECKING:
    import polars as pl

    from cranfield.comparison import Comparison
    from cranfield.comparison.topics import PairTopics

DIGITS = {"effect_size": 2, "effect_size_residual": 2}


@answers("Comparison", "MeasureComparisons")
def comparison_answer(result: Comparison | MeasureComparisons, settings: Any) -> Answer:
    """Pairs and leaderboard of one measure or several."""
    several = result if isinstance(result, MeasureComparisons) else MeasureComparisons((result,), False)
    sheets = {
        "pairs": lambda: _pairs(several, settings),
        "leaderboard": lambda: _leaderboard(several, getattr(settings, "letters", False) or None),
        "power": lambda: _sheet(
            several, "power", several.discriminative_power(), title="Discriminative power", hidden=()
        ),
        "curve": lambda: _sheet(several, "curve", several.asl_curves()),
        "topics": lambda: _topics(several),
    }
    first = next(iter(several.values()))
    if isinstance(settings, LeaderboardSettings):
        sheets = {"leaderboard": sheets["leaderboard"], **sheets}
    return Answer(
        headline=_headline(several),
        sheets=sheets,
        charts=_charts(several, settings),
        sentences=(f"Systems best first, {first.n_topics} topics.",),
        on_page=("pairs", "leaderboard"),
        in_notebook=("leaderboard",) if len(several) == 1 else ("power",),
        extra={"systems": first.systems, "comparisons": several, "first_columns": _front(first)},
    )


def _front(comparison: Comparison) -> dict[str, tuple[str, ...]]:
    """The columns that decide, which a narrow screen shows before the others."""
    value = comparison.statistic.replace("-", "_")
    pairs = ("measure", "system_a", "system_b", "difference", "p_adjusted", "significant")
    return {
        "leaderboard": ("measure", "rank", "system", value, "may_be_best"),
        "pairs": pairs,
        "pair": pairs,
        "topics": ("topic", "difference", "score_a", "score_b"),
    }


def _headline(several: MeasureComparisons) -> str:
    return "\n".join(several_summaries(several))


def leader(comparison: Comparison, by: str = "") -> str:
    """Who leads, and who may be the best."""
    best, level = comparison.systems[0], int((comparison.rank == comparison.rank[0]).sum()) - 1
    lead = say.LEADS(system=best, by=by)
    if level:
        lead = say.SHARES_LEAD(system=best, others=plural(level, "other"), by=by)
    text = comparison.best_text()
    return f"{lead}; {text}" if text else lead


def how_many_differ(comparison: Comparison) -> str:
    """How many pairs the test separates."""
    separated, pairs = int(comparison.significant.sum()), len(comparison.p)
    verb = "differs" if pairs == 1 else "differ"
    return say.DIFFER_SIGNIFICANTLY(separated=separated, pairs=plural(pairs, "pair"), verb=verb)


def _sheet(several: MeasureComparisons, show: str, rows: pl.DataFrame, title: str = "", **more: Any) -> Sheet:
    settings = {**several.settings, **more.pop("settings", {})}
    command = "leaderboard" if show == "leaderboard" else "compare"
    if command == "compare":
        settings["show"] = show
    title = title or _headline(several)
    return Sheet(
        command, rows, several.signature, settings, several.warnings, title, **{"hidden": hidden(several), **more}
    )


def hidden(several: MeasureComparisons) -> tuple[str, ...]:
    """The column that says nothing new when all rows are of one measure."""
    return ("measure",) if len(several) == 1 else ()


def _pairs(several: MeasureComparisons, settings: CompareSettings | None) -> Sheet:
    by = getattr(settings, "effect_size", defaults.EFFECT_SIZE)
    rows = several.to_frame()
    if by == "residual":
        rows = rows.with_columns(rows["effect_size_residual"].alias("effect_size"))
    rows = rows.drop("effect_size_residual")
    comparisons = list(several.values())
    return _sheet(
        several,
        "pairs",
        rows,
        settings={"effect_size": by},
        digits=DIGITS,
        notes=_pair_notes(comparisons[0]),
        superscripts={"difference": [text for each in comparisons for text in _marks(each)]},
        latex_columns=tuple(name for name in rows.columns if name not in ("significant", "p_method", *hidden(several))),
        hidden=(*hidden(several), "p_method"),
        latex_notes=_meanings(comparisons[0]),
        dispensable=(
            *[name for name in rows.columns if name.endswith(("_a", "_b"))][2:],
            "effect_size",
            "significant",
        ),
        heading="Every pair",
    )


def _leaderboard(several: MeasureComparisons, letters: bool | None = None) -> Sheet:
    rows = several.leaderboard(letters)
    first = next(iter(several.values()))
    groups = "marks" if first.baselines else "group"
    marked = bool(first.baselines) or first.shows_letters(letters)
    return _sheet(
        several,
        "leaderboard",
        rows,
        settings={"rank_resamples": first.rank_resamples},
        notes=(*_leaderboard_notes(first, letters), *_best_and_ranks(several)),
        superscripts={first.statistic.replace("-", "_"): rows[groups].to_list()} if marked else {},
        latex_columns=tuple(
            name for name in rows.columns if not ((marked and name == groups) or name in hidden(several))
        ),
        heading="Leaderboard",
    )


def _topics(several: MeasureComparisons) -> Sheet:
    """Every pair topic by topic, the largest difference first; how many topics each system wins above it."""
    pairs = [pair for each in several.values() for pair in every_pair(each)]
    return _pair_topics(several, pairs, several_summaries(several))


def _pair_topics(several: MeasureComparisons, pairs: Sequence[PairTopics], above: Sequence[str] = ()) -> Sheet:
    import polars as pl

    title = "\n".join([*above, *(pair.summary() for pair in pairs)])
    rows = pl.concat([pair.to_frame() for pair in pairs])
    return _sheet(several, "topics", rows, title=title, heading="Topic by topic")


@answers("PairTopics")
def pair_answer(result: PairTopics, settings: Any) -> Answer:
    """The pair in the comparison, where it was tested, and its difference on every topic."""
    comparison, a, b, at = result.comparison, result.system_a, result.system_b, result.at
    several = MeasureComparisons((comparison,), comparison.across_measures)
    wins, _, losses = result.wins_ties_losses
    sheets = {"topics": lambda: _pair_topics(several, [result])}
    sentence = say.NOT_TESTED()
    if at is not None:
        sheets = {"pair": lambda: _one_pair(_pairs(several, settings), at), **sheets}
        verdict = say.TWO_DIFFER if comparison.significant[at] else say.TWO_NOT_SHOWN
        sentence = verdict(
            a=comparison.system_a[at],
            b=comparison.system_b[at],
            p=p_text(float(comparison.p_adjusted[at]), comparison.alpha),
        )
    return Answer(
        headline=say.BEATS_ON(a=a, b=b, wins=wins, topics=comparison.n_topics, losses=losses),
        sheets=sheets,
        charts=(_topics_chart(comparison, a, b),),
        sentences=(sentence,),
        extra={"systems": comparison.systems, "first_columns": _front(comparison)},
    )


def _one_pair(sheet: Sheet, at: int) -> Sheet:
    """One row of the pairs, with the mark that belongs to it."""
    marks = {name: [texts[at]] for name, texts in sheet.superscripts.items()}
    return replace(sheet, rows=sheet.rows[at : at + 1], superscripts=marks, heading="The pair in the comparison")


def _topics_chart(comparison: Comparison, a: str, b: str) -> Chart:
    alt = f"Bars: the difference of {a} and {b} on every topic, largest first."
    return Chart("topics-chart", "Topic by topic", alt, comparison.scores, "difference", {"a": a, "b": b})


def several_summaries(several: MeasureComparisons) -> list[str]:
    """How many pairs differ, by every measure."""
    return [comparison.summary() for comparison in several.values()]


def _marks(result: Comparison) -> list[str]:
    """A mark behind every significant difference: the baseline's, or for all pairs one or two daggers by level."""
    if result.baselines:
        number = {name: mark(i) for i, name in enumerate(result.baselines)}
        return [number[b] if yes else "" for b, yes in zip(result.system_b, result.significant, strict=True)]
    strong = at_most(result.p_adjusted, result.alpha / 5)
    return ["‡" if more else "†" if yes else "" for yes, more in zip(result.significant, strong, strict=True)]


def _meanings(result: Comparison) -> tuple[str, ...]:
    """What the marks mean, one line each."""
    kind = result.correction_text()
    if result.baselines:
        return tuple(
            say.DIFFERS_FROM(mark=mark(i), system=name, correction=kind, sign="<=", alpha=result.alpha)
            for i, name in enumerate(result.baselines)
        )
    return (f"† {kind} p <= {result.alpha:g}, ‡ {kind} p <= {result.alpha / 5:g}",)


def _pair_notes(result: Comparison) -> tuple[str, ...]:
    notes = [f"lower, upper: {1 - result.alpha:.0%} {result.interval}; {_agreement(result)}."]
    if result.statistic != "mean":
        notes.append(f"effect_size: of the mean difference, which is not that of the {result.statistic}s.")
    return tuple(notes)


def _agreement(result: Comparison) -> str:
    return say.INTERVAL_PAIRWISE() if result.intervals == "pairwise" else say.INTERVAL_AGREES()


def _leaderboard_notes(result: Comparison, letters: bool | None = None) -> tuple[str, ...]:
    percent = f"{1 - result.alpha:.0%}"
    if result.best is not None:
        notes = [
            f"lower, upper: {percent} t interval of the mean.",
            f"rank_lower, rank_upper: {percent} interval of each system's true rank, by {result.rank_resamples} sign "
            "flips of its differences to all others.",
        ]
    else:
        notes = [
            f"lower, upper: {percent} bootstrap percentile interval; rank_lower, rank_upper: the same for the rank, by "
            f"{result.rank_resamples} resamples of topics (for close leaders it covers less often than that).",
        ]
    kind = result.correction_text()
    if result.baselines:
        notes += [
            say.DIFFERS_FROM(mark=mark(i), system=name, correction=kind, sign="≤", alpha=result.alpha)
            for i, name in enumerate(result.baselines)
        ]
    else:
        group = say.SHARED_LETTER if result.shows_letters(letters) else say.RANK_RANGE
        notes.append(group(level=f"{kind} p ≤ {result.alpha:g}"))
    if result.best is not None:
        notes.append(say.MAY_BE_BEST(percent=percent))
    return tuple(notes)


def _best_and_ranks(several: MeasureComparisons) -> list[str]:
    """Where the set of the best and the rank intervals seem to contradict each other."""
    left: list[str] = []
    kept: list[str] = []
    for one in several.values():
        if one.best is None:
            continue
        by = f" ({one.measure})" if len(several) > 1 else ""
        for name, member, lowest in zip(one.systems, one.best, one.rank_lower, strict=True):
            if member != (lowest == 1):
                (kept if member else left).append(f"{name}{by}")
    told = ((say.BEST_LEAVES_OUT, left), (say.BEST_KEEPS, kept))
    return [sentence(systems=summary(names)) for sentence, names in told if names]


def _charts(several: MeasureComparisons, settings: Any) -> tuple[Chart, ...]:
    """What is drawn unless named: measures as curves, a baseline's pairs as intervals, all pairs as a map."""
    first = next(iter(several.values()))
    charts = {
        "leaderboard": Chart(
            "leaderboard-chart", "Leaderboard", "Dots with whiskers: each system's mean and its interval, best first.",
            first, "leaderboard",
        ),
        "pairs": Chart(
            "heat-map", "Which pairs differ",
            "Map: one row and one column per system, dark where the row's system is better.", first, "pairs",
        ),
        "differences": Chart(
            "differences", "Differences",
            "Dots with whiskers: the difference of each pair and its interval.", first, "differences",
        ),
    }  # fmt: skip
    usual = "leaderboard"
    if isinstance(settings, CompareSettings):
        usual = "differences" if first.baselines else "pairs"
        if len(several) > 1:
            curves = Chart(
                "significance-levels", "Achieved significance levels",
                "Lines: the p-values of every measure, largest first.", several, "significance-levels",
            )  # fmt: skip
            return (curves, *charts.values())
        if len(first.p) == 1:
            return (_topics_chart(first, first.system_a[0], first.system_b[0]), *charts.values())
    return (charts[usual], *(one for name, one in charts.items() if name != usual))
