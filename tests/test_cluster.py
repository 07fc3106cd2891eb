"""The same bytes on a Dask cluster as in one process, whatever happens to the workers."""

from __future__ import annotations

import asyncio
import os
import re
import shutil
import signal
import time
from collections.abc import Iterator
from contextlib import suppress
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from cranfield import ArgumentError, compare, evaluate, make_sample, replicate, simulate_tests, write_scores
from cranfield.core import cluster
from cranfield.core.cluster import ClusterExecutor, executor_of, is_client, open_cluster
from cranfield.core.errors import ClusterError, DataError, quietly
from cranfield.core.executors import map_in_order, spread_over, surrounding
from cranfield.core.question import questions
from examples import EXAMPLES, files
from support import Type

pytestmark = [pytest.mark.filterwarnings("default")]  # Dask's own are not ours to mend


@pytest.fixture(autouse=True)
def _silence() -> Iterator[None]:
    with quietly():
        yield


@pytest.fixture(scope="module")
def sample():
    return make_sample(n_topics=10, n_systems=4, n_documents=300, seed=7)


@pytest.fixture(scope="module")
def scores(sample):
    return evaluate(sample.qrels, sample.runs, ["AP", "RR"])


def same(a: np.ndarray, b: np.ndarray) -> bool:
    return a.dtype == b.dtype and a.tobytes() == b.tobytes()


def square(x: int) -> int:
    return x * x


def shifted(table: np.ndarray, x: int) -> np.ndarray:
    """What writes into what it was given: arrays must arrive as one's own."""
    table[0] = x
    return table + x


def die_once(marker: str, x: int) -> int:
    """Ends the first worker that gets item 5, as a lack of memory would."""
    if x == 5:
        try:
            os.close(os.open(marker, os.O_CREAT | os.O_EXCL))
        except FileExistsError:
            return x * x
        os.kill(os.getpid(), signal.SIGKILL)
    return x * x


def refuse(x: int) -> int:
    raise DataError(f"item {x} is bad")


def test_results_come_in_order(dask_cluster: ClusterExecutor) -> None:
    seen: list[tuple[int, int]] = []
    done = map_in_order(square, range(30), executor=dask_cluster, progress=lambda *at: seen.append(at))
    assert list(done) == [x * x for x in range(30)]
    assert seen == [(at, 30) for at in range(1, 31)]
    assert dask_cluster.submit(divmod, 7, 2).result() == (3, 1)


def test_a_client_is_an_executor(dask_cluster: ClusterExecutor) -> None:
    client = dask_cluster.client
    assert is_client(client)
    assert not is_client("local:2")
    assert list(map_in_order(square, [3, 4], executor=client)) == [9, 16]
    assert executor_of(client) is executor_of(client)


def test_arrays_arrive_and_come_back_as_ones_own(dask_cluster: ClusterExecutor) -> None:
    results = list(map_in_order(partial(shifted, np.arange(200_000.0)), [1, 2], executor=dask_cluster))
    for x, result in zip([1, 2], results, strict=True):
        assert same(result, shifted(np.arange(200_000.0), x))
        result[0] = 5  # not read-only


