"""More than one machine: a Dask cluster as an executor.

The only module that imports Dask. A client becomes an `Executor` for `map_in_order`. Shared inputs are pickled once and
fetched by every worker once; each item is a task. Results return in order as pickled bytes: the same bytes as on one
machine. The tasks of a worker that dies are run again elsewhere.
"""

from __future__ import annotations

import logging
import pickle
import re
import threading
import time
from collections.abc import Callable, Iterator
from concurrent.futures import Executor, Future
from contextlib import ExitStack, contextmanager, suppress
from functools import cache, partial
from pathlib import Path
from typing import TYPE_CHECKING, Any
from weakref import WeakKeyDictionary

from cranfield.core.errors import ArgumentError, ClusterError, with_extra
from cranfield.core.executors import Parcel
from cranfield.core.files import is_file
from cranfield.core.labels import plural
from cranfield.core.text import parse_json

if TYPE_CHECKING:
    from distributed import Client

PATIENCE = 60.0
"""Seconds that a job waits for a worker when there is none."""
ANSWER = 10.0
"""Seconds in which a scheduler must answer."""
STALLED = 60.0
"""Seconds without an answer, or without any task at work, after which a call or a task counts as lost."""
LARGE = 1_000_000
"""Bytes from which an item is sent to a worker straight away, and not by way of the scheduler."""
_TRIES = 3
"""How often a task is handed in anew when the data it needs were lost with a worker."""
_GONE = ("CommClosedError", "ClosedClientError")
"""Dask's errors of a connection that broke; not all of its versions have both."""
_CERTIFICATES = tuple(f"DASK_DISTRIBUTED__COMM__TLS__{name}" for name in ("CA_FILE", "CLIENT__CERT", "CLIENT__KEY"))
"""Variables of the environment in which Dask is told its certificates."""
_ADDRESS = re.compile(r"(tcp|tls|ws|wss|ucx)://[^/\s]+")


def check_address(name: str, text: str) -> None:
    """Refuse what names no cluster.

    >>> check_address("cluster", "tcp://10.0.0.7:8786")
    >>> check_address("cluster", "local:4")
    >>> check_address("cluster", "four")
    Traceback (most recent call last):
    cranfield.ArgumentError: `cluster` must be the address of a Dask scheduler (tcp://10.0.0.7:8786), its scheduler file (.json), or local:4 (four local processes); got 'four'.
    """  # noqa: E501
    if _local(text) is None and not _ADDRESS.fullmatch(text) and not text.endswith(".json"):
        raise ArgumentError(
            f"`{name}` must be the address of a Dask scheduler (tcp://10.0.0.7:8786), its scheduler file (.json), or "
            f"local:4 (four local processes); got {text!r}."
        )


def _local(text: str) -> int | None:
    """How many processes of this machine a text asks for."""
    match = re.fullmatch(r"local:([1-9]\d{0,2})", text)
    return int(match[1]) if match else None


def is_client(thing: object) -> bool:
    """Whether something is a Dask client; asks nobody to import Dask."""
    return any(f"{kind.__module__}.{kind.__name__}" == "distributed.client.Client" for kind in type(thing).__mro__)


