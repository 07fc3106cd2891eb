"""Sections: the leaderboard, and which systems differ."""

from __future__ import annotations

from dataclasses import replace

import polars as pl

from cranfield.errors import quietly
from cranfield.present.answer import answer
from cranfield.present.answers.comparison import how_many_differ, leader
from cranfield.present.charts import compare as charts
from cranfield.present.charts.phone import FEWER
from cranfield.present.charts.scores import difference as difference_chart
from cranfield.present.charts.style import number, plural
from cranfield.present.report.case import Case, named
from cranfield.present.report.parts import Figure, Part, Section, Table, Text, notices
from cranfield.present.tables import Sheet, p_text
from cranfield.present.view.data import JUDGED_DEPTH
from cranfield.sentences import report as say

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
            say.ITS_MEAN(
                measure=case.measure,
                mean=number(first[comparison.statistic.replace("-", "_")]),
                level=f"{1 - case.alpha:.0%}",
                lower=number(first["lower"]),
                upper=number(first["upper"]),
                ranks=_ranks(first["rank_lower"], first["rank_upper"]),
            )
        ),
    ]
    if tied:
        parts.append(Text(say.NOT_SHOWN(system=comparison.systems[0], systems=named(tied, 12))))
    parts += [
        *(Text(text) for text in _by_the_second_measure(case)),
        Figure(
            "fig-leaderboard",
            charts.leaderboard(comparison),
            charts.leaderboard(comparison, **FEWER["leaderboard"]),
        ),
        Text(
            "An interval belongs to one system's mean over topics, and topics are shared: two systems whose intervals "
            "overlap may still differ. The groups come from the test of each pair: systems of one group are not "
            "shown to differ, which does not show that they are alike."
        ),
        Table("leaderboard", _caption(case), _with_means(case, board), shown=board.rows.height),
    ]
    return Section("leaderboard", "Leaderboard", tuple(parts), (comparison.signature,), _TEST_WORKS)


def _by_the_second_measure(case: Case) -> list[str]:
    """Who leads by the second measure, and how far the two order the systems alike."""
    from cranfield.scores.correlation import correlate

    if len(case.scores) < 2:
        return []
    first, second = list(case.scores.values())[:2]
    means = dict(zip(second.systems, second.system_means.tolist(), strict=True))
    leader = case.comparison().systems[0]
    tau = correlate(first, second, n_resamples=1).values["tau"]
    rank = 1 + sum(mean > means[leader] for mean in means.values())
    facts = {"system": leader, "other": second.measure, "tau": "unknown" if tau is None else number(tau)}
    if rank == 1:
        return [say.SAME_LEADER(**facts)]
    return [say.OTHER_LEADER(**facts, leader=max(means, key=means.__getitem__), rank=rank)]


def _separates_most(power: pl.DataFrame) -> str:
    """Which measure separates most pairs, or which of them share that place."""
    most = power.filter(pl.col("significant") == pl.col("significant").max())
    row = most.row(0, named=True)
    facts = {"significant": row["significant"], "pairs": row["pairs"], "share": row["share"]}
    if most.height == 1:
        return say.SEPARATES_MOST(measure=row["measure"], **facts)
    return say.SEPARATE_EQUALLY(measures=named(most["measure"].to_list()), **facts)


def _ranks(low: int, high: int) -> str:
    return f"is {low}" if low == high else f"lies between {low} and {high}"


def _caption(case: Case) -> str:
    others = ", beside it the mean of the other measures" if len(case.scores) > 1 else ""
    return f"Leaderboard by {case.measure}{others}"


def _with_means(case: Case, board: Sheet) -> Sheet:
    columns = []
    for name, known in (("team", case.teams), ("judged", case.judged_shares)):
        if known:
            kind = pl.String if name == "team" else pl.Float64
            columns.append(pl.Series(name, [known.get(system) for system in board.rows["system"]], dtype=kind))
    for name, matrix in list(case.scores.items())[1:]:
        means = dict(zip(matrix.systems, matrix.system_means.tolist(), strict=True))
        columns.append(pl.Series(name, [means.get(system) for system in board.rows["system"]], dtype=pl.Float64))
    notes = (f"judged: share of the first {JUDGED_DEPTH} documents that were judged.",) if case.judged_shares else ()
    return replace(board, rows=board.rows.with_columns(columns), notes=(*board.notes, *notes))


def _agreement(case: Case) -> Sheet:
    """Rank correlation between each two measures."""
    from itertools import combinations

    from cranfield.scores.correlation import correlate

    rows = []
    with quietly():
        for one, other in combinations(list(case.scores), 2):
            tau = correlate(case.scores[one], case.scores[other], n_resamples=0, missing="drop-topic").values
            rows.append({"measure": one, "other": other, "tau": tau["tau"], "tau_ap": tau["tau_ap"]})
    return Sheet("report", pl.DataFrame(rows))


def differences(case: Case) -> Section:
    """Decisions on all pairs, the two best topic by topic, and the measures compared."""
    comparison = case.comparison()
    row = comparison.power_row()
    total = row["pairs"]
    parts: list[Part] = [
        Text(f"{how_many_differ(comparison)} in {case.measure} ({row['share']:.0%}).", strong=True),
        Text(
            say.UNCORRECTED(
                comparisons=plural(comparison.family, "comparison"), uncorrected=row["uncorrected"],
                chance=number(case.alpha * total, 0), pairs=total,
            )
        ),
    ]  # fmt: skip
    if row["smallest_difference"] is not None:
        parts.append(Text(say.SMALLEST(difference=number(row["smallest_difference"], 4))))
    parts += notices(comparison.warnings)
    parts.append(Figure("fig-pairs", charts.pairs(comparison)))
    matrix = case.main
    first, second = comparison.systems[0], comparison.systems[1]
    pairs = answer(comparison).sheet("pairs")
    pair = pairs.rows.filter(system_a=first, system_b=second).row(0, named=True)
    verdict = "significant" if pair["significant"] else "not significant"
    parts.append(
        Text(
            say.FIRST_SECOND(
                first=first,
                second=second,
                difference=number(pair["difference"], 4),
                level=f"{1 - case.alpha:.0%}",
                lower=number(pair["lower"], 4),
                upper=number(pair["upper"], 4),
                interval=comparison.interval,
                p=p_text(pair["p_adjusted"], case.alpha),
                verdict=verdict,
            )
        )
    )
    parts.append(Figure("fig-first-second", difference_chart(matrix, first, second)))
    nearness = (pl.col("p_adjusted") / case.alpha).log().abs()
    ordered = pairs.rows.sort(nearness, pl.col("difference").abs(), descending=[False, True])
    shown = replace(pairs, rows=ordered, hidden=(*pairs.hidden, "p", "p_method"))
    parts.append(
        Table("pairs", f"Pairs worth a second look: those nearest to p = {case.alpha:g} come first", shown, shown=15)
    )
    works: tuple[str, ...] = _TEST_WORKS
    signatures = [comparison.signature]
    if len(case.scores) > 1:
        several = case.comparisons()
        parts.append(
            Table("measures-agree", "Do measures agree? Kendall's τ between the orders of systems", _agreement(case))
        )
        parts.append(Figure("fig-levels", charts.significance_levels(list(several.values()))))
        power = answer(several).sheet("power")
        parts.append(Text(_separates_most(power.rows)))
        parts.append(Table("discriminative-power", "How many pairs each measure separates", power))
        signatures += [one.signature for one in list(several.values())[1:]]
        works = (*works, "sakai-asl")
    return Section("differences", "Which systems differ", tuple(parts), tuple(signatures), works)
