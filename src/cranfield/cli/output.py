"""Where answers, warnings and progress go: data on stdout, everything else on stderr."""

from __future__ import annotations

import os
import re
import sys
import textwrap
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from shutil import get_terminal_size
from typing import TYPE_CHECKING, Any

from cranfield.core.answer import gathered
from cranfield.core.defaults import CHART_ENDINGS, OUTPUT_FORMAT
from cranfield.core.errors import ArgumentError, FileError, UnknownNameError
from cranfield.core.files import COMPRESSED, NamedFile, expand, is_file, is_folder, is_url, split_sheet
from cranfield.core.formats import FORMATS, OutputFormat, endings, of_path, offered
from cranfield.core.labels import CONTROL, plural
from cranfield.core.options import Setting
from cranfield.core.question import Files, Question, in_words_of
from cranfield.core.resources import check_charts
from cranfield.core.writing import NO_URL, write_atomically

if TYPE_CHECKING:
    from cranfield.cli.build import Output
    from cranfield.collection.formats import CollectionFormat
    from cranfield.core.answer import Answer
    from cranfield.core.executors import Progress
    from cranfield.core.results import Result
    from cranfield.core.tables import Sheet


def emit(sheet: Sheet, to: Output) -> None:
    """Print a table, or write it to a file; warnings go to stderr either way."""
    warn(sheet.warnings)
    if to.output is None:
        width = terminal_width() if _is_fitted() else None
        sys.stdout.write(FORMATS[to.format or OUTPUT_FORMAT].write(sheet, width).decode())
        sys.stdout.flush()
        return
    write(to.output, format_of(to.format, to.output).write(sheet), f" ({plural(sheet.rows.height, 'row')})")


def write(path: Path, content: bytes, said: str = "") -> None:
    """Write a file whole or not at all, and report it."""
    write_atomically(path, content)
    say(f"wrote {path}{said}")


def beside(path: Path, what: str) -> Path:
    """The file of a second table, beside that of the first.

    >>> beside(Path("simulated.AP.csv"), "truth").name, beside(Path("simulated.csv.gz"), "truth").name
    ('simulated.AP.truth.csv', 'simulated.truth.csv.gz')
    """
    packed = path.suffix if path.suffix.lower() in COMPRESSED else ""
    bare = Path(path.name.removesuffix(packed))
    return path.with_name(f"{bare.stem}.{what}{bare.suffix}{packed}")


def warn(warnings: Iterable[str]) -> None:
    """Warnings for the person at the terminal."""
    for text in gathered(warnings):
        say(f"warning: {text}")


def draw(said: Answer, result: Result, to: Output) -> None:
    """Write the named chart of a result to a file, or the first one; nothing without --plot."""
    if to.plot is None:
        return
    from cranfield.core.answer import Chart
    from cranfield.core.charts import chart
    from cranfield.core.charts.export import save_chart

    named = [one for one in said.charts if to.chart in (None, one.kind)] or [Chart("", "", "", result, to.chart)]
    save_chart(chart(named[0].source, named[0].kind, **named[0].options, **to.look), to.plot)
    say(f"wrote {to.plot}")


def refuse_early(to: Output, asked: Question, files: Files) -> None:
    """Refuse what cannot be written or drawn, or would replace an input, before any work is done."""
    if to.plot is not None:
        check_charts()
    if to.plot is not None and to.plot.suffix.lower() not in CHART_ENDINGS:
        raise ArgumentError(f"cannot draw to {to.plot}: end the name in {', '.join(CHART_ENDINGS)}.")
    if to.plot is None and to.chart is not None:
        raise ArgumentError(f"--chart {to.chart} needs a file to draw to; add --plot FILE.")
    if to.plot is None and to.look != {"title": None, "width": None}:
        raise ArgumentError("a chart title or width needs a file to draw to; add --plot FILE.")
    if to.chart_title is not None and to.chart_untitled:
        raise ArgumentError("--title and --no-title exclude each other; give one.")
    if to.plot is not None:
        refuse_unwritable(to.plot)
        if to.chart is not None and to.chart not in (known := chart_kinds(type(asked))):
            raise UnknownNameError("chart", to.chart, known)
    if to.output is not None and not asked.own_file:
        refuse_unwritable(to.output)
        format_of(to.format, to.output)
    elif to.output is not None and not is_folder(to.output):  # some of them write a directory of files
        refuse_unwritable(to.output)
    for one in asked.all():
        if one.written and (path := getattr(asked, one.name)) is not None:
            refuse_unwritable(path)
    made = [to.output, to.plot, *(getattr(asked, one.name) for one in asked.all() if one.written)]
    read = [*files.values(), *(getattr(asked, one.name) for one in asked.all() if not one.written)]
    _refuse_inputs([path for path in made if path is not None], read)


