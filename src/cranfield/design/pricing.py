"""`cost`: how deep to judge, how many topics, and what that costs."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Literal

import polars as pl

from cranfield.defaults import (
    ALPHA,
    DESIGN_METHOD,
    ORDER,
    POWER,
    DesignMethod,
    RankingOrder,
)
from cranfield.design.designs import DESIGNS
from cranfield.design.figures import Collection, PoolFigure, pool_figures
from cranfield.design.grid import positive
from cranfield.design.pool_price import LOW_SHARE, doubts, losses
from cranfield.design.result import Design
from cranfield.design.sense import sense
from cranfield.errors import ArgumentError, notify, quietly
from cranfield.executors import Progress
from cranfield.invariants import check_frame
from cranfield.light_table import LightTable
from cranfield.results import Result
from cranfield.sentences import design as say
from cranfield.signature import signature
from cranfield.variance import VarianceEstimate


@dataclass(frozen=True)
class Question:
    """What is wanted of the collection: an ANOVA of so many systems with some power, or a narrow interval."""

    n_systems: int | None = None
    min_diff: float | None = None
    width: float | None = None
    power: float | None = None
    alpha: float = ALPHA
    method: DesignMethod = DESIGN_METHOD
    published: bool = False
    blocked: bool = False
    epsilon: float | Literal["past"] | None = None

    @property
    def is_interval(self) -> bool:
        """Whether the width of an interval is asked for."""
        return self.n_systems is None

    @property
    def kind(self) -> tuple[str, str | None]:
        """The design and its form: all pairs after correction, unless an analysis of variance or a width is meant."""
        if self.is_interval:
            return "interval", None
        if self.published or (self.method == "published" and not self.blocked):
            return "anova", "published"
        return ("anova" if self.blocked or self.epsilon is not None or self.method != "exact" else "pairs"), None

    @property
    def estimator(self) -> str:
        """The variance estimate that matches."""
        kind, form = self.kind
        return DESIGNS[kind].variant(form).estimator

    @property
    def title(self) -> str:
        """What the topics are for."""
        kind, form = self.kind
        return DESIGNS[kind].variant(form).title

    @property
    def settings(self) -> dict[str, Any]:
        """What was asked, for the signature."""
        asked: dict[str, Any] = {"design": self.title}
        if self.is_interval:
            asked |= {"width": self.width, "alpha": self.alpha}
        else:
            asked |= {"n_systems": self.n_systems, "min_diff": self.min_diff, "power": self.power or POWER}
            asked |= {"alpha": self.alpha, "method": self.method, "epsilon": self.epsilon}
        return {name: value for name, value in asked.items() if value is not None}

    def check(self, budget: float | None) -> None:
        """An error unless exactly the right things are given."""
        tests = self.min_diff is not None or self.blocked or self.published or self.power is not None
        if self.is_interval and tests:
            raise ArgumentError(
                "`min_diff`, `power`, `blocked` and `published` belong to a test of several systems; give `n_systems`."
            )
        if self.published and self.blocked:
            raise ArgumentError("`published` is the one-way design and `blocked` the other; leave one of them out.")
        if not self.is_interval and self.width is not None:
            raise ArgumentError("give `n_systems` and `min_diff` for tests of several systems, or `width`; not both.")
        sought = self.width if self.is_interval else self.min_diff
        if budget is None and sought is None:
            raise ArgumentError("give `n_systems` with `min_diff`, or `width`, or a `budget` to spend.")
        if budget is not None and sought is not None:
            raise ArgumentError("nothing to find: with a `budget`, leave out `min_diff` and `width`.")

    def answers(self, variance: list[float | VarianceEstimate], n_topics: list[int] | None) -> Design:
        """A row for each variance: the topics needed, or what its topics can do."""
        kind, form = self.kind
        of_difference = DESIGNS[kind].variant(form).of_difference
        asked: dict[str, Any] = {"n_topics": n_topics, "alpha": self.alpha, "method": self.method}
        if kind == "interval":
            asked = {**asked, "width": self.width}
        else:
            asked |= {"n_systems": self.n_systems, "min_diff": self.min_diff, "power": self.power}
        if kind == "anova":
            asked["epsilon"] = self.epsilon
        given = [2 * one if of_difference and not isinstance(one, VarianceEstimate) else one for one in variance]
        design: Design = DESIGNS[kind].variant(form).function(given, **asked)
        if n_topics is None:
            return design
        # The grid has every variance with every number of topics; wanted is each with its own.
        return replace(design, table=LightTable.of(design.rows.gather_every(len(n_topics) + 1)))


@dataclass(frozen=True, eq=False)
class Cost(Result):
    """Designs that serve the same end, by measure and pool depth, with what each costs.

    Attributes
    ----------
    rows : polars frame
        measure, depth, judged_per_topic, pool_per_topic, judged_share, dropped_topics, variance, topics, judgments
        (topics × pool_per_topic: all of a pool has to be judged), cost, ratio (cost of the deepest pool of the measure
        divided by this cost), best. With a budget also the min_diff or width that it buys, and best is the smallest
        of them; otherwise best is the lowest cost. Where unjudged documents make the variance of a depth doubtful
        (`judged_share` below .9), no row is the best.
    notes : tuple of str
        What the rows do not show: what shallow pools lose.
    """

    rows: pl.DataFrame
    settings: Mapping[str, Any] = field(default_factory=dict)
    warnings: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        check_frame("the price", self.rows)

    @property
    def signature(self) -> str:
        """One line for a paper's footnote."""
        named = {"systems" if name == "n_systems" else name: value for name, value in self.settings.items()}
        return signature("pool depth and cost", **named)

    @property
    def best(self) -> pl.DataFrame:
        """The best row of every measure."""
        return self.rows.filter(pl.col("best"))

    def to_frame(self) -> pl.DataFrame:
        """The rows as a polars frame."""
        return self.rows

    def to_dict(self) -> dict[str, Any]:
        """Everything as plain Python values."""
        return {
            "signature": self.signature,
            "settings": dict(self.settings),
            "rows": self.rows.to_dicts(),
            "notes": list(self.notes),
            "warnings": list(self.warnings),
        }

    def __repr__(self) -> str:
        return (
            f"Cost({self.rows.height} designs; best: {self.best.select('measure', 'depth', 'topics', 'cost').rows()})"
        )


