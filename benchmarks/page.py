"""The local page: server time of a design, and 20 people on the design page at once.

The program runs as users run it, on loopback. Every person asks for 25 designs of their own, one after the other,
while one more client keeps a replicates job and its charts going. "Lost" counts answers that were not the page with
its answer on it.
"""

from __future__ import annotations

import asyncio
import os
import re
import statistics
import subprocess
import sys
import time
import urllib.request
from pathlib import Path

from benchmarks.harness import Row

SOURCE = Path(__file__).resolve().parents[1] / "src"
PEOPLE, DESIGNS = 20, 25


async def _get(port: int, path: str) -> tuple[float, bool]:
    """Seconds, and whether the answer is there."""
    start = time.perf_counter()
    reader, writer = await asyncio.open_connection("127.0.0.1", port)
    writer.write(f"GET {path} HTTP/1.1\r\nHost: 127.0.0.1\r\nConnection: close\r\n\r\n".encode())
    body = await reader.read()
    writer.close()
    return time.perf_counter() - start, body.startswith(b"HTTP/1.1 200") and b'id="answer"' in body


async def _person(port: int, number: int) -> list[tuple[float, bool]]:
    paths = [f"/design?variance=0.{500 + 40 * number + k:04d}&systems={5 + k}&min_diff=0.1" for k in range(DESIGNS)]
    return [await _get(port, path) for path in paths]


async def _crowd(port: int, people: int, first: int = 0) -> list[tuple[float, bool]]:
    found = await asyncio.gather(*(_person(port, number) for number in range(first, first + people)))
    return [one for person in found for one in person]


def _rows(what: str, seconds: float, found: list[tuple[float, bool]]) -> Row:
    times = sorted(one for one, _ in found)
    lost = sum(not there for _, there in found)
    worst = times[int(0.99 * (len(times) - 1))]
    note = f"median of {len(times)}; 99% within {worst:.3f} s; {len(times) / seconds:.0f} per second; {lost} lost"
    return Row(what, statistics.median(times), note=note)


def run() -> list[Row]:
    """One person, twenty people, and twenty people beside a long job."""
    environment = {**os.environ, "PYTHONPATH": str(SOURCE)}
    words = [sys.executable, "-m", "cranfield", "serve", "--port", "0"]
    rows = []
    with subprocess.Popen(words, stderr=subprocess.PIPE, text=True, env=environment) as process:
        try:
            assert process.stderr is not None
            found = re.search(r":(\d+)/", process.stderr.readline())
            assert found is not None
            port = int(found.group(1))
            asyncio.run(_crowd(port, 1, first=100))  # warm; nobody below asks what was asked before
            for first, people, busy in ((80, 1, False), (0, PEOPLE, False), (30, PEOPLE, True)):
                if busy:
                    address = f"http://127.0.0.1:{port}/api/replicates?data=sample&splits=200&resamples=100000"
                    urllib.request.urlopen(address, timeout=60).close()
                start = time.perf_counter()
                answers = asyncio.run(_crowd(port, people, first))
                what = f"design page, {people} {'person' if people == 1 else 'people'}"
                beside = ", a replicates job beside" if busy else ""
                rows.append(_rows(what + beside, time.perf_counter() - start, answers))
        finally:
            process.terminate()
            process.wait(20)
    return rows
