"""Feed the compiled parser random and structured bytes under the sanitizers: ``make fuzz-columns MINUTES=10 SEED=1``.

It is compiled with -fsanitize=address,undefined and loaded into a fresh interpreter whose objects lie in malloc's
memory, so that a byte read or written beyond its place ends the process. What comes out is read back through the Arrow
structures and compared with the fields of the lines, split and converted by Python. Runs are also judged, and compared
with rankings that Python sorts. At the end, memory must have stopped growing. Needs gcc or clang with its sanitizers.
"""

from __future__ import annotations

import argparse
import ctypes
import importlib.util
import math
import os
import random
import re
import struct
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[2]
NUMBER = re.compile(rb"[+-]?(\d+\.?\d*|\.\d+)([eE][+-]?\d+)?")
WHOLE = re.compile(rb"[+-]?\d+")
KINDS = ("s-slgs", "s-slgs", "sssi", "sss", "s", "gg", "lilg", "--------", "ssssssss")
PIECES = [
    b"1", b"Q0", b"d", b"doc-1234567", b"a-document-of-more-than-twelve-bytes", b"12345678", b"abcdefghijkl",
    b"abcdefghijklm", b"0.5", b"-1.5e-3", b"17.123456789012345", b"1e400", b"1e-400", b"9" * 30, b"." + b"0" * 40 + b"1",
    b"+", b"-", b".", b"e5", b"1e", b"1e+", b"nan", b"inf", b"0x1p3", b"99999999999999999999", b"-0", b"#", b"<", b"\0",
    b"\x1f", b"\xff", "é漢".encode(), b"x" * 300, b"0" * 400 + b"1", b"1e-99999999999999999999", b"4503599627370496.5",
]  # fmt: skip
TOPICS = [b"1", b"a-topic-of-more-than-twelve-bytes", b"2", b"a-topic-of-more-than-thirteen"]
BLANKS = [b" "] * 8 + [b"\t", b"  ", b"\r", b"\x0b", b"\x0c", b" \t \r"]
ENDS = [b"\n"] * 8 + [b"\r\n", b"\n\n", b" \n", b"\n ", b"", b"\r"]


class Array(ctypes.Structure):
    """Arrow's array."""


Array._fields_ = [
    *((name, ctypes.c_int64) for name in ("length", "null_count", "offset", "n_buffers", "n_children")),
    ("buffers", ctypes.POINTER(ctypes.c_void_p)),
    ("children", ctypes.POINTER(ctypes.POINTER(Array))),
    ("dictionary", ctypes.c_void_p),
    ("release", ctypes.c_void_p),
    ("private_data", ctypes.c_void_p),
]


def made(rng: random.Random, kinds: str) -> bytes:
    """Bytes to parse: mostly lines that fit, with a few bytes changed; or any bytes."""
    if rng.random() < 0.1:
        return rng.randbytes(rng.randrange(200))
    odd = rng.choice((0, 0, 0.01, 0.1))
    parts = []
    for _ in range(rng.choice((0, 1, 2, 5, 40))):
        line = [
            rng.choice(PIECES)
            if rng.random() < (0.5 if kind in "s-" else odd)
            else number(rng)
            if kind == "g"
            else b"%d" % rng.randrange(-9, 10**6)
            for kind in kinds[: rng.randrange(9) if rng.random() < odd else None]
        ]
        parts += [rng.choice(BLANKS).join(line), rng.choice(ENDS)]
    data = bytearray(b"".join(parts))
    for _ in range(rng.choice((0, 0, 0, 1, 3))):
        if data:
            data[rng.randrange(len(data))] = rng.choice(b" \t\n\r\x0b#<.eE+-0\x00\x80\xff")
    return bytes(data[: rng.randrange(len(data) + 1)] if rng.random() < 0.2 else data)


def number(rng: random.Random) -> bytes:
    """A number in some notation."""
    value = (
        struct.unpack("d", rng.randbytes(8))[0]
        if rng.random() < 0.3
        else rng.gauss(0, 1) * 10 ** rng.randrange(-30, 30)
    )
    if not math.isfinite(value):
        return b"1"
    if rng.random() < 0.3:
        return b"%d.%de%d" % (rng.randrange(10**9), rng.randrange(10 ** rng.randrange(1, 14)), rng.randrange(-80, 80))
    return rng.choice(("{!r}", "{:.6f}", "{:e}", "{:.17g}", "{:.16e}", "{:.18e}", "{:.12f}")).format(value).encode()


