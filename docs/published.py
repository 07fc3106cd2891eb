"""Writes ``docs/published.md`` and ``docs/published_cells.csv`` from the numbers printed in the papers.

Run ``python docs/published.py`` after a change; a test fails while the files differ from what this would write.
"""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import polars as pl

from cranfield import PoolFigure, cost_from_figures, design_anova, design_interval
from cranfield.core.formats import to_csv
from cranfield.questions.design.anova import anova_power, anova_topics

DOCS = Path(__file__).resolve().parent
DATA = DOCS.parent / "tests" / "published"


def table(name: str) -> pl.DataFrame:
    """Numbers as the papers print them."""
    return pl.read_csv(DATA / f"{name}.csv")


def markdown(header: str, rows: list[tuple[object, ...]]) -> str:
    """A pipe table; columns whose header starts with ``>`` are set flush right."""
    names = [name.strip() for name in header.split("|")]
    rule = ["---:" if name.startswith(">") else ":---" for name in names]
    lines = [[name.lstrip(">") for name in names], rule, *[[str(cell) for cell in row] for row in rows]]
    return "\n".join(f"| {' | '.join(line)} |" for line in lines)


def said(name: str) -> str:
    """A figure as it stands in the other pages, see ``docs/figures.py``."""
    kept = json.loads((DOCS / "figures.json").read_text())
    return str(kept[name]["text"]).replace(" / ", "/")


def cells() -> pl.DataFrame:
    """Every published ANOVA size with the three methods' sizes and exact powers beside it."""
    frame = table("anova_topic_set_sizes")
    question = [frame[name] for name in ("variance", "systems", "min_diff")]
    levels = {"alpha": frame["alpha"], "power": 1 - frame["beta"]}
    rest = [frame[name] for name in ("systems", "min_diff", "variance")]
    found = {}
    for method in ("published", "approximate", "exact"):
        n = anova_topics(*question, **levels, method=method)
        found[f"topics_{method}"] = pl.Series(n).cast(pl.Int64)
        found[f"power_{method}"] = pl.Series(anova_power(n, *rest, alpha=frame["alpha"])).round(6)
    printed = pl.Series(anova_power(frame["topics"], *rest, alpha=frame["alpha"])).round(6)
    return frame.with_columns(power_printed=printed, **found)


def counts(frame: pl.DataFrame, intervals: pl.DataFrame) -> str:
    """How many cells of each table are reproduced."""
    rows: list[tuple[object, ...]] = []
    for kind, data, column in (("ANOVA", frame, "topics_published"), ("interval", intervals, "topics_found")):
        named = data.with_columns(pl.col("where").str.replace(r"\(.*", "").alias("table"))
        for (paper, where), group in named.group_by("paper", "table", maintain_order=True):
            same = int((group["topics"] == group[column]).sum())
            rows.append((paper, where, kind, group.height, same, group.height - same))
    rows.append(("all", "", "", *(sum(int(row[i]) for row in rows) for i in (3, 4, 5))))  # type: ignore[call-overload]
    return markdown("paper | table | design | >cells | >reproduced | >differ", rows)


def shortfalls(frame: pl.DataFrame) -> str:
    """Which sizes fall short of their power, by the exact non-central F."""
    wanted = 1 - frame["beta"]
    rows: list[tuple[object, ...]] = []
    for what, column in (
        ("as printed", "power_printed"),
        ("`approximate` (plus sign)", "power_approximate"),
        ("`exact`", "power_exact"),
    ):
        short = (wanted - frame[column]).to_numpy()
        worst = int(np.argmax(short))
        rows.append((what, int((short > 0).sum()), f"{max(0.0, short.max()) * 100:.1f}", f"{frame[column][worst]:.3f}"))
    return markdown("size | >cells below the stated power | >worst shortfall, points | >power there", rows)


def examples(frame: pl.DataFrame) -> str:
    """AP of EVIA Table 4, α = .05, power .80: printed, exact and blocked sizes side by side."""
    residual = round(measured("pooled", "residual"), 4)
    chosen = frame.filter(
        (pl.col("where") == "Table 4")
        & (pl.col("measure") == "AP")
        & (pl.col("alpha") == 0.05)
        & (pl.col("beta") == 0.2)
    )
    rows = []
    for row in chosen.iter_rows(named=True):
        blocked = design_anova(residual, row["systems"], row["min_diff"]).n_topics
        rows.append(
            (
                row["systems"],
                row["min_diff"],
                row["topics"],
                f"{row['power_printed']:.3f}",
                row["topics_exact"],
                blocked,
            )
        )
    head = ">systems | >min_diff | >printed | >its exact power | >exact, one-way, σ² = .0530"
    return markdown(f"{head} | >exact, blocked, V_E2 = {residual:.4f}".replace("0.", "."), rows)


