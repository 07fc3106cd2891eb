"""`cost`: pool depth, number of topics, and cost."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any, Literal

import polars as pl

from cranfield.core.answer import sentence
from cranfield.core.arguments import check_arguments
from cranfield.core.defaults import ALPHA, ASSURANCE, COST_DEPTHS, ORDER, POWER, DesignMethod, RankingOrder
from cranfield.core.errors import ArgumentError, notify, quietly
from cranfield.core.executors import Progress
from cranfield.core.results import Result, check_frame, signature
from cranfield.questions.cost.answer import cost_answer
from cranfield.questions.cost.pools import LOW_SHARE, Collection, PoolFigure, doubts, losses, pool_figures
from cranfield.questions.design.all_pairs import PAIRS
from cranfield.questions.design.anova import ANOVA, anova_method
from cranfield.questions.design.asked import sense
from cranfield.questions.design.grid import positive, probability
from cranfield.questions.design.interval import INTERVAL
from cranfield.questions.design.result import Design, DesignKind, Variant
from cranfield.questions.pool.contributing import Contributing, find_contributors, named_contributors
from cranfield.questions.variance.estimate import VarianceEstimate

if TYPE_CHECKING:
    from cranfield.core.answer import Drawings


BUDGET_TOO_SMALL = sentence(
    "design.budget-too-small",
    "{measure}: the budget pays for {topics} topics at depth {depth}; a design needs at least 2.",
    "the budget divided by the price of a topic at that depth is below 2, and not so at every depth",
)


POOL_SCALED = sentence(
    "design.pool-scaled",
    "Pool sizes are for {systems} systems: the mean over subsets of the runs, or a power law if there are fewer runs.",
    "the number of systems asked for is not the number of runs",
)


@dataclass(frozen=True)
class Wanted:
    """The wanted design (a test of several systems, or an interval) and the prices."""

    n_systems: int | None = None
    min_diff: float | None = None
    width: float | None = None
    power: float | None = None
    alpha: float = ALPHA
    method: DesignMethod | None = None
    published: bool = False
    blocked: bool = False
    epsilon: float | Literal["past"] | None = None
    document_cost: float = 1.0
    topic_cost: float = 0.0
    budget: float | None = None
    assurance: float = ASSURANCE

    def __post_init__(self) -> None:
        object.__setattr__(self, "method", anova_method(self.method, self.published))
        if self.is_interval and (self.min_diff, self.power, self.blocked, self.published) != (None, None, False, False):
            raise ArgumentError(
                "`min_diff`, `power`, `blocked` and `published` are for tests of several systems. Give `n_systems`."
            )
        if self.published and self.blocked:
            raise ArgumentError("`published` and `blocked` exclude each other. Leave one of them out.")
        if not self.is_interval and self.width is not None:
            raise ArgumentError("give either `n_systems` and `min_diff` for tests of several systems, or `width`.")
        given = getattr(self, self.sought) is not None
        if self.budget is None and not given:
            raise ArgumentError("give `n_systems` with `min_diff`, or `width`, or a `budget` to spend.")
        if self.budget is not None and given:
            raise ArgumentError("nothing to solve for: with a `budget`, leave out `min_diff` and `width`.")
        if self.topic_cost < 0 or not math.isfinite(self.topic_cost):
            raise ArgumentError(f"`topic_cost` must be 0 or more; got {self.topic_cost:g}.")
        positive("document_cost", self.document_cost)
        if self.budget is not None:
            positive("budget", self.budget)

    @property
    def is_interval(self) -> bool:
        """Whether the width of an interval is asked for."""
        return self.n_systems is None

    @property
    def sought(self) -> str:
        """The quantity that a budget solves for."""
        return "width" if self.is_interval else "min_diff"

    @property
    def design(self) -> tuple[DesignKind, Variant]:
        """The design and its form: all pairs after correction, an analysis of variance, or an interval."""
        if self.is_interval:
            return INTERVAL, INTERVAL.variant()
        if self.published or (self.method == "published" and not self.blocked):
            return ANOVA, ANOVA.variant("published")
        kind = ANOVA if self.blocked or self.epsilon is not None or self.method != "exact" else PAIRS
        return kind, kind.variant()

    @property
    def settings(self) -> dict[str, Any]:
        """The settings, for the signature."""
        names = "width alpha" if self.is_interval else "n_systems min_diff power alpha method epsilon"
        known: dict[str, Any] = {"design": self.design[1].title}
        known |= {name: getattr(self, name) for name in [*names.split(), "document_cost", "topic_cost", "budget"]}
        known |= {} if self.is_interval else {"power": self.power or POWER}
        return {name: value for name, value in known.items() if value is not None}

    def solve(self, variance: list[float | VarianceEstimate], n_topics: list[int] | None) -> Design:
        """A row for each variance: the topics needed, or what its topics achieve."""
        kind, form = self.design
        names = [*kind.asks, "alpha", "method", *(name for name in kind.extras if name == "epsilon")]
        asked = {name: n_topics if name == "n_topics" else getattr(self, name) for name in names}
        given = [2 * one if form.of_difference and not isinstance(one, VarianceEstimate) else one for one in variance]
        design = form.function(given, **asked)
        if n_topics is None:
            return design
        # The grid has every variance with every number of topics; wanted is each with its own.
        return replace(design, rows=design.rows.gather_every(len(n_topics) + 1))


@dataclass(frozen=True, eq=False)
class Cost(Result):
    """Equivalent designs by measure and pool depth, with their costs.

    Attributes
    ----------
    rows : polars frame
        measure, depth, judged_per_topic, pool_per_topic, judged_share, dropped_topics, variance, topics, judgments
        (topics × pool_per_topic: all of a pool has to be judged), cost, topics_assured (see `recommend`; for tests from
        past scores), ratio (cost of the deepest pool of the measure divided by this cost), best. With a budget also the
        affordable min_diff or width; best is then the smallest of them, and otherwise the lowest cost, among the depths
        whose `judged_share` is at least .9.
    notes : tuple of str
        What shallow pools may miss.
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
        return {**super().to_dict(), "notes": list(self.notes)}

    def __repr__(self) -> str:
        best = self.best.select("measure", "depth", "topics", "cost").rows()
        return f"Cost({self.rows.height} designs; best: {best})"

    answer = cost_answer

    @staticmethod
    def drawings() -> Drawings:
        """Its charts by name; the first is drawn unless another is named."""
        from cranfield.questions.cost import charts

        return {"cost": charts.cost}


