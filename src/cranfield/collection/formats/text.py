"""Lines of fields: TREC's and NTCIR's (which `collection.readers` reads), MS MARCO's, and tables with a header."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

from cranfield.collection.formats import COLLECTION_FORMATS, COLUMNS, CollectionFile, CollectionFormat, Kind
from cranfield.collection.formats.json import write_json
from cranfield.core.errors import DataError, FileError, Problem
from cranfield.core.recognition import (
    BEIR_HEADER,
    QRELS_PARTS,
    RUN_PARTS,
    columns_of,
    data_lines,
    is_qrels_header,
    is_run_header,
    separated,
)
from cranfield.core.text import Problems, shown

if TYPE_CHECKING:
    import polars as pl

    from cranfield.collection.lines import Parsed

_WHOLE = re.compile(rb"\d+")


def _write_trec(data: Any, kind: Kind) -> bytes:
    from cranfield.collection.writers import to_trec_qrels, to_trec_run

    return to_trec_run(data) if kind == "run" else to_trec_qrels(data)


def _write_ntcir(qrels: Any, kind: Kind) -> bytes:
    """Lines such as ``0201 doc-1 L2``; with the intent between when there is more than one."""
    lines = _write_trec(qrels, kind).decode()
    if (qrels.frame["subtopic"] == "0").all():
        return re.sub(r"(?m)^(\S+) \S+ (\S+) (-?\d+)$", r"\1 \2 L\3", lines).encode()
    return re.sub(r"(?m)(-?\d+)$", r"L\1", lines).encode()


# ── MS MARCO ──────────────────────────────────────────────────────────────────────────────────────────────


def _fields(line: bytes) -> list[bytes]:
    by_tabs = [field.strip() for field in line.split(b"\t")]
    return by_tabs if len(by_tabs) == 3 else line.split()


def _is_msmarco(file: CollectionFile, kind: Kind) -> bool:
    """Whether lines have three fields, of which the last is a whole number."""
    rows = [_fields(line) for line in file.first]
    return bool(rows) and all(len(row) == 3 for row in rows) and bool(_WHOLE.fullmatch(rows[0][2]))


def _read_msmarco(file: CollectionFile, kind: Kind) -> Parsed:
    """The score of a document is minus its rank, so that every order is the order of the ranks."""
    problems = Problems(file.path)
    rows, lines = [], []
    for number, line in data_lines(file.text):
        fields = _fields(line)
        if len(fields) != 3 or not all(fields):
            problems.add(number, f"expected 3 fields (topic document rank), found {shown(line.decode().strip())}")
        elif not _WHOLE.fullmatch(fields[2]) or len(fields[2]) > 15:
            problems.add(number, f"expected a whole number as rank (field 3), found {shown(fields[2].decode())}")
        else:
            rows.append((fields[0].decode(), fields[1].decode(), int(fields[2])))
            lines.append(number)
    problems.raise_if_any()
    columns = {part: [row[at] for row in rows] for at, part in enumerate(("topic", "document", "rank"))}
    note = "no scores in the file: documents are ordered by rank (score = -rank)"
    return file.parsed(kind, columns, lines, notes=(note,))


def _write_msmarco(data: Any, kind: Kind) -> bytes:
    """Topic, document and rank by score, ties as trec_eval breaks them; or TREC's four fields."""
    from cranfield.collection.pools import ranked

    if kind == "run":
        return _tab_separated(ranked(data.frame, "score"), f"run {data.system}")
    return _tab_separated(data.frame.select(COLUMNS[kind]), f"judgments {data.name}")


def _tab_separated(frame: pl.DataFrame, place: str, header: bool = False) -> bytes:
    """Lines of fields separated by tabs; an error where a field holds one."""
    import polars as pl

    for name in (name for name, dtype in frame.schema.items() if dtype == pl.String):
        bad = frame.filter(pl.col(name).str.contains(r"[\t\r\n]") | (pl.col(name).str.strip_chars() == ""))
        if bad.height:
            text = f"{name} {bad[name][0]!r} cannot be written to a tab-separated file; write json instead"
            raise DataError(f"{place}: {text}")
    return frame.write_csv(separator="\t", include_header=header, quote_style="never").encode()


# ── tables with a header ──────────────────────────────────────────────────────────────────────────────────


def _is_table(file: CollectionFile, kind: Kind) -> bool:
    """Whether the first line names the columns of a run, or of judgments."""
    header = separated(file.first[0].decode()) if file.first else []
    return is_run_header(header) if kind == "run" else is_qrels_header(header)


