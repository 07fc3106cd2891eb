"""Factors on disk: CSV, TSV, JSON, parquet, and the file of trec_eval's -Z option."""

from __future__ import annotations

import csv
import io
import json
import math
import os
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any, get_args

import polars as pl

from cranfield.core.defaults import FactorsFormat
from cranfield.core.errors import ArgumentError, DataError, FileError, Problem
from cranfield.core.files import COMPRESSED, read_bytes
from cranfield.core.labels import summary
from cranfield.core.text import JSONProblem, Problems, parse_json, plain_text, score_number, shown, text_lines
from cranfield.core.writing import write_atomically
from cranfield.questions.standardise.fit import VERSION, Factors, Standardisation
from cranfield.scores.text_tables import read_table

FORMAT_NAME = "cranfield standardisation factors"
_BY_ENDING: dict[str, FactorsFormat] = {
    ".csv": "csv", ".tsv": "tsv", ".json": "json", ".parquet": "parquet", ".zscores": "trec",
}  # fmt: skip
_NEEDED = ("topic", "measure", "mean", "sd")


def save(factors: Standardisation, path: str | os.PathLike[str], *, format: FactorsFormat | None = None) -> None:
    """See `Standardisation.save`."""
    write_atomically(path, to_bytes(factors, format or format_of(os.fspath(path))))


def to_bytes(factors: Standardisation, format: FactorsFormat) -> bytes:
    """The factors file's content."""
    if format not in get_args(FactorsFormat):
        raise ArgumentError(f"`format` must be one of {', '.join(get_args(FactorsFormat))}; got {format!r}")
    frame = factors.to_frame()
    if format == "trec":
        return _to_trec(factors).encode()
    if format == "json":
        head = {"format": FORMAT_NAME, "version": factors.version, "provenance": list(factors.provenance)}
        text = json.dumps({**head, "rows": frame.to_dicts()}, indent=1, ensure_ascii=False, allow_nan=False)
        return text.encode() + b"\n"
    # One table carries everything, so that the factors survive any tool that copies tables.
    frame = frame.with_columns(version=pl.lit(factors.version), provenance=pl.lit("; ".join(factors.provenance)))
    if format == "parquet":
        out = io.BytesIO()
        frame.write_parquet(out)
        return out.getvalue()
    text_out = io.StringIO()
    writer = csv.writer(text_out, delimiter="," if format == "csv" else "\t", lineterminator="\n")
    writer.writerow(frame.columns)
    writer.writerows([["" if value is None else value for value in row] for row in frame.iter_rows()])
    return text_out.getvalue().encode()


def trec_measure_names(measures: Iterable[str]) -> dict[str, str]:
    """What trec_eval calls each measure, for a -Z file; a measure it does not have keeps its name.

    >>> trec_measure_names(["AP", "nDCG@10", "clicks"])
    {'AP': 'map', 'nDCG@10': 'ndcg_cut_10', 'clicks': 'clicks'}
    """
    from cranfield.measures.aliases import trec_name, trec_spelling
    from cranfield.measures.names import recognise

    names: dict[str, str] = {}
    for measure in measures:
        known = recognise(measure)
        theirs = measure if known is None or trec_spelling(measure, exact=True) else trec_name(known)
        other_measure = next((other for other, name in names.items() if name == theirs), None)
        if other_measure is not None:
            raise DataError(f"{other_measure} and {measure} are both {theirs} to trec_eval; write them to two -Z files")
        names[measure] = theirs
    return names


def _to_trec(factors: Standardisation) -> str:
    for name in [*factors, *(topic for one in factors.values() for topic in one.topics)]:
        if len(name.split()) != 1:
            raise DataError(f"{name!r} cannot be written to a trec_eval -Z file, whose fields are separated by blanks")
    # trec_eval reads numbers with atof, so full precision costs nothing.
    names = trec_measure_names(factors)
    rows = factors.to_frame().select("topic", "measure", "mean", "sd").iter_rows()
    return "".join(f"{topic} {names[measure]} {mean!r} {sd!r}\n" for topic, measure, mean, sd in rows)


def format_of(name: str) -> FactorsFormat:
    path = Path(name)
    ending = Path(path.stem).suffix if path.suffix.lower() in COMPRESSED else path.suffix
    if ending.lower() not in _BY_ENDING:
        raise ArgumentError(
            f"cannot tell the format of {name} from its ending; end it in {', '.join(_BY_ENDING)}, "
            f"or name the format: {', '.join(get_args(FactorsFormat))}"
        )
    return _BY_ENDING[ending.lower()]


def load(path: str | os.PathLike[str]) -> Standardisation:
    """See `Standardisation.load`. The format is told by the content."""
    name = os.fspath(path)
    data = read_bytes(name)
    try:
        if data.startswith(b"PAR1"):
            from cranfield.core.parquet import read_parquet  # brings processes along

            rows = read_parquet(data, name).to_dicts()
            return _from_rows(rows, [0] * len(rows), name)
        text = plain_text(data, name)
        if text.lstrip().startswith("{"):
            return _from_json(text, name)
        return _from_lines(data, text, name)
    except FileError:
        raise
    except DataError as error:
        raise FileError(name, [Problem(0, str(error))]) from None