def measured(collection: str, method: str) -> float:
    """A variance of the public matrices, as `estimate_variance` finds it."""
    frame = table("measured_variances")
    return float(frame.filter((pl.col("collection") == collection) & (pl.col("method") == method))["variance"].item())


def variances() -> str:
    """Measured variances beside the printed ones."""
    printed = {
        ("robust2003-new", "two_way"): ".0543 (EVIA Table 3, TREC03new)",
        ("robust2004-new", "two_way"): ".0517 (EVIA Table 3, TREC04new)",
        ("pooled", "two_way"): ".0530 (EVIA Table 3)",
        ("pooled", "one_way"): ".0523 gives the one-way sizes of EVIA's footnotes 4 and 6",
        ("robust2003-new", "percentile95"): "σ_t = .21 (RD-003 Table 2)",
        ("robust2004-new", "percentile95"): "σ_t = .20 (RD-003 Table 2)",
        ("pooled", "percentile95"): "σ_t = .21 (RD-003 Table 2)",
    }
    rows = []
    for collection, method, variance in table("measured_variances").iter_rows():
        sd = f"{np.sqrt(2 * variance):.4f}"
        rows.append((collection, method, f"{variance:.6f}", sd, printed.get((collection, method), "")))
    return markdown("collection, AP | method | >variance | >√variance_of_difference | printed", rows)


def costs(paper: str, **question: float) -> str:
    """Topics and judgments for every depth and measure of a paper's table."""
    figures = []
    for row in table("pool_depths").filter(pl.col("paper") == paper).iter_rows(named=True):
        variance = row["value"] ** 2 / 2 if row["quantity"] == "sd_of_difference" else row["value"]
        figures.append(PoolFigure(row["measure"], row["depth"], row["judged_per_topic"], variance))
    found = cost_from_figures(figures, **question).rows  # type: ignore[arg-type]
    rows = [
        (
            row["measure"],
            row["depth"],
            int(row["judged_per_topic"]),
            row["topics"],
            f"{row['judgments']:,}",
            f"{row['ratio']:.2f}",
        )
        for row in found.iter_rows(named=True)
    ]
    return markdown("measure | >depth | >judged per topic | >topics | >judgments | >ratio", rows)


