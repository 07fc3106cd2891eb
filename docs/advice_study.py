"""Populations and studies behind ``docs/advice.md``: is the advice on topic set sizes true?"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from cranfield import ScoreMatrix, read_scores

Array = NDArray[np.float64]
TOPICS, SYSTEMS = 4000, 60
SHARED = Path(__file__).resolve().parents[2] / "shared" / "data" / "matrices"
REAL = {
    "Terabyte 2006 AP": "terabyte2006.AP",
    "Robust 2004 AP": "robust2004-new.AP",
    "TREC-8 AP": "trec8-adhoc.AP",
    "TREC-3 AP": "trec3-adhoc.AP",
    "Web 2012 nDCG@20": "web2012-adhoc.nDCG@20",
}


def equal(rng: np.random.Generator) -> Array:
    """Normal scores, every difference with the same variance."""
    return 0.35 + rng.normal(0, 0.2, (TOPICS, 1)) + rng.normal(0, 0.1, (TOPICS, SYSTEMS))


def unequal(rng: np.random.Generator) -> Array:
    """Normal scores, some systems far steadier than others."""
    return (
        0.35 + rng.normal(0, 0.2, (TOPICS, 1)) + rng.normal(0, 0.1, (TOPICS, SYSTEMS)) * rng.uniform(0.4, 1.6, SYSTEMS)
    )


def skewed(rng: np.random.Generator) -> Array:
    """AP-like: most topics hard, scores in [0, 1] bunched near 0, systems better on topics of their own."""
    hard = rng.normal(-1.1, 1.2, (TOPICS, 1)) + rng.normal(0, 0.25, SYSTEMS) + rng.normal(0, 0.5, (TOPICS, SYSTEMS))
    mean = 1 / (1 + np.exp(-hard))
    return rng.beta(12 * mean, 12 * (1 - mean))


def sparse(rng: np.random.Generator) -> Array:
    """P@10-like: eleven values, about two fifths of them zero."""
    hard = rng.normal(-1.6, 1.7, (TOPICS, 1)) + rng.normal(0, 0.3, SYSTEMS) + rng.normal(0, 0.6, (TOPICS, SYSTEMS))
    return rng.binomial(10, 1 / (1 + np.exp(-hard))) / 10


def kindred(rng: np.random.Generator) -> Array:
    """Ten families of systems that rise and fall together."""
    family = np.repeat(rng.normal(0, 0.08, (TOPICS, SYSTEMS // 6)), 6, axis=1)
    return 0.35 + rng.normal(0, 0.2, (TOPICS, 1)) + family + rng.normal(0, 0.06, (TOPICS, SYSTEMS))


SYNTHETIC: dict[str, Callable[[np.random.Generator], Array]] = {
    "equal variances": equal,
    "unequal variances": unequal,
    "skewed, AP-like": skewed,
    "many zeros, P@10-like": sparse,
    "families of systems": kindred,
}


def populations(real: bool = True) -> dict[str, ScoreMatrix]:
    """Every population: five made here, and public TREC matrices where they are at hand."""
    made = {}
    for number, (name, make) in enumerate(SYNTHETIC.items()):
        values = make(np.random.default_rng(number))
        made[name] = ScoreMatrix(values, map(str, range(TOPICS)), map(str, range(SYSTEMS)), "score")
    files = {name: SHARED / f"{file}.csv" for name, file in REAL.items()} if real else {}
    return made | {name: read_scores(path).only() for name, path in files.items() if path.is_file()}
