"""How far a design from a small pilot scatters: the table of docs/pilots.md.

    python docs/pilots_study.py [DIRECTORY]

The directory holds wide score files (topic rows, one column per system); without one, only scores drawn from a model with
known variance are used. Every pilot is a random set of topics and systems, and its design is compared with that of all of
them.
"""

from __future__ import annotations

import sys
import warnings
from collections.abc import Callable, Iterator
from pathlib import Path

import numpy as np

from cranfield import CranfieldWarning, ScoreMatrix, design_anova, estimate_variance, read_scores
from cranfield.core.resampling import generator
from cranfield.scores.synthetic import make_scores

TOPICS, SYSTEMS, PILOTS = (10, 25, 50), (5, 10, 40), 200
DESIGN = {"n_systems": 10, "min_diff": 0.1, "published": True, "method": "exact"}
"""The headline design of the papers: ten systems, a difference of .10 between best and worst, power .80 at .05."""
COMPONENTS = {"system_variance": 0.007, "topic_variance": 0.03, "residual_variance": 0.0125}
_PILOTS = 31

Draw = Callable[[int, int, int], ScoreMatrix]


def designs(pilots: list[ScoreMatrix]) -> np.ndarray:
    """Topics of the design from each pilot, with the ends of its interval: one row per pilot."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", CranfieldWarning)
        estimates = [estimate_variance(pilot, "within") for pilot in pilots]
        frame = design_anova(estimates, **DESIGN).to_frame()
    return frame.select("topics", "topics_lower", "topics_upper").to_numpy().astype(float)


def from_matrix(whole: ScoreMatrix) -> Draw:
    """Pilots are topics and systems of a past collection."""

    def draw(number: int, n: int, m: int) -> ScoreMatrix:
        rng = generator(1, _PILOTS, number)
        topics, systems = rng.permutation(whole.topics)[:n], rng.permutation(whole.systems)[:m]
        return whole.select(topics=topics.tolist(), systems=systems.tolist())

    return draw


def from_model(number: int, n: int, m: int) -> ScoreMatrix:
    """Pilots are new topics and systems of the model every time."""
    return make_scores(n, m, number, **COMPONENTS)


def table(name: str, truth: float, draw: Draw, most_topics: int, most_systems: int) -> Iterator[str]:
    """One line per size of pilot: how n̂ spreads around the truth, and how often its interval covers it."""
    for n in TOPICS:
        if 2 * n > most_topics:
            continue
        for m in dict.fromkeys(min(m, most_systems) for m in SYSTEMS):
            topics, lower, upper = designs([draw(number, n, m) for number in range(PILOTS)]).T
            low, middle, high = np.quantile(topics / truth, [0.05, 0.5, 0.95])
            covered = ((lower <= truth) & (truth <= upper)).mean()
            yield (
                f"| {name} | {truth:.0f} | {n} | {m} | {middle:.2f} | {low:.2f} to {high:.2f} "
                f"| {np.mean(topics < 0.8 * truth):.2f} | {covered:.2f} |"
            )


def lines(directory: Path | None) -> Iterator[str]:
    """The lines of the table."""
    yield "| scores | topics needed | pilot topics | pilot systems | median n̂/n | 90% of n̂/n | n̂ below .8n | covered |"
    yield "|---|---|---|---|---|---|---|---|"
    variance = COMPONENTS["topic_variance"] + COMPONENTS["residual_variance"]
    truth = design_anova(variance, **DESIGN).n_topics
    yield from table("model", truth, from_model, 10_000, 10_000)
    for path in sorted(directory.glob("*.AP.csv")) if directory else ():
        whole = read_scores(path).only()
        needed = float(designs([whole])[0, 0])
        yield from table(path.name.split(".")[0], needed, from_matrix(whole), whole.n_topics, whole.n_systems)


if __name__ == "__main__":
    for line in lines(Path(sys.argv[1]) if len(sys.argv) > 1 else None):
        sys.stdout.write(f"{line}\n")
