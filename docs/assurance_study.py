"""How often the interval of a variance, and the assured number of topics, hold: a table of docs/validation.md.

    python docs/assurance_study.py DIRECTORY [--pilots 500]

The directory holds wide score files (topic rows, one column per system), each a population. A pilot draws systems
without replacement and topics with replacement. The truth is the variance of the population: all its systems, its
topics as the distribution that topics come from.
"""

from __future__ import annotations

import argparse
import sys
import warnings
from collections.abc import Iterator
from pathlib import Path

import numpy as np
from scipy.special import stdtrit

from cranfield import CranfieldWarning, ScoreMatrix, estimate_variance, read_scores
from cranfield.core.resampling import generator
from cranfield.questions.design.all_pairs import solve_all_pairs
from cranfield.questions.variance.estimate import VarianceEstimate
from cranfield.questions.variance.sphericity import pair_spread
from cranfield.questions.variance.squares import log_error

TOPICS, SYSTEMS = (25, 50), (10, 20, 40)
ALPHA, ASSURANCE = 0.05, 0.80
DESIGN = {"n_systems": 20, "min_diff": 0.10, "power": 0.80, "alpha": 0.05}
_PILOTS = 47


def draw(whole: ScoreMatrix, n: int, m: int, seed: int, number: int) -> ScoreMatrix:
    """One pilot of the population."""
    rng = generator(seed, _PILOTS, number)
    systems = rng.choice(whole.n_systems, m, replace=False)
    topics = rng.integers(whole.n_topics, size=n)
    return ScoreMatrix(whole.values[np.ix_(topics, systems)], map(str, range(n)), map(str, range(m)), whole.measure)


def covers_by_topics(one: VarianceEstimate, truth: float) -> bool:
    """Whether the interval that cranfield had before, from topics alone, holds the truth."""
    left = one.strata[0].without_each_topic
    error = log_error(np.log(one.variance), [np.log(left)], None)
    return abs(np.log(truth / one.variance)) <= stdtrit(one.n_topics - 1, 1 - ALPHA / 2) * error.size


def cell(whole: ScoreMatrix, n: int, m: int, pilots: int, seed: int, estimator: str) -> tuple[float, ...]:
    """Shares of pilots: old interval holds, new interval holds, assured variance and assured size are enough."""
    x = whole.canonical().values
    residual = x - x.mean(axis=0) - x.mean(axis=1, keepdims=True) + x.mean()
    true = estimate_variance(whole, estimator)
    # Topics of a pilot are independent draws, so the population's variance divides by N, not N − 1.
    truth = true.variance * (len(x) - 1) / len(x)
    assert estimator != "residual" or np.isclose(truth, np.square(residual).sum() / (len(x) * (x.shape[1] - 1)))
    estimates = [estimate_variance(draw(whole, n, m, seed, i), estimator) for i in range(pilots)]
    old = np.mean([covers_by_topics(one, truth) for one in estimates])
    new = np.mean([one.lower <= truth <= one.upper for one in estimates])
    above = [one.assured(ASSURANCE) for one in estimates]
    variance = np.mean([one.variance >= truth for one in above])
    if estimator != "residual":
        return old, new, variance, np.nan
    needed = solve_all_pairs(2 * truth, spread=pair_spread(whole), **DESIGN).n_topics
    sizes = solve_all_pairs(above, **DESIGN).rows["topics"].to_numpy()
    return old, new, variance, np.mean(sizes >= needed)


def lines(directory: Path, pilots: int, seed: int, estimator: str) -> Iterator[str]:
    """The rows of the table."""
    yield "| scores | pilot topics | pilot systems | topics alone | interval | variance assured | size assured |"
    yield "|:--|--:|--:|--:|--:|--:|--:|"
    for path in sorted(directory.glob("*.csv")):
        whole = read_scores(path).only()
        for n in TOPICS:
            for m in (m for m in SYSTEMS if m <= whole.n_systems):
                shares = cell(whole, n, m, pilots, seed, estimator)
                yield f"| {path.stem} | {n} | {m} | " + " | ".join(f"{share:.3f}" for share in shares) + " |"


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("directory", type=Path)
    parser.add_argument("--pilots", type=int, default=500)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--estimator", default="residual")
    given = parser.parse_args()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", CranfieldWarning)
        for line in lines(given.directory, given.pilots, given.seed, given.estimator):
            sys.stdout.write(f"{line}\n")
            sys.stdout.flush()
