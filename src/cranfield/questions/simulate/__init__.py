"""Simulated scores with known true means."""
