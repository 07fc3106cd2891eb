"""`Reuse`: what leaving out each team's judgments does to its runs."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import polars as pl

from cranfield.invariants import check_frame
from cranfield.results import Result
from cranfield.sentences import reusability as say
from cranfield.signature import signature


@dataclass(frozen=True, eq=False)
class Reuse(Result):
    """Every team left out in turn, at every pool depth, by every measure; get one from `reuse`.

    Attributes
    ----------
    rows : polars frame
        One row per measure, view, depth and team; see `to_frame`.
    system_rows : polars frame
        One row per depth and system: how much of its top is judged, and RBP's residual, with and without its team.
    n_judged : int
        Judgments there are.
    pools : mapping from depth to int
        How many of them are of documents that some run has among its first so many; the others are not used.
    """

    rows: pl.DataFrame
    system_rows: pl.DataFrame
    settings: Mapping[str, Any]
    n_judged: int
    pools: Mapping[int, int]
    warnings: tuple[str, ...] = field(default=())

    def __post_init__(self) -> None:
        for table in (self.rows, self.system_rows):
            check_frame("reusability", table)

    @property
    def signature(self) -> str:
        """One line for a paper's footnote."""
        return signature("reusability, teams left out in turn", **dict(self.settings))

    def to_frame(self) -> pl.DataFrame:
        """One row per measure, view, depth and team.

        measure, view (``full list`` or ``condensed list``), depth, team, runs, unique_judged, unique_relevant,
        rank_drop (the most ranks one of its runs loses; negative when all gain), score_change (the mean score of the
        run that loses most, without minus with its judgments), tau with lower and upper (the order of all systems
        without and with them), pairs and flips (of its runs with those of other teams, and how many are decided
        otherwise).
        """
        return self.rows

    def systems_frame(self) -> pl.DataFrame:
        """One row per depth and system: judged and residual, with and without its team."""
        return self.system_rows

    def worst(self) -> pl.DataFrame:
        """Of every measure, view and depth the team that loses most ranks."""
        order = self.rows.sort("rank_drop", "tau", descending=[True, False], maintain_order=True)
        return order.unique(["measure", "view", "depth"], keep="first", maintain_order=True).sort(
            "measure", "view", "depth"
        )

    def to_dict(self) -> dict[str, Any]:
        """Everything as plain Python values."""
        return {
            "settings": dict(self.settings),
            "signature": self.signature,
            "rows": self.rows.to_dicts(),
            "systems": self.system_rows.to_dicts(),
            "judged": self.n_judged,
            "pools": [{"depth": depth, "judged": count} for depth, count in self.pools.items()],
            "warnings": list(self.warnings),
        }

    def summary(self) -> str:
        """One sentence: the worst that happens at the deepest pool, by the first measure."""
        first = self.rows.row(0, named=True)
        here = self.rows.filter(
            (pl.col("measure") == first["measure"])
            & (pl.col("view") == first["view"])
            & (pl.col("depth") == self.rows["depth"].max())
        )
        worst = here.sort("rank_drop", descending=True, maintain_order=True).row(0, named=True)
        drop = worst["rank_drop"]
        where = f"by {worst['measure']} from pools of depth {worst['depth']}"
        ranks = "1 rank" if drop == 1 else f"{drop} ranks"
        fall = say.NO_RANK_LOST(where=where) if drop <= 0 else say.FALLS(ranks=ranks, team=worst["team"], where=where)
        changed = say.DECISIONS_CHANGE(flips=int(here["flips"].sum()), pairs=int(here["pairs"].sum()))
        return f"{fall}. {changed}"

    def __repr__(self) -> str:
        return f"Reuse({self.summary()})\n{self.rows}"

    def _view(self) -> tuple[str, list[pl.DataFrame]]:
        return self.summary(), [self.worst(), self.rows]
