"""The exact and the saddlepoint form of the randomisation test, against full enumeration and importance sampling."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from scipy import optimize, special

from cranfield import compare, make_scores
from cranfield.questions.compare.family import GridScores, Pairs, all_pairs
from cranfield.questions.compare.flips import Magnitudes, enumerated_p, magnitudes, saddlepoint, sided, tail
from cranfield.questions.compare.lattice import find_lattice, lattice_p
from cranfield.questions.compare.randomisation import randomisation
from cranfield.questions.compare.resampled import Resampling

ALTERNATIVES = ["two-sided", "greater", "less"]
PAIR = Pairs(np.array([0]), np.array([1]))


def as_scores(differences):
    """Two systems with these differences."""
    differences = np.asarray(differences, dtype=float)
    return GridScores.of(np.column_stack([differences, np.zeros(len(differences))]))


def textbook(differences):
    """The formula with a root finder from a library, one pair at a time."""
    d = np.abs(differences[differences != 0])
    total = abs(differences.sum())
    t = optimize.brentq(lambda t: (d * np.tanh(t * d)).sum() - total, 0, 1e6, xtol=1e-15, rtol=1e-14)
    k = (t * d + np.log1p(np.exp(-2 * t * d)) - np.log(2)).sum()
    r = np.sqrt(2 * (t * total - k))
    q = t * np.sqrt((d**2 * (1 - np.tanh(t * d) ** 2)).sum())
    return 2 * special.ndtr(-(r + np.log(q / r) / r))


def importance(d, draws, rng):
    """The two-sided p by signs drawn from the tilted distribution, unbiased at any depth, with its relative error."""
    d = np.abs(d), d.sum()
    a, total = d[0], abs(d[1])
    t = optimize.brentq(lambda t: (a * np.tanh(t * a)).sum() - total, 0, 1e6)
    signs = np.where(rng.random((draws, len(a))) < 1 / (1 + np.exp(-2 * t * a)), 1, -1)
    sums = signs @ a
    k = (np.abs(t * a) + np.log1p(np.exp(-2 * t * a)) - np.log(2)).sum()
    weight = np.where(sums >= total - 1e-12, np.exp(k - t * sums), 0.0)
    return 2 * weight.mean(), weight.std() / np.sqrt(draws) / weight.mean()


# ── saddlepoint ───────────────────────────────────────────────────────────────────────────────────────────


def test_saddlepoint_is_the_formula():
    rng = np.random.default_rng(1)
    values = rng.beta(1, 3, (50, 12)) + np.linspace(0, 0.4, 12)
    pairs = all_pairs(12)
    p = saddlepoint(GridScores.of(values), pairs, "two-sided")
    theirs = [textbook(values[:, a] - values[:, b]) for a, b in zip(pairs.a, pairs.b, strict=True)]
    np.testing.assert_allclose(p, theirs, rtol=1e-6)


@pytest.mark.parametrize(("n", "bound"), [(12, 0.1), (16, 0.1), (18, 0.06)])
def test_saddlepoint_against_enumeration(n, bound):
    """Where a thousand flips or more reach what was observed; below, p moves in coarse steps (see `enumeration`)."""
    rng = np.random.default_rng(2)
    values = rng.beta(1, 2, (n, 14)) + np.linspace(0, 0.4, 14)
    scores, pairs = GridScores.of(values), all_pairs(14)
    for alternative in ALTERNATIVES:
        exact = enumerated_p(scores, pairs, np.arange(len(pairs)), np.full(len(pairs), 2.0**n), alternative)
        p = saddlepoint(scores, pairs, alternative)
        wide = exact >= 1024 / 2**n
        error = p[wide] / exact[wide] - 1
        assert wide.sum() > 15
        assert np.abs(error).max() < bound
        assert abs(np.median(error)) < 0.01


def test_saddlepoint_against_importance_sampling_at_fifty_topics():
    rng = np.random.default_rng(3)
    for shift in (0.02, 0.05, 0.1, 0.15, 0.2):
        d = rng.beta(1, 3, 50) - rng.beta(1, 3, 50) + shift
        p = float(saddlepoint(as_scores(d), PAIR, "two-sided")[0])
        true, error = importance(d, 100_000, rng)
        assert abs(p / true - 1) < 0.01 + 4 * error, (shift, p, true)


def test_deep_tails_keep_their_relative_error():
    rng = np.random.default_rng(4)
    d = np.where(np.arange(50) < 48, 1, -1) * rng.uniform(0.05, 0.4, 50)
    p = float(saddlepoint(as_scores(d), PAIR, "two-sided")[0])
    true, error = importance(d, 200_000, rng)
    assert true < 1e-10
    assert abs(p / true - 1) < 0.03 + 4 * error


@pytest.mark.parametrize("n", [1, 5, 30, 500, 3000])
def test_differences_of_one_sign(n):
    d = np.concatenate([np.random.default_rng(n).uniform(0.1, 1, n), np.zeros(3)])
    expected = max(2.0 ** (1 - n), np.finfo(float).tiny)
    assert saddlepoint(as_scores(d), PAIR, "two-sided")[0] == expected
    assert saddlepoint(as_scores(-d), PAIR, "two-sided")[0] == expected
    assert saddlepoint(as_scores(d), PAIR, "greater")[0] == pytest.approx(max(2.0**-n, np.finfo(float).tiny))
    assert saddlepoint(as_scores(d), PAIR, "less")[0] == pytest.approx(1 - 2.0**-n)


def test_no_differences_and_differences_that_cancel():
    for d in (np.zeros(5), np.array([0.5, -0.5, 0.25, -0.25])):
        assert saddlepoint(as_scores(d), PAIR, "two-sided")[0] == 1
        assert saddlepoint(as_scores(d), PAIR, "greater")[0] >= 0.5


def test_close_to_the_centre_there_is_no_jump():
    base = np.random.default_rng(5).normal(size=40)
    base -= base.mean()
    d = base[None, :] + np.geomspace(1e-9, 1e-1, 400)[:, None]
    p = 2 * tail(Magnitudes.of(d))
    assert (np.diff(p) <= 1e-9).all()
    assert p[0] == pytest.approx(1, abs=1e-8)
    assert np.abs(np.diff(np.log(1 - p[:300])) - np.diff(np.log(np.geomspace(1e-9, 1e-1, 400)[:300]))).max() < 0.05


@settings(max_examples=150, deadline=None)
@given(
    arrays(
        np.float64,
        st.tuples(st.integers(1, 4), st.integers(1, 30)),
        elements=st.floats(-1e308, 1e308, allow_subnormal=True) | st.floats(-1, 1) | st.floats(-1e-300, 1e-300),
    )
)
def test_any_differences_give_a_probability(d):
    found = Magnitudes.of(d)
    one_sided = tail(found)
    assert np.isfinite(one_sided).all()
    for alternative in ALTERNATIVES:
        p = sided(one_sided, found.direction, alternative)
        assert ((p > 0) & (p <= 1)).all()


@settings(max_examples=60, deadline=None)
@given(st.integers(0, 10**6), st.integers(-1000, 900))
def test_saddlepoint_ignores_scale_and_order(seed, power):
    rng = np.random.default_rng(seed)
    d = rng.normal(0.3, 1, (1, 20))
    p = tail(Magnitudes.of(d))
    np.testing.assert_allclose(tail(Magnitudes.of(np.ldexp(d, power))), p, rtol=1e-9)
    np.testing.assert_allclose(tail(Magnitudes.of(-d[:, ::-1])), p, rtol=1e-9)


def test_saddlepoint_is_the_same_for_any_number_of_workers():
    values = np.random.default_rng(6).beta(1, 3, (30, 90))
    scores, pairs = GridScores.of(values), all_pairs(90)
    one = saddlepoint(scores, pairs, "two-sided", workers=1)
    assert one.tobytes() == saddlepoint(scores, pairs, "two-sided", workers=3).tobytes()


# ── lattice ───────────────────────────────────────────────────────────────────────────────────────────────


@pytest.mark.parametrize("alternative", ALTERNATIVES)
@pytest.mark.parametrize("denominator", [1, 3, 10, 20, 30])
def test_lattice_is_enumeration(alternative, denominator):
    rng = np.random.default_rng(denominator)
    values = rng.binomial(denominator, np.linspace(0.2, 0.8, 8), (12, 8)) / denominator
    values[:, 7] = values[:, 0]
    scores, pairs = GridScores.of(values), all_pairs(8)
    lattice = find_lattice(scores)
    assert lattice is not None
    assert lattice.step == pytest.approx(1 / denominator, rel=1e-9)
    exact = randomisation(scores, pairs, Resampling(alternative=alternative))
    assert exact.exact
    np.testing.assert_allclose(lattice_p(lattice, pairs, alternative), exact.p, rtol=1e-12)


@settings(max_examples=60, deadline=None)
@given(st.integers(0, 10**6), st.integers(2, 14), st.sampled_from([1, 7, 10, 100]), st.sampled_from(ALTERNATIVES))
def test_lattice_and_enumeration_of_nonzero_agree(seed, n, denominator, alternative):
    rng = np.random.default_rng(seed)
    values = rng.integers(0, denominator + 1, (n, 5)) / denominator
    scores, pairs = GridScores.of(values), all_pairs(5)
    lattice = find_lattice(scores)
    assert lattice is not None
    exact = randomisation(scores, pairs, Resampling(alternative=alternative)).p
    np.testing.assert_allclose(lattice_p(lattice, pairs, alternative), exact, rtol=1e-12)
    np.testing.assert_allclose(
        enumerated_p(scores, pairs, np.arange(len(pairs)), np.full(len(pairs), 999.0), alternative), exact, rtol=1e-12
    )


@settings(max_examples=40, deadline=None)
@given(st.integers(0, 10**6), st.sampled_from(ALTERNATIVES))
def test_enumeration_of_nonzero_differences_of_any_scores(seed, alternative):
    rng = np.random.default_rng(seed)
    values = 1 / rng.integers(1, 12, (11, 4))
    scores, pairs = GridScores.of(values), all_pairs(4)
    exact = randomisation(scores, pairs, Resampling(alternative=alternative)).p
    np.testing.assert_allclose(
        enumerated_p(scores, pairs, np.arange(len(pairs)), np.full(len(pairs), 999.0), alternative), exact, rtol=1e-12
    )


def test_lattices_are_found_where_they_are_and_not_elsewhere():
    rng = np.random.default_rng(7)
    tenths, decimals = rng.integers(0, 11, (50, 20)) / 10, np.round(rng.random((50, 20)), 4)
    for values, step in [(tenths, 0.1), (decimals, 1e-4), (tenths * 100, 10), (tenths / 3e20, 1 / 3e21)]:
        lattice = find_lattice(GridScores.of(values))
        assert lattice is not None
        assert lattice.step == pytest.approx(step, rel=1e-6)
        relative = np.rint((values - values[:, :1]) / step).astype(int)
        assert (lattice.values == relative).all()
    for values in (rng.random((50, 20)), 1 / rng.integers(1, 40, (50, 20)), tenths + 1e-9 * rng.random((50, 20))):
        assert find_lattice(GridScores.of(values)) is None
    shifted = find_lattice(GridScores.of(tenths + rng.random((50, 1))))  # only differences need a common divisor
    assert shifted is not None
    assert shifted.step == pytest.approx(0.1)


def test_wide_pairs_are_left_out():
    values = np.random.default_rng(8).integers(0, 10_001, (40, 4)) / 10_000
    lattice = find_lattice(GridScores.of(values))
    assert lattice is not None
    assert np.isnan(lattice_p(lattice, all_pairs(4), "two-sided")).all()
    wide = lattice_p(lattice, all_pairs(4), "two-sided", widest=200_000)
    np.testing.assert_allclose(wide, saddlepoint(GridScores.of(values), all_pairs(4), "two-sided"), rtol=0.01)


def test_wide_and_narrow_convolutions_agree(monkeypatch):
    values = np.random.default_rng(10).integers(0, 21, (40, 8)) / 20
    lattice, pairs = find_lattice(GridScores.of(values)), all_pairs(8)
    assert lattice is not None
    together = {alternative: lattice_p(lattice, pairs, alternative) for alternative in ALTERNATIVES}
    monkeypatch.setattr("cranfield.questions.compare.lattice._TOGETHER", 0)
    for alternative, p in together.items():
        np.testing.assert_allclose(lattice_p(lattice, pairs, alternative), p, rtol=1e-12)


@pytest.mark.parametrize("together", [0, 512])
def test_lattice_with_thousands_of_topics(together, monkeypatch):
    monkeypatch.setattr("cranfield.questions.compare.lattice._TOGETHER", together)
    values = np.random.default_rng(9).integers(0, 2, (3000, 3)).astype(float)
    values[:, 2] = 1.0
    lattice = find_lattice(GridScores.of(values))
    assert lattice is not None
    p = lattice_p(lattice, all_pairs(3), "two-sided")
    assert (p > 0).all()
    won = (values[:, 0] > values[:, 1]).sum()
    lost = (values[:, 0] < values[:, 1]).sum()
    assert p[0] == pytest.approx(min(1, 2 * special.bdtr(min(won, lost), won + lost, 0.5)), rel=1e-10)


def test_magnitudes_count_what_is_no_more_than_rounding_as_zero():
    scores = GridScores.of(np.array([[0.3, 0.1 + 0.2], [0.5, 0.2]]))
    assert magnitudes(scores, np.array([0]), np.array([1])).n_nonzero.tolist() == [1]


@pytest.mark.parametrize(("asked", "flips"), [(1023, None), (1024, 1024), (5000, 1024)])
def test_as_many_flips_as_there_are_are_all_of_them(asked: int, flips: int | None) -> None:
    """Ten topics have 2^10 assignments of signs; fewer resamples than that are not said to be all."""
    assert compare(make_scores(10, 3, seed=1), n_resamples=asked).n_resamples == flips