def cost_from_figures(
    figures: Iterable[PoolFigure],
    *,
    n_systems: int | None = None,
    min_diff: float | None = None,
    width: float | None = None,
    power: float | None = None,
    alpha: float = ALPHA,
    method: DesignMethod = DESIGN_METHOD,
    published: bool = False,
    blocked: bool = False,
    epsilon: float | Literal["past"] | None = None,
    document_cost: float = 1.0,
    topic_cost: float = 0.0,
    budget: float | None = None,
) -> Cost:
    """What does every pool depth cost, given its variance and its judged documents per topic?

    For each figure the topics that `n_systems` and `min_diff` (all pairs after correction, or an analysis of variance)
    or `width` (interval) ask for; then cost = n × (pool per topic × document_cost + topic_cost). With a `budget`
    instead of `min_diff` or `width`: the topics it pays for at each depth, and the difference or width they can do.

    Parameters
    ----------
    figures : PoolFigure
    n_systems, min_diff, power, alpha
        As in `design_all_pairs`, which is what the topics are for; or `width`, as in `design_interval`.
    published, blocked, method, epsilon
        Topics for an analysis of variance instead, as in `design_anova`: the papers' one-way design (also by `method`
        "published"), or the blocked one (also by `epsilon`).
    document_cost, topic_cost : float
        Cost of judging one document and of setting up one topic, in any one unit.
    budget : float, optional
        What may be spent, in the same unit.

    References
    ----------
    RD-003 §4.2 and Table 4; EVIA 2014 §5.4 and Table 9.

    Examples
    --------
    EVIA 2014 §5.4, AP: 75 topics to depth 100 cost 54,825 judgments, 100 topics to depth 10 cost 9,600: 5.7 times less.

    >>> evia = [PoolFigure("AP", 100, 731, 0.0530), PoolFigure("AP", 10, 96, 0.0714)]
    >>> result = cost_from_figures(evia, width=0.15)
    >>> result.rows.select("depth", "topics", "judgments", pl.col("ratio").round(1)).rows()
    [(10, 100, 9600, 5.7), (100, 75, 54825, 1.0)]
    """
    question = Question(n_systems, min_diff, width, power, alpha, method, published, blocked, epsilon)
    question.check(budget)
    if topic_cost < 0 or not math.isfinite(topic_cost):
        raise ArgumentError(f"`topic_cost` must be 0 or more; got {topic_cost:g}.")
    per_document = positive("document_cost", document_cost)
    spend = None if budget is None else positive("budget", budget)
    listed = sorted(figures, key=lambda one: one.depth)
    if not listed:
        raise ArgumentError("`figures` is empty; give at least one pool depth.")
    priced = [positive("judged_per_topic", one.price) * per_document + topic_cost for one in listed]
    with quietly():  # gathered and issued once below
        rows, warnings = _rows(listed, priced, question, spend)
    prices = {"document_cost": document_cost, "topic_cost": topic_cost}
    table = _table(rows, "cost" if spend is None else "width" if question.is_interval else "min_diff")
    result = Cost(
        table,
        {**question.settings, **prices, **({} if budget is None else {"budget": budget})},
        (*doubts(table.unique("depth", keep="first", maintain_order=True)), *dict.fromkeys(warnings)),
        losses(table["depth"]),
    )
    notify(result.warnings)
    return result


