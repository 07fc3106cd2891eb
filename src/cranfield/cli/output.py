"""Where answers, warnings and progress go: data on stdout, everything else on stderr."""

from __future__ import annotations

import os
import re
import shutil
import sys
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, cast, get_args

from cranfield.defaults import CHART_ENDINGS, OUTPUT_FORMAT, OutputFormat
from cranfield.errors import ArgumentError
from cranfield.files import write_atomically
from cranfield.settings import Setting, Settings, in_words_of

if TYPE_CHECKING:
    from cranfield.cli.build import OutputSettings
    from cranfield.executors import Progress
    from cranfield.present.answer import Answer
    from cranfield.present.tables import Sheet

_BY_ENDING = {".json": "json", ".csv": "csv", ".md": "markdown", ".tex": "latex", ".txt": "table"}


def emit(sheet: Sheet, to: OutputSettings) -> None:
    """Print a table, or write it to a file; warnings go to stderr either way."""
    warn(sheet.warnings)
    format = cast("OutputFormat | None", to.format)
    if to.output is None:
        sys.stdout.write(_text(sheet, format or OUTPUT_FORMAT))
        sys.stdout.flush()
        return
    write_atomically(to.output, _bytes(sheet, format, to.output))
    say(f"wrote {to.output} ({sheet.rows.height} rows)")


def warn(warnings: Iterable[str]) -> None:
    """Warnings for the person at the terminal."""
    for text in warnings:
        say(f"warning: {text}")


def draw(said: Answer, result: object, to: OutputSettings) -> None:
    """Write a chart of a result to a file, when one was asked for: the one named, or the first of the sheet."""
    if to.plot is None:
        return
    from cranfield.present.charts import chart, save_chart

    if to.chart is not None:
        save_chart(chart(result, to.chart), to.plot)
    else:
        first = said.charts[0]
        save_chart(chart(first.source, first.kind, **first.options), to.plot)
    say(f"wrote {to.plot}")


def refuse_early(to: OutputSettings) -> None:
    """Say what cannot be written or drawn before any work is done."""
    if to.plot is not None and to.plot.suffix.lower() not in CHART_ENDINGS:
        raise ArgumentError(f"cannot draw to {to.plot}: end the name in {', '.join(CHART_ENDINGS)}.")
    if to.plot is None and to.chart is not None:
        raise ArgumentError(f"--chart {to.chart} says what --plot draws; add --plot FILE.")


def _bytes(sheet: Sheet, format: OutputFormat | None, output: Path) -> bytes:
    from cranfield.present import tables

    endings = [ending.lower() for ending in output.suffixes]
    if endings and endings[-1] in (".gz", ".bz2", ".xz", ".zst"):
        endings.pop()
    ending = endings[-1] if endings else ""
    if format is None and ending == ".parquet":
        return tables.to_parquet(sheet.rows)
    if format is None and ending == ".tsv":
        return tables.to_csv(sheet.rows, "\t").encode()
    if format is None and ending not in _BY_ENDING:
        raise ArgumentError(
            f"cannot tell the format of {output} from its ending; "
            f"use --format {'|'.join(get_args(OutputFormat))} or end the name in .json, .csv, .tsv, .md, .tex, .txt "
            "or .parquet"
        )
    return _text(sheet, format or cast(OutputFormat, _BY_ENDING[ending]), to_file=True).encode()


def _text(sheet: Sheet, format: OutputFormat, to_file: bool = False) -> str:
    if format == "table":
        sheet = sheet.for_people
        width = None if to_file or not sys.stdout.isatty() else terminal_width()
        return table_text(without_dispensable(without_repetition(transposed(sheet, width), width), width), width=width)
    from cranfield.present.tables import render

    return render(sheet, format)


def transposed(sheet: Sheet, width: int | None) -> Sheet:
    """A single row too wide for the terminal becomes a column of names and values; anything else stays."""
    if width is None or sheet.rows.height != 1:
        return sheet
    from dataclasses import replace

    import polars as pl

    from cranfield.present.tables import text_rows

    names, (cells,) = sheet.rows.columns, text_rows(sheet)
    if _fits(names, [cells], width, gap=3):
        return sheet
    return replace(sheet, rows=pl.DataFrame({"name": names, "value": cells}), digits={})


