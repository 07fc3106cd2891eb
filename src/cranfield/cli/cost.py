"""``cranfield cost``: how deep to judge, how many topics, and what that costs."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any

import typer

from cranfield.cli.design import Method, number_or_past
from cranfield.cli.options import Alpha, ChartName, Format, Output, Plot
from cranfield.defaults import ALPHA, DESIGN_METHOD, ORDER, POWER, RankingOrder, VarianceMethod

if TYPE_CHECKING:
    from cranfield.design import Cost


def command(
    depth: Annotated[list[int], typer.Option("--depth", metavar="D", help="Pool depth to consider; repeat it.")],
    measure: Annotated[list[str], typer.Option("--measure", "-m", help="Measure to evaluate by; repeatable.")],
    files: Annotated[
        list[str] | None, typer.Argument(metavar="QRELS RUN...", help="Judgments, then the runs that were pooled.")
    ] = None,
    collection: Annotated[
        list[str] | None,
        typer.Option(
            "--collection",
            metavar="QRELS RUNS",
            help="Judgments and a directory of runs; repeat it to pool several collections.",
        ),
    ] = None,
    systems: Annotated[int | None, typer.Option("--systems", metavar="M", help="Systems to compare (ANOVA).")] = None,
    min_diff: Annotated[
        float | None, typer.Option("--min-diff", metavar="D", help="Smallest difference worth detecting (ANOVA).")
    ] = None,
    width: Annotated[
        float | None, typer.Option("--width", metavar="W", help="Largest expected width of an interval, instead.")
    ] = None,
    power: Annotated[
        float | None, typer.Option("--power", metavar="P", help=f"Wanted power. [default: {POWER:.2f}]")
    ] = None,
    alpha: Alpha = ALPHA,
    method: Method = DESIGN_METHOD,
    blocked: Annotated[bool, typer.Option("--blocked", help="Design for a test that takes topics out.")] = False,
    epsilon: Annotated[
        str | None, typer.Option("--epsilon", metavar="E|past", help="With --blocked: for the F-test corrected by ε.")
    ] = None,
    estimator: Annotated[VarianceMethod | None, typer.Option("--estimator", help="How to estimate variances.")] = None,
    document_cost: Annotated[float, typer.Option("--document-cost", help="Cost of judging a document.")] = 1.0,
    topic_cost: Annotated[float, typer.Option("--topic-cost", help="Cost of setting up a topic.")] = 0.0,
    budget: Annotated[
        float | None, typer.Option("--budget", metavar="B", help="What may be spent: find the best it buys.")
    ] = None,
    order: Annotated[RankingOrder, typer.Option("--order", help="How documents are ordered.")] = ORDER,
    plot: Plot = None,
    chart: ChartName = None,
    format: Format = None,
    output: Output = None,
) -> None:
    """Topics and judgments for each pool depth and measure, and the cheapest design.

    Judgments are cut to each depth, runs evaluated anew, variances estimated (and pooled over collections), and the
    design priced: topics × (judged per topic × document cost + topic cost). ratio is the cost of the deepest pool
    divided by this one.

    \b
    Examples:
      cranfield cost qrels.txt runs/ -m AP --depth 10 --depth 100 --width 0.15
      cranfield cost qrels.txt runs/ -m AP --depth 10 --systems 10 --min-diff 0.15
      cranfield cost qrels.txt runs/ -m AP --depth 10 --systems 10 --budget 10000
      cranfield cost --collection q03 runs03/ --collection q04 runs04/ \\
                     -m AP --depth 10 --depth 100 --width 0.15
    """
    from cranfield.cli.output import draw, emit, progress_bar
    from cranfield.design import cost
    from cranfield.present.tables import Sheet

    with progress_bar("judging shallower") as progress:
        found = cost(
            _collections(files or [], collection or []), measure, depth, n_systems=systems, min_diff=min_diff,
            width=width, power=power, alpha=alpha, method=method, blocked=blocked, epsilon=number_or_past(epsilon),
            estimator=estimator, document_cost=document_cost, topic_cost=topic_cost, budget=budget, order=order,
            progress=progress,
        )  # fmt: skip
    answer = Sheet(
        "cost",
        found.rows,
        found.signature,
        found.settings,
        found.warnings,
        title="Pool depth and cost",
        digits={"judged_per_topic": 1, "variance": 6, "cost": 0, "ratio": 2},
        notes=_notes(found, budget),
    )
    emit(answer, format=format, output=output)
    draw(found, plot, chart)


def _collections(files: list[str], collections: list[str]) -> list[tuple[str, list[str]]]:
    """Judgments and runs: the plain arguments, or each --collection with the argument after it."""
    from cranfield.errors import ArgumentError

    if not collections:
        if len(files) < 2:
            raise ArgumentError("name the judgments and at least one run: cranfield cost QRELS RUN…")
        return [(files[0], files[1:])]
    if len(files) != len(collections):
        raise ArgumentError(
            f"{len(collections)} --collection with {len(files)} places of runs; write --collection QRELS RUNS for "
            "each, with RUNS one directory (or a glob in quotes)."
        )
    return [(qrels, [runs]) for qrels, runs in zip(collections, files, strict=True)]


def _notes(found: Cost, budget: float | None) -> tuple[str, ...]:
    def text(row: dict[str, Any]) -> str:
        size = f"{row['topics']:,} topics to depth {row['depth']}, {row['judgments']:,} judgments"
        if budget is None:
            deepest = f" (the deepest pool costs {row['ratio']:.1f} times as much)" if row["ratio"] > 1 else ""
            return f"Cheapest for {row['measure']}: {size}{deepest}."
        name = "width" if row.get("width") is not None else "min_diff"
        return f"Best for {row['measure']}: {size}, {name} {row[name]:.4f}."

    return tuple(text(row) for row in found.best.iter_rows(named=True))
