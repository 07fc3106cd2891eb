"""Designs: grids, every missing quantity, intervals from scores, warnings, and errors in full."""

from __future__ import annotations

import math
from dataclasses import replace
from functools import partial
from typing import Any

import numpy as np
import polars as pl
import pytest

from cranfield import (
    ArgumentError,
    CranfieldWarning,
    DataError,
    ScoreMatrix,
    UnknownNameError,
    design_anova,
    design_interval,
    design_ttest,
    design_two_sample_interval,
    design_two_sample_ttest,
    estimate_variance,
    recommend,
)
from cranfield.questions.design.power import critical_f
from cranfield.questions.design.solve import largest, smallest, smallest_real


def past(n: int = 30, m: int = 12, seed: int = 0, spherical: bool = True, measure: str = "AP") -> ScoreMatrix:
    rng = np.random.default_rng(seed)
    spread = np.full(m, 0.1) if spherical else np.geomspace(0.005, 0.4, m)
    values = 0.4 + rng.normal(0, 0.2, (n, 1)) + rng.normal(0, 0.03, (1, m)) + rng.normal(0, 1, (n, m)) * spread
    return ScoreMatrix(values, [f"t{i}" for i in range(n)], [f"s{j}" for j in range(m)], measure)


def test_a_grid_is_every_combination_in_the_order_given() -> None:
    design = design_anova([0.05, 0.02], [10, 2], [0.1, 0.2], alpha=[0.01, 0.05], power=[0.8, 0.9])
    assert design.rows.height == 32
    columns = "method blocked variance systems min_diff alpha power topics achieved_power"
    assert design.rows.columns == columns.split()
    first = design.rows.row(0, named=True)
    assert (first["variance"], first["systems"], first["min_diff"], first["alpha"], first["power"]) == (
        0.05, 10, 0.1, 0.01, 0.8,
    )  # fmt: skip
    again = design_anova(0.02, 2, 0.2, alpha=0.05, power=0.9)
    assert design.rows.row(-1) == again.rows.row(0)
    with pytest.raises(DataError) as error:
        _ = design.n_topics
    assert str(error.value) == "this design has 32 rows. Read 'topics' from to_frame()"


def test_arguments_may_be_arrays_and_ranges() -> None:
    assert design_anova(np.array([0.05]), range(2, 5), np.float64(0.1)).rows["systems"].to_list() == [2, 3, 4]


def test_each_missing_quantity() -> None:
    n = design_anova(0.05, 10, 0.2).n_topics
    assert design_anova(0.05, 10, 0.2, n_topics=n).solved_for == "power"
    assert design_anova(0.05, 10, n_topics=n).solved_for == "min_diff"
    systems = design_anova(0.05, None, 0.2, n_topics=n)
    assert systems.solved_for == "systems"
    more = design_anova(0.05, systems.n_systems + 1, 0.2, n_topics=n)
    assert systems.achieved_power >= 0.8 > more.achieved_power
    assert design_interval(0.05, n_topics=50).solved_for == "width"
    assert design_ttest(0.05, 0.1, n_topics=50).solved_for == "power"


@pytest.mark.parametrize("method", ["exact", "published", "approximate"])
def test_min_diff_turns_round_for_every_method(method: Any) -> None:
    d = design_anova(0.05, 10, n_topics=60, method=method).min_diff
    assert design_anova(0.05, 10, d * 1.0001, method=method).n_topics <= 60
    assert design_anova(0.05, 10, d * 0.99, method=method).n_topics > 60


def test_the_ends_of_the_scale() -> None:
    """An alpha that vanishes beside 1, and effects whose squares overflow."""
    sizes = [design_anova(0.05, 10, 0.1, alpha=alpha, blocked=False).n_topics for alpha in (1e-9, 1e-12, 1e-17, 1e-300)]
    assert sizes == [664, 834, 1108, 14859]
    assert design_ttest(0.04, 0.05, alpha=1e-17).n_topics > design_ttest(0.04, 0.05, alpha=1e-15).n_topics
    for enormous in (design_anova(0.05, 10, 1e300), design_ttest(1e-300, 1e200), design_two_sample_ttest(1.0, 1e160)):
        assert (enormous.n_topics, enormous.achieved_power) == (2, 1)
    with pytest.raises(ArgumentError, match="^more than 1,000,000,000 topics would be needed. Check `width` = 1e-300"):
        design_interval(0.05, 1e-300)


