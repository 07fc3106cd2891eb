"""The design page's question, put to the library: how many topics, by every method and estimator."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import replace
from typing import Any, get_args

import polars as pl

from cranfield import defaults
from cranfield.design import (
    Design,
    design_anova,
    design_interval,
    design_ttest,
    design_two_sample_interval,
    design_two_sample_ttest,
)
from cranfield.errors import ArgumentError
from cranfield.present.tables import Sheet
from cranfield.variance import VarianceEstimate
from cranfield.variance.collections import pooled_variances
from cranfield.web.pages.comparisons import imports, read_lines
from cranfield.web.pages.questions import DesignQuestion
from cranfield.web.pages.result import Chart, Result, Table
from cranfield.web.pages.snippets import command_line, literal, python_call
from cranfield.web.server.data import Dataset

DIGITS = {"variance": 6, "variance_of_difference": 6, "epsilon": 3}
METHODS: dict[str, tuple[defaults.DesignMethod, ...]] = {
    "anova": ("exact", "published", "approximate"),
    "ttest": ("exact", "published"),
    "interval": ("exact",),
}
_ASKED = {
    "anova": ("systems", "min_diff", "topics", "power"),
    "ttest": ("min_diff", "topics", "power"),
    "interval": ("width", "topics"),
}
_ARGUMENT = {"systems": "n_systems", "topics": "n_topics"}
_NOTES = {
    "one-way ANOVA": "Holds for independent topics per system. Systems that share topics need a blocked design, and a "
    "blocked test.",
    "blocked (two-way) ANOVA": "Holds for the two-way F-test on shared topics.",
    "paired t-test": "Both systems have the same topics.",
    "two-sample t-test": "Topics are per group.",
    "interval of a paired difference": "Both systems have the same topics.",
    "two-sample interval": "Topics are per group.",
}
MOST_CELLS = 1_000


def answer_design(question: DesignQuestion, dataset: Dataset | None) -> Result:
    """The design, by every method side by side, and from data by every estimator."""
    asked = _asked(question)
    cells = math.prod(
        len(values or [1])
        for values in (*asked.values(), question.alpha, question.variance, question.variance_of_difference)
    )
    if cells > MOST_CELLS:
        raise ArgumentError(f"the grid has {cells:,} cells; this page answers up to {MOST_CELLS:,}. Give fewer values.")
    given, typed, estimates = _variance(question, dataset)
    methods = METHODS[question.kind] if question.method is None else (question.method,)

    def design(variance: Any, method: defaults.DesignMethod) -> Design:
        return _call(question, asked, variance, method)

    designs = [design(given, method) for method in methods]
    others = {name: design(several, methods[0]) for name, several in estimates.items()}
    first = designs[0]
    rows = pl.concat([one.rows for one in designs], how="diagonal")
    settings = {"solved_for": first.solved_for, **typed}
    note = _NOTES.get(first.what, "")
    command = f"design {question.kind}"
    found = first.solved_for
    front = (found, f"{found}_lower", f"{found}_upper", f"{found}_adjusted", "achieved_power", "expected_width")
    answer = _table(command, rows, first, settings, (note,))
    tables = [Table("design", _heading(first), answer, first=("method", *front))]
    if others:
        frame = pl.concat([one.rows for one in others.values()], how="diagonal")
        heading = "The same by every estimate of the variance"
        answer = _table(command, frame, first, settings)
        tables.append(Table("estimators", heading, answer, first=("estimator", *front)))
    said = dict.fromkeys(text for one in designs for text in one.warnings)
    return Result(
        headline=_headline(designs),
        sentences=tuple(text for text in (_sentence(designs),) if text),
        tables=tuple(tables),
        charts=_charts(question, first),
        command=_command(question, asked, dataset),
        python=_python(question, asked, dataset),
        warnings=tuple(said),
        extra={"design": first},
    )


def _asked(question: DesignQuestion) -> dict[str, list[Any] | None]:
    """The arguments of this kind of design, without the one to be found."""
    names = _ASKED[question.kind]
    if question.find is not None and question.find not in names:
        raise ArgumentError(f"`find` must be one of {', '.join(names)} for {question.kind}; got {question.find}.")
    asked = {name: getattr(question, name) for name in names}
    if question.find is not None:
        asked[question.find] = None
        if question.find != "topics" and "topics" in asked and asked["topics"] is None:
            raise ArgumentError(f"`topics` is missing: to find `{question.find}`, say how many topics there are.")
        if question.find == "topics" and asked.get("power") is None and "power" in asked:
            asked["power"] = [defaults.POWER]
    return asked


def _variance(
    question: DesignQuestion, dataset: Dataset | None
) -> tuple[Any, dict[str, Any], dict[str, list[VarianceEstimate]]]:
    """The variance to design for, what to say about it, and all estimates when it comes from data."""
    pairwise = question.kind != "anova" and not question.two_sample
    typed = {"variance": question.variance, "variance_of_difference": question.variance_of_difference}
    if question.kind == "anova":
        typed.pop("variance_of_difference")
    given = {name: values for name, values in typed.items() if values}
    if dataset is not None:
        methods = list(dict.fromkeys([_estimator(question), *get_args(defaults.VarianceMethod)]))
        estimates = pooled_variances(dataset.collections(question.measure), methods, alpha=question.alpha[0])
        settings = {"data": dataset.name, "estimator": methods[0]}
        return estimates[methods[0]], settings, {str(name): several for name, several in estimates.items()}
    if not given:
        name = "variance_of_difference" if pairwise else "variance"
        raise ArgumentError(f"`{name}` is missing; type one, or choose data to estimate it from.")
    if len(given) > 1:
        raise ArgumentError("`variance` and `variance_of_difference` are both given; leave one of them out.")
    ((name, values),) = given.items()
    if pairwise and name == "variance":
        values = [2 * value for value in values]
    elif not pairwise and name == "variance_of_difference":
        values = [value / 2 for value in values]
    return values, {}, {}


def _estimator(question: DesignQuestion) -> defaults.VarianceMethod:
    if question.estimator is not None:
        return question.estimator
    if question.kind == "anova":
        return defaults.BLOCKED_VARIANCE if question.blocked else defaults.ANOVA_VARIANCE
    return defaults.ANOVA_VARIANCE if question.two_sample else defaults.PAIRED_VARIANCE


def _function(question: DesignQuestion) -> Callable[..., Design]:
    if question.kind == "anova":
        return design_anova
    if question.kind == "ttest":
        return design_two_sample_ttest if question.two_sample else design_ttest
    return design_two_sample_interval if question.two_sample else design_interval


def _call(
    question: DesignQuestion, asked: dict[str, list[Any] | None], variance: Any, method: defaults.DesignMethod
) -> Design:
    arguments: dict[str, Any] = {_ARGUMENT.get(name, name): value for name, value in asked.items()}
    arguments["alpha"] = question.alpha
    if question.kind != "interval":
        arguments["method"] = method
    if question.kind == "anova":
        arguments["blocked"] = question.blocked
    return _function(question)(variance, **arguments)


# ── words ─────────────────────────────────────────────────────────────────────────────────────────────────────

_UNITS = {
    "topics": "{} topics",
    "min_diff": "a difference of {}",
    "power": "power {}",
    "systems": "{} systems",
    "width": "a width of {}",
}


def _value(value: float | int | None) -> str:
    return "none" if value is None else f"{value:,}" if isinstance(value, int) else f"{value:.3g}"


def _headline(designs: list[Design]) -> str:
    first = designs[0]
    column = first.rows[first.solved_for]
    if len(column) > 1:
        known = column.drop_nulls()
        ends = "" if known.is_empty() else f": {_value(known.min())} to {_value(known.max())}"  # type: ignore[arg-type]
        return f"{len(column)} designs, solved for {first.solved_for}{ends}"
    text = _UNITS[first.solved_for].format(_value(column[0]))
    return text[0].upper() + text[1:]


def _sentence(designs: list[Design]) -> str:
    """What the one design promises, and what the papers' method says."""
    first = designs[0]
    if first.rows.height > 1:
        return ""
    row = first.rows.row(0, named=True)
    if "expected_width" in row:
        text = (
            f"With {_value(row['topics'])} topics the {1 - row['alpha']:.0%} interval of the difference of two systems "
            f"is expected to be {row['expected_width']:.4f} wide."
        )
    else:
        among = f" among {row['systems']} systems" if "systems" in row else " between two systems"
        text = (
            f"With {_value(row['topics'])} topics, {_article(first.what)} sees a difference of {row['min_diff']:.4g}"
            f"{among} with probability {row['achieved_power']:.3f} at level {row['alpha']:g}."
        )
    name = first.solved_for
    if f"{name}_lower" in row and row[f"{name}_lower"] is not None:
        low, high = _value(row[f"{name}_lower"]), _value(row[f"{name}_upper"])
        text += f" The variance is an estimate: at the ends of its {1 - row['alpha']:.0%} interval, {low} to {high}."
    published = (
        next((one for one in designs if one.rows["method"][0] == "published"), None) if len(designs) > 1 else None
    )
    if published is not None:
        text += f" The papers' spreadsheet says {_value(published.rows[name][0])}."
    return text


