"""Variance to topics: how many topics a test collection needs, how deep to judge, and what that costs."""

from cranfield.design.anova import design_anova
from cranfield.design.interval import design_interval, design_two_sample_interval
from cranfield.design.result import Design
from cranfield.design.standardisation import StandardisationEffect, standardisation_effect
from cranfield.design.ttest import design_ttest, design_two_sample_ttest

__all__ = [
    "Design",
    "StandardisationEffect",
    "design_anova",
    "design_interval",
    "design_ttest",
    "design_two_sample_interval",
    "design_two_sample_ttest",
    "standardisation_effect",
]
