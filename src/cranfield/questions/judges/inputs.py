"""The judgments of people and machines as matched tables of scores and grades."""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations
from pathlib import Path
from typing import Any, TypeAlias, cast

import numpy as np
import polars as pl
from numpy.typing import NDArray

from cranfield.collection.doors import QrelsLike, RunsLike, as_qrels
from cranfield.collection.teams import read_teams
from cranfield.collection.types import Qrels
from cranfield.core.errors import ArgumentError, DataError, quietly
from cranfield.core.labels import natural_sorted, summary
from cranfield.measures.evaluation import evaluate
from cranfield.measures.options import ScoringOptions
from cranfield.scores.doors import ScoresLike, as_scores
from cranfield.scores.matrix import ScoreMatrix

Array = NDArray[np.float64]
Judgments: TypeAlias = QrelsLike | ScoresLike
"""The judgments of one judge; or scores of systems by them."""
JudgesLike: TypeAlias = Judgments | Mapping[str, Judgments] | Sequence[Judgments]
"""One judge, or several in a list or by name."""
PAIR = ("topic", "document")


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
    """

    reference: Judge
    seconds: tuple[Judge, ...]
    machines: tuple[Judge, ...]
    runs: Any
    measure: str
    scoring: ScoringOptions

    @property
    def common(self) -> list[str]:
        """Topics that the reference and every machine scored, in order."""
        return natural_sorted(frozenset.intersection(self.reference.topics, *(one.topics for one in self.machines)))

    @property
    def extra(self) -> list[str]:
        """Topics that every machine scored and the reference did not, in order."""
        return natural_sorted(frozenset.intersection(*(one.topics for one in self.machines)) - self.reference.topics)

    def pairs_in_common(self, judge: Judge, other: Judge) -> pl.DataFrame:
        """The pairs that both graded: topic, document, relevance of the first, grade of the second."""
        first, second = (cast("Qrels", one.qrels).frame.select(*PAIR, "relevance") for one in (judge, other))
        return first.join(second.rename({"relevance": "grade"}), on=PAIR, how="inner", maintain_order="left")

    def restricted(self, judges: Sequence[Judge]) -> tuple[list[str], list[Array]] | None:
        """Scores of these judges on the pairs that all of them judged; None without their grades."""
        if self.runs is None or any(one.qrels is None for one in judges):
            return None
        frames = [cast("Qrels", one.qrels).frame for one in judges]
        shared = frames[0].select(PAIR)
        for frame in frames[1:]:
            shared = shared.join(frame.select(PAIR), on=PAIR, how="semi", maintain_order="left")
        if shared.is_empty():
            return None
        cut = [Qrels(frame.join(shared, on=PAIR, how="semi", maintain_order="left")) for frame in frames]
        scored = [_evaluated(one, self.runs, self.measure, self.scoring) for one in cut]
        topics = natural_sorted(set(scored[0].topics))
        return topics, [one.select(topics=topics).values for one in scored]


def gather(
    human: JudgesLike,
    machine: JudgesLike,
    runs: RunsLike | None,
    measure: str,
    mapping: str | None,
    scoring: ScoringOptions,
) -> Bench:
    """Read every judge, score the runs by each, and match systems."""
    grades = parse_mapping(mapping)
    listed: Any = runs
    if runs is not None and not isinstance(runs, (str, os.PathLike, Mapping)) and isinstance(runs, Iterable):
        listed = list(cast("Iterable[Any]", runs))
    people = _judges(human, "human", listed, measure, None, scoring)
    machines = _judges(machine, "machine", listed, measure, grades, scoring)
    names = [one.name for one in (*people, *machines)]
    if twice := next((a for a, b in combinations(names, 2) if a == b), None):
        raise DataError(f"two judges are called {twice!r}. Rename one of the files, or give a mapping of names.")
    systems = natural_sorted(frozenset.intersection(*(frozenset(one.scores.systems) for one in (*people, *machines))))
    if len(systems) < 2:
        raise DataError(f"the judges share {len(systems)} systems; at least 2 are needed. Score the same runs by each.")
    matched = [Judge(one.name, one.scores.select(systems=systems), one.qrels) for one in (*people, *machines)]
    return Bench(matched[0], tuple(matched[1 : len(people)]), tuple(matched[len(people) :]), listed, measure, scoring)


def parse_mapping(mapping: str | None) -> dict[int, int] | None:
    """Machine grade → human grade, from text such as ``0:0,1:0,2:1,3:1``.

    >>> parse_mapping("0:0,1:0,2:1,3:1")
    {0: 0, 1: 0, 2: 1, 3: 1}
    """
    if mapping is None:
        return None
    try:
        pairs = [part.split(":") for part in mapping.split(",")]
        found = {int(source): int(target) for source, target in pairs}
    except ValueError:
        raise ArgumentError(f"`map` must be pairs of grades; got {mapping!r}. Write 0:0,1:0,2:1,3:1.") from None
    if len(found) < len(pairs):
        raise ArgumentError(f"`map` names a grade twice: {mapping!r}. Write each machine grade once.")
    return found


def read_groups(groups: Mapping[str, str] | str | os.PathLike[str] | None) -> Mapping[str, str] | None:
    """System → group from a mapping or a file of lines ``system group``."""
    return groups if groups is None or isinstance(groups, Mapping) else read_teams(groups)


def _judges(
    given: JudgesLike,
    role: str,
    runs: Any,
    measure: str,
    grades: Mapping[int, int] | None,
    scoring: ScoringOptions,
) -> list[Judge]:
    listed = _listed(given)
    if not listed:
        raise ArgumentError(f"`{role}` names no judgments. Give at least one file.")
    found = []
    for at, (name, judgments) in enumerate(listed):
        if runs is None:
            with quietly():
                scores = as_scores(cast("ScoresLike", judgments), argument=role)
            matrix = scores[measure] if measure in scores else scores.only()
            found.append(Judge(name or _stem(judgments) or f"{role} {at + 1}", matrix))
            continue
        qrels = _mapped(as_qrels(cast("QrelsLike", judgments)), grades)
        label = name or _stem(judgments) or f"{role} {at + 1}"
        found.append(Judge(label, _evaluated(qrels, runs, measure, scoring), qrels))
    return found


def _listed(given: Any) -> list[tuple[str, Any]]:
    """The judges by name; a list has no names."""
    if isinstance(given, (list, tuple)) and not (len(given) == 3 and isinstance(given[0], np.ndarray)):
        return [("", one) for one in given]
    if isinstance(given, Mapping) and given and all(_is_judgments(one) for one in given.values()):
        return list(given.items())
    return [("", given)]


def _is_judgments(thing: Any) -> bool:
    """Whether a value in a mapping is a judge of its own rather than the grades of a topic."""
    if isinstance(thing, Mapping):
        return any(isinstance(inside, Mapping) for inside in thing.values())
    return isinstance(thing, (Qrels, ScoreMatrix, str, os.PathLike, pl.DataFrame))


def _stem(judgments: Any) -> str:
    """A short name: that of the file without its endings, or of the judgments."""
    if isinstance(judgments, (str, os.PathLike)):
        name = Path(judgments).name
        for ending in (".gz", ".zst", ".xz", ".bz2", ".csv", ".tsv", ".parquet", ".qrels", ".txt", ".qrel"):
            name = name.removesuffix(ending)
        return name
    return judgments.name if isinstance(judgments, Qrels) and judgments.name != "qrels" else ""


def _mapped(qrels: Qrels, grades: Mapping[int, int] | None) -> Qrels:
    """Judgments with grades replaced; a grade that the mapping lacks is refused."""
    if grades is None:
        return qrels
    lacking = sorted(set(qrels.frame["relevance"].unique().to_list()) - set(grades))
    if lacking:
        raise DataError(
            f"{qrels.name}: `map` has no target for grade {summary([str(grade) for grade in lacking])}. Add it."
        )
    return Qrels(
        qrels.frame.with_columns(pl.col("relevance").replace_strict(grades, return_dtype=pl.Int32)), qrels.name
    )


def _evaluated(qrels: Qrels, runs: Any, measure: str, scoring: ScoringOptions) -> ScoreMatrix:
    with quietly():
        return evaluate(qrels, runs, measure, **scoring).only()
