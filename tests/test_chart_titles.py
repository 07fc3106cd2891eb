"""Titles of charts that conclude something: said where they are true, with the right figures, and not elsewhere."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache

import numpy as np
import pytest

import cranfield as cf
from across_cases import scored
from cranfield.core.answer import every_sentence
from cranfield.core.charts import chart
from cranfield.questions.correlate.correlate import Correlations
from small_collections import qrels_of, run_of

TITLES = {name: one for name, one in every_sentence().items() if name.startswith("charts.")}
pytestmark = pytest.mark.filterwarnings("ignore::cranfield.core.errors.CranfieldWarning")


def titled(result: object, kind: str | None = None, **options: object) -> str:
    """The title of a chart in one line."""
    return " ".join(chart(result, kind, **options).title.text)  # type: ignore[union-attr]


def matrix(values: object) -> cf.ScoreMatrix:
    x = np.asarray(values, dtype=np.float64)
    return cf.ScoreMatrix(x, [str(t) for t in range(len(x))], list("abcdef"[: x.shape[1]]), "AP")


@cache
def noisy(*effects: float, n: int = 30, seed: int = 1) -> cf.ScoreMatrix:
    rng = np.random.default_rng(seed)
    spread = rng.normal(0, 0.05, (n, 1)) + rng.normal(0, 0.05, (n, len(effects)))
    return matrix(np.clip(np.asarray(effects) + spread, 0, 1))


FLAT = matrix(np.tile([0.2, 0.5], (6, 1)))
"""Every topic alike."""


def effect(x: cf.ScoreMatrix) -> cf.StandardisationEffect:
    return cf.standardisation_effect(x, n_systems=[5], min_diff=[0.1], n_resamples=20)


@cache
def tuned(*gains: float) -> cf.Tuning:
    rng = np.random.default_rng(1)
    settings = [f"bm25(b={b})" for b in (0.1, 0.2, 0.3)] + [f"lm(mu={mu})" for mu in (1, 2, 3)]
    values = 0.3 + rng.normal(0, 0.1, (30, 6)) + np.asarray(gains)
    return cf.tune(cf.ScoreMatrix(values, [str(t) for t in range(30)], settings, "AP"), folds=5)


@cache
def reused(order: str) -> cf.Reuse:
    levels = {"a": 1, "b": 0, "c": 1, "d": 0, "x": 0}
    lists = {"r1": "abx", "r2": "cab", "b1": "bda"} if order == "own" else {"r1": "abcd", "r2": "bacd", "b1": "abdc"}
    qrels = qrels_of((topic, "0", document, level) for topic in "12" for document, level in levels.items())
    runs = [
        run_of([(t, d, -k) for t in "12" for k, d in enumerate(documents)], name) for name, documents in lists.items()
    ]
    teams = {"r1": "red", "r2": "red", "b1": "blue"}
    depths = 3 if order == "own" else 4
    return cf.reuse(qrels, runs, teams, measures=["AP"], depths=depths, cutoff=2, n_resamples=20)


@cache
def copies(seed: int, splits: int = 2) -> cf.Replicates:
    sample = cf.make_sample(n_topics=8, n_systems=4, n_documents=400, seed=seed)
    return cf.replicate(sample.qrels, sample.runs, "AP", n_splits=splits, n_resamples=100)


def extremes(x: cf.ScoreMatrix) -> str:
    means = x.values.mean(axis=1)
    low, high = int(means.argmin()), int(means.argmax())
    return f"Topics differ: mean AP from {means[low]:.3f} (topic {low}) to {means[high]:.3f} (topic {high})"


def different(result: cf.Replicates) -> int:
    return int(result.to_frame().filter(decision="different").height)


def most_optimism(result: cf.Tuning) -> float:
    return max(one.in_sample_mean - one.held_out_mean for one in result.families)


def one_family() -> cf.Tuning:
    settings = [f"bm25(b={b})" for b in (0.1, 0.2, 0.3)]
    return cf.tune(cf.ScoreMatrix(noisy(0.3, 0.4, 0.5).values, [str(t) for t in range(30)], settings, "AP"), folds=5)


def f_of(x: np.ndarray) -> float:
    n, m = x.shape
    rest = x - x.mean(0) - x.mean(1, keepdims=True) + x.mean()
    return float(n * ((x.mean(0) - x.mean()) ** 2).sum() / (m - 1) / ((rest**2).sum() / ((n - 1) * (m - 1))))


Case = tuple[Callable[[], str], Callable[[], str], Callable[[], str]]
CASES: dict[str, Case] = {}


def case(name: str, true: Callable[[], str], expected: Callable[[], str], false: Callable[[], str]) -> None:
    """What is drawn, the title it must have, and a drawing of which that title would be false."""
    CASES[f"charts.{name}"] = (true, expected, false)


def t_below(x: cf.ScoreMatrix, alpha: float = 0.05) -> float:
    """Share of pairs that a paired t-test separates, where that is clear-cut."""
    from scipy import stats

    v, m = x.values, x.n_systems
    p = [stats.ttest_rel(v[:, i], v[:, j]).pvalue for i in range(m) for j in range(i + 1, m)]
    return float(np.mean(np.asarray(p) <= alpha))


STEPS, ALIKE = noisy(0.3, 0.4, 0.5, 0.6), noisy(0.5, 0.5, 0.5)
LOOKS, ONE_LOOK = cf.design_looks(0.02, 0.1), cf.design_looks(0.02, 0.1, looks=1)
PAIR = cf.design_ttest(variance_of_difference=0.04, min_diff=0.1)


def several(c: float, d: float) -> Correlations:
    other = noisy(0.3, 0.4, d, c)
    return Correlations((cf.correlate(STEPS, STEPS, n_resamples=0), cf.correlate(STEPS, other, n_resamples=0)))


def folds_apart(x: cf.ScoreMatrix) -> str:
    rows = cf.variances(x).to_frame().sort("variance")
    low, high = rows.row(0, named=True), rows.row(-1, named=True)
    ratio = high["variance"] / low["variance"]
    ends = [f"{row['method']} {row['variance']:.4f}" for row in (low, high)]
    return f"Estimators of the AP variance differ {ratio:.1f}-fold: {ends[0]}, {ends[1]}"


@cache
def bias(n: int) -> cf.SelectionBias:
    return cf.selection_bias(n, 20, folds=5, n_experiments=40)


def declared(result: cf.SelectionBias) -> str:
    rows = {row["tested"]: f"{row['declared_better']:.0%}" for row in result.to_frame().iter_rows(named=True)}
    return (
        f"Tested in-sample, an equally good system is declared better in {rows['in-sample']} of experiments; held "
        f"out, in {rows['held-out']}"
    )


def robust(x: cf.ScoreMatrix) -> str:
    return titled(cf.standardisation_robustness(x))


case("f-changes", lambda: titled(effect(STEPS)),
     lambda: f"Standardisation raises the F for AP from {f_of(STEPS.values):.0f} to 331",
     lambda: titled(effect(noisy(0.3, 0.4, 0.5, 0.6, seed=2))))  # fmt: skip
case("left-out", lambda: robust(STEPS), lambda: "Leaving a system out moves its mean by at most 0.1382 and 0 ranks",
     lambda: robust(ALIKE))  # fmt: skip
case("with-baseline", lambda: titled(cf.compare(STEPS, baseline="a")),
     lambda: "3 of 3 comparisons with the baseline are significant", lambda: titled(cf.compare(STEPS)))  # fmt: skip
case("before-correction", lambda: titled(cf.compare(STEPS), "significance-levels"),
     lambda: f"AP separates {t_below(STEPS):.0%} of 6 pairs before correction",
     lambda: titled(cf.compare(ALIKE), "significance-levels"))  # fmt: skip
case("detect", lambda: titled(PAIR, "power"),
     lambda: f"{PAIR.rows['topics'][0]} topics detect a difference of 0.1 with probability "
             f"{PAIR.rows['achieved_power'][0]:.2f}",
     lambda: titled(cf.design_ttest(variance_of_difference=0.04, min_diff=0.2), "power"))  # fmt: skip
case("looks-take", lambda: titled(LOOKS),
     lambda: f"5 looks take {LOOKS.expected_alternative:.1f} topics on average and {LOOKS.topics_max} at most; one look "
             f"takes {LOOKS.topics_fixed}",
     lambda: titled(ONE_LOOK))  # fmt: skip
case("other-documents", lambda: titled(copies(3)),
     lambda: f"Over document partitions, {different(copies(3))} of 6 pairs differ in AP; mean interval length "
             f"{copies(3)['AP'].mean_length:.4f}",
     lambda: titled(copies(5)))  # fmt: skip
case("splits-agree", lambda: titled(copies(3), "agreement"), lambda: "All 2 splits agree on 6 of 6 pairs (100%)",
     lambda: titled(copies(3, 1), "agreement"))  # fmt: skip
case("replicates-beside", lambda: titled(copies(3), "methods", n_resamples=200),
     lambda: f"Replicates separate {different(copies(3))} of 6 pairs; randomisation over topics separates 5",
     lambda: titled(copies(5), "methods", n_resamples=200))  # fmt: skip
case("loses-up-to", lambda: titled(reused("own"), "depths"),
     lambda: "AP: without its team's judgments a run loses up to 1 rank at depth 3",
     lambda: titled(reused("shared"), "depths"))  # fmt: skip
case("highest-mean", lambda: titled(STEPS, "systems"),
     lambda: f"d has the highest mean AP: {STEPS.values[:, 3].mean():.3f}",
     lambda: titled(matrix(np.tile([0.3, 0.3], (4, 1))), "systems"))  # fmt: skip
case("highest-mean-shared", lambda: titled(matrix(np.tile([0.3, 0.3], (4, 1))), "systems"),
     lambda: "2 systems share the highest mean AP: 0.300", lambda: titled(STEPS, "systems"))  # fmt: skip
case("promises-too-much", lambda: titled(tuned(0, 0, 0.3, 0, 0, 0), "folds"),
     lambda: f"In-sample tuning overestimates lm by {most_optimism(tuned(0, 0, 0.3, 0, 0, 0)):.4f}",
     lambda: titled(tuned(0, 0, 0.3, 0, 0.3, 0), "folds"))  # fmt: skip
case("promises-no-more", lambda: titled(tuned(0, 0, 0.3, 0, 0.3, 0), "folds"),
     lambda: "No in-sample mean is above its held-out mean",
     lambda: titled(tuned(0, 0, 0.3, 0, 0, 0), "folds"))  # fmt: skip
case("best-held-out", lambda: titled(tuned(0, 0, 0.3, 0, 0, 0), "curve"),
     lambda: f"bm25 has the best held-out mean of 2 families: {tuned(0, 0, 0.3, 0, 0, 0).families[0].held_out_mean:.4f}",
     lambda: titled(one_family(), "curve"))  # fmt: skip
case("declared-better", lambda: titled(bias(10)), lambda: declared(bias(10)), lambda: titled(bias(3)))
case("orders-agree", lambda: titled(cf.correlate(STEPS, noisy(0.3, 0.4, 0.6, 0.5), n_resamples=0)),
     lambda: "τ = 0.667 between the two orders of 4 systems",
     lambda: titled(cf.correlate(STEPS, matrix(np.full((30, 4), 0.5)), n_resamples=0)))  # fmt: skip
case("topics-differ", lambda: titled(STEPS, "topics"), lambda: extremes(STEPS), lambda: titled(FLAT, "topics"))
case(
    "several-orders-agree",
    lambda: titled(several(0.5, 0.6)),
    lambda: "τ between the orders ranges from 0.667 to 1",
    lambda: titled(cf.correlate(STEPS, STEPS, n_resamples=0)),
)
case(
    "several-orders-alike",
    lambda: titled(several(0.6, 0.5)),
    lambda: "τ = 1 for every pair of orders",
    lambda: titled(several(0.5, 0.6)),
)
case("estimators-differ", lambda: titled(cf.variances(STEPS), "estimators"), lambda: folds_apart(STEPS),
     lambda: titled(cf.variances(FLAT), "estimators"))  # fmt: skip


@cache
def over_collections(kind: str) -> cf.Across:
    effects = {
        "turns": [[0.9, 0.3], [0.3, 0.4], [0.3, 0.4]],
        "apart": [[0.5, 0.3, 0.1]] * 9,
        "many": [[0.5, 0.3, 0.1]] * 15,
    }[kind]
    return cf.across(scored(effects, n=20), n_resamples=99)


case("across-forest", lambda: titled(over_collections("turns"), "forest"),
     lambda: "a is ahead of b on 1 of 3 collections", lambda: titled(over_collections("apart"), "forest"))  # fmt: skip
case("across-ranks", lambda: titled(over_collections("apart"), "critical-difference"),
     lambda: "a has the best mean rank; 2 systems lie within the critical difference",
     lambda: titled(over_collections("many"), "critical-difference"))  # fmt: skip


def largest_source() -> str:
    table = over_collections("turns").components()
    top = table["variance"].arg_max()
    return f"The largest source of variance is {table['component'][top]} ({table['share'][top]:.0%})"


case("across-source", lambda: titled(over_collections("turns"), "components"), largest_source,
     lambda: titled(over_collections("apart"), "components"))  # fmt: skip


@pytest.mark.parametrize("name", TITLES)
def test_a_title_is_said_where_it_is_true_and_only_there(name: str) -> None:
    true, expected, false = CASES[name]
    assert TITLES[name].pattern.fullmatch(expected()), f"{expected()!r} is not {TITLES[name].template!r}"
    assert true() == expected()
    other = false()
    assert other
    if TITLES[name].always:
        assert other != expected()
    else:
        assert TITLES[name].pattern.search(other) is None, f"said though false: {other}"


def test_every_title_has_its_case() -> None:
    assert set(CASES) == set(TITLES)
