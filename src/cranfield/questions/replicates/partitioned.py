"""From judgments and runs to the scores of every system on every partition of every split."""

from __future__ import annotations

import hashlib
import io
import os
from collections.abc import Callable, Iterable, Sequence
from concurrent.futures import Executor
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np

from cranfield.collection.doors import QrelsLike, RunsLike, as_qrels, as_runs, skipped_files
from cranfield.collection.intents import Intents
from cranfield.collection.matched import Matched, refuse_other_ids
from cranfield.collection.readers import same_system
from cranfield.collection.types import Qrels, Run
from cranfield.core.defaults import EMPTY, PARTITIONS, REDRAWS, SEED, SPLITS, EmptyPolicy, SystemName
from cranfield.core.errors import ArgumentError, DataError
from cranfield.core.executors import available_workers, map_in_order, surrounding
from cranfield.core.labels import summary
from cranfield.core.options import at_least, one_of
from cranfield.core.work_files import WorkFile
from cranfield.measures.evaluation import Evaluator, RunScores, run_warnings
from cranfield.measures.judgments import Floats, Ints, Mask
from cranfield.measures.names import MeasuresLike
from cranfield.measures.options import ScoringOptions
from cranfield.measures.registry import IR_MEASURES
from cranfield.measures.stream import open_run, read_again, sent
from cranfield.questions.replicates.bootstrap import Replicated
from cranfield.questions.replicates.partitions import (
    DocumentHashes,
    PartitionScorer,
    check_partitions,
    choose_splits,
    relevant_counts,
)
from cranfield.scores.matrix import ScoreMatrix

MOST_CELLS = 1_000_000_000
"""Scores of all splits together."""


@dataclass(frozen=True)
class Collection:
    """What is evaluated and how; the options are those of `cranfield.evaluate`."""

    qrels: Qrels
    evaluator: Evaluator
    sources: Sequence[Run | str]
    lenient: bool
    name: SystemName
    skipped: tuple[str, ...]  # warnings about skipped files in folders of runs

    @classmethod
    def open(cls, qrels: QrelsLike, runs: RunsLike, measures: MeasuresLike, scoring: ScoringOptions) -> Collection:
        """Read the judgments and make them ready; runs are read later, one at a time."""
        judged = as_qrels(qrels)
        evaluator = Evaluator(judged, measures, **scoring)
        for measure in evaluator.measures:
            if measure.name.startswith(IR_MEASURES):
                raise ArgumentError(
                    f"measure {measure} comes from ir_measures, which cannot score partitions. "
                    "Use a measure of `cranfield measures`."
                )
        given = as_runs(runs)
        sources = list(given)
        if len(sources) < 2:
            raise DataError(f"replicates compare at least 2 runs; there is {len(sources)}. Add runs.")
        return cls(judged, evaluator, sources, scoring["lenient"], scoring["name"], skipped_files(given))

    def identity(self) -> dict[str, object]:
        """What identifies these inputs, for a work file."""
        intents = self.evaluator.judgments.intents
        return {
            "qrels": _fingerprint(self.qrels),
            "intents": None if intents is None else _fingerprint(intents),
            "names": self.name,
            "runs": [_fingerprint(source) for source in self.sources],
        }


def _fingerprint(source: Qrels | Run | Intents | str) -> str:
    """What identifies an input: a file by name, size and time of change; columns by their content."""
    if isinstance(source, str):
        try:
            status = os.stat(source)  # noqa: PTH116 (a name may be - or not exist; reading it will tell)
        except OSError:
            return source
        return f"{source} {status.st_size} {status.st_mtime_ns}"
    if isinstance(source, Intents):
        content = repr(sorted(source.probability.items())).encode()
    else:
        out = io.BytesIO()
        source.frame.write_ipc(out)
        content = out.getvalue()
    name = source.system if isinstance(source, Run) else source.name
    return f"{name} {hashlib.blake2b(content, digest_size=16).hexdigest()}"


@dataclass(frozen=True)
class Splitting:
    """How documents are split.

    Parameters
    ----------
    n_partitions : partitions a split has, x
    n_splits : how many splits, numbered from 1
    empty : what to do with a topic that has no relevant document in some partition: ``"drop"`` it from the
        split, ``"redraw"`` the split (take the next number), or ``"keep"`` its other partitions
    redraws : for ``"redraw"``, how many splits may be drawn in all
    seed : of the partitions
    """

    n_partitions: int = PARTITIONS
    n_splits: int = SPLITS
    empty: EmptyPolicy = EMPTY
    redraws: int = REDRAWS
    seed: int = SEED

    def __post_init__(self) -> None:
        check_partitions(self.n_partitions)
        at_least("n_splits", self.n_splits, 1, SPLITS)
        if self.empty == "redraw" and self.redraws < self.n_splits:
            raise ArgumentError(
                f"`redraws` must be at least `n_splits` ({self.n_splits}); got {self.redraws}. Write 1000."
            )
        one_of("empty", self.empty, EmptyPolicy)


