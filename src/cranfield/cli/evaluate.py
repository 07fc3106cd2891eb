"""``cranfield evaluate``: scores of runs, by any measure."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

from cranfield.cli.options import ChartName, Format, Missing, Output, Plot, QrelsFile, RunFiles
from cranfield.defaults import MEASURES, ORDER, RELEVANCE, SYSTEM_NAME, RankingOrder, SystemName

if TYPE_CHECKING:
    from pathlib import Path

    import polars as pl

    from cranfield.scores import Scores


def command(
    qrels: QrelsFile,
    runs: RunFiles,
    measure: Annotated[
        list[str],
        typer.Option(
            "--measure", "-m", help="A measure such as AP, nDCG@10, RBP(p=0.8) or map; repeatable. List: measures."
        ),
    ] = list(MEASURES),  # noqa: B006 (typer copies it)
    per_topic: Annotated[bool, typer.Option("--per-topic", "-q", help="Also the scores of every topic.")] = False,
    trec: Annotated[bool, typer.Option("--trec", help="Print the lines trec_eval prints, ready for diff.")] = False,
    level: Annotated[
        int, typer.Option("--level", "-l", help="Lowest relevance level that counts as relevant.")
    ] = RELEVANCE,
    gains: Annotated[
        str | None, typer.Option("--gains", help="Gain of each level: linear, exp, or a list such as 1:3:7.")
    ] = None,
    intents: Annotated[
        str | None, typer.Option("--intents", help="Intent probabilities (topic intent probability) for D-measures.")
    ] = None,
    order: Annotated[
        RankingOrder,
        typer.Option("--order", help="Documents by score (trec_eval), rank column (ndeval) or file (NTCIREVAL)."),
    ] = ORDER,
    single_precision: Annotated[
        bool,
        typer.Option("--single-precision", help="Compare scores as 32-bit floats, as trec_eval before 9.0.8 did."),
    ] = False,
    missing: Missing = "zero",
    name: Annotated[
        SystemName, typer.Option("--name", help="Name systems after their file or their run tag.")
    ] = SYSTEM_NAME,
    lenient: Annotated[bool, typer.Option("--lenient", help="Accept fields after the run tag.")] = False,
    workers: Annotated[
        int | None,
        typer.Option(
            "--workers", min=1, help="Runs scored at a time; never changes a result. [default: two a core, at most 8]"
        ),
    ] = None,
    plot: Plot = None,
    chart: ChartName = None,
    format: Format = None,
    output: Output = None,
) -> None:
    """Score runs against judgments.

    Prints the mean of every system (topic `all`; counts are summed), and with -q the score of every topic.

    Example: cranfield evaluate qrels.txt runs/ -m AP -m nDCG@10 -q -o scores.parquet
    """
    from cranfield.cli.output import draw, emit, progress_bar, say
    from cranfield.errors import ArgumentError, quietly
    from cranfield.measures.evaluation import evaluate
    from cranfield.present.tables import Sheet

    if trec and format is not None:
        raise ArgumentError("--trec has a format of its own; leave out --format")
    with progress_bar("evaluating runs") as progress, quietly():
        scores = evaluate(
            qrels,
            runs,
            measure,
            level=level,
            gains=gains,
            intents=intents,
            order=order,
            single_precision=single_precision,
            missing=missing,
            lenient=lenient,
            name=name,
            workers=workers,
            progress=progress,
        )
    if trec:
        _print_trec(scores, scores.warnings, per_topic, output)
        return
    settings = {
        "qrels": qrels,
        "measures": list(scores),
        "level": level,
        "gains": gains,
        "intents": intents,
        "order": order,
        "single_precision": single_precision,
        "missing": missing,
    }
    first = next(iter(scores.values()))
    answer = Sheet("evaluate", _rows(scores, per_topic), first.provenance[0], settings, scores.warnings)
    emit(answer, format=format, output=output)
    draw(scores, plot, chart)
    if output is not None and not per_topic:
        say(f"note: {output} holds the means only; -q writes the scores of every topic, which other commands read")


def _rows(scores: Scores, per_topic: bool) -> pl.DataFrame:
    import polars as pl

    from cranfield.measures.evaluation import summaries

    means = summaries(scores)
    return pl.concat([scores.to_long(), means]) if per_topic else means


def _print_trec(scores: Scores, warnings: tuple[str, ...], per_topic: bool, output: Path | None) -> None:
    import sys

    from cranfield.cli.output import say
    from cranfield.files import write_atomically
    from cranfield.measures.trec import trec_lines

    for warning in warnings:
        say(f"warning: {warning}")
    systems = next(iter(scores.values())).systems
    lines = []
    for system in systems:
        if len(systems) > 1:
            lines.append(f"{'runid':<22}\tall\t{system}")
        lines += trec_lines(scores, system, topics=per_topic)
    text = "".join(line + "\n" for line in lines)
    if output is None:
        sys.stdout.write(text)
    else:
        write_atomically(output, text.encode())
        say(f"wrote {output} ({len(lines)} lines)")
