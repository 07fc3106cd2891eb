"""Visitors who do not finish what they began: they lose their connection, and nobody has to wait for them."""

from __future__ import annotations

import os
import re
import signal
import socket
import subprocess
import sys
import threading
import time
import urllib.request
from collections.abc import Iterator
from contextlib import ExitStack, suppress
from pathlib import Path

import pytest

from cranfield.web.server import connections
from cranfield.web.server.app import create_app
from cranfield.web.server.connections import Server
from cranfield.web.server.security import Limits
from cranfield.web.server.service import Jobs

SOURCE = Path(__file__).resolve().parents[2] / "src"
UPLOAD = b"POST /api/data HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Type: multipart/form-data; boundary=x\r\n"
UNFINISHED = (
    UPLOAD
    + b'Content-Length: 5000000\r\n\r\n--x\r\nContent-Disposition: form-data; name="files"; filename="a"\r\n\r\n1'
)


@pytest.fixture
def port(monkeypatch: pytest.MonkeyPatch) -> Iterator[int]:
    """A server that loses patience soon."""
    for name, value in {"HEAD": 1.0, "QUIET": 1.0, "_LOOK": 0.1, "MOST": 20}.items():
        monkeypatch.setattr(connections, name, value)
    with socket.create_server(("127.0.0.1", 0)) as listener:
        server = Server(create_app())
        thread = threading.Thread(target=server.run, kwargs={"sockets": [listener]}, daemon=True)
        thread.start()
        yield listener.getsockname()[1]
        server.should_exit = True
        thread.join(10)
        assert not thread.is_alive()


def call(port: int, said: bytes = b"") -> socket.socket:
    made = socket.create_connection(("127.0.0.1", port), timeout=10)
    made.sendall(said)
    return made


def is_closed(made: socket.socket) -> bool:
    """Whether the other side gives up, in time."""
    try:
        while made.recv(65536):
            pass
    except ConnectionResetError:
        return True
    except TimeoutError:
        return False
    return True


def is_open(made: socket.socket) -> bool:
    """Whether the other side still waits for a request, at this moment."""
    made.settimeout(0)
    try:
        return made.recv(1) != b""
    except BlockingIOError:
        return True
    except ConnectionResetError:
        return False


def keep_sending(made: socket.socket, said: bytes, seconds: float) -> None:
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        with suppress(TimeoutError):
            made.sendall(said)
        time.sleep(0.1)


def status(port: int) -> int:
    with urllib.request.urlopen(f"http://127.0.0.1:{port}/api/data", timeout=10) as answer:
        return int(answer.status)


UNFINISHED_WAYS = {
    "nothing": b"",
    "half a line": b"GET / HT",
    "half a head": b"GET /api/data HTTP/1.1\r\nHost: 127.0.0.1\r\nX-A: ",
    "half an upload": UNFINISHED,
    "no body": UPLOAD + b"Content-Length: 9\r\n\r\n",
}


def test_an_unfinished_request_loses_its_connection(port: int) -> None:
    with ExitStack() as held:
        made = {name: held.enter_context(call(port, said)) for name, said in UNFINISHED_WAYS.items()}
        assert [name for name, one in made.items() if not is_closed(one)] == []
    assert status(port) == 200


def test_an_upload_that_drips_loses_its_connection(port: int) -> None:
    with call(port, UNFINISHED) as made, pytest.raises(OSError, match="reset|[Bb]roken"):
        keep_sending(made, b"1", 8)


def test_a_request_in_pieces_is_answered(port: int) -> None:
    with call(port) as made:
        for piece in (b"GET /api/data HTTP/1.1\r\n", b"Host: 127.0.0.1\r\n", b"Connection: close\r\n\r\n"):
            made.sendall(piece)
            time.sleep(0.2)
        assert made.recv(65536).startswith(b"HTTP/1.1 200")


def test_an_answer_that_nobody_reads_is_given_up(port: int) -> None:
    asked = b"GET /static/page.css HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n"
    with socket.socket() as made:
        made.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
        made.settimeout(0.5)
        made.connect(("127.0.0.1", port))
        with pytest.raises(OSError, match="reset|[Bb]roken"):  # the server closes what is never read
            keep_sending(made, asked * 50, 15)
    assert status(port) == 200


@pytest.mark.parametrize("at_once", [False, True])
def test_many_half_open_connections_leave_room_for_others(at_once: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(connections, "MOST", 20)  # HEAD stays: nobody waits for that long here
    with ExitStack() as held, socket.create_server(("127.0.0.1", 0), backlog=100) as listener:
        server = Server(create_app())
        thread = threading.Thread(target=server.run, kwargs={"sockets": [listener]}, daemon=True)
        port = listener.getsockname()[1]
        made = [held.enter_context(call(port)) for _ in range(60 * at_once)]  # all of which its first look finds
        thread.start()
        made += [held.enter_context(call(port)) for _ in range(60 - len(made))]
        try:
            assert status(port) == 200
            time.sleep(0.5)
            assert 0 < sum(map(is_open, made)) <= 20
        finally:
            server.should_exit = True
            thread.join(10)


@pytest.mark.skipif(sys.platform == "win32", reason="signals")
@pytest.mark.parametrize("how", [signal.SIGINT, signal.SIGTERM])
def test_an_unfinished_upload_does_not_keep_the_server_from_stopping(tmp_path: Path, how: signal.Signals) -> None:
    environment = {**os.environ, "PYTHONPATH": str(SOURCE), "TMPDIR": str(tmp_path)}
    words = [sys.executable, "-m", "cranfield", "serve", "--port", "0"]
    with subprocess.Popen(words, stderr=subprocess.PIPE, text=True, env=environment) as process:
        assert process.stderr is not None
        found = re.search(r":(\d+)/", process.stderr.readline())
        assert found is not None
        port = int(found.group(1))
        assert status(port) == 200
        with call(port, UNFINISHED), call(port), call(port, b"GET / HT"):
            time.sleep(0.5)
            process.send_signal(how)
            process.wait(15)
        assert "Traceback" not in process.stderr.read()
    assert list(tmp_path.glob("cranfield-*")) == []


def test_a_job_without_progress_does_not_keep_the_server_from_stopping() -> None:
    jobs, ended = Jobs(Limits(jobs=1)), threading.Event()
    jobs.ask("long", "waiting", lambda progress: ended.wait(30))
    begun = time.monotonic()
    try:
        jobs.close(0.2)
        assert time.monotonic() - begun < 5
        assert jobs.are_running()
    finally:
        ended.set()
