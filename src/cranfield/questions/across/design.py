"""`design across`: how many collections, topics and seeds a wanted power needs."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import polars as pl

from cranfield.core.arguments import check_arguments
from cranfield.core.defaults import ALPHA, POWER
from cranfield.core.errors import DataError, notify
from cranfield.core.results import Result, check_frame, signature
from cranfield.questions.across.across import as_parts, grouped_as
from cranfield.questions.across.board import sources
from cranfield.questions.across.collected import Collected, collect
from cranfield.questions.across.design_answer import design_answer, headline
from cranfield.questions.across.files import Parts
from cranfield.questions.across.question import COLLECTIONS, SEEDS, DesignAcrossQuestion
from cranfield.questions.compare.clusters import TopicGroups, groups_of
from cranfield.questions.design.power import critical_f, exact_power
from cranfield.scores.doors import CollectionsLike

if TYPE_CHECKING:
    from cranfield.core.answer import Drawings

MOST_TOPICS = 100_000
"""Topics per collection beyond which a design counts as impossible."""


@dataclass(frozen=True, eq=False)
class DesignAcross(Result):
    """Topics per collection for a wanted power; get one from `design_across`.

    Attributes
    ----------
    rows : one row per measure, claim and number of collections (for recipes: of seeds); see `to_frame`
    """

    rows: pl.DataFrame
    settings: Mapping[str, Any]
    warnings: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        check_frame("design across", self.rows)

    @property
    def signature(self) -> str:
        """One line for a paper's footnote."""
        return signature("design over collections", **dict(self.settings))

    def to_frame(self) -> pl.DataFrame:
        """One row per measure, claim and size.

        claim, collections, seeds (for recipes), topics (per collection; missing where no number suffices),
        topics_in_all and achieved_power; with a cost of seeds, the cost of recipes.
        """
        return self.rows

    def summary(self) -> str:
        """The headline."""
        return headline(self)

    def __repr__(self) -> str:
        return f"DesignAcross({self.summary()})\n{self.rows}"

    answer = design_answer

    @staticmethod
    def drawings() -> Drawings:
        """Its charts by name."""
        from cranfield.questions.across import charts

        return {"topics": charts.topics}


def design_across(
    collections: CollectionsLike | Parts,
    missing: str = "error",
    *,
    min_diff: float,
    measure: str | Sequence[str] | None = None,
    power: float = POWER,
    alpha: float = ALPHA,
    n_collections: int | Sequence[int] = COLLECTIONS,
    n_seeds: int | Sequence[int] = SEEDS,
    seed_cost: float | None = None,
    topic_groups: TopicGroups | None = None,
) -> DesignAcross:
    r"""How many collections, and topics on each, show a difference between two systems named in advance?

    .. math:: \mathrm{Var} = \frac{2\sigma_I^2 + 2\sigma_T^2/n}{K}\ \text{(like these)},\quad
        \frac{2\sigma_T^2}{nK}\ \text{(these)},\quad \frac{2\sigma_T^2}{nK} + \frac{2\sigma_S^2}{R}\ \text{(recipe)}

    σ²_I is the interaction of collection and system, σ²_T the residual variance of one score, and σ²_S the variance of
    a system's mean over seeds. All are estimated from past scores. Power of the two-sided t test, with K − 1 and K(n −
    1)
    degrees of freedom; for recipes by Satterthwaite.

    Parameters
    ----------
    collections, missing : past scores by topic, as in `across`
    min_diff : the difference to detect
    measure : which measures; all unless named
    power, alpha : of the test of one pair
    n_collections : numbers of collections to consider
    n_seeds : numbers of seeds per system to consider, for past scores with seeds; collections as in the scores
    seed_cost : cost of training a system once, in topics judged. Adds ``cost``: the topics in all plus the runs of both
        systems
    topic_groups : topics that belong together, as in `across`; sizes are of topics in such groups

    Examples
    --------
    >>> from cranfield import ScoreMatrix
    >>> x = ScoreMatrix([[.2, .5], [.3, .4], [.1, .3], [.2, .6]], "1234", ["a", "b"], "AP")
    >>> y = ScoreMatrix([[.1, .2], [.3, .5], [.2, .3], [.4, .6]], "5678", ["a", "b"], "AP")
    >>> design_across({"x": x, "y": y}, min_diff=0.1, n_collections=[3, 10]).to_frame()["topics"].to_list()
    [None, 2, 4, 2]
    """
    check_arguments(design_across, locals())
    asked = DesignAcrossQuestion(
        min_diff=min_diff, power=power, alpha=alpha, n_collections=_listed(n_collections), n_seeds=_listed(n_seeds),
        missing=missing, seed_cost=seed_cost, topic_groups=None if topic_groups is None else Path("groups"),
    )  # fmt: skip
    found = collect(as_parts(collections, measure, missing), missing, groups_of(topic_groups))
    rows = [row for data in found for row in _rows(data, asked)]
    measures = [data.measure for data in found]
    settings = DesignAcrossQuestion.in_force(
        asked, measure=measures[0] if len(found) == 1 else measures, topic_groups=grouped_as(found[0])
    )
    said = tuple(dict.fromkeys(text for data in found for text in (*data.warnings, *data.cautions)))
    notify(said)
    table = pl.DataFrame(rows, schema=_SCHEMA)
    return DesignAcross(table if seed_cost is not None else table.drop("cost"), settings, said)