@dataclass(frozen=True, eq=False)
class Split:
    """One split's replicated scores by one measure.

    Parameters
    ----------
    number : of the split
    scores : rows (topic, partition) × systems, both in byte order of their labels
    topics : the topics in use
    short : topics without relevant documents in some partition (dropped, or kept with fewer partitions)
    """

    number: int
    scores: Replicated
    topics: tuple[str, ...]
    short: tuple[str, ...] = ()


@dataclass(frozen=True, eq=False)
class Partitioned:
    """Scores by one measure on the whole collection and on the partitions of every split.

    Parameters
    ----------
    whole : topics × systems, in byte order of their labels; topics without any relevant document are dropped
    splits : the splits
    n_partitions : partitions of each split
    tags : the run tag of each system
    """

    whole: ScoreMatrix
    splits: tuple[Split, ...]
    n_partitions: int
    tags: tuple[str, ...]

    @property
    def systems(self) -> tuple[str, ...]:
        """The systems, in byte order of their names."""
        return self.whole.systems


def partition_scores(
    collection: Collection,
    how: Splitting,
    work: WorkFile,
    workers: int | None,
    executor: Executor | None,
    finished: Callable[[], None],
) -> tuple[list[Partitioned], tuple[str, ...]]:
    """Score every run on all partitions: one result per measure, and warnings about the runs.

    Each run is read, ordered and matched with the judgments once. Documents are assigned to partitions by a
    seeded hash of their id (see `assign`). `finished` is called after each run.
    """
    evaluator, qrels, x = collection.evaluator, collection.qrels, how.n_partitions
    judgments, topics, hashes = evaluator.judgments, evaluator.topics, DocumentHashes()
    judged = hashes.of(judgments.documents.to_list())
    levels = [int(measure.get("rel") or 1) for measure in evaluator.measures]
    cells = how.n_splits * x * len(topics) * len(collection.sources) * len(levels)
    if cells > MOST_CELLS:
        raise ArgumentError(
            f"{how.n_splits:,} splits into {x:,} partitions make {cells:,} scores; at most {MOST_CELLS:,} fit in "
            "memory. Ask for fewer splits, partitions or measures."
        )
    numbers = list(range(1, how.n_splits + 1))
    if how.empty == "redraw":
        numbers, worst = choose_splits(judgments, judged, sorted(set(levels)), how.n_splits, x, how.seed, how.redraws)
        if len(numbers) < how.n_splits:
            raise DataError(
                f"only {len(numbers)} of {how.redraws} splits have relevant documents of every topic in all {x} "
                f"partitions; {how.n_splits} are needed. Topics that fail most often: "
                f"{summary([topics[at] for at in np.flatnonzero(worst)])}. Use empty='drop' or empty='keep', fewer "
                "partitions, or more redraws."
            )
    counts = {level: relevant_counts(judgments, judged, level, numbers, x, how.seed) for level in set(levels)}
    picked = {level: _pick(len(topics), counts[level], numbers, how.empty) for level in counts}
    scorer = PartitionScorer(evaluator, numbers, x, how.seed, hashes)
    parts = _score_runs(collection, scorer, work, workers, executor, finished)
    depths = scorer.evaluator.depths
    rows = [
        RunScores(p["system"], p["whole"], tuple(p["missing"]), tuple(p["unjudged_topics"]), tuple(p["notes"]),
                  Matched(p["system"], p["judged"], p["retrieved"]),
                  dict(zip(depths, p["shares"].tolist(), strict=True)))
        for p in parts
    ]  # fmt: skip
    again = partial(read_again, collection.sources, collection.lenient, collection.name)
    refuse_other_ids(qrels, len(judgments.topic), [row.matched for row in rows], again)
    parts = sorted(parts, key=lambda part: part["system"].encode())
    systems, tags = (tuple(part[name] for part in parts) for name in ("system", "tag"))
    whole = np.stack([part["whole"] for part in parts], axis=2)  # measures × topics × systems
    cubes = np.stack([part["parts"] for part in parts], axis=-1)  # measures × splits × partitions × topics × systems
    partitioned = []
    canonical = np.array(sorted(range(len(topics)), key=lambda at: topics[at].encode()))
    for at, (measure, level) in enumerate(zip(evaluator.measures, levels, strict=True)):
        some = canonical[counts[level][0].sum(axis=1)[canonical] > 0]
        step = f"evaluated on {qrels.name}, order {evaluator.order}"
        matrix = ScoreMatrix(whole[at][some], [topics[i] for i in some], systems, str(measure), provenance=[step])
        splits = tuple(
            _split(number, topics, canonical, cubes[at, s], picked[level][s], counts[level][s])
            for s, number in enumerate(numbers)
        )
        partitioned.append(Partitioned(matrix, splits, x, tags))
    return partitioned, (*collection.skipped, *run_warnings(evaluator, qrels, rows, "zero"))


