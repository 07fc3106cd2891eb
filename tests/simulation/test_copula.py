"""Fitted margins and copulas: the published procedure, and the trap of exchangeable pairs."""

from __future__ import annotations

import sys
from dataclasses import replace
from functools import partial
from typing import Any

import numpy as np
import polars as pl
import pytest
from scipy import stats

from cranfield import ScoreMatrix, make_scores, simulate_scores, simulate_tests
from cranfield.core.errors import ArgumentError, DataError
from cranfield.core.executors import process_pool
from cranfield.questions.simulate.copula import FittedCopula, PairCopulas, fit_margins
from cranfield.questions.simulate.margins import fit_margin, support_of
from cranfield.questions.simulate.population import Population
from cranfield.questions.simulate.tests import _plan
from cranfield.questions.simulate.trials import binomial_bounds, run_block
from simulated_systems import lopsided, skewed
from support import SHARED

pytest.importorskip("pyvinecopulib")
RNG = np.random.default_rng(7)


@pytest.fixture(scope="module")
def fitted() -> PairCopulas:
    """The pairs of two blocks of trials."""
    return PairCopulas.of(Population.of(lopsided(40, 6)), 1, 256, [0, 1], (0.0, 0.05))


@pytest.mark.parametrize(
    ("values", "names"),
    [
        (RNG.beta(2, 6, 150), {"beta"}),
        (np.clip(RNG.normal(0.5, 0.12, 300), 0, 1), {"truncated normal", "beta"}),
        (np.concatenate([RNG.normal(0.2, 0.02, 60), RNG.normal(0.8, 0.02, 60)]), {"beta kernel"}),
    ],
)
def test_a_margin_is_chosen_by_what_it_fits(values: np.ndarray, names: set[str]) -> None:
    margin = fit_margin(values)
    assert margin.name in names
    assert margin.quantiles.mean() == pytest.approx(values.mean(), abs=0.03)
    assert (np.diff(margin.quantiles) >= 0).all()
    assert 0 <= margin.quantiles.min() <= margin.quantiles.max() <= 1


def test_a_discrete_margin_keeps_its_values() -> None:
    support = np.arange(11) / 10
    values = RNG.choice(support, 50, p=RNG.dirichlet(np.ones(11)))
    margin = fit_margin(values, support)
    assert margin.name in ("geometric kernel", "beta-binomial")
    assert set(margin.at(RNG.random(1000))) <= set(support)
    assert margin.quantiles.mean() == pytest.approx(values.mean(), abs=0.06)


@pytest.mark.parametrize(
    ("values", "name"),
    [
        (RNG.binomial(10, RNG.beta(2, 3, 200)) / 10, "beta-binomial"),
        ([0.1] * 30 + [0.2] * 3 + [0.8] * 30, "geometric kernel"),
    ],
)
def test_margins_on_few_values_are_chosen_by_what_they_fit(values: Any, name: str) -> None:
    assert fit_margin(np.asarray(values), np.arange(11) / 10).name == name


@pytest.mark.parametrize(
    ("measure", "values", "support"),
    [
        ("P@5", [0.2, 0.6], [0, 0.2, 0.4, 0.6, 0.8, 1]),
        ("P_5", [0.2, 0.6], [0, 0.2, 0.4, 0.6, 0.8, 1]),
        ("RR@3", [0.333, 0.5], [0, 1 / 3, 0.5, 1]),
        ("RR", [0.1, 0.25], [0.1, 0.25]),
        ("Success@10", [0, 1], [0, 1]),
        ("clicks", [0.3, 0.1], [0.1, 0.3]),
        ("AP", np.arange(50) / 50, None),
    ],
)
def test_the_support_of_a_measure(measure: str, values: Any, support: list[float] | None) -> None:
    found = support_of(measure, np.asarray(values, dtype=float))
    assert (found is None) == (support is None)
    assert found is None or np.allclose(found, support)


def test_means_are_moved_by_the_difference(fitted: PairCopulas) -> None:
    for shift in (0.0, 0.05):
        drawn = fitted.draw(np.random.default_rng(1), 256, 500, np.array([0.0, shift]))
        apart = (drawn.scores[:, :, 1] - drawn.scores[:, :, 0]).mean()
        assert apart == pytest.approx(shift, abs=0.004)
    with pytest.raises(ArgumentError, match=r"0\.9 is not possible between two fitted margins"):
        fitted.pairs(0, 256, 0.9)


