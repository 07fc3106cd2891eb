"""`replicate`: from judgments and runs to intervals on system effects and decisions on pairs."""

from __future__ import annotations

import os
from collections.abc import Iterable, Sequence
from concurrent.futures import Executor
from typing import Any

import numpy as np

from cranfield.collection.doors import QrelsLike, RunsLike
from cranfield.collection.intents import Intents
from cranfield.defaults import (
    ALPHA,
    DECIDE,
    EMPTY,
    MERGE,
    ORDER,
    PAIR_P,
    PARTITIONS,
    REDRAWS,
    RELEVANCE,
    REPLICATES_CORRECTION,
    REPLICATES_RESAMPLES,
    RESAMPLE,
    RESIDUALS,
    SEED,
    SPLITS,
    SYSTEM_NAME,
    Decide,
    EmptyPolicy,
    Merge,
    PairP,
    RankingOrder,
    Resample,
    Residuals,
    SystemName,
)
from cranfield.errors import DataError, notify
from cranfield.executors import Progress
from cranfield.labels import summary
from cranfield.measures.names import Measure
from cranfield.replicates.analysis import MeasureReplicates, Rule, analyse_splits
from cranfield.replicates.bootstrap import Bootstrap
from cranfield.replicates.checkpoint import fingerprint
from cranfield.replicates.model import Replicated, fit
from cranfield.replicates.partitioned import Collection, Partitioned, Path, Split, Splitting, partition_scores
from cranfield.replicates.result import Replicates
from cranfield.scores.doors import ScoresLike, as_matrix_list
from cranfield.scores.matrix import ScoreMatrix, check_magnitude, inherited
from cranfield.sentences import replicates as say
from cranfield.signature import signature
from cranfield.work_files import WorkFile

DOMINANT = 0.2
"""A topic that makes more than this share of the residual sum of squares is named in a warning."""


