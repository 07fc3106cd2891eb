"""How far scores are from the sphericity that a blocked F-test assumes: the Greenhouse–Geisser ε."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from cranfield.defaults import SEED
from cranfield.resampling import generator

Array = NDArray[np.float64]

_SUBSETS = 200
"""Random sets of systems averaged over when ε is wanted for fewer systems than there are."""


def greenhouse_geisser(covariance: Array) -> float:
    """ε = tr(Σ̃)² / ((m−1)·tr(Σ̃²)) with Σ̃ the doubly centred m × m covariance of the systems.

    1 when all pairwise differences have the same variance, 1/(m−1) at worst (Greenhouse and Geisser 1959).
    NaN when there is no variance at all.

    >>> greenhouse_geisser(np.eye(4))
    1.0
    """
    m = len(covariance)
    centred = covariance - covariance.mean(axis=0) - covariance.mean(axis=1, keepdims=True) + covariance.mean()
    squared = float(np.square(centred).sum())
    return float(np.trace(centred)) ** 2 / ((m - 1) * squared) if squared > 0 else float("nan")


def epsilon_for(covariance: Array, n_systems: int | None = None) -> float:
    """ε of all systems, or its mean over random sets of `n_systems` of them (always the same sets).

    ε shrinks as systems are added, so the ε of 78 past systems says little about a comparison of ten.
    """
    m = len(covariance)
    if n_systems is None or n_systems >= m:
        return greenhouse_geisser(covariance)
    random = generator(SEED, m, n_systems)
    values = []
    for _ in range(_SUBSETS):
        chosen = random.choice(m, n_systems, replace=False)
        values.append(greenhouse_geisser(covariance[np.ix_(chosen, chosen)]))
    epsilons = np.asarray(values)
    epsilons = epsilons[~np.isnan(epsilons)]  # identical systems have no differences to speak of
    return float(epsilons.mean()) if len(epsilons) else float("nan")
