"""Scores on partitions: one pass equals cutting the files up and evaluating each piece."""

from __future__ import annotations

import contextlib

import numpy as np
import polars as pl
import pytest

from cranfield import ArgumentError, Qrels, Run, make_sample, parse_measure
from cranfield.collection.intents import Intents
from cranfield.measures.evaluation import Evaluator
from cranfield.measures.registry import _DEFINITIONS, known_names
from cranfield.questions.replicates import partitions
from cranfield.questions.replicates.partitions import (
    DocumentHashes,
    PartitionScorer,
    assign,
    choose_splits,
    document_hash,
    relevant_counts,
)

SPLITS = [1, 2, 5]


def all_measures() -> list[str]:
    """Every built-in measure, with a cutoff where it needs one; without those of groups of documents."""
    known_names()
    names = []
    for name, definition in _DEFINITIONS.items():
        if not definition.module.startswith("cranfield.") or name in ("GF", "GFR"):
            continue
        for text in (name, f"{name}@5", f"{name}@1"):
            with contextlib.suppress(ArgumentError):
                names.append(str(parse_measure(text)))
                break
    return names


def cut(frame: pl.DataFrame, split: int, partition: int, partitions: int) -> pl.DataFrame:
    """The rows whose documents fall in a partition."""
    hashes = np.array([document_hash(document) for document in frame["document"]], dtype=np.uint64)
    return frame.filter(pl.Series(assign(hashes, partitions, seed=1, split=split) == partition))


def scores_by_cutting(
    qrels: Qrels, run: Run, measures: list[str], split: int, k: int, x: int, **options: object
) -> np.ndarray:
    """Evaluate a partition's own qrels and run; a topic that vanishes from the qrels scores 0, as it does in one pass."""
    whole = Evaluator(qrels, measures, **options)  # type: ignore[arg-type]
    part = Evaluator(Qrels(cut(qrels.frame, split, k, x)), measures, **options)  # type: ignore[arg-type]
    found = part.score(part.judge(Run(cut(run.frame, split, k, x))))
    values = np.zeros((len(measures), len(whole.topics)))
    values[:, [whole.topics.index(topic) for topic in part.topics]] = found
    return values


@pytest.mark.parametrize("x", [2, 3])
def test_every_measure_equals_cutting_the_files(x: int) -> None:
    sample = make_sample(n_topics=6, n_systems=2, n_documents=300, seed=4)
    measures = all_measures()
    assert len(measures) > 30
    evaluator = Evaluator(sample.qrels, measures)
    scorer = PartitionScorer(evaluator, SPLITS, x, 1, DocumentHashes())
    for run in sample.runs:
        found = scorer.score(evaluator.judge(run))
        assert found.shape == (len(measures), len(SPLITS), x, 6)
        for s, split in enumerate(SPLITS):
            for k in range(x):
                expected = scores_by_cutting(sample.qrels, run, measures, split, k, x)
                for at, name in enumerate(measures):
                    # ERR and RBP scale gains by the highest level of the collection, which a piece may lack.
                    if name.startswith(("ERR", "nERR", "RBP", "nRBP", "EBR", "iRBU", "NCU")) and "IA" not in name:
                        continue
                    assert np.allclose(found[at, s, k], expected[at], atol=1e-12), name


def test_subtopics_and_intents_are_laid_side_by_side() -> None:
    rng = np.random.default_rng(1)
    rows = [
        (str(topic), str(sub), f"d{doc}", int(rng.integers(0, 3)))
        for topic in (1, 2, 3)
        for doc in range(30)
        for sub in (1, 2, 3)
        if rng.random() < 0.7
    ]
    qrels = Qrels(
        pl.DataFrame(
            rows,
            schema={"topic": pl.String, "subtopic": pl.String, "document": pl.String, "relevance": pl.Int32},
            orient="row",
        )
    )
    run = Run(
        pl.DataFrame(
            [(str(topic), f"d{doc}", None, float(rng.random())) for topic in (1, 2, 3) for doc in range(30)],
            schema={"topic": pl.String, "document": pl.String, "rank": pl.Int64, "score": pl.Float64},
            orient="row",
        )
    )
    intents = Intents({(str(t), str(s)): s / 6 for t in (1, 2, 3) for s in (1, 2, 3)})
    measures = ["alpha-nDCG@5", "ERR-IA@5", "D-nDCG@5", "I-rec@5", "D#-nDCG@5", "NRBP", "AP-IA"]
    for options in ({}, {"intents": intents}):
        evaluator = Evaluator(qrels, measures, **options)  # type: ignore[arg-type]
        found = PartitionScorer(evaluator, SPLITS, 2, 1, DocumentHashes()).score(evaluator.judge(run))
        for s, split in enumerate(SPLITS):
            for k in range(2):
                expected = scores_by_cutting(qrels, run, measures, split, k, 2, **options)
                assert np.allclose(found[:, s, k], expected, atol=1e-12)


def test_splits_at_a_time_do_not_matter(monkeypatch: pytest.MonkeyPatch) -> None:
    sample = make_sample(n_topics=5, n_systems=2, n_documents=200, seed=1)
    evaluator = Evaluator(sample.qrels, ["AP", "nDCG@10"])
    ranking = evaluator.judge(sample.runs[0])
    together = PartitionScorer(evaluator, range(1, 8), 2, 1, DocumentHashes()).score(ranking)
    monkeypatch.setattr(partitions, "_JUDGED_TOGETHER", 1)
    assert np.array_equal(PartitionScorer(evaluator, range(1, 8), 2, 1, DocumentHashes()).score(ranking), together)


def test_the_laid_out_ranking_names_its_documents() -> None:
    sample = make_sample(n_topics=4, n_systems=2, n_documents=200, seed=2)
    evaluator, hashes = Evaluator(sample.qrels, "AP"), DocumentHashes()
    ranking = evaluator.judge(sample.runs[0])
    scorer = PartitionScorer(evaluator, [3], 2, 1, hashes)
    laid = scorer._layouts[0].ranking(ranking, hashes.of(ranking.documents.to_list()))
    assert laid.documents.gather(laid.row).to_list() == laid.judgments.documents.gather(laid.document).to_list()
    assert int(laid.retrieved.sum()) == len(ranking.documents)
    assert (laid.rank == laid.row - laid.start[laid.topic] + 1).all()


def test_relevant_documents_of_partitions_add_up() -> None:
    sample = make_sample(n_topics=8, n_systems=2, n_documents=200, seed=3)
    judgments, hashes = Evaluator(sample.qrels, "AP").judgments, DocumentHashes()
    judged = hashes.of(judgments.documents.to_list())
    counts = relevant_counts(judgments, judged, 1, [1, 2], 3, 1)
    assert counts.shape == (2, 8, 3)
    assert np.array_equal(counts.sum(axis=2), np.tile(judgments.relevant(1), (2, 1)))
    good, _ = choose_splits(judgments, judged, [1], 4, 2, 1, 500)
    for number in range(1, good[-1] + 1):
        short = (relevant_counts(judgments, judged, 1, [number], 2, 1)[0] == 0).any()
        assert (number in good) == (not short)
