"""`ScoreMatrix`: the scores of several systems on several topics by one measure. `Scores`: several measures."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any, Protocol

import numpy as np
from numpy.typing import ArrayLike, NDArray

from cranfield.core.defaults import MISSING, MissingPolicy
from cranfield.core.errors import DataError, UnknownNameError
from cranfield.core.labels import check_unique, natural_sorted, positions, repr_of, summary
from cranfield.core.results import Result, signature

if TYPE_CHECKING:
    import polars as pl

    from cranfield.core.answer import Answer, Drawings
    from cranfield.core.question import Question


_EQUAL = ("measure", "topics", "systems", "partitions")
_LARGEST, _SMALLEST = 1e150, 1e-150
"""In size: squares of larger scores, and their sums, do not fit in a double; squares of smaller ones are next to 0."""


def check_magnitude(measure: str, values: NDArray[np.float64], *, tiny: bool = False) -> None:
    """A `DataError` for scores that are too large to be squared, or, unless `tiny` ones will do, all too small.

    >>> check_magnitude("AP", np.array([[1e-200, 2e-200]]))  # doctest: +ELLIPSIS
    Traceback (most recent call last):
    cranfield.DataError: AP: the largest score in size is 2e-200, and its square is too small for a double; ...
    """
    largest = float(np.abs(values).max(initial=0.0))
    if largest > _LARGEST or (0 < largest < _SMALLEST and not tiny):
        end = "large" if largest > _LARGEST else "small"
        raise DataError(
            f"{measure}: the largest score in size is {largest:g}, and its square is too {end} for a double; "
            "scale the scores first"
        )


class Bounds(Protocol):
    """Bounds of means and mean differences over all levels of the unjudged documents."""

    def means(self, systems: Sequence[str], topics: Sequence[str]) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """Of every system, over these topics."""

    def differences(
        self, system_a: Sequence[str], system_b: Sequence[str], topics: Sequence[str]
    ) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """Of every pair, over these topics."""


@dataclass(frozen=True, eq=False)
class ScoreMatrix(Result):
    """Topic × system scores (optionally × partition) of one measure, with labels and history.

    The matrix is complete: a NaN is refused, so a missing score is always somebody's explicit decision
    (see `missing` of the readers). Values are read-only; every method returns a new matrix.

    Parameters
    ----------
    values : array, shape (topics, systems) or (topics, systems, partitions)
    topics, systems : labels, each unique
    measure : the measure's name
    partitions : labels of the third axis, when there is one
    provenance : what happened to the scores so far, one sentence each
    filled : which cells had no score and count as 0, the shape of `values`; None when every cell had one
    left_out : what was left out for lack of scores, one sentence each
    unjudged : bounds of means and differences over all levels of the unjudged documents, if `evaluate` was asked for
    them

    Examples
    --------
    >>> x = ScoreMatrix([[0.5, 0.25], [1.0, 0.75]], topics=["1", "2"], systems=["bm25", "ql"], measure="AP")
    >>> x
    ScoreMatrix(AP: 2 topics × 2 systems, mean 0.6250)
    >>> x.system_means.tolist()
    [0.75, 0.5]
    """

    values: NDArray[np.float64]
    topics: tuple[str, ...]
    systems: tuple[str, ...]
    measure: str = "score"
    partitions: tuple[str, ...] | None = None
    provenance: tuple[str, ...] = field(default=())
    filled: NDArray[np.bool_] | None = field(default=None, repr=False)
    left_out: tuple[str, ...] = field(default=())
    unjudged: Bounds | None = field(default=None, repr=False)

    def __init__(
        self,
        values: ArrayLike,
        topics: Iterable[str],
        systems: Iterable[str],
        measure: str = "score",
        partitions: Iterable[str] | None = None,
        provenance: Iterable[str] = (),
        filled: NDArray[np.bool_] | None = None,
        left_out: Iterable[str] = (),
        unjudged: Bounds | None = None,
    ) -> None:
        try:
            array = np.array(values, dtype=np.float64, order="C")
        except (TypeError, ValueError, OverflowError):
            raise DataError(
                f"{measure}: scores must be numbers, as many for every topic; got {repr_of(values)}"
            ) from None
        array.flags.writeable = False
        axes = {"topic": tuple(topics), "system": tuple(systems)}
        axes |= {} if partitions is None else {"partition": tuple(partitions)}
        shape = tuple(len(check_unique(kind, labels)) for kind, labels in axes.items())
        self.__dict__.update(  # frozen for everybody else
            values=array, topics=axes["topic"], systems=axes["system"], measure=measure,
            partitions=axes.get("partition"), provenance=tuple(provenance), left_out=tuple(left_out),
            filled=filled if filled is not None and filled.any() else None, unjudged=unjudged,
        )  # fmt: skip
        if array.shape != shape:
            raise DataError(f"{measure}: the labels describe a {shape} matrix, the values are {array.shape}")
        if 0 in shape:
            raise DataError(f"{measure}: a score matrix needs at least one topic and one system; got {shape}")
        if np.isnan(array).any():
            where = np.argwhere(np.isnan(array))
            topic, system = self.topics[where[0][0]], self.systems[where[0][1]]
            raise DataError(
                f"{measure}: {len(where)} of {array.size} scores are NaN, the first for topic {topic!r}, "
                f"system {system!r}; choose what a missing score means (missing='zero' or 'drop-topic')"
            )

    # ── what it is ────────────────────────────────────────────────────────────────────────────────────────

    @property
    def n_topics(self) -> int:
        """How many topics."""
        return len(self.topics)

    @property
    def n_systems(self) -> int:
        """How many systems."""
        return len(self.systems)

    @property
    def system_means(self) -> NDArray[np.float64]:
        """Mean score of each system over topics (and partitions)."""
        return self._means((0,) if self.partitions is None else (0, 2))

    @property
    def topic_means(self) -> NDArray[np.float64]:
        """Mean score of each topic over systems (and partitions)."""
        return self._means((1,) if self.partitions is None else (1, 2))

    def _means(self, axes: tuple[int, ...]) -> NDArray[np.float64]:
        """Means over these axes; in a smaller unit where a sum would be too large for a double."""
        if max(self.values.max(), -self.values.min()) < 2.0**900:
            return np.asarray(self.values.mean(axis=axes))
        return np.asarray(np.ldexp(np.ldexp(self.values, -64).mean(axis=axes), 64))

    @property
    def warnings(self) -> tuple[str, ...]:
        """What every result made from these scores says too: cells without a score, and what was left out for them."""
        if self.filled is None:
            return self.left_out
        count = int(self.filled.sum())
        rest = tuple(axis for axis in range(self.filled.ndim) if axis != 1)
        systems = [self.systems[at] for at in np.flatnonzero(self.filled.any(axis=rest))]
        text = f"{count} of {self.values.size} scores {'was' if count == 1 else 'were'} missing and count"
        return (*self.left_out, f"{text}{'s' * (count == 1)} as 0: {summary(systems)}")

    def __eq__(self, other: object) -> bool:
        """The same labels in the same order, the same measure and exactly the same values."""
        if not isinstance(other, ScoreMatrix):
            return NotImplemented
        same = all(getattr(self, name) == getattr(other, name) for name in _EQUAL)
        return same and np.array_equal(self.values, other.values)

    __hash__ = None  # type: ignore[assignment]

    @property
    def settings(self) -> dict[str, Any]:
        """What the scores are: measure and size."""
        return {"measure": self.measure, "n_topics": self.n_topics, "n_systems": self.n_systems}

    @property
    def signature(self) -> str:
        """One line for a footnote."""
        return signature("scores", measure=self.measure, topics=self.n_topics, systems=self.n_systems)

    def _shape_text(self) -> str:
        parts = [f"{self.n_topics} topics", f"{self.n_systems} systems"]
        if self.partitions is not None:
            parts.append(f"{len(self.partitions)} partitions")
        return " × ".join(parts)

    def __repr__(self) -> str:
        return f"ScoreMatrix({self.measure}: {self._shape_text()}, mean {self.values.mean():.4f})"

    # ── the same scores, otherwise arranged ───────────────────────────────────────────────────────────────

    def select(
        self,
        *,
        topics: Iterable[str] | None = None,
        systems: Iterable[str] | None = None,
        partitions: Iterable[str] | None = None,
    ) -> ScoreMatrix:
        """The given topics and systems, in the order given.

        >>> x = ScoreMatrix([[0.1, 0.2], [0.3, 0.4]], ["1", "2"], ["a", "b"], "AP")
        >>> x.select(topics=["2"], systems=["b", "a"]).values.tolist()
        [[0.4, 0.3]]
        """
        values, filled = self.values, self.filled
        labels: dict[str, Any] = {}
        for axis, (kind, wanted) in enumerate([("topic", topics), ("system", systems), ("partition", partitions)]):
            if wanted is None:
                continue
            known = (self.topics, self.systems, self.partitions or ())[axis]
            chosen = tuple(wanted)
            places = positions(kind, chosen, known)
            values = np.take(values, places, axis=axis)
            filled = None if filled is None else np.take(filled, places, axis=axis)
            labels[kind + "s"] = chosen
        return replace_values(self, values, filled=filled, unjudged=self.unjudged, **labels)

    def drop(self, *, topics: Iterable[str] = (), systems: Iterable[str] = ()) -> ScoreMatrix:
        """All but the given topics and systems."""
        gone_topics, gone_systems = set(topics), set(systems)
        positions("topic", gone_topics, self.topics)
        positions("system", gone_systems, self.systems)
        return self.select(
            topics=[t for t in self.topics if t not in gone_topics],
            systems=[s for s in self.systems if s not in gone_systems],
        )

    def sorted(self) -> ScoreMatrix:
        """Topics and systems in numeric-aware order of their labels, for display."""
        return self.select(topics=natural_sorted(self.topics), systems=natural_sorted(self.systems))

    def canonical(self) -> ScoreMatrix:
        """Topics and systems in byte order of their labels: the order every random procedure starts from."""
        return self.select(topics=sorted(self.topics, key=str.encode), systems=sorted(self.systems, key=str.encode))

    def partition(self, label: str) -> ScoreMatrix:
        """The topic × system matrix of one partition."""
        (at,) = positions("partition", [label], self.partitions or ())
        filled = None if self.filled is None else self.filled[:, :, at]
        return replace_values(self, self.values[:, :, at], partitions=None, filled=filled)

    def note(self, *steps: str) -> ScoreMatrix:
        """The same scores with further steps in their provenance."""
        return replace_values(self, self.values, unjudged=self.unjudged, provenance=(*self.provenance, *steps))

    # ── two matrices ──────────────────────────────────────────────────────────────────────────────────────

    def align(self, other: ScoreMatrix, *, missing: MissingPolicy = MISSING) -> tuple[ScoreMatrix, ScoreMatrix]:
        """Both matrices over the same topics in the same order (that of this one), matched by topic id.

        Topics only one of them has are an error, or with ``missing="drop-topic"`` left out and recorded.
        ``"zero"`` is refused: a whole topic of zeros is not a score.
        """
        ours, theirs = set(self.topics), set(other.topics)
        unmatched = [t for t in self.topics if t not in theirs] + [t for t in other.topics if t not in ours]
        if not unmatched:
            return self, other.select(topics=self.topics)
        common = [t for t in self.topics if t in theirs]
        if missing != "drop-topic" or not common:
            advice = "pass missing='drop-topic' to use the common topics" if common else "no topic is in common"
            raise DataError(
                f"the two matrices differ in {len(unmatched)} topics ({summary(unmatched)}); "
                f"{len(common)} are in common; {advice}"
            )
        step = f"dropped {len(unmatched)} topics that only one of two matrices has: {summary(unmatched)}"
        ours_kept, theirs_kept = (
            replace(matrix.select(topics=common).note(step), left_out=(*matrix.left_out, step))
            for matrix in (self, other)
        )
        return ours_kept, theirs_kept

    def join(self, other: ScoreMatrix, *, missing: MissingPolicy = MISSING) -> ScoreMatrix:
        """One matrix with the systems of both, over the same topics (see `align`).

        >>> a = ScoreMatrix([[0.1], [0.2]], ["1", "2"], ["bm25"], "AP")
        >>> b = ScoreMatrix([[0.4], [0.3]], ["2", "1"], ["ql"], "AP")
        >>> a.join(b).values.tolist()
        [[0.1, 0.3], [0.2, 0.4]]
        """
        if self.measure != other.measure:
            raise DataError(f"cannot join {self.measure} and {other.measure} scores: the measures differ")
        if self.partitions != other.partitions:
            raise DataError("cannot join matrices with different partitions")
        both = sorted(set(self.systems) & set(other.systems))
        if both:
            raise DataError(f"systems in both matrices: {summary(both)}; rename or drop them first")
        left, right = self.align(other, missing=missing)
        return ScoreMatrix(
            np.concatenate([left.values, right.values], axis=1),
            left.topics,
            left.systems + right.systems,
            self.measure,
            self.partitions,
            dict.fromkeys(left.provenance + right.provenance),
            None if left.filled is None and right.filled is None else np.concatenate([mask(left), mask(right)], axis=1),
            dict.fromkeys(left.left_out + right.left_out),
        )

    # ── what a method needs ───────────────────────────────────────────────────────────────────────────────

    def require(self, *, topics: int = 2, systems: int = 2, what: str = "this", tiny: bool = False) -> ScoreMatrix:
        """The matrix itself, once it is known to be large enough, two-dimensional, finite, and fit to be squared.

        With `tiny`, scores will do that are all so small that their squares are next to 0.

        >>> ScoreMatrix([[0.5]], ["1"], ["a"], "AP").require(what="a variance")
        Traceback (most recent call last):
        cranfield.DataError: AP: a variance needs at least 2 topics; there is 1. Give scores of more topics.
        """
        for kind, least, count in [("topics", topics, self.n_topics), ("systems", systems, self.n_systems)]:
            if count < least:
                there = f"there {'is' if count == 1 else 'are'} {count}"
                raise DataError(
                    f"{self.measure}: {what} needs at least {least} {kind}; {there}. Give scores of more {kind}."
                )
        if self.partitions is not None:
            raise DataError(f"{self.measure}: {what} needs topic × system scores; choose one partition first")
        if not np.isfinite(self.values).all():
            row, column = np.argwhere(~np.isfinite(self.values))[0]
            raise DataError(
                f"{self.measure}: {what} needs finite scores; topic {self.topics[row]!r}, "
                f"system {self.systems[column]!r} has {self.values[row, column]}"
            )
        check_magnitude(self.measure, self.values, tiny=tiny)
        return self

    # ── frames ────────────────────────────────────────────────────────────────────────────────────────────

    def to_wide(self) -> pl.DataFrame:
        """A polars frame with a ``topic`` column and one column per system."""
        import polars as pl

        if self.partitions is not None:
            raise DataError(f"{self.measure}: a wide frame has no place for partitions; use to_long()")
        if "topic" in self.systems:
            raise DataError("a system is called 'topic', the name of the topic column; use to_long()")
        return pl.DataFrame({"topic": self.topics, **dict(zip(self.systems, self.values.T, strict=True))})

    def to_long(self) -> pl.DataFrame:
        """A polars frame with columns system, topic, measure, (partition,) value."""
        import polars as pl

        # System by system, topics in their order.
        axes = {"system": self.systems, "topic": self.topics} | (
            {} if self.partitions is None else {"partition": self.partitions}
        )
        codes = np.indices([len(labels) for labels in axes.values()]).reshape(len(axes), -1)
        columns = [
            pl.Series(part, list(labels), dtype=pl.String).gather(code)
            for (part, labels), code in zip(axes.items(), codes, strict=True)
        ]
        columns.insert(2, pl.Series("measure", [self.measure]).new_from_index(0, self.values.size))
        return pl.DataFrame([*columns, pl.Series("value", self.values.swapaxes(0, 1).reshape(-1))])

    to_frame = to_long

    @classmethod
    def from_wide(
        cls, frame: Any, *, measure: str = "score", missing: MissingPolicy = MISSING, topic: str = "topic"
    ) -> ScoreMatrix:
        """From a polars or pandas frame with one row per topic and one column per system.

        The topics are the column named by `topic`, or the index of a pandas frame without such a column.
        """
        from cranfield.scores.frames import from_wide

        return from_wide(frame, measure=measure, missing=missing, topic=topic)

    @classmethod
    def from_long(cls, frame: Any, *, measure: str | None = None, missing: MissingPolicy = MISSING) -> ScoreMatrix:
        """From a polars or pandas frame with columns system, topic, (measure,) value (PyTerrier's names too)."""
        from cranfield.scores.frames import from_long

        scores = from_long(frame, measure=measure, missing=missing)
        return scores[measure] if measure is not None else scores.only()

    def answer(self, question: Question | None = None) -> Answer:
        """What the result says, as every skin shows it."""
        from cranfield.questions.evaluate.answer import scores_answer

        return scores_answer(self, question)

    @staticmethod
    def drawings() -> Drawings:
        """Its charts by name; the first is drawn unless another is named."""
        from cranfield.questions.evaluate import charts

        return {"topics": charts.topics, "systems": charts.systems, "difference": charts.difference}


def mask(matrix: ScoreMatrix) -> NDArray[np.bool_]:
    """Which cells had no score and count as 0; none of most matrices."""
    return np.zeros(matrix.values.shape, dtype=np.bool_) if matrix.filled is None else matrix.filled


def with_warnings(scores: Scores) -> ScoreMatrix:
    """The one matrix of `scores`, which now holds their warnings itself."""
    matrix = scores.only()
    return replace(matrix, left_out=tuple(dict.fromkeys((*matrix.left_out, *scores.warnings))))


def inherited(matrices: Iterable[ScoreMatrix]) -> tuple[str, ...]:
    """What the scores themselves have to say, each once, with the measure: every result made from them says it too.

    >>> inherited([ScoreMatrix([[0.5], [0.0]], ["1", "2"], ["bm25"], "AP", filled=np.array([[False], [True]]))])
    ('AP: 1 of 2 scores was missing and counts as 0: bm25',)
    """
    return tuple(dict.fromkeys(f"{matrix.measure}: {text}" for matrix in matrices for text in matrix.warnings))


def replace_values(matrix: ScoreMatrix, values: NDArray[np.float64], **changes: Any) -> ScoreMatrix:
    """A matrix with other values and, where given, other labels, measure or provenance.

    Bounds of the old values are dropped.
    """
    return replace(matrix, values=values, **{"unjudged": None, **changes})


class Scores(Result, Mapping[str, ScoreMatrix]):
    """Several measures of the same systems: a mapping from measure name to `ScoreMatrix`, in a fixed order.

    >>> ap = ScoreMatrix([[0.5]], ["1"], ["bm25"], "AP")
    >>> Scores([ap])
    Scores(AP: 1 topics × 1 systems, mean 0.5000)
    >>> Scores([ap]).only() == ap
    True

    A measure is found by any of its names, as everywhere:

    >>> Scores([ap])["map"] == ap
    True
    """

    def __init__(self, matrices: Iterable[ScoreMatrix], warnings: Iterable[str] = ()) -> None:
        listed = list(matrices)
        check_unique("measure", [matrix.measure for matrix in listed])
        if not listed:
            raise DataError("no scores at all: at least one measure is needed")
        self._matrices = {matrix.measure: matrix for matrix in listed}
        self._said = tuple(warnings)

    def __getitem__(self, measure: str) -> ScoreMatrix:
        if measure in self._matrices:
            return self._matrices[measure]
        from cranfield.measures.names import recognise

        meant = recognise(measure) if isinstance(measure, str) else None
        same = [name for name in self._matrices if meant is not None and recognise(name) == meant]
        if len(same) != 1:
            raise UnknownNameError("measure", measure, self._matrices)
        return self._matrices[same[0]]

    def __iter__(self) -> Iterator[str]:
        return iter(self._matrices)

    def __len__(self) -> int:
        return len(self._matrices)

    def __contains__(self, measure: object) -> bool:
        return measure in self._matrices

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Scores):
            return NotImplemented
        return self._matrices == other._matrices

    __hash__ = None  # type: ignore[assignment]

    @property
    def warnings(self) -> tuple[str, ...]:
        """What to know before relying on the scores, one sentence each: from `evaluate` or the readers."""
        if self._said:
            return self._said
        return inherited(self.values())

    @property
    def settings(self) -> dict[str, Any]:
        """What the scores are: the measures."""
        return {"measures": list(self)}

    @property
    def signature(self) -> str:
        """One line for a footnote."""
        topics, systems = ({len(getattr(m, name)) for m in self.values()} for name in ("topics", "systems"))
        return signature("scores", measures=list(self), topics=sorted(topics), systems=sorted(systems))

    def only(self) -> ScoreMatrix:
        """The one matrix there is; a `DataError` that lists the measures when there are several."""
        names = list(self)
        if len(names) > 1:
            which = f"there are {len(names)} measures ({summary(names)})"
            raise DataError(f"{which}; choose one, such as measure={names[0]!r}")
        return self[names[0]]

    def select(
        self,
        *,
        measures: Sequence[str] | None = None,
        topics: Iterable[str] | None = None,
        systems: Iterable[str] | None = None,
    ) -> Scores:
        """The given measures, topics and systems, in the order given."""
        topics = None if topics is None else tuple(topics)
        systems = None if systems is None else tuple(systems)
        chosen = self.values() if measures is None else [self[measure] for measure in measures]
        gone = set() if systems is None else {s for m in self.values() for s in m.systems} - set(systems)
        still_true = [text for text in self._said if text.partition(": ")[0] not in gone]
        return Scores((matrix.select(topics=topics, systems=systems) for matrix in chosen), still_true)

    def drop(self, *, topics: Iterable[str] = (), systems: Iterable[str] = ()) -> Scores:
        """All but the given topics and systems; of the warnings those that are about systems still there."""
        gone_topics, gone_systems = set(topics), set(systems)
        kept = [matrix.drop(topics=gone_topics, systems=gone_systems) for matrix in self.values()]
        return Scores(kept, [text for text in self._said if text.partition(": ")[0] not in gone_systems])

    @classmethod
    def from_frame(
        cls, frame: Any, *, measure: str | Sequence[str] | None = None, missing: MissingPolicy = MISSING
    ) -> Scores:
        """From a polars or pandas frame of any layout.

        Long (system, topic, measure, value, or PyTerrier's name, qid, measure, value), tidy (system, topic and one
        column per measure; without a system column the others before the measures are parameters of settings) or wide
        (one row per topic, one column per system; the topics may be the index of a pandas frame).

        Parameters
        ----------
        measure : the measure's name where the frame has none, or the columns that are measures
        missing : what an absent (topic, system) score means

        Examples
        --------
        >>> import polars as pl
        >>> Scores.from_frame(pl.DataFrame({"system": ["a", "b"], "topic": ["1", "1"], "AP": [0.5, 0.25]}))
        Scores(AP: 1 topics × 2 systems, mean 0.3750)
        """
        from cranfield.scores.doors import from_frame

        return from_frame(frame, measure=measure, missing=missing)

    def to_long(self) -> pl.DataFrame:
        """A polars frame with columns system, topic, measure, (partition,) value."""
        import polars as pl

        return pl.concat([matrix.to_long() for matrix in self.values()], how="diagonal")

    to_frame = to_long

    def __repr__(self) -> str:
        inside = "; ".join(repr(matrix)[len("ScoreMatrix(") : -1] for matrix in self.values())
        return f"Scores({inside})"

    def answer(self, question: Question | None = None) -> Answer:
        """What the result says, as every skin shows it."""
        from cranfield.questions.evaluate.answer import scores_answer

        return scores_answer(self, question)

    @staticmethod
    def drawings() -> Drawings:
        """Its charts by name; the first is drawn unless another is named."""
        from cranfield.questions.evaluate import charts

        return {"measures": charts.measures, **ScoreMatrix.drawings()}
