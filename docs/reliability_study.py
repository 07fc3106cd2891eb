"""Figures of docs/reliability.md: coverage of the intervals of reliability, and what repeated looks do to the level.

python docs/reliability_study.py          # as printed in docs/reliability.md, in about half a minute
python docs/reliability_study.py --quick  # a tenth of the experiments
"""

from __future__ import annotations

import sys
import warnings
from collections.abc import Iterator

import numpy as np
from scipy.special import stdtr

from cranfield import ScoreMatrix, design_looks, reliability
from cranfield.errors import CranfieldWarning
from cranfield.monitoring import spending_boundaries
from cranfield.monitoring.boundaries import nominal

TRUTH = {"systems": 0.003, "topics": 0.03, "residual": 0.01}
"""Components of the simulated collections, much as those of TREC-3."""
LOOKS, PER_LOOK = 5, 20


def collection(rng: np.random.Generator, n: int, m: int) -> ScoreMatrix:
    """Normal effects of systems and topics, and a normal rest."""
    s, q, e = (np.sqrt(value) for value in TRUTH.values())
    values = rng.normal(0, s, m) + rng.normal(0, q, (n, 1)) + rng.normal(0, e, (n, m))
    return ScoreMatrix(values, [f"t{i:03}" for i in range(n)], [f"s{j:03}" for j in range(m)], "AP")


def coverage(trials: int) -> Iterator[str]:
    """How often the 95% intervals hold the truth."""
    s, q, e = TRUTH.values()
    yield f"Coverage of the 95% intervals, {trials:,} collections each\n"
    yield "| collections | Eρ² (Feldt) | Φ (Arteaga) |\n|---|---|---|"
    for name, sizes in {
        "25 topics × 10 systems": [(25, 10)],
        "50 topics × 30 systems": [(50, 30)],
        "both 25 × 10 and 60 × 25, pooled": [(25, 10), (60, 25)],
    }.items():
        rng = np.random.default_rng(1)
        hits = np.zeros(2)
        for _ in range(trials):
            study = reliability([collection(rng, n, m) for n, m in sizes])
            ratios = [study.ratio("erho2"), study.ratio("phi")]
            hits += [one.lower <= true <= one.upper for one, true in zip(ratios, (s / e, s / (q + e)), strict=True)]
        yield f"| {name} | {hits[0] / trials:.3f} | {hits[1] / trials:.3f} |"


def levels(trials: int) -> Iterator[str]:
    """How often a true null is rejected at some look."""
    rng = np.random.default_rng(2)
    differences = rng.normal(size=(trials, LOOKS * PER_LOOK))
    sizes = PER_LOOK * np.arange(1, LOOKS + 1)
    p = np.empty((trials, LOOKS))
    for k, n in enumerate(sizes):
        part = differences[:, :n]
        t = part.mean(axis=1) / (part.std(axis=1, ddof=1) / np.sqrt(n))
        p[:, k] = 2 * stdtr(n - 1, -np.abs(t))
    yield f"\nRejections of a true null, {LOOKS} looks of {PER_LOOK} topics, {trials:,} experiments\n"
    yield "| looks | rejections |\n|---|---|"
    share = (sizes / sizes[-1]).tolist()
    rules = {
        "every look at .05": np.full(LOOKS, 0.05),
        "Pocock-like spending": nominal(spending_boundaries(share, "pocock", 0.05)),
        "O'Brien–Fleming-like spending": nominal(spending_boundaries(share, "obrien-fleming", 0.05)),
    }
    for name, bounds in rules.items():
        yield f"| {name} | {(p <= bounds).any(axis=1).mean():.3f} |"
    for spending in ("obrien-fleming", "pocock"):
        yield f"\n{spending}: {design_looks(0.04, 0.07, spending=spending).summary()}"  # type: ignore[arg-type]


def main(quick: bool) -> None:
    """Print the tables."""
    for line in (*coverage(200 if quick else 2000), *levels(2000 if quick else 20_000)):
        sys.stdout.write(f"{line}\n")


if __name__ == "__main__":
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", CranfieldWarning)
        main("--quick" in sys.argv[1:])
