"""What a file holds, by its columns and first lines: a run, judgments or scores. Everybody who must know asks here."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from itertools import islice, pairwise
from pathlib import Path
from typing import Any, Literal

from cranfield.core.defaults import FileKind
from cranfield.core.errors import FileError
from cranfield.core.files import STDIN, WORKBOOKS, is_dataset, open_bytes, plain_ending, read_bytes, split_sheet
from cranfield.core.text import BOOKS, JSONProblem, check_text, finite_number, holds_means, parse_json

NAMES: Mapping[str, tuple[str, ...]] = {
    "topic": ("topic", "qid", "query_id", "query-id", "q_id", "topic_id", "topicid", "queryid", "query"),
    "document": (
        "document", "docno", "doc_id", "doc-id", "docid", "corpus_id", "corpus-id", "document_id", "passage_id", "pid",
        "doc",
    ),
    "rank": ("rank", "position"),
    "score": ("score", "sim", "similarity"),
    "relevance": ("relevance", "label", "rel", "grade", "judgment", "judgement", "level", "score"),
    "subtopic": ("subtopic", "iteration", "iter", "intent"),
    "system": ("system", "name", "run", "run_id", "runid", "tag"),
    "measure": ("measure", "metric"),
    "value": ("value", "score"),
    "partition": ("partition",),
}  # fmt: skip
"""Names of columns: ours first, then those of PyTerrier, ir_measures, ranx, BEIR and others. Capitals do not count."""
BY_SYSTEM = (
    "system", "systems", "system name", "system_name", "run", "runs", "run id", "run_id", "runid", "run tag", "runtag",
    "tag", "model", "models", "model name", "method", "methods", "approach", "algorithm", "retriever", "ranker", "name",
)  # fmt: skip
"""Heads of the first column of a wide table whose rows are systems. Capitals do not count."""
RUN_PARTS = ("topic", "document", "rank", "score")
QRELS_PARTS = ("topic", "document", "relevance", "subtopic")
LONG_PARTS = ("system", "topic", "measure", "value", "partition")
COLLECTED: Mapping[str, tuple[str, ...]] = {
    "collection": ("collection", "dataset", "task", "corpus"),
    "seed": ("seed", "repeat", "run_no"),
    "system": ("system", "model", "method", *NAMES["system"]),
    **{part: NAMES[part] for part in ("topic", "measure", "value")},
}
"""Names of columns of tables of several collections or seeds, ours first. Capitals do not count."""


def columns_of(names: Sequence[str], parts: Sequence[str]) -> dict[str, str]:
    """Which column plays which of the parts; parts without a column are left out.

    >>> columns_of(["qid", "docid", "docno", "score"], ["topic", "document", "score"])
    {'topic': 'qid', 'document': 'docno', 'score': 'score'}
    """
    folded = {name.strip().casefold(): name for name in reversed(names)}
    chosen: dict[str, str] = {}
    for part in parts:
        known = (folded[name] for name in NAMES[part] if name in folded and folded[name] not in chosen.values())
        if (column := next(known, None)) is not None:
            chosen[part] = column
    return chosen


def long_columns(names: Sequence[str]) -> dict[str, str] | None:
    """Which column plays which part in a long table of scores; None when it is not one."""
    parts = columns_of(names, LONG_PARTS)
    return parts if {"topic", "value"} <= set(parts) else None


def is_run_header(names: Sequence[str]) -> bool:
    """Whether columns are called as those of a run: topic, document, and score or rank."""
    parts = columns_of(names, RUN_PARTS)
    return {"topic", "document"} <= set(parts) and bool({"rank", "score"} & set(parts))


def is_qrels_header(names: Sequence[str]) -> bool:
    """Whether columns are called as those of judgments: topic, document and relevance."""
    return {"topic", "document", "relevance"} <= set(columns_of(names, QRELS_PARTS))


def is_by_system(name: str) -> bool:
    """Whether the head of a wide table's first column says that its rows are systems.

    >>> is_by_system("System"), is_by_system("topic")
    (True, False)
    """
    return name.strip().casefold() in BY_SYSTEM


def collected_columns(names: Sequence[str]) -> dict[str, str] | None:
    """The column of each part of a table that has a collection or a seed; None for other tables.

    Without a column of values, the columns left are measures if there is one of systems, and systems otherwise.

    >>> collected_columns(["Dataset", "model", "qid", "score"])
    {'collection': 'Dataset', 'system': 'model', 'topic': 'qid', 'value': 'score'}
    >>> collected_columns(["dataset", "bm25", "ours"])
    {'collection': 'dataset'}
    >>> collected_columns(["topic", "bm25", "ours"]) is None
    True
    """
    folded = {name.strip().casefold(): name for name in reversed(names)}
    found = {part: next((folded[one] for one in known if one in folded), None) for part, known in COLLECTED.items()}
    roles = {part: name for part, name in found.items() if name is not None}
    if "value" not in roles and len(roles) == len(names):
        return None
    by_collection = "collection" in roles and ("value" in roles or roles["collection"] in names[:2])
    return roles if by_collection or {"seed", "system"} <= roles.keys() else None


_HEAD = 1 << 16
"""Bytes that tell what a file is, unless its first line is longer."""
_FIRST = 100
"""Lines that have a say in it; one that is broken shall not decide."""
_OBJECT = re.compile(rb'\s*\{(?![ \t]+[^"}\s])')
BEIR_HEADER = [b"query-id", b"corpus-id", b"score"]
MODEL = "mteb_model_meta"
"""The key of MTEB's predictions beside the topics."""