def without_repetition(sheet: Sheet, width: int | None) -> Sheet:
    """A table too wide for the terminal says below it, once, what is the same in all of its rows."""
    from dataclasses import replace

    from cranfield.present.tables import text_rows

    if sheet.sections:
        return replace(sheet, sections=tuple(without_repetition(section, width) for section in sheet.sections))
    names, rows = sheet.rows.columns, text_rows(sheet)
    if width is None or len(rows) < 2 or _fits(names, rows, width, gap=2):
        return sheet
    same = {name: cells[0] for name, cells in zip(names, zip(*rows, strict=True), strict=True) if len(set(cells)) == 1}
    if not same or len(same) == len(names):
        return sheet
    note = "All rows: " + ", ".join(f"{name} {cell or 'empty'}" for name, cell in same.items()) + "."
    return replace(sheet, rows=sheet.rows.drop(list(same)), notes=(note, *sheet.notes))


def without_dispensable(sheet: Sheet, width: int | None) -> Sheet:
    """A table whose headers would have to be broken inside a word leaves out what it can do without, and says so."""
    from dataclasses import replace

    from cranfield.present.tables import text_rows

    gone: list[str] = []
    for name in sheet.dispensable if width is not None else ():
        shown = replace(sheet, rows=sheet.rows.drop(gone))
        words = [max(header.split("_"), key=len) for header in shown.rows.columns]
        if width is None or _fits(words, text_rows(shown), width, gap=1):
            break
        if name in shown.rows.columns:
            gone.append(name)
    if not gone:
        return sheet
    note = f"Left out for lack of room: {', '.join(gone)} (--format csv has every column)."
    return replace(sheet, rows=sheet.rows.drop(gone), notes=(*sheet.notes, note))


def _fits(names: list[str], rows: list[list[str]], width: int, gap: int) -> bool:
    """Whether the rows stand side by side without any header folded."""
    widest = [max(map(len, column)) for column in zip(names, *rows, strict=True)]
    return sum(widest) + gap * (len(widest) - 1) <= width


def terminal_width() -> int:
    """Columns of the terminal (the COLUMNS variable wins)."""
    return shutil.get_terminal_size((80, 24)).columns


