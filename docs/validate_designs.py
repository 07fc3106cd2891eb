"""Promises of designs, rank correlations and decisions about one system, measured (see `validate.py`)."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
from assurance_study import ASSURANCE
from assurance_study import cell as assurance_cell
from fast_designs import relative, variance
from fast_tests import max_t, topic_shares
from gate_study import LOSSES, SD, lower_bounds
from scipy.special import stdtr, stdtrit
from validate import (
    ALPHA,
    COVID,
    EVERY,
    MATRICES,
    RESAMPLES,
    Array,
    Limit,
    Row,
    draws,
    equal_means,
    population,
    populations,
    promise,
    scores_of,
)  # fmt: skip

from cranfield import estimate_variance, recommend, tune
from cranfield.core.resampling import generator, topic_weights
from cranfield.questions.compare.family import all_pairs
from cranfield.questions.monitor.boundaries import nominal, sequence_half_width, spending_boundaries, tuned_rho
from cranfield.scores.rank_coefficients import rank_correlations
from cranfield.scores.tau_interval import RankedScores, tau_intervals


def one_seed(seed: int, *cell: object) -> int:
    """A seed of a cell, for functions that draw for themselves."""
    return int(next(draws(1, seed, *cell)).integers(2**31))


# ── rank correlations ─────────────────────────────────────────────────────────────────────────────────────

PAIRS_OF_MEASURES = {
    "TREC-5 AP, P@10": ("TREC-5 AP", "TREC-5 P@10"),
    "TREC-7 AP, P@10": ("TREC-7 AP", "TREC-7 P@10"),
    "Web 2012 AP, nDCG@20": ("Web 2012 AP", "Web 2012 nDCG@20"),
    "Web 2012 ERR@20, P@20": ("Web 2012 ERR@20", "Web 2012 P@20"),
    "TREC-COVID AP, nDCG@10": tuple(COVID),
}
TAU_RESAMPLES = 300


def tau_of(x: Array, y: Array, tolerance: tuple[float, float]) -> Array:
    """Kendall's τ of the rows of means."""
    return np.asarray(rank_correlations(np.atleast_2d(x), np.atleast_2d(y), tolerance)["tau"])


