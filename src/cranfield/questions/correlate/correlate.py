"""`correlate`: how well two orders of the same systems agree, by rank correlation with intervals."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from concurrent.futures import Executor
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, TypeAlias, cast

import numpy as np
import polars as pl
from numpy.typing import NDArray

from cranfield.core.answer import sentence
from cranfield.core.arguments import check_arguments
from cranfield.core.defaults import ALPHA, MEMORY_MB, MISSING, SEED, TAU_RESAMPLES, MissingPolicy
from cranfield.core.errors import ArgumentError, DataError, notify
from cranfield.core.labels import check_unique, is_several, plural, repr_of, summary
from cranfield.core.resources import Demand, resampled_sums
from cranfield.core.results import Result, check_interval, signature
from cranfield.scores.doors import as_matrix, is_scores
from cranfield.scores.matrix import ScoreMatrix, Scores
from cranfield.scores.rank_coefficients import rank_correlations, systems_above, tau_half_width
from cranfield.scores.tau_interval import LEAST_APART, LEAST_SYSTEMS, RankedScores, TauInterval, tau_intervals

if TYPE_CHECKING:
    from cranfield.core.answer import Answer, Drawings
    from cranfield.core.question import Question

Array = NDArray[np.float64]
Order: TypeAlias = ScoreMatrix | Mapping[str, float] | Sequence[str]
"""What orders systems: scores on topics, one score per system, or the systems' names with the best first."""
APART = sentence(
    "scores.apart",
    "the two sides share no topic ({reference} and {estimate} topics); they are treated as independent",
    "two rankings are of matrices without a common topic",
)
NO_BOOTSTRAP = sentence(
    "scores.no-bootstrap",
    "no interval: a bootstrap needs at least 2 topics on each side",
    "resamples are asked for and one side has a single topic",
)
FEW_SYSTEMS = sentence(
    "scores.few-systems",
    "no interval: {systems}; the interval of a rank correlation needs at least {least}.",
    "resamples are asked for, both sides have topics, and there are fewer than 5 systems",
)
FEW_TOPICS_APART = sentence(
    "scores.few-topics-apart",
    "no interval: {reference} and {estimate} topics; sides without a common topic need at least {least} each.",
    "resamples are asked for, the sides share no topic, and one has fewer than 50",
)
UNDEFINED = sentence(
    "scores.undefined",
    "{names} undefined: all systems tie on one side",
    "all systems have the same value on one side",
)
TIED_PAIRS = sentence(
    "scores.tied-pairs",
    "tied pairs of systems: {reference} in the reference, {estimate} in the estimate. Prefer tau_b or tau_ap_b; "
    "tau_ap is averaged over the orders of tied systems",
    "some systems have the same value on one side",
)


class _Agreement:
    """What one correlation and several share."""

    def answer(self, question: Question | None = None) -> Answer:
        """What the result says, as every skin shows it."""
        from cranfield.questions.correlate.answer import correlation_answer

        return correlation_answer(self, question)

    @staticmethod
    def drawings() -> Drawings:
        """Its charts by name; the first is drawn unless another is named."""
        from cranfield.questions.correlate import charts

        return {"correlation": charts.coefficients, "ranks": charts.ranks}


