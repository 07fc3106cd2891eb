"""Kendall's tau_b over 1,000 bootstrap samples of 50 topics and 129 systems, beside scipy.stats.kendalltau in a loop.

Ours computes tau, tau_b, tau_AP and tau_AP,b of every sample; the peer tau_b alone.
"""

from __future__ import annotations

import numpy as np

from benchmarks.harness import Row, best_time
from cranfield.core.resampling import topic_weights
from cranfield.questions.correlate.correlate import correlate
from cranfield.scores.synthetic import make_scores

RESAMPLES = 1000


def run() -> list[Row]:
    """Both on the same two matrices, in turn."""
    from scipy.stats import kendalltau

    x = make_scores(50, 129, seed=1)
    y = make_scores(50, 129, seed=2, system_effects=(x.system_means - x.values.mean()).tolist())

    def theirs() -> float:
        taus = []
        for weights in topic_weights(50, RESAMPLES, 1):
            a, b = weights @ x.values, weights @ y.values
            taus += [kendalltau(*pair).statistic for pair in zip(a, b, strict=True)]
        return float(np.quantile(taus, 0.025))

    ours = best_time(lambda: correlate(x, y, n_resamples=RESAMPLES, workers=1))
    peer = best_time(theirs)
    return [
        Row("cranfield.correlate, one thread", ours, 1.0, note="four coefficients"),
        Row("scipy.stats.kendalltau in a loop", peer, peer / ours, note="tau_b only"),
    ]
