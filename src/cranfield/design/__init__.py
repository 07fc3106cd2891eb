"""Variance to topics: how many topics a test collection needs, how deep to judge, and what that costs."""

from cranfield.design.anova import design_anova
from cranfield.design.arrays import anova_power, anova_topics
from cranfield.design.figures import PoolFigure, pool_figures
from cranfield.design.interval import design_interval, design_two_sample_interval
from cranfield.design.pricing import Cost, cost, cost_from_figures
from cranfield.design.recommendation import Recommendation, recommend
from cranfield.design.result import Design
from cranfield.design.standardisation import StandardisationEffect, standardisation_effect
from cranfield.design.ttest import design_ttest, design_two_sample_ttest

__all__ = [
    "Cost",
    "Design",
    "PoolFigure",
    "Recommendation",
    "anova_power",
    "anova_topics",
    "cost",
    "cost_from_figures",
    "StandardisationEffect",
    "design_anova",
    "design_interval",
    "design_ttest",
    "design_two_sample_interval",
    "design_two_sample_ttest",
    "pool_figures",
    "recommend",
    "standardisation_effect",
]
