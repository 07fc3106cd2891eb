"""Everything random goes through here: seeds, the exact grid, and work spread over processes in fixed order.

A result depends on the data and the seed alone: never on the number of workers, the size of a memory block or
the order in which topics and systems were given.
"""

from __future__ import annotations

import multiprocessing
import os
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import Executor, Future, ProcessPoolExecutor, ThreadPoolExecutor
from typing import TypeVar

import numpy as np
from numpy.typing import NDArray

Progress = Callable[[int, int], None]
"""Called with (done, total) as work goes on."""

_Item = TypeVar("_Item")
_Result = TypeVar("_Result")


def generator(seed: int, *key: int) -> np.random.Generator:
    """A random generator of its own for every (seed, key), independent of all others.

    >>> generator(1, 2).integers(10, size=3).tolist() == generator(1, 2).integers(10, size=3).tolist()
    True
    """
    return np.random.Generator(np.random.Philox(np.random.SeedSequence(seed, spawn_key=key)))


def to_grid(values: NDArray[np.float64], terms: int) -> NDArray[np.float64]:
    """Round to a power-of-two grid on which sums of `terms` values are exact in a double.

    With no magnitude above 2^a and terms ≤ 2^b, multiples of 2^(a+b−53) can be summed `terms` times in any
    order and with any signs without rounding. At most 40 binary places are kept, so that scores in [0, 1] lie
    on one grid (2⁻⁴⁰, an error below 5e-13) for any number of topics up to 8,192.

    >>> float(to_grid(np.array([0.1]), 50)[0]) - 0.1 < 1e-12
    True
    """
    largest = float(np.max(np.abs(values), initial=0.0))
    magnitude = int(np.ceil(np.log2(largest))) if largest > 0 else 0
    places = min(40, 53 - magnitude - max(0, int(np.ceil(np.log2(max(terms, 1))))))
    return np.ldexp(np.rint(np.ldexp(values, places)), -places)


def available_workers() -> int:
    """How many processors this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def process_pool(workers: int) -> Executor:
    """A pool of fresh processes (never forked: column libraries hold threads and locks)."""
    return ProcessPoolExecutor(workers, mp_context=multiprocessing.get_context("spawn"))


def map_in_order(
    function: Callable[[_Item], _Result],
    items: Sequence[_Item],
    *,
    workers: int | None = None,
    progress: Progress | None = None,
) -> Iterator[_Result]:
    """Apply a picklable function to every item, on several processes, and yield the results in the items' order."""
    workers = min(workers or available_workers(), len(items))
    total = len(items)
    if workers <= 1:
        for done, item in enumerate(items, 1):
            yield function(item)
            if progress:
                progress(done, total)
        return
    with process_pool(workers) as pool:
        for done, result in enumerate(pool.map(function, items), 1):
            yield result
            if progress:
                progress(done, total)


def map_in_threads(function: Callable[[_Item], _Result], items: Iterable[_Item], workers: int) -> Iterator[_Result]:
    """Apply a function to every item on several threads and yield the results in the items' order.

    For work that spends its time outside the interpreter (decompressing, columnar parsing, array arithmetic).
    Items are taken from the iterable as threads become free, so no more than a few are held at once.
    """
    if workers <= 1:
        yield from map(function, items)
        return
    pool = ThreadPoolExecutor(workers)
    waiting: deque[Future[_Result]] = deque()
    try:
        for item in items:
            waiting.append(pool.submit(function, item))
            if len(waiting) > workers:
                yield waiting.popleft().result()
        while waiting:
            yield waiting.popleft().result()
    finally:
        pool.shutdown(cancel_futures=True)
