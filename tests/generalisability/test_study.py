"""G- and D-studies: published values, constructed scores with exact mean squares, coverage, and bad input."""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray
from scipy import stats

from cranfield import ArgumentError, CranfieldWarning, DataError, ScoreMatrix, Scores, read_scores
from cranfield.questions.reliability.components import (
    COEFFICIENTS,
    Components,
    Ratio,
    ratio,
    variance_components,
    without_worst,
)
from cranfield.questions.reliability.reliability import Reliability, reliability
from cranfield.scores.synthetic import make_scores
from support import SHARED, needs_shared

Array = NDArray[np.float64]


def matrix(values: object, measure: str = "AP") -> ScoreMatrix:
    array = np.asarray(values, dtype=float)
    return ScoreMatrix(array, [f"t{i}" for i in range(len(array))], [f"s{j}" for j in range(array.shape[1])], measure)


def constructed(n: int, m: int, systems: float, topics: float, residual: float, seed: int = 1) -> ScoreMatrix:
    """Scores whose three ANOVA estimates are exactly the given components."""
    rng = np.random.default_rng(seed)

    def scaled(values: Array, df: int, wanted: float) -> Array:
        return np.asarray(values * np.sqrt(wanted * df / np.square(values).sum()))

    a, b, e = rng.normal(size=m), rng.normal(size=n), rng.normal(size=(n, m))
    a, b = a - a.mean(), b - b.mean()
    e = e - e.mean(0) - e.mean(1, keepdims=True) + e.mean()
    a = scaled(a, m - 1, systems + residual / n)
    b = scaled(b, n - 1, topics + residual / m)
    return matrix(0.5 + a + b[:, None] + scaled(e, (n - 1) * (m - 1), residual))


def rows(found: Reliability) -> dict[str, tuple[object, ...]]:
    columns = ("value", "lower", "upper", "topics_needed", "topics_lower", "topics_upper")
    return {row["coefficient"]: tuple(row[c] for c in columns) for row in found.to_frame().iter_rows(named=True)}


PUBLISHED = [
    ("trec3-adhoc", 0.25, (0.93265, 0.89311, 0.96287, 69, 37, 114), (0.78613, 0.66141, 0.88039, 259, 130, 487)),
    ("trec3-adhoc", 0.0, (0.97043, 0.95569, 0.98213, 29, 18, 45), (0.91436, 0.86034, 0.95054, 89, 50, 155)),
    ("trec8-adhoc", 0.0, (0.97098, 0.96335, 0.97770, 29, 22, 37), (0.91910, 0.88175, 0.94355, 84, 57, 128)),
]


@needs_shared
@pytest.mark.parametrize(("name", "drop", "erho2", "phi"), PUBLISHED)
def test_reference_values(name: str, drop: float, erho2: tuple[float, ...], phi: tuple[float, ...]) -> None:
    scores = read_scores(SHARED / "data" / "matrices" / f"{name}.AP.csv").only()
    found = rows(reliability(scores, target=0.95, drop=drop, intervals="normal"))
    for values, expected in ((found["erho2"], erho2), (found["phi"], phi)):
        assert values[:3] == pytest.approx(expected[:3], abs=5.5e-6)
        assert values[3:] == expected[3:]


@needs_shared
def test_reference_components() -> None:
    scores = read_scores(SHARED / "data" / "matrices" / "trec3-adhoc.AP.csv").only()
    c = variance_components(scores, drop=0.25)
    assert (c.systems, c.topics, c.residual) == pytest.approx((0.0028117, 0.028093, 0.010152), rel=5e-5)
    assert (c.n_topics, c.n_systems) == (50, 30)


