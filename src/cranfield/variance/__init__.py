"""Past scores to variance estimates: what topic set size design starts from."""

from cranfield.variance.estimate import VarianceEstimate, estimate_variance, pool_variances
from cranfield.variance.table import AnovaTable, anova_table

__all__ = ["AnovaTable", "VarianceEstimate", "anova_table", "estimate_variance", "pool_variances"]
