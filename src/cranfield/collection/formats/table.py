"""Tables with a header that names the columns, set apart by commas, semicolons or tabs."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from cranfield.collection.formats import COLLECTION_FORMATS, CollectionFile, CollectionFormat

if TYPE_CHECKING:
    import polars as pl

    from cranfield.collection.parsed import Parsed
    from cranfield.collection.types import Qrels, Run


def _header(file: CollectionFile) -> list[str]:
    line = file.first[0].decode() if file.first else ""
    separator = next((mark for mark in "\t,;" if mark in line), None)
    return [] if separator is None else [field.strip().strip('"') for field in line.split(separator)]


def is_run(file: CollectionFile) -> bool:
    """Whether the first line names topic, document, and score or rank."""
    from cranfield.collection.rows import columns_of

    parts = columns_of(_header(file), ["topic", "document", "rank", "score"])
    return {"topic", "document"} <= set(parts) and bool({"rank", "score"} & set(parts))


def is_qrels(file: CollectionFile) -> bool:
    """Whether the first line names topic, document and relevance."""
    from cranfield.collection.rows import columns_of

    return {"topic", "document", "relevance"} <= set(columns_of(_header(file), ["topic", "document", "relevance"]))


def _columns(file: CollectionFile, parts: list[str]) -> tuple[dict[str, Any], list[int]]:
    """The columns as text, and the line of each row."""
    from cranfield.collection.rows import columns_of
    from cranfield.files import Problems, shown
    from cranfield.scores.text_tables import read_table

    table = read_table(file.text, file.path)
    header = [name.strip() for name in table.rows[0]]
    named = columns_of(header, parts)
    problems = Problems(file.path)
    needed = [part for part in ("topic", "document", "relevance") if part in parts]
    if lacking := [part for part in needed if part not in named]:
        names = ", ".join(header)
        problems.add(
            table.lines[0], f"no column is the {lacking[0]}; there are: {shown(names)}; are its quotes in pairs?"
        )
    problems.raise_if_any()
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


def read_run(file: CollectionFile) -> Parsed:
    """One run; a column that names systems must name one."""
    from cranfield.collection.parsed import Parsed
    from cranfield.collection.rows import Place, run_frame

    columns, lines = _columns(file, ["topic", "document", "rank", "score", "system"])
    place = Place(file.path, lines.__getitem__)
    systems = list(dict.fromkeys(columns.pop("system", [])))
    if len(systems) > 1:
        place.fail(
            f"holds {len(systems)} runs ({', '.join(systems[:3])}, …); read it as a frame, or write one file per run"
        )
    return Parsed(run_frame(columns, place), tag="".join(systems))


def read_qrels(file: CollectionFile) -> Parsed:
    """The judgments."""
    from cranfield.collection.parsed import Parsed
    from cranfield.collection.rows import Place, qrels_frame

    columns, lines = _columns(file, ["topic", "document", "relevance", "subtopic"])
    return Parsed(qrels_frame(columns, Place(file.path, lines.__getitem__)))


def write_run(run: Run) -> bytes:
    """Comma-separated: topic, document, rank, score."""
    return run.frame.select("topic", "document", "rank", "score").write_csv().encode()


def write_qrels(qrels: Qrels) -> bytes:
    """Comma-separated: topic, subtopic, document, relevance."""
    return qrels.frame.select("topic", "subtopic", "document", "relevance").write_csv().encode()


def tab_separated(frame: pl.DataFrame, place: str, header: bool = False) -> bytes:
    """Lines of fields set apart by tabs, once no field holds one."""
    import polars as pl

    from cranfield.errors import DataError

    for name in frame.columns:
        if frame[name].dtype == pl.String:
            bad = frame.filter(pl.col(name).str.contains(r"[\t\r\n]") | (pl.col(name).str.strip_chars() == ""))
            if bad.height:
                text = f"{name} {bad[name][0]!r} cannot stand in a tab-separated file; write json instead"
                raise DataError(f"{place}: {text}")
    return frame.write_csv(separator="\t", include_header=header, quote_style="never").encode()


TABLE = COLLECTION_FORMATS.register(
    CollectionFormat(
        name="table",
        summary="a header and comma-, semicolon- or tab-separated columns, named as in frames",
        is_run=is_run,
        is_qrels=is_qrels,
        read_run=read_run,
        read_qrels=read_qrels,
        write_run=write_run,
        write_qrels=write_qrels,
        ending=".csv",
        asked_by=".csv",
        notes="columns in any order: `topic,document,rank,score`, PyTerrier's `qid,docno,…`, ir_measures' "
        "`query_id,doc_id,…`; others are passed over",
        tried=30,
        rank=50,
    )
)
