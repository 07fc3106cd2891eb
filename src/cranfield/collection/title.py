"""The name of a collection, from its files or their folder."""

from __future__ import annotations

import os
import re
from pathlib import Path

from cranfield.core.files import NamedFile, is_file, is_folder

_KIND = r"qrels?|judge?ments?|prels|scores?"
_NOTHING = rf"{_KIND}|results?|runs?|data|files?|evals?|txt|test|tmp|upload"
"""Words in file names that do not name the collection."""
_ENDINGS = re.compile(r"\.(txt|dat|csv|tsv|gz|bz2|xz|zst|zip|json|jsonl|parquet|nev|eval|qrels?|run)$", re.IGNORECASE)


def collection_title(path: str | os.PathLike[str]) -> str:
    """The name of a collection, from the file of its judgments or scores; empty where the file name has none.

    >>> collection_title("robust04/qrels.robust04.txt.gz"), collection_title("past/trec-covid-r5/qrels.txt")
    ('robust04', 'trec-covid-r5')
    >>> collection_title("dl2019.human.qrels"), collection_title(NamedFile("qrels.txt", "/somewhere/0001"))
    ('dl2019.human', '')
    """
    name = os.fspath(path)
    file = Path(name) if isinstance(path, NamedFile) or not (is_file(name) or is_folder(name)) else Path(name).resolve()
    for one in (file.name, *(parent.name for parent in list(file.parents)[:2])):
        stem = one
        while _ENDINGS.search(stem):
            stem = _ENDINGS.sub("", stem)
        stem = re.sub(rf"^({_KIND})[._-]+|[._-]+({_KIND})$", "", stem, flags=re.IGNORECASE)
        if stem and not re.fullmatch(rf"({_NOTHING}|\d*|\.*)", stem, flags=re.IGNORECASE):
            return stem
    return ""
