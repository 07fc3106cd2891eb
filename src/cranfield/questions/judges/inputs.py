"""The judgments of people and machines as matched tables of scores and grades."""

from __future__ import annotations

import os
from collections.abc import Container, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import combinations
from pathlib import Path
from typing import Any, NamedTuple, TypeAlias, cast

import numpy as np
import polars as pl
from numpy.typing import NDArray

from cranfield.collection.doors import QrelsLike, RunsLike, as_qrels
from cranfield.collection.teams import read_teams
from cranfield.collection.types import GradeMap, Qrels, grades_of
from cranfield.core.defaults import JUDGES_MEASURE, Sampled, names
from cranfield.core.errors import ArgumentError, DataError, FileError, quietly
from cranfield.core.files import read_bytes, speakable, there
from cranfield.core.labels import natural_sorted, plural, summary
from cranfield.core.text import Problems, filled_lines, shown
from cranfield.measures.evaluation import evaluate
from cranfield.measures.names import recognise
from cranfield.measures.options import ScoringOptions
from cranfield.questions.judges.powered import Strata
from cranfield.scores.doors import ScoresLike, as_scores
from cranfield.scores.matrix import ScoreMatrix, Scores

Array = NDArray[np.float64]
Judgments: TypeAlias = QrelsLike | ScoresLike
"""The judgments of one judge; or scores of systems by them."""
JudgesLike: TypeAlias = Judgments | Mapping[str, Judgments] | Sequence[Judgments]
"""One judge, or several in a list or by name."""
PAIR = ("topic", "document")
LEAST_IN_STRATUM = 2


@dataclass(frozen=True, eq=False)
class Judge:
    """One judge: a name, scores (topics × systems) and, where known, grades."""

    name: str
    scores: ScoreMatrix
    qrels: Qrels | None = None

    @property
    def topics(self) -> frozenset[str]:
        """The topics that the judge scored."""
        return frozenset(self.scores.topics)

    def on(self, topics: Sequence[str]) -> Array:
        """Scores of these topics, in this order."""
        return self.scores.select(topics=topics).values if topics else np.empty((0, self.scores.n_systems))


class Side(NamedTuple):
    """A judge beside the reference: scores of both, topics × systems.

    With shared topics both have the same rows. A machine's rows are the topics that every machine and the reference
    scored. A second person's rows come from the pairs (or, for scores, the topics) that both people judged.
    """

    role: str
    judge: Judge
    reference: Array
    own: Array
    shared: bool


class Restricted(NamedTuple):
    """Scores of several judges on what all of them judged; the number of pairs is None for scores."""

    topics: list[str]
    scores: list[Array]
    n_pairs: int | None


@dataclass(frozen=True, eq=False)
class Bench:
    """All judges, the runs they judge, and the topics they share.

    Attributes
    ----------
    reference : the first person
    seconds : further people
    machines : the machines
    common : topics that the reference and every machine scored
    extra : topics that only the machines scored
    dropped : systems that some judge did not score
    """

    reference: Judge
    seconds: tuple[Judge, ...]
    machines: tuple[Judge, ...]
    runs: Any
    measure: str
    scoring: ScoringOptions
    dropped: tuple[str, ...] = ()

    @property
    def common(self) -> list[str]:
        """Topics that the reference and every machine scored, in order."""
        return natural_sorted(frozenset.intersection(self.reference.topics, *(one.topics for one in self.machines)))

    @property
    def extra(self) -> list[str]:
        """Topics that every machine scored and the reference did not, in order."""
        return natural_sorted(frozenset.intersection(*(one.topics for one in self.machines)) - self.reference.topics)

    @property
    def human_only(self) -> list[str]:
        """Topics that the reference scored and at least one machine did not, in order."""
        return natural_sorted(self.reference.topics - frozenset(self.common))

    def pairs_in_common(self, judge: Judge, other: Judge) -> pl.DataFrame:
        """The pairs that both graded: topic, document, relevance of the first, grade of the second."""
        first, second = (cast("Qrels", one.qrels).frame.select(*PAIR, "relevance") for one in (judge, other))
        return first.join(second.rename({"relevance": "grade"}), on=PAIR, how="inner", maintain_order="left")

    def judged_by(self, judges: Sequence[Judge]) -> pl.DataFrame:
        """The pairs that all of these judged; of scores the topics, among those that every machine and people share."""
        within = pl.col("topic").is_in(list(self.common or self.reference.scores.topics))
        if self.runs is None:
            frames = [pl.DataFrame({"topic": one.scores.topics}) for one in judges]
        else:
            frames = [cast("Qrels", one.qrels).frame.select(PAIR) for one in judges]
        shared = frames[0].filter(within)
        for frame in frames[1:]:
            shared = shared.join(frame, on=frame.columns, how="semi", maintain_order="left")
        return shared

    @cached_property
    def sides(self) -> list[Side]:
        """Every machine, then every second person, beside the reference; a person with fewer than 2 topics is left out.

        Without shared topics, a machine's side holds all topics of both.
        """
        topics, found = self.common, []
        for one in self.machines:
            reference, own = (x.on(topics) if topics else x.scores.values for x in (self.reference, one))
            found.append(Side("machine", one, reference, own, bool(topics)))
        for one in self.seconds:
            both = self.restricted((self.reference, one))
            if len(both.topics) > 1:
                found.append(Side("second person", one, both.scores[0], both.scores[1], True))
        return found

    def restricted(self, judges: Sequence[Judge]) -> Restricted:
        """Scores of these judges on the pairs, or without grades on the topics, that all of them judged."""
        if self.runs is None:
            topics = natural_sorted(self.judged_by(judges)["topic"].to_list())
            return Restricted(topics, [one.on(topics) for one in judges], None)
        frames, shared = [cast("Qrels", one.qrels).frame for one in judges], self.judged_by(judges)
        if shared.is_empty():
            return Restricted([], [], 0)
        cut = [Qrels(frame.join(shared, on=PAIR, how="semi", maintain_order="left")) for frame in frames]
        scored = [_evaluated(one, self.runs, self.measure, self.scoring) for one in cut]
        topics = natural_sorted(set(scored[0].topics))
        return Restricted(topics, [one.select(topics=topics).values for one in scored], shared.height)


