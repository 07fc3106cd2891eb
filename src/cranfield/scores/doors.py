"""Conversion to `Scores` from every form that people hold scores in.

Objects of other tools are known by their module and attributes; none of those tools is ever imported here.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping, Sequence
from itertools import chain
from typing import Any, Protocol, TypeAlias

import numpy as np
import polars as pl
from numpy.typing import NDArray

from cranfield.core.defaults import MISSING, MissingPolicy
from cranfield.core.errors import ArgumentError, DataError
from cranfield.core.labels import is_several, repr_of, summary, text_of
from cranfield.core.recognition import columns_of, long_columns
from cranfield.scores import frames
from cranfield.scores.matrix import ScoreMatrix, Scores
from cranfield.scores.readers import read_scores


class MetricLike(Protocol):
    """A score as ir_measures gives it."""

    @property
    def query_id(self) -> str:
        """The topic."""

    @property
    def measure(self) -> Any:
        """The measure, which prints as its name."""

    @property
    def value(self) -> float:
        """The score."""


PathLike: TypeAlias = str | os.PathLike[str]
OfSystem: TypeAlias = Mapping[Any, float | Mapping[str, float]] | Iterable[float] | Iterable[MetricLike]
"""The scores of one system: by topic (and measure), in the order of topics, or as ir_measures gives them."""
Labelled: TypeAlias = tuple[NDArray[Any], Sequence[Any], Sequence[Any]]
"""A topics × systems array with its labels."""
ScoresLike: TypeAlias = (
    ScoreMatrix
    | Scores
    | PathLike
    | frames.FrameLike
    | Labelled
    | Mapping[str, OfSystem]
    | Mapping[str, ScoreMatrix]
    | Mapping[str, Scores]
    | Iterable[PathLike]
    | Iterable[ScoreMatrix]
    | Iterable[MetricLike]
)
"""Scores of systems on topics: see `as_scores`."""
CollectionsLike: TypeAlias = ScoresLike | Mapping[str, ScoresLike] | Iterable[ScoresLike]
"""Scores of one collection, or of several in a list or by name."""

SCORES_TAKEN = """\
  ScoreMatrix or Scores: read_scores(path), evaluate(qrels, runs, measures), ScoreMatrix(values, topics, systems)
  the path of a score file
  a pandas or polars frame: one column per system; system, topic, measure, value; or system, topic, AP, nDCG@10
    (a PyTerrier experiment with perquery=True: name, qid, measure, value)
  {system: {topic: score}}, or {system: {topic: {measure: score}}} as pytrec_eval gives it
  {system: scores} with one score per topic, in the same order for every system
  (values, topics, systems): a topics × systems array with its labels
  {system: metrics} with ir_measures' Metric tuples"""
_HINT = "to evaluate runs, give the judgments too: qrels=…, measure=…"


def as_scores(
    scores: ScoresLike,
    *,
    measure: str | Sequence[str] | None = None,
    missing: MissingPolicy = MISSING,
    argument: str = "scores",
) -> Scores:
    """Scores in whatever form, as one matrix per measure.

    Understood are `ScoreMatrix` and `Scores`; score files; frames of pandas or polars (wide, long or tidy);
    ``{system: {topic: score}}``; ``{system: {topic: {measure: score}}}``, which are pytrec_eval's results by system;
    ``{system: scores}``; ``(values, topics, systems)``; and ir_measures' ``Metric`` tuples by system.

    Parameters
    ----------
    measure : which measures to take, or the name of the measure where the scores do not say
    missing : what an absent (topic, system) score means
    argument : what messages call the scores

    Examples
    --------
    >>> as_scores({"bm25": {"301": 0.5, "302": 0.25}, "ql": {"301": 0.75, "302": 0.0}}, measure="AP")
    Scores(AP: 2 topics × 2 systems, mean 0.3750)
    >>> as_scores({"bm25": {"301": {"map": 0.5, "P_10": 0.1}}})
    Scores(map: 1 topics × 1 systems, mean 0.5000; P_10: 1 topics × 1 systems, mean 0.1000)
    """
    wanted = _names(measure)
    name = wanted[0] if len(wanted) == 1 else None
    made = _made(scores, name, wanted, missing, argument)
    return made.select(measures=wanted) if wanted and list(made) != wanted else made


