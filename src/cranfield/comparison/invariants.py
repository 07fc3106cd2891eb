"""What holds of every comparison, whatever the scores: checked whenever one is made."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from cranfield.comparison.corrections import CORRECTIONS
from cranfield.invariants import check_finite, check_interval, check_p, claim

if TYPE_CHECKING:
    from cranfield.comparison.comparison import Comparison


def check_result(result: Comparison) -> None:
    """Raise an `ArithmeticError` for a result that cannot be right: a mistake in the program, not in the data.

    Everything printed is finite (but for the open end of a one-sided interval), 0 < p ≤ adjusted p ≤ 1, adjusted
    p-values are in the order of the p-values, and every interval holds its estimate.
    """
    what = f"{result.measure}: the {result.test} comparison"
    values = {
        name: getattr(result, name) for name in ("value", "value_lower", "value_upper", "difference", "smallest_p")
    }
    check_finite(what, **values)
    claim(not np.isinf(result.effect_size).any(), what, "an infinite effect size")
    claim(not np.isinf(result.effect_size_residual).any(), what, "an infinite effect size")
    check_interval(what, "difference", result.lower, result.difference, result.upper)
    check_interval(what, "value", result.value_lower, result.value, result.value_upper)
    check_interval(what, "rank", result.rank_lower, result.rank, result.rank_upper)
    if CORRECTIONS[result.correction].of_scores is not None:
        check_p(what, result.p)
        check_p(what, result.p_adjusted)
        return  # too few resamples bound nothing, and a warning says so
    check_p(what, result.p, result.p_adjusted)
    claim(result.alternative == "greater" or np.isfinite(result.upper).all(), what, "an interval without end")
    claim(result.alternative == "less" or np.isfinite(result.lower).all(), what, "an interval without end")
