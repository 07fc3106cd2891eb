"""Judgments and runs of ir_datasets by name (``irds:msmarco-passage/dev/small``), if that package is installed."""

from __future__ import annotations

from typing import Any

from cranfield.collection.rows import Place, of_tuples, qrels_frame, run_frame
from cranfield.collection.types import Qrels, Run
from cranfield.core.errors import FileError, Problem
from cranfield.core.files import DATASET, system_name


def _load(name: str, what: str) -> Any:
    try:
        import ir_datasets
    except ImportError:
        text = "ir_datasets is not installed; pip install ir_datasets, or name a file"
        raise FileError(name, [Problem(0, text)]) from None
    try:
        dataset = ir_datasets.load(name.removeprefix(DATASET))
    except KeyError:
        raise FileError(name, [Problem(0, "ir_datasets has no such dataset; check the name")]) from None
    iterator = getattr(dataset, f"{what}_iter", None)
    if iterator is None:
        kind = "judgments" if what == "qrels" else "scored documents"
        raise FileError(name, [Problem(0, f"this dataset has no {kind}; name another ({what})")])
    try:
        return list(iterator())
    except Exception as error:  # noqa: BLE001 (a download may fail in any way, and each dataset parses its own files)
        text = f"ir_datasets failed ({type(error).__name__}: {error}); fetch the data with ir_datasets, or name a file"
        raise FileError(name, [Problem(0, text)]) from None


def dataset_qrels(name: str) -> Qrels:
    """The judgments of a dataset."""
    columns = of_tuples(_load(name, "qrels"), "relevance")
    return Qrels(qrels_frame(columns, Place(name, lambda at: 0)), system_name(name))


def dataset_run(name: str) -> Run:
    """The scored documents of a dataset, as a run."""
    columns = of_tuples(_load(name, "scoreddocs"), "score")
    return Run(run_frame(columns, Place(name, lambda at: 0)), system_name(name))