@dataclass(frozen=True)
class Correlation(_Agreement, Result):
    """How well two orders of the same systems agree.

    Attributes
    ----------
    values : coefficient → value; None where all systems tie on one side
    corrected : coefficient → value corrected for topic noise; empty without topics, or with fewer than 5 systems
    intervals : coefficient → interval of the value that unlimited topics would give; empty where there is none
    published : the published interval of tau, cut at ±1, where asked for
    other_topics : topics of the estimate, where the sides have no topic in common
    systems, ranks : the systems, and the rank of each by the reference and by the estimate; those that tie share one
    """

    reference: str
    estimate: str
    n_systems: int
    n_topics: int | None
    values: Mapping[str, float | None]
    corrected: Mapping[str, float | None]
    intervals: Mapping[str, tuple[float, float] | None]
    published: tuple[float, float] | None
    alpha: float
    n_resamples: int
    seed: int
    warnings: tuple[str, ...] = ()
    systems: tuple[str, ...] = ()
    ranks: tuple[tuple[int, ...], tuple[int, ...]] = ((), ())
    other_topics: int | None = None

    def __post_init__(self) -> None:
        what = f"the correlation of {self.reference} and {self.estimate}"
        for name, value in self.values.items():
            check_interval(what, name, -1 - 1e-12, value, 1 + 1e-12)
            ends = self.intervals.get(name)
            if ends is not None:
                check_interval(what, name, ends[0], value, ends[1])
                check_interval(what, f"corrected {name}", ends[0], self.corrected[name], ends[1])
        if self.published is not None:
            check_interval(what, "tau", self.published[0], self.values["tau"], self.published[1])

    @property
    def signature(self) -> str:
        """One line for a footnote."""
        named = {name.removeprefix("n_"): one for name, one in self.settings.items() if name != "published"}
        return signature("rank correlation", **named)

    @property
    def settings(self) -> dict[str, Any]:
        """The settings in force."""
        random = ("n_resamples", "seed") if self.intervals else ()
        names = ("reference", "estimate", "n_systems", "n_topics", "alpha", *random)
        return {**{name: getattr(self, name) for name in names}, "published": self.published is not None}

    def to_frame(self) -> pl.DataFrame:
        """One row per coefficient: coefficient, value, corrected, lower, upper.

        Where asked for, published_lower and published_upper as well; they are of tau alone.
        """
        names = ["value", "corrected", "lower", "upper"]
        names += ["published_lower", "published_upper"] if self.published is not None else []
        rows = []
        for name, value in self.values.items():
            ends = self.intervals.get(name) or (None, None)
            published = (None, None) if self.published is None or name != "tau" else self.published
            rows.append((name, value, self.corrected.get(name), *ends, *published)[: 1 + len(names)])
        return pl.DataFrame(rows, schema={"coefficient": pl.String, **dict.fromkeys(names, pl.Float64)}, orient="row")

    def __repr__(self) -> str:
        shown = ", ".join(f"{name} {'undefined' if v is None else f'{v:.4f}'}" for name, v in self.values.items())
        return f"Correlation({self.n_systems} systems: {shown})"


@dataclass(frozen=True, repr=False)
class Correlations(_Agreement, Result):
    """The correlations of two rankings by several measures."""

    correlations: tuple[Correlation, ...]

    @property
    def settings(self) -> dict[str, Any]:
        """The settings in force; what was compared, one entry per correlation."""
        every = [one.settings for one in self.correlations]
        return {**every[0], **{name: [one[name] for one in every] for name in ("reference", "estimate")}}

    @property
    def warnings(self) -> tuple[str, ...]:
        """The warnings of all of them, each once."""
        return tuple(dict.fromkeys(warning for one in self.correlations for warning in one.warnings))

    @property
    def signature(self) -> str:
        """One line for a footnote."""
        return " | ".join(one.signature for one in self.correlations)

    def to_frame(self) -> pl.DataFrame:
        """The rows of every correlation, with what was compared first."""
        return pl.concat(
            one.to_frame().select(
                pl.lit(one.reference).alias("reference"), pl.lit(one.estimate).alias("estimate"), pl.all()
            )
            for one in self.correlations
        )

    def to_dict(self) -> dict[str, Any]:
        """Everything as plain Python values."""
        said = super().to_dict()
        del said["rows"]
        return {"correlations": [one.to_dict() for one in self.correlations], **said}

    def __repr__(self) -> str:
        each = [f"{one.reference} and {one.estimate}: {one.summary()}" for one in self.correlations]
        return f"Correlations({'; '.join(each)})"


