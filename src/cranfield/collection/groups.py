"""Groups of documents, such as the genders or regions that they speak of: what measures of group fairness need."""

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TypeAlias

import polars as pl

from cranfield.collection.types import Qrels
from cranfield.core.arguments import check_arguments
from cranfield.core.errors import ArgumentError, DataError
from cranfield.core.files import read_bytes, system_name
from cranfield.core.labels import repr_of
from cranfield.core.text import Problems, filled_lines, finite_number, shown

FIELDS = "topic document and a probability per group"
KINDS = ("nominal", "ordinal")
_SLACK = 0.001  # files print few digits, so probabilities sum to about 1
_NAME = re.compile(r"[\w.+-]+")


@dataclass(frozen=True)
class GroupSet:
    """An attribute of documents: its groups, who belongs to which, and the distribution that a fair ranking has.

    Parameters
    ----------
    name : what measures call it, as in ``GF(groups=GENDER)@10``
    members : the probability of every group for each (topic, document)
    target : the probability of every group in a fair ranking
    ordinal : whether the groups have an order

    Examples
    --------
    >>> GroupSet("GENDER", {("1", "a"): (1.0, 0.0), ("1", "b"): (0.5, 0.5)}, (0.5, 0.5))
    GroupSet(GENDER: 2 nominal groups, 1 topics, 2 documents)
    """

    name: str
    members: Mapping[tuple[str, str], tuple[float, ...]]
    target: tuple[float, ...]
    ordinal: bool = False

    def __post_init__(self) -> None:
        if not _NAME.fullmatch(self.name):
            raise ArgumentError(f"groups {self.name!r}: a name holds letters, digits and . _ + -. Rename the file.")
        if len(self.target) < 2:
            raise DataError(f"groups {self.name}: a target needs 2 groups or more; found {len(self.target)}.")
        if wrong := wrong_probabilities(self.target):
            raise DataError(f"groups {self.name}, target: {wrong}.")
        other = next((key for key, one in self.members.items() if len(one) != len(self.target)), None)
        if other is not None:
            raise DataError(
                f"groups {self.name}: the target has {len(self.target)} groups, and document {other[1]} of topic "
                f"{other[0]} has {len(self.members[other])}."
            )

    def __repr__(self) -> str:
        topics = {topic for topic, _ in self.members}
        groups = f"{len(self.target)} {KINDS[self.ordinal]} groups"
        return f"GroupSet({self.name}: {groups}, {len(topics)} topics, {len(self.members)} documents)"


GroupsLike: TypeAlias = "GroupSet | str | Iterable[GroupSet | str]"
"""Attribute sets, or texts ``KIND=MEMBERS`` or ``KIND=MEMBERS,TARGET`` that name their files."""


def wrong_probabilities(values: Sequence[float]) -> str:
    """What is wrong with the probabilities of groups; empty if nothing is.

    >>> wrong_probabilities([0.5, 0.6])
    'the probabilities sum to 1.1, not 1'
    """
    if not all(0 <= one <= 1 for one in values):
        return "expected probabilities between 0 and 1"
    total = sum(values)
    return "" if abs(total - 1) <= _SLACK else f"the probabilities sum to {total:g}, not 1"


