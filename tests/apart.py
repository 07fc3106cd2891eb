"""Work for a separate process, which must find it by the name of a module."""

from __future__ import annotations

import os
import time
from typing import Any

from cranfield.core.errors import DataError


def add(a: int, b: int, progress: Any) -> int:
    progress(1, 2)
    return a + b


def fail(progress: Any) -> None:
    raise DataError("no good")


def die(progress: Any) -> None:
    os._exit(3)


def endless(progress: Any) -> None:
    while True:
        time.sleep(1)
