"""Raw and standardised side by side: the same numbers as by hand, and no change of scale can flatter."""

from __future__ import annotations

import math

import numpy as np
import polars as pl
import pytest

from cranfield import ArgumentError, CranfieldWarning, DataError, ScoreMatrix, Scores, correlate, standardisation_effect
from cranfield.questions.design.anova import design_anova
from cranfield.questions.standardise.fit import fit_standardisation
from cranfield.questions.variance.estimate import estimate_variance
from cranfield.questions.variance.variances import anova_table
from cranfield.scores.readers import read_scores
from support import SHARED, needs_shared

RNG = np.random.default_rng(3)
VALUES = np.clip(RNG.normal(0.4, 0.1, (30, 1)) + RNG.normal(0, 0.1, (1, 8)) + RNG.normal(0, 0.12, (30, 8)), 0, 1)
RAW = ScoreMatrix(VALUES, [f"t{i}" for i in range(30)], [f"s{j}" for j in range(8)], "AP")


def test_the_tables_are_those_of_their_parts() -> None:
    effect = standardisation_effect(RAW, n_systems=[2, 10], min_diff=[0.05, 0.1], n_resamples=200, published=True)
    std = fit_standardisation(RAW).apply(RAW).scores.only()
    row = effect.variance.row(0, named=True)
    assert row["variance_raw"] == estimate_variance(RAW).variance
    assert row["variance_standardised"] == estimate_variance(std).variance
    assert row["tau"] - row["published_lower"] == pytest.approx(1.96 * math.sqrt(2 * 21 / (9 * 8 * 7)), abs=1e-4)
    assert row["published_upper"] == 1
    agreement = correlate(RAW, std, n_resamples=200)
    assert (row["tau_lower"], row["tau_upper"]) == agreement.intervals["tau"]
    assert row["tau_corrected"] == agreement.corrected["tau"]
    for kind, matrix in (("raw", RAW), ("std-AB", std)):
        free = effect.scale_free.filter(scores=kind).row(0, named=True)
        table = anova_table(matrix).sources
        assert free["blocked_f"] == pytest.approx(table[0]["f"], rel=1e-12)
        between = math.sqrt((table[0]["mean_square"] - table[2]["mean_square"]) / 30)
        assert free["between_sd"] == pytest.approx(between, rel=1e-12)
        design = design_anova(table[2]["mean_square"], 10, between, blocked=True)
        assert free["topics"] == design.n_topics
    assert effect.topics_needed["systems"].to_list() == [2, 2, 10, 10]
    cell = effect.topics_needed.filter(systems=10, min_diff=0.05).row(0, named=True)
    assert cell["raw"] == design_anova(row["variance_raw"], 10, 0.05).n_topics
    assert cell["standardised_published"] == (
        design_anova(row["variance_standardised"], 10, 0.05, method="published").n_topics
    )


def test_a_change_of_scale_improves_the_papers_table_and_not_ours() -> None:
    """Scores divided by ten: a hundredth of the variance, fewer 'topics needed', and not a better design."""
    small = ScoreMatrix(VALUES / 10, RAW.topics, RAW.systems, "AP")
    settings = {"n_systems": [10], "min_diff": [0.05], "n_resamples": 0}
    ours, theirs = standardisation_effect(RAW, **settings), standardisation_effect(small, **settings)
    assert theirs.topics_needed["raw"][0] < ours.topics_needed["raw"][0] / 20
    for column in ("blocked_f", "topics"):
        np.testing.assert_allclose(theirs.scale_free[column].to_numpy(), ours.scale_free[column].to_numpy(), rtol=1e-9)


def test_topics_without_saved_factors_leave_both_sides() -> None:
    factors = fit_standardisation(RAW.select(topics=RAW.topics[:20]))
    settings = {"n_systems": [2], "min_diff": [0.1], "n_resamples": 0}
    with pytest.raises(DataError, match="AP: no factors for 10 of 30 topics"):
        standardisation_effect(RAW, factors=factors, **settings)
    with pytest.warns(CranfieldWarning, match="10 topics without factors left out"):
        effect = standardisation_effect(RAW, factors=factors, missing="drop-topic", **settings)
    alone = standardisation_effect(RAW.select(topics=RAW.topics[:20]), **settings)
    assert effect.to_frame().equals(alone.to_frame())


def test_one_frame_holds_the_three_tables() -> None:
    effect = standardisation_effect(RAW, n_systems=[2], min_diff=[0.1], n_resamples=0)
    frame = effect.to_frame()
    assert frame["table"].to_list() == ["variance", "scale_free", "scale_free", "topics"]
    assert effect.variance["tau_lower"].to_list() == [None]
    assert effect.to_dict()["topics"] == effect.topics_needed.to_dicts()
    assert "to ab; a 0.15; b 0.5; estimator within; fraction 1" in effect.signature


def test_order_of_topics_and_systems_never_matters() -> None:
    mixed = RAW.select(topics=RAW.topics[::-1], systems=RAW.systems[::-1])
    settings = {"n_systems": [2], "min_diff": [0.1], "n_resamples": 500}
    ours, theirs = standardisation_effect(RAW, **settings), standardisation_effect(mixed, **settings)
    for name in ("variance", "scale_free", "topics_needed"):
        assert getattr(ours, name).equals(getattr(theirs, name)), name


