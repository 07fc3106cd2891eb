"""Telling m systems apart by analysis of variance."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from cranfield.defaults import ANOVA_VARIANCE, BLOCKED_VARIANCE
from cranfield.design.designs import DESIGNS, DesignKind, Variant

if TYPE_CHECKING:
    from cranfield.design.grid import Variances
    from cranfield.design.result import Design


def blocked(variance: Variances, **arguments: Any) -> Design:
    """See `design_anova`."""
    from cranfield.design.anova import solve_anova

    return solve_anova(variance, blocked=True, **arguments)


def one_way(variance: Variances, **arguments: Any) -> Design:
    """See `design_anova`, with ``published=True``."""
    from cranfield.design.anova import solve_anova

    return solve_anova(variance, blocked=False, **arguments)


ANOVA = DESIGNS.register(
    DesignKind(
        name="anova",
        summary="topics for telling m systems apart by analysis of variance",
        asks=("n_systems", "min_diff", "n_topics", "power"),
        methods=("exact", "published", "approximate"),
        variants=(
            Variant(
                title="blocked (two-way) ANOVA",
                note="Holds for the two-way F-test on shared topics.",
                estimator=BLOCKED_VARIANCE,
                of_difference=False,
                function=blocked,
            ),
            Variant(
                title="one-way ANOVA",
                note="Holds for independent topics per system, as in the papers. Systems that share topics need the "
                "blocked design, and a blocked test.",
                estimator=ANOVA_VARIANCE,
                of_difference=False,
                function=one_way,
                option="published",
            ),
        ),
        pairwise=False,
        extras=("epsilon",),
        rank=10,
        label="test whether any differ",
    )
)
