"""`evaluate`: judgments, runs and measures in, score matrices out."""

from __future__ import annotations

import os
import threading
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property, partial
from itertools import islice
from pathlib import PurePath
from typing import TYPE_CHECKING, Any, Unpack

import numpy as np

from cranfield.collection.compiled import Judge
from cranfield.collection.doors import QrelsLike, RunsLike, as_qrels, as_runs, skipped_files
from cranfield.collection.groups import GroupsLike, with_groups
from cranfield.collection.intents import Intents, read_intents
from cranfield.collection.lines import first_tag, run_notes
from cranfield.collection.matched import Matched, refuse_other_ids
from cranfield.collection.readers import called, same_system
from cranfield.collection.streaming import NeedsWhole, RunSection, RunStream
from cranfield.collection.types import Qrels, Run
from cranfield.core import defaults
from cranfield.core.answer import sentence
from cranfield.core.arguments import check_arguments
from cranfield.core.defaults import MissingPolicy, RankingOrder, SystemName, Unjudged
from cranfield.core.errors import ArgumentError, DataError, UnknownNameError, notify
from cranfield.core.executors import Progress, available_workers, map_in_order, surrounding
from cranfield.core.labels import summary
from cranfield.core.results import signature
from cranfield.measures.aliases import Value
from cranfield.measures.fairness import groups_unknown
from cranfield.measures.judgments import Floats, Ints
from cranfield.measures.names import Measure, MeasuresLike, parse_measures
from cranfield.measures.options import ScoringOptions, complete_scoring
from cranfield.measures.ranking import JudgedRanking, condensed, judge, prepare
from cranfield.measures.registry import IR_MEASURES, check_gains
from cranfield.measures.shares import depths_of, judged_documents, mostly_unjudged, top_share
from cranfield.measures.stream import (
    Gathered,
    JudgedSection,
    Unit,
    gather,
    in_sections,
    join_sections,
    judge_lines,
    of_lines,
    open_run,
    read_again,
    sent,
)
from cranfield.scores.frames import complete
from cranfield.scores.matrix import ScoreMatrix, Scores

if TYPE_CHECKING:
    from concurrent.futures import Executor

    import polars as pl

MOST_THREADS = 8
"""Default number of threads: the interpreter keeps no more of them busy."""

NO_COMMON_TOPIC = sentence(
    "measures.no-common-topic",
    "{system}: no topic in common with {qrels}; do the topic ids agree?",
    "the run has none of the topics of the judgments",
)
MISSING_TOPICS = sentence(
    "measures.missing-topics",
    "{system}: no document for {missing} of {topics} topics, {fate}: {which}",
    "the run lacks that many topics of the judgments",
)
UNJUDGED_TOPICS = sentence(
    "measures.unjudged-topics",
    "{system}: {count} topic{s} without judgments dropped: {which}",
    "the run has that many topics that the judgments lack",
)
NO_RELEVANT = sentence(
    "measures.no-relevant",
    "{count} of {topics} topics have no relevant document{level}, so every system scores 0 there: {which}",
    "no document of these topics has the level that counts as relevant",
)


