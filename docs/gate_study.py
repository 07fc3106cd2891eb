"""Prints the figures of docs/gate.md: false passes at the margin, and the power that the wider bounds cost.

python docs/gate_study.py [--trials 20000] [--seed 1]
"""

from __future__ import annotations

import argparse

import numpy as np
from numpy.typing import NDArray
from scipy import special

Array = NDArray[np.float64]
ALPHA, SD = 0.05, 0.01
LOSSES = ((0.2, 0.05), (0.5, 0.02))


def lower_bounds(d: Array) -> tuple[Array, Array]:
    """The t bound and the wider of it and Hall's, of every row; written apart from `rule.py` to check it."""
    n = d.shape[1]
    mean, s = d.mean(axis=1), d.std(axis=1, ddof=1)
    y = special.stdtrit(n - 1, 1 - ALPHA) / np.sqrt(n)
    g = ((d - mean[:, None]) ** 3).mean(axis=1) / s**3
    hall = mean - s * 3 / g * (np.cbrt(1 + g * (y - g / (6 * n))) - 1)
    return mean - s * y, np.minimum(mean - s * y, hall)


def false_passes(trials: int, rng: np.random.Generator) -> list[str]:
    """A row per loss and number of topics."""
    rows = []
    for loss, share in LOSSES:
        for n in (50, 100, 200):
            lost = rng.random((trials, n)) < share
            t, hall = lower_bounds(SD * rng.standard_normal((trials, n)) - loss * lost)
            rates = [(one > -loss * share).mean() for one in (t, hall)] + [(~lost.any(axis=1)).mean()]
            rows.append(f"| {loss:g} | {share:.0%} | {n} | " + " | ".join(f"{rate:.3f}" for rate in rates) + " |")
    return rows


def power_lost(trials: int, rng: np.random.Generator) -> list[str]:
    """The most power that normal differences lose, for every number of topics."""
    rows = []
    for n in (25, 50, 100, 200):
        lost = []
        for shift in (1.5, 2.0, 2.5, 3.0):
            t, hall = lower_bounds(rng.standard_normal((trials, n)) + shift / np.sqrt(n))
            lost.append(float(np.mean(t > 0) - np.mean(hall > 0)))
        rows.append(f"{n} topics: at most {100 * max(lost):.1f} points")
    return rows


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--trials", type=int, default=20_000)
    parser.add_argument("--seed", type=int, default=1)
    asked = parser.parse_args()
    rng = np.random.default_rng(asked.seed)
    print("\n".join([*false_passes(asked.trials, rng), "", *power_lost(asked.trials, rng)]))  # noqa: T201
