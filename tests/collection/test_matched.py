"""Ids that run and judgments write differently: an error wherever the two are matched, and in trec_eval a note."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from pathlib import Path

import polars as pl
import pytest

from cranfield import DataError, Run, depth_pools, evaluate, make_sample, replicate, reuse, write_qrels, write_run
from cranfield.collection.pools import pools_at
from cranfield.core.errors import quietly
from cranfield.questions.cost.pools import pool_figures
from cranfield.trec_eval.arguments import parse_arguments
from cranfield.trec_eval.evaluation import trec_eval
from small_collections import qrels_of, run_of

SAMPLE = make_sample(n_topics=4, n_systems=3, n_documents=600, seed=3)
TEAMS = {run.system: run.system for run in SAMPLE.runs}
MATCHED: dict[str, Callable[[Sequence[Run]], object]] = {
    "scores": lambda runs: evaluate(SAMPLE.qrels, runs, "AP"),
    "the scores of replicates": lambda runs: replicate(SAMPLE.qrels, runs, "AP", n_splits=1, n_resamples=20),
    "the scores of cost": lambda runs: pool_figures([(SAMPLE.qrels, runs)], ["AP"], [5], estimator="residual"),
    "pool": lambda runs: depth_pools(SAMPLE.qrels, runs, [5]),
    "the pool of a generator": lambda runs: depth_pools(SAMPLE.qrels, iter(runs), [5]),
    "the pool of reuse": lambda runs: reuse(SAMPLE.qrels, runs, TEAMS, measures="AP", depths=5, n_resamples=10),
}


def in_capitals(*, but: int) -> Iterator[Run]:
    """The runs of the sample with ids in capitals, but for the first few rows."""
    for run in SAMPLE.runs:
        capital = (
            pl.when(pl.int_range(pl.len()) < but).then("document").otherwise(pl.col("document").str.to_uppercase())
        )
        yield replace(run, frame=run.frame.with_columns(document=capital))


@pytest.mark.parametrize("what", MATCHED)
def test_ids_in_other_letters_are_refused(what: str) -> None:
    found = "pool" if "pool" in what else "scores"
    with pytest.raises(DataError) as error:
        MATCHED[what](list(in_capitals(but=0)))
    nothing = {"pool": "the pool would be empty", "scores": "every score would be 0"}[found]
    assert str(error.value).startswith(f"no document of the 3 runs is judged in {SAMPLE.qrels.name}, so {nothing}. ")
    with pytest.raises(DataError) as error:
        MATCHED[what](list(in_capitals(but=1)))
    assert re.fullmatch(
        rf"only 1 document of {SAMPLE.runs[0].system} is judged in {SAMPLE.qrels.name}, so the {found} would be "
        r"meaningless. \d+ would match if capitals and blanks were ignored: write the ids alike. `cranfield check` "
        "compares them", str(error.value),
    )  # fmt: skip


@pytest.mark.parametrize("what", MATCHED)
def test_one_run_of_several_in_other_letters_is_no_reason_to_stop(what: str) -> None:
    with quietly():  # of that one run it is said, where anything is
        MATCHED[what]([next(in_capitals(but=1)), *SAMPLE.runs[1:]])


def test_a_pool_that_ends_above_the_judged_documents_is_empty_and_no_error() -> None:
    qrels, run = qrels_of([("1", "0", "b", 1)]), run_of([("1", "a", 2), ("1", "b", 1)])
    assert len(depth_pools(qrels, [run], [1])[1]) == 0
    assert len(pools_at(qrels, [run], [2])[2]) == 1


def test_trec_eval_prints_as_ever_and_says_it(tmp_path: Path) -> None:
    write_qrels(SAMPLE.qrels, tmp_path / "qrels")
    for but, said in ((0, "none of its documents is judged; do the document ids agree?"), (1, "only 1 of its ")):
        write_run(next(in_capitals(but=but)), tmp_path / "run")
        words = ["-m", "num_ret", "-m", "num_rel_ret", str(tmp_path / "qrels"), str(tmp_path / "run")]
        printed = trec_eval(parse_arguments(words))
        assert re.fullmatch(r"num_ret +\tall\t\d+\nnum_rel_ret +\tall\t[01]\n", printed.text)
        assert [note.startswith(f"{tmp_path / 'run'}: {said}") for note in printed.notes] == [True]
    write_run(SAMPLE.runs[0], tmp_path / "run")
    assert trec_eval(parse_arguments(words)).notes == ()
