"""Which systems differ: tests for all pairs at once, corrections, effect sizes, intervals and leaderboards.

The package is also a function: ``cranfield.comparison(scores)`` is `compare`.
"""

import sys
from types import ModuleType
from typing import Any

from cranfield.comparison.analysis import compare
from cranfield.comparison.comparison import Comparison
from cranfield.comparison.corrections import adjust
from cranfield.comparison.measures import MeasureComparisons, compare_measures

__all__ = ["Comparison", "MeasureComparisons", "adjust", "compare", "compare_measures"]


class _Room(ModuleType):
    """A module that can be called: `cranfield.comparison` names both this package and its main function, and Python
    lets the package win once it is imported."""

    def __call__(self, *args: Any, **kwargs: Any) -> Comparison:
        return compare(*args, **kwargs)


sys.modules[__name__].__class__ = _Room
