"""Factors applied: z scores, std-CDF and std-AB, with counts of clipped and tied cells.

On a topic where all standardising systems tied, z is 0 at their common score, +∞ above it and −∞ below. There std-CDF
gives ½, 1 or 0 and std-AB gives b, 1 or 0.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, get_args

import numpy as np
from numpy.typing import NDArray

from cranfield.core.answer import sentence
from cranfield.core.defaults import MissingPolicy, StandardiseTo
from cranfield.core.elementary import normal_cdf
from cranfield.core.errors import ArgumentError, DataError
from cranfield.core.labels import summary
from cranfield.core.results import Result, signature
from cranfield.questions.standardise.answer import standardised_answer
from cranfield.questions.standardise.question import StandardisedScores
from cranfield.scores.doors import as_matrices
from cranfield.scores.matrix import ScoreMatrix, Scores, inherited, replace_values

if TYPE_CHECKING:
    import polars as pl

    from cranfield.core.answer import Drawings
    from cranfield.questions.standardise.fit import Factors, Standardisation

CLIPPED = sentence(
    "standardise.clipped",
    "{measure}: {clipped} of {cells} cells ({share:.2%}) were clipped: {below} at 0, {above} at 1",
    "standardised scores a·z + b lay outside [0, 1] that often",
)
OFF_TIE = sentence(
    "standardise.off-tie",
    "{measure}: {count} scores became {became}, because they differ from the one score of all standardising systems",
    "other systems than those the factors come from scored otherwise on topics where those tied",
)
TIED_TOPICS = sentence(
    "standardise.tied-topics",
    "{measure}: on {tied} of {topics} topics all standardising systems have the same score; {off} other scores differ "
    "from it",
    "the factors have topics without spread among the topics that are standardised",
)
_NAMES = {"ab": "std-AB", "cdf": "std-CDF", "z": "z"}


@dataclass(frozen=True)
class Counts:
    """What happened to the cells of one measure.

    `below` and `above` are cells that std-AB would have put outside [0, 1] and that were clipped; `tied_topics` are
    topics whose standardising systems all tied, and `off_tie` the cells on them that are not at the common score.
    """

    measure: str
    cells: int
    below: int
    above: int
    tied_topics: int
    off_tie: int

    @property
    def clipped(self) -> int:
        """Cells clipped at either end."""
        return self.below + self.above


@dataclass(frozen=True)
class Standardised(Result):
    """Standardised scores and what there is to know about them.

    Attributes
    ----------
    scores : the standardised `Scores`; measures are named as in the papers, such as ``std-AB(AP)``
    to, a, b : the transformation
    counts : clipped and tied cells, one `Counts` a measure
    """

    scores: Scores
    to: StandardiseTo
    a: float
    b: float
    counts: tuple[Counts, ...]
    signature: str
    warnings: tuple[str, ...] = ()

    def to_frame(self) -> pl.DataFrame:
        """Columns topic, system, measure, value."""
        return self.scores.to_long().select("topic", "system", "measure", "value")

    def to_dict(self) -> dict[str, Any]:
        """Everything as plain Python values."""
        return {**super().to_dict(), "counts": [vars(count) for count in self.counts]}

    @property
    def settings(self) -> dict[str, Any]:
        """The transformation."""
        return StandardisedScores.in_force(self)

    def clipping(self) -> list[str]:
        """One sentence per measure about clipped and tied cells; empty when there is nothing to say."""
        said = []
        for count in self.counts:
            if self.to == "ab" and count.clipped:
                said.append(CLIPPED(clipped=count.clipped, share=count.clipped / count.cells, **vars(count)))
            if count.off_tie:
                became = "+inf or -inf" if self.to == "z" else "1 or 0"
                said.append(OFF_TIE(measure=count.measure, count=count.off_tie, became=became))
        return said

    def __repr__(self) -> str:
        clipped = sum(count.clipped for count in self.counts)
        return f"Standardised({repr(self.scores)[len('Scores(') : -1]}; {clipped} cells clipped)"

    answer = standardised_answer

    @staticmethod
    def drawings() -> Drawings:
        """Its charts by name; the first is drawn unless another is named."""
        from cranfield.questions.evaluate import charts

        return {"topics": charts.standardised}


def standardised(
    factors: Standardisation,
    scores: Scores | ScoreMatrix,
    *,
    to: StandardiseTo,
    a: float,
    b: float,
    missing: MissingPolicy,
) -> Standardised:
    """See `Standardisation.apply`."""
    check(to, a, b)
    matrices = as_matrices(scores)
    ours = [_with_factors(factors[matrix.measure], matrix, missing) for matrix in matrices]
    done = [_standardise(factors[matrix.measure], matrix, to, a, b) for matrix in ours]
    named: dict[str, Any] = {"measure": summary([matrix.measure for matrix in matrices])}
    if to == "ab":
        named |= {"a": a, "b": b}
    known = sorted({n for matrix in matrices for n in factors[matrix.measure].n_systems if n is not None})
    said = [*inherited(matrices)]
    said += [f"{kept.measure}: {kept.provenance[-1]}" for kept in ours if not any(kept is one for one in matrices)]
    said += [
        TIED_TOPICS(measure=count.measure, tied=count.tied_topics, topics=matrix.n_topics, off=count.off_tie)
        for matrix, count in done
        if count.tied_topics
    ]
    signed = signature(_NAMES[to], **named, standardising_systems=known or "unknown")
    counts = tuple(count for _, count in done)
    return Standardised(Scores(matrix for matrix, _ in done), to, a, b, counts, signed, tuple(said))


def check(to: str, a: float, b: float) -> None:
    """Refuse a transformation that cannot be meant."""
    if to not in get_args(StandardiseTo):
        raise ArgumentError(f"`to` must be one of {', '.join(get_args(StandardiseTo))}; got {to!r}")
    if not (math.isfinite(a) and a > 0):
        raise ArgumentError(f"`a` must be a positive number; got {a:g}. The papers use 0.15.")
    if not 0 <= b <= 1:
        raise ArgumentError(
            f"`b` must be between 0 and 1, the range scores are clipped to; got {b:g}. The papers use 0.5."
        )


def z_scores(factors: Factors, values: NDArray[np.float64]) -> NDArray[np.float64]:
    """z of topic × system values whose rows are the factors' topics (Sakai 2016, eq. 2)."""
    mean, sd = factors.mean[:, None], factors.sd[:, None]
    tied = sd == 0
    with np.errstate(over="ignore"):  # infinitely far by a spread next to nothing
        z = (values - mean) / np.where(tied, 1.0, sd)
    off = np.copysign(np.inf, values - mean)
    return np.where(tied, np.where(values == mean, 0.0, off), z)


