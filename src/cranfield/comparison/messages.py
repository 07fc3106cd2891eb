"""What a comparison says about itself: its signature, and the warnings a reader needs."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from cranfield.comparison.classical import Differences
from cranfield.comparison.corrections import CORRECTIONS, resamples_needed
from cranfield.comparison.tests import TESTS
from cranfield.labels import summary
from cranfield.signature import signature

if TYPE_CHECKING:
    from cranfield.comparison.comparison import Comparison


def __getattr__(name: str) -> dict[str, str]:
    if name == "TITLES":
        return {test.name: test.title for test in TESTS.values()}
    raise AttributeError(name)


def comparison_signature(result: Comparison) -> str:
    """One line for a paper's footnote."""
    test = TESTS[result.test]
    title = test.title
    if result.exact:
        title += f", exact (all {result.n_resamples} sign flips)"
    drawn = result.n_resamples is not None and not result.exact
    return signature(
        title,
        measure=result.measure,
        statistic=None if result.statistic == "mean" else result.statistic,
        topics=result.n_topics,
        systems=len(result.systems),
        baseline=result.baselines or None,
        alternative=result.alternative,
        correction="by the test itself" if test.corrects_family else result.correction,
        family=f"{result.family} comparison{'s' * (result.family != 1)}",
        alpha=result.alpha,
        resamples=result.n_resamples if drawn else None,
        seed=result.seed if drawn else None,
    )


def find_warnings(result: Comparison, each: Differences, same: NDArray[np.bool_]) -> tuple[str, ...]:
    """What to know before relying on the result, one sentence each."""
    texts = [too_few_resamples(result)]
    if not result.baselines and result.alternative == "greater":
        texts.append(
            f"alternative 'greater' for all pairs tests the observed direction: its level is {2 * result.alpha:g}, "
            f"not {result.alpha:g}; name a baseline or use 'two-sided'"
        )
    if not result.baselines and result.alternative == "less":
        texts.append(
            "alternative 'less' for all pairs tests against the observed direction and finds nothing; "
            "name a baseline or use 'two-sided'"
        )
    if same.any():
        names = [f"{result.system_a[i]} = {result.system_b[i]}" for i in np.flatnonzero(same)]
        texts.append(f"identical scores on every topic, so p = 1: {summary(names)}")
    if (zero := result.p == 0).any():
        names = [f"{result.system_a[i]} − {result.system_b[i]}" for i in np.flatnonzero(zero)]
        texts.append(
            f"a difference that is the same on every topic has p = 0 as the limit of {TESTS[result.test].title}: "
            f"{summary(names)}; use randomisation for a meaningful p-value"
        )
    texts += TESTS[result.test].cautions(result, each)
    return tuple(text for text in texts if text)


def too_few_resamples(result: Comparison) -> str:
    """A sentence when no pair can be significant, however different, and what would help; else nothing."""
    correction = CORRECTIONS[result.correction]
    factor = correction.at_least(result.family)
    if result.smallest_p * factor <= result.alpha:
        return ""
    counted = ""
    if factor > 1:
        counted = f" times {factor} comparisons"
        if factor != result.family:
            counted = f" times {factor:.4g} ({result.family} comparisons, {correction.title.removesuffix('-adjusted')})"
    finding = (
        f"no pair can be significant: the smallest possible p is {result.smallest_p:.3g}{counted}, "
        f"above {result.alpha:g}"
    )
    if result.exact or result.n_resamples is None:
        return f"{finding}, because {result.n_topics} topics have only {2**result.n_topics} sign flips"
    return f"{finding}; use at least {resamples_needed(factor, result.alpha)} resamples"
