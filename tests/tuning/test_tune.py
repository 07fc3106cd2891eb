"""`tune`: the slides' arithmetic, exactness against brute force, and what it says about bad input."""

from __future__ import annotations

import json

import numpy as np
import polars as pl
import pytest
from numpy.typing import NDArray
from scipy.special import stdtrit
from sklearn import model_selection

import cranfield
from cranfield import CranfieldWarning, DataError, ScoreMatrix, compare, tune
from cranfield.core.errors import ArgumentError, UnknownNameError
from cranfield.core.resampling import topic_weights
from cranfield.questions.tune.families import read_families
from cranfield.questions.tune.folds import HoldOut, LeaveOneOut, NFold
from cranfield.questions.tune.held_out import RESAMPLES, final_interval
from support import SHARED, needs_shared

pytestmark = pytest.mark.filterwarnings("ignore:leave-one-out", "ignore:.*of the folds chose the final setting")


def matrix(values: object, measure: str = "AP", names: list[str] | None = None) -> ScoreMatrix:
    array = np.asarray(values, dtype=float)
    names = names or [f"x(a={j})" for j in range(array.shape[1])]
    return ScoreMatrix(array, [f"{i:04d}" for i in range(len(array))], names, measure)


def random(n: int, m: int, seed: int = 1) -> NDArray[np.float64]:
    return np.random.default_rng(seed).random((n, m))


# ── the slides ────────────────────────────────────────────────────────────────────────────────────────────


def test_the_five_folds_of_the_slides() -> None:
    """INLS 509, "Cross-Validation": held-out P@10 of .80, .50, .70, .55, .50 averages .61.

    Fifty topics in five folds, one setting per fold: it does well everywhere but in its own fold, so it is chosen
    there, and its held-out mean is the slide's.
    """
    slide = [0.80, 0.50, 0.70, 0.55, 0.50]
    fold = np.arange(50) // 10
    values = np.full((50, 5), 0.9)
    for f, mean in enumerate(slide):
        values[fold == f, f] = [round(mean - 0.05, 1), round(mean + 0.05, 1)] * 5 if mean == 0.55 else mean
    x = matrix(values, "P@10", [f"ql(lambda={0.2 * f:.1f})" for f in range(5)])
    topics = np.array(x.topics)
    pairs = [(topics[fold != f].tolist(), topics[fold == f].tolist()) for f in range(5)]
    ql = tune({"ql": x}, pairs)["ql"]
    assert ql.chosen == x.systems
    assert ql.held_out_means.tolist() == pytest.approx(slide)
    assert ql.held_out_mean == pytest.approx(0.61)
    assert ql.train_means.tolist() == pytest.approx([0.9] * 5)
    assert (ql.final, ql.in_sample_mean) == ("ql(lambda=0.0)", pytest.approx(0.88))
    assert ql.optimism == pytest.approx(0.88 - 0.61)
    assert (ql.agreement, ql.n_distinct) == (0.2, 5)


def test_from_tuning_to_the_slides_randomisation_test() -> None:
    """INLS 509: systems A and B on ten folds; all 1,024 sign flips give 208/1024 one-sided."""
    a = [0.2, 0.3, 0.1, 0.4, 1, 0.8, 0.3, 0.1, 0, 0.9]
    b = [0.5, 0.3, 0.1, 0.4, 1, 0.9, 0.1, 0.2, 0.5, 0.8]
    families = {name: matrix(np.column_stack([x, np.zeros(10)])) for name, x in (("A", a), ("B", b))}
    tuning = tune(families, LeaveOneOut())
    assert tuning.held_out.values.T.tolist() == [a, b]
    assert [f.held_out_mean for f in tuning.families] == pytest.approx([0.41, 0.48])
    found = compare(tuning.held_out, baseline="A", alternative="greater")
    assert found.p.tolist() == [208 / 1024]


# ── brute force ───────────────────────────────────────────────────────────────────────────────────────────

