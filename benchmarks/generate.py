"""Runs and judgments of any size for benchmarks, the same for the same seed. Not a benchmark itself."""

from __future__ import annotations

import gzip
from pathlib import Path

import numpy as np


def write_runs(
    directory: Path,
    *,
    n_runs: int,
    n_topics: int = 50,
    depth: int = 1000,
    n_documents: int = 20_000,
    compress: bool = True,
    seed: int = 1,
) -> list[str]:
    """Write TREC runs with distinct documents and falling scores; returns the file names."""
    rng = np.random.default_rng(seed)
    ids = np.array([f"doc-{i:07d}" for i in range(n_documents)])
    topics = np.repeat([str(401 + t) for t in range(n_topics)], depth).tolist()
    ranks = np.tile(np.arange(1, depth + 1), n_topics).tolist()
    paths = []
    directory.mkdir(parents=True, exist_ok=True)
    for number in range(n_runs):
        documents = np.concatenate([ids[rng.permutation(n_documents)[:depth]] for _ in range(n_topics)]).tolist()
        scores = (-np.sort(-rng.gamma(2.0, 3.0, (n_topics, depth)), axis=1)).round(6).ravel().tolist()
        text = "".join(
            f"{t} Q0 {d} {r} {s} run{number}\n" for t, d, r, s in zip(topics, documents, ranks, scores, strict=True)
        ).encode()
        path = directory / (f"run{number:03d}.gz" if compress else f"run{number:03d}")
        path.write_bytes(gzip.compress(text, 6, mtime=0) if compress else text)
        paths.append(str(path))
    return paths


def write_qrels(
    path: Path, *, n_topics: int = 50, n_judged: int = 1000, n_documents: int = 20_000, seed: int = 2
) -> str:
    """Write graded judgments (0, 1, 2) of random documents for the topics of `write_runs`."""
    rng = np.random.default_rng(seed)
    lines = []
    for topic in range(n_topics):
        documents = rng.permutation(n_documents)[:n_judged]
        grades = rng.choice([0, 0, 0, 1, 2], n_judged)
        lines += [f"{401 + topic} 0 doc-{d:07d} {g}\n" for d, g in zip(documents, grades, strict=True)]
    path.write_text("".join(lines))
    return str(path)
