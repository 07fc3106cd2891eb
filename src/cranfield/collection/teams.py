"""Which systems belong to which team: from a file, or from their run tags."""

from __future__ import annotations

import os
import re
from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING

from cranfield.core.arguments import check_arguments
from cranfield.core.errors import ArgumentError, DataError, FileError, Problem, notify
from cranfield.core.files import read_bytes, system_name
from cranfield.core.labels import plural, repr_of, summary
from cranfield.core.text import Problems, csv_fields, filled_lines, shown

if TYPE_CHECKING:
    from cranfield.scores.matrix import Scores

_BETWEEN = re.compile(r"\s*[,\t]\s*|\s+")
_SYSTEM = ("system", "run", "runtag", "tag", "runid", "runname", "name", "submission", "model")
_TEAM = ("team", "teamid", "teamname", "group", "groupid", "groupname", "participant", "participantid",
         "organisation", "organization", "institution", "affiliation", "site")  # fmt: skip
"""Names of the two columns, without capitals, blanks and hyphens. Digits stay: `run1,team1` is no header."""
Line = tuple[int, str]


def read_teams(path: str | os.PathLike[str]) -> dict[str, str]:
    """The team of each system: lines of ``system team``, separated by a comma, a tab or blanks.

    A table with a header may have further columns: those named system, run, runtag or tag, and team, group, participant
    or organisation count. A table whose rows have these names is transposed. Empty lines and lines that begin with
    ``#`` are skipped. A system has one team. The file may be compressed, and ``-`` is standard input.

    >>> import tempfile, pathlib
    >>> file = pathlib.Path(tempfile.mkdtemp(), "teams.csv")
    >>> _ = file.write_text("system,team\\nbm25a,udel\\nbm25b,udel\\n# a comment\\ndense uw\\n")
    >>> read_teams(file)
    {'bm25a': 'udel', 'bm25b': 'udel', 'dense': 'uw'}
    """
    check_arguments(read_teams, locals())
    label = os.fspath(path)
    problems = Problems(label)
    teams: dict[str, str] = {}
    lines = [(number, line.strip()) for number, line in filled_lines(read_bytes(path), label)]
    named = _named_columns(lines) or _named_rows(lines)
    for number, text, fields in named or _plain(lines):
        if len(fields) != 2 or not all(fields):
            count = plural(sum(map(bool, fields)), "field")
            problems.add(number, f"expected a system and its team, found {count}: {shown(text)}")
        elif teams.get(fields[0], fields[1]) != fields[1] or (named is None and fields[0] in teams):
            problems.add(number, f"system {fields[0]!r} already belongs to team {teams[fields[0]]!r}")
        else:
            teams[fields[0]] = fields[1]
    problems.raise_if_any()
    if not teams:
        raise FileError(label, [Problem(0, "names no system; expected a system and its team on each line")])
    return teams


Fields = Iterator[tuple[int, str, list[str]]]


def _plain(lines: Sequence[Line]) -> Fields:
    """The fields of every line but a header ``system team``."""
    for at, (number, text) in enumerate(lines):
        fields = _BETWEEN.split(text)
        if at or [field.casefold() for field in fields] != ["system", "team"]:
            yield number, text, fields


def _named_columns(lines: Sequence[Line]) -> Fields | None:
    """System and team of every line, by the names of their columns; None for a file without such a header."""
    for mark in (",", "\t", ";"):
        cells = [_folded(one) for one in _cells(lines[0][1], mark)] if lines else []
        system, team = (_place(cells, names) for names in (_SYSTEM, _TEAM))
        if system is not None and team is not None and system != team:
            return _columns(lines[1:], mark, system, team)
    return None


def _columns(lines: Sequence[Line], mark: str, system: int, team: int) -> Fields:
    for number, text in lines:
        cells = _cells(text, mark)
        if len(cells) == 1 and {system, team} == {0, 1} and len(pair := _BETWEEN.split(text)) == 2:
            cells = pair
        yield number, text, [cells[at].strip() for at in (system, team) if at < len(cells)]


