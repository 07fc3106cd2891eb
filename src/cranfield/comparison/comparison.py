"""`Comparison`: what a comparison of systems found."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING, Any, Literal

import numpy as np
from numpy.typing import NDArray

from cranfield.comparison.corrections import CORRECTIONS
from cranfield.comparison.groups import MARKS, letters, mark
from cranfield.comparison.pairs import Pairs
from cranfield.comparison.tests import TESTS
from cranfield.defaults import Alternative
from cranfield.results import Result

if TYPE_CHECKING:
    import polars as pl

    from cranfield.scores import ScoreMatrix

Array = NDArray[np.float64]


@dataclass(frozen=True, eq=False, repr=False)
class Comparison(Result):
    """Which systems differ: every pair tested, and the leaderboard that follows.

    Systems stand in order of merit, best first; equal ones in byte order of their names. All arrays with a value
    per pair follow `pairs`, whose positions point into `systems`.

    Attributes
    ----------
    measure : what the scores measure
    test, alternative, correction, alpha : what was asked
    statistic : what systems are judged by, ``"mean"`` unless told otherwise
    systems : the systems, best first
    n_topics : number of topics
    baselines : the systems the others were compared with; empty when all pairs were
    pairs : positions of `system_a` and `system_b` of every pair
    value, value_lower, value_upper : each system's statistic, and its interval at level 1 − alpha
    rank, rank_lower, rank_upper : each system's rank, and its interval (bootstrap over topics)
    difference, lower, upper : a value per pair: `system_a` minus `system_b`, and its interval at level 1 − alpha
    interval : what kind of interval that is
    effect_size : mean difference divided by the standard deviation of the differences
    effect_size_residual : mean difference divided by √V_E2, the residual standard deviation of two-way ANOVA
    p, p_adjusted : the p-value of every pair, and the same adjusted for the family
    family : how many comparisons the adjustment counts
    smallest_p : the smallest p-value the test could have given
    n_resamples : resamples drawn or enumerated; None when the test needs none
    exact : whether all possible resamples were enumerated
    seed : seed of the resamples
    scores : the scores that were compared, topics and systems in byte order of their names
    signature : one line for a paper's footnote
    warnings : what to know before relying on the result
    """

    measure: str
    test: str
    alternative: Alternative
    correction: str
    alpha: float
    statistic: str
    systems: tuple[str, ...]
    n_topics: int
    baselines: tuple[str, ...]
    pairs: Pairs
    value: Array
    value_lower: Array
    value_upper: Array
    rank: NDArray[np.int64]
    rank_lower: NDArray[np.int64]
    rank_upper: NDArray[np.int64]
    difference: Array
    lower: Array
    upper: Array
    interval: str
    effect_size: Array
    effect_size_residual: Array
    p: Array
    p_adjusted: Array
    family: int
    smallest_p: float
    n_resamples: int | None
    exact: bool
    seed: int
    scores: ScoreMatrix
    signature: str = ""
    warnings: tuple[str, ...] = field(default=())

    @property
    def n_systems(self) -> int:
        """How many systems."""
        return len(self.systems)

    # ── pairs ─────────────────────────────────────────────────────────────────────────────────────────────

    @property
    def significant(self) -> NDArray[np.bool_]:
        """Which pairs differ: adjusted p at most alpha."""
        return np.asarray(self.p_adjusted <= self.alpha)

    @property
    def system_a(self) -> tuple[str, ...]:
        """The first system of every pair: the better one of all pairs, the system compared with a baseline."""
        return tuple(self.systems[i] for i in self.pairs.a)

    @property
    def system_b(self) -> tuple[str, ...]:
        """The second system of every pair."""
        return tuple(self.systems[i] for i in self.pairs.b)

    def to_frame(self) -> pl.DataFrame:
        """One row per pair: systems, their values, the difference with interval and effect sizes, p and adjusted p."""
        import polars as pl

        name = self.statistic.replace("-", "_")
        return pl.DataFrame(
            {
                "system_a": self.system_a,
                "system_b": self.system_b,
                f"{name}_a": self.value[self.pairs.a],
                f"{name}_b": self.value[self.pairs.b],
                "difference": self.difference,
                "lower": self.lower,
                "upper": self.upper,
                "effect_size": self.effect_size,
                "effect_size_residual": self.effect_size_residual,
                "p": self.p,
                "p_adjusted": self.p_adjusted,
                "significant": self.significant,
            }
        )

    def matrix(self, which: Literal["p", "p_adjusted", "difference", "effect_size"] = "p_adjusted") -> Array:
        """A systems × systems array of p-values (or differences), systems best first.

        Symmetric for a two-sided test (differences and effect sizes change sign); a one-sided p stands at
        [a, b] only. NaN marks what was not tested, and the diagonal.
        """
        values = getattr(self, which)
        grid = np.full((len(self.systems), len(self.systems)), np.nan)
        if which in ("difference", "effect_size"):
            grid[self.pairs.b, self.pairs.a] = -values
        elif self.alternative == "two-sided":
            grid[self.pairs.b, self.pairs.a] = values
        grid[self.pairs.a, self.pairs.b] = values
        return grid

    # ── the leaderboard ───────────────────────────────────────────────────────────────────────────────────

    @cached_property
    def groups(self) -> tuple[str, ...]:
        """Per system, the letters of its groups (two systems share a letter exactly when they do not differ
        significantly) or, with baselines, the marks († ‡ …) of the baselines it differs from."""
        separated = np.zeros((len(self.systems), len(self.systems)), dtype=np.bool_)
        separated[self.pairs.a[self.significant], self.pairs.b[self.significant]] = True
        separated |= separated.T
        if not self.baselines:
            return tuple(letters(separated))
        at = [self.systems.index(name) for name in self.baselines]
        # Doubled marks need a space: without one † †† (the first and the fifth) would be ††† (the ninth).
        between = "" if len(at) <= len(MARKS) else " "
        return tuple(between.join(mark(number) for number, j in enumerate(at) if row[j]) for row in separated)

    def leaderboard(self) -> pl.DataFrame:
        """One row per system, best first: rank, value with interval, rank interval, and groups (or baseline marks)."""
        import polars as pl

        return pl.DataFrame(
            {
                "rank": self.rank,
                "system": self.systems,
                self.statistic.replace("-", "_"): self.value,
                "lower": self.value_lower,
                "upper": self.value_upper,
                "rank_lower": self.rank_lower,
                "rank_upper": self.rank_upper,
                "marks" if self.baselines else "group": self.groups,
            }
        )

    @cached_property
    def unseparated_from_best(self) -> tuple[str, ...]:
        """The systems that no significant difference separates from the best (or from a baseline), with it."""
        reference = np.isin(self.systems, self.baselines or self.systems[:1])
        a, b = self.pairs.a[self.significant], self.pairs.b[self.significant]
        concerned = reference[a] | reference[b]
        separated = np.zeros(len(self.systems), dtype=np.bool_)
        separated[a[concerned]] = separated[b[concerned]] = True
        return tuple(np.array(self.systems, dtype=object)[~separated | reference].tolist())

    # ── the measure ───────────────────────────────────────────────────────────────────────────────────────

    @property
    def discriminative_power(self) -> float:
        """Share of the pairs that are separated at alpha after correction (Sakai, SIGIR 2006)."""
        return float(self.significant.mean())

    def asl_curve(self) -> pl.DataFrame:
        """The achieved significance levels, largest first: uncorrected p against the number of pairs above it.

        A measure whose curve lies closer to the origin separates more pairs (Sakai, SIGIR 2006, Fig. 1).
        """
        import polars as pl

        return pl.DataFrame(
            {"pair": np.arange(1, len(self.p) + 1), "p": np.sort(self.p)[::-1]},
            schema={"pair": pl.Int64, "p": pl.Float64},
        )

    def power_row(self) -> dict[str, Any]:
        """Discriminative power in numbers: pairs, how many are separated, and which difference that takes.

        The Tukey tests have no uncorrected p-values to count.
        """
        uncorrected = None if TESTS[self.test].corrects_family else self.p <= self.alpha
        separated = np.abs(self.difference[self.significant])
        return {
            "measure": self.measure,
            "pairs": len(self.p),
            "significant": int(self.significant.sum()),
            "share": self.discriminative_power,
            "uncorrected": None if uncorrected is None else int(uncorrected.sum()),
            "share_uncorrected": None if uncorrected is None else float(uncorrected.mean()),
            "smallest_difference": float(separated.min()) if len(separated) else None,
        }

    # ── views ─────────────────────────────────────────────────────────────────────────────────────────────

    def to_dict(self) -> dict[str, Any]:
        """Everything in plain values: settings, pairs, leaderboard, signature and warnings."""
        return {
            **self.settings,
            "pairs": self.to_frame().to_dicts(),
            "leaderboard": self.leaderboard().to_dicts(),
            "signature": self.signature,
            "warnings": list(self.warnings),
        }

    @property
    def settings(self) -> dict[str, Any]:
        """The settings in force, defaults included."""
        return {
            "measure": self.measure,
            "test": self.test,
            "alternative": self.alternative,
            "statistic": self.statistic,
            "correction": self.correction,
            "alpha": self.alpha,
            "family": self.family,
            "baselines": list(self.baselines),
            "interval": self.interval,
            "n_topics": self.n_topics,
            "n_systems": self.n_systems,
            "n_resamples": self.n_resamples,
            "exact": self.exact,
            "seed": None if self.n_resamples is None or self.exact else self.seed,
        }

    def summary(self) -> str:
        """One sentence: how many pairs differ."""
        pairs = len(self.p)
        what = "all pairs" if not self.baselines else f"against {', '.join(self.baselines)}"
        return (
            f"{self.measure}: {int(self.significant.sum())} of {pairs} pair{'' if pairs == 1 else 's'} differ "
            f"({what}; {self.correction_text()} p ≤ {self.alpha:g})"
        )

    def correction_text(self) -> str:
        """How the p-values are adjusted, in words."""
        return "family-wise" if TESTS[self.test].corrects_family else CORRECTIONS[self.correction].title

    def __repr__(self) -> str:
        return f"Comparison({self.summary()})\n{self.to_frame()}"
