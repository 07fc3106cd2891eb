"""The replicated analysis compared with other tests on the same runs, and within one team with across teams."""

from __future__ import annotations

import itertools
from collections.abc import Mapping
from dataclasses import dataclass, replace

import numpy as np
import polars as pl
from numpy.typing import NDArray

from cranfield.core.defaults import RESAMPLES
from cranfield.core.errors import DataError
from cranfield.core.labels import summary
from cranfield.questions.compare.classical import paired_t
from cranfield.questions.compare.corrections import adjust
from cranfield.questions.compare.family import GridScores
from cranfield.questions.compare.randomisation import resolved
from cranfield.questions.compare.resampled import Resampling
from cranfield.questions.replicates.splits import MeasureReplicates, analyse_splits, decide_effects

Ints = NDArray[np.int64]


def other_tests(replicates: MeasureReplicates, n_resamples: int = RESAMPLES) -> dict[tuple[str, str], Ints]:
    """Directions (1, 0, −1) of all pairs by paired t and randomisation, two-sided, on the whole collection's scores.

    By test and correction: uncorrected, and with the correction in use.
    """
    scores, pairs, rule = GridScores.of(replicates.data.whole.values), replicates.pairs, replicates.rule
    sign = np.sign(pairs.of(scores.sums)).astype(np.int64)
    how = Resampling(n_resamples, replicates.how.seed, workers=replicates.how.workers)
    p = {"paired t": paired_t(scores, pairs, "two-sided"), "randomisation": resolved(scores, pairs, how).p}
    return {
        (test, name): np.where(adjust(values, name) <= rule.alpha, sign, 0)
        for test, values in p.items()
        for name in dict.fromkeys(["none", rule.correction])
    }


def comparison_table(replicates: MeasureReplicates, n_resamples: int = RESAMPLES) -> pl.DataFrame:
    """Which pairs each rule and test separates, beside the decision by replicates.

    `both` counts the pairs that the row's test and the replicates find different in the same direction. `extra`
    counts those that only the test finds, `missed` those that only the replicates find, and `conflicts` those decided
    in opposite directions. The first rows are the replicates: the merged p-value, the votes, and the first split
    alone. The slides compare with uncorrected tests; the corrected ones are listed too.
    """
    decisions, rule = replicates.decisions, replicates.rule
    there = decisions.direction
    sign = np.sign(decisions.difference).astype(np.int64)
    first = np.sign(replicates.pairs.of(replicates.effects[0].effects)).astype(np.int64)
    own = {rule.merge if name == "merged" else name: np.where(by, sign, 0) for name, by in decisions.by_rule.items()}
    own[f"split {replicates.data.splits[0].number}"] = np.where(decisions.split_p[0] <= rule.alpha, first, 0)
    rows = []
    by_name = {(name, rule.correction): direction for name, direction in own.items()}
    for (test, correction), here in (by_name | other_tests(replicates, n_resamples)).items():
        found = here != 0
        counted = {
            "different": found,
            "both": found & (here == there),
            "extra": found & (there == 0),
            "missed": ~found & (there != 0),
            "conflicts": here * there < 0,
        }
        counts = {name: int(chosen.sum()) for name, chosen in counted.items()}
        share = {"different": counts["different"], "share": counts["different"] / len(here)}
        rows.append({"measure": replicates.measure, "test": test, "correction": correction} | share | counts)
    return pl.DataFrame(rows)


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

    Across: the decision with all runs. Within: the whole procedure again with the team's runs alone; its pairs are
    one family. Randomisation: uncorrected, as in the slides.
    """
    systems = replicates.data.systems
    if unknown := [name for name in teams if name not in systems]:
        raise DataError(f"teams are given for systems without a run: {summary(unknown)}. Remove them from the teams.")
    members: dict[str, list[int]] = {}
    for at, system in enumerate(systems):
        if system in teams:
            members.setdefault(teams[system], []).append(at)
    members = {team: runs for team, runs in members.items() if len(runs) > 1}
    if not members:
        raise DataError(
            f"no team has two runs: {len(set(teams.values()))} teams for {len(systems)} systems. "
            "Group the runs differently."
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
    across = replicates.decisions.direction
    random = other_tests(replicates, n_resamples)["randomisation", "none"]
    place = {pair: at for at, pair in enumerate(itertools.combinations(range(len(systems)), 2))}
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
    counted = []
    for kinds in itertools.product((True, False), repeat=3):
        alike = [triple for triple in triples if tuple(map(bool, triple)) == kinds]
        words = ("different" if kind else "undecided" for kind in kinds)
        conflicts = sum(len({part for part in triple if part}) > 1 for triple in alike)
        names = dict(zip(("across", "within", "randomisation"), words, strict=True))
        counted.append(names | {"pairs": len(alike), "share": len(alike) / len(triples), "conflicts": conflicts})
    mean = {of: float(np.mean(each)) for of, each in lengths.items()}
    table = [
        {"model": runs, "without_interaction": mean[runs, False], "with_interaction": mean[runs, True]}
        for runs in ("across", "within")
    ]
    measure = pl.lit(replicates.measure).alias("measure")
    first, second = (pl.DataFrame(rows).insert_column(0, measure) for rows in (counted, table))
    return Teams(first, second, len(members), len(triples))
