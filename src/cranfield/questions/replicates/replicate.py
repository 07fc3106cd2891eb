"""`replicate`: from judgments and runs to intervals on system effects and decisions on pairs."""

from __future__ import annotations

import itertools
import os
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from concurrent.futures import Executor
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Unpack, get_args

import numpy as np
import polars as pl

from cranfield.collection.doors import QrelsLike, RunsLike
from cranfield.core import defaults
from cranfield.core.answer import sentence
from cranfield.core.arguments import check_arguments
from cranfield.core.errors import DataError, UnknownNameError, notify
from cranfield.core.executors import Progress
from cranfield.core.labels import summary
from cranfield.core.results import Result, signature
from cranfield.core.work_files import WorkFile
from cranfield.measures.names import MeasuresLike
from cranfield.measures.options import ScoringOptions, complete_scoring
from cranfield.questions.replicates.answer import replicates_answer
from cranfield.questions.replicates.bootstrap import Bootstrap, Replicated, fit
from cranfield.questions.replicates.other_tests import Teams, compare_teams, comparison_table
from cranfield.questions.replicates.partitioned import Collection, Partitioned, Split, Splitting, partition_scores
from cranfield.questions.replicates.splits import MeasureReplicates, Rule, analyse_splits
from cranfield.scores.doors import ScoresLike, as_matrix_list
from cranfield.scores.matrix import ScoreMatrix, check_magnitude, inherited

if TYPE_CHECKING:
    from cranfield.core.answer import Drawings

SETTINGS = (
    "measures", "n_partitions", "n_splits", "empty", "redraws", "interaction", "residuals", "resample", "p",
    "n_resamples", "alpha", "correction", "merge", "decide", "seed",
)  # fmt: skip
SIGNED = (
    "measures", "n_partitions", "n_splits", "empty", "interaction", "residuals", "resample", "p", "n_resamples",
    "merge", "decide", "correction", "alpha", "seed",
)  # fmt: skip
"""The settings of a signature, in order."""
DOMINANT = 0.2
"""A topic with at least this share of the residual sum of squares is named in a warning."""

SHORT_TOPICS = sentence(
    "replicates.short-topics",
    "{measure}: {what} {topics} topics per split, because a partition has none of their relevant documents. Most "
    "often: {often}.",
    "some topics have no relevant document in some partition",
)
NONE_SMALL_ENOUGH = sentence(
    "replicates.none-small-enough",
    "{measure}: {resamples} resamples cannot give a p-value small enough for {correction} over {pairs} pairs. Use "
    "at least {needed} resamples.",
    "the smallest possible p-value times the number of pairs exceeds alpha under Holm or Bonferroni",
)
DOMINATED = sentence(
    "replicates.dominated",
    "{measure}: topic {topic} contributes {share:.0%} of the residual sum of squares, so the interval lengths "
    "depend on it. Check whether it has few relevant documents.",
    "one topic contributes a fifth or more of the residual sum of squares, and at least five times its share",
)
RAW = sentence(
    "replicates.raw",
    "Raw residuals make intervals too short by √((x−1)/x) ({factor:.2f}). Use rescaled residuals.",
    "residuals are raw and the model has the interaction",
)
EFFECT = sentence(
    "replicates.effect",
    "p = effect ignores the variance of one system, so type I error is several times alpha. Use p = difference.",
    "p-values are the published ones (simulated: docs/replicates.md)",
)
CELLS = sentence(
    "replicates.cells",
    "Resampling cells assumes independent residuals, but systems share {shared:.0%} of their sum of squares (topic "
    "× partition). Use rows.",
    "cells are resampled; `shared` is the share of the residual sum of squares common to all systems",
)


