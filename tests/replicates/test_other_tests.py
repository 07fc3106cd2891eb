"""Beside other tests, and within teams beside all runs."""

from __future__ import annotations

import warnings

import numpy as np
import pytest

from cranfield import ArgumentError, CranfieldWarning, DataError, Replicates, compare, make_sample
from cranfield import replicate as warning_replicate
from cranfield.collection.teams import teams_by_prefix
from cranfield.questions.replicates.other_tests import compare_teams, comparison_table

SAMPLE = make_sample(n_topics=20, n_systems=9, n_documents=800, seed=5)
TEAMS = dict(SAMPLE.truth.select("system", "team").rows())


@pytest.fixture(scope="module")
def found() -> Replicates:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", CranfieldWarning)
        return warning_replicate(SAMPLE.qrels, SAMPLE.runs, "AP", n_resamples=500, n_splits=5)


def test_counts_are_those_of_the_tests_themselves(found: Replicates) -> None:
    table = found.comparison(n_resamples=2000)
    rows = {(test, correction): row for _, test, correction, *row in table.iter_rows()}
    whole = found["AP"].data.whole
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", CranfieldWarning)
        for name, test in (("paired t", "t"), ("randomisation", "randomisation")):
            for correction in ("none", "bh"):
                theirs = compare(whole, test=test, correction=correction, n_resamples=2000)
                assert rows[name, correction][0] == int(theirs.to_frame()["significant"].sum())
    decided = found["AP"].decisions
    assert rows["twice-median", "bh"][0] == int(decided.by_rule["merged"].sum())
    assert rows["unanimous", "bh"][0] == int(decided.by_rule["unanimous"].sum())
    assert rows["majority", "bh"][0] == int(decided.by_rule["majority"].sum())
    for different, share, both, only_here, only_replicates, conflicts in rows.values():
        assert different == both + only_here + conflicts
        assert int(decided.decided.sum()) == both + only_replicates + conflicts
        assert share == different / 36


def test_conflicts_are_counted(found: Replicates) -> None:
    one = found["AP"]
    turned = type(one)(one.data, tuple(type(s)(-s.effects, -s.upper, -s.lower, s.p, s.shared, s.spread)
                                       for s in one.effects), one.how, one.rule)  # fmt: skip
    row = comparison_table(turned, 2000).filter(test="paired t", correction="none").row(0, named=True)
    assert row["conflicts"] > 0
    assert row["both"] == 0


def test_triples_count_every_pair_of_a_team(found: Replicates) -> None:
    teams = compare_teams(found["AP"], TEAMS, n_resamples=2000)
    sizes = [list(TEAMS.values()).count(team) for team in set(TEAMS.values())]
    assert teams.n_teams == sum(size > 1 for size in sizes)
    assert teams.n_pairs == sum(size * (size - 1) // 2 for size in sizes) == teams.triples["pairs"].sum()
    assert teams.triples.height == 8
    assert teams.triples["share"].sum() == pytest.approx(1)
    assert teams.lengths["model"].to_list() == ["across", "within"]
    assert (teams.lengths.select("without_interaction", "with_interaction").to_numpy() > 0).all()


def test_one_team_of_all_is_the_same_model(found: Replicates) -> None:
    together = compare_teams(found["AP"], dict.fromkeys(found["AP"].data.systems, "all"), n_resamples=2000)
    across, within = together.lengths.select("with_interaction").to_numpy().ravel()
    assert across == within
    apart = together.triples.filter(together.triples["across"] != together.triples["within"])
    assert apart["pairs"].sum() == 0


def test_teams_that_do_not_fit(found: Replicates) -> None:
    with pytest.raises(DataError) as stranger:
        compare_teams(found["AP"], {"nobody": "x"})
    assert str(stranger.value) == "teams are given for systems without a run: nobody. Remove them from the teams."
    alone = {system: system for system in found["AP"].data.systems}
    with pytest.raises(DataError) as unmatched:
        compare_teams(found["AP"], alone)
    assert str(unmatched.value) == ("no team has two runs: 9 teams for 9 systems. Group the runs differently.")
    with pytest.raises(ArgumentError) as pattern:
        teams_by_prefix(["a"], ["a"], "[")
    assert str(pattern.value).startswith("`team_prefix` '[' is not a regular expression: ")


def test_unbalanced_scores_go_through_teams_too() -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", CranfieldWarning)
        kept = warning_replicate(
            SAMPLE.qrels, SAMPLE.runs, "AP", n_resamples=200, n_splits=2, n_partitions=5, empty="keep"
        )
    assert np.isfinite(compare_teams(kept["AP"], TEAMS, 500).lengths.select("with_interaction").to_numpy()).all()
