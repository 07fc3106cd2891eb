"""Shallower pools: the judgments that remain if only the top of every run had been judged."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import replace
from typing import get_args

import polars as pl

from cranfield.collection.doors import QrelsLike, RunsLike, as_qrels, each_run
from cranfield.collection.matched import Matched, refuse_other_ids
from cranfield.collection.types import Qrels, Run
from cranfield.core.defaults import ORDER, RankingOrder
from cranfield.core.errors import ArgumentError, UnknownNameError

_PAIR = ["topic", "document"]
_HELD = 1_000_000
"""Ranks held before they are reduced to the best of each document."""


def pool_ranks(
    qrels: Qrels, runs: Iterable[Run], *, order: RankingOrder = ORDER, depth: int | None = None
) -> pl.DataFrame:
    """The best rank any run gives each judged document: the judgments with a further column ``pool_rank``.

    Documents no run retrieved have a null there. Runs are taken one at a time, so they may come from a generator.

    Parameters
    ----------
    order : ``"score"``: score descending, ties by document id descending in byte order, as trec_eval;
        ``"rank"``: by the rank column; ``"file"``: as the file has them
    depth : use this many documents of every run; deeper ones have a null too
    """
    judged = qrels.frame.select(_PAIR).unique()
    places: list[pl.DataFrame] = []
    for run in runs:
        top = ranked(run.frame, order) if depth is None else top_ranked(run.frame, order, depth)
        places.append(top.join(judged, on=_PAIR, how="semi"))
        if sum(map(len, places)) > _HELD:
            places = [_best(places)]
    if not places:
        raise ArgumentError("`runs` is empty; a pool needs at least one run.")
    return qrels.frame.join(_best(places), on=_PAIR, how="left", maintain_order="left")


def _best(places: list[pl.DataFrame]) -> pl.DataFrame:
    """Every document once, with its best rank."""
    return pl.concat(places).group_by(_PAIR).agg(pl.col("pool_rank").min())


def ranked(frame: pl.DataFrame, order: str) -> pl.DataFrame:
    """Topic, document and rank of every retrieved document."""
    if order not in get_args(RankingOrder):
        raise UnknownNameError("order", order, get_args(RankingOrder))
    if order == "score":
        frame = frame.sort(["topic", "score", "document"], descending=[False, True, True])
    elif order == "rank":
        frame = frame.sort(["topic", "rank"])
    return frame.select([*_PAIR, pl.int_range(1, pl.len() + 1, dtype=pl.Int64).over("topic").alias("pool_rank")])


def top_ranked(frame: pl.DataFrame, order: str, depth: int) -> pl.DataFrame:
    """The first `depth` documents of every topic, as `ranked` orders them; only candidates are sorted.

    >>> run = pl.DataFrame({"topic": ["1"] * 3, "document": ["a", "b", "c"], "rank": [1, 2, 3], "score": [1.0, 3, 2]})
    >>> top_ranked(run, "score", 2)["document"].to_list()
    ['b', 'c']
    """
    if order == "score":
        last = frame.group_by("topic").agg(pl.col("score").top_k(depth).min().alias("last"))
        frame = frame.join(last, on="topic").filter(pl.col("score") >= pl.col("last"))
    return ranked(frame, order).filter(pl.col("pool_rank") <= depth)


def top_of(run: Run, depth: int, order: RankingOrder = ORDER) -> Run:
    """The first `depth` documents of a run, in an order that score, rank and file share.

    >>> run = Run(pl.DataFrame({"topic": ["1", "1"], "document": ["b", "a"], "rank": [1, 2], "score": [1.0, 2.0]}))
    >>> top_of(run, 1).frame.rows()
    [('1', 'a', 1, -1.0)]
    """
    top = top_ranked(run.frame, order, depth)
    rank = pl.col("pool_rank")
    return replace(run, frame=top.select(*_PAIR, rank=rank, score=-rank.cast(pl.Float64)))


def depth_pools(
    qrels: QrelsLike, runs: RunsLike, depths: Iterable[int], *, order: RankingOrder = ORDER
) -> dict[int, Qrels]:
    """For every depth, the judgments of documents in the top `depth` of at least one run (Sakai 2014).

    No judgment is added: an unjudged document in the top of a run stays unjudged. Judgments and runs may have any form
    that `as_qrels` and `as_runs` accept.

    Examples
    --------
    >>> qrels = Qrels(pl.DataFrame({"topic": ["1", "1"], "subtopic": ["0", "0"], "document": ["a", "b"],
    ...                             "relevance": [1, 0]}))
    >>> run = Run(pl.DataFrame({"topic": ["1", "1"], "document": ["b", "a"], "rank": [1, 2], "score": [2.0, 1.0]}))
    >>> depth_pools(qrels, [run], [1])[1].frame["document"].to_list()
    ['b']
    """
    qrels = as_qrels(qrels)
    return pools_at(qrels, _agreeing(qrels, each_run(runs)), depths, order)


def pools_at(qrels: Qrels, runs: Iterable[Run], depths: Iterable[int], order: RankingOrder = ORDER) -> dict[int, Qrels]:
    """`depth_pools` without the check that runs and judgments share document ids."""
    wanted = list(dict.fromkeys(depths))
    for depth in wanted:
        if depth < 1 or depth != int(depth):
            raise ArgumentError(f"`depth` must be a whole number of at least 1; got {depth}.")
    if not wanted:
        raise ArgumentError("`depths` is empty; give at least one pool depth.")
    ranks = pool_ranks(qrels, runs, order=order, depth=max(wanted))
    pools = {depth: ranks.filter(pl.col("pool_rank") <= depth).drop("pool_rank") for depth in wanted}
    return {depth: Qrels(pool, f"{qrels.name} at pool depth {depth}", qrels.notes) for depth, pool in pools.items()}


def _agreeing(qrels: Qrels, runs: Iterable[Run]) -> Iterator[Run]:
    """The runs, unchanged; an error after the last if almost no document is judged because of its spelling.

    The check stops at the first run with enough judged documents.
    """
    judged = qrels.frame.select(_PAIR).unique()
    topics = judged.select("topic").unique()
    matched: list[Matched] = []
    best: Run | None = None
    for run in runs:
        if best is not None or not matched:
            own = run.frame.select(_PAIR).join(topics, on="topic", how="semi")
            found = Matched(run.system, own.join(judged, on=_PAIR, how="semi").height, own.height)
            if best is None or found.judged > max(other.judged for other in matched):
                best = run
            matched.append(found)
            best = best if found.hardly(judged.height) else None
        yield run
    if best is not None:
        refuse_other_ids(qrels, judged.height, matched, lambda _: best, "pool")


def judged_counts(qrels: Qrels, topics: Iterable[str] | None = None) -> pl.DataFrame:
    """Topic, judged and relevant documents; a document counts once, relevant if it is for any subtopic.

    `topics` adds rows of zeros for topics that have no judgment left.
    """
    levels = qrels.frame.group_by(_PAIR).agg(pl.col("relevance").max()).group_by("topic")
    counts = levels.agg(judged=pl.len().cast(pl.Int64), relevant=(pl.col("relevance") > 0).sum().cast(pl.Int64))
    labels = pl.DataFrame({"topic": list(qrels.topics if topics is None else topics)}, schema={"topic": pl.String})
    joined = labels.join(counts, on="topic", how="left", maintain_order="left")
    return joined.with_columns(pl.col("judged", "relevant").fill_null(0))


def judged_share(qrels: Qrels, runs: Iterable[Run], *, depth: int = 10, order: RankingOrder = ORDER) -> pl.DataFrame:
    """Share of judged documents among the first `depth` of every run, over the judged topics: system, judged.

    Runs are taken one at a time, so they may come from a generator.

    >>> qrels = Qrels(pl.DataFrame({"topic": ["1"], "subtopic": ["0"], "document": ["a"], "relevance": [0]}))
    >>> run = Run(pl.DataFrame({"topic": ["1", "1"], "document": ["b", "a"], "rank": [1, 2], "score": [2.0, 1.0]}))
    >>> judged_share(qrels, [run])["judged"].to_list()
    [0.5]
    """
    judged = qrels.frame.select(_PAIR).unique()
    topics = judged.select("topic").unique()
    rows = []
    for run in runs:
        top = top_ranked(run.frame, order, depth).join(topics, on="topic", how="semi")
        hits = top.join(judged, on=_PAIR, how="semi").height
        rows.append({"system": run.system, "judged": hits / top.height if top.height else 0.0})
    return pl.DataFrame(rows, schema={"system": pl.String, "judged": pl.Float64})
