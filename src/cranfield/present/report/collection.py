"""Sections: how good this collection is, and what the next one needs."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import polars as pl

from cranfield.defaults import LOW_EPSILON
from cranfield.errors import quietly
from cranfield.present.answer import answer
from cranfield.present.charts import design as design_charts
from cranfield.present.charts import planning
from cranfield.present.charts import variance as variance_charts
from cranfield.present.charts.style import given, number, plural
from cranfield.present.report.case import Case
from cranfield.present.report.parts import Figure, Notice, Part, Section, Table, Text
from cranfield.present.tables import Sheet

_WORKS = ("sakai-evia", "sakai-rd003", "greenhouse")
MIN_DIFFS = (0.05, 0.10, 0.20)
SYSTEMS = (2, 3, 5, 7, 10, 15, 20, 30, 40, 50, 70, 100)


def can_detect(case: Case) -> str:
    """One sentence: the difference this collection can detect."""
    here = case.detects([case.main.n_topics]).row(0, named=True)
    return (
        f"{plural(case.main.n_topics, 'topic')} can tell that {plural(case.main.n_systems, 'system')} "
        "differ when best and worst are "
        f"{number(here['range_of_all'])} {case.measure} apart, and two systems named beforehand when "
        f"they are {number(here['one_pair'])} apart "
        f"(power {case.power:g}, level {case.alpha:g})."
    )


def quality(case: Case) -> Section:
    """What the collection can detect, and what its scores vary by."""
    n, m = case.main.n_topics, case.main.n_systems
    sizes = sorted({int(k) for k in np.unique(np.linspace(5, max(50, 3 * n), 40).round())} | {n})
    curve = case.detects(sizes)
    names = {
        "range_of_all": f"best to worst of {m} systems",
        "one_pair": "two systems named beforehand",
        "interval_width": f"width of a {1 - case.alpha:.0%} interval",
    }
    data: list[dict[str, Any]] = [
        {"series": label, "topics": row["topics"], "value": row[column]}
        for column, label in names.items()
        for row in curve.iter_rows(named=True)
        if row[column] is not None
    ]
    here = curve.filter(pl.col("topics") == n).row(0, named=True)
    said, (table,) = answer(case.variances), case.variances.tables
    estimates, anova = (replace(said.sheet(name), hidden=("collection",)) for name in ("estimates", "anova"))
    drawing = design_charts.detectable_curve(
        data,
        n,
        f"smallest difference in {case.measure} detected with power {case.power:g} at level "
        f"{case.alpha:g}, and expected interval width; variances from this collection",
        f"{plural(n, 'topic')} detect {number(here['range_of_all'])} among {plural(m, 'system')} and "
        f"{number(here['one_pair'])} between two named beforehand",
    )
    parts: list[Part] = [
        Text(can_detect(case), strong=True),
        Text(
            "An interval for the difference of two systems is expected to be "
            f"{number(here['interval_width'])} wide with these topics."
        ),
        Figure("fig-detectable", drawing),
        Figure("fig-sources", variance_charts.sources(table)),
        Figure("fig-variances", variance_charts.estimators(case.variances)),
        Text(
            "The estimators differ because they answer different questions: within, one_way and "
            "two_way hold what topics differ by; "
            "residual and percentile95 do not, since systems are compared on the same topics."
        ),
    ]
    if table.epsilon < LOW_EPSILON:
        parts.append(
            Notice(
                "Differences between systems do not all vary equally (Greenhouse–Geisser ε = "
                f"{table.epsilon:.2f}; 1 would be equal). An F-test over all "
                "systems needs its degrees of freedom multiplied by ε; the figures above are for that test."
            )
        )
    marks = sorted({10, 25, 50, 100, 200, n})
    parts += [
        Table("detectable", "What a number of topics can detect", Sheet("report", case.detects(marks))),
        Table("variances", f"Variance of {case.measure}", estimates),
        Table("anova", "Analysis of variance", anova),
    ]
    return Section(
        "collection",
        "How good the collection is",
        tuple(parts),
        (case.variance("residual").signature, table.signature),
        _WORKS,
    )


def next_one(case: Case) -> Section:
    """How many topics, for how many systems, and how deep to judge."""
    from cranfield.design import design_anova, recommend

    with quietly():
        advice = recommend(case.main, case.n_systems, case.min_diff, power=case.power, alpha=case.alpha)
        grid = design_anova(
            case.variance("residual"),
            list(SYSTEMS),
            list(MIN_DIFFS),
            power=case.power,
            alpha=case.alpha,
            blocked=True,
            epsilon=None if case.epsilon is None else "past",
        )
    said = answer(advice)
    sizes = said.sheet("sizes")
    row = advice.rows.row(0, named=True)
    parts: list[Part] = [
        Text(
            f"To compare {plural(case.n_systems, 'system')} by {case.measure} and see a difference of "
            f"{given(case.min_diff)} between best and worst, create {plural(advice.n_topics, 'topic')}.",
            strong=True,
        )
    ]
    if row["topics_lower"] is not None:
        parts.append(
            Text(
                "The variance behind that number is itself an estimate: at the ends of its "
                f"{1 - case.alpha:.0%} interval the answer would be "
                f"{row['topics_lower']:,} or {row['topics_upper']:,} topics. Power is {case.power:g}, "
                f"the level {case.alpha:g}."
            )
        )
    parts += [Notice(text) for text in advice.warnings]
    if case.epsilon is not None:
        parts.append(
            Text(
                f"The recommended size is for an F-test corrected by ε = {advice_epsilon(case):.2f}; "
                "other ways of asking give other numbers:"
            )
        )
    parts.append(Figure("fig-recommendation", planning.recommendation(advice)))
    parts.append(Table("recommendation", "Every way of asking", said.sheet("designs")))
    parts.append(Figure("fig-systems", design_charts.systems(grid)))
    parts.append(
        Table(
            "power",
            f"Power to see a difference of {given(case.min_diff)} among {plural(case.n_systems, 'system')}",
            replace(sizes, rows=sizes.rows.select("topics", "power")),
        )
    )
    signatures = [advice.signature, grid.signature]
    if case.qrels is not None and case.runs:
        priced, sentence = _cost(case)
        if priced is not None:
            parts += [
                Text(sentence),
                *(Notice(text) for text in priced.warnings),
                Figure("fig-cost", planning.cost(priced)),
                Table("cost", "Cost by pool depth", replace(answer(priced).sheet(), hidden=("cost",))),
            ]
            signatures.append(priced.signature)
        else:
            parts.append(Notice(sentence))
    return Section("next", "What the next collection needs", tuple(parts), tuple(signatures), _WORKS)


def advice_epsilon(case: Case) -> float:
    """Greenhouse–Geisser ε for comparisons of as many systems as the next collection will have."""
    return case.variance("residual").epsilon(min(case.n_systems, case.main.n_systems))


def _cost(case: Case) -> tuple[Any, str]:
    from cranfield.design import cost
    from cranfield.errors import CranfieldError

    runs = list(case.run_objects())
    try:
        with quietly():
            priced = cost(
                [(case.judgments, runs)],
                [case.measure],
                case.depths,
                n_systems=case.n_systems,
                min_diff=case.min_diff,
                power=case.power,
                alpha=case.alpha,
                blocked=True,
                epsilon="past" if case.epsilon is not None and case.n_systems > 2 else None,
            )
    except CranfieldError as error:
        return None, f"Pool depths could not be compared: {error}"
    best = priced.best.row(0, named=True)
    deepest = priced.to_frame().sort("depth").row(-1, named=True)
    sentence = (
        f"Judging costs least with pools of depth {best['depth']}: "
        f"{plural(best['topics'], 'topic')} with {number(best['judged_per_topic'], 0)} judged "
        f"documents each, {number(best['judgments'])} judgments in all."
    )
    if deepest["depth"] != best["depth"]:
        sentence += (
            f" Depth {deepest['depth']} would take {plural(deepest['topics'], 'topic')} and "
            f"{number(deepest['judgments'])} judgments, {deepest['cost'] / best['cost']:.1f} times as many."
        )
    return priced, sentence
