"""How many pairs differ on TREC-3 and TREC-8, AP, uncorrected: counted elsewhere, and here again.

The published "t-test" rows of the replicates study (409/310, 4164/3437) are those of the unpaired test.
"""

from __future__ import annotations

from contextlib import nullcontext
from functools import cache

import numpy as np
import pytest

from cranfield import CranfieldWarning, ScoreMatrix, compare, read_scores
from support import SHARED, needs_shared

EXACT = [
    ("t", "two-sided", (595, 516), (5981, 5216)),
    ("t", "greater", (622, 547), (6330, 5535)),
    ("unpaired-t", "two-sided", (409, 310), (4164, 3437)),
]
DRAWN = [
    ("two-sided", (596, 517), (5998, 5291)),
    ("greater", (622, 548), (6334, 5575)),
]


@cache
def collection(number: int) -> ScoreMatrix:
    return read_scores(SHARED / "data" / "matrices" / f"trec{number}-adhoc.AP.csv").only()


def counts(number: int, **settings: object) -> tuple[int, int]:
    expected = number == 8 or settings["alternative"] != "two-sided"  # identical runs; the observed direction
    with pytest.warns(CranfieldWarning) if expected else nullcontext():
        p = compare(collection(number), correction="none", **settings).p  # type: ignore[arg-type]
    return int((p <= 0.05).sum()), int((p <= 0.01).sum())


@needs_shared
@pytest.mark.parametrize(("test", "alternative", "trec3", "trec8"), EXACT)
def test_tests_without_chance_give_the_same_counts(
    test: str, alternative: str, trec3: tuple[int, int], trec8: tuple[int, int]
) -> None:
    assert counts(3, test=test, alternative=alternative) == trec3
    assert counts(8, test=test, alternative=alternative) == trec8


@needs_shared
@pytest.mark.parametrize(("alternative", "trec3", "trec8"), DRAWN)
def test_randomisation_gives_the_same_counts_within_noise(
    alternative: str, trec3: tuple[int, int], trec8: tuple[int, int]
) -> None:
    """The pairs share their sign flips, so their errors go together: a few pairs cross the line at once."""
    assert np.abs(np.subtract(counts(3, test="randomisation", alternative=alternative), trec3)).max() <= 4
    assert np.abs(np.subtract(counts(8, test="randomisation", alternative=alternative), trec8)).max() <= 12


@needs_shared
def test_identical_runs_of_trec8_have_p_1() -> None:
    with pytest.warns(CranfieldWarning, match="Identical runs: {run69, run70}, {run57, run59"):
        found = compare(collection(8), test="t")
    same = [i for i, pair in enumerate(zip(found.system_a, found.system_b, strict=True)) if pair == ("run69", "run70")]
    assert found.p[same].tolist() == [1.0]


@needs_shared
def test_all_pairs_of_trec8_are_decided_by_default() -> None:
    with pytest.warns(CranfieldWarning, match="Identical runs"):
        comparison = compare(collection(8))
    assert comparison.significant.sum() == 3369
    assert comparison.p.min() > 0
