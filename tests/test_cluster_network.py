"""A cluster whose workers sit behind networks of their own, one of which is cut off or killed while it works.

Needs root and `ip` (iproute2). Three network namespaces are made and removed again: one for the scheduler and the command,
and one for each worker, joined by a bridge inside the first. Nothing outside them is touched, and nothing leaves them.
"""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path

import pytest

from cranfield import make_scores, write_scores

HUB, WORKERS = "10.231.0.1", ("10.231.0.2", "10.231.0.3")
SOON = {"DASK_DISTRIBUTED__COMM__TIMEOUTS__TCP": "12s", "DASK_DISTRIBUTED__COMM__TIMEOUTS__CONNECT": "5s"}
"""A connection that is cut is noticed after so long, not after half a minute."""
JOB = ["compare", "scores.csv", "--test", "bootstrap", "--resamples", "400000", "--format", "json"]


def ip(*words: str) -> None:
    subprocess.run(["ip", *words], check=True, capture_output=True, text=True, timeout=20)


class Network:
    """A hub and two spokes."""

    def __init__(self, stack: ExitStack) -> None:
        self.stack = stack
        name = f"cr{os.getpid()}"
        self.hub, self.spokes = f"{name}hub", [f"{name}w{at}" for at in (1, 2)]
        for space in (self.hub, *self.spokes):
            ip("netns", "add", space)
            stack.callback(ip, "netns", "del", space)
            ip("-n", space, "link", "set", "lo", "up")
        ip("-n", self.hub, "link", "add", "bridge", "type", "bridge")
        ip("-n", self.hub, "addr", "add", f"{HUB}/24", "dev", "bridge")
        ip("-n", self.hub, "link", "set", "bridge", "up")
        for space, address in zip(self.spokes, WORKERS, strict=True):
            wire = f"to-{space[-2:]}"
            ip("-n", self.hub, "link", "add", wire, "type", "veth", "peer", "name", "wire", "netns", space)
            ip("-n", self.hub, "link", "set", wire, "master", "bridge", "up")
            ip("-n", space, "addr", "add", f"{address}/24", "dev", "wire")
            ip("-n", space, "link", "set", "wire", "up")

    def start(self, space: str, *words: str, output: int = subprocess.DEVNULL) -> subprocess.Popen[str]:
        """A Python module at work in a namespace, killed at the end."""
        words = ("ip", "netns", "exec", space, sys.executable, "-m", *words)
        process = subprocess.Popen(words, stdout=output, stderr=output, text=True, env={**os.environ, **SOON})
        self.stack.enter_context(process)
        self.stack.callback(process.kill)
        return process

    def cut_off(self, spoke: int) -> None:
        """Pull the wire."""
        ip("-n", self.hub, "link", "set", f"to-{self.spokes[spoke][-2:]}", "down")


@pytest.fixture
def network() -> Iterator[Network]:
    pytest.importorskip("distributed", reason="Dask is not installed")
    if shutil.which("ip") is None:
        pytest.skip("no `ip` here; install iproute2")
    with ExitStack() as stack:
        try:
            made = Network(stack)
        except subprocess.CalledProcessError as error:
            pytest.skip(f"network namespaces are not allowed here: {error.stderr.strip()}")
        yield made


@pytest.mark.slow  # ten processes in three networks
@pytest.mark.parametrize("harm", ["cut off", "killed"])
def test_a_worker_elsewhere_that_is_lost_is_survived(
    network: Network, harm: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    write_scores(make_scores(n_topics=50, n_systems=30, seed=3), "scores.csv")
    alone = subprocess.run([sys.executable, "-m", "cranfield", *JOB], capture_output=True, text=True, check=True)

    network.start(network.hub, "distributed.cli.dask_scheduler", "--host", HUB, "--port", "8786", "--no-dashboard")
    address = f"tcp://{HUB}:8786"
    workers = [
        network.start(space, "distributed.cli.dask_worker", address, "--nthreads", "1", "--no-nanny", "--no-dashboard")
        for space in network.spokes
    ]
    _until_two_work(network, address)
    job = network.start(network.hub, "cranfield", *JOB, "--cluster", address, output=subprocess.PIPE)
    assert job.stderr is not None
    assert "cluster: 2 workers" in next(line for line in job.stderr if line.startswith("cluster:"))
    time.sleep(1.0)
    assert job.poll() is None, "the job must still be at work"
    if harm == "killed":
        workers[0].send_signal(signal.SIGKILL)
    else:
        network.cut_off(0)
    said, complaints = job.communicate(timeout=240)
    assert job.returncode == 0, complaints
    assert said == alone.stdout
    if harm == "killed":
        assert workers[0].wait() == -signal.SIGKILL


def _until_two_work(network: Network, address: str) -> None:
    """Wait for the workers."""
    code = f"from distributed import Client; Client({address!r}, timeout=60).wait_for_workers(2, timeout=90)"
    words = ["ip", "netns", "exec", network.hub, sys.executable, "-c", code]
    subprocess.run(words, check=True, capture_output=True, text=True, timeout=120)
