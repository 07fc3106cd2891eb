"""Sections: how good this collection is, and what the next one needs."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import polars as pl

from cranfield.defaults import LOW_EPSILON, ORDER
from cranfield.errors import quietly
from cranfield.present.answer import answer
from cranfield.present.charts import design as design_charts
from cranfield.present.charts import planning
from cranfield.present.charts import variance as variance_charts
from cranfield.present.charts.style import given, number, plural
from cranfield.present.report.case import Case
from cranfield.present.report.parts import Figure, Notice, Part, Section, Table, Text, notices
from cranfield.present.tables import Sheet
from cranfield.sentences import design as say
from cranfield.sentences.variance import LOW_EPSILON as UNEQUAL

_WORKS = ("sakai-evia", "sakai-rd003", "greenhouse")
MIN_DIFFS = (0.05, 0.10, 0.20)
SYSTEMS = (2, 3, 5, 7, 10, 15, 20, 30, 40, 50, 70, 100)


def detects(case: Case, sizes: list[int]) -> pl.DataFrame:
    """For each number of topics: smallest range among all systems, smallest difference of one pair, interval widths."""
    from cranfield.design import design_all_pairs, design_ttest
    from cranfield.design.recommendation import expected_widths

    residual, wide = case.variance("residual"), case.variance("percentile95")
    with quietly():
        among = design_all_pairs(residual, case.main.n_systems, n_topics=sizes, power=case.power, alpha=case.alpha)
        named = design_ttest(residual, n_topics=sizes, power=case.power, alpha=case.alpha)
        widths = expected_widths(residual, wide, sizes, alpha=case.alpha)
    return pl.DataFrame(
        {"topics": sizes, "best_to_worst": among.rows["min_diff"], "one_pair": named.rows["min_diff"]}
    ).join(widths, on="topics")


def can_detect(case: Case) -> str:
    """What this collection can detect, beside what it shows."""
    here = detects(case, [case.main.n_topics]).row(0, named=True)
    observed = float(np.ptp(case.main.system_means))
    comparison = case.comparison()
    separated = int(comparison.significant.sum())
    return say.CAN_DETECT(
        topics=plural(case.main.n_topics, "topic"), systems=plural(case.main.n_systems, "system"),
        apart=number(here["best_to_worst"]), measure=case.measure, power=case.power, pair=number(here["one_pair"]),
        alpha=case.alpha, observed=number(observed), separated=separated, pairs=plural(len(comparison.p), "pair"),
    )  # fmt: skip


def quality(case: Case) -> Section:
    """What the collection can detect, and what its scores vary by."""
    n, m = case.main.n_topics, case.main.n_systems
    sizes = sorted({int(k) for k in np.unique(np.linspace(5, max(50, 3 * n), 40).round())} | {n})
    curve = detects(case, sizes)
    names = {
        "best_to_worst": f"any two of {m} systems, after correction",
        "one_pair": "two systems named beforehand",
        "width_average_pair": f"width of a {1 - case.alpha:.0%} interval of an average pair",
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
    epsilon = table.epsilon if table.epsilon_unbiased is None else table.epsilon_unbiased
    drawing = design_charts.detectable_curve(
        data,
        n,
        f"smallest difference in {case.measure} detected with power {case.power:g} at level "
        f"{case.alpha:g}, and expected interval width; variances from this collection",
        f"{plural(n, 'topic')} detect {number(here['best_to_worst'])} among {plural(m, 'system')} and "
        f"{number(here['one_pair'])} between two named beforehand",
    )
    parts: list[Part] = [
        Text(can_detect(case), strong=True),
        Text(
            say.DETECT_WIDTHS(average=number(here["width_average_pair"]), wide=number(here["width_percentile95_pair"]))
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
    if epsilon < LOW_EPSILON:
        parts.append(Notice(UNEQUAL(epsilon=epsilon)))
    marks = sorted({10, 25, 50, 100, 200, n})
    parts += [
        Table("detectable", "What a number of topics can detect", Sheet("report", detects(case, marks))),
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
    from cranfield.design import design_all_pairs, recommend

    with quietly():
        advice = recommend(case.main, case.n_systems, case.min_diff, power=case.power, alpha=case.alpha)
        grid = design_all_pairs(
            case.variance("residual"), list(SYSTEMS), list(MIN_DIFFS), power=case.power, alpha=case.alpha
        )
    said = answer(advice)
    sizes = said.sheet("sizes")
    row = advice.rows.row(0, named=True)
    parts: list[Part] = [
        Text(
            say.CREATE_NEXT(
                systems=plural(case.n_systems, "system"), measure=case.measure, min_diff=given(case.min_diff),
                topics=plural(advice.n_topics, "topic"),
            ),
            strong=True,
        ),
        Text(advice.promise),
    ]  # fmt: skip
    if row["topics_lower"] is not None:
        parts.append(
            Text(
                say.SAMPLE_INTERVAL(level=f"{1 - case.alpha:.0%}", lower=row["topics_lower"], upper=row["topics_upper"])
            )
        )
    parts += notices(advice.warnings)
    parts.append(Figure("fig-recommendation", planning.recommendation(advice)))
    parts.append(Table("recommendation", "Every design and estimator", said.sheet("designs")))
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
                *notices(priced.warnings),
                Figure("fig-cost", planning.cost(priced)),
                Table("cost", "Cost by pool depth", replace(answer(priced).sheet(), hidden=("cost",))),
            ]
            signatures.append(priced.signature)
        else:
            parts.append(Notice(sentence))
    return Section("next", "What the next collection needs", tuple(parts), tuple(signatures), _WORKS)


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
                order=case.scoring.get("order", ORDER),
            )
    except CranfieldError as error:
        return None, f"Pool depths could not be compared: {error}"
    if priced.best.is_empty():
        return priced, say.NO_CHEAPEST()
    best = priced.best.row(0, named=True)
    deepest = priced.to_frame().sort("depth").row(-1, named=True)
    sentence = say.JUDGING_COSTS_LEAST(
        depth=best["depth"], topics=plural(best["topics"], "topic"), documents=number(best["pool_per_topic"], 0),
        judgments=number(best["judgments"]),
    )  # fmt: skip
    if deepest["depth"] != best["depth"]:
        sentence += (
            f" Depth {deepest['depth']} would take {plural(deepest['topics'], 'topic')} and "
            f"{number(deepest['judgments'])} judgments, {deepest['cost'] / best['cost']:.1f} times as many."
        )
    return priced, " ".join([sentence, *priced.notes])
