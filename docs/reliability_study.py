"""Figures of docs/reliability.md: coverage of the intervals of reliability, and what repeated looks do to the level.

python docs/reliability_study.py          # as printed in docs/reliability.md, in some minutes
python docs/reliability_study.py --quick  # a tenth of the experiments
"""

from __future__ import annotations

import sys
import warnings
from collections.abc import Iterator
from pathlib import Path

import numpy as np
from scipy.special import stdtr

from cranfield import ScoreMatrix, expected_tau, monitor, read_scores, reliability
from cranfield.core.errors import CranfieldWarning
from cranfield.questions.compare.classical import careful_t
from cranfield.questions.monitor.boundaries import nominal, sequence_half_width, spending_boundaries, tuned_rho
from cranfield.scores.rank_coefficients import rank_correlations

TRUTH = {"systems": 0.003, "topics": 0.03, "residual": 0.01}
"""Components of the simulated collections, much as those of TREC-3."""
LOOKS = 5
MATRICES = Path(__file__).resolve().parents[2] / "shared" / "data" / "matrices"


def collection(rng: np.random.Generator, n: int, m: int) -> ScoreMatrix:
    """Normal effects of systems and topics, and a normal rest."""
    s, q, e = (np.sqrt(value) for value in TRUTH.values())
    values = rng.normal(0, s, m) + rng.normal(0, q, (n, 1)) + rng.normal(0, e, (n, m))
    return ScoreMatrix(values, [f"t{i:03}" for i in range(n)], [f"s{j:03}" for j in range(m)], "AP")


def coverage(trials: int) -> Iterator[str]:
    """How often the 95% intervals hold the truth."""
    s, q, e = TRUTH.values()
    yield "| collections | Eρ² (Feldt) | Φ (Arteaga) |\n|---|---|---|"
    for name, sizes in {
        "25 topics × 10 systems": [(25, 10)],
        "50 topics × 30 systems": [(50, 30)],
        "both 25 × 10 and 60 × 25, pooled": [(25, 10), (60, 25)],
    }.items():
        rng = np.random.default_rng(1)
        hits = np.zeros(2)
        for _ in range(trials):
            study = reliability([collection(rng, n, m) for n, m in sizes], intervals="normal")
            ratios = [study.ratio("erho2"), study.ratio("phi")]
            hits += [one.lower <= true <= one.upper for one, true in zip(ratios, (s / e, s / (q + e)), strict=True)]
        yield f"| {name} | {short(hits[0] / trials)} | {short(hits[1] / trials)} |"


def taus(scores: ScoreMatrix, sets: int = 40, splits: int = 400) -> Iterator[str]:
    """The τ that n topics promise, beside that of two disjoint sets of n topics."""
    yield "| n | truth | split-half, stepped up | (2/π)·asin Eρ² |\n|---|---|---|---|"
    for n in (24, 50, 70):
        rng = np.random.default_rng(n)
        drawn = [rng.permutation(scores.n_topics)[: 2 * n] for _ in range(splits)]
        halves = [
            np.stack([scores.values[one[part]].mean(axis=0) for one in drawn]) for part in (slice(n), slice(n, None))
        ]
        truth = rank_correlations(*halves)["tau"].mean()
        promised, normal = [], []
        for _ in range(sets):
            part = scores.select(topics=rng.permutation(scores.topics)[:n].tolist())
            promised.append(expected_tau(part, n_resamples=60).at(n)[0])
            normal.append(2 / np.pi * np.arcsin(reliability(part).ratio("erho2").at(n)[0]))
        yield f"| {n} | {short(truth)} | {short(np.mean(promised))} | {short(np.mean(normal))} |"


