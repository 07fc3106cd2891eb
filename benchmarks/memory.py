"""Memory of `evaluate` by the shape of a run: topics together or mixed, few or many documents each, one run or two.

1.2 million lines; with CRANFIELD_BENCH_LARGE=1 12 million (550 MB of text a run, twice that of disk). Every row is a
command in a separate process; seconds are processor seconds.
"""

from __future__ import annotations

import gzip
import os
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

from benchmarks.harness import Row

LINES = 12_000_000 if os.environ.get("CRANFIELD_BENCH_LARGE") else 1_200_000
LINE = b"TTTTTT Q0 document-%08d %d %.6f run\n"


def write_shape(folder: Path, n_topics: int, mixed: bool = False) -> tuple[str, str]:
    """A run of so many topics of the same documents, topic after topic or rank after rank, and three judgments each."""
    depth = LINES // n_topics
    lines = [LINE % (number * 7919 % 10**8, number, 30 * (1 - number / depth)) for number in range(1, depth + 1)]
    topics = [b"%06d" % number for number in range(n_topics)]
    run, qrels = folder / "run", folder / "qrels"
    with run.open("wb") as stream:
        if mixed:
            stream.writelines(b"".join(topic + line[6:] for topic in topics) for line in lines)
        else:
            whole = b"".join(lines)
            stream.writelines(whole.replace(b"TTTTTT", topic) for topic in topics)
    judged = (b"%b 0 document-%08d 1\n" % (topic, at * 7919 % 10**8) for topic in topics for at in (1, 5, 20))
    qrels.write_bytes(b"".join(judged))
    return str(qrels), str(run)


def _command(*arguments: str) -> tuple[float, float]:
    """Processor seconds and resident peak in MB of `evaluate`."""
    process = subprocess.Popen([sys.executable, "-m", "cranfield", "evaluate", *arguments], stdout=subprocess.DEVNULL)
    _, status, used = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    assert process.returncode == 0, arguments
    return used.ru_utime + used.ru_stime, used.ru_maxrss * (1 if sys.platform == "darwin" else 1024) / 1e6


def run() -> list[Row]:
    """Each shape in its own temporary directory."""
    rows = []
    shapes = [
        ("1,000 documents a topic", LINES // 1000, False),
        (f"{LINES // 12:,} documents a topic", 12, False),
        ("1,000 documents a topic, mixed", LINES // 1000, True),
    ]
    for what, n_topics, mixed in shapes:
        with tempfile.TemporaryDirectory() as scratch:
            qrels, path = write_shape(Path(scratch), n_topics, mixed)
            os.link(path, second := f"{path}2")
            packed = f"{path}.gz"
            with Path(path).open("rb") as plain, gzip.open(packed, "wb", compresslevel=1) as stream:
                shutil.copyfileobj(plain, stream)
            for form, files in (("one run", [path]), ("gzipped", [packed]), ("two runs at once", [path, second])):
                seconds, peak = _command(qrels, *files)
                note = f"{seconds / LINES / len(files) * 1e9:.0f} ns a line"
                rows.append(Row(f"{LINES:,} lines, {what}: {form}", seconds, None, peak, note))
    return rows
