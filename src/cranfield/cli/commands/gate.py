"""``cranfield gate``: a verdict that ends with an exit code, for a build."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any, cast

import click

from cranfield.cli.ask import show
from cranfield.cli.kinds import kind_of, mistaken
from cranfield.cli.output import progress_bar, refuse_unwritable, say
from cranfield.errors import ArgumentError, DataError, FileError, Problem
from cranfield.files import is_elsewhere, is_file, is_url

if TYPE_CHECKING:
    from cranfield.cli.build import OutputSettings
    from cranfield.scores import Scores
    from cranfield.settings.gate import GateSettings

EXIT = {"pass": 0, "fail": 3, "undecided": 4}
"""The exit code of each verdict."""


def run(settings: GateSettings, output: OutputSettings, files: dict[str, Any]) -> None:
    """Read both systems, decide, print, and end with the code of the verdict."""
    from cranfield.files import write_atomically
    from cranfield.present.answer import answer
    from cranfield.present.junit import to_junit

    if settings.junit is not None:
        refuse_unwritable(settings.junit)
    scores, settings = read(settings)
    with progress_bar("resamples") as progress:
        result = settings.ask(scores, progress=progress)
    if settings.junit is not None:
        write_atomically(settings.junit, to_junit(result).encode())
        say(f"wrote {settings.junit}")
    show(answer(result, settings), result, settings, output)
    if output.output is not None:
        say(result.summary())
    if code := EXIT[result.verdict]:
        raise click.exceptions.Exit(code)


def read(settings: GateSettings) -> tuple[Scores, GateSettings]:
    """The scores of both systems, and the settings with the systems' names where files were named."""
    files = list(settings.files)
    if not files:
        return _two_score_files(settings)
    kind = kind_of(files[0])
    if kind == "run":
        raise FileError(files[0], [Problem(0, mistaken("run", "qrels", type(settings)))])
    if kind == "qrels":
        return _two_runs(files, settings)
    from cranfield.cli.sources import read_scores

    return read_scores(files, measure=settings.measure, missing=settings.holes), settings


def _two_runs(files: list[str], settings: GateSettings) -> tuple[Scores, GateSettings]:
    """Both runs, scored by the judgments."""
    from cranfield.collection import read_run
    from cranfield.measures import evaluate

    if len(files) > 1:
        raise ArgumentError(
            f"one file of judgments is enough; got {len(files)} files. The runs are named with --baseline and "
            "--candidate."
        )
    if not settings.measure:
        raise ArgumentError("name the measure that decides with --measure, such as --measure nDCG@10")
    paths = (settings.baseline, settings.candidate)
    for path in paths:
        if (is_url(path) or is_file(path)) and (kind := kind_of(path)) != "run":
            raise FileError(path, [Problem(0, mistaken(kind, "run", type(settings)))])
    old, new = (read_run(path, lenient=settings.lenient, name=cast(Any, settings.name)) for path in paths)
    if old.system == new.system:
        old, new = (replace(run, system=path) for run, path in zip((old, new), paths, strict=True))
    scoring = {key: value for key, value in settings.scoring.items() if key not in ("name", "lenient")}
    scores = evaluate(files[0], [old, new], settings.measure, **scoring, workers=settings.workers)
    return scores, replace(settings, baseline=old.system, candidate=new.system)


def _two_score_files(settings: GateSettings) -> tuple[Scores, GateSettings]:
    """Both systems from a score file each, by the measures both hold."""
    from cranfield.cli.sources import read_scores
    from cranfield.scores import ScoreMatrix, Scores

    paths = (settings.baseline, settings.candidate)
    both = []
    for path in paths:
        if not is_elsewhere(path) and not is_file(path):
            raise ArgumentError(
                f"there is no file {path}. Write cranfield gate QRELS --baseline RUN --candidate RUN, or cranfield "
                "gate SCORES --baseline SYSTEM --candidate SYSTEM."
            )
        if (kind := kind_of(path)) != "scores":
            raise FileError(path, [Problem(0, mistaken(kind, "scores", type(settings)))])
        scores = read_scores([path], measure=settings.measure, missing=settings.holes)
        if (count := next(iter(scores.values())).n_systems) != 1:
            raise DataError(
                f"{path} holds {count} systems; name the file first, then two of them: cranfield gate {path}"
            )
        both.append(scores)
    old, new = both
    names = [next(iter(scores.values())).systems[0] for scores in both]
    names = list(paths) if names[0] == names[1] else names
    measures = [measure for measure in old if measure in new]
    if not measures:
        raise DataError(f"{paths[0]} and {paths[1]} have no measure in common: {', '.join(old)}; {', '.join(new)}")
    joined = []
    for measure in measures:
        first, second = (
            ScoreMatrix(scores[measure].values, scores[measure].topics, [name], measure)
            for scores, name in zip(both, names, strict=True)
        )
        joined.append(first.join(second, missing=settings.missing or "error"))  # type: ignore[arg-type]
    return Scores(joined), replace(settings, baseline=names[0], candidate=names[1])
