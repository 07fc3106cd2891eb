"""How many topics: by every method side by side, and from data by every estimator."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, replace
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
from cranfield.executors import Progress
from cranfield.present.answer import Answer, Chart
from cranfield.present.tables import Sheet
from cranfield.settings import Settings, setting, shared
from cranfield.settings.design import VARIANCE, VARIANCE_OF_DIFFERENCE, AnovaSettings, IntervalSettings, TtestSettings
from cranfield.settings.variance import estimators
from cranfield.variance import VarianceEstimate
from cranfield.variance.collections import pooled_variances
from cranfield.web.server.data import Dataset
from cranfield.web.server.library import imports, read_lines
from cranfield.web.server.outcome import Outcome
from cranfield.web.server.page import data, page

KINDS = {"anova": AnovaSettings, "ttest": TtestSettings, "interval": IntervalSettings}


@dataclass(frozen=True, kw_only=True)
class DesignQuestion(Settings):
    """How many topics, or what that many topics can do: the settings of all designs on one page."""

    kind: str = setting(
        "anova", "anova: many systems; ttest: two systems; interval: width of a confidence interval.", choices=KINDS
    )
    find: str | None = setting(
        None, "What to find; by default what is left out. A value given for it is ignored.",
        choices=("topics", "min_diff", "power", "systems", "width"),
    )  # fmt: skip
    variance: tuple[float, ...] | None = setting(None, VARIANCE, least=-1e9, most=1e9)
    variance_of_difference: tuple[float, ...] | None = setting(None, VARIANCE_OF_DIFFERENCE, least=-1e9, most=1e9)
    data: str | None = data(None, "Dataset to estimate the variance from, instead of a variance.")
    measure: str | None = shared.measure("Measure of the dataset; its first unless named.", usual="")
    estimator: str | None = setting(
        None, "How to estimate the variance from the dataset; by default as the design needs it.", choices=estimators
    )
    n_systems: tuple[int, ...] | None = setting(
        None, "Systems that will be compared (anova).", least=-(10**6), most=10**6
    )
    min_diff: tuple[float, ...] | None = setting(
        None, "Smallest difference worth detecting (anova, ttest).", least=-1e9, most=1e9
    )
    width: tuple[float, ...] | None = setting(
        None, "Largest expected width of the interval (interval).", least=-1e9, most=1e9
    )
    n_topics: tuple[int, ...] | None = setting(None, "Topics there are.", least=-(10**6), most=10**6)
    power: tuple[float, ...] | None = setting(
        None, f"Wanted power; {defaults.POWER} unless sought.", least=-1e9, most=1e9
    )
    alpha: tuple[float, ...] = setting(
        (defaults.ALPHA,), "Significance level; intervals have 1 - alpha.", least=-1e9, most=1e9
    )
    method: str | None = setting(
        None, "Only this method; by default all of them side by side.", choices=defaults.names(defaults.DesignMethod)
    )
    blocked: bool = setting(False, "All systems share the topics and the test takes topics out (anova).")
    two_sample: bool = setting(False, "Two systems with different topics; sizes per group (ttest, interval).")


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


def design(question: DesignQuestion, dataset: Dataset | None, progress: Progress) -> Outcome:
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
    designs = [_call(question, asked, given, method) for method in methods]
    first = designs[0]
    others = [_call(question, asked, several, methods[0]) for several in estimates.values()]
    warnings = tuple(dict.fromkeys(text for one in designs for text in one.warnings))
    told = {"solved_for": first.solved_for, **typed}

    def sheet(several: list[Design], heading: str, *notes: str) -> Sheet:
        rows = pl.concat([one.rows for one in several], how="diagonal")
        return Sheet(
            f"design {question.kind}", rows, first.signature, told, warnings, _heading(first), DIGITS, notes,
            heading=heading,
        )  # fmt: skip

    sheets = {"design": lambda: sheet(designs, _heading(first), _NOTES.get(first.what, ""))}
    if others:
        sheets["estimators"] = lambda: sheet(others, "The same by every estimate of the variance")
    sentence = _sentence(designs)
    answer = Answer(_headline(designs), sheets, _charts(question, first), (sentence,) if sentence else ())
    return Outcome(answer, _command(question, asked, dataset), _python(question, asked, dataset), warnings)


def _asked(question: DesignQuestion) -> dict[str, Any]:
    """The arguments of this kind of design, without the one to be found."""
    names = _ASKED[question.kind]
    if question.find is not None and question.find not in names:
        raise ArgumentError(f"`find` must be one of {', '.join(names)} for {question.kind}; got {question.find}.")
    asked = {name: getattr(question, _ARGUMENT.get(name, name)) for name in names}
    if question.find is not None:
        asked[question.find] = None
        if question.find != "topics" and "topics" in asked and asked["topics"] is None:
            raise ArgumentError(f"`topics` is missing: to find `{question.find}`, say how many topics there are.")
        if question.find == "topics" and asked.get("power") is None and "power" in asked:
            asked["power"] = (defaults.POWER,)
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
        values = tuple(2 * value for value in values)
    elif not pairwise and name == "variance_of_difference":
        values = tuple(value / 2 for value in values)
    return values, {}, {}


def _estimator(question: DesignQuestion) -> str:
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


def _call(question: DesignQuestion, asked: dict[str, Any], variance: Any, method: str) -> Design:
    arguments = {_ARGUMENT.get(name, name): _list(value) for name, value in asked.items()}
    arguments["alpha"] = _list(question.alpha)
    if question.kind != "interval":
        arguments["method"] = method
    if question.kind == "anova":
        arguments["blocked"] = question.blocked
    return _function(question)(_list(variance), **arguments)


def _list(value: Any) -> Any:
    return list(value) if isinstance(value, tuple) else value


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


def _settings(question: DesignQuestion, asked: dict[str, Any], **more: Any) -> Any:
    """The question as the command of its design asks it."""
    kind = KINDS[question.kind]
    names = [one.name for one in kind.all()]
    every = {_ARGUMENT.get(name, name): value for name, value in asked.items()} | {"alpha": question.alpha}
    every |= {"method": question.method or defaults.DESIGN_METHOD, "blocked": question.blocked} | more
    every["two_sample"] = question.two_sample
    return kind(**{name: value for name, value in every.items() if name in names})


def _command(question: DesignQuestion, asked: dict[str, Any], dataset: Dataset | None) -> tuple[str, ...]:
    if dataset is None:
        typed = {"variance": question.variance, "variance_of_difference": question.variance_of_difference}
        return (_settings(question, asked, **typed).words(),)
    before, files = dataset.score_files(question.measure)
    measure = None if before else question.measure
    settings = _settings(question, asked, scores=files, measure=measure, estimator=question.estimator)
    return (*before, settings.words())


def _python(question: DesignQuestion, asked: dict[str, Any], dataset: Dataset | None) -> tuple[str, ...]:
    function = _function(question).__name__
    if dataset is None:
        values = question.variance or question.variance_of_difference or ()
        pairwise = question.kind != "anova" and not question.two_sample
        factor = 2 if pairwise and question.variance else 0.5 if not pairwise and not question.variance else 1
        numbers = [factor * value for value in values]
        lines: tuple[str, ...] = (imports(function),)
        variance = repr(numbers[0] if len(numbers) == 1 else numbers)
    else:
        lines = read_lines(question, dataset, function, "estimate_variance")
        variance = f"estimate_variance(scores, {_estimator(question)!r})"
    call = _settings(replace(question, two_sample=False), asked).call(variance)
    return (*lines, function + call[call.index("(") :])


EXAMPLE = {"kind": "anova", "find": "topics", "variance": "0.0530", "systems": "10", "min_diff": "0.10"}
EXAMPLE["power"] = "0.80"
"""AP of TREC's Robust tracks (EVIA 2014, Tables 3 and 4)."""

page(
    "design",
    "Design",
    DesignQuestion,
    heading="How many topics?",
    doing="Designing",
    nothing="",
    brief="How many topics? Or, given topics: what can they detect? Repeat a parameter, or put commas, for a grid.",
    example=EXAMPLE,
    template="design.html",
    answer=design,
    quick=lambda question, dataset: dataset is None or dataset.has_matrix(question.measure),
    place=10,
)