def expected(data: bytes, kinds: str, marks: bytes) -> list[list[Any]] | None:
    """The columns as Python splits and converts them; None where a line does not fit."""
    rows = []
    for line in data.split(b"\n"):
        fields = line.split()
        if not fields:
            continue
        if len(fields) != len(kinds) or fields[0][:1] in [marks[at : at + 1] for at in range(len(marks))]:
            return None
        row: list[Any] = []
        for kind, field in zip(kinds, fields, strict=True):
            if kind == "s":
                row.append(field)
            elif kind == "g":
                if not NUMBER.fullmatch(field) or not math.isfinite(float(field)):
                    return None
                row.append(struct.pack("d", float(field)))
            elif kind in "li":
                if (
                    not WHOLE.fullmatch(field)
                    or len(field.lstrip(b"+-0")) > 18
                    or (kind == "i" and not -(2**31) <= int(field) < 2**31)
                ):
                    return None
                row.append(int(field))
        rows.append(row)
    try:
        data.decode()
    except UnicodeDecodeError:
        return None
    return rows or None


def read_back(capsules: tuple[Any, Any], kinds: str) -> list[list[Any]]:
    """The rows in the structures."""
    pointer = ctypes.pythonapi.PyCapsule_GetPointer
    pointer.restype, pointer.argtypes = ctypes.c_void_p, [ctypes.py_object, ctypes.c_char_p]
    batch = Array.from_address(pointer(capsules[1], b"arrow_array"))
    columns: list[list[Any]] = []
    kept = [kind for kind in kinds if kind != "-"]
    assert batch.n_children == len(kept)
    for at, kind in enumerate(kept):
        child = batch.children[at].contents
        values = child.buffers[1]
        size = {"s": 16, "g": 8, "l": 8, "i": 4}[kind]
        cells = [ctypes.string_at(values + size * row, size) for row in range(child.length)]
        if kind == "s":
            columns.append([seen(cell, child.buffers[2], child.buffers[3]) for cell in cells])
        else:
            columns.append(
                cells if kind == "g" else [int.from_bytes(cell, sys.byteorder, signed=True) for cell in cells]
            )
    return [list(row) for row in zip(*columns, strict=True)] if columns else [[]] * batch.length


def seen(view: bytes, text: int, sizes: int) -> bytes:
    """The text of a view."""
    size, begin, buffer, place = struct.unpack("i4sii", view)
    if size <= 12:
        assert not any(view[4 + size :])
        return view[4 : 4 + size]
    [room] = struct.unpack("q", ctypes.string_at(sizes, 8))
    assert buffer == 0
    assert 0 <= place <= room - size
    whole = ctypes.string_at(text + place, size)
    assert whole[:4] == begin
    return whole


def ranked(rng: random.Random) -> bytes:
    """A run whose topics stand together, with ties; a document may come twice."""
    ids = [piece for piece in PIECES if re.fullmatch(rb"[!-~]+", piece)] + [b"%d" % at for at in range(90)]
    chosen = (
        (topic, document)
        for topic in rng.sample(TOPICS, rng.randrange(1, 4))
        for document in rng.choices(ids, k=2) + rng.sample(ids, rng.randrange(len(ids)))[: rng.choice((1, 9, 99))]
    )
    return b"".join(b"%b Q0 %b 1 %d x\n" % (*pair, rng.randrange(-2, 5)) for pair in chosen)


