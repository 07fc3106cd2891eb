"""`Qrels` (judgments) and `Run` (a system's rankings): columns, not dictionaries."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import polars as pl

from cranfield.core.labels import natural_sorted

if TYPE_CHECKING:
    from cranfield.collection.groups import GroupSet

Schema = dict[str, type[pl.DataType]]
RUN_SCHEMA: Schema = {"topic": pl.String, "document": pl.String, "rank": pl.Int64, "score": pl.Float64}
QRELS_SCHEMA: Schema = {"topic": pl.String, "subtopic": pl.String, "document": pl.String, "relevance": pl.Int32}


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
