"""Are the probabilities of `compare --bayes` calibrated when real means are the truth?

Real score matrices are the populations: topics are drawn with replacement and systems without. Of all statements "this
system is better by more than the margin" with a probability of .95 or more (and of .80 to .95), the true ones are
counted; the mean of the matrix says which are true::

    python docs/bayes_study.py ../shared/data/matrices --trials 200
"""

from __future__ import annotations

import argparse
import sys
import warnings
from pathlib import Path

import numpy as np

from cranfield import ScoreMatrix, compare, read_scores

SIZES = (5, 10, 20, 0)
"""Systems; 0 stands for all."""


def main() -> None:
    """Print one row per matrix, number of systems and margin."""
    parser = argparse.ArgumentParser()
    parser.add_argument("folder", type=Path)
    parser.add_argument("--trials", type=int, default=200)
    parser.add_argument("--topics", type=int, default=50)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--only", action="append")
    asked = parser.parse_args()
    warnings.simplefilter("ignore")
    sys.stdout.write("matrix,systems,margin,statements95,true95,statements80,true80,within80,truewithin80\n")
    for path in sorted(asked.folder.glob("*.csv")):
        if asked.only and path.stem not in asked.only:
            continue
        population = next(iter(read_scores(path).values())).values
        for size in SIZES:
            for margin in (None, 0.02):
                rng = np.random.default_rng([asked.seed, size])
                counts = np.zeros(6, dtype=int)
                for _ in range(asked.trials if size else asked.trials // 10):
                    chosen = rng.permutation(population.shape[1])[: size or None]
                    x = population[np.ix_(rng.integers(len(population), size=asked.topics), chosen)]
                    names = [f"{j:04}" for j in chosen]
                    found = compare(
                        ScoreMatrix(x, [f"{i:04}" for i in range(len(x))], names, "AP"), test="t", margin=margin
                    )
                    view = found.posterior()
                    mean = {f"{j:04}": population[:, j].mean() for j in chosen}
                    rows = zip(found.system_a, found.system_b, strict=True)
                    true = np.array([mean[a] - mean[b] for a, b in rows])
                    d = margin or 0.0
                    for probability, right in ((view.better, true > d), (view.worse, true < -d)):
                        high, middle = probability >= 0.95, (probability >= 0.8) & (probability < 0.95)
                        counts[:4] += [high.sum(), (high & right).sum(), middle.sum(), (middle & right).sum()]
                    inside = view.within >= 0.8
                    counts[4:] += [inside.sum(), (inside & (np.abs(true) <= d)).sum()]
                figures = ",".join(map(str, counts))
                sys.stdout.write(f"{path.stem},{size or population.shape[1]},{margin or 0},{figures}\n")
                sys.stdout.flush()


if __name__ == "__main__":
    main()