def read_groups(
    path: str | os.PathLike[str],
    target: str | os.PathLike[str] | Sequence[float] | None = None,
    *,
    ordinal: bool = False,
    name: str | None = None,
) -> GroupSet:
    """Read groups of documents: ``topic document p1 p2 …``, one line each, as NTCIREVAL's gmemb files have them.

    Parameters
    ----------
    path : the file; the probabilities of a line sum to 1
    target : the distribution of a fair ranking, or its file (one probability per line, as golddistr); default uniform
    ordinal : whether the groups have an order, such as levels of fame
    name : what measures call the set; default the name of the file without its endings

    Examples
    --------
    >>> import tempfile, pathlib
    >>> file = pathlib.Path(tempfile.mkdtemp(), "GENDER.gmemb")
    >>> _ = file.write_text("P001 doc01 1 0 0\\nP001 doc02 0 0.5 0.5\\n")
    >>> read_groups(file).members["P001", "doc02"]
    (0.0, 0.5, 0.5)
    """
    check_arguments(read_groups, locals())
    label = os.fspath(path)
    problems = Problems(label)
    members: dict[tuple[str, str], tuple[float, ...]] = {}
    width = 0
    for number, line in filled_lines(read_bytes(path), label):
        fields = line.split()
        topic, document, rest = fields[0], "".join(fields[1:2]), fields[2:]
        values = [value for one in rest if (value := finite_number(one)) is not None]
        width = width or len(rest)
        if len(rest) < 2 or len(values) != len(rest):
            problems.add(number, f"expected {FIELDS} (2 or more), found {shown(line.strip())}")
        elif len(rest) != width:
            problems.add(number, f"expected {width} groups as on the lines above, found {len(rest)}")
        elif wrong := wrong_probabilities(values):
            problems.add(number, wrong)
        elif (topic, document) in members:
            problems.add(number, f"document {document} already has groups for topic {topic}")
        else:
            members[topic, document] = tuple(values)
    if not members and not problems.total:
        problems.add(0, f"holds no groups; expected lines of {FIELDS}")
    problems.raise_if_any()
    wanted = (1 / width,) * width if target is None else _target(target)
    return GroupSet(name or system_name(label).removesuffix(".gmemb"), members, wanted, ordinal)


def _target(target: str | os.PathLike[str] | Sequence[float]) -> tuple[float, ...]:
    if not isinstance(target, (str, os.PathLike)):
        return tuple(map(float, target))
    label = os.fspath(target)
    problems = Problems(label)
    values = []
    for number, line in filled_lines(read_bytes(target), label):
        value = finite_number(line.strip())
        if value is None:
            problems.add(number, f"expected the probability of a group, found {shown(line.strip())}")
        else:
            values.append(value)
    problems.raise_if_any()
    return tuple(values)


def with_groups(qrels: Qrels, groups: GroupsLike) -> Qrels:
    """Judgments with groups of their documents, for the measures ``GF`` and ``GFR``.

    >>> from cranfield.collection.doors import as_qrels
    >>> genders = GroupSet("GENDER", {("1", "a"): (1.0, 0.0)}, (0.5, 0.5))
    >>> with_groups(as_qrels({"1": {"a": 1}}), [genders]).groups
    (GroupSet(GENDER: 2 nominal groups, 1 topics, 1 documents),)
    """
    listed = [groups] if isinstance(groups, str) or not isinstance(groups, Iterable) else groups
    sets = tuple(map(_set, listed))
    names = [one.name for one in sets]
    if twice := next((name for name in names if names.count(name) > 1), None):
        raise ArgumentError(f"two sets of groups are called {twice}. Rename one of the files.")
    judged = set(qrels.frame.select("topic", "document").unique().iter_rows())
    topics = set(qrels.topics)
    for one in sets:
        stray = next((key for key in one.members if key[0] in topics and key not in judged), None)
        if stray is not None:
            raise DataError(
                f"groups {one.name}: document {stray[1]} of topic {stray[0]} has no judgment. Give it level -1 "
                "(unjudged) in the qrels."
            )
    return replace(Qrels(qrels.frame, qrels.name, qrels.notes), groups=sets)


def _set(one: GroupSet | str) -> GroupSet:
    if isinstance(one, GroupSet):
        return one
    if isinstance(one, str):
        return _named(one)
    raise ArgumentError(f"`groups` must be a list of GroupSet objects or texts; got {repr_of(one)}. Use `read_groups`.")


def _named(text: str) -> GroupSet:
    """The set in the files that a text names: ``ordinal=HINDEX.gmemb,HINDEX.golddistr``."""
    kind, equals, files = text.partition("=")
    members, comma, target = files.partition(",")
    if kind not in KINDS or not equals or not members or (comma and not target):
        raise ArgumentError(
            f"`groups` must be KIND=MEMBERS or KIND=MEMBERS,TARGET; got {text!r}. Write nominal=GENDER.gmemb."
        )
    return read_groups(members, target or None, ordinal=kind == "ordinal")


def member_rows(groups: GroupSet) -> tuple[pl.Series, pl.Series]:
    """Topics and documents of the members, in their order."""
    return (
        pl.Series("topic", [topic for topic, _ in groups.members], dtype=pl.String),
        pl.Series("document", [document for _, document in groups.members], dtype=pl.String),
    )
