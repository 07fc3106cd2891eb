"""Pool sizes: all documents of a pool count as a cost, also those that were not judged."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from typing import Final

import numpy as np
import polars as pl
from numpy.typing import NDArray
from scipy.special import gammaln

from cranfield.collection.pools import top_ranked
from cranfield.collection.types import Qrels, Run
from cranfield.core.answer import sentence
from cranfield.core.defaults import ORDER, RankingOrder
from cranfield.core.errors import ArgumentError

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

    For at most `n_runs` this is the mean over all subsets of that size: a document that c of M runs retrieve is in the
    pool of m of them with probability 1 − C(M − c, m)/C(M, m) (rarefaction, Hurlbert 1971). Beyond, the pool grows as
    a power of the number of runs, with the exponent from the last half of that curve (Heaps' law).

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
