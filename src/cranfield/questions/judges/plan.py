"""`design_judges`: how many topics must people judge when a machine judges more, and which mix is cheapest?"""

from __future__ import annotations

import math
import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NamedTuple, Unpack

import numpy as np
import polars as pl
from numpy.typing import NDArray
from scipy.special import nctdtr, stdtrit

from cranfield.collection.doors import RunsLike
from cranfield.core.answer import sentence
from cranfield.core.arguments import check_arguments
from cranfield.core.defaults import ALPHA, JUDGES_MIN_DIFF, MACHINE_TOPICS, POWER
from cranfield.core.errors import ArgumentError, DataError
from cranfield.core.results import Result, check_finite, check_frame, signature
from cranfield.measures.options import ScoringOptions, complete_scoring
from cranfield.questions.judges.inputs import Bench, JudgesLike, gather
from cranfield.questions.judges.powered import LEAST_CORRELATION, LEAST_TOPICS
from cranfield.questions.judges.question import DesignJudgesQuestion

if TYPE_CHECKING:
    from cranfield.core.answer import Answer, Drawings
    from cranfield.core.question import Question

Array = NDArray[np.float64]
MOST_TOPICS = 20_000
"""Human topics beyond which no design is looked for."""
_SURE = 12.0
_HALVINGS, _ROUNDING = 50, 1e-9
"""Steps of the search for a real number of topics, and how far rounding may part equal numbers."""
NEEDED_FURTHER = 500
"""The number of further machine topics for which `judges` says how many human topics they leave."""
LEAST_PILOT = 10
"""Topics with both judgments below which a pilot says too little about the correlation."""
WEAK_PILOT = sentence(
    "judges.weak-pilot",
    "In the pilot, differences correlate {rho:.2f}, below {least}. Prediction-powered estimates are "
    "therefore not offered.",
    "the pilot's correlation of human and machine differences is below .5",
)


class Pilot(NamedTuple):
    """What a pilot says about an average pair of systems.

    Attributes
    ----------
    variance : of the difference of two systems over human topics, the mean over pairs
    explained : ρ², the share of it that the machine's difference explains, adjusted for few topics
    """

    variance: float
    explained: float

    @classmethod
    def of(cls, y: Array, f: Array) -> Pilot:
        """The pilot of n topics × systems by people and by the machine."""
        n = len(y)
        a, b = np.triu_indices(y.shape[1], 1)
        dy, df = y[:, a] - y[:, b], f[:, a] - f[:, b]
        dy, df = dy - dy.mean(axis=0), df - df.mean(axis=0)
        yy, ff, yf = (dy * dy).sum(axis=0), (df * df).sum(axis=0), (dy * df).sum(axis=0)
        # A machine that orders a pair the wrong way round over topics gets λ = 0, so it explains nothing.
        own = np.divide(np.maximum(yf, 0) ** 2, ff, out=np.zeros(len(yy)), where=ff > 0)
        explained = own.sum() / yy.sum() if yy.sum() > 0 else 0.0
        adjusted = 1 - (1 - explained) * (n - 1) / (n - 2)
        return cls(float(yy.mean() / (n - 1)), float(min(max(adjusted, 0.0), 1.0)))

    def error(self, n: Array, more: float) -> Array:
        """Standard error of a difference with n human topics and further machine topics: σ²(1 − ρ²N/(n + N))/n."""
        variance = self.variance * (1 - self.explained * more / (n + more)) / n
        return np.asarray(np.sqrt(np.maximum(variance, np.finfo(float).tiny)))

    def width(self, n: Array, more: float, alpha: float) -> Array:
        """Width of the interval, t with n − 2 degrees of freedom, or n − 1 without a machine."""
        return np.asarray(2 * stdtrit(_freedom(n, more), 1 - alpha / 2) * self.error(n, more))

    def power(self, n: Array, more: float, difference: float, alpha: float) -> Array:
        """Power of the two-sided t-test against a difference."""
        freedom = _freedom(n, more)
        critical, shift = stdtrit(freedom, 1 - alpha / 2), difference / self.error(n, more)
        near = np.minimum(shift, critical + _SURE)  # beyond, the distribution underflows and the power is 1
        # The chance of the wrong direction is not a number where it underflows.
        wrong = np.nan_to_num(nctdtr(freedom, near, -critical), nan=0.0)
        found = 1 - nctdtr(freedom, near, critical) + wrong
        return np.where(shift > near, 1.0, np.clip(found, 0, 1))


