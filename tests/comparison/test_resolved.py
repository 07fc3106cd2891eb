"""The randomisation test that keeps deciding: methods, their seams, and the reference figures."""

from __future__ import annotations

import numpy as np
import pytest

from cranfield import read_scores
from cranfield.questions.compare.corrections import adjust
from cranfield.questions.compare.family import GridScores, Pairs, all_pairs
from cranfield.questions.compare.flips import saddlepoint
from cranfield.questions.compare.lattice import find_lattice, lattice_p
from cranfield.questions.compare.randomisation import ENOUGH, count_flips, randomisation, resolved
from cranfield.questions.compare.resampled import Resampling
from support import SHARED, needs_shared

ALTERNATIVES = ["two-sided", "greater", "less"]
MONTE_CARLO, SADDLEPOINT = "monte carlo", "saddlepoint"


def by(result, method):
    return np.array(result.method) == method


def population(n_topics=50, n_systems=30, seed=1):
    """Scores like a track's: hard and easy topics, systems that get better, two of them the same run."""
    rng = np.random.default_rng(seed)
    topics = rng.beta(1, 3, (n_topics, 1)) * 0.7
    values = topics + rng.beta(1, 3, (n_topics, n_systems)) * 0.3 + np.linspace(0, 0.2, n_systems)
    values[:, 1] = values[:, 0]
    return values


@pytest.fixture(scope="module")
def scores():
    return GridScores.of(population())


@pytest.mark.parametrize("alternative", ALTERNATIVES)
def test_few_topics_are_enumerated(alternative):
    scores, pairs = GridScores.of(population(13, 8)), all_pairs(8)
    how = Resampling(alternative=alternative)
    result = resolved(scores, pairs, how)
    assert result.method == ["enumerated"] * 28
    assert (result.exact, result.n_resamples) == (True, 2**13)
    np.testing.assert_allclose(result.p, randomisation(scores, pairs, how).p, rtol=1e-12)
    assert result.smallest == (2 if alternative == "two-sided" else 1) / 2**13


@pytest.mark.parametrize("alternative", ALTERNATIVES)
def test_every_method_agrees_with_plain_flips(scores, alternative):
    pairs = all_pairs(scores.n_systems)
    how = Resampling(alternative=alternative, n_resamples=20_000, seed=3)
    result = resolved(scores, pairs, how)
    plain = randomisation(scores, pairs, Resampling(alternative=alternative, n_resamples=40_000, seed=8)).p
    error = 4.5 * np.sqrt(plain * (1 - plain) * (1 / 40_000 + 1 / np.clip(5000 / plain, 1, 20_000)))
    assert (np.abs(result.p - plain) <= error + 2e-4 + 0.02 * plain).all()
    assert {"enumerated", "monte carlo"} <= set(result.method)
    assert len(result.method) == len(pairs)


def test_p_rises_across_the_seam(scores):
    pairs = all_pairs(scores.n_systems)
    for seed in range(5):
        how = Resampling(n_resamples=5000, seed=seed)
        result = resolved(scores, pairs, how)
        seam = (ENOUGH + 1) / 5001
        drawn, fine = by(result, MONTE_CARLO), by(result, SADDLEPOINT)
        assert drawn.sum() > 20
        assert fine.sum() > 20
        assert result.p[drawn].min() >= seam
        assert result.p[fine].max() < seam


def test_monte_carlo_is_the_plain_test_where_all_flips_are_drawn(scores):
    pairs = all_pairs(scores.n_systems)
    how = Resampling(n_resamples=6000)
    result, plain = resolved(scores, pairs, how), randomisation(scores, pairs, how)
    _, flips = count_flips(scores, pairs, saddlepoint(scores, pairs, "two-sided"), how)
    same = by(result, MONTE_CARLO) & (flips == 6000)
    assert same.sum() > 20
    assert result.p[same].tolist() == plain.p[same].tolist()


def test_only_drawn_pairs_change_with_the_seed(scores):
    pairs = all_pairs(scores.n_systems)
    one, two = (resolved(scores, pairs, Resampling(n_resamples=20_000, seed=seed)) for seed in (1, 2))
    either = by(one, MONTE_CARLO) | by(two, MONTE_CARLO)
    assert (one.p[~either] == two.p[~either]).all()
    assert (one.p[either] != two.p[either]).mean() > 0.9


def test_workers_and_memory_do_not_matter(scores):
    pairs = all_pairs(scores.n_systems)
    one = resolved(scores, pairs, Resampling(n_resamples=5000, workers=1))
    for how in (Resampling(n_resamples=5000, workers=3), Resampling(n_resamples=5000, memory=1)):
        other = resolved(scores, pairs, how)
        assert other.p.tobytes() == one.p.tobytes()
        assert other.method == one.method


