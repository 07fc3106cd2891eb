"""What a comparison says about itself: its signature, and the warnings a reader needs."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from cranfield.comparison.classical import Differences
from cranfield.comparison.corrections import harmonic, resamples_needed
from cranfield.labels import summary
from cranfield.signature import signature

if TYPE_CHECKING:
    from cranfield.comparison.comparison import Comparison

TITLES = {
    "randomisation": "randomisation test",
    "bootstrap": "bootstrap-shift test",
    "bootstrap-t": "bootstrap-t test",
    "t": "paired t-test",
    "wilcoxon": "Wilcoxon signed-rank test (zeros dropped)",
    "sign": "sign test (ties dropped)",
    "unpaired-t": "unpaired t-test (pooled variance)",
    "welch": "unpaired t-test (Welch)",
    "tukey": "Tukey HSD, topics as blocks",
    "randomised-tukey": "randomised Tukey HSD",
}
FEW_TOPICS = 30
"""Below so many topics a bootstrap-shift test rejects true hypotheses clearly too often (docs/compare.md)."""


def comparison_signature(result: Comparison) -> str:
    """One line for a paper's footnote."""
    title = TITLES[result.test]
    if result.exact:
        title += f", exact (all {result.n_resamples} sign flips)"
    drawn = result.n_resamples is not None and not result.exact
    tukey = result.test in ("tukey", "randomised-tukey")
    return signature(
        title,
        measure=result.measure,
        statistic=None if result.statistic == "mean" else result.statistic,
        topics=result.n_topics,
        systems=len(result.systems),
        baseline=result.baselines or None,
        alternative=result.alternative,
        correction="by the test itself" if tukey else result.correction,
        family=f"{result.family} comparison{'s' * (result.family != 1)}",
        alpha=result.alpha,
        resamples=result.n_resamples if drawn else None,
        seed=result.seed if drawn else None,
    )


def find_warnings(result: Comparison, each: Differences, same: NDArray[np.bool_]) -> tuple[str, ...]:
    """What to know before relying on the result, a sentence each."""
    found = [too_few_resamples(result)]
    if not result.baselines and result.alternative == "greater":
        found.append(
            f"alternative 'greater' for all pairs tests the observed direction: its level is {2 * result.alpha:g}, "
            f"not {result.alpha:g}; name a baseline or use 'two-sided'"
        )
    if not result.baselines and result.alternative == "less":
        found.append(
            "alternative 'less' for all pairs tests against the observed direction and finds nothing; "
            "name a baseline or use 'two-sided'"
        )
    if same.any():
        names = [f"{result.system_a[i]} = {result.system_b[i]}" for i in np.flatnonzero(same)]
        found.append(f"identical scores on every topic, so p = 1: {summary(names)}")
    if (zero := result.p == 0).any():
        names = [f"{result.system_a[i]} − {result.system_b[i]}" for i in np.flatnonzero(zero)]
        found.append(
            f"a difference that is the same on every topic has p = 0 as the limit of {TITLES[result.test]}: "
            f"{summary(names)}; use randomisation for a p-value that counts"
        )
    constant = (each.sd == 0) & (each.mean != 0)
    if result.test in ("bootstrap", "bootstrap-t") and constant.any():
        names = [f"{result.system_a[i]} − {result.system_b[i]}" for i in np.flatnonzero(constant)]
        found.append(
            f"a difference that is the same on every topic leaves a {TITLES[result.test]} no spread to go by, and its "
            f"p says nothing: {summary(names)}; use randomisation for a p-value that counts"
        )
    if result.test == "bootstrap" and result.n_topics < FEW_TOPICS:
        found.append(
            f"with {result.n_topics} topics a bootstrap-shift test rejects true hypotheses too often; "
            "prefer randomisation"
        )
    return tuple(text for text in found if text)


def too_few_resamples(result: Comparison) -> str:
    """A sentence when no pair can be significant, however different, and what would help; else nothing."""
    # What the smallest p is multiplied by at the least: under BY when all pairs have it.
    at_least = {"bonferroni": result.family, "holm": result.family, "by": harmonic(result.family)}
    factor = at_least.get(result.correction, 1)
    if result.smallest_p * factor <= result.alpha:
        return ""
    counted = f" times {factor} comparisons" if factor > 1 else ""
    if result.correction == "by":
        counted = f" times {factor:.4g} ({result.family} comparisons, BY)"
    finding = (
        f"no pair can be significant: the smallest possible p is {result.smallest_p:.3g}{counted}, "
        f"above {result.alpha:g}"
    )
    if result.exact or result.n_resamples is None:
        return f"{finding}, because {result.n_topics} topics have only {2**result.n_topics} sign flips"
    return f"{finding}; use at least {resamples_needed(factor, result.alpha)} resamples"
