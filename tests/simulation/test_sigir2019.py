"""Tests run as the programs of SIGIR 2019 run them (docs/sigir2019.py), which its tables rest on."""

from __future__ import annotations

import importlib
import sys
from pathlib import Path

import numpy as np
import pytest
from scipy import stats

DOCS = Path(__file__).resolve().parents[2] / "docs"


@pytest.fixture(scope="module")
def study():
    sys.path.insert(0, str(DOCS))
    try:
        return importlib.import_module("sigir2019")
    finally:
        sys.path.remove(str(DOCS))


def tenths(n: int, columns: int) -> np.ndarray:
    rng = np.random.default_rng(2)
    return rng.integers(0, 11, (n, columns)) / 10 - rng.integers(0, 11, (n, columns)) / 10


def test_sums_of_decimal_fractions_lose_flips_that_whole_numbers_count(study) -> None:
    """The reason that page gives for power above the exact test's."""
    each = tenths(25, 40)
    decimals = study.randomisation_p(each, np.random.default_rng(1))
    whole = study.randomisation_p(np.rint(10 * each), np.random.default_rng(1))
    assert (decimals <= whole).all()
    assert (decimals < whole).mean() > 0.5


def test_resampled_p_values_are_near_those_of_t(study) -> None:
    each = np.random.default_rng(3).normal(0.1, 0.4, (50, 20))
    expected = stats.ttest_1samp(each, 0).pvalue
    for found in (study.randomisation_p, study.bootstrap_p):
        assert np.abs(found(each, np.random.default_rng(1)) - expected).max() < 0.05


def test_the_sign_test_counts_small_differences_as_ties(study) -> None:
    each = np.array([[0.2], [0.005], [-0.01], [0.3], [0.4], [-0.2]])
    assert study.sign_p(each)[0] == pytest.approx(stats.binomtest(3, 4).pvalue)
    assert study.sign_p(np.zeros((5, 1)))[0] == 1


def test_wilcoxons_test_is_exact_without_ties_and_has_a_continuity_correction_with_them(study) -> None:
    rng = np.random.default_rng(4)
    smooth, tied = rng.normal(size=(20, 1)), rng.choice([-2.0, -1.0, 1.0, 2.0, 3.0], (60, 1))
    assert study.wilcoxon_p(smooth)[0] == pytest.approx(stats.wilcoxon(smooth[:, 0], method="exact").pvalue)
    asymptotic = stats.wilcoxon(tied[:, 0], correction=True, method="asymptotic").pvalue
    assert study.wilcoxon_p(tied)[0] == pytest.approx(asymptotic)


@pytest.mark.parametrize(
    ("arguments", "text"),
    [
        ([], "the page needs --trec8 and --margins; without them make parts with --only"),
        (["--margins", "margins"], "the page needs --trec8 and --margins"),
        (["--only", "AP-all-in-R"], "AP-all-in-R needs --margins, which docs/sigir2019_margins.R writes"),
    ],
)
def test_what_is_missing_is_said_before_anything_is_simulated(study, monkeypatch, capsys, arguments, text) -> None:
    monkeypatch.setattr(sys, "argv", ["sigir2019.py", *arguments])
    monkeypatch.setattr(study, "simulate", None)
    with pytest.raises(SystemExit):
        study.main()
    assert text in capsys.readouterr().err