@contextmanager
def open_cluster(where: str, say: Callable[[str], None] | None = None) -> Iterator[ClusterExecutor]:
    """A cluster by its address, for as long as the block lasts; one of this machine's own processes ends with it.

    Parameters
    ----------
    where : the address of a scheduler, its scheduler file, or ``"local:4"``
    say : is told the number of workers and the address of the dashboard
    """
    check_address("cluster", where)
    try:
        import distributed
    except ImportError:
        raise ArgumentError(f"`cluster` needs Dask. Install it: {with_extra('cluster')}.") from None
    for name in [one for one in logging.root.manager.loggerDict if one.split(".")[0] in ("distributed", "tornado")]:
        logging.getLogger(name).setLevel(logging.CRITICAL)  # what matters is said in our own words
    with ExitStack() as ends:
        local = None
        if (processes := _local(where)) is not None:
            try:
                local = distributed.LocalCluster(
                    n_workers=processes, threads_per_worker=1, processes=True, dashboard_address=":0",
                    silence_logs=logging.CRITICAL,
                )  # fmt: skip
            except (RuntimeError, OSError) as error:  # among them TimeoutError
                why = str(error).rstrip(".")
                raise ClusterError(
                    f"the {processes} local workers did not all start ({why}). One may have been killed, or memory is "
                    "short. Try again, or use fewer"
                ) from None
            ends.callback(_close, local)
        client = _connect(where, local)
        ends.callback(client.close, timeout=2)
        executor = ClusterExecutor(client, where)
        if say is not None:
            shown = "dashboard" in client.scheduler_info()["services"]
            dashboard = client.dashboard_link if shown else "none, the scheduler was started without one"
            say(f"cluster: {plural(len(client.nthreads()), 'worker')}; dashboard: {dashboard}")
        yield executor


def _close(local: Any) -> None:
    with suppress(TimeoutError):
        local.close(timeout=10)


def _connect(where: str, local: Any) -> Client:
    import distributed

    try:
        if local is not None:
            return distributed.Client(local)
        if where.endswith(".json"):
            _check_scheduler_file(where)
            return distributed.Client(scheduler_file=where, timeout=ANSWER)
        return distributed.Client(where, timeout=ANSWER)
    except (OSError, ValueError, TypeError) as error:  # a TypeError where certificates are missing
        remedy = "start one with `dask scheduler`, and workers with `dask worker`"
        if where.startswith("tls:"):
            remedy += f", and name the certificates here too ({', '.join(_CERTIFICATES)})"
        raise ClusterError(
            f"no scheduler answers at {where} ({type(error).__name__}); {remedy}; see docs/scale.md"
        ) from None


def _check_scheduler_file(name: str) -> None:
    """Refuse a file that names no scheduler; one that is not there may be about to be written, but not for ever."""
    until = time.monotonic() + ANSWER
    while not is_file(name) and time.monotonic() < until:
        time.sleep(0.1)
    try:
        told = parse_json(Path(name).read_bytes())
    except (OSError, ValueError):
        told = None
    if not isinstance(told, dict) or not _ADDRESS.fullmatch(str(told.get("address"))):
        raise ClusterError(f"{name} contains no scheduler address; use the file that the Dask scheduler writes")


@cache
def _versions() -> dict[str, str]:
    """The versions that must agree, since they make the numbers, of this process."""
    import numpy
    import polars
    import scipy

    import cranfield

    return {one.__name__: str(one.__version__) for one in (cranfield, numpy, scipy, polars)}


def _disagreement(here: dict[str, str], there: dict[str, str]) -> str:
    """The versions that differ; empty if all agree.

    >>> _disagreement({"numpy": "2.1", "polars": "1.20"}, {"numpy": "1.26", "polars": "1.20"})
    'numpy 1.26 there, 2.1 here'
    """
    other = [name for name in here if there.get(name) != here[name]]
    return ", ".join(f"{name} {there.get(name)} there, {here[name]} here" for name in other)


_known: WeakKeyDictionary[Client, ClusterExecutor] = WeakKeyDictionary()


def executor_of(client: Client) -> ClusterExecutor:
    """The executor that belongs to a client; made, with its checks, when it is first asked for."""
    if client not in _known:
        _known[client] = ClusterExecutor(client)
    return _known[client]


class _NoAnswer(TimeoutError):
    """A call of Dask that does not return."""


