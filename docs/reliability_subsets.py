"""Prints the coverage of docs/reliability.md on subsets of real systems.

    python docs/reliability_subsets.py [--trials 1000] [--seed 1]

Needs ``shared/data/matrices`` beside the repository. Each matrix is a population: topics are drawn with replacement, systems
without. The true σ²_s, σ²_e and σ²_q are what the estimates then have for their expectations.
"""

from __future__ import annotations

import argparse
from dataclasses import replace
from pathlib import Path

import numpy as np

from cranfield import ScoreMatrix, read_scores
from cranfield.questions.reliability.components import ratio, variance_components

MATRICES = Path(__file__).resolve().parents[2] / "shared" / "data" / "matrices"
COLLECTIONS = (
    "trec3-adhoc.AP", "trec5-adhoc.AP", "trec6-adhoc.P@10", "trec7-adhoc.AP", "trec8-adhoc.AP", "terabyte2006.AP",
    "robust2004-new.AP", "web2012-adhoc.nDCG@20",
)  # fmt: skip
TOPICS = 50


def coverage(name: str, systems: int, trials: int, rng: np.random.Generator) -> list[float]:
    """How often the intervals of Eρ² (jackknife, Feldt) and of Φ hold the truth."""
    population = read_scores(MATRICES / f"{name}.csv").only().values
    n, m = population.shape
    topics, means = population.mean(axis=1), population.mean(axis=0)
    residual = np.square(population - topics[:, None] - means + population.mean()).sum() / (n * (m - 1))
    relative = means.var(ddof=1) / residual
    absolute = means.var(ddof=1) / (residual + topics.var() - residual / m)
    held = np.zeros(3)
    for _ in range(trials):
        drawn = population[rng.integers(0, n, TOPICS)][:, rng.permutation(m)[:systems]]
        x = ScoreMatrix(drawn, map(str, range(TOPICS)), map(str, range(systems)), "AP")
        components = variance_components(x)
        normal = replace(components, spread=None)
        found = (ratio("erho2", components, 0.05), ratio("erho2", normal, 0.05), ratio("phi", normal, 0.05))
        truths = (relative, relative, absolute)
        held += [one.lower <= truth <= one.upper for one, truth in zip(found, truths, strict=True)]
    return [float(share) for share in held / trials]


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--trials", type=int, default=1000)
    parser.add_argument("--seed", type=int, default=1)
    asked = parser.parse_args()
    rng = np.random.default_rng(asked.seed)
    for name in COLLECTIONS:
        for systems in (10, 20, 40):
            print(name, systems, *coverage(name, systems, asked.trials, rng))  # noqa: T201
