"""Scores with known truth."""