def _rows(
    figures: list[PoolFigure], prices: list[float], question: Question, budget: float | None
) -> tuple[list[dict[str, Any]], list[str]]:
    """One row per figure: its topics, judgments and cost; empty where the budget does not pay for two topics."""
    sought = None if budget is None else "width" if question.is_interval else "min_diff"
    affordable = [2 if budget is None else math.floor(budget / price) for price in prices]
    usable = [at for at, topics in enumerate(affordable) if topics >= 2]
    said = [
        say.BUDGET_TOO_SMALL(measure=figure.measure, topics=topics, depth=figure.depth)
        for figure, topics in zip(figures, affordable, strict=True)
        if topics < 2
    ]
    if not usable:
        raise ArgumentError(f"the `budget` is too small: {said[0]}")
    topics = None if budget is None else [affordable[at] for at in usable]
    design = question.answers([figures[at].variance for at in usable], topics)
    answers: dict[int, dict[str, Any]] = dict(zip(usable, design.rows.iter_rows(named=True), strict=True))
    rows = []
    for at, (figure, price) in enumerate(zip(figures, prices, strict=True)):
        answer = answers.get(at, {})
        n = answer.get("topics")
        row: dict[str, Any] = {
            "measure": figure.measure,
            "depth": figure.depth,
            "judged_per_topic": float(figure.judged_per_topic),
            "pool_per_topic": float(figure.price),
            "judged_share": figure.judged_share,
            "dropped_topics": figure.dropped_topics,
            "variance": figure.variance.variance
            if isinstance(figure.variance, VarianceEstimate)
            else float(figure.variance),
            "topics": n,
            "judgments": None if n is None else round(n * figure.price),
            "cost": None if n is None else n * price,
        }
        if sought is not None:
            row[sought] = answer.get(sought)
        rows.append(row)
    return rows, [*said, *design.warnings]


def _table(rows: Sequence[Mapping[str, Any]], criterion: str) -> pl.DataFrame:
    """Rows by measure and depth, with the ratio to the deepest pool of the measure and the best depth marked."""
    order = list(dict.fromkeys(row["measure"] for row in rows))
    return (
        pl.DataFrame(rows, infer_schema_length=None)
        .with_columns(pl.col("measure").cast(pl.Enum(order)))
        .sort("measure", "depth")
        .with_columns(
            ratio=pl.col("cost").last().over("measure") / pl.col("cost"),
            best=(pl.col(criterion) == pl.col(criterion).min().over("measure")).fill_null(False)
            & (pl.col("judged_share").fill_null(0.0) >= LOW_SHARE).all(),
        )
        .with_columns(pl.col("measure").cast(pl.String))
    )


def cost(
    collections: Sequence[Collection],
    measures: Sequence[str],
    depths: Sequence[int],
    *,
    n_systems: int | None = None,
    min_diff: float | None = None,
    width: float | None = None,
    power: float | None = None,
    alpha: float = ALPHA,
    method: DesignMethod = DESIGN_METHOD,
    published: bool = False,
    blocked: bool = False,
    epsilon: float | Literal["past"] | None = None,
    estimator: str | None = None,
    document_cost: float = 1.0,
    topic_cost: float = 0.0,
    budget: float | None = None,
    order: RankingOrder = ORDER,
    progress: Progress | None = None,
) -> Cost:
    """How deep to judge and how many topics, from judgments and runs of past collections.

    For every depth the judgments are cut to the documents in the top `depth` of at least one run, the runs are
    evaluated anew, the variance is estimated and pooled, and the design is priced by the size of its pool, judged or
    not (see `cost_from_figures`, which also explains the other parameters). The estimator is the one that matches the
    design, unless chosen: `residual` for shared topics, `within` for the papers' one-way design, `percentile95` for an
    interval.

    Parameters
    ----------
    collections : sequence of (judgments, runs)
        Both as objects or as files; several collections are pooled.
    measures, depths : what to evaluate by, and the pool depths to consider

    References
    ----------
    RD-003 §4.2; EVIA 2014 §5.4.
    """
    question = Question(n_systems, min_diff, width, power, alpha, method, published, blocked, epsilon)
    question.check(budget)
    chosen = estimator or question.estimator
    figures, said = pool_figures(
        collections, measures, depths, estimator=chosen, alpha=alpha, order=order, progress=progress
    )
    with quietly():  # issued once below
        priced = cost_from_figures(
            figures, n_systems=n_systems, min_diff=min_diff, width=width, power=power, alpha=alpha, method=method,
            published=published, blocked=blocked, epsilon=epsilon, document_cost=document_cost,
            topic_cost=topic_cost, budget=budget,
        )  # fmt: skip
    warnings = tuple(dict.fromkeys((*said, *_oddities(figures, min_diff), *priced.warnings)))
    result = replace(priced, settings={"estimator": chosen, **priced.settings}, warnings=warnings)
    notify(result.warnings)
    return result


def _oddities(figures: Iterable[PoolFigure], min_diff: float | None) -> list[str]:
    """What is odd about the difference asked for beside the scores of the deepest pool of every measure."""
    deepest = {one.measure: one.variance for one in sorted(figures, key=lambda one: one.depth)}
    known = [one for one in deepest.values() if isinstance(one, VarianceEstimate)]
    if min_diff is None:
        return []
    return [text for one in known for text in sense([stratum.scores for stratum in one.strata], min_diff)]
