"""Rank correlation: against brute force, scipy and printed values; intervals; orders; what is refused."""

from __future__ import annotations

import itertools
import math
import re
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats
from scipy.stats import kendalltau

from cranfield import (
    ArgumentError,
    CranfieldWarning,
    DataError,
    FileError,
    ScoreMatrix,
    correlate,
    evaluate,
    read_order,
)
from cranfield.core.resampling import to_grid, topic_weights
from cranfield.questions.correlate.order_files import is_order
from cranfield.scores.rank_coefficients import COEFFICIENTS, rank_correlations
from cranfield.scores.tau_interval import RankedScores, TopicNoise, corrected_tau, hull
from support import SHARED


def coefficients(x: list[float], y: list[float]) -> dict[str, float]:
    return {name: float(v[0]) for name, v in rank_correlations(np.array([x]), np.array([y])).items()}


def plain_tau_ap(truth: list[float], order: tuple[int, ...]) -> float:
    """Yilmaz et al. 2008, from the words of the definition: `order` lists the systems, the best first."""
    m = len(order)
    total = 0.0
    for i in range(1, m):
        total += sum(truth[above] > truth[order[i]] for above in order[:i]) / i
    return 2 / (m - 1) * total - 1


def orders_of(scores: list[float]) -> list[tuple[int, ...]]:
    """Every order of the systems that breaks ties of the scores somehow."""
    return [
        order
        for order in itertools.permutations(range(len(scores)))
        if all(scores[i] >= scores[j] for i, j in itertools.pairwise(order))
    ]


few = st.integers(2, 5).flatmap(
    lambda m: st.tuples(*[st.lists(st.integers(0, 4).map(float), min_size=m, max_size=m)] * 2)
)


@given(few)
def test_tau_ap_is_the_mean_over_all_orders_of_the_tied(sides: tuple[list[float], list[float]]) -> None:
    x, y = sides
    truths = []  # untied scores that break the ties of x somehow
    for order in orders_of(x):
        truth = [0.0] * len(x)
        for place, system in enumerate(order):
            truth[system] = -place
        truths.append(truth)
    expected = np.mean([plain_tau_ap(truth, order) for truth in truths for order in orders_of(y)])
    assert coefficients(x, y)["tau_ap"] == pytest.approx(expected, abs=1e-12)


@given(few)
def test_tau_ap_b_follows_its_definition(sides: tuple[list[float], list[float]]) -> None:
    def one_way(truth: list[float], pivot: list[float]) -> float:
        shares = []
        for i in range(len(pivot)):
            above = [j for j in range(len(pivot)) if pivot[j] > pivot[i]]
            if above:
                shares.append(sum(truth[j] > truth[i] for j in above) / len(above))
        return 2 * float(np.mean(shares)) - 1 if shares else math.nan

    expected = (one_way(*sides) + one_way(*sides[::-1])) / 2
    assert coefficients(*sides)["tau_ap_b"] == pytest.approx(expected, abs=1e-12, nan_ok=True)


@given(few)
def test_tau_and_tau_b_count_pairs(sides: tuple[list[float], list[float]]) -> None:
    x, y = sides
    pairs = list(itertools.combinations(range(len(x)), 2))
    score = sum(np.sign(x[i] - x[j]) * np.sign(y[i] - y[j]) for i, j in pairs)
    found = coefficients(x, y)
    assert found["tau"] == pytest.approx(score / len(pairs), abs=1e-15)
    expected = kendalltau(x, y).statistic if len(set(x)) > 1 and len(set(y)) > 1 else math.nan
    assert found["tau_b"] == pytest.approx(expected, abs=1e-12, nan_ok=True)


