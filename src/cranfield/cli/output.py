"""Where answers, warnings and progress go: data on stdout, everything else on stderr."""

from __future__ import annotations

import re
import sys
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

from cranfield.defaults import CHART_ENDINGS, OUTPUT_FORMAT
from cranfield.errors import ArgumentError, FileError, Problem, UnknownNameError
from cranfield.files import NO_URL, is_folder, is_url, write_atomically
from cranfield.labels import plural
from cranfield.present.formats import FORMATS, OutputFormat, endings, of_path, offered
from cranfield.present.gathering import gathered
from cranfield.settings import Setting, Settings, in_words_of

if TYPE_CHECKING:
    from cranfield.cli.build import OutputSettings
    from cranfield.collection.formats import CollectionFormat
    from cranfield.executors import Progress
    from cranfield.present.answer import Answer
    from cranfield.present.tables import Sheet


def emit(sheet: Sheet, to: OutputSettings) -> None:
    """Print a table, or write it to a file; warnings go to stderr either way."""
    warn(sheet.warnings)
    if to.output is None:
        width = terminal_width() if sys.stdout.isatty() else None
        sys.stdout.write(FORMATS[to.format or OUTPUT_FORMAT].write(sheet, width).decode())
        sys.stdout.flush()
        return
    write_atomically(to.output, format_of(to.format, to.output).write(sheet))
    say(f"wrote {to.output} ({plural(sheet.rows.height, 'row')})")


def warn(warnings: Iterable[str]) -> None:
    """Warnings for the person at the terminal."""
    for text in gathered(warnings):
        say(f"warning: {text}")


def draw(said: Answer, result: object, to: OutputSettings) -> None:
    """Write a chart of a result to a file, when one was asked for: the one named, or the first of the sheet."""
    if to.plot is None:
        return
    from cranfield.present.charts import chart, save_chart

    if to.chart is not None:
        save_chart(chart(result, to.chart, **to.look), to.plot)
    else:
        first = said.charts[0]
        save_chart(chart(first.source, first.kind, **first.options, **to.look), to.plot)
    say(f"wrote {to.plot}")


FILES_OF_THEIR_OWN = ("convert", "evaluate", "pool", "standardise apply", "standardise fit")
"""Commands whose file is not, or not always, a table of the answer; they look at its ending themselves."""


def refuse_early(to: OutputSettings, question: type[Settings]) -> None:
    """Say what cannot be written or drawn before any work is done."""
    if to.plot is not None and to.plot.suffix.lower() not in CHART_ENDINGS:
        raise ArgumentError(f"cannot draw to {to.plot}: end the name in {', '.join(CHART_ENDINGS)}.")
    if to.plot is None and to.chart is not None:
        raise ArgumentError(f"--chart {to.chart} says what --plot draws; add --plot FILE.")
    if to.plot is None and to.look != {"title": None, "width": None}:
        raise ArgumentError("a title or width is of the chart that --plot draws; add --plot FILE.")
    if to.chart_title is not None and to.chart_untitled:
        raise ArgumentError("--title and --no-title say opposite things; give one of them.")
    if to.plot is not None:
        refuse_unwritable(to.plot)
        if to.chart is not None and to.chart not in (known := chart_kinds(question)):
            raise UnknownNameError("chart", to.chart, known)
    if to.output is not None and question.command not in FILES_OF_THEIR_OWN:
        refuse_unwritable(to.output)
        format_of(to.format, to.output)
    elif to.output is not None and not is_folder(to.output):  # some of them write a directory of files
        refuse_unwritable(to.output)


def chart_kinds(question: type[Settings]) -> tuple[str, ...]:
    """The names of the charts that the answer to a question can have; of all there are where that is not known."""
    from cranfield.present.charts import KINDS

    given = (
        question.gives or (str(question.function().__annotations__.get("return", "")),) if question.answered_by else ()
    )
    kinds = [KINDS[name] for name in given if name in KINDS] or list(KINDS.values())
    return tuple(dict.fromkeys(name for charts in kinds for name in charts))


def refuse_unwritable(path: Path) -> None:
    """Say before any work is done that a file cannot be written."""
    import os

    if is_folder(path):
        reason = "is a directory; name a file"
    elif is_url(str(path).replace(":/", "://", 1)) and not is_folder(path.parent):
        reason = NO_URL
    elif not is_folder(path.parent):
        reason = f"cannot be written: there is no directory {path.parent}"
    elif not os.access(path.parent, os.W_OK) or (os.access(path, os.F_OK) and not os.access(path, os.W_OK)):
        reason = "cannot be written: permission denied"
    else:
        return
    raise FileError(str(path), [Problem(0, reason)])


def format_of(name: str | None, output: Path) -> OutputFormat:
    """The format to write a file in: the one asked for, or the one that its name ends in."""
    known = FORMATS[name] if name is not None else of_path(output)
    if known is None:
        *others, last = endings()
        raise ArgumentError(
            f"cannot tell the format of {output} from its ending; use --format {'|'.join(offered())} or end the name "
            f"in {', '.join(others)} or {last}"
        )
    return known


def collection_format(layout: str | None, output: Path | None, kind: str) -> CollectionFormat:
    """The format to write runs or judgments in: the one asked for, the one that a name ends in, or TREC's."""
    from cranfield.collection.formats import COLLECTION_FORMATS, asked_by, writer

    told = None if output is None else asked_by(output)
    if layout is None and told is None and output is not None and of_path(output) not in (None, FORMATS[OUTPUT_FORMAT]):
        known = [one.asked_by for one in COLLECTION_FORMATS.values() if one.asked_by]
        raise ArgumentError(
            f"cannot write {'runs' if kind == 'run' else 'judgments'} to {output}: end the name in "
            f"{', '.join(known)} or .txt (TREC's lines)."
        )
    return writer(layout or told or "trec", kind)


def terminal_width() -> int:
    """Columns of the terminal (the COLUMNS variable wins)."""
    from shutil import get_terminal_size

    return get_terminal_size((80, 24)).columns


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


_asked: type[Settings] | None = None


def use_options_of(question: type[Settings] | None) -> None:
    """From now on messages name the options of this question."""
    global _asked
    _asked = question


_quiet = False


def be_quiet(wanted: bool) -> None:
    """From now on only errors are said, or everything again."""
    global _quiet
    _quiet = wanted


def say(text: str) -> None:
    """A line for the person at the terminal (stderr), never mixed with data; advice in words that can be typed."""
    if _quiet and not text.startswith(("error:", "interrupted")):
        return
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
    if _quiet or not sys.stderr.isatty():
        yield None
        return
    from rich.console import Console
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

    columns = (TextColumn(label), BarColumn(), MofNCompleteColumn(), TimeRemainingColumn())
    with Progress(*columns, console=Console(stderr=True), transient=True) as bar:
        task = bar.add_task(label, total=None)
        yield lambda done, total: bar.update(task, completed=done, total=total)