class Evaluator:
    """Judgments and measures, prepared once to score any number of runs.

    Parameters
    ----------
    qrels : the judgments
    measures : names or `Measure` values
    scoring : how runs are read and scored, see `evaluate`

    Examples
    --------
    >>> from cranfield.collection.types import Qrels, Run
    >>> import polars as pl
    >>> qrels = Qrels(pl.DataFrame({"topic": ["1", "1"], "subtopic": ["0", "0"], "document": ["a", "b"],
    ...                             "relevance": [1, 1]}))
    >>> run = Run(pl.DataFrame({"topic": ["1", "1"], "document": ["x", "a"], "rank": [1, 2], "score": [2.0, 1.0]}))
    >>> evaluator = Evaluator(qrels, ["AP", "P@2"])
    >>> evaluator.score(evaluator.judge(run)).tolist()
    [[0.25], [0.5]]
    """

    def __init__(self, qrels: Qrels, measures: MeasuresLike, **scoring: Unpack[ScoringOptions]) -> None:
        options = complete_scoring(scoring, "Evaluator")
        self.order, self.single_precision = options["order"], options["single_precision"]
        level, gains, intents = options["level"], options["gains"], options["intents"]
        if self.order not in defaults.names(RankingOrder):
            raise ArgumentError(f"`order` must be score, rank or file; got {self.order!r}")
        if level < 1:
            raise ArgumentError(f"`level`, the lowest level that counts as relevant, must be at least 1; got {level}")
        if intents is not None and not isinstance(intents, Intents):
            intents = options["intents"] = read_intents(intents)
        common: dict[str, Value] = {"rel": level} if gains is None else {"rel": level, "gains": check_gains(gains)}
        self.measures = list(dict.fromkeys(one.with_defaults(common) for one in parse_measures(measures)))
        self.qrels, self.scoring = qrels, options
        self.judgments, self.index = prepare(qrels, intents)
        self.judged_only = options["judged_only"]
        self.only_relevant = not (self.judgments.subtopics.level < 1).any()
        if self.judged_only and self.only_relevant:
            raise DataError(
                f"{qrels.name}: every judged document is relevant, so condensed lists would all be perfect. "
                "Leave out `judged_only`."
            )
        self._theirs = [m for m in self.measures if m.name.startswith(IR_MEASURES)]
        self._ours = [m for m in self.measures if m not in self._theirs]
        self._functions = [partial(one.definition.function, **one.arguments) for one in self._ours]
        self._lock = threading.Lock()
        if self._theirs:
            from cranfield.measures.irm import Peer

            self._peer = Peer(qrels, [m.name for m in self._theirs])

    def __reduce__(self) -> tuple[Callable[..., Evaluator], tuple[Any, ...]]:
        """Pickled by its arguments; functions of custom measures come along, so that they are registered there."""
        others = [m.definition.function for m in self._ours if not m.definition.is_ours]
        return _evaluator, (self.qrels, self.measures, self.scoring, others)

    @property
    def topics(self) -> tuple[str, ...]:
        """The topics scored: those of the judgments, in numeric-aware order."""
        return self.judgments.topics

    def judge(self, run: Run) -> JudgedRanking:
        """A run's rankings, ordered and judged."""
        return self.judge_with_unjudged_topics(run)[0]

    def judge_with_unjudged_topics(self, run: Run) -> tuple[JudgedRanking, list[str]]:
        """The same, with the topics of the run that have no judgments."""
        return judge(run, self.judgments, self.index, order=self.order, single_precision=self.single_precision)

    def find(self, topic: Ints, documents: pl.Series) -> Ints:
        """The number of each document among the judged ones, −1 for an unjudged one; `topic` is that of each."""
        return self.index.find(topic, documents)

    def score(self, ranking: JudgedRanking) -> Floats:
        """Our own measures of a ranking (or of a part of it): measures × topics."""
        if self.judged_only:
            ranking = condensed(ranking)
        values = np.empty((len(self._ours), ranking.n_topics))
        for row, (measure, function) in enumerate(zip(self._ours, self._functions, strict=True)):
            judged = ranking.condensed if measure.judged_only else ranking
            scores = np.asarray(_own(measure, function, judged), dtype=np.float64)
            if scores.shape != (ranking.n_topics,) or np.isnan(scores).any():
                got = f"shape {scores.shape}" if scores.shape != (ranking.n_topics,) else "NaN"
                raise DataError(f"measure {measure} must give one number per topic ({ranking.n_topics}); it gave {got}")
            values[row] = scores
        return values

    @property
    def measures_fairness(self) -> bool:
        """Whether a measure needs the groups of documents."""
        return any(measure.name in ("GF", "GFR") for measure in self.measures)

    @property
    def needs_documents(self) -> bool:
        """Whether a measure may need more than the judged documents of a run, so that the run is held whole."""
        return bool(self._theirs) or not all(m.definition.is_ours for m in self._ours)

    @cached_property
    def judge_lines(self) -> Judge | None:
        """What may judge a whole file in one go; None where documents are not ranked by their scores as written."""
        if self.order != "score" or self.single_precision:
            return None
        ahead = self.qrels.ahead
        return ahead.judge if ahead and ahead.judge.rows == len(self.qrels) else judge_lines(self.qrels)

    def score_ahead(self, path: str) -> RunScores | None:
        """The scores of a file that was judged before it was asked for; None for another."""
        ahead = self.qrels.ahead
        if ahead is None or self.judge_lines is not ahead.judge or (found := ahead.judged(path)) is None:
            return None
        system = called(path, found.tag, self.scoring["name"])
        return self._gathered(system, of_lines(found, self.judgments, self.index), ())

    def score_stream(self, stream: RunStream) -> RunScores:
        """`score_run` of a file that is read in blocks."""
        gathered = gather(stream, self.judgments, self.index, self.judge_with_unjudged_topics)
        return self._gathered(stream.system, gathered, stream.notes)

    def judge_section(self, stream: RunStream) -> JudgedSection:
        """The judged documents of a section of a file, for `score_sections`."""
        assert stream.section is not None
        try:
            gathered = gather(stream, self.judgments, self.index, self.judge_with_unjudged_topics)
        except NeedsWhole:
            return JudgedSection(stream.section, None, [])
        return JudgedSection(stream.section, None if gathered.unranked else gathered, stream.blocks)

    def score_sections(self, sections: Sequence[JudgedSection]) -> RunScores | None:
        """`score_stream` from the sections of a file; None where the whole file has to be read."""
        gathered = join_sections(sections)
        if gathered is None:
            return None
        blocks = [block for section in sections for block in section.blocks]
        system = called(sections[0].section.path, first_tag(blocks), self.scoring["name"])
        return self._gathered(system, gathered, run_notes(blocks))

    def _gathered(self, system: str, gathered: Gathered, notes: tuple[str, ...]) -> RunScores:
        ranking = gathered.ranking(self.judgments, system)
        return self.outcome(system, ranking, self.score(ranking), list(gathered.unjudged_topics), notes)

    def score_run(self, run: Run) -> RunScores:
        """All measures of a run, and facts about its topics."""
        ranking, unjudged_topics = self.judge_with_unjudged_topics(run)
        values = self.score(ranking)
        if self._theirs:
            with self._lock:  # ir_measures is not thread-safe
                theirs = self._peer.score(judged_documents(self.qrels, run) if self.judged_only else run)
            rows = dict(zip([*self._ours, *self._theirs], [*values, *theirs], strict=True))
            values = np.array([rows[measure] for measure in self.measures])
        return self.outcome(run.system, ranking, values, unjudged_topics, run.notes)

    def outcome(
        self, system: str, ranking: JudgedRanking, values: Floats, unjudged_topics: list[str], notes: tuple[str, ...]
    ) -> RunScores:
        """The scores of a ranking, with facts about it."""
        missing = [self.topics[at] for at in np.flatnonzero(ranking.retrieved == 0)]
        facts = tuple(missing), tuple(unjudged_topics), notes, ranking.matched(system)
        return RunScores(system, values, *facts, self.shares(ranking))

    @property
    def depths(self) -> list[int]:
        """The depths at which the judged share counts; none where it says nothing."""
        return [] if self.judged_only or self.only_relevant else depths_of(self.measures)

    def shares(self, ranking: JudgedRanking) -> dict[int, float]:
        """The judged share of the top of a ranking at each of these depths."""
        return {depth: top_share(ranking, depth) for depth in self.depths}


