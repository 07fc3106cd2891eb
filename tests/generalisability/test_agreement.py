"""The τ to expect from another topic set, and the three views side by side."""

from __future__ import annotations

from itertools import combinations

import numpy as np
import polars as pl
import pytest
from scipy import stats

from cranfield import ArgumentError, CranfieldWarning, DataError, ScoreMatrix, read_scores
from cranfield.questions.design.interval import design_interval
from cranfield.questions.design.ttest import design_ttest
from cranfield.questions.reliability.reliability import reliability
from cranfield.questions.reliability.tau import expected_tau
from cranfield.questions.reliability.views import three_views
from cranfield.scores.rank_coefficients import rank_correlations
from cranfield.scores.synthetic import make_scores
from support import SHARED, needs_shared


def matrix(values: object) -> ScoreMatrix:
    array = np.asarray(values, dtype=float)
    return ScoreMatrix(array, [f"t{i}" for i in range(len(array))], [f"s{j}" for j in range(array.shape[1])], "AP")


def test_the_split_half_is_the_mean_over_all_halves() -> None:
    """With 6 topics there are 10 ways to halve them; many random halvings come near their mean by scipy."""
    x = make_scores(6, 8, system_variance=0.05)

    halves = [(list(a), [t for t in range(6) if t not in a]) for a in combinations(range(6), 3)]
    truth = np.mean([stats.kendalltau(x.values[a].mean(0), x.values[b].mean(0)).statistic for a, b in halves])
    found = expected_tau(x, n_resamples=3000)
    assert found.half == pytest.approx(truth, abs=0.01)
    assert found.half_topics == 3


def test_the_step_up_is_spearman_brown() -> None:
    found = expected_tau(make_scores(50, 30))
    rho = np.sin(np.pi * found.half / 2)
    assert found.at(25)[0] == pytest.approx(found.half)
    assert found.at(50)[0] == pytest.approx(2 / np.pi * np.arcsin(2 * rho / (1 + rho)))
    value, lower, upper = found.at(50)
    assert lower is not None
    assert upper is not None
    assert lower < value < upper
    assert found.at(10)[0] < found.at(50)[0] < found.at(1000)[0] < 1


def test_order_does_not_matter_and_the_seed_decides() -> None:
    x = make_scores(11, 6)
    rng = np.random.default_rng(1)
    shuffled = x.select(topics=rng.permutation(x.topics).tolist(), systems=rng.permutation(x.systems).tolist())
    first, again = expected_tau(x).to_frame(), expected_tau(shuffled).to_frame()
    assert first.equals(again)
    assert not first.equals(expected_tau(x, seed=2).to_frame())


def test_systems_no_better_than_chance() -> None:
    rng = np.random.default_rng(3)
    with pytest.warns(CranfieldWarning, match="halves of the topics do not agree|Without one of the topics"):
        found = expected_tau(matrix(rng.normal(size=(8, 3))))
    assert found.to_frame()["lower"].null_count() == 1
    assert "tau" in found.summary()


def test_systems_that_always_rank_alike() -> None:
    with pytest.warns(CranfieldWarning, match="give the same ranking. Tau is that of the halves"):
        found = expected_tau(matrix(np.arange(4) + np.arange(6)[:, None]))
    assert found.at(50) == (1.0, None, None)


def test_refused() -> None:
    with pytest.raises(
        DataError, match=r"^AP: an expected tau needs at least 4 topics; there are 3\. Give scores of more topics\.$"
    ):
        expected_tau(matrix(np.eye(3)))
    with pytest.raises(DataError, match="^AP: all systems score the same on every topic, so there is no ranking$"):
        expected_tau(matrix(np.ones((5, 3))))
    with pytest.raises(
        DataError, match=r"^AP: dropping 0\.6 of the systems leaves 1; a ranking needs 2\. Drop fewer\.$"
    ):
        expected_tau(matrix(np.arange(10).reshape(5, 2)), drop=0.6)
    with pytest.raises(ArgumentError, match="`alpha` must be between 0 and 1; got 0"):
        expected_tau(make_scores(10, 5), alpha=0)
    with pytest.raises(ArgumentError, match="`n_resamples` must be a whole number of at least 1; got 0"):
        expected_tau(make_scores(10, 5), n_resamples=0)


def split(values: np.ndarray, n: int, times: int, rng: np.random.Generator) -> float:
    """Mean τ between two random disjoint sets of n topics."""
    taus = []
    for _ in range(times):
        order = rng.permutation(len(values))
        a, b = values[order[:n]].mean(0), values[order[n : 2 * n]].mean(0)
        taus.append(rank_correlations(a[None], b[None])["tau_b"][0])
    return float(np.mean(taus))


