"""Leave-one-out tuning of 1,000 settings on 1,000 topics, beside recomputing every training mean.

The rival loops over the folds of scikit-learn's LeaveOneOut and takes the mean of each training set with numpy. Ours
is all of `tune`: checks, exact grid, choice, held-out scores and the result.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from benchmarks.harness import Row, best_time

N_TOPICS, N_SETTINGS = 1000, 1000


def recomputed(values: NDArray[np.float64]) -> float:
    """Mean held-out score, every training mean computed anew."""
    from sklearn.model_selection import LeaveOneOut

    scores = []
    for train, test in LeaveOneOut().split(values):
        best = values[train].mean(axis=0).argmax()
        scores.append(values[test, best].mean())
    return float(np.mean(scores))


def run() -> list[Row]:
    """Ours and the rival in turn, on the same random scores."""
    from cranfield.questions.tune.families import Family
    from cranfield.questions.tune.folds import LeaveOneOut, NFold
    from cranfield.questions.tune.tune import tune
    from cranfield.scores.matrix import ScoreMatrix

    values = np.random.default_rng(1).random((N_TOPICS, N_SETTINGS))
    topics = [f"{i:04d}" for i in range(N_TOPICS)]
    family = Family("x", ScoreMatrix(values, topics, [f"x(a={j})" for j in range(N_SETTINGS)], "AP"))
    tuning = tune(family, LeaveOneOut())
    assert abs(tuning["x"].held_out_mean - recomputed(values)) < 1e-9
    ours = best_time(lambda: tune(family, LeaveOneOut()), repeats=7)
    theirs = best_time(lambda: recomputed(values), repeats=2)
    what = f"{N_SETTINGS:,} settings × {N_TOPICS:,} topics"
    return [
        Row("cranfield.tune, leave-one-out", ours, 1.0, note=what),
        Row("every training mean recomputed", theirs, theirs / ours, note=what),
        Row("cranfield.tune, 10-fold drawn 10 times", best_time(lambda: tune(family, NFold(10, 10))), note=what),
        Row("bands of the curve", best_time(tuning.curve, repeats=1), note=f"{what}, 10,000 resamples"),
    ]
