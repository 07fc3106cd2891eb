"""AP and variance components written out a second time, so that the sample is not judged by its own code."""

from __future__ import annotations

import csv
from pathlib import Path

import numpy as np
import polars as pl

from cranfield import Qrels, Run


def average_precisions(qrels: Qrels, runs: tuple[Run, ...]) -> np.ndarray:
    """AP, topics of the judgments in their order × systems: by score, ties by document id descending."""
    relevant = qrels.frame.filter(pl.col("relevance") > 0).select("topic", "document", hit=pl.lit(1))
    counts = dict(relevant.group_by("topic").len().iter_rows())
    topics = qrels.frame["topic"].unique(maintain_order=True).to_list()
    columns = []
    for run in runs:
        ranked = (
            run.frame.sort(["topic", "score", "document"], descending=[False, True, True])
            .with_columns(place=pl.int_range(1, pl.len() + 1).over("topic"))
            .join(relevant, on=["topic", "document"], how="inner", maintain_order="left")
            .with_columns(found=pl.col("hit").cum_sum().over("topic"))
        )
        total = dict(ranked.group_by("topic").agg((pl.col("found") / pl.col("place")).sum()).iter_rows())
        columns.append([total.get(topic, 0.0) / max(1, counts.get(topic, 0)) for topic in topics])
    return np.array(columns).T


def describe(x: np.ndarray) -> dict[str, float]:
    """Size, mean, variance components, the estimates made of them, and the share of small scores."""
    n, m = x.shape
    grand, by_system, by_topic = x.mean(), x.mean(axis=0), x.mean(axis=1)
    v_a = n * ((by_system - grand) ** 2).sum() / (m - 1)
    v_b = m * ((by_topic - grand) ** 2).sum() / (n - 1)
    residual = ((x - by_topic[:, None] - by_system + grand) ** 2).sum() / ((m - 1) * (n - 1))
    differences = [(x[:, i] - x[:, j]).var(ddof=1) for i in range(m) for j in range(i)]
    return {
        "topics": n,
        "systems": m,
        "mean": grand,
        "system": (v_a - residual) / n,
        "topic": (v_b - residual) / m,
        "residual": residual,
        "within": ((x - by_system) ** 2).sum() / (m * (n - 1)),
        "two_way": (m - 1) / (m * n) * (v_a - residual) + (v_b - residual) / m + residual,
        "percentile95": float(np.percentile(differences, 95)),
        "zeros": float((x == 0).mean()),
        "below .01": float((x < 0.01).mean()),
    }


def read_matrix(path: Path) -> np.ndarray:
    """A wide score file: one row per topic, the label first."""
    with path.open() as lines:
        return np.array([[float(value) for value in row[1:]] for row in list(csv.reader(lines))[1:]])


def table_row(name: str, x: np.ndarray) -> list[str]:
    """A row of the table in docs/sample.md."""
    cells = []
    for key, value in describe(x).items():
        if key in ("topics", "systems"):
            cells.append(str(int(value)))
        elif key in ("zeros", "below .01"):
            cells.append(f"{100 * value:.1f}%")
        else:
            cells.append(f"{value:.3f}" if key == "mean" else f"{value:.4f}")
    return [name, *cells]
