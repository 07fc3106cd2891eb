"""What designs say: how many topics, by every method and estimator; the recommendation, the cost, the effect."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from cranfield.design.designs import DESIGNS
from cranfield.present.answer import Answer, Chart, answers
from cranfield.present.tables import Sheet
from cranfield.sentences import design as say
from cranfield.sentences.standardise import RANKINGS_AGREE, VARIANCES
from cranfield.variance.estimators import ESTIMATORS

if TYPE_CHECKING:
    import polars as pl

    from cranfield.design import Cost, Design, Recommendation, StandardisationEffect

DIGITS = {"variance": 6, "variance_of_difference": 6, "epsilon": 3, "expected_null": 1, "expected_alternative": 1}
_LOOKS = (
    "With {} (O'Brien–Fleming-like spending) topics_max at most; expected_null and expected_alternative to expect "
    "without a difference and with min_diff, by normal theory; boundaries: the command `design looks`."
)
_LOOKS_AT_PAIRS = (
    "These are of a pair min_diff apart, tested at alpha divided by the number of comparisons; the pairs share their "
    "topics, so that judging ends with the last pair to be decided (`monitor`)."
)
_UNITS = {
    "topics": "{} topics",
    "min_diff": "a difference of {}",
    "power": "power {}",
    "systems": "{} systems",
    "width": "a width of {}",
}


@answers("Design")
def design_answer(design: Design, settings: Any) -> Answer:
    """The design; for a page by every method side by side, and from past scores by every estimator."""
    methods = DESIGNS[design.kind].methods
    compared = len(methods) > 1 and design.question["method"] == methods[0]
    looks = getattr(settings, "looks", None)
    notes = _notes(design)
    if looks:
        notes += (_LOOKS.format("1 look" if looks == 1 else f"{looks} looks"),)
        notes += (_LOOKS_AT_PAIRS,) if design.kind == "pairs" else ()
    sheets = {"design": lambda: _design_sheet(design, settings, _with_looks(design, looks), looks=looks, notes=notes)}
    if compared:
        sheets["methods"] = lambda: _design_sheet(design, settings, design.by_method, notes=(_holds(design),))
    if design.by_estimator is not None:
        every = design.by_estimator
        heading = "The same by every estimate of the variance"
        sheets["estimators"] = lambda: _design_sheet(design, settings, every, heading=heading)
    on_page = ["methods" if compared else "design", *(["estimators"] if "estimators" in sheets else [])]
    sought = design.solved_for
    front = (sought, f"{sought}_lower", f"{sought}_upper", "achieved_power", "expected_width")
    return Answer(
        headline=_design_headline(design),
        sheets=sheets,
        charts=_design_charts(design),
        sentences=_sentences(design, compared),
        on_page=tuple(on_page),
        extra={"first_columns": {"design": front, "methods": ("method", *front), "estimators": ("estimator", *front)}},
    )


def _holds(design: Design) -> str:
    """When the sizes hold."""
    return DESIGNS[design.kind].variant(design.variant).note


def _with_looks(design: Design, looks: int | None) -> Any:
    """Beside every design topics at most and to expect when it is looked at several times; empty where none is.

    A pair among several is tested at α/C. Where the pairs' variances are unequal the design has more topics than one
    test needs at the mean variance, and the looks move up in proportion.
    """
    if looks is None:
        return design.table
    import math

    import polars as pl

    from cranfield.monitoring import design_looks

    rows = design.rows
    names = ("topics_max", "expected_null", "expected_alternative")
    listed: list[tuple[Any, ...]] = []
    for row in rows.iter_rows(named=True):
        asked = [row[name] for name in ("variance_of_difference", "min_diff", "power", "alpha", "topics")]
        if None in asked or not row["alpha"] < row["power"] < 1:
            listed.append((None, None, None))
            continue
        level = asked[3] / (row.get("comparisons") or 1)
        made = design_looks(asked[0], asked[1], looks=looks, power=asked[2], alpha=level)
        most = max(math.ceil(round(asked[4] * made.inflation, 9)), 2 * looks)
        share = most / made.topics_max
        listed.append((most, share * made.expected_null, share * made.expected_alternative))
    types = dict(zip(names, (pl.Int64, pl.Float64, pl.Float64), strict=True))
    return rows.hstack(pl.DataFrame(listed, schema=types, orient="row"))


def _design_sheet(
    design: Design, settings: Any, rows: Any, heading: str = "", looks: int | None = None, **more: Any
) -> Sheet:
    what = f"{design.what[0].upper()}{design.what[1:]}: {design.solved_for}"
    facts: dict[str, Any] = {"solved_for": design.solved_for, **design.settings}
    if looks is not None:
        facts["looks"] = looks
    if design.by_estimator is not None:
        if getattr(settings, "files", None):
            facts |= {"scores": settings.files, "missing": settings.missing}
        facts["estimator"] = design.estimator
        others = design.by_estimator.slice(design.rows.height)
        facts["other_estimators"] = others.to_dicts()
    return Sheet(
        f"design {design.kind}", rows, design.signature, facts, design.warnings, what, DIGITS,
        heading=heading or what.replace("_", " "), **more,
    )  # fmt: skip


def _notes(design: Design) -> tuple[str, ...]:
    """When the sizes hold; and what other estimators give: they differ by factors, and nobody should learn it late."""
    notes = [_holds(design)]
    if design.by_estimator is not None:
        measures = design.rows["measure"].unique(maintain_order=True).to_list()
        of_first = "" if design.rows.height == len(measures) else " in the first row"
        for measure in measures:
            given = design.by_estimator.filter(measure=measure).unique("estimator", keep="first", maintain_order=True)
            by_name = dict(zip(given["estimator"], given[design.solved_for], strict=True))
            shown = [f"{name} {_short(by_name.get(name))}" for name in ESTIMATORS if name != design.estimator]
            which = f" for {measure}" if len(measures) > 1 else ""
            notes.append(f"{design.solved_for} by other estimators{which}{of_first}: {', '.join(shown)}.")
    return tuple(notes)


def _short(value: float | None) -> str:
    return "none" if value is None else f"{value:.4f}" if isinstance(value, float) else str(value)


def _value(value: Any) -> str:
    return "none" if value is None else f"{value:,}" if isinstance(value, int) else f"{value:.3g}"


def _design_headline(design: Design) -> str:
    column = design.table.values(design.solved_for)
    said = [_UNITS[design.solved_for].format(_value(value)) for value in column]
    measures = design.table.values("measure") if "measure" in design.table.columns else []
    if 1 < len(column) == len({*measures} - {None}) <= _MOST_NAMED:
        said = [", ".join(f"{text} by {measure}" for text, measure in zip(said, measures, strict=True))]
    if len(said) > 1:
        known = [value for value in column if value is not None]
        ends = f": {_value(min(known))} to {_value(max(known))}" if known else ""
        return f"{len(column)} designs, solved for {design.solved_for}{ends}"
    return said[0][0].upper() + said[0][1:]


_MOST_NAMED = 4
"""Measures that a headline names one by one."""


def _sentences(design: Design, compared: bool) -> tuple[str, ...]:
    """What one design promises, and what the papers' method says."""
    if design.table.height > 1:
        return ()
    row = design.table.row(0)
    name, level = design.solved_for, f"{1 - row['alpha']:.0%}"
    if "expected_width" in row:
        text = say.WIDTH(topics=_value(row["topics"]), level=level, width=row["expected_width"])
    else:
        among = f" {_WHERE[design.kind]} {row['systems']} systems" if "systems" in row else " between two systems"
        text = say.DETECTS(
            topics=_value(row["topics"]), test=_test_of(design), min_diff=row["min_diff"], among=among,
            power=row["achieved_power"], alpha=row["alpha"],
        )  # fmt: skip
    if row.get(f"{name}_lower") is not None:
        low, high = _value(row[f"{name}_lower"]), _value(row[f"{name}_upper"])
        text += f" The variance is an estimate: at the ends of its {level} interval, {low} to {high}."
    if compared:
        published = design.other_methods["published"].table.values(name)
        text += f" {say.PUBLISHED_SAYS(value=_value(published[0]))}"
    return (text,)


