"""Run a command: read its data, ask the library, print the answer."""

from __future__ import annotations

import sys
from collections.abc import Callable
from dataclasses import replace
from typing import TYPE_CHECKING, Any, TypeVar

import click

from cranfield.cli.output import beside, draw, emit, progress_bar, say, warn, wrapped, write
from cranfield.core.question import Files, Question

if TYPE_CHECKING:
    from cranfield.cli.build import Output

Q = TypeVar("Q", bound=Question)
RUNNERS: dict[type[Question], Callable[[Any, Any, Files], None]] = {}
"""The functions of commands that are tools, by question."""


def runs(question: type[Q]) -> Callable[[Callable[[Q, Output, Files], None]], Callable[[Q, Output, Files], None]]:
    """Register the function of a command that is a tool."""

    def register(run: Callable[[Q, Output, Files], None]) -> Callable[[Q, Output, Files], None]:
        RUNNERS[question] = run
        return run

    return register


def run(settings: Question, output: Output, files: Files) -> None:
    """Answer a question about files, or run the function of its tool."""
    from cranfield.cli import commands

    own = commands.RUNNERS.get(type(settings))
    if own is not None:
        own(settings, output, files)
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
