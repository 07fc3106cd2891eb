"""A tuning does not see in which order topics and settings stand in the file."""

from __future__ import annotations

import warnings

import numpy as np

from cranfield import ScoreMatrix, tune
from cranfield.core.errors import CranfieldWarning


def test_the_curve_is_the_same_for_any_order_of_the_input() -> None:
    random = np.random.default_rng(8)
    settings = [f"bm25(k1={k})" for k in (0.5, 0.9, 1.2, 1.6, 2.0)]
    matrix = ScoreMatrix(random.random((37, 5)), [f"t{i}" for i in range(37)], settings, "AP")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", CranfieldWarning)
        expected = tune(matrix).curve(n_resamples=200).sort("setting")
        for _ in range(4):
            topics, systems = random.permutation(matrix.topics).tolist(), random.permutation(settings).tolist()
            shuffled = matrix.select(topics=topics, systems=systems)
            assert tune(shuffled).curve(n_resamples=200).sort("setting").equals(expected)
