"""Answer questions: quick ones at once, others as jobs that equal questions share, watched and cancelled."""

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
from pathlib import Path
from typing import Any, Literal

from cranfield.core.errors import CranfieldError
from cranfield.core.executors import Progress
from cranfield.measures.registry import no_imports
from cranfield.web.pages.view import ViewForm
from cranfield.web.server.chart_worker import PAGE, PHONE, ChartWorker
from cranfield.web.server.data import Contents, Dataset
from cranfield.web.server.outcome import CHART_FORMATS, Outcome, unknown_ending
from cranfield.web.server.page import OfData, WebPage, page_of
from cranfield.web.server.security import Limits, Recent
from cranfield.web.server.store import Store

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
        wait([one for one in futures if not one.cancelled()], seconds)  # nobody reports the end of what never began

    def are_running(self) -> bool:
        """Whether a computation is under way."""
        return any(job.future.running() for job in self._jobs.values())


HELD = "a link on another website led here, so nothing was started. Submit the form to get the answer."
Key = tuple[str, str, str]
"""A page, the question, and the dataset it is about: the same for equal questions."""


class NotStarted(CranfieldError):
    """Work that the one who asks may not start."""


class Service:
    """The store, the jobs and the last results of one server."""

    def __init__(self, limits: Limits, keep: Path | None = None) -> None:
        self.limits = limits
        self.store = Store(limits, keep)
        self.jobs = Jobs(limits)
        self.chart_worker = ChartWorker(limits)
        self._quick: Recent[Key, Outcome] = Recent(limits.results)

    def close(self) -> None:
        """Stop all work and remove all data."""
        self.jobs.close()
        self.chart_worker.close()
        self.store.close()

    def ask(self, page: WebPage, question: OfData, *, may_start: bool = True) -> Outcome | Job:
        """The outcome, or the job that works on it when it takes longer than the limits' patience.

        If it may not start work, it answers only what is quick or already known, and raises `NotStarted` otherwise.
        """
        key, dataset = _key(page, question), self._dataset(question.data)
        named = (getattr(question, one.name) for one in page.question.all() if one.metavar == "DATASET")
        material: list[object] = [other for name in named if (other := self._dataset(name)) is not None]
        quick, before = page.quick(question, dataset), None
        if page.starts_from is not None:
            before = page_of(page.starts_from)
            first = before.question(**{one.name: getattr(question, one.name) for one in before.question.all()})
            known = self.jobs.known(_key(before, first))
            if known is not None and known.state == "done":
                quick, before, material = True, None, [known.outcome()]

        def work(progress: Progress) -> Outcome:
            with no_imports():  # a measure that a visitor names is one that we have, and never imports a module
                if before is not None:
                    material.append(before.answer(first, dataset, progress))
                return page.answer(question, dataset, progress, *material)

        if quick:
            return self._at_once(key, work)
        if not may_start:
            job = self.jobs.known(key)
            if job is None or job.state in ("failed", "cancelled"):
                raise NotStarted(HELD)
        title = page.doing if dataset is None else f"{page.doing} {dataset.title}"
        answered: Outcome | Job = self._soon(key, title, work, lambda: page.stages(question, dataset))
        return answered

    def _dataset(self, id: str | None) -> Dataset | None:
        return None if id is None else self.store[id]

    def _soon(self, key: Hashable, title: str, work: Work, stages: Stages = tuple) -> Any:
        job = self.jobs.ask(key, title, work, stages)
        job.wait(self.limits.patience)
        return job.outcome() if job.state in ("done", "failed") else job

    def _at_once(self, key: Key, work: Work) -> Outcome:
        known = self._quick.get(key)
        if known is None:
            known = work(lambda done, total: None)
        self._quick.keep(key, known)
        return known

    def read(self, dataset: Dataset) -> Contents | Job:
        """What a dataset holds, or the job that reads it."""
        known = dataset.peek()
        return known or self._soon(("read", dataset.id), f"Reading {dataset.title}", dataset.read)

    def prepare(self, dataset: Dataset) -> None:
        """Begin reading and comparing before anybody looks."""
        page = page_of(ViewForm)
        try:
            contents = dataset.read()
            if not contents.problem and contents.scores is not None:
                self.ask(page, page.question.from_query([("data", dataset.id)]))
        except CranfieldError:
            return  # the page says it

    def remove(self, id: str) -> None:
        """Remove a dataset, what was computed from it, and what is being computed."""
        self.store.remove(id)
        self.jobs.drop(lambda key: isinstance(key, tuple) and id in key)
        self.chart_worker.known.clear()
        self._quick.clear()

    def chart(self, page: WebPage, question: OfData, outcome: Outcome, name: str, ending: str) -> bytes:
        """A chart of an outcome as the bytes of a file, or, of the endings `PAGE` and `PHONE`, as a page shows it."""
        if ending not in (*CHART_FORMATS, PAGE, PHONE):
            raise unknown_ending(ending)
        said = " ".join(outcome.said) if ending in (PAGE, PHONE) else ""
        key = f"{_key(page, question)} {name}.{ending}"
        return self.chart_worker.draw(key, outcome.answer.chart(name), ending, said)


def _key(page: WebPage, question: OfData) -> Key:
    return page.name, repr(question), question.data or ""
