"""``cranfield measures``: every measure, how to write it and where it comes from."""

from __future__ import annotations

import sys
import textwrap
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import click

from cranfield.cli.output import emit, terminal_width

if TYPE_CHECKING:
    from cranfield.cli.build import OutputSettings
    from cranfield.settings.evaluate import MeasuresSettings


def run(settings: MeasuresSettings, output: OutputSettings, files: dict[str, Any]) -> None:
    """List the measures."""
    from cranfield.light_table import LightColumn, LightTable
    from cranfield.measures.names import look_up
    from cranfield.measures.registry import find, known_names
    from cranfield.measures.trec import other_names
    from cranfield.present.tables import Sheet
    from cranfield.signature import signature

    names = settings.names
    definitions = [look_up(name)[0] for name in names] if names else [find(name) for name in known_names()]
    rows = [(d.written, d.summary, d.family, ", ".join(other_names(d)), d.citation) for d in definitions]
    if sys.stdout.isatty() and output.format is None and output.output is None:
        _print_paragraphs(rows, terminal_width())
        return
    names = ("measure", "definition", "tool", "also", "citation")
    columns = [LightColumn(name, list(cells), str) for name, cells in zip(names, zip(*rows, strict=True), strict=True)]
    table: Any = LightTable(columns)
    emit(Sheet("measures", table, signature("measures")), output)


def _print_paragraphs(rows: Sequence[tuple[str, ...]], width: int) -> None:
    """One paragraph per measure: five columns of prose do not fit a terminal."""
    for written, definition, tool, also, citation in rows:
        click.secho(written, bold=True)
        lines = [definition, f"{citation} ({tool})"] + ([f"also written {also}"] if also else [])
        for line in lines:
            click.echo(textwrap.fill(line, width, initial_indent="    ", subsequent_indent="    "))
