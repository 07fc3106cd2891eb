"""Seeing a difference between two systems by a t-test."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from cranfield.defaults import ANOVA_VARIANCE, PAIRED_VARIANCE
from cranfield.design.designs import DESIGNS, DesignKind, Variant

if TYPE_CHECKING:
    from cranfield.design.grid import Variances
    from cranfield.design.result import Design


def paired(variance: Variances, **arguments: Any) -> Design:
    """See `design_ttest`."""
    from cranfield.design.ttest import solve_ttest

    return solve_ttest(variance, **arguments)


def two_sample(variance: Variances, **arguments: Any) -> Design:
    """See `design_two_sample_ttest`."""
    from cranfield.design.ttest import solve_ttest

    return solve_ttest(variance, two_sample=True, **arguments)


TTEST = DESIGNS.register(
    DesignKind(
        name="ttest",
        summary="topics for detecting a difference between two systems by a t-test",
        asks=("min_diff", "n_topics", "power"),
        methods=("exact", "published"),
        variants=(
            Variant(
                title="paired t-test",
                note="Both systems have the same topics.",
                estimator=PAIRED_VARIANCE,
                of_difference=True,
                function=paired,
            ),
            Variant(
                title="two-sample t-test",
                note="Topics are per group.",
                estimator=ANOVA_VARIANCE,
                of_difference=False,
                function=two_sample,
                option="two_sample",
            ),
        ),
        rank=20,
        label="compare two systems",
    )
)
