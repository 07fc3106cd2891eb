"""The columns of the frames of runs and judgments."""

from __future__ import annotations

import polars as pl

RUN_SCHEMA = {"topic": pl.String, "document": pl.String, "rank": pl.Int64, "score": pl.Float64}
QRELS_SCHEMA = {"topic": pl.String, "subtopic": pl.String, "document": pl.String, "relevance": pl.Int32}
