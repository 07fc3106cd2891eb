"""Run a command: read its data, ask the library, print the answer; explain a file of the wrong kind."""

from __future__ import annotations

import sys
from dataclasses import replace
from importlib import import_module
from typing import TYPE_CHECKING, Any

import click

from cranfield.cli.output import beside, draw, emit, progress_bar, say, warn, wrapped, write
from cranfield.core.errors import CranfieldError, FileError, Problem
from cranfield.core.files import expand, is_file, is_folder
from cranfield.core.question import Files, Question

if TYPE_CHECKING:
    from cranfield.cli.build import Output
    from cranfield.core.defaults import FileKind

TOOLS = {
    "evaluate": "evaluate",
    "measures": "evaluate",
    "check": "files",
    "convert": "files",
    "pool": "files",
    "report": "pages",
    "serve": "pages",
    "sample": "sample",
    "demo": "sample",
}
"""The commands that are tools, each with the module of `cli.commands` that has a function of its name."""


def run(settings: Question, output: Output, files: Files) -> None:
    """Answer a question about files, or run the function of its tool."""
    if (module := TOOLS.get(settings.command)) is not None:
        getattr(import_module(f"cranfield.cli.commands.{module}"), settings.command)(settings, output, files)
        return
    from cranfield.questions.files import by_its_name, read

    data = read(settings, files, progress_bar)
    settings = by_its_name(settings, data)
    with progress_bar(settings.counts) as progress:
        result = settings.ask(*data, **({"progress": progress} if settings.counts else {}))
    said = settings.answer(result, *data)
    name = getattr(settings, "show", None)
    if name is not None and name in settings.slow:
        with progress_bar(settings.slow[name]) as progress:
            said.sheet(name, progress=progress)
    sheet = said.sheet(name)
    heard = _heard(data, result)
    sheet = replace(sheet, warnings=(*heard, *sheet.warnings))
    if "qrels" in files:
        sheet = replace(sheet, settings={"qrels": files["qrels"], **sheet.settings})
    for line in settings.write_files(result):
        say(line)
    instead = settings.text(result, output.output, output.format)
    if instead is None:
        emit(sheet, output)
    else:
        warn((*heard, *result.warnings))
        _print(*instead, output)
    draw(said, result, output)
    second = settings.beside()
    if second is not None and output.output is not None and output.output.is_file():  # not a pipe or device
        emit(replace(said.sheet(second), warnings=()), replace(output, output=beside(output.output, second)))
    for line in settings.notes(result, output.output, output.format):
        say(line)
    if code := settings.exit_code(result):
        raise click.exceptions.Exit(code)


def _heard(data: tuple[Any, ...], result: Any) -> list[str]:
    """What reading and evaluating had to say and the result does not repeat."""
    from cranfield.scores.matrix import Scores

    inside = [
        two for one in data for two in (one.values() if type(one) is dict else one if type(one) is list else [one])
    ]
    texts = dict.fromkeys(text for one in inside if isinstance(one, Scores) for text in one.warnings)
    known = tuple(getattr(result, "warnings", ()))
    return [text for text in texts if not any(text.endswith(one) or one.endswith(text) for one in known)]


def _print(text: str | bytes, said: str, output: Output) -> None:
    """Print a text, or write it to a file."""
    if output.output is not None:
        write(output.output, text.encode() if isinstance(text, str) else text, said)
    else:
        sys.stdout.write(wrapped(text) if isinstance(text, str) else text.decode())


def explained(error: FileError, question: type[Question], files: Files) -> FileError:
    """The error about a file, naming its kind where another was expected."""
    from cranfield.core.recognition import MEANS_ONLY
    from cranfield.measures.options import RunsOrScores
    from cranfield.questions.files import OtherKindError

    usage, runs = f"cranfield {question.command} QRELS RUN...", issubclass(question, RunsOrScores)
    if isinstance(error, OtherKindError):
        return _other_kind(error.path, error.given, error.wanted, usage, runs)
    if MEANS_ONLY in str(error):  # a result of MTEB or BEIR, of which the reader has said what to do
        return error
    if _holds_results(error.path):
        text = "holds result files of several collections. Compare them with `cranfield across`."
        return FileError(error.path, [Problem(0, text)])
    return in_place_of(_wanted(error.path, question, files), error, usage, runs)


def _holds_results(path: str) -> bool:
    """Whether it is a folder of result files of MTEB or BEIR, in folders by model."""
    from cranfield.questions.across.results import result_files

    try:
        return is_folder(path) and bool(result_files(path))
    except CranfieldError:
        return False


def in_place_of(wanted: FileKind | None, error: FileError, usage: str, runs: bool = True) -> FileError:
    """The same error, naming the kind of the file where another was expected."""
    given = kind_if_known(error.path) if wanted is not None and is_file(error.path) else None
    if wanted is None or given is None or given == wanted:
        return error
    return _other_kind(error.path, given, wanted, usage, runs)


def _other_kind(path: str, given: FileKind, wanted: FileKind, usage: str, runs: bool) -> FileError:
    from cranfield.questions.files import OtherKindError

    return OtherKindError(path, given, wanted, remedy(given, wanted, usage, runs))


def remedy(given: FileKind, wanted: FileKind, usage: str, runs: bool) -> str:
    """What to do about a file of the wrong kind, for a command that scores runs or does not.

    >>> remedy("run", "scores", "", runs=False)
    'Evaluate it first: cranfield evaluate QRELS RUN... -q -o scores.csv'
    """
    if wanted == "scores" and not runs:
        first = "Evaluate it first" if given == "run" else "Evaluate runs against them first"
        return f"{first}: cranfield evaluate QRELS RUN... -q -o scores.csv"
    if wanted == "scores":
        first = "Put the qrels file first" if given == "run" else "Add runs after the qrels file"
    else:
        first = "Put the qrels file first" if wanted == "qrels" else "Put runs after the qrels file"
    return f"{first}: {usage}"


def kind_if_known(path: str) -> FileKind | None:
    """Run, qrels or scores; None if unclear, and then its reader names the problem."""
    from cranfield.questions.files import kind_of

    try:
        return kind_of(path)
    except CranfieldError:
        return None


def _wanted(path: str, question: type[Question], files: Files) -> FileKind | None:
    """The kind of file expected there; None for a file that an option names."""
    if question.takes == "past":
        return "scores"
    first, *others = [files["qrels"], *files["runs"]] if "qrels" in files else files.get("scores") or [None]
    try:
        if first is None or path not in expand([first, *others]):  # a file that an option names, such as the work file
            return None
    except CranfieldError:  # a folder of result files, which hold neither runs nor scores
        return None
    judgments = kind_if_known(first) == "qrels"
    if "qrels" not in files and not judgments:
        return "scores"
    # The first file is right when it holds judgments; then the trouble is with the same file given as a run.
    return "qrels" if path == first and not (judgments and path in others) else "run"
