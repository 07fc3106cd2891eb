"""Cranfield beside its peers: ratios measured in the same run on the same machine. Start with ``make bench``."""