def _evaluator(
    qrels: Qrels, measures: list[Measure], scoring: ScoringOptions, _: list[Callable[..., Floats]]
) -> Evaluator:
    return Evaluator(qrels, measures, **scoring)


def _own(measure: Measure, function: partial[Floats], ranking: JudgedRanking) -> Floats:
    """The scores from the function; an error with the place if a custom measure fails."""
    try:
        return function(ranking)
    except Exception as error:
        if measure.definition.is_ours:
            raise
        import traceback

        at = traceback.extract_tb(error.__traceback__)[-1]
        raise DataError(
            f"measure {measure} failed: {type(error).__name__}: {error} ({PurePath(at.filename).name}:{at.lineno})"
        ) from error


@dataclass(frozen=True)
class RunScores:
    """One run's scores (measures × topics), its missing and unjudged topics, and how many documents are judged.

    `shares` is the judged share of its top documents at each depth that counts.
    """

    system: str
    values: Floats
    missing: tuple[str, ...]
    unjudged_topics: tuple[str, ...]
    notes: tuple[str, ...]
    matched: Matched
    shares: Mapping[int, float] = field(default_factory=dict)


def evaluate(
    qrels: QrelsLike,
    runs: RunsLike,
    measures: MeasuresLike = defaults.MEASURES,
    *,
    level: int = defaults.RELEVANCE,
    gains: str | None = None,
    intents: Intents | str | os.PathLike[str] | None = None,
    order: RankingOrder = defaults.ORDER,
    single_precision: bool = False,
    missing: MissingPolicy = "zero",
    lenient: bool = False,
    name: SystemName = defaults.SYSTEM_NAME,
    judged_only: bool = False,
    unjudged: Unjudged | None = None,
    map: str | None = None,
    groups: GroupsLike = (),
    workers: int | None = None,
    executor: Executor | None = None,
    memory: float = defaults.MEMORY_MB,
    progress: Progress | None = None,
) -> Scores:
    """Score every run on every topic by every measure.

    One pass over a run serves all measures: documents are ordered and looked up among the judged ones. Every measure
    is computed from the ranks of the judged documents, for all topics together. Files are read one at a time, and large
    ones in blocks of whole topics, so memory does not grow with their number or size. (Measures of ir_measures and
    custom measures get the whole run.)

    Parameters
    ----------
    qrels : judgments or their file, ``{topic: {document: relevance}}``, a frame or another tool's object; see
        `cranfield.collection.doors.as_qrels`
    runs : runs, or files, directories and globs of them; ``{topic: {document: score}}``, frames and other tools'
        objects, several of them in a list or by name (``{"bm25": run, "ours": run}``); see
        `cranfield.collection.doors.as_runs`
    measures : names such as ``"AP"``, ``"nDCG@10"``, ``"RBP(p=0.8)"`` or ``"map"`` (`cranfield measures` lists all), or
        measure objects of ir_measures; default AP, nDCG@10 and P@10
    level : the lowest level that counts as relevant, for measures without ``rel`` (trec_eval's ``-l``)
    gains : the gain of each level, for measures without ``gains``: ``"linear"``, ``"exp"`` or such as ``"1:3:7"``
    intents : intent probabilities for the D-measures; default uniform over the intents of a topic
    order : ``"score"``: score descending, ties by document id descending in byte order, as trec_eval;
        ``"rank"``: by the rank column, as ndeval; ``"file"``: the order of the file, as NTCIREVAL
    single_precision : compare scores as 32-bit floats, as trec_eval before 9.0.8 and pytrec_eval do
    missing : the meaning of a topic without documents in a run: ``"zero"`` (trec_eval's ``-c``), ``"drop-topic"``, or
        ``"error"``
    lenient, name : how run files are read, see `read_run`
    judged_only : remove unjudged documents from every ranking first (condensed lists, Sakai 2007). Use it where much of
        the top of some run is unjudged, of which a warning tells
    unjudged : ``"bounds"`` adds to every matrix the smallest and largest means and differences that unjudged documents
    allow (see `cranfield.measures.bounds`); `compare` shows them. Runs are then held in memory
    map : the level of each grade, for grades that are not levels, such as a model's 0.75: pairs ``grade:level``, or
        ``grade+:level`` from that grade on (``"0+:0,0.5+:1,0.75+:2"``). A grade without a level is an error
    groups : groups of documents for the measures ``GF`` and ``GFR``: `GroupSet` objects, or their files as texts
        ``KIND=MEMBERS`` or ``KIND=MEMBERS,TARGET`` with KIND nominal or ordinal; see `read_groups`
    workers, executor : threads to use (default one per core, at most 8), or any `concurrent.futures.Executor`; never
        changes a result
    memory : megabytes for this process, approximately; never changes a result. Judgments, runs that must be held whole
        (see above) and topics of several hundred thousand documents may need more
    progress : called with (runs done, runs in all)

    Returns
    -------
    Scores
        One matrix per measure, topics × systems. The topics are those of the judgments. Other topics of a run are
        dropped; `warnings` and the provenance of the matrices report that.

    Examples
    --------
    Average precision and its NTCIREVAL form, which divides by min(k, R) (Sakai, 2014):

    >>> import polars as pl
    >>> from cranfield import Qrels, Run, evaluate
    >>> qrels = Qrels(pl.DataFrame({"topic": ["1"] * 3, "subtopic": ["0"] * 3, "document": ["a", "b", "c"],
    ...                             "relevance": [2, 1, 1]}))
    >>> run = Run(pl.DataFrame({"topic": ["1"] * 3, "document": ["x", "a", "b"], "rank": [1, 2, 3],
    ...                         "score": [3.0, 2.0, 1.0]}), system="bm25")
    >>> scores = evaluate(qrels, run, ["AP@2", "AP(tool=ntcir)@2"])
    >>> [round(float(matrix.values[0, 0]), 4) for matrix in scores.values()]
    [0.1667, 0.25]
    """
    check_arguments(evaluate, locals())
    judged = as_qrels(qrels, map)
    judged = with_groups(judged, groups) if groups else judged
    evaluator = Evaluator(
        judged, measures, level=level, gains=gains, intents=intents, order=order,
        single_precision=single_precision, lenient=lenient, name=name, judged_only=judged_only,
    )  # fmt: skip
    sources = as_runs(runs)
    if unjudged is not None:
        sources = _held_for_bounds(sources, unjudged, judged_only, lenient, name)
    run_scores: list[RunScores] = []
    places: dict[str, str | int] = {}
    executor = executor or surrounding()
    units: Iterable[Unit] = sources
    if executor is None:
        workers = workers or min(available_workers(), MOST_THREADS)
        if judged.ahead is not None and judged.ahead.is_at_work():
            workers = max(1, workers - 1)
    else:
        units = sent(sources, lenient, name)
        units = units if evaluator.needs_documents else in_sections(units)
    work = partial(_score_unit, evaluator, _share(memory, workers, units))
    spread = partial(map_in_order, work, executor=executor, workers=workers)
    scored = spread(units, progress=progress, weight=_runs_in)
    for number, outcome in enumerate(_joined(evaluator, scored, spread)):
        source = sources[number] if isinstance(sources, list) else None
        place = source if isinstance(source, str) else number + 1
        if outcome.system in places:
            raise DataError(same_system(outcome.system, places[outcome.system], place))
        places[outcome.system] = place
        run_scores.append(outcome)
    if not run_scores:
        raise DataError("no run to evaluate")
    matched, again = [outcome.matched for outcome in run_scores], partial(read_again, sources, lenient, name)
    refuse_other_ids(evaluator.qrels, len(evaluator.judgments.topic), matched, again)
    scores = assemble(evaluator, run_scores, missing, skipped_files(sources))
    if unjudged is not None:
        scores = _bounded(evaluator, scores, [one for one in sources if isinstance(one, Run)])
    notify(scores.warnings)
    return scores


