"""Equivalence: verdicts from intervals, groups shown alike, and how often equivalence is claimed falsely."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import stats

import cranfield as cf
from cranfield.questions.compare.answer import comparison_answer


def scores(means: list[float], n: int = 40, sd: float = 0.05, seed: int = 3) -> cf.ScoreMatrix:
    rng = np.random.default_rng(seed)
    values = rng.normal(0.4, 0.1, (n, 1)) + rng.normal(0, sd, (n, len(means))) + means
    return cf.ScoreMatrix(values, [f"t{i:02}" for i in range(n)], [f"s{j}" for j in range(len(means))], "AP")


@pytest.mark.parametrize("seed", range(5))
def test_one_pair_is_two_one_sided_t_tests(seed: int) -> None:
    matrix = scores([0.0, 0.01], seed=seed)
    d = matrix.values[:, 0] - matrix.values[:, 1]
    for margin in (0.02, 0.025, 0.03, 0.04):
        low = stats.ttest_1samp(d, -margin, alternative="greater").pvalue
        high = stats.ttest_1samp(d, margin, alternative="less").pvalue
        found = cf.compare(matrix, test="t", margin=margin)
        assert bool(found.equivalent[0]) == (max(low, high) < 0.05)
        assert found.within_level == pytest.approx(0.9)


@pytest.mark.parametrize("test", ["max-t", "randomisation", "t", "tukey", "randomised-tukey", "bootstrap", "welch"])
@pytest.mark.parametrize("intervals", ["simultaneous", "pairwise"])
def test_a_family_uses_the_simultaneous_interval(test: str, intervals: str) -> None:
    matrix = scores([0.0, 0.0, 0.01, 0.3], n=60)
    found = cf.compare(matrix, test=test, margin=0.15, n_resamples=2000, intervals=intervals)
    together = cf.compare(matrix, test=test, n_resamples=2000)
    inside = np.maximum(np.abs(together.lower), np.abs(together.upper)) < 0.15
    assert found.equivalent.tolist() == inside.tolist()
    assert found.within_level == 0.95
    assert found.equivalent.any()
    assert not found.equivalent.all()


def test_verdicts_name_all_four_cases() -> None:
    """A tiny sure difference, a large one, none, and an uncertain one."""
    rng = np.random.default_rng(1)
    base = rng.normal(0.4, 0.1, 60)
    near = base + 0.005 + rng.normal(0, 0.002, 60)
    values = np.column_stack(
        [
            base,
            near,
            base + rng.normal(0, 0.005, 60),
            base + rng.normal(0.03, 0.1, 60),
            base + rng.normal(0.3, 0.01, 60),
        ]
    )
    matrix = cf.ScoreMatrix(values, [str(i) for i in range(60)], ["base", "near", "same", "noisy", "far"], "AP")
    found = cf.compare(matrix, baseline="base", margin=0.02)
    said = dict(zip(found.system_a, found.verdict, strict=True))
    assert said == {"near": "both", "same": "equivalent", "noisy": "open", "far": "differs"}
    frame = found.to_frame()
    assert frame.columns[-4:-1] == ["significant", "equivalent", "verdict"]
    assert [set(group) for group in found.alike] == [{"near", "same", "base"}]


def test_every_two_of_a_group_are_equivalent_and_every_such_pair_has_a_group() -> None:
    found = cf.compare(scores([0.0, 0.01, 0.02, 0.03, 0.1, 0.11, 0.3]), margin=0.04, n_resamples=2000)
    rows = zip(found.system_a, found.system_b, found.equivalent, strict=True)
    equivalent = {frozenset((a, b)) for a, b, yes in rows if yes}
    inside = {frozenset((a, b)) for group in found.alike for a in group for b in group if a != b}
    assert equivalent == inside
    assert equivalent


def test_without_a_margin_nothing_is_added() -> None:
    found = cf.compare(scores([0.0, 0.1]))
    assert "equivalent" not in found.to_frame().columns
    assert "alike" not in found.leaderboard().columns
    assert not found.equivalent.any()


def test_a_one_sided_test_is_refused() -> None:
    with pytest.raises(cf.ArgumentError, match="`margin` needs alternative 'two-sided'; got 'greater'"):
        cf.compare(scores([0.0, 0.1]), margin=0.1, alternative="greater")


@pytest.mark.parametrize("margin", [0.0, -0.1])
def test_a_margin_is_above_0(margin: float) -> None:
    with pytest.raises(cf.ArgumentError, match="`margin` must be above 0"):
        cf.compare(scores([0.0, 0.1]), margin=margin)


def test_the_table_marks_who_is_alike() -> None:
    matrix = scores([0.0, 0.0, 0.3])
    found = cf.table(matrix, margin=0.05)
    alike = {name: found.cells[name, "AP"].alike for name in matrix.systems}
    assert alike == {"s0": (found.letters["s1"],), "s1": (found.letters["s0"],), "s2": ()}
    against = cf.table(matrix, margin=0.05, baseline="s0")
    assert against.cells["s1", "AP"].alike == ("†",)
    assert "equivalent within ±0.05" in against.caption()
    assert "≈†" in against.answer().sheet("table").texts["markdown"]


def test_the_map_has_a_third_colour() -> None:
    from cranfield.questions.compare import charts

    found = cf.compare(scores([0.0, 0.0, 0.3]), margin=0.05)
    assert "equivalent" in str(charts.pairs(found).to_dict())
    assert "Equivalent to each other" in " ".join(comparison_answer(found, None).sentences)


def test_false_claims_of_equivalence_are_rare() -> None:
    """Six systems, three of them exactly a margin away from the others: any such claim is false (skewed scores)."""
    rng = np.random.default_rng(7)
    margin, false = 0.1, 0
    for trial in range(150):
        values = rng.exponential(0.12, (50, 6)) + [0, 0, 0, margin, margin, margin]
        matrix = cf.ScoreMatrix(values, [str(i) for i in range(50)], list("abcdef"), "AP")
        found = cf.compare(matrix, test="max-t", margin=margin, n_resamples=199, seed=trial)
        apart = [(a in "abc") != (b in "abc") for a, b in zip(found.system_a, found.system_b, strict=True)]
        false += bool(found.equivalent[np.array(apart)].any())
    assert false / 150 <= 0.05 + 3 * np.sqrt(0.05 * 0.95 / 150)
