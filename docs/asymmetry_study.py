"""Prints the table of docs/simulate.md on asymmetric differences: how often tests reject equal means, by skewness.

    python docs/asymmetry_study.py [--trials 2048]

Needs ``shared/data/matrices`` beside the repository. Pairs of equal means are drawn from four collections (mode ``resample``), and what tests
say at .05 is counted by the skewness |g₁| of the differences that were drawn.
"""

from __future__ import annotations

import argparse
import itertools
import sys
import warnings
from pathlib import Path

import numpy as np

from cranfield import CranfieldWarning
from cranfield.simulation.population import Population
from cranfield.simulation.trials import Plan, draw_cell, outcome_of

MATRICES = Path(__file__).resolve().parents[2] / "shared" / "data" / "matrices"
COLLECTIONS = ("trec5-adhoc.AP", "trec8-adhoc.AP", "trec7-adhoc.P@10", "web2012-adhoc.nDCG@20")
TESTS, TOPICS, ENDS = ("t", "wilcoxon", "sign"), (25, 50, 100), (0.0, 0.5, 1.0, 2.0, np.inf)


def main() -> None:
    """Draw, count and print."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--trials", type=int, default=2048, help="of every collection and number of topics")
    plan = Plan(TOPICS, (0.0,), TESTS, (0.05,), 2, None, 99, parser.parse_args().trials, 1, exchangeable=False)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", CranfieldWarning)
        populations = [Population.of(MATRICES / f"{name}.csv") for name in COLLECTIONS]
    sys.stdout.write("| topics | skewness | share of pairs | " + " | ".join(TESTS) + " |\n|--:|:--|--:|--:|--:|--:|\n")
    for n_topics in TOPICS:
        skew, rejected = [], []
        for population in populations:
            for block in plan.blocks:
                _, drawn = draw_cell(population, plan, block, n_topics, 0.0, swapped=False)
                rejected.append(outcome_of(drawn, plan, 0.0, seed=1).rejected[:, 0, :, 0])
                each = drawn.scores[:, :, 1] - drawn.scores[:, :, 0]
                centred = each - each.mean(axis=1, keepdims=True)
                spread = np.maximum((centred**2).mean(axis=1), 1e-30) ** 1.5
                skew.append(np.abs((centred**3).mean(axis=1)) / spread)
        sizes, said = np.concatenate(skew), np.concatenate(rejected, axis=1)
        for low, high in itertools.pairwise(ENDS):
            here = (sizes >= low) & (sizes < high)
            rates = " | ".join(f"{rate:.3f}".removeprefix("0") for rate in said[:, here].mean(axis=1))
            span = f"{low:g} to {high:g}" if np.isfinite(high) else f"{low:g} or more"
            sys.stdout.write(f"| {n_topics} | {span} | {here.mean():.0%} | {rates} |\n")


if __name__ == "__main__":
    main()