def _held_for_bounds(
    sources: Iterable[Run | str], unjudged: str, judged_only: bool, lenient: bool, name: SystemName
) -> list[Run | str]:
    """The runs in memory; bounds need the documents that are not judged."""
    if unjudged not in defaults.names(Unjudged):
        raise UnknownNameError("unjudged", unjudged, defaults.names(Unjudged))
    if judged_only:
        raise ArgumentError("`judged_only` removes unjudged documents, so bounds have no meaning. Leave out one.")
    return [open_run(one, lenient, name) for one in sources]


def _bounded(evaluator: Evaluator, scores: Scores, runs: list[Run]) -> Scores:
    """The scores with their bounds."""
    from cranfield.measures.bounds import bounds_of

    found = bounds_of(evaluator, [evaluator.judge(run) for run in runs], [run.system for run in runs])
    with_bounds = [replace(one, unjudged=bounds) for one, bounds in zip(scores.values(), found, strict=True)]
    return Scores(with_bounds, scores.warnings)


def _share(memory: float, workers: int | None, sources: Any) -> float:
    """The bytes that one of several workers may take."""
    at_once = min(workers or available_workers(), len(sources) if isinstance(sources, list) else MOST_THREADS)
    return max(memory - defaults.LIBRARIES_MB, memory / 10) * 1e6 / max(at_once, 1)


