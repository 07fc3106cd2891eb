"""The spread of pairs without a loop is the spread of pairs by loops."""

from __future__ import annotations

import itertools

import numpy as np
import pytest

from cranfield import ScoreMatrix
from cranfield.questions.variance.sphericity import pair_spread


@pytest.mark.parametrize(("seed", "n", "m"), [(4, 12, 4), (2, 30, 3), (3, 8, 9)])
def test_sums_over_topics_are_loops_over_pairs(seed: int, n: int, m: int) -> None:
    rng = np.random.default_rng(seed)
    x = rng.normal(size=(n, m)) * rng.uniform(0.1, 3, m)
    variances, noises, squared = [], [], []
    for j, k in itertools.combinations(range(m), 2):
        difference = x[:, j] - x[:, k]
        away = difference - difference.mean()
        variance = float(difference.var(ddof=1))
        variances.append(variance)
        noises.append((float((away**4).mean()) - variance**2) / (n - 1))
        squared.append(away**2)
    shared = float(np.mean(squared, axis=0).var()) / (n - 1)
    by_hand = float(np.var(variances)) - float(np.mean(noises)) + shared
    assert by_hand > 0, "a case that is cut off at 0 would show nothing"
    matrix = ScoreMatrix(x, [str(i) for i in range(n)], [str(i) for i in range(m)], "AP")
    assert pair_spread(matrix) == pytest.approx(np.sqrt(by_hand) / np.mean(variances), rel=1e-10)
