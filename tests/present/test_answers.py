"""What designs, variances and tunings say: the tables, words and charts that every skin shows."""

from __future__ import annotations

import numpy as np
import pytest

from cranfield import (
    ScoreMatrix,
    anova_table,
    design_anova,
    design_interval,
    design_looks,
    design_ttest,
    estimate_variance,
    expected_tau,
    make_scores,
    monitor,
    recommend,
    reestimate,
    reliability,
    selection_bias,
    standardisation_effect,
    three_views,
    tune,
    variances,
)
from cranfield.core.answer import answer
from cranfield.core.charts import kinds
from cranfield.questions.cost.cost import cost_from_figures
from cranfield.questions.cost.pools import PoolFigure
from cranfield.questions.variance.question import VarianceQuestion

SCORES = make_scores(20, 5, seed=1)


def tuned():
    rng = np.random.default_rng(1)
    settings = ["a(x=1)", "a(x=2)", "b(x=1)", "b(x=2)"]
    return tune(ScoreMatrix(rng.random((12, 4)), map(str, range(12)), settings, "AP"), folds=3)


EVIA = [PoolFigure("AP", 100, 731, 0.0530), PoolFigure("AP", 10, 96, 0.0714)]
RESULTS = {
    "typed": lambda: design_anova(0.05, 10, 0.1),
    "grid": lambda: design_anova(0.05, [5, 10], 0.1),
    "past": lambda: design_anova(SCORES, 5, 0.1, blocked=True),
    "ttest": lambda: design_ttest(SCORES, n_topics=50),
    "interval": lambda: design_interval(0.05, 0.1),
    "recommendation": lambda: recommend(SCORES, 5, 0.1),
    "cost": lambda: cost_from_figures(EVIA, width=0.15),
    "effect": lambda: standardisation_effect(SCORES, n_systems=[5], min_diff=[0.1], n_resamples=0),
    "variances": lambda: variances(SCORES),
    "estimate": lambda: estimate_variance(SCORES),
    "anova": lambda: anova_table(SCORES),
    "reliability": lambda: reliability(SCORES, n_topics=[1, 10, 40], target=0.9),
    "reliability of two": lambda: reliability([SCORES, make_scores(12, 4, seed=2)]),
    "views": lambda: three_views(SCORES, n_resamples=10),
    "monitoring": lambda: monitor(SCORES, per_look=5),
    "anytime": lambda: monitor(SCORES, per_look=10, anytime=True),
    "looks": lambda: design_looks(0.04, 0.07, looks=1),
    "tuning": tuned,
    "bias": lambda: selection_bias(3, 8, folds=2, n_experiments=10),
}


@pytest.mark.parametrize("name", RESULTS)
@pytest.mark.filterwarnings("ignore::cranfield.CranfieldWarning")
def test_every_result_says_something(name: str) -> None:
    result = RESULTS[name]()
    said = answer(result)
    assert said.headline
    assert set(said.shown) <= set(said.sheets)
    for sheet in map(said.sheet, said.sheets):
        assert sheet.rows.height
        assert sheet.signature
        assert sheet.heading or name in ("effect", "estimate", "anova")
        assert not sheet.superscripts
    assert {one.kind for one in said.charts} <= set(kinds(result))
    assert all(one.alt and one.heading and one.source is result for one in said.charts)
    assert said.to_dict()["headline"] == said.headline


def test_a_design_in_words() -> None:
    said = answer(design_anova(0.0530, 10, 0.10, blocked=False))
    assert (said.headline, said.shown) == ("167 topics", ("methods",))
    assert said.sentences == (
        "With 167 topics, a one-way ANOVA detects a difference of 0.1 among 10 systems with power 0.801 at level "
        "0.05. The published approximation gives 166.",
    )
    assert said.sheet().rows.height == 1
    assert said.sheet("methods").rows["topics"].to_list()[:2] == [167, 166]
    grid = answer(design_anova(0.05, [5, 10], 0.1))
    assert grid.headline.startswith("2 designs, solved for topics: ")
    x = make_scores(n_topics=20, n_systems=5, seed=3)
    other = ScoreMatrix(x.values / 2, x.topics, x.systems, "other")
    by_measure = design_anova([estimate_variance(one, "residual") for one in (x, other)], 5, 0.1)
    first, second = by_measure.rows["topics"]
    assert answer(by_measure).headline == f"{first} topics by score, {second} topics by other"
    assert (grid.sentences, grid.charts[0].kind) == ((), "systems")
    assert answer(design_interval(0.0441, 0.10)).sentences[0].startswith("With 70 topics, the 95% interval of")


def test_the_other_estimators_are_named() -> None:
    design = design_ttest(SCORES, n_topics=50)
    said = answer(design)
    assert said.shown == ("methods", "estimators")
    within = design_ttest(SCORES, n_topics=50, estimator="within").min_diff
    assert said.sheet().notes[1].startswith(f"min_diff by other estimators: within {within:.4f}, one_way ")
    assert len(said.sheet().settings["other_estimators"]) == 4
    assert said.sheet("estimators").rows.equals(design.by_estimator)


def test_the_analysis_of_variance_comes_first_when_asked_for() -> None:
    result = variances(SCORES)
    said = answer(result, VarianceQuestion(anova=True))
    assert said.sheet().rows["source"].to_list() == ["systems", "topics", "residual", "total"]
    assert said.charts[0].kind == "sources"
    assert answer(result, VarianceQuestion()).sheet().rows.height == 5


@pytest.mark.filterwarnings("ignore::cranfield.CranfieldWarning")
def test_pages_show_what_little_data_allow() -> None:
    few = answer(reliability(SCORES.select(topics=SCORES.topics[:3])))
    assert few.shown == ("coefficients", "targets", "components")
    equal = answer(monitor(ScoreMatrix([[0.5, 0.5]] * 8, map(str, range(8)), ["a", "b"], "AP"), per_look=4))
    assert "reestimate" not in equal.shown
    for said in (few, equal):
        assert all(said.sheet(name).rows.height for name in said.shown)
        assert len(said.charts) == len({one.name for one in said.charts})


def test_figures_without_a_chart() -> None:
    tau, again = expected_tau(SCORES, n_resamples=10), reestimate(SCORES, 0.1)
    assert answer(tau).headline == tau.summary()
    assert answer(again).sheet().rows.equals(again.to_frame())


def test_headlines_of_looks_say_what_to_do() -> None:
    said = answer(monitor(SCORES, per_look=5, looks=4))
    assert said.headline.startswith("Stop: after 20 of 20 topics")
    assert said.sentences[0] == "0.05 of the level 0.05 is spent."
    early = answer(monitor(SCORES, per_look=5, looks=10))
    assert early.headline.startswith("Go on: after 20 of 50 topics")
    assert "undecided pairs will be decided within 50 topics" in early.sentences[1]
