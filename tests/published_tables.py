"""The published numbers in tests/published, as frames. ``docs/published.py`` reads them too."""

from __future__ import annotations

from pathlib import Path

import polars as pl

HERE = Path(__file__).resolve().parent / "published"


def table(name: str) -> pl.DataFrame:
    """One of the CSV files there."""
    return pl.read_csv(HERE / f"{name}.csv")
