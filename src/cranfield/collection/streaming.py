"""Runs of any size in little memory: read in blocks of whole lines, handed on in blocks of whole topics.

A file with contiguous topics is read once. If topics are interleaved, the rows are first sorted into temporary files
and read from there. A file is read as a whole when a block alone is ambiguous (another format, or tabs between fields
that hold blanks). Rows, notes and errors equal those of `read_run` for any block size; a property test checks that.

Several workers can also read a large file in sections, each with its own `RunStream`. That works when every topic lies
in one section and nothing is wrong; otherwise one worker reads the file.
"""

from __future__ import annotations

import os
import threading
from collections.abc import Iterator
from contextlib import AbstractContextManager, ExitStack, nullcontext
from dataclasses import dataclass
from io import BytesIO
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl

from cranfield.collection.compiled import Judge, JudgedLines
from cranfield.collection.lines import (
    NO_RUN,
    Noticed,
    RunBlock,
    careful_duplicates,
    careful_run_block,
    fast_run,
    fast_run_block,
    first_tag,
    has_duplicates,
    run_notes,
)
from cranfield.collection.readers import called, is_other_run, read_run
from cranfield.collection.types import RUN_SCHEMA
from cranfield.core.defaults import SYSTEM_NAME, SystemName
from cranfield.core.errors import SHOWN_PROBLEMS, FileError, Problem
from cranfield.core.executors import one_ahead
from cranfield.core.files import COMPRESSED, STDIN, NamedFile, is_dataset, is_file, is_url, line_blocks, open_bytes
from cranfield.core.text import EMPTY, Problems, check_no_nul, check_text, check_utf8, without_mark

GROWTH = 6
"""Memory of a run, as a multiple of its bytes (approximate)."""
LARGE = 1 << 18
"""More rows than this are processed by one thread at a time, because work takes several times their memory."""
_turn = threading.Lock()
_PIECE = 1 << 15
"""Bytes that the careful parser reads around a bad line; it is many times slower than the fast one."""
_FEW_TOPICS = 50
"""Up to so many topics, blocks without them are skipped."""
_HEAD = 1 << 16
_MOST_SHELVES = 200
_SHELF_HEAD = b"rows\n"
"""The first line of a shelf, so that no id stands where a byte-order mark is dropped."""
_BLOCK = (1 << 20, 1 << 22)


def in_turn(rows: int) -> AbstractContextManager[Any]:
    """A lock for work on many rows; for few rows, no lock.

    >>> with in_turn(10):
    ...     _turn.locked()
    False
    """
    return _turn if rows > LARGE else nullcontext()


class NeedsWhole(Exception):
    """A part of a file is not enough; the whole file is needed."""


class _Mixed(NeedsWhole):
    """A topic comes back after another one."""


class _Indivisible(NeedsWhole):
    """What the file means can only be told from all of it."""


@dataclass(frozen=True)
class RunSection:
    """Bytes `start` to `stop` − 1 of a plain run file: whole lines, and whole topics where these stand together."""

    path: str
    start: int
    stop: int
    count: int
    """How many sections the file has."""


def topic_sections(path: str, size: int) -> list[RunSection]:
    """A run file cut where topics change, into sections of about `size` bytes; none where that cannot be done.

    Only files on this machine's file systems that are not compressed are cut. What is read is the lines around the
    cuts.

    >>> import tempfile
    >>> file = Path(tempfile.mkdtemp(), "bm25.run")
    >>> _ = file.write_text("".join(f"{t} Q0 d{d} {d} {9 - d} x\\n" for t in (1, 2, 3) for d in (1, 2)))
    >>> [(one.start, one.stop) for one in topic_sections(str(file), 30)]
    [(0, 56), (56, 84)]
    """
    place = path.place if isinstance(path, NamedFile) else path
    plain = path != STDIN and not is_dataset(path) and not is_url(place)
    if not plain or Path(path).suffix.lower() in COMPRESSED or not is_file(place):
        return []
    length = Path(place).stat().st_size
    found = (_topic_change(path, after, min(after + size, length)) for after in range(size, length, size))
    cuts = [cut for cut in found if cut]
    return [RunSection(path, *ends, len(cuts) + 1) for ends in pairwise([0, *cuts, length])] if cuts else []


def _topic_change(path: str, start: int, stop: int) -> int:
    """Where, between these bytes of a file, the first line of another topic than the line before begins; or 0."""
    with open_bytes(path) as whole:
        topic, at, inside = b"", start - 1, False  # from the byte before, which may end a line
        for block in line_blocks(whole.section(at, stop), _HEAD):
            for line in BytesIO(block):
                words = line.split(None, 1)
                if inside and words and not words[0].startswith((b"#", b"<")):
                    if topic and words[0] != topic:
                        return at
                    topic = words[0]
                inside = True
                at += len(line)
    return 0


