"""Sections: the leaderboard, and which systems differ."""

from __future__ import annotations

from dataclasses import replace

import polars as pl

from cranfield.present.answer import answer
from cranfield.present.answers.comparison import how_many_differ, leader
from cranfield.present.charts import compare as charts
from cranfield.present.charts.scores import difference as difference_chart
from cranfield.present.charts.style import number, plural
from cranfield.present.report.case import Case, named
from cranfield.present.report.parts import Figure, Notice, Part, Section, Table, Text
from cranfield.present.tables import Sheet, p_text

_TEST_WORKS = ("fisher", "smucker", "phipson", "holm")


def leaderboard(case: Case) -> Section:
    """Ranks, means with intervals, rank intervals and groups."""
    comparison = case.comparison()
    board = answer(comparison).sheet("leaderboard")
    first = board.rows.row(0, named=True)
    tied = [name for name in comparison.unseparated_from_best if name != comparison.systems[0]]
    parts: list[Part] = [
        Text(leader(comparison, f" by {case.measure}") + ".", strong=True),
        Text(
            f"Its mean {case.measure} is {number(first[comparison.statistic.replace('-', '_')])}, with a "
            f"{1 - case.alpha:.0%} interval from "
            f"{number(first['lower'])} to {number(first['upper'])}. Its rank among these systems "
            f"{_ranks(first['rank_lower'], first['rank_upper'])} ({1 - case.alpha:.0%})."
        ),
    ]
    if tied:
        parts.append(
            Text(
                f"Tests of all pairs do not show that these differ from {comparison.systems[0]}: {named(tied, 12)}. "
                "That is no evidence that they are as good."
            )
        )
    parts += [
        Figure("fig-leaderboard", charts.leaderboard(comparison)),
        Text(
            "An interval belongs to one system's mean over topics, and topics are shared: two systems whose intervals "
            "overlap may still differ. The groups come from the test of each pair: systems of one group are not "
            "shown to differ, which does not show that they are alike."
        ),
        Table("leaderboard", _caption(case), _with_means(case, board), shown=board.rows.height),
    ]
    return Section("leaderboard", "Leaderboard", tuple(parts), (comparison.signature,), _TEST_WORKS)


def _ranks(low: int, high: int) -> str:
    return f"is {low}" if low == high else f"lies between {low} and {high}"


def _caption(case: Case) -> str:
    beside = ", beside it the mean of the other measures" if len(case.scores) > 1 else ""
    return f"Leaderboard by {case.measure}{beside}"


def _with_means(case: Case, board: Sheet) -> Sheet:
    columns = []
    for name, matrix in list(case.scores.items())[1:]:
        means = dict(zip(matrix.systems, matrix.system_means.tolist(), strict=True))
        columns.append(pl.Series(name, [means.get(system) for system in board.rows["system"]], dtype=pl.Float64))
    return replace(board, rows=board.rows.with_columns(columns))


def differences(case: Case) -> Section:
    """Decisions on all pairs, the two best topic by topic, and the measures compared."""
    comparison = case.comparison()
    row = comparison.power_row()
    total = row["pairs"]
    parts: list[Part] = [
        Text(f"{how_many_differ(comparison)} in {case.measure} ({row['share']:.0%}).", strong=True),
        Text(
            f"Without correction for {plural(comparison.family, 'comparison')} it would have been "
            f"{row['uncorrected']:,}; if no two systems differed at all, "
            f"about {number(case.alpha * total, 0)} of {total:,} would come out significant by chance."
        ),
    ]
    if row["smallest_difference"] is not None:
        parts.append(Text(f"The smallest difference found significant is {number(row['smallest_difference'], 4)}."))
    parts += [Notice(text) for text in comparison.warnings]
    parts.append(Figure("fig-pairs", charts.pairs(comparison)))
    matrix = case.main
    first, second = comparison.systems[0], comparison.systems[1]
    pairs = answer(comparison).sheet("pairs")
    pair = pairs.rows.filter(system_a=first, system_b=second).row(0, named=True)
    verdict = "significant" if pair["significant"] else "not significant"
    parts.append(
        Text(
            f"First against second: {first} beats {second} by {number(pair['difference'], 4)} on average, "
            f"{1 - case.alpha:.0%} interval {number(pair['lower'], 4)} to {number(pair['upper'], 4)} "
            f"({comparison.interval}), adjusted p {p_text(pair['p_adjusted'])}: {verdict}."
        )
    )
    parts.append(Figure("fig-first-second", difference_chart(matrix, first, second)))
    ordered = pairs.rows.sort("p_adjusted", "difference", descending=[False, True])
    shown = replace(pairs, rows=ordered, hidden=(*pairs.hidden, "p", "p_method"))
    parts.append(Table("pairs", "Every pair, smallest p first", shown, shown=15))
    works: tuple[str, ...] = _TEST_WORKS
    signatures = [comparison.signature]
    if len(case.scores) > 1:
        several = case.comparisons()
        parts.append(Figure("fig-levels", charts.significance_levels(list(several.values()))))
        power = answer(several).sheet("power")
        best = power.rows.sort("share", descending=True).row(0, named=True)
        parts.append(
            Text(
                f"{best['measure']} separates most pairs: {best['significant']:,} of "
                f"{best['pairs']:,} ({best['share']:.0%})."
            )
        )
        parts.append(Table("discriminative-power", "How many pairs each measure separates", power))
        signatures += [one.signature for one in list(several.values())[1:]]
        works = (*works, "sakai-asl")
    return Section("differences", "Which systems differ", tuple(parts), tuple(signatures), works)
