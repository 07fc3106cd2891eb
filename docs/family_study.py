"""How often does each test, with Holm where it needs a correction, reject any of 190 true hypotheses of equal means?

Real score matrices are the populations: every system gets the same mean, 20 systems are drawn without and 50 topics
with replacement. Any rejected pair of systems that are not identical is an error. Run it with the folder of the
matrices::

    python docs/family_study.py ../shared/data/matrices --trials 250
"""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

import numpy as np

from cranfield import read_scores
from cranfield.questions.compare.compare import run_test
from cranfield.questions.compare.corrections import adjust
from cranfield.questions.compare.family import GridScores, all_pairs, identical
from cranfield.questions.compare.flips import saddlepoint
from cranfield.questions.compare.resampled import Resampling
from cranfield.questions.compare.tests import TESTS
from cranfield.questions.compare.westfall_young import westfall_young

ALPHA = 0.05
SYSTEMS = 20
RESAMPLES = {"max-t": 999, "randomised-tukey": 999}
"""Resamples of tests that adjust by themselves; the others need more for Holm."""


def main() -> None:
    """Print one row per matrix and test."""
    parser = argparse.ArgumentParser()
    parser.add_argument("folder", type=Path)
    parser.add_argument("--trials", type=int, default=250)
    parser.add_argument("--topics", type=int, default=50)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--only", action="append")
    asked = parser.parse_args()
    pairs = all_pairs(SYSTEMS)
    sys.stdout.write("matrix,test,trials,error\n")
    for path in sorted(asked.folder.glob("*.csv")):
        if asked.only and path.stem not in asked.only:
            continue
        population = next(iter(read_scores(path).values())).values
        population = population - population.mean(axis=0) + population.mean()
        rng = np.random.default_rng(asked.seed)
        errors = dict.fromkeys([*TESTS, "westfall-young"], 0)
        for trial in range(asked.trials):
            systems = rng.choice(population.shape[1], SYSTEMS, replace=False)
            scores = GridScores.of(population[np.ix_(rng.integers(len(population), size=asked.topics), systems)])
            different = ~identical(scores, pairs)
            for name in errors:
                how = Resampling(RESAMPLES.get(name, 7999), trial, workers=1, percentiles=False)
                if name == "westfall-young":
                    p = westfall_young(scores, pairs, Resampling(999, trial, workers=1))
                elif name == "randomisation":
                    p = adjust(saddlepoint(scores, pairs, "two-sided", 1), "holm")
                else:
                    found = run_test(scores, pairs, name, ALPHA, how)
                    p = found.of_family if TESTS[name].corrects_family else adjust(found.p, "holm")
                errors[name] += bool((p[different] <= ALPHA).any())
        for name, count in errors.items():
            sys.stdout.write(f"{path.stem},{name},{asked.trials},{count / asked.trials:.3f}\n")
        sys.stdout.flush()


if __name__ == "__main__":
    main()
