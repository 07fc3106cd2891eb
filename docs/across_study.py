"""Error rates and coverage of `across` on simulated scores with known truth: ``python docs/across_study.py [TRIALS [NAME]]``.

Every row has three shares of families of pairs. The first is of families with at least one false positive at level .05,
all systems being equal. The other two are of families, and of pairs, whose intervals hold the true differences, some
systems being better (`SOME`). The rows of BEIR draw collections from real means and need ``../shared``. With a NAME,
only rows whose name has it are run. The last rows are shares of systems whose own interval on the leaderboard holds
their mean.
"""

from __future__ import annotations

import math
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import numpy as np
import polars as pl
from numpy.typing import NDArray

from cranfield.questions.across.across import holds_in
from cranfield.questions.across.board import mean_intervals
from cranfield.questions.across.claims import Claim, like_these, these_collections
from cranfield.questions.across.collected import Collected
from cranfield.questions.across.seeds import recipes
from cranfield.questions.compare.clusters import Clusters
from cranfield.questions.compare.family import all_pairs

Array = NDArray[np.float64]
Effects = tuple[float, ...]
"""What every system gains, repeated over the systems."""
Family = Callable[[np.random.Generator, int, Effects], tuple[Claim, Array]]
"""All pairs of one draw, and their true differences."""
ALPHA, SYSTEMS, RESAMPLES = 0.05, 5, 499
EQUAL: Effects = (0.0,)
SOME: Effects = (0.0, 0.03, 0.0, 0.06, 0.12)
BEIR = Path(__file__).resolve().parents[2] / "shared" / "data" / "across" / "beir15.means.csv"


def errs(family: Family) -> Callable[[np.random.Generator, int], bool]:
    """Whether some pair of equal systems is called different."""
    return lambda rng, seed: bool((family(rng, seed, EQUAL)[0].p_adjusted <= ALPHA).any())


def share(trials: int, trial: Callable[[np.random.Generator, int], bool]) -> str:
    """The share of trials that are so, with its standard error."""
    found = sum(trial(np.random.default_rng([20261118, at]), at) for at in range(trials)) / trials
    return f"{found:.3f} ± {math.sqrt(found * (1 - found) / trials):.3f}"


def coverage(trials: int, family: Family) -> str:
    """The shares of families, and of pairs, whose intervals hold the truth."""
    held = []
    for at in range(trials):
        found, truth = family(np.random.default_rng([20261118, at]), at, SOME)
        held.append((found.lower <= truth) & (truth <= found.upper))
    return f"{np.mean([one.all() for one in held]):.3f}  {np.mean([one.mean() for one in held]):.3f}"


def scores(rng: np.random.Generator, n: int, columns: int, skewed: bool) -> Array:
    """Topics × columns with equal means; skewed: few topics carry the differences."""
    noise = rng.normal(0, 0.15, (n, columns))
    if skewed:
        noise = np.where(rng.random((n, columns)) < 0.1, rng.exponential(0.4, (n, columns)) - 0.4, 0.02 * noise)
    return np.asarray(0.4 + rng.normal(0, 0.15, (n, 1)) + noise)


def these(sizes: tuple[int, ...], skewed: bool, m: int = SYSTEMS, interaction: float = 0.0) -> Family:
    """The same collections; with interaction, others like them by the stricter of both claims."""
    pairs = all_pairs(m)

    def family(rng: np.random.Generator, seed: int, effects: Effects) -> tuple[Claim, Array]:
        gain = np.resize(effects, m)
        data = [scores(rng, n, m, skewed) + gain for n in sizes]
        weights = np.full(len(sizes), 1 / len(sizes))
        if interaction:
            data = [values + rng.normal(0, interaction, m) for values in data]
        found = these_collections(data, weights, pairs.a, pairs.b, alpha=ALPHA, n_resamples=RESAMPLES, seed=seed)
        if interaction:
            means = np.stack([values.mean(axis=0) for values in data])
            others = like_these(means, pairs.a, pairs.b, alpha=ALPHA, n_resamples=RESAMPLES, seed=seed)
            found = others.with_stricter(found)
        return found, gain[pairs.a] - gain[pairs.b]

    return family


def like(k: int, population: str, m: int = SYSTEMS) -> Family:
    """Means alone, of collections drawn from a population."""
    real, pairs = None, all_pairs(m)
    if population == "BEIR":
        wide = pl.read_csv(BEIR).pivot(on="system", index="collection", values="value").drop("collection").to_numpy()
        real = wide - wide.mean(axis=0)  # every system has the same mean over the population of 15 collections

    def family(rng: np.random.Generator, seed: int, effects: Effects) -> tuple[Claim, Array]:
        gain = np.resize(effects, m)
        if real is not None:
            systems = rng.choice(real.shape[1], m, replace=False)
            means = real[rng.integers(len(real), size=k)][:, systems]
        else:
            noise = rng.normal(0, 0.05, (k, m))
            if population == "skewed":
                noise = 0.05 * (rng.exponential(1, (k, m)) - 1)
            means = 0.4 + rng.normal(0, 0.2, (k, 1)) + noise
        found = like_these(means + gain, pairs.a, pairs.b, alpha=ALPHA, n_resamples=RESAMPLES, seed=seed)
        return found, gain[pairs.a] - gain[pairs.b]

    return family


