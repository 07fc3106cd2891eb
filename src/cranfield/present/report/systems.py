"""Sections: the leaderboard, and which systems differ."""

from __future__ import annotations

import polars as pl

from cranfield.present.charts import compare as charts
from cranfield.present.charts.scores import difference as difference_chart
from cranfield.present.charts.style import number, plural
from cranfield.present.report.case import Case, named
from cranfield.present.report.parts import Figure, Notice, Part, Section, Table, Text
from cranfield.present.tables import p_text

_TEST_WORKS = ("fisher", "smucker", "phipson", "holm")


def unseparated(case: Case) -> list[str]:
    """The systems that no significant difference separates from the best one."""
    found = case.comparison()
    return [found.systems[k] for k in sorted(charts.unseparated_from_best(found)) if k > 0]


def leader(case: Case) -> str:
    """One sentence: who leads, and who may be the best."""
    return charts.leader(case.comparison(), f" by {case.measure}") + "."


def leaderboard(case: Case) -> Section:
    """Ranks, means with intervals, rank intervals and groups."""
    found = case.comparison()
    board = found.leaderboard()
    first = board.row(0, named=True)
    tied = unseparated(case)
    parts: list[Part] = [
        Text(leader(case), strong=True),
        Text(
            f"Its mean {case.measure} is {number(first[found.statistic.replace('-', '_')])}, with a "
            f"{1 - case.alpha:.0%} interval from "
            f"{number(first['lower'])} to {number(first['upper'])}. Its rank among these systems "
            f"{_ranks(first['rank_lower'], first['rank_upper'])} ({1 - case.alpha:.0%})."
        ),
    ]
    if tied:
        parts.append(
            Text(
                f"Tests of all pairs do not show that these differ from {found.systems[0]}: {named(tied, 12)}. That is "
                "no evidence that they are as good."
            )
        )
    parts += [
        Figure("fig-leaderboard", charts.leaderboard(found)),
        Text(
            "An interval belongs to one system's mean over topics, and topics are shared: two systems whose intervals "
            "overlap may still differ. The groups come from the test of each pair: systems of one group are not "
            "shown to differ, which does not show that they are alike."
        ),
        Table("leaderboard", _caption(case), _with_means(case, board), shown=board.height),
    ]
    return Section("leaderboard", "Leaderboard", tuple(parts), (found.signature,), _TEST_WORKS)


def _ranks(low: int, high: int) -> str:
    return f"is {low}" if low == high else f"lies between {low} and {high}"


def _caption(case: Case) -> str:
    beside = ", beside it the mean of the other measures" if len(case.scores) > 1 else ""
    return f"Leaderboard by {case.measure}{beside}"


def _with_means(case: Case, board: pl.DataFrame) -> pl.DataFrame:
    columns = []
    for name, matrix in list(case.scores.items())[1:]:
        means = dict(zip(matrix.systems, matrix.system_means.tolist(), strict=True))
        columns.append(pl.Series(name, [means.get(system) for system in board["system"]], dtype=pl.Float64))
    return board.with_columns(columns)


def differences(case: Case) -> Section:
    """Decisions on all pairs, the two best topic by topic, and the measures compared."""
    found = case.comparison()
    separated, total = int(found.significant.sum()), len(found.p)
    uncorrected = int((found.p <= case.alpha).sum())
    row = found.power_row()
    parts: list[Part] = [
        Text(
            f"{separated:,} of {plural(total, 'pair')} of systems differ significantly in "
            f"{case.measure} ({separated / total:.0%}).",
            strong=True,
        ),
        Text(
            f"Without correction for {plural(found.family, 'comparison')} it would have been "
            f"{uncorrected:,}; if no two systems differed at all, "
            f"about {number(case.alpha * total, 0)} of {total:,} would come out significant by chance."
        ),
    ]
    if row["smallest_difference"] is not None:
        parts.append(Text(f"The smallest difference found significant is {number(row['smallest_difference'], 4)}."))
    parts += [Notice(text) for text in found.warnings]
    parts.append(Figure("fig-pairs", charts.pairs(found)))
    matrix = case.main
    first, second = found.systems[0], found.systems[1]
    pair = found.to_frame().filter((pl.col("system_a") == first) & (pl.col("system_b") == second)).row(0, named=True)
    verdict = "significant" if pair["significant"] else "not significant"
    parts.append(
        Text(
            f"First against second: {first} beats {second} by {number(pair['difference'], 4)} on average, "
            f"{1 - case.alpha:.0%} interval {number(pair['lower'], 4)} to {number(pair['upper'], 4)} "
            f"({found.interval}), adjusted p {p_text(pair['p_adjusted'])}: {verdict}."
        )
    )
    parts.append(Figure("fig-first-second", difference_chart(matrix, first, second)))
    pairs = found.to_frame().sort("p_adjusted", "difference", descending=[False, True])
    hidden = tuple(name for name in ("effect_size_residual", "p", "p_method") if name in pairs.columns)
    parts.append(Table("pairs", "Every pair, smallest p first", pairs, hidden=hidden, shown=15))
    works: tuple[str, ...] = _TEST_WORKS
    signatures = [found.signature]
    if len(case.scores) > 1:
        several = case.comparisons()
        parts.append(Figure("fig-levels", charts.significance_levels(several)))
        power = pl.DataFrame([one.power_row() for one in several], schema_overrides={"smallest_difference": pl.Float64})
        best = power.sort("share", descending=True).row(0, named=True)
        parts.append(
            Text(
                f"{best['measure']} separates most pairs: {best['significant']:,} of "
                f"{best['pairs']:,} ({best['share']:.0%})."
            )
        )
        parts.append(Table("discriminative-power", "How many pairs each measure separates", power))
        signatures += [one.signature for one in several[1:]]
        works = (*works, "sakai-asl")
    return Section("differences", "Which systems differ", tuple(parts), tuple(signatures), works)