def _freedom(n: Array, more: float) -> Array:
    return np.asarray(n - (2 if more else 1), dtype=np.float64)


class Goal(NamedTuple):
    """What the topics shall do: a width, or a power against a difference."""

    width: float | None
    min_diff: float | None
    power: float
    alpha: float

    def topics(self, pilot: Pilot, more: int) -> int | None:
        """The fewest human topics, with so many further machine topics; None where there are none up to the limit."""
        exact = self.exact_topics(pilot, more)
        return None if exact is None else max(_least(more), math.ceil(exact - _ROUNDING))

    def exact_topics(self, pilot: Pilot, more: int) -> float | None:
        """The same as a real number, and below the least number of topics too."""
        low, high = 2.5 if more else 1.5, float(MOST_TOPICS)  # half a degree of freedom
        if not self._reached(pilot, high, more):
            return None
        for _ in range(_HALVINGS):  # of the logarithm: the relative error is then about 1e-14
            middle = math.sqrt(low * high)
            low, high = (low, middle) if self._reached(pilot, middle, more) else (middle, high)
        return high

    def _reached(self, pilot: Pilot, n: float, more: int) -> bool:
        at = np.array([n])
        if self.width is not None:
            return bool(pilot.width(at, more, self.alpha)[0] <= self.width)
        return bool(pilot.power(at, more, self.min_diff or 0.0, self.alpha)[0] >= self.power)


def _least(more: int) -> int:
    """The fewest human topics that are offered, with so many further machine topics."""
    return LEAST_TOPICS if more else 2


@dataclass(frozen=True, eq=False)
class JudgesDesign(Result):
    """Human topics needed for every number of machine topics; get one from `design_judges`.

    Attributes
    ----------
    rows : measure, machine_topics, topics, topics_lower, topics_upper, width, power, cost, cheapest
    pilot : the variance and the explained share behind them
    curve_rows : expected width against human topics, with and without the machine
    """

    settings: Mapping[str, Any]
    rows: pl.DataFrame
    curve_rows: pl.DataFrame
    pilot: Pilot
    warnings: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        for table in (self.rows, self.curve_rows):
            check_frame("design judges", table)
        check_finite("design judges", variance=self.pilot.variance, explained=self.pilot.explained)

    @property
    def signature(self) -> str:
        """One line for a paper's footnote."""
        goal = ("width",) if self.settings["width"] is not None else ("min_diff", "power")
        told = ("measure", "pilot_topics", "n_systems", *goal, "alpha")
        known = {name: self.settings[name] for name in told if self.settings[name] is not None}
        return signature("human topics beside a machine", **known)

    def to_frame(self) -> pl.DataFrame:
        """One row per number of machine topics."""
        return self.rows

    def summary(self) -> str:
        """The human topics of the cheapest mix, or with the most machine topics."""
        from cranfield.questions.judges.plan_answer import headline

        return headline(self)

    def __repr__(self) -> str:
        return f"JudgesDesign({self.summary()})\n{self.rows}"

    def answer(self, question: Question | None = None) -> Answer:
        """What the result says, as every skin shows it."""
        from cranfield.questions.judges.plan_answer import plan_answer

        return plan_answer(self)

    @staticmethod
    def drawings() -> Drawings:
        """Its charts by name; the first is drawn unless another is named."""
        from cranfield.questions.judges import charts

        return {"widths": charts.widths, "costs": charts.costs}


