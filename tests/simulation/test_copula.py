"""Fitted margins and copulas: the published procedure, and the trap of exchangeable pairs."""

from __future__ import annotations

import sys

import numpy as np
import pytest

from cranfield import ScoreMatrix, make_scores, simulate_tests
from cranfield.errors import ArgumentError, DataError
from cranfield.simulation.analysis import _plan
from cranfield.simulation.copula import PairCopulas
from cranfield.simulation.margins import fit_margin
from cranfield.simulation.population import Population
from support import SHARED

RNG = np.random.default_rng(7)


def lopsided(n_topics: int = 60, n_systems: int = 8) -> ScoreMatrix:
    """Systems of which every later one fails on some topics where the earlier ones do not."""
    rng = np.random.default_rng(2)
    topic = rng.beta(1.5, 2, (n_topics, 1))
    fails = rng.random((n_topics, n_systems)) < np.linspace(0.05, 0.4, n_systems)
    values = np.clip(np.where(fails, topic * rng.random((n_topics, n_systems)), topic), 0.001, 0.999)
    values += rng.normal(0, 1e-4, values.shape)
    return ScoreMatrix(values, map(str, range(n_topics)), [f"s{j}" for j in range(n_systems)], "AP")


@pytest.mark.parametrize(
    ("values", "names"),
    [
        (RNG.beta(2, 6, 150), {"beta"}),
        (np.clip(RNG.normal(0.5, 0.12, 300), 0, 1), {"truncated normal", "beta"}),
        (np.concatenate([RNG.normal(0.2, 0.02, 60), RNG.normal(0.8, 0.02, 60)]), {"beta kernel"}),
    ],
)
def test_a_margin_is_chosen_by_what_it_fits(values: np.ndarray, names: set[str]) -> None:
    margin = fit_margin(values, np.unique(values))
    assert margin.name in names
    assert margin.quantiles.mean() == pytest.approx(values.mean(), abs=0.03)
    assert (np.diff(margin.quantiles) >= 0).all()
    assert 0 <= margin.quantiles.min() <= margin.quantiles.max() <= 1


def test_a_discrete_margin_keeps_its_values() -> None:
    support = np.arange(11) / 10
    values = RNG.choice(support, 50, p=RNG.dirichlet(np.ones(11)))
    margin = fit_margin(values, support)
    assert margin.name == "discrete kernel"
    assert set(margin.at(RNG.random(1000))) <= set(support)
    assert margin.quantiles.mean() == pytest.approx(values.mean(), abs=0.06)


def test_means_are_moved_by_the_difference() -> None:
    plan = _plan(50, 0.05, "t", 0.05, None, None, 256, 99, "copula", 1)
    source = PairCopulas.of(Population.of(lopsided()), plan)
    for shift in (0.0, 0.05):
        drawn = source.draw(np.random.default_rng(1), 256, 500, np.array([0.0, shift]))
        apart = (drawn.scores[:, :, 1] - drawn.scores[:, :, 0]).mean()
        assert apart == pytest.approx(shift, abs=0.004)


def test_scores_outside_the_support_and_a_missing_extra_are_told(monkeypatch: pytest.MonkeyPatch) -> None:
    wild = make_scores(20, 4, mean=3.0)
    with pytest.raises(DataError, match="between 0 and 1"):
        simulate_tests(wild, mode="copula", n_trials=8, n_topics=10, tests="t")
    monkeypatch.setitem(sys.modules, "pyvinecopulib", None)
    with pytest.raises(ArgumentError, match=r"pip install 'cranfield\[simulate\]'"):
        simulate_tests(lopsided(), mode="copula", n_trials=8, n_topics=10, tests="t")


def test_workers_do_not_change_a_result() -> None:
    one, two = (
        simulate_tests(lopsided(), mode="copula", n_trials=300, n_topics=20, tests="t", workers=workers)
        for workers in (1, 2)
    )
    assert one.all_rows.equals(two.all_rows)


@pytest.mark.slow
@pytest.mark.skipif(not (SHARED / "data" / "matrices").is_dir(), reason="the TREC matrices are not here")
@pytest.mark.filterwarnings("ignore::cranfield.errors.CranfieldWarning")
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
