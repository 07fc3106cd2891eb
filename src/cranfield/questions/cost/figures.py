"""Past collections at smaller pool depths: documents to judge, and variance of the scores."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import ceil

import polars as pl

from cranfield.collection.doors import QrelsLike, RunsLike, as_qrels, as_runs, runs_in_memory, skipped_files
from cranfield.collection.pools import judged_counts, pools_at, top_of
from cranfield.collection.types import Qrels
from cranfield.core.defaults import ALPHA, ORDER, RankingOrder
from cranfield.core.errors import ArgumentError, DataError, quietly
from cranfield.core.executors import Progress
from cranfield.core.labels import summary
from cranfield.measures.parts import evaluator_of_parts
from cranfield.questions.cost.pool_price import pool_by_topic, pool_for, price_of, retrieved_by
from cranfield.questions.pool.contributing import Contributors, contributing_runs
from cranfield.questions.variance.estimate import VarianceEstimate, estimate_variance, pool_variances

Collection = tuple[QrelsLike, RunsLike]
"""Judgments and the runs that were pooled, in any form."""


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
