"""Error rates of `across` on simulated scores with known truth: ``python docs/across_study.py [TRIALS]``.

Every row is the share of families of ten pairs (five systems, unless it says otherwise) with at least one false positive at level .05, all
systems being equal. The rows of BEIR draw collections from real means and need ``../shared``.
"""

from __future__ import annotations

import math
import sys
from collections.abc import Callable
from pathlib import Path

import numpy as np
import polars as pl
from numpy.typing import NDArray

from cranfield.questions.across.across import holds_in
from cranfield.questions.across.claims import like_these, these_collections
from cranfield.questions.across.collected import Collected
from cranfield.questions.across.seeds import recipes
from cranfield.questions.compare.clusters import Clusters
from cranfield.questions.compare.family import Pairs, all_pairs

Array = NDArray[np.float64]
ALPHA, SYSTEMS, RESAMPLES = 0.05, 5, 499
PAIRS = all_pairs(SYSTEMS)
BEIR = Path(__file__).resolve().parents[2] / "shared" / "data" / "across" / "beir15.means.csv"


def rate(name: str, trials: int, trial: Callable[[np.random.Generator, int], bool]) -> None:
    """Print the share of trials that err, with its standard error."""
    hits = sum(trial(np.random.default_rng([20261118, at]), at) for at in range(trials))
    share = hits / trials
    sys.stdout.write(f"{name:<52} {share:.3f} ± {math.sqrt(share * (1 - share) / trials):.3f}\n")
    sys.stdout.flush()


def scores(rng: np.random.Generator, n: int, columns: int, skewed: bool) -> Array:
    """Topics × columns with equal means; skewed: few topics carry the differences."""
    noise = rng.normal(0, 0.15, (n, columns))
    if skewed:
        noise = np.where(rng.random((n, columns)) < 0.1, rng.exponential(0.4, (n, columns)) - 0.4, 0.02 * noise)
    return np.asarray(0.4 + rng.normal(0, 0.15, (n, 1)) + noise)


def these(sizes: tuple[int, ...], skewed: bool) -> Callable[[np.random.Generator, int], bool]:
    def trial(rng: np.random.Generator, seed: int) -> bool:
        data = [scores(rng, n, SYSTEMS, skewed) for n in sizes]
        weights = np.full(len(sizes), 1 / len(sizes))
        found = these_collections(data, weights, PAIRS.a, PAIRS.b, alpha=ALPHA, n_resamples=RESAMPLES, seed=seed)
        return bool((found.p_adjusted <= ALPHA).any())

    return trial


def like(k: int, population: str, m: int = SYSTEMS) -> Callable[[np.random.Generator, int], bool]:
    real, pairs = None, all_pairs(m)
    if population == "BEIR":
        wide = pl.read_csv(BEIR).pivot(on="system", index="collection", values="value").drop("collection").to_numpy()
        real = wide - wide.mean(axis=0)  # every system has the same mean over the population of 15 collections

    def trial(rng: np.random.Generator, seed: int) -> bool:
        if real is not None:
            systems = rng.choice(real.shape[1], m, replace=False)
            means = real[rng.integers(len(real), size=k)][:, systems]
        else:
            noise = rng.normal(0, 0.05, (k, m))
            if population == "skewed":
                noise = 0.05 * (rng.exponential(1, (k, m)) - 1)
            means = 0.4 + rng.normal(0, 0.2, (k, 1)) + noise
        found = like_these(means, pairs.a, pairs.b, alpha=ALPHA, n_resamples=RESAMPLES, seed=seed)
        return bool((found.p_adjusted <= ALPHA).any())

    return trial


def recipe(
    r: int, k: int, n: int, sd: tuple[float, ...], cover: bool = False
) -> Callable[[np.random.Generator, int], bool]:
    runs = [slice(j * r, j * r + r) for j in range(SYSTEMS)]

    def trial(rng: np.random.Generator, seed: int) -> bool:
        trained = rng.normal(0, 1, SYSTEMS * r) * np.repeat(sd, r)
        data = []
        for _ in range(k):
            systems = np.repeat(scores(rng, n, SYSTEMS, False), r, axis=1)
            data.append(systems + trained + rng.normal(0, 0.05, (n, SYSTEMS * r)))
        one = PAIRS if not cover else Pairs(PAIRS.a[:1], PAIRS.b[:1])
        found, _ = recipes(
            [values[:, : 2 * r] for values in data] if cover else data,
            runs[:2] if cover else runs,
            np.full(k, 1 / k),
            one.a,
            one.b,
            ALPHA,
        )
        return bool((found.p_adjusted <= ALPHA).any())

    return trial


