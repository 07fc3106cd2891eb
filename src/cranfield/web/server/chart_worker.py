"""Charts are drawn in a process of their own: while the engine draws it holds the interpreter, and pages would wait."""

from __future__ import annotations

import multiprocessing
import threading
from collections import OrderedDict
from concurrent.futures import Executor, Future, ProcessPoolExecutor
from concurrent.futures import TimeoutError as OutOfTime
from concurrent.futures.process import BrokenProcessPool
from typing import Any

from cranfield.errors import DataError
from cranfield.isolated_process import follow_the_server
from cranfield.web.server.limits import Limits

PHONE = "phone.svg"
"""Said in place of an ending: an SVG image for a narrow screen."""
PATIENCE = 60.0
"""Seconds a chart may take; the largest on record takes a few."""


def draw_chart(source: object, kind: str | None, options: dict[str, Any], ending: str) -> bytes:
    """A chart as the bytes of a file, or of an image for a narrow screen; runs in the chart worker's process."""
    from cranfield.present.charts import chart
    from cranfield.present.charts.export import chart_bytes
    from cranfield.present.charts.phone import phone_chart

    if ending == PHONE:
        return phone_chart(source, kind, **options).encode()
    return chart_bytes(chart(source, kind, **options), f".{ending}")


def ready() -> None:
    """Load what drawing needs; runs in the chart worker's process."""
    from cranfield.design import design_anova

    draw_chart(design_anova(0.1, 2, 0.5), "power", {}, "svg")


class ChartWorker:
    """One process that draws, started on first use, and the last charts."""

    def __init__(self, limits: Limits) -> None:
        self._limit = 4 * limits.results
        self._pool: Executor | None = None
        self._known: OrderedDict[str, bytes] = OrderedDict()
        self._lock = threading.Lock()

    def warm_up(self) -> None:
        """Start the process now, so that the first chart need not wait for it."""
        self._submit(ready)

    def draw(self, key: str, source: object, kind: str | None, options: dict[str, Any], ending: str) -> bytes:
        """The chart; equal keys mean equal charts."""
        with self._lock:
            if key in self._known:
                self._known.move_to_end(key)
                return self._known[key]
        try:
            drawn: bytes = self._submit(draw_chart, source, kind, options, ending).result(PATIENCE)
        except (BrokenProcessPool, OutOfTime):
            self.close()
            raise DataError("this chart took too much time or memory to draw; the table holds the same.") from None
        with self._lock:
            self._known[key] = drawn
            while len(self._known) > self._limit:
                self._known.popitem(last=False)
        return drawn

    def forget(self) -> None:
        """Drop the charts kept."""
        with self._lock:
            self._known.clear()

    def close(self) -> None:
        """End the process; the next chart would start another."""
        with self._lock:
            pool, self._pool = self._pool, None
        if pool is not None:
            for process in list((getattr(pool, "_processes", None) or {}).values()):
                process.terminate()  # a drawing cannot be asked to stop
            pool.shutdown(wait=True, cancel_futures=True)

    def _submit(self, function: Any, *arguments: Any) -> Future[Any]:
        with self._lock:
            if self._pool is None:
                self._pool = ProcessPoolExecutor(
                    1, mp_context=multiprocessing.get_context("spawn"), initializer=follow_the_server
                )
            return self._pool.submit(function, *arguments)