def _split(number: int, topics: Sequence[str], canonical: Ints, cube: Floats, usable: Mask, counts: Ints) -> Split:
    """One split's rows; `cube` is partitions × topics × systems, `usable` and `counts` topics × partitions."""
    mask = usable[canonical]
    some = mask.any(axis=1)
    scores = Replicated.of(cube.transpose(1, 2, 0)[canonical][some], mask[some])
    short = (counts == 0).any(axis=1) & (counts > 0).any(axis=1)
    used, lacking = canonical[some], canonical[short[canonical]]
    return Split(number, scores, tuple(topics[at] for at in used), tuple(topics[at] for at in lacking))


def _pick(n_topics: int, counts: Ints, numbers: Sequence[int], empty: EmptyPolicy) -> Mask:
    """splits × topics × partitions: which cells are used."""
    usable = counts > 0
    if empty != "keep":
        usable &= usable.all(axis=2, keepdims=True)
    for number, mask, count in zip(numbers, usable, counts, strict=True):
        left = int(mask.any(axis=1).sum())
        if left < 2:
            most = int(count.sum(axis=1).max())
            advice = "Use fewer partitions" + (", or empty='keep'." if empty != "keep" else ".")
            raise DataError(
                f"split {number} leaves {left} of {n_topics} topics with relevant documents in all {counts.shape[2]} "
                f"partitions; at least 2 are needed. No topic has more than {most} relevant documents. {advice}"
            )
    return usable


def _score_runs(
    collection: Collection,
    scorer: PartitionScorer,
    work: WorkFile,
    workers: int | None,
    executor: Executor | None,
    finished: Callable[[], None],
) -> list[dict[str, Any]]:
    """One part per run, in the order given, from the work file or computed."""
    n, k = len(scorer.evaluator.topics), len(scorer.evaluator.measures)
    needed: dict[str, type | tuple[int, ...]] = {
        "system": str, "tag": str, "missing": list, "unjudged_topics": list, "notes": list, "whole": (k, n),
        "judged": int, "retrieved": int, "shares": (len(scorer.evaluator.depths),),
        "parts": (k, scorer.n_splits, scorer.partitions, n),
    }  # fmt: skip
    named = {f"run {at}": source for at, source in enumerate(collection.sources, 1)}
    todo: Iterable[Run | str] = [source for key, source in named.items() if work.get(key, needed) is None]
    how = (collection.lenient, collection.name)
    executor = executor or surrounding()
    if executor is None:
        workers = workers or available_workers()
    else:
        todo = sent(todo, *how)
    unit = partial(_score_run, scorer, collection.qrels.name, *how)
    computed = map_in_order(unit, list(todo), executor=executor, workers=workers)
    parts: list[dict[str, Any]] = []
    places: dict[str, str] = {}
    for key, source in named.items():
        part = work.get(key) or work.put(key, next(computed))
        place = source if isinstance(source, str) else key
        if part["system"] in places:
            raise DataError(same_system(part["system"], places[part["system"]], place))
        places[part["system"]] = place
        parts.append(part)
        finished()
    return parts


def _score_run(
    scorer: PartitionScorer, judgments: str, lenient: bool, name: SystemName, source: Run | str
) -> dict[str, Any]:
    """One run scored on the whole collection and on every partition; `judgments` is their name, for messages."""
    evaluator = scorer.evaluator
    run = open_run(source, lenient, name)
    ranking, unjudged_topics = evaluator.judge_with_unjudged_topics(run)
    missing = [evaluator.topics[topic] for topic in np.flatnonzero(ranking.retrieved == 0)]
    if len(missing) == len(evaluator.topics):
        raise DataError(f"{run.system}: no topic in common with {judgments}. Check the topic ids.")
    return {
        "system": run.system,
        "tag": run.tag,
        "missing": missing,
        "unjudged_topics": unjudged_topics,
        "notes": list(run.notes),
        "judged": len(ranking.document),
        "retrieved": int(ranking.retrieved.sum()),
        "shares": np.array(list(evaluator.shares(ranking).values()), dtype=np.float64),
        "whole": evaluator.score(ranking),
        "parts": scorer.score(ranking),
    }