def test_the_examples_printed_in_the_documentation_of_ircor() -> None:
    """The R package of Urbano and Marrero prints these for ten systems: without ties, with ties in one, in both."""
    x = [0.67, 0.45, 0.29, 0.12, 0.57, 0.24, 0.94, 0.75, 0.08, 0.54]
    y = [0.48, 0.68, 0.32, 0.09, 0.06, 0.61, 0.87, 0.22, 0.44, 0.84]
    assert coefficients(x, y)["tau_ap"] == pytest.approx(0.3928571, abs=5e-8)
    y = [0.5, 0.7, 0.3, 0.1, 0.1, 0.6, 0.9, 0.2, 0.4, 0.8]
    assert coefficients(x, y)["tau_ap"] == pytest.approx(0.39903, abs=5e-7)
    assert coefficients(x, y)["tau_ap_b"] == pytest.approx(0.3317019, abs=5e-8)
    x = [0.7, 0.4, 0.3, 0.1, 0.6, 0.2, 0.9, 0.8, 0.1, 0.5]
    assert coefficients(x, y)["tau_ap_b"] == pytest.approx(0.339418, abs=5e-7)


@given(st.lists(st.integers(0, 9).map(float), min_size=3, max_size=8, unique=True))
def test_perfect_and_reversed_orders(x: list[float]) -> None:
    for name, value in coefficients(x, x).items():
        assert value == pytest.approx(1, abs=1e-15), name
    for name, value in coefficients(x, [-v for v in x]).items():
        assert value == pytest.approx(-1, abs=1e-15), name


def test_the_size_of_a_block_changes_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    rng = np.random.default_rng(1)
    x, y = rng.integers(0, 9, (50, 12)).astype(float), rng.integers(0, 9, (50, 12)).astype(float)
    whole = rank_correlations(x, y)
    monkeypatch.setattr("cranfield.scores.rank_coefficients._BLOCK", 200)
    for name, values in rank_correlations(x, y).items():
        assert values.tobytes() == whole[name].tobytes()


def scores(seed: int, n: int = 12, m: int = 6, measure: str = "AP") -> ScoreMatrix:
    rng = np.random.default_rng(seed)
    values = rng.random((n, m)).round(2) + np.linspace(0, 0.4, m)
    return ScoreMatrix(values, [f"t{i}" for i in range(n)], [f"s{j}" for j in range(m)], measure)


def plain_factor(x: np.ndarray, y: np.ndarray, shared: bool = True) -> float:
    """k = r(T)/r(S) from the words of METHODS, with numpy's eigenvalues."""
    a, b = (side - side.mean(axis=1, keepdims=True) for side in (x, y))
    covariance = np.cov(a.mean(axis=0), b.mean(axis=0))
    rest = [side - side.mean(axis=0) for side in (a, b)]
    noise = np.empty((2, 2))
    for i, j in itertools.product(range(2), repeat=2):
        own = len(rest[i])
        products = (rest[i] * rest[j]).sum() if i == j or shared else 0.0
        noise[i, j] = products / ((own - 1) * (x.shape[1] - 1)) / own
    values, vectors = np.linalg.eigh(covariance)
    half = vectors * np.sqrt(values) @ vectors.T
    inverse = np.linalg.inv(half)
    values, vectors = np.linalg.eigh(inverse @ (covariance - noise) @ inverse)
    true = half @ (vectors * np.clip(values, 0.02, 1)) @ vectors.T @ half
    r = [m[0, 1] / math.sqrt(m[0, 0] * m[1, 1]) for m in (true, covariance)]
    return float(np.clip(r[0] / r[1], 1 / 3, 3)) if r[1] > 0 else 1.0


def plain_tau(x: np.ndarray, y: np.ndarray) -> float:
    order = [np.sign(np.subtract.outer(side, side).round(9)) for side in (x, y)]
    return float((order[0] * order[1]).sum() / (len(x) * (len(x) - 1)))


