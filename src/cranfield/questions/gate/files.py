"""The two systems of a gate, from whatever files a command line names."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any, cast

from cranfield.core.errors import ArgumentError, DataError
from cranfield.core.files import is_elsewhere, is_file, is_url
from cranfield.questions.files import OtherKindError, kind_of, read_scores, require_kind
from cranfield.scores.matrix import ScoreMatrix, Scores

if TYPE_CHECKING:
    from cranfield.questions.gate.question import GateQuestion

Both = tuple[Scores, str, str]
"""The scores of both systems, and their names."""


def read_both(asked: GateQuestion) -> Both:
    """The two systems of score files, two runs, or a score file each."""
    files = list(asked.files)
    if not files:
        return _two_score_files(asked)
    kind = kind_of(files[0])
    if kind == "run":
        raise OtherKindError(files[0], "run", "qrels")
    if kind == "qrels":
        return _two_runs(files, asked)
    return read_scores(files, asked.measure, asked.holes), asked.baseline, asked.candidate


def _two_runs(files: list[str], asked: GateQuestion) -> Both:
    """Both runs, scored by the judgments."""
    from cranfield.collection.readers import read_run
    from cranfield.measures.evaluation import evaluate

    if len(files) > 1:
        raise ArgumentError(
            f"expected one file of judgments, found {len(files)} files. Name the runs with `baseline` and `candidate`."
        )
    if not asked.measure:
        raise ArgumentError("no measure given. Name one with `measure`, such as nDCG@10.")
    paths = (asked.baseline, asked.candidate)
    for path in paths:
        if is_url(path) or is_file(path):
            require_kind(path, "run")
    old, new = (read_run(path, lenient=asked.lenient, name=cast(Any, asked.name)) for path in paths)
    if old.system == new.system:
        old, new = (replace(run, system=path) for run, path in zip((old, new), paths, strict=True))
    scoring = {key: value for key, value in asked.scoring.items() if key not in ("name", "lenient")}
    scores = evaluate(files[0], [old, new], asked.measure, **scoring, workers=asked.workers)
    return scores, old.system, new.system


def _two_score_files(asked: GateQuestion) -> Both:
    """Both systems from a score file each, by the measures both hold."""
    paths = (asked.baseline, asked.candidate)
    both = []
    for path in paths:
        if not is_elsewhere(path) and not is_file(path):
            raise ArgumentError(
                f"no file {path}. Write cranfield gate QRELS `baseline` RUN `candidate` RUN, or cranfield "
                "gate SCORES `baseline` SYSTEM `candidate` SYSTEM."
            )
        require_kind(path, "scores")
        scores = read_scores([path], asked.measure, asked.holes)
        if (count := next(iter(scores.values())).n_systems) != 1:
            raise DataError(
                f"{path} has {count} systems, expected one. Name the file, then two of them: cranfield gate {path}"
            )
        both.append(scores)
    names = [next(iter(scores.values())).systems[0] for scores in both]
    names = list(paths) if names[0] == names[1] else names
    measures = [measure for measure in both[0] if measure in both[1]]
    if not measures:
        held = "; ".join(", ".join(scores) for scores in both)
        raise DataError(f"{paths[0]} and {paths[1]} have no measure in common: {held}")
    joined = []
    for measure in measures:
        old, new = (
            ScoreMatrix(scores[measure].values, scores[measure].topics, [name], measure)
            for scores, name in zip(both, names, strict=True)
        )
        joined.append(old.join(new, missing=cast(Any, asked.missing or "error")))
    return Scores(joined), names[0], names[1]
