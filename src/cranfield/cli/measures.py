"""``cranfield measures``: every measure, how to write it and where it comes from."""

from __future__ import annotations

import sys
import textwrap
from typing import Annotated

import typer

from cranfield.cli.options import Format, Output


def command(
    names: Annotated[
        list[str] | None, typer.Argument(metavar="[NAME]...", help="Only these, by any of their names.")
    ] = None,
    format: Format = None,
    output: Output = None,
) -> None:
    """List the measures: how to write each, what it computes, and the paper it comes from.

    Other names are understood too: those of trec_eval (map, P_10, ndcg_cut_10), and irm:NAME for whatever
    ir_measures computes when it is installed.

    Example: cranfield measures AP nDCG
    """
    import polars as pl

    from cranfield.cli.output import emit, terminal_width
    from cranfield.measures.names import look_up
    from cranfield.measures.registry import find, known_names
    from cranfield.measures.trec import other_names
    from cranfield.present.tables import Sheet
    from cranfield.signature import signature

    found = [look_up(name)[0] for name in names] if names else [find(name) for name in known_names()]
    columns = ["measure", "definition", "tool", "also", "citation"]
    rows = pl.DataFrame(
        [[d.written, d.summary, d.family, ", ".join(other_names(d)), d.citation] for d in found],
        schema=dict.fromkeys(columns, pl.String),
        orient="row",
    )
    if sys.stdout.isatty() and format is None and output is None:
        _print_paragraphs(rows.rows(), terminal_width())
    else:
        emit(Sheet("measures", rows, signature("measures")), format=format, output=output)


def _print_paragraphs(rows: list[tuple[str, ...]], width: int) -> None:
    """A paragraph a measure: five columns of prose do not fit a terminal."""
    for written, definition, tool, also, citation in rows:
        typer.secho(written, bold=True)
        lines = [definition, f"{citation} ({tool})"] + ([f"also written {also}"] if also else [])
        for line in lines:
            typer.echo(textwrap.fill(line, width, initial_indent="    ", subsequent_indent="    "))