@dataclass(frozen=True, eq=False)
class Replicates(Result):
    """Which systems differ when every topic is scored on several partitions of the documents.

    Parameters
    ----------
    by_measure : one analysis per measure
    settings : the settings in force
    signature : one line for a paper's footnote
    warnings : one sentence each
    """

    by_measure: Mapping[str, MeasureReplicates]
    settings: Mapping[str, Any]
    signature: str
    warnings: tuple[str, ...] = field(default=())

    @property
    def measures(self) -> tuple[str, ...]:
        """The measures' names."""
        return tuple(self.by_measure)

    def __getitem__(self, measure: str) -> MeasureReplicates:
        if measure not in self.by_measure:
            raise UnknownNameError("measure", measure, self.by_measure)
        return self.by_measure[measure]

    @property
    def systems(self) -> tuple[str, ...]:
        """The systems, in byte order of their names."""
        return next(iter(self.by_measure.values())).data.systems

    @property
    def n_systems(self) -> int:
        """How many systems."""
        return len(self.systems)

    def _joined(self, table: Callable[[MeasureReplicates], pl.DataFrame]) -> pl.DataFrame:
        return pl.concat([table(each) for each in self.by_measure.values()])

    @property
    def effects(self) -> pl.DataFrame:
        """One row per system, best first: measure, system, mean, effect, lower, upper.

        `mean` is the score on the whole collection. `effect`, `lower` and `upper` are averages over the splits: a
        typical interval of one split, whose width does not depend on the number of splits.
        """
        return self._joined(MeasureReplicates.systems_frame)

    @property
    def pairs(self) -> pl.DataFrame:
        """One row per pair: measure, system_a, system_b, difference, p, p_adjusted, votes, against, decision.

        `system_a` has the higher mean effect; `votes` counts the splits that find it significantly better, `against`
        those that find it significantly worse.
        """
        return self._joined(MeasureReplicates.pairs_frame)

    @property
    def agreement(self) -> pl.DataFrame:
        """How many pairs the splits agree on: measure, agreement (11:0, 10:1, …), pairs, share, …"""
        return self._joined(MeasureReplicates.agreement_frame)

    @property
    def splits(self) -> pl.DataFrame:
        """One row per split: topics used, interval lengths, pairs different, nature of the residuals."""
        return self._joined(MeasureReplicates.splits_frame)

    @property
    def anova(self) -> pl.DataFrame:
        """The ANOVA table of every split."""
        return self._joined(MeasureReplicates.anova_frame)

    def comparison(self, n_resamples: int = defaults.RESAMPLES) -> pl.DataFrame:
        """Pairs separated by replicates, paired t and randomisation: counts, overlaps, conflicts."""
        return self._joined(lambda each: comparison_table(each, n_resamples))

    def teams(self, teams: Mapping[str, str], n_resamples: int = defaults.RESAMPLES) -> dict[str, Teams]:
        """Within-team against across-team models, by measure; see `compare_teams`."""
        return {name: compare_teams(each, teams, n_resamples) for name, each in self.by_measure.items()}

    def to_frame(self, show: defaults.ReplicatesShow = "pairs") -> pl.DataFrame:
        """The pairs, or another of the tables that need no further input."""
        known = [name for name in get_args(defaults.ReplicatesShow) if name != "teams"]
        if show not in known:
            raise UnknownNameError("table", str(show), known)
        if show == "comparison":
            return self.comparison()
        table: pl.DataFrame = getattr(self, "effects" if show == "systems" else show)
        return table

    def to_dict(self) -> dict[str, Any]:
        """Settings, signature, warnings, and the tables of effects, pairs and agreement as lists of rows."""
        return {
            "signature": self.signature,
            "settings": dict(self.settings),
            "warnings": list(self.warnings),
            "effects": self.effects.to_dicts(),
            "pairs": self.pairs.to_dicts(),
            "agreement": self.agreement.to_dicts(),
        }

    def summary(self) -> str:
        """By every measure: pairs found different, and how long the intervals are."""
        return "; ".join(each.summary() for each in self.by_measure.values())

    def __repr__(self) -> str:
        return f"Replicates({self.summary()})"

    answer = replicates_answer

    @staticmethod
    def drawings() -> Drawings:
        """Its charts by name; the first is drawn unless another is named."""
        from cranfield.questions.replicates import charts

        return {"effects": charts.effects, "agreement": charts.agreement, "methods": charts.methods}


