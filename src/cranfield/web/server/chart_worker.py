"""Draw charts in a separate process: the drawing engine blocks the interpreter, and pages would wait."""

from __future__ import annotations

import multiprocessing
import threading
from collections.abc import Callable
from concurrent.futures import Future, ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from typing import Any

from cranfield.core.answer import Chart
from cranfield.core.errors import DataError
from cranfield.core.executors import follow_the_server
from cranfield.web.server.security import Limits, Recent

PHONE = "phone.svg"
"""Said in place of an ending: an SVG image for a narrow screen."""
PAGE = "page.svg"
"""Said in place of an ending: an SVG image below the answer, without a title that repeats the answer."""
PATIENCE = 60.0
"""Seconds a chart may take; the largest on record takes a few."""


def draw_chart(one: Chart, ending: str, said: str = "") -> bytes:
    """A chart as the bytes of a file, or of an image on a page; runs in the chart worker's process."""
    from cranfield.core.charts import chart
    from cranfield.core.charts.export import at_night, chart_bytes, spec_title, spec_to_svg, unrepeated
    from cranfield.core.charts.phone import phone_chart

    if ending == PHONE:
        return at_night(phone_chart(one.source, one.kind, said=said, **one.options)).encode()
    drawn = chart(one.source, one.kind, **one.options)
    if ending == PAGE:
        spec = drawn.to_dict()
        return at_night(spec_to_svg(unrepeated(spec, said), spec_title(spec))).encode()
    return chart_bytes(drawn, f".{ending}")


def ready() -> None:
    """Load what drawing needs; runs in the chart worker's process."""
    from cranfield.questions.design.anova import design_anova

    draw_chart(Chart("power", "", "", design_anova(0.1, 2, 0.5), "power"), "svg")


class ChartWorker:
    """One process that draws, started on first use, and the last charts."""

    def __init__(self, limits: Limits) -> None:
        self._pool: ProcessPoolExecutor | None = None
        self.known: Recent[str, bytes] = Recent(4 * limits.results)
        self._lock = threading.Lock()

    def warm_up(self) -> None:
        """Start the process now, so that the first chart need not wait for it."""
        self._submit(ready)

    def draw(self, key: str, one: Chart, ending: str, said: str = "") -> bytes:
        """The chart, on a page below what is `said`; equal keys mean equal charts."""
        drawn = self.known.get(key)
        if drawn is None:
            try:
                drawn = self._submit(draw_chart, one, ending, said).result(PATIENCE)
            except (BrokenProcessPool, TimeoutError):
                self.close()
                raise DataError("this chart needs too much time or memory. The table has the same numbers.") from None
        self.known.keep(key, drawn)
        return drawn

    def close(self) -> None:
        """End the process; the next chart would start another."""
        with self._lock:
            pool, self._pool = self._pool, None
        if pool is not None:
            for process in list((getattr(pool, "_processes", None) or {}).values()):
                process.terminate()  # a drawing cannot be asked to stop
            pool.shutdown(wait=True, cancel_futures=True)

    def _submit(self, function: Callable[..., Any], *arguments: object) -> Future[Any]:
        with self._lock:
            if self._pool is None:
                context = multiprocessing.get_context("spawn")
                self._pool = ProcessPoolExecutor(1, mp_context=context, initializer=follow_the_server)
            return self._pool.submit(function, *arguments)
