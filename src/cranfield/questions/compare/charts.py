"""Charts of a comparison: leaderboard, decisions on pairs, differences, and achieved significance levels."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping
from typing import TYPE_CHECKING, Any

import altair as alt
import numpy as np
import polars as pl

from cranfield.core.answer import sentence
from cranfield.core.charts import style
from cranfield.core.errors import ArgumentError
from cranfield.core.labels import plural
from cranfield.questions.compare.answer import how_many_differ, leader
from cranfield.questions.compare.cautions import too_few_resamples
from cranfield.questions.compare.equivalence import indistinguishable, letter
from cranfield.questions.compare.tests import TESTS
from cranfield.questions.evaluate import charts as scores

if TYPE_CHECKING:
    from cranfield.questions.compare.comparison import Comparison
    from cranfield.questions.compare.topics import PairTopics
    from cranfield.questions.leaderboard.leaderboard import Leaderboard
    from cranfield.questions.table.table import PaperTable

WITH_BASELINE = sentence(
    "charts.with-baseline",
    "{significant:,} of {comparisons} with {baselines} are significant",
    "systems were compared with baselines; that many adjusted p are at most alpha",
    measured="families small",
)
BEFORE_CORRECTION = sentence(
    "charts.before-correction",
    "{measure} separates {share:.0%} of {pairs} before correction",
    "that share of the pairs has an uncorrected p of at most alpha",
    always=True,
)
MOST_GROUPS = 8
"""Columns of groups beside a leaderboard; with more the map of pairs serves better."""
MOST_PAIRS, MOST_AGAINST_ONE = 60, 150
"""Differences drawn at most: of all pairs, and against one baseline, where every row is a system."""
MOST_CURVE_POINTS = 200
"""Points of one curve of significance levels."""
LEAST_LEVEL = 1e-6
"""Where the axis of significance levels ends at the latest: below it nothing is left to decide."""
ROW, COLUMN, NEITHER, ALIKE = "row better", "column better", "not shown to differ", "equivalent"
_DECISIONS = {ROW: style.BETTER, COLUMN: style.WORSE, ALIKE: style.SAME, NEITHER: style.PAPER}
"""The half of a map above its diagonal."""


def details(comparison: Comparison) -> str:
    """The second line of every chart of a comparison: measure, n, test, correction, level."""
    pairs = plural(len(comparison.p), "pair")
    shortage = too_few_resamples(comparison).rstrip(".")
    return (
        f"{comparison.measure} over {plural(comparison.n_topics, 'topic')}, "
        f"{plural(len(comparison.systems), 'system')}, {pairs}; {TESTS[comparison.test].title}, "
        f"{comparison.correction_text()} p ≤ {comparison.alpha:g}{f'. {shortage}' if shortage else ''}"
    )


def leaderboard(comparison: Comparison, most_groups: int = MOST_GROUPS) -> style.Drawing:
    """Systems, best first, with the interval of each mean and the groups that are not shown to differ."""
    board = comparison.leaderboard()
    value = comparison.value_name
    names = board["system"].to_list()
    tied = set(comparison.unseparated_from_best if comparison.best is None else comparison.may_be_best)
    frame = board.select("rank", "system", pl.col(value).alias("value"), "lower", "upper").with_columns(
        top=pl.Series([name in tied for name in names])
    )
    base = alt.Chart(style.rows(frame)).encode(y=alt.Y("system:N", sort=names, axis=style.names_axis()))
    x_title = f"{comparison.statistic} {comparison.measure} with {1 - comparison.alpha:.0%} interval"
    tone = alt.when(alt.datum.top).then(alt.value(style.DARK)).otherwise(alt.value(style.EDGE))
    scale = _score_scale(comparison, frame)
    ends = alt.X("lower:Q", title=x_title, scale=scale)
    whiskers = base.mark_rule(strokeWidth=2, clip=True).encode(x=ends, x2="upper:Q", color=tone)
    dots = base.mark_point(filled=True, size=60, opacity=1).encode(
        x=alt.X("value:Q", title=x_title, scale=scale), color=tone
    )
    plot: style.Drawing = alt.layer(whiskers, dots).properties(width=380, height=style.step(len(names)))
    finding = _finding(comparison)
    note = f"; dark: {_dark(comparison)}"
    groups = _groups(comparison, most_groups)
    if groups is not None:
        plot = alt.hconcat(plot, groups.properties(height=style.step(len(names))), spacing=12)
        note += "; lines on the right join systems that are not significantly different"
    elif not comparison.baselines and len(names) > 1:
        note += "; too many groups of systems to draw"
    return style.finish(plot, finding, f"{details(comparison)}{note}", alt_text=f"Dark: {_dark(comparison)}.")


def _score_scale(comparison: Comparison, frame: pl.DataFrame) -> alt.Scale:
    """The axis of the scores; where none of them is below 0 or above 1, no interval leads beyond either."""
    x = comparison.scores.values
    lower, upper = frame["lower"].min(), frame["upper"].max()
    bounded = bool(x.min() >= 0 and x.max() <= 1)
    return alt.Scale(
        zero=bool(x.min() >= 0),
        nice=True,
        domainMin=0 if bounded and isinstance(lower, float) and lower < 0 else alt.Undefined,
        domainMax=1 if bounded and isinstance(upper, float) and upper > 1 else alt.Undefined,
    )


def of_first(draw: Callable[..., style.Drawing], result: Leaderboard | PaperTable, **options: Any) -> style.Drawing:
    """A chart of the comparison by the first measure."""
    return draw(result.first, **options)


def pair_topics(pair: PairTopics) -> style.Drawing:
    """Two systems of a comparison topic by topic."""
    return scores.difference(pair.comparison.scores, pair.system_a, pair.system_b)


def _dark(comparison: Comparison) -> str:
    if comparison.baselines:
        return f"not significantly different from {', '.join(comparison.baselines)}"
    if comparison.best is not None:
        return "may be the best"
    return "not significantly different from the first system"


def _finding(comparison: Comparison) -> str:
    if not comparison.baselines:
        return leader(comparison)
    with_ = "the baseline" if len(comparison.baselines) == 1 else "baselines"
    return WITH_BASELINE(
        significant=int(comparison.significant.sum()), comparisons=plural(len(comparison.p), "comparison"),
        baselines=with_,
    )  # fmt: skip


def _groups(comparison: Comparison, most: int) -> style.Drawing | None:
    """One column per group: dots on its members, joined by a line."""
    if comparison.baselines:
        return None
    groups = indistinguishable(comparison.separated)
    if not 1 <= len(groups) <= most:
        return None
    members = [{"group": letter(k), "system": comparison.systems[i]} for k, group in enumerate(groups) for i in group]
    spans = [
        {"group": letter(k), "first": comparison.systems[group[0]], "last": comparison.systems[group[-1]]}
        for k, group in enumerate(groups)
    ]
    names = list(comparison.systems)
    x = alt.X(
        "group:N",
        sort=[letter(k) for k in range(len(groups))],
        axis=alt.Axis(orient="top", title="groups", labelAngle=0, ticks=False, domain=False, titlePadding=4),
    )
    lines = (
        alt.Chart(style.rows(spans))
        .mark_rule(color=style.EDGE, strokeWidth=1.5)
        .encode(x=x, y=alt.Y("first:N", sort=names, axis=None, scale=alt.Scale(domain=names)), y2="last:N")
    )
    dots = (
        alt.Chart(style.rows(members))
        .mark_point(filled=True, size=34, color=style.DARK, opacity=1)
        .encode(x=x, y=alt.Y("system:N", sort=names, axis=None, scale=alt.Scale(domain=names)))
    )
    return alt.layer(lines, dots).properties(width=alt.Step(14))


def pairs(comparison: Comparison) -> style.Drawing:
    """Every pair twice, systems best first: above the diagonal the decision, below it the size of the difference."""
    names = list(comparison.systems)
    sizes = _sizes(comparison)
    drawn = style.block_map(names, _decisions(comparison, list(sizes)), {**_DECISIONS, **sizes})
    finding = (
        f"{how_many_differ(comparison)} ({comparison.discriminative_power:.0%})"
        if len(comparison.p)
        else "There is only one system: no pair to compare"
    )
    return style.finish(
        drawn,
        finding,
        f"{details(comparison)}; below the diagonal: difference in {comparison.measure}{style.how_to_read(len(names))}",
        width=max(420, style.map_size(len(names))),
        alt_text="One row and one column per system, best first; blue where the row's system is better.",
    )


def _sizes(comparison: Comparison) -> dict[str, str]:
    """Classes of sizes, each up to twice as large as the one before, with their shades."""
    largest = float(np.abs(comparison.difference).max(initial=0.0))
    ends = [largest / 2**k for k in range(len(style.SIZES_OF))][::-1]
    return {f"up to {style.number(end)}": shade for end, shade in zip(ends, style.SIZES_OF, strict=True)}


def _decisions(comparison: Comparison, sizes: list[str]) -> list[list[str]]:
    """The class of every cell: decisions above the diagonal, sizes below it."""
    m = len(comparison.systems)
    table = [[""] * m for _ in range(m)]
    largest = float(np.abs(comparison.difference).max(initial=0.0))
    rows = zip(
        comparison.pairs.a, comparison.pairs.b, comparison.significant, comparison.difference, comparison.equivalent,
        strict=True,
    )  # fmt: skip
    for a, b, significant, difference, equivalent in rows:
        high, low = (a, b) if a < b else (b, a)
        if significant:
            table[high][low] = ROW if (difference > 0) == (high == a) else COLUMN
        else:
            table[high][low] = ALIKE if equivalent else NEITHER
        halvings = int(math.log2(largest / abs(difference))) if difference else len(sizes)
        table[low][high] = sizes[max(0, len(sizes) - 1 - halvings)]
    return table


def differences(comparison: Comparison, most: int | None = None) -> style.Drawing:
    """The difference of every pair with its interval, largest first.

    Of more pairs than `most` (60; with one baseline 150) those whose decision is closest: decided and undecided pairs
    nearest to the level, as many of either as there is room for.
    """
    frame = comparison.to_frame().select(
        "system_a", "system_b", "difference", "lower", "upper", "p", "p_adjusted", "significant"
    )
    several = len(comparison.baselines) != 1
    label = pl.concat_str("system_a", pl.lit(" − "), "system_b") if several else pl.col("system_a")
    frame = frame.with_columns(pair=label)
    shown = _closest(frame, comparison.alpha, most or (MOST_PAIRS if several else MOST_AGAINST_ONE))
    note = _left_out(frame, shown, comparison.alpha)
    frame = shown.drop("p").sort("difference", descending=True)
    # A one-sided interval is open: it is drawn to the edge of what is finite.
    ends = [value for name in ("lower", "difference", "upper") for value in frame[name] if np.isfinite(value)]
    if ends:
        frame = frame.with_columns(pl.col("lower", "upper").clip(min(ends), max(ends)))
    names = frame["pair"].to_list()
    base = alt.Chart(style.rows(frame)).encode(y=alt.Y("pair:N", sort=names, axis=style.names_axis()))
    tone = alt.when(alt.datum.significant).then(alt.value(style.DARK)).otherwise(alt.value(style.EDGE))
    title = f"difference in {comparison.statistic} {comparison.measure} with {1 - comparison.alpha:.0%} interval"
    zero = alt.Chart(style.rows([{"zero": 0}])).mark_rule(color=style.INK, strokeWidth=1).encode(x="zero:Q")
    whiskers = base.mark_rule(strokeWidth=2).encode(x=alt.X("lower:Q", title=title), x2="upper:Q", color=tone)
    dots = base.mark_point(size=60, opacity=1, strokeWidth=2).encode(
        x=alt.X("difference:Q", title=title),
        color=tone,
        fill=alt.when(alt.datum.significant).then(alt.value(style.DARK)).otherwise(alt.value(style.PAPER)),
    )
    plot = alt.layer(zero, whiskers, dots).properties(width=style.WIDTH, height=style.step(len(names)))
    different, total = int(comparison.significant.sum()), len(comparison.p)
    against = f" from {comparison.baselines[0]}" if not several else ""
    what = "systems differ" if not several else "pairs differ"
    finding = f"{different:,} of {total:,} {what} significantly{against}"
    return style.finish(plot, finding, f"{details(comparison)}; filled = significant{note}")


def _closest(frame: pl.DataFrame, alpha: float, most: int) -> pl.DataFrame:
    """The pairs nearest to the level, half of them decided and half undecided where there are enough of both."""
    if frame.height <= most:
        return frame
    decided, undecided = frame.filter("significant"), frame.filter(~pl.col("significant"))
    of_decided = min(decided.height, max(most // 2, most - undecided.height))
    # Adjusted p-values are often equal (1, or the smallest there is): then the plain ones tell the nearer.
    by = [(pl.col(name).log() - math.log(alpha)).abs() for name in ("p_adjusted", "p")]
    parts = ((decided, of_decided), (undecided, most - of_decided))
    return pl.concat([part.sort(by, maintain_order=True).head(count) for part, count in parts])


def _left_out(frame: pl.DataFrame, shown: pl.DataFrame, alpha: float) -> str:
    """Which pairs are drawn and which are not, where not all are."""
    if shown.height == frame.height:
        return ""
    drawn, every = int(shown["significant"].sum()), int(frame["significant"].sum())
    left = (every - drawn, frame.height - every - (shown.height - drawn))
    return (
        f"; drawn: the {drawn} significant and {shown.height - drawn} other pairs nearest to p = {alpha:g}; "
        f"not drawn: {left[0]:,} significant, {left[1]:,} others"
    )


def significance_levels(comparisons: Comparison | Mapping[str, Comparison] | Iterable[Comparison]) -> style.Drawing:
    """Achieved significance level curves, one per measure (Sakai, SIGIR 2006): closer to the origin separates more."""
    if isinstance(comparisons, Mapping):
        comparisons = list(comparisons.values())
    listed = list(comparisons) if isinstance(comparisons, Iterable) else [comparisons]
    if not listed:
        raise ArgumentError("`comparisons` is empty; give at least one comparison.")
    listed = sorted(listed, key=lambda one: -float((one.p <= one.alpha).mean()))
    cut, listed = listed[style.MOST_SERIES :], listed[: style.MOST_SERIES]
    data: list[dict[str, Any]] = []
    for one in listed:
        curve = one.asl_curve()
        keep = np.unique(np.linspace(0, curve.height - 1, min(curve.height, MOST_CURVE_POINTS)).round().astype(int))
        data += [
            {"measure": one.measure, "pair": int(curve["pair"][int(k)]), "p": float(curve["p"][int(k)])} for k in keep
        ]
    scales = style.series_scales([one.measure for one in listed])
    least = min(point["p"] for point in data) if data else LEAST_LEVEL
    floor = 10.0 ** math.floor(math.log10(max(LEAST_LEVEL, min(least, listed[0].alpha))))
    levels = [10.0**k for k in range(round(math.log10(floor)), 1)]
    logarithmic = alt.Scale(type="log", domain=[floor, 1], clamp=True, nice=False)
    lines = (
        alt.Chart(style.rows(data))
        .mark_line(strokeWidth=2.2)
        .encode(
            x=alt.X("pair:Q", title="pairs of systems, from the largest p to the smallest", axis=style.whole_axis()),
            y=alt.Y(
                "p:Q",
                title="achieved significance level (uncorrected p)",
                scale=logarithmic,
                axis=alt.Axis(values=levels, format="~g"),
            ),
            color=alt.Color("measure:N", scale=scales["color"], title=None, legend=style.LINES),
            strokeDash=alt.StrokeDash("measure:N", scale=scales["strokeDash"], title=None, legend=style.LINES),
        )
    )
    alpha = listed[0].alpha
    level = alt.Chart(style.rows([{"alpha": alpha, "text": f"alpha = {alpha:g}"}]))
    line = level.mark_rule(color=style.FAINT, strokeWidth=1, strokeDash=[4, 3]).encode(y="alpha:Q")
    text = level.mark_text(align="right", dx=-4, dy=-7, color=style.FAINT).encode(
        y="alpha:Q", x=alt.value("width"), text="text:N"
    )
    first = listed[0]
    finding = BEFORE_CORRECTION(
        measure=first.measure, share=float((first.p <= first.alpha).mean()), pairs=plural(len(first.p), "pair")
    )
    if len(listed) > 1:
        last = listed[-1]
        finding += f", {last.measure} {float((last.p <= last.alpha).mean()):.0%}"
    left = f"; {plural(len(cut), 'further measure')} not drawn" if cut else ""
    below = f"; p below {floor:g} drawn there" if least < floor else ""
    return style.finish(
        alt.layer(line, lines, text).properties(width=style.WIDTH, height=300),
        finding,
        f"{TESTS[first.test].title} over {plural(first.n_topics, 'topic')}; a curve that falls sooner "
        f"separates more pairs{below}{left}",
        alt_text=f"Number of pairs below {style.number(alpha)}: "
        + ", ".join(f"{one.measure} {int((one.p <= one.alpha).sum())}" for one in listed)
        + ".",
    )
