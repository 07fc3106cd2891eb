"""Lines of fields: TREC's and NTCIR's (which `collection.readers` reads), MS MARCO's, and tables with a header."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from cranfield.collection.formats import COLLECTION_FORMATS, CollectionFile, CollectionFormat
from cranfield.collection.formats.json import write_json_run
from cranfield.core.columns import QRELS_PARTS, RUN_PARTS, columns_of, is_qrels_header, is_run_header
from cranfield.core.errors import DataError, FileError, Problem
from cranfield.core.files import Problems, shown
from cranfield.core.recognition import BEIR_HEADER, data_lines, separated

if TYPE_CHECKING:
    import polars as pl

    from cranfield.collection.lines import Parsed
    from cranfield.collection.types import Qrels, Run

_WHOLE = re.compile(rb"\d+")


def write_trec_run(run: Run) -> bytes:
    """Lines of six fields."""
    from cranfield.collection.writers import to_trec_run

    return to_trec_run(run)


def write_trec_qrels(qrels: Qrels) -> bytes:
    """Lines of four fields."""
    from cranfield.collection.writers import to_trec_qrels

    return to_trec_qrels(qrels)


def write_ntcir_qrels(qrels: Qrels) -> bytes:
    """Lines such as ``0201 doc-1 L2``; with the intent between when there is more than one."""
    lines = write_trec_qrels(qrels).decode()
    if (qrels.frame["subtopic"] == "0").all():
        return re.sub(r"(?m)^(\S+) \S+ (\S+) (-?\d+)$", r"\1 \2 L\3", lines).encode()
    return re.sub(r"(?m)(-?\d+)$", r"L\1", lines).encode()


# ── MS MARCO ──────────────────────────────────────────────────────────────────────────────────────────────


def _fields(line: bytes) -> list[bytes]:
    by_tabs = [field.strip() for field in line.split(b"\t")]
    return by_tabs if len(by_tabs) == 3 else line.split()


def is_msmarco_run(file: CollectionFile) -> bool:
    """Whether lines have three fields, of which the last is a whole number."""
    rows = [_fields(line) for line in file.first]
    return bool(rows) and all(len(row) == 3 for row in rows) and bool(_WHOLE.fullmatch(rows[0][2]))


def read_msmarco_run(file: CollectionFile) -> Parsed:
    """Documents score minus their rank, so that any order is the order of the ranks."""
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
    return file.run(columns, lines, notes=("no scores: documents are in the order of their ranks (score = -rank)",))


def write_msmarco_run(run: Run) -> bytes:
    """Topic, document and rank by score, ties as trec_eval breaks them."""
    from cranfield.collection.pools import ranked

    return _tab_separated(ranked(run.frame, "score"), f"run {run.system}")


def write_msmarco_qrels(qrels: Qrels) -> bytes:
    """TREC's four fields, set apart by tabs."""
    return _tab_separated(qrels.frame.select("topic", "subtopic", "document", "relevance"), f"judgments {qrels.name}")


def _tab_separated(frame: pl.DataFrame, place: str, header: bool = False) -> bytes:
    """Lines of fields set apart by tabs, once no field holds one."""
    import polars as pl

    for name in frame.columns:
        if frame[name].dtype == pl.String:
            bad = frame.filter(pl.col(name).str.contains(r"[\t\r\n]") | (pl.col(name).str.strip_chars() == ""))
            if bad.height:
                text = f"{name} {bad[name][0]!r} cannot stand in a tab-separated file; write json instead"
                raise DataError(f"{place}: {text}")
    return frame.write_csv(separator="\t", include_header=header, quote_style="never").encode()


# ── tables with a header ──────────────────────────────────────────────────────────────────────────────────


def _header(file: CollectionFile) -> list[str]:
    return separated(file.first[0].decode()) if file.first else []


def is_table_run(file: CollectionFile) -> bool:
    """Whether the first line names topic, document, and score or rank."""
    return is_run_header(_header(file))


def is_table_qrels(file: CollectionFile) -> bool:
    """Whether the first line names topic, document and relevance."""
    return is_qrels_header(_header(file))


