"""Forked processes: polars' threads do not survive a fork, and work given to them would wait for ever."""

from __future__ import annotations

import os
import re
from pathlib import Path

from cranfield.core.errors import CranfieldError

_TASKS = Path("/proc/self/task")
_WORKER = re.compile(r"polars-\d+\s*")
_lost = _at_fork = False


def _look() -> None:
    global _at_fork
    try:
        _at_fork = any(_WORKER.fullmatch((one / "comm").read_text()) for one in _TASKS.iterdir())
    except OSError:  # not Linux, where fork is no longer the usual way
        _at_fork = False


def _note() -> None:
    global _lost
    _lost = _lost or _at_fork


if hasattr(os, "register_at_fork"):
    os.register_at_fork(before=_look, after_in_child=_note)


def refuse_forked() -> None:
    """Raise in a process whose parent had polars at work when it forked."""
    if _lost:
        raise CranfieldError(
            "this process was forked after polars started its threads, and would hang. "
            "Start workers with multiprocessing.get_context('forkserver') or 'spawn'."
        )
