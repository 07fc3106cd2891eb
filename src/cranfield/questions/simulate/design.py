"""`simulate_design`: the power and interval width that a recommended number of topics reaches."""

from __future__ import annotations

import math
import os
from collections.abc import Mapping
from concurrent.futures import Executor
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np
import polars as pl
from numpy.typing import NDArray
from scipy import special

from cranfield.core.arguments import check_arguments
from cranfield.core.defaults import ALPHA, DESIGN_TRIALS, PILOTS, POWER, SEED
from cranfield.core.errors import ArgumentError, notify, quietly
from cranfield.core.executors import Progress, map_in_order
from cranfield.core.options import at_least
from cranfield.core.resampling import generator
from cranfield.core.results import Result, check_frame, signature
from cranfield.core.work_files import WorkFile
from cranfield.questions.design.power import simulate_power
from cranfield.questions.recommend.max_t_design import simulate_max_t_power
from cranfield.questions.recommend.recommend import expected_widths, recommend
from cranfield.questions.simulate.answer import design_answer, design_headline
from cranfield.questions.simulate.population import FEWEST_TOPICS, past_scores
from cranfield.questions.simulate.question import SimulateDesignQuestion
from cranfield.questions.simulate.trials import CONFIDENCE, KIND, further, job_of, rate_interval
from cranfield.questions.variance.estimate import estimate_variance
from cranfield.scores.doors import ScoresLike
from cranfield.scores.matrix import ScoreMatrix

if TYPE_CHECKING:
    from cranfield.core.answer import Drawings

Array = NDArray[np.float64]
PILOT = 121
"""The stream of random numbers of pilots."""
WIDTHS = 124
"""The stream of random numbers of collections whose intervals are measured."""
_TOGETHER = 100
"""Trials drawn from one generator."""