def from_z(z: NDArray[np.float64], to: StandardiseTo, a: float, b: float) -> NDArray[np.float64]:
    """Standardised scores from z: itself, Φ(z), or clip(a·z + b, 0, 1) (Sakai 2016, eq. 3 and the clipping step)."""
    if to == "z":
        return z
    if to == "cdf":
        return normal_cdf(z)
    return np.clip(a * z + b, 0.0, 1.0)


def _standardise(
    factors: Factors, matrix: ScoreMatrix, to: StandardiseTo, a: float, b: float
) -> tuple[ScoreMatrix, Counts]:
    at = {topic: i for i, topic in enumerate(factors.topics)}
    rows = [at[topic] for topic in matrix.topics]
    counts = tuple(factors.n_systems[row] for row in rows)
    ours = type(factors)(factors.measure, matrix.topics, factors.mean[rows], factors.sd[rows], counts)
    z = z_scores(ours, matrix.values)
    finite, ab = np.isfinite(z), to == "ab"
    below, above = (int((finite & outside).sum()) if ab else 0 for outside in (a * z + b < 0, a * z + b > 1))
    count = Counts(matrix.measure, z.size, below, above, len(ours.tied), int((~finite).sum()))
    label = f"{_NAMES[to]}({matrix.measure})"
    how = f"a = {a:g}, b = {b:g}, {count.clipped} cells clipped" if ab else "from saved factors"
    result = replace_values(matrix, from_z(z, to, a, b), measure=label)
    return result.note(f"standardised to {_NAMES[to]} ({how})"), count


def _with_factors(factors: Factors, matrix: ScoreMatrix, missing: MissingPolicy) -> ScoreMatrix:
    """The scores on topics that have factors: the matrix itself when all have."""
    matrix.require(topics=1, systems=1, what="standardising", tiny=True)
    known = set(factors.topics)
    without_factors = [topic for topic in matrix.topics if topic not in known]
    if not without_factors:
        return matrix
    kept = matrix.n_topics - len(without_factors)
    if missing != "drop-topic" or not kept:
        advice = "pass missing='drop-topic' to leave them out" if kept else "are these factors of this collection?"
        raise DataError(
            f"{matrix.measure}: no factors for {len(without_factors)} of {matrix.n_topics} topics "
            f"({summary(without_factors)}); {advice}"
        )
    plural = "" if len(without_factors) == 1 else "s"
    return matrix.drop(topics=without_factors).note(
        f"{len(without_factors)} topic{plural} without factors left out: {summary(without_factors)}"
    )
