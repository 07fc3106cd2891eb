"""What to know before relying on a comparison, one sentence each."""

from __future__ import annotations

import math
import re
from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from cranfield.core.answer import sentence
from cranfield.core.labels import plural, summary
from cranfield.questions.compare.classical import LIMIT, TINY, asymmetric, skewness
from cranfield.questions.compare.clusters import grouped_cautions
from cranfield.questions.compare.corrections import CORRECTIONS, resamples_needed
from cranfield.questions.compare.family import Differences, GridScores
from cranfield.questions.compare.resampled import resolution
from cranfield.questions.compare.tests import TESTS

if TYPE_CHECKING:
    from cranfield.questions.compare.comparison import Comparison

Array = NDArray[np.float64]

OBSERVED_DIRECTION = sentence(
    "comparison.observed-direction",
    "Alternative 'greater' for all pairs tests the observed direction: its level is {level:g}, not {alpha:g}. "
    "Name a baseline or use 'two-sided'.",
    "all pairs are tested with alternative 'greater': whichever system has the higher mean stands first",
)
AGAINST_DIRECTION = sentence(
    "comparison.against-direction",
    "Alternative 'less' for all pairs tests against the observed direction and finds nothing. Name a baseline "
    "or use 'two-sided'.",
    "all pairs are tested with alternative 'less': whichever system has the higher mean stands first",
)
NO_SPREAD = sentence(
    "comparison.no-spread",
    "The difference is the same on every topic for {pairs}. The {test} has no variance to use, so its p is only a "
    "bound. Use randomisation.",
    "the difference of these pairs is not 0 and has no variance, and the test divides by it",
)
NO_SPREAD_BOOTSTRAP = sentence(
    "comparison.no-spread-bootstrap",
    "The difference is the same on every topic for {pairs}. A {test} has no variance to use, so its p is "
    "meaningless. Use randomisation.",
    "the test is a bootstrap and the difference of these pairs is not 0 and has no variance",
)
NO_EFFECT_SIZE = sentence(
    "comparison.no-effect-size",
    "No effect size for {pairs}: the difference is the same on every topic.",
    "the difference of these pairs has no variance, and no other warning tells it",
)
IDENTICAL = sentence(
    "comparison.identical",
    "Identical runs: {sets}.",
    "the systems of each set have the same score on every topic, so p = 1",
)
LOST = sentence(
    "comparison.lost",
    "p = 1 for {pairs}: their scores differ by less than the rounding beside the largest score, {largest:g}. Compare "
    "them without systems with such scores.",
    "the scores of both systems are the same once rounded beside the largest score, and differ by themselves",
)
LITTLE_LEFT = sentence(
    "comparison.little-left",
    "The largest score, {largest:g}, limits precision to {step:.2g}. Do not rely on ranks and p-values among "
    "{systems}. Compare them without systems with such scores.",
    "several systems whose largest score is not 0, and less than a thousand of the steps that sums keep",
)
NONE_CAN = sentence(
    "comparison.none-can-be-significant",
    "No pair can be significant: the smallest possible p is {smallest:.3g}{counted}, above {alpha:g}",
    "the smallest p that topics and resamples allow, times what the correction takes, is above alpha",
)
NONE_CAN_ADJUSTED = sentence(
    "comparison.no-adjusted-can-be-significant",
    "No pair can be significant: the smallest adjusted p is 1/{flips}, above {alpha:g}. Use at least "
    "{needed} resamples.",
    "p-values are adjusted by resampling and one over the number of resamples is above alpha",
)
COARSE = sentence(
    "comparison.coarse",
    "Only upper bounds: {count} p-value{s} at the minimum, 1/{resamples}. With {family} comparisons, a "
    "significant pair has at most {reached} resamples as extreme as it. Randomisation resolves smaller p-values.",
    "p-values have no method but resamples, some stand at the smallest, and the correction leaves room for "
    "fewer than five resamples",
)

ASYMMETRIC = sentence(
    "comparison.asymmetric",
    "Differences are skewed (mean skewness {average:.2f} over {pairs}; {limit:.2f} is large for {topics} topics). Then "
    "{test} rejects equal means too often. Prefer randomisation, or measure the error with `simulate tests`.",
    "Wilcoxon's or the sign test with 25 or more topics; mean skewness of the differences at least 4/√topics "
    "(hits and false alarms: docs/simulate.md)",
)
_SEED = re.compile(r"(.+?)[\W_]*seed[\W_]*\d+", re.IGNORECASE)
LIKE_SEEDS = sentence(
    "comparison.like-seeds",
    "System names look like seeds of one system (such as {example}), but count as systems. For claims about recipes, "
    "give `across` a table with a column called seed.",
    "there is one run per system, and two names differ only in the number after `seed`",
)


def named_by_seed(systems: Sequence[str]) -> list[str]:
    """A warning about systems whose names differ only in the number of a seed.

    >>> named_by_seed(["bm25", "dense_seed1", "dense_seed2"])[0].partition(",")[0]
    'System names look like seeds of one system (such as dense_seed1 and dense_seed2)'
    >>> named_by_seed(["bm25", "dense_seed1", "colbert-seed-7"])
    []
    """
    members: dict[str, list[str]] = {}
    for name in systems:
        if match := _SEED.fullmatch(name):
            members.setdefault(match[1], []).append(name)
    alike = next((names for names in members.values() if len(names) > 1), None)
    return [] if alike is None else [LIKE_SEEDS(example=" and ".join(alike[:2]))]


