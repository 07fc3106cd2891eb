"""Designs that start from past scores: every estimator and method beside the answer, and curves through it."""

from __future__ import annotations

import pickle

import polars as pl
import pytest

from cranfield import (
    ArgumentError,
    CranfieldWarning,
    DataError,
    ScoreMatrix,
    Scores,
    UnknownNameError,
    design_all_pairs,
    design_anova,
    design_interval,
    design_ttest,
    design_two_sample_interval,
    design_two_sample_ttest,
    estimate_variance,
    make_scores,
    pool_variances,
    recommend,
    variances,
)
from cranfield.questions.variance.estimators import ESTIMATORS

OLD, OLDER = make_scores(30, 6, seed=1), make_scores(40, 5, seed=2)
QUESTIONS = [
    (design_anova, {"n_systems": 5, "min_diff": 0.1, "published": True}, "within"),
    (design_anova, {"n_systems": 5, "min_diff": 0.1}, "residual"),
    (design_all_pairs, {"n_systems": 5, "min_diff": 0.1}, "residual"),
    (design_all_pairs, {"n_systems": 5, "n_topics": 50, "baseline": True}, "residual"),
    (design_ttest, {"min_diff": 0.1}, "percentile95"),
    (design_ttest, {"n_topics": 50, "two_sample": True}, "within"),
    (design_interval, {"width": 0.1}, "percentile95"),
    (design_interval, {"n_topics": 50, "two_sample": True}, "within"),
]


@pytest.mark.filterwarnings("ignore:the residual variance excludes")
@pytest.mark.parametrize(("function", "question", "estimator"), QUESTIONS)
def test_scores_are_estimated_as_the_design_needs_it(function, question, estimator) -> None:
    design = function(OLD, **question)
    assert design.estimator == estimator
    assert design.rows.equals(function(estimate_variance(OLD, estimator), **question).rows)
    assert design.rows.equals(function(Scores([OLD]), **question).rows)
    assert design.by_estimator["estimator"].to_list() == [
        estimator,
        *(name for name in ESTIMATORS if name != estimator),
    ]
    for name in ESTIMATORS:
        other = function(OLD, **question, estimator=name)
        assert other.estimator == name
        (value,) = design.by_estimator.filter(estimator=name)[design.solved_for]
        assert value == other.only(design.solved_for)


def test_collections_are_pooled_and_measures_stand_below_one_another() -> None:
    design = design_anova({"old": OLD, "older": OLDER}, 5, 0.1)
    pooled = pool_variances(
        [estimate_variance(x, "residual", collection=name) for name, x in (("a", OLD), ("b", OLDER))]
    )
    assert design.n_topics == design_anova(pooled, 5, 0.1).n_topics
    other = ScoreMatrix(OLD.values / 2, OLD.topics, OLD.systems, "half")
    design = design_anova(Scores([OLD, other]), [5, 6], 0.1)
    assert design.rows["measure"].to_list() == [OLD.measure] * 2 + ["half"] * 2
    assert design.by_estimator.height == 4 * len(ESTIMATORS)
    assert design.to_dict()["by_estimator"] == design.by_estimator.to_dicts()
    assert design_anova(0.05, 5, 0.1).to_dict()["by_estimator"] is None


def test_an_estimator_without_variance_is_left_out_unless_chosen() -> None:
    same = ScoreMatrix([[0.5] * 3, [0.25] * 3, [0.75] * 3], "123", "abc", "AP")
    with pytest.warns(CranfieldWarning, match="exceeds the gap between the best and the worst past system"):
        design = design_anova(same, 2, 0.1, blocked=False)
    assert "residual" not in design.by_estimator["estimator"].to_list()
    with pytest.raises(DataError, match="so there is no variance"):
        design_anova(same, 2, 0.1)


def test_either_variance_can_be_typed() -> None:
    assert design_ttest(0.1, 0.1).n_topics == design_ttest(variance=0.05, min_diff=0.1).n_topics
    two = design_ttest(0.1, 0.1, two_sample=True)
    assert two.n_topics == design_two_sample_ttest(0.05, 0.1).n_topics
    assert two.only("variance") == 0.05
    assert design_interval(0.1, 0.1).n_topics == design_interval(variance=0.05, width=0.1).n_topics
    assert design_interval(0.1, 0.1, two_sample=True).n_topics == design_two_sample_interval(0.05, 0.1).n_topics
    assert design_two_sample_ttest(OLD, 0.1).estimator == "within"


