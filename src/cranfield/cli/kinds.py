"""Errors about a file of the wrong kind, with the remedy."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from cranfield.core.errors import CranfieldError, FileError, Problem
from cranfield.core.files import expand, is_file

if TYPE_CHECKING:
    from cranfield.core.defaults import FileKind
    from cranfield.core.question import Files, Question


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
        return Path(path).is_dir() and bool(result_files(path))
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
