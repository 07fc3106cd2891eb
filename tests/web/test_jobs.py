"""Long computations: asked once, watched, cancelled, bounded."""

from __future__ import annotations

import threading
from collections.abc import Iterator

import pytest

from cranfield.core.errors import DataError
from cranfield.web.server.security import Limits
from cranfield.web.server.service import Busy, Jobs


@pytest.fixture
def jobs() -> Iterator[Jobs]:
    made = Jobs(Limits(jobs=1, waiting=2, results=2))
    yield made
    made.close()


def test_equal_questions_share_a_job(jobs: Jobs) -> None:
    calls = []
    first = jobs.ask("k", "t", lambda progress: calls.append(1))
    assert jobs.ask("k", "t", lambda progress: calls.append(2)) is first
    assert first.wait(10)
    assert jobs.ask("k", "t", None) is first
    assert calls == [1]


def test_a_job_reports_progress_and_stops_when_cancelled(jobs: Jobs) -> None:
    started, go_on = threading.Event(), threading.Event()

    def work(progress) -> str:  # type: ignore[no-untyped-def]
        progress(1, 4)
        started.set()
        go_on.wait(10)
        progress(2, 4)
        return "never"

    job = jobs.ask("k", "slow", work)
    assert started.wait(10)
    assert (job.state, job.done, job.total, job.share) == ("running", 1, 4, 0.25)
    waiting = jobs.ask("other", "waits", lambda progress: 1)
    assert waiting.state == "waiting"
    assert jobs.ahead(waiting) == 1
    job.cancel()
    go_on.set()
    assert job.wait(10)
    assert (job.state, job.error) == ("cancelled", None)
    assert waiting.wait(10)
    assert waiting.outcome() == 1
    again = jobs.ask("k", "slow", lambda progress: "anew")
    assert again is not job
    assert again.wait(10)
    assert again.outcome() == "anew"


def test_a_waiting_job_that_is_cancelled_never_starts(jobs: Jobs) -> None:
    release, ran = threading.Event(), []
    jobs.ask("a", "a", lambda progress: release.wait(10))
    job = jobs.ask("b", "b", lambda progress: ran.append(1))
    job.cancel()
    assert job.state == "cancelled"
    release.set()
    jobs.close()
    assert ran == []


def test_too_many_waiting_jobs_are_refused_in_words(jobs: Jobs) -> None:
    release = threading.Event()
    running = jobs.ask(0, "t", lambda progress: release.wait(10))
    while running.state == "waiting":
        pass
    for key in (1, 2):
        jobs.ask(key, "t", lambda progress: None)
    with pytest.raises(Busy) as caught:
        jobs.ask(3, "t", lambda progress: None)
    assert str(caught.value) == "2 computations are already waiting. Try again later, or cancel one."
    release.set()


def test_errors_come_back_and_the_last_results_stay(jobs: Jobs) -> None:
    def fail(progress) -> None:  # type: ignore[no-untyped-def]
        raise DataError("no good")

    job = jobs.ask("bad", "t", fail)
    assert job.wait(10)
    with pytest.raises(DataError, match="no good"):
        job.outcome()
    for key in range(5):
        assert jobs.ask(key, "t", lambda progress: "x" * 10).wait(10)
    jobs.ask("more", "t", lambda progress: None).wait(10)
    assert jobs.known(0) is None
    assert jobs.known(4) is not None
