"""What holds of every comparison, whatever the scores: checked whenever one is made."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from cranfield.comparison.corrections import CORRECTIONS

if TYPE_CHECKING:
    from cranfield.comparison.comparison import Comparison


def check_result(result: Comparison) -> None:
    """Raise an `ArithmeticError` for a result that cannot be right: a mistake in the program, not in the data.

    Everything printed is finite (but for the open end of a one-sided interval), 0 < p ≤ adjusted p ≤ 1, adjusted
    p-values are in the order of the p-values, and every interval holds its estimate.
    """
    for name in ("value", "value_lower", "value_upper", "difference"):
        _claim(np.isfinite(getattr(result, name)).all(), result, f"a {name} that is not finite")
    _claim(not np.isinf(result.effect_size).any(), result, "an infinite effect size")
    _claim(not np.isinf(result.effect_size_residual).any(), result, "an infinite effect size")
    p, adjusted = result.p, result.p_adjusted
    _claim(((p > 0) & (p <= 1)).all(), result, "a p-value outside (0, 1]")
    _claim(((adjusted > 0) & (adjusted <= 1)).all(), result, "an adjusted p-value outside (0, 1]")
    if CORRECTIONS[result.correction].of_scores is None:
        order = np.argsort(p, kind="stable")
        _claim((adjusted >= p * (1 - 1e-9)).all(), result, "an adjusted p-value below its p-value")
        _claim((np.diff(adjusted[order]) >= -1e-12).all(), result, "adjusted p-values out of order")
    for name, estimate, lower, upper in (
        ("difference", result.difference, result.lower, result.upper),
        ("value", result.value, result.value_lower, result.value_upper),
    ):
        _claim(((lower <= estimate) & (estimate <= upper)).all(), result, f"a {name} outside its interval")
    if CORRECTIONS[result.correction].of_scores is None:  # too few resamples bound nothing, and a warning says so
        _claim(result.alternative == "greater" or np.isfinite(result.upper).all(), result, "an interval without end")
        _claim(result.alternative == "less" or np.isfinite(result.lower).all(), result, "an interval without end")


def _claim(holds: bool | np.bool_, result: Comparison, otherwise: str) -> None:
    if not holds:
        raise ArithmeticError(
            f"{result.measure}: the {result.test} comparison came to {otherwise}; this is a mistake in cranfield. "
            "Please report it with the scores."
        )
