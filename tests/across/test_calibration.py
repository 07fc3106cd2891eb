"""Known truth: five equal systems; a family errs when one of its ten pairs is called different."""

from __future__ import annotations

import sys
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
from scipy import stats

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "docs"))
import across_study as study

TRIALS = 300
Trial = Callable[[np.random.Generator, int], bool]


@pytest.mark.slow
@pytest.mark.parametrize(
    ("trial", "nominal"),
    [
        (study.errs(study.these((30, 50, 100), True)), 0.05),
        (study.errs(study.these((25,) * 15, False)), 0.05),
        (study.errs(study.like(3, "normal")), 0.05),
        (study.errs(study.like(8, "skewed")), 0.05),
        (study.errs(study.recipe(3, 4, 50, (0.02,) * 5)), 0.05),
        (study.errs(study.recipe(2, 4, 200, (0.06, *(0.01,) * 4))), 0.10),
        (study.too_many(1, 4), 0.05),
    ],
    ids=["these-skewed", "these-15", "like-3", "like-8", "recipe-3", "recipe-2-unequal", "replicated"],
)
def test_the_level_is_kept(trial: Trial, nominal: float) -> None:
    """No more errors than chance allows at the rate that the documentation states."""
    hits = sum(trial(np.random.default_rng([7, at]), at) for at in range(TRIALS))
    assert stats.binom.sf(hits - 1, TRIALS, nominal) > 0.001
