"""Work spread over threads, processes or anybody's executor, with results in a fixed order.

Everything that maps work (runs, splits, blocks of resamples, simulated datasets) goes through `map_in_order`. A unit of
work is a module-level function with its shared inputs bound by `functools.partial`, and one small item: both can be
pickled, so that threads, processes and a cluster are a choice of the caller, and no result depends on it.
`run_isolated` does one thing in a separate process, where it cannot block the page or crash the server.
"""

from __future__ import annotations

import hashlib
import itertools
import math
import os
import pickle
import threading
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Sized
from concurrent.futures import Executor, Future, ThreadPoolExecutor
from contextlib import contextmanager, suppress
from contextvars import ContextVar
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, TypeVar, cast

from cranfield.core.errors import ArgumentError, CranfieldError, CranfieldWarning, DataError

if TYPE_CHECKING:
    from concurrent.futures import ProcessPoolExecutor
    from multiprocessing.connection import Connection

Kind = Literal["threads", "processes"]
Progress = Callable[[int, int], None]
"""Called with (done, total) as work goes on."""

_Item = TypeVar("_Item")
_Result = TypeVar("_Result")


def available_workers() -> int:
    """How many processors this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def process_pool(workers: int) -> ProcessPoolExecutor:
    """A pool of fresh processes (never forked: column libraries hold threads and locks)."""
    import multiprocessing
    from concurrent.futures import ProcessPoolExecutor

    context = multiprocessing.get_context("spawn")
    return ProcessPoolExecutor(workers, mp_context=context, initializer=end_with_parent)


def end_with_parent() -> None:
    """Let this process end when the one that started it does, even if that was killed; for processes that work."""
    import multiprocessing

    parent = multiprocessing.parent_process()
    if parent is None:
        return

    def watch() -> None:
        parent.join()
        os._exit(1)  # nobody is left to take a result

    threading.Thread(target=watch, name="cranfield-parent", daemon=True).start()


_around: ContextVar[Executor | None] = ContextVar("executor", default=None)


def surrounding() -> Executor | None:
    """The executor of the `spread_over` block that this runs in, if any."""
    return _around.get()


@contextmanager
def spread_over(executor: Any) -> Iterator[Executor]:
    """Inside the block, work that is not told otherwise goes to this executor or Dask client.

    The same as ``executor=`` for every question, and for those that do not take it. Work that is told ``workers=1`` or
    ``executor="threads"`` stays in this process.

    >>> from concurrent.futures import ThreadPoolExecutor
    >>> with ThreadPoolExecutor(2) as pool, spread_over(pool):
    ...     list(map_in_order(abs, [-3, 2, -1]))
    [3, 2, 1]
    """
    chosen = as_executor(executor)
    if isinstance(chosen, str):
        raise ArgumentError(f"work cannot run on {executor!r}; pass an executor or a Dask client.")
    before = _around.set(chosen)
    try:
        yield chosen
    finally:
        _around.reset(before)


def as_executor(executor: object) -> Executor | Kind:
    """What `map_in_order` can use: a kind of worker, an executor, or a Dask client made one."""
    if isinstance(executor, Executor):
        return executor
    if executor in ("threads", "processes"):
        return executor
    from cranfield.core.cluster import executor_of, is_client

    if is_client(executor):
        return executor_of(cast(Any, executor))
    raise ArgumentError(
        f"`executor` must be a concurrent.futures.Executor or a Dask client; got {executor!r}. "
        "Write concurrent.futures.ThreadPoolExecutor(4), or leave it out."
    )


def map_in_order(
    function: Callable[[_Item], _Result],
    items: Iterable[_Item],
    *,
    executor: Executor | Kind | None = None,
    workers: int | None = None,
    progress: Progress | None = None,
    weight: Callable[[_Item], int] | None = None,
) -> Iterator[_Result]:
    """Apply a function to every item and yield the results in the items' order.

    Items are taken from the iterable as workers become free, so that no more than a few are held at once. An error
    ends the work: what has not begun is cancelled, and the error of the first item that failed is raised.

    Parameters
    ----------
    function : a module-level function, or `functools.partial` of one that binds what all items share
    items : what to work on; small, and picklable for workers outside this process
    executor : ``"threads"`` (the default: for work that spends its time outside the interpreter), ``"processes"``, or
        any `concurrent.futures.Executor` or Dask client, which is left open; unless given, that of `spread_over`
    workers : how many work at once (all processors unless given); with an executor of the caller's own, how many items
        are under way at once (four a processor unless given)
    progress : called with (done, in all) after every item; an iterable without length counts as it goes
    weight : how many units of progress an item is; 1 unless given

    Examples
    --------
    >>> list(map_in_order(abs, [-3, 2, -1], workers=2))
    [3, 2, 1]
    >>> from concurrent.futures import ThreadPoolExecutor
    >>> with ThreadPoolExecutor(2) as pool:
    ...     list(map_in_order(abs, [-3, 2, -1], executor=pool))
    [3, 2, 1]
    """
    if workers is not None and workers < 1:
        raise ArgumentError(f"`workers` must be at least 1; got {workers}. Leave it out to use all processors.")
    kind: Executor | Kind = "threads" if executor is None else as_executor(executor)
    if executor is None and workers != 1 and (around := surrounding()) is not None:
        kind, workers = around, None
    size = len(items) if isinstance(items, Sized) else None
    total = sum(map(weight, items)) if size is not None and progress and weight else size
    done = 0
    for item, result in _pairs(function, items, kind, workers, size):
        yield result
        done += weight(item) if weight else 1
        if progress:
            progress(done, done if total is None else total)


def one_ahead(items: Iterator[_Item]) -> Iterator[_Item]:
    """The same items, each made in another thread while the one before is used.

    >>> list(one_ahead(iter([1, 2, 3])))
    [1, 2, 3]
    """
    with ThreadPoolExecutor(1) as pool:
        coming = pool.submit(list, itertools.islice(items, 1))
        while following := coming.result():
            coming = pool.submit(list, itertools.islice(items, 1))
            yield following[0]


def _pairs(
    function: Callable[[_Item], _Result],
    items: Iterable[_Item],
    kind: Executor | Kind,
    workers: int | None,
    size: int | None,
) -> Iterator[tuple[_Item, _Result]]:
    if not isinstance(kind, str):
        many = getattr(kind, "under_way", None)
        most = workers or (many() if many else 4 * available_workers())
        yield from _under_way(kind, _shipped(function, kind), items, most)
        return
    several = workers or available_workers()
    several = several if size is None else min(several, size)
    if several <= 1:
        yield from ((item, function(item)) for item in items)
        return
    pool: Executor = process_pool(several) if kind == "processes" else ThreadPoolExecutor(several)
    try:
        yield from _under_way(pool, _shipped(function, pool), items, several + 1)
    finally:
        pool.shutdown(cancel_futures=True)


def _under_way(
    pool: Executor, function: Callable[[_Item], _Result], items: Iterable[_Item], most: int
) -> Iterator[tuple[_Item, _Result]]:
    """Results in order, with at most so many items submitted and not yet given back."""
    waiting: deque[tuple[_Item, Future[_Result]]] = deque()
    todo = iter(items)
    try:
        for item in itertools.islice(todo, most):
            waiting.append((item, pool.submit(function, item)))
        while waiting:
            item, future = waiting.popleft()
            result = future.result()
            for following in itertools.islice(todo, 1):
                waiting.append((following, pool.submit(function, following)))
            yield item, result
    finally:
        for _, future in waiting:
            future.cancel()


def _shipped(function: Callable[[_Item], _Result], pool: Executor) -> Callable[[_Item], _Result]:
    """The function as it travels: pickled once for processes, which unpickle it once each."""
    if isinstance(pool, ThreadPoolExecutor):
        return function
    ship: Callable[[Any], Any] | None = getattr(pool, "ship", None)
    if ship is not None:  # a cluster
        return cast("Callable[[_Item], _Result]", ship(function))
    from concurrent.futures import ProcessPoolExecutor

    return Parcel(function) if isinstance(pool, ProcessPoolExecutor) else function


class Parcel:
    """A function with its shared inputs, pickled once; whoever receives it opens it once and keeps the last."""

    _open: tuple[bytes, Any] = (b"", None)

    def __init__(self, function: Callable[..., Any]) -> None:
        self._data = pickle.dumps(function)
        self._name = hashlib.blake2b(self._data, digest_size=16).digest()

    def __call__(self, item: Any) -> Any:
        name, function = Parcel._open
        if name != self._name:
            function = pickle.loads(self._data)
            Parcel._open = (self._name, function)
        return function(item)


STEP = 0.2
"""Seconds between looks at whether somebody cancelled."""

NO_ANSWER = "the computation ended without a result, perhaps for lack of memory"


def run_isolated(function: Callable[..., Any], *arguments: Any, progress: Progress | None = None) -> Any:
    """The result of ``function(*arguments, progress)`` from a fresh process; cancelling ends the process.

    Function, arguments and result travel by pickle.
    """
    import multiprocessing

    progress = progress or (lambda done, total: None)
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
    import signal

    signal.signal(signal.SIGINT, signal.SIG_IGN)
    end_with_parent()


def _child(function: Callable[..., Any], arguments: tuple[Any, ...], pipe: Connection) -> None:
    import warnings

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
    with suppress(OSError, ValueError):  # systems that refuse it
        resource.setrlimit(resource.RLIMIT_AS, (limit, most))
        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))


def limit_processor(more: int) -> None:
    """Let this process take so many seconds of a processor more; the system ends it after that."""
    try:
        import resource
    except ImportError:  # Windows has no such limits
        return
    used = resource.getrusage(resource.RUSAGE_SELF)
    limit = math.ceil(used.ru_utime + used.ru_stime) + more
    _, most = resource.getrlimit(resource.RLIMIT_CPU)
    if most != resource.RLIM_INFINITY:
        limit = min(limit, most)
    with suppress(OSError, ValueError):  # systems that refuse it
        resource.setrlimit(resource.RLIMIT_CPU, (limit, most))
