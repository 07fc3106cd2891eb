"""Comparisons within teams: variants of one system are a family of their own, with the variance of their own pairs.

In a large family max-t borrows variance from pairs that vary far more, so it hardly separates near-identical systems.
Within a team the mean variance of a pair, v0, is that of the team, and the adjustment counts its pairs alone.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from cranfield.collection.teams import systems_by_team, teams_by_prefix
from cranfield.core.answer import sentence
from cranfield.core.errors import ArgumentError, DataError
from cranfield.core.labels import plural, summary
from cranfield.questions.compare.analysis import Plan, board_of, conclude, find_family, tested_family
from cranfield.questions.compare.comparison import Comparison
from cranfield.questions.compare.family import Pairs
from cranfield.questions.compare.intervals import Basis
from cranfield.questions.variance.estimate import Teams, team_of
from cranfield.scores.matrix import ScoreMatrix

NOT_COMPARED = sentence(
    "comparison.team-of-one",
    "Not compared: {count} alone in a team ({systems}).",
    "systems are compared within teams, and these systems have no team, or no other system in it",
)
EACH_FAMILY = sentence(
    "comparison.family-per-team",
    "Each team is a separate family: the level holds per team, not over all {teams} teams.",
    "systems are compared within teams, and more than one team has two systems or more",
)


def find_teams(systems: Sequence[str], teams: Teams | None, team_prefix: str | None) -> Mapping[str, str]:
    """The team of each system, from a mapping, a file, or a regular expression for the start of names."""
    if (teams is None) == (team_prefix is None):
        raise ArgumentError(
            "`within_teams` needs one grouping. Give either `teams` (a file of lines `system team`) or `team_prefix` "
            "(a regular expression for the start of system names)."
        )
    given = teams_by_prefix(systems, systems, team_prefix) if team_prefix is not None else team_of(teams)
    assert given is not None
    if not (known := {name: given[name] for name in systems if name in given}):
        raise DataError("no system has a team. Check the names of systems in `teams`, or `team_prefix`.")
    return known


def members_of(matrix: ScoreMatrix, teams: Mapping[str, str]) -> dict[str, list[str]]:
    """The systems of every team that has two or more, teams and systems in byte order of their names."""
    own = {name: teams[name] for name in sorted(matrix.systems, key=str.encode) if name in teams}
    grouped = systems_by_team(own)
    several = {team: grouped[team] for team in sorted(grouped, key=str.encode) if len(grouped[team]) > 1}
    if not several:
        raise DataError(f"{matrix.measure}: no team has two systems to compare. Leave `within_teams` out.")
    return several


def compare_within(matrix: ScoreMatrix, teams: Mapping[str, str], plan: Plan, said: tuple[str, ...]) -> Comparison:
    """One comparison of the pairs within teams; the leaderboard is that of all systems."""
    plan = replace(plan, of_teams=True)
    members = members_of(matrix, teams)
    parts = [
        conclude([tested_family(find_family(matrix.select(systems=systems), plan), plan)], plan, ())[0]
        for systems in members.values()
    ]
    whole = find_family(matrix, plan)
    board = board_of(whole, plan)
    at = {name: i for i, name in enumerate(whole.systems)}
    left = [name for name in whole.systems if not any(name in systems for systems in members.values())]
    notes = [NOT_COMPARED(count=plural(len(left), "system"), systems=summary(left))] if left else []
    notes += [EACH_FAMILY(teams=len(members))] if len(members) > 1 else []
    positions = [[at[name] for one in parts for name in getattr(one, which)] for which in ("system_a", "system_b")]
    first = parts[0]
    drawn = [one.n_resamples for one in parts if one.n_resamples is not None]
    joined: dict[str, Any] = {
        name: np.concatenate([getattr(one, name) for one in parts])
        for name in ("difference", "lower", "upper", "effect_size", "effect_size_residual", "p", "p_adjusted")
    }
    within = [one.within for one in parts if one.within is not None]
    texts = [text for one in parts for text in one.warnings if text not in matrix.warnings]
    return replace(
        first,
        systems=whole.systems,
        pairs=Pairs(*(np.array(each, dtype=np.intp) for each in positions)),
        value=whole.value,
        value_lower=board.value_lower,
        value_upper=board.value_upper,
        rank=whole.rank,
        rank_lower=board.rank_lower,
        rank_upper=board.rank_upper,
        rank_resamples=board.n_resamples,
        basis=Basis(np.concatenate([one.basis.error for one in parts]), first.basis.df),
        p_method=tuple(name for one in parts for name in one.p_method),
        family=max(one.family for one in parts),
        smallest_p=min(one.smallest_p for one in parts),
        n_resamples=max(drawn) if drawn else None,
        exact=all(one.exact for one in parts),
        scores=whole.matrix,
        within=None if not within else (np.concatenate([w[0] for w in within]), np.concatenate([w[1] for w in within])),
        teams=tuple(team for team, one in zip(members, parts, strict=True) for _ in one.p),
        warnings=tuple(dict.fromkeys([*said, *matrix.warnings, *notes, *texts])),
        **joined,
    )
