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
    from cranfield.design import StandardisationEffect, standardisation_effect
    from cranfield.scores import (
        Correlation,
        ScoreMatrix,
        Scores,
        correlate,
        make_scores,
        read_collections,
        read_order,
        read_scores,
        write_scores,
    )
    from cranfield.standardise import (
        Robustness,
        Standardisation,
        Standardised,
        fit_standardisation,
        standardisation_robustness,
    )

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
    "cranfield.design": ["StandardisationEffect", "standardisation_effect"],
    "cranfield.scores": [
        "Correlation",
        "ScoreMatrix",
        "Scores",
        "correlate",
        "make_scores",
        "read_collections",
        "read_order",
        "read_scores",
        "write_scores",
    ],
    "cranfield.standardise": [
        "Robustness",
        "Standardisation",
        "Standardised",
        "fit_standardisation",
        "standardisation_robustness",
    ],
}
_HOME = {name: room for room, names in _ROOMS.items() for name in names}

__all__ = [
    "ArgumentError",
    "Comparison",
    "Correlation",
    "CranfieldError",
    "CranfieldWarning",
    "DataError",
    "FileCheck",
    "FileError",
    "MeasureComparisons",
    "Qrels",
    "Robustness",
    "Run",
    "Sample",
    "SampleModel",
    "ScoreMatrix",
    "Scores",
    "Standardisation",
    "StandardisationEffect",
    "Standardised",
    "UnknownNameError",
    "__version__",
    "adjust",
    "check_file",
    "compare",
    "compare_measures",
    "correlate",
    "fit_standardisation",
    "make_sample",
    "make_scores",
    "read_collections",
    "read_order",
    "read_qrels",
    "read_run",
    "read_runs",
    "read_scores",
    "standardisation_effect",
    "standardisation_robustness",
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
