"""Preferences between documents, by judgment group: trec_eval's ``-R prefs`` and ``-R qrels_prefs``."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from graphlib import CycleError, TopologicalSorter
from typing import TYPE_CHECKING, NamedTuple

from cranfield.core.errors import DataError
from cranfield.core.files import read_bytes
from cranfield.core.text import Problems, filled_lines, finite_number, shown

if TYPE_CHECKING:
    from cranfield.collection.types import Qrels


class Preferred(NamedTuple):
    """One line: a document and its level within a subgroup of a judgment group."""

    group: str
    subgroup: str
    document: str
    level: float


@dataclass(frozen=True)
class Preferences:
    """The lines of each topic. Of two documents of a subgroup, the one of the higher level is preferred.

    A judgment group is one person's view of a topic. Its subgroups hold parts of that view; within a group,
    preferences are transitive. A level of 0 means not relevant.
    """

    topics: Mapping[str, Sequence[Preferred]]
    name: str = "preferences"

    def as_qrels(self) -> Qrels:
        """Judgments for `Compat` and other graded measures: the level is a document's place in the order.

        A document of level 0 stays there. Any other is one level above the highest document that it is preferred to,
        so that the lowest relevant documents have level 1. Preferences of all groups are taken together; groups that
        contradict each other have no such order and are an error.

        >>> lines = [Preferred("ann", "", "a", 7.0), Preferred("ann", "", "b", 3.0), Preferred("ann", "", "c", 0.0)]
        >>> Preferences({"1": lines}).as_qrels().frame["relevance"].to_list()
        [2, 1, 0]
        """
        import polars as pl

        from cranfield.collection.types import QRELS_SCHEMA, Qrels

        rows = [
            (topic, "0", document, level)
            for topic, lines in self.topics.items()
            for document, level in _levels(lines, topic).items()
        ]
        note = "levels are places in the order of preference"
        return Qrels(pl.DataFrame(rows, schema=QRELS_SCHEMA, orient="row"), self.name, (note,))

    def __repr__(self) -> str:
        return f"Preferences({self.name}: {len(self.topics)} topics, {sum(map(len, self.topics.values()))} lines)"


def _levels(lines: Sequence[Preferred], topic: str) -> dict[str, int]:
    """The level of every document: 1 + the highest level among those that it is preferred to."""
    below: dict[str, set[str]] = {one.document: set() for one in lines}
    zero = {one.document for one in lines if one.level <= 0}
    if mixed := sorted(zero & {one.document for one in lines if one.level > 0}):
        raise DataError(f"topic {topic}: document {mixed[0]} is called both relevant and not relevant")
    parts: dict[tuple[str, str], list[Preferred]] = {}
    for one in lines:
        parts.setdefault((one.group, one.subgroup), []).append(one)
    for part in parts.values():
        for one in part:
            below[one.document] |= {other.document for other in part if other.level < one.level}
    try:
        order = list(TopologicalSorter(below).static_order())
    except CycleError as error:
        cycle = ", ".join(error.args[1])
        raise DataError(
            f"topic {topic}: the preferences contradict each other ({cycle}), so that documents have no order; "
            "evaluate them with trec_eval -R prefs"
        ) from None
    level: dict[str, int] = {}
    for document in order:
        level[document] = 0 if document in zero else 1 + max((level[one] for one in below[document]), default=0)
    return {document: level[document] for document in below}


def read_preferences(path: str | os.PathLike[str], *, subgroups: bool = True) -> Preferences:
    """Read preferences: ``topic group subgroup document level``, one line each.

    Parameters
    ----------
    subgroups : whether lines name a subgroup; else ``topic group document level``, as qrels do

    Examples
    --------
    >>> import tempfile, pathlib
    >>> file = pathlib.Path(tempfile.mkdtemp(), "prefs")
    >>> _ = file.write_text("1 ann a FT911-3 2\\n1 ann a FT911-4 1\\n")
    >>> read_preferences(file)
    Preferences(prefs: 1 topics, 2 lines)
    """
    label = os.fspath(path)
    problems = Problems(label)
    named = "topic group subgroup document level" if subgroups else "topic group document level"
    count = len(named.split())
    topics: dict[str, dict[tuple[str, str, str], Preferred]] = {}
    for number, line in filled_lines(read_bytes(path), label):
        fields = line.split()
        if len(fields) != count:
            problems.add(number, f"expected {count} fields ({named}), found {len(fields)}: {shown(line.strip())}")
            continue
        topic, group, *_, document, text = fields
        subgroup = fields[2] if subgroups else ""
        level = finite_number(text)
        lines = topics.setdefault(topic, {})
        if level is None:
            problems.add(number, f"expected a level (field {count}), found {shown(text)}")
        elif (group, subgroup, document) in lines:
            problems.add(number, f"document {document} already has a level for topic {topic} in this group")
        else:
            lines[group, subgroup, document] = Preferred(group, subgroup, document, level)
    problems.raise_if_any()
    return Preferences({topic: list(lines.values()) for topic, lines in topics.items()}, os.path.basename(label))  # noqa: PTH119
