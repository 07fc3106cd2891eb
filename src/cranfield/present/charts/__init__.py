"""Every result as a chart: `chart` finds the drawing that fits, `save_chart` writes it."""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

from cranfield.errors import ArgumentError, UnknownNameError

if TYPE_CHECKING:
    from cranfield.present.charts.style import Drawing

KINDS: dict[str, dict[str, str]] = {
    "AnovaTable": {"sources": "variance.sources"},
    "Comparison": {
        "leaderboard": "compare.leaderboard",
        "pairs": "compare.pairs",
        "differences": "compare.differences",
        "significance-levels": "compare.significance_levels",
    },
    "Correlation": {"correlation": "agreement.correlation", "ranks": "agreement.ranks"},
    "Correlations": {"correlation": "agreement.correlations", "ranks": "agreement.ranks_of_several"},
    "Cost": {"cost": "planning.cost"},
    "Design": {
        "default": "design.default",
        "power": "design.power",
        "detectable": "design.detectable",
        "systems": "design.systems",
    },
    "ExpectedTau": {"agreement": "generalisability.agreement"},
    "FileCheck": {"contents": "collection.contents"},
    "Gate": {"gate": "gate.gate"},
    "MeasureComparisons": {"significance-levels": "compare.significance_levels"},
    "Monitoring": {"path": "monitoring.path", "intervals": "monitoring.intervals"},
    "PairTopics": {"topics": "compare.pair_topics"},
    "PaperTable": {"leaderboard": "compare.paper_leaderboard"},
    "Reestimate": {"needed": "monitoring.needed"},
    "Recommendation": {"recommendation": "planning.recommendation"},
    "Reliability": {"coefficients": "generalisability.coefficients", "views": "generalisability.views"},
    "Replicates": {
        "effects": "replicates.effects",
        "agreement": "replicates.agreement",
        "methods": "replicates.methods",
    },
    "Reuse": {"drops": "reusability.drops", "depths": "reusability.depths"},
    "Robustness": {"robustness": "agreement.robustness"},
    "ScoreMatrix": {"topics": "scores.topics", "systems": "scores.systems", "difference": "scores.difference"},
    "Scores": {
        "measures": "scores.measures",
        "topics": "scores.topics",
        "systems": "scores.systems",
        "difference": "scores.difference",
    },
    "SequentialDesign": {"stops": "monitoring.stops"},
    "SimulatedDesign": {"reached": "simulation.reached"},
    "SimulatedScores": {"systems": "simulation.systems"},
    "SimulatedTests": {"rates": "simulation.rates"},
    "Standardisation": {"factors": "scores.factors"},
    "StandardisationEffect": {"effect": "agreement.standardisation_effect"},
    "Standardised": {"topics": "scores.standardised"},
    "ThreeViews": {"views": "generalisability.views"},
    "SelectionBias": {"bias": "tuning.bias"},
    "Tuning": {"curve": "tuning.curve", "folds": "tuning.folds"},
    "VarianceEstimate": {"estimators": "variance.estimators"},
    "Variances": {"estimators": "variance.estimators", "sources": "variance.sources"},
}
"""By type of result: the charts it has, the first being the one drawn unless another is named."""


def chart(
    result: object, kind: str | None = None, *, title: str | None = None, width: int | None = None, **options: Any
) -> Drawing:
    """The drawing of a result.

    Parameters
    ----------
    result : any result of cranfield, or a list of results that one chart compares
    kind : str, optional
        Which of its charts; `kinds` lists them. The first is drawn when left out.
    title : str, optional
        A title of your own instead of the finding; ``""`` for neither title nor second line, as papers want it.
    width : int, optional
        Width of the plot itself in pixels; names and numbers beside it come on top. A map stays square.
    options
        What that chart takes, such as the two systems of a ``difference``.
    """
    known = _kinds(result)
    if kind is not None and kind not in known:
        raise UnknownNameError("chart", kind, known)
    module, _, function = known[kind or next(iter(known))].partition(".")
    drawn: Drawing = getattr(importlib.import_module(f"cranfield.present.charts.{module}"), function)(result, **options)
    if title is None and width is None:
        return drawn
    dressed: Drawing = importlib.import_module("cranfield.present.charts.dress").dressed(drawn, title, width)
    return dressed


def kinds(result: object) -> tuple[str, ...]:
    """The names of the charts a result has."""
    return tuple(_kinds(result))


def _kinds(result: object) -> dict[str, str]:
    if isinstance(result, list) and result:
        return _kinds(result[0])
    for base in type(result).__mro__:
        if base.__name__ in KINDS:
            return KINDS[base.__name__]
    raise ArgumentError(f"a {type(result).__name__} has no chart; results of {', '.join(KINDS)} have.")


def __getattr__(name: str) -> Any:
    """`save_chart`, `to_svg` and `to_html`, which load the drawing libraries."""
    if name in ("save_chart", "to_svg", "to_html"):
        return getattr(importlib.import_module("cranfield.present.charts.export"), name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