def _runs_in(unit: Unit) -> int:
    """The number of runs that a unit of work completes."""
    return int(not isinstance(unit, RunSection) or unit.start == 0)


def _score_unit(evaluator: Evaluator, memory: float, unit: Unit) -> RunScores | JudgedSection:
    """One run's scores, or the judged documents of a section of its file."""
    lenient, name = evaluator.scoring["lenient"], evaluator.scoring["name"]
    if isinstance(unit, Run) or (evaluator.needs_documents and isinstance(unit, str)):
        return evaluator.score_run(open_run(unit, lenient, name))
    if isinstance(unit, str) and (scores := evaluator.score_ahead(unit)) is not None:
        return scores
    stream = RunStream(unit, lenient=lenient, name=name, memory=memory, judge=evaluator.judge_lines)
    return evaluator.judge_section(stream) if isinstance(unit, RunSection) else evaluator.score_stream(stream)


def _joined(
    evaluator: Evaluator,
    scored: Iterator[RunScores | JudgedSection],
    spread: Callable[[list[Unit]], Iterator[RunScores | JudgedSection]],
) -> Iterator[RunScores]:
    """The scores of every run; a file whose sections are not enough is scored as a whole."""
    for first in scored:
        if isinstance(first, RunScores):
            yield first
            continue
        sections = [first, *(one for one in islice(scored, first.section.count - 1) if isinstance(one, JudgedSection))]
        outcome = evaluator.score_sections(sections) or next(spread([first.section.path]))
        assert isinstance(outcome, RunScores)
        yield outcome


