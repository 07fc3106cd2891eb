"""``cranfield evaluate``: scores of runs, by any measure; also as trec_eval prints them."""

from __future__ import annotations

import sys
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from cranfield.cli.output import draw, emit, progress_bar, say, warn
from cranfield.errors import ArgumentError, DataError

if TYPE_CHECKING:
    from pathlib import Path

    from cranfield.cli.build import OutputSettings
    from cranfield.scores import Scores
    from cranfield.settings.evaluate import EvaluateSettings


def run(settings: EvaluateSettings, output: OutputSettings, files: dict[str, Any]) -> None:
    """Evaluate, and print means or every score."""
    from cranfield.present.answer import answer

    if settings.collections is not None:
        _archive(settings, output)
        return
    if settings.trec and output.format is not None:
        raise ArgumentError("--trec has a format of its own; leave out --format")
    with progress_bar(settings.counts) as progress:
        scores = settings.ask(files["qrels"], list(files["runs"]), progress=progress)
    if settings.trec:
        _print_trec(scores, settings.per_topic, output.output)
        return
    said = answer(scores, settings)
    sheet = said.sheet("topics" if settings.per_topic else "means")
    emit(replace(sheet, settings={"qrels": files["qrels"], **sheet.settings}), output)
    draw(said, scores, output)
    if output.output is not None and not settings.per_topic:
        say(
            f"note: {output.output} holds the means only; -q writes the scores of every topic, which other commands "
            "read"
        )


def _archive(settings: EvaluateSettings, output: OutputSettings) -> None:
    """Evaluate the collections of a list, and print what became of each."""
    import polars as pl

    from cranfield.measures.archive import evaluate_archive
    from cranfield.present.tables import Sheet
    from cranfield.signature import signature

    if output.output is None:
        raise ArgumentError("--collections writes one file per collection; name the directory with -o DIRECTORY")
    if settings.trec or settings.per_topic or output.plot is not None:
        raise ArgumentError("--collections writes the score of every topic; leave out -q, --trec and --plot")
    how = settings.values("question", "run")
    with progress_bar("evaluating collections") as progress:
        outcomes = list(
            evaluate_archive(str(settings.collections), output.output, how.pop("measures"), progress=progress, **how)
        )
    rows = pl.DataFrame(
        {
            "collection": [one.name for one in outcomes],
            "state": [one.state for one in outcomes],
            "topics": [one.n_topics for one in outcomes],
            "systems": [one.n_systems for one in outcomes],
            "file": [one.path for one in outcomes],
        }
    )
    shown = {"collections": settings.collections, **settings.to_dict()}
    warnings = tuple(f"{one.name}: {text}" for one in outcomes for text in one.warnings)
    sheet = Sheet("evaluate", rows, signature("evaluate", **shown), shown, warnings, title="Collections evaluated")
    emit(sheet, replace(output, output=None))
    failed = [one for one in outcomes if one.state == "failed"]
    if failed:
        told = "\n  ".join(f"{settings.collections}, {one.problem}" for one in failed)
        raise DataError(f"{len(failed)} of {len(outcomes)} collections could not be evaluated:\n  {told}")


def _print_trec(scores: Scores, per_topic: bool, output: Path | None) -> None:
    from cranfield.files import write_atomically
    from cranfield.measures.trec import trec_lines

    warn(scores.warnings)
    systems = next(iter(scores.values())).systems
    lines = []
    for system in systems:
        if len(systems) > 1:
            lines.append(f"{'runid':<22}\tall\t{system}")
        lines += trec_lines(scores, system, topics=per_topic)
    text = "".join(line + "\n" for line in lines)
    if output is None:
        sys.stdout.write(text)
    else:
        write_atomically(output, text.encode())
        say(f"wrote {output} ({len(lines)} lines)")
