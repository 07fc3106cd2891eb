"""Parquet files and spreadsheets from anybody: libraries read them in a separate process that has limits.

A parquet file ends in a description of itself, and the library allocates what the description claims: a crafted file
that claims 2 exabytes ends the whole process. So another process reads it, and a file that breaks it, or that makes a
huge table of a few bytes, is an error here. The process is kept for the next file, because starting it takes longer
than reading most files.
"""

from __future__ import annotations

import atexit
import io
import os
import subprocess
import sys
import threading
from functools import cache
from typing import IO, TYPE_CHECKING

from cranfield.core.errors import FileError
from cranfield.core.executors import limit_memory, limit_processor
from cranfield.core.files import NamedFile
from cranfield.core.text import BOOKS

if TYPE_CHECKING:
    import polars as pl

MARK = b"PAR1"
MEMORY = 1_000_000_000
"""Bytes that reading a file may take."""
SECONDS = 20
"""Seconds of a processor that reading a file may take; the libraries may loop for ever in a damaged one."""
_PACE = 200_000
"""Bytes of a file that allow one second more."""
_MORE = 100
"""How many times its bytes a file of one's own may take besides; what a page's visitor hands in may not."""
_ONE_AT_A_TIME = threading.Lock()


def read_parquet(data: bytes, name: str) -> pl.DataFrame:
    """The table of a parquet file; a file that is none, or claims more than it can hold, is a `FileError`."""
    import polars as pl

    return pl.read_ipc(io.BytesIO(ask(data, name, "parquet")))


def ask(data: bytes, name: str, what: str, sheet: str = "") -> bytes:
    """What the other process makes of a file: a table in polars' exchange format, or the text of a sheet."""
    room = MEMORY if isinstance(name, NamedFile) else MEMORY + _MORE * len(data)
    seconds = SECONDS + len(data) // _PACE
    sound, answer = _ask(data, sheet, room, seconds)
    if sound:
        return answer
    said = f"cannot be read as {what}: {answer.decode()}; is the file complete?"
    if not answer:
        limits = f"{room // 1_000_000:,} MB of memory and {seconds} s of processor time"
        said = f"cannot be read as {what} within {limits}; is the file damaged?"
    raise FileError(name, said)


def _ask(data: bytes, sheet: str, room: int, seconds: int) -> tuple[bool, bytes]:
    """Whether the other process could read the file, and its table or what is wrong; nothing where it broke."""
    with _ONE_AT_A_TIME:
        reader = _reader(os.getpid())
        assert reader.stdin is not None
        assert reader.stdout is not None
        try:
            _send(reader.stdin, room, sheet.encode())
            _send(reader.stdin, seconds, data)
            sound, answer = _receive(reader.stdout)
        except (OSError, ValueError):
            with reader:
                reader.kill()
            _reader.cache_clear()
            return False, b""
        return bool(sound), answer


@cache
def _reader(parent: int) -> subprocess.Popen[bytes]:
    """The other process. It ends with this one, whose pipe it reads; one that was forked off starts its own."""
    here = os.environ | {"PYTHONPATH": os.pathsep.join(filter(None, sys.path))}
    command = [sys.executable, "-P", "-m", "cranfield.core.parquet"]
    pipe, nothing = subprocess.PIPE, subprocess.DEVNULL  # a panic of the library is written to standard error
    reader = subprocess.Popen(command, stdin=pipe, stdout=pipe, stderr=nothing, env=here)
    atexit.register(reader.__exit__, None, None, None)
    return reader


def _send(pipe: IO[bytes], number: int, data: bytes) -> None:
    pipe.write(b"%d %d\n" % (number, len(data)))
    pipe.write(data)
    pipe.flush()


def _receive(pipe: IO[bytes]) -> tuple[int, bytes]:
    """What `_send` sent; a `ValueError` where the pipe has ended."""
    number, size = map(int, pipe.readline().split())
    data = pipe.read(size)
    if len(data) < size:
        raise ValueError
    return number, data


def _answer(data: bytes, sheet: str = "") -> tuple[bool, bytes]:
    """The table in the library's own exchange format, the cells of a sheet, or what is wrong."""
    if data.startswith(BOOKS):
        from cranfield.core.workbooks import cells_of

        try:
            return True, cells_of(data, sheet)
        except Exception as error:  # noqa: BLE001 (every format of a spreadsheet has errors of its own)
            return False, (str(error).splitlines() or [type(error).__name__])[0].encode()
    import polars as pl

    out = io.BytesIO()
    try:
        table = pl.read_parquet(io.BytesIO(data))
        if table.height != pl.scan_parquet(io.BytesIO(data)).select(pl.len()).collect().item():
            return False, b"it has fewer rows than it claims"
        table.write_ipc(out)
    except pl.exceptions.PanicException:
        return False, b"its content does not match its metadata"
    except (pl.exceptions.PolarsError, OSError) as error:
        return False, (str(error).splitlines() or [type(error).__name__])[0].encode()
    return True, out.getvalue()


def _serve() -> None:
    """Answer for one file after the other, until the pipe ends; runs in the other process."""
    import polars as pl

    example = io.BytesIO()
    pl.DataFrame({"a": [0.5]}).write_parquet(example)
    _answer(example.getvalue())  # the library loads its parts and starts its threads before memory is limited
    while True:
        try:
            room, sheet = _receive(sys.stdin.buffer)
            seconds, data = _receive(sys.stdin.buffer)
        except (ValueError, KeyboardInterrupt):  # Ctrl-C reaches every process of a terminal
            return
        limit_memory(room)
        limit_processor(seconds)
        _send(sys.stdout.buffer, *_answer(data, sheet.decode()))


if __name__ == "__main__":
    _serve()