def correlate(
    reference: Order,
    estimate: Order,
    *,
    alpha: float = ALPHA,
    n_resamples: int = TAU_RESAMPLES,
    seed: int = SEED,
    missing: MissingPolicy = MISSING,
    published: bool = False,
    workers: int | None = None,
    executor: Executor | None = None,
) -> Correlation:
    """Rank correlation between two orders of the same systems.

    Answers: do two measures, two collections or two ways of scoring rank the systems alike? Systems are matched by
    name. Score matrices rank systems by their mean over topics; means that differ by rounding alone are ties.

    Intervals: where both sides have topics, the interval holds the value that unlimited topics like these would give
    (see `cranfield.scores.tau_interval`). Topics are drawn again with replacement, the same ones on both sides when
    both have the same topics, independently when they have none in common. Topic noise biases a rank correlation;
    `corrected` is the value without it. The interval needs 5 systems, and 50 topics on each side where none is shared.
    The published interval, τ ± z·√(2(2m+5)/(9m(m−1))) (Sakai 2016, Table 1(g)), is that of two unrelated
    orders. It is as wide at τ = 1 as at 0, and is cut at ±1 here.

    Parameters
    ----------
    reference, estimate : score matrix or scores in any form that `as_scores` takes, mapping from system to
        score, or names of systems with the best first.
        `tau_ap` takes the first as the truth; the other coefficients are symmetric.
    n_resamples : bootstrap samples of topics; 0 for no interval
    missing : topics that only one of two overlapping score matrices has are an error, or dropped with
        ``"drop-topic"``
    published : give the published interval of tau as well
    workers, executor : how many threads, or any `concurrent.futures.Executor`; never changes a result

    References
    ----------
    Kendall, Biometrika 1938 and 1945; Yilmaz, Aslam and Robertson, SIGIR 2008 (τ_AP); Urbano and Marrero, ICTIR 2017
    (ties in τ_AP).

    Examples
    --------
    >>> correlate(["a", "b", "c", "d"], ["b", "a", "c", "d"])
    Correlation(4 systems: tau 0.6667, tau_b 0.6667, tau_ap 0.3333, tau_ap_b 0.3333)
    """
    check_arguments(correlate, locals())
    if not 0 < alpha < 1:
        raise ArgumentError(f"`alpha` must be between 0 and 1; got {alpha:g}. Write 0.05.")
    if n_resamples < 0:
        raise ArgumentError(f"`n_resamples` must be 0 or more; got {n_resamples}")
    reference, estimate = _same_systems(_side(reference, "reference"), _side(estimate, "estimate"))
    given = [side for side in (reference, estimate) if isinstance(side, ScoreMatrix)]
    warnings = [f"{side.measure}: {text}" for side in given for text in side.warnings]
    shared = len(given) == 2 and not set(given[0].topics).isdisjoint(given[1].topics)
    if shared:
        reference, estimate = given[0].align(given[1], missing=missing)
    sides = (_Ranked.of(reference), _Ranked.of(estimate))
    tolerance = (sides[0].tolerance, sides[1].tolerance)
    coefficients = rank_correlations(sides[0].totals[None], sides[1].totals[None], tolerance)
    point = {name: float(value[0]) for name, value in coefficients.items()}
    if undefined := [name for name, value in point.items() if math.isnan(value)]:
        warnings.append(UNDEFINED(names=" and ".join(undefined)))
    ties = [side.tied_pairs for side in sides]
    if any(ties):
        warnings.append(TIED_PAIRS(reference=ties[0], estimate=ties[1]))
    n_topics, other_topics = None, None
    found: dict[str, TauInterval] = {}
    if sides[0].scores is not None and sides[1].scores is not None:
        n_topics, other_topics = len(sides[0].scores.grid), None if shared else len(sides[1].scores.grid)
        if other_topics is not None:
            warnings.append(APART(reference=n_topics, estimate=other_topics))
        if n_resamples:
            warnings += _no_interval(len(sides[0].totals), n_topics, other_topics)
            _announce(sides[0].scores, sides[1].scores, shared, n_resamples)
        found = tau_intervals(
            sides[0].scores, sides[1].scores, point, shared=shared, alpha=alpha, n_resamples=n_resamples, seed=seed,
            workers=workers, executor=executor,
        )  # fmt: skip
    intervals = {
        name: None if one.lower is None or one.upper is None else (one.lower, one.upper) for name, one in found.items()
    }
    if all(ends is None for ends in intervals.values()):
        intervals = {}
    half = tau_half_width(len(sides[0].totals), alpha)
    result = Correlation(
        sides[0].name,
        sides[1].name,
        len(sides[0].totals),
        n_topics,
        {name: None if math.isnan(value) else value for name, value in point.items()},
        {name: one.corrected for name, one in found.items() if one.corrected is not None},
        intervals,
        (max(point["tau"] - half, -1.0), min(point["tau"] + half, 1.0)) if published else None,
        alpha,
        n_resamples if intervals else 0,
        seed,
        tuple(dict.fromkeys(warnings)),
        _systems(reference),
        (sides[0].ranks, sides[1].ranks),
        other_topics,
    )
    notify(result.warnings)
    return result


