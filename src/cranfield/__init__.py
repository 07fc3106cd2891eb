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
        depth_pools,
        make_sample,
        read_qrels,
        read_run,
        read_runs,
        write_qrels,
        write_run,
    )
    from cranfield.compare import Comparison, MeasureComparisons, adjust, compare, compare_measures
    from cranfield.design import (
        Cost,
        Design,
        PoolFigure,
        Recommendation,
        cost,
        cost_from_figures,
        design_anova,
        design_interval,
        design_ttest,
        design_two_sample_interval,
        design_two_sample_ttest,
        recommend,
    )
    from cranfield.measures import Measure, evaluate, parse_measure
    from cranfield.scores import ScoreMatrix, Scores, make_scores, read_collections, read_scores, write_scores
    from cranfield.tuning import (
        HoldOut,
        LeaveOneOut,
        LiveFamily,
        NFold,
        Tuning,
        read_families,
        selection_bias,
        tune,
    )
    from cranfield.variance import (
        AnovaTable,
        VarianceEstimate,
        anova_table,
        estimate_variance,
        pool_variances,
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
        "depth_pools",
        "make_sample",
        "read_qrels",
        "read_run",
        "read_runs",
        "write_qrels",
        "write_run",
    ],
    "cranfield.compare": ["Comparison", "MeasureComparisons", "adjust", "compare", "compare_measures"],
    "cranfield.measures": ["Measure", "evaluate", "parse_measure"],
    "cranfield.scores": ["ScoreMatrix", "Scores", "make_scores", "read_collections", "read_scores", "write_scores"],
    "cranfield.design": [
        "Cost",
        "Design",
        "PoolFigure",
        "Recommendation",
        "cost",
        "cost_from_figures",
        "design_anova",
        "design_interval",
        "design_ttest",
        "design_two_sample_interval",
        "design_two_sample_ttest",
        "recommend",
    ],
    "cranfield.tuning": [
        "HoldOut",
        "LeaveOneOut",
        "LiveFamily",
        "NFold",
        "Tuning",
        "read_families",
        "selection_bias",
        "tune",
    ],
    "cranfield.variance": [
        "AnovaTable",
        "VarianceEstimate",
        "anova_table",
        "estimate_variance",
        "pool_variances",
    ],
}
_HOME = {name: room for room, names in _ROOMS.items() for name in names}

__all__ = [
    "AnovaTable",
    "ArgumentError",
    "Comparison",
    "Cost",
    "CranfieldError",
    "CranfieldWarning",
    "DataError",
    "Design",
    "FileCheck",
    "FileError",
    "HoldOut",
    "LeaveOneOut",
    "LiveFamily",
    "Measure",
    "MeasureComparisons",
    "NFold",
    "PoolFigure",
    "Qrels",
    "Recommendation",
    "Run",
    "Sample",
    "SampleModel",
    "ScoreMatrix",
    "Scores",
    "Tuning",
    "UnknownNameError",
    "VarianceEstimate",
    "__version__",
    "adjust",
    "anova_table",
    "check_file",
    "compare",
    "compare_measures",
    "cost",
    "cost_from_figures",
    "depth_pools",
    "design_anova",
    "design_interval",
    "design_ttest",
    "design_two_sample_interval",
    "design_two_sample_ttest",
    "estimate_variance",
    "evaluate",
    "make_sample",
    "make_scores",
    "parse_measure",
    "pool_variances",
    "read_collections",
    "read_families",
    "read_qrels",
    "read_run",
    "read_runs",
    "read_scores",
    "recommend",
    "selection_bias",
    "tune",
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
