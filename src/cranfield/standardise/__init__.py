"""Standardised scores: fit factors once, save them, apply them to any later run."""

from cranfield.standardise.factors import Factors, Standardisation, fit_standardisation
from cranfield.standardise.robustness import LeftOut, Robustness, standardisation_robustness
from cranfield.standardise.transform import Standardised

__all__ = [
    "Factors",
    "LeftOut",
    "Robustness",
    "Standardisation",
    "Standardised",
    "fit_standardisation",
    "standardisation_robustness",
]
