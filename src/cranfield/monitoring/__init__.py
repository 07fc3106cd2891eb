"""Adding topics until it is decided: planned looks, unplanned looks, and a blind second thought on their number."""

from cranfield.monitoring.anytime import anytime_p, sequence_half_width, tuned_rho
from cranfield.monitoring.boundaries import classical_boundaries, spending_boundaries, spent, stopping
from cranfield.monitoring.looking import monitor
from cranfield.monitoring.planned import SequentialDesign, design_looks
from cranfield.monitoring.reestimation import Reestimate, reestimate
from cranfield.monitoring.result import Monitoring

__all__ = [
    "Monitoring",
    "Reestimate",
    "SequentialDesign",
    "anytime_p",
    "classical_boundaries",
    "design_looks",
    "monitor",
    "reestimate",
    "sequence_half_width",
    "spending_boundaries",
    "spent",
    "stopping",
    "tuned_rho",
]