def replicate(
    qrels: QrelsLike,
    runs: RunsLike,
    measures: MeasuresLike = "AP",
    *,
    n_partitions: int = defaults.PARTITIONS,
    n_splits: int = defaults.SPLITS,
    empty: defaults.EmptyPolicy = defaults.EMPTY,
    redraws: int = defaults.REDRAWS,
    interaction: bool = True,
    residuals: defaults.Residuals = defaults.RESIDUALS,
    resample: defaults.Resample = defaults.RESAMPLE,
    p: defaults.PairP = defaults.PAIR_P,
    published: bool = False,
    n_resamples: int = defaults.REPLICATES_RESAMPLES,
    alpha: float = defaults.ALPHA,
    correction: str = defaults.REPLICATES_CORRECTION,
    merge: defaults.Merge = defaults.MERGE,
    decide: defaults.Decide = defaults.DECIDE,
    seed: int = defaults.SEED,
    work: str | os.PathLike[str] | None = None,
    workers: int | None = None,
    executor: Executor | None = None,
    progress: Progress | None = None,
    **scoring: Unpack[ScoringOptions],
) -> Replicates:
    """Which systems differ, when every topic is scored on several partitions of the documents?

    The documents are split at random into x partitions, so each (topic, system) pair has x scores. The model is
    y_ijk = μ + t_i + s_j + (ts)_ij + ε_ijk, with an interaction of topics and systems. Its residuals are bootstrapped
    for intervals on the system effects s_j and p-values of pairs. All this is repeated over many splits. With the
    interaction term topics are fixed: the inference is to other documents, not to other topics. Voorhees et al.
    (2017), "Using Replicates in Information Retrieval Evaluation" (TOIS 36(2), and slides).

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
    resample : ``"rows"`` keeps the residuals of one (topic, partition) together; ``"cells"`` (published) assumes
        independent and identically distributed residuals
    p : ``"difference"``: share of bootstrapped differences beyond 0; ``"effect"`` (published): position of one
        system's estimate in the other's distribution, which ignores one of two variances
    published : raw, cells, effect and BH together, as in the slides
    n_resamples : B, a split
    alpha : level of decisions; intervals have level 1 − alpha
    correction : over all pairs of a measure; see `adjust`
    merge : one p-value from many splits: ``"twice-median"`` or ``"cauchy"``; merged first, then corrected
    decide : by the ``"merged"`` p-value, or by the splits' votes, ``"majority"`` or ``"unanimous"``
    seed : of partitions and bootstrap
    work : a file of finished parts, from which an interrupted job resumes
    workers, executor : threads to use, or any `concurrent.futures.Executor`; never changes a result
    progress : called with (done, in all), counting runs and splits
    level, gains, intents, order, single_precision, lenient, name : as for `evaluate`

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
    check_arguments(replicate, locals())
    if published:
        residuals, resample, p, correction = "raw", "cells", "effect", "bh"
    how = Bootstrap(n_resamples, residuals, resample, p, interaction, seed, workers, executor)
    rule = Rule(alpha, correction, merge, decide)
    splitting = Splitting(n_partitions, n_splits, empty, redraws, seed)
    options = complete_scoring(scoring, "replicate")
    collection = Collection.open(qrels, runs, measures, options)
    asked = collection.evaluator.measures
    settings = _settings(splitting, how, rule, [str(measure) for measure in asked])
    settings |= {"level": options["level"], "gains": options["gains"], "order": options["order"]}
    settings |= {name: options[name] for name in ("single_precision", "judged_only")}
    count, total = itertools.count(1), len(collection.sources) + len(asked) * n_splits

    def finished() -> None:
        if progress:
            progress(next(count), total)

    with WorkFile(work, {} if work is None else _job(settings, collection)) as file:
        data, warnings = partition_scores(collection, splitting, file, workers, executor, finished)
        analysed = [
            MeasureReplicates(one, analyse_splits(one.splits, how, alpha, one.whole.measure, file, finished), how, rule)
            for one in data
        ]
    return _result(analysed, settings, (*file.warnings, *warnings), empty)


def replicate_scores(
    splits: ScoresLike,
    *,
    interaction: bool = True,
    residuals: defaults.Residuals = defaults.RESIDUALS,
    resample: defaults.Resample = defaults.RESAMPLE,
    p: defaults.PairP = defaults.PAIR_P,
    published: bool = False,
    n_resamples: int = defaults.REPLICATES_RESAMPLES,
    alpha: float = defaults.ALPHA,
    correction: str = defaults.REPLICATES_CORRECTION,
    merge: defaults.Merge = defaults.MERGE,
    decide: defaults.Decide = defaults.DECIDE,
    seed: int = defaults.SEED,
    workers: int | None = None,
    executor: Executor | None = None,
) -> Replicates:
    """The same analysis of replicated scores, one topic × system × partition matrix per split.

    The other tests use the mean over partitions and splits in place of the score on the whole collection.

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
    ordered = [matrix.canonical() for matrix in as_matrix_list(splits, argument="splits")]
    if not ordered:
        raise DataError("no scores. Give at least one split.")
    first = ordered[0]
    for matrix in ordered:
        if (matrix.topics, matrix.systems, matrix.measure) != (first.topics, first.systems, first.measure):
            raise DataError("the splits differ in topics, systems or measure. Use the same in every split.")
        if matrix.n_systems < 2:
            raise DataError(f"{matrix.measure}: there is 1 system, and replicates compare at least 2. Add a system.")
        if len(matrix.partitions or ()) < 2:
            raise DataError(
                f"{matrix.measure}: a replicated analysis needs at least 2 partitions. Compare topic × system scores "
                "with `compare`."
            )
        check_magnitude(matrix.measure, matrix.values)
    parts = tuple(Split(at, Replicated.of(one.values), first.topics) for at, one in enumerate(ordered, 1))
    mean = np.mean([matrix.values.mean(axis=2) for matrix in ordered], axis=0)
    whole = ScoreMatrix(mean, first.topics, first.systems, first.measure, provenance=first.provenance)
    n_partitions = len(first.partitions or ())
    data = Partitioned(whole, parts, n_partitions, first.systems)
    analysed = MeasureReplicates(data, analyse_splits(parts, how, alpha, first.measure), how, rule)
    settings = _settings(Splitting(n_partitions, len(parts)), how, rule, [first.measure])
    return _result([analysed], settings, inherited(ordered))


