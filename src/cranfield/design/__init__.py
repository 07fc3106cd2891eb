"""Variance to topics: how many topics a test collection needs, how deep to judge, and what that costs."""

from typing import TYPE_CHECKING

from cranfield.lazy import on_first_use

if TYPE_CHECKING:
    from cranfield.design.all_pairs import design_all_pairs
    from cranfield.design.anova import design_anova
    from cranfield.design.arrays import anova_power, anova_topics
    from cranfield.design.designs import solve_design
    from cranfield.design.figures import PoolFigure, pool_figures
    from cranfield.design.interval import design_interval, design_two_sample_interval
    from cranfield.design.pricing import Cost, cost, cost_from_figures
    from cranfield.design.recommendation import Recommendation, recommend
    from cranfield.design.result import Design
    from cranfield.design.simulated_power import SimulatedPower, simulate_power
    from cranfield.design.standardisation import StandardisationEffect, standardisation_effect
    from cranfield.design.ttest import design_ttest, design_two_sample_ttest

__all__ = [
    "Cost",
    "Design",
    "PoolFigure",
    "Recommendation",
    "SimulatedPower",
    "StandardisationEffect",
    "anova_power",
    "anova_topics",
    "cost",
    "cost_from_figures",
    "design_all_pairs",
    "design_anova",
    "design_interval",
    "design_ttest",
    "design_two_sample_interval",
    "design_two_sample_ttest",
    "pool_figures",
    "recommend",
    "simulate_power",
    "solve_design",
    "standardisation_effect",
]

__getattr__ = on_first_use(
    __name__,
    {
        "all_pairs": ["design_all_pairs"],
        "anova": ["design_anova"],
        "arrays": ["anova_power", "anova_topics"],
        "designs": ["solve_design"],
        "figures": ["PoolFigure", "pool_figures"],
        "interval": ["design_interval", "design_two_sample_interval"],
        "pricing": ["Cost", "cost", "cost_from_figures"],
        "recommendation": ["Recommendation", "recommend"],
        "result": ["Design"],
        "simulated_power": ["SimulatedPower", "simulate_power"],
        "standardisation": ["StandardisationEffect", "standardisation_effect"],
        "ttest": ["design_ttest", "design_two_sample_ttest"],
    },
)