def levels(trials: int) -> Iterator[str]:
    """How often a true null is rejected at some of five looks."""
    yield "| looks | 20 topics a look | 10 topics a look | 10 a look, heavy tails (Laplace) |\n|---|---|---|---|"
    rates: dict[str, list[str]] = {}
    for per_look, draw in ((20, "normal"), (10, "normal"), (10, "laplace")):
        rng = np.random.default_rng(2)
        differences = getattr(rng, draw)(size=(trials, LOOKS * per_look))
        sizes = per_look * np.arange(1, LOOKS + 1)
        by_t, p = np.empty((2, trials, LOOKS))
        for k, n in enumerate(sizes):
            part = differences[:, :n]
            mean, sd = part.mean(axis=1), part.std(axis=1, ddof=1)
            t = mean / (sd / np.sqrt(n))
            skewed = ((part - mean[:, None]) ** 3).mean(axis=1) / sd**3
            by_t[:, k] = 2 * stdtr(n - 1, -np.abs(t))
            p[:, k] = 2 * stdtr(n - 1, -np.abs(careful_t(t, skewed, n)))
        share = (sizes / sizes[-1]).tolist()
        rules = {
            "every look at .05, by t": by_t <= 0.05,
            "Pocock-like spending": p <= nominal(spending_boundaries(share, "pocock", 0.05)),
            "O'Brien–Fleming-like spending": p <= nominal(spending_boundaries(share, "obrien-fleming", 0.05)),
        }
        for name, decided in rules.items():
            rates.setdefault(name, []).append(short(decided.any(axis=1).mean()))
    for name, row in rates.items():
        yield f"| {name} | {' | '.join(row)} |"


def families(trials: int) -> str:
    """All pairs of equal systems: how often some pair is decided."""
    rng = np.random.default_rng(12)
    wrong = np.zeros(2)
    for _ in range(trials):
        values = rng.normal(size=(60, 4)) + rng.normal(size=(60, 1))
        wrong += [monitor(cut(values, 20), max_topics=60, anytime=anytime).n_decided > 0 for anytime in (False, True)]
    few = trials // 4
    early = sum(
        monitor(cut(rng.normal(size=(50, 20)), 10), max_topics=50, anytime=True).n_decided > 0 for _ in range(few)
    )
    return (
        f"All pairs of four equal systems, three looks: some pair decided in {short(wrong[0] / trials)} of {trials:,} "
        f"experiments (Holm), and in {short(wrong[1] / trials)} by anytime p-values. 20 equal systems with 190 pairs were "
        f"looked at every ten topics from the 10th to the 50th. `monitor --anytime` found a false difference in "
        f"{short(early / few)} of {few:,} experiments"
    )


def cut(values: np.ndarray, size: int) -> list[ScoreMatrix]:
    """Topics in batches."""
    systems = [f"s{j:02}" for j in range(values.shape[1])]
    return [
        ScoreMatrix(values[at : at + size], [f"t{i:03}" for i in range(at, at + size)], systems, "AP")
        for at in range(0, len(values), size)
    ]


def sequences(trials: int) -> str:
    """How often a confidence sequence, looked at after every topic, misses the truth at some time."""
    d = np.random.default_rng(13).normal(size=(trials, 400))
    n = np.arange(1, 401)
    mean = d.cumsum(axis=1) / n
    with np.errstate(divide="ignore", invalid="ignore"):
        sd = np.sqrt(np.maximum((d**2).cumsum(axis=1) - n * mean**2, 0) / (n - 1))
    missed = {}
    for student in (True, False):
        outside = np.abs(mean[:, 9:]) > sequence_half_width(
            n[9:], sd[:, 9:], tuned_rho(100, 0.05), 0.05, student=student
        )
        missed[student] = ", ".join(short(outside[:, first - 10 :].any(axis=1).mean()) for first in (10, 20, 50))
    return f"{missed[True]}; by the published formula, without t quantiles, {missed[False]}"


def short(value: float) -> str:
    """A rate as papers print it."""
    return f"{value:.3f}".removeprefix("0")


def main(quick: bool) -> None:
    """Print the tables."""
    trials = 200 if quick else 2000
    for line in (*coverage(trials), "", *levels(10 * trials), "", families(trials // 2), "", sequences(2 * trials)):
        sys.stdout.write(f"{line}\n")
    if MATRICES.is_dir():
        sys.stdout.write("\n" + "\n".join(taus(read_scores(MATRICES / "terabyte2006.AP.csv").only())) + "\n")


if __name__ == "__main__":
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", CranfieldWarning)
        main("--quick" in sys.argv[1:])
