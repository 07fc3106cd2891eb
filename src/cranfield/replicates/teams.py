"""Within one team's runs beside all runs: does the model need the whole track?"""

from __future__ import annotations

import itertools
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np
import polars as pl

from cranfield.defaults import RESAMPLES
from cranfield.errors import DataError
from cranfield.labels import summary
from cranfield.replicates.analysis import MeasureReplicates, analyse_splits, decide_effects
from cranfield.replicates.other_tests import other_tests


@dataclass(frozen=True, eq=False)
class Teams:
    """Decisions on pairs of one team's runs: with all runs in the model, and with the team's alone.

    Parameters
    ----------
    triples : how many pairs got which (across, within, randomisation) decisions
    lengths : mean interval length of the runs concerned, across and within, with and without interaction
    n_teams, n_pairs : teams with at least two runs, and their pairs
    """

    triples: pl.DataFrame
    lengths: pl.DataFrame
    n_teams: int
    n_pairs: int


def compare_teams(replicates: MeasureReplicates, teams: Mapping[str, str], n_resamples: int = RESAMPLES) -> Teams:
    """Within-team against across-team models (slides "Within- vs. Across-Teams Models").

    Across: the decision already made with all runs. Within: the whole procedure again with the runs of the team
    alone, its pairs a family of their own. Randomisation: uncorrected, as in the slides.
    """
    systems = replicates.data.systems
    if unknown := [name for name in teams if name not in systems]:
        raise DataError(f"teams are given for systems without a run: {summary(unknown)}")
    members: dict[str, list[int]] = {}
    for at, system in enumerate(systems):
        if system in teams:
            members.setdefault(teams[system], []).append(at)
    members = {team: runs for team, runs in members.items() if len(runs) > 1}
    if not members:
        raise DataError(
            f"no team has two runs: {len(set(teams.values()))} teams for {len(systems)} systems; group them differently"
        )
    alpha, rule, splits = replicates.rule.alpha, replicates.rule, replicates.data.splits
    models = {interaction: replace(replicates.how, interaction=interaction) for interaction in (False, True)}
    lengths: dict[tuple[str, bool], list[float]] = {}
    runs = [run for team in members.values() for run in team]
    for interaction, how in models.items():
        known = interaction == replicates.how.interaction
        effects = replicates.effects if known else analyse_splits(splits, how, alpha)
        lengths["across", interaction] = np.mean([split.lengths for split in effects], axis=0)[runs].tolist()
        lengths["within", interaction] = []
    across, random = replicates.decisions.direction, other_tests(replicates, n_resamples).randomisation["none"]
    place = {
        pair: at for at, pair in enumerate(zip(replicates.pairs.a.tolist(), replicates.pairs.b.tolist(), strict=True))
    }
    triples: list[tuple[int, int, int]] = []
    for team in members.values():
        own = [replace(split, scores=split.scores.select(team)) for split in splits]
        for interaction, how in models.items():
            effects = analyse_splits(own, how, alpha)
            lengths["within", interaction] += np.mean([split.lengths for split in effects], axis=0).tolist()
            if interaction == replicates.how.interaction:
                within = decide_effects(effects, rule).direction.tolist()
        chosen = [place[pair] for pair in itertools.combinations(team, 2)]
        triples += zip(across[chosen].tolist(), within, random[chosen].tolist(), strict=True)
    return Teams(
        _count_triples(replicates.measure, triples),
        _length_table(replicates.measure, lengths),
        len(members),
        len(triples),
    )


def _count_triples(measure: str, triples: Sequence[tuple[int, int, int]]) -> pl.DataFrame:
    names = {True: "different", False: "undecided"}
    rows = []
    for across in (True, False):
        for within in (True, False):
            for random in (True, False):
                here = [t for t in triples if (t[0] != 0, t[1] != 0, t[2] != 0) == (across, within, random)]
                conflicts = sum(len({part for part in t if part}) > 1 for t in here)
                rows.append((measure, names[across], names[within], names[random], len(here),
                             len(here) / len(triples), conflicts))  # fmt: skip
    schema = {"measure": pl.String, "across": pl.String, "within": pl.String, "randomisation": pl.String}
    return pl.DataFrame(
        rows, schema=schema | {"pairs": pl.Int64, "share": pl.Float64, "conflicts": pl.Int64}, orient="row"
    )


def _length_table(measure: str, lengths: Mapping[tuple[str, bool], Sequence[float]]) -> pl.DataFrame:
    rows = [
        (measure, runs, *(float(np.mean(lengths[runs, interaction])) for interaction in (False, True)))
        for runs in ("across", "within")
    ]
    schema = {"measure": pl.String, "model": pl.String}
    return pl.DataFrame(
        rows, schema=schema | {"without_interaction": pl.Float64, "with_interaction": pl.Float64}, orient="row"
    )
