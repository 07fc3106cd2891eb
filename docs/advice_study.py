"""Prints a table of ``docs/validation.md``: sizes for t-tests with Holm's correction, and the power they have.

``python docs/figures.py --measure advice`` measures it after a change to the designs (some ten minutes on a free core);
``python docs/advice_study.py --quick`` prints a small study. Five populations are made here; public TREC matrices
join them where they are found beside the repository.
"""

from __future__ import annotations

import argparse
import warnings
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from cranfield import CranfieldWarning, ScoreMatrix, design_anova, read_scores
from cranfield.questions.design.all_pairs import design_all_pairs
from cranfield.questions.design.power import simulate_power
from cranfield.questions.design.result import Design
from cranfield.questions.variance.sphericity import greenhouse_geisser

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
HELD_OUT = {f"TREC-{year} {measure}": f"trec{year}-adhoc.{measure}" for year in (5, 6, 7) for measure in ("AP", "P@10")}
"""Populations that nobody looked at while the method was made."""


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


def untouched() -> dict[str, ScoreMatrix]:
    """The populations not used while the method was made, where they are at hand."""
    files = {name: SHARED / f"{file}.csv" for name, file in HELD_OUT.items()}
    return {name: read_scores(path).only() for name, path in files.items() if path.is_file()}


PILOTS = (25, 50)
"""Topics of the past collection the advice starts from."""
COMPARED = 20
"""Systems in the past collection, and in the one that is planned."""
HEADLINE, BLOCKED = "all pairs, corrected", "blocked ANOVA, unbiased ε"


def least_difference(population: ScoreMatrix) -> float:
    """A difference that takes between 40 and 80 topics."""
    x = population.values
    residual = x - x.mean(axis=0) - x.mean(axis=1, keepdims=True) + x.mean()
    return 0.10 if residual.var() < 0.02 else 0.15


def pilot(population: ScoreMatrix, topics: int, random: np.random.Generator) -> tuple[ScoreMatrix, ScoreMatrix]:
    """Past scores of some systems on topics drawn from the population, and all topics of the same systems."""
    systems = random.choice(population.n_systems, COMPARED, replace=False)
    everything = population.values[:, systems]
    drawn = everything[random.integers(len(everything), size=topics)]

    def labelled(values: Array) -> ScoreMatrix:
        return ScoreMatrix(values, map(str, range(len(values))), map(str, range(COMPARED)), population.measure)

    return labelled(drawn), labelled(everything)


def true_topics(everything: ScoreMatrix, min_diff: float) -> dict[str, int]:
    """What each design would ask for if the population were known."""
    x = everything.values
    centred = x - x.mean(axis=0)
    centred -= centred.mean(axis=1, keepdims=True)
    variance = float(np.square(centred).sum()) / (len(x) * (COMPARED - 1))
    covariance = centred.T @ centred / len(x)
    own = np.diag(covariance)
    pairs = (own[:, None] + own - 2 * covariance)[np.triu_indices(COMPARED, k=1)]
    spread = float(pairs.std() / pairs.mean())
    epsilon = greenhouse_geisser(covariance)
    return {
        HEADLINE: design_all_pairs(2 * variance, COMPARED, min_diff, spread=spread).n_topics,
        BLOCKED: design_anova(variance, COMPARED, min_diff, blocked=True, epsilon=epsilon).n_topics,
    }


@dataclass(frozen=True)
class Finding:
    """One row of the study.

    Attributes
    ----------
    topics : int
        The median of the advised numbers of topics; nine of ten lie between `low` and `high`.
    power, error, false : float
        Simulated power with that many topics, its standard error, and how often equal systems were called different.
    coverage : dict
        For each design, the share of pilots whose interval held what the population would ask for.
    """

    population: str
    pilot: int
    min_diff: float
    topics: int
    low: int
    high: int
    power: float
    error: float
    false: float
    coverage: dict[str, float]


def advised_by(past: ScoreMatrix, min_diff: float) -> dict[str, Design]:
    """The designs for t-tests with Holm's correction and for one F-test, as `recommend` has them in its rows."""
    return {
        HEADLINE: design_all_pairs(past, COMPARED, min_diff),
        BLOCKED: design_anova(past, COMPARED, min_diff, blocked=True, epsilon="past"),
    }


def study(name: str, population: ScoreMatrix, topics: int, pilots: int, trials: int, seed: int = 1) -> Finding:
    """Draw pilots, take advice from each, and try the median of it on the population."""
    random = np.random.default_rng([seed, topics])
    min_diff = least_difference(population)
    advised: list[int] = []
    covered = {HEADLINE: 0, BLOCKED: 0}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", CranfieldWarning)
        for _ in range(pilots):
            past, everything = pilot(population, topics, random)
            advice = advised_by(past, min_diff)
            advised.append(advice[HEADLINE].n_topics)
            for design, wanted in true_topics(everything, min_diff).items():
                lower, upper = (advice[design].only(f"topics_{end}") for end in ("lower", "upper"))
                covered[design] += lower <= wanted <= upper
    middle = round(float(np.median(advised)))
    result = simulate_power(population, middle, min_diff, n_systems=COMPARED, trials=trials)
    low, high = (round(float(end)) for end in np.percentile(advised, [5, 95]))
    shares = {design: count / pilots for design, count in covered.items()}
    return Finding(name, topics, min_diff, middle, low, high, result.power, result.error, result.false, shares)


def table(findings: list[Finding]) -> str:
    """The study as a pipe table."""
    lines = [
        "| population | past topics | difference | advised topics (middle 90%) | real power | equal called different "
        "| interval holds, all pairs | interval holds, blocked |",
        "|:---|---:|---:|---:|---:|---:|---:|---:|",
    ]
    for one in findings:
        lines.append(
            f"| {one.population} | {one.pilot} | {one.min_diff:.2f} | {one.topics} ({one.low}–{one.high}) "
            f"| {one.power:.3f} | {one.false:.3f} | {one.coverage[HEADLINE]:.3f} | {one.coverage[BLOCKED]:.3f} |"
        )
    return "\n".join(lines)


def everything(pilots: int, trials: int, *, held_out: bool = False) -> list[Finding]:
    """The study of all populations, or of those that were not used while the method was made."""
    chosen = untouched() if held_out else populations()
    return [study(name, one, topics, pilots, trials) for name, one in chosen.items() for topics in PILOTS]


def main() -> None:
    """The command line."""
    parser = argparse.ArgumentParser(description="Is the advice on topic set sizes true?")
    parser.add_argument("--quick", action="store_true", help="a small study, shown and not written")
    parser.add_argument("--held-out", action="store_true", help="the populations not used for tuning; shown only")
    parser.add_argument("--pilots", type=int, default=200)
    parser.add_argument("--trials", type=int, default=5000)
    arguments = parser.parse_args()
    pilots, trials = (20, 500) if arguments.quick else (arguments.pilots, arguments.trials)
    findings = everything(pilots, trials, held_out=arguments.held_out)
    print(table(findings))  # noqa: T201


if __name__ == "__main__":
    main()