def _refuse_inputs(made: Sequence[Path], read: Sequence[Any]) -> None:
    """Refuse to write a file that the command reads: the judgments would be lost."""
    there = [path for path in made if is_file(path)]
    if not there:
        return
    listed = [one for value in read for one in (value if isinstance(value, (list, tuple)) else [value])]
    for name in [os.fspath(one) for one in listed if isinstance(one, (str, Path))]:
        for path in there:
            with suppress(FileError):  # said when it is read, or no name of a file at all
                name = split_sheet(name)[0]
                inputs = [name] if is_file(name) else expand(name) if is_folder(name) or "*" in name else []
                places = [one.place if isinstance(one, NamedFile) else one for one in inputs]
                if any(is_file(one) and path.samefile(one) for one in places):
                    raise ArgumentError(f"{path} is an input of this command. Name another file to write.")


def chart_kinds(question: type[Question]) -> tuple[str, ...]:
    """The names of the charts that the answer to a question can have."""
    return tuple(dict.fromkeys(name for result in question.results() for name in result.drawings()))


def refuse_unwritable(path: Path) -> None:
    """Refuse a file that cannot be written, before any work is done."""
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
    raise FileError(str(path), reason)


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


def _is_fitted() -> bool:
    """Whether text is fitted to a width: on a terminal, or where the COLUMNS variable asks for it."""
    return sys.stdout.isatty() or os.environ.get("COLUMNS", "").isdecimal()


def terminal_width() -> int:
    """Columns of the terminal (the COLUMNS variable wins)."""
    return get_terminal_size((80, 24)).columns


def wrapped(text: str) -> str:
    """Paragraphs folded to the width; whole when piped without COLUMNS. Markdown tables stay unchanged."""
    if not _is_fitted():
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


_asked: type[Question] | None = None


def use_options_of(question: type[Question] | None) -> None:
    """Spell options in messages as this question does, from now on."""
    global _asked
    _asked = question


_quiet = False


def be_quiet(wanted: bool) -> None:
    """Print only errors from now on, or everything again."""
    global _quiet
    _quiet = wanted


def say(text: str) -> None:
    """Print a line on stderr, with Python arguments spelled as options."""
    if _quiet and not text.startswith(("error:", "interrupted")):
        return
    told = as_options(text, _asked) if _asked else text
    sys.stderr.write(CONTROL.sub("\ufffd", told) + "\n")  # the name of a file may hold what steers a terminal
    sys.stderr.flush()


_ARGUMENT = re.compile(r"\b(\w+)=(?:'([\w-]+)'|(True|False))")
_OF_TABLES = {"header": "header", "topic_column": "topic-column"}
"""Arguments about wide tables, which only ``cranfield convert`` has as options."""


def as_options(text: str, question: type[Question]) -> str:
    """A message of the library with Python's arguments as the command line's options.

    >>> from cranfield.questions.compare.question import CompareQuestion
    >>> as_options("pass missing='drop-topic' to leave them out", CompareQuestion)
    'pass --missing drop-topic to leave them out'
    >>> as_options("`n_resamples` must be a whole number of at least 1", CompareQuestion)
    '--resamples must be a whole number of at least 1'
    >>> as_options("say so: header=True or header=False", CompareQuestion)
    'say so: cranfield convert --header or --no-header'
    """
    flags = {one.name: one.flags[0] for one in question.all() if one.flags}

    def option(match: re.Match[str]) -> str:
        name, value, truth = match.groups()
        if name in _OF_TABLES and truth:
            start = "" if name in flags or truth == "False" else "cranfield convert "
            return f"{start}--{'no-' * (truth == 'False')}{_OF_TABLES[name]}"
        if name not in flags or truth == "False":
            return match[0]
        return f"{flags[name]} {value}" if value else flags[name]

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