def test_two_sample_designs_are_per_group() -> None:
    assert design_two_sample_ttest(0.05, 0.1).n_topics == design_anova(0.05, 2, 0.1, blocked=False).n_topics
    wide = design_two_sample_interval(0.05, 0.1)
    assert wide.rows["expected_width"].item() <= 0.1
    # The same difference of means has the same variance 2σ²/n, but twice the degrees of freedom.
    assert wide.n_topics <= design_interval(0.10, 0.1).n_topics <= wide.n_topics + 2


def test_scores_carry_their_uncertainty_to_the_size() -> None:
    estimate = estimate_variance(past(), "within")
    one_way = partial(design_anova, blocked=False)
    row = one_way(estimate, 10, 0.15).rows.row(0, named=True)
    assert row["topics_lower"] == one_way(estimate.lower, 10, 0.15).n_topics
    assert row["topics_upper"] == one_way(estimate.upper, 10, 0.15).n_topics
    assert (row["measure"], row["estimator"]) == ("AP", "within")
    power = one_way(estimate, 10, 0.15, n_topics=50).rows.row(0, named=True)
    assert power["power_lower"] < power["power"] < power["power_upper"]
    assert power["power_lower"] == one_way(estimate.upper, 10, 0.15, n_topics=50).achieved_power
    paired = estimate_variance(past(), "residual")
    row = design_ttest(paired, 0.05).rows.row(0, named=True)
    assert row["variance_of_difference"] == paired.variance_of_difference
    assert row["topics_upper"] == design_ttest(2 * paired.upper, 0.05).n_topics
    row = design_interval(paired, 0.05).rows.row(0, named=True)
    assert row["topics_lower"] == design_interval(2 * paired.lower, 0.05).n_topics
    assert "topics_lower" not in design_interval(estimate_variance(past(), "percentile95"), 0.05).rows.columns


def test_typed_and_estimated_variances_stand_side_by_side() -> None:
    rows = design_anova([estimate_variance(past(), "within"), 0.05], 10, 0.15, blocked=False).rows
    assert rows["estimator"].to_list() == ["within", None]
    assert rows["topics_lower"].is_null().to_list() == [False, True]


def test_shared_topics_are_the_default_and_blocked_says_the_same() -> None:
    plain = design_anova(0.05, 10, 0.1)
    assert plain.what == "blocked (two-way) ANOVA"
    assert plain.rows.equals(design_anova(0.05, 10, 0.1, blocked=True).rows)
    one_way = design_anova(0.05, 10, 0.1, blocked=False)
    assert one_way.what == "one-way ANOVA"
    assert one_way.rows.equals(design_anova(0.05, 10, 0.1, published=True, method="exact").rows)
    assert one_way.n_topics == 158


def test_published_gives_the_number_of_the_papers() -> None:
    published = design_anova(0.0530, 10, 0.1, published=True)
    assert published.n_topics == 166  # EVIA 2014 Table 4
    assert published.rows.equals(design_anova(0.0530, 10, 0.1, method="published").rows)
    assert design_anova(0.0530, 10, 0.1, blocked=False).n_topics == 167
    assert design_anova(0.0530, 10, 0.1, published=True, method="exact").n_topics == 167


def test_past_scores_bring_their_unbiased_epsilon_and_a_low_one_is_warned_of() -> None:
    fine = design_anova(estimate_variance(past(n=400), "residual"), 5, 0.1)
    assert fine.only("epsilon") > 0.95
    assert fine.warnings == ()
    estimate = estimate_variance(past(spherical=False), "residual")
    with pytest.warns(CranfieldWarning) as said:
        low = design_anova(estimate, 8, 0.1)
    assert len(said) == 1
    epsilon = low.only("epsilon")
    assert epsilon == estimate.epsilon(8) > low.only("epsilon_gg")
    assert low.warnings == (
        f"past AP scores violate sphericity (ε = {epsilon:.2f} for 8 systems), so a plain blocked F-test rejects too often. "
        "The size is for the test with degrees of freedom multiplied by ε.",
    )
    assert low.n_topics == design_anova(estimate.variance, 8, 0.1, epsilon=epsilon).n_topics
    assert low.n_topics > design_anova(estimate, 8, 0.1, epsilon=1).n_topics
    assert low.only("topics_lower") <= low.n_topics <= low.only("topics_upper")


