"""Which column of a long table names the collection, the seed and the rest."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from cranfield.core.columns import NAMES

PARTS: Mapping[str, tuple[str, ...]] = {
    "collection": ("collection", "dataset", "task", "corpus"),
    "seed": ("seed", "repeat", "run_no"),
    "system": ("system", "model", "method", *NAMES["system"]),
    "topic": NAMES["topic"],
    "measure": NAMES["measure"],
    "value": NAMES["value"],
}
"""Names of columns, ours first. Capitals do not count."""


def find_columns(names: Sequence[str]) -> dict[str, str] | None:
    """The column of each part of a table that has a collection or a seed; None for other tables.

    >>> find_columns(["Dataset", "model", "qid", "score"])
    {'collection': 'Dataset', 'system': 'model', 'topic': 'qid', 'value': 'score'}
    >>> find_columns(["topic", "bm25", "ours"]) is None
    True
    """
    folded = {name.strip().casefold(): name for name in reversed(names)}
    found = {part: next((folded[one] for one in known if one in folded), None) for part, known in PARTS.items()}
    roles = {part: name for part, name in found.items() if name is not None}
    return roles if {"collection", "seed"} & roles.keys() and "value" in roles else None
