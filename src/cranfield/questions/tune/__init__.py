"""Tuning without fooling yourself."""