SPLITTERS = [
    model_selection.KFold(5),
    model_selection.KFold(7, shuffle=True, random_state=3),
    model_selection.LeaveOneOut(),
    model_selection.RepeatedKFold(n_splits=4, n_repeats=3, random_state=1),
    model_selection.ShuffleSplit(6, test_size=0.3, random_state=1),
    model_selection.TimeSeriesSplit(4),
    NFold(5),
    NFold(10, n_repeats=3, stratified=True),
    LeaveOneOut(),
    HoldOut(0.3, n_repeats=4),
]


@pytest.mark.filterwarnings("ignore::cranfield.CranfieldWarning")
@pytest.mark.parametrize("splitter", SPLITTERS, ids=lambda s: " ".join(repr(s).split()))
@pytest.mark.parametrize(("n", "m"), [(23, 5), (40, 17)])
def test_brute_force_over_scikit_learn_s_splits(splitter: object, n: int, m: int) -> None:
    values = random(n, m, seed=n)
    found = tune({"x": matrix(values)}, splitter)["x"]  # type: ignore[arg-type]
    seen: dict[int, list[float]] = {}
    for fold, (train, test) in enumerate(splitter.split(values)):  # type: ignore[attr-defined]
        best = max(range(m), key=lambda j, train=train: values[train, j].mean())
        assert found.choices[fold] == best
        assert found.train_means[fold] == pytest.approx(values[train, best].mean(), abs=1e-14)
        assert found.held_out_means[fold] == pytest.approx(values[test, best].mean(), abs=1e-14)
        for topic in test:
            seen.setdefault(int(topic), []).append(values[topic, best])
    assert len(found.choices) == fold + 1
    assert found.held_out_mean == pytest.approx(np.mean([np.mean(scores) for scores in seen.values()]), abs=1e-14)
    assert found.final == f"x(a={values.mean(axis=0).argmax()})"
    assert found.in_sample_mean == pytest.approx(values.mean(axis=0).max(), abs=1e-14)


def test_the_tuned_estimator_of_scikit_learn() -> None:
    """`cross_val_score` of an estimator that picks the best column gives the folds' held-out means."""
    from sklearn.base import BaseEstimator

    class Champion(BaseEstimator):
        def fit(self, X: NDArray[np.float64], y: object = None) -> Champion:
            self.column_ = X.mean(axis=0).argmax()
            return self

        def score(self, X: NDArray[np.float64], y: object = None) -> float:
            return float(X[:, self.column_].mean())

    values = random(50, 20)
    for splitter in (model_selection.KFold(10, shuffle=True, random_state=1), model_selection.LeaveOneOut()):
        theirs = model_selection.cross_val_score(Champion(), values, cv=splitter)
        assert tune({"x": matrix(values)}, splitter)["x"].held_out_means == pytest.approx(theirs, abs=1e-14)


def test_leave_one_out_is_n_fold_with_n_the_number_of_topics() -> None:
    values = random(30, 8)
    loo, n_fold = tune({"x": matrix(values)}, LeaveOneOut()), tune({"x": matrix(values)}, NFold(30))
    assert loo.held_out == n_fold.held_out
    assert sorted(loo["x"].chosen) == sorted(n_fold["x"].chosen)


def test_many_folds_are_taken_in_turn(monkeypatch: pytest.MonkeyPatch) -> None:
    values = random(60, 9)
    whole = tune({"x": matrix(values)}, NFold(6, n_repeats=5)).to_dict()
    monkeypatch.setattr("cranfield.questions.tune.held_out._AT_ONCE", 20)
    assert tune({"x": matrix(values)}, NFold(6, n_repeats=5)).to_dict() == whole


# ── ties, stability, curves ───────────────────────────────────────────────────────────────────────────────


def test_ties_go_to_the_first_setting_and_are_reported() -> None:
    values = np.column_stack([np.zeros(10), np.full(10, 0.5), np.full(10, 0.5)])
    with pytest.warns(CranfieldWarning) as caught:
        found = tune({"x": matrix(values)}, NFold(5))
    assert [str(w.message) for w in caught] == [
        "x: several settings share the best training mean in 5 of 5 folds. The first in the given order was chosen."
    ]
    assert found["x"].chosen == ("x(a=1)",) * 5
    with pytest.warns(CranfieldWarning, match="share the best"):
        turned = tune({"x": matrix(values[:, ::-1])}, NFold(5))
    assert turned["x"].chosen == ("x(a=0)",) * 5