def replicate(
    qrels: QrelsLike,
    runs: RunsLike,
    measures: str | Measure | Iterable[str | Measure] = "AP",
    *,
    n_partitions: int = PARTITIONS,
    n_splits: int = SPLITS,
    empty: EmptyPolicy = EMPTY,
    redraws: int = REDRAWS,
    interaction: bool = True,
    residuals: Residuals = RESIDUALS,
    resample: Resample = RESAMPLE,
    p: PairP = PAIR_P,
    published: bool = False,
    n_resamples: int = REPLICATES_RESAMPLES,
    alpha: float = ALPHA,
    correction: str = REPLICATES_CORRECTION,
    merge: Merge = MERGE,
    decide: Decide = DECIDE,
    seed: int = SEED,
    level: int = RELEVANCE,
    gains: str | None = None,
    intents: Intents | Path | None = None,
    order: RankingOrder = ORDER,
    single_precision: bool = False,
    lenient: bool = False,
    name: SystemName = SYSTEM_NAME,
    work: str | os.PathLike[str] | None = None,
    workers: int | None = None,
    executor: Executor | None = None,
    progress: Progress | None = None,
) -> Replicates:
    """Which systems differ, when every topic is scored on several partitions of the documents?

    The documents are split at random into x partitions; each (topic, system) then has x scores, and the model
    y_ijk = μ + t_i + s_j + (ts)_ij + ε_ijk can hold an interaction of topics and systems. Its residuals are
    bootstrapped for intervals on the system effects s_j and for p-values of pairs, and the whole is repeated over
    many splits. With the interaction term the topics are fixed: the inference is to other documents, not to other
    topics. Voorhees, "Using Replicates in Information Retrieval Evaluation" (slides, and TOIS 36(2), 2017).

    Parameters
    ----------
    qrels, runs, measures : as for `evaluate`; any of its measures
    n_partitions : x, from 2
    n_splits : how many splits
    empty : what to do with a topic that has no relevant document in some partition: ``"drop"`` it from the split,
        ``"redraw"`` the split, or ``"keep"`` its other partitions (an unbalanced model)
    redraws : for ``"redraw"``, how many splits may be drawn in all
    interaction : whether the model has the topic × system term
    residuals : ``"rescaled"`` by √(N/(N−p)); ``"raw"`` (published) gives intervals too short by √((x−1)/x)
    resample : ``"rows"`` keeps together what all systems share in a (topic, partition); ``"cells"`` (published)
        takes all residuals for independent and alike
    p : ``"difference"``: share of bootstrapped differences beyond 0; ``"effect"`` (published): where one system's
        estimate falls in the other's distribution, which ignores one of two variances
    published : raw, cells, effect and BH together, as in the slides
    n_resamples : B, a split
    alpha : level of decisions; intervals have level 1 − alpha
    correction : over all pairs of a measure; see `adjust`
    merge : one p-value from many splits: ``"twice-median"`` or ``"cauchy"``; merged first, then corrected
    decide : by the ``"merged"`` p-value, or by the splits' votes, ``"majority"`` or ``"unanimous"``
    seed : of partitions and bootstrap
    level, gains, intents, order, single_precision, lenient, name : as for `evaluate`
    work : a file that keeps what is finished, so that an interrupted job goes on where it stopped
    workers, executor : threads to use, or any `concurrent.futures.Executor`; never changes a result
    progress : called with (done, in all), counting runs and splits

    Returns
    -------
    Replicates
        Tables of systems, pairs, agreement over splits, splits, ANOVA; comparison with other tests; teams.

    Examples
    --------
    >>> from cranfield import make_sample
    >>> sample = make_sample(n_topics=12, n_systems=4, n_documents=400, seed=7)
    >>> result = replicate(sample.qrels, sample.runs, "AP", n_splits=3, n_resamples=500)
    >>> result.pairs.select("system_a", "system_b", "votes").height
    6
    """
    if published:
        residuals, resample, p, correction = "raw", "cells", "effect", "bh"
    how = Bootstrap(n_resamples, residuals, resample, p, interaction, seed, workers, executor)
    rule = Rule(alpha, correction, merge, decide)
    splitting = Splitting(n_partitions, n_splits, empty, redraws, seed)
    collection = Collection.open(
        qrels, runs, measures, level=level, gains=gains, intents=intents, order=order,
        single_precision=single_precision, lenient=lenient, name=name,
    )  # fmt: skip
    settings = _settings(splitting, how, rule, [str(measure) for measure in collection.evaluator.measures])
    settings |= {"level": level, "gains": gains, "order": order, "single_precision": single_precision}
    with WorkFile(work, {} if work is None else _job(settings, collection)) as file:
        n_runs, n_measures = len(collection.sources), len(collection.evaluator.measures)
        total = n_runs + n_measures * n_splits
        run_progress = None if progress is None else (lambda done, _: progress(done, total))
        data, warnings = partition_scores(
            collection, splitting, work=file, workers=workers, executor=executor, progress=run_progress
        )
        done = _Counter(progress, n_runs, total)
        analysed = [_analyse(each, how, rule, file, done) for each in data]
    result = _result(analysed, settings, (*file.warnings, *warnings), splitting)
    notify(result.warnings)
    return result