_SCHEMA = {
    "measure": pl.String,
    "claim": pl.String,
    "collections": pl.Int64,
    "seeds": pl.Int64,
    "topics": pl.Int64,
    "topics_in_all": pl.Int64,
    "achieved_power": pl.Float64,
    "cost": pl.Float64,
}


def _listed(numbers: int | Sequence[int]) -> tuple[int, ...]:
    return (numbers,) if isinstance(numbers, int) else tuple(sorted(set(numbers)))


def _rows(data: Collected, asked: DesignAcrossQuestion) -> list[dict[str, Any]]:
    if data.scores is None or len(data.collections) < 2:
        raise DataError(
            f"{data.measure}: a design needs past scores by topic on at least 2 collections. Give such scores, or use "
            "`design ttest` for one collection."
        )
    known = dict(sources(data))
    topic, interaction = 2 * known["topic"], 2 * known["interaction"]
    rows = []
    for claim in ("like_these", "these"):
        for k in asked.n_collections:
            rows.append(
                _row(data.measure, claim, k, None, _fewest(partial(_of_topics, claim, k, topic, interaction), asked))
            )
    if data.with_seeds:
        k = len(data.collections)
        for r in asked.n_seeds:
            fewest = _fewest(partial(_of_seeds, k, r, topic, 2 * known["seed"]), asked)
            rows.append(_row(data.measure, "recipe", k, r, fewest, asked.seed_cost))
    return rows


def _of_topics(claim: str, k: int, topic: float, interaction: float, n: int) -> tuple[float, float]:
    """Sampling variance and degrees of freedom of a difference on k collections of n topics."""
    if claim == "these":
        return topic / (n * k), float(k * (n - 1))
    return (interaction + topic / n) / k, float(k - 1)


def _of_seeds(k: int, r: int, topic: float, seed: float, n: int) -> tuple[float, float]:
    """The same of two recipes with r seeds each."""
    of_topics, of_seeds = topic / (n * k), seed / (2 * r)
    shares = of_topics**2 / (k * (n - 1)) + 2 * of_seeds**2 / (r - 1)
    variance = of_topics + 2 * of_seeds
    return variance, variance**2 / shares if shares > 0 else float(k * (n - 1))


def _row(
    measure: str, claim: str, k: int, seeds: int | None, found: tuple[int, float] | None, seed_cost: float | None = None
) -> dict[str, Any]:
    topics, reached = found or (None, None)
    return {
        "measure": measure, "claim": claim, "collections": k, "seeds": seeds, "topics": topics,
        "topics_in_all": None if topics is None else topics * k, "achieved_power": reached,
        "cost": None if topics is None or seeds is None or seed_cost is None else topics * k + 2 * seeds * seed_cost,
    }  # fmt: skip


def _fewest(sampling: Callable[[int], tuple[float, float]], asked: DesignAcrossQuestion) -> tuple[int, float] | None:
    """The fewest topics per collection that reach the power, and the power they reach; None where none do."""

    def reached(n: int) -> float:
        return t_power(asked.min_diff, *sampling(n), asked.alpha)

    if reached(MOST_TOPICS) < asked.power:
        return None
    low, high = 1, MOST_TOPICS  # one topic has no variance
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (low, middle) if reached(middle) >= asked.power else (middle, high)
    return high, reached(high)


def t_power(difference: float, variance: float, df: float, alpha: float) -> float:
    """Power of a two-sided t test of a difference with this sampling variance.

    >>> round(t_power(0.1, 0.0012, 30, 0.05), 3)
    0.798
    """
    if variance <= 0:
        return 1.0
    one, error = np.ones(1), np.full(1, df)
    critical = critical_f(one, error, np.full(1, alpha))
    return float(exact_power(one, error, np.full(1, difference**2 / variance), critical)[0])