def _columns(file: CollectionFile, parts: Sequence[str]) -> tuple[dict[str, Any], list[int]]:
    """The columns as text, and the line of each row."""
    from cranfield.scores.text_tables import read_table

    table = read_table(file.text, file.path)
    header = [name.strip() for name in table.rows[0]]
    named = columns_of(header, parts)
    needed = [part for part in ("topic", "document", "relevance") if part in parts]
    if lacking := [part for part in needed if part not in named]:
        text = f"no column is the {lacking[0]}; there are: {shown(', '.join(header))}; are its quotes in pairs?"
        raise FileError(file.path, [Problem(table.lines[0], text)])
    problems = Problems(file.path)
    rows, lines = [], []
    for line, row in zip(table.lines[1:], table.rows[1:], strict=True):
        if len(row) != len(header):
            problems.add(line, f"expected {len(header)} fields ({', '.join(header)}), found {len(row)}")
            continue
        rows.append(row)
        lines.append(line)
    problems.raise_if_any()
    places = {part: header.index(name) for part, name in named.items()}
    return {part: [row[at].strip() for row in rows] for part, at in places.items()}, lines


def read_table_run(file: CollectionFile) -> Parsed:
    """One run; a column that names systems must name one."""
    columns, lines = _columns(file, [*RUN_PARTS, "system"])
    systems = list(dict.fromkeys(columns.pop("system", [])))
    if len(systems) > 1:
        some = ", ".join(systems[:3])
        text = f"holds {len(systems)} runs ({some}, …); read it as a frame, or write one file per run"
        raise FileError(file.path, [Problem(0, text)])
    return file.run(columns, lines, tag="".join(systems))


def read_table_qrels(file: CollectionFile) -> Parsed:
    """The judgments."""
    return file.qrels(*_columns(file, QRELS_PARTS))


def write_table_run(run: Run) -> bytes:
    """Comma-separated: topic, document, rank, score."""
    return run.frame.select("topic", "document", "rank", "score").write_csv().encode()


def write_table_qrels(qrels: Qrels) -> bytes:
    """Comma-separated: topic, subtopic, document, relevance."""
    return qrels.frame.select("topic", "subtopic", "document", "relevance").write_csv().encode()


def is_beir_qrels(file: CollectionFile) -> bool:
    """Whether the header is BEIR's."""
    return bool(file.first) and file.first[0].split() == BEIR_HEADER


def write_beir_qrels(qrels: Qrels) -> bytes:
    """The TSV with BEIR's header; subtopics have no place there."""
    frame = qrels.frame
    if frame.select("topic", "document").is_duplicated().any():
        raise DataError(f"judgments {qrels.name}: BEIR's format has no place for subtopics; write trec instead")
    columns = {"query-id": "topic", "corpus-id": "document", "score": "relevance"}
    return _tab_separated(frame.select(**columns), f"judgments {qrels.name}", header=True)


COLLECTION_FORMATS.register(
    CollectionFormat(
        name="trec",
        summary="runs `topic Q0 document rank score tag`, qrels `topic iteration document relevance`",
        write_run=write_trec_run,
        write_qrels=write_trec_qrels,
        ending=".run",
        notes="any mix of blanks and tabs (ids with blanks where tabs set the fields apart); blank and `#` lines "
        "and a `<SYSDESC>` line (NTCIR) skipped and reported; fields after the tag only when lenient; finite scores; a "
        "document at most once per topic; the iteration field is the subtopic of diversity judgments; relevance is an "
        "integer, negative allowed",
        rank=10,
    )
)
COLLECTION_FORMATS.register(
    CollectionFormat(
        name="ntcir",
        summary="NTCIR's qrels: `topic document L2`",
        write_qrels=write_ntcir_qrels,
        ending=".qrels",
        notes="with `topic intent document L2` for diversity; without the L it is read too",
        rank=20,
    )
)
COLLECTION_FORMATS.register(
    CollectionFormat(
        name="msmarco",
        summary="MS MARCO's runs `topic document rank`, set apart by tabs; its qrels are TREC's",
        is_run=is_msmarco_run,
        read_run=read_msmarco_run,
        write_run=write_msmarco_run,
        write_qrels=write_msmarco_qrels,
        ending=".tsv",
        notes="there are no scores: documents are ordered by rank, which is reported; ids may hold blanks",
        tried=40,
        rank=30,
    )
)
COLLECTION_FORMATS.register(
    CollectionFormat(
        name="beir",
        summary="BEIR's and MTEB's qrels `query-id corpus-id score` with that header; runs as JSON",
        is_qrels=is_beir_qrels,
        read_qrels=read_table_qrels,
        write_run=write_json_run,
        write_qrels=write_beir_qrels,
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
        is_run=is_table_run,
        is_qrels=is_table_qrels,
        read_run=read_table_run,
        read_qrels=read_table_qrels,
        write_run=write_table_run,
        write_qrels=write_table_qrels,
        ending=".csv",
        asked_by=".csv",
        notes="columns in any order: `topic,document,rank,score`, PyTerrier's `qid,docno,…`, ir_measures' "
        "`query_id,doc_id,…`; others are passed over",
        tried=30,
        rank=50,
    )
)
