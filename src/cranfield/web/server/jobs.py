"""Long computations beside the page: asked once, shared by all who ask the same, watched, and cancelled."""

from __future__ import annotations

import itertools
import logging
import secrets
import threading
import time
from collections import OrderedDict
from collections.abc import Callable, Hashable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from typing import Any, Literal

from cranfield.errors import CranfieldError
from cranfield.executors import Progress
from cranfield.web.server.limits import Limits

State = Literal["waiting", "running", "done", "failed", "cancelled"]
Work = Callable[[Progress], Any]
FINISHED = ("done", "failed", "cancelled")
log = logging.getLogger("cranfield.web")


class Cancelled(BaseException):  # no Exception: a handler for errors must not swallow it
    """Raised inside a job when somebody cancelled it."""


class Busy(CranfieldError):
    """Too many computations wait already."""


@dataclass(eq=False)
class Job:
    """One computation, its progress, and in the end its result or error."""

    id: str
    title: str
    state: State = "waiting"
    done: int = 0
    total: int = 0
    result: Any = None
    error: Exception | None = None
    stages: Callable[[], Sequence[str]] = tuple
    finished: threading.Event = field(default_factory=threading.Event)
    cancelling: threading.Event = field(default_factory=threading.Event)
    asked_at: float = field(default_factory=time.monotonic)

    def progress(self, done: int, total: int) -> None:
        """What the library calls as it goes on; the place where a cancelled job stops."""
        self.done, self.total = done, total
        if self.cancelling.is_set():
            raise Cancelled

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
        return self.finished.wait(seconds)

    def outcome(self) -> Any:
        """The result of a finished job, or its error raised."""
        if self.error is not None:
            raise self.error
        return self.result


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
        self._jobs: OrderedDict[Hashable, Job] = OrderedDict()
        self._lock = threading.Lock()
        self._numbers = itertools.count(1)
        self._closed = False

    def ask(self, key: Hashable, title: str, work: Work | None, stages: Callable[[], Sequence[str]] = tuple) -> Job:
        """The job of this key: the one there is, or a new one when there is none or it was cancelled or failed."""
        with self._lock:
            if self._closed:
                raise Busy("the server is stopping; start it again.")
            known = self._jobs.get(key)
            if known is not None and known.state not in ("cancelled", "failed"):
                self._jobs.move_to_end(key)
                return known
            if work is None:
                raise KeyError(key)
            waiting = sum(job.state == "waiting" for job in self._jobs.values())
            if waiting >= self.limits.waiting:
                raise Busy(f"{waiting} computations are waiting already; try again when some are done, or cancel one.")
            job = Job(f"{next(self._numbers)}-{secrets.token_hex(4)}", title, stages=stages)
            self._jobs[key] = job
            self._jobs.move_to_end(key)
            self._forget()
            self._pool.submit(self._run, job, work)
        return job

    def known(self, key: Hashable) -> Job | None:
        """The job of this key, if there is one."""
        with self._lock:
            return self._jobs.get(key)

    def listed(self) -> list[Job]:
        """All that are known, the last asked first."""
        with self._lock:
            return sorted(self._jobs.values(), key=lambda job: -job.asked_at)

    def find(self, id: str) -> Job | None:
        """The job with this id, if it is still known."""
        with self._lock:
            return next((job for job in self._jobs.values() if job.id == id), None)

    def ahead(self, job: Job) -> int:
        """How many jobs run or wait before this one."""
        with self._lock:
            return sum(
                other.state in ("waiting", "running") and other.asked_at < job.asked_at for other in self._jobs.values()
            )

    def cancel(self, job: Job) -> None:
        """Stop a job at its next step; one that waits never starts."""
        with self._lock:
            job.cancelling.set()
            if job.state == "waiting":
                self._end(job, "cancelled")

    def drop(self, wanted: Callable[[Hashable], bool]) -> None:
        """Cancel and forget the jobs whose key is wanted gone."""
        with self._lock:
            gone = {key: job for key, job in self._jobs.items() if wanted(key)}
            for key in gone:
                del self._jobs[key]
        for job in gone.values():
            self.cancel(job)

    def close(self) -> None:
        """Cancel everything and wait until it has stopped."""
        with self._lock:
            self._closed = True
            for job in self._jobs.values():
                job.cancelling.set()
        self._pool.shutdown(wait=True, cancel_futures=True)

    def _forget(self) -> None:
        """Drop the oldest finished jobs beyond the limit."""
        finished = [key for key, job in self._jobs.items() if job.state in FINISHED]
        for key in finished[: max(0, len(finished) - self.limits.results)]:
            del self._jobs[key]

    def _run(self, job: Job, work: Work) -> None:
        with self._lock:
            if job.state != "waiting" or job.cancelling.is_set():
                self._end(job, "cancelled")
                return
            job.state = "running"
        try:
            job.result = work(job.progress)
            state: State = "done"
        except Cancelled:
            state = "cancelled"
        except CranfieldError as error:
            job.error, state = error, "failed"
        except Exception as error:
            log.exception("%s failed", job.title)
            job.error, state = error, "failed"
        with self._lock:
            self._end(job, state)

    @staticmethod
    def _end(job: Job, state: State) -> None:
        job.state = state
        job.finished.set()