@promise(
    "tau", "The 95% interval of τ holds the τ of unlimited topics with .93 or more.", 2000,
    Limit("hull", low=0.93),
)  # fmt: skip
def tau_hull(trials: int, seed: int) -> Iterator[Row]:
    """Two measures on the same topics; beside it, in a quarter of the trials, the percentile bootstrap over topics."""
    pairs = [
        (name, *(population(one) for one in both)) for name, both in PAIRS_OF_MEASURES.items() if MATRICES.is_dir()
    ]
    made = population("normal")
    noisy = made + generator(1, 83, 9).normal(0, 0.05, made.shape) + 0.02 * np.sin(np.arange(made.shape[1]))
    pairs.append(("normal, two measures", made, noisy))
    for name, x, y in pairs:
        m = x.shape[1]
        for systems in (m, 25, "top 15"):
            columns = np.argsort(-x.mean(axis=0))[:15] if systems == "top 15" else np.arange(m)
            times = trials
            if systems == m:  # whole tracks take long; that of the narrowest intervals gets more
                times = max(1, trials // 2 if name == "TREC-COVID AP, nDCG@10" else trials * 3 // 20)
            for n in (25, 50):
                held = plain = 0
                width = 0.0
                for trial, rng in enumerate(draws(times, seed, "tau", name, systems, n)):
                    own = rng.permutation(m)[:25] if systems == 25 else columns
                    truth = float(tau_of(x[:, own].mean(axis=0), y[:, own].mean(axis=0), (1e-12, 1e-12))[0])
                    topics = rng.integers(0, len(x), n)
                    a, b = RankedScores.of(x[topics][:, own]), RankedScores.of(y[topics][:, own])
                    tolerance, mine = (a.tolerance, b.tolerance), int(rng.integers(2**31))
                    tau = float(tau_of(a.totals, b.totals, tolerance)[0])
                    found = tau_intervals(
                        a, b, {"tau": tau}, shared=True, alpha=ALPHA, n_resamples=TAU_RESAMPLES, seed=mine, workers=1
                    )["tau"]
                    assert found.lower is not None
                    assert found.upper is not None
                    held += found.lower - 1e-9 <= truth <= found.upper + 1e-9
                    width += (found.upper - found.lower) / times
                    if trial % 4:
                        continue
                    weights = np.concatenate(list(topic_weights(n, TAU_RESAMPLES, mine)))
                    resampled = tau_of(weights @ a.grid, weights @ b.grid, tolerance)
                    low, high = np.quantile(resampled, [ALPHA / 2, 1 - ALPHA / 2])
                    plain += low - 1e-9 <= truth <= high + 1e-9
                shown = f"{systems} systems" if isinstance(systems, int) else systems
                values = {"hull": held / times, "percentile": plain / math.ceil(times / 4), "width": width}
                yield Row(name, f"{n} topics, {shown}", times, values)


# ── designs ───────────────────────────────────────────────────────────────────────────────────────────────


@promise(
    "sizes",
    "The 95% interval of a number of topics holds with .90 or more on TREC scores, and .89 on very uneven topics. The 80% "
    "assured size is enough with .74 to .88, and about .65 on very uneven topics.", 2000,
    Limit("interval", low=0.89), Limit("assured variance is enough", low=0.68),
)  # fmt: skip
def interval_of_sizes(trials: int, seed: int) -> Iterator[Row]:
    """Pilots of some systems and topics; the truth is the variance of the whole population.

    A number of topics grows with its variance, so both intervals hold together. *Assured size*: in a twentieth of
    the trials, sizes for 20 systems, .10 and power .80 by t-tests with Holm, which also depend on the spread of variances.
    """
    for name, whole in populations(*EVERY):
        residual = whole - whole.mean(axis=0) - whole.mean(axis=1, keepdims=True) + whole.mean()
        truth = math.log(np.square(residual).sum() / (len(whole) * (whole.shape[1] - 1)))
        for n, m in ((25, 10), (25, 20), (50, 10), (50, 20)):
            rng = next(draws(1, seed, "sizes", name, n, m))
            found = variance(pilots(whole, n, m, trials, rng))
            reach, alone = found.ends(1 - ALPHA / 2), found.ends(1 - ALPHA / 2, topics_alone=True)
            few = max(1, trials // 20)
            values = {
                "interval": float(np.mean(np.abs(found.log - truth) <= reach)),
                "topics alone": float(np.mean(np.abs(found.log - truth) <= alone)),
                "assured variance is enough": float(np.mean(found.log + found.ends(ASSURANCE) >= truth)),
            }
            if (n, m) in ((25, 20), (50, 10)):
                enough = assurance_cell(scores_of(whole), n, m, few, one_seed(seed, "sizes", name, n, m), "residual")[3]
                values["assured size is enough"] = float(enough)
            yield Row(name, f"{n} topics, {m} systems", trials, values)


def pilots(whole: Array, n: int, m: int, trials: int, rng: np.random.Generator) -> Array:
    """Trials × topics (drawn with replacement) × systems (without)."""
    systems = rng.random((trials, whole.shape[1])).argsort(axis=1)[:, :m]
    topics = rng.integers(0, len(whole), (trials, n))
    return np.asarray(whole[topics[:, :, None], systems[:, None, :]])


def teams_of(whole: Array, count: int) -> Array:
    """As many groups of systems with similar residuals, found by average linkage; they stand in for teams."""
    from scipy.cluster.hierarchy import fcluster, linkage
    from scipy.spatial.distance import squareform

    residual = whole - whole.mean(axis=1, keepdims=True)
    apart = np.clip(1 - np.corrcoef(residual.T), 0, 2)
    np.fill_diagonal(apart, 0)
    return np.asarray(fcluster(linkage(squareform(apart, checks=False), "average"), count, "maxclust"))


def families_of_systems() -> tuple[Array, Array]:
    """200 topics × 30 teams of 1 to 6 systems; three quarters of a residual are shared within the team."""
    rng = generator(1, 83, 30)
    teams = np.repeat(np.arange(30), rng.integers(1, 7, 30))
    shared, own = rng.normal(0, 0.1, (200, 30)), rng.normal(0, 0.1, (200, len(teams)))
    return np.sqrt(0.75) * shared[:, teams] + 0.5 * own, teams


@promise(
    "teams", "The 95% interval of a variance holds with .91 or more when whole teams are sampled and named.", 2000,
    Limit("interval by teams", low=0.91),
)  # fmt: skip
def interval_by_teams(trials: int, seed: int) -> Iterator[Row]:
    """Pilots of ten whole teams. The runs of public matrices have no names: similar runs stand in for teams."""
    cells = [("30 teams, normal", *families_of_systems())]
    for name in ("TREC-8 AP", "Terabyte 2006 AP"):
        if MATRICES.is_dir():
            cells.append((f"{name}, 25 clusters", population(name), teams_of(population(name), 25)))
    for name, whole, teams in cells:
        names = np.unique(teams)
        residual = whole - whole.mean(axis=0) - whole.mean(axis=1, keepdims=True) + whole.mean()
        truth = np.square(residual).sum() / (len(whole) * (whole.shape[1] - 1))
        for n in (25, 50):
            held = np.zeros(2)
            for rng in draws(trials, seed, "teams", name, n):
                chosen = rng.choice(names, 10, replace=False)
                systems = np.flatnonzero(np.isin(teams, chosen))
                x = scores_of(whole[np.ix_(rng.integers(0, len(whole), n), systems)])
                label = {system: f"team {teams[at]}" for system, at in zip(x.systems, systems, strict=True)}
                both = (estimate_variance(x, "residual", teams=label), estimate_variance(x, "residual"))
                held += [one.lower <= truth <= one.upper for one in both]  # type: ignore[operator]
            values = {"interval by teams": held[0] / trials, "interval by systems": held[1] / trials}
            yield Row(name, f"{n} topics, 10 teams", trials, values)


def max_t_power(whole: Array, n: int, k: int, gap: float, trials: int, seed: int, name: str) -> tuple[float, float]:
    """How often the best of k systems beats the worst, and some pair of the others, which are equal, differs."""
    shift = np.zeros(k)
    shift[:2] = gap / 2, -gap / 2
    pairs, flat, shares = all_pairs(k), equal_means(whole), topic_shares(n, RESAMPLES)
    equal = (pairs.a > 1) & (pairs.b > 1)
    hits = wrong = 0
    for rng in draws(trials, seed, "recommend", name, k, n):
        systems = rng.permutation(whole.shape[1])[:k]
        x = flat[np.ix_(rng.integers(0, len(whole), n), systems)] + shift
        found = max_t(x, pairs.a, pairs.b, shares.next(rng), ALPHA)
        rejected = found.statistic > found.critical
        hits += bool(rejected[0])
        wrong += bool(rejected[equal].any())
    return hits / trials, wrong / trials


@promise(
    "recommend", "The recommended number of topics gives max-t a power of .76 to .84 for .80, averaged over pairs.", 2000,
    Limit("power", low=0.76, high=0.84), Limit("error", high=0.07),
)  # fmt: skip
def recommended_power(trials: int, seed: int) -> Iterator[Row]:
    """The number that the whole population recommends, and how often max-t then finds the difference."""
    tracks = ("Terabyte 2006 AP", "Robust 2004 AP", "TREC-8 AP", "TREC-3 AP", "TREC-5 AP", "Web 2012 nDCG@20",
              "TREC-COVID AP")  # fmt: skip
    for name, whole in populations(*tracks):
        scores = scores_of(whole)
        for k in (7, 20):
            found = recommend(scores, k, 0.10)
            holm = int(found.rows.filter(design="all pairs, corrected")["topics"][0])
            powers = [
                max_t_power(whole, n, k, 0.10, times, seed, name)
                for n, times in ((found.n_topics, trials), (holm, max(1, trials // 4)))
            ]
            values = {"topics": float(found.n_topics), "power": powers[0][0], "error": powers[0][1],
                      "topics, t + Holm": float(holm), "power there": powers[1][0]}  # fmt: skip
            yield Row(name, f"{k} systems, .10", trials, values)


# ── one pair ──────────────────────────────────────────────────────────────────────────────────────────────


@promise(
    "gate", "The gate passes a candidate that is at the margin with .05 at most, unless its losses are absent.", 20_000,
    Limit("beyond absent", high=0.05),
)  # fmt: skip
def gate_passes(trials: int, seed: int) -> Iterator[Row]:
    """Losses on few topics, exactly at the margin, and real differences.

    *Absent*: no topic with a loss was drawn, which no method can notice. *Beyond absent*: false passes of samples that
    have such a topic.
    """
    for loss, share in LOSSES:
        for n in (50, 100, 200):
            rng = next(draws(1, seed, "gate", loss, share, n))
            lost = rng.random((trials, n)) < share
            t, hall = lower_bounds(SD * rng.standard_normal((trials, n)) - loss * lost)
            margin, there = -loss * share, lost.any(axis=1)
            values = {"false passes": float(np.mean(hall > margin)), "by t": float(np.mean(t > margin)),
                      "absent": float(np.mean(~there)), "beyond absent": float(np.mean((hall > margin) & there))}  # fmt: skip
            yield Row(f"a loss of {loss:g} on {share:.0%}", f"{n} topics", trials, values)
    for name, whole in populations(*EVERY):
        few = max(1, trials // 2)
        equal = whole - whole.mean(axis=0)
        for n in (25, 50):
            rng = next(draws(1, seed, "gate", name, n))
            pairs = rng.random((few, whole.shape[1])).argsort(axis=1)[:, :2]
            topics = rng.integers(0, len(whole), (few, n))
            d = equal[topics, pairs[:, :1]] - equal[topics, pairs[:, 1:]]
            d = d[d.std(axis=1) > 0]
            t, hall = lower_bounds(d)
            passes = float(np.mean(hall > 0))
            values = {"false passes": passes, "by t": float(np.mean(t > 0)), "beyond absent": passes}
            yield Row(name, f"{n} topics, random pairs", len(d), values)


@promise(
    "monitor",
    "Planned and unplanned looks keep the level .05 for normal differences. On skewed scores it reaches .06 "
    "(O'Brien–Fleming), .08 (Pocock) and .07 (unplanned).", 10_000,
    Limit("O'Brien–Fleming", high=0.06), Limit("Pocock", high=0.08), Limit("unplanned", high=0.07),
)  # fmt: skip
def monitor_levels(trials: int, seed: int) -> Iterator[Row]:
    """No difference, five looks; unplanned: a look after every topic from the 10th to the last. *By t*: without Hall's."""

    def real(name: str) -> Callable[[np.random.Generator, tuple[int, int]], Array]:
        whole = equal_means(population(name))

        def draw(rng: np.random.Generator, size: tuple[int, int]) -> Array:
            pairs = rng.random((size[0], whole.shape[1])).argsort(axis=1)[:, :2]
            topics = rng.integers(0, len(whole), size)
            return np.asarray(whole[topics, pairs[:, :1]] - whole[topics, pairs[:, 1:]])

        return draw

    sources: dict[str, Any] = {
        "normal": lambda rng, size: rng.normal(size=size),
        "Laplace": lambda rng, size: rng.laplace(size=size),
        "exponential": lambda rng, size: rng.exponential(size=size) - 1,
    }
    if MATRICES.is_dir():
        sources |= {name: real(name) for name in EVERY}
    for name, source in sources.items():
        for per_look in (10, 20):
            n = per_look * np.arange(1, 6)
            d = source(next(draws(1, seed, "monitor", name, per_look)), (trials, int(n[-1])))
            p, by_t = np.ones((trials, 5)), np.ones((trials, 5))
            for look, size in enumerate(n):
                part = d[:, :size]
                sd = part.std(axis=1, ddof=1)
                t = np.divide(part.mean(axis=1) * math.sqrt(size), sd, out=np.zeros(trials), where=sd > 1e-12)
                by_t[:, look] = 2 * stdtr(size - 1, -np.abs(t))
                third = np.power(part - part.mean(axis=1, keepdims=True), 3).mean(axis=1)
                a = np.divide(third, sd**3, out=np.zeros(trials), where=sd > 1e-12) / math.sqrt(size)
                hall = t + a * t**2 / 3 + a**2 * t**3 / 27 + a / 6
                p[:, look] = np.maximum(by_t[:, look], np.where(hall * t > 0, 2 * stdtr(size - 1, -np.abs(hall)), 1.0))
            share = (n / n[-1]).tolist()
            values = {}
            for rule, spending in (("O'Brien–Fleming", "obrien-fleming"), ("Pocock", "pocock")):
                boundary = nominal(spending_boundaries(share, spending, ALPHA))
                values[rule] = float((p <= boundary).any(axis=1).mean())
                values[f"{rule}, by t"] = float((by_t <= boundary).any(axis=1).mean())
            count = np.arange(1, int(n[-1]) + 1)
            mean = d.cumsum(axis=1) / count
            with np.errstate(divide="ignore", invalid="ignore"):
                sd = np.sqrt(np.maximum((d**2).cumsum(axis=1) - count * mean**2, 0) / (count - 1))
            half = sequence_half_width(count[9:], sd[:, 9:], tuned_rho(100, ALPHA), ALPHA, student=True)
            missed = (np.abs(mean[:, 9:]) > half) & (sd[:, 9:] > 1e-7)
            values["unplanned"] = float(missed.any(axis=1).mean())
            yield Row(name, f"five looks of {per_look} topics", trials, values)


# ── reliability and tune ──────────────────────────────────────────────────────────────────────────────────


@promise(
    "reliability",
    "The 95% interval of Eρ² holds with .87 or more, that of Φ with .75; from 20 systems on with .90 and .84.", 2000,
    Limit("Eρ², jackknife", low=0.87), Limit("Φ, Arteaga", low=0.75),
)  # fmt: skip
def reliability_intervals(trials: int, seed: int) -> Iterator[Row]:
    """Subsets of systems: the jackknife and Feldt's interval for Eρ², Arteaga's for Φ."""
    for name, population_ in populations(*EVERY):
        n, m = population_.shape
        topics, means = population_.mean(axis=1), population_.mean(axis=0)
        residual = np.square(population_ - topics[:, None] - means + population_.mean()).sum() / (n * (m - 1))
        of_ranking = means.var(ddof=1) / residual
        absolute = means.var(ddof=1) / (residual + topics.var() - residual / m)
        for systems in (one for one in (5, 10, 20, 40) if one <= m):
            rng = next(draws(1, seed, "reliability", name, systems))
            values = {}
            for what, (low, high) in relative(pilots(population_, 50, systems, trials, rng), ALPHA).items():
                true = absolute if what.startswith("Φ") else of_ranking
                values[what] = float(np.mean((low <= true) & (true <= high)))
            yield Row(name, f"50 topics, {systems} systems", trials, values)


@promise(
    "tune", "The 95% interval of `tune` holds the final setting's true mean, unless most topics have the highest score.", 2000,
    Limit("interval", low=0.93),
)  # fmt: skip
def tune_interval(trials: int, seed: int) -> Iterator[Row]:
    """Systems of a track as settings; beside it the t interval of the held-out scores, which ignores the choice."""
    tracks = ("TREC-3 AP", "TREC-5 AP", "TREC-6 P@10", "TREC-8 AP", "Robust 2004 AP", "Web 2012 AP", "TREC-COVID AP")
    for name, whole in populations(*tracks):
        for n in (25, 50):
            held, plain, wider = 0, 0, 0.0
            for rng in draws(trials, seed, "tune", name, n):
                chosen = rng.permutation(whole.shape[1])[:20]
                family = scores_of(whole[np.ix_(rng.integers(0, len(whole), n), chosen)])
                result = tune({"family": family}, folds=10, seed=int(rng.integers(2**31)))
                found = result.families[0]
                truth = float(whole[:, chosen[family.systems.index(found.final)]].mean())
                assert found.lower is not None
                assert found.upper is not None
                held += found.lower <= truth <= found.upper
                t = t_interval(result.held_out.values[:, 0])
                plain += t[0] <= truth <= t[1]
                wider += (found.upper - found.lower) / (t[1] - t[0])
            values = {"interval": held / trials, "t of held-out": plain / trials, "width ratio": wider / trials}
            yield Row(name, f"{n} topics, 20 settings", trials, values)


def t_interval(scores: Array) -> tuple[float, float]:
    """The t interval of a mean."""
    reach = float(stdtrit(len(scores) - 1, 1 - ALPHA / 2)) * scores.std(ddof=1) / math.sqrt(len(scores))
    return float(scores.mean() - reach), float(scores.mean() + reach)
