"""Measures by name, the judged ranking they are functions of, and `evaluate`."""

from cranfield.measures.evaluation import Evaluator, evaluate
from cranfield.measures.names import Measure, parse_measure, parse_measures
from cranfield.measures.parameters import Cutoff, Fraction, Gains, Level
from cranfield.measures.ranking import JudgedRanking
from cranfield.measures.registry import measure

__all__ = [
    "Cutoff",
    "Evaluator",
    "Fraction",
    "Gains",
    "JudgedRanking",
    "Level",
    "Measure",
    "evaluate",
    "measure",
    "parse_measure",
    "parse_measures",
]