def test_epsilon_for_more_systems_than_the_past_has_is_refused_or_extrapolated() -> None:
    few = estimate_variance(past(m=5), "residual")
    with pytest.raises(DataError, match="ε for 50 systems needs at least 8 past systems; there are 5"):
        design_anova(few, 50, 0.1)
    with pytest.warns(CranfieldWarning, match="some designs are empty: ε for 50 systems"):
        design = design_anova(few, [4, 50], 0.1)
    assert design.rows["topics"].is_null().to_list() == [False, True]
    assert design_anova(few, 50, 0.1, epsilon=1).n_topics > 2
    many = estimate_variance(past(m=12), "residual")
    assert design_anova(many, 50, 0.1).n_topics > design_anova(many, 10, 0.1).n_topics
    with pytest.warns(CranfieldWarning, match="is an upper bound"):
        design_anova(many, min_diff=0.1, n_topics=50)


def test_the_wrong_estimate_is_warned_of() -> None:
    residual = estimate_variance(past(), "residual")
    with pytest.warns(CranfieldWarning, match="excludes topic variance, so this one-way size"):
        design_anova(residual, 10, 0.1, blocked=False)
    with pytest.warns(CranfieldWarning, match="excludes topic variance, so this two-sample size"):
        design_two_sample_ttest(residual, 0.1)


def test_part_of_a_grid_without_solution_is_left_empty_and_said() -> None:
    with pytest.warns(CranfieldWarning) as said:
        design = design_anova(0.05, None, [0.02, 0.3], n_topics=20, blocked=False)
    assert design.rows["systems"].null_count() == 1
    assert design.rows["achieved_power"].null_count() == 1
    assert str(said[0].message) == (
        "1 of 2 designs have no solution; their cells are empty. The first: with 20 topics, no number of systems reaches "
        "power 0.8 (two systems: 0.059). Use more topics, a larger `min_diff` or less power."
    )
    with pytest.warns(CranfieldWarning, match="Check `width` = 1e-09"):
        design_interval(0.05, [1e-9, 0.1])


def test_results_speak() -> None:
    design = design_anova(0.0530, 10, 0.10, method="published")
    assert repr(design) == (
        "Design(one-way ANOVA: method=published, blocked=False, variance=0.053, systems=10, min_diff=0.1, alpha=0.05, "
        "power=0.8, topics=166, achieved_power=0.7978)"
    )
    assert design.signature.startswith(
        "topic set size design, one-way ANOVA; solved for topics; method published; variance 0.053; systems 10; "
        "min diff 0.1; alpha 0.05; power 0.8; cranfield "
    )
    assert "systems" not in design_anova(0.0530, [10, 20], 0.10).signature
    assert design.to_dict()["rows"][0]["topics"] == 166
    assert "<table" in design._repr_html_()
    assert repr(design_anova(0.0530, [10, 20], 0.10)).startswith(
        "Design(blocked (two-way) ANOVA: 2 rows, solved for topics)\n"
    )


GOOD: dict[str, Any] = {"variance": 0.05, "n_systems": 10, "min_diff": 0.1}


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"power": 80}, "`power` must be between 0 and 1; got 80. Write 0.80."),
        ({"power": 1}, "`power` must be between 0 and 1; got 1. Write 0.80."),
        ({"power": 0}, "`power` must be between 0 and 1; got 0. Write 0.80."),
        ({"alpha": 0}, "`alpha` must be between 0 and 1; got 0. Write 0.05."),
        ({"alpha": 5}, "`alpha` must be between 0 and 1; got 5. Write 0.05."),
        ({"alpha": [0.05, 1.5]}, "`alpha` must be between 0 and 1; got 1.5. Write 0.01."),
        ({"n_systems": 1}, "`n_systems` must be a whole number of at least 2; got 1."),
        ({"n_systems": 2.5}, "`n_systems` must be a whole number of at least 2; got 2.5."),
        ({"variance": -0.1}, "`variance` must be above 0; got -0.1."),
        ({"variance": 0}, "`variance` must be above 0; got 0."),
        ({"variance": float("nan")}, "`variance` must be a finite number; got nan."),
        ({"variance": "0.05"}, "`variance` must be a number; got '0.05'."),
        ({"variance": [None]}, "`variance` must be a number; got None."),
        ({"variance": []}, "`variance` is empty; give at least one number."),
        ({"min_diff": 0}, "`min_diff` must be above 0; got 0."),
        ({"min_diff": float("inf")}, "`min_diff` must be a finite number; got inf."),
        ({"n_topics": 1, "min_diff": None}, "`n_topics` must be a whole number of at least 2; got 1."),
        (
            {"min_diff": None},
            "`n_topics` and `min_diff` are missing; give all but one of `n_topics`, `n_systems`, `min_diff` and `power`.",
        ),
        (
            {"n_topics": 50, "power": 0.8},
            "nothing to solve for: `n_topics`, `n_systems`, `min_diff` and `power` are all given. Leave one of them out.",
        ),
        ({"min_diff": 1e-9}, "more than 1,000,000,000 topics would be needed. Check `min_diff` = 1e-09."),
        (
            {"n_systems": None, "n_topics": 10, "published": True},
            "with 10 topics, no number of systems reaches power 0.8 (two systems: 0.157). Use more topics, a larger "
            "`min_diff` or less power.",
        ),
        (
            {"n_systems": None, "n_topics": 10_000, "min_diff": 5},
            "with 10000 topics, any number of systems up to 1,000,000 reaches power 0.8.",
        ),
        (
            {"epsilon": 0.5, "published": True},
            "`epsilon` is for shared topics only. Leave out `published` or `epsilon`.",
        ),
        (
            {"published": True, "blocked": True},
            "`published` and `blocked` exclude each other. Leave one of them out.",
        ),
        (
            {"epsilon": 0.05, "blocked": True},
            "`epsilon` must be 'past' or between 1/(m-1) = 0.1111 and 1 for 10 systems; got 0.05.",
        ),
        (
            {"epsilon": "past", "blocked": True},
            "`epsilon` 'past' needs a variance estimated from scores. Give scores, or a number.",
        ),
        (
            {"epsilon": 0.5, "blocked": True, "n_systems": None, "n_topics": 50},
            "`epsilon` needs a number of systems. Give `n_systems`.",
        ),
        (
            {"epsilon": 0.2, "blocked": True, "n_systems": [20, 5]},
            "`epsilon` must be 'past' or between 1/(m-1) = 0.25 and 1 for 5 systems; got 0.2.",
        ),
    ],
)
def test_bad_arguments_of_an_anova_design(changes: dict[str, Any], message: str) -> None:
    with pytest.raises(ArgumentError) as error:
        design_anova(**(GOOD | changes))
    assert str(error.value) == message