def find_warnings(result: Comparison, each: Differences, same: NDArray[np.bool_]) -> tuple[str, ...]:
    """What to know before relying on the result, one sentence each."""
    test = TESTS[result.test]
    texts = [too_few_resamples(result) or coarse_resamples(result)]
    if not result.baselines and result.alternative == "greater":
        texts.append(OBSERVED_DIRECTION(level=2 * result.alpha, alpha=result.alpha))
    if not result.baselines and result.alternative == "less":
        texts.append(AGAINST_DIRECTION())
    texts += grouped_cautions(result.scores.topics, result.clusters)
    texts += named_by_seed(result.scores.systems)
    texts += _rounded(result, np.flatnonzero(same))
    undefined = np.isnan(result.effect_size)
    bound = (result.p <= TINY) & (undefined if result.test != "tukey" else np.isnan(result.effect_size_residual))
    constant = (each.sd == 0) & (each.mean != 0) & test.needs_spread
    for verdict, which in ((NO_SPREAD, bound), (NO_SPREAD_BOOTSTRAP, constant)):
        if which.any():
            texts.append(verdict(test=test.title, pairs=summary(result.pair_names(np.flatnonzero(which)))))
    texts += test.cautions(result, each)
    if undefined.any() and not bound.any() and not constant.any():
        texts.append(NO_EFFECT_SIZE(pairs=summary(result.pair_names(np.flatnonzero(undefined)))))
    return tuple(text for text in texts if text)


def _rounded(result: Comparison, same: NDArray[np.intp]) -> list[str]:
    """Warnings about the exact grid: systems that are equal on it, or made so by a huge score, and coarse scores."""
    column = dict(zip(result.scores.systems, result.scores.values.T, strict=True))
    largest = float(np.abs(result.scores.values).max())
    sets: dict[str, list[str]] = {}
    lost: list[int] = []
    for i in same.tolist():
        names = result.systems[result.pairs.a[i]], result.systems[result.pairs.b[i]]
        a, b = column[names[0]], column[names[1]]
        if np.abs(a - b).max() > 1e-12 * max(np.abs(a).max(), np.abs(b).max()):
            lost.append(i)
            continue
        members = sorted({name for one in names for name in sets.get(one, [one])}, key=result.systems.index)
        sets |= dict.fromkeys(members, members)
    different = {id(members): f"{{{summary(members)}}}" for members in sets.values()}
    texts = [IDENTICAL(sets=summary(list(different.values())))] if sets else []
    if lost:
        texts.append(LOST(pairs=summary(result.pair_names(lost)), largest=largest))
    known = {result.systems[at] for i in lost for at in (result.pairs.a[i], result.pairs.b[i])}
    step = GridScores.of(result.scores.values).step
    coarse = [name for name, x in column.items() if 0 < np.abs(x).max() < 1000 * step and name not in known]
    if len(coarse) > 1:
        texts.append(LITTLE_LEFT(systems=summary(coarse), largest=largest, step=step))
    return texts


def too_few_resamples(result: Comparison) -> str:
    """A sentence when no pair can be significant, however different, and what would help; else nothing."""
    correction = CORRECTIONS[result.correction]
    flips = 2.0 ** min(result.n_units, 1022)
    if correction.of_scores is not None and result.n_resamples is not None and result.n_resamples < flips:
        if 1 / (result.n_resamples + 1) <= result.alpha:
            return ""
        return NONE_CAN_ADJUSTED(
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
    finding = NONE_CAN(smallest=result.smallest_p, counted=counted, alpha=result.alpha)
    if not _limited_by_resamples(result):
        units = "topics" if result.clusters is None else "groups of topics"
        return f"{finding}. {result.n_units} {units} have only {2**result.n_units} sign flips."
    return f"{finding}. Use at least {resamples_needed(factor, result.alpha)} resamples."


def _limited_by_resamples(result: Comparison) -> bool:
    """Whether more resamples would give smaller p-values; for sign flips listed or resolved only topics would."""
    if result.n_resamples is None or result.exact:
        return False
    flips = resolution(result.n_units, result.alternative)
    return result.smallest_p != flips and math.isclose(result.smallest_p * (result.n_resamples + 1), 1)


def coarse_resamples(result: Comparison) -> str:
    """A sentence when resamples decide who is significant because p-values end at 1/(B + 1); else nothing."""
    if not _limited_by_resamples(result):
        return ""
    factor = CORRECTIONS[result.correction].at_least(result.family)
    floor = int((result.p <= 1.5 * result.smallest_p).sum())
    # With so few resamples to spare, a pair is significant only when hardly any resample reaches it.
    spare = result.alpha / factor * ((result.n_resamples or 0) + 1)
    if not floor or factor == 1 or spare >= 5:
        return ""
    return COARSE(
        count=floor, s="s" * (floor != 1), resamples=(result.n_resamples or 0) + 1, family=result.family,
        reached=int(spare) - 1,
    )  # fmt: skip


def asymmetry_caution(result: Comparison, each: Differences, test: str) -> list[str]:
    """A sentence when the differences of the pairs are strongly skewed, else nothing."""
    place = {name: j for j, name in enumerate(result.scores.systems)}
    a, b = (np.array([place[name] for name in names]) for names in (result.system_a, result.system_b))
    found = skewness(np.asarray(result.scores.values), a, b, each.sd)
    if not asymmetric(found, each.n_topics):
        return []
    return [
        ASYMMETRIC(
            average=float(np.abs(found).mean()),
            pairs=plural(len(a), "pair"),
            limit=LIMIT / math.sqrt(each.n_topics),
            topics=each.n_topics,
            test=test,
        )
    ]