def assemble(
    evaluator: Evaluator, outcomes: list[RunScores], missing: MissingPolicy, skipped: tuple[str, ...]
) -> Scores:
    """The scores of all runs, one matrix per measure, with warnings."""
    systems = [outcome.system for outcome in outcomes]
    values = np.stack([outcome.values for outcome in outcomes], axis=2)  # measures × topics × systems
    at = {topic: number for number, topic in enumerate(evaluator.topics)}
    unanswered = np.zeros(values.shape[1:], dtype=np.bool_)
    for column, outcome in enumerate(outcomes):
        unanswered[[at[topic] for topic in outcome.missing], column] = True
    if missing != "zero":
        values[:, unanswered] = np.nan
    warnings = (*skipped, *run_warnings(evaluator, evaluator.qrels, outcomes, missing))
    intents = evaluator.judgments.intents
    facts = {"precision": "single" if evaluator.single_precision else None, "intents": intents and intents.name}
    facts["lists"] = "condensed" if evaluator.judged_only else None
    steps = (signature(f"evaluated on {evaluator.qrels.name}", order=evaluator.order, **facts), *warnings)
    matrices = [
        complete(layer, evaluator.topics, systems, str(measure), missing=missing, provenance=steps)
        if missing != "zero"
        else ScoreMatrix(layer, evaluator.topics, systems, str(measure), provenance=steps, filled=unanswered)
        for measure, layer in zip(evaluator.measures, values, strict=True)
    ]
    return Scores(matrices, warnings)


def run_warnings(
    evaluator: Evaluator, qrels: Qrels, outcomes: list[RunScores], missing: MissingPolicy
) -> tuple[str, ...]:
    """Warnings about the judgments and the runs, one sentence each."""
    texts = [f"{qrels.name}: {note}" for note in qrels.notes]
    topics = len(evaluator.topics)
    for outcome in outcomes:
        system, lacks = outcome.system, len(outcome.missing)
        texts += [f"{system}: {note}" for note in outcome.notes]
        if lacks == topics:
            texts.append(NO_COMMON_TOPIC(system=system, qrels=qrels.name))
        elif lacks and missing != "error":
            fate, which = "scored 0" if missing == "zero" else "dropped for every system", summary(outcome.missing)
            texts.append(MISSING_TOPICS(system=system, missing=lacks, topics=topics, fate=fate, which=which))
        if lacks < topics:
            texts += outcome.matched.warnings(len(evaluator.judgments.topic))
        if count := len(outcome.unjudged_topics):
            which = summary(outcome.unjudged_topics)
            texts.append(UNJUDGED_TOPICS(system=system, count=count, s="s" * (count > 1), which=which))
    if evaluator.measures_fairness:
        texts += groups_unknown(evaluator.judgments)
    gone = {topic for outcome in outcomes for topic in outcome.missing} if missing == "drop-topic" else set()
    return (*texts, *mostly_unjudged(outcomes), *_topics_without_relevant(evaluator, gone))


def _topics_without_relevant(evaluator: Evaluator, gone: set[str]) -> list[str]:
    """Topics without relevant documents at the levels in use, except dropped ones."""
    texts = []
    subtopics, topic = evaluator.judgments.subtopics, evaluator.judgments.topic
    for level in sorted({int(m.get("rel") or 1) for m in evaluator.measures}):
        some = np.bincount(topic[subtopics.document[subtopics.level >= level]], minlength=len(evaluator.topics))
        empty = [t for t, count in zip(evaluator.topics, some, strict=True) if not count and t not in gone]
        if empty:
            at, topics = "" if level == 1 else f" at level {level} or above", len(evaluator.topics) - len(gone)
            texts.append(NO_RELEVANT(count=len(empty), topics=topics, level=at, which=summary(empty)))
    return texts