def _no_interval(n_systems: int, n_topics: int, other_topics: int | None) -> list[str]:
    """Why there is no interval, if so."""
    if min(n_topics, other_topics or n_topics) < 2:
        return [NO_BOOTSTRAP()]
    if n_systems < LEAST_SYSTEMS:
        return [FEW_SYSTEMS(systems=plural(n_systems, "system"), least=LEAST_SYSTEMS)]
    if other_topics is not None and min(n_topics, other_topics) < LEAST_APART:
        return [FEW_TOPICS_APART(reference=n_topics, estimate=other_topics, least=LEAST_APART)]
    return []


def _announce(x: RankedScores, y: RankedScores, shared: bool, n_resamples: int) -> None:
    """Announce the time and memory of resampling, if it needs much."""
    (n, m), kinds = x.grid.shape, 1 if shared else 2
    Demand(
        f"resampling {plural(m, 'system')} on {plural(n, 'topic')}",
        resampled_sums(n, 2 * m, kinds * n_resamples),
        MEMORY_MB + 8e-6 * 5 * (x.grid.size + y.grid.size),
        "fewer resamples take less",
    ).foretell()


@dataclass(frozen=True, eq=False)
class _Ranked:
    """One side: what its systems are ranked by, and how far apart two of them can be that rounding alone parts.

    `scores` holds the topics behind it; None for an order without topics.
    """

    name: str
    totals: Array
    tolerance: float = 0.0
    scores: RankedScores | None = None

    @classmethod
    def of(cls, side: Order) -> _Ranked:
        if not isinstance(side, ScoreMatrix):
            return cls("given order", np.array(list(cast("Mapping[str, float]", side).values()), dtype=np.float64))
        scores = RankedScores.of(side.values)
        return cls(side.measure, scores.totals, scores.tolerance, scores)

    @property
    def ranks(self) -> tuple[int, ...]:
        """Rank of each system: one more than the number of systems that are above it by more than rounding."""
        above = self.totals[None, :] > self.totals[:, None] + self.tolerance
        return tuple((1 + above.sum(axis=1)).tolist())

    @property
    def tied_pairs(self) -> int:
        _, group = systems_above(self.totals[None], self.tolerance)
        return int((group - 1).sum()) // 2


def _side(side: Any, argument: str) -> Order:
    """An order unchanged; scores in any other form that `as_scores` takes as a matrix."""
    if isinstance(side, (ScoreMatrix, str)):
        return side
    inside = next(iter(side.values()), None) if isinstance(side, Mapping) else None
    plain = isinstance(side, (Mapping, list)) and not isinstance(inside, (Mapping, list, tuple))
    if (isinstance(side, Scores) or not plain) and is_scores(side):
        return as_matrix(side, argument=argument)
    return cast("Order", side)


def _systems(side: Order) -> tuple[str, ...]:
    if isinstance(side, ScoreMatrix):
        return side.systems
    if not is_several(side):
        raise ArgumentError(f"expected scores, or systems in order; got {repr_of(side)}.")
    return check_unique("system", tuple(side))


def _same_systems(reference: Order, estimate: Order) -> tuple[Order, Order]:
    """Both sides with their systems in byte order of their names."""
    if isinstance(reference, str) or isinstance(estimate, str):
        raise ArgumentError("an order is a list of system names, best first; got a single string")
    ours, theirs = _systems(reference), _systems(estimate)
    unmatched = [s for s in ours if s not in set(theirs)] + [s for s in theirs if s not in set(ours)]
    if unmatched:
        raise DataError(
            f"{len(unmatched)} systems are on one side only ({summary(unmatched)}). "
            "Both sides must rank the same systems."
        )
    if len(ours) < 2:
        raise DataError(f"a rank correlation needs at least 2 systems; there is {len(ours)}. Give more.")
    order = sorted(ours, key=str.encode)
    return _arranged(reference, order), _arranged(estimate, order)


def _arranged(side: Order, order: Sequence[str]) -> Order:
    if isinstance(side, ScoreMatrix):
        return side.require(topics=1, what="a rank correlation", tiny=True).canonical()
    if isinstance(side, Mapping):
        values = {system: float(side[system]) for system in order}
        bad = [system for system, value in values.items() if math.isnan(value)]
        if bad:
            raise DataError(f"system {bad[0]!r} has no score (NaN); an order needs a score for every system")
        return values
    places = {system: -float(place) for place, system in enumerate(side)}
    return {system: places[system] for system in order}
