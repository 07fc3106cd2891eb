"""Questions to results: at once where that is quick, as a job where it is not, and the same result for all who ask."""

from __future__ import annotations

import threading
from collections import OrderedDict
from collections.abc import Callable, Hashable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from cranfield.errors import CranfieldError
from cranfield.executors import Progress
from cranfield.measures.registry import no_imports
from cranfield.web.server.chart_worker import PHONE, ChartWorker
from cranfield.web.server.data import Contents, Dataset
from cranfield.web.server.jobs import Job, Jobs
from cranfield.web.server.limits import Limits
from cranfield.web.server.outcome import CHART_FORMATS, Outcome, unknown_ending
from cranfield.web.server.page import Page, pages
from cranfield.web.server.store import Store

HELD = "a link on another website led here, so nothing was started. Send the form on the page to get the answer."
Key = tuple[str, str, str]
"""A page, the question, and the dataset it is about: the same for equal questions."""


@dataclass(frozen=True)
class Task:
    """How a question is answered: quickly or as a job of that title."""

    title: str
    work: Callable[[Progress], Any]
    quick: bool = False
    stages: Callable[[], Sequence[str]] = tuple


class NotStarted(CranfieldError):
    """Work that the one who asks may not start."""


def _silent(done: int, total: int) -> None:
    """Progress nobody watches."""


class Service:
    """The store, the jobs and the last results of one server."""

    def __init__(self, limits: Limits, keep: Path | None = None) -> None:
        self.limits = limits
        self.store = Store(limits, keep)
        self.jobs = Jobs(limits)
        self.chart_worker = ChartWorker(limits)
        self._quick: OrderedDict[Key, Outcome] = OrderedDict()
        self._lock = threading.Lock()

    def close(self) -> None:
        """Stop all work and remove all data."""
        self.jobs.close()
        self.chart_worker.close()
        self.store.close()

    def ask(self, page: Page, question: Any, *, may_start: bool = True) -> Outcome | Job:
        """The outcome, or the job that works on it when it takes longer than the limits' patience.

        Unless it may start work, only what is quick or known already is answered; `NotStarted` says so.
        """
        task = self._task(page, question)
        key = _key(page, question)
        if not may_start and not task.quick:
            known = self.jobs.known(key)
            if known is None or known.state in ("failed", "cancelled"):
                raise NotStarted(HELD)
        return self._at_once(key, task) if task.quick else self._soon(key, task)

    def _soon(self, key: Hashable, task: Task) -> Any:
        job = self.jobs.ask(key, task.title, task.work, task.stages)
        job.wait(self.limits.patience)
        return job.outcome() if job.state in ("done", "failed") else job

    def read(self, dataset: Dataset) -> Contents | Job:
        """What a dataset holds, or the job that reads it."""
        known = dataset.peek()
        if known is not None:
            return known
        task = Task(f"Reading {dataset.title}", dataset.read)
        contents: Contents | Job = self._soon(("read", dataset.id), task)
        return contents

    def prepare(self, dataset: Dataset) -> None:
        """Begin reading and comparing before anybody looks."""
        page = pages()["view"]
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
        self.chart_worker.forget()
        with self._lock:
            self._quick.clear()

    def chart(self, page: Page, question: Any, outcome: Outcome, name: str, ending: str) -> bytes:
        """A chart of an outcome as the bytes of a file, or, of the ending `PHONE`, for a narrow screen."""
        if ending not in (*CHART_FORMATS, PHONE):
            raise unknown_ending(ending)
        one = outcome.answer.chart(name)
        key = f"{_key(page, question)} {name}.{ending}"
        return self.chart_worker.draw(key, one.source, one.kind, dict(one.options), ending)

    def _task(self, page: Page, question: Any) -> Task:
        dataset = self.store[question.data] if question.data is not None else None
        title = page.doing if dataset is None else f"{page.doing} {dataset.title}"
        if not page.starts_from:
            quick = page.quick(question, dataset)
            other = getattr(question, "other", None)
            sides = (self.store[other],) if other else ()
            return Task(
                title,
                lambda progress: _answered(page, question, dataset, progress, *sides),
                quick,
                lambda: page.stages(question, dataset),
            )
        before = pages()[page.starts_from]
        first = page.first_question(question)
        job = self.jobs.known(_key(before, first))
        if job is not None and job.state == "done":
            known = job.result
            return Task("", lambda progress: _answered(page, question, dataset, progress, known), quick=True)

        def both(progress: Progress) -> Outcome:
            return _answered(page, question, dataset, progress, _answered(before, first, dataset, progress))

        return Task(title, both)

    def _at_once(self, key: Key, task: Task) -> Outcome:
        with self._lock:
            known = self._quick.get(key)
        if known is not None:
            return known
        outcome: Outcome = task.work(_silent)
        with self._lock:
            self._quick[key] = outcome
            while len(self._quick) > self.limits.results:
                self._quick.popitem(last=False)
        return outcome


def _answered(page: Page, question: Any, *more: Any) -> Outcome:
    """The answer of a page; a measure that a visitor names is one that we have, and never imports a module."""
    with no_imports():
        answer: Outcome = page.answer(question, *more)
    return answer


def _key(page: Page, question: Any) -> Key:
    return page.name, repr(question), question.data or ""
