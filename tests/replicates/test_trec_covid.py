"""The 40 TREC-COVID runs: lengths, identity, counts beside other tests; and the same on the synthetic sample."""

from __future__ import annotations

import warnings

import numpy as np
import pytest

from cranfield import CranfieldWarning, Replicates, make_sample, replicate
from support import SHARED, needs_shared

COVID = SHARED / "data" / "runs" / "trec-covid-r5"


def on_covid(**options: object) -> Replicates:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", CranfieldWarning)
        return replicate(COVID / "qrels.txt", COVID / "runs", "AP", **options)  # type: ignore[arg-type]


def lengths(found: Replicates) -> np.ndarray:
    """Mean interval length of every split."""
    return found.splits["length"].to_numpy()


@needs_shared
@pytest.mark.slow
@pytest.mark.parametrize(
    ("x", "without", "raw", "rescaled"),
    [(2, 0.033, 0.0144, (0.018, 0.024)), (3, 0.030, 0.0176, (0.020, 0.023)), (5, 0.025, 0.0176, (0.018, 0.023))],
)
def test_lengths_on_trec_covid(x: int, without: float, raw: float, rescaled: tuple[float, float]) -> None:
    """Independent cells, as the reference values. One topic (19, nine relevant documents) makes single splits vary
    beyond the reference range, so the median split is compared."""
    settings = {"n_partitions": x, "resample": "cells", "n_resamples": 2000}
    plain = lengths(on_covid(interaction=False, residuals="raw", **settings))
    short = lengths(on_covid(residuals="raw", **settings))
    right = lengths(on_covid(residuals="rescaled", **settings))
    assert np.median(plain) == pytest.approx(without, abs=0.002)
    assert np.median(short) == pytest.approx(raw, abs=0.0025)
    assert rescaled[0] - 0.0005 <= np.median(right) <= rescaled[1] + 0.0005
    assert np.allclose(right / short, np.sqrt(x / (x - 1)), rtol=1e-10)


@needs_shared
@pytest.mark.slow
def test_pairs_on_trec_covid() -> None:
    found = on_covid(n_resamples=2000)
    table = {(test, correction): row for _, test, correction, *row in found.comparison(20_000).iter_rows()}
    counts = {key: row[0] for key, row in table.items()}
    assert counts["paired t", "none"] == 681
    assert abs(counts["randomisation", "none"] - 681) <= 4
    assert counts["unanimous", "bh"] > counts["randomisation", "none"]  # as in the slides
    assert all(row[-1] == 0 for row in table.values())  # never a conflict, as in the slides
    assert any("topic 19 alone makes" in text for text in found.warnings)


@pytest.mark.parametrize("x", [2, 3, 5])
def test_the_identity_on_the_sample(x: int) -> None:
    sample = make_sample(n_topics=15, n_systems=5, n_documents=800, seed=9)
    found = []
    for residuals in ("raw", "rescaled"):
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", CranfieldWarning)
            found.append(
                replicate(sample.qrels, sample.runs, "AP", n_partitions=x, n_splits=3, n_resamples=300,
                          residuals=residuals, resample="cells")  # type: ignore[arg-type]
            )  # fmt: skip
    assert np.allclose(lengths(found[1]) / lengths(found[0]), np.sqrt(x / (x - 1)), rtol=1e-10)