class ClusterExecutor(Executor):
    """A Dask client as an executor, for `map_in_order`.

    The client is left open. Versions are compared when this is made, and by each worker before it works.

    Parameters
    ----------
    client : a connected `distributed.Client`
    where : what messages call the cluster; the scheduler's address unless given
    """

    def __init__(self, client: Client, where: str = "") -> None:
        self.client = client
        self.where = where or client.scheduler.address
        self.wait_for_workers()
        self._compare_versions()

    def under_way(self) -> int:
        """How many tasks are handed in at once: enough that no worker waits for the next."""
        return max(4, 3 * self.threads())

    def ship(self, function: Callable[[Any], Any]) -> _Sent:
        """What all items share, given to every worker once."""
        return _Sent(self, Parcel(function))

    def submit(self, fn: Callable[..., Any], /, *args: Any, **kwargs: Any) -> Future[Any]:
        """Hand in one item."""
        if isinstance(fn, _Sent) and len(args) == 1 and not kwargs:
            return _Task(self, fn, args[0])
        return _Task(self, self.ship(partial(_call, fn, args)), kwargs)

    def lost(self) -> ClusterError:
        """The error that says that the scheduler is gone."""
        return ClusterError(
            f"the scheduler at {self.where} stopped. Start it again and repeat the job; a job with a work file resumes"
        )

    @contextmanager
    def reached(self) -> Iterator[None]:
        """What is asked of the scheduler inside the block ends in that error when the connection breaks."""
        try:
            yield
        except Exception as error:
            if type(error).__name__ in _GONE:
                raise self.lost() from None
            raise

    def threads(self) -> int:
        """How many threads there are to work, of all workers."""
        try:
            with self.reached():
                return int(sum(self.bounded(self.client.nthreads).values()))
        except (OSError, TimeoutError):
            raise self.lost() from None

    def is_idle(self) -> bool:
        """Whether no worker has anything to do."""
        try:
            with self.reached():
                return not any(self.bounded(self.client.processing).values())
        except (OSError, TimeoutError):
            raise self.lost() from None

    def bounded(self, call: Callable[..., Any], *arguments: Any, **options: Any) -> Any:
        """What a call of Dask gives; a `TimeoutError` where it gives nothing, as when a worker dies meanwhile."""
        answer: Future[Any] = Future()

        def work() -> None:
            try:
                answer.set_result(call(*arguments, **options))
            except BaseException as error:  # noqa: BLE001  (whoever waits for it raises it)
                answer.set_exception(error)

        threading.Thread(target=work, name="cranfield-dask", daemon=True).start()
        try:
            return answer.result(STALLED)
        except TimeoutError:
            if answer.done():  # the error of the call itself
                raise
            raise _NoAnswer from None

    def scattered(self, data: Any) -> Any:
        """Data that a worker has; others fetch them from it.

        They are not broadcast: when a worker dies meanwhile, Dask's broadcast fails with a KeyError, or never returns.
        """
        problem: Exception | None = None
        for _ in range(_TRIES):
            self.wait_for_workers()
            try:
                return self.bounded(self.client.scatter, data, hash=False)
            except Exception as error:  # noqa: BLE001
                if self.client.status != "running":
                    raise self.lost() from None
                problem = error  # of a worker that went away: the next try takes another
        raise ClusterError(
            f"no worker at {self.where} takes data ({type(problem).__name__}); look into the logs of the workers"
        )

    def no_worker(self) -> ClusterError:
        """The error that says that nobody is there to work."""
        return ClusterError(
            f"no worker at {self.where} for {PATIENCE:g} seconds; start some with `dask worker`, and look into their "
            "logs if they were there and died"
        )

    def wait_for_workers(self) -> None:
        """Until somebody is there to work."""
        until = time.monotonic() + PATIENCE
        while not self.threads():
            if time.monotonic() > until:
                raise self.no_worker()
            time.sleep(0.1)

    def _compare_versions(self) -> None:
        text = f"a worker at {self.where} does not answer; look into its log, and start it anew"
        for _ in range(_TRIES):
            try:
                answers = self.bounded(self.client.run, _versions, on_error="return")
            except TimeoutError:
                raise ClusterError(text) from None
            if answers and not any(type(there).__name__ in _GONE for there in answers.values()):
                break
            time.sleep(0.5)  # a worker that just died: until the scheduler has noticed
            self.wait_for_workers()
        else:
            raise ClusterError(text)
        here = _versions()
        for worker, there in sorted(answers.items()):
            if isinstance(there, BaseException):
                raise ClusterError(
                    f"worker {worker} cannot run cranfield: {there}; install the same packages on every machine"
                )
            if difference := _disagreement(here, there):
                raise ClusterError(_other_versions(worker, difference))


