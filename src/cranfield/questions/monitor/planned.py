"""`design_looks`: maximum and expected topics of a design with several looks."""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np
import polars as pl
from numpy.typing import NDArray
from scipy.special import ndtri

from cranfield.core.answer import sentence
from cranfield.core.arguments import check_arguments
from cranfield.core.defaults import ALPHA, LOOKS, POWER, SPENDING, Spending
from cranfield.core.errors import ArgumentError
from cranfield.core.results import Result, check_finite, claim, signature
from cranfield.questions.design.ttest import design_ttest
from cranfield.questions.monitor.answer import looks_answer
from cranfield.questions.monitor.boundaries import Stopping, check_looks, nominal, spending_boundaries, spent, stopping
from cranfield.questions.monitor.question import LooksQuestion

if TYPE_CHECKING:
    from cranfield.core.answer import Drawings

LOOKS_TAKE = sentence(
    "monitoring.looks-take",
    "{looks} at most {most:,} topics ({expected:.0f} expected for difference {min_diff:g}); one look takes {fixed:,}",
    "topics by the joint distribution of the looks",
    always=True,
)


@dataclass(frozen=True, eq=False)
class SequentialDesign(Result):
    """A paired comparison with several looks, compared with one look; get one from `design_looks`.

    Attributes
    ----------
    topics_fixed : int
        Topics of the design with a single look.
    topics_at : tuple of int
        Topics at each look; the last is the maximum.
    inflation : float
        Ratio of the maximum to the topics of the fixed design, before rounding.
    bounds : array
        Boundary of |z| at each look.
    null, alternative : Stopping
        Probabilities of stopping at each look when there is no difference, and when it is `min_diff`.
    """

    variance_of_difference: float
    min_diff: float
    power: float
    alpha: float
    spending: Spending
    topics_fixed: int
    topics_at: tuple[int, ...]
    inflation: float
    bounds: NDArray[np.float64]
    null: Stopping
    alternative: Stopping
    warnings: tuple[str, ...] = field(default=())

    def __post_init__(self) -> None:
        what = "the plan of looks"
        check_finite(what, inflation=self.inflation, boundary=self.bounds, variance=self.variance_of_difference)
        claim(list(self.topics_at) == sorted(self.topics_at), what, "looks out of order")
        for chance in (self.null.each, self.alternative.each):
            claim(((chance >= 0) & (chance <= 1)).all(), what, "a chance to stop outside [0, 1]")

    @property
    def looks(self) -> int:
        """How many looks."""
        return len(self.topics_at)

    @property
    def topics_max(self) -> int:
        """Topics if no look stops early."""
        return self.topics_at[-1]

    @property
    def expected_null(self) -> float:
        """Expected topics when the systems do not differ."""
        return self.null.expected(self.topics_at)

    @property
    def expected_alternative(self) -> float:
        """Expected topics when they differ by `min_diff`."""
        return self.alternative.expected(self.topics_at)

    @property
    def settings(self) -> dict[str, Any]:
        """The settings in force, defaults included."""
        return LooksQuestion.in_force(self)

    @property
    def signature(self) -> str:
        """One line for a paper's footnote."""
        return signature("group-sequential design, paired t-test", **self.settings)

    def to_frame(self) -> pl.DataFrame:
        """One row: looks, spending, min_diff, alpha, power, the topics of both designs, and expected topics."""
        names = (
            "looks", "spending", "variance_of_difference", "min_diff", "alpha", "power", "topics_fixed", "topics_max",
            "inflation", "expected_null", "expected_alternative",
        )  # fmt: skip
        return pl.DataFrame([{name: getattr(self, name) for name in names}])

    def looks_frame(self) -> pl.DataFrame:
        """One row per look: look, topics, z, boundary (for p), spent, stop_null, stop_alternative."""
        share = [n / self.topics_max for n in self.topics_at]
        return pl.DataFrame(
            {
                "look": list(range(1, self.looks + 1)),
                "topics": list(self.topics_at),
                "z": self.bounds,
                "boundary": nominal(self.bounds),
                "spent": spent(share, self.spending, self.alpha),
                "stop_null": self.null.each,
                "stop_alternative": self.alternative.each,
            }
        )

    def to_dict(self) -> dict[str, Any]:
        """Everything as plain Python values."""
        return {**super().to_dict(), "looks": self.looks_frame().to_dicts()}

    def summary(self) -> str:
        """One sentence: the price and the gain."""
        return LOOKS_TAKE(
            looks="1 look takes" if self.looks == 1 else f"{self.looks} looks take", most=self.topics_max,
            fixed=self.topics_fixed, expected=self.expected_alternative, min_diff=self.min_diff,
        )  # fmt: skip

    def __repr__(self) -> str:
        return f"SequentialDesign({self.summary()})\n{self.looks_frame()}"

    def _view(self) -> tuple[str, list[pl.DataFrame]]:
        return self.summary(), [self.to_frame(), self.looks_frame()]

    answer = looks_answer

    @staticmethod
    def drawings() -> Drawings:
        """Its charts by name; the first is drawn unless another is named."""
        from cranfield.questions.monitor import charts

        return {"stops": charts.stops}


