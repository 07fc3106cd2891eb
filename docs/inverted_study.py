"""How often do intervals by inverting the randomisation test cover, beside t intervals?

Real score matrices are the populations: topics are drawn with replacement and systems without; the mean of the matrix
is the truth. One pair at 95%, and all ten pairs of five systems at once at the Bonferroni level::

    python docs/inverted_study.py ../shared/data/matrices --trials 2000
"""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

import numpy as np
from scipy import special

from cranfield import read_scores
from cranfield.questions.compare.classical import differences, identical
from cranfield.questions.compare.grid import GridScores
from cranfield.questions.compare.inverted import inverted
from cranfield.questions.compare.pairs import all_pairs
from cranfield.questions.compare.resampled import Resampling

FLIPS = 7_999


def main() -> None:
    """Print one row per matrix, number of systems and number of topics."""
    parser = argparse.ArgumentParser()
    parser.add_argument("folder", type=Path)
    parser.add_argument("--trials", type=int, default=2000)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--only", action="append")
    asked = parser.parse_args()
    sys.stdout.write("matrix,systems,topics,trials,inverted,t,width\n")
    for path in sorted(asked.folder.glob("*.csv")):
        if asked.only and path.stem not in asked.only:
            continue
        population = next(iter(read_scores(path).values())).values
        for m, n in ((2, 25), (2, 50), (5, 25), (5, 50)):
            rng, pairs = np.random.default_rng([asked.seed, m, n]), all_pairs(m)
            level = 0.05 / len(pairs)
            covered, widths = np.zeros(2), []
            for trial in range(asked.trials):
                systems = rng.choice(population.shape[1], m, replace=False)
                scores = GridScores.of(population[np.ix_(rng.integers(len(population), size=n), systems)])
                truth = pairs.of(population[:, systems].mean(axis=0))
                counted = ~identical(scores, pairs)
                low, high = inverted(scores, pairs, Resampling(FLIPS, trial, workers=1), level)
                each = differences(scores, pairs)
                half = -special.stdtrit(n - 1, level / 2) * each.error
                covered[0] += ((low <= truth) & (truth <= high))[counted].all()
                covered[1] += (np.abs(each.mean - truth) <= half)[counted].all()
                widths.append(np.median((high - low)[counted] / (2 * half[counted])) if counted.any() else 1.0)
            rates = covered / asked.trials
            sys.stdout.write(
                f"{path.stem},{m},{n},{asked.trials},{rates[0]:.3f},{rates[1]:.3f},{np.mean(widths):.3f}\n"
            )
            sys.stdout.flush()


if __name__ == "__main__":
    main()
