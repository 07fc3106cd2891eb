"""A confidence interval of a difference that is narrow enough."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from cranfield.defaults import ANOVA_VARIANCE, DESIGN_METHOD, PAIRED_VARIANCE
from cranfield.design.designs import DESIGNS, DesignKind, Variant

if TYPE_CHECKING:
    from cranfield.design.grid import Variances
    from cranfield.design.result import Design


def paired(variance: Variances, *, method: str = DESIGN_METHOD, **arguments: Any) -> Design:
    """See `design_interval`; the width is exact, so there is no method to choose."""
    from cranfield.design.interval import solve_interval

    return solve_interval(variance, **arguments)


def two_sample(variance: Variances, *, method: str = DESIGN_METHOD, **arguments: Any) -> Design:
    """See `design_two_sample_interval`."""
    from cranfield.design.interval import solve_interval

    return solve_interval(variance, two_sample=True, **arguments)


INTERVAL = DESIGNS.register(
    DesignKind(
        name="interval",
        summary="topics for a confidence interval of a difference that is no wider than wanted",
        asks=("width", "n_topics"),
        methods=("exact",),
        variants=(
            Variant(
                title="interval of a paired difference",
                note="Both systems have the same topics.",
                estimator=PAIRED_VARIANCE,
                of_difference=True,
                function=paired,
            ),
            Variant(
                title="two-sample interval",
                note="Topics are per group.",
                estimator=ANOVA_VARIANCE,
                of_difference=False,
                function=two_sample,
                option="two_sample",
            ),
        ),
        rank=30,
        label="estimate a difference",
    )
)
