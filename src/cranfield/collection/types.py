"""`Qrels` (judgments) and `Run` (a system's rankings): columns, not dictionaries.

Grades that are not levels yet, such as a model's 0.75, become levels by a mapping that the caller declares.
"""

from __future__ import annotations

import math
from bisect import bisect_right
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import polars as pl

from cranfield.core.errors import ArgumentError, DataError
from cranfield.core.labels import natural_sorted, summary

if TYPE_CHECKING:
    from cranfield.collection.ahead import ReadAhead
    from cranfield.collection.groups import GroupSet

Schema = dict[str, type[pl.DataType]]
RUN_SCHEMA: Schema = {"topic": pl.String, "document": pl.String, "rank": pl.Int64, "score": pl.Float64}
QRELS_SCHEMA: Schema = {"topic": pl.String, "subtopic": pl.String, "document": pl.String, "relevance": pl.Int32}
_MOST = 2**31 - 1
DECLARE = "; `map` of evaluate and judges declares levels: 0+:0,0.5+:1"
"""What to do about a grade that is no level."""


@dataclass(frozen=True, eq=False)
class _Rows:
    """What judgments and runs share: rows in a frame."""

    frame: pl.DataFrame

    @property
    def topics(self) -> tuple[str, ...]:
        """The topics, in numeric-aware order."""
        return tuple(natural_sorted(self.frame["topic"].unique().to_list()))

    def __len__(self) -> int:
        return self.frame.height


@dataclass(frozen=True, eq=False)
class Qrels(_Rows):
    """Relevance judgments, one row each: topic, subtopic, document, relevance.

    The subtopic is the iteration field of a TREC file. Only diversity collections use it; for others it is constant or
    ignored. A document is judged at most once per topic and subtopic.

    Parameters
    ----------
    frame : polars frame with columns topic, subtopic, document (strings) and relevance (32-bit integers)
    name : where the judgments come from
    notes : what the reader skipped or noticed, one sentence each
    groups : groups of the documents, for measures of group fairness; see `cranfield.collection.groups`
    """

    name: str = "qrels"
    notes: tuple[str, ...] = ()
    groups: tuple[GroupSet, ...] = ()
    ahead: ReadAhead | None = field(default=None, init=False, repr=False)
    """Runs that another thread has begun to judge by these very rows, if any."""

    def __eq__(self, other: object) -> bool:
        return self.frame.equals(other.frame) if isinstance(other, Qrels) else NotImplemented

    def __repr__(self) -> str:
        relevant = int((self.frame["relevance"] > 0).sum())
        return f"Qrels({self.name}: {len(self.topics)} topics, {len(self)} judgments, {relevant} relevant)"


@dataclass(frozen=True, eq=False)
class Run(_Rows):
    """One system's rankings in the order of its file, one row per retrieved document: topic, document, rank, score.

    Rows are those of the file, in its order. The rank is null where the file has no integer. A document occurs at most
    once per topic. Evaluation orders the documents of a topic by score, by rank, or by file.

    Parameters
    ----------
    frame : polars frame with columns topic, document (strings), rank (64-bit integers), score (doubles)
    system : the system's name
    tag : the run tag inside the file
    notes : what the reader skipped or noticed, one sentence each
    """

    system: str = "run"
    tag: str = ""
    notes: tuple[str, ...] = ()

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Run):
            return NotImplemented
        return self.system == other.system and self.frame.equals(other.frame)

    def __repr__(self) -> str:
        return f"Run({self.system}: {len(self.topics)} topics, {len(self)} documents)"


@dataclass(frozen=True)
class GradeMap:
    """Which level a grade means: the level of that very grade, else of the highest threshold that it reaches.

    Parameters
    ----------
    exact : grade → level
    steps : thresholds with the level from there on, ascending
    written : the mapping as it was written
    """

    exact: Mapping[float, int]
    steps: tuple[tuple[float, int], ...]
    written: str

    @classmethod
    def parse(cls, text: str) -> GradeMap:
        """The mapping that a text declares: pairs ``grade:level``, or ``grade+:level`` from that grade on.

        >>> thresholds = GradeMap.parse("0+:0,0.5+:1,0.75+:2,-1:-1")
        >>> [thresholds.level(grade) for grade in (0.9, 0.75, 0.5, 0.1, -1, -0.5)]
        [2, 2, 1, 0, -1, None]
        """
        exact: dict[float, int] = {}
        steps: dict[float, int] = {}
        pairs = [part.split(":") for part in text.split(",")]
        try:
            for grade, level in pairs:
                (steps if grade.strip().endswith("+") else exact)[float(grade.strip().removesuffix("+"))] = int(level)
            if (
                not all(map(math.isfinite, (*exact, *steps)))
                or max(map(abs, (*exact.values(), *steps.values()))) > _MOST
            ):
                raise ValueError
        except ValueError:
            raise ArgumentError(
                f"`map` must be pairs of grade and level; got {text!r}. Write 0:0,1:0,2:1 or, from a grade on, "
                "0+:0,0.5+:1."
            ) from None
        if len(exact) + len(steps) < len(pairs):
            raise ArgumentError(f"`map` names a grade twice: {text!r}. Write each grade once.")
        return cls(exact, tuple(sorted(steps.items())), text)

    def level(self, grade: float) -> int | None:
        """The level of a grade; None where the mapping has none."""
        at = bisect_right(self.steps, (grade, math.inf))
        return self.exact.get(grade, self.steps[at - 1][1] if at else None)

    def applied(self, qrels: Qrels) -> Qrels:
        """Judgments with their levels taken for grades."""
        level = {grade: self.level(grade) for grade in sorted(qrels.frame["relevance"].unique().to_list())}
        if lacking := [str(grade) for grade, found in level.items() if found is None]:
            raise DataError(f"{qrels.name}: `map` has no target for grade {summary(lacking)}. Add it.")
        column = pl.col("relevance").replace_strict(level, return_dtype=pl.Int32)
        return Qrels(qrels.frame.with_columns(column), qrels.name, (*qrels.notes, self.note), qrels.groups)

    @property
    def note(self) -> str:
        """What judgments and evaluations report."""
        return f"grades read as levels by {self.written}"


def grades_of(map: str | GradeMap | None) -> GradeMap | None:
    """The mapping that a setting `map` declares, if it does."""
    return GradeMap.parse(map) if isinstance(map, str) else map