def test_twin_of_the_reference_values() -> None:
    """TREC-3's published components, put into constructed scores, give TREC-3's published coefficients."""
    scores = constructed(50, 30, 0.0028116986, 0.0280934288, 0.0101522471)
    c = variance_components(scores)
    assert (c.systems, c.topics, c.residual) == pytest.approx((0.0028116986, 0.0280934288, 0.0101522471), rel=1e-9)
    found = rows(reliability(scores, target=0.95, intervals="normal"))
    assert found["erho2"][:3] == pytest.approx(PUBLISHED[0][2][:3], abs=5.5e-6)
    assert found["phi"][:3] == pytest.approx(PUBLISHED[0][3][:3], abs=5.5e-6)
    assert (found["erho2"][3:], found["phi"][3:]) == (PUBLISHED[0][2][3:], PUBLISHED[0][3][3:])


def test_brennans_example() -> None:
    book = constructed(12, 10, 0.6258, 0.8840, 2.7872)
    found = rows(reliability(book, alpha=0.20, target=0.8, intervals="normal"))
    assert found["erho2"][:3] == pytest.approx((0.729, 0.541, 0.876), abs=5e-4)
    assert found["phi"][:3] == pytest.approx((0.672, 0.457, 0.845), abs=5e-4)


def test_feldt_by_scipy() -> None:
    """The interval for the intraclass ratio written out with scipy's F distribution."""
    x = make_scores(20, 8).values
    n, m = x.shape
    ms_s = n * x.mean(0).var(ddof=1)
    ms_e = np.square(x - x.mean(0) - x.mean(1, keepdims=True) + x.mean()).sum() / ((n - 1) * (m - 1))
    f = stats.f((m - 1), (m - 1) * (n - 1))
    found = reliability(make_scores(20, 8), n_topics=[1, 20, 35], alpha=0.1, intervals="normal").to_frame()
    for k, n_new in enumerate((1, 20, 35)):
        for column, at in (("lower", 0.95), ("upper", 0.05)):
            x_limit = (ms_s / ms_e / f.ppf(at) - 1) / n
            assert found[column][k] == pytest.approx(n_new * x_limit / (1 + n_new * x_limit), rel=1e-9)


def log_r(x: Array) -> float:
    n, m = x.shape
    ms_s = n * x.mean(0).var(ddof=1)
    ms_e = np.square(x - x.mean(0) - x.mean(1, keepdims=True) + x.mean()).sum() / ((n - 1) * (m - 1))
    return float(np.log((ms_s / ms_e - 1) / n))


@pytest.mark.parametrize(("n", "m"), [(20, 8), (9, 30)])
def test_the_jackknife_is_that_of_leaving_out_and_recomputing(n: int, m: int) -> None:
    x = constructed(n, m, 0.02, 0.02, 0.02).values
    topics, systems = ([log_r(np.delete(x, k, axis)) for k in range(x.shape[axis])] for axis in (0, 1))
    v_t, v_s = (np.var(each) * (len(each) - 1) for each in (topics, systems))
    df = (v_t + v_s) ** 2 / (v_t**2 / (n - 1) + v_s**2 / (m - 1))
    half = stats.t.ppf(0.975, df) * np.sqrt(v_t + v_s)
    found = reliability(matrix(x), target=0.9)
    r = found.ratio("erho2")
    assert np.log([r.value, r.lower, r.upper]) == pytest.approx(log_r(x) + np.array([0, -half, half]), rel=1e-9)
    assert found.to_frame()["topics_upper"][0] == math.ceil(9 / r.lower)
    assert found.to_frame()["topics_lower"][0] == math.ceil(9 / r.upper)
    normal = reliability(matrix(x), intervals="normal")
    assert normal.ratio("phi") == found.ratio("phi")
    assert (found.settings["intervals"], normal.settings["intervals"]) == ("jackknife", "normal")


