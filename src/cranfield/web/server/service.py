"""Answer questions: quick ones at once, others as jobs; equal questions share a result."""

from __future__ import annotations

from collections.abc import Hashable
from pathlib import Path
from typing import Any

from cranfield.core.errors import CranfieldError
from cranfield.core.executors import Progress
from cranfield.measures.registry import no_imports
from cranfield.web.pages.view import ViewForm
from cranfield.web.server.chart_worker import PHONE, ChartWorker
from cranfield.web.server.data import Contents, Dataset
from cranfield.web.server.jobs import Job, Jobs, Stages, Work
from cranfield.web.server.limits import Limits, Recent
from cranfield.web.server.outcome import CHART_FORMATS, Outcome, unknown_ending
from cranfield.web.server.page import OfData, WebPage, page_of
from cranfield.web.server.store import Store

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
        """A chart of an outcome as the bytes of a file, or, of the ending `PHONE`, for a narrow screen."""
        if ending not in (*CHART_FORMATS, PHONE):
            raise unknown_ending(ending)
        return self.chart_worker.draw(f"{_key(page, question)} {name}.{ending}", outcome.answer.chart(name), ending)


def _key(page: WebPage, question: OfData) -> Key:
    return page.name, repr(question), question.data or ""