def recognise(path: str, data: bytes | None = None) -> FileKind | Literal["unknown"]:
    """Run, qrels or scores, by the shape of most of the first lines; where these could be anything, by the name.

    What neither lines nor name tell is unknown; reading it as scores will say what is wrong with it. A dataset of
    ir_datasets may have judgments and scored documents; here it stands for the judgments.

    Parameters
    ----------
    path : the file
    data : its bytes, where somebody has read them already; else its beginning is read

    Examples
    --------
    >>> recognise("a.txt", b"301 Q0 FT911-3 1 9.5 x"), recognise("a.txt", b"301 0 FT911-3 1"), recognise("a", b"a b c")
    ('run', 'qrels', 'unknown')
    """
    if is_dataset(path):
        return "qrels"
    data = beginning(path) if data is None else data
    if data.startswith(b"PAR1"):
        return "scores"
    text = check_text(data, path)
    named = Path(path).name.lower()
    if begins_object(text):
        return _kind_of_json(text, path, "qrel" in named)
    lines = first_lines(text)
    header = separated(lines[0].decode()) if lines else []
    judged = "qrel" in named or (bool(lines) and lines[0].split() == BEIR_HEADER)
    if is_run_header(header) and not judged:
        return "run"
    if is_qrels_header(header):
        return "qrels"
    rows = [fields for fields in (line.split() for line in lines) if not fields[0].startswith(b"<")]
    if (three := _of_three(rows, named, bool(lines) and b"\t" in lines[0])) is not None:
        return three
    commonest = Counter(map(_shape, rows)).most_common(1)
    shape = commonest[0][0] if commonest else "unknown"
    return shape if shape in ("run", "qrels") else kind_by_name(path) or shape


def beginning(path: str) -> bytes:
    """Enough of a file to tell what it is."""
    if path == STDIN:
        return read_bytes(path)
    with open_bytes(path) as stream:
        data = stream.read(_HEAD)
        if data.startswith(BOOKS):
            return read_bytes(path)
        if data.startswith(b"PAR1") or len(data) < _HEAD:
            return data
        head = data.rpartition(b"\n")[0]
        whole = not head or (begins_object(head) and not is_json_lines(first_lines(head)))  # JSON is parsed as a whole
        return data + stream.read() if whole else head


def first_lines(text: bytes) -> list[bytes]:
    """The first lines that are not blank and no comments, from the beginning that tells what a file is."""
    head = text[:_HEAD].rpartition(b"\n")[0] if len(text) > _HEAD else b""
    return [line for _, line in islice(data_lines(head or text), _FIRST)]


def data_lines(text: bytes) -> Iterator[tuple[int, bytes]]:
    """Lines that are not blank and no comments, with their numbers."""
    for number, line in enumerate(text.splitlines(), 1):
        if line.strip() and not line.lstrip().startswith(b"#"):
            yield number, line


def separated(line: str) -> list[str]:
    """The names in a first line that tabs, commas or semicolons set apart; none in any other line."""
    separator = next((mark for mark in "\t,;" if mark in line), None)
    return [] if separator is None else [field.strip().strip('"') for field in line.split(separator)]


def begins_object(text: bytes) -> bool:
    """Whether a text begins as a JSON object does; a topic may be called ``{``.

    >>> begins_object(b'{"301": {'), begins_object(b"{ Q0 FT911-3 1 9.5 x")
    (True, False)
    """
    return _OBJECT.match(text) is not None


