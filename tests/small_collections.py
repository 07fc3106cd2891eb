"""Small collections that hold every trap at once: ties, gaps, strangers, negative grades, topics_without_relevant topics."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np
import polars as pl

from cranfield import Qrels, Run
from cranfield.collection.types import QRELS_SCHEMA, RUN_SCHEMA


def qrels_of(rows: Iterable[tuple[str, str, str, int]], name: str = "qrels") -> Qrels:
    """Judgments from (topic, subtopic, document, relevance) rows."""
    return Qrels(pl.DataFrame(list(rows), schema=QRELS_SCHEMA, orient="row"), name)


def run_of(rows: Iterable[tuple[str, str, float]], system: str = "run") -> Run:
    """A run from (topic, document, score) rows; ranks count the rows of a topic."""
    seen: dict[str, int] = {}
    full = []
    for topic, document, score in rows:
        seen[topic] = seen.get(topic, 0) + 1
        full.append((topic, document, seen[topic], float(score)))
    return Run(pl.DataFrame(full, schema=RUN_SCHEMA, orient="row"), system)


def tricky_qrels(seed: int, *, levels: tuple[int, ...] = (-1, 0, 0, 0, 1, 2, 3), n_subtopics: int = 0) -> Qrels:
    """Graded judgments of 8 topics: topic 5 has no relevant document, topic 6 a single judgment."""
    rng = np.random.default_rng(seed)
    rows = []
    for topic in range(1, 9):
        judged = rng.choice(60, size=1 if topic == 6 else rng.integers(5, 30), replace=False)
        for document in judged:
            for subtopic in range(1, n_subtopics + 1) if n_subtopics else [0]:
                level = int(rng.choice(levels))
                rows.append((str(topic), str(subtopic), f"doc{document}", min(level, 0) if topic == 5 else level))
    order = rng.permutation(len(rows))
    return qrels_of(rows[at] for at in order)


def tricky_run(seed: int, *, ties: bool, system: str = "run") -> Run:
    """Rankings in no order, with few different scores or all different, without topic 3 and with a strange topic 99."""
    rng = np.random.default_rng(1000 + seed)
    rows = []
    for topic in (8, 2, 1, 7, 5, 4, 6, 99):
        documents = rng.choice(80, size=rng.integers(1, 50), replace=False)
        scores = rng.integers(0, 6, len(documents)) / 4 if ties else rng.permutation(len(documents)) / 3 + 0.1
        rows += [(str(topic), f"doc{d}", float(s)) for d, s in zip(documents, scores, strict=True)]
    if seed % 2:  # topics interleaved
        rows = [rows[at] for at in rng.permutation(len(rows))]
    return run_of(rows, system)


def as_dicts(run: Run) -> dict[str, dict[str, float]]:
    """A run as pytrec_eval takes it."""
    found: dict[str, dict[str, float]] = {}
    for topic, document, _, score in run.frame.iter_rows():
        found.setdefault(topic, {})[document] = score
    return found


def judgments_as_dicts(qrels: Qrels) -> dict[str, dict[str, int]]:
    """Judgments as pytrec_eval takes them."""
    found: dict[str, dict[str, int]] = {}
    for topic, _, document, level in qrels.frame.iter_rows():
        found.setdefault(topic, {})[document] = level
    return found
