"""Answers of `variance`: the estimates, and the analysis of variance."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import polars as pl

from cranfield.core.answer import Answer, Chart, sentence
from cranfield.core.defaults import ANOVA_VARIANCE, BLOCKED_VARIANCE, PAIRED_VARIANCE
from cranfield.core.labels import joined
from cranfield.core.results import signature
from cranfield.core.tables import Sheet, p_text
from cranfield.questions.variance.estimators import ESTIMATORS

if TYPE_CHECKING:
    from cranfield.core.results import Result
    from cranfield.questions.variance.estimate import VarianceEstimate
    from cranfield.questions.variance.variances import AnovaTable, Variances

VARIANCE = sentence(
    "variance.estimate",
    "The {estimator} variance of {measure} is {variance:.4f}{interval}",
    "the estimate by that formula, with its interval",
    always=True,
    measured="sizes teams",
)
F_FOR_SYSTEMS = sentence(
    "variance.f-for-systems",
    "{measure}: F = {f:.2f} for systems, p {p}",
    "F and p of the two-way analysis of variance, without correction for unequal variances",
    always=True,
)
DIGITS = {"variance": 6, "variance_of_difference": 6, "lower": 6, "upper": 6}
ANOVA_DIGITS = {"f": 2, "eta_squared": 3, "partial_eta_squared": 3, "omega_squared": 3}
DESIGNS_USE = (
    f"Designs use {BLOCKED_VARIANCE} (all pairs, blocked ANOVA), {ANOVA_VARIANCE} (one-way ANOVA) or {PAIRED_VARIANCE} "
    "(paired t-test, interval)."
)


def _notes() -> tuple[str, ...]:
    """Which estimators include the variance between topics, and which of them the designs use."""

    def those(holding: bool) -> str:
        return joined([one.name for one in ESTIMATORS.values() if one.holds_topics == holding])

    return f"{those(True)} include the variance between topics; {those(False)} do not.", DESIGNS_USE


def variances_answer(result: Variances, question: Any = None) -> Answer:
    """The estimates, and the analyses of variance; the one that was asked for first."""
    collections = list(result.collections)

    def estimates() -> Sheet:
        title = "Variance of past scores"
        return Sheet(
            "variance", result.to_frame(), result.signature, result.settings, result.warnings, title, DIGITS, _notes(),
            heading=title,
        )  # fmt: skip

    def anova() -> Sheet:
        return _anova(result.tables, signature("two-way ANOVA", collections=collections), {"collections": collections})

    asked = bool(getattr(question, "anova", False))
    sheets = {"anova": anova, "estimates": estimates} if asked else {"estimates": estimates, "anova": anova}
    chart = _estimators_chart(result)
    return Answer(
        headline=headline(result.estimates[0]),
        sheets=sheets,
        charts=(_sources_chart(result), chart) if asked else (chart, _sources_chart(result)),
    )


def estimate_answer(result: VarianceEstimate, question: Any = None) -> Answer:
    """One estimate."""

    def sheet() -> Sheet:
        return Sheet("variance", result.to_frame(), result.signature, result.settings, result.warnings, digits=DIGITS)

    return Answer(headline=headline(result), sheets={"estimates": sheet}, charts=(_estimators_chart(result),))


def table_answer(result: AnovaTable, question: Any = None) -> Answer:
    """One analysis of variance."""
    row = result.to_frame().row(0, named=True)
    return Answer(
        headline=F_FOR_SYSTEMS(measure=result.measure, f=row["f"], p=p_text(row["p"])),
        sheets={"anova": lambda: _anova([result], result.signature, {})},
        charts=(_sources_chart(result),),
    )


def _anova(tables: Sequence[AnovaTable], signed: str, facts: dict[str, Any]) -> Sheet:
    title = "Two-way analysis of variance"
    notes = tuple(f"{table.collection}, {table.measure}: {_both_epsilons(table)}" for table in tables)
    epsilons = {name: [getattr(table, name) for table in tables] for name in ("epsilon", "epsilon_unbiased")}
    rows = pl.concat([table.to_frame() for table in tables])
    said = tuple(dict.fromkeys(text for table in tables for text in table.warnings))
    return Sheet("variance", rows, signed, {**facts, **epsilons}, said, title, ANOVA_DIGITS, notes, heading=title)


def _both_epsilons(table: AnovaTable) -> str:
    """ε by both estimates, with the p-value that goes with each."""
    row = table.to_frame().row(0, named=True)
    low = f"Greenhouse–Geisser ε = {table.epsilon:.3f}, p_gg {p_text(row['p_gg'])}"
    if table.epsilon_unbiased is None:
        return f"{low}. Degrees of freedom are multiplied by ε."
    return (
        f"unbiased ε = {table.epsilon_unbiased:.3f}, p_unbiased {p_text(row['p_unbiased'])}; {low} (biased low with "
        "few topics). Degrees of freedom are multiplied by ε."
    )


def headline(one: VarianceEstimate) -> str:
    """The variance with its interval."""
    interval = "" if one.lower is None else f", {1 - one.alpha:.0%} interval {one.lower:.4f} to {one.upper:.4f}"
    return VARIANCE(estimator=one.estimator, measure=one.measure, variance=one.variance, interval=interval)


def _estimators_chart(result: Result) -> Chart:
    alt = "Dots with whiskers: variance and interval by estimator."
    return Chart("estimators", "Estimates of the variance", alt, result, "estimators")


def _sources_chart(result: Result) -> Chart:
    alt = "Bars: share of the variation due to systems, topics and residual."
    return Chart("sources", "Where the variation comes from", alt, result, "sources")
