"""How often the tests reject true hypotheses: simulated scores of systems that do not differ.

``python docs/calibration_study.py`` prints the tables of docs/compare_tables.md.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from cranfield.core.defaults import SEED
from cranfield.core.resampling import generator
from cranfield.questions.compare.classical import critical_value
from cranfield.questions.compare.compare import run_test
from cranfield.questions.compare.corrections import adjust, at_most
from cranfield.questions.compare.family import GridScores, Pairs, all_pairs, residual_variance
from cranfield.questions.compare.resampled import Resampling
from cranfield.questions.compare.tests import TESTS
from cranfield.questions.simulate.trials import binomial_bounds

Array = NDArray[np.float64]
Shape = Literal["normal", "skewed", "zeros", "unequal"]
SHAPES: tuple[Shape, ...] = ("normal", "skewed", "zeros")
PAIR_TESTS = tuple(name for name, test in TESTS.items() if not test.corrects_family)
FAMILY_TESTS = (
    *(name for name, test in TESTS.items() if test.corrects_family),
    *("t, holm", "randomisation, holm", "t, none"),
)
TOPICS = (10, 25, 50)
LEVELS = (0.05, 0.01)
TRIALS, FAMILY_TRIALS = 4000, 2000
RESAMPLES, FAMILY_RESAMPLES = 1999, 999
"""So that (B + 1)·alpha is a whole number for both levels."""
_BATCH = 200
"""Trials that share their resamples; every batch has its own."""


def _batches(trials: int, seed: int, *key: int) -> Iterator[tuple[int, int, np.random.Generator]]:
    for number, start in enumerate(range(0, trials, _BATCH)):
        yield number, min(_BATCH, trials - start), generator(seed, *key, number)


def null_scores(shape: Shape, n_topics: int, n_systems: int, rng: np.random.Generator) -> Array:
    """Scores of systems that do not differ, on shared topics.

    ``normal``: topic effect plus residual, in the proportions of AP. ``skewed``: log-normal, a few topics decide.
    ``zeros``: 60% zeros, else a multiple of .1: many ties. In these three the systems are exchangeable.
    ``unequal``: normal with equal means, but the last system's residuals are five times as spread.
    """
    cells = (n_topics, n_systems)
    topic = rng.normal(0, 0.17, (n_topics, 1))
    if shape == "skewed":
        return np.asarray(np.exp(topic + rng.normal(0, 1.5, cells)))
    if shape == "zeros":
        return np.asarray(np.where(rng.random(cells) < 0.6, 0.0, rng.integers(1, 11, cells) / 10))
    spread = np.ones(n_systems)
    if shape == "unequal":
        spread[-1] = 5.0
    return np.asarray(0.25 + topic + rng.normal(0, 0.11, cells) * spread)


def type_one_error(
    test: str, shape: Shape, n_topics: int, *, trials: int = TRIALS, seed: int = SEED
) -> dict[float, float]:
    """Share of true null hypotheses that a two-sided test of one pair rejects, at each of `LEVELS`.

    >>> rates = type_one_error("t", "normal", 25, trials=400)
    >>> 0.02 < rates[0.05] < 0.09
    True
    """
    p = []
    for number, size, rng in _batches(trials, seed, n_topics):
        scores = np.concatenate([null_scores(shape, n_topics, 2, rng) for _ in range(size)], axis=1)
        pairs = Pairs(np.arange(0, 2 * size, 2), np.arange(1, 2 * size, 2))
        how = Resampling(RESAMPLES, seed=seed + number)
        p.append(run_test(GridScores.of(scores), pairs, test, 0.05, how).p)
    p_values = np.concatenate(p)
    return {level: float(at_most(p_values, level).mean()) for level in LEVELS}


def family_error(
    test: str, shape: Shape, n_topics: int, n_systems: int = 5, *, trials: int = FAMILY_TRIALS, seed: int = SEED
) -> dict[float, float]:
    """Share of trials in which at least one pair of equal systems is declared different.

    `test` is one that corrects for the family itself, or the name of a pair test and of a correction: ``"t, holm"``.
    """
    count: Callable[[list[Array], Resampling], Array]
    if test == "tukey":
        limits = [critical_value(level, n_systems, (n_systems - 1) * (n_topics - 1.0)) for level in LEVELS]

        def count(scores: list[Array], how: Resampling) -> Array:
            return sum(_beyond(GridScores.of(x), limits) for x in scores) + np.zeros(len(LEVELS))
    elif ", " not in test:
        pairs = all_pairs(n_systems)

        def count(scores: list[Array], how: Resampling) -> Array:
            smallest = [run_test(GridScores.of(x), pairs, test, 0.05, how).p.min() for x in scores]
            return np.array([at_most(smallest, level).sum() for level in LEVELS])
    else:
        name, correction = test.split(", ")

        def count(scores: list[Array], how: Resampling) -> Array:
            inside = all_pairs(n_systems)
            first = np.repeat(np.arange(len(scores)) * n_systems, len(inside))
            pairs = Pairs(first + np.tile(inside.a, len(scores)), first + np.tile(inside.b, len(scores)))
            p = run_test(GridScores.of(np.concatenate(scores, axis=1)), pairs, name, 0.05, how).p
            adjusted = [adjust(row, correction).min() for row in p.reshape(len(scores), -1)]
            return np.array([at_most(adjusted, level).sum() for level in LEVELS])

    hits = np.zeros(len(LEVELS))
    for number, size, rng in _batches(trials, seed, n_topics, n_systems):
        scores = [null_scores(shape, n_topics, n_systems, rng) for _ in range(size)]
        # A worker's start costs more than a trial.
        hits += count(scores, Resampling(FAMILY_RESAMPLES, seed=seed + number, workers=1))
    return {level: float(hit / trials) for level, hit in zip(LEVELS, hits, strict=True)}


def _beyond(scores: GridScores, limits: list[float]) -> Array:
    """Whether the widest studentised range of a trial passes each limit."""
    means = scores.sums / scores.n_topics
    error = np.sqrt(residual_variance(scores) / scores.n_topics)
    return np.array([means.max() - means.min() > limit * error for limit in limits], dtype=np.float64)


def pair_table(trials: int = TRIALS) -> Iterator[str]:
    """Type I error of one pair, as a Markdown table."""
    yield from _heading(trials, "test", SHAPES)
    for test in PAIR_TESTS:
        yield _line(test, (type_one_error(test, shape, n, trials=trials) for shape in SHAPES for n in TOPICS))


def family_table(trials: int = FAMILY_TRIALS) -> Iterator[str]:
    """Family-wise error of all pairs of five systems, as a Markdown table."""
    shapes: tuple[Shape, ...] = (*SHAPES, "unequal")
    yield from _heading(trials, "test, correction", shapes)
    for name in FAMILY_TESTS:
        yield _line(name, (family_error(name, shape, n, trials=trials) for shape in shapes for n in TOPICS))


def _heading(trials: int, first: str, shapes: tuple[Shape, ...]) -> Iterator[str]:
    bounds = {level: binomial_bounds(level, trials) for level in LEVELS}
    said = ", ".join(f"{low:.3f}–{high:.3f} at {level:g}" for level, (low, high) in bounds.items())
    yield f"{trials:,} trials per cell: a test of exact level stays within {said} (99.8% of the time)."
    yield ""
    head = [f"{shape} {n}" for shape in shapes for n in TOPICS]
    yield f"| {first} | " + " | ".join(head) + " |"
    yield "|:--|" + "--:|" * len(head)


def _line(name: str, rates: Iterator[dict[float, float]]) -> str:
    cells = [" / ".join(f"{rate[level]:.3f}".removeprefix("0") for level in LEVELS) for rate in rates]
    return f"| {name} | " + " | ".join(cells) + " |"


def main() -> None:
    """Print the tables."""
    for table in (pair_table(), family_table()):
        for line in table:
            sys.stdout.write(line + "\n")
            sys.stdout.flush()
        sys.stdout.write("\n")


if __name__ == "__main__":
    main()
