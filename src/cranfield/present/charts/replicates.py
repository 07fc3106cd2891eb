"""Charts of replicates: system effects, agreement over splits, and the methods' decisions side by side."""

from __future__ import annotations

from typing import TYPE_CHECKING

import altair as alt
import polars as pl

from cranfield.defaults import RESAMPLES
from cranfield.present.charts.maps import block_map, how_to_read, map_size
from cranfield.present.charts.style import (
    DARK,
    INK,
    WIDTH,
    Drawing,
    finish,
    names_axis,
    number,
    plural,
    rows,
    step,
    whole_axis,
)
from cranfield.sentences import charts as say

if TYPE_CHECKING:
    from cranfield.replicates import Replicates


def _measure(result: Replicates, measure: str | None) -> str:
    return result[measure].measure if measure is not None else result.measures[0]


def details(result: Replicates) -> str:
    settings = result.settings
    splits = plural(int(settings.get("n_splits") or 1), "split")
    return f"{splits} of the documents into {settings.get('n_partitions', 2)} partitions"


def effects(result: Replicates, measure: str | None = None) -> Drawing:
    """Every system's effect (its mean less the mean of all) with a typical interval of one split."""
    name = _measure(result, measure)
    replicates = result[name]
    frame = replicates.systems_frame().select("system", "effect", "lower", "upper")
    names = frame["system"].to_list()
    base = alt.Chart(rows(frame)).encode(y=alt.Y("system:N", sort=names, axis=names_axis()))
    title = f"system effect in {name} (mean less the mean of all systems)"
    zero = alt.Chart(rows([{"zero": 0}])).mark_rule(color=INK, strokeWidth=1).encode(x="zero:Q")
    plot = alt.layer(
        zero,
        base.mark_rule(strokeWidth=2.5, color=DARK).encode(x=alt.X("lower:Q", title=title), x2="upper:Q"),
        base.mark_point(filled=True, size=40, color=DARK, opacity=1).encode(x=alt.X("effect:Q", title=title)),
    ).properties(width=WIDTH, height=step(len(names)))
    different, total = int(replicates.decisions.decided.sum()), len(replicates.pairs)
    finding = say.OTHER_DOCUMENTS(
        different=different, pairs=plural(total, "pair"), measure=name, length=number(replicates.mean_length, 4)
    )
    return finish(
        plot, finding, f"{details(result)}; {1 - replicates.rule.alpha:.0%} intervals from bootstrapped residuals"
    )


def agreement(result: Replicates, measure: str | None = None) -> Drawing:
    """How far the splits agree on every pair, in greys: white where all do, black where half stand against half."""
    name = _measure(result, measure)
    replicates = result[name]
    n = replicates.decisions.n_splits
    names = replicates.systems_frame()["system"].to_list()
    place = {system: k for k, system in enumerate(names)}
    least = -(-n // 2)
    levels = [f"{k}:{n - k}" for k in range(n, least - 1, -1)]
    # As dark as the vote is close: the same grey for the same share, however many splits there are.
    greys = [f"#{round(245 - 235 * 2 * k / n):02x}" for k in range(len(levels))]
    tones = {level: grey[0] + grey[1:] * 3 for level, grey in zip(levels, greys, strict=True)}
    table = [[""] * len(names) for _ in names]
    for row in replicates.pairs_frame().iter_rows(named=True):
        votes, against = row["votes"], row["against"]
        most = max(votes, against, n - votes - against, least)
        a, b = place[row["system_a"]], place[row["system_b"]]
        table[a][b] = table[b][a] = f"{most}:{n - most}"
    counts = replicates.agreement_frame()
    disagreed = int(counts.filter(pl.col("agreement") == "any disagreement")["pairs"].sum())
    total = len(replicates.pairs)
    finding = (
        say.SPLITS_AGREE(
            splits=n, agreed=total - disagreed, pairs=plural(total, "pair"), share=(total - disagreed) / total
        )
        if n > 1
        else "One split: nothing to agree on"
    )
    drawn = block_map(names, table, tones)
    return finish(
        drawn,
        finding,
        f"{name}; {details(result)}; darker: fewer splits make the same decision{how_to_read(len(names))}",
        width=max(420, map_size(len(names))),
    )


def methods(result: Replicates, measure: str | None = None, n_resamples: int = RESAMPLES) -> Drawing:
    """How many pairs each rule and test finds different, and how many of them the replicates find too."""
    from cranfield.replicates.other_tests import comparison_table

    name = _measure(result, measure)
    return methods_table(comparison_table(result[name], n_resamples), len(result[name].pairs), name, details(result))


def methods_table(frame: pl.DataFrame, total: int, measure: str, details: str) -> Drawing:
    """The same from a table of `Replicates.comparison`."""
    frame = frame.with_columns(
        name=pl.concat_str(
            "test",
            pl.lit(", "),
            pl.when(pl.col("correction") == "none")
            .then(pl.lit("uncorrected"))
            .otherwise(pl.col("correction").str.to_uppercase()),
        )
    )
    names = frame["name"].to_list()
    parts = [
        {"name": row["name"], "part": part, "pairs": row[column]}
        for row in frame.iter_rows(named=True)
        for part, column in (("also by replicates", "both"), ("only here", "extra"), ("in conflict", "conflicts"))
        if row[column]
    ]
    tones = {"also by replicates": DARK, "only here": "#8fa6bb", "in conflict": "#c8501f"}
    shown = [part for part in tones if any(one["part"] == part for one in parts)] or [*tones]  # no key may be empty
    y = alt.Y("name:N", sort=names, title=None, axis=alt.Axis(ticks=False, domain=False))
    bars = (
        alt.Chart(rows(parts))
        .mark_bar(height=15)
        .encode(
            y=y,
            x=alt.X(
                "pairs:Q",
                title="pairs found different",
                scale=alt.Scale(domain=[0, total]),
                axis=whole_axis(),
            ),
            color=alt.Color("part:N", title=None, scale=alt.Scale(domain=shown, range=[tones[part] for part in shown])),
            order=alt.Order("part:N"),
        )
    )
    text = (
        alt.Chart(rows(frame.select("name", "different")))
        .mark_text(align="left", dx=5)
        .encode(y=y, x="different:Q", text=alt.Text("different:Q", format=",d"))
    )
    first = frame.row(0, named=True)
    random = frame.filter(pl.col("test") == "randomisation").row(-1, named=True)
    finding = say.REPLICATES_BESIDE(
        different=first["different"], pairs=plural(total, "pair"), others=random["different"]
    )
    return finish(
        alt.layer(bars, text).properties(width=WIDTH - 60, height=alt.Step(26)),
        finding,
        f"{measure}; {details}; replicates generalise to other documents, tests over topics to other topics",
        width=WIDTH + 100,
    )