_WHERE = {"pairs": "between two of", "anova": "among"}


def _test_of(design: Design) -> str:
    if design.kind != "pairs":
        return f"a {design.what} detects"
    compared = design.what.removesuffix(", corrected")
    return f"corrected {compared} show" if compared.startswith("comparisons") else f"corrected tests of {compared} show"


def _design_charts(design: Design) -> tuple[Chart, ...]:
    """What the design varies first."""
    charts = {
        "power": Chart(
            "power", "Power against topics",
            "Curve: power against the number of topics, with the design marked.", design, "power",
        ),
        "detectable": Chart(
            "detectable", "What topics can detect",
            "Curve: the smallest detectable difference and the width of the interval against the number of topics.",
            design, "detectable",
        ),
        "systems": Chart(
            "systems", "Topics against systems", "Curve: topics needed against the number of systems compared.",
            design, "systems",
        ),
    }  # fmt: skip
    if "achieved_power" not in design.table.columns:
        return (charts["detectable"],)
    if "systems" not in design.table.columns:
        return charts["power"], charts["detectable"]
    if len(set(design.table.values("systems"))) > 1:
        return charts["systems"], charts["power"], charts["detectable"]
    return tuple(charts.values())


@answers("Recommendation")
def recommendation_answer(result: Recommendation, settings: Any) -> Answer:
    """The recommended design among all others, and what other numbers of topics would do."""
    facts = {**result.settings, "recommended": result.n_topics, "what_topics_buy": result.sizes.to_dicts()}
    top: dict[str, Any] = {"topics": result.n_topics, "topics_lower": result.lower, "topics_upper": result.upper}
    top["promise"] = result.promise

    def sheet(rows: pl.DataFrame, **more: Any) -> Sheet:
        return Sheet("design recommend", rows, result.signature, facts, result.warnings, top=top, **more)

    sizes_digits = dict.fromkeys(result.sizes.columns[1:], 3)
    chart = Chart(
        "recommendation", "Topics by design and estimator",
        "Bars: the topics that each design and estimator asks for, the recommended one first.",
        result, "recommendation",
    )  # fmt: skip
    return Answer(
        headline=result.summary(),
        sentences=(result.promise, *_interval_sentence(result)),
        sheets={
            "designs": lambda: sheet(
                result.rows, digits={"variance": 6, "epsilon": 3}, heading="Every design and estimator"
            ),
            "sizes": lambda: sheet(result.sizes, digits=sizes_digits, heading="What a given number of topics does"),
        },
        charts=(chart,),
        in_notebook=("designs", "sizes"),
        extra={"text": result.text},
    )


