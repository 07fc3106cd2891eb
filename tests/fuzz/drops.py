"""What a file holds, counted by other eyes than the reader's: rows in are rows out, or something was said.

Each count is a plain one (lines, leaves of a JSON text, cells of a table). Where a file can be understood in more than
one way (is the first line a header?), every way is tried, and the reader must agree with one of them.
"""

from __future__ import annotations

import bz2
import gzip
import io
import json
import lzma
import math
import re
import zlib
from collections.abc import Callable, Iterator
from itertools import dropwhile, pairwise
from pathlib import Path
from typing import Any

import polars as pl
import zstandard

from cranfield import Scores
from cranfield.core.recognition import LONG_PARTS, NAMES
from cranfield.core.text import MISSING_MARKS

HEADERS = {
    "teams": {"system", "team"},
    "orders": {"system", "score"},
    "factors": {"topic", "measure", "mean", "sd", "systems", "version", "provenance"},
    "run": {"qid", "docno", "score", "rank"},
    "qrels": {"topic", "subtopic", "document", "relevance", "query-id", "corpus-id", "score"},
}
"""Words of a first line that names columns."""
NOT_READ = r"not read|left out|dropped|missing|skipped|omitted"
"""How a note, a warning or the provenance of scores says that something in the file was passed over."""


def lost(name: str, kind: str, data: bytes, result: Any, said: list[str]) -> str | None:
    """What a reader dropped without a word, or None; `said` are its notes and warnings."""
    if kind == "compressed":
        plain = _decompressed(data, Path(name).suffix)
        if plain is None:
            return f"{len(result)} rows came out of a file that is not whole"
        name, kind, data = Path(name).stem, "run", plain
    ways = _ways(name, kind, data, len(result) if isinstance(result, Scores) else 1)
    out = _size(kind, result)
    if out in ways or out > max(ways, default=0) or re.search(NOT_READ, " ".join(said)):
        return None  # more than was counted is nothing lost: what looks like a header may be a row
    return f"{out} of {' or '.join(map(str, sorted(ways)))} came out, and nothing was said"


def _decompressed(data: bytes, ending: str) -> bytes | None:
    """The whole of a file at once, as the libraries do it without a stream; None where it is broken."""
    try:
        if ending != ".zst":
            return {".gz": gzip, ".bz2": bz2, ".xz": lzma}[ending].decompress(data)  # type: ignore[attr-defined, no-any-return]
        plain = b""
        while data:
            engine = zstandard.ZstdDecompressor().decompressobj()
            plain += engine.decompress(data)
            if not engine.eof:
                return None
            data = engine.unused_data
        return plain
    except (OSError, EOFError, ValueError, zlib.error, lzma.LZMAError, zstandard.ZstdError):
        return None


def _size(kind: str, result: Any) -> int:
    """How many rows or scores came out."""
    if kind in ("scores", "parquet"):
        return sum(matrix.values.size for matrix in result.values())
    if kind == "factors":
        return sum(len(one.topics) for one in result.values())
    return len(result.probability if kind == "intents" else result)


def _ways(name: str, kind: str, data: bytes, measures: int = 1) -> set[int]:
    """How many rows or scores the file holds, by every way to look at it; none where only the reader can tell.

    `measures` is how many the reader found in it.
    """
    if name.endswith(".parquet"):
        rows = _parquet_rows(data)
        return _cells(rows, measures) if kind == "parquet" else {len(rows) - 1}
    try:
        text = data.decode("utf-8-sig")
    except UnicodeDecodeError:
        return set()
    if name.endswith(".json") and (value := _object(text)) is not None:
        return {_leaves(value, kind)}
    lines = _lines(text) if kind in ("run", "qrels", "scores", "factors") else re.split(r"\r\n|\r|\n", text)
    if name.endswith(".jsonl"):
        rows = [_object(line.lstrip("\ufeff")) for line in lines if line.strip()]
        if kind != "scores" or not all(isinstance(row, _Pairs) for row in rows):
            return {len(rows)}
        if any(name == "nuggets" for name, _ in rows[0]):
            return {len(rows) * measures}
        return _cells([[name for name, _ in rows[0]], *(row.values() for row in rows)], measures)
    if name.endswith((".csv", ".tsv")) or kind == "scores":
        if '"' in text and not name.endswith(".eval"):
            return set()  # a field may hold line ends
        held = [line for line in lines if re.search(r"[^\s,;]", line)]
        if kind == "scores":
            every = [line for line in re.split(r"[\r\n]+", text) if re.search(r"[^\s,;]", line)]  # or each CR ends one
            anywhere = name.endswith((".eval", ".nev"))  # elsewhere comments stand above the table only
            uncommented = [
                [line for line in some if not line.lstrip().startswith("#")]
                if anywhere
                else list(dropwhile(lambda line: line.startswith("#"), some))
                for some in (held, every)
            ]
            return set().union(
                *(_of_leaderboard(some) for some in (held, every, *uncommented)),
                *(
                    _cells(
                        [cut(line) for line in some],
                        measures,
                        one_a_line=anywhere or (cut is str.split and all(len(line.split()) == 3 for line in some)),
                    )
                    for some in (held, every, *uncommented)
                    for cut in (
                        (_fields,) if re.search("[,;]", "".join(some[:1])) and not anywhere else (_fields, str.split)
                    )
                ),
            )
        if kind == "teams":  # a line that says the same again says nothing new
            held = list({tuple(_fields(line)): line for line in reversed(held)}.values())[::-1]
        kept = [line for line in held if not line.lstrip().startswith("#")]
        bare = text.count("\r") - text.count("\r\n")  # which a table may take for line ends
        return {
            len(some) + more - header
            for some in (held, kept)  # a topic may be called #
            for more in {0, bare}
            for header in _headers(some, kind)
        }
    held = [line for line in lines if line.strip()]
    if kind in ("orders", "factors"):  # in which # is no comment; an order may have a header
        return {len(held) - header for header in _headers(held, kind)} if kind == "orders" else {len(held)}
    return {sum(not line.split()[0].startswith("#") for line in held)}


