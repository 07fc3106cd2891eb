"""Judgments and runs: their types, strict readers and writers, and a sample collection with known truth."""

from cranfield.collection.readers import read_qrels, read_run, read_runs
from cranfield.collection.sample import Sample, make_sample
from cranfield.collection.sample_model import SampleModel
from cranfield.collection.types import Qrels, Run
from cranfield.collection.writers import write_qrels, write_run

__all__ = [
    "Qrels",
    "Run",
    "Sample",
    "SampleModel",
    "make_sample",
    "read_qrels",
    "read_run",
    "read_runs",
    "write_qrels",
    "write_run",
]
