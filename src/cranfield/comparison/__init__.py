"""Which systems differ: tests for all pairs at once, corrections, effect sizes, intervals and leaderboards."""

from typing import TYPE_CHECKING

from cranfield.lazy import on_first_use

if TYPE_CHECKING:
    from cranfield.comparison.analysis import compare, compare_measures
    from cranfield.comparison.comparison import Comparison
    from cranfield.comparison.corrections import adjust
    from cranfield.comparison.measures import MeasureComparisons
    from cranfield.comparison.topics import PairTopics

__all__ = ["Comparison", "MeasureComparisons", "PairTopics", "adjust", "compare", "compare_measures"]

__getattr__ = on_first_use(
    __name__,
    {
        "analysis": ["compare", "compare_measures"],
        "comparison": ["Comparison"],
        "corrections": ["adjust"],
        "measures": ["MeasureComparisons"],
        "topics": ["PairTopics"],
    },
)
