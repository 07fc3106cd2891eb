"""Promises of `compare` and `leaderboard`, measured (see `validate.py`)."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from fast_tests import inverted, max_t, probabilities, ranks, signs, topic_shares
from scipy.special import stdtr, stdtrit
from validate import (
    ALPHA,
    EVERY,
    MATRICES,
    RESAMPLES,
    Array,
    Limit,
    Row,
    draws,
    equal_means,
    population,
    populations,
    promise,
)  # fmt: skip

from cranfield.core.defaults import FEW_COMPARISONS
from cranfield.questions.compare.family import GridScores, Pairs, against, all_pairs
from cranfield.questions.compare.flips import saddlepoint

FLIPS = 1_999
"""Of an inverted interval: five lie beyond each end of the interval of one of ten pairs."""


HARDEST = ("TREC-5 AP", "TREC-6 AP", "Web 2012 AP")
"""The populations with the most skewed differences get more trials."""


def holm_rejects(x: Array, pairs: Pairs, t: Array) -> bool:
    """Whether the smallest saddlepoint p of the randomisation test, times the comparisons, is at most .05.

    Only the pairs with the three largest t are tested, and only where a t-test comes within a factor of 6 of that.
    """
    first = np.argsort(-t)[:3]
    if 2 * stdtr(len(x) - 1, -t[first[0]]) * len(pairs) > 6 * ALPHA:
        return False
    few = Pairs(pairs.a[first], pairs.b[first])
    return bool(saddlepoint(GridScores.of(x), few, "two-sided", 1).min() * len(pairs) <= ALPHA)


@promise(
    "families", "All pairs by max-t: family-wise error .10 at most at nominal .05; all intervals hold together as often.", 1000,
    Limit("error, max-t", high=0.10),
)  # fmt: skip
def family_error(trials: int, seed: int) -> Iterator[Row]:
    """Equal means: how often some pair of systems that differ is significant. Beside it t-tests with Holm.

    The statistic does not depend on the means: one minus the error is the joint coverage of the intervals.
    """
    for name, whole in populations(*EVERY):
        equal = equal_means(whole)
        pairs = all_pairs(whole.shape[1])
        a, b = pairs.a, pairs.b
        apart = ~np.isclose(whole[:, a], whole[:, b]).all(axis=0)
        for n in (25, 50):
            wrong = plain = flipped = 0
            shares = topic_shares(n, RESAMPLES)
            times = trials * 20 // 3 if name in HARDEST else trials
            for rng in draws(times, seed, "families", name, n):
                x = equal[rng.integers(0, len(whole), n)]
                found = max_t(x, a, b, shares.next(rng), ALPHA)
                wrong += bool((found.statistic > found.critical)[apart].any())
                # Holm's first step decides whether anything is significant.
                centred = x - x.mean(axis=0)
                covariance = centred.T @ centred / (n - 1)
                spread = covariance.diagonal()
                variance = np.maximum((spread[:, None] + spread[None, :] - 2 * covariance)[a, b], 1e-300)
                t = np.where(apart & (np.abs(found.d) > 1e-12), np.abs(found.d) / np.sqrt(variance / n), 0.0)
                p = 2 * stdtr(n - 1, -t.max())
                plain += bool(p * len(pairs) <= ALPHA)
                flipped += holm_rejects(x, pairs, t)
            values = {
                "error, max-t": wrong / times, "error, t + Holm": plain / times,
                "error, randomisation + Holm": flipped / times,
            }  # fmt: skip
            yield Row(name, f"{n} topics, {whole.shape[1]} systems", times, values)


FAMILIES = {
    **{f"all pairs of {m}": (m, all_pairs(m)) for m in (5, 7, 10, 20)},
    **{f"{k} against a baseline": (k + 1, against([0], k + 1)) for k in (5, 10, 20, 50)},
}


@promise(
    "small", "Up to 20 comparisons by randomisation with Holm: family-wise error .10 at most at nominal .05.", 2000,
    Limit("up to 20 comparisons, highest", high=0.10), Limit("max-t, highest", high=0.10),
)  # fmt: skip
def small_families(trials: int, seed: int) -> Iterator[Row]:
    """Where max-t should take over: both tests on random systems of a track, 50 topics, means made equal."""
    there = [(name, equal_means(whole)) for name, whole in populations(*EVERY)]
    for cell, (m, pairs) in FAMILIES.items():
        rates: dict[str, Array] = {}
        for name, whole in there:
            if m > whole.shape[1]:
                continue
            wrong, shares = np.zeros(2), topic_shares(50, RESAMPLES)
            for rng in draws(trials, seed, "small", cell, name):
                systems = rng.choice(whole.shape[1], m, replace=False)
                x = whole[np.ix_(rng.integers(len(whole), size=50), systems)]
                different = ~np.isclose(x[:, pairs.a], x[:, pairs.b]).all(axis=0)
                found = max_t(x, pairs.a, pairs.b, shares.next(rng), ALPHA)
                passed = found.statistic > found.critical
                d = x[:, pairs.a] - x[:, pairs.b]
                sd = np.where(different, d.std(axis=0, ddof=1), np.inf)
                wrong += [holm_rejects(x, pairs, np.abs(found.d) / sd * np.sqrt(50)), passed[different].any()]
            rates[name] = wrong / trials
        if not rates:
            continue
        each = np.array(list(rates.values()))
        values = {
            f"{test}, {what}": float(one)
            for at, test in enumerate(("randomisation + Holm", "max-t"))
            for what, one in (
                ("mean", each[:, at].mean()),
                ("lowest", each[:, at].min()),
                ("highest", each[:, at].max()),
            )
        }
        if len(pairs) <= FEW_COMPARISONS:
            values["up to 20 comparisons, highest"] = float(each[:, 0].max())
        yield Row(f"{len(rates)} populations", f"{cell}: {len(pairs)} comparisons", trials, values)


@promise(
    "pairs",
    "The 95% interval of one pair holds with .91 or more; those of ten pairs, at once, with .90, and .87 with 25 topics.",
    2000,
    Limit("one pair, 25", low=0.91), Limit("one pair, 50", low=0.93), Limit("ten pairs, 25", low=0.87),
    Limit("ten pairs, 50", low=0.90),
)  # fmt: skip
def few_pairs(trials: int, seed: int) -> Iterator[Row]:
    """Random systems of a track with their real means: intervals by inverting the randomisation test, and by t."""
    for name, whole in populations(*EVERY):
        held: dict[str, Array] = {}
        for m, kind in ((2, "one pair"), (5, "ten pairs")):
            pairs = all_pairs(m)
            level = ALPHA / len(pairs)
            for n in (25, 50):
                count, flips = np.zeros(2), signs(n, FLIPS)
                times = trials if m == 2 else max(1, trials // 2)
                for rng in draws(times, seed, "pairs", name, m, n):
                    systems = rng.choice(whole.shape[1], m, replace=False)
                    x = whole[np.ix_(rng.integers(len(whole), size=n), systems)]
                    truth = pairs.of(whole[:, systems].mean(axis=0))
                    d = x[:, pairs.a] - x[:, pairs.b]
                    counted = ~np.isclose(d, 0).all(axis=0)
                    low, high = inverted(d, flips.next(rng), level)
                    half = -stdtrit(n - 1, level / 2) * d.std(axis=0, ddof=1) / np.sqrt(n)
                    count[0] += ((low <= truth) & (truth <= high))[counted].all()
                    count[1] += (np.abs(d.mean(axis=0) - truth) <= half)[counted].all()
                held[f"{kind}, {n}"] = count / times
        for at, method in enumerate(("inverted test", "t")):
            yield Row(name, method, trials, {column: float(both[at]) for column, both in held.items()})


@promise(
    "ranks",
    "Equal systems, nominal .95: a rank interval holds with .92 on average, and with .90 for every system. The set of the "
    "best holds with .95 on average, and with .90 for every system.", 2000,
    Limit("rank interval, mean", low=0.92), Limit("worst system", low=0.90), Limit("best in the set", low=0.95),
    Limit("worst of the best", low=0.90),
)  # fmt: skip
def rank_intervals(trials: int, seed: int) -> Iterator[Row]:
    """20 systems of a track, and two whole tracks, with equal means, where every rank is true, and with their own means.

    The set of the best: the systems whose rank interval includes 1.
    """
    for name, whole in populations(*EVERY):
        few = next(draws(1, seed, "ranks", name)).permutation(whole.shape[1])[:20]
        yield _ranks_row(name, "equal means", equal_means(whole[:, few]), 25, trials, seed)
        yield _ranks_row(name, "equal means", equal_means(whole[:, few]), 50, trials, seed)
        yield _ranks_row(name, "own means", whole[:, few], 50, max(1, trials // 10), seed)
        if name in ("TREC-8 AP", "Web 2012 ERR@20"):
            yield _ranks_row(name, "equal means", equal_means(whole), 50, max(1, trials * 3 // 20), seed)


def _ranks_row(name: str, kind: str, x: Array, n: int, trials: int, seed: int) -> Row:
    m = x.shape[1]
    pairs, shares, means = all_pairs(m), topic_shares(n, RESAMPLES), np.round(x.mean(axis=0), 9)
    # With ties the true rank of a system is any from the first to the last of those tied with it.
    first = 1 + (means[None, :] > means[:, None]).sum(axis=1)
    last = (means[None, :] >= means[:, None]).sum(axis=1)
    held, best, size = np.zeros(m), np.zeros(m), 0
    for rng in draws(trials, seed, "ranks", name, kind, n, m):
        found = max_t(x[rng.integers(0, len(x), n)], pairs.a, pairs.b, shares.next(rng), ALPHA, each=True)
        low, high = ranks(found, pairs.a, pairs.b, m)
        held += (low <= first) & (last <= high)
        best += low == 1
        size += int((low == 1).sum())
    top = best[first == 1] / trials
    values = {"rank interval, mean": held.mean() / trials, "worst system": held.min() / trials,
              "best in the set": top.mean(), "worst of the best": top.min(), "systems in the set": size / trials}  # fmt: skip
    return Row(name, f"{n} topics, {m} systems, {kind}", trials, {key: float(one) for key, one in values.items()})


@promise(
    "equivalence", "A pair whose true difference is the margin is called equivalent with .07 at most, at nominal .05.", 2000,
    Limit("error", high=0.07),
)  # fmt: skip
def equivalence_error(trials: int, seed: int) -> Iterator[Row]:
    """Systems of a track, half of them better by exactly the margin; one pair, and the 15 pairs of six systems.

    The margin is 4.5 standard errors of an average pair, so that equivalence can be shown. *Shown*: how often some
    equal pair is.
    """
    tracks = ("TREC-8 AP", "TREC-5 AP", "TREC-6 P@10", "Terabyte 2006 AP", "Web 2012 ERR@20", "TREC-COVID AP")
    for name, whole in populations(*tracks):
        flat = equal_means(whole)
        residual = flat - flat.mean(axis=1, keepdims=True)
        margin = 4.5 * float(np.sqrt(2 * np.square(residual).mean() / 50))
        for m, test in ((2, "randomisation"), (6, "randomisation"), (6, "max-t")):
            pairs = all_pairs(m)
            better = np.where(np.arange(m) < m // 2, margin, 0.0)
            gap = pairs.of(better) != 0
            wrong = shown = 0
            flips, shares = signs(50, FLIPS), topic_shares(50, RESAMPLES)
            for rng in draws(trials, seed, "equivalence", name, m, test):
                systems = rng.choice(whole.shape[1], m, replace=False)
                x = flat[np.ix_(rng.integers(len(flat), size=50), systems)] + better
                if test == "max-t":
                    found = max_t(x, pairs.a, pairs.b, shares.next(rng), ALPHA)
                    low = found.d - found.critical * found.error
                    high = found.d + found.critical * found.error
                else:
                    level = 2 * ALPHA if m == 2 else ALPHA / len(pairs)
                    low, high = inverted(x[:, pairs.a] - x[:, pairs.b], flips.next(rng), level)
                alike = (low > -margin) & (high < margin)
                wrong += bool(alike[gap].any())
                shown += bool(alike[~gap].any())
            values = {"error": wrong / trials} | ({} if m == 2 else {"shown": shown / trials})
            yield Row(name, f"50 topics, {'one pair' if m == 2 else f'{m} systems'}, {test}", trials, values)


@promise(
    "bayes", "Of the statements 'better' with a probability of .95 or more, at least that share is true.", 500,
    Limit("true at .95 or more", low=0.95),
)  # fmt: skip
def calibration(trials: int, seed: int) -> Iterator[Row]:
    """Real means as truth: of all statements "better by more than the margin" in all draws, the true ones."""
    there = list(EVERY) if MATRICES.is_dir() else ["normal"]
    for m in (5, 10, 20, 0):
        for margin in (0.0, 0.02):
            counts = np.zeros((len(there), 6))
            for at, name in enumerate(there):
                whole = population(name)
                pairs = all_pairs(m or whole.shape[1])
                for rng in draws(trials if m else max(1, trials // 10), seed, "bayes", m, margin, name):
                    chosen = rng.permutation(whole.shape[1])[: m or None]
                    x = whole[np.ix_(rng.integers(len(whole), size=50), chosen)]
                    better, within, worse = probabilities(x, pairs.a, pairs.b, margin)
                    true = pairs.of(whole[:, chosen].mean(axis=0))
                    for probability, right in ((better, true > margin), (worse, true < -margin)):
                        high, middle = probability >= 0.95, (probability >= 0.8) & (probability < 0.95)
                        counts[at, :4] += [high.sum(), (high & right).sum(), middle.sum(), (middle & right).sum()]
                    inside = within >= 0.8
                    counts[at, 4:] += [inside.sum(), (inside & (np.abs(true) <= margin)).sum()]
            total = counts.sum(axis=0)
            each = counts[:, 1] / np.maximum(counts[:, 0], 1)
            values = {"true at .95 or more": total[1] / total[0], "lowest population": each[counts[:, 0] > 0].min(),
                      "true at .80 to .95": total[3] / total[2]}  # fmt: skip
            if margin:
                values["within, true at .80 or more"] = total[5] / max(total[4], 1)
            cell = f"{f'{m} systems' if m else 'all systems'}, margin {margin:g}: {total[0]:,.0f} statements"
            yield Row(f"{len(there)} populations", cell, (trials if m else max(1, trials // 10)) * len(there), values)