def recipe(r: int, k: int, n: int, sd: tuple[float, ...]) -> Family:
    """Recipes whose seeds have these standard deviations."""
    m = len(sd)
    pairs = all_pairs(m)
    runs = [slice(j * r, j * r + r) for j in range(m)]

    def family(rng: np.random.Generator, _: int, effects: Effects) -> tuple[Claim, Array]:
        gain = np.resize(effects, m)
        trained = rng.normal(0, 1, m * r) * np.repeat(sd, r)
        data = []
        for _ in range(k):
            systems = np.repeat(scores(rng, n, m, False) + gain, r, axis=1)
            data.append(systems + trained + rng.normal(0, 0.05, (n, m * r)))
        found, _ = recipes(data, runs, np.full(k, 1 / k), pairs.a, pairs.b, ALPHA)
        return found, gain[pairs.a] - gain[pairs.b]

    return family


def too_many(true: int, k: int, n: int = 50) -> Callable[[np.random.Generator, int], bool]:
    """Whether some pair is said to be replicated in more collections than it is."""
    pairs = all_pairs(SYSTEMS)

    def trial(rng: np.random.Generator, _: int) -> bool:
        data = [scores(rng, n, SYSTEMS, False) for _ in range(k)]
        for values in data[:true]:
            values[:, 0] += 0.5
        names = tuple(str(at) for at in range(k))
        means = np.stack([values.mean(axis=0) for values in data])
        collected = Collected("AP", names, tuple("abcde"), (("",),) * SYSTEMS, ((),) * k, tuple(data), means)
        held = holds_in(collected, "these", pairs, ALPHA)
        return bool((held > np.where(pairs.a == 0, true, 0)).any())

    return trial


def grouped(sizes: tuple[int, ...], effect: int, by_group: bool, r: int = 1, m: int = SYSTEMS) -> Family:
    """Topics in groups of four on every collection, of this design effect (1 to 4); with r > 1, recipes."""
    within = (effect - 1) / 3
    pairs = all_pairs(m)
    runs = [slice(j * r, j * r + r) for j in range(m)]

    def family(rng: np.random.Generator, seed: int, effects: Effects) -> tuple[Claim, Array]:
        gain = np.resize(effects, m)
        data = []
        trained = rng.normal(0, 0.02, m * r) if r > 1 else np.zeros(m)
        for groups in sizes:
            of = np.repeat(np.arange(groups), 4)
            noise = math.sqrt(within) * rng.normal(0, 0.15, (groups, m))[of]
            noise = noise + math.sqrt(1 - within) * rng.normal(0, 0.15, (len(of), m))
            values = np.repeat(0.4 + noise + gain, r, axis=1) + trained
            values += rng.normal(0, 0.05, values.shape) if r > 1 else 0
            data.append(Clusters(of, np.full(groups, 4.0)).spread(values) if by_group else values)
        weights = np.full(len(sizes), 1 / len(sizes))
        if r > 1:
            found, _ = recipes(data, runs, weights, pairs.a, pairs.b, ALPHA)
        else:
            found = these_collections(data, weights, pairs.a, pairs.b, alpha=ALPHA, n_resamples=RESAMPLES, seed=seed)
        return found, gain[pairs.a] - gain[pairs.b]

    return family


def families() -> Iterator[tuple[str, Family]]:
    """Every row, families of ten pairs and single pairs."""
    for m in (SYSTEMS, 2):
        of = "one pair" if m == 2 else "ten pairs"
        for effect in (1, 2, 3, 4):
            for sizes in ((30, 30), (20, 40, 60)):
                named = f"{' + '.join(map(str, sizes))} groups of 4, design effect {effect}"
                yield f"these, {of}, {named}, by group", grouped(sizes, effect, True, m=m)
                yield f"these, {of}, {named}, by topic", grouped(sizes, effect, False, m=m)
            yield f"recipe, {of}, R = 3, {named}, by group", grouped(sizes, effect, True, 3, m)
        for sizes in ((50, 50), (30, 50, 100), (50,) * 8, (25,) * 15):
            named = " + ".join(map(str, sizes)) if len(sizes) < 4 else f"{len(sizes)} × {sizes[0]}"
            for skewed in (False, True):
                yield f"these, {of}, {named} topics, {'skewed' if skewed else 'normal'}", these(sizes, skewed, m)
        for population in ("normal", "skewed", *(("BEIR",) if BEIR.exists() else ())):
            for k in (3, 8, 15):
                yield f"like_these, {of}, K = {k}, {population}", like(k, population, m)
        for k in (3, 8, 15):
            yield f"like_these, {of}, K = {k}, with 50 topics each", these((50,) * k, False, m, 0.03)
        spreads = {"0": (0.0,), "0.02": (0.02,), "0.05": (0.05,), "unequal": (0.06, *(0.01,) * (m - 1))}
        for k, n in ((1, 50), (4, 200)):
            for r in (2, 3, 5, 10):
                for name, sd in spreads.items():
                    spread = sd * m if len(sd) == 1 else sd
                    yield f"recipe, {of}, K = {k}, n = {n}, R = {r}, seed sd {name}", recipe(r, k, n, spread)
    if BEIR.exists():
        for k in (3, 8, 15):
            yield f"like_these, 20 systems, K = {k}, BEIR", like(k, "BEIR", 20)


