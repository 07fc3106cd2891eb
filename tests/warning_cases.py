"""For every warning that concludes something: data of which it is true and printed, and data of which it would be false."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache

import numpy as np

import cranfield as cf
from cranfield.collection.groups import GroupSet
from cranfield.core.labels import summary
from cranfield.questions.cost.cost import cost_from_figures
from cranfield.questions.cost.pools import PoolFigure, doubts
from cranfield.questions.design.asked import sense
from cranfield.questions.design.ttest import design_two_sample_ttest
from cranfield.reports.view.data import sentences as view_sentences
from small_collections import qrels_of, run_of

Shown = tuple[str, str]
CASES: dict[str, tuple[Callable[[], Shown], Callable[[], str]]] = {}


def case(name: str, true: Callable[[], object], expected: str, false: Callable[[], object]) -> None:
    assert name not in CASES
    CASES[name] = (lambda: (said(true()), expected), lambda: said(false()))


def said(result: object) -> str:
    """Everything a result warns of; a line of its own for one that warns of nothing."""
    texts = result if isinstance(result, (list, tuple)) else result.warnings  # type: ignore[attr-defined]
    return "\n".join(["warnings:", *texts])


def matrix(values: object, measure: str = "AP", prefix: str = "t") -> cf.ScoreMatrix:
    x = np.asarray(values, dtype=np.float64)
    topics = [f"{prefix}{i:03}" for i in range(len(x))]
    return cf.ScoreMatrix(x, topics, [f"s{j:02}" for j in range(x.shape[1])], measure)


@cache
def noisy(n: int = 30, m: int = 4, step: float = 0.1, seed: int = 1) -> cf.ScoreMatrix:
    """Systems a step apart, on topics that differ."""
    rng = np.random.default_rng(seed)
    return matrix(0.3 + step * np.arange(m) + rng.normal(0, 0.1, (n, 1)) + rng.normal(0, 0.05, (n, m)))


# ── comparison ────────────────────────────────────────────────────────────────────────────────────────────

constant = matrix(np.column_stack([np.linspace(0.1, 0.4, 30), np.linspace(0.2, 0.5, 30)]).round(3))
twins = matrix(np.repeat(noisy(m=1).values, 2, axis=1))
case("comparison.observed-direction", lambda: cf.compare(noisy(), alternative="greater"),
     "Alternative 'greater' for all pairs tests the observed direction: its level is 0.1, not 0.05. "
     "Name a baseline or use 'two-sided'.",
     lambda: cf.compare(noisy(), alternative="greater", baseline="s00"))  # fmt: skip
case("comparison.against-direction", lambda: cf.compare(noisy(), alternative="less"),
     "Alternative 'less' for all pairs tests against the observed direction and finds nothing. "
     "Name a baseline or use 'two-sided'.",
     lambda: cf.compare(noisy(), alternative="less", baseline="s00"))  # fmt: skip
case("comparison.identical", lambda: cf.compare(twins), "Identical runs: {s00, s01}.",
     lambda: cf.compare(noisy(m=2)))  # fmt: skip
case("comparison.lost", lambda: cf.compare(matrix(np.column_stack([noisy(m=2).values, 1e30 * noisy(m=1).values])), test="t"),
     "p = 1 for s00 − s01: their scores differ by less than the rounding beside the largest score, 4.65989e+29. "
     "Compare them without systems with such scores.",
     lambda: cf.compare(noisy(m=3), test="t"))  # fmt: skip
case("comparison.little-left", lambda: cf.compare(matrix(np.column_stack([noisy(m=2).values, 1e12 * noisy(m=1).values])), test="t"),
     "The largest score, 4.65989e+11, limits precision to 0.0039. Do not rely on ranks and p-values among s00, s01. "
     "Compare them without systems with such scores.",
     lambda: cf.compare(matrix(np.column_stack([noisy(m=2).values, 1e9 * noisy(m=1).values])), test="t"))  # fmt: skip
case("comparison.no-spread", lambda: cf.compare(constant, test="t"),
     "The difference is the same on every topic for s01 − s00. The paired t-test has no variance to use, so its p is "
     "only a bound. Use randomisation.",
     lambda: cf.compare(noisy(m=2), test="t"))  # fmt: skip
case("comparison.no-effect-size", lambda: cf.compare(constant),
     "No effect size for s01 − s00: the difference is the same on every topic.",
     lambda: cf.compare(noisy(m=2)))  # fmt: skip
case("comparison.no-spread-bootstrap", lambda: cf.compare(constant, test="bootstrap", n_resamples=200),
     "The difference is the same on every topic for s01 − s00. A bootstrap-shift test has no variance to use, so its p "
     "is meaningless. Use randomisation.",
     lambda: cf.compare(noisy(m=2), test="bootstrap", n_resamples=200))  # fmt: skip
case("comparison.coarse", lambda: cf.compare(noisy(), test="bootstrap", n_resamples=199),
     "Only upper bounds: 6 p-values at the minimum, 1/200. With 6 comparisons, a significant pair has at most 0 "
     "resamples as extreme as it. Randomisation resolves smaller p-values.",
     lambda: cf.compare(noisy(), test="bootstrap", n_resamples=999))  # fmt: skip

# ── design ────────────────────────────────────────────────────────────────────────────────────────────────


@cache
def residual(spherical: bool = True) -> cf.VarianceEstimate:
    rng = np.random.default_rng(2)
    own = rng.normal(0, 0.05, (40, 12)) * (1 if spherical else np.r_[8, np.ones(11)])
    return cf.estimate_variance(matrix(0.4 + rng.normal(0, 0.1, (40, 1)) + own), "residual")


EVIA = [PoolFigure("AP", 100, 731, 0.0530), PoolFigure("AP", 10, 96, 0.0714)]
case("design.upper-bound-systems", lambda: cf.design_anova(residual(), min_diff=0.1, n_topics=50),
     "the number of systems is an upper bound: the F-test is not corrected for unequal variances.",
     lambda: cf.design_anova(residual(), 10, 0.1))  # fmt: skip


def uneven() -> Shown:
    from cranfield.questions.variance.sphericity import unbiased_epsilon

    x = residual(spherical=False).strata[0].scores.values
    epsilon = unbiased_epsilon(np.cov(x.T), len(x))
    text = (
        f"past AP scores violate sphericity (ε = {epsilon:.2f} for 12 systems), so a plain blocked F-test rejects too "
        "often. The size is for the test with degrees of freedom multiplied by ε."
    )
    return said(cf.design_anova(residual(spherical=False), 12, 0.1)), text


CASES["design.not-spherical"] = (uneven, lambda: said(cf.design_anova(residual(), 12, 0.1)))
case("design.one-way-residual", lambda: cf.design_anova(residual(), 10, 0.1, published=True),
     "the residual variance excludes topic variance, so this one-way size is far too small. Use within, or leave out "
     "`published`.",
     lambda: cf.design_anova(residual(), 10, 0.1))  # fmt: skip
case("design.unpaired-residual", lambda: design_two_sample_ttest(residual(), 0.1),
     "the residual variance excludes topic variance, so this two-sample size is far too small. Use within, or pair the "
     "systems.",
     lambda: cf.design_ttest(residual(), 0.1))  # fmt: skip
case("design.left-empty", lambda: cf.design_anova(0.05, None, [0.02, 0.3], n_topics=20, published=True),
     "1 of 2 designs have no solution; their cells are empty. The first: with 20 topics, no number of systems reaches power 0.8 "
     "(two systems: 0.059). Use more topics, a larger `min_diff` or less power.",
     lambda: cf.design_anova(0.05, None, [0.25, 0.3], n_topics=20, published=True))  # fmt: skip


def prices(judged: float) -> tuple[str, ...]:
    import polars as pl

    return doubts(pl.DataFrame({
        "depth": [10, 100], "pool_per_topic": [100.0, 1209.0], "judged_per_topic": [100.0, 1209.0 * judged],
        "judged_share": [1.0, judged],
    }))  # fmt: skip


case("design.share-judged", lambda: prices(0.25),
     "depth 100: only 25% of the pool of depth 100 was judged (302 of 1,209 documents per topic). Its variance is "
     "that of a shallower pool, so it is not recommended.",
     lambda: prices(0.95))  # fmt: skip
case("design.budget-too-small", lambda: cost_from_figures(EVIA, n_systems=10, budget=1000),
     "AP: the budget pays for 1 topics at depth 100; a design needs at least 2.",
     lambda: cost_from_figures(EVIA, n_systems=10, budget=10_000))  # fmt: skip
case("design.no-blocked", lambda: cf.recommend(noisy(m=5), 50, 0.1),
     "no blocked ANOVA design: ε for 50 systems needs at least 8 past systems; there are 5. Give more systems, "
     "ask for at most 5 systems, or use a design for all pairs, which needs no ε.",
     lambda: cf.recommend(noisy(m=5), 5, 0.1))  # fmt: skip
case("design.not-normal", lambda: cf.recommend(matrix(noisy().values.round(1)), 4, 0.1),
     f"only {len(np.unique(noisy().values.round(1)))} different values of AP occur in 120 scores. These designs "
     "assume normal scores; treat the sizes as a guide, and use a randomisation test.",
     lambda: cf.recommend(noisy(), 4, 0.1))  # fmt: skip
hundred = matrix(100 * np.clip(noisy().values, 0, 1))
case("design.per-cent", lambda: sense(hundred, 0.05),
     f"AP scores range from {hundred.values.min():.4g} to {hundred.values.max():.4g} and may be per cent. Write `min_diff` "
     "= 5 if 0.05 means a share of the scale.",
     lambda: sense(hundred, 5))  # fmt: skip
case("design.by-chance",
     lambda: cf.standardisation_effect(matrix([[0.1, 0.9], [0.9, 0.1], [0.2, 0.8], [0.8, 0.2]]), n_systems=[2],
                                       min_diff=[0.1], n_resamples=0),
     "AP, raw: systems differ no more than by chance (F = 0.00); topics for a difference in standard deviations between "
     "systems are undefined",
     lambda: cf.standardisation_effect(noisy(), n_systems=[2], min_diff=[0.1], n_resamples=0))  # fmt: skip

# ── gating, reliability, looks ────────────────────────────────────────────────────────────────────────────

case("gating.wide-margin", lambda: cf.gate(noisy(), candidate="s01", baseline="s00", margin=0.9),
     "The margin 0.9 is at least the mean AP of s00, so almost anything would pass. Give it in units of the measure.",
     lambda: cf.gate(noisy(), candidate="s01", baseline="s00", margin=0.01))  # fmt: skip
level = matrix(np.tile([0.25, 0.5], (6, 1)))
case("gating.no-spread", lambda: cf.gate(level, candidate="s01", baseline="s00", better=True),
     "AP: the difference is +0.25 on every topic, so it decides without a test. Check the scores.",
     lambda: cf.gate(noisy(), candidate="s01", baseline="s00", margin=0.01))  # fmt: skip
opposed = matrix(np.where(np.arange(8)[:, None] % 2 == 0, [0.1, 0.5, 0.9], [0.9, 0.5, 0.1]) + 0.0)
CASES["generalisability.no-agreement"] = (
    lambda: (said(cf.expected_tau(opposed)),
             f"AP: halves of the topics do not agree (mean tau {cf.expected_tau(opposed).at(8)[0]:.3f}). Tau is that "
             "of the halves, without interval."),
    lambda: said(cf.expected_tau(noisy(m=8, step=0.01))),
)  # fmt: skip
case("generalisability.full-agreement", lambda: cf.expected_tau(matrix(np.arange(4) + np.arange(6)[:, None])),
     "AP: all halves of the topics give the same ranking. Tau is that of the halves, without interval.",
     lambda: cf.expected_tau(noisy(m=8, step=0.01)))  # fmt: skip


def barely() -> cf.ScoreMatrix:
    """Halves that agree a little with all topics, and not without one of them."""
    for seed in range(200):
        x = matrix(np.random.default_rng(seed).normal(size=(8, 4)))
        if any("Without one of the topics" in text for text in cf.expected_tau(x).warnings):
            return x
    raise AssertionError("no such scores")


case("generalisability.no-tau-interval", lambda: cf.expected_tau(barely()),
     "AP: no interval for tau. Without one of the topics, the halves do not agree.",
     lambda: cf.expected_tau(noisy(m=8, step=0.01)))  # fmt: skip


def batches(size: int) -> list[cf.ScoreMatrix]:
    x = noisy(m=2)
    return [x.select(topics=x.topics[at : at + size]) for at in range(0, 30, size)]


case("monitoring.early", lambda: cf.monitor(batches(5), max_topics=30, anytime=True),
     "AP: the first look has 5 topics. A confidence sequence is asymptotic; start with 10 or more.",
     lambda: cf.monitor(batches(10), max_topics=30, anytime=True))  # fmt: skip
case("monitoring.blind", lambda: cf.monitor(noisy(4, 2), max_topics=10_000),
     "AP: look 1 is too early to spend any of the level. It has no intervals.",
     lambda: cf.monitor(batches(10), max_topics=30))  # fmt: skip
case("monitoring.no-blinded-interval", lambda: cf.reestimate(matrix([[0.1, 0.2], [0.3, 0.6]]), 0.05),
     "AP: the blinded variance has no interval, because too few topics have a difference.",
     lambda: cf.reestimate(noisy(m=2), 0.05))  # fmt: skip

# ── replicates and reuse ──────────────────────────────────────────────────────────────────────────────────


@cache
def replicated(*, lone: bool = False, published: bool = False, correction: str = "bh", n: int = 2000) -> cf.Replicates:
    """Three partitions of twenty topics; one topic may be wild."""
    rng = np.random.default_rng(4)
    size = np.r_[8.0 if lone else 1.0, np.ones(19)][:, None, None]
    x = 0.5 + 0.1 * np.arange(4)[:, None] + 0.05 * size * rng.normal(size=(20, 4, 3))
    scores = cf.ScoreMatrix(x, [f"t{i:02}" for i in range(20)], list("abcd"), "AP", ["0", "1", "2"])
    return cf.replicate_scores(scores, published=published, correction=correction, n_resamples=n)


@cache
def split(relevant: int) -> cf.Replicates:
    """Runs on documents that are split in two, with so many relevant ones on the second topic."""
    judged = [(topic, f"{topic}-{k}") for topic, many in (("1", 40), ("2", relevant), ("3", 40)) for k in range(many)]
    runs = [
        run_of([(topic, document, float((k * step) % 41)) for k, (topic, document) in enumerate(judged)], name)
        for name, step in (("x", 7), ("y", 11))
    ]
    return cf.replicate(qrels_of((t, "0", d, 1) for t, d in judged), runs, "AP", n_splits=1, n_resamples=200)


def wild_share() -> float:
    """The part of the first topic in the residual sum of squares, by hand."""
    x = np.stack([cut.scores.values for cut in replicated(lone=True)["AP"].data.splits])[0].reshape(20, 3, 4)
    residual = x - x.mean(axis=1, keepdims=True)
    return float((residual[0] ** 2).sum() / (residual**2).sum())


case("replicates.short-topics", lambda: split(1),
     "AP: dropped 1 topics per split, because a partition has none of their relevant documents. Most often: 2.",
     lambda: split(40))  # fmt: skip
case("replicates.none-small-enough", lambda: replicated(correction="holm", n=200),
     "AP: 200 resamples cannot give a p-value small enough for holm over 6 pairs. Use at least 239 resamples.",
     lambda: replicated(correction="holm", n=239))  # fmt: skip
CASES["replicates.dominated"] = (
    lambda: (said(replicated(lone=True)),
             f"AP: topic t00 contributes {wild_share():.0%} of the residual sum of squares, so the interval lengths "
             "depend on it. Check whether it has few relevant documents."),
    lambda: said(replicated()),
)  # fmt: skip
case("replicates.raw", lambda: replicated(published=True),
     "Raw residuals make intervals too short by √((x−1)/x) (0.82). Use rescaled residuals.",
     replicated)  # fmt: skip
case("replicates.effect", lambda: replicated(published=True),
     "p = effect ignores the variance of one system, so type I error is several times alpha. Use p = difference.",
     replicated)  # fmt: skip


def shared_part() -> Shown:
    """What all systems share of a residual, by hand."""
    x = replicated(published=True)["AP"].data.splits[0].scores.values.reshape(20, 3, 4)
    residual = x - x.mean(axis=1, keepdims=True)
    share = 4 * (residual.mean(axis=2) ** 2).sum() / (residual**2).sum()
    return said(replicated(published=True)), (
        f"Resampling cells assumes independent residuals, but systems share {share:.0%} of their sum of squares "
        "(topic × partition). Use rows."
    )


CASES["replicates.cells"] = (shared_part, lambda: said(replicated()))


@cache
def reused(level: int) -> cf.Reuse:
    """Two teams; with all judgments at level 0 nobody scores."""
    lists = {"r1": "abx", "r2": "cab", "b1": "bda"}
    runs = [run_of([(t, d, -k) for t in "12" for k, d in enumerate(order)], name) for name, order in lists.items()]
    judged = qrels_of((t, "0", d, level * (d in "ac")) for t in "12" for d in "abcd")
    teams = {"r1": "red", "r2": "red", "b1": "blue"}
    return cf.reuse(judged, runs, teams, measures="P@2", depths=3, cutoff=2, n_resamples=20)


CASES["reusability.no-tau"] = (
    lambda: (said(reused(0)),
             f"{reused(0).to_frame().height} of {reused(0).to_frame().height} rows have no tau, because all systems tie with or "
             "without the judgments."),
    lambda: said(reused_apart()),
)  # fmt: skip


CASES["reusability.pool-not-judged"] = (
    lambda: (said(reused(1)),  # x is in the pool of a, b, c, d and x, and nobody judged it
             "Depth 3: only 80% of the pool of depth 3 was judged (4 of 5 documents per topic). Rank losses there are "
             "underestimated, because fewer judged documents are unique to a team. Use a shallower depth, or name the "
             "runs that built the pool (`contributing`)."),
    lambda: said(reused_apart()),
)  # fmt: skip


@cache
def reused_apart() -> cf.Reuse:
    """Runs that never tie."""
    lists = {"r1": "abcd", "r2": "bacx", "b1": "xyab"}
    runs = [run_of([(t, d, -k) for t in "12" for k, d in enumerate(order)], name) for name, order in lists.items()]
    judged = qrels_of((t, "0", d, int(d in "ac")) for t in "12" for d in "abcdxy")
    return cf.reuse(judged, runs, {"r1": "r", "r2": "r", "b1": "b"}, measures="AP", depths=4, cutoff=4, n_resamples=20)


# ── rankings, standardisation, tuning, variance, simulation ───────────────────────────────────────────────

apart = matrix(noisy().values, prefix="u")
flat = matrix(np.full((5, 3), 0.5))
case("scores.apart", lambda: cf.correlate(noisy(), apart, n_resamples=50),
     "the two sides share no topic (30 and 30 topics); they are treated as independent",
     lambda: cf.correlate(noisy(), noisy(), n_resamples=50))  # fmt: skip
case("scores.no-bootstrap", lambda: cf.correlate(noisy(1), noisy(1)),
     "no interval: a bootstrap needs at least 2 topics on each side",
     lambda: cf.correlate(noisy(), noisy(), n_resamples=50))  # fmt: skip
case("scores.few-systems", lambda: cf.correlate(noisy(m=4), noisy(m=4), n_resamples=50),
     "no interval: 4 systems; the interval of a rank correlation needs at least 5.",
     lambda: cf.correlate(noisy(m=5), noisy(m=5), n_resamples=50))  # fmt: skip
case("scores.few-topics-apart", lambda: cf.correlate(noisy(49, m=5), matrix(noisy(50, m=5).values, prefix="u"), n_resamples=50),
     "no interval: 49 and 50 topics; sides without a common topic need at least 50 each.",
     lambda: cf.correlate(noisy(50, m=5), matrix(noisy(50, m=5).values, prefix="u"), n_resamples=50))  # fmt: skip
case("scores.undefined", lambda: cf.correlate({"a": 1.0, "b": 1.0}, ["a", "b"]),
     "tau_b and tau_ap_b undefined: all systems tie on one side",
     lambda: cf.correlate({"a": 1.0, "b": 0.5}, ["a", "b"]))  # fmt: skip
case("scores.tied-pairs", lambda: cf.correlate({"a": 1.0, "b": 1.0, "c": 0.0}, ["a", "b", "c"]),
     "tied pairs of systems: 1 in the reference, 0 in the estimate. Prefer tau_b or tau_ap_b; tau_ap is averaged over the "
     "orders of tied systems",
     lambda: cf.correlate({"a": 1.0, "b": 0.5, "c": 0.0}, ["a", "b", "c"]))  # fmt: skip

tied = matrix([[0.1, 0.1, 0.1], [0.1, 0.2, 0.3]])
new = matrix([[0.1, 0.2, 0.0], [0.2, 0.2, 9.0]])
case("standardise.tied", lambda: cf.fit_standardisation(tied),
     "AP: all standardising systems tied on 1 of 2 topics (t000). A score there that is equal, higher or "
     "lower becomes 0, +inf or -inf (z), or b, 1 or 0 (ab)",
     lambda: cf.fit_standardisation(noisy()))  # fmt: skip
case("standardise.tied-topics", lambda: cf.fit_standardisation(tied).apply(new),
     "AP: on 1 of 2 topics all standardising systems have the same score; 2 other scores differ from it",
     lambda: cf.fit_standardisation(noisy()).apply(noisy()))  # fmt: skip
case("standardise.off-tie", lambda: cf.fit_standardisation(tied).apply(new).clipping(),
     "AP: 2 scores became 1 or 0, because they differ from the one score of all standardising systems",
     lambda: cf.fit_standardisation(noisy()).apply(noisy()).clipping())  # fmt: skip
case("standardise.clipped", lambda: cf.fit_standardisation(tied).apply(new).clipping(),
     "AP: 1 of 6 cells (16.67%) were clipped: 0 at 0, 1 at 1",
     lambda: cf.fit_standardisation(noisy()).apply(noisy()).clipping())  # fmt: skip
case("standardise.tied-without",
     lambda: cf.standardisation_robustness(matrix([[0, 0, 0, 0.4], [0.1, 0.2, 0.3, 0.4]])),
     "in 1 cases (left-out system, topic) all other systems tie; the score there is average, best or worst",
     lambda: cf.standardisation_robustness(noisy()))  # fmt: skip


@cache
def tuned(correlation: float, families: int = 1, seed: int = 1, **how: object) -> cf.Tuning:
    """Fifty equally good settings, more or less alike topic by topic."""
    rng = np.random.default_rng(seed)
    shared, own = rng.normal(size=(50, 1)), rng.normal(size=(50, 50))
    x = matrix(0.5 + 0.1 * (np.sqrt(correlation) * shared + np.sqrt(1 - correlation) * own))
    y = rng.normal(0.5, 0.1, (50, 1))
    other = {"y": matrix(np.hstack([y, y - 0.3]))} if families == 2 else {}
    return cf.tune({"x": x, **other}, **how)  # type: ignore[arg-type]


@cache
def clear(**how: object) -> cf.Tuning:
    return cf.tune({"x": noisy()}, **how)  # type: ignore[arg-type]


case("tuning.tied", lambda: cf.tune({"x": matrix(np.repeat([[0.0, 0.5, 0.5]], 10, axis=0))}, folds=5),
     "x: several settings share the best training mean in 5 of 5 folds. The first in the given order was chosen.",
     lambda: clear(folds=5))  # fmt: skip
case("tuning.dependent", lambda: tuned(0.0, 2, folds=10),
     "x: settings close to the best differ much from topic to topic, so held-out scores are dependent. A test on "
     "them may reject too often; their mean is unaffected. Use fewer folds or a single hold-out.",
     lambda: tuned(0.9, 2, folds=10))  # fmt: skip
case("tuning.leave-one-out", lambda: clear(leave_one_out=True),
     "Leave-one-out: the held-out mean is as unbiased as with folds, but its variance is larger. Prefer repeated "
     "folds (the default).",
     lambda: clear(folds=5))  # fmt: skip
CASES["tuning.mixture"] = (
    lambda: (said(tuned(0.0, seed=2, folds=10)),
             f"x: only {max_share(tuned(0.0, seed=2, folds=10)):.0%} of the folds chose the final setting, so the held-out "
             "mean is that of several settings. Other topics may lead to another choice."),
    lambda: said(clear(folds=10)),
)  # fmt: skip


def max_share(result: cf.Tuning) -> float:
    """How many folds chose the final setting."""
    family = result["x"]
    return sum(one == family.final for one in family.chosen) / len(family.chosen)


case("tuning.never-held-out", lambda: clear(holdout=0.2),
     ("24 of 30 topics were never held out, so the held-out scores cover 6 topics. N-fold and leave-one-out cover "
     "all topics."),
     lambda: clear(folds=5))  # fmt: skip
case("variance.no-interval", lambda: cf.estimate_variance(noisy(2), "within"),
     "AP: no interval for the within variance: it needs at least 3 topics.",
     lambda: cf.estimate_variance(noisy(), "within"))  # fmt: skip
case("variance.topics-alone", lambda: cf.estimate_variance(noisy(m=2), "within"),
     "AP: the interval of the within variance reflects topics only; including systems takes at least 3.",
     lambda: cf.estimate_variance(noisy(), "within"))  # fmt: skip
doubled = matrix(np.column_stack([noisy().values, noisy().values[:, 0]]))
case("simulation.copies", lambda: cf.simulate_tests(doubled, n_trials=10, n_topics=10, tests="t"),
     "The simulation drops 1 system with the same scores as another.",
     lambda: cf.simulate_tests(noisy(), n_trials=10, n_topics=10, tests="t"))  # fmt: skip

# ── evaluation ────────────────────────────────────────────────────────────────────────────────────────────


def evaluated(documents: str = "abc", topics: str = "12", relevance: int = 1, many: int = 0) -> cf.Scores:
    """One run that fits, and one with these topics and documents."""
    judged = qrels_of((t, "0", d, relevance if t == "2" else 1) for t in "12" for d in [*"abc", *map(str, range(many))])
    good = [(t, d, -k) for t in "12" for k, d in enumerate("abc")]
    other = [(t, d, -k) for t in topics for k, d in enumerate([*documents, *(f"x{i}" for i in range(many))])]
    return cf.evaluate(judged, [run_of(good, "good"), run_of(other, "other")], "AP")


def grouped(documents: str) -> cf.Scores:
    members = {("1", document): (1.0, 0.0) for document in documents}
    qrels, run = cf.as_qrels({"1": {"a": 1, "b": 1, "c": 0}}), run_of([("1", "a", 2), ("1", "b", 1)])
    return cf.evaluate(qrels, run, "GFR", groups=[GroupSet("A", members, (0.5, 0.5))])


def battles(topics: int, won: int) -> cf.PreferenceRanking:
    """Three systems meet on each topic; the first two win as many games each, and the third wins `won` of ten."""
    rows = []
    for at in range(topics):
        rows += [(str(at), "x", "y", "ab"[at % 2])]
        rows += [(str(at), one, "z", "b" if (at + 3 * (one == "y")) % 10 < won else "a") for one in "xy"]
    return cf.preferences(rows)


case("measures.no-common-topic", lambda: evaluated(topics="89"),
     "other: no topic in common with qrels; do the topic ids agree?", evaluated)  # fmt: skip
case("measures.none-judged", lambda: evaluated("ABC"),
     "other: none of its documents is judged; do the document ids agree?", evaluated)  # fmt: skip
case("measures.hardly-judged", lambda: evaluated("a", many=400),
     "other: only 2 of its 802 documents on judged topics are judged; do the document ids agree? `cranfield check` "
     "compares them",
     evaluated)  # fmt: skip
case("measures.missing-topics", lambda: evaluated(topics="1"),
     "other: no document for 1 of 2 topics, scored 0: 2", evaluated)  # fmt: skip
case("measures.unjudged-topics", lambda: evaluated(topics="123"),
     "other: 1 topic without judgments dropped: 3", evaluated)  # fmt: skip
case(
    "measures.no-groups",
    lambda: grouped("a"),
    "A: 1 relevant document without groups count as spread evenly over them",
    lambda: grouped("ab"),
)
case("measures.no-relevant", lambda: evaluated(relevance=0),
     "1 of 2 topics have no relevant document, so every system scores 0 there: 2", evaluated)  # fmt: skip


def at_ten(judged: int) -> cf.Scores:
    """Two runs of ten documents, one of them with this many judged; half of the judged are relevant."""
    qrels = qrels_of((t, "0", f"d{k}", k % 2) for t in "12" for k in range(10))
    good = [(t, f"d{k}", -k) for t in "12" for k in range(10)]
    other = [(t, f"d{k}" if k < judged else f"x{k}", -k) for t in "12" for k in range(10)]
    return cf.evaluate(qrels, [run_of(good, "good"), run_of(other, "other")], ["AP", "P@5"])


case("measures.mostly-unjudged", lambda: at_ten(8),
     "1 of 2 runs has less than 90% of its top 10 judged (lowest: other, 80%). Unjudged documents count as not "
     "relevant, so these scores may be too low. Score condensed lists (`judged_only`), or compute bounds (`unjudged` of "
     "compare).",
     lambda: at_ten(9))  # fmt: skip


@cache
def sampled(seed: int) -> cf.Sample:
    """A shallow pool of few runs."""
    return cf.make_sample(n_topics=30, n_systems=2, n_documents=400, depth=1, seed=seed)


def lost(seed: int) -> list[str]:
    """Topics of a sample without a relevant document among its judgments."""
    frame = sampled(seed).qrels.frame
    return [t for t in sampled(seed).topics["topic"] if not (frame.filter(frame["topic"] == t)["relevance"] > 0).any()]


def pool_text() -> Shown:
    topics = sorted(lost(1), key=int)
    which = f"topic {topics[0]} has" if len(topics) == 1 else f"{len(topics)} topics ({summary(topics)}) have"
    return said(sampled(1)), f"{which} no relevant document in the pool of depth 1, so every system scores 0 there"


CASES["measures.none-in-pool"] = (pool_text, lambda: said(cf.make_sample(n_topics=5, n_systems=6, n_documents=400)))


def viewed(leader: str) -> list[str]:
    result = cf.compare(noisy())
    return view_sentences(result, {"AP": [result.systems[0]], "P@10": [leader]}, {"P@10": 0.5}, None, 10)


case("report.same-leader-view", lambda: viewed("s03"), "The same system leads by P@10", lambda: viewed("s00"))

# ── preferences ───────────────────────────────────────────────────────────────────────────────────────────

case("preferences.few-topics", lambda: battles(10, 4), "10 topics: intervals are approximate below 20 topics.",
     lambda: battles(20, 4))  # fmt: skip
