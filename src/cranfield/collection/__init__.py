"""Judgments and runs: types, strict readers, writers, file checks, and a sample collection with known truth."""