def cost_from_figures(figures: Iterable[PoolFigure], **wanted: Any) -> Cost:
    """What does every pool depth cost, given its variance and its judged documents per topic?

    Each figure gets the topics for `n_systems` and `min_diff` (all pairs after correction, or an analysis of variance)
    or for `width` (interval). Then cost = n × (pool per topic × document_cost + topic_cost). A `budget` instead of
    `min_diff` or `width` gives the affordable topics at each depth, and the difference or width they achieve.

    Parameters
    ----------
    figures : PoolFigure
    n_systems, min_diff, power, alpha
        As in `design_all_pairs`; or `width`, as in `design_interval`.
    published, blocked, method, epsilon
        Topics for an analysis of variance, as in `design_anova`: the one-way design of the papers (also by `method`
        "published"), or the blocked one (also by `epsilon`).
    document_cost, topic_cost : float
        Cost of judging one document and of setting up one topic, in any one unit.
    budget : float, optional
        The budget, in the same unit.

    References
    ----------
    Sakai (2014b), §4.2 and Table 4; Sakai (2014a), §5.4 and Table 9.

    Examples
    --------
    Sakai (2014a), §5.4, AP: 75 topics to depth 100 cost 54,825 judgments. 100 topics to depth 10 cost 9,600.

    >>> evia = [PoolFigure("AP", 100, 731, 0.0530), PoolFigure("AP", 10, 96, 0.0714)]
    >>> result = cost_from_figures(evia, width=0.15)
    >>> result.rows.select("depth", "topics", "judgments", pl.col("ratio").round(1)).rows()
    [(10, 100, 9600, 5.7), (100, 75, 54825, 1.0)]
    """
    result = _priced(figures, Wanted(**wanted))
    notify(result.warnings)
    return result


