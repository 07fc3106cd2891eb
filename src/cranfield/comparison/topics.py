"""A pair topic by topic: wins, ties and losses, and where the two systems differ most."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from cranfield.errors import ArgumentError

if TYPE_CHECKING:
    import polars as pl

    from cranfield.comparison.comparison import Comparison
    from cranfield.scores import ScoreMatrix

MOST_PAIRS = 100
"""Pairs that are shown topic by topic; a table of more would be read by nobody."""


def wins_ties_losses(scores: ScoreMatrix, system: str, other: str) -> tuple[int, int, int]:
    """Topics on which the system scores higher than the other, the same, and lower.

    >>> from cranfield import ScoreMatrix
    >>> x = ScoreMatrix([[.5, .2], [.3, .3], [.1, .4], [.6, .5]], "1234", ["a", "b"], "AP")
    >>> wins_ties_losses(x, "a", "b")
    (2, 1, 1)
    """
    difference = scores.values[:, scores.systems.index(system)] - scores.values[:, scores.systems.index(other)]
    return int((difference > 0).sum()), int((difference == 0).sum()), int((difference < 0).sum())


def topic_differences(comparison: Comparison) -> pl.DataFrame:
    """One row per pair and topic, the largest difference of a pair first: both scores, and their difference."""
    import polars as pl

    if len(comparison.pairs) > MOST_PAIRS:
        raise ArgumentError(
            f"{len(comparison.pairs):,} pairs topic by topic are too many to read; choose two systems with `system`, "
            f"or a `baseline` (at most {MOST_PAIRS} pairs)"
        )
    scores = comparison.scores
    frames = []
    for a, b in zip(comparison.system_a, comparison.system_b, strict=True):
        first, second = (scores.values[:, scores.systems.index(name)] for name in (a, b))
        order = np.argsort(-np.abs(first - second), kind="stable")
        columns: dict[str, Any] = {
            "system_a": [a] * len(order),
            "system_b": [b] * len(order),
            "topic": [scores.topics[at] for at in order],
            "score_a": first[order],
            "score_b": second[order],
            "difference": (first - second)[order],
        }
        frames.append(pl.DataFrame(columns))
    return pl.concat(frames)