@pytest.mark.parametrize("shared", [True, False])
def test_the_factor_follows_its_definition(shared: bool) -> None:
    for seed in range(40):
        rng = np.random.default_rng(seed)
        n, m = rng.integers(3, 9), rng.integers(5, 9)
        means, both = rng.normal(0, 0.1, m), rng.normal(0, 0.3, (n, m))
        other = both + rng.normal(0, 0.3, (n, m)) if shared else rng.normal(0, 0.3, (n + 2, m))
        x, y = RankedScores.of(means + both), RankedScores.of(means + other)
        found = TopicNoise.of(x.grid, y.grid, shared).factors((x.totals[None], y.totals[None]))
        assert found[0] == pytest.approx(plain_factor(x.grid, y.grid, shared), abs=1e-7)


def test_the_interval_is_the_hull_of_two_bootstraps() -> None:
    x, y = scores(1), scores(2, measure="P@20")
    found = correlate(x, y, n_resamples=300, seed=5)
    cx, cy = x.canonical().values, y.canonical().values
    drawn = []
    for weights in topic_weights(12, 300, 5):
        for row in weights.astype(int):
            chosen = np.repeat(np.arange(12), row)
            sides = cx[chosen], cy[chosen]
            drawn.append((plain_tau(*(side.sum(axis=0) for side in sides)), plain_factor(*sides)))
    taus, factors = np.array(drawn).T
    tau = plain_tau(cx.sum(axis=0), cy.sum(axis=0))
    angle = 2 / np.pi * np.arcsin(np.clip(factors * np.sin(np.pi * taus / 2), -1, 1))
    middle = 2 / math.pi * math.asin(min(1, plain_factor(cx, cy) * math.sin(math.pi * tau / 2)))
    low, high = np.quantile(taus, [0.025, 0.975])
    h, reach = max(tau - low, high - tau), stats.t.ppf(0.975, 11) * angle.std(ddof=1)
    ends = (max(-1, min(tau - h, middle - reach)), min(1, max(tau + h, middle + reach)))
    assert found.corrected["tau"] == pytest.approx(middle, abs=1e-9)
    assert found.intervals["tau"] == pytest.approx(ends, abs=1e-6)
    assert found.signature.startswith(
        "rank correlation; reference AP; estimate P@20; systems 6; topics 12; alpha 0.05; resamples 300; seed 5;"
    )


def test_the_wide_form_is_wider_than_the_jackknife() -> None:
    """τ_AP: H is at least t·√((s_b² + s_J²)/2) and t·s_b, to either side of value and corrected value."""
    x, y = scores(1, n=40), scores(2, n=40)
    found = correlate(x, y, n_resamples=400)
    cx, cy = x.canonical().values, y.canonical().values
    left = rank_correlations(cx.sum(axis=0) - cx, cy.sum(axis=0) - cy, (1e-9, 1e-9))["tau_ap"]
    jackknife = math.sqrt(39 / 40 * np.square(left - left.mean()).sum())
    lower, _ = found.intervals["tau_ap"] or (0, 0)
    value, corrected = found.values["tau_ap"], found.corrected["tau_ap"]
    assert value is not None
    assert corrected is not None
    assert lower == -1 or lower <= min(value, corrected) - stats.t.ppf(0.975, 39) * jackknife / math.sqrt(2)


def test_people_and_a_machine_judge_the_same_pairs() -> None:
    """METHODS: DL 2019, nDCG@10, τ .8546, corrected .876, interval about [.71, 1.00]; needs the shared data."""
    folder = SHARED / "data" / "judges" / "dl2019-same-pairs"
    if not folder.is_dir():
        pytest.skip("needs the shared data")
    sides = [evaluate(folder / f"{name}.qrels", folder / "runs", ["nDCG@10"]).only() for name in ("human", "gpt4o")]
    found = correlate(*sides)
    assert found.values["tau"] == pytest.approx(0.8546, abs=5e-5)
    assert found.corrected["tau"] == pytest.approx(0.876, abs=5e-4)
    assert found.intervals["tau"] == pytest.approx((0.72, 0.99), abs=0.015)
    assert found.answer().sentences == (
        "τ = 0.855 on these 43 topics. With unlimited topics like these, τ lies in [0.72, 0.99] (95% "
        "interval). Topic noise usually lowers τ; corrected for it, τ = 0.876.",
    )