def test_ties_of_decimal_numbers_are_ties() -> None:
    """.1 + .2 + .3 and .2 + .2 + .2 differ in the last bit as doubles, in any order of adding but one."""
    first, second = [0.3, 0.1, 0.2] * 4, [0.2] * 12
    assert sum(first) != sum(second)
    x = matrix(np.column_stack([second, first]))
    with pytest.warns(CranfieldWarning, match="in 1 of 1 folds|never held out"):
        found = tune({"x": x}, [(x.topics[:9], x.topics[9:])])
    assert found["x"].chosen == ("x(a=0)",)


def test_one_choice_everywhere_means_no_optimism_at_all() -> None:
    values = random(47, 4)
    values[:, 2] += 1
    for splitter in (NFold(10), NFold(7, n_repeats=3), LeaveOneOut()):
        found = tune({"x": matrix(values)}, splitter)["x"]
        assert (found.optimism, found.agreement, found.n_distinct) == (0.0, 1.0, 1)


def test_the_curve_holds_means_bands_and_choices() -> None:
    x = matrix(random(50, 6), names=[f"bm25(k1={k1},b={b},method=lucene)" for k1 in (1, 2) for b in (0.2, 0.4, 0.6)])
    found = tune({"bm25": x}, NFold(10))
    curve = found.curve(n_resamples=4000)
    assert curve.columns == [
        "family",
        "setting",
        "k1",
        "b",
        "method",
        "mean",
        "lower",
        "upper",
        "folds",
        "final",
    ]
    assert curve.schema["k1"] == pl.Int64
    assert curve.schema["b"] == pl.Float64
    assert curve["mean"].to_list() == pytest.approx(x.system_means.tolist(), rel=1e-14)
    assert curve["folds"].sum() == 10
    assert curve.filter(pl.col("final"))["setting"].to_list() == [found["bm25"].final]
    # The band of a mean of 50 topics is close to the normal one.
    error = x.values.std(axis=0, ddof=1) / np.sqrt(50)
    assert curve["lower"].to_numpy() == pytest.approx(x.system_means - 1.96 * error, abs=0.25 * error.max())
    assert curve["upper"].to_numpy() == pytest.approx(x.system_means + 1.96 * error, abs=0.25 * error.max())


def test_the_curve_s_band_is_that_of_resampled_topics() -> None:
    from cranfield.core.resampling import topic_weights

    x = matrix(random(12, 3))
    weights = np.vstack(list(topic_weights(12, 500, seed=4)))
    means = weights @ x.values / 12
    curve = tune({"x": x}, NFold(3))["x"].curve(n_resamples=500, seed=4, alpha=0.1)
    assert curve["lower"].to_numpy() == pytest.approx(np.quantile(means, 0.05, axis=0))
    assert curve["upper"].to_numpy() == pytest.approx(np.quantile(means, 0.95, axis=0))


def test_curves_of_families_with_different_parameters() -> None:
    families = {
        "bm25": matrix(random(20, 3), names=[f"bm25(b={b})" for b in (0.1, 0.2, 0.3)]),
        "ql": matrix(random(20, 2, seed=2), names=["ql(mu=1)", "ql(mu=x)"]),
    }
    with pytest.warns(CranfieldWarning, match="held-out scores are dependent"):
        curve = tune(families, NFold(5)).curve(n_resamples=50)
    assert curve.columns == ["family", "setting", "b", "mu", "mean", "lower", "upper", "folds", "final"]
    assert curve["mu"].to_list() == [None, None, None, "1", "x"]


def test_a_parameter_may_be_called_like_a_column_of_the_curve() -> None:
    names = [f"x(mean={j},family={j}.5,a=1)" for j in range(3)]
    curve = tune({"x": matrix(random(20, 3), names=names)}, NFold(5)).curve(n_resamples=50)
    assert curve.columns == [
        "family", "setting", "parameter_mean", "parameter_family", "a", "mean", "lower", "upper", "folds", "final",
    ]  # fmt: skip
    assert curve["parameter_mean"].to_list() == [0, 1, 2]