def _read_table(file: CollectionFile, kind: Kind) -> Parsed:
    """One run (a column of systems must name a single one), or judgments."""
    from cranfield.scores.text_tables import read_table

    table = read_table(file.text, file.path)
    header = [name.strip() for name in table.rows[0]]
    named = columns_of(header, [*RUN_PARTS, "system"] if kind == "run" else QRELS_PARTS)
    needed = ("topic", "document", "relevance")[: 2 if kind == "run" else 3]
    if lacking := [part for part in needed if part not in named]:
        text = f"no column holds the {lacking[0]}; found {shown(', '.join(header))}. Check that quotes are paired."
        raise FileError(file.path, [Problem(table.lines[0], text)])
    problems = Problems(file.path)
    for line, row in zip(table.lines[1:], table.rows[1:], strict=True):
        if len(row) != len(header):
            problems.add(line, f"expected {len(header)} fields ({', '.join(header)}), found {len(row)}")
    problems.raise_if_any()
    places = {part: header.index(name) for part, name in named.items()}
    columns = {part: [row[at].strip() for row in table.rows[1:]] for part, at in places.items()}
    systems = list(dict.fromkeys(columns.pop("system", [])))
    if len(systems) > 1:
        some = ", ".join(systems[:3])
        text = f"holds {len(systems)} runs ({some}, …); read it as a frame, or write one file per run"
        raise FileError(file.path, [Problem(0, text)])
    return file.parsed(kind, columns, table.lines[1:], tag="".join(systems))


def _write_beir(data: Any, kind: Kind) -> bytes:
    """The TSV with BEIR's header; subtopics have no place there. Runs are JSON."""
    if kind == "run":
        return write_json(data, kind)
    if data.frame.select("topic", "document").is_duplicated().any():
        raise DataError(f"judgments {data.name}: BEIR's format cannot hold subtopics; write trec instead")
    columns = {"query-id": "topic", "corpus-id": "document", "score": "relevance"}
    return _tab_separated(data.frame.select(**columns), f"judgments {data.name}", header=True)


COLLECTION_FORMATS.register(
    CollectionFormat(
        name="trec",
        summary="runs `topic Q0 document rank score tag`, qrels `topic iteration document relevance`",
        write=_write_trec,
        ending=".run",
        notes="any mix of blanks and tabs (with tabs alone, ids may hold blanks); blank and `#` lines and NTCIR's "
        "`<SYSDESC>` line are skipped and reported; fields after the tag need lenient; scores are finite; a document "
        "occurs at most once per topic; the iteration field is the subtopic of diversity judgments; relevance is an "
        "integer, also negative",
        rank=10,
    )
)
COLLECTION_FORMATS.register(
    CollectionFormat(
        name="ntcir",
        summary="NTCIR's qrels: `topic document L2`",
        write=_write_ntcir,
        writes=("qrels",),
        ending=".qrels",
        notes="`topic intent document L2` for diversity; also read without the L",
        rank=20,
    )
)
COLLECTION_FORMATS.register(
    CollectionFormat(
        name="msmarco",
        summary="MS MARCO's runs `topic document rank`, separated by tabs; its qrels are TREC's",
        recognise=_is_msmarco,
        read=_read_msmarco,
        reads=("run",),
        write=_write_msmarco,
        ending=".tsv",
        notes="no scores: documents are ordered by rank, which is reported; ids may hold blanks",
        tried=40,
        rank=30,
    )
)
COLLECTION_FORMATS.register(
    CollectionFormat(
        name="beir",
        summary="BEIR's and MTEB's qrels `query-id corpus-id score` with that header; runs as JSON",
        recognise=lambda file, kind: bool(file.first) and file.first[0].split() == BEIR_HEADER,
        read=_read_table,
        reads=("qrels",),
        write=_write_beir,
        ending=".json",
        notes="results and predictions are `json` below; MTEB's files of means are refused with the reason",
        tried=20,
        rank=40,
    )
)
COLLECTION_FORMATS.register(
    CollectionFormat(
        name="table",
        summary="a header and comma-, semicolon- or tab-separated columns, named as in frames",
        recognise=_is_table,
        read=_read_table,
        reads=("run", "qrels"),
        write=lambda data, kind: data.frame.select(COLUMNS[kind]).write_csv().encode(),
        ending=".csv",
        asked_by=".csv",
        notes="columns in any order: `topic,document,rank,score`, PyTerrier's `qid,docno,…`, ir_measures' "
        "`query_id,doc_id,…`; others are ignored",
        tried=30,
        rank=50,
    )
)