def judged(rows: list[list[Any]], known: list[list[Any]]) -> Any:
    """What a run's rows hold, in the order of the file; None where its topics or tags are mixed, or a document twice."""
    topics = list(dict.fromkeys(row[0] for row in rows))
    lists = [sorted((struct.unpack("d", row[3]), row[1]) for row in rows if row[0] == topic) for topic in topics]
    together = [row[0] for row in rows] == [topic for topic, one in zip(topics, lists, strict=True) for _ in one]
    unique = all(len({document for _, document in one}) == len(one) for one in lists)
    if not together or not unique or len({row[4] for row in rows}) > 1:
        return None
    first: dict[Any, int] = {}
    for number, (topic, _, document, _) in enumerate(known):
        first.setdefault(topic, number)
        first.setdefault((topic, document), number)
    retrieved, hits, others = [], [], {}
    for topic, one in zip(topics, lists, strict=True):
        if topic not in first:
            others[topic.decode()] = None
            continue
        retrieved += [first[topic], len(one)]
        found = ((rank, first.get((topic, document))) for rank, (_, document) in enumerate(reversed(one), 1))
        hits += [value for rank, number in found if number is not None for value in (rank, number)]
    return rows[0][4].decode(), others, *(struct.pack(f"{len(one)}q", *one) for one in (retrieved, hits))


def judgments(rng: random.Random) -> bytes:
    """Lines of judgments, whose topics may be mixed and whose documents may come twice; rarely any lines."""
    if rng.random() < 0.2:
        return made(rng, "ssss")
    ids = [piece for piece in PIECES if re.fullmatch(rb"[!-~]+", piece)] + [b"%d" % at for at in range(90)]
    pairs = [(topic, one) for topic in rng.sample(TOPICS, rng.randrange(1, 4)) for one in rng.choices(ids, k=20)]
    if rng.random() < 0.5:
        rng.shuffle(pairs)
    return b"".join(b"%b 0 %b 1\n" % pair for pair in pairs)


def resident() -> int:
    """Bytes of this process in memory."""
    return int(Path("/proc/self/statm").read_text().split()[1]) * os.sysconf("SC_PAGE_SIZE")


def work(library: str, seconds: float, seed: int) -> None:
    """Feed it until the time is over."""
    spec = importlib.util.spec_from_file_location("cranfield.collection._columns", library)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    rng, began, tried, taken, half = random.Random(seed), time.monotonic(), 0, 0, 0
    index, known = None, None
    while (gone := time.monotonic() - began) < seconds:
        if index is None or rng.random() < 0.01:
            lines = judgments(rng)
            index, known = module.judgments(lines), expected(lines, "ssss", b"#")
            assert (index is None) == (known is None), lines
            if index is None or known is None:
                continue
            assert index[1] == len(known)
        kinds, marks = rng.choice(KINDS), rng.choice((b"#", b"#<", b""))
        data = ranked(rng) if rng.random() < 0.1 else made(rng, kinds)
        rows = expected(data, "s-slgs", b"#<")
        assert module.judged(index[0], data) == (rows and judged(rows, known)), (data, lines)
        got, wanted = module.columns(data, kinds, marks.decode()), expected(data, kinds, marks)
        assert (got is None) == (wanted is None), (data, kinds, marks)
        if got is not None:
            assert read_back(got, kinds) == wanted, (data, kinds, marks)
            taken += 1
        tried += 1
        if not half and gone > seconds / 2:
            half = resident()
    growth = (resident() - half) / 1e6
    print(f"{tried:,} inputs, {taken:,} of them taken, no fault; memory grew by {growth:.1f} MB in the second half")
    assert growth < 64, "it leaks"  # freed memory waits in the sanitizer's quarantine, which is full by then


def main() -> None:
    """Build it with the sanitizers, and start this again with them."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--minutes", type=float, default=10)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--library")
    options = parser.parse_args()
    if options.library:
        work(options.library, 60 * options.minutes, options.seed)
        return
    sys.path.insert(0, str(ROOT))
    from hatch_build import command

    with tempfile.TemporaryDirectory() as folder:
        library = Path(folder, "_columns.abi3.so")
        words = command(
            library, "-O1", "-g", "-fno-omit-frame-pointer", "-fsanitize=address,undefined", "-fno-sanitize-recover=all"
        )
        subprocess.run(words, check=True)
        runtime = subprocess.run([words[0], "-print-file-name=libasan.so"], check=True, capture_output=True, text=True)
        environment = {
            **os.environ,
            "LD_PRELOAD": runtime.stdout.strip(),
            "PYTHONMALLOC": "malloc",
            "ASAN_OPTIONS": "detect_leaks=0:quarantine_size_mb=16",
        }
        again = [sys.executable, __file__, *sys.argv[1:], "--library", str(library)]
        sys.exit(subprocess.run(again, env=environment).returncode)


if __name__ == "__main__":
    main()