def gather(
    human: JudgesLike,
    machine: JudgesLike,
    runs: RunsLike | None,
    measure: str | None,
    mapping: str | None,
    scoring: ScoringOptions,
) -> Bench:
    """Read every judge, score the runs by each, and match systems."""
    grades = grades_of(mapping)
    listed: Any = runs
    if runs is not None and not isinstance(runs, (str, os.PathLike, Mapping)) and isinstance(runs, Iterable):
        listed = list(cast("Iterable[Any]", runs))
    if runs is not None and measure is None:
        measure = JUDGES_MEASURE
    if runs is None and grades is not None:
        raise ArgumentError("`map` maps grades, and scores hold none. Leave it out, or give judgments and runs.")
    named = _named(human, machine)
    people = _judges(human, "human", listed, measure, None, scoring, named)
    machines = _judges(machine, "machine", listed, measure, grades, scoring, named)
    every = (*people, *machines)
    called = [one.name for one in every]
    if twice := next((a for a, b in combinations(called, 2) if a == b), None):
        raise DataError(f"two judges are called {twice!r}. Rename one of the files, or give a mapping of names.")
    measured = _measure_of(every)
    systems = natural_sorted(frozenset.intersection(*(frozenset(one.scores.systems) for one in every)))
    if len(systems) < 2:
        raise DataError(f"the judges share {plural(len(systems), 'system')}; at least 2 are needed. Give more runs.")
    dropped = natural_sorted(frozenset.union(*(frozenset(one.scores.systems) for one in every)) - frozenset(systems))
    matched = [Judge(one.name, one.scores.select(systems=systems), one.qrels) for one in every]
    first, *seconds = matched[: len(people)]
    return Bench(first, tuple(seconds), tuple(matched[len(people) :]), listed, measured, scoring, tuple(dropped))


def _measure_of(judges: Sequence[Judge]) -> str:
    """The measure of all judges; different ones are refused. Names that are no measures may come from file names."""
    known = [(one.name, one.scores.measure) for one in judges if recognise(one.scores.measure)]
    if not known:
        return judges[0].scores.measure
    name, measure = known[0]
    for other, found in known[1:]:
        if recognise(found) != recognise(measure):
            raise DataError(f"{name} has {measure} scores, {other} has {found}. Give scores by one measure.")
    return measure


def _named(human: JudgesLike, machine: JudgesLike) -> frozenset[str]:
    """The short names that several files have: these judges are called after their folders too."""
    called = [judge_name(one) for given in (human, machine) for name, one in _listed(given) if not name]
    return frozenset(name for name in called if name and called.count(name) > 1)


def read_groups(groups: Mapping[str, str] | str | os.PathLike[str] | None) -> Mapping[str, str] | None:
    """System → group from a mapping or a file of lines ``system group``."""
    return groups if groups is None or isinstance(groups, Mapping) else read_teams(groups)


SamplingLike: TypeAlias = str | os.PathLike[str] | Mapping[str, str]
"""How human topics were chosen: random, unknown, or the stratum of every topic, in a mapping or a file."""


