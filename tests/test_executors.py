"""Work is spread over anybody's workers, and results never depend on whose."""

from __future__ import annotations

import dataclasses
import pickle
import threading
from collections.abc import Iterator
from concurrent.futures import Executor, Future, ThreadPoolExecutor
from functools import partial

import numpy as np
import pytest

from cranfield import ArgumentError, compare, compare_measures, correlate, evaluate, make_sample, make_scores, replicate
from cranfield.core.errors import quietly
from cranfield.core.executors import map_in_order, process_pool
from cranfield.core.resampling import BLOCK, blocks
from cranfield.questions.compare.resampled import Resampling
from cranfield.questions.replicates.bootstrap import Bootstrap


class _Lazy(Future):
    """A future that is computed when somebody asks for its result, after all that were submitted later."""

    def __init__(self, owner):
        super().__init__()
        self.owner = owner

    def result(self, timeout=None):
        self.owner.run_all()
        return super().result(timeout)


class Backwards(Executor):
    """Runs what was submitted last first, in the thread that asks."""

    def __init__(self):
        self.todo = []
        self.order = []
        self.functions = []

    def submit(self, fn, /, *args, **kwargs):
        future = _Lazy(self)
        self.todo.append((future, fn, args))
        return future

    def run_all(self):
        while self.todo:
            future, fn, args = self.todo.pop()
            if not future.set_running_or_notify_cancel():
                continue
            self.order.append(args)
            self.functions.append(fn)
            try:
                future.set_result(fn(*args))
            except Exception as error:  # noqa: BLE001
                future.set_exception(error)


@pytest.fixture(autouse=True)
def _silence() -> Iterator[None]:
    """The samples here are tiny, and the warnings that say so are not the point."""
    with quietly():
        yield


@pytest.fixture(scope="module")
def processes() -> Iterator[Executor]:
    with process_pool(2) as pool:
        yield pool


@pytest.fixture(scope="module")
def threads() -> Iterator[Executor]:
    with ThreadPoolExecutor(3) as pool:
        yield pool


@pytest.fixture(params=["threads", "processes", "backwards"])
def executor(request: pytest.FixtureRequest) -> Executor:
    return Backwards() if request.param == "backwards" else request.getfixturevalue(request.param)


@pytest.fixture(scope="module")
def sample():
    return make_sample(n_topics=12, n_systems=4, n_documents=400, seed=7)


@pytest.fixture(scope="module")
def scores(sample):
    return evaluate(sample.qrels, sample.runs, ["AP", "RR"])


def bounded_mean(values, axis):
    """Anybody's own statistic, defined in a module."""
    return np.mean(np.minimum(values, 0.9), axis=axis)


def plain(value):
    """A result as something that can be compared byte by byte."""
    if isinstance(value, np.ndarray):
        return value.dtype.str, value.shape, value.tobytes()
    if isinstance(value, dict):
        return {name: plain(part) for name, part in value.items()}
    if isinstance(value, (list, tuple)):
        return [plain(part) for part in value]
    return plain(vars(value)) if dataclasses.is_dataclass(value) else value


def square(x):
    return x * x


def fail_at(bad, x):
    if x == bad:
        raise ArithmeticError(str(x))
    return x


def test_results_come_in_order(executor):
    assert list(map_in_order(square, range(30), executor=executor)) == [x * x for x in range(30)]


def test_the_backward_executor_does_run_backwards():
    pool = Backwards()
    list(map_in_order(square, range(4), executor=pool, workers=4))
    assert [args[0] for args in pool.order] == [3, 2, 1, 0]


@pytest.mark.parametrize("workers", [1, 2, 5])
@pytest.mark.parametrize("kind", ["threads", None])
def test_progress_counts_units(workers, kind):
    seen = []
    todo = blocks(BLOCK * 7 + 3)
    done = map_in_order(len, todo, executor=kind, workers=workers, weight=len, progress=lambda *at: seen.append(at))
    assert list(done) == [BLOCK] * 7 + [3]
    assert seen[0] == (BLOCK, BLOCK * 7 + 3)
    assert seen[-1] == (BLOCK * 7 + 3, BLOCK * 7 + 3)
    assert seen == sorted(seen)


def test_an_iterable_without_length_is_taken_a_little_at_a_time():
    taken = []

    def items():
        for i in range(100):
            taken.append(i)
            yield i

    seen = []
    results = map_in_order(square, items(), workers=2, progress=lambda *at: seen.append(at))
    assert next(results) == 0
    assert len(taken) <= 4
    assert list(results) == [x * x for x in range(1, 100)]
    assert seen[-1] == (100, 100)


def test_an_error_cancels_what_has_not_begun(executor):
    with pytest.raises(ArithmeticError, match="2"):
        list(map_in_order(partial(fail_at, 2), range(1000), executor=executor, workers=2))