def _from_lines(data: bytes, text: str, name: str) -> Standardisation:
    """A table with a header, or trec_eval's -Z file, which has none."""
    first = text.split("\n", 1)[0]
    headed = any("topic" in map(_plain, first.split(mark)) for mark in ",\t" if mark in first)
    if headed:
        table = read_table(data, name)
        header, lines = [_plain(field) for field in table.rows[0]], list(zip(table.lines, table.rows, strict=True))[1:]
        mark, steps, wanted = table.separator, [], "as in the first row"
    else:
        header, lines = list(_NEEDED), [(at, line.split()) for at, line in text_lines(data, name) if line.strip()]
        mark, steps, wanted = " ", [f"read from {Path(name).name}, a trec_eval -Z file"], "(topic measure mean sd)"
    problems = Problems(name)
    if twice := [column for at, column in enumerate(header) if column and column in header[:at]]:
        problems.add(1, f"column {shown(twice[0])} comes twice; keep one")
        problems.raise_if_any()
    for at, fields in lines:
        if len(fields) != len(header):
            problems.add(at, f"expected {len(header)} fields {wanted}, found {len(fields)}: {shown(mark.join(fields))}")
    problems.raise_if_any()
    rows = [dict(zip(header, fields, strict=True)) for _, fields in lines]
    return _from_rows(rows, [at for at, _ in lines], name, steps)


def _plain(field: str) -> str:
    return field.strip().casefold()


def _from_json(text: str, name: str) -> Standardisation:
    try:
        content = parse_json(text)
    except JSONProblem as error:
        raise FileError(name, [Problem(error.line, f"{error.text}; is the file complete?")]) from None
    rows = content.get("rows")
    if not isinstance(rows, list) or not all(isinstance(row, dict) for row in rows):
        raise FileError(name, [Problem(0, 'has no "rows" of factors; is it a factors file?')])
    _check_version(content.get("version"), name, 0)
    provenance = content.get("provenance") or []
    if not isinstance(provenance, list):
        raise FileError(name, [Problem(0, 'its "provenance" is no list; is it a factors file?')])
    return _from_rows(rows, [0] * len(rows), name, [str(step) for step in provenance])


def _from_rows(
    rows: Sequence[dict[str, Any]], lines: Sequence[int], name: str, provenance: Sequence[str] = ()
) -> Standardisation:
    if not rows:
        raise FileError(name, [Problem(0, "holds no factors")])
    for at, row in enumerate(rows):
        if lacking := [column for column in _NEEDED if column not in row]:
            columns = summary([str(column) for column in row], most=8)
            which = f"row {at + 1} of its factors " if at else ""
            problem = f"{which}lacks the column {lacking[0]!r}; it has: {columns}"
            raise FileError(name, [Problem(lines[at] if at else 0, problem)])
    problems = Problems(name)
    by_measure: dict[str, dict[str, tuple[float, float, int | None]]] = {}
    for row, line in zip(rows, lines, strict=True):
        _check_version(row.get("version"), name, line)
        topic, measure = (str("" if row[part] is None else row[part]) for part in ("topic", "measure"))
        if not topic or not measure:
            problems.add(line, "lacks a topic or a measure")
            continue
        try:
            values = (_number(row["mean"]), _number(row["sd"]), _count(row.get("systems")))
        except ValueError as error:
            problems.add(line, f"topic {topic!r}, {measure}: {error}")
            continue
        of_measure = by_measure.setdefault(measure, {})
        if topic in of_measure:
            problems.add(line, f"topic {topic!r}, {measure}: factors given twice; keep one row")
        of_measure[topic] = values
    problems.raise_if_any()
    steps = list(provenance)
    if not steps and rows[0].get("provenance"):
        steps = str(rows[0]["provenance"]).split("; ")
    factors = []
    for measure, topics in by_measure.items():
        mean, sd, counts = zip(*topics.values(), strict=True)
        factors.append(Factors(measure, tuple(topics), mean, sd, counts))  # type: ignore[arg-type]
    return Standardisation(tuple(factors), tuple(steps))


def _number(value: Any) -> float:
    try:
        given = score_number(value) if isinstance(value, str) else float(value)
    except (TypeError, OverflowError):
        given = None
    if given is None or not math.isfinite(given):
        raise ValueError(f"{_cut(value)} is not a finite number")
    return given


def _cut(value: Any) -> str:
    return shown(value) if isinstance(value, str) else shown(repr(value)).strip("'\"")


def _count(value: Any) -> int | None:
    if value is None or value == "":
        return None
    try:
        count = int(value)
    except (TypeError, ValueError, OverflowError):
        raise ValueError(f"{_cut(value)} is not a number of systems") from None
    if not 0 <= count < 2**31:
        raise ValueError(f"{count} is not a number of systems")
    return count


def _check_version(version: Any, name: str, line: int) -> None:
    """A file without a version (trec_eval's, or a table made by hand) is read without a check of versions."""
    if version is None or str(version) == str(VERSION):
        return
    text = f"is version {version} of the factors file; this cranfield reads version {VERSION}; fit the factors again"
    raise FileError(name, [Problem(line, text)])
