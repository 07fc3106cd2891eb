"""What kind of file was given where another was wanted, said in words that help."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from cranfield.errors import CranfieldError, FileError, Problem

if TYPE_CHECKING:
    from cranfield.defaults import FileKind
    from cranfield.settings import Settings

_SAMPLE = 1 << 16
"""Bytes of a file that tell what it is."""
_WORDS = {"run": "is a run", "qrels": "holds judgments", "scores": "is a score file"}
_WANTED = {"run": "a run", "qrels": "judgments", "scores": "scores"}


def kind_of(path: str) -> FileKind:
    """Run, qrels or scores, by the first lines of the first file a name stands for."""
    from cranfield.collection.check import recognise
    from cranfield.files import STDIN, expand, is_dataset, open_bytes, read_bytes

    first = expand([path])[0]
    if is_dataset(first):
        return recognise(first)
    if first == STDIN:
        data = read_bytes(first)
    else:
        with open_bytes(first) as stream:
            data = stream.read(_SAMPLE + 1)
            if b"\n" not in data and not data.startswith(b"PAR1"):
                data += stream.read()
    if len(data) > _SAMPLE and not data.startswith(b"PAR1"):
        data = data[:_SAMPLE].rpartition(b"\n")[0] or data
    return recognise(first, data)


def explained(error: FileError, question: type[Settings], files: Mapping[str, Any]) -> FileError:
    """The error about a file, with what the file is where something else was wanted in its place."""
    from cranfield.collection.formats.json import MEANS_ONLY

    if MEANS_ONLY in str(error):  # a result of MTEB or BEIR, of which the reader has said what to do
        return error
    return in_place_of(_wanted(error.path, question, files), error, question)


def in_place_of(wanted: FileKind | None, error: FileError, question: type[Settings] | str) -> FileError:
    """The error about a file, with what the file is where it is not of the kind that was wanted there.

    A command that has no settings of ours is named.
    """
    from cranfield.files import is_file

    try:
        given = kind_of(error.path) if wanted is not None and is_file(error.path) else None
    except CranfieldError:
        given = None
    if wanted is None or given is None or given == wanted:
        return error
    return FileError(error.path, [Problem(0, mistaken(given, wanted, question))])


def mistaken(given: FileKind, wanted: FileKind, question: type[Settings] | str) -> str:
    """What to do with a file of one kind where another was wanted.

    >>> from cranfield.settings.variance import VarianceSettings
    >>> mistaken("run", "scores", VarianceSettings)
    'is a run, not scores; evaluate it first: cranfield evaluate QRELS RUN... -q -o scores.csv'
    """
    from cranfield.settings.evaluate import RunsOrScores

    said = f"{_WORDS[given]}, not {_WANTED[wanted]}; "
    takes_runs = isinstance(question, str) or issubclass(question, RunsOrScores)
    command = (
        f"cranfield {question} QRELS RUN" if isinstance(question, str) else f"cranfield {question.command} QRELS RUN..."
    )
    if wanted == "scores" and given == "run":
        if takes_runs:
            return f"{said}name the judgments before it: {command}"
        return f"{said}evaluate it first: cranfield evaluate QRELS RUN... -q -o scores.csv"
    if wanted == "scores":
        if takes_runs:
            return f"{said}judgments come first, and runs after them: {command}"
        return f"{said}evaluate runs against them first: cranfield evaluate QRELS RUN... -q -o scores.csv"
    if wanted == "qrels":
        return f"{said}judgments come first: {command}"
    return f"{said}after the judgments come runs: {command}"


def _wanted(path: str, question: type[Settings], files: Mapping[str, Any]) -> FileKind | None:
    """What should have stood where the file did; None for one that is none of those the question is about."""
    from cranfield.files import expand

    if question.takes == "past":
        return "scores"
    first, *others = [files["qrels"], *files["runs"]] if "qrels" in files else files.get("scores") or [None]
    if first is None or path not in expand([first, *others]):  # a file that an option names, such as the work file
        return None
    try:
        judgments = kind_of(first) == "qrels"
    except CranfieldError:
        judgments = False
    if "qrels" not in files and not judgments:
        return "scores"
    # The first file is right when it holds judgments; then the trouble is with the same file given as a run.
    return "qrels" if path == first and not (judgments and path in others) else "run"
