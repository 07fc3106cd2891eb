"""Long computations in the background: shared by equal questions, watched and cancelled."""

from __future__ import annotations

import itertools
import logging
import secrets
import threading
import time
from collections.abc import Callable, Hashable, Sequence
from concurrent.futures import CancelledError, Future, ThreadPoolExecutor, wait
from contextlib import suppress
from dataclasses import dataclass, field
from typing import Any, Literal

from cranfield.core.errors import CranfieldError
from cranfield.core.executors import Progress
from cranfield.web.server.limits import Limits

State = Literal["waiting", "running", "done", "failed", "cancelled"]
Work = Callable[[Progress], Any]
Stages = Callable[[], Sequence[str]]
log = logging.getLogger("cranfield.web")
STOPPING = 5.0
"""Seconds that a server which ends waits for its jobs."""


class Cancelled(BaseException):  # no Exception: a handler for errors must not swallow it
    """Raised inside a job when somebody cancelled it."""


class Busy(CranfieldError):
    """Too many computations wait already."""


@dataclass(eq=False)
class Job:
    """One computation, its progress, and in the end its result or error."""

    id: str
    title: str
    stages: Stages = tuple
    done: int = 0
    total: int = 0
    future: Future[Any] = field(default_factory=Future)
    cancelling: threading.Event = field(default_factory=threading.Event)
    asked_at: float = field(default_factory=time.monotonic)

    def progress(self, done: int, total: int) -> None:
        """What the library calls as it goes on; the place where a cancelled job stops."""
        self.done, self.total = done, total
        if self.cancelling.is_set():
            raise Cancelled

    def run(self, work: Work) -> Any:
        """Do the work; errors that nobody expects are logged."""
        try:
            self.progress(0, 0)
            return work(self.progress)
        except CranfieldError:
            raise
        except Exception:
            log.exception("%s failed", self.title)
            raise

    @property
    def state(self) -> State:
        """Where it stands."""
        if not self.future.done():
            return "running" if self.future.running() else "waiting"
        if self.future.cancelled() or isinstance(self.future.exception(), Cancelled):
            return "cancelled"
        return "failed" if self.future.exception() else "done"

    @property
    def error(self) -> BaseException | None:
        """Why it failed."""
        return self.future.exception() if self.state == "failed" else None

    @property
    def stage(self) -> str:
        """What it is doing now, where its steps have names."""
        stages = self.stages() if self.state == "running" else ()
        return stages[self.done] if len(stages) == self.total > self.done else ""

    @property
    def share(self) -> float:
        """How much is done, from 0 to 1."""
        return min(1.0, self.done / self.total) if self.total else 0.0

    def wait(self, seconds: float | None = None) -> bool:
        """Whether it is finished, after at most so many seconds."""
        with suppress(TimeoutError, CancelledError):
            self.future.exception(seconds)
        return self.future.done()

    def outcome(self) -> Any:
        """The result of a finished job, or its error raised."""
        return self.future.result()

    def cancel(self) -> None:
        """Stop at the next step; one that waits never starts."""
        self.cancelling.set()
        self.future.cancel()


class Jobs:
    """A few threads, a short queue, and the last results.

    Threads serve because the work is array arithmetic, which lets go of the interpreter; jobs stop where they
    report progress.

    >>> jobs = Jobs(Limits(jobs=1))
    >>> job = jobs.ask("six", "multiplying", lambda progress: 2 * 3)
    >>> job.wait(5), job.outcome(), jobs.ask("six", "multiplying", None) is job
    (True, 6, True)
    >>> jobs.close()
    """

    def __init__(self, limits: Limits) -> None:
        self.limits = limits
        self._pool = ThreadPoolExecutor(limits.jobs, thread_name_prefix="cranfield-job")
        self._jobs: dict[Hashable, Job] = {}
        self._lock = threading.Lock()
        self._numbers = itertools.count(1)
        self._closed = False

    def ask(self, key: Hashable, title: str, work: Work | None, stages: Stages = tuple) -> Job:
        """The job of this key: the one there is, or a new one when there is none or it was cancelled or failed."""
        with self._lock:
            if self._closed:
                raise Busy("the server is stopping. Start it again.")
            known = self._jobs.get(key)
            if known is not None and known.state not in ("cancelled", "failed"):
                self._jobs[key] = self._jobs.pop(key)  # the last to be forgotten
                return known
            if work is None:
                raise KeyError(key)
            waiting = sum(job.state == "waiting" for job in self._jobs.values())
            if waiting >= self.limits.waiting:
                raise Busy(f"{waiting} computations are already waiting. Try again later, or cancel one.")
            self._jobs.pop(key, None)
            finished = [one for one, job in self._jobs.items() if job.future.done()]
            for one in finished[: max(0, len(finished) - self.limits.results)]:
                del self._jobs[one]
            job = Job(f"{next(self._numbers)}-{secrets.token_hex(4)}", title, stages)
            job.future = self._pool.submit(job.run, work)
            self._jobs[key] = job
        return job

    def known(self, key: Hashable) -> Job | None:
        """The job of this key, if there is one."""
        return self._jobs.get(key)

    def listed(self) -> list[Job]:
        """All that are known, the last asked first."""
        with self._lock:
            return sorted(self._jobs.values(), key=lambda job: -job.asked_at)

    def find(self, id: str) -> Job | None:
        """The job with this id, if it is still known."""
        return next((job for job in self.listed() if job.id == id), None)

    def ahead(self, job: Job) -> int:
        """How many jobs run or wait before this one."""
        return sum(not other.future.done() and other.asked_at < job.asked_at for other in self.listed())

    def drop(self, wanted: Callable[[Hashable], bool]) -> None:
        """Cancel and forget the jobs whose key is wanted gone."""
        with self._lock:
            gone = [self._jobs.pop(key) for key in list(self._jobs) if wanted(key)]
        for job in gone:
            job.cancel()

    def close(self, seconds: float = STOPPING) -> None:
        """Cancel everything and wait for so long until it has stopped."""
        with self._lock:
            self._closed = True
            for job in self._jobs.values():
                job.cancelling.set()
            futures = [job.future for job in self._jobs.values()]
        self._pool.shutdown(wait=False, cancel_futures=True)
        wait(futures, seconds)

    def are_running(self) -> bool:
        """Whether a computation is under way."""
        return any(job.future.running() for job in self._jobs.values())