def test_the_published_interval_never_passes_one() -> None:
    found = correlate(scores(1), scores(1), n_resamples=0, published=True)
    assert found.published == pytest.approx((0.3045, 1), abs=5e-5)
    assert found.to_frame().columns[-2:] == ["published_lower", "published_upper"]
    assert found.to_frame().row(1)[-2:] == (None, None)
    assert correlate(scores(1), scores(1), n_resamples=0).published is None


def test_too_few_systems_have_no_interval() -> None:
    with pytest.warns(CranfieldWarning) as caught:
        found = correlate(scores(1, m=4), scores(2, m=4), n_resamples=50)
    assert [str(w.message) for w in caught] == [
        "no interval: 4 systems; the interval of a rank correlation needs at least 5."
    ]
    assert found.intervals == found.corrected == {}


def test_order_of_input_and_workers_change_nothing() -> None:
    x, y = scores(1), scores(2)
    ours = correlate(x, y, n_resamples=3000, workers=1)
    mixed = x.select(topics=x.topics[::-1], systems=[x.systems[j] for j in (3, 0, 5, 1, 4, 2)])
    theirs = correlate(mixed, y.select(systems=y.systems[::-1]), n_resamples=3000, workers=2)
    assert ours == theirs
    assert ours != correlate(x, y, n_resamples=3000, seed=2)


def test_different_topics_are_resampled_independently() -> None:
    x = scores(1)
    other = scores(2)
    other = ScoreMatrix(other.values, [f"u{i}" for i in range(12)], other.systems, "AP")
    with pytest.warns(CranfieldWarning) as caught:
        assert correlate(x, other, n_resamples=200).intervals == {}
    assert [str(w.message) for w in caught] == [
        "the two sides share no topic (12 and 12 topics); they are treated as independent",
        "no interval: 12 and 12 topics; sides without a common topic need at least 50 each.",
    ]
    many = scores(1, n=50), scores(2, n=60)
    apart = ScoreMatrix(many[1].values, [f"u{i}" for i in range(60)], many[1].systems, "AP")
    with pytest.warns(CranfieldWarning, match="they are treated as independent"):
        found = correlate(many[0], apart, n_resamples=200)
    assert found.intervals["tau"] is not None
    assert "on these 50 and 60 topics." in found.answer().sentences[0]
    overlap = ScoreMatrix(other.values, [*x.topics[:6], *other.topics[6:]], other.systems, "AP")
    with pytest.raises(DataError, match="the two matrices differ in 12 topics"):
        correlate(x, overlap)
    assert correlate(x, overlap, missing="drop-topic", n_resamples=0).n_topics == 6


def test_orders_without_topics() -> None:
    found = correlate(["a", "b", "c"], {"c": 0.3, "a": 0.2, "b": 0.1})
    assert found.values["tau"] == pytest.approx(-1 / 3)
    assert found.intervals == {}
    assert found.to_frame().columns == ["coefficient", "value", "corrected", "lower", "upper"]
    matrix = scores(3, m=3)
    assert correlate(matrix, ["s2", "s1", "s0"]).intervals == {}


def test_equal_means_are_ties_whatever_the_rounding() -> None:
    """The sums of a and of b are .25, and differ on the grid of exact sums; the systems tie nevertheless."""
    values = np.array([[0.05, 0.05, 0.9], [0.05, 0.1, 0.9], [0.15, 0.1, 0.9]])
    sums = to_grid(values, 3).sum(axis=0)
    assert sums[0] != sums[1], "the case is pointless where rounding gives equal sums"
    x = ScoreMatrix(values, ["1", "2", "3"], ["a", "b", "c"], "AP")
    with pytest.warns(CranfieldWarning) as caught:
        found = correlate(x, ["c", "a", "b"])
    assert [str(w.message) for w in caught] == [
        "tied pairs of systems: 1 in the reference, 0 in the estimate. Prefer tau_b or tau_ap_b; tau_ap is "
        "averaged over the orders of tied systems"
    ]
    assert found.values["tau"] == pytest.approx(2 / 3)