def _article(what: str) -> str:
    return f"{'an' if what[0] in 'aeio' and not what.startswith('one') else 'a'} {what}"


def _heading(design: Design) -> str:
    return f"{design.what[0].upper()}{design.what[1:]}: {design.solved_for.replace('_', ' ')}"


def _table(
    command: str, rows: pl.DataFrame, design: Design, settings: dict[str, Any], notes: tuple[str, ...] = ()
) -> Sheet:
    return Sheet(command, rows, design.signature, settings, design.warnings, _heading(design), DIGITS, notes)


def _charts(question: DesignQuestion, whole: Design) -> tuple[Chart, ...]:
    design = replace(whole, rows=whole.rows.drop_nulls(whole.solved_for))  # of a grid, the cells that have an answer
    found = []
    if question.kind != "interval":
        alt = "Curve: power against the number of topics, exact and published, with the design marked."
        found.append(Chart("power", "Power against topics", alt, design, "power"))
    alt = "Curve: the smallest detectable difference and the width of the interval against the number of topics."
    found.append(Chart("detectable", "What topics can detect", alt, design, "detectable"))
    if question.kind == "anova":
        alt = "Curve: topics needed against the number of systems compared."
        found.append(Chart("systems", "Topics against systems", alt, design, "systems"))
    return tuple(found)