def test_bad_methods() -> None:
    with pytest.raises(UnknownNameError) as unknown:
        design_anova(**GOOD, method="exakt")  # type: ignore[arg-type]
    assert str(unknown.value) == "unknown design method 'exakt'. Did you mean 'exact'?"
    with pytest.raises(ArgumentError) as error:
        design_ttest(0.05, 0.1, method="approximate")
    assert str(error.value) == "`method` of a t-test design must be exact or published; got 'approximate'."


def test_bad_arguments_of_an_interval_design() -> None:
    for arguments, message in [
        ({}, "`width` and `n_topics` are missing; give one of them."),
        (
            {"width": 0.1, "n_topics": 50},
            "nothing to solve for: `width` and `n_topics` are both given. Leave one of them out.",
        ),
        ({"width": 1e-9}, "more than 1,000,000,000 topics would be needed. Check `width` = 1e-09."),
    ]:
        with pytest.raises(ArgumentError) as error:
            design_interval(0.05, **arguments)
        assert str(error.value) == message


def test_search_from_any_guess() -> None:
    guesses = np.array([1.0, 2.0, 999.0, 1e9, np.inf, np.nan, 1e12, 1000.0])
    assert smallest(lambda x, cells: x >= 1000, guesses).tolist() == [1000.0] * 8
    assert smallest(lambda x, cells: x >= 2, guesses).tolist() == [2.0] * 8
    assert np.isnan(smallest(lambda x, cells: x > 1e9, guesses)).all()
    bumpy = smallest(lambda x, cells: (x == 5) | (x >= 90), np.array([90.0]), dense=64)
    assert bumpy.tolist() == [5.0]
    for limit in (2, 3, 64, 65, 127, 128, 5000, 999_999):
        assert largest(lambda x, cells, limit=limit: x <= limit, 2).tolist() == [limit, limit]
    assert np.isinf(largest(lambda x, cells: x > 0, 1)).all()
    assert np.isnan(largest(lambda x, cells: x < 0, 1)).all()
    assert largest(lambda x, cells: (x >= 4) & (x <= 9), 1).tolist() == [9]
    assert np.isnan(smallest_real(lambda x, cells: x < 0, np.array([1.0]))).all()


