"""`simulate_scores`: a score matrix with known true means, made from past scores."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
import polars as pl

from cranfield.core.arguments import check_arguments
from cranfield.core.defaults import SEED, SIMULATION_MODE, SimulationMode
from cranfield.core.errors import notify
from cranfield.core.options import at_least, not_negative, one_of
from cranfield.core.resampling import generator
from cranfield.core.results import Result, check_frame, signature
from cranfield.questions.simulate.answer import scores_answer
from cranfield.questions.simulate.population import Population, halves
from cranfield.questions.simulate.question import SimulateScoresQuestion
from cranfield.scores.doors import ScoresLike
from cranfield.scores.matrix import ScoreMatrix

if TYPE_CHECKING:
    from cranfield.core.answer import Drawings

MATRIX = 122
"""The stream of random numbers of whole matrices."""


@dataclass(frozen=True, eq=False)
class SimulatedScores(Result):
    """Simulated scores with their truth; get them from `simulate_scores`.

    Attributes
    ----------
    scores : ScoreMatrix
    truth : polars frame
        One row per system: system, source (the system it is made from), mean (the true one).
    """

    scores: ScoreMatrix
    truth: pl.DataFrame
    settings: Mapping[str, Any]
    warnings: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        check_frame("the truth of simulated scores", self.truth)

    @property
    def signature(self) -> str:
        """One line for a paper's footnote."""
        named = {name.removeprefix("n_"): value for name, value in self.settings.items()}
        return signature("simulated scores", **named)

    def to_frame(self) -> pl.DataFrame:
        """The scores, one row per system and topic: a long table that `read_scores` reads."""
        return self.scores.to_long()

    def summary(self) -> str:
        """What was made."""
        x = self.scores
        return f"{x.n_topics} topics × {x.n_systems} systems by {x.measure}, with their true means"

    def __repr__(self) -> str:
        return f"SimulatedScores({self.summary()})\n{self.truth}"

    answer = scores_answer

    @staticmethod
    def drawings() -> Drawings:
        """Its charts by name; the first is drawn unless another is named."""
        from cranfield.questions.simulate import charts

        return {"systems": charts.systems}


def simulate_scores(
    scores: ScoresLike,
    *,
    n_topics: int | None = None,
    n_systems: int | None = None,
    difference: float | None = None,
    mode: SimulationMode = SIMULATION_MODE,
    seed: int = SEED,
) -> SimulatedScores:
    """A score matrix like this one, with true means that are known.

    ``resample`` draws topics with replacement, ``copula`` new ones from fitted margins and a vine copula of the systems
    (extra ``simulate``). Without a difference the true mean of every system is its own (in ``copula``, that of its
    fitted margin). With one, all systems get the mean of the first, and the second half get the difference added (see
    `simulate_tests` for how margins are moved).

    Parameters
    ----------
    scores : ScoreMatrix or whatever `as_scores` takes, by one measure
    n_topics, n_systems : the size; those of the scores unless given
    difference : the true difference between two halves of the systems; 0 for systems that do not differ
    mode : ``"resample"`` or ``"copula"``
    seed : the draw

    Examples
    --------
    >>> from cranfield import make_scores
    >>> simulate_scores(make_scores(50, 6), n_topics=200, n_systems=4, difference=0.1).summary()
    '200 topics × 4 systems by score, with their true means'
    """
    check_arguments(simulate_scores, locals())
    population = Population.of(scores, bottom=0.0)
    n = len(population.values) if n_topics is None else n_topics
    m = population.n_systems if n_systems is None else n_systems
    at_least("n_topics", n, 1, 50)
    at_least("n_systems", m, 2, 5)
    not_negative("difference", difference or 0)
    one_of("mode", mode, SimulationMode)
    rng = generator(seed, MATRIX)
    if mode == "copula":
        from cranfield.questions.simulate.copula import draw_matrix

        chosen, values, means = draw_matrix(population, rng, n, m, difference)
    elif difference is None:
        population.enough(m)
        chosen = np.sort(rng.permutation(population.n_systems)[:m])
        values = population.values[rng.integers(len(population.values), size=n)][:, chosen]
        means = population.means[chosen]
    else:
        population.admit(m, difference)
        shifts = halves(m, difference)
        drawn = population.draw(rng, 1, n, shifts)
        chosen, values = drawn.systems[0], drawn.scores[0]
        means = population.means[chosen[0]] + shifts
    systems = [f"system{j:0{len(str(m))}}" for j in range(1, m + 1)]
    topics = [str(i) for i in range(1, n + 1)]
    settings = SimulateScoresQuestion.in_force(
        measure=population.measure, n_topics=n, n_systems=m, difference=difference, mode=mode, seed=seed
    )
    made = ScoreMatrix(values, topics, systems, population.measure, provenance=["simulated from past scores"])
    truth = pl.DataFrame({"system": systems, "source": [population.systems[j] for j in chosen], "mean": means})
    result = SimulatedScores(made, truth, settings, population.warnings)
    notify(result.warnings)
    return result
