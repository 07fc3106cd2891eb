"""From how many comparisons on does max-t keep the family-wise error better than randomisation with Holm?

Real score matrices are the populations: every system gets the same mean, topics are drawn with replacement and systems
without. Every rejected pair of systems that are not identical is then an error. The randomisation test uses its
saddlepoint p-values, which need no flips. Run it with the folder of the matrices::

    python docs/crossover_study.py ../shared/data/matrices --trials 500
"""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from cranfield import read_scores
from cranfield.questions.compare.classical import identical
from cranfield.questions.compare.corrections import adjust
from cranfield.questions.compare.flips import saddlepoint
from cranfield.questions.compare.grid import GridScores
from cranfield.questions.compare.max_t import max_t
from cranfield.questions.compare.pairs import Pairs, against, all_pairs
from cranfield.questions.compare.resampled import Resampling

ALPHA = 0.05
RESAMPLES = 999
FAMILIES = {
    **{f"all pairs of {m}": (m, all_pairs(m)) for m in (5, 7, 10, 20)},
    **{f"{k} against a baseline": (k + 1, against([0], k + 1)) for k in (5, 10, 20, 50)},
}


def rejects(values: NDArray[np.float64], pairs: Pairs, seed: int) -> tuple[bool, bool]:
    """Whether randomisation with Holm, and max-t, call any pair significant that is not identical."""
    scores = GridScores.of(values)
    different = ~identical(scores, pairs)
    p = adjust(saddlepoint(scores, pairs, "two-sided", 1), "holm")
    how = Resampling(n_resamples=RESAMPLES, seed=seed, workers=1, percentiles=False)
    q = max_t(scores, pairs, how, ALPHA).of_family
    return bool((p[different] <= ALPHA).any()), bool((q[different] <= ALPHA).any())


def main() -> None:
    """Print one row per matrix and family."""
    parser = argparse.ArgumentParser()
    parser.add_argument("folder", type=Path)
    parser.add_argument("--trials", type=int, default=500)
    parser.add_argument("--topics", type=int, default=50)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--only", action="append")
    asked = parser.parse_args()
    sys.stdout.write("matrix,family,trials,randomisation,max_t\n")
    for path in sorted(asked.folder.glob("*.csv")):
        if asked.only and path.stem not in asked.only:
            continue
        population = next(iter(read_scores(path).values())).values
        population = population - population.mean(axis=0) + population.mean()
        for name, (m, pairs) in FAMILIES.items():
            if m > population.shape[1]:
                continue
            rng = np.random.default_rng([asked.seed, m, len(pairs)])
            found = np.zeros(2, dtype=int)
            for trial in range(asked.trials):
                systems = rng.choice(population.shape[1], m, replace=False)
                topics = rng.integers(len(population), size=asked.topics)
                found += rejects(population[np.ix_(topics, systems)], pairs, trial)
            rates = found / asked.trials
            sys.stdout.write(f"{path.stem},{name},{asked.trials},{rates[0]:.3f},{rates[1]:.3f}\n")
            sys.stdout.flush()


if __name__ == "__main__":
    main()