def page() -> str:
    """The whole page."""
    frame = cells()
    intervals = table("interval_topic_set_sizes")
    found = [
        design_interval(row["variance_of_difference"], row["width"], alpha=row["alpha"]).n_topics
        for row in intervals.iter_rows(named=True)
    ]
    intervals = intervals.with_columns(topics_found=pl.Series(found))
    missing = int(anova_topics(0.0912, 10, 0.02, alpha=0.05, power=0.90, method="published"))
    short = int((frame["power_printed"] < 1 - frame["beta"]).sum())
    corrected = int((frame["power_approximate"] < 1 - frame["beta"]).sum())
    two = frame.filter((pl.col("systems") == 2) & (pl.col("topics") > 2000)).row(0, named=True)
    return f"""<!-- Written by docs/published.py; change that file, not this one. -->
# Published values

Every size printed in the source papers, recomputed. The numbers are kept in `tests/published/*.csv` and checked by `tests/published/`; `python docs/published.py`
writes this page and [published_cells.csv](published_cells.csv) from the same files. The CSV file has the {frame.height} ANOVA cells, each with
its size by all three methods and the exact power of the printed size. [References](references.md) has the papers.

## Cells reproduced

`--method published` for the ANOVA tables, `design interval` for the interval tables.

{counts(frame, intervals)}

The one cell that differs is a misprint: EVIA Table 4, α = .05, β = .10, m = 10, minD = .05, nDCG prints 894; the formula gives 896, and so does the AP cell beside it scaled by the variances (842 × .0564/.0530).
Past the spreadsheet's limit of 343 topics: σ_t = .24, δ = .05 takes {design_interval(0.24**2, 0.05).n_topics} topics, σ_t = .42 takes {design_interval(0.42**2, 0.05).n_topics:,}.

## What power the printed sizes have

By the exact non-central F, for the model the papers state (independent topics for each system):

{shortfalls(frame)}

## One-way and blocked, side by side

AP on the Robust collections, α = .05, power .80. The one-way design counts what topics differ by as noise; the blocked design takes it out, as a test on shared topics can.
Real scores are not spherical, so a blocked F-test needs its degrees of freedom multiplied by ε and the size adjusted for it: see [design](design.md).

{examples(frame)}

## Variances from the public matrices

Robust 2003 (50 topics, 78 systems) and 2004 (49 topics, 78 systems), new topics, AP: the papers' TREC03new and TREC04new.

{variances()}

From the pooled `two_way` variance rounded to four decimals, all 40 AP cells of EVIA Table 4 follow; unrounded, the first (6920) becomes {int(anova_topics(measured("pooled", "two_way"), 10, 0.02, alpha=0.01, power=0.9, method="published"))}.

## Pool depth and cost

RD-003 Table 4, interval of width .10 (its Figure 1):

{costs("RD-003", width=0.10)}

EVIA 2014 Table 9, interval of width .15 (its Figure 4b):

{costs("EVIA 2014", width=0.15)}

EVIA 2014 Table 9, ANOVA with m = 10, minD = .15, α = .05, power .80, exact (its Figure 4a by the spreadsheet: 74 and 100 topics for AP at depths 100 and 10):

{costs("EVIA 2014", n_systems=10, min_diff=0.15, published=True, method="exact")}

## Where the papers' own numbers are off

1. **EVIA Tables 4–7, AIRS Table 2.** The spreadsheet's normal approximation has a minus sign in its denominator where the derivation has a plus. {short} of {frame.height} printed sizes fall below the
   power they state, by up to {(1 - frame["beta"] - frame["power_printed"]).to_numpy().max() * 100:.1f} points. Two causes: the sign, which matters at small n, and the approximation itself: with the right sign {corrected} still fall short, by at most
   {(1 - frame["beta"] - frame["power_approximate"]).to_numpy().max() * 100:.1f} points (m = 2, minD = .02, σ² = {two["variance"]:.4f}: {two["topics"]:,} topics have power {two["power_printed"]:.3f}, {two["topics_exact"]:,} are needed). *Evidence:* the table above; `tests/published/test_topic_set_sizes.py`.
2. **The one-way design itself.** It promises power for independent topics per system; all systems of a collection share the topics. On shared topics with variances as in Robust, the one-way F at the designed n has
   power of about .95, .82, .58 and .2 to .3 for m = 2, 5, 10 and 20 instead of .80. *Evidence:* simulation in `tests/design/test_calibration.py`.
3. **EVIA 2014.** Table 4 misprints 894 for 896 (above). Table 6, α = .05 β = .10 m = 10 minD = .02, prints three values for four; the missing nERR is {missing:,}. §5.3's "0.375" is .0375 (Table 3c). §3.1's "power of β" is 1 − β.
4. **RD-003 §4.2.** 96 × 91 is {96 * 91:,}, not 8,376, and the ratio {731 * 64 / (96 * 91):.2f}, not 5.6; "n = 64 (σ_t = .24)" is .20 (.24 takes {design_interval(0.24**2, 0.10).n_topics}). *Evidence:* the cost table above.
5. **Replicates.** The "t-test" rows (TREC-3 409/310, TREC-8 4164/3437 significant pairs at .05/.01) are the *unpaired* t-test; the paired t finds 595/516 and 5981/5216. The randomisation rows (619/544, 6325/5571) fit a test in
   the observed direction ({said("trec3-observed-direction")}, {said("trec8-observed-direction")}), not a two-sided one ({said("trec3-randomisation")}, {said("trec8-randomisation")}). So the gap to the partition method is smaller than the slide suggests. *Evidence:* `cranfield compare` on the public matrices.
6. **Replicates.** Intervals get shorter with fewer partitions because residuals are not rescaled; the published p-value ignores one system's variance; together the type I error at two partitions is about .36 in simulation.
   *Evidence:* `cranfield replicates` documents both choices.
7. **AIRS 2016.** Table 2's caption says β = 0.80 (β = 0.20 is meant: its {frame.filter(pl.col("paper") == "AIRS 2016").height} cells follow with power .80). Intervals of Table 1(g) exceed 1. "[−3A, 3A]" is [B − 3A, B + 3A]. §4.1's "substantially smaller" variances
   rise in four of the five English ranking rows, and depend on A. *Evidence:* [standardise](standardise.md).
8. **INLS 509.** .25678 for the randomisation example is illustrative; enumerating the ten folds gives 208/1024 = .2031. One table row prints 0.08 for 0.8.

Not reproducible from public data: AIRS Table 1(e)(f), and the Terabyte and P@10 rows of the partition tables in Replicates.
"""


CITED = {
    "EVIA 2014's": "Sakai (2014a)'s", "EVIA 2014": "Sakai (2014a)", "EVIA": "Sakai (2014a)", "RD-003": "Sakai (2014b)",
    "AIRS 2016": "Sakai (2016)", "AIRS": "Sakai (2016)", "INLS 509": "Arguello's slides",
    "Replicates": "Voorhees et al. (2017)",
}  # fmt: skip
"""The papers as people know them, by the short names of the tables."""


def cited(text: str) -> str:
    """The page with the papers cited by author and year."""
    for short, known in CITED.items():
        text = text.replace(short, known)
    return text


def written() -> dict[Path, str]:
    """The files and what they should hold."""
    return {DOCS / "published.md": cited(page()), DOCS / "published_cells.csv": to_csv(cells())}


if __name__ == "__main__":
    for path, text in written().items():
        path.write_text(text)
