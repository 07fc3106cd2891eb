"""Tidy tables: one row per system (or setting) and topic, one column per measure.

``system,topic,AP,nDCG@10`` holds systems. ``topic,lambda,P@10`` holds the settings of a system whose parameters are
columns; they become systems called ``ql(lambda=0.5)``, as tuning reads them.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from cranfield.defaults import MISSING, MissingPolicy
from cranfield.errors import DataError
from cranfield.labels import summary
from cranfield.scores.frames import LONG_NAMES, assemble, to_floats, to_labels
from cranfield.scores.matrix import ScoreMatrix

if TYPE_CHECKING:
    import polars as pl
else:
    from cranfield.lazy import polars as pl

_MEASURE = re.compile(
    r".+@\d+|.*\(.*\)|(gm_)?map(_cut)?(_\d+)?|m?ap|m?rr|recip_rank|n?dcg(_cut)?(_\d+)?|err|rbp|bpref|r-?prec|inf_?ap|"
    r"p_?\d+|r_?\d+|recall(_\d+)?|precision|success(_\d+)?|f1|q|.+_at_\d+",
    re.IGNORECASE,
)


@dataclass(frozen=True)
class TidyColumns:
    """Which column plays which part: topic, perhaps system, parameters of a setting, and measures."""

    topic: str
    system: str | None
    parameters: tuple[str, ...]
    measures: tuple[str, ...]


def looks_like_measure(name: str) -> bool:
    """Whether a column's name is one that measures have.

    >>> [looks_like_measure(name) for name in ("P@10", "ndcg_cut_10", "lambda", "k1")]
    [True, True, False, False]
    """
    return _MEASURE.fullmatch(name.strip()) is not None


def tidy_columns(frame: pl.DataFrame, measures: Sequence[str] = ()) -> TidyColumns | None:
    """The parts of a tidy table; None when it is none: no topic column, or neither systems nor settings.

    Columns before the first that is a measure (one of `measures`, or one that is called like a measure) are the
    parameters of settings.
    """
    folded = {name.strip().casefold(): name for name in reversed(frame.columns)}
    topic = next((folded[name] for name in LONG_NAMES["topic"] if name in folded), None)
    if topic is None:
        return None
    labels = [
        folded[name] for name in LONG_NAMES["system"] if name in folded and frame[folded[name]].dtype == pl.String
    ]
    system = labels[0] if labels else None
    rest = [name for name in frame.columns if name not in (topic, system)]
    repeated = bool(frame[topic].is_duplicated().any())
    if not rest or (system is None and not repeated):
        return None
    known = [name for name in rest if name in measures or looks_like_measure(name)]
    if system is None and (not known or known[0] == rest[0]):
        return (
            None  # a wide table in which a topic comes twice looks like this: nothing says that columns are parameters
        )
    at = rest.index(known[0]) if known else 0
    return TidyColumns(topic, system, tuple(rest[:at]), tuple(rest[at:]))


def from_tidy(
    frame: pl.DataFrame,
    columns: TidyColumns,
    *,
    name: str = "system",
    missing: MissingPolicy = MISSING,
    provenance: Sequence[str] = (),
) -> list[ScoreMatrix]:
    """One matrix per measure of a tidy table; `name` is the system of settings when no column names one."""
    topics = to_labels(frame[columns.topic], "topic").to_list()
    named = [name] * frame.height if columns.system is None else to_labels(frame[columns.system], "system").to_list()
    if columns.parameters:
        values = [[_text(one) for one in frame[key].to_list()] for key in columns.parameters]
        inside = [
            ",".join(f"{k}={v}" for k, v in zip(columns.parameters, row, strict=True))
            for row in zip(*values, strict=True)
        ]
        named = [f"{system}({text})" for system, text in zip(named, inside, strict=True)]
    if not columns.measures:
        raise DataError(f"no column holds a measure; there are: {summary(frame.columns)}")
    height = frame.height
    values_of = [to_floats(frame[measure], f"measure {measure!r}") for measure in columns.measures]
    long = {
        "topic": topics * len(columns.measures),
        "system": named * len(columns.measures),
        "measure": [measure for measure in columns.measures for _ in range(height)],
    }
    return assemble(long, np.concatenate(values_of), missing=missing, provenance=provenance)


def _text(value: object) -> str:
    return str(value).lower() if isinstance(value, bool) else str(value)
