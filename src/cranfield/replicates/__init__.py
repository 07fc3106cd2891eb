"""Replicates: document partitions, bootstrap ANOVA, and decisions over many splits."""

from cranfield.replicates.job import replicate, replicate_scores
from cranfield.replicates.partitions import assign
from cranfield.replicates.result import Replicates

__all__ = ["Replicates", "assign", "replicate", "replicate_scores"]
