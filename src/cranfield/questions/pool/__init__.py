"""Judgments of a shallower pool."""
