"""Work in a separate process, where it cannot block the page or crash the server."""

from __future__ import annotations

import contextlib
import multiprocessing
import signal
import warnings
from collections.abc import Callable
from multiprocessing.connection import Connection
from pathlib import Path
from typing import Any

from cranfield.core.errors import CranfieldError, CranfieldWarning, DataError
from cranfield.core.executors import Progress, end_with_parent

STEP = 0.2
"""Seconds between looks at whether somebody cancelled."""

NO_ANSWER = "the computation ended without a result, perhaps for lack of memory"


def run_isolated(function: Callable[..., Any], *arguments: Any, progress: Progress | None = None) -> Any:
    """The result of ``function(*arguments, progress)`` from a fresh process; cancelling ends the process.

    Function, arguments and result travel by pickle.
    """
    progress = progress or _silent
    context = multiprocessing.get_context("spawn")
    ours, theirs = context.Pipe(duplex=False)
    process = context.Process(target=_child, args=(function, arguments, theirs))
    process.start()
    theirs.close()  # so that a crash there ends the wait here
    reached = (0, 0)
    try:
        while True:
            if not ours.poll(STEP):
                progress(*reached)
                continue
            kind, value = ours.recv()
            if kind == "done":
                return value
            if kind == "error":
                raise value
            reached = value
            progress(*reached)
    except EOFError:
        raise DataError(NO_ANSWER) from None
    finally:
        process.terminate()
        process.join()
        ours.close()


def follow_the_server() -> None:
    """End when the server does, and only then.

    Ctrl-C reaches every process of a terminal; the server then ends the others in good order. A server that is
    killed cannot, so they watch whether it is there.
    """
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    end_with_parent()


def _silent(done: int, total: int) -> None:
    pass


def _child(function: Callable[..., Any], arguments: tuple[Any, ...], pipe: Connection) -> None:
    follow_the_server()
    warnings.simplefilter("ignore", CranfieldWarning)  # results carry them
    try:
        value = function(*arguments, lambda done, total: pipe.send(("progress", (done, total))))
        pipe.send(("done", value))
    except CranfieldError as error:
        pipe.send(("error", error))
    except MemoryError:
        pipe.send(("error", DataError(NO_ANSWER)))


def limit_memory(more: int) -> None:
    """Let this process take so many bytes more than it has, and write no core file when it breaks.

    For a separate process, after it has loaded its libraries. Exceeding the limit raises a `MemoryError` or ends the
    process, which is a `DataError` for the caller.
    """
    try:
        import resource
    except ImportError:  # Windows has no such limits
        return
    try:
        pages = int(Path("/proc/self/statm").read_text().split()[0])
    except (OSError, ValueError, IndexError):
        pages = 0  # not Linux: what it has counts as nothing
    _, most = resource.getrlimit(resource.RLIMIT_AS)
    limit = pages * resource.getpagesize() + more
    if most != resource.RLIM_INFINITY:
        limit = min(limit, most)
    with contextlib.suppress(OSError, ValueError):  # systems that refuse it
        resource.setrlimit(resource.RLIMIT_AS, (limit, most))
        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
