"""`simulate_design`: does a recommended number of topics deliver the power it promises?"""

from __future__ import annotations

from collections.abc import Mapping
from concurrent.futures import Executor
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np
import polars as pl

from cranfield.defaults import ALPHA, DESIGN_TRIALS, PILOTS, POWER, SEED
from cranfield.design.recommendation import recommend
from cranfield.design.simulated_power import simulate_power
from cranfield.errors import ArgumentError, notify, quietly
from cranfield.executors import Progress, map_in_order
from cranfield.invariants import check_frame
from cranfield.resampling import generator
from cranfield.results import Result
from cranfield.scores import ScoreMatrix
from cranfield.scores.doors import ScoresLike, as_matrix
from cranfield.signature import signature
from cranfield.simulation.intervals import rate_interval

PILOT = 121
"""The stream of random numbers of pilots."""
FEWEST = 5
"""Topics a pilot needs."""


@dataclass(frozen=True, eq=False)
class SimulatedDesign(Result):
    """What recommendations from simulated pilots deliver; get one from `simulate_design`.

    Attributes
    ----------
    rows : polars frame
        One row per pilot; see `to_frame`.
    """

    measure: str
    rows: pl.DataFrame
    settings: Mapping[str, Any]
    warnings: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        check_frame(f"{self.measure}: the simulated design", self.rows, "reached")

    @property
    def signature(self) -> str:
        """One line for a paper's footnote."""
        named = {name.removeprefix("n_"): value for name, value in self.settings.items()}
        return signature("simulated design", measure=self.measure, **named)

    def to_frame(self) -> pl.DataFrame:
        """One row per pilot: pilot, topics (recommended), promised and reached power, with lower and upper."""
        return self.rows

    def summary(self) -> str:
        """The sentence to take away."""
        reached, topics = self.rows["reached"].to_numpy(), self.rows["topics"].to_numpy()
        promised = float(self.rows["promised"][0])
        short = int((self.rows["upper"] < self.rows["promised"]).sum())
        return (
            f"Pilots of {self.settings['n_topics']} topics lead to recommendations of {int(np.median(topics))} topics "
            f"({topics.min()} to {topics.max()}) and reach a power of {reached.mean():.2f} on average "
            f"({reached.min():.2f} to {reached.max():.2f}) where {promised:g} is promised; {short} of {len(topics)} "
            "clearly fall short"
        )

    def __repr__(self) -> str:
        return f"SimulatedDesign({self.measure}: {self.summary()})\n{self.rows}"


def simulate_design(
    scores: ScoresLike,
    n_systems: int,
    min_diff: float,
    *,
    n_topics: int | None = None,
    power: float = POWER,
    alpha: float = ALPHA,
    baseline: bool = False,
    n_pilots: int = PILOTS,
    n_trials: int = DESIGN_TRIALS,
    seed: int = SEED,
    workers: int | None = None,
    executor: Executor | None = None,
    progress: Progress | None = None,
) -> SimulatedDesign:
    """Would a collection of the recommended size have the promised power?

    Every pilot is drawn from the scores, topics with replacement, and `recommend` says how many topics the next
    collection should have. Collections of that size are then drawn from the same scores, with a difference of
    `min_diff` between two systems, and the share is counted in which it is found (`design.simulated_power`): the
    scores are the population, so the truth is known.

    Parameters
    ----------
    scores : ScoreMatrix or whatever `as_scores` takes, by one measure
    n_systems, min_diff, power, alpha, baseline : the question, as in `recommend`
    n_topics : topics of a pilot; as many as the scores have unless given
    n_pilots, n_trials : how many pilots, and how many collections for each
    seed, workers, executor, progress : as in `compare`; workers and executor never change a result

    Examples
    --------
    >>> from cranfield import make_scores
    >>> found = simulate_design(make_scores(60, 8), 4, 0.1, n_pilots=3, n_trials=100)
    >>> found.rows.columns
    ['pilot', 'topics', 'promised', 'reached', 'lower', 'upper']
    """
    matrix = as_matrix(scores).require(what="a simulation").canonical()
    size = matrix.n_topics if n_topics is None else int(n_topics)
    if size < FEWEST:
        raise ArgumentError(f"`n_topics` must be at least {FEWEST} for a pilot; got {size}. Write 50.")
    for name, count in (("n_pilots", n_pilots), ("n_trials", n_trials)):
        if count < 1:
            raise ArgumentError(f"`{name}` must be a whole number of at least 1; got {count}.")
    if n_systems > matrix.n_systems:
        raise ArgumentError(
            f"`n_systems` is {n_systems}, but there are {matrix.n_systems} to draw from; draw at most as many."
        )
    question = {"n_systems": n_systems, "min_diff": min_diff, "power": power, "alpha": alpha, "baseline": baseline}
    one = partial(_pilot, matrix, size, question, n_trials, seed)
    done = map_in_order(one, range(n_pilots), executor=executor, workers=workers, progress=progress)
    rows = pl.DataFrame(list(done))
    settings = {**question, "n_topics": size, "n_pilots": n_pilots, "n_trials": n_trials, "seed": seed}
    result = SimulatedDesign(matrix.measure, rows, settings, matrix.warnings)
    notify(result.warnings)
    return result


def _pilot(
    matrix: ScoreMatrix, size: int, question: dict[str, Any], n_trials: int, seed: int, number: int
) -> dict[str, Any]:
    """A pilot, its recommendation, and what that delivers."""
    drawn = generator(seed, PILOT, number).integers(matrix.n_topics, size=size)
    pilot = ScoreMatrix(matrix.values[drawn], [str(i) for i in range(1, size + 1)], matrix.systems, matrix.measure)
    with quietly():
        topics = recommend(pilot, **question).n_topics
    about = {name: question[name] for name in ("min_diff", "n_systems", "alpha", "baseline")}
    power = simulate_power(matrix, topics, **about, trials=n_trials, seed=seed).power
    rate, lower, upper = rate_interval(np.arange(n_trials) < round(power * n_trials))
    named = {"pilot": number + 1, "topics": topics, "promised": question["power"]}
    return named | {"reached": rate, "lower": lower, "upper": upper}