# ── the same elsewhere ────────────────────────────────────────────────────────────────────────────────────────


def _command(question: DesignQuestion, asked: dict[str, list[Any] | None], dataset: Dataset | None) -> tuple[str, ...]:
    options: dict[str, Any] = {}
    before: list[str] = []
    if dataset is not None:
        before, words = dataset.score_words(question.measure)
        options["--scores"] = words
    else:
        options["--variance"] = question.variance
        options["--variance-of-difference"] = None if question.kind == "anova" else question.variance_of_difference
    options |= {f"--{name.replace('_', '-')}": value for name, value in asked.items()}
    options |= {
        "--alpha": None if question.alpha == [defaults.ALPHA] else question.alpha,
        "--method": None if question.method in (None, defaults.DESIGN_METHOD) else question.method,
        "--blocked": question.blocked and question.kind == "anova",
        "--two-sample": question.two_sample and question.kind != "anova",
        "--measure": question.measure if dataset is not None else None,
        "--estimator": question.estimator if dataset is not None else None,
    }
    return (*before, command_line(f"design {question.kind}", options))


def _python(question: DesignQuestion, asked: dict[str, list[Any] | None], dataset: Dataset | None) -> tuple[str, ...]:
    function = _function(question).__name__
    options = {_ARGUMENT.get(name, name): value for name, value in asked.items()}
    options["alpha"] = None if question.alpha == [defaults.ALPHA] else question.alpha
    if question.kind != "interval" and question.method not in (None, defaults.DESIGN_METHOD):
        options["method"] = [question.method]
    call = {name: value for name, value in options.items() if value is not None}
    if question.kind == "anova" and question.blocked:
        call["blocked"] = [True]
    names = [function]
    lines = []
    if dataset is None:
        values = (question.variance or []) if question.variance else (question.variance_of_difference or [])
        pairwise = question.kind != "anova" and not question.two_sample
        factor = 2 if pairwise and question.variance else 0.5 if not pairwise and not question.variance else 1
        variance = literal([factor * value for value in values])
    else:
        names.append("estimate_variance")
        lines = list(read_lines(dataset, question.measure, *names))
        variance = f"estimate_variance(scores, {_estimator(question)!r})"
    return (*(lines or [imports(*names)]), python_call(function, variance, **call))