def _interval_sentence(result: Recommendation) -> tuple[str, ...]:
    if result.lower is None:
        return ()
    level = f"{1 - result.settings['alpha']:.0%}"
    return (say.SAMPLE_INTERVAL(level=level, lower=result.lower, upper=result.upper),)


@answers("Cost")
def cost_answer(result: Cost, settings: Any) -> Answer:
    """Designs that serve the same end, by measure and pool depth, with what each costs."""
    best = [_cost_note(row, "budget" in result.settings) for row in result.best.iter_rows(named=True)]
    notes = (
        *(best or [say.COST_DOUBTFUL()]),
        *result.notes,
    )
    digits = {"judged_per_topic": 1, "pool_per_topic": 1, "judged_share": 3, "variance": 6, "cost": 0, "ratio": 2}
    title = "Pool depth and cost"
    chart = Chart(
        "cost",
        title,
        "Lines: topics needed against documents to judge per topic, one line per measure.",
        result,
        "cost",
    )

    def sheet() -> Sheet:
        return Sheet(
            "cost", result.rows, result.signature, result.settings, result.warnings, title, digits, notes, heading=title
        )

    return Answer(headline=notes[0], sheets={"cost": sheet}, charts=(chart,), sentences=notes[1:])


def _cost_note(row: dict[str, Any], budget: bool) -> str:
    size = f"{row['topics']:,} topics to depth {row['depth']}, {row['judgments']:,} judgments"
    if not budget:
        deepest = f" (the deepest pool costs {row['ratio']:.1f} times as much)" if row["ratio"] > 1 else ""
        return say.LOWEST_COST(measure=row["measure"], size=size, deepest=deepest)
    name = "width" if row.get("width") is not None else "min_diff"
    return say.BEST_FOR_BUDGET(measure=row["measure"], size=size, what=name, value=row[name])


