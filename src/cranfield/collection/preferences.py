"""Preferences between documents, by judgment group: trec_eval's ``-R prefs`` and ``-R qrels_prefs``."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from cranfield.core.files import Problems, filled_lines, finite_number, read_bytes, shown


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

    def __repr__(self) -> str:
        return f"Preferences({self.name}: {len(self.topics)} topics, {sum(map(len, self.topics.values()))} lines)"


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
