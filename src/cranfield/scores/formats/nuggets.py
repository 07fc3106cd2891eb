"""Nugget assignments of generated answers, as the AutoNuggetizer of the TREC RAG track writes them: JSON lines."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from cranfield.core.files import system_name
from cranfield.core.recognition import first_lines
from cranfield.core.text import Problems, json_objects
from cranfield.scores.formats import FORMATS, ReadOptions, ScoreFile, ScoreFormat

if TYPE_CHECKING:
    from cranfield.scores.matrix import ScoreMatrix

CREDIT = {"support": 1.0, "partial_support": 0.5, "not_support": 0.0}
"""The credit of an assignment; strict scores count full support only."""
IMPORTANCE = ("vital", "okay")
_TOPIC, _SYSTEM = ("qid", "query_id", "topic_id", "topic"), ("run_id", "runid", "run", "system")


def nugget_scores(nuggets: Sequence[tuple[str, str]]) -> dict[str, float]:
    """The scores of one answer from (importance, assignment) pairs: Pradeep et al. 2025, SIGIR.

    An answer without vital nuggets scores 0 on the vital scores, as in the AutoNuggetizer.

    >>> nugget_scores([("vital", "support"), ("vital", "partial_support"), ("okay", "not_support")])
    {'strict_vital_score': 0.5, 'strict_all_score': 0.3333333333333333, 'vital_score': 0.75, 'all_score': 0.5}
    """
    chosen = {
        "vital": [how for importance, how in nuggets if importance == "vital"],
        "all": [how for _, how in nuggets],
    }
    strict = {name: sum(one == "support" for one in listed) for name, listed in chosen.items()}
    lenient = {name: sum(CREDIT[one] for one in listed) for name, listed in chosen.items()}
    scores = {f"strict_{name}_score": strict[name] / max(len(listed), 1) for name, listed in chosen.items()}
    return scores | {f"{name}_score": lenient[name] / max(len(listed), 1) for name, listed in chosen.items()}


def is_nuggets(file: ScoreFile) -> bool:
    """Whether the first line is an object with nuggets, complete or not."""
    first = next(iter(first_lines(file.text)), b"").lstrip()
    return first.startswith(b"{") and b'"nuggets"' in first


def read_nuggets(file: ScoreFile, options: ReadOptions) -> list[ScoreMatrix]:
    """One matrix per score; a line without a run is the answer of the system that the file is named after."""
    import polars as pl

    from cranfield.scores.doors import from_frame

    problems, rows, without_vital = Problems(file.path), [], set()
    for number, row in json_objects(file.text, problems.add):
        topic = next((row[key] for key in _TOPIC if key in row), None)
        pairs, wrong = _pairs(row.get("nuggets"))
        if topic is None:
            wrong = f"expected a topic ({', '.join(_TOPIC)}), found keys {', '.join(row)}"
        if wrong:
            problems.add(number, wrong)
            continue
        system = str(next((row[key] for key in _SYSTEM if row.get(key)), None) or system_name(file.path))
        if not any(importance == "vital" for importance, _ in pairs):
            without_vital.add(str(topic))
        for measure, value in nugget_scores(pairs).items():
            rows.append((system, str(topic), measure, value))
    problems.raise_if_any()
    frame = pl.DataFrame(rows, schema=["system", "topic", "measure", "value"], orient="row")
    steps = options.provenance
    if without_vital:
        steps += (f"{len(without_vital)} topics without vital nuggets score 0 on the vital scores",)
    scores = from_frame(frame, missing=options.missing)
    return [matrix.note(*steps) for matrix in scores.values()]


def _pairs(nuggets: Any) -> tuple[list[tuple[str, str]], str]:
    """Importance and assignment of every nugget; or what is wrong with them."""
    if not isinstance(nuggets, list) or not all(isinstance(one, dict) for one in nuggets):
        return [], "expected `nuggets`, a list of objects with importance and assignment"
    if not nuggets:
        return [], "the list of nuggets is empty, so the answer has no score; leave out the line"
    for part, known in (("importance", IMPORTANCE), ("assignment", tuple(CREDIT))):
        for one in nuggets:
            if one.get(part) is None:
                return [], f"a nugget has no {part}; expected {', '.join(known[:-1])} or {known[-1]}"
            if one[part] not in known:
                return [], f"expected the {part} {', '.join(known[:-1])} or {known[-1]}, found {one[part]!r}"
    pairs = [(one["importance"], one["assignment"]) for one in nuggets]
    return pairs, ""


FORMATS.register(
    ScoreFormat(
        name="nuggets",
        summary="nugget assignments of the TREC RAG track: JSON lines with `qid`, `nuggets` and optionally `run_id`",
        recognise=is_nuggets,
        read=read_nuggets,
        notes="gives strict and lenient scores over vital and all nuggets; without `run_id`, one file per run",
        tried=11,
        rank=80,
    )
)