def mean_of(claim: str, sizes: tuple[int, ...], population: str, r: int = 1) -> Callable[[np.random.Generator], float]:
    """The share of five systems whose interval on the leaderboard holds their mean, in one draw."""
    systems, names = tuple("abcde"), tuple(f"c{at}" for at in range(len(sizes)))
    seeds = (("",),) * SYSTEMS if r == 1 else (tuple(map(str, range(r))),) * SYSTEMS
    if population == "BEIR":
        real = pl.read_csv(BEIR).pivot(on="system", index="collection", values="value").drop("collection").to_numpy()

    def trial(rng: np.random.Generator) -> float:
        scored: list[Array] = []
        if claim == "like_these" and population == "BEIR":
            chosen = rng.choice(real.shape[1], SYSTEMS, replace=False)
            means, truth = real[rng.integers(len(real), size=len(sizes))][:, chosen], real[:, chosen].mean(axis=0)
        elif claim == "like_these":
            noise = (
                rng.normal(0, 1, (len(sizes), 1)) if population == "normal" else rng.exponential(1, (len(sizes), 1)) - 1
            )
            means, truth = 0.4 + 0.15 * noise + rng.normal(0, 0.05, (len(sizes), SYSTEMS)), np.full(SYSTEMS, 0.4)
        else:
            gain = rng.normal(0, 0.02, r * SYSTEMS) if r > 1 else np.zeros(SYSTEMS)
            for n in sizes:
                of_topic = rng.normal(0.4, 0.2, (n, 1)) if population == "normal" else 0.2 * rng.exponential(2, (n, 1))
                own = np.repeat(rng.normal(0, 0.1, (n, SYSTEMS)), r, axis=1)
                scored.append(of_topic + own + gain + (rng.normal(0, 0.05, own.shape) if r > 1 else 0))
            means, truth = np.stack([one.mean(axis=0) for one in scored]), np.full(SYSTEMS, 0.4)
        topics = tuple(tuple(map(str, range(n))) for n in sizes) if scored else ()
        data = Collected("m", names, systems, seeds, topics, tuple(scored) or None, means)
        found = mean_intervals(data, claim, ALPHA)
        return float(((found.lower <= truth) & (truth <= found.upper)).mean())

    return trial


def means() -> Iterator[tuple[str, Callable[[np.random.Generator], float]]]:
    """The rows of means on the leaderboard."""
    for population in ("normal", "skewed", *(("BEIR",) if BEIR.exists() else ())):
        for k in (3, 8, 15):
            yield f"mean, like_these, K = {k}, {population}", mean_of("like_these", (0,) * k, population)
    for population in ("normal", "skewed"):
        for sizes in ((50, 50), (30, 50, 100), (25,) * 15):
            yield (
                f"mean, these, {len(sizes)} collections of {sizes[0]} or more, {population}",
                mean_of("these", sizes, population),
            )
    for r in (2, 3, 5, 10):
        yield f"mean, recipe, 4 × 200, R = {r}", mean_of("recipe", (200,) * 4, "normal", r)


def main(trials: int, part: str = "") -> None:
    """Print every row whose name has this part."""
    sys.stdout.write(f"{'':<64} false positives  all held  held\n")
    for name, family in families():
        if part in name:
            sys.stdout.write(f"{name:<64} {share(trials, errs(family))}    {coverage(trials, family)}\n")
            sys.stdout.flush()
    for true in (0, 1, 2, 3):
        if part in (name := f"replicated in more than {true} of 4"):
            sys.stdout.write(f"{name:<64} {share(trials, too_many(true, 4))}\n")

    for name, trial in means():
        if part in name:
            held = [trial(np.random.default_rng([20261118, at])) for at in range(4 * trials)]
            error = float(np.std(held)) / math.sqrt(len(held))
            sys.stdout.write(f"{name:<64} {np.mean(held):.3f} ± {error:.3f}\n")


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 400, "".join(sys.argv[2:3]))