def _named_rows(lines: Sequence[Line]) -> Fields | None:
    """The same from a transposed table: one row has the systems, another their teams."""
    for mark in (",", "\t", ";"):
        rows = {_folded(cells[0]): cells[1:] for _, text in lines[:50] if len(cells := _cells(text, mark)) > 2}
        system, team = (next((name for name in names if name in rows), None) for names in (_SYSTEM, _TEAM))
        if system is not None and team is not None and len(rows[system]) == len(rows[team]):
            return iter(
                (lines[0][0], one, [one.strip(), other.strip()])
                for one, other in zip(rows[system], rows[team], strict=True)
            )
    return None


def _cells(text: str, mark: str) -> list[str]:
    return csv_fields(text, mark)


def _folded(name: str) -> str:
    return re.sub(r"[\s_.:#-]", "", name.casefold())


def _place(cells: Sequence[str], names: Sequence[str]) -> int | None:
    """The column with the first of these names."""
    return next((cells.index(name) for name in names if name in cells), None)


def teams_of(
    systems: Sequence[str], teams: Mapping[str, str] | str | os.PathLike[str] | None, team_prefix: str | None = None
) -> tuple[dict[str, str], tuple[str, ...]]:
    """The team of each of these systems, from a mapping, a file or a prefix of their names; and warnings.

    Other systems in a file are ignored and counted.

    >>> teams_of(["a1"], {"a1": "A", "b1": "B"})
    ({'a1': 'A'}, ('1 of 2 systems in `teams` is not among the runs here and is ignored: b1',))
    """
    if (teams is None) == (team_prefix is None):
        raise ArgumentError(
            "the runs need teams. Give either `teams` (a file of lines `system team`) or `team_prefix` "
            "(a regular expression for the start of run tags)."
        )
    if team_prefix is not None:
        known: Mapping[str, str] = teams_by_prefix(systems, systems, team_prefix)
    else:
        known = teams if isinstance(teams, Mapping) else read_teams(teams)  # type: ignore[arg-type]
    # A run may be listed with an ending that its system does not have: final.txt and final.
    listed = {system_name(name): name for name in known} | {name: name for name in known}
    if missing := [name for name in systems if name not in listed]:
        raise DataError(
            f"no team is given for {plural(len(missing), 'run')} ({summary(missing)}). Add them to `teams`."
        )
    others = sorted(set(known) - {listed[name] for name in systems})
    verb = "is not among the runs here and is" if len(others) == 1 else "are not among the runs here and are"
    said = (f"{len(others)} of {len(known)} systems in `teams` {verb} ignored: {summary(others)}",) if others else ()
    return {name: known[listed[name]] for name in systems}, said


def best_per_team(
    scores: Scores,
    teams: Mapping[str, str] | str | os.PathLike[str] | None = None,
    measure: str | None = None,
    *,
    team_prefix: str | None = None,
    keep: Sequence[str] = (),
) -> Scores:
    """The scores of each team's best system, by its mean of a measure (by default the first of the scores).

    Parameters
    ----------
    scores : the scores of all systems
    teams : the team of every system, or a file of them; see `read_teams`. Or instead
    team_prefix : a regular expression that finds the team at the start of a system's name
    measure : the measure that decides; equal means are decided by the byte order of the names
    keep : systems that stay in any case, such as baselines

    Examples
    --------
    >>> from cranfield import ScoreMatrix, Scores
    >>> ap = ScoreMatrix([[0.1, 0.3, 0.2]], ["1"], ["a1", "a2", "b1"], "AP")
    >>> best_per_team(Scores([ap]), {"a1": "A", "a2": "A", "b1": "B"}).only().systems
    ('a2', 'b1')
    """
    if not hasattr(scores, "only"):
        raise ArgumentError(f"`scores` must be Scores, from evaluate or read_scores; got {repr_of(scores)}.")
    by = next(iter(scores.values())) if measure is None else scores[measure]
    known, said = teams_of(by.systems, teams, team_prefix)
    means = dict(zip(by.systems, by.system_means.tolist(), strict=True))
    best = {min(members, key=lambda name: (-means[name], name.encode())) for members in systems_by_team(known).values()}
    chosen = [name for name in by.systems if name in best or name in keep]
    kept = scores.select(systems=chosen)
    note = f"kept {len(chosen)} of {len(by.systems)} systems: the best of each of {len(best)} teams by {by.measure}"
    notify(said)
    return type(scores)([one.note(note) for one in kept.values()], (*kept.warnings, *said))


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
