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

from cranfield.defaults import OUTPUT_FORMAT, OutputFormat
from cranfield.errors import ArgumentError
from cranfield.files import write_atomically

if TYPE_CHECKING:
    from cranfield.executors import Progress
    from cranfield.present.tables import Answer
    from cranfield.scores import Scores

_BY_ENDING = {".json": "json", ".csv": "csv", ".md": "markdown", ".tex": "latex", ".txt": "table"}


def emit(answer: Answer, *, format: OutputFormat | None = None, output: Path | None = None) -> None:
    """Print an answer, or write it to a file; warnings go to stderr either way."""
    for warning in answer.warnings:
        say(f"warning: {warning}")
    if output is None:
        sys.stdout.write(_text(answer, format or OUTPUT_FORMAT))
        sys.stdout.flush()
        return
    write_atomically(output, _bytes(answer, format, output))
    say(f"wrote {output} ({answer.rows.height} rows)")


def _bytes(answer: Answer, format: OutputFormat | None, output: Path) -> bytes:
    from cranfield.present import tables

    endings = [ending.lower() for ending in output.suffixes]
    if endings and endings[-1] in (".gz", ".bz2", ".xz", ".zst"):
        endings.pop()
    ending = endings[-1] if endings else ""
    if format is None and ending == ".parquet":
        return tables.to_parquet(answer.rows)
    if format is None and ending == ".tsv":
        return tables.to_csv(answer.rows, "\t").encode()
    if format is None and ending not in _BY_ENDING:
        raise ArgumentError(
            f"cannot tell the format of {output} from its ending; "
            f"use --format {'|'.join(get_args(OutputFormat))} or end the name in .json, .csv, .tsv, .md, .tex, .txt "
            "or .parquet"
        )
    return _text(answer, format or cast(OutputFormat, _BY_ENDING[ending]), to_file=True).encode()


def _text(answer: Answer, format: OutputFormat, to_file: bool = False) -> str:
    if format == "table":
        width = None if to_file or not sys.stdout.isatty() else terminal_width()
        return table_text(without_dispensable(without_repetition(transposed(answer, width), width), width), width=width)
    from cranfield.present.tables import render

    return render(answer, format)


def transposed(answer: Answer, width: int | None) -> Answer:
    """A single row too wide for the terminal becomes a column of names and values; anything else stays."""
    if width is None or answer.rows.height != 1:
        return answer
    from dataclasses import replace

    import polars as pl

    from cranfield.present.tables import text_rows

    names, (cells,) = answer.rows.columns, text_rows(answer)
    if _fits(names, [cells], width, gap=3):
        return answer
    return replace(answer, rows=pl.DataFrame({"name": names, "value": cells}), digits={})


def without_repetition(answer: Answer, width: int | None) -> Answer:
    """A table too wide for the terminal says below it, once, what is the same in all of its rows."""
    from dataclasses import replace

    from cranfield.present.tables import text_rows

    if answer.sections:
        return replace(answer, sections=tuple(without_repetition(section, width) for section in answer.sections))
    names, rows = answer.rows.columns, text_rows(answer)
    if width is None or len(rows) < 2 or _fits(names, rows, width, gap=2):
        return answer
    same = {name: cells[0] for name, cells in zip(names, zip(*rows, strict=True), strict=True) if len(set(cells)) == 1}
    if not same or len(same) == len(names):
        return answer
    note = "All rows: " + ", ".join(f"{name} {cell or 'empty'}" for name, cell in same.items()) + "."
    return replace(answer, rows=answer.rows.drop(list(same)), notes=(note, *answer.notes))


def without_dispensable(answer: Answer, width: int | None) -> Answer:
    """A table whose headers would have to be broken inside a word leaves out what it can do without, and says so."""
    from dataclasses import replace

    from cranfield.present.tables import text_rows

    gone: list[str] = []
    for name in answer.dispensable if width is not None else ():
        shown = replace(answer, rows=answer.rows.drop(gone))
        words = [max(header.split("_"), key=len) for header in shown.rows.columns]
        if width is None or _fits(words, text_rows(shown), width, gap=1):
            break
        if name in shown.rows.columns:
            gone.append(name)
    if not gone:
        return answer
    note = f"Left out for want of room: {', '.join(gone)} (--format csv has every column)."
    return replace(answer, rows=answer.rows.drop(gone), notes=(*answer.notes, note))


def _fits(names: list[str], rows: list[list[str]], width: int, gap: int) -> bool:
    """Whether the rows stand side by side without any header folded."""
    widest = [max(map(len, column)) for column in zip(names, *rows, strict=True)]
    return sum(widest) + gap * (len(widest) - 1) <= width


def terminal_width() -> int:
    """Columns of the terminal (the COLUMNS variable wins)."""
    return shutil.get_terminal_size((80, 24)).columns


def table_text(answer: Answer, width: int | None = None) -> str:
    """The answer as a table for people. Without a width nothing is ever cut or folded."""
    if answer.sections:
        return "\n".join(table_text(section, width) for section in answer.sections)
    import io

    from rich.box import SIMPLE_HEAD
    from rich.console import Console
    from rich.table import Table
    from rich.text import Text

    from cranfield.present.tables import is_number, text_rows

    names, rows = answer.rows.columns, text_rows(answer)
    numeric = [is_number(dtype) for dtype in answer.rows.dtypes]
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
    if answer.title:
        console.print(Text(answer.title, style="bold"), soft_wrap=width is None)
        console.print()
    console.print(table)
    if answer.notes:
        console.print()
    for note in answer.notes:
        console.print(Text(note), soft_wrap=width is None)
    if answer.signature:
        console.print()
        console.print(Text(answer.signature, style="dim"), soft_wrap=width is None)
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


def draw(result: object, path: Path | None, kind: str | None = None, **options: object) -> None:
    """Write the chart of a result to a file, when one was asked for."""
    if path is None:
        if kind is not None:
            raise ArgumentError(f"--chart {kind} says what --plot draws; add --plot FILE.")
        return
    from cranfield.present.charts import chart, save_chart

    save_chart(chart(result, kind, **options), path)
    say(f"wrote {path}")


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


def say(text: str) -> None:
    """A line for the person at the terminal (stderr), never mixed with data; advice in words that can be typed."""
    sys.stderr.write(as_options(text) + "\n")
    sys.stderr.flush()


def say_missing(scores: Iterable[Scores]) -> None:
    """What --missing did to the scores read, if anything."""
    for one in scores:
        for matrix in one.values():
            for step in matrix.provenance:
                if "(missing = " in step:
                    say(f"note: {matrix.measure}: {step}")


_ARGUMENT = re.compile(r"\b(missing|to|epsilon|name|empty|order)='([\w-]+)'")
_FLAG = re.compile(r"\b(blocked|lenient|force|topic_column)=(True|False)")
_RENAMED = re.compile(r"`(?:n_)?(resamples|topics|systems|memory|partitions|splits|repeats|level)`")


def as_options(text: str) -> str:
    """A message of the library with Python's arguments as the command line's options.

    >>> as_options("pass missing='drop-topic' to leave them out")
    'pass --missing drop-topic to leave them out'
    >>> as_options("`n_resamples` must be a whole number of at least 1")
    '--resamples must be a whole number of at least 1'
    """
    text = _RENAMED.sub(r"--\1", text)
    text = _FLAG.sub(lambda flag: f"--{'' if flag[2] == 'True' else 'no-'}{flag[1].replace('_', '-')}", text)
    return _ARGUMENT.sub(r"--\1 \2", text)


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