def table_text(sheet: Sheet, width: int | None = None) -> str:
    """A table for people. Without a width nothing is ever cut or folded."""
    if sheet.sections:
        return "\n".join(table_text(section, width) for section in sheet.sections)
    import io

    from rich.box import SIMPLE_HEAD
    from rich.console import Console
    from rich.table import Table
    from rich.text import Text

    from cranfield.present.tables import is_number, text_rows

    names, rows = sheet.rows.columns, text_rows(sheet)
    numeric = [is_number(dtype) for dtype in sheet.rows.dtypes]
    widest = [max([1, *(len(row[i]) for row in rows)]) for i in range(len(names))]
    gap, widths = fit_columns(names, widest, numeric, width or 100_000)
    total = sum(widths) + gap * (len(widths) - 1)
    table = Table(box=SIMPLE_HEAD, pad_edge=False, padding=(0, gap // 2, 0, (gap - 1) // 2), show_edge=False)
    for name, wide, right in zip(names, widths, numeric, strict=True):
        table.add_column(Text(folded(name, wide)), justify="right" if right else "left", overflow="fold", width=wide)
    for row in rows:
        table.add_row(*[Text(part) for part in row])
    out = io.StringIO()
    color = width is not None and sys.stdout.isatty() and not os.environ.get("NO_COLOR")
    wide_enough = max(width or 100_000, total)
    console = Console(file=out, width=wide_enough, force_terminal=color, no_color=not color, highlight=False)
    if sheet.title:
        console.print(Text(sheet.title, style="bold"), soft_wrap=width is None)
        console.print()
    console.print(table)
    if sheet.notes:
        console.print()
    for note in sheet.notes:
        console.print(Text(note), soft_wrap=width is None)
    if sheet.signature:
        console.print()
        console.print(Text(sheet.signature, style="dim"), soft_wrap=width is None)
    return "\n".join(line.rstrip() for line in out.getvalue().splitlines()) + "\n"


def fit_columns(headers: list[str], cells: list[int], numeric: list[bool], width: int) -> tuple[int, list[int]]:
    """Blanks between columns, and the width of each, so that a table fits: numbers are never broken over lines.

    First the gaps shrink, then headers are folded (between their words as long as that will do), then long texts.
    What is still too wide is left so.

    >>> fit_columns(["system", "rank_change"], [3, 6], [False, True], 80)
    (3, [6, 11])
    >>> fit_columns(["system", "rank_change"], [3, 6], [False, True], 16)
    (2, [6, 8])
    """
    natural = [max(len(header), cell) for header, cell in zip(headers, cells, strict=True)]
    gaps = len(headers) - 1
    for gap in (3, 2):
        if sum(natural) + gap * gaps <= width:
            return gap, natural
    words = [max(map(len, header.split("_"))) for header in headers]
    for least in (words, [min(4, length) for length in words]):
        narrow = [max(cell, shortest) for cell, shortest in zip(cells, least, strict=True)]
        for gap in (2, 1):
            spare = width - sum(narrow) - gap * gaps
            if spare >= 0:
                widths = list(narrow)
                for _ in range(min(spare, sum(natural) - sum(narrow))):
                    # One blank at a time to the header that is folded most.
                    widths[max(range(len(widths)), key=lambda i: natural[i] / widths[i])] += 1
                return gap, widths
    widths = narrow
    while sum(widths) + gaps > width:
        texts = [i for i, number in enumerate(numeric) if not number and widths[i] > 8]
        if not texts:
            break
        widths[max(texts, key=lambda i: widths[i])] -= 1
    return 1, widths


def wrapped(text: str) -> str:
    """Paragraphs folded to a terminal's width; whole when piped, for pasting. Tables stay as they are."""
    import textwrap

    if not sys.stdout.isatty():
        return text
    lines = text.splitlines()
    return "\n".join(
        line
        if line.startswith("|")
        else textwrap.fill(
            line, terminal_width(), subsequent_indent="  " * line.startswith("-"), break_long_words=False
        )
        for line in lines
    )


def folded(header: str, width: int) -> str:
    """A header over several lines, broken at its underscores.

    >>> folded("partial_eta_squared", 12)
    'partial_eta\\nsquared'
    """
    lines: list[str] = []
    for word in header.split("_"):
        if lines and len(lines[-1]) + 1 + len(word) <= width:
            lines[-1] += f"_{word}"
        else:
            lines.append(word)
    return "\n".join(lines)


_asked: type[Settings] | None = None


def use_options_of(question: type[Settings] | None) -> None:
    """From now on messages name the options of this question."""
    global _asked
    _asked = question


def say(text: str) -> None:
    """A line for the person at the terminal (stderr), never mixed with data; advice in words that can be typed."""
    sys.stderr.write((as_options(text, _asked) if _asked else text) + "\n")
    sys.stderr.flush()


_ARGUMENT = re.compile(r"\b(\w+)=(?:'([\w-]+)'|(True))")


def as_options(text: str, question: type[Settings]) -> str:
    """A message of the library with Python's arguments as the command line's options.

    >>> from cranfield.settings.compare import CompareSettings
    >>> as_options("pass missing='drop-topic' to leave them out", CompareSettings)
    'pass --missing drop-topic to leave them out'
    >>> as_options("`n_resamples` must be a whole number of at least 1", CompareSettings)
    '--resamples must be a whole number of at least 1'
    """
    flags = {one.name: one.flags[0] for one in question.all() if one.flags}

    def option(match: re.Match[str]) -> str:
        name, value, _ = match.groups()
        return match[0] if name not in flags else f"{flags[name]} {value}" if value else flags[name]

    def spelling(one: Setting) -> str:
        return flags.get(one.name, f"`{one.name}`")

    return _ARGUMENT.sub(option, in_words_of(text, question, spelling))


@contextmanager
def progress_bar(label: str) -> Iterator[Progress | None]:
    """A progress bar on a terminal; nothing when stderr is piped."""
    if not sys.stderr.isatty():
        yield None
        return
    from rich.console import Console
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

    columns = (TextColumn(label), BarColumn(), MofNCompleteColumn(), TimeRemainingColumn())
    with Progress(*columns, console=Console(stderr=True), transient=True) as bar:
        task = bar.add_task(label, total=None)
        yield lambda done, total: bar.update(task, completed=done, total=total)
