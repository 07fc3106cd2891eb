"""Which systems differ: tests for all pairs at once, corrections, effect sizes, intervals and leaderboards."""

from cranfield.compare.analysis import compare
from cranfield.compare.comparison import Comparison
from cranfield.compare.corrections import adjust

__all__ = ["Comparison", "adjust", "compare"]
