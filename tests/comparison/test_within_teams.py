"""Comparisons within teams: each is a family of its own, equal to the comparison of its systems alone."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

import cranfield as cf

TEAMS = {f"{team}{k}": team for team, count in (("big", 9), ("few", 3), ("pair", 2)) for k in range(count)}
pytestmark = pytest.mark.filterwarnings("ignore::cranfield.core.errors.CranfieldWarning")


def scores(n: int = 50) -> cf.ScoreMatrix:
    """Variants of a team differ by little, systems of different teams by much more."""
    rng = np.random.default_rng(11)
    topics = rng.normal(0.4, 0.1, (n, 1))
    own = {team: topics + rng.normal(0, 0.15, (n, 1)) for team in ("big", "few", "pair", "alone")}
    names = [*TEAMS, "alone"]
    columns = [
        own[TEAMS.get(name, name)] + 0.006 * (k % 3) + rng.normal(0, 0.01, (n, 1)) for k, name in enumerate(names)
    ]
    return cf.ScoreMatrix(np.hstack(columns), [f"{i:02}" for i in range(n)], names, "AP")


@pytest.mark.parametrize("test", ["max-t", "randomisation", "t"])
def test_every_team_is_compared_as_if_alone(test: str) -> None:
    matrix = scores()
    found = cf.compare(matrix, within_teams=True, teams=TEAMS, test=test, n_resamples=999, margin=0.02)
    frame = found.to_frame()
    assert dict(frame["team"].value_counts().iter_rows()) == {"big": 36, "few": 3, "pair": 1}
    for team in ("big", "few", "pair"):
        names = [name for name, own in TEAMS.items() if own == team]
        alone = cf.compare(matrix.select(systems=names), test=test, n_resamples=999).to_frame()
        assert frame.filter(team=team).select(alone.columns).equals(alone)


def test_variants_are_separated_that_a_large_family_leaves_open() -> None:
    matrix = scores()
    together = cf.compare(matrix, n_resamples=999)
    within = cf.compare(matrix, within_teams=True, teams=TEAMS, n_resamples=999)
    inside = [TEAMS.get(a, a) == TEAMS.get(b, b) for a, b in zip(together.system_a, together.system_b, strict=True)]
    assert together.test == within.test == "max-t"
    assert int(within.significant.sum()) > 2 * int(together.significant[np.array(inside)].sum())


def test_the_largest_team_decides_on_the_test() -> None:
    small = {name: team for name, team in TEAMS.items() if team != "big"}
    assert cf.compare(scores(), within_teams=True, teams=small).test == "randomisation"
    assert cf.compare(scores(), within_teams=True, teams=TEAMS).test == "max-t"


def test_a_prefix_and_a_file_group_alike(tmp_path: Path) -> None:
    file = tmp_path / "teams.txt"
    file.write_text("".join(f"{name} {team}\n" for name, team in TEAMS.items()))
    ways: list[Any] = [{"teams": file}, {"team_prefix": "[a-z]+"}]
    first, second = (cf.compare(scores(), within_teams=True, test="t", **how) for how in ways)
    assert first.to_frame().equals(second.to_frame())
    assert "one per team (3 teams, at most 36 comparisons)" in first.signature
    assert first.settings["n_teams"] == 3
    assert len(first.leaderboard()) == 15


def test_the_headline_and_the_order_of_systems() -> None:
    found = cf.compare(scores(), within_teams=True, teams=TEAMS, test="t")
    assert "(within teams; Holm-adjusted p ≤ 0.05)" in found.headline
    other = scores().select(systems=[*reversed(scores().systems)])
    assert found.to_frame().equals(cf.compare(other, within_teams=True, teams=TEAMS, test="t").to_frame())


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"teams": TEAMS}, "`teams` and `team_prefix` need `within_teams` or `best_per_team`. Add one."),
        ({"within_teams": True}, "`within_teams` needs one grouping."),
        ({"within_teams": True, "teams": TEAMS, "team_prefix": "x"}, "`within_teams` needs one grouping."),
        ({"within_teams": True, "teams": TEAMS, "baseline": "big0"}, "Leave `baseline` out."),
        ({"within_teams": True, "teams": TEAMS, "across_measures": True}, "Leave `across_measures` out."),
        ({"within_teams": True, "teams": {"x": "y"}}, "no system has a team."),
        ({"within_teams": True, "teams": {"big0": "a", "big1": "b"}}, "no team has two systems to compare."),
    ],
)
def test_what_makes_no_sense_is_refused(settings: Any, message: str) -> None:
    with pytest.raises((cf.ArgumentError, cf.DataError)) as error:
        cf.compare(scores(), **settings)
    assert message in str(error.value)
