"""Broken files for every reader: whatever is in them, the answer is data or an error with a place.

Sound files are cut, joined, and sown with hostile pieces, and read. Where there is a quick way beside the careful one
(runs as machine words, runs in blocks, long tables in columns), both must tell the same.
"""

from __future__ import annotations

import io
import random
import tempfile
import traceback
import warnings
import zipfile
import zlib
from collections.abc import Callable
from functools import partial
from pathlib import Path
from types import SimpleNamespace
from typing import Any
from unittest import mock
from unittest.mock import patch

import numpy as np
import polars as pl
import zstandard

from cranfield import Run, Scores, read_order, read_qrels, read_run, read_scores
from cranfield.collection import compiled
from cranfield.collection.check import check_and_read
from cranfield.collection.groups import read_groups
from cranfield.collection.intents import read_intents
from cranfield.collection.preferences import read_preferences
from cranfield.collection.streaming import RunStream
from cranfield.collection.teams import read_teams
from cranfield.collection.titles import read_titles
from cranfield.core import parquet
from cranfield.core.errors import CranfieldError, CranfieldWarning
from cranfield.core.files import COMPRESSED, compressed
from cranfield.core.labels import check_unique
from cranfield.core.recognition import recognise
from cranfield.core.work_files import WorkFile
from cranfield.core.workbooks import workbook
from cranfield.measures.archive import read_archive
from cranfield.questions.across.files import read_parts
from cranfield.questions.compare.clusters import read_topic_groups
from cranfield.questions.judges.inputs import read_strata
from cranfield.questions.pool.contributing import read_contributing
from cranfield.questions.preferences.comparisons import Comparisons
from cranfield.questions.standardise.fit import Standardisation
from cranfield.scores import text_tables
from cranfield.web.server.archives import unpack
from cranfield.web.server.security import Limits
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


def _scores(path: str, **how: Any) -> Scores:
    scores = read_scores(path, **how)
    for matrix in scores.values():
        _finite(matrix.values)
    return scores


def _outcome(read: Callable[[], Any]) -> Any:
    """What comes of reading: the data, or the error in words."""
    try:
        return read()
    except CranfieldError as error:
        return str(error)


def _alike(quick: Any, careful: Any) -> None:
    if quick != careful:
        raise AssertionError(f"read quickly {str(quick)[:300]}\nread carefully {str(careful)[:300]}")


def _both_ways(path: str) -> Run:
    """A run by the compiled parser and without it."""

    def rows(run: Run) -> Any:
        return run.frame.rows(), run.tag, run.notes

    def without() -> Any:
        with mock.patch.object(compiled, "columns", None):
            return rows(read_run(path))

    _alike(_outcome(lambda: rows(read_run(path))), _outcome(without))
    return read_run(path)


def _rows_by_topic(frame: pl.DataFrame) -> dict[Any, list[Any]]:
    return {key: part.rows() for key, part in frame.group_by("topic", maintain_order=True)}


def _streamed(path: str) -> Run:
    """A run in blocks of a line or two, as `evaluate` reads a long one: the same rows or the same words."""

    def in_blocks() -> Any:
        stream, kept = RunStream(path, memory=0, block=40), []
        for rows in stream.parts():
            kept = [] if rows is None else [*kept, rows]
        return _rows_by_topic(pl.concat(kept)), stream.tag

    _alike(_outcome(in_blocks), _outcome(lambda: (_rows_by_topic((run := read_run(path)).frame), run.tag)))
    return read_run(path)


def _in_columns(path: str) -> Scores:
    """A table of scores as if it were a long one, which is read in columns."""

    def matrices() -> Any:
        return [(one.measure, one.topics, one.systems, one.values.tolist()) for one in _scores(path).values()]

    usual, before = _outcome(matrices), text_tables._LARGE
    text_tables._LARGE = 0
    try:
        _alike(_outcome(matrices), usual)
        return read_scores(path)
    finally:
        text_tables._LARGE = before


def _checked(path: str) -> None:
    """As `check` and the page read a file; an error is part of the answer, and has words."""
    check, content = check_and_read(path)
    if (content is None) != bool(check.problems) or (content is None and not check.error):
        raise AssertionError(f"{check.problems} problems, {check.error!r}, and {content!r} was read")


def _uploaded(path: str) -> None:
    """As the page takes what a visitor sends."""
    data = Path(path).read_bytes()
    for _, chunks in unpack(Path(path).name, io.BytesIO(data), len(data), Limits()):
        b"".join(chunks)


def _zip() -> bytes:
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("runs/a.run", RUN)
        archive.writestr("runs/b.run.gz", compressed(RUN, ".gz"))
    return out.getvalue()


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


PARTS = {"run 1": 0.25, "run 2": 0.125, "AP split 1": 0.5}
"""The finished parts of a job."""


