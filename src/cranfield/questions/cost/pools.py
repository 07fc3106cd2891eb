"""Past collections at smaller pool depths: documents to judge, variance of the scores, and what is lost.

All documents of a pool count as a cost, also those that were not judged.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from math import ceil
from typing import Final

import numpy as np
import polars as pl
from numpy.typing import NDArray
from scipy.special import gammaln

from cranfield.collection.doors import QrelsLike, RunsLike, as_qrels, as_runs, runs_in_memory, skipped_files
from cranfield.collection.pools import judged_counts, pools_at, top_of, top_ranked
from cranfield.collection.types import Qrels, Run
from cranfield.core.answer import sentence
from cranfield.core.defaults import ALPHA, ORDER, RankingOrder
from cranfield.core.errors import ArgumentError, DataError, quietly
from cranfield.core.executors import Progress
from cranfield.core.labels import summary
from cranfield.measures.parts import evaluator_of_parts
from cranfield.questions.pool.contributing import Contributors, contributing_runs
from cranfield.questions.variance.estimate import VarianceEstimate, estimate_variance, pool_variances

Collection = tuple[QrelsLike, RunsLike]
"""Judgments and the runs that were pooled, in any form."""
LOW_SHARE: Final = 0.9
"""Below this judged share of the pool the variance is doubtful: unjudged documents count as not relevant."""
SHARE_JUDGED = sentence(
    "design.share-judged",
    "depth {depths}: only {share:.0%} of the pool of depth {depth} was judged ({judged:,.0f} of {pool:,.0f} documents "
    "per topic). Its variance is that of a shallower pool, so it is not recommended.",
    "less than nine tenths of the pool of these depths was judged",
)
LOSSES = sentence(
    "design.losses",
    "Depth {shallow} may miss relevant documents that depth {deep} finds. Later systems that retrieve them score too "
    "low, so a shallow pool is less reusable. Low cost alone is no reason to choose it.",
    "two depths or more are compared",
)
_PAIR = ["topic", "document"]
Counts = NDArray[np.float64]


@dataclass(frozen=True)
class PoolFigure:
    """Documents to judge at a pool depth, and the variance of one measure there.

    Parameters
    ----------
    measure, depth : the measure and the pool depth
    judged_per_topic : mean number of documents judged for a topic
    pool_per_topic : mean number of documents in the pool of a topic, the documents to judge; `judged_per_topic` unless
        given
    scaled_per_topic : the same for another number of systems, which is then the number of documents to judge
    variance : σ² of the measure on that pool (half the variance of a difference), typed or estimated
    dropped_topics : topics dropped because the pool has no relevant document
    """

    measure: str
    depth: int
    judged_per_topic: float
    variance: float | VarianceEstimate
    dropped_topics: int = 0
    pool_per_topic: float | None = None
    scaled_per_topic: float | None = None

    @property
    def pool(self) -> float:
        """Documents in the pool of a topic."""
        return self.judged_per_topic if self.pool_per_topic is None else self.pool_per_topic

    @property
    def price(self) -> float:
        """Documents to judge for a topic of the collection to build."""
        return self.pool if self.scaled_per_topic is None else self.scaled_per_topic

    @property
    def judged_share(self) -> float | None:
        """The share of the pool that was judged; None for an empty pool."""
        return self.judged_per_topic / self.pool if self.pool > 0 else None


def pool_figures(
    collections: Sequence[Collection],
    measures: Sequence[str],
    depths: Sequence[int],
    *,
    estimator: str,
    alpha: float = ALPHA,
    order: RankingOrder = ORDER,
    contributors: Contributors | None = None,
    n_systems: int | None = None,
    skip: bool = False,
    progress: Progress | None = None,
) -> tuple[list[PoolFigure], tuple[str, ...]]:
    """The figures of every measure and depth, pooled over collections; and warnings.

    A topic that loses all its relevant documents at a depth is dropped there and counted. Its judgments still count.
    Only the contributing runs make the pools; all runs are evaluated.

    Parameters
    ----------
    n_systems : systems of the collection to build; pools are scaled to it (see `pool_for`)
    skip : leave out depths at which fewer than two topics keep a relevant document, instead of an error
    """
    if not collections:
        raise ArgumentError("`collections` is empty. Give judgments and runs of at least one.")
    done, total = 0, len(collections) * len(set(depths))
    estimates: dict[tuple[str, int], list[VarianceEstimate]] = {}
    said: list[str] = []
    given: list[str] = []
    dropped, pools = dict.fromkeys(depths, 0), []
    scaled: dict[int, list[float]] = {depth: [] for depth in depths}
    for given_qrels, given_runs in collections:
        qrels = as_qrels(given_qrels)
        sources = as_runs(given_runs)
        said += skipped_files(sources)
        runs = runs_in_memory(sources)
        given += [run.system for run in runs]
        tops = [top_of(run, max(1, *map(ceil, depths)), order) for run in contributing_runs(runs, contributors)]
        pools.append(pool_by_topic(qrels, tops, depths, order="file"))
        if n_systems is not None:
            for depth, times in retrieved_by(qrels, tops, depths).items():
                scaled[depth] += [pool_for(times, len(tops), n_systems), len(qrels.topics)]
        scored = evaluator_of_parts(qrels, runs, measures, order=order)
        for depth, pool in pools_at(qrels, tops, depths, order="file").items():
            counts = judged_counts(pool, qrels.topics)
            topics_without_relevant = counts.filter(pl.col("relevant") == 0)["topic"].to_list()
            dropped[depth] += len(topics_without_relevant)
            kept = Qrels(pool.frame.filter(~pl.col("topic").is_in(topics_without_relevant)), pool.name, pool.notes)
            if len(kept.topics) < 2 and skip:
                continue
            if len(kept.topics) < 2:
                raise DataError(
                    f"{pool.name}: {len(topics_without_relevant)} of {len(counts)} topics have no relevant document "
                    f"({summary(topics_without_relevant)}); at least 2 must keep one. Judge deeper."
                )
            with quietly():  # said below; the pooled estimates repeat what matters
                scores = scored(kept)
                said += scores.warnings
                for measure, matrix in scores.items():
                    estimate = estimate_variance(matrix, estimator, alpha=alpha, collection=qrels.name)
                    estimates.setdefault((measure, depth), []).append(estimate)
            done += 1
            if progress:
                progress(done, total)
    if contributors is not None:
        said += contributors.absent(given)
    prices = {row["depth"]: row for row in price_of(pools).iter_rows(named=True)}
    figures = []
    with quietly():  # returned instead
        for (measure, depth), several in estimates.items():
            pooled = pool_variances(several)
            said += pooled.warnings
            price = prices[depth]
            documents, topics = sum(scaled[depth][::2]), sum(scaled[depth][1::2])
            figures.append(
                PoolFigure(
                    measure, depth, price["judged_per_topic"], pooled, dropped[depth], price["pool_per_topic"],
                    documents / topics if topics else None,
                )
            )  # fmt: skip
    if not figures:
        raise DataError("fewer than 2 topics keep a relevant document at any depth. Give more judgments.")
    return figures, tuple(dict.fromkeys(said))


def pool_by_topic(
    qrels: Qrels, runs: Iterable[Run], depths: Sequence[int], *, order: RankingOrder = ORDER
) -> pl.DataFrame:
    """Size of every topic's pool at every depth, and how much of it is judged.

    The pool of depth d is the union of the top d documents of all runs. Topics are those that have judgments.

    Returns
    -------
    polars frame
        One row per depth and topic: depth, topic, pool, judged.

    Examples
    --------
    >>> qrels = Qrels(pl.DataFrame({"topic": ["1"], "subtopic": ["0"], "document": ["a"], "relevance": [1]}))
    >>> def run(*documents):
    ...     columns = {"topic": "1", "document": documents, "rank": range(2), "score": [2.0, 1.0]}
    ...     return Run(pl.DataFrame(columns | {"topic": ["1", "1"]}))
    >>> pool_by_topic(qrels, [run("a", "b"), run("a", "c")], [1, 2]).rows()
    [(1, '1', 1, 1), (2, '1', 3, 1)]
    """
    wanted = sorted(set(depths))
    if not wanted:
        raise ArgumentError("`depths` is empty; give at least one pool depth.")
    if wanted[0] < 1 or any(depth != int(depth) for depth in wanted):
        raise ArgumentError(f"`depth` must be a whole number of at least 1; got {wanted[0]:g}.")
    topics = list(qrels.topics)
    tops = [top_ranked(run.frame.filter(pl.col("topic").is_in(topics)), order, wanted[-1]) for run in runs]
    if not tops:
        raise ArgumentError("`runs` is empty; a pool takes at least one run.")
    judged = qrels.frame.select(_PAIR).unique().with_columns(judged=pl.lit(True))
    pooled = pl.concat(tops).group_by(_PAIR).agg(pl.col("pool_rank").min()).join(judged, on=_PAIR, how="left")
    labels = pl.DataFrame({"topic": topics}, schema={"topic": pl.String})

    def at(depth: int) -> pl.DataFrame:
        inside = pooled.filter(pl.col("pool_rank") <= depth).group_by("topic")
        counts = inside.agg(pool=pl.len(), judged=pl.col("judged").sum())
        counted = labels.join(counts, on="topic", how="left", maintain_order="left")
        return counted.select(
            pl.lit(depth, pl.Int64).alias("depth"), "topic", pl.col("pool", "judged").fill_null(0).cast(pl.Int64)
        )

    return pl.concat([at(depth) for depth in wanted])


def pool_for(counts: Counts, n_runs: int, wanted: int) -> float:
    """The expected pool of as many runs as wanted, from how many of the runs retrieve each document.

    For at most `n_runs` this is the mean over all subsets of that size: a document of c of M runs is in the pool of m
    runs with probability 1 − C(M − c, m)/C(M, m) (rarefaction, Hurlbert 1971). Beyond, the pool grows as a power of the
    number of runs, with the exponent from the last half of that curve (Heaps' law).

    Parameters
    ----------
    counts : documents by the number of runs that retrieve them, at positions 1 to `n_runs`

    >>> counts = np.array([0, 2, 1])  # two documents of one run each, one of both
    >>> pool_for(counts, 2, 1), pool_for(counts, 2, 2)
    (2.0, 3.0)
    """
    if wanted <= n_runs:
        c = np.arange(n_runs + 1)
        # log C(M − c, m) − log C(M, m); impossible where fewer than m runs are left.
        left = n_runs - c
        possible = left >= wanted
        missed = np.zeros(n_runs + 1)
        missed[possible] = np.exp(
            gammaln(left[possible] + 1) - gammaln(left[possible] - wanted + 1)
            - gammaln(n_runs + 1) + gammaln(n_runs - wanted + 1)
        )  # fmt: skip
        return float((counts * (1 - missed)).sum())
    whole, half = float(counts.sum()), max(1, n_runs // 2)
    if n_runs < 2 or not whole:
        return whole * wanted / n_runs
    exponent = math.log(whole / pool_for(counts, n_runs, half)) / math.log(n_runs / half)
    return float(whole * (wanted / n_runs) ** min(max(exponent, 0.0), 1.0))


def retrieved_by(qrels: Qrels, tops: Sequence[Run], depths: Sequence[int]) -> dict[int, Counts]:
    """At every depth, how many documents of the pools of all topics are in the top of one run, two runs, …"""
    topics = list(qrels.topics)
    ranks = pl.concat(
        [top_ranked(run.frame.filter(pl.col("topic").is_in(topics)), "file", max(depths)) for run in tops]
    )
    found = {}
    for depth in depths:
        times = ranks.filter(pl.col("pool_rank") <= depth).group_by(_PAIR).len()["len"].to_numpy()
        found[depth] = np.bincount(times, minlength=len(tops) + 1).astype(np.float64)
    return found


def price_of(pools: Iterable[pl.DataFrame]) -> pl.DataFrame:
    """Documents to judge at each pool depth, from the pools of each collection by topic (`pool_by_topic`).

    Returns
    -------
    polars frame
        One row per depth: depth, topics, pool_per_topic (documents to judge for a topic, the price), judged_per_topic
        (those of them that were judged), judged_share, variance_doubtful (share below .9).

    References
    ----------
    Sakai (2014b), §4.2 and Sakai (2014a), §5.4, where all pooled documents are judged and both numbers are one.
    """
    return (
        pl.concat(pools)
        .group_by("depth", maintain_order=True)
        .agg(
            topics=pl.len().cast(pl.Int64),
            pool_per_topic=pl.col("pool").mean(),
            judged_per_topic=pl.col("judged").mean(),
            judged_share=pl.when(pl.col("pool").sum() > 0).then(pl.col("judged").sum() / pl.col("pool").sum()),
        )
        .with_columns(variance_doubtful=(pl.col("judged_share") < LOW_SHARE).fill_null(True))
        .sort("depth")
    )


def doubts(prices: pl.DataFrame) -> tuple[str, ...]:
    """A warning about depths whose pools were judged too little."""
    doubtful = prices.filter((pl.col("judged_share") < LOW_SHARE).fill_null(True)).sort("depth")
    if doubtful.is_empty():
        return ()
    depths, worst = ", ".join(map(str, doubtful["depth"])), doubtful.row(-1, named=True)
    judged, share = worst["judged_per_topic"] or 0, worst["judged_share"] or 0
    pool = judged / share if share else worst["pool_per_topic"]  # of the runs, whatever pool is priced
    return (SHARE_JUDGED(depths=depths, share=share, depth=worst["depth"], judged=judged, pool=pool),)


def losses(depths: Iterable[int]) -> tuple[str, ...]:
    """What the shallowest of several pools may miss."""
    several = sorted(set(depths))
    return (LOSSES(shallow=several[0], deep=several[-1]),) if len(several) > 1 else ()
