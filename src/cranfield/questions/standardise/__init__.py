"""Standardised scores."""
