"""Prints the tables of docs/simulate.md on asymmetric differences, and on what `compare` says of them.

    python docs/asymmetry_study.py [--trials 2048] [--groups 6] [--held-out]

Needs ``shared/data/matrices`` beside the repository. First, pairs of equal means are drawn from four collections (mode
``resample``), and what tests say at .05 is counted by the skewness |g₁| of the differences that were drawn. Second, pairs and
groups of eight systems are taken from six collections as they are, with every system's scores replaced by normal ones of the
same ranks, and as normal scores with the same covariance. Two things are found out about each: how often Wilcoxon's test and the
sign test really reject equal means there, the systems' means being moved together; and whether `compare` says its line
about a collection drawn from them as they are. When it is said was settled with these six in view; ``--held-out`` takes four that
were not looked at then.
"""

from __future__ import annotations

import argparse
import itertools
import sys
import warnings
from collections.abc import Iterator
from pathlib import Path

import numpy as np
from numpy.typing import NDArray
from scipy import special, stats

from cranfield import CranfieldWarning, ScoreMatrix, read_scores
from cranfield.core.errors import quietly
from cranfield.questions.compare.classical import FEWEST_TOPICS, asymmetric, skewness
from cranfield.questions.compare.family import all_pairs
from cranfield.questions.simulate.population import Population
from cranfield.questions.simulate.trials import Plan, draw_cell, outcome_of

Array = NDArray[np.float64]
MATRICES = Path(__file__).resolve().parents[2] / "shared" / "data" / "matrices"
COLLECTIONS = ("trec5-adhoc.AP", "trec8-adhoc.AP", "trec7-adhoc.P@10", "web2012-adhoc.nDCG@20")
MORE = (*COLLECTIONS, "terabyte2006.AP", "robust2004-new.AP")
HELD_OUT = ("trec3-adhoc.AP", "trec6-adhoc.AP", "trec6-adhoc.P@10", "robust2003-new.AP")
"""Collections that nobody looked at while the thresholds of `compare` were chosen."""
TESTS, TOPICS, ENDS = ("t", "wilcoxon", "sign"), (25, 50, 100), (0.0, 0.5, 1.0, 2.0, np.inf)
MADE = ("as they are", "normal margins", "normal")
SIZES = {2: "one pair", 8: "eight systems"}
RATES = ((0.0, 0.06, "at most .06"), (0.06, 0.08, ".06 to .08"), (0.08, 1.0, "above .08"))
POINTER = "test | systems | >topics | " + " | ".join(f">{name}" for _, _, name in RATES)
"""The heads of the second table."""
Found = dict[tuple[str, int, int], list[tuple[float, float]]]
"""By test, systems and topics: the type I error of every group, and how often the line is said about it."""
LOOKS = 8
"""Collections drawn from every pair or group, which `compare` looks at."""


def _plan(trials: int, n_topics: tuple[int, ...]) -> Plan:
    return Plan(n_topics, (0.0,), TESTS, (0.05,), 2, None, 99, trials, 1, exchangeable=False)


def by_skewness(trials: int) -> list[list[str]]:
    """Topics, skewness, share of the pairs, and the rate of every test."""
    plan = _plan(trials, TOPICS)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", CranfieldWarning)
        populations = [Population.of(MATRICES / f"{name}.csv") for name in COLLECTIONS]
    rows = []
    for n_topics in TOPICS:
        sizes, rejected = [], []
        for population, block in itertools.product(populations, plan.blocks):
            _, drawn = draw_cell(population, plan, block, n_topics, 0.0, swapped=False)
            rejected.append(outcome_of(drawn, plan, 0.0, seed=1).rejected[:, 0, :, 0])
            each = drawn.scores[:, :, 1] - drawn.scores[:, :, 0]
            sizes.append(np.abs(np.nan_to_num(stats.skew(each, axis=1))))
        size, said = np.concatenate(sizes), np.concatenate(rejected, axis=1)
        for low, high in itertools.pairwise(ENDS):
            here = (size >= low) & (size < high)
            span = f"{low:g} to {high:g}" if np.isfinite(high) else f"{low:g} or more"
            rows.append([str(n_topics), span, f"{here.mean():.0%}", *map(_short, said[:, here].mean(axis=1))])
    return rows


