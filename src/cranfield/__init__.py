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
        as_qrels,
        as_runs,
        check_file,
        depth_pools,
        make_sample,
        read_qrels,
        read_run,
        read_runs,
        read_teams,
        write_qrels,
        write_run,
    )
    from cranfield.comparison import Comparison, MeasureComparisons, PairTopics, adjust, compare, compare_measures
    from cranfield.design import (
        Cost,
        Design,
        PoolFigure,
        Recommendation,
        StandardisationEffect,
        cost,
        cost_from_figures,
        design_all_pairs,
        design_anova,
        design_interval,
        design_ttest,
        design_two_sample_interval,
        design_two_sample_ttest,
        recommend,
        standardisation_effect,
    )
    from cranfield.gating import Gate, GateCheck, gate
    from cranfield.generalisability import ExpectedTau, Reliability, ThreeViews, expected_tau, reliability, three_views
    from cranfield.measures import Measure, evaluate, parse_measure
    from cranfield.monitoring import Monitoring, Reestimate, SequentialDesign, design_looks, reestimate
    from cranfield.monitoring.looking import monitor
    from cranfield.paper import PaperTable, paper_table
    from cranfield.present.charts import chart
    from cranfield.present.charts.export import save_chart
    from cranfield.present.report import Report, build_report
    from cranfield.replicates import Replicates, replicate, replicate_scores
    from cranfield.reusability import Reuse, reuse
    from cranfield.scores import (
        Correlation,
        ScoreMatrix,
        Scores,
        as_scores,
        correlate,
        make_scores,
        read_collections,
        read_order,
        read_scores,
        write_scores,
    )
    from cranfield.simulation import (
        SimulatedDesign,
        SimulatedScores,
        SimulatedTests,
        simulate_design,
        simulate_scores,
        simulate_tests,
    )
    from cranfield.standardise import (
        Robustness,
        Standardisation,
        Standardised,
        fit_standardisation,
        standardisation_robustness,
    )
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
        Variances,
        anova_table,
        estimate_variance,
        pool_variances,
        variances,
    )

__version__ = "0.1.0"

_ROOMS = {
    "cranfield.scores": [
        "Correlation",
        "ScoreMatrix",
        "Scores",
        "as_scores",
        "correlate",
        "make_scores",
        "read_collections",
        "read_order",
        "read_scores",
        "write_scores",
    ],
    "cranfield.collection": [
        "FileCheck",
        "Qrels",
        "Run",
        "Sample",
        "SampleModel",
        "as_qrels",
        "as_runs",
        "check_file",
        "depth_pools",
        "make_sample",
        "read_qrels",
        "read_run",
        "read_runs",
        "read_teams",
        "write_qrels",
        "write_run",
    ],
    "cranfield.measures": ["Measure", "evaluate", "parse_measure"],
    "cranfield.variance": [
        "AnovaTable",
        "VarianceEstimate",
        "Variances",
        "anova_table",
        "estimate_variance",
        "pool_variances",
        "variances",
    ],
    "cranfield.standardise": [
        "Robustness",
        "Standardisation",
        "Standardised",
        "fit_standardisation",
        "standardisation_robustness",
    ],
    "cranfield.gating": ["Gate", "GateCheck", "gate"],
    "cranfield.paper": ["PaperTable", "paper_table"],
    "cranfield.comparison": ["Comparison", "MeasureComparisons", "PairTopics", "adjust", "compare", "compare_measures"],
    "cranfield.design": [
        "Cost",
        "Design",
        "PoolFigure",
        "Recommendation",
        "StandardisationEffect",
        "cost",
        "cost_from_figures",
        "design_all_pairs",
        "design_anova",
        "design_interval",
        "design_ttest",
        "design_two_sample_interval",
        "design_two_sample_ttest",
        "recommend",
        "standardisation_effect",
    ],
    "cranfield.present.charts": ["chart", "save_chart"],
    "cranfield.present.report": ["Report", "build_report"],
    "cranfield.replicates": ["Replicates", "replicate", "replicate_scores"],
    "cranfield.generalisability": [
        "ExpectedTau",
        "Reliability",
        "ThreeViews",
        "expected_tau",
        "reliability",
        "three_views",
    ],
    "cranfield.monitoring": ["Monitoring", "Reestimate", "SequentialDesign", "design_looks", "monitor", "reestimate"],
    "cranfield.reusability": ["Reuse", "reuse"],
    "cranfield.simulation": [
        "SimulatedDesign",
        "SimulatedScores",
        "SimulatedTests",
        "simulate_design",
        "simulate_scores",
        "simulate_tests",
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
}
_HOME = {name: room for room, names in _ROOMS.items() for name in names}

__all__ = [
    "AnovaTable",
    "ArgumentError",
    "Comparison",
    "Correlation",
    "Cost",
    "CranfieldError",
    "CranfieldWarning",
    "DataError",
    "Design",
    "ExpectedTau",
    "FileCheck",
    "FileError",
    "Gate",
    "GateCheck",
    "HoldOut",
    "LeaveOneOut",
    "LiveFamily",
    "Measure",
    "MeasureComparisons",
    "Monitoring",
    "NFold",
    "PairTopics",
    "PaperTable",
    "PoolFigure",
    "Qrels",
    "Recommendation",
    "Reestimate",
    "Reliability",
    "Replicates",
    "Report",
    "Reuse",
    "Robustness",
    "Run",
    "Sample",
    "SampleModel",
    "ScoreMatrix",
    "Scores",
    "SequentialDesign",
    "SimulatedDesign",
    "SimulatedScores",
    "SimulatedTests",
    "Standardisation",
    "StandardisationEffect",
    "Standardised",
    "ThreeViews",
    "Tuning",
    "UnknownNameError",
    "VarianceEstimate",
    "Variances",
    "__version__",
    "adjust",
    "anova_table",
    "as_qrels",
    "as_runs",
    "as_scores",
    "build_report",
    "chart",
    "check_file",
    "compare",
    "compare_measures",
    "correlate",
    "cost",
    "cost_from_figures",
    "depth_pools",
    "design_all_pairs",
    "design_anova",
    "design_interval",
    "design_looks",
    "design_ttest",
    "design_two_sample_interval",
    "design_two_sample_ttest",
    "estimate_variance",
    "evaluate",
    "expected_tau",
    "fit_standardisation",
    "gate",
    "make_sample",
    "make_scores",
    "monitor",
    "paper_table",
    "parse_measure",
    "pool_variances",
    "read_collections",
    "read_families",
    "read_order",
    "read_qrels",
    "read_run",
    "read_runs",
    "read_scores",
    "read_teams",
    "recommend",
    "reestimate",
    "reliability",
    "replicate",
    "replicate_scores",
    "reuse",
    "save_chart",
    "selection_bias",
    "simulate_design",
    "simulate_scores",
    "simulate_tests",
    "standardisation_effect",
    "standardisation_robustness",
    "three_views",
    "tune",
    "variances",
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
