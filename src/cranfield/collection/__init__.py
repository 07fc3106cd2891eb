"""Judgments and runs: their types, strict readers, and the check of any input file."""

from cranfield.collection.check import FileCheck, check_file
from cranfield.collection.readers import read_qrels, read_run, read_runs
from cranfield.collection.types import Qrels, Run

__all__ = ["FileCheck", "Qrels", "Run", "check_file", "read_qrels", "read_run", "read_runs"]
