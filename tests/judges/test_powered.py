"""Prediction-powered estimates against a computation of their own, term by term."""

from __future__ import annotations

import math

import numpy as np
import pytest
from scipy import stats

import cranfield as cf
from cranfield.questions.judges import powered as p

RNG = np.random.default_rng(8)


def drawn(n: int = 20, more: int = 60, columns: int = 3, rho: float = 0.8) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    truth = RNG.normal(0.1, 1, (n + more, columns))
    machine = rho * truth + math.sqrt(1 - rho * rho) * RNG.normal(size=truth.shape) + 0.5
    return truth[:n], machine[:n], machine[n:]


def by_hand(y: list[float], f: list[float], g: list[float]) -> tuple[float, float, float]:
    """θ, its standard error and λ of one column, in plain Python."""
    n, more = len(y), len(g)
    my, mf = sum(y) / n, sum(f) / n
    covariance = sum((a - my) * (b - mf) for a, b in zip(y, f, strict=True)) / (n - 1)
    every = f + g
    m = sum(every) / len(every)
    variance = sum((a - m) ** 2 for a in every) / (len(every) - 1)
    weight = min(max(covariance / ((1 + n / more) * variance), 0.0), 1.0)
    e = [a - weight * b for a, b in zip(y, f, strict=True)]
    me, mg = sum(e) / n, sum(g) / more
    of_e = sum((a - me) ** 2 for a in e) / ((n - 2) * n)
    of_g = weight**2 * sum((a - mg) ** 2 for a in g) / (more - 1) / more
    return me + weight * mg, math.sqrt(of_e + of_g), weight


def test_every_column_is_the_formula() -> None:
    y, f, g = drawn()
    found = p.powered(y, f, g)
    for at in range(3):
        expected = by_hand(y[:, at].tolist(), f[:, at].tolist(), g[:, at].tolist())
        assert (found.estimate[at], found.error[at], found.weight[at]) == pytest.approx(expected, abs=1e-12)
        assert found.correlation[at] == pytest.approx(np.corrcoef(y[:, at], f[:, at])[0, 1], abs=1e-12)
    lower, upper = found.interval(0.05)
    assert upper - lower == pytest.approx(2 * stats.t.ppf(0.975, 18) * found.error)


def test_a_useless_machine_leaves_the_human_mean() -> None:
    y, f, g = drawn()
    found = p.powered(y, -f, -g)  # a negative correlation is clipped
    assert found.weight.tolist() == [0, 0, 0]
    assert found.estimate == pytest.approx(y.mean(axis=0), abs=1e-12)
    wider = math.sqrt(19 / 18)  # n − 1 against n − 2, the price of having looked
    assert found.error == pytest.approx(found.human_error * wider, abs=1e-12)


def test_a_constant_machine_has_no_weight() -> None:
    y, f, g = drawn()
    found = p.powered(y, np.ones_like(f), np.ones_like(g))
    assert found.weight.tolist() == [0, 0, 0]
    assert np.isfinite(found.error).all()


def test_the_machine_s_leniency_cancels() -> None:
    y, f, g = drawn()
    assert p.powered(y, f + 3, g + 3).estimate == pytest.approx(p.powered(y, f, g).estimate, abs=1e-9)


def test_one_stratum_is_no_strata() -> None:
    y, f, g = drawn()
    plain, one = p.powered(y, f, g), p.powered(y, f, g, p.Strata.one(20, 60))
    assert all(np.array_equal(a, b) for a, b in zip(plain, one, strict=True))
    assert plain.freedom.tolist() == [18, 18, 18]
    assert plain.human_freedom.tolist() == [19, 19, 19]


