"""Which systems differ: tests for all pairs at once, corrections, effect sizes, intervals and leaderboards.

The package is also a function: ``cranfield.compare(scores)`` is `compare`.
"""

import sys
from types import ModuleType
from typing import Any

from cranfield.compare.analysis import compare
from cranfield.compare.comparison import Comparison
from cranfield.compare.corrections import adjust
from cranfield.compare.measures import MeasureComparisons, compare_measures

__all__ = ["Comparison", "MeasureComparisons", "adjust", "compare", "compare_measures"]


class _Room(ModuleType):
    """A module that can be called: `cranfield.compare` names both this package and its main function, and Python
    lets the package win once it is imported."""

    def __call__(self, *args: Any, **kwargs: Any) -> Comparison:
        return compare(*args, **kwargs)


sys.modules[__name__].__class__ = _Room