def _priced(figures: Iterable[PoolFigure], wanted: Wanted) -> Cost:
    listed = sorted(figures, key=lambda one: one.depth)
    if not listed:
        raise ArgumentError("`figures` is empty; give at least one pool depth.")
    prices = [positive("judged_per_topic", one.price) * wanted.document_cost + wanted.topic_cost for one in listed]
    with quietly():  # gathered once below
        rows, warnings = _rows(listed, prices, wanted)
    table = _table(rows, "cost" if wanted.budget is None else wanted.sought)
    said = (*doubts(table.unique("depth", keep="first", maintain_order=True)), *dict.fromkeys(warnings))
    return Cost(table, wanted.settings, said, losses(table["depth"]))


def _rows(figures: list[PoolFigure], prices: list[float], wanted: Wanted) -> tuple[list[dict[str, Any]], list[str]]:
    """One row per figure: its topics, judgments and cost; null where the budget pays for fewer than two topics."""
    affordable = [2 if wanted.budget is None else math.floor(wanted.budget / price) for price in prices]
    usable = [at for at, topics in enumerate(affordable) if topics >= 2]
    said = [
        BUDGET_TOO_SMALL(measure=figure.measure, topics=topics, depth=figure.depth)
        for figure, topics in zip(figures, affordable, strict=True)
        if topics < 2
    ]
    if not usable:
        raise ArgumentError(f"the `budget` is too small: {said[0]}")
    topics = None if wanted.budget is None else [affordable[at] for at in usable]
    design = wanted.solve([figures[at].variance for at in usable], topics)
    found = dict(zip(usable, design.rows.iter_rows(named=True), strict=True))
    sure = _assured(figures, wanted)
    rows = []
    for at, (figure, price) in enumerate(zip(figures, prices, strict=True)):
        answer = found.get(at, {})
        n, variance = answer.get("topics"), figure.variance
        rows.append({
            "measure": figure.measure, "depth": figure.depth, "judged_per_topic": float(figure.judged_per_topic),
            "pool_per_topic": float(figure.price), "judged_share": figure.judged_share,
            "dropped_topics": figure.dropped_topics,
            "variance": variance.variance if isinstance(variance, VarianceEstimate) else float(variance),
            "topics": n, "judgments": None if n is None else round(n * figure.price),
            "cost": None if n is None else n * price,
            **({} if wanted.budget is None else {wanted.sought: answer.get(wanted.sought)}),
            **({} if sure is None else {"topics_assured": sure[at]}),
        })  # fmt: skip
    return rows, [*said, *design.warnings]


def _assured(figures: list[PoolFigure], wanted: Wanted) -> list[int | None] | None:
    """Topics of every figure whose true power is as wanted with the assurance asked for; None without estimates."""
    estimates = [one.variance for one in figures if isinstance(one.variance, VarianceEstimate)]
    above = [one.assured(wanted.assurance) for one in estimates]
    if wanted.budget is not None or wanted.is_interval or len(above) < len(figures) or None in above:
        return None
    return wanted.solve([one for one in above if one is not None], None).rows["topics"].to_list()


def _judged() -> pl.Expr:
    """Whether nine tenths of the pool were judged; other depths are shown and never the best."""
    return pl.col("judged_share").fill_null(0.0) >= LOW_SHARE