def design_judges(
    human: JudgesLike,
    machine: JudgesLike,
    runs: RunsLike | None = None,
    *,
    width: float | None = None,
    min_diff: float | None = None,
    power: float = POWER,
    machine_topics: Sequence[int] | int = MACHINE_TOPICS,
    price_human: float | None = None,
    price_machine: float = 0.0,
    measure: str | None = None,
    map: str | None = None,
    alpha: float = ALPHA,
    **scoring: Unpack[ScoringOptions],
) -> JudgesDesign:
    r"""How many topics must people judge, when a machine judges N further ones?

    A pilot with both judgments gives the variance σ² of the difference between two systems. It also gives the share ρ²
    that the machine explains, averaged over pairs. A prediction-powered difference then has the variance

    .. math:: \frac{\sigma^2}{n}\Bigl(1 - \rho^2 \frac{N}{n + N}\Bigr)

    Parameters
    ----------
    human, machine, runs : the pilot, as in `judges`; the first person and the first machine are used
    width : wanted width of the interval of a difference
    min_diff, power : or the difference to detect, and with which probability
    machine_topics : numbers N of further machine-judged topics to look at; 0, people alone, is added
    price_human, price_machine : prices of one judgment; with scores instead of judgments, of one topic
    measure, map, alpha : as in `judges`

    References
    ----------
    Angelopoulos, Duchi & Zrnic, "PPI++: Efficient prediction-powered inference" (2023).

    Examples
    --------
    >>> from cranfield import make_scores, ScoreMatrix
    >>> people = make_scores(n_topics=40, n_systems=8, seed=2)
    >>> machine = ScoreMatrix(0.8 * people.values + 0.1, people.topics, people.systems, people.measure)
    >>> design_judges({"people": people}, {"machine": machine}, width=0.1, machine_topics=500).rows["topics"].to_list()
    [39, 15]
    """
    check_arguments(design_judges, locals())
    if (width is None) == (min_diff is None):
        raise ArgumentError("give either `width` or `min_diff`, such as a width of 0.1.")
    if price_machine and price_human is None:
        raise ArgumentError("`price_machine` needs `price_human`. Give both prices.")
    bench = gather(human, machine, runs, measure, map, complete_scoring(scoring, "design_judges"))
    n = len(bench.common)
    if n < LEAST_PILOT:
        raise DataError(
            f"the pilot has {n} topics with both judgments; at least {LEAST_PILOT} are needed. Judge more twice."
        )
    y, f = bench.reference.on(bench.common), bench.machines[0].on(bench.common)
    if np.ptp(y - y[:, :1], axis=0).max() == 0:
        raise DataError(
            "the systems differ alike on every topic of the pilot, so nothing can be estimated. Check them."
        )
    goal = Goal(width, min_diff, power, alpha)
    counts = sorted({0, *([machine_topics] if isinstance(machine_topics, int) else machine_topics)})
    pilot = Pilot.of(y, f)
    left_out = [Pilot.of(np.delete(y, at, 0), np.delete(f, at, 0)) for at in range(n)]
    per_topic = _per_topic(bench)
    prices = None if price_human is None else (price_human * per_topic, price_machine * per_topic)
    rows = [_row(goal, pilot, left_out, more, prices) for more in counts]
    frame = pl.DataFrame(rows, schema=SCHEMA, orient="row")
    best = frame["cost"].arg_min() if frame["cost"].count() else None
    frame = frame.with_columns(
        cheapest=pl.Series([at == best for at in range(frame.height)]) if best is not None else None
    )
    rho = pilot.explained**0.5
    asked = {
        "width": width, "min_diff": min_diff, "power": power, "machine_topics": counts, "price_human": price_human,
        "price_machine": price_machine, "map": map, "alpha": alpha,
    }  # fmt: skip
    options = complete_scoring(scoring, "design_judges")
    intents = options["intents"]
    named = os.fspath(intents) if isinstance(intents, (str, os.PathLike)) else None
    facts = {"measure": bench.measure, "pilot_topics": n, "n_systems": y.shape[1], "judged_per_topic": per_topic}
    measured = pl.lit(bench.measure).alias("measure")
    return JudgesDesign(
        settings=DesignJudgesQuestion.in_force(**facts, **asked, **{**options, "intents": named}),
        rows=frame.select(measured, pl.all()).with_columns(pl.col("cheapest").cast(pl.Boolean)),
        curve_rows=_curve(goal, pilot, counts, None if best is None else counts[best]).select(measured, pl.all()),
        pilot=pilot,
        warnings=(WEAK_PILOT(rho=rho, least=LEAST_CORRELATION),) if rho < LEAST_CORRELATION else (),
    )