def as_matrix(
    scores: ScoresLike, *, measure: str | None = None, missing: MissingPolicy = MISSING, argument: str = "scores"
) -> ScoreMatrix:
    """Scores by one measure, in whatever form `as_scores` takes."""
    if isinstance(scores, ScoreMatrix) and measure is None:
        return scores
    return as_scores(scores, measure=measure, missing=missing, argument=argument).only()


def as_matrices(scores: ScoresLike) -> list[ScoreMatrix]:
    """The matrices of scores in whatever form, one per measure."""
    return list(as_scores(scores).values())


def as_matrix_list(scores: CollectionsLike, *, argument: str = "scores") -> list[ScoreMatrix]:
    """The matrices of one collection, or of several in a list or by name, each in whatever form `as_scores` takes."""
    named: Mapping[Any, Any] = scores if isinstance(scores, Mapping) and not isinstance(scores, Scores) else {}
    if len(named) > 1 and all(isinstance(one, (ScoreMatrix, Scores)) for one in named.values()):
        return [as_matrix(one, argument=f"{argument}[{name!r}]") for name, one in named.items()]
    listed: Any = [scores] if is_scores(scores) else scores
    if not is_several(listed):
        raise _not_taken(argument, scores)
    one_alone = listed is not scores
    return [as_matrix(one, argument=argument if one_alone else f"{argument}[{at}]") for at, one in enumerate(listed)]


def is_scores(thing: Any) -> bool:
    """Whether `as_scores` takes it for the scores of one collection or, in a mapping, of several."""
    if isinstance(thing, (ScoreMatrix, Mapping, str, os.PathLike)) or frames.is_frame(thing):
        return True
    return _is_labelled(thing)


def _is_labelled(thing: Any) -> bool:
    """Whether it is an array with labels of its topics and systems."""
    return isinstance(thing, tuple) and len(thing) == 3 and isinstance(thing[0], np.ndarray) and thing[0].ndim == 2


def as_collections(scores: CollectionsLike, *, argument: str = "scores") -> dict[str, Scores]:
    """Scores of one collection or of several by name, each in whatever form `as_scores` takes.

    >>> x = ScoreMatrix([[0.5]], ["1"], ["bm25"], "AP")
    >>> as_collections({"trec8": x})
    {'trec8': Scores(AP: 1 topics × 1 systems, mean 0.5000)}
    """
    given: Any = scores
    if isinstance(given, Mapping) and not isinstance(given, Scores) and not frames.is_frame(given):
        if not given:
            raise ArgumentError(f"`{argument}` is empty; give the scores of at least one collection.")
        if all(
            isinstance(one, (ScoreMatrix, Scores, str, os.PathLike)) or frames.is_frame(one) for one in given.values()
        ):
            return {name: as_scores(one, argument=f"{argument}[{name!r}]") for name, one in given.items()}
    return {"scores": as_scores(given, argument=argument)}


def from_frame(frame: Any, *, measure: str | Sequence[str] | None = None, missing: MissingPolicy = MISSING) -> Scores:
    """See `Scores.from_frame`."""
    return Scores(map(frames.check_range, of_frame(frame, measure, missing).values()))


