"""`Hits`: the judged documents of rankings as columns, and sums over them by topic."""

from __future__ import annotations

from dataclasses import replace
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from cranfield.records import record

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]
Mask = NDArray[np.bool_]


@record(eq=False)
class Hits:
    """Documents of rankings, one row each, by topic and within a topic by rank.

    Parameters
    ----------
    topic : which topic (its number), ascending
    rank : place in the ranking, from 1, ascending within a topic
    level : relevance level
    gain : what finding the document is worth
    document : which judged document (its number in the judgments)
    n_topics : how many topics there are, those without rows included
    """

    topic: Ints
    rank: Ints
    level: Ints
    gain: Floats
    document: Ints
    n_topics: int

    def __len__(self) -> int:
        return len(self.topic)

    def where(self, mask: Mask) -> Hits:
        """The rows chosen by a mask."""
        rows = np.flatnonzero(mask)
        return Hits(
            self.topic[rows],
            self.rank[rows],
            self.level[rows],
            self.gain[rows],
            self.document[rows],
            self.n_topics,
        )

    def until(self, cutoff: int | None) -> Hits:
        """The rows of the first `cutoff` ranks; all without one."""
        return self if cutoff is None else self.where(self.rank <= cutoff)

    def worth(self, gain: Floats) -> Hits:
        """The same rows with other gains."""
        return replace(self, gain=gain)

    @cached_property
    def starts(self) -> Ints:
        """Where each topic's rows begin, and the end of the last one."""
        return np.searchsorted(self.topic, np.arange(self.n_topics + 1))

    @cached_property
    def position(self) -> Ints:
        """How many rows of the same topic stand above each row."""
        return np.arange(len(self)) - self.starts[self.topic]

    def count(self) -> Floats:
        """Rows of each topic."""
        return np.diff(self.starts).astype(np.float64)

    def total(self, values: Floats) -> Floats:
        """Sum of the values of each topic, taken in order of rank."""
        return sum_by(self.topic, values, self.n_topics)

    def first(self, values: Floats) -> Floats:
        """The value of each topic's first row; 0 for a topic without rows."""
        first_values = np.zeros(self.n_topics)
        top = self.position == 0
        first_values[self.topic[top]] = values[top]
        return first_values

    def counted(self, mask: Mask) -> Ints:
        """How many chosen rows of the same topic stand at or above each row."""
        seen: Ints = np.concatenate([[0], np.cumsum(mask)])
        counts: Ints = seen[1:] - seen[self.starts[self.topic]]
        return counts

    def running(self, values: Floats) -> Floats:
        """Sum of the values of the same topic at or above each row.

        Each topic is summed on its own, so a topic's scores do not depend on the other topics.
        """
        return np.add.accumulate(self._grid(values, 0.0), axis=1)[self.topic, self.position]

    def product_above(self, values: Floats) -> Floats:
        """Product of the values of the same topic above each row (1 for the first)."""
        grid = np.multiply.accumulate(self._grid(values, 1.0), axis=1)
        above = np.maximum(self.position - 1, 0)
        return np.where(self.position == 0, 1.0, grid[self.topic, above])

    def _grid(self, values: Floats, empty: float) -> Floats:
        width = int(np.diff(self.starts).max(initial=0))
        grid = np.full((self.n_topics, width), empty)
        grid[self.topic, self.position] = values
        return grid


def sum_by(group: Ints, values: Floats, groups: int) -> Floats:
    """Sum of the values of each group, taken in the order given."""
    return np.bincount(group, weights=values, minlength=groups).astype(np.float64, copy=False)


def ratio(part: Floats | Ints, whole: Floats | Ints) -> Floats:
    """Part by whole, and 0 where the whole is 0 (a topic without relevant documents scores 0)."""
    return np.divide(part, whole, out=np.zeros(len(part)), where=whole != 0)
