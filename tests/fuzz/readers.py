"""Broken files for every reader: whatever is in them, the answer is data or an error with a place.

Sound files are cut, joined, and sown with hostile pieces, and read.
"""

from __future__ import annotations

import io
import random
import tempfile
import traceback
import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import zstandard

from cranfield import Scores, read_order, read_qrels, read_run, read_scores
from cranfield.collection.check import recognise
from cranfield.collection.intents import read_intents
from cranfield.collection.teams import read_teams
from cranfield.compression import COMPRESSED, compressed
from cranfield.errors import CranfieldError, CranfieldWarning
from cranfield.measures.archive import read_archive
from cranfield.standardise.factors import Standardisation
from cranfield.work_files import WorkFile
from fuzz.drops import lost, said_by

JOB = {"measures": ["AP"], "seed": 1}
PIECES = [
    b"", b"\0", b"\r", b"\n", b"\r\n", b"\t", b",", b";", b" ", b'"', b"'", b"{", b"}", b"[", b"]", b":", b"#", b"<", b"%",
    b"nan", b"inf", b"-inf", b"NaN", b"Infinity", b"1e400", b"-1e400", b"1e-400", b"0x10", b"1_000", b"9" * 20, b"9" * 400,
    b"9" * 5000, b"-0", b"0", b"1", b"-1", b"1.5", b"1,5", b"true", b"null", b"None", b"\xff", b"\xfe\xff", b"\xef\xbb\xbf",
    b"\xed\xa0\x80", b"\\ud800", b"\\u0000", b"\xc2\x85", b"\xe2\x80\xa8", b"\xc2\xa0", b"\x0b", b"\x0c", b"\x1c", b"\x1f",
    b"\xd9\xa3", b"Q0", b"L2", b"topic", b"system", b"score", b"measure", b"all", b"[" * 3000, b'{"a":' * 3000, b"x" * 5000,
]  # fmt: skip
"""What is sown into files."""


def _finite(values: Any) -> None:
    if not np.isfinite(np.asarray(values, dtype=np.float64)).all():
        raise AssertionError("a result that is not finite")


def _scores(path: str) -> Scores:
    scores = read_scores(path)
    for matrix in scores.values():
        _finite(matrix.values)
    return scores


def _order(path: str) -> dict[str, float]:
    order = read_order(path)
    _finite(list(order.values()))
    return order


def _factors(path: str) -> Standardisation:
    factors = Standardisation.load(path)
    for one in factors.values():
        _finite(one.mean)
        _finite(one.sd)
    return factors


def _work(path: str) -> None:
    file = WorkFile(path, JOB)
    for key in ("run 1", "AP split 1"):
        file.get(key, {"effects": (2,), "shared": float})


def _work_file() -> bytes:
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "job.work")
        file = WorkFile(path, JOB)
        for key in ("run 1", "run 2", "AP split 1"):
            file.put(key, {"effects": np.array([0.5, -0.5]), "shared": 0.25})
        return path.read_bytes()


def _parquet(rows: int, **columns: Any) -> bytes:
    out = io.BytesIO()
    pl.DataFrame({"topic": [f"t{i}" for i in range(rows)], **columns}).write_parquet(out, statistics=False)
    return out.getvalue()


RUN = b"1 Q0 d1 1 0.9 t\n1 Q0 d2 2 0.8 t\n2 Q0 d1 1 0.5 t\n"


def _blocks(data: bytes) -> bytes:
    """Compressed by zstandard, every line in a block of its own, so that what is cut off may end with a line."""
    engine = zstandard.ZstdCompressor().compressobj()
    block = zstandard.COMPRESSOBJ_FLUSH_BLOCK
    blocks = [engine.compress(line) + engine.flush(block) for line in data.splitlines(keepends=True)]
    return b"".join(blocks) + bytes(engine.flush())


