"""Strict readers of runs and judgments of many tools: nothing is silently misread.

`collection.lines` has the parsers: a fast one that gives up at the first doubt, and a careful one that defines what is
accepted and explains what is not. Names such as ``irds:msmarco-passage/dev/small`` are read with ir_datasets.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Sequence
from typing import Any, overload

from cranfield.collection.formats import CollectionFile, Kind, format_of
from cranfield.collection.lines import Parsed, careful_qrels, careful_run, fast_qrels, fast_run
from cranfield.collection.rows import Place, of_tuples, qrels_frame, run_frame
from cranfield.collection.types import GradeMap, Qrels, Run, grades_of
from cranfield.core.arguments import check_arguments
from cranfield.core.defaults import SYSTEM_NAME, SystemName
from cranfield.core.errors import DataError, FileError, Problem, notify
from cranfield.core.executors import map_in_order
from cranfield.core.files import DATASET, STDIN, expand, is_dataset, is_read_once, read_bytes, system_name
from cranfield.core.labels import summary
from cranfield.core.text import check_text

_AHEAD = 2


def read_run(path: str | os.PathLike[str], *, lenient: bool = False, name: SystemName = SYSTEM_NAME) -> Run:
    """Read a run: TREC's six fields per line, ``topic Q0 document rank score tag``, or another known format.

    MS MARCO's lines, tables with a header, JSON and JSON lines are recognised by their content (docs/formats.md).

    Any mix of blanks and tabs separates fields. Line ends may be LF or CRLF. A byte-order mark, blank lines and
    lines that start with ``#`` are skipped. So is the ``<SYSDESC>`` line of NTCIR runs; `Run.notes` reports it.
    The file may be compressed (.gz, .bz2, .xz, .zst).

    Parameters
    ----------
    path : the file; ``-`` is standard input
    lenient : ignore fields after the run tag instead of refusing them
    name : ``"file"`` names the system after the file, ``"tag"`` after the run tag (in MTEB's predictions the model)

    Raises
    ------
    FileError
        With file and line: wrong number of fields, score that is not a finite number, duplicate document, empty or
        binary file, bad UTF-8. All problems are counted and the first five shown.

    Examples
    --------
    >>> import tempfile, pathlib
    >>> file = pathlib.Path(tempfile.mkdtemp(), "bm25.run")
    >>> _ = file.write_text("301 Q0 FT911-3 1 9.5 x\\n301 Q0 FT911-4 2 9.25 x\\n")
    >>> read_run(file)
    Run(bm25: 1 topics, 2 documents)
    """
    check_arguments(read_run, locals())
    if is_dataset(dataset := os.fspath(path)):
        return dataset_run(dataset)
    return parse_run(read_bytes(path), path, lenient=lenient, name=name)


def parse_run(
    data: bytes, path: str | os.PathLike[str], *, lenient: bool = False, name: SystemName = SYSTEM_NAME
) -> Run:
    """`read_run` for bytes that were already read."""
    label = os.fspath(path)
    data = check_text(data, label)
    parsed = fast_run(data) or _other(data, label, "run") or careful_run(data, label, lenient)
    return Run(parsed.frame, called(label, parsed.tag, name), parsed.tag, parsed.notes)


def called(path: str, tag: str, name: SystemName) -> str:
    """The name of a run: its tag if that is asked for and exists (or for standard input), else its file name.

    >>> called("bm25.run", "run-1", "file"), called("bm25.run", "run-1", "tag"), called("bm25.json", "", "tag")
    ('bm25', 'run-1', 'bm25')
    """
    return tag if tag and (name == "tag" or path == STDIN) else system_name(path)


class RunFiles(Sequence[Run]):
    """The runs of some files, each read when needed, so that a folder may be larger than memory.

    The next runs are read ahead, so a few are in memory at a time. Every iteration reads the files again; a source that
    cannot be read twice (a pipe) is kept.
    """

    def __init__(self, files: Sequence[str], lenient: bool = False, name: SystemName = SYSTEM_NAME) -> None:
        self.files, self.lenient, self.name = tuple(files), lenient, name
        self._kept: dict[str, Run] = {}

    def __len__(self) -> int:
        return len(self.files)

    @overload
    def __getitem__(self, at: int) -> Run: ...

    @overload
    def __getitem__(self, at: slice) -> RunFiles: ...

    def __getitem__(self, at: int | slice) -> Run | RunFiles:
        if isinstance(at, slice):
            return RunFiles(self.files[at], self.lenient, self.name)
        return self._read(self.files[at])

    def __iter__(self) -> Iterator[Run]:
        seen: dict[str, str] = {}
        reading = map_in_order(self._read, self.files, executor="threads", workers=_AHEAD)
        for path, run in zip(self.files, reading, strict=True):
            if run.system in seen:
                raise DataError(same_system(run.system, seen[run.system], path))
            seen[run.system] = path
            yield run

    def _read(self, path: str) -> Run:
        run = self._kept.get(path)
        if run is None:
            once = is_read_once(path)
            run = read_run(path, lenient=self.lenient, name=self.name)
            if once:
                self._kept[path] = run
        return run

    def __repr__(self) -> str:
        return f"RunFiles({summary(self.files)})"


def read_runs(
    paths: Iterable[str | os.PathLike[str]] | str | os.PathLike[str],
    *,
    lenient: bool = False,
    name: SystemName = SYSTEM_NAME,
) -> RunFiles:
    """The runs of files, directories and globs, as a sequence that can be used repeatedly.

    Two runs of one system are an error. Files are read during iteration, so a few are in memory at a time. To hold all
    of them, write ``list(read_runs(…))``.

    >>> import tempfile, pathlib
    >>> file = pathlib.Path(tempfile.mkdtemp(), "bm25.run")
    >>> _ = file.write_text("301 Q0 FT911-3 1 9.5 x\\n")
    >>> runs = read_runs(file)
    >>> len(runs), list(runs) == list(runs)
    (1, True)
    """
    check_arguments(read_runs, locals())
    files = expand(paths)
    notify(files.skipped)
    return RunFiles(files, lenient, name)


def same_system(system: str, first: str | int, second: str | int) -> str:
    """The message for two runs of one system: files, or the numbers of runs in memory."""
    former = first if isinstance(first, str) else f"run {first}"
    if isinstance(second, str):
        return (
            f"{second}: system {system!r} was already read from {former}; rename one of the files, or choose where "
            "names come from (name='file' or name='tag')"
        )
    return (
        f"run {second}: system {system!r} exists already ({former}); "
        "give every run its own name: {'bm25': run, 'ours': run}"
    )


def read_qrels(path: str | os.PathLike[str], *, map: str | GradeMap | None = None) -> Qrels:
    """Read judgments: TREC's four fields ``topic iteration document relevance`` or NTCIR's ``topic document L2``.

    BEIR's TSV, tables with a header, JSON and JSON lines are recognised by their content (docs/formats.md).

    The iteration field is the subtopic, which diversity judgments need. White space, comments, compression and
    strictness are those of `read_run`. Relevance is an integer, written ``2`` or ``L2``, and may be negative.

    Other grades need `map`, such as ``"0+:0,0.5+:1"``: see `cranfield.collection.types`.

    >>> import tempfile, pathlib
    >>> file = pathlib.Path(tempfile.mkdtemp(), "qrels.txt")
    >>> _ = file.write_text("0201 doc-1 L2\\n0201 doc-2 L0\\n")
    >>> read_qrels(file)
    Qrels(qrels.txt: 1 topics, 2 judgments, 1 relevant)
    """
    check_arguments(read_qrels, locals())
    grades = grades_of(map)
    if is_dataset(dataset := os.fspath(path)):
        return dataset_qrels(dataset) if grades is None else grades.applied(dataset_qrels(dataset))
    return parse_qrels(read_bytes(path), path, grades)


def parse_qrels(data: bytes, path: str | os.PathLike[str], grades: GradeMap | None = None) -> Qrels:
    """`read_qrels` for bytes that were already read."""
    label = os.fspath(path)
    name = "stdin" if label == STDIN else os.path.basename(label)  # noqa: PTH119
    data = check_text(data, label)
    if grades is not None:
        parsed = _other(data, label, "qrels", grades) or careful_qrels(data, label, grades)
        return Qrels(parsed.frame, name, (*parsed.notes, grades.note))
    parsed = fast_qrels(data) or _other(data, label, "qrels") or careful_qrels(data, label)
    return Qrels(parsed.frame, name, parsed.notes)


def is_other_run(head: bytes, path: str) -> bool:
    """Whether a file with this beginning is a run in another format than TREC's."""
    return format_of(CollectionFile(path, head), "run") is not None


def _other(data: bytes, path: str, kind: Kind, grades: GradeMap | None = None) -> Parsed | None:
    """A run or judgments in another format than TREC's; None where none is recognised."""
    entry = format_of(file := CollectionFile(path, data, grades), kind)
    return entry.read(file, kind) if entry and entry.read else None


def _load(name: str, what: str) -> Any:
    try:
        import ir_datasets
    except ImportError:
        text = "ir_datasets is not installed; pip install ir_datasets, or name a file"
        raise FileError(name, [Problem(0, text)]) from None
    try:
        dataset = ir_datasets.load(name.removeprefix(DATASET))
    except KeyError:
        raise FileError(name, [Problem(0, "ir_datasets has no such dataset; check the name")]) from None
    iterator = getattr(dataset, f"{what}_iter", None)
    if iterator is None:
        kind = "judgments" if what == "qrels" else "scored documents"
        raise FileError(name, [Problem(0, f"this dataset has no {kind}; name another ({what})")])
    try:
        return list(iterator())
    except Exception as error:  # noqa: BLE001 (a download may fail in any way, and each dataset parses its own files)
        text = f"ir_datasets failed ({type(error).__name__}: {error}); fetch the data with ir_datasets, or name a file"
        raise FileError(name, [Problem(0, text)]) from None


def dataset_qrels(name: str) -> Qrels:
    """The judgments of a dataset."""
    columns = of_tuples(_load(name, "qrels"), "relevance")
    return Qrels(qrels_frame(columns, Place(name, lambda at: 0)), system_name(name))


def dataset_run(name: str) -> Run:
    """The scored documents of a dataset, as a run."""
    columns = of_tuples(_load(name, "scoreddocs"), "score")
    return Run(run_frame(columns, Place(name, lambda at: 0)), system_name(name))