def test_the_edge_of_the_grid() -> None:
    values = random(20, 6) / 100
    values[:, 5] += 1
    x = matrix(values, names=[f"x(a={a},b={b})" for a in (1, 2) for b in (0.1, 0.2, 0.3)])
    assert tune({"x": x}, NFold(5))["x"].at_edge == ("b",)  # a has two values only: every one is an edge


# ── results ───────────────────────────────────────────────────────────────────────────────────────────────


def test_frames_dictionaries_and_texts() -> None:
    found = tune({"x": matrix(random(20, 4) + [0, 1, 0, 0])}, NFold(4))
    frame = found.to_frame()
    assert frame.columns == ["family", "fold", "chosen", "train_mean", "held_out_mean", "topics"]
    assert frame["fold"].to_list() == ["1", "2", "3", "4", "all"]
    assert frame["topics"].to_list() == [5, 5, 5, 5, 20]
    assert frame["held_out_mean"][4] == pytest.approx(frame["held_out_mean"][:4].mean())
    assert found.by_family().columns == [
        "family", "settings", "final", "agreement", "distinct", "in_sample_mean", "held_out_mean", "held_out_lower", "held_out_upper",
        "optimism",
    ]  # fmt: skip
    assert json.loads(json.dumps(found.to_dict()))["folds"][0]["chosen"] == {"x": "x(a=1)"}
    assert found.signature == (
        f"tuning; measure AP; families x (4 settings); topics 20; folds 4-fold; seed 1; alpha 0.05; "
        f"cranfield {cranfield.__version__}"
    )
    assert repr(found).splitlines()[0] == "Tuning(AP, 4-fold, 20 topics)"
    assert "4-fold" in found._repr_html_()
    with pytest.raises(UnknownNameError) as caught:
        found["bm25"]
    assert str(caught.value) == "unknown family 'bm25'. Known: x."


def test_held_out_scores_are_the_given_ones_in_the_given_order() -> None:
    x = matrix(random(20, 4) + [0, 1, 0, 0])
    turned = x.select(topics=x.topics[::-1])
    found = tune({"x": turned}, NFold(4)).held_out
    assert found.topics == turned.topics
    assert found.values[:, 0].tolist() == turned.values[:, 1].tolist()
    assert found.provenance == ("held-out scores of tuned families, 4-fold",)


def test_a_hold_out_scores_some_topics_only_and_says_so() -> None:
    with pytest.warns(CranfieldWarning) as caught:
        found = tune({"x": matrix(random(50, 5))}, HoldOut(0.2))
    assert str(caught[0].message) == (
        "40 of 50 topics were never held out, so the held-out scores cover 10 topics. "
        "N-fold and leave-one-out cover all topics."
    )
    assert found.held_out.n_topics == 10
    final = matrix(random(50, 5)).select(topics=found.held_out.topics, systems=[found["x"].final])
    assert found["x"].optimism == pytest.approx(final.values.mean() - found["x"].held_out_mean)


def related(correlation: float, seed: int) -> NDArray[np.float64]:
    """Fifty equally good settings whose scores on a topic are so much alike."""
    rng = np.random.default_rng(seed)
    shared, own = rng.normal(size=(50, 1)), rng.normal(size=(50, 50))
    return np.asarray(0.5 + 0.1 * (np.sqrt(correlation) * shared + np.sqrt(1 - correlation) * own))


@pytest.mark.parametrize("splitter", [NFold(10), LeaveOneOut()], ids=str)
def test_unlike_rivals_are_warned_about_and_neighbours_are_not(splitter: NFold) -> None:
    """Chance among unlike settings makes held-out scores depend on one another (see selection_bias)."""
    baseline = np.random.default_rng(9).normal(0.5, 0.1, (50, 1))
    for seed in range(3):
        y = matrix(np.hstack([baseline, baseline - 0.3]))
        with pytest.warns(CranfieldWarning) as caught:
            tune({"x": matrix(related(0.0, seed)), "y": y}, splitter)
        said = [str(w.message) for w in caught if not str(w.message).startswith("Leave-one-out")]
        assert said == [
            "x: settings close to the best differ much from topic to topic, so held-out scores are dependent. A "
            "test on them may reject too often; their mean is unaffected. Use fewer folds or a single hold-out."
        ]
        assert (
            tune({"x": matrix(related(0.9, seed)), "y": y}, splitter).warnings[int(isinstance(splitter, LeaveOneOut)) :]
            == ()
        )