def _work(path: str) -> None:
    """What is kept is what was put there, and what is damaged is said to be."""
    *lines, _ = Path(path).read_bytes().split(b"\n")  # the last may be what a killed process began
    damaged = [line for line in lines if line[:9] != b"%08x " % zlib.crc32(line[9:])]
    with WorkFile(path, JOB) as file:
        if damaged and not file.warnings:
            raise AssertionError(f"{len(damaged)} damaged lines, and nothing was said")
        for key, shared in PARTS.items():
            part = file.get(key, {"effects": (2,), "shared": float})
            if part is not None and (part["effects"].tolist(), part["shared"]) != ([0.5, -0.5], shared):
                raise AssertionError(f"{key} came back as {part}")


def _work_file() -> bytes:
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "job.work")
        file = WorkFile(path, JOB)
        for key, shared in PARTS.items():
            file.put(key, {"effects": np.array([0.5, -0.5]), "shared": shared})
        return path.read_bytes()


def _parquet(rows: int, **columns: Any) -> bytes:
    out = io.BytesIO()
    pl.DataFrame({"topic": [f"t{i}" for i in range(rows)], **columns}).write_parquet(out, statistics=False)
    return out.getvalue()


def _sheet(path: str, ending: str, part: str) -> Scores:
    """The file as the cells of a workbook that is whole otherwise: its archive is broken elsewhere, with `mutate`."""
    place = Path(path).with_suffix(ending)
    with zipfile.ZipFile(io.BytesIO(BOOK[ending])) as whole, zipfile.ZipFile(place, "w") as archive:
        for name in whole.namelist():
            archive.writestr(name, Path(path).read_bytes() if name == part else whole.read(name))
    return _scores(str(place))


def _cells_of(ending: str, part: str) -> bytes:
    with zipfile.ZipFile(io.BytesIO(BOOK[ending])) as archive:
        return archive.read(part)


BOOK = {
    ending: workbook(pl.DataFrame({"topic": ["t1", "t2"], "a": [0.5, 0.25], "b": [0.75, 1.0]}), ending)
    for ending in (".xlsx", ".ods")
}
"""Whole workbooks."""


def _collections(path: str) -> dict[str, Any]:
    """As `across` reads a table with collections or seeds, or results of other tools."""
    parts = read_parts([path], SimpleNamespace(measure=None, names=None, missing="error", system=None, leave_out=None))
    for by_collection in parts.by_measure.values():
        for part in by_collection.values():
            _finite(part.values)
    return parts.by_measure


def _comparisons(path: str) -> Comparisons:
    found = Comparisons.of(path)
    check_unique("topic", found.topics)
    check_unique("system", found.systems)
    return found


