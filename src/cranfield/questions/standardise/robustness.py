"""`standardisation_robustness`: how much factors owe to single systems or teams, by leaving them out."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, fields
from typing import TYPE_CHECKING, Any

import numpy as np
import polars as pl
from numpy.typing import NDArray

from cranfield.collection.teams import read_teams, systems_by_team
from cranfield.core.answer import sentence
from cranfield.core.arguments import check_arguments
from cranfield.core.defaults import STANDARDISE_A, STANDARDISE_B, STANDARDISE_TO, StandardiseTo
from cranfield.core.errors import ArgumentError, DataError, notify
from cranfield.core.labels import positions, summary
from cranfield.core.resampling import grid_step, to_grid
from cranfield.core.results import Result, check_finite, check_interval, signature
from cranfield.questions.standardise.answer import robustness_answer
from cranfield.questions.standardise.apply import check, from_z, z_scores
from cranfield.questions.standardise.fit import factors_of
from cranfield.questions.standardise.question import RobustnessQuestion
from cranfield.scores.doors import as_matrices
from cranfield.scores.matrix import ScoreMatrix, Scores, inherited
from cranfield.scores.rank_coefficients import rank_correlations, systems_above

if TYPE_CHECKING:
    from cranfield.core.answer import Drawings


TIED_WITHOUT = sentence(
    "standardise.tied-without",
    "in {count} cases (left-out system, topic) all other systems tie; the score there is average, best or worst",
    "without one system, all others have the same score on some topic",
)


@dataclass(frozen=True)
class LeftOut:
    """One system scored by factors it contributed to, and by factors it and its group did not.

    `max_difference` is the largest change of a single topic's score. `tied_topics` counts topics on which only the
    remaining systems all tie. `tau` is Kendall's τ between the orders of all systems by the two sets of factors.
    """

    measure: str
    left_out: str
    system: str
    mean: float
    mean_left_out: float
    max_difference: float
    rank: int
    rank_left_out: int
    tied_topics: int
    tau: float

    def __post_init__(self) -> None:
        what = f"{self.measure} without {self.left_out}"
        check_finite(what, mean=[self.mean, self.mean_left_out], difference=self.max_difference)
        check_interval(what, "tau", -1, self.tau, 1)

    @property
    def difference(self) -> float:
        """How far the mean moves when the system is a new one to the factors."""
        return self.mean_left_out - self.mean


@dataclass(frozen=True)
class Robustness(Result):
    """Every left-out system of every measure, in the order of the groups."""

    left_out: tuple[LeftOut, ...]
    to: StandardiseTo
    a: float
    b: float
    leave_out: tuple[str, ...] | None
    teams: tuple[str, ...] | None
    signature: str
    warnings: tuple[str, ...] = ()

    def to_frame(self) -> pl.DataFrame:
        """One row per left-out system."""
        names = [one.name for one in fields(LeftOut)]
        names.insert(5, "difference")
        return pl.DataFrame({name: [getattr(row, name) for row in self.left_out] for name in names})

    def to_dict(self) -> dict[str, Any]:
        """Everything as plain Python values."""
        return {**super().to_dict(), "by_measure": self.by_measure().to_dicts()}

    @property
    def settings(self) -> dict[str, Any]:
        """The transformation, and what was left out."""
        return RobustnessQuestion.in_force(self)

    def by_measure(self) -> pl.DataFrame:
        """One row per measure: how far means, single scores, ranks and orders move at most, and on average."""
        moved = (pl.col("rank_left_out") - pl.col("rank")).abs()
        return (
            self.to_frame()
            .group_by("measure", maintain_order=True)
            .agg(
                left_out=pl.len(),
                mean_difference=pl.col("difference").abs().mean(),
                largest_difference=pl.col("difference").abs().max(),
                largest_topic_difference=pl.col("max_difference").max(),
                ranks_changed=(moved > 0).sum(),
                largest_rank_change=moved.max(),
                lowest_tau=pl.col("tau").min(),
            )
        )

    def __repr__(self) -> str:
        parts = [
            f"{row['measure']}: {row['left_out']} left out, mean moves by {row['largest_difference']:.4f} and "
            f"{row['largest_rank_change']} ranks at most"
            for row in self.by_measure().iter_rows(named=True)
        ]
        return f"Robustness({'; '.join(parts)})"

    answer = robustness_answer

    @staticmethod
    def drawings() -> Drawings:
        """Its charts by name; the first is drawn unless another is named."""
        from cranfield.questions.standardise import charts

        return {"robustness": charts.robustness}


def standardisation_robustness(
    scores: Scores | ScoreMatrix,
    *,
    to: StandardiseTo = STANDARDISE_TO,
    a: float = STANDARDISE_A,
    b: float = STANDARDISE_B,
    leave_out: str | Sequence[str] | None = None,
    teams: Mapping[str, str] | str | os.PathLike[str] | None = None,
) -> Robustness:
    """How far the standardised scores and ranks of systems move when they are new to the factors.

    Answers: does a team that comes later get the same scores as if it had taken part? Each system or team is left
    out in turn, and factors are fitted on the rest. All systems are scored by both sets of factors. Sakai (2016, §5)
    leaves this question open.

    Parameters
    ----------
    scores : raw scores
    to, a, b : the transformation, as in `Standardisation.apply`; a ``"z"`` that becomes infinite is an error
    leave_out : systems to leave out together, instead of each system by itself
    teams : the team of each system, or a file of them (see `read_teams`): each team is left out in turn

    Examples
    --------
    >>> raw = ScoreMatrix([[0.1, 0.3, 0.5, 0.6], [0.2, 0.1, 0.4, 0.9]], ["1", "2"], list("abcd"), "AP")
    >>> standardisation_robustness(raw, teams={"d": "team"})
    Robustness(AP: 1 left out, mean moves by 0.1810 and 0 ranks at most)
    """
    check_arguments(standardisation_robustness, locals())
    check(to, a, b)
    groups = _groups(leave_out, teams)
    matrices = as_matrices(scores)
    rows: list[LeftOut] = []
    for matrix in matrices:
        matrix.require(topics=1, systems=3, what="leaving systems out", tiny=True)
        ours = {system: [system] for system in matrix.systems} if groups is None else groups
        rows += _of_measure(matrix, ours, to, a, b)
    warnings = inherited(matrices)
    if emptied := sum(row.tied_topics for row in rows):
        warnings += (TIED_WITHOUT(count=emptied),)
    named: dict[str, Any] = {"measure": summary([matrix.measure for matrix in matrices]), "to": to}
    if to == "ab":
        named |= {"a": a, "b": b}
    which = "each system" if groups is None else list(groups)
    signed = signature("robustness of standardisation factors", **named, left_out=which)
    together = None if leave_out is None or groups is None else tuple(groups["given"])
    of_teams = None if teams is None or groups is None else tuple(groups)
    notify(warnings)
    return Robustness(tuple(rows), to, a, b, together, of_teams, signed, warnings)


def _groups(
    leave_out: str | Sequence[str] | None, teams: Mapping[str, str] | str | os.PathLike[str] | None
) -> dict[str, list[str]] | None:
    """Name → systems left out together; None means each system by itself."""
    if leave_out is not None and teams is not None:
        raise ArgumentError("`leave_out` and `teams` both say what to leave out; give one of them")
    if leave_out is not None:
        systems = [leave_out] if isinstance(leave_out, str) else list(leave_out)
        if not systems:
            raise ArgumentError("`leave_out` is empty; name at least one system to leave out.")
        return {"given": systems}
    if teams is None:
        return None
    if not teams:
        raise ArgumentError("`teams` is empty; name the team of at least one system.")
    return systems_by_team(teams if isinstance(teams, Mapping) else read_teams(teams))


def _of_measure(
    matrix: ScoreMatrix, groups: Mapping[str, Sequence[str]], to: StandardiseTo, a: float, b: float
) -> list[LeftOut]:
    def scored(factors_from: ScoreMatrix) -> tuple[NDArray[np.float64], int]:
        factors = factors_of(factors_from)
        values = from_z(z_scores(factors, matrix.values), to, a, b)
        if not np.isfinite(values).all():
            raise DataError(
                f"{matrix.measure}: a z score becomes infinite, because the remaining systems all tie on a topic; "
                "use to='ab' or to='cdf'"
            )
        return to_grid(values, matrix.n_topics), len(factors.tied)

    n = matrix.n_topics
    full, tied = scored(matrix)
    full_totals = full.sum(axis=0)
    tolerance = n * grid_step(full, n)  # equal sums can be so far apart by rounding
    full_ranks = systems_above(full_totals[None], tolerance)[0][0] + 1
    rows = []
    for name, members in groups.items():
        at = positions("system", members, matrix.systems)
        if not at or matrix.n_systems - len(set(at)) < 2:
            raise ArgumentError(
                f"group {name!r} leaves {matrix.n_systems - len(set(at))} of {matrix.n_systems} systems to fit "
                "factors on; name at least one system and leave at least 2"
            )
        refit, tied_now = scored(matrix.drop(systems=members))
        totals = refit.sum(axis=0)
        other = n * grid_step(refit, n)
        ranks = systems_above(totals[None], other)[0][0] + 1
        tau = float(rank_correlations(full_totals[None], totals[None], (tolerance, other))["tau"][0])
        moved = np.abs(refit - full).max(axis=0)
        rows += [
            LeftOut(
                matrix.measure, name, matrix.systems[j], float(full_totals[j] / n), float(totals[j] / n),
                float(moved[j]), int(full_ranks[j]), int(ranks[j]), tied_now - tied, tau,
            )
            for j in at
        ]  # fmt: skip
    return rows
