"""Applying factors: z scores, std-CDF and std-AB, with what was clipped and what ties decided.

On a topic where all standardising systems tied, z is 0 for a system at their common score, +∞ above it and −∞ below,
so that std-CDF gives ½, 1 or 0 and std-AB gives b, 1 or 0.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, get_args

import numpy as np
from numpy.typing import NDArray

from cranfield.defaults import MissingPolicy, StandardiseTo
from cranfield.elementary import normal_cdf
from cranfield.errors import ArgumentError, DataError
from cranfield.labels import summary
from cranfield.results import Result
from cranfield.scores import ScoreMatrix, Scores
from cranfield.scores.doors import as_matrices
from cranfield.scores.matrix import inherited, replace_values
from cranfield.sentences import standardise as say
from cranfield.settings.standardise import StandardisedScores
from cranfield.signature import signature

if TYPE_CHECKING:
    import polars as pl

    from cranfield.standardise.factors import Factors, Standardisation

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
        return {
            "settings": self.settings,
            "counts": [vars(count) for count in self.counts],
            "rows": self.to_frame().to_dicts(),
            "signature": self.signature,
            "warnings": list(self.warnings),
        }

    @property
    def settings(self) -> dict[str, Any]:
        """The transformation."""
        return StandardisedScores.in_force(self)

    def clipping(self) -> list[str]:
        """One sentence per measure about clipped and tied cells; empty when there is nothing to say."""
        said = []
        for count in self.counts:
            if self.to == "ab" and count.below + count.above:
                share = (count.below + count.above) / count.cells
                said.append(
                    say.CLIPPED(
                        measure=count.measure, clipped=count.below + count.above, cells=count.cells, share=share,
                        below=count.below, above=count.above,
                    )
                )  # fmt: skip
            if count.off_tie:
                became = "+inf or -inf" if self.to == "z" else "1 or 0"
                said.append(say.OFF_TIE(measure=count.measure, count=count.off_tie, became=became))
        return said

    def __repr__(self) -> str:
        clipped = sum(count.below + count.above for count in self.counts)
        return f"Standardised({repr(self.scores)[len('Scores(') : -1]}; {clipped} cells clipped)"


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
    ab = {"a": a, "b": b} if to == "ab" else {}
    measures = summary([matrix.measure for matrix in matrices])
    known = sorted({n for matrix in matrices for n in factors[matrix.measure].n_systems if n is not None})
    return Standardised(
        Scores(matrix for matrix, _ in done),
        to,
        a,
        b,
        tuple(count for _, count in done),
        signature(_NAMES[to], measure=measures, **ab, standardising_systems=known or "unknown"),
        (
            *inherited(matrices),
            *(
                f"{kept.measure}: {kept.provenance[-1]}"
                for kept, given in zip(ours, matrices, strict=True)
                if kept is not given
            ),
            *(
                say.TIED_TOPICS(
                    measure=count.measure, tied=count.tied_topics, topics=matrix.n_topics, off=count.off_tie
                )
                for matrix, count in done
                if count.tied_topics
            ),
        ),
    )


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
    """z of topic × system values whose rows are the factors' topics (AIRS 2016 eq. 2)."""
    mean, sd = factors.mean[:, None], factors.sd[:, None]
    tied = sd == 0
    with np.errstate(over="ignore"):  # infinitely far by a spread next to nothing
        z = (values - mean) / np.where(tied, 1.0, sd)
    off = np.copysign(np.inf, values - mean)
    return np.where(tied, np.where(values == mean, 0.0, off), z)


def from_z(z: NDArray[np.float64], to: StandardiseTo, a: float, b: float) -> NDArray[np.float64]:
    """Standardised scores from z: itself, Φ(z), or clip(a·z + b, 0, 1) (AIRS 2016 eq. 3 and the clipping step)."""
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
    ours = type(factors)(
        factors.measure,
        matrix.topics,
        factors.mean[rows],
        factors.sd[rows],
        tuple(factors.n_systems[row] for row in rows),
    )
    z = z_scores(ours, matrix.values)
    linear = a * z + b
    finite = np.isfinite(z)
    ab = to == "ab"
    count = Counts(
        matrix.measure,
        z.size,
        int((finite & (linear < 0)).sum()) if ab else 0,
        int((finite & (linear > 1)).sum()) if ab else 0,
        len(ours.tied),
        int((~finite).sum()),
    )
    label = f"{_NAMES[to]}({matrix.measure})"
    how = f"a = {a:g}, b = {b:g}, {count.below + count.above} cells clipped" if ab else "from saved factors"
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