def _titles(path: str) -> dict[str, str]:
    titles = read_titles(path, {"d1", "d2", "1"})
    "".join(titles.values()).encode()
    return titles


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
SCORES = b"topic,a,b\n1,0.5,0.25\n2,0.75,1\n"
LONG = b"topic,system,measure,score\n1,a,AP,0.5\n1,b,AP,0.25\n"
NUGGETS = b"".join(
    b'{"qid": "%d", "run_id": "a", "nuggets": [{"importance": "vital", "assignment": "support"}, '
    b'{"importance": "okay", "assignment": "not_support"}]}\n' % topic
    for topic in (1, 2)
)
TARGETS: list[tuple[str, Callable[[str], object], str, bytes]] = [
    ("run", read_run, "a.run", RUN),
    ("run", partial(read_run, lenient=True, name="tag"), "a.run", RUN),
    ("run", _both_ways, "a.run", RUN),
    ("run", _streamed, "a.run", RUN),
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
    ("scores", _scores, "s.csv", SCORES),
    ("scores", partial(_scores, missing="zero"), "s.csv", SCORES),
    ("scores", partial(_scores, missing="drop-topic"), "s.csv", SCORES),
    ("scores", _scores, "s.csv", LONG),
    ("scores", _in_columns, "s.csv", LONG),
    ("scores", _scores, "s.csv", b"system,topic,AP,P@5\na,1,0.5,0.25\na,2,0.75,1\nb,1,0.5,0.5\nb,2,0.5,0.75\n"),
    ("scores", _scores, "s.txt", b"0.5 0.25\n0.75 1\n0.5 0.5\n"),
    ("scores", _scores, "a.nev", b"1 AP=                  0.5\n1 Q=                   0.25\n2 AP=                  0.75\n2 Q=                   1\n"),
    ("scores", _scores, "s.json", b'{"a": {"1": 0.5, "2": 1}, "b": {"1": 0.25, "2": 0}}'),
    ("scores", _scores, "s.jsonl", b'{"topic": "1", "a": 0.5, "b": 1}\n{"topic": "2", "a": 0.5, "b": 1}\n'),
    ("scores", _scores, "s.txt", b"a cov 1 0.5\na cov 2 0.25\nb cov 1 0.75\nb cov 2 1\na cov all 0.375\n"),
    ("scores", _scores, "s.jsonl", NUGGETS),
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
    *(("workbooks", _scores, f"s{ending}", data) for ending, data in BOOK.items()),
    *(
        ("workbooks", partial(_sheet, ending=ending, part=part), "sheet.xml", _cells_of(ending, part))
        for ending, part in ((".xlsx", "xl/worksheets/sheet1.xml"), (".ods", "content.xml"), (".xlsx", "xl/workbook.xml"))
    ),
    ("collections", _collections, "c.csv", b"collection,system,topic,AP\none,a,1,0.5\none,b,1,0.25\ntwo,a,1,0.5\ntwo,b,1,1\n"),
    ("collections", _collections, "c.csv", b"dataset,a,b\none,0.5,0.25\ntwo,0.75,1\n"),
    ("collections", _collections, "c.csv", b"system,seed,topic,AP\na,1,1,0.5\na,2,1,0.25\nb,1,1,0.5\nb,2,1,1\n"),
    ("results", _collections, "mteb.json", b'{"task_name": "one", "mteb_version": "1", "scores": {"test": [{"main_score": 0.5, "ndcg_at_10": 0.5}]}}'),
    ("results", _collections, "beir.json", b'{"ndcg": {"NDCG@10": 0.3, "NDCG@100": 0.4}, "map": {"MAP@10": 0.2}}'),
    ("results", _collections, "ranx.json", b'{"metrics": ["ndcg@10"], "model_names": ["a", "b"], "a": {"scores": {"ndcg@10": 0.5}}, "b": {"scores": {"ndcg@10": 0.25}}}'),
    ("groups", read_topic_groups, "g.csv", b"topic,group\n1,a\n2,a\n# none\n3 b\n"),
    ("groups", read_groups, "g.gmemb", b"1 d1 1 0\n1 d2 0.5 0.5\n2 d1 0 1\n"),
    ("groups", read_strata, "s.txt", b"1 easy\n2 easy\n3,hard\n"),
    ("groups", read_contributing, "c.txt", b"run\na\nb\n# none\nc\n"),
    ("preferences", _comparisons, "p.csv", b"topic,system_a,system_b,preferred\n1,a,b,a\n1,b,c,tie\n2,a,c,b\n"),
    ("preferences", _comparisons, "p.jsonl", b'{"topic": "1", "system_a": "a", "system_b": "b", "preferred": "a"}\n{"topic": "2", "system_a": "a", "system_b": "b", "preferred": "b"}\n'),
    ("preferences", read_preferences, "prefs", b"1 ann a d1 2\n1 ann a d2 1\n1 ann b d1 1\n"),
    ("titles", _titles, "d.jsonl", b'{"id": "d1", "title": "One"}\n{"docno": "d2", "text": "Two"}\n'),
    ("titles", _titles, "d.tsv", b"docno\ttitle\nd1\tOne\nd2\t\"Two, too\"\n"),
    ("titles", _titles, "d.csv", b"d1,One\nd2,Two\n"),
    ("work files", _work, "job.work", _work_file()),
    ("kinds", lambda path: recognise(path, Path(path).read_bytes()), "x", RUN),
    *(("checks", _checked, name, data) for name, data in (("a.run", RUN), ("x", b"1 0 d1 1\n1 0 d2 0\n"), ("s.csv", SCORES))),
    ("uploads", _uploaded, "all.zip", _zip()),
    *(("uploads", _uploaded, f"a.run{ending}", compressed(RUN, ending)) for ending in COMPRESSED),
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
    return kind, problem(kind, read, folder / name, mutate(data, chance))


def problem(kind: str, read: Callable[[str], object], path: Path, data: bytes) -> str | None:
    """What goes wrong when these bytes are read as a file of this kind, if anything does."""
    path.write_bytes(data)
    try:
        # Some broken workbooks keep the library that reads them busy until it is ended.
        with patch.object(parquet, "SECONDS", 1), warnings.catch_warnings(record=True) as heard:
            warnings.simplefilter("error")
            warnings.simplefilter("always", CranfieldWarning)
            result = read(str(path))
        if kind in COUNTED and (drop := lost(path.name, kind, data, result, [*map(str, heard), *said_by(result)])):
            return f"{path.name}: {drop}\n{data[:300]!r}"
    except CranfieldError as error:
        return f"a message of {len(str(error)):,} characters" if len(str(error)) > 20_000 else None
    except Exception:  # noqa: BLE001 (whatever it is, it is what we look for)
        last = traceback.format_exc(limit=-1)
        return f"{path.name}: {last}{data[:300]!r}"
    return None
