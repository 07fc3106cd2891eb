"""Charts of across: leaderboard, a pair over collections, sources of variance, and mean ranks."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

import altair as alt
import numpy as np
import polars as pl
from scipy.special import stdtrit

from cranfield.core.answer import sentence
from cranfield.core.charts import style
from cranfield.core.charts.style import DARK, WIDTH, Drawing, finish, plural, rows
from cranfield.core.errors import ArgumentError
from cranfield.questions.across.answer import headline
from cranfield.questions.across.board import mean_ranks
from cranfield.questions.across.design_answer import headline as design_headline

if TYPE_CHECKING:
    from cranfield.questions.across.across import Across
    from cranfield.questions.across.design import DesignAcross

MOST_SYSTEMS = 60
MOST_ROOM = 2.0
"""How far beyond the intervals of collections an axis reaches, in widths of these."""
FOREST = sentence(
    "charts.across-forest",
    "{a} is ahead of {b} on {ahead} of {count} collections",
    "on that many collections the mean of the first system is higher",
    always=True,
)
LARGEST_SOURCE = sentence(
    "charts.across-source",
    "The largest source of variance is {component} ({share:.0%})",
    "no other component has a larger variance",
    always=True,
)
MEAN_RANKS = sentence(
    "charts.across-ranks",
    "{first} the best mean rank; {systems} within the critical difference",
    "their mean rank exceeds that of the first by at most the critical difference; the first counts",
    always=True,
)


def _first_board(result: Across) -> pl.DataFrame:
    return result.board.filter(pl.col("measure") == result.data[0].measure)


def _counts(result: Across) -> str:
    known = result.settings
    return f"{plural(known['n_systems'], 'system')} on {plural(known['n_collections'], 'collection')}"


def systems(result: Across) -> Drawing:
    """Systems by their mean over collections, with intervals; those that may be the best are dark."""
    whole = _first_board(result)
    board = whole.head(MOST_SYSTEMS).with_columns(top=pl.col("may_be_best").fill_null(False))
    names = board["system"].to_list()
    measure, level = result.data[0].measure, 1 - result.settings["alpha"]
    title = f"mean {measure} with {level:.0%} interval"
    tone = alt.when(alt.datum.top).then(alt.value(DARK)).otherwise(alt.value("#7d8b99"))
    base = alt.Chart(rows(board.select("system", "mean", "lower", "upper", "top"))).encode(
        y=alt.Y("system:N", sort=names, axis=style.names_axis())
    )
    scale = alt.Scale(zero=False)
    plot = alt.layer(
        base.mark_rule(strokeWidth=2).encode(x=alt.X("lower:Q", title=title, scale=scale), x2="upper:Q", color=tone),
        base.mark_point(filled=True, size=60, opacity=1).encode(x=alt.X("mean:Q", title=title), color=tone),
    ).properties(width=WIDTH, height=style.step(len(names)))
    left = whole.height - board.height
    more = f"; {plural(left, 'more system')} not drawn" if left else ""
    dark = "" if result.settings["baseline"] else "; dark: rank may be 1"
    return finish(plot, headline(result), f"{_counts(result)}; claim {whole['claim'][0]}{dark}{more}")


def forest(result: Across) -> Drawing:
    """The first pair on each collection with its own interval, and over all of them by every claim."""
    data = result.data[0]
    pair = result.rows.filter(pl.col("measure") == data.measure).row(0, named=True)
    a, b = data.systems.index(pair["system_a"]), data.systems.index(pair["system_b"])
    means = data.system_means
    level = 1 - result.settings["alpha"] / 2
    shown = []
    for at, name in enumerate(data.collections):
        d = float(means[at, a] - means[at, b])
        half = 0.0
        if data.scores is not None:
            values = data.averaged[at][:, a] - data.averaged[at][:, b]
            half = float(stdtrit(len(values) - 1, level)) * float(values.std(ddof=1)) / math.sqrt(len(values))
        shown.append({"row": name, "difference": d, "lower": d - half, "upper": d + half, "all": False})
    both = (pl.col("measure") == data.measure) & (pl.col("system_a") == pair["system_a"])
    for row in result.rows.filter(both & (pl.col("system_b") == pair["system_b"])).to_dicts():
        label = f"all ({row['claim']})"
        shown.append({"row": label, **{key: row[key] for key in ("difference", "lower", "upper")}, "all": True})
    order = [str(one["row"]) for one in shown]
    title = f"difference in {data.measure}, {pair['system_a']} − {pair['system_b']}"
    base = alt.Chart(rows(shown)).encode(y=alt.Y("row:N", sort=order, title=None, axis=style.names_axis()))
    tone = alt.when(alt.datum.all).then(alt.value(DARK)).otherwise(alt.value("#7d8b99"))
    ends, cut = _drawn(shown)
    scale = alt.Scale(domain=ends, nice=not cut)
    zero = alt.Chart(rows([{"zero": 0}])).mark_rule(strokeDash=[3, 3], color="#7d8b99").encode(x="zero:Q")
    plot = alt.layer(
        zero,
        base.mark_rule(strokeWidth=2, clip=True).encode(
            x=alt.X("lower:Q", title=title, scale=scale), x2="upper:Q", color=tone
        ),
        base.mark_point(filled=True, size=60, opacity=1).encode(x=alt.X("difference:Q", title=title), color=tone),
    ).properties(width=WIDTH, height=style.step(len(order)))
    ahead = int((means[:, a] > means[:, b]).sum())
    text = FOREST(a=pair["system_a"], b=pair["system_b"], ahead=ahead, count=len(means))
    own = "no interval per collection" if data.scores is None else "t interval per collection"
    wider = f"; wider than drawn: {', '.join(cut)}" if cut else ""
    note = f"{_counts(result)}; {own}; dark: simultaneous over all pairs of a claim{wider}"
    return finish(plot, text, note)


def _drawn(shown: list[dict[str, Any]]) -> tuple[list[float], list[str]]:
    """The ends of an axis on which the intervals of collections can be read, and the rows it cuts off."""
    own = [one for one in shown if not one["all"]]
    low = min(0.0, *(min(one["lower"], one["difference"]) for one in own))
    high = max(0.0, *(max(one["upper"], one["difference"]) for one in own))
    room = MOST_ROOM * max(high - low, 1e-12)
    rest = [one for one in shown if one["all"] and one["lower"] is not None and one["upper"] is not None]
    cut = [str(one["row"]) for one in rest if one["lower"] < low - room or one["upper"] > high + room]
    ends = [min(low, *(max(one["lower"], low - room) for one in rest), low)]
    ends.append(max(high, *(min(one["upper"], high + room) for one in rest), high))
    margin = 0.02 * (ends[1] - ends[0]) or 0.01
    return [ends[0] - margin, ends[1] + margin], cut


def components(result: Across) -> Drawing:
    """The sources of variance by the first measure."""
    measure = result.data[0].measure
    table = result.source_rows.filter(pl.col("measure") == measure)
    order = table["component"].to_list()
    plot = (
        alt.Chart(rows(table.select("component", "variance")))
        .mark_bar(color=DARK)
        .encode(
            y=alt.Y("component:N", sort=order, title=None, axis=style.names_axis()),
            x=alt.X("variance:Q", title=f"variance of {measure}"),
        )
        .properties(width=WIDTH, height=style.step(len(order)))
    )
    top = table.sort("variance", descending=True, maintain_order=True).row(0, named=True)
    text = LARGEST_SOURCE(component=top["component"], share=top["share"] or 0.0)
    return finish(plot, text, f"{_counts(result)}; topic: of one score; seed: of one run's mean")


def critical_difference(result: Across) -> Drawing:
    """Mean ranks over collections, with the critical difference of Nemenyi from the best (Demšar 2006)."""
    from scipy.stats import studentized_range

    data = result.data[0]
    means = data.system_means
    k, m = means.shape
    if k < 2:
        raise ArgumentError("there is one collection, which gives no mean rank; ask for the chart systems.")
    rank = mean_ranks(means)
    alpha = result.settings["alpha"]
    q = float(studentized_range.ppf(1 - alpha, m, np.inf)) / math.sqrt(2)
    critical = q * math.sqrt(m * (m + 1) / (6 * k))
    order = np.argsort(rank, kind="stable")
    near = rank <= rank.min() + critical
    drawn = order[:MOST_SYSTEMS]
    names = [data.systems[at] for at in drawn]
    shown = [{"system": data.systems[at], "rank": float(rank[at]), "near": bool(near[at])} for at in drawn]
    tone = alt.when(alt.datum.near).then(alt.value(DARK)).otherwise(alt.value("#7d8b99"))
    band = alt.Chart(rows([{"from": float(rank.min()), "to": min(float(rank.min()) + critical, float(m))}]))
    plot = alt.layer(
        band.mark_rect(color="#e3e7eb").encode(x=alt.X("from:Q", title="mean rank over collections"), x2="to:Q"),
        alt.Chart(rows(shown))
        .mark_point(filled=True, size=60, opacity=1)
        .encode(
            x=alt.X("rank:Q", title="mean rank over collections", scale=alt.Scale(zero=False, padding=8)),
            y=alt.Y("system:N", sort=names, axis=style.names_axis()),
            color=tone,
        ),
    ).properties(width=WIDTH, height=style.step(len(names)))
    top = int((rank == rank.min()).sum())
    text = MEAN_RANKS(
        first=f"{names[0]} has" if top == 1 else f"{plural(top, 'system')} share",
        systems=f"{plural(int(near.sum()), 'system')} {'lies' if near.sum() == 1 else 'lie'}",
    )
    left = f"; {plural(m - len(names), 'more system')} not drawn" if m > len(names) else ""
    note = f"{_counts(result)}; critical difference {critical:.2f} ranks (Nemenyi); adding a system may change it{left}"
    return finish(plot, text, note)


def topics(result: DesignAcross) -> Drawing:
    """Topics per collection against the number of collections, by claim."""
    first = result.rows["measure"][0]
    table = result.rows.filter(
        (pl.col("measure") == first) & pl.col("seeds").is_null() & pl.col("topics").is_not_null()
    )
    names = list(dict.fromkeys(table["claim"].to_list()))
    scales = style.series_scales(names or ["these"])
    base = alt.Chart(rows(table.select("claim", "collections", "topics"))).encode(
        x=alt.X("collections:Q", title="collections", axis=style.whole_axis(), scale=alt.Scale(padding=16)),
        y=alt.Y("topics:Q", title="topics per collection", axis=style.whole_axis(), scale=alt.Scale(type="log")),
        color=alt.Color("claim:N", title=None, scale=scales["color"], legend=style.LINES),
    )
    plot = alt.layer(
        base.mark_line(strokeWidth=2).encode(
            strokeDash=alt.StrokeDash("claim:N", title=None, scale=scales["strokeDash"], legend=style.LINES)
        ),
        base.mark_point(filled=True, size=55, opacity=1),
    ).properties(width=WIDTH, height=260)
    known = result.settings
    return finish(plot, design_headline(result), f"power {known['power']:g} at level {known['alpha']:g}, one pair")