def of_frame(
    frame: Any, measure: str | Sequence[str] | None, missing: MissingPolicy, system: str | None = None
) -> Scores:
    """The scores in a frame, whatever their range; `system` is the one of a long frame without a column of systems."""
    wanted = _names(measure)
    name = wanted[0] if len(wanted) == 1 else None
    indexed = type(frame).__module__.split(".")[0] == "pandas" and type(frame.index).__name__ != "RangeIndex"
    table = frames.as_polars(frame)
    if not table.height:
        raise DataError("the frame is empty; expected at least one row of scores")
    parts = long_columns(table.columns)
    if parts is not None and (system or "system" in parts):
        return frames.from_long(table, measure=name, missing=missing, system=system)
    tidy = frames.tidy_columns(table, wanted)
    if tidy is not None:
        return Scores(frames.from_tidy(table, tidy, missing=missing))
    topic = columns_of(table.columns, ["topic"]).get("topic")
    if topic is None and frames.is_wide_by_system(table):
        return Scores([frames.from_wide_by_system(table, measure=name or "score", missing=missing)])
    if topic is None and indexed:
        topic = table.columns[0]
        if table[topic].dtype == pl.String and frames.holds_means(table.columns[1:]):
            raise DataError(frames.means_of_systems(table.columns[1:]))
    if topic is None:
        raise DataError(
            f"no column holds topics; found {summary(table.columns, most=8)}. "
            "Name one topic (or qid, query_id), or index the frame by topic."
        )
    made = frames.from_wide(table, measure=name or "score", missing=missing, topic=topic)
    if indexed:
        frames.refuse_unclear_sides(made.topics, made.systems, topic)
    return Scores([made])


def _names(measure: Any) -> list[str]:
    """The names of measures; ir_measures' objects by what they print."""
    if measure is None:
        return []
    listed = measure if isinstance(measure, (list, tuple)) else [measure]
    return list(dict.fromkeys(str(one) for one in listed))


def _made(scores: Any, name: str | None, wanted: list[str], missing: MissingPolicy, argument: str) -> Scores:
    if isinstance(scores, Scores):
        return scores
    if isinstance(scores, ScoreMatrix):
        return Scores([scores])
    if isinstance(scores, (str, os.PathLike)):
        return read_scores(scores, measure=name, missing=missing)
    if frames.is_frame(scores):
        return from_frame(scores, measure=wanted or None, missing=missing)
    if _is_labelled(scores):
        values, topics, systems = scores
        rows, columns = map(text_of, topics), map(text_of, systems)
        return Scores([ScoreMatrix(_numbers(values, argument), rows, columns, name or "score")])
    if isinstance(scores, Mapping):
        return _from_mapping(scores, name, missing, argument)
    if isinstance(scores, np.ndarray):
        raise ArgumentError(
            f"`{argument}` is an array without labels. Add them: ScoreMatrix(values, topics=…, systems=…, measure=…)"
        )
    if isinstance(scores, Iterable):
        first, rest = peek(scores)
        if isinstance(first, ScoreMatrix):
            return Scores(rest)
        if first is not None and isinstance(first, (str, os.PathLike)):
            return read_scores(list(rest), measure=name, missing=missing)
        if _is_metric(first):
            return _from_mapping({"run": rest}, name, missing, argument)
    raise _not_taken(argument, scores)


def _not_taken(argument: str, given: Any) -> ArgumentError:
    return ArgumentError(f"`{argument}` cannot be made of {type(given).__name__}. Give one of:\n{SCORES_TAKEN}")


def _numbers(values: Any, argument: str) -> np.ndarray[Any, np.dtype[np.float64]]:
    try:
        return np.asarray(values, dtype=np.float64)
    except (TypeError, ValueError, OverflowError):
        raise DataError(f"`{argument}` must hold numbers; it holds {np.asarray(values).dtype}") from None


def peek(things: Iterable[Any]) -> tuple[Any, Iterable[Any]]:
    """The first element (None where there is none), and all of them."""
    if isinstance(things, np.ndarray) and not things.ndim:  # which says that it can be iterated over
        return None, ()
    walking = iter(things)
    first = next(walking, None)
    return first, (() if first is None else chain([first], walking))


