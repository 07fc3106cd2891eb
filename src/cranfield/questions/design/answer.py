"""Answers of the designs: topics by every method and estimator."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

import polars as pl

from cranfield.core.answer import Answer, Chart, sentence
from cranfield.core.tables import Sheet
from cranfield.questions.variance.estimators import ESTIMATORS

if TYPE_CHECKING:
    from cranfield.questions.design.result import Design

WIDTH = sentence(
    "design.width",
    "With {topics} topics, the {level} interval of a difference between two systems has expected width {width:.4f}.",
    "an interval is designed; expected width of a t interval with that variance",
)
DETECTS = sentence(
    "design.detects",
    "With {topics} topics, {test} a difference of {min_diff:.4g}{among} with power {power:.3f} at level {alpha:g}.",
    "a test is designed; power by the noncentral distribution with that variance",
)
PUBLISHED_SAYS = sentence(
    "design.published-says",
    "The published approximation gives {value}.",
    "the papers have a method of their own for this design: the figure is by method `published`",
)
DIGITS = {"variance": 6, "variance_of_difference": 6, "epsilon": 3, "expected_null": 1, "expected_alternative": 1}
_SOLVED = {
    "topics": "The number of topics",
    "min_diff": "The difference",
    "power": "The power",
    "width": "The width",
    "systems": "The number of systems",
}
_LOOKS = (
    "With {} (O'Brien–Fleming-like spending), topics_max is the maximum. expected_null and expected_alternative are "
    "the expected topics without a difference and with min_diff. `design looks` gives the boundaries."
)
_LOOKS_AT_PAIRS = (
    "These numbers are for one pair min_diff apart, tested at alpha divided by the number of comparisons. All pairs "
    "share the topics, so judging ends when the last pair is decided (`monitor`)."
)
_UNITS = {
    "topics": "{} topics",
    "min_diff": "a difference of {}",
    "power": "power {}",
    "systems": "{} systems",
    "width": "a width of {}",
}


def design_answer(design: Design, question: Any = None) -> Answer:
    """The design; for a page by every method side by side, and from past scores by every estimator."""
    methods = design.kind.methods
    compared = len(methods) > 1 and design.question["method"] == methods[0]
    looks = getattr(question, "looks", None)
    notes = _notes(design)
    if looks:
        notes += (_LOOKS.format("1 look" if looks == 1 else f"{looks} looks"),)
        notes += (_LOOKS_AT_PAIRS,) if design.kind.name == "pairs" else ()
    sheets = {"design": lambda: _sheet(design, question, _with_looks(design, looks), looks=looks, notes=notes)}
    if compared:
        sheets["methods"] = lambda: _sheet(design, question, design.by_method, notes=(design.variant.note,))
    if design.by_estimator is not None:
        every = design.by_estimator
        heading = "Results by variance estimator"
        sheets["estimators"] = lambda: _sheet(design, question, every, heading=heading)
    sought = design.solved_for
    front = (sought, f"{sought}_lower", f"{sought}_upper", "achieved_power", "expected_width")
    return Answer(
        _headline(design), sheets, _charts(design), _sentences(design, compared),
        on_page=tuple(name for name in sheets if name != ("design" if compared else "methods")),
        extra={"first_columns": {"design": front, "methods": ("method", *front), "estimators": ("estimator", *front)}},
    )  # fmt: skip


def _with_looks(design: Design, looks: int | None) -> Any:
    """The rows with maximum and expected topics for several looks; null where there is no design.

    A pair among several is tested at α/C. With unequal variances of pairs, a design needs more topics than one test
    at the mean variance. The looks are scaled up in proportion.
    """
    if looks is None:
        return design.rows
    from cranfield.questions.monitor.planned import design_looks

    listed: list[tuple[Any, ...]] = []
    for row in design.rows.iter_rows(named=True):
        asked = [row[name] for name in ("variance_of_difference", "min_diff", "power", "alpha", "topics")]
        if None in asked or not row["alpha"] < row["power"] < 1:
            listed.append((None, None, None))
            continue
        variance, difference, power, alpha, topics = asked
        level = alpha / (row.get("comparisons") or 1)
        made = design_looks(variance, difference, looks=looks, power=power, alpha=level)
        most = max(math.ceil(round(topics * made.inflation, 9)), 2 * looks)
        share = most / made.topics_max
        listed.append((most, share * made.expected_null, share * made.expected_alternative))
    types = {"topics_max": pl.Int64, "expected_null": pl.Float64, "expected_alternative": pl.Float64}
    return design.rows.hstack(pl.DataFrame(listed, schema=types, orient="row"))


def _sheet(design: Design, settings: Any, rows: Any, heading: str = "", looks: int | None = None, **more: Any) -> Sheet:
    what = f"{design.what[0].upper()}{design.what[1:]}: {design.solved_for}"
    facts: dict[str, Any] = {"solved_for": design.solved_for, **design.settings}
    if looks is not None:
        facts["looks"] = looks
    if design.by_estimator is not None:
        if getattr(settings, "files", None):
            facts |= {"scores": settings.files, "missing": settings.missing}
        others = design.by_estimator.slice(design.rows.height)
        facts |= {"estimator": design.estimator, "other_estimators": others.to_dicts()}
    return Sheet(
        f"design {design.kind.name}", rows, design.signature, facts, design.warnings, what, DIGITS,
        heading=heading or what.replace("_", " "), **more,
    )  # fmt: skip


def _notes(design: Design) -> tuple[str, ...]:
    """When the sizes are valid, and what other estimators give."""
    notes = [design.variant.note]
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


def _headline(design: Design) -> str:
    column = design.rows[design.solved_for].to_list()
    said = [_UNITS[design.solved_for].format(_value(value)) for value in column]
    measures = design.rows["measure"].to_list() if "measure" in design.rows.columns else []
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
    """The power or width of a single design, and the result of the papers' method."""
    if design.rows.height > 1:
        return ()
    row = design.rows.row(0, named=True)
    name, level = design.solved_for, f"{1 - row['alpha']:.0%}"
    if "expected_width" in row:
        text = WIDTH(topics=_value(row["topics"]), level=level, width=row["expected_width"])
    else:
        among = f" {_WHERE[design.kind.name]} {row['systems']} systems" if "systems" in row else " between two systems"
        text = DETECTS(
            topics=_value(row["topics"]), test=_test_of(design), min_diff=row["min_diff"], among=among,
            power=row["achieved_power"], alpha=row["alpha"],
        )  # fmt: skip
    if row.get(f"{name}_lower") is not None:
        low, high = _value(row[f"{name}_lower"]), _value(row[f"{name}_upper"])
        text += f" {_SOLVED[name]} ranges from {low} to {high} over the {level} interval of the variance."
    if compared:
        published = design.other_methods["published"].rows[name]
        text += f" {PUBLISHED_SAYS(value=_value(published[0]))}"
    return (text,)


_WHERE = {"pairs": "between two of", "anova": "among"}


def _test_of(design: Design) -> str:
    if design.kind.name != "pairs":
        return f"a {design.what} detects"
    compared = design.what.removesuffix(", corrected")
    return f"corrected {compared} detect" if compared.startswith("comp") else f"corrected tests of {compared} detect"


def _charts(design: Design) -> tuple[Chart, ...]:
    """The charts, first the one of the varying quantity."""
    charts = {
        name: Chart(name, heading, f"Curve: {shows}.", design, name)
        for name, heading, shows in (
            ("power", "Power against topics", "power against the number of topics, with the design marked"),
            ("detectable", "What topics can detect",
             "the smallest detectable difference and the width of the interval against the number of topics"),
            ("systems", "Topics against systems", "topics needed against the number of systems compared"),
        )
    }  # fmt: skip
    if "achieved_power" not in design.rows.columns:
        return (charts["detectable"],)
    if "systems" not in design.rows.columns:
        return charts["power"], charts["detectable"]
    if design.rows["systems"].n_unique() > 1:
        return charts["systems"], charts["power"], charts["detectable"]
    return tuple(charts.values())