SCHEMA = {
    "machine_topics": pl.Int64, "topics": pl.Int64, "topics_lower": pl.Int64, "topics_upper": pl.Int64,
    "width": pl.Float64, "power": pl.Float64, "cost": pl.Float64,
}  # fmt: skip


class Needed(NamedTuple):
    """Human topics that detect a difference between two average systems, alone and with further machine topics.

    `topics_with_machine` is None where the machine follows people too little for powered estimates, or is not needed.
    """

    min_diff: float
    power: float
    topics: int
    machine_topics: int
    topics_with_machine: int | None


def needed_topics(bench: Bench, alpha: float) -> Needed | None:
    """What the first machine could save; None below 10 shared topics, or where no number of topics is enough."""
    y, f = bench.reference.on(bench.common), bench.machines[0].on(bench.common)
    if len(y) < LEAST_PILOT or np.ptp(y - y[:, :1], axis=0).max() == 0:
        return None
    goal, pilot = Goal(None, JUDGES_MIN_DIFF, POWER, alpha), Pilot.of(y, f)
    alone, beside = goal.topics(pilot, 0), goal.topics(pilot, NEEDED_FURTHER)
    if alone is None:
        return None
    saves = pilot.explained**0.5 >= LEAST_CORRELATION and beside is not None and beside < alone
    return Needed(JUDGES_MIN_DIFF, POWER, alone, NEEDED_FURTHER, beside if saves else None)


def _per_topic(bench: Bench) -> float:
    """Judgments per topic of the pilot; 1 where scores are given."""
    judged = bench.reference.qrels
    if judged is None:
        return 1.0
    return judged.frame.filter(pl.col("topic").is_in(bench.common)).height / len(bench.common)


def _row(
    goal: Goal, pilot: Pilot, left_out: Sequence[Pilot], more: int, prices: tuple[float, float] | None
) -> tuple[Any, ...]:
    n = goal.topics(pilot, more)
    if n is None:
        return more, None, None, None, None, None, None
    at = np.array([float(n)])
    width = float(pilot.width(at, more, goal.alpha)[0])
    power = None if goal.min_diff is None else float(pilot.power(at, more, goal.min_diff, goal.alpha)[0])
    cost = None
    if prices is not None:
        # The machine judges the human topics too, because its error is estimated on them.
        cost = n * (prices[0] + (prices[1] if more else 0.0)) + more * prices[1]
    return more, n, *jackknife(goal, pilot, left_out, more), width, power, cost


def jackknife(goal: Goal, pilot: Pilot, left_out: Sequence[Pilot], more: int) -> tuple[int | None, int | None]:
    """The interval of the needed topics over pilots: jackknife of their logarithm.

    Topics are real numbers here and not cut at the least that is offered: after the cut, leaving out a topic would
    often change nothing, and the interval would cover .77.
    """
    middle, found = goal.exact_topics(pilot, more), [goal.exact_topics(one, more) for one in left_out]
    if middle is None or any(one is None for one in found):
        return None, None
    logs, k = np.log(np.array(found, dtype=float)), len(found)
    error = np.sqrt((k - 1) / k * np.square(logs - logs.mean()).sum())
    reach = float(stdtrit(k - 1, 1 - goal.alpha / 2) * error)
    lower, upper = math.floor(middle * math.exp(-reach) + _ROUNDING), math.ceil(middle * math.exp(reach) - _ROUNDING)
    return max(_least(more), lower), max(_least(more), upper)


def _curve(goal: Goal, pilot: Pilot, counts: Sequence[int], cheapest: int | None) -> pl.DataFrame:
    """Expected width against human topics: people alone, the smallest, middle and largest N, and the cheapest."""
    alone = goal.topics(pilot, 0) or MOST_TOPICS
    ns = np.unique(np.round(np.geomspace(LEAST_TOPICS, max(4 * LEAST_TOPICS, 1.5 * alone), 40)))
    some = [counts[1], counts[len(counts) // 2], counts[-1]] if len(counts) > 1 else []
    more = sorted({0, *some, *([] if cheapest is None else [cheapest])})
    frames = [
        pl.DataFrame(
            {"machine_topics": [k] * len(ns), "topics": ns.astype(int), "width": pilot.width(ns, k, goal.alpha)}
        )
        for k in more
    ]
    return pl.concat(frames)