@pytest.mark.parametrize(
    ("ask", "message"),
    [
        (lambda: design_anova(None, 5, 0.1), "`variance` is missing. Give a number, an estimate or past scores."),
        (lambda: design_ttest(min_diff=0.1), "give one of `variance` and `variance_of_difference`; got neither."),
        (lambda: design_interval(0.1, 0.1, variance=0.1), "give one of `variance` and `variance_of_difference`; got both."),
        (lambda: design_ttest(variance=-1, min_diff=0.1), "`variance` must be above 0; got -1."),
        (lambda: design_anova({}, 5, 0.1), "`scores` is empty; give the scores of at least one collection."),
        (lambda: design_anova(OLD, 5, 0.1, estimator="withn"), "unknown estimator 'withn'. Did you mean 'within'?"),
        (lambda: design_anova(0.1, 5, 0.1).curve("powr", {}), "unknown curve 'powr'. Did you mean 'power'?"),
    ],
)  # fmt: skip
def test_bad_questions(ask, message) -> None:
    with pytest.raises(ArgumentError) as error:
        ask()
    assert str(error.value) == message


def test_methods_side_by_side() -> None:
    design = design_anova(OLD, 5, 0.1)
    assert design.by_method["method"].to_list() == ["exact", "published", "approximate"]
    for row in design.by_method.iter_rows(named=True):
        assert row["topics"] == design_anova(OLD, 5, 0.1, method=row["method"], blocked=True).n_topics
    assert design_ttest(0.05, 0.1, method="published").by_method["method"].to_list() == ["published", "exact"]
    assert design_interval(0.05, 0.1).by_method.height == 1


def test_curves_go_through_the_design() -> None:
    design = pickle.loads(pickle.dumps(design_anova(OLD, 5, 0.1, blocked=True, epsilon="past")))
    row = design.rows.row(0, named=True)
    power = design.curve("power", row).filter(method="exact", topics=row["topics"])
    assert power["power"].to_list() == [row["achieved_power"]]
    detectable = design.curve("detectable", row).filter(pl.col("topics") == row["topics"])
    by_name = dict(zip(detectable["what"], detectable["value"], strict=True))
    assert by_name["min_diff"] <= row["min_diff"]
    assert by_name["width"] == pytest.approx(design_interval(2 * row["variance"], n_topics=row["topics"]).width)
    typed = design_anova(0.05, 5, 0.1)
    systems = typed.curve("systems", typed.rows.row(0, named=True))
    assert dict(systems.iter_rows())[5] == typed.n_topics
    width = design_two_sample_interval(0.05, 0.1)
    curve = width.curve("detectable", width.rows.row(0, named=True))
    assert curve.filter(topics=width.n_topics)["value"][0] == pytest.approx(width.only("expected_width"))


def test_curves_begin_at_the_fewest_topics() -> None:
    design = design_ttest(0.05, 0.1)
    row = design.rows.row(0, named=True)
    assert design.curve("power", row).filter(method="exact")["topics"].min() == 2
    assert design.curve("detectable", design_ttest(5.0, n_topics=4).rows.row(0, named=True))["topics"].min() == 4


def test_variances_of_all_estimators() -> None:
    result = variances({"old": OLD, "older": OLDER})
    frame = result.to_frame()
    assert frame["collection"].to_list() == ["old", "older", "pooled"] * len(ESTIMATORS)
    assert frame["variance"].to_list() == [one.variance for one in result]
    assert [table.collection for table in result.tables] == ["old", "older"]
    assert result.anova().height == 8
    assert result.to_dict()["rows"] == frame.to_dicts()
    assert variances(OLD, estimator="residual").estimates[0].variance == estimate_variance(OLD, "residual").variance
    with pytest.raises(UnknownNameError, match="unknown estimator"):
        variances(OLD, estimator=["residul"])


def test_recommend_takes_collections_of_scores() -> None:
    assert recommend({"old": Scores([OLD])}, 5, 0.1).rows.equals(recommend({"old": OLD}, 5, 0.1).rows)
    other = ScoreMatrix(OLD.values, OLD.topics, OLD.systems, "other")
    with pytest.raises(DataError, match="there are 2 measures"):
        recommend(Scores([OLD, other]), 5, 0.1)
