"""Past scores to variance estimates: what topic set size design starts from."""

from typing import TYPE_CHECKING

from cranfield.lazy import on_first_use

if TYPE_CHECKING:
    from cranfield.variance.collections import Variances, collection_variances, pooled_variances, variances
    from cranfield.variance.estimate import VarianceEstimate, estimate_variance, pool_variances
    from cranfield.variance.table import AnovaTable, anova_table

__all__ = [
    "AnovaTable",
    "VarianceEstimate",
    "Variances",
    "anova_table",
    "collection_variances",
    "estimate_variance",
    "pool_variances",
    "pooled_variances",
    "variances",
]

__getattr__ = on_first_use(
    __name__,
    {
        "collections": ["Variances", "collection_variances", "pooled_variances", "variances"],
        "estimate": ["VarianceEstimate", "estimate_variance", "pool_variances"],
        "table": ["AnovaTable", "anova_table"],
    },
)