def _settings(splitting: Splitting, how: Bootstrap, rule: Rule, measures: list[str]) -> dict[str, Any]:
    every = {**vars(splitting), **vars(how), **vars(rule), "measures": measures}
    return {name: every[name] for name in SETTINGS}


def _job(settings: dict[str, Any], collection: Collection) -> dict[str, object]:
    """What identifies a job. The decision rule may change; any other change starts the job again."""
    from cranfield import __version__

    kept = {name: value for name, value in settings.items() if name not in ("correction", "merge", "decide")}
    return kept | {"version": __version__} | collection.identity()


def _result(
    analysed: Sequence[MeasureReplicates], settings: dict[str, Any], warnings: tuple[str, ...], empty: str = ""
) -> Replicates:
    line = signature(
        "replicates (residual bootstrap ANOVA)", **{name.removeprefix("n_"): settings[name] for name in SIGNED}
    )
    texts = [*warnings, *(text for each in analysed for text in _notes(each, empty)), *_advice(analysed[0])]
    result = Replicates({each.measure: each for each in analysed}, settings, line, tuple(dict.fromkeys(texts)))
    notify(result.warnings)
    return result


def _notes(replicates: MeasureReplicates, empty: str) -> Iterable[str]:
    """Warnings about dropped topics, a dominant topic, and too few resamples."""
    measure, how, rule, splits = replicates.measure, replicates.how, replicates.rule, replicates.data.splits
    counts = Counter(topic for split in splits for topic in split.short)
    if empty and counts:
        often = summary(sorted(counts, key=lambda topic: (-counts[topic], topic)), 3)
        sizes = sorted({len(split.short) for split in splits})
        span = str(sizes[0]) if len(sizes) == 1 else f"{sizes[0]} to {sizes[-1]}"
        what = "dropped" if empty == "drop" else "kept fewer partitions for"
        yield SHORT_TOPICS(measure=measure, topics=span, what=what, often=often)
    topic, share = _dominant(replicates)
    if share >= DOMINANT and len(replicates.data.whole.topics) * share >= 5:
        yield DOMINATED(measure=measure, topic=topic, share=share)
    smallest = 2 / (how.n_resamples + 1)
    if len(splits) > 1 and rule.merge == "twice-median":
        smallest *= 2
    family = len(replicates.pairs)
    if rule.correction in ("bonferroni", "holm") and smallest * family > rule.alpha:
        needed = int(np.ceil(smallest * (how.n_resamples + 1) * family / rule.alpha)) - 1
        yield NONE_SMALL_ENOUGH(
            measure=measure, resamples=how.n_resamples, correction=rule.correction, pairs=family, needed=needed
        )


def _dominant(replicates: MeasureReplicates) -> tuple[str, float]:
    """The topic with the largest share of the residual sum of squares, and that share."""
    shares: dict[str, list[float]] = {}
    for split in replicates.data.splits:
        squares = (fit(split.scores, interaction=replicates.how.interaction).residuals ** 2).sum(axis=1)
        by_topic = np.bincount(split.scores.topic, weights=squares) / max(float(squares.sum()), 1e-300)
        shares.setdefault(split.topics[int(by_topic.argmax())], []).append(float(by_topic.max()))
    topic, parts = max(shares.items(), key=lambda item: (sum(item[1]), item[0]))
    return topic, sum(parts) / len(replicates.data.splits)


def _advice(replicates: MeasureReplicates) -> Iterable[str]:
    """Warnings about the published choices (figures: docs/replicates.md)."""
    how, scores = replicates.how, replicates.data.splits[0].scores
    if how.residuals == "raw" and how.interaction:
        yield RAW(factor=float(np.sqrt(1 - scores.n_topics / len(scores.values))))
    if how.p == "effect":
        yield EFFECT()
    if how.resample == "cells":
        yield CELLS(shared=float(np.mean([split.shared for split in replicates.effects])))
