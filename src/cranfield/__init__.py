"""cranfield: design and analyse information-retrieval test collections.

The names below are loaded on first use, so that ``import cranfield`` costs nothing.
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING

from cranfield.errors import (
    ArgumentError,
    CranfieldError,
    CranfieldWarning,
    DataError,
    FileError,
    UnknownNameError,
)

if TYPE_CHECKING:
    from cranfield.collection import (
        FileCheck,
        Qrels,
        Run,
        Sample,
        SampleModel,
        check_file,
        make_sample,
        read_qrels,
        read_run,
        read_runs,
        write_qrels,
        write_run,
    )
    from cranfield.compare import Comparison, MeasureComparisons, adjust, compare, compare_measures
    from cranfield.scores import ScoreMatrix, Scores, make_scores, read_collections, read_scores, write_scores

__version__ = "0.1.0"

_ROOMS = {
    "cranfield.collection": [
        "FileCheck",
        "Qrels",
        "Run",
        "Sample",
        "SampleModel",
        "check_file",
        "make_sample",
        "read_qrels",
        "read_run",
        "read_runs",
        "write_qrels",
        "write_run",
    ],
    "cranfield.compare": ["Comparison", "MeasureComparisons", "adjust", "compare", "compare_measures"],
    "cranfield.scores": ["ScoreMatrix", "Scores", "make_scores", "read_collections", "read_scores", "write_scores"],
}
_HOME = {name: room for room, names in _ROOMS.items() for name in names}

__all__ = [
    "ArgumentError",
    "Comparison",
    "CranfieldError",
    "CranfieldWarning",
    "DataError",
    "FileCheck",
    "FileError",
    "MeasureComparisons",
    "Qrels",
    "Run",
    "Sample",
    "SampleModel",
    "ScoreMatrix",
    "Scores",
    "UnknownNameError",
    "__version__",
    "adjust",
    "check_file",
    "compare",
    "compare_measures",
    "make_sample",
    "make_scores",
    "read_collections",
    "read_qrels",
    "read_run",
    "read_runs",
    "read_scores",
    "write_qrels",
    "write_run",
    "write_scores",
]


def __getattr__(name: str) -> object:
    if name in _HOME:
        return getattr(importlib.import_module(_HOME[name]), name)
    raise AttributeError(f"module 'cranfield' has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted(__all__)
