"""``cranfield serve``: where it listens, and what it says when it cannot."""

from __future__ import annotations

import importlib.util
import os
import re
import signal
import socket
import subprocess
import sys
import urllib.error
import urllib.request
from pathlib import Path
from typing import Any

import pytest

from support import Type

SOURCE = Path(__file__).resolve().parents[2] / "src"


def test_without_the_extra_it_says_what_to_install(cranfield: Type, monkeypatch: pytest.MonkeyPatch) -> None:
    real = importlib.util.find_spec

    def lost(name: str, *rest: Any) -> Any:
        return None if name in ("fastapi", "uvicorn") else real(name, *rest)

    monkeypatch.setattr(importlib.util, "find_spec", lost)
    result = cranfield("serve")
    assert result.exit_code == 2
    assert result.stderr == (
        "error: the page needs fastapi, uvicorn. Install: pip install 'cranfield[web]' (in a clone: "
        "pip install '.[web]')\n"
    )


def test_other_machines_only_when_that_is_meant(cranfield: Type) -> None:
    result = cranfield("serve", "--host", "0.0.0.0")
    assert result.exit_code == 2
    assert result.stderr == "error: --host 0.0.0.0 lets other machines connect. Add --allow-remote to allow that.\n"


def test_a_port_in_use(cranfield: Type) -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        result = cranfield("serve", "--port", str(port))
    assert result.exit_code == 2
    assert result.stderr == (
        f"error: cannot listen on 127.0.0.1 port {port}: Address already in use. Choose another with --port, or "
        "--port 0 for any free one.\n"
    )


@pytest.mark.parametrize("how", [signal.SIGINT, signal.SIGTERM])
def test_it_serves_and_leaves_nothing_behind(tmp_path: Path, how: signal.Signals) -> None:
    environment = {**os.environ, "PYTHONPATH": str(SOURCE), "TMPDIR": str(tmp_path)}
    words = [sys.executable, "-m", "cranfield", "serve", "--port", "0", "--host", "127.0.0.1"]
    with subprocess.Popen(words, stderr=subprocess.PIPE, text=True, env=environment) as process:
        assert process.stderr is not None
        address = re.search(r"http://\S+", process.stderr.readline())
        assert address is not None
        with urllib.request.urlopen(f"{address.group(0)}design", timeout=20) as answer:
            assert answer.status == 200
        (private,) = tmp_path.glob("cranfield-*")
        assert private.stat().st_mode & 0o777 == 0o700
        process.send_signal(how)
        process.wait(20)
        assert "Traceback" not in process.stderr.read()
    assert list(tmp_path.glob("cranfield-*")) == []


def test_a_remote_server_prints_a_token_it_insists_on() -> None:
    environment = {**os.environ, "PYTHONPATH": str(SOURCE)}
    words = [sys.executable, "-m", "cranfield", "serve", "--port", "0", "--host", "0.0.0.0", "--allow-remote"]
    with subprocess.Popen(words, stderr=subprocess.PIPE, text=True, env=environment) as process:
        assert process.stderr is not None
        found = re.search(r":(\d+)/\?token=(\S+)", process.stderr.readline())
        assert found is not None
        base = f"http://127.0.0.1:{found.group(1)}/api/data"
        with pytest.raises(urllib.error.HTTPError, match="401"):
            urllib.request.urlopen(base, timeout=20)
        request = urllib.request.Request(base, headers={"Authorization": f"Bearer {found.group(2)}"})
        with urllib.request.urlopen(request, timeout=20) as answer:
            assert answer.status == 200
        process.terminate()
        process.wait(20)
