"""Which column of a table plays which part: the names that people give to topics, documents, scores and the rest."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

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