def read_strata(sampled: SamplingLike) -> Mapping[str, str] | None:
    """Topic → stratum; None where the sampling is ``random`` or ``unknown``."""
    if isinstance(sampled, Mapping):
        return sampled
    if sampled in names(Sampled):
        return None
    label = os.fspath(sampled)
    if label != "-" and not there(Path(label).exists):
        raise ArgumentError(
            f"`sampled` must be random, unknown or a file of strata; got {label!r}. If in doubt, write unknown."
        )
    problems = Problems(label)
    found: dict[str, str] = {}
    for number, line in filled_lines(read_bytes(label), label):
        fields = line.replace(",", " ").split()
        if len(fields) != 2:
            problems.add(number, f"expected a topic and its stratum, found {shown(line.strip())}")
        elif fields[0] in found:
            problems.add(number, f"topic {fields[0]!r} already belongs to stratum {found[fields[0]]!r}")
        else:
            found[fields[0]] = fields[1]
    problems.raise_if_any()
    return found


def strata_of(strata: Mapping[str, str], human: Sequence[str], others: Sequence[str]) -> Strata:
    """The strata of human and further topics; each needs 2 topics of either kind."""
    lacking = [topic for topic in (*human, *others) if topic not in strata]
    if lacking:
        raise DataError(f"`sampled` has no stratum for {plural(len(lacking), 'topic')} ({summary(lacking)}). Add them.")
    labels = list(dict.fromkeys(strata[topic] for topic in (*human, *others)))
    first, second = (np.array([labels.index(strata[topic]) for topic in some], np.intp) for some in (human, others))
    counts = [np.bincount(some, minlength=len(labels)) for some in (first, second)]
    few = [label for at, label in enumerate(labels) if min(counts[0][at], counts[1][at]) < LEAST_IN_STRATUM]
    if few:
        raise DataError(
            f"stratum {few[0]!r} has fewer than {LEAST_IN_STRATUM} human or further machine topics. Merge strata."
        )
    return Strata(first, second, (counts[0] + counts[1]) / (len(first) + len(second)))


def _judges(
    given: JudgesLike,
    role: str,
    runs: Any,
    measure: str | None,
    grades: GradeMap | None,
    scoring: ScoringOptions,
    ambiguous: frozenset[str],
) -> list[Judge]:
    listed = _listed(given)
    if not listed:
        raise ArgumentError(f"`{role}` names no judgments. Give at least one file.")
    found = []
    for at, (name, judgments) in enumerate(listed):
        label = name or judge_name(judgments, ambiguous) or f"{role} {at + 1}"
        if runs is None:
            if isinstance(judgments, Qrels):
                raise DataError(f"`{role}` holds judgments, and `runs` names no runs to score. Add the runs.")
            try:
                with quietly():
                    scores = as_scores(cast("ScoresLike", judgments), argument=role)
            except FileError as error:
                if "contains judgments" not in str(error):
                    raise
                raise DataError(
                    f"{judgments}: contains judgments, and there are no runs to score. Add the runs."
                ) from None
            matrix = scores.only() if measure is None else scores[measure]
            found.append(Judge(label, matrix))
            continue
        qrels = as_qrels(cast("QrelsLike", judgments), map=grades)
        found.append(Judge(label, _evaluated(qrels, runs, cast("str", measure), scoring), qrels))
    return found


def _listed(given: Any) -> list[tuple[str, Any]]:
    """The judges by name; a list has no names."""
    if isinstance(given, (list, tuple)) and not (len(given) == 3 and isinstance(given[0], np.ndarray)):
        return [("", one) for one in given]
    if isinstance(given, Mapping) and given and all(_is_judgments(one) for one in given.values()):
        return list(given.items())
    return [("", given)]


def _is_judgments(thing: Any) -> bool:
    """Whether a value in a mapping is a judge, not the grades of a topic."""
    if isinstance(thing, Mapping) and not isinstance(thing, Scores):
        return any(isinstance(inside, Mapping) for inside in thing.values())
    return isinstance(thing, (Qrels, ScoreMatrix, Scores, str, os.PathLike, pl.DataFrame))


def judge_name(judgments: Any, ambiguous: Container[str] = ()) -> str:
    """A short name: that of the file without its endings, or of the judgments; with its folder if it is ambiguous."""
    if isinstance(judgments, Qrels):
        judgments = judgments.name if judgments.name != "qrels" else ""
    if isinstance(judgments, (str, os.PathLike)):
        name = speakable(Path(judgments).name)
        for ending in (".gz", ".zst", ".xz", ".bz2", ".csv", ".tsv", ".parquet", ".qrels", ".txt", ".qrel"):
            name = name.removesuffix(ending)
        folder = Path(judgments).parent.name
        return f"{folder}/{name}" if name in ambiguous and folder else name
    return ""


def _evaluated(qrels: Qrels, runs: Any, measure: str, scoring: ScoringOptions) -> ScoreMatrix:
    with quietly():
        return evaluate(qrels, runs, measure, **scoring).only()
