"""`fit_standardisation`: mean and standard deviation of every topic over the standardising systems."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np
import polars as pl
from numpy.typing import NDArray

from cranfield.core import defaults
from cranfield.core.answer import sentence
from cranfield.core.arguments import check_arguments
from cranfield.core.errors import DataError, notify
from cranfield.core.labels import check_unique, summary
from cranfield.core.results import Result, signature
from cranfield.questions.standardise.answer import factors_answer
from cranfield.scores.doors import as_matrices
from cranfield.scores.matrix import ScoreMatrix, Scores, inherited

if TYPE_CHECKING:
    from cranfield.core.answer import Drawings
    from cranfield.questions.standardise.apply import Standardised

TIED = sentence(
    "standardise.tied",
    "{measure}: all standardising systems tied on {count} of {topics} topics ({which}). A score there that is "
    "equal, higher or lower becomes 0, +inf or -inf (z), or b, 1 or 0 (ab)",
    "on these topics every system that the factors come from has the same score",
)
VERSION = 1
"""Version of the factors file; a file of another version is refused, never guessed at."""


@dataclass(frozen=True, eq=False)
class Factors:
    """Mean and standard deviation of every topic by one measure, over the standardising systems.

    A standard deviation of exactly 0 says that all standardising systems tied on the topic.

    Parameters
    ----------
    measure : the measure's name
    topics : one label per topic
    mean, sd : one number per topic; sd has (systems − 1) in its denominator
    n_systems : how many systems each topic's factors rest on; None where a file does not say
    """

    measure: str
    topics: tuple[str, ...]
    mean: NDArray[np.float64]
    sd: NDArray[np.float64]
    n_systems: tuple[int | None, ...]

    def __post_init__(self) -> None:
        check_unique(f"topic of the {self.measure} factors", self.topics)
        for name in ("mean", "sd"):
            values = np.array(getattr(self, name), dtype=np.float64)
            values.flags.writeable = False
            object.__setattr__(self, name, values)
        if not (len(self.topics) == self.mean.size == self.sd.size == len(self.n_systems)):
            raise DataError(f"{self.measure}: factors need one mean, sd and number of systems for each topic")
        for topic, mean, sd, count in zip(self.topics, self.mean, self.sd, self.n_systems, strict=True):
            if not (np.isfinite(mean) and np.isfinite(sd) and sd >= 0):
                raise DataError(
                    f"{self.measure}: the factors of topic {topic!r} are mean {mean:g}, sd {sd:g}; "
                    "both must be finite and sd not negative; fit the factors again"
                )
            if count is not None and count < 2:
                raise DataError(
                    f"{self.measure}: the factors of topic {topic!r} rest on {count} "
                    f"system{'' if count == 1 else 's'}; a standard deviation needs at least 2"
                )

    @property
    def tied(self) -> tuple[str, ...]:
        """The topics on which all standardising systems scored the same."""
        return tuple(topic for topic, sd in zip(self.topics, self.sd, strict=True) if sd == 0)

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Factors):
            return NotImplemented
        names = ("measure", "topics", "n_systems", "mean", "sd")
        return all(np.array_equal(getattr(self, name), getattr(other, name)) for name in names)

    __hash__ = None  # type: ignore[assignment]


@dataclass(frozen=True)
class Standardisation(Result, Mapping[str, Factors]):
    """The factors of one collection: a mapping from measure to `Factors`, made to be saved, shared and applied.

    Attributes
    ----------
    factors : the `Factors`, one per measure
    provenance : how they came about, one sentence each
    version : version of the file format
    warnings : topics on which all standardising systems tied

    Examples
    --------
    >>> raw = ScoreMatrix([[0.2, 0.4, 0.6], [0.0, 0.5, 1.0]], ["1", "2"], ["a", "b", "c"], "AP")
    >>> fit_standardisation(raw)
    Standardisation(AP: 2 topics)
    >>> fit_standardisation(raw)["AP"].sd.round(6).tolist()
    [0.2, 0.5]
    """

    factors: tuple[Factors, ...]
    provenance: tuple[str, ...] = ()
    version: int = VERSION
    warnings: tuple[str, ...] = field(default=(), compare=False)

    def __post_init__(self) -> None:
        check_unique("measure", [factors.measure for factors in self.factors])
        if not self.factors:
            raise DataError("no standardisation factors at all: at least one measure is needed")
        tied = (
            TIED(measure=one.measure, count=len(one.tied), topics=len(one.topics), which=summary(one.tied))
            for one in self.factors
            if one.tied
        )
        object.__setattr__(self, "warnings", tuple(dict.fromkeys((*self.warnings, *tied))))

    def __getitem__(self, measure: str) -> Factors:
        factors = self._find(measure)
        if factors is not None:
            return factors
        raise DataError(
            f"the factors have no measure {measure!r}, only {summary(list(self))}; "
            "fit factors for it, or leave the measure out"
        )

    def __contains__(self, measure: object) -> bool:
        return isinstance(measure, str) and self._find(measure) is not None

    def _find(self, measure: str) -> Factors | None:
        """The factors of a measure, by name or alias (map for AP)."""
        for factors in self.factors:
            if factors.measure == measure:
                return factors
        from cranfield.measures.names import recognise

        known = recognise(measure)
        same = [one for one in self.factors if known is not None and recognise(one.measure) == known]
        return same[0] if len(same) == 1 else None

    def __iter__(self) -> Iterator[str]:
        return (factors.measure for factors in self.factors)

    def __len__(self) -> int:
        return len(self.factors)

    def apply(
        self,
        scores: Scores | ScoreMatrix,
        *,
        to: defaults.StandardiseTo = defaults.STANDARDISE_TO,
        a: float = defaults.STANDARDISE_A,
        b: float = defaults.STANDARDISE_B,
        missing: defaults.MissingPolicy = defaults.MISSING,
    ) -> Standardised:
        """Scores of any systems, known or new, in units of how the standardising systems did on each topic.

        Parameters
        ----------
        scores : raw scores on topics that have factors
        to : ``"ab"`` clip(a·z + b, 0, 1); ``"cdf"`` Φ(z); ``"z"`` (raw − mean)/sd itself
        a, b : slope and centre of ``"ab"``
        missing : a topic without factors is an error, or with ``"drop-topic"`` left out and recorded

        See `cranfield.questions.standardise.apply` for the corner cases.

        Examples
        --------
        >>> raw = ScoreMatrix([[0.2, 0.4]], ["1"], ["bm25", "ql"], "AP")
        >>> new = ScoreMatrix([[0.45]], ["1"], ["dense"], "AP")
        >>> fit_standardisation(raw).apply(new, to="z").scores.only().values.round(4).tolist()
        [[1.0607]]
        """
        from cranfield.questions.standardise.apply import standardised

        result = standardised(self, scores, to=to, a=a, b=b, missing=missing)
        notify(result.warnings)
        return result

    def save(self, path: str | os.PathLike[str], *, format: defaults.FactorsFormat | None = None) -> None:
        """Write the factors whole or not at all; the format follows the ending unless given.

        ``.csv``, ``.tsv``, ``.json`` and ``.parquet`` keep everything; ``format="trec"`` (or ``.zscores``) writes
        the file of trec_eval's ``-Z`` option, which knows neither version nor number of systems.
        """
        from cranfield.questions.standardise.files import save

        save(self, path, format=format)

    @classmethod
    def load(cls, path: str | os.PathLike[str]) -> Standardisation:
        """Read factors written by `save`, a table with columns topic, measure, mean, sd, or trec_eval's -Z file."""
        from cranfield.questions.standardise.files import load

        return load(path)

    @property
    def signature(self) -> str:
        """One line for a footnote."""
        counts = sorted({n for factors in self.factors for n in factors.n_systems if n is not None})
        topics = sorted({len(factors.topics) for factors in self.factors})
        named = {"measure": summary(list(self)), "topics": topics, "systems": counts or "unknown", "sd": "m - 1"}
        return signature("standardisation factors", **named)

    @property
    def settings(self) -> dict[str, Any]:
        """The measures, and the version of the file format."""
        return {"measures": list(self), "version": self.version}

    def to_frame(self) -> pl.DataFrame:
        """One row per measure and topic: topic, measure, mean, sd, systems."""
        return pl.DataFrame(
            {
                "topic": [topic for factors in self.factors for topic in factors.topics],
                "measure": [factors.measure for factors in self.factors for _ in factors.topics],
                "mean": np.concatenate([factors.mean for factors in self.factors]),
                "sd": np.concatenate([factors.sd for factors in self.factors]),
                "systems": [n for factors in self.factors for n in factors.n_systems],
            },
            schema_overrides={"systems": pl.Int64},
        )

    def to_dict(self) -> dict[str, Any]:
        """Everything as plain Python values."""
        return {**super().to_dict(), "provenance": list(self.provenance)}

    def __repr__(self) -> str:
        inside = "; ".join(
            f"{factors.measure}: {len(factors.topics)} topics"
            + (f", {len(factors.tied)} of them tied" if factors.tied else "")
            for factors in self.factors[:5]
        )
        rest = f"; and {len(self) - 5} more measures" if len(self) > 5 else ""
        return f"Standardisation({inside}{rest})"

    answer = factors_answer

    @staticmethod
    def drawings() -> Drawings:
        """Its charts by name; the first is drawn unless another is named."""
        from cranfield.questions.evaluate import charts

        return {"factors": charts.factors}