def test_without_a_jackknife_interval_feldts_stands_in_and_is_named() -> None:
    """One system alone makes the variance between systems; without it the ratio is below 0."""
    x = constructed(12, 4, 0.01, 0.02, 0.02).values
    x = x - x.mean(axis=0) + [0.8, 0.5, 0.5, 0.5]
    said = reliability(matrix(x))
    assert said.components.spread is None
    assert said.ratio("erho2") == reliability(matrix(x), intervals="normal").ratio("erho2")
    assert any("No jackknife interval of erho2: a ratio" in note for note in said.answer().sheet().notes)
    pooled = reliability([make_scores(20, 8), make_scores(20, 8, 2)])
    assert any("several collections are pooled" in note for note in pooled.answer().sheet().notes)


def test_topics_needed_reach_the_target_and_one_less_does_not() -> None:
    found = reliability(make_scores(30, 12), target=[0.8, 0.9, 0.99])
    for name in COEFFICIENTS:
        for target in found.target:
            needed = found.ratio(name).topics_for(target)[0]
            assert needed is not None
            assert found.ratio(name).at(needed)[0] >= target - 1e-12
            assert needed == 1 or found.ratio(name).at(needed - 1)[0] < target


def test_a_target_met_exactly_takes_no_further_topic() -> None:
    c = Components(1.0, 0.0, 10.0, 50, 10, 9, 49, 441)
    assert ratio("erho2", c, 0.05).topics_for(0.5)[0] == 10
    assert ratio("erho2", c, 0.05).topics_for(0.9)[0] == 90
    assert Ratio(1e-20, 0.0, 1e-3).topics_for(0.5) == (None, 1000, None)
    assert Ratio(5e-324, 5e-324, math.inf).topics_for(0.999) == (None, 1, None)


@given(st.integers(0, 1000), st.integers(2, 12), st.integers(2, 8))
def test_order_does_not_matter_and_intervals_contain_their_estimate(seed: int, n: int, m: int) -> None:
    x = make_scores(n, m, seed)
    rng = np.random.default_rng(seed)
    shuffled = x.select(topics=rng.permutation(x.topics).tolist(), systems=rng.permutation(x.systems).tolist())
    assert variance_components(x) == variance_components(shuffled)
    for name in COEFFICIENTS:
        value, lower, upper = ratio(name, variance_components(x), 0.05).at(7)
        assert 0 <= lower <= value <= upper <= 1


def test_drop_leaves_out_the_worst() -> None:
    x = matrix([[0.4, 0.1, 0.3, 0.2, 0.1], [0.4, 0.1, 0.3, 0.2, 0.1]])
    assert without_worst(x, 0.2).systems == ("s0", "s2", "s3", "s4")  # s1 and s4 tie; the first label goes
    assert without_worst(x, 0.59).systems == ("s0", "s2", "s3")
    assert without_worst(x, 0.0) is x
    good = constructed(30, 10, 0.01, 0.02, 0.01)
    with_bad = good.join(ScoreMatrix(np.zeros((30, 3)), good.topics, ["x", "y", "z"], "AP"))
    assert reliability(with_bad).ratio("erho2").value > reliability(with_bad, drop=3 / 13).ratio("erho2").value
    assert variance_components(with_bad, drop=3 / 13) == variance_components(good)


def test_pooling_the_same_collection_twice_changes_no_estimate_and_narrows_the_interval() -> None:
    x = make_scores(30, 10)
    one, two = (reliability(each, intervals="normal") for each in (x, [x, x]))
    assert two.components.systems == pytest.approx(one.components.systems)
    assert two.components.residual == pytest.approx(one.components.residual)
    for name in COEFFICIENTS:
        assert two.ratio(name).value == pytest.approx(one.ratio(name).value)
        assert one.ratio(name).lower < two.ratio(name).lower < two.ratio(name).upper < one.ratio(name).upper


def test_pooled_components_are_weighted_by_degrees_of_freedom() -> None:
    a, b = constructed(20, 5, 0.01, 0.03, 0.02), constructed(40, 9, 0.03, 0.05, 0.01)
    c = variance_components([a, b])
    assert c.systems == pytest.approx((4 * 0.01 + 8 * 0.03) / 12)
    assert c.topics == pytest.approx((19 * 0.03 + 39 * 0.05) / 58)
    assert c.residual == pytest.approx((76 * 0.02 + 312 * 0.01) / 388)
    assert c.n_topics == pytest.approx(12 / (4 / 20 + 8 / 40))
    assert (c.df_systems, c.df_topics, c.df_residual) == (12, 58, 388)


