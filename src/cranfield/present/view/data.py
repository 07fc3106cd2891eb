"""`view_data`: everything the linked view shows, as one compact JSON object."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from cranfield.comparison.grid import GridScores, tied_ranks
from cranfield.errors import ArgumentError, quietly
from cranfield.present.tables import steady
from cranfield.present.view.order import clustered
from cranfield.present.view.packing import pack, pack_p
from cranfield.present.view.sentences import sentences
from cranfield.scores.alike import distances, near_identical
from cranfield.scores.correlation import correlate
from cranfield.scores.matrix import ScoreMatrix

if TYPE_CHECKING:
    from cranfield.collection import Qrels
    from cranfield.comparison import Comparison
    from cranfield.scores import Scores

SCHEMA = 1
JUDGED_DEPTH = 10
MOST_ALIKE = 60
"""Pairs of near-identical runs that are listed."""


def view_data(
    comparisons: Comparison | Sequence[Comparison],
    scores: Scores,
    *,
    title: str = "",
    qrels: Qrels | None = None,
    judged: Mapping[str, float] | None = None,
    teams: Mapping[str, str] | None = None,
) -> dict[str, Any]:
    """What the linked view of a collection shows, from results that exist: it computes no decision of its own.

    Systems and topics stand in byte order of their names; every measure has the order of merit of its comparison. Per
    pair (in the order of `Comparison.pairs`) there are difference, lower, upper and adjusted p as 32-bit floats and
    the decision as a byte, and per topic and system the score as a 32-bit float: see `packing`.

    Parameters
    ----------
    comparisons : all pairs of the systems, by one measure or by several
    scores : the scores by every measure there is, of which agreement is told
    title : what the collection is called
    qrels : judgments, which give the relevant documents of every topic
    judged : the judged share of the first `JUDGED_DEPTH` documents of every run, see `judged_share`
    teams : the team of every system

    Examples
    --------
    >>> from cranfield import Scores, compare, make_scores
    >>> x = make_scores(n_topics=20, n_systems=4, seed=3)
    >>> data = view_data(compare(x), Scores([x]), title="four systems")
    >>> data["measures"][0]["rank"], len(data["topics"])
    ([1, 2, 3, 4], 20)
    """
    every = list(comparisons) if isinstance(comparisons, Sequence) else [comparisons]
    first = every[0]
    if any(one.baselines for one in every):
        raise ArgumentError("the view shows all pairs; compare without `baseline`.")
    systems, topics = first.scores.systems, first.scores.topics
    ranks, tau = _agreement(scores, systems)
    shares = judged if judged and set(systems) <= set(judged) else None
    leaders = {name: [systems[at] for at in np.flatnonzero(rank == 1)] for name, rank in ranks.items()}
    measures = []
    for one in every:
        row = dict(zip(ranks, tau[list(ranks).index(one.measure)], strict=True)) if one.measure in ranks else {}
        measures.append({**_measure(one), "sentences": sentences(one, leaders, row, shares, JUDGED_DEPTH)})
    return {
        "schema": SCHEMA,
        "title": title,
        "systems": list(systems),
        "topics": list(topics),
        "teams": None if teams is None else [teams.get(name, "") for name in systems],
        "judged": None if shares is None else [shares[name] for name in systems],
        "judged_depth": JUDGED_DEPTH,
        "relevant": _relevant(qrels, topics),
        "measures": measures,
        "agreement": {"measures": list(ranks), "rank": [rank.tolist() for rank in ranks.values()], "tau": tau},
        "rankings": None,
    }


def _measure(comparison: Comparison) -> dict[str, Any]:
    """One measure: its leaderboard, its pairs, its scores, and what is alike by it."""
    matrix = comparison.scores
    place = {name: at for at, name in enumerate(matrix.systems)}
    best = comparison.best
    alike = near_identical(matrix)
    return {
        "measure": comparison.measure,
        "test": comparison.test,
        "correction": comparison.correction_text(),
        "alpha": comparison.alpha,
        "interval": comparison.interval,
        "order": [place[name] for name in comparison.systems],
        "rank": comparison.rank.tolist(),
        "mean": [steady(mean) for mean in comparison.value.tolist()],
        "lower": [steady(end) for end in comparison.value_lower.tolist()],
        "upper": [steady(end) for end in comparison.value_upper.tolist()],
        "rank_lower": comparison.rank_lower.tolist(),
        "rank_upper": comparison.rank_upper.tolist(),
        "may_be_best": None if best is None else [int(yes) for yes in best],
        "pairs": {
            "difference": pack(comparison.difference),
            "lower": pack(comparison.lower),
            "upper": pack(comparison.upper),
            "p_adjusted": pack_p(comparison.p_adjusted),
            "significant": pack(comparison.significant, "u1"),
        },
        "scores": pack(matrix.values),
        "heat": _heat(matrix),
        "alike": [
            [place[a], place[b], distance, equal] for a, b, distance, equal in alike.head(MOST_ALIKE).iter_rows()
        ],
        "n_alike": alike.height,
        "signature": comparison.signature,
        "warnings": list(comparison.warnings),
    }


def _heat(matrix: ScoreMatrix) -> dict[str, list[int]]:
    """The order of topics and systems in which what is alike stands side by side."""
    across = ScoreMatrix(matrix.values.T, matrix.systems, matrix.topics, matrix.measure)
    return {
        "systems": clustered(distances(matrix), matrix.system_means),
        "topics": clustered(distances(across), -matrix.topic_means),
    }


def _agreement(scores: Scores, systems: Sequence[str]) -> tuple[dict[str, Any], list[list[float | None]]]:
    """Every system's rank by every measure, and Kendall's τ between each two of them."""
    matrices = {name: matrix.canonical() for name, matrix in scores.items() if set(matrix.systems) == set(systems)}
    ranks = {}
    for name, matrix in matrices.items():
        grid = GridScores.of(matrix.values)
        ranks[name] = tied_ranks(grid.sums[:, None], grid.tolerance)[0][:, 0]
    names = list(matrices)
    tau: list[list[float | None]] = [[1.0] * len(names) for _ in names]
    with quietly():
        for i, one in enumerate(names):
            for j in range(i):
                agreement = correlate(matrices[one], matrices[names[j]], n_resamples=0, missing="drop-topic")
                tau[i][j] = tau[j][i] = agreement.values["tau"]
    return ranks, tau


def _relevant(qrels: Qrels | None, topics: Sequence[str]) -> list[int] | None:
    """How many relevant documents every topic has."""
    import polars as pl

    if qrels is None:
        return None
    relevant = qrels.frame.filter(pl.col("relevance") > 0).group_by("topic").agg(pl.col("document").n_unique())
    counts = dict(relevant.iter_rows())
    return [counts.get(topic, 0) for topic in topics]
