"""`three_views`: power, interval width and reliability of the same topics."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

import numpy as np
import polars as pl

from cranfield.core.answer import sentence
from cranfield.core.defaults import ALPHA, HALVINGS, RELIABILITY_INTERVALS, SEED, VIEW_MIN_DIFF
from cranfield.core.errors import ArgumentError, notify
from cranfield.core.labels import plural
from cranfield.core.results import Result, check_frame, signature
from cranfield.questions.design.power import PAIRED, critical_f, exact_power, expected_width
from cranfield.questions.reliability.answer import views_answer
from cranfield.questions.reliability.components import (
    COEFFICIENTS,
    Components,
    check_topics,
    ratio,
    variance_components,
)
from cranfield.questions.reliability.reliability import negative_warnings
from cranfield.questions.reliability.tau import ExpectedTau, estimate_tau
from cranfield.scores.doors import ScoresLike, as_matrix
from cranfield.scores.matrix import ScoreMatrix

if TYPE_CHECKING:
    from cranfield.core.answer import Drawings

THREE_VIEWS = sentence(
    "generalisability.three-views",
    "With {topics}, power is {power:.2f} for a difference of {min_diff:g} {measure}; the ranking has reliability "
    "{relative:.3f}",
    "power of a paired t-test with the residual variance, and Eρ²",
    always=True,
    measured="reliability",
)


@dataclass(frozen=True, eq=False)
class ThreeViews(Result):
    """Power, interval width and reliability, one row per number of topics; get one from `three_views`."""

    measure: str
    components: Components
    tau: ExpectedTau
    rows: pl.DataFrame
    min_diff: float
    alpha: float
    drop: float
    pairs: int
    warnings: tuple[str, ...] = field(default=())

    def __post_init__(self) -> None:
        check_frame(f"{self.measure}: the three views", self.rows)

    @property
    def settings(self) -> dict[str, Any]:
        """The settings in force, defaults included."""
        known = {name: getattr(self, name) for name in ("min_diff", "alpha", "drop", "pairs")}
        drawn = {"n_resamples": self.tau.n_resamples, "seed": self.tau.seed}
        return {"measure": self.measure, "n_topics": self.rows["topics"].to_list(), **known, **drawn}

    @property
    def signature(self) -> str:
        """One line for a paper's footnote."""
        return signature(
            "three views of topics: power, width, reliability", measure=self.measure, systems=self.tau.n_systems,
            data_topics=self.tau.data_topics, variance_of_difference=2 * self.components.residual,
            min_diff=self.min_diff, alpha=self.alpha, dropped=self.drop or None, seed=self.tau.seed,
        )  # fmt: skip

    def to_frame(self) -> pl.DataFrame:
        """One row per number of topics: topics, power, power_all_pairs, width, erho2, phi, tau and their intervals."""
        return self.rows

    def summary(self) -> str:
        """One sentence: power and reliability of the first number of topics."""
        row = self.rows.row(0, named=True)
        topics, known = plural(row["topics"], "topic"), {"measure": self.measure, "min_diff": self.min_diff}
        return THREE_VIEWS(topics=topics, power=row["power"], relative=row["erho2"], **known)

    def __repr__(self) -> str:
        return f"ThreeViews({self.summary()})\n{self.rows}"

    answer = views_answer

    @staticmethod
    def drawings() -> Drawings:
        """Its charts by name; the first is drawn unless another is named."""
        from cranfield.questions.reliability import charts

        return {"views": charts.views}


def three_views(
    scores: ScoresLike,
    *,
    n_topics: int | Sequence[int] = (),
    min_diff: float = VIEW_MIN_DIFF,
    drop: float = 0.0,
    alpha: float = ALPHA,
    n_resamples: int = HALVINGS,
    seed: int = SEED,
) -> ThreeViews:
    """Which power, interval width and reliability do the same topics have? These answer different questions.

    All three come from one two-way analysis, with σ_t² = 2σ²_e, the mean variance of a paired difference:

    - *Does it detect a difference?* The power of the two-sided paired t-test for `min_diff`: alone (at α), and as one
      of all C = m(m − 1)/2 pairs (at α/C, Bonferroni).
    - *How precise is a difference?* The expected width of the paired interval (Sakai (2014b), eq. 9).
    - *Would other topics give the same ranking?* Eρ² and Φ of `reliability`, and the τ of `expected_tau`.

    A reliable ranking does not imply that neighbouring systems differ: reliability grows with the spread of the
    systems, but power and width do not.

    Parameters
    ----------
    scores : ScoreMatrix
    n_topics : int or several
        At least 2 each; by default that of the data.
    min_diff : float
        The difference to detect.
    drop, alpha, n_resamples, seed
        As in `reliability` and `expected_tau`.

    Examples
    --------
    >>> from cranfield.scores.synthetic import make_scores
    >>> views = three_views(make_scores(50, 30), n_topics=[25, 50, 100])
    >>> views.to_frame().select("topics", "power", "width", "erho2").with_columns(pl.exclude("topics").round(2)).rows()
    [(25, 0.32, 0.13, 0.9), (50, 0.57, 0.09, 0.95), (100, 0.86, 0.06, 0.97)]
    """
    _check(min_diff)
    scores = as_matrix(scores)
    sizes = check_topics(n_topics) or (scores.n_topics,)
    if min(sizes) < 2:
        raise ArgumentError("`n_topics` must be at least 2 for a paired test; got 1. Write 50.")
    made = views_of(scores, estimate_tau(scores, sizes, drop, alpha, n_resamples, seed), min_diff)
    notify(made.warnings)
    return made


def _check(min_diff: float) -> None:
    if not (min_diff > 0 and math.isfinite(min_diff)):
        raise ArgumentError(f"`min_diff` must be a positive number; got {min_diff!r}. Write {VIEW_MIN_DIFF}.")


def views_of(
    scores: ScoreMatrix, tau: ExpectedTau, min_diff: float, intervals: str = RELIABILITY_INTERVALS
) -> ThreeViews:
    """`three_views` of scores with a known agreement of halves, without notifying."""
    _check(min_diff)
    sizes, drop, alpha = tau.n_topics, tau.drop, tau.alpha
    components = variance_components(scores, drop=drop)
    if intervals == "normal":
        components = replace(components, spread=None)
    pairs = tau.n_systems * (tau.n_systems - 1) // 2
    n = np.asarray(sizes, dtype=np.float64)
    variance = 2 * components.residual
    ones = np.ones_like(n)
    noncentrality = PAIRED.noncentrality(n) * min_diff**2 / variance
    critical, for_all = (critical_f(ones, n - 1, at * ones) for at in (alpha, alpha / pairs))
    columns: dict[str, Any] = {
        "measure": [scores.measure] * len(sizes),
        "topics": list(sizes),
        "power": exact_power(ones, n - 1, noncentrality, critical),
        "power_all_pairs": exact_power(ones, n - 1, noncentrality, for_all),
        "width": expected_width(n, variance * ones, alpha * ones, n - 1),
    }
    curves: dict[str, Any] = {name: ratio(name, components, alpha).at for name in COEFFICIENTS} | {"tau": tau.at}
    for name, at in curves.items():
        for suffix, values in zip(("", "_lower", "_upper"), zip(*map(at, sizes), strict=True), strict=True):
            columns[name + suffix] = pl.Series(values, dtype=pl.Float64)
    notes = negative_warnings(scores.measure, components) + tau.warnings
    return ThreeViews(
        scores.measure, components, tau, pl.DataFrame(columns), float(min_diff), alpha, drop, pairs, notes
    )