def _table(rows: Sequence[Mapping[str, Any]], criterion: str) -> pl.DataFrame:
    """Rows by measure and depth, with the ratio to the deepest pool of the measure and the best depth marked."""
    order = list(dict.fromkeys(row["measure"] for row in rows))
    return (
        pl.DataFrame(rows, infer_schema_length=None)
        .with_columns(pl.col("measure").cast(pl.Enum(order)))
        .sort("measure", "depth")
        .with_columns(
            ratio=pl.col("cost").last().over("measure") / pl.col("cost"),
            best=(pl.col(criterion) == pl.col(criterion).filter(_judged()).min().over("measure")).fill_null(False)
            & _judged(),
        )
        .with_columns(pl.col("measure").cast(pl.String))
    )


def cost(
    collections: Sequence[Collection],
    measures: Sequence[str],
    depths: Sequence[int] | None = None,
    *,
    n_systems: int | None = None,
    min_diff: float | None = None,
    width: float | None = None,
    power: float | None = None,
    assurance: float = ASSURANCE,
    alpha: float = ALPHA,
    method: DesignMethod | None = None,
    published: bool = False,
    blocked: bool = False,
    epsilon: float | Literal["past"] | None = None,
    estimator: str | None = None,
    document_cost: float = 1.0,
    topic_cost: float = 0.0,
    budget: float | None = None,
    order: RankingOrder = ORDER,
    contributing: Contributing | None = None,
    progress: Progress | None = None,
) -> Cost:
    """How deep to judge and how many topics, from judgments and runs of past collections.

    For every depth the judgments are reduced to the documents in the top `depth` of at least one run. The runs are
    re-evaluated, and the variance is estimated and pooled. The cost counts all documents of the pool, judged or not
    (see `cost_from_figures`, which also explains the other parameters). The default estimator matches the design:
    `residual` for shared topics, `within` for the one-way design of the papers, `percentile95` for an interval.

    Parameters
    ----------
    collections : sequence of (judgments, runs)
        Both as objects or as files; several collections are pooled.
    measures, depths : the measures, and the pool depths to compare (by default 5, 10, 20, 30, 50 and 100)
    contributing : names of runs, or a file with one name per line, optional
        The runs that built the pools; all runs unless given. All runs are evaluated.
    assurance : probability with which the true power reaches `power`, for ``topics_assured``
    n_systems : the systems to compare; the pool is scaled to as many runs, unless the design is that of the papers

    References
    ----------
    Sakai (2014b), §4.2; Sakai (2014a), §5.4.
    """
    check_arguments(cost, locals())
    wanted = Wanted(
        n_systems, min_diff, width, power, alpha, method, published, blocked, epsilon, document_cost, topic_cost,
        budget, probability("assurance", assurance),
    )  # fmt: skip
    chosen = estimator or wanted.design[1].estimator
    figures, said = pool_figures(
        collections, measures, COST_DEPTHS if depths is None else depths, estimator=chosen, alpha=alpha, order=order,
        contributors=find_contributors(contributing),
        n_systems=None if wanted.design[1].title == ANOVA.variant("published").title else n_systems,
        skip=depths is None, progress=progress,
    )  # fmt: skip
    priced = _priced(figures, wanted)
    if min_diff is not None:  # beside the scores of the deepest pool of every measure
        deepest = {one.measure: one.variance for one in sorted(figures, key=lambda one: one.depth)}
        for one in (one for one in deepest.values() if isinstance(one, VarianceEstimate)):
            said += sense([stratum.scores for stratum in one.strata], min_diff)
    warnings = tuple(dict.fromkeys((*said, *priced.warnings)))
    known = {"estimator": chosen, **priced.settings}
    if "topics_assured" in priced.rows.columns:
        known["assurance"] = wanted.assurance
    if contributing is not None:
        known["contributing"] = named_contributors(contributing)
    scaled = any(one.scaled_per_topic is not None and one.scaled_per_topic != one.pool for one in figures)
    notes = (*((POOL_SCALED(systems=n_systems),) if scaled else ()), *priced.notes)
    result = replace(priced, settings=known, warnings=warnings, notes=notes)
    notify(result.warnings)
    return result