def is_json_lines(lines: list[bytes]) -> bool:
    """Whether every line is an object; one line with objects inside is JSON."""
    if len(lines) == 1 and lines[0].count(b"{") > 1:
        return False
    return bool(lines) and all(x.strip().startswith(b"{") and x.strip().endswith(b"}") for x in lines)


def load_json(text: bytes, path: str) -> Any:
    """The content of a JSON file; what is wrong with it is a `FileError`."""
    try:
        return parse_json(text)
    except JSONProblem as error:
        raise FileError(path, error.text, line=error.line) from None


def _kind_of_json(text: bytes, path: str, judged: bool) -> FileKind:
    lines = first_lines(text)
    if is_json_lines(lines):
        try:
            keys = list(parse_json(lines[0]))
        except JSONProblem:  # reading it will say what is wrong
            keys = []
        if "document" not in columns_of(keys, ["topic", "document"]):
            return "scores"
        judged |= {"query-id", "corpus-id"} <= set(keys) or "relevance" in columns_of(keys, ["score", "relevance"])
        return "qrels" if judged else "run"
    if judged:
        return "qrels"
    try:
        content = rankings_in(load_json(text, path), path)
    except FileError:
        return "scores"
    inside = [value for one in content.values() if isinstance(one, dict) for value in one.values()]
    return "qrels" if inside and all(isinstance(value, int) for value in inside) else "run"


MEANS_ONLY = (
    "contains only means over topics; save the predictions (MTEB: prediction_folder) and "
    "evaluate them with the judgments"
)


def rankings_in(content: Any, path: str) -> dict[str, Any]:
    """The topics in a JSON file of rankings or judgments: MTEB wraps them in a subset and a split."""
    while isinstance(content, dict):
        inside = {key: value for key, value in content.items() if key != MODEL}
        if holds_means(inside) or (depth := _depth(inside)) < 2:
            break
        if depth == 2:
            return inside
        if len(inside) > 1:
            text = f"holds {len(inside)} sets of rankings ({', '.join(list(inside)[:3])}, …); keep one per file"
            raise FileError(path, text)
        content = next(iter(inside.values()))
    if isinstance(content, dict) and content:
        what = f"it {MEANS_ONLY}" if holds_means(content) else f"its keys are {', '.join(list(content)[:5])}"
        raise FileError(path, f"is not {{topic: {{document: score}}}}; {what}")
    raise FileError(path, "is empty; expected {topic: {document: score}}")


def _depth(content: Any, most: int = 3) -> int:
    """How deep objects lie in one another, along the first that is not empty; counted to `most`."""
    if not isinstance(content, dict) or not most:
        return 0
    return 1 + max((_depth(one, most - 1) for one in list(content.values())[:5]), default=1)


def _of_three(rows: list[list[bytes]], named: str, tabs: bool) -> FileKind | None:
    """What lines of topic, document and a whole number hold: the ranks 1, 2, 3, … of a topic, or judgments."""
    if len(rows) < 3 or not all(len(row) == 3 and row[2].isdigit() and len(row[2]) < 20 for row in rows):
        return None
    after = [(a, b) for a, b in pairwise(rows) if a[0] == b[0]]
    if int(rows[0][2]) == 1 and after and all(int(b[2]) == int(a[2]) + 1 for a, b in after):
        return "run"
    return "qrels" if tabs and "qrel" in named else None


def kind_by_name(path: str) -> FileKind | None:
    """What a file's name alone tells."""
    path = split_sheet(path)[0]
    ending, name = plain_ending(Path(path)), Path(path).name.lower()
    if ending in (".csv", ".tsv", ".parquet", *WORKBOOKS):
        return "scores"
    return "qrels" if "qrel" in name else "run" if ending == ".run" else None


def _shape(fields: list[bytes]) -> FileKind | Literal["unknown"]:
    """What a line looks like."""
    numbers = [finite_number(field.decode()) is not None for field in fields]
    if len(fields) >= 5 and fields[1].upper() == b"Q0":
        return "run"
    if len(fields) == 6 and numbers[4] and not numbers[5]:
        return "run"
    graded = fields[-1].lstrip(b"L+-").isdigit()
    if len(fields) == 4 and graded and not (numbers[2] and b"." in fields[2]):
        return "qrels"  # a table of scores would have a decimal point there
    if len(fields) == 3 and graded and fields[2].startswith(b"L"):
        return "qrels"
    return "scores" if any(numbers) or len(fields) == 1 else "unknown"