@dataclass(frozen=True, eq=False)
class SimulatedDesign(Result):
    """Power and width reached by recommendations from simulated pilots; get one from `simulate_design`.

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
        return signature("simulated design", **named)

    def to_frame(self) -> pl.DataFrame:
        """One row per pilot.

        pilot, topics (recommended), promised and reached power with its 99% Monte-Carlo interval (lower, upper). The
        same for the width of an average pair's confidence interval: width_promised, width_reached, width_lower,
        width_upper.
        """
        return self.rows

    def summary(self) -> str:
        """The sentence to take away."""
        return design_headline(self)

    def __repr__(self) -> str:
        return f"SimulatedDesign({self.measure}: {self.summary()})\n{self.rows}"

    answer = design_answer

    @staticmethod
    def drawings() -> Drawings:
        """Its charts by name; the first is drawn unless another is named."""
        from cranfield.questions.simulate import charts

        return {"reached": charts.reached}


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
    work: str | os.PathLike[str] | None = None,
    workers: int | None = None,
    executor: Executor | None = None,
    progress: Progress | None = None,
) -> SimulatedDesign:
    """Does a collection of the recommended size have the promised power and interval width?

    Every pilot is drawn from the scores, topics with replacement, and `recommend` gives a number of topics. Collections
    of that size are drawn from the same scores, with a difference of `min_diff` between two systems. The power is the
    share in which it is detected (`simulate_power`). The scores are the population, so the truth is known. The
    same number of collections gives the width of the 1 − alpha intervals of a difference. The root of the mean squared
    width is that of an average pair, which `expected_widths` promises from the pilot.

    Parameters
    ----------
    scores : ScoreMatrix or whatever `as_scores` takes, by one measure
    n_systems, min_diff, power, alpha, baseline : the question, as in `recommend`
    n_topics : topics of a pilot; as many as the scores have unless given
    n_pilots, n_trials : how many pilots, and how many collections for each
    work : a file of finished parts, from which an interrupted simulation, or one with more pilots, resumes
    seed, workers, executor, progress : as in `compare`; workers and executor never change a result

    Examples
    --------
    >>> from cranfield import make_scores
    >>> result = simulate_design(make_scores(60, 8), 4, 0.1, n_pilots=3, n_trials=100)
    >>> result.rows.columns[:6]
    ['pilot', 'topics', 'promised', 'reached', 'lower', 'upper']
    """
    check_arguments(simulate_design, locals())
    matrix = past_scores(scores)
    size = matrix.n_topics if n_topics is None else int(n_topics)
    if size < FEWEST_TOPICS:
        raise ArgumentError(f"`n_topics` must be at least {FEWEST_TOPICS} for a pilot; got {size}. Write 50.")
    at_least("n_pilots", n_pilots, 1, PILOTS)
    at_least("n_trials", n_trials, 1, DESIGN_TRIALS)
    if n_systems > matrix.n_systems:
        raise ArgumentError(f"`n_systems` is {n_systems}, but the scores have {matrix.n_systems}. Draw fewer.")
    question = {"n_systems": n_systems, "min_diff": min_diff, "power": power, "alpha": alpha, "baseline": baseline}
    settings = SimulateDesignQuestion.in_force(
        measure=matrix.measure, **question, n_topics=size, n_pilots=n_pilots, n_trials=n_trials, seed=seed
    )
    about = {**question, "n_topics": size, "n_trials": n_trials, "seed": seed}
    with WorkFile(work, {} if work is None else job_of(matrix.measure, np.asarray(matrix.values), about), KIND) as file:
        todo = [number for number in range(n_pilots) if file.get(f"pilot {number}", _ROW) is None]
        one = partial(_pilot, matrix, size, question, n_trials, seed)
        tell = None if progress is None else partial(further, progress, n_pilots - len(todo), n_pilots)
        done = map_in_order(one, todo, executor=executor, workers=workers, progress=tell)
        for number, row in zip(todo, done, strict=True):
            file.put(f"pilot {number}", row)
    rows = pl.DataFrame([file.get(f"pilot {number}") for number in range(n_pilots)])
    result = SimulatedDesign(matrix.measure, rows, settings, (*matrix.warnings, *file.warnings))
    notify(result.warnings)
    return result


_REACHED = ("promised", "reached", "lower", "upper", "width_promised", "width_reached", "width_lower", "width_upper")
_ROW: dict[str, type | tuple[int, ...]] = {"pilot": int, "topics": int, **dict.fromkeys(_REACHED, float)}
"""The columns of a pilot in a work file."""


def _pilot(
    matrix: ScoreMatrix, size: int, question: dict[str, Any], n_trials: int, seed: int, number: int
) -> dict[str, Any]:
    """A pilot, its recommendation, and the power and width reached."""
    drawn = generator(seed, PILOT, number).integers(matrix.n_topics, size=size)
    pilot = ScoreMatrix(matrix.values[drawn], [str(i) for i in range(1, size + 1)], matrix.systems, matrix.measure)
    alpha = question["alpha"]
    with quietly():
        recommended = recommend(pilot, **question, seed=seed)
        topics = recommended.n_topics
        estimates = [estimate_variance(pilot, method, alpha=alpha) for method in ("residual", "percentile95")]
        wide = float(expected_widths(estimates[0], estimates[1], [topics], alpha=alpha)["width_average_pair"][0])
    about = {name: question[name] for name in ("min_diff", "n_systems", "alpha", "baseline")}
    # The test that the recommendation is for: max-t for many comparisons, paired t-tests with Holm's correction else.
    simulate = simulate_max_t_power if recommended.by_max_t else simulate_power
    power = simulate(matrix, topics, **about, trials=n_trials, seed=seed).power
    rate = rate_interval(np.arange(n_trials) < round(power * n_trials))
    width = reached_width(np.asarray(matrix.values), topics, alpha, n_trials, seed)
    named = {"pilot": number + 1, "topics": topics, "promised": float(question["power"])}
    named |= dict(zip(("reached", "lower", "upper"), rate, strict=True)) | {"width_promised": wide}
    return named | dict(zip(("width_reached", "width_lower", "width_upper"), width, strict=True))


def reached_width(
    values: Array, n_topics: int, alpha: float = ALPHA, n_trials: int = DESIGN_TRIALS, seed: int = SEED
) -> tuple[float, float, float]:
    """The width of an average pair's 1 − alpha interval with so many topics, and its 99% Monte-Carlo interval.

    Every trial draws two systems, and topics with replacement; the t-interval of their mean difference d̄ is
    2·t(1 − α/2; n − 1)·s_d/√n wide. The average pair is the one whose variance is the mean of all: the root of the
    mean squared width.

    >>> x = np.random.default_rng(1).normal(0, 0.1, (500, 4))
    >>> round(reached_width(x, 50)[0], 2)  # 2 · 2.01 · .1 · √2 / √50
    0.08
    """
    _, exponent = math.frexp(float(np.abs(values).max()))
    values = np.ldexp(values, -exponent)  # exact scaling that prevents overflow of fourth powers
    squares = []
    for start in range(0, n_trials, _TOGETHER):
        rng = generator(seed, WIDTHS, n_topics, start)
        systems = rng.random((_TOGETHER, values.shape[1])).argsort(axis=1)[:, :2]
        topics = rng.integers(len(values), size=(_TOGETHER, n_topics))
        each = values[topics, systems[:, :1]] - values[topics, systems[:, 1:]]
        squares.append(each.var(axis=1, ddof=1)[: n_trials - start] / n_topics)
    widths = 4 * float(special.stdtrit(n_topics - 1, 1 - alpha / 2)) ** 2 * np.concatenate(squares)
    spread = float(widths.std(ddof=1)) if len(widths) > 1 else float(widths.mean())
    half = float(special.ndtri((1 + CONFIDENCE) / 2)) * spread / math.sqrt(len(widths))
    mean = float(widths.mean())
    ends = (mean, max(0.0, mean - half), mean + half)
    return tuple(math.ldexp(math.sqrt(end), exponent) for end in ends)  # type: ignore[return-value]
