"""Judgments and runs: types, strict readers, writers, file checks, and a sample collection with known truth."""

from typing import TYPE_CHECKING

from cranfield.lazy import on_first_use

if TYPE_CHECKING:
    from cranfield.collection.check import FileCheck, check_file
    from cranfield.collection.doors import as_qrels, as_runs
    from cranfield.collection.pools import depth_pools
    from cranfield.collection.readers import read_qrels, read_run, read_runs
    from cranfield.collection.sample import Sample, make_sample
    from cranfield.collection.teams import read_teams
    from cranfield.collection.types import Qrels, Run
    from cranfield.collection.writers import write_qrels, write_run
    from cranfield.truth.rankings import SampleModel

__all__ = [
    "FileCheck",
    "Qrels",
    "Run",
    "Sample",
    "SampleModel",
    "as_qrels",
    "as_runs",
    "check_file",
    "depth_pools",
    "make_sample",
    "read_qrels",
    "read_run",
    "read_runs",
    "read_teams",
    "write_qrels",
    "write_run",
]

__getattr__ = on_first_use(
    __name__,
    {
        "check": ["FileCheck", "check_file"],
        "doors": ["as_qrels", "as_runs"],
        "pools": ["depth_pools"],
        "readers": ["read_qrels", "read_run", "read_runs"],
        "sample": ["Sample", "SampleModel", "make_sample"],
        "teams": ["read_teams"],
        "types": ["Qrels", "Run"],
        "writers": ["write_qrels", "write_run"],
    },
)
