"""Pool sizes: all documents of a pool count as a cost, also those that were not judged."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Final

import polars as pl

from cranfield.collection.pools import top_ranked
from cranfield.collection.types import Qrels, Run
from cranfield.core.defaults import ORDER, RankingOrder
from cranfield.core.errors import ArgumentError
from cranfield.core.sentences import sentence

LOW_SHARE: Final = 0.9
"""Below this judged share of the pool the variance is doubtful: unjudged documents count as not relevant."""

SHARE_JUDGED = sentence(
    "design.share-judged",
    "depth {depths}: only {share:.0%} of the pool of depth {depth} was judged ({judged:,.0f} of {pool:,.0f} documents "
    "per topic). Its variance is that of a shallower pool, so no depth is recommended.",
    "less than nine tenths of the pool of these depths was judged",
)
LOSSES = sentence(
    "design.losses",
    "Depth {shallow} may miss relevant documents that depth {deep} finds. Later systems that retrieve them score too "
    "low, so a shallow pool is less reusable. Low cost alone is no reason to choose it.",
    "two depths or more are compared",
)
_PAIR = ["topic", "document"]


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
    judged, pool, share = (worst[name] or 0 for name in ("judged_per_topic", "pool_per_topic", "judged_share"))
    return (SHARE_JUDGED(depths=depths, share=share, depth=worst["depth"], judged=judged, pool=pool),)


def losses(depths: Iterable[int]) -> tuple[str, ...]:
    """What the shallowest of several pools may miss."""
    several = sorted(set(depths))
    return (LOSSES(shallow=several[0], deep=several[-1]),) if len(several) > 1 else ()
