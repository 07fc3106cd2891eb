"""A collection with known truth."""
