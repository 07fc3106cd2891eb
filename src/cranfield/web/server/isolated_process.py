"""Work in a process of its own, for what would hold the interpreter and make every page wait."""

from __future__ import annotations

import multiprocessing
import signal
import warnings
from collections.abc import Callable
from multiprocessing.connection import Connection
from typing import Any

from cranfield.errors import CranfieldError, CranfieldWarning, DataError
from cranfield.executors import Progress, end_with_parent

STEP = 0.2
"""Seconds between looks at whether somebody cancelled."""


def run_isolated(function: Callable[..., Any], *arguments: Any, progress: Progress) -> Any:
    """The result of ``function(*arguments, progress)`` from a fresh process; cancelling ends the process.

    Function, arguments and result travel by pickle.
    """
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
        raise DataError("the computation ended without an answer; was there too little memory?") from None
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


def _child(function: Callable[..., Any], arguments: tuple[Any, ...], pipe: Connection) -> None:
    follow_the_server()
    warnings.simplefilter("ignore", CranfieldWarning)  # results carry them
    try:
        value = function(*arguments, lambda done, total: pipe.send(("progress", (done, total))))
        pipe.send(("done", value))
    except CranfieldError as error:
        pipe.send(("error", error))
