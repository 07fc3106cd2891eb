"""Questions to results: at once where that is quick, as a job where it is not, and the same result for all who ask."""

from __future__ import annotations

import threading
from collections import OrderedDict
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from cranfield.errors import UnknownNameError
from cranfield.executors import Progress
from cranfield.web.pages.comparisons import answer_comparison, answer_pair
from cranfield.web.pages.designs import answer_design
from cranfield.web.pages.questions import (
    CompareQuestion,
    DesignQuestion,
    PairQuestion,
    Question,
    ReplicatesQuestion,
    ReportQuestion,
    StandardiseQuestion,
    TuningQuestion,
)
from cranfield.web.pages.replication import answer_replicates
from cranfield.web.pages.reporting import answer_report
from cranfield.web.pages.result import CHART_FORMATS, TABLE_FORMATS, Result
from cranfield.web.pages.standardisation import answer_standardisation
from cranfield.web.pages.tunings import answer_tuning
from cranfield.web.server.chart_worker import ChartWorker
from cranfield.web.server.data import Contents, Dataset
from cranfield.web.server.jobs import Job, Jobs
from cranfield.web.server.limits import Limits
from cranfield.web.server.store import Store


@dataclass(frozen=True)
class Task:
    """How a question is answered: quickly or as a job of that title."""

    title: str
    work: Callable[[Progress], Any]
    quick: bool = False


def _silent(done: int, total: int) -> None:
    """Progress nobody watches."""


class Service:
    """The store, the jobs and the last results of one server."""

    def __init__(self, limits: Limits) -> None:
        self.limits = limits
        self.store = Store(limits)
        self.jobs = Jobs(limits)
        self.chart_worker = ChartWorker(limits)
        self._quick: OrderedDict[tuple[str, str], Result] = OrderedDict()
        self._lock = threading.Lock()

    def close(self) -> None:
        """Stop all work and remove all data."""
        self.jobs.close()
        self.chart_worker.close()
        self.store.close()

    def ask(self, question: Question) -> Result | Job:
        """The result, or the job that works on it when it takes longer than the limits' patience."""
        task = self._task(question)
        if task.quick:
            return self._at_once(question, task)
        job = self.jobs.ask(_key(question), task.title, task.work)
        job.wait(self.limits.patience)
        if job.state in ("done", "failed"):
            result: Result = job.outcome()
            return result
        return job

    def read(self, dataset: Dataset) -> Contents | Job:
        """What a dataset holds, or the job that reads it."""
        found = dataset.peek()
        if found is not None:
            return found
        job = self.jobs.ask(("read", dataset.id), f"Reading {dataset.name}", dataset.read)
        job.wait(self.limits.patience)
        if job.state in ("done", "failed"):
            contents: Contents = job.outcome()
            return contents
        return job

    def remove(self, id: str) -> None:
        """Remove a dataset, what was computed from it, and what is being computed."""
        self.store.remove(id)
        self.jobs.drop(lambda key: isinstance(key, tuple) and id in key)
        self.chart_worker.forget()
        with self._lock:
            self._quick.clear()

    def chart(self, question: Question, found: Result, name: str, ending: str) -> bytes:
        """A chart of a result as the bytes of a file."""
        if ending not in CHART_FORMATS:
            raise UnknownNameError("format", ending, [*TABLE_FORMATS, *CHART_FORMATS])
        one = found.chart(name)
        key = f"{type(question).__name__} {question.key} {name}.{ending}"
        return self.chart_worker.draw(key, one.source, one.kind, dict(one.options), ending)

    def _task(self, question: Question) -> Task:
        if isinstance(question, DesignQuestion):
            return self._design(question)
        if isinstance(question, PairQuestion):
            return self._pair(question)
        if isinstance(question, CompareQuestion):
            return self._long(question, "Comparing the systems of", answer_comparison)
        if isinstance(question, StandardiseQuestion):
            return self._long(question, "Standardising", answer_standardisation)
        if isinstance(question, ReplicatesQuestion):
            return self._long(question, "Splitting the documents of", answer_replicates)
        if isinstance(question, TuningQuestion):
            return self._long(question, "Tuning on", answer_tuning)
        if isinstance(question, ReportQuestion):
            return self._long(question, "Writing the report on", answer_report)
        raise TypeError(f"no page answers {type(question).__name__}")

    def _design(self, question: DesignQuestion) -> Task:
        dataset = self.store[question.data] if question.data is not None else None
        quick = dataset is None or dataset.has_matrix(question.measure)
        return Task("Designing", lambda progress: answer_design(question, dataset), quick)

    def _long(self, question: Any, doing: str, answer: Callable[[Any, Dataset, Progress], Result]) -> Task:
        dataset = self.store[question.data]
        return Task(f"{doing} {dataset.name}", lambda progress: answer(question, dataset, progress))

    def _pair(self, question: PairQuestion) -> Task:
        """A pair is looked up in its comparison, which is asked like any other."""
        dataset = self.store[question.data]
        whole = CompareQuestion(**question.model_dump(exclude={"a", "b"}))
        job = self.jobs.known(_key(whole))
        if job is not None and job.state == "done":
            found = job.result
            return Task("", lambda p: answer_pair(question, dataset, found, p), quick=True)

        def both(progress: Progress) -> Result:
            return answer_pair(question, dataset, answer_comparison(whole, dataset, progress), progress)

        return Task(f"Comparing the systems of {dataset.name}", both)

    def _at_once(self, question: Question, task: Task) -> Result:
        key = (type(question).__name__, question.key)
        with self._lock:
            known = self._quick.get(key)
        if known is not None:
            return known
        result: Result = task.work(_silent)
        with self._lock:
            self._quick[key] = result
            while len(self._quick) > self.limits.results:
                self._quick.popitem(last=False)
        return result


def _key(question: Question) -> tuple[str, str, str]:
    return type(question).__name__, question.key, getattr(question, "data", "") or ""