def _is_metric(one: Any) -> bool:
    """Whether it is a score as ir_measures gives it: query_id, measure and value."""
    return all(hasattr(one, name) for name in ("query_id", "measure", "value"))


def _from_mapping(scores: Mapping[Any, Any], name: str | None, missing: MissingPolicy, argument: str) -> Scores:
    if not scores:
        raise ArgumentError(f"`{argument}` is empty; give at least one system.")
    if all(isinstance(one, (ScoreMatrix, Scores)) for one in scores.values()):
        listed = [m for one in scores.values() for m in ([one] if isinstance(one, ScoreMatrix) else one.values())]
        if len({matrix.measure for matrix in listed}) < len(listed):
            raise ArgumentError(
                f"`{argument}` holds {len(scores)} collections ({summary([str(key) for key in scores])}), but this "
                "question takes one. Choose one of them."
            )
        return Scores(listed)
    columns: dict[str, list[str]] = {"topic": [], "system": [], "measure": []}
    values: list[float] = []
    for system, inside in scores.items():
        if not isinstance(system, str) or not system:
            raise DataError(f"`{argument}`: a system's name must be text that is not empty; got {repr_of(system)}")
        for topic, measure, value in _cells(system, inside, argument):
            columns["topic"].append(topic)
            columns["system"].append(system)
            columns["measure"].append(measure or name or "score")
            values.append(value)
    if not values:
        raise DataError(f"`{argument}` holds no scores; give at least one topic for every system")
    return Scores(map(frames.check_range, frames.assemble(columns, np.array(values), missing=missing)))


def _cells(system: str, inside: Any, argument: str) -> Iterable[tuple[str, str | None, float]]:
    """Topic, measure (None where it has no name) and score of everything one system has."""
    if isinstance(inside, Mapping):
        for topic, value in inside.items():
            label = _topic(topic, system)
            if isinstance(value, Mapping):
                for measure, one in value.items():
                    yield label, str(measure), _score(one, system, label, str(measure))
            else:
                yield label, None, _score(value, system, label)
        return
    if isinstance(inside, np.ndarray):
        inside = inside.tolist()
    if isinstance(inside, Iterable) and not isinstance(inside, (str, bytes)) and not frames.is_frame(inside):
        for at, value in enumerate(inside, 1):
            if _is_metric(value):
                label = _topic(value.query_id, system)
                yield label, str(value.measure), _score(value.value, system, label, str(value.measure))
            else:
                yield str(at), None, _score(value, system, str(at))
        return
    raise _not_taken(f"{argument}[{system!r}]", inside)


def _topic(topic: Any, system: str) -> str:
    if isinstance(topic, (str, int, np.integer)) and not isinstance(topic, bool) and str(topic):
        return str(topic)
    raise DataError(f"system {system!r}: the topic id {repr_of(topic)} is a {type(topic).__name__}; ids must be text")


def _score(value: Any, system: str, topic: str, measure: str | None = None) -> float:
    """A finite number, NaN for an absent one."""
    if value is None:
        return float("nan")
    of = f" by {measure}" if measure else ""
    if isinstance(value, Mapping):
        raise DataError(f"system {system!r}, topic {topic!r}{of}: found a mapping where a score is expected; {_HINT}")
    if isinstance(value, (bool, str, bytes)) or not hasattr(value, "__float__"):
        text = f"{repr_of(value)}, a {type(value).__name__}"
        raise DataError(f"system {system!r}, topic {topic!r}{of}: scores must be numbers; got {text}")
    try:
        number = float(value)
    except OverflowError:
        number = float("inf")
    except (TypeError, ValueError):  # a Decimal('sNaN'), or an array of several numbers
        text = f"{repr_of(value)}, a {type(value).__name__}"
        raise DataError(f"system {system!r}, topic {topic!r}{of}: scores must be numbers; got {text}") from None
    if np.isinf(number):
        raise DataError(f"system {system!r}, topic {topic!r}{of}: the score is {number}; scores must be finite")
    return number
