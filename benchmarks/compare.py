"""All pairs of 129 systems on 50 topics: one call beside one scipy test per pair.

The scores are synthetic, of the size and spread of TREC-8. scipy's `permutation_test` is timed on 20 pairs, with a
vectorised statistic and its batches kept small enough for the cache, and scaled to all 8,256; a paired t-test per
pair by scipy beside ours is there for those who need no resampling. Large scores (10,000 topics × 300 systems)
run with fewer resamples to show the memory; time grows in proportion.
"""

from __future__ import annotations

import time
from typing import Any

from benchmarks.harness import Row, best_time, fresh_process

TOPICS, SYSTEMS, RESAMPLES = 50, 129, 100_000
SAMPLE_OF_PAIRS = 20


def scores(n_topics: int = TOPICS, n_systems: int = SYSTEMS) -> Any:
    """Synthetic AP."""
    from cranfield import make_scores

    return make_scores(n_topics, n_systems)


def ours(test: str, n_topics: int = TOPICS, n_systems: int = SYSTEMS, n_resamples: int = RESAMPLES) -> None:
    """One call for all pairs, without correction (nothing is lost by that: correcting takes a millisecond)."""
    import warnings

    from cranfield import compare

    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        compare(scores(n_topics, n_systems), test=test, correction="none", n_resamples=n_resamples)  # type: ignore[arg-type]


def scipy_permutation(pairs: int = SAMPLE_OF_PAIRS) -> float:
    """Seconds of `scipy.stats.permutation_test` for some pairs."""
    import numpy as np
    from scipy import stats

    x = scores().values
    start = time.perf_counter()
    for j in range(1, pairs + 1):
        stats.permutation_test(
            (x[:, 0] - x[:, j],),
            lambda d, axis: d.mean(axis=axis),
            permutation_type="samples",
            vectorized=True,
            n_resamples=RESAMPLES,
            batch=2000,
            rng=np.random.default_rng(1),
        )
    return time.perf_counter() - start


def scipy_t() -> None:
    """`scipy.stats.ttest_rel` for every pair, one by one."""
    from scipy import stats

    x = scores().values
    for i in range(SYSTEMS):
        for j in range(i):
            stats.ttest_rel(x[:, i], x[:, j])


def run() -> list[Row]:
    """The rows of the table."""
    pairs = SYSTEMS * (SYSTEMS - 1) // 2
    theirs = scipy_permutation() / SAMPLE_OF_PAIRS * pairs
    what = f"{pairs:,} pairs × {RESAMPLES:,} resamples"
    rows = []
    for test in ("randomisation", "randomised-tukey", "bootstrap", "bootstrap-t"):
        found = fresh_process(ours, test)
        seconds, ratio, note = found.seconds, None, f"{what}; imports included"
        if test == "randomisation":
            seconds = best_time(lambda: ours("randomisation"))
            ratio = theirs / seconds
            note = f"{what}; scipy.stats.permutation_test: {theirs:,.0f} s, scaled from {SAMPLE_OF_PAIRS} pairs"
        rows.append(Row(f"compare, {test}", seconds, ratio, found.peak_mb, note))
    seconds = best_time(lambda: ours("t"))
    ratio = best_time(scipy_t, repeats=1) / seconds
    rows.append(Row("compare, t", seconds, ratio, note=f"{pairs:,} pairs; scipy.stats.ttest_rel one by one"))
    found = fresh_process(ours, "randomisation", 10_000, 300, 1024)
    note = "10,000 topics × 300 systems, 1,024 resamples; imports included"
    rows.append(Row("compare, randomisation, large", found.seconds, peak_mb=found.peak_mb, note=note))
    return rows