def _other_versions(worker: str, difference: str) -> str:
    return (
        f"worker {worker} has other versions ({difference}), which may change results; install the same on every "
        "machine"
    )


def _call(function: Callable[..., Any], args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    return function(*args, **kwargs)


class _Sent:
    """A function that the workers have."""

    def __init__(self, executor: ClusterExecutor, parcel: Parcel) -> None:
        self._executor, self._parcel = executor, parcel
        self.data = self._scattered()

    def again(self, lost: Any) -> None:
        """Send it once more, unless somebody did since."""
        if self.data is lost:
            self.data = self._scattered()

    def _scattered(self) -> Any:
        return self._executor.scattered(self._parcel)


class _Task(Future[Any]):
    """One item under way."""

    def __init__(self, executor: ClusterExecutor, sent: _Sent, item: Any) -> None:
        super().__init__()
        self._executor, self._sent = executor, sent
        self._data = pickle.dumps(item)
        self._hand_in()

    def _hand_in(self) -> None:
        client = self._executor.client
        with self._executor.reached():
            item: Any = self._executor.scattered(self._data) if len(self._data) >= LARGE else self._data
            self._used = self._sent.data
            self._dask = client.submit(_work, self._used, item, _versions(), pure=False)

    def cancel(self) -> bool:
        """Give up."""
        if self._executor.client.status == "running":
            self._dask.cancel()
        return super().cancel()

    def result(self, timeout: float | None = None) -> Any:
        """The result, once it is there; what a dead worker took along is done again."""
        from distributed.client import FutureCancelledError
        from distributed.scheduler import KilledWorker

        for _ in range(_TRIES):
            try:
                if self._wait():
                    with self._executor.reached():
                        return pickle.loads(self._executor.bounded(self._dask.result))
                self._dask.cancel()  # nobody works on it: it got lost with a worker
            except (FutureCancelledError, _NoAnswer):
                if self._executor.client.status != "running":
                    raise self._executor.lost() from None
            except KilledWorker:
                break
            self._executor.wait_for_workers()
            self._sent.again(self._used)
            self._hand_in()
        raise ClusterError(
            f"several workers at {self._executor.where} died over the same piece of work, or lost it. Memory may have "
            "run out: give them more, or use fewer on each machine."
        )

    def _wait(self) -> bool:
        """Until the task has ended; no where nobody works on anything, and an error where nobody is there to work."""
        from distributed import wait
        from distributed.client import FuturesCancelledError

        alone = idle = 0.0
        while True:
            try:
                with self._executor.reached():
                    wait(self._dask, timeout=5)
                return True
            except TimeoutError:
                alone = 0.0 if self._executor.threads() else alone + 5
                if alone >= PATIENCE:
                    raise self._executor.no_worker() from None
                idle = idle + 5 if not alone and self._executor.is_idle() else 0.0
                if idle >= STALLED:
                    return False
            except FuturesCancelledError:
                return True


def _work(parcel: Parcel, item: bytes, versions: dict[str, str]) -> bytes:
    """What a worker does with one item. Bytes in, bytes out: arrays arrive as they would in this process."""
    if difference := _disagreement(versions, _versions()):
        from distributed import get_worker

        raise ClusterError(_other_versions(get_worker().address, difference))
    return pickle.dumps(parcel(pickle.loads(item)))