def test_recommendation_leads_with_all_pairs() -> None:
    found = recommend({"a": past(seed=1), "b": past(seed=2)}, 8, 0.10)
    first = found.rows.row(0, named=True)
    assert (first["design"], first["estimator"], first["topics"]) == (
        "all pairs, max-t",  # of more than 20 comparisons
        "residual",
        found.n_topics,
    )
    assert first["topics_lower"] <= found.n_topics <= first["topics_upper"]
    assert f"**Create {found.n_topics} topics.** {found.promise}" in found.text
    assert "a (30 topics × 12 systems), b (30 topics × 12 systems)" in found.text
    assert found.sizes["topics"].to_list() == [25, 50, 100, 200]
    assert found.sizes["power"].is_sorted()
    assert found.sizes["min_diff"].is_sorted(descending=True)
    assert found.to_dict()["text"] == found.text
    assert next(iter(found.to_dict())) == "topics"
    columns = "design estimator method variance topics topics_lower topics_upper topics_assured epsilon question"
    assert found.rows.columns == columns.split()


@pytest.mark.filterwarnings("ignore:`min_diff` = ")
def test_recommendation_warns_of_discrete_measures() -> None:
    rng = np.random.default_rng(1)
    x = ScoreMatrix(rng.integers(0, 2, (40, 6)), map(str, range(40)), list("abcdef"), "Boolean")
    with pytest.warns(CranfieldWarning, match="only 2 different values of Boolean occur in 240 scores"):
        found = recommend(x, 5, 0.2)
    assert "## Caveats" in found.text
    values = rng.uniform(size=(40, 6)) * (rng.uniform(size=(40, 6)) > 0.5)
    with pytest.warns(CranfieldWarning, match="% of the RR scores are exactly 0 or 0.9"):
        recommend(ScoreMatrix(values, map(str, range(40)), list("abcdef"), "RR"), 5, 0.2)


@pytest.mark.filterwarnings("ignore:`min_diff` = ")
def test_few_scores_are_not_called_discrete() -> None:
    with pytest.warns(CranfieldWarning, match="no blocked ANOVA"):
        assert "different values" not in recommend(past(3, 3), 5, 0.1).text


def test_recommendation_refuses_bad_questions() -> None:
    for arguments, message in [
        ({"n_systems": 1, "min_diff": 0.1}, "`n_systems` must be a whole number of at least 2; got 1."),
        ({"n_systems": 5, "min_diff": 0}, "`min_diff` must be above 0; got 0."),
        ({"n_systems": 5, "min_diff": 0.1, "power": 80}, "`power` must be between 0 and 1; got 80. Write 0.80."),
    ]:
        with pytest.raises(ArgumentError) as error:
            recommend(past(), **arguments)
        assert str(error.value) == message
    with pytest.raises(ArgumentError) as error:
        recommend({}, 5, 0.1)
    assert str(error.value) == "`scores` is empty; give the scores of at least one collection."


def test_inputs_are_left_alone() -> None:
    widths = [0.1, 0.2]
    frame = pl.Series([0.05, 0.06])
    design_interval(frame, widths)
    assert widths == [0.1, 0.2]
    assert frame.to_list() == [0.05, 0.06]


def test_no_design_is_made_that_cannot_be_right() -> None:
    good = design_anova(0.05, 10, 0.1)
    for column, value in (("achieved_power", 1.5), ("variance", math.inf), ("min_diff", math.nan)):
        with pytest.raises(ArithmeticError, match=f"came to an? {column} .*this is a bug in cranfield"):
            replace(good, rows=good.rows.with_columns(pl.lit(value).alias(column)))


def test_next_to_no_degrees_of_freedom_make_the_critical_value_infinite_without_a_warning() -> None:
    error = np.linspace(0.05, 0.07, 401)
    critical = critical_f(np.full_like(error, 2.0), error, np.full_like(error, 1e-9))
    assert np.isinf(critical[0])
    assert np.isfinite(critical[-1])
    assert (critical[:-1] >= critical[1:]).all()


def test_a_small_epsilon_leaves_the_power_of_a_large_effect_at_one() -> None:
    """Beside degrees of freedom that ε does not touch, the chance of the critical value is no double any more."""
    power = [
        design_anova(1.0, 100, 0.9, n_topics=topics, epsilon=1 / 99, alpha=1e-6).rows["power"][0]
        for topics in (200, 10_000, 100_000, 10_000_000)
    ]
    assert power == sorted(power)
    assert power[0] < 0.1
    assert power[-3:] == pytest.approx([1, 1, 1])


def test_cells_that_any_number_of_systems_satisfies_stay_empty_beside_others() -> None:
    with pytest.warns(CranfieldWarning, match="1 of 2 designs .* any number of systems"):
        rows = design_anova(0.09, min_diff=[1e8, 1.0], n_topics=20, blocked=False).to_frame()
    assert rows["systems"].null_count() == rows["achieved_power"].null_count() == 1
    assert rows["achieved_power"][1] >= 0.8
