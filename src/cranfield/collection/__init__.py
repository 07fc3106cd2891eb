"""Judgments and runs: their types and strict readers."""

from cranfield.collection.readers import read_qrels, read_run, read_runs
from cranfield.collection.types import Qrels, Run

__all__ = ["Qrels", "Run", "read_qrels", "read_run", "read_runs"]