def _of_leaderboard(lines: list[str]) -> set[int]:
    """The lines of topics in a leaderboard, whose four fields end with a number and are not all numbers."""
    rows = [line.split() for line in lines]
    if not all(len(row) == 4 and _is_number(row[3]) for row in rows) or all(
        _is_number(one) for row in rows for one in row
    ):
        return set()
    return {sum(not {"all", "all_topics", "amean"} & {*row[1:3]} for row in rows)}


def _lines(text: str) -> list[str]:
    """Lines end with LF, or CR LF; in a file without LF, with CR."""
    return text.replace("\r\n", "\n").split("\n") if "\n" in text.rstrip() else text.replace("\r", "\n").split("\n")


def _fields(line: str) -> list[str]:
    for separator in (",", ";", "\t"):
        if separator in line:
            return [field.strip(" \t\r") for field in line.split(separator)]
    return line.split()


def _headers(lines: list[str], kind: str) -> set[int]:
    """Whether the first line names columns: 1 where all its words do, 0 where none does, else both."""
    fields = _fields(lines[0]) if lines else []
    names = [field.strip("\ufeff").strip().casefold() for field in fields]
    if kind == "orders" and len(names) == 1:  # a list of systems, which may have one called score
        return {int(names == ["system"])}
    known = [name in HEADERS.get(kind, ()) for name in names]
    return {1} if known and all(known) else {0, 1} if any(known) else {0}


def _cells(rows: list[list[Any]], measures: int, *, one_a_line: bool = False) -> set[int]:
    """The scores in a table: its cells, with or without a column of topics; of a long one its rows, of a tidy one so
    many measures a row.
    """
    if not rows:
        return set()
    cells = [str(cell).strip() for cell in rows[0]]
    names = [cell.strip("\ufeff").casefold() for cell in cells]
    header = names[0] in {"", *NAMES["topic"]} or not all(map(_is_number, cells[1:] or cells))
    body = rows[header:]
    held, height = sum(cell not in ("", None) for row in body for cell in row), len(body)
    ways = {held, held - height}
    if not header and not _is_number(cells[0]) and all(_is_number(str(cell)) for row in rows[1:] for cell in row):
        ways.add(held - len(cells))  # names of systems, one of them a number, above a table without topics
        if all(len(row) == len(cells) + 1 for row in rows[1:]):
            ways.add(held - len(cells) - (height - 1))  # and above one whose topics have no name
    if one_a_line:
        ways.add(len(rows))
    parts = {part: at for part in LONG_PARTS for at, name in enumerate(names) if name in NAMES[part]}
    if "topic" in parts:
        topics = {str(row[parts["topic"]]) for row in body if len(row) > parts["topic"]}
        if "value" in parts:
            ways.add(height)
        elif "system" in parts or len(topics) < height:
            ways.add(height * measures)
    return ways


def _is_number(text: str) -> bool:
    try:
        # Digits of other scripts are letters to the reader, and 1_000 is a name.
        return text.isascii() and "_" not in text and math.isfinite(float(text))
    except ValueError:
        return text.casefold() in MISSING_MARKS