@needs_shared
@pytest.mark.slow
@pytest.mark.parametrize("n", [24, 50, 70])
def test_terabyte_topics_agree_as_expected(n: int) -> None:
    """149 topics hold two sets of n: what n topics promise on average is what those two sets show."""
    scores = read_scores(SHARED / "data" / "matrices" / "terabyte2006.AP.csv").only()
    rng = np.random.default_rng(n)
    truth = split(scores.values, n, 400, rng)
    promised, normal = [], []
    for _ in range(40):
        part = scores.select(topics=rng.permutation(scores.topics)[:n].tolist())
        promised.append(expected_tau(part, n_resamples=60).at(n)[0])
        normal.append(2 / np.pi * np.arcsin(reliability(part).ratio("erho2").at(n)[0]))
    assert np.mean(promised) == pytest.approx(truth, abs=0.02)
    assert abs(np.mean(normal) - truth) > 2 * abs(np.mean(promised) - truth)  # why Eρ² is not simply transformed


@pytest.mark.slow
def test_the_interval_covers() -> None:
    """Fixed systems, new topics each time; the truth from many pairs of new topic sets."""
    rng = np.random.default_rng(8)
    systems, n, trials = rng.normal(0, 0.08, 20), 40, 300

    def draw(sets: int) -> np.ndarray:
        return np.asarray(systems + rng.normal(0, 0.11, (sets, n, 20)))

    truth = float(rank_correlations(draw(2000).mean(1), draw(2000).mean(1))["tau"].mean())
    hits, values = 0, []
    for x in draw(trials):
        value, lower, upper = expected_tau(matrix(x), n_resamples=60).at(n)
        assert lower is not None
        assert upper is not None
        hits += lower <= truth <= upper
        values.append(value)
    assert np.mean(values) == pytest.approx(truth, abs=0.015)
    assert 0.90 <= hits / trials <= 1.0


def test_three_views_agree_with_the_designs() -> None:
    x = make_scores(50, 30)
    views = three_views(x, n_topics=[20, 50, 200], min_diff=0.04)
    variance = 2 * views.components.residual
    for row in views.to_frame().iter_rows(named=True):
        n = row["topics"]
        assert row["power"] == pytest.approx(design_ttest(variance, 0.04, n_topics=n).achieved_power)
        assert row["power_all_pairs"] == pytest.approx(
            design_ttest(variance, 0.04, n_topics=n, alpha=0.05 / 435).achieved_power
        )
        assert row["width"] == pytest.approx(design_interval(variance, n_topics=n).to_frame()["expected_width"][0])
        assert row["power_all_pairs"] < row["power"]
        assert row["erho2_lower"] < row["erho2"] < row["erho2_upper"]
        assert row["tau_lower"] < row["tau"] < row["tau_upper"]
    frame = views.to_frame()
    assert frame["erho2"].to_list() == reliability(x, n_topics=[20, 50, 200]).to_frame()["value"].to_list()[:3]
    assert frame["tau"].to_list() == expected_tau(x, n_topics=[20, 50, 200]).to_frame()["tau"].to_list()
    assert views.summary().startswith("With 20 topics, power is")
    assert views.settings["pairs"] == 435
    assert views.to_dict()["rows"][1]["topics"] == 50
    assert frame.schema["tau_lower"] == pl.Float64


def test_three_views_refuse() -> None:
    with pytest.raises(ArgumentError, match=r"^`min_diff` must be a positive number; got 0\. Write 0.05\.$"):
        three_views(make_scores(10, 5), min_diff=0)
    with pytest.raises(ArgumentError, match=r"^`n_topics` must be at least 2 for a paired test; got 1\. Write 50\.$"):
        three_views(make_scores(10, 5), n_topics=1)


def test_views_of_one_topic_are_refused_and_of_several_collections_kept_apart() -> None:
    from cranfield.core.answer import answer

    with pytest.raises(ArgumentError, match=r"^`n_topics` must be at least 2 for a paired test; got 1\. Write 50\.$"):
        reliability(make_scores(10, 5), n_topics=1).views()
    study = reliability([make_scores(10, 5), make_scores(12, 6, seed=2)], n_topics=[1, 20])
    sheet = answer(study).sheet("views")
    assert sheet.title == "score: 2 collections, separately"
    assert "systems 5" in sheet.signature
    assert "systems 6" in sheet.signature
    assert answer(study).sheet("coefficients").title == "score: reliability from 2 collections, pooled"


def test_a_study_measures_the_agreement_once_for_any_numbers_of_topics(monkeypatch: pytest.MonkeyPatch) -> None:
    import cranfield.questions.reliability.tau as tau

    x, asked = make_scores(20, 6, seed=4), []
    whole = tau._halves
    monkeypatch.setattr(tau, "_halves", lambda *how: asked.append(how) or whole(*how))
    study = reliability(x, n_topics=[10])
    few, many = (study.views(n_topics=sizes, n_resamples=30) for sizes in ([], [25, 100]))
    assert len(asked) == 1
    alone = three_views(x, n_topics=[25, 100], n_resamples=30)
    assert next(iter(many.values())).to_frame().equals(alone.to_frame())
    assert next(iter(few.values())).to_frame()["topics"].to_list() == [10]


def test_an_expected_tau_does_not_depend_on_the_unit_of_the_scores() -> None:
    x = make_scores(20, 6)
    taus = [
        expected_tau(ScoreMatrix(x.values * unit, x.topics, x.systems, "AP"), n_resamples=50).to_frame()
        for unit in (1.0, 2.0**-60)
    ]
    assert taus[0].equals(taus[1])
