"""What two systems retrieved for a topic: the ranked lists with grades, and the top of every run in little text."""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import numpy as np
import polars as pl

from cranfield.collection.pools import top_ranked
from cranfield.collection.titles import read_titles
from cranfield.collection.types import Qrels, Run
from cranfield.core.defaults import ORDER, RankingOrder
from cranfield.reports.view.packing import pack

DEPTH = 20
"""Documents of a ranked list on the page."""
TOP = 10
"""Documents of every run that a report carries."""
MOST_BYTES = 1_500_000
"""A report that would carry more than this in ranked lists carries none."""


def ranked_list(run: Run, topic: str, depth: int, order: RankingOrder = ORDER) -> list[str]:
    """The first documents of a run for a topic, in the order they are scored in."""
    frame = run.frame.filter(pl.col("topic") == topic)
    return top_ranked(frame, order, depth)["document"].to_list()


def grades(qrels: Qrels, topic: str) -> dict[str, int]:
    """Every judged document of a topic and its grade; of several subtopics the highest."""
    judged = qrels.frame.filter(pl.col("topic") == topic).group_by("document").agg(pl.col("relevance").max())
    return dict(judged.iter_rows())


def rankings(
    qrels: Qrels,
    runs: Sequence[Run],
    topic: str,
    *,
    depth: int = DEPTH,
    order: RankingOrder = ORDER,
    titles: Mapping[str, str] | None = None,
) -> dict[str, Any]:
    """The ranked lists of some runs for a topic: documents with their grade, null where nobody judged it.

    Of two runs, `there` has the rank of each of these documents in the other's whole list.

    >>> qrels = Qrels(pl.DataFrame({"topic": ["1"], "subtopic": ["0"], "document": ["a"], "relevance": [2]}))
    >>> run = Run(pl.DataFrame({"topic": ["1", "1"], "document": ["b", "a"], "rank": [1, 2], "score": [2.0, 1.0]}))
    >>> rankings(qrels, [run], "1")["lists"]
    [[['b', None], ['a', 2]]]
    """
    known = grades(qrels, topic)
    whole = [ranked_list(run, topic, len(run), order) for run in runs]
    lists = [[[name, known.get(name)] for name in names[:depth]] for names in whole]
    told: dict[str, Any] = {"topic": topic, "systems": [run.system for run in runs], "lists": lists}
    if len(whole) == 2:
        ranks = [{name: rank for rank, name in enumerate(names, 1)} for names in whole]
        told["there"] = [[ranks[1 - k].get(name) for name in names[:depth]] for k, names in enumerate(whole)]
    if titles:
        shown = dict.fromkeys(name for names in whole for name in names[:depth])
        told["titles"] = {name: titles[name] for name in shown if name in titles}
    return told


def top_documents(
    qrels: Qrels,
    runs: Iterable[Run],
    topics: Sequence[str],
    systems: Sequence[str],
    order: RankingOrder = ORDER,
    documents: str | os.PathLike[str] | None = None,
) -> dict[str, Any] | None:
    """The first `TOP` documents of every run for every topic, packed; None where that would be too much to mail.

    Per topic: the documents, their grades (null: not judged), and for each system the places of its documents in that
    list, 65535 where it retrieved fewer. With a file of `documents` there are their titles too.
    """
    frames = []
    for run in runs:
        top = top_ranked(run.frame, order, TOP)
        frames.append(top.with_columns(system=pl.lit(run.system)))
    every = pl.concat(frames) if frames else pl.DataFrame()
    if every.is_empty():
        return None
    titles = {} if documents is None else read_titles(documents, set(every["document"].unique()))
    judged = qrels.frame.group_by("topic", "document").agg(grade=pl.col("relevance").max())
    every = every.join(judged, on=["topic", "document"], how="left")
    place = {system: at for at, system in enumerate(systems)}
    parts = every.partition_by("topic", as_dict=True)
    packed: list[dict[str, Any]] = []
    size = 0
    for topic in topics:
        rows = parts.get((topic,))
        cells = np.full((len(systems), TOP), 65535, dtype=np.uint16)
        names: dict[str, int] = {}
        marks: list[int | None] = []
        listed = [] if rows is None else rows.select("document", "pool_rank", "system", "grade").iter_rows()
        for name, rank, system, grade in listed:
            if name not in names:
                names[name] = len(names)
                marks.append(grade)
            if system in place:
                cells[place[system], rank - 1] = names[name]
        packed.append({"documents": list(names), "grades": marks, "lists": pack(cells, "u2")})
        if titles:
            packed[-1]["titles"] = [titles.get(name, "") for name in names]
        size += sum(len(name) + 6 + len(titles.get(name, "")) for name in names) + len(packed[-1]["lists"])
        if size > MOST_BYTES:
            return None
    return {"depth": TOP, "topics": packed}