def design_looks(
    variance_of_difference: float,
    min_diff: float,
    *,
    looks: int = LOOKS,
    spending: Spending = SPENDING,
    power: float = POWER,
    alpha: float = ALPHA,
) -> SequentialDesign:
    """How many topics does a paired comparison with several looks need, at most and on average?

    With boundaries c_k from a spending function at K equal looks, the drift θ = √n·minD/σ_t that reaches the power is
    found by numerical integration. n_max = n_fixed·(θ/θ_fixed)², where n_fixed is the exact paired t design. Looks fall
    on whole topics, as evenly as possible. Stopping probabilities are those of normal theory. The t-test stops slightly
    later: a few percent in expected topics when the first looks have fewer than 20.

    Parameters
    ----------
    variance_of_difference : float
        σ_t².
    min_diff, power, alpha : float
        As in `design_ttest`.
    looks : int
    spending : {"obrien-fleming", "pocock"}
        ``obrien-fleming`` has a lower maximum and saves less; ``pocock`` stops earlier and has a higher maximum.

    References
    ----------
    Lan & DeMets, Biometrika 70 (1983); Jennison & Turnbull (2000), ch. 2 and 7.

    Examples
    --------
    >>> design_looks(0.042941, 0.05).summary()
    '5 looks take at most 141 topics (113 expected for difference 0.05); one look takes 137'
    """
    check_arguments(design_looks, locals())
    check_looks(looks, alpha)
    if not alpha < power < 1:
        raise ArgumentError(f"`power` must be between alpha and 1; got {power!r}. Write 0.80.")
    fixed = design_ttest(variance_of_difference, min_diff, power=power, alpha=alpha).n_topics
    share = [k / looks for k in range(1, looks + 1)]
    drift = _drift(share, spending_boundaries(share, spending, alpha), power)
    fixed_drift = _drift([1.0], np.asarray([-float(ndtri(alpha / 2))]), power)
    inflation = (drift / fixed_drift) ** 2
    most = max(math.ceil(round(fixed * inflation, 9)), 2 * looks)
    topics = tuple(math.ceil(most * t - 1e-9) for t in share)
    times = np.asarray(topics) / most
    bounds = spending_boundaries(times.tolist(), spending, alpha)
    real_drift = min_diff * math.sqrt(most / variance_of_difference)
    return SequentialDesign(
        float(variance_of_difference), float(min_diff), power, alpha, spending, fixed, topics, inflation, bounds,
        stopping(times, bounds), stopping(times, bounds, real_drift),
    )  # fmt: skip


def _drift(share: list[float], bounds: NDArray[np.float64], power: float) -> float:
    """The expected final z at which some look crosses its boundary with this power."""

    def reached(drift: float) -> float:
        return stopping(share, bounds, drift).total

    low, high = 0.0, 1.0
    while reached(high) < power:
        low, high = high, 2 * high
    for _ in range(50):
        middle = (low + high) / 2
        low, high = (middle, high) if reached(middle) < power else (low, middle)
    return high