def fit_standardisation(scores: Scores | ScoreMatrix) -> Standardisation:
    """Standardisation factors of every topic and measure from the systems at hand (the standardising systems).

    Answers: how well did the known systems do on each topic, and how far apart were they? For topic i and m
    systems, mean_i = Σ_j x_ij / m and sd_i = √(Σ_j (x_ij − mean_i)² / (m − 1)). See Sakai (2016), §2.2 and eq. 2,
    after Webber, Moffat and Zobel (SIGIR 2008). A topic on which all systems score the same gets that score as its
    mean and an sd of exactly 0.

    The factors do not depend on the order of topics or systems, to the last bit.

    Parameters
    ----------
    scores : at least 2 systems on at least 1 topic

    Examples
    --------
    >>> raw = ScoreMatrix([[0.1, 0.3, 0.5]], ["1"], ["a", "b", "c"], "AP")
    >>> factors = fit_standardisation(raw)
    >>> factors.apply(raw).scores.only().values.round(6).tolist()
    [[0.35, 0.5, 0.65]]
    """
    check_arguments(fit_standardisation, locals())
    matrices = as_matrices(scores)
    provenance: list[str] = []
    for matrix in matrices:
        matrix.require(topics=1, systems=2, what="fitting standardisation factors", tiny=True)
        step = f"mean and sd of {matrix.n_systems} systems on {matrix.n_topics} topics"
        provenance += [f"{matrix.measure}: {text}" for text in (*matrix.provenance, step)]
    fitted = Standardisation(
        tuple(factors_of(matrix) for matrix in matrices), tuple(provenance), warnings=inherited(matrices)
    )
    notify(fitted.warnings)
    return fitted


def factors_of(matrix: ScoreMatrix) -> Factors:
    """The factors of one measure; see `fit_standardisation`."""
    ordered = np.sort(matrix.values, axis=1)  # sums in order of size: the order of systems cannot matter
    m = ordered.shape[1]
    low, spread = ordered[:, 0], ordered[:, -1] - ordered[:, 0]
    tied = spread == 0
    unit = np.where(tied, 1.0, spread)[:, None]
    scaled = (ordered - low[:, None]) / unit  # in [0, 1], so that neither huge nor tiny scores overflow
    centre = scaled.sum(axis=1) / m
    sd = np.sqrt(((scaled - centre[:, None]) ** 2).sum(axis=1) / (m - 1)) * spread  # Sakai (2016), §2.2
    mean = np.where(tied, low, ordered.sum(axis=1) / m)
    return Factors(matrix.measure, matrix.topics, mean, np.where(tied, 0.0, sd), (m,) * matrix.n_topics)
