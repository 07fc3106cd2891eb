"""Scores by parts of the judgments equal those of an evaluation by the part alone."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import polars as pl
import pytest

from cranfield import DataError, Run, evaluate, make_sample
from cranfield.collection.pools import depth_pools
from cranfield.collection.types import Qrels
from cranfield.measures.parts import evaluator_of_parts

pytestmark = pytest.mark.filterwarnings("ignore::cranfield.core.errors.CranfieldWarning")
SAMPLE = make_sample(n_topics=6, n_systems=4, n_documents=200, seed=2)
MEASURES = ["AP", "nDCG@10", "ERR@20", "bpref", "P@5", "RBP(p=0.8)"]


@pytest.mark.parametrize("order", ["score", "rank", "file"])
def test_what_a_part_gives_is_what_it_gives_alone(order: str) -> None:
    scored = evaluator_of_parts(SAMPLE.qrels, SAMPLE.runs, MEASURES, order=order)  # type: ignore[arg-type]
    parts = list(depth_pools(SAMPLE.qrels, SAMPLE.runs, [1, 3, 30], order=order).values())  # type: ignore[arg-type]
    parts.append(Qrels(parts[1].frame.filter(pl.col("topic") != "3"), "without a topic"))
    for part in parts:
        runs = [replace(run, frame=run.frame.filter(pl.col("topic").is_in(list(part.topics)))) for run in SAMPLE.runs]
        alone = evaluate(part, runs, MEASURES, order=order)  # type: ignore[arg-type]
        found = scored(part)
        # a part lacks judgments on purpose, so it does not warn of unjudged documents
        assert list(found.warnings) == [one for one in alone.warnings if "Unjudged documents count as" not in one]
        for measure in alone:
            assert found[measure].topics == alone[measure].topics
            assert np.array_equal(found[measure].values, alone[measure].values), (part.name, measure)


def test_two_runs_of_one_name_are_refused() -> None:
    runs: list[Run] = [SAMPLE.runs[0], SAMPLE.runs[0]]
    with pytest.raises(DataError) as found:
        evaluator_of_parts(SAMPLE.qrels, runs, ["AP"])
    assert str(found.value) == (
        "run 2: system 'alder-1' exists already (run 1); give every run its own name: {'bm25': run, 'ours': run}"
    )