FACTORS = b"topic,measure,mean,sd,systems,version,provenance\n1,AP,0.5,0.1,9,1,here\n2,AP,0.4,0.2,9,1,here\n"
FACTORS_JSON = (
    b'{"format": "cranfield standardisation factors", "version": 1, "provenance": [], "rows": [{"topic": "1", '
    b'"measure": "AP", "mean": 0.5, "sd": 0.1, "systems": 3}]}'
)
TARGETS: list[tuple[str, Callable[[str], object], str, bytes]] = [
    ("run", read_run, "a.run", RUN),
    ("run", read_run, "a.json", b'{"1": {"d1": 0.9, "d2": 0.8}, "2": {"d1": 1}}'),
    ("run", read_run, "a.jsonl", b'{"qid": "1", "docno": "d1", "score": 1}\n{"qid": "1", "docno": "d2", "score": 2}\n'),
    ("run", read_run, "a.tsv", b"1\td1\t1\n1\td2\t2\n2\td1\t1\n"),
    ("run", read_run, "a.csv", b"qid,docno,score,rank\n1,d1,0.9,1\n1,d2,0.8,2\n"),
    ("qrels", read_qrels, "q.txt", b"1 0 d1 1\n1 0 d2 0\n2 0 d1 2\n"),
    ("qrels", read_qrels, "q.txt", b"1 d1 L1\n1 d2 L0\n"),
    ("qrels", read_qrels, "q.json", b'{"1": {"d1": 1, "d2": 0}}'),
    ("qrels", read_qrels, "q.jsonl", b'{"topic": "1", "document": "d1", "relevance": 1}\n{"topic": "1", "document": "d2", "relevance": 0}\n'),
    ("qrels", read_qrels, "q.csv", b"topic,subtopic,document,relevance\n1,0,d1,1\n1,0,d2,0\n"),
    ("qrels", read_qrels, "q.tsv", b"query-id\tcorpus-id\tscore\n1\td1\t1\n"),
    ("scores", _scores, "s.csv", b"topic,a,b\n1,0.5,0.25\n2,0.75,1\n"),
    ("scores", _scores, "s.csv", b"topic,system,measure,score\n1,a,AP,0.5\n1,b,AP,0.25\n"),
    ("scores", _scores, "s.csv", b"system,topic,AP,P@5\na,1,0.5,0.25\na,2,0.75,1\nb,1,0.5,0.5\nb,2,0.5,0.75\n"),
    ("scores", _scores, "s.txt", b"0.5 0.25\n0.75 1\n0.5 0.5\n"),
    ("scores", _scores, "a.nev", b"1 AP=                  0.5\n1 Q=                   0.25\n2 AP=                  0.75\n2 Q=                   1\n"),
    ("scores", _scores, "s.json", b'{"a": {"1": 0.5, "2": 1}, "b": {"1": 0.25, "2": 0}}'),
    ("scores", _scores, "s.jsonl", b'{"topic": "1", "a": 0.5, "b": 1}\n{"topic": "2", "a": 0.5, "b": 1}\n'),
    ("scores", _scores, "bm25.eval", b"map\t1\t0.5\nmap\t2\t0.25\nmap\tall\t0.375\n"),
    ("parquet", _scores, "s.parquet", _parquet(3, a=[0.0, 0.25, 0.75], b=[0.5] * 3)),
    ("factors", _factors, "f.parquet", _parquet(40, measure=["AP"] * 40, mean=[i / 7 for i in range(40)], sd=[0.5] * 40)),
    ("factors", _factors, "f.csv", FACTORS),
    ("factors", _factors, "f.json", FACTORS_JSON),
    ("factors", _factors, "f.zscores", b"1 map 0.5 0.1\n2 map 0.4 0.2\n"),
    ("teams", read_teams, "t.csv", b"system,team\na,x\nb,x\n# none\nc y\n"),
    ("intents", read_intents, "i.txt", b"1 1 0.5\n1 2 0.5\n"),
    ("orders", _order, "o.txt", b"system,score\na,0.5\nb,0.25\n"),
    ("orders", _order, "o.txt", b"a\nb\nc\n"),
    ("archives", read_archive, "archive.txt", b"one q.txt a.run\n# none\n\"two\" q.txt 'a b.run' *.run.gz\n"),
    *(("compressed", read_run, f"a.run{ending}", compressed(RUN, ending)) for ending in COMPRESSED),
    ("compressed", read_run, "a.run.zst", _blocks(RUN)),
    ("work files", _work, "job.work", _work_file()),
    ("kinds", lambda path: recognise(path, Path(path).read_bytes()), "x", RUN),
]  # fmt: skip


COUNTED = {"run", "qrels", "scores", "factors", "teams", "intents", "orders", "parquet", "compressed"}
"""Kinds of files whose rows or cells are counted a second time; a work file's damaged lines are computed again."""


def mutate(data: bytes, chance: random.Random) -> bytes:
    """The file after one to four changes: a hostile piece put in or in place of a field, a part lost, doubled or moved,
    the end cut off.
    """
    for _ in range(chance.choice((1, 1, 1, 2, 3, 4))):
        place = chance.randrange(len(data) + 1)
        until = min(len(data), place + chance.choice((1, 2, 4, 8, 40)))
        kind = chance.randrange(8)
        if kind == 0:
            data = data[:place] + chance.choice(PIECES) + data[place:]
        elif kind == 1:
            data = data[:place] + chance.choice(PIECES) + data[until:]
        elif kind == 2:
            data = data[:place] + data[until:]
        elif kind == 3:
            data = data[:until] + data[place:until] + data[until:]
        elif kind == 4 and data:
            data = data[: place - 1] + bytes([chance.randrange(256)]) + data[place:]
        elif kind == 5:
            lines = data.splitlines(keepends=True)
            chance.shuffle(lines)
            data = b"".join(lines)
        elif kind == 6:
            data = data[:place]
        else:
            data = _field_replaced(data, chance)
    return data


def _field_replaced(data: bytes, chance: random.Random) -> bytes:
    """One field (what stands between two separators) replaced by a hostile piece."""
    edges = [at for at, byte in enumerate(data) if byte in b' \t,;:"{}[]\n']
    if len(edges) < 2:
        return data
    at = chance.randrange(len(edges) - 1)
    return data[: edges[at] + 1] + chance.choice(PIECES) + data[edges[at + 1] :]


def attempt(seed: int, folder: Path) -> tuple[str, str | None]:
    """One broken file read: which reader, and what went wrong, if anything did."""
    chance = random.Random(seed)
    kind, read, name, data = chance.choice(TARGETS)
    path = folder / name
    broken = mutate(data, chance)
    path.write_bytes(broken)
    try:
        with warnings.catch_warnings(record=True) as heard:
            warnings.simplefilter("error")
            warnings.simplefilter("always", CranfieldWarning)
            result = read(str(path))
        if kind in COUNTED and (drop := lost(name, kind, broken, result, [*map(str, heard), *said_by(result)])):
            return kind, f"{name}: {drop}\n{broken[:300]!r}"
    except CranfieldError as error:
        return kind, f"a message of {len(str(error)):,} characters" if len(str(error)) > 20_000 else None
    except Exception:  # noqa: BLE001 (whatever it is, it is what we look for)
        last = traceback.format_exc(limit=-1)
        return kind, f"{name}: {last}{broken[:300]!r}"
    return kind, None