def test_an_error_stops_the_taking_of_items():
    taken = []

    def items():
        for i in range(1000):
            taken.append(i)
            yield i

    with pytest.raises(ArithmeticError):
        list(map_in_order(partial(fail_at, 1), items(), workers=2))
    assert len(taken) < 10


def test_an_executor_of_the_caller_stays_open(threads):
    list(map_in_order(square, range(3), executor=threads))
    assert threads.submit(square, 3).result() == 9


def test_threads_are_really_used():
    barrier = threading.Barrier(2, timeout=30)
    assert sorted(map_in_order(lambda _: barrier.wait(), range(2), workers=2)) == [0, 1]


def test_no_executor_no_worker():
    with pytest.raises(
        ArgumentError, match=r"`executor` must be a concurrent\.futures\.Executor or a Dask client; got 'cluster'"
    ):
        list(map_in_order(square, [1], executor="cluster"))
    with pytest.raises(ArgumentError, match="`workers` must be at least 1; got -2"):
        list(map_in_order(square, [1], workers=-2))


# ── whole questions ──────────────────────────────────────────────────────────────────────────────────────────


def test_evaluate_does_not_depend_on_the_executor(sample, scores, executor, tmp_path):
    found = evaluate(sample.qrels, sample.runs, ["AP", "RR"], executor=executor)
    assert list(found) == list(scores)
    for name, matrix in scores.items():
        assert found[name].values.tobytes() == matrix.values.tobytes()
        assert found[name].systems == matrix.systems
    assert found.warnings == scores.warnings


@pytest.mark.parametrize("test", ["randomisation", "bootstrap", "bootstrap-t", "randomised-tukey"])
def test_compare_does_not_depend_on_the_executor(scores, executor, test):
    settings = {"test": test, "n_resamples": 2500, "seed": 3}
    plain = compare(scores["AP"], workers=1, **settings)
    found = compare(scores["AP"], executor=executor, **settings)
    for column in ("p", "p_adjusted", "lower", "upper"):
        assert getattr(found, column).tobytes() == getattr(plain, column).tobytes(), column
    assert found.leaderboard().equals(plain.leaderboard())


def test_compare_by_a_statistic_of_ones_own_does_not_depend_on_the_executor(scores, executor):
    settings = {"test": "bootstrap", "statistic": bounded_mean, "n_resamples": 1200}
    plain = compare_measures(scores, workers=1, **settings).to_frame()
    assert compare_measures(scores, executor=executor, **settings).to_frame().equals(plain)


def test_correlate_does_not_depend_on_the_executor(executor):
    x, y = (make_scores(12, 6, seed=seed) for seed in (1, 2))
    plain = correlate(x, y, n_resamples=2500, workers=1)
    assert plain.intervals["tau"] is not None
    assert correlate(x, y, n_resamples=2500, executor=executor) == plain


def test_replicate_does_not_depend_on_the_executor(sample, executor):
    settings = {"n_splits": 3, "n_resamples": 1200}
    plain = replicate(sample.qrels, sample.runs, "AP", workers=1, **settings)
    found = replicate(sample.qrels, sample.runs, "AP", executor=executor, **settings)
    assert found.to_dict() == plain.to_dict()


def test_every_unit_of_work_can_be_pickled(sample, scores):
    """What each public function hands to an executor goes through pickle and back and computes the same."""
    pool = Backwards()
    everything = {"executor": pool, "n_resamples": 1100}
    evaluate(sample.qrels, sample.runs, ["AP", "nDCG@10", "alpha-nDCG@10"], executor=pool)
    for test in ("randomisation", "bootstrap", "bootstrap-t", "randomised-tukey"):
        compare(scores["AP"], test=test, **everything)
    compare(scores["AP"], test="randomisation", statistic=bounded_mean, **everything)
    correlate(scores["AP"], scores["RR"], **everything)
    replicate(sample.qrels, sample.runs, "AP", n_splits=2, **everything)
    replicate(sample.qrels, sample.runs, "AP", n_splits=2, resample="cells", published=True, **everything)
    names = set()
    for function, args in zip(pool.functions, pool.order, strict=True):
        again, item = pickle.loads(pickle.dumps((function, args[0])))
        if function.func.__name__ not in names:
            assert plain(again(item)) == plain(function(args[0])), function
        names.add(function.func.__name__)
    assert len(names) >= 8, names


@pytest.mark.parametrize("settings", [Resampling(executor=Backwards()), Bootstrap(executor=Backwards())])
def test_settings_travel_without_what_belongs_to_this_process(settings):
    alone = settings.settings_alone
    assert (alone.executor, alone.workers) == (None, 1)
    assert pickle.loads(pickle.dumps(alone)) == alone
