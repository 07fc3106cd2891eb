"""Scores of systems on topics: the matrix type everything speaks, and the files it comes from and goes to."""

from typing import TYPE_CHECKING

from cranfield.lazy import on_first_use

if TYPE_CHECKING:
    from cranfield.scores.correlation import Correlation, correlate, is_order, read_order
    from cranfield.scores.doors import as_scores
    from cranfield.scores.matrix import ScoreMatrix, Scores
    from cranfield.scores.readers import read_collections, read_scores
    from cranfield.scores.synthetic import make_scores
    from cranfield.scores.writers import write_scores

__all__ = [
    "Correlation",
    "ScoreMatrix",
    "Scores",
    "as_scores",
    "correlate",
    "is_order",
    "make_scores",
    "read_collections",
    "read_order",
    "read_scores",
    "write_scores",
]

__getattr__ = on_first_use(
    __name__,
    {
        "correlation": ["Correlation", "correlate", "is_order", "read_order"],
        "doors": ["as_scores"],
        "matrix": ["ScoreMatrix", "Scores"],
        "readers": ["read_collections", "read_scores"],
        "synthetic": ["make_scores"],
        "writers": ["write_scores"],
    },
)