def _made(values: Array, how: str, rng: np.random.Generator) -> Array:
    """Scores like these: themselves, or with normal margins, or jointly normal; normal ones have equal means."""
    if how == "normal":
        root = np.linalg.cholesky(np.cov(values.T) + 1e-9 * np.eye(values.shape[1]))
        return np.asarray(rng.normal(size=(500, values.shape[1])) @ root.T)
    if how == "normal margins":
        ranks = stats.rankdata(values + rng.random(values.shape) * 1e-9, axis=0)
        return np.asarray(special.ndtri(ranks / (len(values) + 1)))
    return values


def groups(count: int, collections: tuple[str, ...] = MORE) -> Iterator[tuple[int, Population]]:
    """So many pairs and groups of every collection and way of making them."""
    rng = np.random.default_rng(5)
    for name in collections:
        with quietly():
            whole = Population.of(read_scores(MATRICES / f"{name}.csv").only()).values
        for how, size, _ in itertools.product(MADE, SIZES, range(count)):
            names = [f"s{j}" for j in range(size)]
            found = None
            while found is None or not found.reachable(0.0).all():  # one margin cannot be moved to the mean of another
                values = _made(whole[:, rng.choice(whole.shape[1], size, replace=False)], how, rng)
                with quietly():
                    found = Population.of(ScoreMatrix(values, map(str, range(len(values))), names, name), bottom=0)
            yield size, found


def pointed(trials: int, count: int, collections: tuple[str, ...] = MORE) -> Found:
    """By test, systems and topics: the type I error of every group, and how often the line is said about it."""
    found: dict[tuple[str, int, int], list[tuple[float, float]]] = {}
    rng = np.random.default_rng(6)
    for size, population in groups(count, collections):
        pairs = all_pairs(population.n_systems)
        for n_topics in TOPICS:
            assert n_topics >= FEWEST_TOPICS
            plan = _plan(trials, (n_topics,))
            drawn = (draw_cell(population, plan, block, n_topics, 0.0, swapped=False)[1] for block in plan.blocks)
            said = np.concatenate([outcome_of(one, plan, 0.0, seed=1).rejected[:, 0, :, 0] for one in drawn], axis=1)
            line = []
            for _ in range(LOOKS):
                values = population.values[rng.integers(len(population.values), size=n_topics)]
                sd = (values[:, pairs.a] - values[:, pairs.b]).std(axis=0, ddof=1)
                line.append(asymmetric(skewness(values, pairs.a, pairs.b, sd), n_topics))
            for test, rate in zip(TESTS[1:], said[1:].mean(axis=1), strict=True):
                found.setdefault((test, size, n_topics), []).append((float(rate), float(np.mean(line))))
    return found


def overall(found: Found) -> str:
    """How often the line is said of eight systems whose tests err little, and of those whose tests err much, all together."""
    rate, line = np.array([one for (_, size, _), many in found.items() if size == 8 for one in many]).T
    low, high = rate <= RATES[0][1], rate > RATES[-1][0]
    return f"{line[low].mean():.0%} where the error is at most .06 and {line[high].mean():.0%} where it is above .08"


def pointer(found: Found) -> list[list[str]]:
    """Test, systems, topics, and how often the line is said by the type I error, with how many groups have it."""
    rows = []
    for (test, size, n_topics), groups_ in sorted(found.items(), key=lambda one: (one[0][0] == "sign", one[0])):
        rate, line = np.array(groups_).T
        cells = []
        for low, high, _ in RATES:
            here = (rate > low) & (rate <= high)
            cells.append(f"{line[here].mean():.0%} of {here.sum()}" if here.any() else "none")
        rows.append([test, SIZES[size], str(n_topics), *cells])
    return rows


def _short(rate: float) -> str:
    return f"{rate:.3f}".removeprefix("0")


def main() -> None:
    """Draw, count and print."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--trials", type=int, default=2048, help="of every collection or group and number of topics")
    parser.add_argument("--groups", type=int, default=6, help="pairs, and groups, of every collection and kind")
    parser.add_argument("--held-out", action="store_true", help="the second table, of collections not looked at before")
    given = parser.parse_args()
    first = [] if given.held_out else by_skewness(given.trials)
    found = pointed(given.trials, given.groups, HELD_OUT if given.held_out else MORE)
    for row in [*first, *pointer(found)]:
        sys.stdout.write(f"| {' | '.join(row)} |\n")
    sys.stdout.write(f"Eight systems: {overall(found)}\n")


if __name__ == "__main__":
    main()
