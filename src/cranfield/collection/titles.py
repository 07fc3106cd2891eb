"""Titles: of a collection, from the name of its file; of documents, from JSON lines or a table of ids and titles."""

from __future__ import annotations

import json
import os
import re
from collections.abc import Collection, Iterator, Sequence
from pathlib import Path

from cranfield.core.errors import FileError, Problem
from cranfield.core.files import NamedFile, is_file, is_folder, line_blocks, open_bytes, resolved
from cranfield.core.labels import CONTROL
from cranfield.core.text import csv_fields, shown

_ID = ("document", "_id", "id", "docno", "docid", "doc_id", "document_id", "cord_uid", "pid")
_TITLE = ("title", "name", "headline", "text", "contents", "body", "abstract")
"""Names of the two fields, the better first."""
LONGEST = 120
"""Characters of a title; of a text without one, its beginning."""
_BLOCK = 1 << 20
_KIND = r"qrels?|judge?ments?|prels|scores?"
_NOTHING = rf"{_KIND}|results?|runs?|data|files?|evals?|txt|test|tmp|upload"
"""Words in file names that do not name the collection."""


def read_titles(path: str | os.PathLike[str], wanted: Collection[str]) -> dict[str, str]:
    """The titles of the wanted documents; the file is streamed, since collections are large.

    Lines are JSON objects with an id (document, _id, id, docno, ...) and a title (or text), or a table: with a header
    that names such columns, or id and title parted by a tab or a comma. The file may be compressed.

    >>> import tempfile, pathlib
    >>> file = pathlib.Path(tempfile.mkdtemp(), "documents.tsv")
    >>> _ = file.write_text("d1\\tMasks and droplets\\nd2\\tUnrelated\\n")
    >>> read_titles(file, {"d1"})
    {'d1': 'Masks and droplets'}
    """
    label = os.fspath(path)
    titles: dict[str, str] = {}
    columns: tuple[str, int, int] | None = None
    for number, line in _lines(path, label):
        if line.startswith("{"):
            name, title = _from_json(line, label, number)
        else:
            if columns is None:
                columns, header = _columns(line, label, number)
                if header:
                    continue
            mark, at, place = columns
            fields = csv_fields(line, mark)
            if len(fields) <= max(at, place):
                raise FileError(label, [Problem(number, f"expected an id and a title, found {shown(line)}")])
            name, title = fields[at].strip(), fields[place]
        if name in wanted and name not in titles:
            visible = CONTROL.sub("", " ".join(title.split()))[:LONGEST]
            titles[name] = visible.encode(errors="replace").decode()  # half of a pair is no character
    return titles


def _lines(path: str | os.PathLike[str], label: str) -> Iterator[tuple[int, str]]:
    """Every line that is not empty, with its number."""
    number = 0
    with open_bytes(path) as stream:
        for block in line_blocks(stream, _BLOCK):
            for line in block.splitlines():
                number += 1
                try:
                    text = line.decode().strip()
                except UnicodeDecodeError:
                    raise FileError(label, [Problem(number, "is not UTF-8 text. Save the file as UTF-8.")]) from None
                if text:
                    yield number, text


def _from_json(line: str, label: str, number: int) -> tuple[str, str]:
    try:
        told = json.loads(line)
    except (ValueError, RecursionError):
        raise FileError(label, [Problem(number, f"is not a JSON object: {shown(line)}")]) from None
    name = next((told[key] for key in _ID if key in told), None)
    if name is None:
        raise FileError(label, [Problem(number, f"has no id. Name it {', '.join(_ID[:3])} or docno.")])
    title = next((told[key] for key in _TITLE if isinstance(told.get(key), str) and told[key].strip()), "")
    return str(name), title


def _columns(line: str, label: str, number: int) -> tuple[tuple[str, int, int], bool]:
    """What parts the columns, which of them are id and title, and whether the line is their header."""
    for mark in "\t,":
        names = [name.strip().casefold() for name in csv_fields(line, mark)]
        at, place = _first(names, _ID), _first(names, _TITLE)
        if at is not None and place is not None:
            return (mark, at, place), True
    for mark in "\t,":
        if mark in line:
            return (mark, 0, 1), False
    text = f"expected an id and a title, parted by a tab or a comma, found {shown(line)}"
    raise FileError(label, [Problem(number, text)])


def _first(names: Sequence[str], known: Sequence[str]) -> int | None:
    return next((names.index(name) for name in known if name in names), None)


_ENDINGS = re.compile(r"\.(txt|dat|csv|tsv|gz|bz2|xz|zst|zip|json|jsonl|parquet|nev|eval|qrels?|run)$", re.IGNORECASE)


def collection_title(path: str | os.PathLike[str]) -> str:
    """The name of a collection, from the file of its judgments or scores; empty where the file name has none.

    >>> collection_title("robust04/qrels.robust04.txt.gz"), collection_title("past/trec-covid-r5/qrels.txt")
    ('robust04', 'trec-covid-r5')
    >>> collection_title("dl2019.human.qrels"), collection_title(NamedFile("qrels.txt", "/somewhere/0001"))
    ('dl2019.human', '')
    """
    name = os.fspath(path)
    file = Path(name) if isinstance(path, NamedFile) or not (is_file(name) or is_folder(name)) else resolved(name)
    for one in (file.name, *(parent.name for parent in list(file.parents)[:2])):
        stem = one
        while _ENDINGS.search(stem):
            stem = _ENDINGS.sub("", stem)
        stem = re.sub(rf"^({_KIND})[._-]+|[._-]+({_KIND})$", "", stem, flags=re.IGNORECASE)
        if stem and not re.fullmatch(rf"({_NOTHING}|\d*|\.*)", stem, flags=re.IGNORECASE):
            return stem
    return ""