def replicate_scores(
    splits: ScoresLike,
    *,
    interaction: bool = True,
    residuals: Residuals = RESIDUALS,
    resample: Resample = RESAMPLE,
    p: PairP = PAIR_P,
    published: bool = False,
    n_resamples: int = REPLICATES_RESAMPLES,
    alpha: float = ALPHA,
    correction: str = REPLICATES_CORRECTION,
    merge: Merge = MERGE,
    decide: Decide = DECIDE,
    seed: int = SEED,
    workers: int | None = None,
    executor: Executor | None = None,
) -> Replicates:
    """The same analysis of scores that are replicated already, one topic × system × partition matrix per split.

    Where other tests look at the whole collection, the mean over partitions and splits stands in.

    Examples
    --------
    >>> scores = ScoreMatrix([[[.2, .4], [.6, .8]], [[.1, .3], [.1, .1]]], ["1", "2"], ["a", "b"], "AP", ["0", "1"])
    >>> result = replicate_scores(scores, n_resamples=1000)
    >>> [(system, round(effect, 6)) for system, effect in result.effects.select("system", "effect").rows()]
    [('b', 0.075), ('a', -0.075)]
    """
    if published:
        residuals, resample, p, correction = "raw", "cells", "effect", "bh"
    how = Bootstrap(n_resamples, residuals, resample, p, interaction, seed, workers, executor)
    rule = Rule(alpha, correction, merge, decide)
    given = as_matrix_list(splits, argument="splits")
    if not given:
        raise DataError("no scores at all: at least one split is needed")
    ordered = [matrix.canonical() for matrix in given]
    first = ordered[0]
    for matrix in ordered:
        if (matrix.topics, matrix.systems, matrix.measure) != (first.topics, first.systems, first.measure):
            raise DataError("every split needs the same topics, systems and measure")
        if matrix.n_systems < 2:
            raise DataError(f"{matrix.measure}: replicates compare systems, so at least 2 are needed; there is 1")
        check_magnitude(matrix.measure, matrix.values)
    replicated = [Replicated.of_matrix(matrix) for matrix in ordered]
    mean = np.mean([matrix.values.mean(axis=2) for matrix in ordered], axis=0)
    whole = ScoreMatrix(mean, first.topics, first.systems, first.measure, provenance=first.provenance)
    parts = tuple(Split(number, scores, first.topics) for number, scores in enumerate(replicated, 1))
    n_partitions = len(first.partitions or ())
    data = Partitioned(whole, parts, n_partitions, first.systems)
    analysed = _analyse(data, how, rule, WorkFile(None, {}), _Counter(None, 0, 0))
    settings = _settings(Splitting(n_partitions, len(parts)), how, rule, [first.measure])
    result = _result([analysed], settings, inherited(ordered), None)
    notify(result.warnings)
    return result


class _Counter:
    """Counts finished splits after the finished runs."""

    def __init__(self, progress: Progress | None, done: int, total: int) -> None:
        self._progress, self._done, self._total = progress, done, total

    def __call__(self) -> None:
        self._done += 1
        if self._progress:
            self._progress(self._done, self._total)


def _analyse(data: Partitioned, how: Bootstrap, rule: Rule, work: WorkFile, done: _Counter) -> MeasureReplicates:
    effects = analyse_splits(
        data.splits, how, rule.alpha, name=data.whole.measure, work=work, finished=done
    )  # fmt: skip
    return MeasureReplicates(data, effects, how, rule)


def _settings(splitting: Splitting, how: Bootstrap, rule: Rule, measures: list[str]) -> dict[str, Any]:
    return {
        "measures": measures,
        "n_partitions": splitting.n_partitions,
        "n_splits": splitting.n_splits,
        "empty": splitting.empty,
        "redraws": splitting.redraws,
        "interaction": how.interaction,
        "residuals": how.residuals,
        "resample": how.resample,
        "p": how.p,
        "n_resamples": how.n_resamples,
        "alpha": rule.alpha,
        "correction": rule.correction,
        "merge": rule.merge,
        "decide": rule.decide,
        "seed": how.seed,
    }


def _job(settings: dict[str, Any], collection: Collection) -> dict[str, object]:
    """What makes a job this job; how pairs are decided may change, the rest is computed anew if it does."""
    from cranfield import __version__

    intents = collection.evaluator.judgments.intents
    kept = {name: value for name, value in settings.items() if name not in ("correction", "merge", "decide")}
    return kept | {
        "version": __version__,
        "qrels": fingerprint(collection.qrels),
        "intents": None if intents is None else fingerprint(intents),
        "names": collection.name,
        "runs": [fingerprint(source) for source in collection.sources],
    }