def test_negative_components_become_zero_with_a_warning() -> None:
    rng = np.random.default_rng(1)
    e = rng.normal(size=(10, 4))
    same = matrix(e - e.mean(0) + np.arange(10)[:, None])
    with pytest.warns(CranfieldWarning, match="AP: the variance component of systems is negative"):
        found = reliability(same, target=0.9)
    assert rows(found)["erho2"] == (0.0, 0.0, 0.0, None, None, None)
    assert found.components.estimated_systems < 0 == found.components.systems
    assert found.components.negative == ("systems",)
    level = matrix(e - e.mean(1, keepdims=True) + np.arange(4))
    with pytest.warns(CranfieldWarning, match="of topics is negative and set to 0"):
        found = reliability(level)
    assert found.ratio("phi").value == found.ratio("erho2").value
    assert 0 <= found.ratio("phi").lower <= found.ratio("phi").value


def test_what_rounding_leaves_is_no_variance_between_systems() -> None:
    """All systems alike but on one topic: the mean squares of systems and residual are equal but for their last bits."""
    x = np.full((12, 3), 0.5)
    x[1] = [0.2202107661142112, 0.21183015033206642, 0.20238702164430267]
    with pytest.warns(CranfieldWarning, match="starts at 0"):
        found = reliability(matrix(x), target=0.95)
    assert found.components.estimated_systems == 0
    assert rows(found)["erho2"][3] is None


def test_an_interval_from_zero_is_told() -> None:
    with pytest.warns(CranfieldWarning, match="starts at 0. These topics do not show that systems differ"):
        found = reliability(constructed(10, 4, 0.0005, 0.02, 0.02), target=0.9)
    assert rows(found)["erho2"][5] is None


def test_the_result_says_what_it_did() -> None:
    found = reliability(make_scores(50, 30), n_topics=[25, 50], target=0.9, drop=0.1)
    assert found.to_frame().columns == [
        "measure", "coefficient", "topics", "value", "lower", "upper",
        "target", "topics_needed", "topics_lower", "topics_upper",
    ]  # fmt: skip
    assert reliability(make_scores(50, 30)).to_frame().columns[-1] == "upper"
    assert found.settings["drop"] == 0.1
    assert found.to_dict()["components"][0]["source"] == "systems"
    assert sum(row["share"] for row in found.to_dict()["components"]) == pytest.approx(1)
    assert found.signature.startswith("reliability, two-way G-study; measure score; systems 27; data topics 50")
    assert "With 25 topics" in found.summary()
    assert repr(found).startswith("Reliability(With 25 topics, the ranking by score has reliability")


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"target": 95}, "`target` must be between 0 and 1; got 95. Write 0.95."),
        ({"n_topics": 0}, "`n_topics` must be a whole number of at least 1; got 0. Write 50."),
        (
            {"n_topics": [50, 2.5]},
            "`n_topics` must be a whole number or a list of whole numbers; got [50, 2.5]. Leave it out for the default.",
        ),
        ({"drop": 1}, "`drop` must be a share from 0 to below 1; got 1. Write 0.25 for the worst quarter."),
        ({"alpha": 5}, "`alpha` must be between 0 and 1; got 5. Write 0.05."),
    ],
)
def test_bad_arguments(arguments: dict[str, object], message: str) -> None:
    with pytest.raises(ArgumentError) as error:
        reliability(make_scores(10, 5), **arguments)  # type: ignore[arg-type]
    assert str(error.value) == message


