"""What `reuse` asks of its arguments."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence

from cranfield.collection.doors import RunsLike, as_runs, skipped_files
from cranfield.collection.readers import read_runs
from cranfield.collection.teams import read_teams, teams_by_prefix
from cranfield.collection.types import Run
from cranfield.core.defaults import PERSISTENCE, SystemName
from cranfield.core.errors import ArgumentError, DataError, UnknownNameError
from cranfield.core.labels import natural_sorted, summary

Path = str | os.PathLike[str]


def find_runs(runs: RunsLike, lenient: bool, name: SystemName) -> tuple[list[Run], tuple[str, ...]]:
    """The runs in byte order of their systems, read where files were given; and what was passed over in folders."""
    sources = as_runs(runs)
    given = list(sources)
    files = [one for one in given if not isinstance(one, Run)]
    listed = [one for one in given if isinstance(one, Run)]
    listed += read_runs(files, lenient=lenient, name=name) if files else []
    return sorted(listed, key=lambda run: run.system.encode()), skipped_files(sources)


def find_teams(
    runs: Sequence[Run], teams: Mapping[str, str] | Path | None, team_prefix: str | None
) -> Mapping[str, str]:
    """The team of each system, from whichever of the two ways was used."""
    if (teams is None) == (team_prefix is None):
        raise ArgumentError(
            "give one grouping of the runs: `teams` (a file of lines `system team`) or `team_prefix` (a regular "
            "expression for the start of run tags)."
        )
    if team_prefix is not None:
        return teams_by_prefix([run.system for run in runs], [run.tag for run in runs], team_prefix)
    return teams if isinstance(teams, Mapping) else read_teams(teams)  # type: ignore[arg-type]


def check_teams(runs: Sequence[Run], teams: Mapping[str, str]) -> dict[str, list[int]]:
    """The runs of every team, by position, teams in numeric-aware order."""
    names = [run.system for run in runs]
    if len(set(names)) < len(names):
        twice = next(name for name in names if names.count(name) > 1)
        raise DataError(f"two runs are called {twice}; every run needs a name of its own")
    if not names:
        raise ArgumentError("`runs` is empty; give the runs the pool was made of.")
    if missing := [name for name in names if name not in teams]:
        raise DataError(f"no team is given for {len(missing)} runs ({summary(missing)}); add them to `teams`")
    if unmatched := sorted(set(teams) - set(names)):
        raise DataError(
            f"teams are given for systems without a run: {summary(unmatched)}; add the runs or drop the names"
        )
    members: dict[str, list[int]] = {team: [] for team in natural_sorted(set(teams.values()))}
    for at, name in enumerate(names):
        members[teams[name]].append(at)
    if len(members) < 2:
        raise DataError(f"all {len(names)} runs are of one team ({next(iter(members))}); leaving it out leaves no pool")
    return members


def check_left_out(leave_out: str | Sequence[str] | None, members: Mapping[str, list[int]]) -> list[str]:
    """The teams to leave out, all of them known."""
    chosen = list(members) if leave_out is None else [leave_out] if isinstance(leave_out, str) else list(leave_out)
    for team in chosen:
        if team not in members:
            raise UnknownNameError("team", team, members)
    if not chosen:
        raise ArgumentError("`leave_out` is empty; name at least one team, or leave it out for all of them.")
    return chosen


def check_depths(depths: int | Sequence[int]) -> list[int]:
    """The pool depths in ascending order, each once."""
    wanted = list(dict.fromkeys([depths] if isinstance(depths, int) else depths))
    for depth in wanted:
        if isinstance(depth, bool) or depth < 1 or depth != int(depth):
            raise ArgumentError(f"`depths` must hold whole numbers of at least 1; got {depth!r}. Write 100.")
    if not wanted:
        raise ArgumentError("`depths` is empty; give at least one pool depth.")
    return sorted(wanted)


def check_numbers(alpha: float, p: float, cutoff: int) -> None:
    """An error unless level and persistence are between 0 and 1 and the cutoff is a rank."""
    for name, value, example in (("alpha", alpha, 0.05), ("p", p, PERSISTENCE)):
        if isinstance(value, bool) or not 0 < value < 1:
            raise ArgumentError(f"`{name}` must be between 0 and 1; got {value!r}. Write {example}.")
    if isinstance(cutoff, bool) or cutoff < 1 or cutoff != int(cutoff):
        raise ArgumentError(f"`cutoff` must be a whole number of at least 1; got {cutoff!r}. Write 10.")
