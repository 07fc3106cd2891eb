"""A server that is killed leaves nothing behind that lasts: its processes end, and the next one removes its files."""

from __future__ import annotations

import os
import re
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from cranfield.web.server.store import LOCK, PREFIX, Workplace, sweep

SOURCE = Path(__file__).resolve().parents[2] / "src"
pytestmark = pytest.mark.skipif(not Path("/proc/self/stat").exists(), reason="processes are looked up in /proc")


def children(pid: int) -> set[int]:
    """The processes a process has started."""
    listed = Path(f"/proc/{pid}/task/{pid}/children").read_text().split()
    return {int(child) for child in listed}


def is_alive(pid: int) -> bool:
    try:
        state = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0]
    except OSError:
        return False
    return state != "Z"


def until(holds: Callable[[], bool], seconds: float = 60.0) -> bool:
    end = time.monotonic() + seconds
    while not holds() and time.monotonic() < end:
        time.sleep(0.05)
    return holds()


def test_its_processes_end_and_its_files_are_swept(tmp_path: Path) -> None:
    environment = {**os.environ, "PYTHONPATH": str(SOURCE), "TMPDIR": str(tmp_path)}
    words = [sys.executable, "-m", "cranfield", "serve", "--port", "0"]
    with subprocess.Popen(words, stderr=subprocess.PIPE, text=True, env=environment) as server:
        assert server.stderr is not None
        assert re.search(r"http://", server.stderr.readline())
        assert until(lambda: len(children(server.pid)) >= 2)  # the chart process, and what tracks shared memory
        started = children(server.pid)
        (home,) = tmp_path.glob(f"{PREFIX}*")
        (home / "data" / "0000").write_text("an upload")
        assert sweep(tmp_path) == [], "a server that lives keeps its files"
        server.send_signal(signal.SIGKILL)
        server.wait(20)
    assert until(lambda: not any(map(is_alive, started))), "an orphan works on"
    assert home.exists()
    assert sweep(tmp_path) == [home]
    assert not home.exists()


def test_a_workplace_sweeps_what_was_left(tmp_path: Path) -> None:
    left = tmp_path / f"{PREFIX}left"
    left.mkdir()
    (left / LOCK).touch()
    place = Workplace(tmp_path)
    other = Workplace(tmp_path)
    assert not left.exists()
    assert place.path.is_dir()
    place.close()
    other.close()
    assert list(tmp_path.iterdir()) == []


def test_only_what_a_server_left_is_swept(tmp_path: Path) -> None:
    elsewhere = tmp_path / "precious"
    elsewhere.mkdir()
    (elsewhere / LOCK).touch()
    (tmp_path / f"{PREFIX}link").symlink_to(elsewhere)
    starting = tmp_path / f"{PREFIX}starting"
    starting.mkdir()
    linked = tmp_path / f"{PREFIX}linked"
    linked.mkdir()
    (linked / LOCK).symlink_to(elsewhere / LOCK)
    (tmp_path / f"{PREFIX}file").touch()
    assert sweep(tmp_path) == []
    assert (elsewhere / LOCK).exists()
    assert starting.exists()