def test_bad_scores() -> None:
    with pytest.raises(
        DataError,
        match=r"^AP: a study of reliability needs at least 2 topics; there is 1\. Give scores of more topics\.$",
    ):
        reliability(matrix([[0.1, 0.2]]))
    with pytest.raises(
        DataError,
        match=r"^AP: a study of reliability needs at least 2 systems; there is 1\. Give scores of more systems\.$",
    ):
        reliability(matrix([[0.1], [0.2]]))
    with pytest.raises(DataError, match=r"leaves 1; a study of reliability needs at least 2\. Drop fewer\.$"):
        reliability(matrix([[0.1, 0.2], [0.3, 0.5]]), drop=0.5)
    with pytest.raises(DataError, match="^AP: the residual variance is zero"):
        reliability(matrix([[0.1, 0.2], [0.3, 0.4]]))
    with pytest.raises(DataError, match="^cannot pool scores of different measures: AP, P@10; choose one of them$"):
        reliability([matrix([[0.1, 0.2], [0.3, 0.5]]), matrix([[0.1, 0.2], [0.3, 0.5]], "P@10")])
    with pytest.raises(ArgumentError, match=r"^`scores\[1\]` cannot be made of int\. Give one of:"):
        variance_components([Scores([matrix([[0.1, 0.2], [0.3, 0.5]])]), 7])
    with pytest.raises(ArgumentError, match=r"^`scores` is empty; give the scores of at least one collection\.$"):
        reliability([])


def draw(rng: np.random.Generator, n: int, m: int, s: float, q: float, e: float) -> ScoreMatrix:
    effects = rng.normal(0, s**0.5, m) + rng.normal(0, q**0.5, (n, 1))
    return matrix(effects + rng.normal(0, e**0.5, (n, m)))


@pytest.mark.slow
@pytest.mark.parametrize("sizes", [[(25, 10)], [(50, 30)], [(25, 10), (60, 25)]])
def test_both_intervals_cover(sizes: list[tuple[int, int]]) -> None:
    """Feldt is exact for one collection; Arteaga and pooling of unequal sizes are approximations and stay near."""
    s, q, e, trials = 0.005, 0.03, 0.0125, 2000
    rng = np.random.default_rng(5)
    hits = dict.fromkeys(COEFFICIENTS, 0)
    for _ in range(trials):
        drawn = variance_components([draw(rng, n, m, s, q, e) for n, m in sizes])
        c = replace(drawn, spread=None)
        for name in COEFFICIENTS:
            truth = s / e if name == "erho2" else s / (q + e)
            r = ratio(name, c, 0.05)
            hits[name] += r.lower <= truth <= r.upper
    error = 4 * np.sqrt(0.05 * 0.95 / trials)
    assert hits["erho2"] / trials == pytest.approx(0.95, abs=error)
    assert hits["phi"] / trials == pytest.approx(0.95, abs=error + 0.01)


def test_the_unit_of_the_scores_does_not_matter() -> None:
    """Squares of mean squares of scores of 1e-100 are 0, and of 1e100 are not numbers."""
    book = Components(0.6258, 0.8840, 2.7872, 12, 10, 9, 11, 99)
    for unit in (1e-200, 1e200):
        other = replace(
            book, **{n: getattr(book, n) * unit for n in ("estimated_systems", "estimated_topics", "residual")}
        )
        for name in COEFFICIENTS:
            assert ratio(name, other, 0.05).at(12) == pytest.approx(ratio(name, book, 0.05).at(12), rel=1e-12)


def test_scores_may_take_more_topics_than_can_be_counted() -> None:
    """Topics so unlike that systems are nothing beside them: the ranking is soon stable, the scores never."""
    rng = np.random.default_rng(1)
    scores = matrix(1e9 * rng.normal(size=(20, 1)) + rng.normal(size=(20, 4)) + np.arange(4.0))
    ranking, phi = reliability(scores, target=0.95).answer().sentences
    assert ranking.endswith("(1 to 90).")
    assert phi == "Reliability 0.95 of the scores (Φ) needs too many topics to count."