def _parquet_rows(data: bytes) -> list[list[Any]]:
    frame = pl.read_parquet(io.BytesIO(data))
    return [frame.columns, *map(list, frame.iter_rows())]


def _leaves(value: Any, kind: str) -> int:
    """The scalars of a JSON text, each of every pair, also where a name comes twice; of factors the rows."""
    if kind == "factors":
        return len(dict(value).get("rows", ()))
    return sum(1 for _ in _scalars(value))


class _Pairs(list):  # type: ignore[type-arg]
    """An object as its pairs, so that none hides another."""

    def values(self) -> list[Any]:
        return [value for _, value in self]


def _object(text: str) -> Any:
    """What a JSON text holds; None of another text, which may be lines of fields under a misleading name."""
    try:
        return json.loads(text, object_pairs_hook=_Pairs)
    except ValueError:
        return None


def _scalars(value: Any) -> Iterator[Any]:
    if isinstance(value, _Pairs):
        for one in value.values():
            yield from _scalars(one)
    elif isinstance(value, list):
        for one in value:
            yield from _scalars(one)
    elif value is not None and not (isinstance(value, float) and math.isnan(value)):
        yield value


def said_by(result: Any) -> list[str]:
    """The notes and warnings that a result carries."""
    notes = [*getattr(result, "notes", ()), *getattr(result, "warnings", ())]
    if isinstance(result, Scores):
        notes += [note for matrix in result.values() for note in matrix.provenance]
    return notes


SAID = re.compile(r"missing|lack|left out|no score")
"""How an answer says that a score is not there."""
ROWS: dict[str, Callable[[int, int], int]] = {
    "convert": lambda topics, systems: topics * systems,
    "leaderboard": lambda topics, systems: systems,
    "compare": lambda topics, systems: systems * (systems - 1) // 2,
    "table": lambda topics, systems: systems,
    "standardise fit": lambda topics, systems: topics,
    "standardise apply": lambda topics, systems: topics * systems,
    "standardise robustness": lambda topics, systems: systems,
}
"""How many rows the answer about a table of so many topics and systems has."""
CHOOSE = {"--show", "--system", "--baseline", "-b", "--leave-out", "--teams", "--team-prefix", "--tune", "--header", "--no-header",
          "--topic-column", "--no-topic-column", "--measure", "-m", "--kind", "--layout"}  # fmt: skip
"""Options by which an answer is about a part of the table, or about something else in it."""


def left_out(words: list[str], answer: dict[str, Any]) -> list[str]:
    """What a command was given in its tables and does not answer for, without a word."""
    if words[0] == "evaluate" and "d/runs" in words:
        return _left_out_of_runs(words, answer)
    said = SAID.search(" ".join(answer["warnings"])) is not None
    chosen = {after for word, after in pairwise(words) if word == "--system"}
    problems = []
    for name in {"x.csv", "y.csv", "family.csv"} & {*words}:
        header, *rows = [line.split(",") for line in Path(name).read_text().splitlines()]
        asked = [at for at, system in enumerate(header) if not chosen or system in chosen]
        if not said and any(row[at] in ("", "nan") for row in rows for at in asked):
            problems.append(f"{name} lacks a score, and nothing is said of it")
    command = next((one for one in (" ".join(words[:2]), words[0]) if one in ROWS), None)
    if command is None or words[len(command.split())] != "x.csv" or said or CHOOSE & {*words}:
        return problems
    header, *rows = [line.split(",") for line in Path("x.csv").read_text().splitlines()]
    wanted, given = ROWS[command](len(rows), len(header) - 1), len(answer["rows"])
    return problems if given == wanted else [*problems, f"{given} of {wanted} rows came out, and nothing was said"]


def _left_out_of_runs(words: list[str], answer: dict[str, Any]) -> list[str]:
    """Every run has its scores, of every judged topic where they are asked for; topics of one side alone are told."""
    judged = {line.split()[0] for line in Path("d/qrels.txt").read_text().splitlines()}
    problems = []
    for file in sorted(Path("d/runs").iterdir()):
        met = {line.split()[0] for line in file.read_text().splitlines()}
        rows = {row["topic"] for row in answer["rows"] if row["system"] == file.stem}
        each = {"-q", "--per-topic"} & {*words} and "drop-topic" not in words
        wanted = {*judged, "all"} if each else {"all"}
        if not wanted <= rows:
            problems.append(f"{file.stem} has no score of {sorted(wanted - rows)}")
        if met != judged and not any(text.startswith(f"{file.stem}: ") for text in answer["warnings"]):
            problems.append(f"{file.stem} and the judgments differ in topics, and nothing is said of it")
    return problems