class RunStream:
    """A run file, read block by block.

    Parameters
    ----------
    path : the file, or a section of it; `NeedsWhole` is raised where a section does not tell what the whole would
    lenient, name : as for `read_run`
    memory : bytes that reading may take, about
    block : bytes of a block; a file of up to two blocks is read whole
    judge : what may judge such a file at once, in place of its rows

    Examples
    --------
    >>> import tempfile
    >>> file = Path(tempfile.mkdtemp(), "bm25.run")
    >>> _ = file.write_text("".join(f"{t} Q0 d{d} {d} {9 - d} x\\n" for t in (1, 2, 3) for d in (1, 2)))
    >>> stream = RunStream(file, memory=100, block=20)
    >>> [rows["topic"].to_list() for rows in stream.parts()]
    [['1', '1'], ['2', '2'], ['3', '3']]
    >>> stream.system, stream.tag
    ('bm25', 'x')
    """

    def __init__(
        self,
        path: str | os.PathLike[str] | RunSection,
        *,
        lenient: bool = False,
        name: SystemName = SYSTEM_NAME,
        memory: float,
        block: int | None = None,
        judge: Judge | None = None,
    ) -> None:
        self.section = path if isinstance(path, RunSection) else None
        self.path = os.fspath(path.path if isinstance(path, RunSection) else path)
        self.lenient, self.name, self.memory = lenient, name, memory
        self.judge = judge
        self.block = block or int(min(max(memory / (2 * GROWTH), _BLOCK[0]), _BLOCK[1]))
        self.tag = ""
        """The run tag, once the file is read."""
        self.notes: tuple[str, ...] = ()
        """What was noticed, once the file is read."""
        self.blocks: list[Noticed] = []
        """The same of each block."""

    @property
    def system(self) -> str:
        """The system's name, once the file is read."""
        return called(self.path, self.tag, self.name)

    def parts(self) -> Iterator[pl.DataFrame | JudgedLines | None]:
        """The rows, in blocks of whole topics. None means: discard the rows so far, all of them follow again."""
        if self.section is not None:
            yield from self._of_section()
            return
        if self.path == STDIN or is_dataset(self.path):
            yield from self._whole()
            return
        try:
            yield from self._in_one_go()
        except NeedsWhole as reason:
            yield None
            yield from self._again(reason)

    def _again(self, reason: NeedsWhole) -> Iterator[pl.DataFrame | None]:
        length = self._length()
        if GROWTH * length <= self.memory:
            yield from self._whole()
        elif isinstance(reason, _Mixed):
            try:
                yield from self._sorted_first(length)
            except _Indivisible as later:  # beyond the place where the topics turned out to be mixed
                yield None
                yield from self._again(later)
        else:
            yield from self._whole(f"read as a whole ({length / 1e6:,.0f} MB), because {reason}")

    def _of_section(self) -> Iterator[pl.DataFrame]:
        try:
            yield from self._grouped()
        except FileError:
            raise NeedsWhole from None

    def _whole(self, note: str = "") -> Iterator[pl.DataFrame]:
        run = read_run(self.path, lenient=self.lenient, name=self.name)
        self.tag, self.notes = run.tag, (*run.notes, note) if note else run.notes
        yield run.frame

    def _in_one_go(self) -> Iterator[pl.DataFrame | JudgedLines]:
        with open_bytes(self.path) as stream:
            data = stream.read(2 * self.block)
            short = not stream.read(1)
        if short:
            data = check_text(data, self.path)
            if self.judge is not None and (judged := self.judge(data)) is not None:
                self.tag = judged.tag
                yield judged
                return
            if (run := fast_run(data)) is not None:
                self.tag, self.notes = run.tag, run.notes
                yield run.frame
                return
        del data
        yield from self._grouped()

    def _grouped(self) -> Iterator[pl.DataFrame]:
        """A file, or a section of one, whose topics stand together."""
        reading = _Reading(self)
        closed: set[str] = set()
        waiting: list[pl.DataFrame] = []  # rows of the last topic met, which may go on in the next block
        topic = ""
        for line, rows in one_ahead(reading.rows()):
            starts, labels = _stretches(rows["topic"])
            reading.begins.update((label.encode(), line) for label in (labels[1:] if labels[0] == topic else labels))
            if waiting and labels[0] != topic:
                closed.add(topic)
                whole, waiting = waiting, []
                yield from reading.checked(whole)
            if len(set(labels)) < len(labels) or not closed.isdisjoint(labels):
                raise _Mixed
            if len(labels) > 1:
                closed.update(labels[:-1])
                whole, waiting = [*waiting, rows.slice(0, starts[-1])], []
                yield from reading.checked(whole)
            waiting.append(rows.slice(starts[-1]))
            topic = labels[-1]
        if waiting:
            yield from reading.checked(waiting)
        self._finish(reading)

    def _sorted_first(self, length: int) -> Iterator[pl.DataFrame]:
        """A file with interleaved topics: rows go to temporary files by topic, which are then read in turn."""
        import tempfile

        shelves = min(-(-length // max(self.block, int(self.memory / (2 * GROWTH)))), _MOST_SHELVES)
        reading = _Reading(self)
        with tempfile.TemporaryDirectory(prefix="cranfield-") as folder:
            with ExitStack() as stack:
                files = [stack.enter_context(Path(folder, str(at)).open("wb")) for at in range(shelves)]
                for file in files:
                    file.write(_SHELF_HEAD)
                for _, frame in reading.rows():
                    shelf = (frame["topic"].hash(1) % shelves).to_numpy()
                    order = np.argsort(shelf, kind="stable")
                    bounds = np.searchsorted(shelf[order], np.arange(shelves + 1))
                    rows = frame[order]
                    for at, file in enumerate(files):
                        part = rows.slice(int(bounds[at]), int(bounds[at + 1] - bounds[at]))
                        part.write_csv(file, include_header=False, separator="\t", quote_style="never")
            written = sum(one.stat().st_size for one in Path(folder).iterdir())
            for at in range(shelves):
                file_name = Path(folder, str(at))
                if file_name.stat().st_size > len(_SHELF_HEAD):
                    yield from reading.checked([_from_shelf(file_name)])
                file_name.unlink()
        self._finish(reading)
        text = f"its topics are interleaved, so it was read through temporary files ({written / 1e6:,.0f} MB)"
        self.notes = (*self.notes, text)

    def _length(self) -> int:
        """Bytes of the file, decompressed."""
        place = self.path.place if isinstance(self.path, NamedFile) else self.path
        if not is_url(place) and Path(self.path).suffix.lower() not in COMPRESSED:
            return Path(place).stat().st_size
        with open_bytes(self.path) as stream:
            return sum(len(piece) for piece in iter(lambda: stream.read(self.block), b""))

    def _finish(self, reading: _Reading) -> None:
        reading.raise_if_any()
        self.blocks, self.notes = reading.noticed, run_notes(reading.noticed)
        self.tag = first_tag(reading.noticed)


class _Reading:
    """One pass over a file, with the problems found."""

    def __init__(self, stream: RunStream) -> None:
        self.stream = stream
        self.noticed: list[Noticed] = []
        """What was noticed in each block."""
        self.problems = Problems(stream.path)
        self.twice: set[bytes] = set()
        """Topics in which a document comes twice."""
        self.again = 0
        """How many lines repeat a document."""
        self.begins: dict[bytes, int] = {}
        """The first line of the block in which each topic begins, where topics stand together."""

    def _data(self) -> Iterator[tuple[int, bytes]]:
        """Blocks of whole lines that are text, each with the number of its first line."""
        path, line = self.stream.path, 1
        held: tuple[int, bytes] | None = None  # until it is certain that lines end in LF
        certain, not_text = False, None
        section = self.stream.section
        begins = section is None or section.start == 0
        with open_bytes(path) as whole:
            source = whole if section is None else whole.section(section.start, section.stop)
            for number, block in enumerate(line_blocks(source, self.stream.block)):
                data = without_mark(block, path) if begins and number == 0 else block
                check_no_nul(data, path, line)
                if data and not data.isspace():
                    try:
                        check_utf8(data, path, line)
                    except FileError as error:
                        not_text = not_text or error
                    certain = certain or held is not None or b"\n" in data.rstrip()
                    if held is not None and not_text is None:
                        yield held
                    held = None if certain else (line, data)
                    if certain and not_text is None:
                        yield line, data
                line += block.count(b"\n")
        if not_text is not None:
            raise not_text
        if held is not None:
            raise _Indivisible("its lines do not end in LF")
        if not certain:
            raise FileError(path, [Problem(0, EMPTY)])

    def rows(self) -> Iterator[tuple[int, pl.DataFrame]]:
        """The rows of each block, and the number of its first line; what is wrong is collected."""
        for line, data in self._data():
            fast = fast_run_block(data, line)
            for block in [fast] if fast is not None else self._slowly(line, data):
                self.noticed.append(block.noticed)
                if block.frame.height:
                    yield line, block.frame
        if not any(block.tags for block in self.noticed) and not self.problems.total:
            self.problems.add(0, NO_RUN)

    def _slowly(self, line: int, data: bytes) -> Iterator[RunBlock]:
        """A block that the fast parser refuses; not read where only the whole file shows what it means."""
        if not any(block.tags for block in self.noticed) and not self.problems.total:
            with open_bytes(self.stream.path) as source:
                head = source.read(max(self.stream.block, _HEAD))
                if is_other_run(head[: head.rfind(b"\n") + 1] or head, self.stream.path):
                    raise _Indivisible("it is not in TREC's format")
        if b"\t" in data:
            raise _Indivisible("only the whole file shows whether tabs separate its fields")
        yield from self._halves(line, data)

    def _halves(self, line: int, data: bytes) -> Iterator[RunBlock]:
        """The block in halves, and these again, until only small pieces around a bad line are read carefully."""
        cut = data.rfind(b"\n", 0, len(data) // 2) + 1
        if len(data) <= _PIECE or not cut:
            yield careful_run_block(data, self.stream.lenient, line, self.problems)
            return
        for number, part in ((line, data[:cut]), (line + data.count(b"\n", 0, cut), data[cut:])):
            fast = fast_run_block(part, number)
            yield from [fast] if fast is not None else self._halves(number, part)

    def checked(self, parts: list[pl.DataFrame]) -> Iterator[pl.DataFrame]:
        """Whole topics without duplicate documents; nothing where there is a duplicate or another problem.

        The list of parts is emptied, so that they are not in memory twice.
        """
        with in_turn(sum(map(len, parts))):
            # Column by column, because polars takes all of them to its own threads, which costs more than it saves.
            rows = pl.DataFrame([pl.concat([part[name] for part in parts], rechunk=True) for name in RUN_SCHEMA])
            parts.clear()
            if has_duplicates(rows["topic"], rows["document"]):
                pairs = rows.select("topic", "document")
                again = pairs.filter(pairs.is_duplicated())
                self.again += again.height - again.n_unique()
                self.twice.update(topic.encode() for topic in again["topic"].unique().to_list())
        if not self.twice and not self.problems.total:
            yield rows

    def raise_if_any(self) -> None:
        """One error for all problems, in the words of the careful parser for the whole file."""
        if self.twice:
            again = self._repeated(len(self.twice) <= _FEW_TOPICS)
            if again.total < self.again:
                again = self._repeated(False)
            first = sorted([*self.problems.first, *again.first], key=lambda one: one.line)
            self.problems.first = first[:SHOWN_PROBLEMS]
            self.problems.total += again.total
        self.problems.raise_if_any()

    def _repeated(self, near: bool) -> Problems:
        """The lines that repeat a document; with `near` only between lines that begin with one of these topics."""
        seen: dict[tuple[bytes, ...], int] = {}
        found = Problems(self.stream.path)
        begin = min(self.begins.get(topic, 0) for topic in self.twice) if near else 0
        for line, data in self._data():
            if near and found.total == self.again:
                break
            if line < begin:
                continue
            start, stop = _between(data, self.twice) if near else (0, len(data))
            part, first = data[start:stop], line + data.count(b"\n", 0, start)
            for number, text in careful_duplicates(part, self.stream.lenient, first, self.twice, seen):
                found.add(number, text)
        return found


def _between(data: bytes, topics: set[bytes]) -> tuple[int, int]:
    """Where the first line begins and the last ends that begin with one of the topics, or with more than one.

    >>> _between(b"1 a\\n2 b\\n1 c\\n3 d\\n", {b"1"}), _between(b"1 a\\n2 b\\n", {b"2"}), _between(b"1 a\\n", {b"2"})
    ((0, 11), (4, 7), (0, 0))
    """
    firsts = [0 if data.startswith(topic) else data.find(b"\n" + topic) + 1 or len(data) for topic in topics]
    if (start := min(firsts)) == len(data):
        return 0, 0
    end = data.find(b"\n", max(data.rfind(b"\n" + topic) + 1 for topic in topics))
    return start, len(data) if end < 0 else end


def _stretches(topics: pl.Series) -> tuple[list[int], list[str]]:
    """Where each stretch of rows of one topic begins, and its topic."""
    changes = np.flatnonzero((topics.slice(1) != topics.slice(0, len(topics) - 1)).to_numpy()) + 1
    starts = [0, *changes.tolist()]
    return starts, topics[starts].to_list()


def _from_shelf(file: Path) -> pl.DataFrame:
    return pl.read_csv(file, skip_rows=1, has_header=False, separator="\t", quote_char=None, schema=RUN_SCHEMA)
