"""How much of the top of every run was judged: the first thing to know before trusting a score."""

from __future__ import annotations

from collections.abc import Iterable

import polars as pl

from cranfield.collection.pools import top_ranked
from cranfield.collection.types import Qrels, Run
from cranfield.defaults import ORDER, RankingOrder


def judged_share(qrels: Qrels, runs: Iterable[Run], *, depth: int = 10, order: RankingOrder = ORDER) -> pl.DataFrame:
    """Share of judged documents among the first `depth` of every run, over the judged topics: system, judged.

    Runs are taken one at a time, so they may come from a generator.

    >>> qrels = Qrels(pl.DataFrame({"topic": ["1"], "subtopic": ["0"], "document": ["a"], "relevance": [0]}))
    >>> run = Run(pl.DataFrame({"topic": ["1", "1"], "document": ["b", "a"], "rank": [1, 2], "score": [2.0, 1.0]}))
    >>> judged_share(qrels, [run])["judged"].to_list()
    [0.5]
    """
    judged = qrels.frame.select("topic", "document").unique()
    topics = judged.select("topic").unique()
    rows = []
    for run in runs:
        top = top_ranked(run.frame, order, depth).join(topics, on="topic", how="semi")
        hits = top.join(judged, on=["topic", "document"], how="semi").height
        rows.append({"system": run.system, "judged": hits / top.height if top.height else 0.0})
    return pl.DataFrame(rows, schema={"system": pl.String, "judged": pl.Float64})
