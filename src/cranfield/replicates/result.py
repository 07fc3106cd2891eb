"""`Replicates`: the answer of the replicated analysis, by every measure asked for."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, get_args

import polars as pl

from cranfield.defaults import RESAMPLES, ReplicatesShow
from cranfield.errors import UnknownNameError
from cranfield.replicates.analysis import MeasureReplicates
from cranfield.replicates.other_tests import comparison_table
from cranfield.replicates.teams import Teams, compare_teams
from cranfield.results import Result

FIXED_TOPICS = "With the interaction term topics are fixed: the inference is to other documents, not to other topics."


@dataclass(frozen=True, eq=False)
class Replicates(Result):
    """Which systems differ when every topic is scored on several partitions of the documents.

    Parameters
    ----------
    by_measure : one analysis per measure
    settings : the settings in force
    signature : one line for a paper's footnote
    warnings : what to know before relying on it, one sentence each
    """

    by_measure: Mapping[str, MeasureReplicates]
    settings: Mapping[str, Any]
    signature: str
    warnings: tuple[str, ...] = field(default=())

    @property
    def measures(self) -> tuple[str, ...]:
        """The measures' names."""
        return tuple(self.by_measure)

    def __getitem__(self, measure: str) -> MeasureReplicates:
        if measure not in self.by_measure:
            raise UnknownNameError("measure", measure, self.by_measure)
        return self.by_measure[measure]

    @property
    def systems(self) -> tuple[str, ...]:
        """The systems, in byte order of their names."""
        return next(iter(self.by_measure.values())).data.systems

    @property
    def n_systems(self) -> int:
        """How many systems."""
        return len(self.systems)

    @property
    def effects(self) -> pl.DataFrame:
        """One row per system, best first: measure, system, mean, effect, lower, upper.

        `mean` is the score on the whole collection. `effect`, `lower` and `upper` are those of a split, averaged
        over the splits: a typical interval of one split, neither wider nor narrower for their number.
        """
        return pl.concat([each.systems_frame() for each in self.by_measure.values()])

    @property
    def pairs(self) -> pl.DataFrame:
        """One row per pair: measure, system_a, system_b, difference, p, p_adjusted, votes, against, decision.

        `system_a` has the higher mean effect; `votes` counts the splits that find it significantly better, `against`
        those that find it significantly worse.
        """
        return pl.concat([each.pairs_frame() for each in self.by_measure.values()])

    @property
    def agreement(self) -> pl.DataFrame:
        """How many pairs the splits agree on: measure, agreement (11:0, 10:1, …), pairs, share, …"""
        return pl.concat([each.agreement_frame() for each in self.by_measure.values()])

    @property
    def splits(self) -> pl.DataFrame:
        """One row per split: topics used, interval lengths, pairs different, nature of the residuals."""
        return pl.concat([each.splits_frame() for each in self.by_measure.values()])

    @property
    def anova(self) -> pl.DataFrame:
        """The ANOVA table of every split."""
        return pl.concat([each.anova_frame() for each in self.by_measure.values()])

    def comparison(self, n_resamples: int = RESAMPLES) -> pl.DataFrame:
        """Pairs separated by replicates, paired t and randomisation: counts, overlaps, conflicts."""
        return pl.concat([comparison_table(each, n_resamples) for each in self.by_measure.values()])

    def teams(self, teams: Mapping[str, str], n_resamples: int = RESAMPLES) -> dict[str, Teams]:
        """Within-team against across-team models, by measure; see `compare_teams`."""
        return {name: compare_teams(each, teams, n_resamples) for name, each in self.by_measure.items()}

    def to_frame(self, show: ReplicatesShow = "pairs") -> pl.DataFrame:
        """The pairs, or another of the tables that need no further input."""
        if show not in get_args(ReplicatesShow) or show == "teams":
            raise UnknownNameError("table", str(show), [name for name in get_args(ReplicatesShow) if name != "teams"])
        table: pl.DataFrame
        if show == "comparison":
            table = self.comparison()
        else:
            table = self.effects if show == "systems" else getattr(self, show)
        return table

    def to_dict(self) -> dict[str, Any]:
        """Settings, signature, warnings, and the tables of effects, pairs and agreement as lists of rows."""
        return {
            "signature": self.signature,
            "settings": dict(self.settings),
            "warnings": list(self.warnings),
            "effects": self.effects.to_dicts(),
            "pairs": self.pairs.to_dicts(),
            "agreement": self.agreement.to_dicts(),
        }

    def summary(self) -> str:
        """By every measure: pairs found different, and how long the intervals are."""
        return "; ".join(each.summary() for each in self.by_measure.values())

    def __repr__(self) -> str:
        return f"Replicates({self.summary()})"