def test_equal_systems_have_no_standard_deviation_to_speak_of() -> None:
    noise = ScoreMatrix([[0.1, 0.9], [0.9, 0.1], [0.2, 0.8], [0.8, 0.2]], list("1234"), ["a", "b"], "AP")
    with pytest.warns(CranfieldWarning) as caught:
        effect = standardisation_effect(noise, n_systems=[2], min_diff=[0.1], n_resamples=0)
    assert (
        "AP, raw: systems differ no more than by chance (F = 0.00); topics for a difference in standard "
        "deviations between systems are undefined"
    ) in [str(w.message) for w in caught]
    assert effect.scale_free["topics"].to_list() == [None, None]


def test_scores_that_systems_and_topics_explain() -> None:
    exact = ScoreMatrix([[0.1, 0.2, 0.4], [0.3, 0.4, 0.6], [0.2, 0.3, 0.5]], list("123"), list("abc"), "AP")
    others = ScoreMatrix([[0.1, 0.9], [0.3, 0.4], [0.2, 0.6]], list("123"), list("xy"), "AP")
    settings = {"n_systems": [2], "min_diff": [0.1], "n_resamples": 0}
    with pytest.warns(CranfieldWarning) as caught:
        effect = standardisation_effect(exact, factors=fit_standardisation(others), **settings)
    assert [str(w.message) for w in caught] == [
        "AP, raw: systems and topics explain every score and leave no residual; topics for a difference in "
        "standard deviations between systems are undefined"
    ]
    with pytest.raises(DataError, match="every system has the same score on all topics"):
        standardisation_effect(exact, **settings)
    assert effect.scale_free["blocked_f"][0] is None


def test_saved_factors_and_other_transformations() -> None:
    factors = fit_standardisation(RAW.select(systems=RAW.systems[:4]))
    effect = standardisation_effect(RAW, factors=factors, to="cdf", n_systems=[2], min_diff=[0.1], n_resamples=0)
    std = factors.apply(RAW, to="cdf").scores.only()
    assert effect.variance["variance_standardised"][0] == estimate_variance(std).variance
    assert effect.scale_free["scores"].to_list() == ["raw", "std-CDF"]


def test_what_is_refused() -> None:
    with pytest.raises(ArgumentError) as bad:
        standardisation_effect(RAW, fraction=0)
    assert str(bad.value) == "`fraction` must be positive; got 0. Write 1 for one standard deviation."
    with pytest.raises(
        DataError,
        match=r"^AP: the effect of standardisation needs at least 2 topics; there is 1\. Give scores of more topics\.$",
    ):
        standardisation_effect(RAW.select(topics=["t0"]))


@needs_shared
@pytest.mark.parametrize(
    ("name", "raw", "std", "tau", "f_raw", "f_std"),
    [
        ("robust2003-new.AP", 0.0480, 0.0143, 0.925, 25.08, 27.27),
        ("robust2004-new.AP", 0.0462, 0.0146, 0.924, 22.76, 25.43),
        ("terabyte2006.AP", 0.0314, 0.0115, 0.965, 118.91, 135.84),
        ("trec3-adhoc.AP", 0.0336, 0.0122, 0.956, 33.82, 40.65),
        ("trec8-adhoc.AP", 0.0401, 0.0111, 0.930, 34.46, 45.44),
        ("web2012-adhoc.AP", 0.0171, 0.0172, 0.895, 11.27, 13.14),
        ("web2012-adhoc.ERR@20", 0.0668, 0.0189, 0.883, 6.46, 5.67),
        ("web2012-adhoc.P@20", 0.0709, 0.0185, 0.925, 10.47, 9.58),
        ("web2012-adhoc.nDCG@20", 0.0257, 0.0185, 0.895, 7.78, 7.08),
    ],
)
@pytest.mark.filterwarnings("ignore::cranfield.core.errors.CranfieldWarning")
def test_the_table_in_the_documentation(
    name: str, raw: float, std: float, tau: float, f_raw: float, f_std: float
) -> None:
    scores = read_scores(SHARED / "data" / "matrices" / f"{name}.csv")
    effect = standardisation_effect(scores, n_systems=[2], min_diff=[0.1], n_resamples=0)
    row = effect.variance.row(0, named=True)
    assert (row["variance_raw"], row["variance_standardised"]) == pytest.approx((raw, std), abs=5e-5)
    assert row["tau"] == pytest.approx(tau, abs=5e-4)
    assert effect.scale_free["blocked_f"].to_list() == pytest.approx([f_raw, f_std], abs=5e-3)


def test_several_measures() -> None:
    both = Scores([RAW, ScoreMatrix(VALUES**2 * 50, RAW.topics, RAW.systems, "M")])
    effect = standardisation_effect(both, n_systems=[2], min_diff=[0.1], n_resamples=0)
    assert effect.variance["measure"].to_list() == ["AP", "M"]
    assert effect.topics_needed.filter(pl.col("measure") == "M")["raw"][0] > 1000