def test_no_margin_is_moved_to_a_mean_that_it_cannot_have() -> None:
    """Three systems far below three others: the ten nearest are all, but the high ones reach no low mean."""
    rng = np.random.default_rng(1)
    values = np.column_stack([rng.normal(mean, 0.03, 40) for mean in (0.15, 0.16, 0.17, 0.84, 0.85, 0.86)])
    apart = ScoreMatrix(values, map(str, range(40)), "abcdef", "AP")
    source = PairCopulas.of(Population.of(apart, bottom=0), 1, 256, [0], (0.02,))
    drawn = source.draw(np.random.default_rng(1), 256, 500, np.array([0.0, 0.02]))
    assert np.abs((drawn.scores[:, :, 1] - drawn.scores[:, :, 0]).mean(axis=1) - 0.02).max() < 0.02
    assert len({tuple(pair) for pair in drawn.systems.tolist()}) > 2
    with pytest.raises(ArgumentError, match=r"0\.02 is not possible between two .* Write a smaller one, or drop"):
        PairCopulas.of(Population.of(apart.select(systems="af"), bottom=0), 1, 256, [0], (0.02,))


def test_without_a_difference_both_systems_have_one_margin(fitted: PairCopulas) -> None:
    drawn = fitted.draw(np.random.default_rng(1), 256, 400, np.zeros(2))
    for scores in drawn.scores.reshape(-1, 8 * 400, 2):  # the trials of a pair
        assert stats.ks_2samp(scores[:, 0], scores[:, 1]).pvalue > 1e-5
        assert not np.array_equal(scores[:, 0], scores[:, 1])


def test_with_a_difference_the_better_system_is_a_near_one() -> None:
    source = PairCopulas.of(Population.of(skewed(30, 40)), 1, 256, [], (0.05,))
    means = np.array([margin.mean for margin in source.margins])
    pairs = source.pairs(0, 256, 0.05)
    lower = np.argsort(-means)[9:]
    assert len(means) == 36
    assert set(pairs[:, 0]) <= set(lower.tolist())
    for first, second in pairs.tolist():
        others = np.delete(np.abs(means - means[first] - 0.05), first)
        assert abs(means[second] - means[first] - 0.05) <= np.sort(others)[9]


def test_scores_outside_the_support_and_a_missing_extra_are_told(monkeypatch: pytest.MonkeyPatch) -> None:
    wild = make_scores(20, 4, mean=3.0)
    with pytest.raises(DataError, match="between 0 and 1"):
        simulate_tests(wild, mode="copula", n_trials=8, n_topics=10, tests="t")
    monkeypatch.setitem(sys.modules, "pyvinecopulib", None)
    with pytest.raises(ArgumentError, match=r"pip install 'cranfield\[simulate\]'"):
        simulate_tests(lopsided(), mode="copula", n_trials=8, n_topics=10, tests="t")


@pytest.mark.parametrize(
    "near", [np.linspace(1e-9, 9e-5, 40), 1 - np.linspace(0, 1e-6, 40), np.linspace(0, 1e-150, 40)]
)
def test_scores_all_beside_an_end_of_the_scale_leave_no_margin(near: np.ndarray) -> None:
    scores = lopsided()
    values = np.column_stack([scores.values, np.resize(near, scores.n_topics)])
    beside = ScoreMatrix(values, scores.topics, [*scores.systems, "beside"], "AP")
    with pytest.raises(DataError, match=r"within 0.0001 of 0 or 1 cannot be fitted: beside\. Drop"):
        fit_margins(Population.of(beside, bottom=0))


def test_a_copula_that_the_library_gives_up_on_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    class GivesUp:
        @staticmethod
        def from_data(ranks: np.ndarray, controls: object) -> None:
            raise RuntimeError("copula has not been fitted")

    monkeypatch.setattr("pyvinecopulib.Vinecop", GivesUp)
    with pytest.raises(DataError, match=r"scores of 3 systems on 40 topics \(copula has not been fitted\)\. Give"):
        simulate_scores(lopsided(40, 6), n_systems=3, mode="copula")


@pytest.mark.parametrize(
    ("measure", "values", "text"),
    [
        ("P@10", [0.1, 0.55], r"P@10 cannot be 0.55: its values are 0, 0.1, 0.2, …, 1\. Correct the name"),
        ("Success@5", [0, 0.5], r"Success@5 cannot be 0.5: its values are 0, 1\."),
        ("AP", [-0.1, 0.5], "between 0 and 1; the scores range from -0.1 to 0.5"),
    ],
)
def test_a_score_that_the_measure_cannot_have_is_refused(measure: str, values: list[float], text: str) -> None:
    with pytest.raises(DataError, match=text):
        support_of(measure, np.array(values))


def test_families_come_from_vines() -> None:
    past = lopsided(40, 5)
    ask = partial(simulate_tests, past, mode="copula", n_topics=20, tests=["t", "sign"], correction="holm")
    one = ask(n_systems=3, difference=[0, 0.05], n_trials=64)
    rows = one.to_frame().filter(pl.col("test") == "t")
    assert set(rows["kind"]) == {"family-wise", "false-discovery", "power", "type3"}
    assert ((rows["lower"] <= rows["rate"]) & (rows["rate"] <= rows["upper"])).all()
    two = ask(n_systems=3, difference=[0, 0.05], n_trials=64, workers=2)
    assert one.all_rows.equals(two.all_rows)
    with pytest.raises(ArgumentError, match="is too large for a margin"):
        ask(n_systems=3, difference=0.9, n_trials=8)