# ── bad input ─────────────────────────────────────────────────────────────────────────────────────────────


@pytest.mark.parametrize(
    ("families", "message"),
    [
        (
            {"x": matrix(random(5, 1), names=["x(a=1)"])},
            "family 'x' has one setting, 'x(a=1)'; tuning needs at least 2. Add settings, or compare it untuned "
            "with the held-out scores of the others.",
        ),
        (
            {"x": matrix(random(5, 2)), "y": matrix(random(7, 2))},
            "families 'x' and 'y' differ in 2 topics (0005, 0006). Score them on the same topics, or keep the "
            "common ones.",
        ),
        (
            {"x": matrix(random(5, 2)), "y": matrix(random(5, 2), "P@10")},
            "the families have different measures: 'x' has AP, 'y' has P@10. Use one measure.",
        ),
        (
            {"x": matrix(random(1, 2))},
            "AP: tuning 'x' needs at least 2 topics; there is 1. Give scores of more topics.",
        ),
        (
            {"x": matrix([[1, 2], [3, np.inf]])},
            "AP: tuning 'x' needs finite scores; topic '0001', system 'x(a=1)' has inf",
        ),
    ],
)
def test_families_that_cannot_be_tuned(families: dict[str, ScoreMatrix], message: str) -> None:
    with pytest.raises(DataError) as caught:
        tune(families, NFold(2))
    assert str(caught.value) == message


def test_nan_never_gets_as_far() -> None:
    with pytest.raises(DataError) as caught:
        matrix([[1, np.nan], [0, 0]])
    assert str(caught.value).startswith("AP: 1 of 4 scores are NaN, the first for topic '0000', system 'x(a=1)'")


# ── real data ─────────────────────────────────────────────────────────────────────────────────────────────


@needs_shared
@pytest.mark.parametrize(
    ("name", "final", "agreement", "in_sample", "held_out"),
    [
        ("robust2003-new", "sys33", 0.6, 0.4405, 0.4130),
        ("robust2004-new", "sys74", 1.0, 0.4227, 0.4227),
        ("trec8-adhoc", "run95", 1.0, 0.4692, 0.4692),
        ("web2012-adhoc", "sys44", 0.9, 0.2145, 0.2111),
    ],
)
def test_the_best_of_a_track_s_runs(name: str, final: str, agreement: float, in_sample: float, held_out: float) -> None:
    """The systems of a track taken as settings: how well would the best one do on unseen topics?"""
    (family,) = read_families(SHARED / f"data/matrices/{name}.AP.csv", one_family=True)
    found = tune(family, NFold(10))[name]
    assert (found.final, found.agreement) == (final, agreement)
    assert found.in_sample_mean == pytest.approx(in_sample, abs=5e-5)
    assert found.held_out_mean == pytest.approx(held_out, abs=5e-5)


def test_what_to_expect_comes_with_an_interval_that_includes_the_choice() -> None:
    """Against the formula written out, topic resamples drawn alike."""
    x = matrix(random(20, 4) + [0, 1, 0, 0])
    found = tune({"x": x})
    assert found.folds.description == "10-fold, drawn 10 times"
    one, scores = found["x"], found.held_out.values[:, 0]
    values = x.select(topics=sorted(x.topics, key=str.encode)).values
    final, excess = values[:, x.systems.index(one.final)], []
    for weights in topic_weights(20, RESAMPLES, seed=1):
        for row in weights:
            resampled = row @ values / 20
            excess.append(resampled.max() - values[:, resampled.argmax()].mean())
    errors = [own.std(ddof=1) / np.sqrt(20) for own in (scores, final)]
    reach = 2.093024 * max(*errors, np.sqrt(20 / 19) * np.std(excess, ddof=1))
    ends = min(scores.mean(), final.mean()) - reach, max(scores.mean(), final.mean()) + reach
    assert (one.lower, one.upper) == pytest.approx(ends, rel=1e-6)
    assert f"{one.held_out_mean:.4f} [{one.lower:.4f}, {one.upper:.4f}]" in repr(found)


