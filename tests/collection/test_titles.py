"""Titles of documents, from every form in which collections come, and what is wrong with others."""

from __future__ import annotations

import gzip
from pathlib import Path

import pytest

from cranfield.collection.titles import LONGEST, read_titles
from cranfield.core.errors import FileError


@pytest.mark.parametrize(
    "text",
    [
        '{"_id": "d1", "title": "A  title", "text": "not this"}\n{"_id": "d2", "title": "Other"}\n',
        '{"docno": "d1", "title": " ", "text": "A title"}\n\n{"docno": "d2", "text": "Other"}\n',
        "d1\tA title\nd2\tOther\n",
        "d1,A title\nd2,Other\n",
        'cord_uid,sha,title\nd1,0a,"A title"\nd2,0b,Other\n',
        "title\tdoc_id\nA title\td1\n",
    ],
)
def test_every_form(tmp_path: Path, text: str) -> None:
    Path(tmp_path, "documents").write_text(text)
    assert read_titles(tmp_path / "documents", {"d1", "d9"}) == {"d1": "A title"}


def test_compressed_and_cut(tmp_path: Path) -> None:
    Path(tmp_path, "documents.jsonl.gz").write_bytes(gzip.compress(f'{{"id": 7, "text": "{"x" * 500}"}}'.encode()))
    assert read_titles(tmp_path / "documents.jsonl.gz", {"7"}) == {"7": "x" * LONGEST}


@pytest.mark.parametrize(
    ("data", "problem"),
    [
        (b'{"title": "x"}\n', ":1: has no id. Name it document, _id, id or docno."),
        (b"d1\tx\n{oops\n", ":2: is not a JSON object: '{oops'"),
        (b"alone\n", ":1: expected an id and a title, parted by a tab or a comma, found 'alone'"),
        (b"d1\tx\nd2\n", ":2: expected an id and a title, found 'd2'"),
        (b"d1\tx\nd2\t\xff\n", ":2: is not UTF-8 text. Save the file as UTF-8."),
    ],
)
def test_what_is_wrong_is_told_with_its_line(tmp_path: Path, data: bytes, problem: str) -> None:
    file = tmp_path / "documents.tsv"
    file.write_bytes(data)
    with pytest.raises(FileError) as caught:
        read_titles(file, {"d1"})
    assert str(caught.value) == f"{file}{problem}"
