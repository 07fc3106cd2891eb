"""What a comparison says about itself: its signature, and the warnings a reader needs."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from cranfield.comparison.classical import TINY, Differences
from cranfield.comparison.corrections import CORRECTIONS, resamples_needed
from cranfield.comparison.grid import GridScores
from cranfield.comparison.tests import TESTS
from cranfield.defaults import INTERVALS
from cranfield.labels import summary
from cranfield.sentences import comparison as say
from cranfield.signature import signature

if TYPE_CHECKING:
    from collections.abc import Mapping

    from cranfield.comparison.comparison import Comparison


_SPOKEN = {
    "enumerated": "enumeration",
    "exact lattice": "exact lattice",
    "monte carlo": "Monte Carlo",
    "saddlepoint": "saddlepoint",
}


def comparison_signature(result: Comparison, p_methods: Mapping[str, int] | None = None) -> str:
    """One line for a paper's footnote; `p_methods` are those of all measures where it stands for several."""
    test = TESTS[result.test]
    title = test.title
    methods = ""
    counts = result.p_methods if p_methods is None else p_methods
    if set(counts) - {"formula"} and result.test == "randomisation" and result.statistic == "mean":
        methods = ", ".join(f"{_SPOKEN[name]} {count:,}" for name, count in counts.items())
    if result.exact:
        flips = result.n_resamples and result.n_resamples == 2.0**result.n_topics
        title += f", exact (all {result.n_resamples} sign flips)" if flips else ", exact"
    elif methods:
        title += f" (p by {methods})"
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
        intervals=None if result.intervals == INTERVALS else result.intervals,
        resamples=result.n_resamples if drawn else None,
        seed=result.seed if drawn else None,
    )


def _rounded(result: Comparison, pairs: NDArray[np.intp]) -> list[str]:
    """What to say of the exact grid: pairs that are equal on it, or are made so by a huge score, and what is coarse."""
    column = dict(zip(result.scores.systems, result.scores.values.T, strict=True))
    largest = float(np.abs(result.scores.values).max())
    equal: list[int] = []
    lost: list[int] = []
    for i in pairs.tolist():
        a, b = column[result.system_a[i]], column[result.system_b[i]]
        differ = np.abs(a - b).max() > 1e-12 * max(np.abs(a).max(), np.abs(b).max())
        (lost if differ else equal).append(i)
    texts = []
    if equal:
        texts.append(say.IDENTICAL(pairs=summary([f"{result.system_a[i]} = {result.system_b[i]}" for i in equal])))
    if lost:
        names = summary([f"{result.system_a[i]} − {result.system_b[i]}" for i in lost])
        texts.append(say.LOST(pairs=names, largest=largest))
    said = {name for i in lost for name in (result.system_a[i], result.system_b[i])}
    step = GridScores.of(result.scores.values).step
    coarse = [name for name, x in column.items() if 0 < np.abs(x).max() < 1000 * step and name not in said]
    if len(coarse) > 1:
        texts.append(say.LITTLE_LEFT(systems=summary(coarse), largest=largest, step=step))
    return texts


def find_warnings(result: Comparison, each: Differences, same: NDArray[np.bool_]) -> tuple[str, ...]:
    """What to know before relying on the result, one sentence each."""
    texts = [too_few_resamples(result), coarse_resamples(result)]
    if not result.baselines and result.alternative == "greater":
        texts.append(say.OBSERVED_DIRECTION(level=2 * result.alpha, alpha=result.alpha))
    if not result.baselines and result.alternative == "less":
        texts.append(say.AGAINST_DIRECTION())
    texts += _rounded(result, np.flatnonzero(same))
    if (
        bound := (result.p <= TINY)
        & np.isnan(result.effect_size if result.test != "tukey" else result.effect_size_residual)
    ).any():
        names = [f"{result.system_a[i]} − {result.system_b[i]}" for i in np.flatnonzero(bound)]
        texts.append(say.NO_SPREAD(test=TESTS[result.test].title, pairs=summary(names)))
    texts += TESTS[result.test].cautions(result, each)
    undefined = np.isnan(result.effect_size)
    if undefined.any() and not any("no spread" in text for text in texts):
        names = [f"{result.system_a[i]} − {result.system_b[i]}" for i in np.flatnonzero(undefined)]
        texts.append(say.NO_EFFECT_SIZE(pairs=summary(names)))
    return tuple(text for text in texts if text)


def too_few_resamples(result: Comparison) -> str:
    """A sentence when no pair can be significant, however different, and what would help; else nothing."""
    correction = CORRECTIONS[result.correction]
    flips = 2.0 ** min(result.n_topics, 1022)
    if correction.of_scores is not None and result.n_resamples is not None and result.n_resamples < flips:
        if 1 / (result.n_resamples + 1) <= result.alpha:
            return ""
        return say.NONE_CAN_ADJUSTED(
            flips=result.n_resamples + 1, alpha=result.alpha, needed=resamples_needed(1, result.alpha)
        )
    factor = correction.at_least(result.family)
    if result.smallest_p * factor <= result.alpha:
        return ""
    counted = ""
    if factor > 1:
        counted = f" times {factor} comparisons"
        if factor != result.family:
            counted = f" times {factor:.4g} ({result.family} comparisons, {correction.title.removesuffix('-adjusted')})"
    finding = say.NONE_CAN(smallest=result.smallest_p, counted=counted, alpha=result.alpha)
    if not _limited_by_resamples(result):
        return f"{finding}, because {result.n_topics} topics have only {2**result.n_topics} sign flips"
    return f"{finding}; use at least {resamples_needed(factor, result.alpha)} resamples"


def _limited_by_resamples(result: Comparison) -> bool:
    """Whether more resamples would give smaller p-values; for sign flips listed or resolved only topics would."""
    if result.n_resamples is None or result.exact:
        return False
    flips = 2.0 ** -min(result.n_topics, 1022) * (2 if result.alternative == "two-sided" else 1)
    return result.smallest_p != flips and math.isclose(result.smallest_p * (result.n_resamples + 1), 1)


def coarse_resamples(result: Comparison) -> str:
    """A sentence when resamples decide who is significant because p-values end at 1/(B + 1); else nothing."""
    if too_few_resamples(result) or not _limited_by_resamples(result):
        return ""
    factor = CORRECTIONS[result.correction].at_least(result.family)
    floor = int((result.p <= 1.5 * result.smallest_p).sum())
    # With so few resamples to spare, a pair is significant only when hardly any resample reaches it.
    spare = result.alpha / factor * ((result.n_resamples or 0) + 1)
    if not floor or factor == 1 or spare >= 5:
        return ""
    return say.COARSE(
        count=floor, s="s" * (floor != 1), resamples=(result.n_resamples or 0) + 1, family=result.family,
        reached=int(spare) - 1,
    )  # fmt: skip