def _result(
    analysed: Sequence[MeasureReplicates],
    settings: dict[str, Any],
    warnings: tuple[str, ...],
    splitting: Splitting | None,
) -> Replicates:
    line = signature(
        "replicates (residual bootstrap ANOVA)",
        measures=settings["measures"],
        partitions=settings["n_partitions"],
        splits=settings["n_splits"],
        empty=settings["empty"],
        interaction=settings["interaction"],
        residuals=settings["residuals"],
        resample=settings["resample"],
        p=settings["p"],
        resamples=settings["n_resamples"],
        merge=settings["merge"],
        decide=settings["decide"],
        correction=settings["correction"],
        alpha=settings["alpha"],
        seed=settings["seed"],
    )
    texts = [*warnings]
    for each in analysed:
        texts += _notes(each, splitting)
    texts += _advice(analysed[0])
    return Replicates({each.measure: each for each in analysed}, settings, line, tuple(dict.fromkeys(texts)))


def _notes(replicates: MeasureReplicates, splitting: Splitting | None) -> list[str]:
    """What happened to the topics, and whether anything can be significant at all."""
    texts = []
    shorts = [split.short for split in replicates.data.splits]
    if splitting is not None and any(shorts):
        counts: dict[str, int] = {}
        for topic in (topic for short in shorts for topic in short):
            counts[topic] = counts.get(topic, 0) + 1
        often = summary(sorted(counts, key=lambda topic: (-counts[topic], topic)), 3)
        sizes = sorted({len(short) for short in shorts})
        span = str(sizes[0]) if len(sizes) == 1 else f"{sizes[0]} to {sizes[-1]}"
        what = "left out" if splitting.empty == "drop" else "kept with fewer partitions"
        texts.append(say.SHORT_TOPICS(measure=replicates.measure, topics=span, what=what, often=often))
    texts += _dominated(replicates)
    smallest = 2 / (replicates.how.n_resamples + 1)
    if len(replicates.effects) > 1:
        smallest *= 2 if replicates.rule.merge == "twice-median" else 1
    family = len(replicates.pairs)
    if replicates.rule.correction in ("bonferroni", "holm") and smallest * family > replicates.rule.alpha:
        needed = int(np.ceil(smallest * (replicates.how.n_resamples + 1) * family / replicates.rule.alpha)) - 1
        texts.append(
            say.NONE_SMALL_ENOUGH(
                measure=replicates.measure,
                resamples=replicates.how.n_resamples,
                correction=replicates.rule.correction,
                pairs=family,
                needed=needed,
            )
        )
    return texts


def _dominated(replicates: MeasureReplicates) -> list[str]:
    """A warning when one topic alone makes much of the residuals, and so of the intervals' length."""
    shares: dict[str, list[float]] = {}
    for split in replicates.data.splits:
        squares = (fit(split.scores, interaction=replicates.how.interaction).residuals ** 2).sum(axis=1)
        by_topic = np.bincount(split.scores.topic, weights=squares) / max(float(squares.sum()), 1e-300)
        shares.setdefault(split.topics[int(by_topic.argmax())], []).append(float(by_topic.max()))
    topic, parts = max(shares.items(), key=lambda item: (sum(item[1]), item[0]))
    share = sum(parts) / len(replicates.data.splits)
    if share < DOMINANT or len(replicates.data.whole.topics) * share < 5:
        return []
    return [say.DOMINATED(measure=replicates.measure, topic=topic, share=share)]


def _advice(replicates: MeasureReplicates) -> list[str]:
    """What the published choices do to errors; the figures are those of docs/replicates.md."""
    texts, how = [], replicates.how
    if how.residuals == "raw" and how.interaction:
        texts.append(say.RAW(factor=_shrink(replicates)))
    if how.p == "effect":
        texts.append(say.EFFECT())
    if how.resample == "cells":
        texts.append(say.CELLS(shared=float(np.mean([split.shared for split in replicates.effects]))))
    return texts


def _shrink(replicates: MeasureReplicates) -> float:
    scores = replicates.data.splits[0].scores
    return float(np.sqrt(1 - scores.n_topics / len(scores.values)))
