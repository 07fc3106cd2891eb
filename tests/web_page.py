"""What tests of the page share: a client to ask it, and small files to drop on it."""

from __future__ import annotations

import io
import random
import time
import warnings
import zipfile
from typing import Any

with warnings.catch_warnings():
    warnings.simplefilter("ignore")  # newer starlette prefers another HTTP client, and still takes this one
    from starlette.testclient import TestClient as Client

HERE = "http://127.0.0.1"


def ask(client: Client, address: str, seconds: float = 300.0) -> dict[str, Any]:
    """The API's answer, once it is there."""
    end = time.monotonic() + seconds
    while True:
        answer = client.get(address)
        if answer.status_code != 202 or time.monotonic() > end:
            assert answer.status_code == 200, answer.text
            found: dict[str, Any] = answer.json()
            return found
        time.sleep(0.05)


QRELS = "".join(f"{topic} 0 d{document} {int(document < 4)}\n" for topic in range(1, 9) for document in range(12))


def run(system: str, seed: int) -> str:
    """A run over the topics and documents of `QRELS`."""
    order = random.Random(seed)
    lines = []
    for topic in range(1, 9):
        documents = order.sample(range(12), 10)
        lines += [f"{topic} Q0 d{d} {rank} {10 - rank} {system}\n" for rank, d in enumerate(documents, 1)]
    return "".join(lines)


def scores(systems: int = 4, topics: int = 12, seed: int = 1) -> str:
    """A wide table of scores."""
    draw = random.Random(seed)
    head = "topic," + ",".join(f"s{j}" for j in range(systems)) + "\n"
    rows = [f"{i}," + ",".join(f"{draw.random():.4f}" for _ in range(systems)) + "\n" for i in range(1, topics + 1)]
    return head + "".join(rows)


def zipped(files: dict[str, bytes], compression: int = zipfile.ZIP_DEFLATED) -> bytes:
    """A .zip archive."""
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", compression) as archive:
        for name, data in files.items():
            archive.writestr(name, data)
    return out.getvalue()
