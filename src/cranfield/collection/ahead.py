"""Runs judged by another process while this one still imports the numerical libraries, which takes as long as 50 runs.

The compiled parser needs none of them, so a fork of the young process can begin at once. Runs that it doubts,
cannot read or does not reach are left to those who ask for them.
"""

from __future__ import annotations

import json
import os
import signal
import sys
import threading
from collections.abc import Sequence
from contextlib import suppress

from cranfield.collection import compiled
from cranfield.collection.compiled import Judge, JudgedLines, judge_of
from cranfield.core.errors import CranfieldError
from cranfield.core.executors import available_workers
from cranfield.core.files import expand, is_file, open_bytes, read_bytes
from cranfield.core.text import check_text

_MOST = 1 << 23
"""Bytes of a run; longer ones are read in blocks."""
_HELD = 1 << 26
"""Bytes of results; no further run is judged beyond."""
_SIZE = 8
"""Bytes that tell the length of a result."""
_LARGE = ("numpy", "polars")
"""Where these are imported, nothing is gained, and a fork would lose their threads."""


class ReadAhead:
    """Judgments that were read, and a process that judges runs by them, the last one first.

    Parameters
    ----------
    lines, judge : the content of the file of judgments, and what judges by it
    runs : names of files
    """

    def __init__(self, lines: bytes, judge: Judge, runs: Sequence[str]) -> None:
        self.lines, self.judge = lines, judge
        self._turn = threading.Lock()
        self._found: dict[str, JudgedLines] = {}
        assert sys.platform == "linux"
        self._results, self._at = os.memfd_create("cranfield-ahead"), 0
        self._child = os.fork()
        if not self._child:
            _judge_runs(judge, runs, self._results)

    def judged(self, path: str) -> JudgedLines | None:
        """What was found of a run; None where it was not reached, or not understood.

        Whoever asks for one run after the other meets those that were judged, and the other process is done.
        """
        with self._turn:
            size = os.fstat(self._results).st_size if self._results >= 0 else 0
            while self._at + _SIZE <= size:
                begin = self._at + _SIZE
                length = int.from_bytes(os.pread(self._results, _SIZE, self._at))
                if begin + length > size:
                    break
                name, found = _unpacked(os.pread(self._results, length, begin))
                self._found[name], self._at = found, begin + length
            if path in self._found:
                self._end()
            return self._found.pop(path, None)

    def is_at_work(self) -> bool:
        """Whether the other process still judges runs, and so takes the place of a thread."""
        with self._turn:
            if self._child:
                with suppress(ChildProcessError):
                    if os.waitpid(self._child, os.WNOHANG) == (0, 0):
                        return True
                self._child = 0  # its number may be that of another process from now on
            return False

    def _end(self) -> None:
        if self._child:
            with suppress(ProcessLookupError, ChildProcessError):
                os.kill(self._child, signal.SIGKILL)
                os.waitpid(self._child, 0)
            self._child = 0
        if self._results >= 0:
            os.close(self._results)
            self._results = -1

    def __enter__(self) -> ReadAhead:
        return self

    def __exit__(self, *_: object) -> None:
        with self._turn:
            self._end()


def read_ahead(qrels: str, runs: Sequence[str], workers: int | None) -> ReadAhead | None:
    """Begin with runs, where another process has a processor to run on and is safe to fork."""
    alone = threading.active_count() == 1 and not any(name in sys.modules for name in _LARGE)
    if compiled.columns is None or sys.platform != "linux" or not alone:
        return None
    if workers == 1 or available_workers() == 1 or not is_file(qrels):
        return None
    with suppress(CranfieldError, OSError):
        lines = check_text(read_bytes(qrels), qrels)
        if (judge := judge_of(lines)) is not None:
            return ReadAhead(lines, judge, runs)
    return None


def _packed(path: str, found: JudgedLines) -> bytes:
    """A result as bytes: a line of JSON, and the numbers.

    >>> _unpacked(_packed("a.run", JudgedLines("x", {"1": None}, b"12345678", b"")))
    ('a.run', JudgedLines(tag='x', unjudged_topics={'1': None}, retrieved=b'12345678', hits=b''))
    """
    head = path, found.tag, list(found.unjudged_topics), len(found.retrieved)
    return json.dumps(head).encode() + b"\n" + found.retrieved + found.hits


def _unpacked(packed: bytes) -> tuple[str, JudgedLines]:
    head, _, numbers = packed.partition(b"\n")
    path, tag, topics, size = json.loads(head)
    return path, JudgedLines(tag, dict.fromkeys(topics), numbers[:size], numbers[size:])


def _judge_runs(judge: Judge, runs: Sequence[str], results: int) -> None:
    """Judge the runs in the child, which never returns, up to the first one that is left to others."""
    try:
        signal.signal(signal.SIGINT, signal.SIG_DFL)
        parent, held = os.getppid(), 0
        for path in reversed(expand(runs)):
            if held > _HELD or os.getppid() != parent or not is_file(path):
                break
            with open_bytes(path) as stream:
                data = stream.read(_MOST)
                if stream.read(1):
                    break
            if (found := judge(check_text(data, path))) is None:
                break
            packed = _packed(path, found)
            held += os.write(results, len(packed).to_bytes(_SIZE) + packed)
    finally:
        os._exit(0)