@pytest.mark.parametrize("unit", [1e-250, 1e-15, 1e9])
def test_the_unit_of_scores_does_not_matter(unit: float) -> None:
    x, y = scores(1), scores(2)
    scaled = ScoreMatrix(x.values * unit, x.topics, x.systems, "AP")
    ours, theirs = (correlate(side, y, n_resamples=200) for side in (scaled, x))
    for name, ends in theirs.intervals.items():
        assert ours.intervals[name] == pytest.approx(ends, abs=1e-9)


def test_all_tied_is_undefined_not_nan() -> None:
    with pytest.warns(CranfieldWarning) as caught:
        found = correlate({"a": 1.0, "b": 1.0}, ["a", "b"])
    assert "tau_b and tau_ap_b undefined: all systems tie on one side" in [str(w.message) for w in caught]
    assert found.values["tau_b"] is None
    assert found.values["tau"] == 0
    assert "tau_b undefined" in repr(found)


def test_a_coefficient_undefined_in_some_resample_has_no_interval() -> None:
    systems = list("abcde")
    x = ScoreMatrix([[0.5] * 5, [0.1, 0.2, 0.3, 0.4, 0.5]], ["1", "2"], systems, "AP")
    y = ScoreMatrix([[0.1, 0.2, 0.3, 0.4, 0.5], [0.1, 0.35, 0.2, 0.4, 0.6]], ["1", "2"], systems, "AP")
    found = correlate(x, y, n_resamples=100)
    assert found.intervals["tau_b"] is None
    assert found.intervals["tau"] is not None
    assert found.to_frame().filter(coefficient="tau_b").row(0)[-2:] == (None, None)


def test_what_is_refused() -> None:
    with pytest.raises(DataError) as error:
        correlate(["a", "b"], ["a", "c"])
    assert str(error.value) == "2 systems are on one side only (b, c). Both sides must rank the same systems."
    with pytest.raises(DataError, match=r"^a rank correlation needs at least 2 systems; there is 1\. Give more\.$"):
        correlate(["a"], ["a"])
    with pytest.raises(DataError, match="system 'a' occurs 2 times"):
        correlate(["a", "a"], ["a", "b"])
    with pytest.raises(DataError, match=r"^system 'a' has no score \(NaN\); an order needs a score for every system$"):
        correlate({"a": math.nan, "b": 1.0}, ["a", "b"])
    with pytest.raises(ArgumentError, match=r"^`alpha` must be between 0 and 1; got 5. Write 0.05.$"):
        correlate(["a", "b"], ["a", "b"], alpha=5)
    with pytest.raises(ArgumentError, match=r"^`n_resamples` must be 0 or more; got -1$"):
        correlate(["a", "b"], ["a", "b"], n_resamples=-1)
    with pytest.raises(ArgumentError, match=r"^an order is a list of system names, best first; got a single string$"):
        correlate("ab", ["a", "b"])


