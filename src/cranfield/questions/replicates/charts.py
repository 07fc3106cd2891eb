"""Charts of replicates: system effects, agreement over splits, and the methods' decisions side by side."""

from __future__ import annotations

from typing import TYPE_CHECKING

import altair as alt
import polars as pl

from cranfield.core.answer import sentence
from cranfield.core.charts import style
from cranfield.core.charts.style import DARK, WIDTH, Drawing, block_map, finish, how_to_read, map_size, plural, rows
from cranfield.core.defaults import RESAMPLES

if TYPE_CHECKING:
    from cranfield.questions.replicates.replicate import Replicates

OTHER_DOCUMENTS = sentence(
    "charts.other-documents",
    "Over document partitions, {different:,} of {pairs} differ in {measure}; mean interval length {length}",
    "pairs that the splits together separate by their rule",
    always=True,
    measured="replicates_tables.md#calibration",
)
SPLITS_AGREE = sentence(
    "charts.splits-agree",
    "All {splits} splits agree on {agreed:,} of {pairs} ({share:.0%})",
    "there are two splits or more; that many pairs get the same decision from every split",
)
REPLICATES_BESIDE = sentence(
    "charts.replicates-beside",
    "Replicates separate {different:,} of {pairs}; randomisation over topics separates {others:,}",
    "pairs that each separates by its own rule",
    always=True,
)


def details(result: Replicates) -> str:
    settings = result.settings
    splits = plural(int(settings.get("n_splits") or 1), "split")
    return f"{splits} of the documents into {settings.get('n_partitions', 2)} partitions"


def effects(result: Replicates, measure: str | None = None) -> Drawing:
    """Every system's effect (its mean minus the mean of all) with a typical interval of one split."""
    one = result[measure or result.measures[0]]
    frame = one.systems_frame().select("system", "effect", "lower", "upper")
    names = frame["system"].to_list()
    base = alt.Chart(rows(frame)).encode(y=alt.Y("system:N", sort=names, axis=style.names_axis()))
    title = f"system effect in {one.measure} (mean minus the mean of all systems)"
    plot = alt.layer(
        alt.Chart(rows([{"zero": 0}])).mark_rule(color=style.INK, strokeWidth=1).encode(x="zero:Q"),
        base.mark_rule(strokeWidth=2.5, color=DARK).encode(x=alt.X("lower:Q", title=title), x2="upper:Q"),
        base.mark_point(filled=True, size=40, color=DARK, opacity=1).encode(x=alt.X("effect:Q", title=title)),
    ).properties(width=WIDTH, height=style.step(len(names)))
    pairs, length = plural(len(one.pairs), "pair"), style.number(one.mean_length, 4)
    finding = OTHER_DOCUMENTS(different=one.n_different, pairs=pairs, measure=one.measure, length=length)
    return finish(plot, finding, f"{details(result)}; {1 - one.rule.alpha:.0%} intervals from bootstrapped residuals")


def agreement(result: Replicates, measure: str | None = None) -> Drawing:
    """Agreement of the splits on every pair: white where all agree, black where they are divided in half."""
    one = result[measure or result.measures[0]]
    n = one.decisions.n_splits
    names = one.systems_frame()["system"].to_list()
    place = {system: k for k, system in enumerate(names)}
    least = -(-n // 2)
    levels = [f"{k}:{n - k}" for k in range(n, least - 1, -1)]
    # The grey depends on the share of agreeing splits, not on their number.
    tones = {level: f"#{f'{round(245 - 235 * 2 * k / n):02x}' * 3}" for k, level in enumerate(levels)}
    table = [[""] * len(names) for _ in names]
    for first, second, votes, against in (
        one.pairs_frame().select("system_a", "system_b", "votes", "against").iter_rows()
    ):
        most = max(votes, against, n - votes - against, least)
        a, b = place[first], place[second]
        table[a][b] = table[b][a] = f"{most}:{n - most}"
    counts, total = one.agreement_frame(), len(one.pairs)
    agreed = total - int(counts.filter(pl.col("agreement") == "any disagreement")["pairs"].sum())
    finding = "One split, so agreement is not defined"
    if n > 1:
        finding = SPLITS_AGREE(splits=n, agreed=agreed, pairs=plural(total, "pair"), share=agreed / total)
    how = f"{details(result)}; darker: fewer splits agree{how_to_read(len(names))}"
    width = max(420, map_size(len(names)))
    return finish(block_map(names, table, tones), finding, f"{one.measure}; {how}", width=width)


def methods(result: Replicates, measure: str | None = None, n_resamples: int = RESAMPLES) -> Drawing:
    """How many pairs each rule and test finds different, and how many of them the replicates find too."""
    from cranfield.questions.replicates.other_tests import comparison_table

    one = result[measure or result.measures[0]]
    return methods_table(comparison_table(one, n_resamples), len(one.pairs), one.measure, details(result))


def methods_table(frame: pl.DataFrame, total: int, measure: str, details: str) -> Drawing:
    """The same from a table of `Replicates.comparison`."""
    correction = pl.col("correction").str.to_uppercase().replace("NONE", "uncorrected")
    frame = frame.with_columns(name=pl.concat_str("test", pl.lit(", "), correction))
    parts = [
        {"name": row["name"], "part": part, "pairs": row[column]}
        for row in frame.iter_rows(named=True)
        for part, column in (("also by replicates", "both"), ("only this test", "extra"), ("in conflict", "conflicts"))
        if row[column]
    ]
    tones = {"also by replicates": DARK, "only this test": style.BAR, "in conflict": style.ACCENT}
    shown = [part for part in tones if any(one["part"] == part for one in parts)] or [*tones]  # no key may be empty
    y = alt.Y("name:N", sort=frame["name"].to_list(), title=None, axis=alt.Axis(ticks=False, domain=False))
    scale = alt.Scale(domain=[0, total])
    bars = alt.Chart(rows(parts)).mark_bar(height=15)
    bars = bars.encode(
        y=y,
        x=alt.X("pairs:Q", title="pairs found different", scale=scale, axis=style.whole_axis()),
        color=alt.Color("part:N", title=None, scale=alt.Scale(domain=shown, range=[tones[part] for part in shown])),
        order=alt.Order("part:N"),
    )
    text = alt.Chart(rows(frame.select("name", "different"))).mark_text(align="left", dx=5)
    text = text.encode(y=y, x="different:Q", text=alt.Text("different:Q", format=",d"))
    random = frame.filter(pl.col("test") == "randomisation")["different"][-1]
    finding = REPLICATES_BESIDE(different=frame["different"][0], pairs=plural(total, "pair"), others=random)
    plot = alt.layer(bars, text).properties(width=WIDTH - 60, height=alt.Step(26))
    subtitle = f"{measure}; {details}; replicates generalise to other documents, tests over topics to other topics"
    return finish(plot, finding, subtitle, width=WIDTH + 100)