def test_a_whole_matrix_from_a_vine() -> None:
    past = lopsided(n_systems=5)
    same = simulate_scores(past, mode="copula", n_topics=3000, n_systems=4)
    means = same.truth["mean"].to_numpy()
    assert np.abs(same.scores.values.mean(axis=0) - means).max() < 0.03
    # Systems keep what they have in common.
    chosen = [list(past.systems).index(name) for name in same.truth["source"]]
    before = np.corrcoef(past.values[:, chosen].T)
    after = np.corrcoef(same.scores.values.T)
    assert np.abs(before - after).max() < 0.25
    equal = simulate_scores(past, mode="copula", n_topics=3000, n_systems=4, difference=0.05)
    truth = equal.truth["mean"].to_numpy()
    assert np.allclose(truth - truth[0], [0, 0, 0.05, 0.05])
    assert np.abs(equal.scores.values.mean(axis=0) - truth).max() < 0.03
    again = simulate_scores(past, mode="copula", n_topics=3000, n_systems=4, difference=0.05)
    assert equal.scores == again.scores
    with pytest.raises(ArgumentError, match="is too large for a margin"):
        simulate_scores(past, mode="copula", difference=0.9)
    with pytest.raises(ArgumentError, match="there are 5 to draw from"):
        simulate_scores(past, mode="copula", n_systems=9)


class Symmetric:
    """The copula of another pair, made exchangeable: both systems swapped by a coin."""

    def __init__(self, bicop: Any) -> None:
        self.bicop = bicop

    def sample(self, n: int, seeds: list[int]) -> np.ndarray:
        u = self.bicop.sample(n, seeds=seeds)
        return np.where(np.random.default_rng(seeds).random((n, 1)) < 0.5, u, u[:, ::-1])


def test_the_trap_with_exchangeable_copulas_only_wilcoxon_looks_innocent(fitted: PairCopulas) -> None:
    """The same pairs and margins: what inflates Wilcoxon's test and the sign test is the copula's asymmetry alone."""
    plan = _plan(100, 0.0, ["t", "wilcoxon", "sign"], 0.05, None, None, 512, 99, "copula", 1)
    assert not all(copula.exchangeable for copula in fitted.copulas.values())
    copulas = {pair: FittedCopula(Symmetric(copula.bicop), True) for pair, copula in fitted.copulas.items()}
    rates = {}
    for name, source in (("as fitted", fitted), ("exchangeable", replace(fitted, copulas=copulas))):
        parts = [run_block(source, plan, block)[0].rejected[:, 0, :, 0] for block in plan.blocks]
        rates[name] = np.concatenate(parts, axis=1).mean(axis=1)
    low, high = binomial_bounds(0.05, 512)
    assert (rates["as fitted"][1:] > 2 * high).all()
    assert (rates["exchangeable"] <= high).all()
    assert low <= rates["exchangeable"][0]


def test_workers_do_not_change_a_result() -> None:
    one, two = (
        simulate_tests(lopsided(30, 4), mode="copula", n_trials=300, n_topics=20, tests="t", workers=workers)
        for workers in (1, 2)
    )
    assert one.all_rows.equals(two.all_rows)


@pytest.mark.slow
@pytest.mark.parametrize("family", [{}, {"n_systems": 3, "correction": "holm"}])
def test_fitted_pairs_and_vines_travel_to_other_processes(family: dict[str, Any]) -> None:
    ask = partial(simulate_tests, lopsided(30, 4), mode="copula", n_trials=16, n_topics=20, tests="t", **family)
    with process_pool(1) as pool:
        assert ask(executor=pool).all_rows.equals(ask().all_rows)


@pytest.mark.slow
@pytest.mark.skipif(not (SHARED / "data" / "matrices").is_dir(), reason="the TREC matrices are not here")
@pytest.mark.filterwarnings("ignore::cranfield.core.errors.CranfieldWarning")
def test_with_exchangeable_copulas_only_the_inflation_of_wilcoxon_vanishes() -> None:
    scores = SHARED / "data" / "matrices" / "trec8-adhoc.AP.csv"
    found = simulate_tests(scores, mode="copula", n_topics=50, tests=["t", "wilcoxon", "sign"], n_trials=4096)
    rates = {(row["test"], row["pairs"]): row for row in found.pairs_frame().to_dicts()}
    for test in ("wilcoxon", "sign"):
        assert rates[test, "not exchangeable"]["lower"] > 0.08
        assert rates[test, "exchangeable"]["lower"] <= 0.05
    # SIGIR 2019, AP, 50 topics, two-sided .05: t .0512, Wilcoxon .0722, sign .0779.
    for test, published in (("t", 0.0512), ("wilcoxon", 0.0722), ("sign", 0.0779)):
        assert rates[test, "all"]["lower"] <= published <= rates[test, "all"]["upper"]