def test_order_files(tmp_path: Path) -> None:
    path = tmp_path / "order.txt"
    for text in (
        "a\nb\nc\n",
        "system\na\nb\nc\n",
        "system,score\na,3\nb,2\nc,1\n",
        "c 1\nb 2\n\na 3\n",
        "a\t3\nb\t2\nc\t1",
    ):
        path.write_text(text)
        assert is_order(path)
        order = read_order(path)
        assert sorted(order, key=order.get, reverse=True) == ["a", "b", "c"]  # type: ignore[arg-type]
    path.write_text("topic,a,b\n1,0.1,0.2\n")
    assert not is_order(path)
    assert not is_order(tmp_path)
    for scores in ("topic,a\n1,0.1\n2,0.3\n", "0.1,0.2\n.3,1\n", "0.25 0.5\n0.75 1e-3\n", "\u00a0\n"):
        path.write_text(scores)  # a table of scores, though narrow, and a file of nothing
        assert not is_order(path)
    path.write_text("1,0.5\n2,0.25\n")
    assert is_order(path)  # systems may be called 1 and 2
    path.write_text("a 1\na 2\nb x\nc\n")
    with pytest.raises(FileError) as error:
        read_order(path)
    assert str(error.value).splitlines()[1:] == [
        f"  {path}:2: system 'a' occurs twice; keep one line",
        f"  {path}:3: expected a finite score after the system, found 'x'",
        f"  {path}:4: expected a system, or a system and its score, as in the first line; found 1 field",
    ]
    path.write_text("system\n")
    with pytest.raises(FileError, match="contains no systems"):
        read_order(path)


@pytest.mark.parametrize("word", ["run", "tag", "Name", "runid"])
def test_a_system_called_like_a_column_is_not_taken_for_a_header(word: str, tmp_path: Path) -> None:
    path = tmp_path / "order.txt"
    path.write_text(f"{word},0.5\na,0.25\n")
    assert read_order(path) == {word: 0.5, "a": 0.25}
    path.write_text(f"{word},score\na,0.25\n")
    assert read_order(path) == {"a": 0.25}
    path.write_text(f"system\n{word}\na\n")
    assert read_order(path) == {word: 2, "a": 1}
    for text, header in ((f"{word}\na\nb\n", "system"), (f"{word},O.5\na,0.25\n", "system,score")):
        path.write_text(text)
        message = f":1: '{word}' may be a header or a system. Write the header as {header}, above it or instead of it."
        with pytest.raises(FileError, match=re.escape(message)):
            read_order(path)


def test_every_coefficient_is_explained() -> None:
    assert list(coefficients([1, 2], [1, 2])) == list(COEFFICIENTS)


@pytest.mark.slow
@pytest.mark.parametrize("step", [0.08, 0.02])
def test_the_interval_covers_the_tau_of_the_true_means(step: float) -> None:
    """Two measures of 20 systems whose true means are known: 95% intervals from 50 topics, in 300 draws.

    The percentile bootstrap covers .2 or less where the second side moves little, and τ is near 1.
    """
    rng = np.random.default_rng(11)
    m, n = 20, 50
    first = rng.normal(0, 0.08, m)
    second = first + rng.normal(0, step, m)
    truth = rank_correlations(first[None], second[None])["tau"][0]
    systems, topics = [f"s{j:02}" for j in range(m)], [f"t{i:02}" for i in range(n)]
    hits = 0
    for draw in range(300):
        shared = rng.normal(0, 0.15, (n, 1))
        x = ScoreMatrix(first + shared + rng.normal(0, 0.12, (n, m)), topics, systems, "AP")
        y = ScoreMatrix(second + shared + rng.normal(0, 0.12, (n, m)), topics, systems, "P")
        low, high = correlate(x, y, n_resamples=500, seed=draw, workers=1).intervals["tau"] or (0, 0)
        hits += low <= truth <= high
    assert hits / 300 >= 0.92, hits / 300


def test_the_wide_interval_takes_the_largest_of_three_reaches() -> None:
    drawn, factors = np.linspace(0.70, 0.90, 41), np.full(41, 1.05)
    own, t = float(np.std(drawn, ddof=1)), float(stats.t.ppf(0.975, 49))
    spread = float(np.std(corrected_tau(drawn, factors), ddof=1))
    for jackknife in (0.0, 0.12):
        reach = t * max(spread, own, math.sqrt((own**2 + jackknife**2) / 2))
        found = hull(0.8, 1.05, drawn, factors, 50, 0.05, jackknife)
        assert found.corrected is not None
        assert found.lower == pytest.approx(0.8 - reach)
        assert found.upper == pytest.approx(min(found.corrected + reach, 1.0))
