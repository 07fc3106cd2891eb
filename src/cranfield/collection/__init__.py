"""Judgments and runs: their types and strict readers."""

from cranfield.collection.types import Qrels, Run

__all__ = ["Qrels", "Run"]
