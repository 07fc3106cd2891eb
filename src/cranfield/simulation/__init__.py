"""Scores with known truth: which test keeps its level on my scores, and does my design deliver?"""

from cranfield.simulation.analysis import simulate_tests
from cranfield.simulation.designs import SimulatedDesign, simulate_design
from cranfield.simulation.matrices import SimulatedScores, simulate_scores
from cranfield.simulation.result import SimulatedTests

__all__ = [
    "SimulatedDesign",
    "SimulatedScores",
    "SimulatedTests",
    "simulate_design",
    "simulate_scores",
    "simulate_tests",
]