@answers("StandardisationEffect")
def effect_answer(result: StandardisationEffect, settings: Any) -> Answer:
    """Raw and standardised scores side by side: variances, rank agreement, topics needed."""
    sections = _effect_sections(result)

    def sheet() -> Sheet:
        return Sheet(
            "standardise effect", result.to_frame(), result.signature, result.settings, result.warnings,
            sections=sections,
        )  # fmt: skip

    def part(heading: str, rows: pl.DataFrame, **more: Any) -> Sheet:
        return Sheet(
            "standardise effect", rows, result.signature, result.settings, result.warnings, heading=heading, **more
        )

    def topics() -> Sheet:
        note = "The same min_diff is another difference on another scale: do not compare raw with standardised here."
        heading = "Topics needed (one-way ANOVA), exact and published"
        return part(heading, result.topics_needed, notes=(note,), digits={"min_diff": 2})

    chart = Chart("effect-chart", "What changes", "Bars: raw and standardised, free of scale.", result, "effect")
    rows = list(result.variance.iter_rows(named=True))
    return Answer(
        headline="\n".join(
            VARIANCES(measure=row["measure"], raw=row["variance_raw"], standardised=row["variance_standardised"])
            for row in rows
        ),
        sentences=tuple(RANKINGS_AGREE(measure=row["measure"], tau=row["tau"]) for row in rows),
        sheets={
            "effect": sheet,
            "variance": lambda: part("Variance and ranking, raw and standardised", result.variance),
            "scale-free": lambda: part(
                "Free of scale", result.scale_free, notes=sections[2].notes, digits=sections[2].digits
            ),
            "topics": topics,
        },
        charts=(chart,),
        on_page=("variance", "scale-free", "topics"),
        in_notebook=("variance", "scale-free", "topics"),
    )


def _effect_sections(result: StandardisationEffect) -> tuple[Sheet, ...]:
    """The tables for people, narrow enough for a terminal."""
    name, alpha, fraction = "standardise effect", result.settings["alpha"], result.settings["fraction"]
    sizes = ["measure", "systems", "topics", "variance_raw", "variance_standardised", "clipped", "tied_topics"]
    short = {"variance_raw": "raw", "variance_standardised": "standardised"}
    ranking = ["measure", "tau", "published_lower", "published_upper", "bootstrap_lower", "bootstrap_upper"]
    narrow = {name: name.replace("published", "pub").replace("bootstrap", "boot") for name in ranking}
    shorter = {"standardised": "std", "standardised_published": "std_published"}
    return (
        Sheet(name, result.variance.select(sizes).rename(short), title="Variance, raw and standardised"),
        Sheet(
            name,
            result.variance.select(ranking).rename(narrow),
            title="Agreement of the two rankings of the systems",
            notes=(
                "pub: tau ± z·√(2(2m+5)/(9m(m-1))), the published interval, which can pass 1. "
                f"boot: quantiles {alpha / 2:g} and {1 - alpha / 2:g} over resampled topics.",
            ),
        ),
        Sheet(
            name,
            result.scale_free,
            title="Free of scale: the only fair comparison of raw and standardised",
            notes=(
                "blocked_f: variance between systems over residual variance. topics: needed by "
                f"{result.scale_free['systems'][0]} systems when best and worst differ by {fraction:g} sd between "
                "systems (blocked, exact).",
            ),
            digits={"blocked_f": 2},
        ),
        Sheet(
            name,
            result.topics_needed.rename(shorter),
            result.signature,
            title="Topics needed (one-way ANOVA), exact and published",
            notes=("The same min_diff is another difference on another scale: do not compare raw with std here.",),
            digits={"min_diff": 2},
        ),
    )