def test_a_pair_alone_is_the_pair_among_others(scores):
    pairs = all_pairs(scores.n_systems)
    how = Resampling(n_resamples=5000)
    everything = resolved(scores, pairs, how)
    for at in (0, 5, 100, 400):
        alone = resolved(scores, Pairs(pairs.a[[at]], pairs.b[[at]]), how)
        assert alone.p[0] == everything.p[at]
        assert alone.method == [everything.method[at]]


def test_identical_systems_and_a_system_better_everywhere():
    values = population(40, 3)
    values[:, 2] = values[:, 0] + np.random.default_rng(1).uniform(0.01, 0.1, 40)
    result = resolved(GridScores.of(values), all_pairs(3), Resampling(n_resamples=1000))
    assert result.p[0] == 1
    assert result.p[1] == 2.0**-39
    thousands = np.column_stack([np.zeros(2000), np.random.default_rng(1).random(2000)])
    assert resolved(GridScores.of(thousands), all_pairs(2), Resampling(n_resamples=1000)).p[0] > 0


def test_precision_needs_no_flips():
    rng = np.random.default_rng(2)
    values = rng.binomial(10, np.linspace(0.2, 0.7, 12), (50, 12)) / 10
    pairs = all_pairs(12)
    result = resolved(GridScores.of(values), pairs, Resampling())
    assert set(result.method) <= {"enumerated", "exact lattice"}
    lattice = find_lattice(GridScores.of(values))
    assert lattice is not None
    np.testing.assert_allclose(result.p, lattice_p(lattice, pairs, "two-sided"), rtol=1e-12)


def test_reciprocal_rank_at_ten_is_exact_below_the_seam():
    """Its lattice is wide (2,520ths) and its values few: the saddlepoint alone is up to a fifth too small."""
    rng = np.random.default_rng(1)
    rank = rng.geometric(np.linspace(0.2, 0.8, 16), (50, 16))
    scores, pairs = GridScores.of(np.where(rank <= 10, 1 / rank, 0.0)), all_pairs(16)
    lattice = find_lattice(scores)
    assert lattice is not None
    assert lattice.step == pytest.approx(1 / 2520)
    assert lattice.coarse
    exact = lattice_p(lattice, pairs, "two-sided", widest=100_000)
    result = resolved(scores, pairs, Resampling(n_resamples=20_000))
    below = exact < 0.005
    assert below.sum() > 20
    np.testing.assert_allclose(result.p[below], exact[below], rtol=1e-10)
    alone = saddlepoint(scores, pairs, "two-sided")[below] / exact[below] - 1
    assert alone.min() < -0.1


def test_a_large_family_decides():
    """The synthetic twin of TREC-8: with flips alone no pair of 3,160 can be significant under Holm."""
    scores, pairs = GridScores.of(population(n_systems=80)), all_pairs(80)
    how = Resampling(n_resamples=20_000)
    assert not (adjust(randomisation(scores, pairs, how).p, "holm") <= 0.05).any()
    counts = [
        int((adjust(resolved(scores, pairs, Resampling(n_resamples=20_000, seed=s)).p, "holm") <= 0.05).sum())
        for s in (1, 2)
    ]
    assert counts[0] == counts[1] > 500


def real(name):
    matrix = read_scores(SHARED / "data" / "matrices" / name)
    matrix = (matrix.only() if hasattr(matrix, "only") else matrix).canonical()
    return GridScores.of(matrix.values)


@needs_shared
def test_trec8():
    scores = real("trec8-adhoc.AP.csv")
    pairs = all_pairs(129)
    result = resolved(scores, pairs, Resampling())
    assert abs(int((result.p <= 0.05).sum()) - 5998) <= 6
    assert abs(int((result.p <= 0.01).sum()) - 5291) <= 6
    assert (adjust(result.p, "holm") <= 0.05).sum() == 3402
    assert 1e-15 < result.p.min() < 3e-15
    same = [(scores.values[:, a] == scores.values[:, b]).all() for a, b in zip(pairs.a, pairs.b, strict=True)]
    assert sum(same) == 2
    assert (result.p[same] == 1).all()


@needs_shared
def test_trec8_at_the_threshold_of_holm_against_the_exact_distribution():
    """AP is printed with four decimals: a wide lattice, affordable for the few pairs at the threshold."""
    scores = real("trec8-adhoc.AP.csv")
    pairs = all_pairs(129)
    p = saddlepoint(scores, pairs, "two-sided")
    near = np.argsort(np.abs(np.log(p / 1.03e-5)))[:25]
    lattice = find_lattice(scores)
    assert lattice is not None
    exact = lattice_p(lattice, Pairs(pairs.a[near], pairs.b[near]), "two-sided", widest=100_000)
    error = p[near] / exact - 1
    assert np.abs(error).max() < 0.02
    assert abs(np.median(error)) < 0.01


@needs_shared
def test_trec3():
    result = resolved(real("trec3-adhoc.AP.csv"), all_pairs(40), Resampling())
    assert abs(int((result.p <= 0.05).sum()) - 596) <= 3
    assert abs(int((result.p <= 0.01).sum()) - 517) <= 3