def test_two_strata_by_hand() -> None:
    y, f, g = drawn(columns=1)
    human, others = np.repeat([0, 1], [14, 6]), np.repeat([0, 1], [20, 40])
    shares = np.array([34 / 80, 46 / 80])
    found = p.powered(y, f, g, p.Strata(human, others, shares))
    top = below = 0.0
    for s, share in enumerate(shares):
        ys, fs, gs = y[human == s, 0], f[human == s, 0], g[others == s, 0]
        top += share**2 * np.cov(ys, fs)[0, 1] / len(ys)
        below += share**2 * np.var(np.r_[fs, gs], ddof=1) * (1 / len(ys) + 1 / len(gs))
    weight = min(max(top / below, 0), 1)
    estimate = variance = 0.0
    layers: list[float] = []
    for s, share in enumerate(shares):
        ys, fs, gs = y[human == s, 0], f[human == s, 0], g[others == s, 0]
        e = ys - weight * fs
        estimate += share * (e.mean() + weight * gs.mean())
        layers.append(e.mean() + weight * gs.mean())
        variance += share**2 * (18 / 17 * e.var(ddof=1) / len(ys) + weight**2 * gs.var(ddof=1) / len(gs))
    variance += sum(share * (one - estimate) ** 2 for share, one in zip(shares, layers, strict=True)) / 79
    assert found.weight[0] == pytest.approx(weight, abs=1e-12)
    assert found.estimate[0] == pytest.approx(estimate, abs=1e-12)
    assert found.error[0] == pytest.approx(math.sqrt(variance), abs=1e-12)
    assert found.freedom[0] < 18


def test_effective_topics_are_near_theory() -> None:
    """n/(1 − ρ²N/(n + N)) for many topics."""
    y, f, g = drawn(400, 1600, 200, 0.8)
    found = np.median(p.powered(y, f, g).effective_topics(400))
    assert found == pytest.approx(400 / (1 - 0.64 * 0.8), rel=0.03)


def test_the_family_is_wider_than_each_interval_and_has_no_p_of_0() -> None:
    y, f, g = drawn(columns=10)
    found, family = p.powered(y + 5, f, g), p.powered_max_t(y + 5, f, g, alpha=0.05, n_resamples=500, seed=1)
    assert family.critical > stats.t.ppf(0.975, 18) * 0.8
    assert (family.error > found.error).all()
    assert (family.p_adjusted >= family.p * (1 - 1e-12)).all()
    assert family.p.min() == 1 / 501  # far from 0, and never 0
    again = p.powered_max_t(y + 5, f, g, alpha=0.05, n_resamples=500, seed=1)
    assert again.critical == family.critical


def test_identical_systems_have_an_infinite_error() -> None:
    zero = np.zeros((20, 2))
    found = p.powered_max_t(zero, zero, np.zeros((30, 2)), alpha=0.05, n_resamples=50, seed=1)
    assert found.critical == math.inf
    assert found.p_adjusted.tolist() == [1, 1]


def test_ppi_py_agrees_where_definitions_do() -> None:
    """Point estimates with a λ chosen from many topics."""
    peer = pytest.importorskip("ppi_py")
    y, f, g = (side[:, 0] for side in drawn(4000, 8000, 1, 0.9))
    expected = peer.ppi_mean_pointestimate(y, f, g, lam=None)
    assert p.powered(y[:, None], f[:, None], g[:, None]).estimate[0] == pytest.approx(
        float(np.ravel(expected)[0]), abs=1e-3
    )


def test_human_means_are_weighted_by_declared_strata() -> None:
    """People judged stratum a three times as often as b, of which there are as many topics."""
    rng = np.random.default_rng(3)
    scores = np.linspace(0.2, 0.6, 6) + rng.normal(0, 0.05, (120, 6))
    scores[60:] += 0.3
    topics = [f"{'a' if at < 60 else 'b'}{at}" for at in range(120)]
    chosen = [*range(30), *range(60, 70)]
    person = cf.ScoreMatrix(scores[chosen], [topics[at] for at in chosen], list("abcdef"), "AP")
    machine = cf.ScoreMatrix(scores + rng.normal(0, 0.01, scores.shape), topics, list("abcdef"), "AP")
    result = cf.judges({"p": person}, {"m": machine}, sampled={topic: topic[0] for topic in topics}, n_resamples=20)
    rows = result.mean_rows.filter(method="human").sort("system")
    expected = (scores[:30].mean(axis=0) + scores[60:70].mean(axis=0)) / 2
    assert rows["value"].to_list() == pytest.approx(expected, abs=1e-12)
    of_strata = [scores[:30].var(axis=0, ddof=1) / 30 / 4, scores[60:70].var(axis=0, ddof=1) / 10 / 4]
    freedom = sum(of_strata) ** 2 / (of_strata[0] ** 2 / 29 + of_strata[1] ** 2 / 9)
    half = stats.t.ppf(0.975, freedom) * np.sqrt(sum(of_strata))
    assert (rows["upper"] - rows["value"]).to_list() == pytest.approx(half, rel=1e-6)
