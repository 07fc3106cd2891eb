"""Which systems belong to which team: from a file, or from their run tags."""

from __future__ import annotations

import os
import re
from collections.abc import Mapping, Sequence

from cranfield.core.errors import ArgumentError, FileError, Problem
from cranfield.core.files import Problems, filled_lines, read_bytes, shown
from cranfield.core.labels import plural

_BETWEEN = re.compile(r"\s*[,\t]\s*|\s+")


def read_teams(path: str | os.PathLike[str]) -> dict[str, str]:
    """The team of each system: lines of ``system team``, separated by a comma, a tab or blanks.

    A first line ``system,team`` is a header. Empty lines and lines that begin with ``#`` are skipped. A system has
    one team. The file may be compressed, and ``-`` is standard input.

    >>> import tempfile, pathlib
    >>> file = pathlib.Path(tempfile.mkdtemp(), "teams.csv")
    >>> _ = file.write_text("system,team\\nbm25a,udel\\nbm25b,udel\\n# a comment\\ndense uw\\n")
    >>> read_teams(file)
    {'bm25a': 'udel', 'bm25b': 'udel', 'dense': 'uw'}
    """
    label = os.fspath(path)
    problems = Problems(label)
    teams: dict[str, str] = {}
    first = True
    for number, line in filled_lines(read_bytes(path), label):
        text = line.strip()
        fields = _BETWEEN.split(text)
        header, first = first and [field.casefold() for field in fields] == ["system", "team"], False
        if header:
            continue
        if len(fields) != 2 or not all(fields):
            count = plural(sum(map(bool, fields)), "field")
            problems.add(number, f"expected a system and its team, found {count}: {shown(text)}")
        elif fields[0] in teams:
            problems.add(number, f"system {fields[0]!r} already belongs to team {teams[fields[0]]!r}")
        else:
            teams[fields[0]] = fields[1]
    problems.raise_if_any()
    if not teams:
        raise FileError(label, [Problem(0, "names no system; expected a system and its team on each line")])
    return teams


def systems_by_team(teams: Mapping[str, str]) -> dict[str, list[str]]:
    """Team → its systems, both in order of appearance.

    >>> systems_by_team({"bm25a": "udel", "dense": "uw", "bm25b": "udel"})
    {'udel': ['bm25a', 'bm25b'], 'uw': ['dense']}
    """
    members: dict[str, list[str]] = {}
    for system, team in teams.items():
        members.setdefault(team, []).append(system)
    return members


def teams_by_prefix(systems: Sequence[str], tags: Sequence[str], pattern: str) -> dict[str, str]:
    """The team of each system: the match of a regular expression at the start of its run tag.

    >>> teams_by_prefix(["a", "b", "c"], ["uw_fb1", "uw_base1", "covidex.r5"], "[A-Za-z]+")
    {'a': 'uw', 'b': 'uw', 'c': 'covidex'}
    """
    try:
        matcher = re.compile(pattern)
    except re.error as error:
        raise ArgumentError(f"`team_prefix` {pattern!r} is not a regular expression: {error}") from None
    matches = {system: matcher.match(tag) for system, tag in zip(systems, tags, strict=True)}
    return {system: match[0] for system, match in matches.items() if match and match[0]}
