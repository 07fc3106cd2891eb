"""`anova_table`: the full two-way analysis of variance of past scores."""

from __future__ import annotations

import sys
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
import polars as pl
from scipy.special import fdtrc

from cranfield.core.errors import DataError
from cranfield.core.results import Result, check_finite, check_frame, check_interval, check_shares, signature
from cranfield.questions.variance.answer import table_answer
from cranfield.questions.variance.sphericity import ratio, traces, without_bias
from cranfield.questions.variance.squares import squares
from cranfield.scores.doors import ScoresLike, as_matrix
from cranfield.scores.matrix import inherited

if TYPE_CHECKING:
    from cranfield.core.answer import Drawings


_NUMBERS = ["mean_square", "f", "p", "p_gg", "p_unbiased", "eta_squared", "partial_eta_squared", "omega_squared"]
_COLUMNS = {
    **dict.fromkeys(("collection", "measure", "source"), pl.String), "sum_of_squares": pl.Float64, "df": pl.Int64,
    **dict.fromkeys(_NUMBERS, pl.Float64),
}  # fmt: skip


@dataclass(frozen=True, eq=False)
class AnovaTable(Result):
    """Two-way analysis of variance without replication: systems, topics, residual, total.

    `epsilon` is the Greenhouse–Geisser ε of the systems and `p_gg` in the systems' row the p-value with
    degrees of freedom multiplied by it; `epsilon_unbiased` and `p_unbiased` are the same with the unbiased ε (None
    below three topics).
    """

    measure: str
    collection: str
    n_topics: int
    n_systems: int
    epsilon: float
    sources: tuple[dict[str, Any], ...]
    epsilon_unbiased: float | None = None
    warnings: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        what = f"{self.measure}: the ANOVA"
        check_interval(what, "epsilon", 0, self.epsilon, 1 + 1e-9)
        check_finite(what, unbiased_epsilon=self.epsilon_unbiased)
        rows = self.to_frame()
        check_frame(what, rows)
        check_shares(what, "eta squared", rows["eta_squared"].drop_nulls())

    @property
    def signature(self) -> str:
        """One line for a paper's footnote."""
        named = {name.removeprefix("n_"): value for name, value in self.settings.items()}
        return signature("two-way ANOVA", **named, epsilon=round(self.epsilon, 4))

    @property
    def settings(self) -> dict[str, Any]:
        """What was analysed."""
        return {name: getattr(self, name) for name in ("measure", "collection", "n_topics", "n_systems")}

    def to_frame(self) -> pl.DataFrame:
        """Source, sum of squares, d.f., mean square, F, p, p_gg, p_unbiased and effect sizes, one row per source."""
        labels = {"collection": self.collection, "measure": self.measure}
        return pl.DataFrame([{**labels, **row} for row in self.sources], schema=_COLUMNS)

    def to_dict(self) -> dict[str, Any]:
        """The table as plain Python values."""
        return {**super().to_dict(), "epsilon": self.epsilon, "epsilon_unbiased": self.epsilon_unbiased}

    def __repr__(self) -> str:
        size = f"{self.n_topics} topics × {self.n_systems} systems, systems F = {self.sources[0]['f']:.2f}"
        return f"AnovaTable({self.measure}, {self.collection}: {size}, epsilon = {self.epsilon:.3f})"

    answer = table_answer

    @staticmethod
    def drawings() -> Drawings:
        """Its charts by name; the first is drawn unless another is named."""
        from cranfield.questions.variance import charts

        return {"sources": charts.sources}


def anova_table(scores: ScoresLike, *, collection: str | None = None) -> AnovaTable:
    """Which share of the variance of scores is due to systems, to topics, and to interaction and noise?

    Sums of squares as in Sakai (2014a), eqs. 2 and 5, with F = V_A/V_E2 and V_B/V_E2. Effect sizes: η² = SS/SS_total,
    partial η² = SS/(SS + SS_E2), ω² = (SS − df·V_E2)/(SS_total + V_E2). A p-value too small for a double is shown
    as the smallest one, never as 0.

    Examples
    --------
    >>> from cranfield import ScoreMatrix
    >>> x = ScoreMatrix([[0.2, 0.3], [0.5, 0.4], [0.8, 0.9]], ["1", "2", "3"], ["a", "b"], "AP")
    >>> anova_table(x)
    AnovaTable(AP, scores: 3 topics × 2 systems, systems F = 0.25, epsilon = 1.000)
    """
    matrix = as_matrix(scores).require(what="an analysis of variance").canonical()
    sums = squares(matrix.values)
    n, m = sums.n, sums.m
    error, error_df = float(sums.mean_residual), (m - 1) * (n - 1)
    if error <= (1e-12 * float(np.abs(matrix.values).max())) ** 2:
        raise DataError(
            f"{matrix.measure}: the residual variance is zero, so there is no F statistic. Check the scores"
        )
    total = float(sums.between_systems + sums.between_topics + sums.residual)
    of_squares = traces(matrix.values)
    epsilon = float(ratio(*of_squares, m))
    unbiased = float(ratio(*without_bias(*of_squares, n), m)) if n > 2 else None

    def p_value(df: float, df_error: float, f: float) -> float:
        return max(float(fdtrc(df, df_error, f)), sys.float_info.min)

    rows: list[dict[str, Any]] = []
    residual = float(sums.residual)
    for source, array, df in [("systems", sums.between_systems, m - 1), ("topics", sums.between_topics, n - 1)]:
        ss = float(array)
        f = ss / df / error
        p_gg, p_unbiased = (
            None if source != "systems" or e is None else p_value(e * df, e * error_df, f) for e in (epsilon, unbiased)
        )
        rows.append({
            "source": source, "sum_of_squares": ss, "df": df, "mean_square": ss / df, "f": f,
            "p": p_value(df, error_df, f), "p_gg": p_gg, "p_unbiased": p_unbiased, "eta_squared": ss / total,
            "partial_eta_squared": ss / (ss + residual), "omega_squared": (ss - df * error) / (total + error),
        })  # fmt: skip
    rest = {"source": "residual", "sum_of_squares": residual, "df": error_df, "mean_square": error}
    rows += [rest | {"eta_squared": residual / total}, {"source": "total", "sum_of_squares": total, "df": n * m - 1}]
    return AnovaTable(matrix.measure, collection or "scores", n, m, epsilon, tuple(rows), unbiased, inherited([matrix]))
