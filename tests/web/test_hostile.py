"""What a hostile client can do to the program itself: it is told no, and memory stays where it was."""

from __future__ import annotations

import contextlib
import http.client
import io
import json
import socket
import zipfile
from pathlib import Path
from urllib.parse import urlsplit

import pytest

from web_page import scores

BOUNDARY = b"boundary"
MB = 1_000_000


def resident(pid: int) -> float:
    """Megabytes of memory a process has (Linux)."""
    pages = int(Path(f"/proc/{pid}/statm").read_text().split()[1])
    return pages * 4096 / MB


def send(base: str, head: bytes, chunk: bytes, count: int) -> tuple[int, str]:
    """Send a form with one huge part in chunks, until the server answers; its status and words."""
    place = urlsplit(base)
    with socket.create_connection((str(place.hostname), int(place.port or 0)), timeout=60) as link:
        link.sendall(
            b"POST /api/data HTTP/1.1\r\nHost: 127.0.0.1\r\nTransfer-Encoding: chunked\r\n"
            b"Content-Type: multipart/form-data; boundary=" + BOUNDARY + b"\r\n\r\n"
        )
        start = b"--" + BOUNDARY + b"\r\n" + head + b"\r\n\r\n"
        link.sendall(b"%x\r\n%s\r\n" % (len(start), start))
        try:
            for _ in range(count):
                link.sendall(b"%x\r\n%s\r\n" % (len(chunk), chunk))
            link.sendall(b"0\r\n\r\n")
        except OSError:
            pass  # the server has heard enough; its answer waits
        answer = http.client.HTTPResponse(link)
        answer.begin()
        return answer.status, json.loads(answer.read())["error"]


needs_proc = pytest.mark.skipif(
    not Path("/proc/self/statm").exists(), reason="memory is measured through /proc (Linux)"
)


@needs_proc
def test_a_huge_field_is_cut_off(served: tuple[str, int]) -> None:
    base, pid = served
    before = resident(pid)
    status, words = send(base, b'Content-Disposition: form-data; name="missing"', b"x" * MB, 200)
    assert (status, words) == (400, "Part exceeded maximum size of 62KB.")
    assert resident(pid) - before < 60


@needs_proc
def test_a_file_beyond_the_limit_is_cut_off(served: tuple[str, int]) -> None:
    base, pid = served
    before = resident(pid)
    head = b'Content-Disposition: form-data; name="files"; filename="big.csv"'
    status, words = send(base, head, b"0.1,0.2\n" * 125_000, 300)
    assert (status, words) == (
        413,
        "the request is larger than 256 MB. Send fewer files at once, or compress them (.gz, .zip).",
    )
    assert resident(pid) - before < 60


@needs_proc
def test_a_zip_bomb_takes_no_memory(served: tuple[str, int]) -> None:
    base, pid = served
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as archive:
        for number in range(2):
            archive.writestr(f"{number}.run", b"0" * 190 * MB)
    packed = out.getvalue()
    assert len(packed) < 2 * MB
    before = resident(pid)
    head = b'Content-Disposition: form-data; name="files"; filename="bomb.zip"'
    status, words = send(base, head, packed + b"\r\n--" + BOUNDARY + b"--\r\n", 1)
    assert (status, words) == (
        400,
        "bomb.zip/0.run: unpacks to more than 200 times its size. Send it uncompressed",
    )
    assert resident(pid) - before < 60


def test_after_all_that_it_still_answers(served: tuple[str, int]) -> None:
    base, _ = served
    text = scores().encode()
    head = b'Content-Disposition: form-data; name="files"; filename="past.AP.csv"'
    place = urlsplit(base)
    body = b"--b\r\n" + head + b"\r\n\r\n" + text + b"\r\n--b--\r\n"
    with contextlib.closing(http.client.HTTPConnection(str(place.hostname), place.port, timeout=60)) as link:
        link.request("POST", "/api/data", body, {"Content-Type": "multipart/form-data; boundary=b"})
        assert link.getresponse().status == 201