@pytest.mark.filterwarnings("default")
def test_leave_one_out_and_one_unsteady_family_are_warned_of() -> None:
    x = matrix(random(20, 4) + [0, 1, 0, 0])
    with pytest.warns(CranfieldWarning, match="Leave-one-out: the held-out mean is as unbiased"):
        tune({"x": x}, leave_one_out=True)
    with pytest.warns(CranfieldWarning, match="of the folds chose the final setting"):
        tune({"x": matrix(np.random.default_rng(1).normal(size=(12, 40)))}, folds=4)


@pytest.mark.parametrize("unit", [2.0**-45, 2.0**-490, 2.0**490])
def test_the_unit_of_the_scores_moves_no_choice(unit: float) -> None:
    x = random(12, 4)
    usual, other = (tune({"x": matrix(x * scale)}, folds=3, seed=1) for scale in (1.0, unit))
    assert (other["x"].choices == usual["x"].choices).all()
    assert (other.held_out.values == usual.held_out.values * unit).all()
    bands = [one.curve(n_resamples=50).select("lower", "upper").to_numpy() for one in (usual, other)]
    np.testing.assert_allclose(bands[1] / unit, bands[0], rtol=1e-9)


def test_the_interval_of_the_final_setting_is_never_narrower_than_that_of_its_scores() -> None:
    x = random(25, 6)
    units = np.rint(x * 2**40)
    held = x[:, 0]
    ends = final_interval(held, x, units, 2)
    assert ends is not None
    assert ends[1] - ends[0] >= 2 * 2.063899 * x[:, 2].std(ddof=1) / 5 - 1e-9
    assert final_interval(held, x, units, 2) == ends
    assert final_interval(held[:1], x[:1], units[:1], 2) is None
    # Settings that are all alike leave no choice: the t interval of the scores.
    same = np.repeat(held[:, None], 4, axis=1)
    low, high = final_interval(held, same, np.rint(same * 2**40), 0) or (0.0, 0.0)
    assert high - low == pytest.approx(2 * 2.063899 * held.std(ddof=1) / 5, rel=0.07)  # a bootstrap of 500


@pytest.mark.slow
def test_the_interval_of_the_final_setting_covers() -> None:
    """20 settings nearly alike, skewed scores, 25 topics: .90 to .98, where the t interval has far less."""
    rng = np.random.default_rng(3)
    truth = np.linspace(0.30, 0.32, 20)
    held = plain = 0
    for trial in range(400):
        values = truth + rng.normal(0, 0.1, (25, 1)) + (rng.gamma(2, 0.07, (25, 20)) - 0.14)
        found = tune({"x": matrix(values)}, folds=10, seed=trial)
        one, scores = found.families[0], found.held_out.values[:, 0]
        mean = truth[int(one.final.removeprefix("x(a=").removesuffix(")"))]
        held += (one.lower or 0) <= mean <= (one.upper or 0)
        plain += abs(scores.mean() - mean) <= 2.063899 * scores.std(ddof=1) / 5
    assert 0.90 - 0.03 < held / 400 <= 0.99
    assert held >= plain


def test_alpha_sets_the_level_of_the_interval_and_is_named() -> None:
    """It only set the band of the curve; the interval of the final setting was always of level .95."""
    x = matrix(random(12, 3))
    usual, narrow = (tune({"x": x}, folds=4, alpha=alpha) for alpha in (0.05, 0.2))
    reach = [(one["x"].upper or 0.0) - max(one["x"].held_out_mean, one["x"].in_sample_mean) for one in (usual, narrow)]
    assert reach[1] / reach[0] == pytest.approx(stdtrit(11, 0.9) / stdtrit(11, 0.975))
    assert narrow.settings["alpha"] == 0.2
    assert "alpha 0.2" in narrow.signature
    with pytest.raises(ArgumentError, match="alpha"):
        tune({"x": x}, folds=4, alpha=1.5)
