"""Comparing all systems with each other, or with a baseline, after correction: what most experiments run."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from cranfield.defaults import PAIRS_VARIANCE
from cranfield.design.designs import DESIGNS, DesignKind, Variant

if TYPE_CHECKING:
    from cranfield.design.grid import Variances
    from cranfield.design.result import Design


def all_pairs(variance: Variances, **arguments: Any) -> Design:
    """See `design_all_pairs`."""
    from cranfield.design.all_pairs import solve_all_pairs

    return solve_all_pairs(variance, **arguments)


def with_baseline(variance: Variances, **arguments: Any) -> Design:
    """See `design_all_pairs`, with ``baseline=True``."""
    return all_pairs(variance, baseline=True, **arguments)


PAIRS = DESIGNS.register(
    DesignKind(
        name="pairs",
        summary="topics for comparing all systems, or all with a baseline, after correction",
        asks=("n_systems", "min_diff", "n_topics", "power"),
        methods=("exact",),
        variants=(
            Variant(
                title="all pairs, corrected",
                note="Holds for paired t-tests of all pairs on shared topics, with Holm's correction; on average over "
                "which two systems are min_diff apart.",
                estimator=PAIRS_VARIANCE,
                of_difference=True,
                function=all_pairs,
            ),
            Variant(
                title="comparisons with a baseline, corrected",
                note="Holds for paired t-tests with the baseline on shared topics, with Holm's correction; on average "
                "over which system is min_diff from it.",
                estimator=PAIRS_VARIANCE,
                of_difference=True,
                function=with_baseline,
                option="baseline",
            ),
        ),
        extras=("spread",),
        rank=5,
        label="compare many systems",
    )
)
