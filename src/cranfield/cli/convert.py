"""``cranfield convert``: any score format to any other."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from cranfield.cli.options import Format, Missing, ScoreFiles
from cranfield.defaults import MISSING, ScoreFormat, ScoreLayout


def command(
    scores: ScoreFiles,
    output: Annotated[
        Path | None,
        typer.Option(
            "--output",
            "-o",
            help="File to write (.csv .tsv .txt .parquet, also .gz …), or a directory for --layout "
            "trec_eval and nev, which write one file a system. Without it, print the rows.",
        ),
    ] = None,
    layout: Annotated[
        ScoreLayout, typer.Option("--layout", help="long: system, topic, measure, value. wide: a row a topic.")
    ] = "long",
    measure: Annotated[
        str | None, typer.Option("--measure", "-m", help="Keep this measure only; for a wide table, its name.")
    ] = None,
    missing: Missing = MISSING,
    input_format: Annotated[
        ScoreFormat | None, typer.Option("--input-format", help="Skip the recognition of the input's format.")
    ] = None,
    header: Annotated[
        bool | None, typer.Option("--header/--no-header", help="Whether a wide table's first row is labels.")
    ] = None,
    topic_column: Annotated[
        bool | None,
        typer.Option("--topic-column/--no-topic-column", help="Whether a wide table's first column is labels."),
    ] = None,
    format: Format = None,
) -> None:
    """Read score files of any format and write them in another.

    Understands wide and long tables, trec_eval -q and ir_measures -q output, NTCIREVAL .nev and parquet. Numbers
    survive unchanged, to the last bit.

    Example: cranfield convert evals/*.eval -o scores.parquet
    """
    from cranfield.cli.output import emit, say
    from cranfield.errors import ArgumentError
    from cranfield.present.tables import Sheet
    from cranfield.scores import read_scores, write_scores
    from cranfield.signature import signature

    found = read_scores(
        scores, format=input_format, measure=measure, missing=missing, header=header, topic_column=topic_column
    )
    notes = tuple(
        dict.fromkeys(step for matrix in found.values() for step in matrix.provenance if "read from" not in step)
    )
    per_run = layout in ("trec_eval", "nev")
    if output is None and per_run:
        raise ArgumentError(f"--layout {layout} writes one file a system; name a directory with --output")
    if output is None or format is not None:
        rows = found.only().to_wide() if layout == "wide" else found.to_long()
        settings = {"layout": layout, "missing": missing}
        emit(
            Sheet("convert", rows, signature("convert", **settings), settings, notes),
            format=format,
            output=output,
        )
        return
    for note in notes:
        say(f"note: {note}")
    write_scores(found, output, layout=layout)
    for matrix in found.values():
        say(f"wrote {output}: {matrix.measure}, {matrix.n_topics} topics × {matrix.n_systems} systems")
