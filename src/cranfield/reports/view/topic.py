"""One topic: how hard it is, what every system scored on it, and what two systems retrieved."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

import numpy as np
import polars as pl

from cranfield.collection.pools import top_ranked
from cranfield.collection.titles import read_titles
from cranfield.collection.types import Qrels, Run
from cranfield.core.answer import Answer, Chart
from cranfield.core.defaults import ORDER, RankingOrder
from cranfield.core.labels import plural, positions
from cranfield.core.results import signature
from cranfield.core.tables import Sheet
from cranfield.reports.view.data import pack
from cranfield.scores.matrix import ScoreMatrix

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


UNJUDGED = "unjudged"


def topic_answer(
    matrix: ScoreMatrix,
    topic: str,
    *,
    counts: Mapping[str, Mapping[str, int]] | None = None,
    lists: Mapping[str, Any] | None = None,
) -> Answer:
    """What there is to say of one topic.

    Parameters
    ----------
    matrix : the scores by a measure
    topic : which topic
    counts : judged and relevant documents of every topic, where judgments are known
    lists : ranked lists of two systems on it, as `rankings` gives them

    Examples
    --------
    >>> from cranfield import make_scores
    >>> topic_answer(make_scores(n_topics=4, n_systems=3, seed=1), "3").headline
    'Topic 3: mean score 0.1962, the 2nd hardest of 4 topics'
    """
    (at,) = positions("topic", [topic], matrix.topics)
    topics = topics_frame(matrix, counts)
    hardest = topics["topic"].to_list()
    place, mean = hardest.index(topic) + 1, topics["mean"][hardest.index(topic)]
    settings = {"measure": matrix.measure, "topic": topic}
    signed = signature("one topic", **settings, systems=matrix.n_systems, topics=matrix.n_topics)

    def sheet(rows: pl.DataFrame, heading: str, *notes: str) -> Sheet:
        return Sheet("topic", rows, signed, settings, heading=heading, notes=notes)

    known = (counts or {}).get(topic)
    said = [f"Scores lie between {matrix.values[at].min():.4f} and {matrix.values[at].max():.4f}."]
    if known is not None:
        said.append(f"{plural(known['judged'], 'document')} judged, {known['relevant']:,} of them relevant.")
    sheets: dict[str, Callable[..., Sheet]] = {
        "systems": lambda: sheet(
            _systems(matrix, at),
            "Systems on this topic",
            "mean: over all topics; above_mean: score on this topic minus that mean.",
        )
    }
    if lists is not None:
        a, b = lists["systems"]
        sheets["documents"] = lambda: sheet(
            _retrieved(lists),
            f"What {a} and {b} retrieved first",
            f"a: {a}; b: {b}; there: rank in the other list.",
            f"grade: judged relevance. Most measures count {UNJUDGED} documents as not relevant.",
        )
    sheets["topics"] = lambda: sheet(topics, "All topics, hardest first", "mean: over all systems.")
    shown = f"One column per topic: the scores of all systems. Topic {topic} is marked."
    chart = Chart("topics-chart", "Among all topics", shown, matrix, "topics", {"marked": topic})
    return Answer(
        headline=f"Topic {topic}: mean {matrix.measure} {mean:.4f}, {_place(place, matrix.n_topics)} of "
        f"{plural(matrix.n_topics, 'topic')}",
        sheets=sheets,
        sentences=tuple(said),
        charts=(chart,),
        extra={
            "topic": topic,
            "measure": matrix.measure,
            "hardest": hardest,
            "systems": matrix.systems,
            "pair": lists["systems"] if lists else (),
        },
    )


def _place(number: int, last: int) -> str:
    """A place as text: both ends have no number.

    >>> [_place(k, 50) for k in (1, 2, 11, 22, 50)]
    ['the hardest', 'the 2nd hardest', 'the 11th hardest', 'the 22nd hardest', 'the easiest']
    """
    ending = "th" if number // 10 % 10 == 1 else {1: "st", 2: "nd", 3: "rd"}.get(number % 10, "th")
    ends = {last: "the easiest", 1: "the hardest"}
    return ends.get(number, f"the {number}{ending} hardest")


def topics_frame(matrix: ScoreMatrix, counts: Mapping[str, Mapping[str, int]] | None) -> pl.DataFrame:
    """Every topic with its mean, lowest and highest score, the hardest first."""
    low, high = matrix.values.min(axis=1), matrix.values.max(axis=1)
    frame = pl.DataFrame({"topic": matrix.topics, "mean": matrix.topic_means, "lowest": low, "highest": high})
    if counts is not None:
        known = [counts.get(topic, {}) for topic in matrix.topics]
        frame = frame.with_columns(
            pl.Series(name, [one.get(name, 0) for one in known]) for name in ("judged", "relevant")
        )
    return frame.sort("mean", maintain_order=True)


def _systems(matrix: ScoreMatrix, at: int) -> pl.DataFrame:
    """Every system's score on a topic beside its mean, the best here first."""
    score, mean = pl.Series("score", matrix.values[at]), pl.Series("mean", matrix.system_means)
    return (
        pl.DataFrame({"system": matrix.systems, "score": score, "mean": mean, "above_mean": score - mean})
        .sort("score", "mean", descending=True, maintain_order=True)
        .select(pl.col("score").rank("min", descending=True).cast(pl.Int64).alias("rank"), pl.all())
    )


def _retrieved(lists: Mapping[str, Any]) -> pl.DataFrame:
    """Two ranked lists side by side: documents, their titles if known, grades, and ranks in the other list."""
    depth = max(map(len, lists["lists"]))
    columns: dict[str, Any] = {"rank": range(1, depth + 1)}
    for side, documents, there in zip("ab", lists["lists"], lists["there"], strict=True):
        names, found = [name for name, _ in documents], [grade for _, grade in documents]
        columns[f"document_{side}"] = names
        if titles := lists.get("titles"):
            columns[f"title_{side}"] = [titles.get(name) for name in names]
        columns[f"grade_{side}"] = [UNJUDGED if grade is None else str(grade) for grade in found]
        columns[f"there_{side}"] = there
    whole = {name: pl.Int64 if name.startswith(("rank", "there")) else pl.String for name in columns}
    padded = {name: [*values, *[None] * (depth - len(values))] for name, values in columns.items()}
    return pl.DataFrame(padded, schema=whole)
