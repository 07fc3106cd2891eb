"""The rule for seed variance, judged on draws that had no part in its choice: ``python docs/recipes_study.py [TRIALS [SEED [NAME]]]``.

Every row has, for each rule, the share of families of equal recipes with at least one false positive at level .05, and
the power: the share found of the differences of a recipe that is .1 better (.02 with 6,980 topics). `RULES` has the rule
of `across` and three others. `docs/across_study.py` has the draws by which the rule was chosen; these have another seed
and other populations. With a NAME, only populations whose name has it are run.
"""

from __future__ import annotations

import sys
from itertools import pairwise
from typing import Any, NamedTuple
from unittest import mock

import numpy as np
from numpy.typing import NDArray

from cranfield.questions.across import seeds as rule
from cranfield.questions.compare.family import all_pairs

Array = NDArray[np.float64]
ALPHA = 0.05
GAIN = 0.1
across_rule = rule.seed_spread


def own_variance(*data: Any) -> rule.SeedSpread:
    """Nobody borrows: a family of so many systems does not occur."""
    with mock.patch.object(rule, "FAMILY", 10**9):
        return across_rule(*data)


def one_degree(*data: Any) -> rule.SeedSpread:
    """A variance from two seeds has one degree of freedom, borrowed or not."""
    found = across_rule(*data)
    return found._replace(df=np.where(found.n_seeds == 2, 1.0, found.df))


def largest(*data: Any) -> rule.SeedSpread:
    """A recipe with two seeds has the largest variance of all, with one degree of freedom."""
    found = one_degree(*data)
    raw = np.where(found.n_seeds == 2, (found.raw * found.n_seeds).max() / found.n_seeds, found.raw)
    return found._replace(raw=raw, added=found.added + raw - found.raw)


RULES = {"rule": across_rule, "own": own_variance, "one_degree": one_degree, "largest": largest}


class Population(NamedTuple):
    """Equal recipes: topics of every collection, standard deviation of every recipe's seeds, seeds of every recipe."""

    name: str
    topics: tuple[int, ...]
    spread: tuple[float, ...]
    n_seeds: tuple[int, ...]
    seeds: str = "normal"
    topic_sd: float = 0.15
    cell_sd: float = 0.05


def drawn(rng: np.random.Generator, one: Population) -> tuple[list[Array], list[slice]]:
    """Topics × runs of every collection, and the columns of every recipe."""
    ends = np.cumsum((0, *one.n_seeds))
    runs = [slice(int(a), int(b)) for a, b in pairwise(ends)]
    of = np.repeat(np.arange(len(runs)), one.n_seeds)
    spread = np.asarray(one.spread)
    if one.seeds == "random spread":  # each recipe's variance is drawn anew: chi-squared with 2 degrees of freedom
        spread = spread * np.sqrt(rng.exponential(1, len(spread)))
    unit = rng.normal(size=len(of))
    if one.seeds == "heavy tails":
        unit = rng.standard_t(4, size=len(of)) / np.sqrt(2)
    if one.seeds == "failures":  # one seed in ten falls far behind
        unit = (np.where(rng.random(len(of)) < 0.1, -1.0, 0.0) + 0.1) / 0.3
    trained = unit * spread[of]
    data = []
    for n in one.topics:
        systems = rng.normal(0, one.topic_sd, (n, len(runs)))[:, of]
        data.append(0.4 + systems + trained + rng.normal(0, one.cell_sd, (n, len(of))))
    return data, runs


def rates(one: Population, trials: int, seed: int) -> Array:
    """Errors and power by every rule."""
    pairs, hits = all_pairs(len(one.spread)), np.zeros((len(RULES), 2))
    weights = np.full(len(one.topics), 1 / len(one.topics))
    better = (pairs.a == 1) | (pairs.b == 1)
    for trial in range(trials):
        data, runs = drawn(np.random.default_rng([seed, trial]), one)
        gain = np.zeros(data[0].shape[1])
        gain[runs[1]] = GAIN if max(one.topics) < 1000 else GAIN / 5
        for k, spread in enumerate(RULES.values()):
            with mock.patch.object(rule, "seed_spread", spread):
                equal, _ = rule.recipes(data, runs, weights, pairs.a, pairs.b, ALPHA)
                apart, _ = rule.recipes([x + gain for x in data], runs, weights, pairs.a, pairs.b, ALPHA)
            hits[k] += (equal.p_adjusted <= ALPHA).any(), (apart.p_adjusted[better] <= ALPHA).mean()
    return hits / trials


def populations() -> list[Population]:
    """Topic counts from a small track to MS MARCO; spreads alike, unequal, drawn; seeds normal or not."""
    found = []
    for r in (2, 3, 4, 5, 10):
        for name, topics, scale in (
            ("1 × 50", (50,), 1.0), ("12 × 50", (50,) * 12, 1.0), ("1 × 200", (200,), 1.0), ("1 × 6,980", (6980,), 0.2),
        ):  # fmt: skip
            for kind, spread in (
                ("equal", (0.02,) * 5),
                ("one of 5 wide", (0.01,) * 4 + (0.06,)),
                ("two of 5 wide", (0.01,) * 3 + (0.06,) * 2),
                ("one of 3 wide", (0.01,) * 2 + (0.06,)),
                ("one of 10 wide", (0.01,) * 9 + (0.06,)),
                ("pair, equal", (0.02,) * 2),
                ("pair, one wide", (0.01, 0.06)),
            ):
                scaled = tuple(scale * sd for sd in spread)
                found.append(Population(f"R = {r}, {name}, {kind}", topics, scaled, (r,) * len(spread)))
        for kind in ("random spread", "heavy tails", "failures"):
            found.append(Population(f"R = {r}, 4 × 100, {kind}", (100,) * 4, (0.03,) * 5, (r,) * 5, kind))
    for mixed in ((2, 2, 3, 5, 10), (2, 5, 5, 5, 5), (2, 10, 10, 10, 10), (2, *(10,) * 9)):
        m = len(mixed)
        for kind, spread in (("equal", (0.03,) * m), ("first wide", (0.06, *(0.01,) * (m - 1)))):
            seeds = ", ".join(map(str, mixed)) if m == 5 else "2 and nine times 10"
            found.append(Population(f"R = {seeds}, 4 × 100, {kind}", (100,) * 4, spread, mixed))
    return found


def main(trials: int, seed: int, part: str = "") -> None:
    """Print the rate of every population whose name has this part."""
    sys.stdout.write(f"population,trials,{','.join(f'{name},{name}_power' for name in RULES)}\n")
    for one in (found for found in populations() if part in found.name):
        count = trials if max(one.topics) < 1000 else trials // 2
        found = ",".join(f"{value:.3f}" for value in rates(one, count, seed).ravel())
        sys.stdout.write(f'"{one.name}",{count},{found}\n')
        sys.stdout.flush()


if __name__ == "__main__":
    asked = dict(enumerate(sys.argv))
    main(int(asked.get(1, 1000)), int(asked.get(2, 75014)), asked.get(3, ""))