def too_many(true: int, k: int, n: int = 50) -> Callable[[np.random.Generator, int], bool]:
    """Whether some pair is said to be replicated in more collections than it is."""

    def trial(rng: np.random.Generator, seed: int) -> bool:
        data = [scores(rng, n, SYSTEMS, False) for _ in range(k)]
        for values in data[:true]:
            values[:, 0] += 0.5
        names = tuple(str(at) for at in range(k))
        means = np.stack([values.mean(axis=0) for values in data])
        collected = Collected("AP", names, tuple("abcde"), (("",),) * SYSTEMS, ((),) * k, tuple(data), means)
        held = holds_in(collected, "these", PAIRS, ALPHA)
        return bool((held > np.where(PAIRS.a == 0, true, 0)).any())

    return trial


def grouped(
    sizes: tuple[int, ...], effect: int, by_group: bool, r: int = 1
) -> Callable[[np.random.Generator, int], bool]:
    """Topics in groups of four on every collection, of this design effect (1 to 4); with r > 1, recipes."""
    share = (effect - 1) / 3
    runs = [slice(j * r, j * r + r) for j in range(SYSTEMS)]

    def trial(rng: np.random.Generator, seed: int) -> bool:
        data = []
        trained = rng.normal(0, 0.02, SYSTEMS * r) if r > 1 else np.zeros(SYSTEMS)
        for groups in sizes:
            of = np.repeat(np.arange(groups), 4)
            noise = math.sqrt(share) * rng.normal(0, 0.15, (groups, SYSTEMS))[of]
            noise = noise + math.sqrt(1 - share) * rng.normal(0, 0.15, (len(of), SYSTEMS))
            values = np.repeat(0.4 + noise, r, axis=1) + trained
            values += rng.normal(0, 0.05, values.shape) if r > 1 else 0
            data.append(Clusters(of, np.full(groups, 4.0)).spread(values) if by_group else values)
        weights = np.full(len(sizes), 1 / len(sizes))
        if r > 1:
            found, _ = recipes(data, runs, weights, PAIRS.a, PAIRS.b, ALPHA)
        else:
            found = these_collections(data, weights, PAIRS.a, PAIRS.b, alpha=ALPHA, n_resamples=RESAMPLES, seed=seed)
        return bool((found.p_adjusted <= ALPHA).any())

    return trial


def main(trials: int) -> None:
    """Print every rate."""
    for effect in (1, 2, 3, 4):
        for sizes in ((30, 30), (20, 40, 60)):
            for by_group in (True, False):
                label = f"these, {' + '.join(map(str, sizes))} groups of 4, deff {effect}, {'groups' if by_group else 'topics'}"
                rate(label, trials, grouped(sizes, effect, by_group))
        rate(f"recipe, 30 + 30 groups of 4, deff {effect}, R = 3", trials, grouped((30, 30), effect, True, 3))
    for sizes in ((50, 50), (30, 50, 100), (50,) * 8, (25,) * 15):
        for skewed in (False, True):
            label = f"these, topics {sizes if len(sizes) < 4 else f'{len(sizes)} × {sizes[0]}'}"
            rate(f"{label}, {'skewed' if skewed else 'normal'}", trials, these(sizes, skewed))
    for population in ("normal", "skewed", *(("BEIR",) if BEIR.exists() else ())):
        for k in (3, 8, 15):
            rate(f"like_these, K = {k}, {population}", trials, like(k, population))
            if population == "BEIR":
                rate(f"like_these, K = {k}, BEIR, 20 systems", trials, like(k, population, 20))
    spreads = {"none": (0.0,) * 5, "0.02": (0.02,) * 5, "0.05": (0.05,) * 5, "unequal": (0.01,) * 4 + (0.06,)}
    for k, n in ((1, 50), (4, 200)):
        for r in (2, 3, 5, 10):
            for name, sd in spreads.items():
                rate(f"recipe, K = {k}, n = {n}, R = {r}, seed sd {name}", trials, recipe(r, k, n, sd))
    for r in (2, 3, 5, 10):
        for k, n in ((1, 50), (4, 200)):
            rate(f"recipe, one pair, K = {k}, n = {n}, R = {r}", trials, recipe(r, k, n, spreads["0.02"], cover=True))
    for true in (0, 1, 2, 3):
        rate(f"replicated in more than {true} of 4", trials, too_many(true, 4))


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 400)