def test_large_items_travel(dask_cluster: ClusterExecutor) -> None:
    items = [np.full(cluster.LARGE // 4, float(at)) for at in range(2)]
    assert list(map_in_order(np.sum, items, executor=dask_cluster)) == [0.0, cluster.LARGE // 4]


def test_an_error_of_the_work_is_raised_as_it_is(dask_cluster: ClusterExecutor) -> None:
    with pytest.raises(DataError, match="item 0 is bad"):
        list(map_in_order(refuse, range(10), executor=dask_cluster))


# ── whole questions ──────────────────────────────────────────────────────────────────────────────────────────


def test_evaluate(
    sample, scores, dask_cluster: ClusterExecutor, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    sample.write(tmp_path)
    monkeypatch.chdir(tmp_path)  # where no worker is
    for runs in (sample.runs, "runs"):
        there = evaluate(sample.qrels, runs, ["AP", "RR"], executor=dask_cluster)
        assert list(there) == list(scores)
        for name, matrix in scores.items():
            assert same(there[name].values, matrix.values)
            assert there[name].systems == matrix.systems
    with spread_over(dask_cluster):
        assert same(evaluate("qrels.txt", "runs", "AP")["AP"].values, scores["AP"].values)


@pytest.mark.parametrize("test", ["randomisation", "bootstrap", "bootstrap-t", "randomised-tukey"])
def test_compare(scores, dask_cluster: ClusterExecutor, test: str) -> None:
    settings = {"test": test, "n_resamples": 2500, "seed": 3}
    here = compare(scores["AP"], workers=1, **settings)
    there = compare(scores["AP"], executor=dask_cluster, **settings)
    for column in ("p", "p_adjusted", "lower", "upper"):
        assert same(getattr(there, column), getattr(here, column)), column
    with spread_over(dask_cluster):
        assert surrounding() is dask_cluster
        assert same(compare(scores["AP"], **settings).p, here.p)
    assert surrounding() is None


def test_replicates(sample, dask_cluster: ClusterExecutor) -> None:
    settings = {"n_splits": 2, "n_resamples": 1200}
    here = replicate(sample.qrels, sample.runs, "AP", workers=1, **settings)
    there = replicate(sample.qrels, sample.runs, "AP", executor=dask_cluster, **settings)
    assert there.to_dict() == here.to_dict()


def test_simulated_tests(scores, dask_cluster: ClusterExecutor) -> None:
    settings = {"n_trials": 40, "n_topics": 8, "n_resamples": 99, "tests": ["t", "randomisation"]}
    here = simulate_tests(scores["AP"], workers=1, **settings)
    assert simulate_tests(scores["AP"], executor=dask_cluster, **settings).to_dict() == here.to_dict()


FEW = ["--resamples", "2500"]
SCORES = ["qrels.txt", "runs", "-m", "AP"]
COMMANDS = {
    "evaluate": ["evaluate", "qrels.txt", "runs", "-m", "AP", "-m", "RR", "-q"],
    "compare": ["compare", *SCORES, *FEW],
    "leaderboard": ["leaderboard", *SCORES, "--test", "bootstrap", *FEW],
    "table": ["table", *SCORES, *FEW],
    "gate": ["gate", "ap.csv", "--baseline", "alder-2", "--candidate", "alder-1", "--margin", "0.05", *FEW],
    "replicates": ["replicates", *SCORES, "--splits", "2", "--resamples", "1200"],
    "correlate": ["correlate", "ap.csv", "rr.csv", *FEW],
    "standardise effect": ["standardise", "effect", "ap.csv", *FEW],
    "simulate tests": ["simulate", "tests", "ap.csv", "--trials", "40", "--topics", "8", "--resamples", "99"],
    "simulate design": [
        "simulate",
        "design",
        "ap.csv",
        "--systems",
        "3",
        "--min-diff",
        "0.3",
        "--pilots",
        "2",
        "--trials",
        "20",
    ],
}
"""Commands that take --cluster, with enough work to spread; those not listed are typed as their examples show."""
TAKING = [name for name, one in questions().items() if "cluster" in {each.name for each in one.all()} and one.printed]


@pytest.mark.parametrize("command", TAKING)
def test_a_command_prints_the_same(
    sample, scores, cranfield: Type, dask_cluster: ClusterExecutor, command: str
) -> None:
    sample.write(Path.cwd())
    for name in ("AP", "RR"):
        write_scores(scores[name], f"{name.lower()}.csv")
    shown = next(one for one in EXAMPLES if one.question.command == command)
    words = [*COMMANDS[command], "--format", "json"] if command in COMMANDS else shown.printed("json")
    if command not in COMMANDS:
        shutil.copytree(files(), Path.cwd(), dirs_exist_ok=True)
    here, there = cranfield(*words), cranfield(*words, "--cluster", dask_cluster.client.scheduler.address)
    assert there.exit_code == here.exit_code, there.stderr
    assert here.stdout
    assert there.stdout == here.stdout
    assert "cluster: 2 workers; dashboard: http://" in there.stderr


def test_a_report_is_the_same(sample, cranfield: Type, dask_cluster: ClusterExecutor) -> None:
    sample.write(Path.cwd())
    skipped = ["data", "collection", "reliability", "next", "standardisation", "methods"]
    words = ["report", "qrels.txt", "runs", "-m", "AP", "--splits", "2", "--replicate-resamples", "1200", *FEW]
    words += [word for one in skipped for word in ("--skip", one)]
    for where in ([], ["--cluster", dask_cluster.client.scheduler.address]):
        ended = cranfield(*words, *where, "-o", f"report{len(where)}.html")
        assert ended.exit_code == 0, ended.stderr
    assert Path("report0.html").read_bytes() == Path("report2.html").read_bytes()


# ── what can go wrong ────────────────────────────────────────────────────────────────────────────────────────


def test_a_worker_that_dies_is_survived(dask_cluster: ClusterExecutor, tmp_path: Path) -> None:
    marker = tmp_path / "died"
    work = partial(die_once, str(marker))
    assert list(map_in_order(work, range(20), executor=dask_cluster)) == [x * x for x in range(20)]
    assert marker.exists()


def test_the_shared_part_is_sent_again_when_all_who_had_it_died(dask_cluster: ClusterExecutor) -> None:
    sent = dask_cluster.ship(square)
    lost = sent.data
    dask_cluster.client.cancel([lost], force=True)
    assert [dask_cluster.submit(sent, x).result() for x in (3, 4)] == [9, 16]
    assert sent.data is not lost


@pytest.mark.slow  # a dozen processes are started
def test_a_worker_that_dies_while_it_gets_data_is_survived(
    dask_cluster: ClusterExecutor, monkeypatch: pytest.MonkeyPatch
) -> None:
    real, failures = dask_cluster.client.scatter, iter([KeyError("tcp://127.0.0.1:1"), OSError("gone")])

    def scatter(*data: Any, **options: Any) -> Any:
        assert "broadcast" not in options  # which may never return
        for error in failures:
            raise error
        return real(*data, **options)

    monkeypatch.setattr(dask_cluster.client, "scatter", scatter)
    assert list(map_in_order(abs, [-1, 2, -3], executor=dask_cluster)) == [1, 2, 3]


def test_data_that_no_worker_takes_are_an_error_in_words(
    dask_cluster: ClusterExecutor, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(cluster, "STALLED", 0.2)
    monkeypatch.setattr(dask_cluster.client, "scatter", lambda *_, **__: time.sleep(1))
    with pytest.raises(ClusterError, match="no worker at .* takes data \\(_NoAnswer\\)"):
        list(map_in_order(abs, [-1], executor=dask_cluster))


def test_a_task_that_nobody_works_on_is_handed_in_anew(
    dask_cluster: ClusterExecutor, monkeypatch: pytest.MonkeyPatch
) -> None:
    real, lost = cluster._Task._wait, iter([True])
    monkeypatch.setattr(cluster._Task, "_wait", lambda task: False if next(lost, False) else real(task))
    assert list(map_in_order(abs, [-1, 2], executor=dask_cluster)) == [1, 2]


def test_idle_workers_beside_an_unfinished_task_are_noticed(
    dask_cluster: ClusterExecutor, monkeypatch: pytest.MonkeyPatch
) -> None:
    import distributed

    def wait(*_: Any, **__: Any) -> None:
        raise TimeoutError

    monkeypatch.setattr(distributed, "wait", wait)
    monkeypatch.setattr(cluster, "STALLED", 10.0)
    with pytest.raises(ClusterError, match="died over the same piece of work, or lost it"):
        list(map_in_order(abs, [-1], executor=dask_cluster))


def test_work_that_kills_every_worker_ends(dask_cluster: ClusterExecutor) -> None:
    with pytest.raises(ClusterError, match="several workers at .* died over the same piece of work"):
        list(map_in_order(os._exit, [1], executor=dask_cluster))


def test_other_versions_are_refused(dask_cluster: ClusterExecutor, monkeypatch: pytest.MonkeyPatch) -> None:
    here = dict(cluster._versions())
    assert set(here) == {"cranfield", "numpy", "scipy", "polars"}
    monkeypatch.setattr(cluster, "_disagreement", partial(_older, cluster._disagreement))
    with pytest.raises(ClusterError, match=r"worker tcp://.* has other versions \(numpy .* there, 0\.9 here\)"):
        ClusterExecutor(dask_cluster.client)


def _older(compare, here, there):
    return compare({**here, "numpy": "0.9"}, there)


def test_no_scheduler(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(cluster, "ANSWER", 0.5)
    with (
        pytest.raises(ClusterError, match=r"no scheduler answers at tcp://127\.0\.0\.1:9 .*`dask scheduler`"),
        open_cluster("tcp://127.0.0.1:9"),
    ):
        pass
    with (
        pytest.raises(ClusterError, match=r"no scheduler answers at tls://.*certificates here too \(DASK_.*CA_FILE, "),
        open_cluster("tls://127.0.0.1:9"),
    ):
        pass


@pytest.mark.parametrize("asked", ["nthreads", "scatter"])
def test_a_scheduler_that_is_gone_before_work_is_handed_in(
    dask_cluster: ClusterExecutor, asked: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    from distributed.comm import CommClosedError

    def broken(*_: object, **__: object) -> None:
        monkeypatch.setattr(dask_cluster.client, "status", "closed")
        raise CommClosedError("ConnectionPool closing.")

    monkeypatch.setattr(dask_cluster.client, asked, broken)
    with pytest.raises(ClusterError, match=r"^the scheduler at .* stopped. Start it again and repeat the job"):
        list(map_in_order(abs, [-1, 2], executor=dask_cluster))


@pytest.mark.parametrize(
    "content",
    [None, "", "{", "[]", "{}", '{"address": 7}', '{"address": "here"}', pytest.param("[" * 100_000, id="deep")],
)
def test_a_scheduler_file_that_names_none_is_said_at_once(
    tmp_path: Path, content: str | None, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(cluster, "ANSWER", 0.2)  # a file that is not there may be about to be written
    file = tmp_path / "scheduler.json"
    if content is not None:
        file.write_text(content)
    said = re.escape(f"{file} contains no scheduler address; use the file that the Dask scheduler writes")
    with pytest.raises(ClusterError, match=f"^{said}$"), open_cluster(str(file)):
        pass


@pytest.mark.parametrize("text", ["four", "local:0", "local:-1", "tcp://", "local:1000000", "http://x"])
def test_no_address(text: str, cranfield: Type) -> None:
    ended = cranfield("evaluate", "qrels.txt", "runs", "--cluster", text)
    assert ended.exit_code == 2
    assert "--cluster must be the address of a Dask scheduler" in ended.stderr


def test_threads_or_a_cluster(cranfield: Type) -> None:
    ended = cranfield("evaluate", "qrels.txt", "runs", "--cluster", "local:2", "--workers", "2")
    assert ended.exit_code == 2
    assert "Leave one out" in ended.stderr


def test_a_scheduler_that_goes_away_and_the_job_that_goes_on(sample, tmp_path: Path) -> None:
    from distributed import Client, LocalCluster

    settings = {"n_splits": 2, "n_resamples": 1200, "work": tmp_path / "job.work"}
    local = LocalCluster(n_workers=1, processes=False, dashboard_address=None, silence_logs=50)
    client = Client(local)

    def pull_the_plug(at: int, of: int) -> None:
        if at == 2:
            local.sync(local.scheduler.close)
            time.sleep(0.2)

    try:
        with pytest.raises(ClusterError, match="the scheduler at .* stopped.*work file resumes") as held:
            replicate(sample.qrels, sample.runs, "AP", executor=client, progress=pull_the_plug, **settings)
    finally:
        client.close(timeout=1)
        with suppress(TimeoutError):  # it looks for its scheduler for half a minute
            local.close(timeout=1)
    assert held.value.__traceback__, "whoever keeps the error can still repeat the job"
    kept = (tmp_path / "job.work").read_bytes()
    assert b"run 1" in kept
    again = replicate(sample.qrels, sample.runs, "AP", workers=1, **settings)
    assert (tmp_path / "job.work").read_bytes().startswith(kept)
    plain = replicate(sample.qrels, sample.runs, "AP", workers=1, n_splits=2, n_resamples=1200)
    assert again.to_dict() == plain.to_dict()


@pytest.mark.slow  # a scheduler and a worker are started as programs
def test_a_scheduler_that_is_killed(sample, tmp_path: Path) -> None:
    """Its connections break at whatever is being asked of it."""
    import subprocess
    import sys

    sample.write(tmp_path)
    file = tmp_path / "scheduler.json"
    words = [sys.executable, "-m", "dask"]
    where = {"stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL}
    job = ["replicates", "qrels.txt", "runs", "-m", "AP", "--splits", "20", "--resamples", "20000", "--format", "json"]
    job = [sys.executable, "-m", "cranfield", *job]
    with (
        subprocess.Popen(
            [*words, "scheduler", "--host", "127.0.0.1", "--port", "0", "--scheduler-file", file], **where
        ) as scheduler,
        subprocess.Popen(
            [*words, "worker", "--scheduler-file", file, "--nthreads", "1", "--no-nanny"], **where
        ) as worker,
    ):
        try:
            until = time.monotonic() + 120
            while not file.exists() and time.monotonic() < until:
                time.sleep(0.1)
            far = [*job, "--work", "job.work", "--cluster", str(file)]
            with subprocess.Popen(
                far, cwd=tmp_path, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True
            ) as ended:
                kept = tmp_path / "job.work"
                while ended.poll() is None and (not kept.exists() or kept.read_bytes().count(b"\n") < 7):
                    time.sleep(0.05)
                assert ended.poll() is None, "the job must still be at work"
                scheduler.kill()
                said = ended.communicate(timeout=120)[1]
        finally:
            scheduler.kill()
            worker.kill()
    assert ended.returncode == 1
    assert any(line.startswith("error: the scheduler at ") and "stopped" in line for line in said.splitlines()), said
    assert "Traceback" not in said, said
    resumed, whole = (
        subprocess.run([*job, *more], cwd=tmp_path, capture_output=True, text=True, check=True)
        for more in (["--work", "job.work"], [])
    )
    assert resumed.stdout == whole.stdout


def test_without_dask(monkeypatch: pytest.MonkeyPatch) -> None:
    import sys

    monkeypatch.setitem(sys.modules, "distributed", None)
    with pytest.raises(ArgumentError, match=r"pip install 'cranfield\[cluster\]'"), open_cluster("local:2"):
        pass


def test_a_worker_that_dies_while_it_starts_is_said_in_words(monkeypatch: pytest.MonkeyPatch) -> None:
    import distributed

    started = distributed.Nanny.start_unsafe

    async def killed(self: Any) -> Any:
        starting = asyncio.ensure_future(started(self))
        while self.process is None or self.process.process is None or self.process.process.pid is None:
            await asyncio.sleep(0.01)
        os.kill(self.process.process.pid, signal.SIGKILL)
        return await starting

    monkeypatch.setattr(distributed.Nanny, "start_unsafe", killed)
    with pytest.raises(ClusterError, match="the 2 local workers did not all start"), open_cluster("local:2"):
        pass
