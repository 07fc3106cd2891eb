"""``cranfield evaluate`` and ``cranfield measures``: scores of runs, and the list of measures."""

from __future__ import annotations

import sys
import textwrap
from collections.abc import Iterable
from contextlib import nullcontext
from dataclasses import replace
from typing import TYPE_CHECKING

import click

from cranfield.cli.output import draw, emit, progress_bar, say, terminal_width, warn, write
from cranfield.collection.ahead import ReadAhead, read_ahead
from cranfield.core.errors import ArgumentError, DataError
from cranfield.questions.evaluate.question import EvaluateQuestion
from cranfield.questions.measures.question import MeasuresQuestion

if TYPE_CHECKING:
    from pathlib import Path

    from cranfield.cli.build import Output
    from cranfield.collection.types import Qrels
    from cranfield.core.question import Files
    from cranfield.scores.matrix import Scores


def evaluate(settings: EvaluateQuestion, output: Output, files: Files) -> None:
    """Evaluate, and print means or every score."""
    if settings.collections is not None:
        _archive(settings, output)
        return
    if settings.trec and output.format is not None:
        raise ArgumentError("--trec has a fixed format; leave out --format")
    plain = _from_files(settings)
    ahead = read_ahead(files["qrels"], files["runs"], settings.workers) if plain else None
    with ahead or nullcontext(), progress_bar(settings.counts) as progress:
        qrels = files["qrels"] if ahead is None else _judgments(files["qrels"], ahead)
        scores = settings.ask(qrels, list(files["runs"]), progress=progress)
    if settings.trec:
        _print_trec(scores, settings.per_topic, output.output)
        return
    said = settings.answer(scores)
    sheet = said.sheet("topics" if settings.per_topic else "means")
    emit(replace(sheet, settings={"qrels": files["qrels"], **sheet.settings}), output)
    draw(said, scores, output)
    if output.output is not None and not settings.per_topic:
        say(f"note: {output.output} contains means only; other commands need the score of every topic, which -q writes")


def _from_files(settings: EvaluateQuestion) -> bool:
    """Whether judgments are taken as their file has them, and runs by score and one at a time in this process."""
    usual = EvaluateQuestion()
    names = ("order", "single_precision", "map", "groups", "cluster", "memory")
    return all(getattr(settings, name) == getattr(usual, name) for name in names)


def _judgments(path: str, ahead: ReadAhead) -> Qrels:
    """The judgments that were read ahead."""
    from cranfield.collection.readers import parse_qrels

    qrels = parse_qrels(ahead.lines, path)
    object.__setattr__(qrels, "ahead", ahead)
    return qrels


def _archive(settings: EvaluateQuestion, output: Output) -> None:
    """Evaluate the collections of a list, and print the state of each."""
    import polars as pl

    from cranfield.core.results import signature
    from cranfield.core.tables import Sheet
    from cranfield.measures.archive import evaluate_archive

    if output.output is None:
        raise ArgumentError("--collections writes one file per collection; name the directory with -o DIRECTORY")
    if settings.trec or settings.per_topic or output.plot is not None:
        raise ArgumentError("--collections writes the score of every topic; leave out -q, --trec and --plot")
    how = settings.values("question", "run")
    with progress_bar("evaluating collections") as progress:
        outcomes = list(
            evaluate_archive(str(settings.collections), output.output, how.pop("measures"), progress=progress, **how)
        )
    columns = {"collection": "name", "state": "state", "topics": "n_topics", "systems": "n_systems", "file": "path"}
    rows = pl.DataFrame({name: [getattr(one, field) for one in outcomes] for name, field in columns.items()})
    shown = {"collections": settings.collections, **settings.to_dict()}
    warnings = tuple(f"{one.name}: {text}" for one in outcomes for text in one.warnings)
    sheet = Sheet("evaluate", rows, signature("evaluate", **shown), shown, warnings, title="Collections evaluated")
    emit(sheet, replace(output, output=None))
    failed = [one for one in outcomes if one.state == "failed"]
    if failed:
        told = "\n  ".join(f"{settings.collections}, {one.problem}" for one in failed)
        raise DataError(f"{len(failed)} of {len(outcomes)} collections could not be evaluated:\n  {told}")


def _print_trec(scores: Scores, per_topic: bool, output: Path | None) -> None:
    from cranfield.trec_eval.evaluation import trec_lines

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
        write(output, text.encode(), f" ({len(lines)} lines)")


def measures(settings: MeasuresQuestion, output: Output, files: Files) -> None:
    """List the measures."""
    import polars as pl

    from cranfield.core.results import signature
    from cranfield.core.tables import Sheet
    from cranfield.measures.aliases import other_names
    from cranfield.measures.names import look_up
    from cranfield.measures.registry import find, known_names

    listed = [look_up(name)[0] for name in settings.names] or [find(name) for name in known_names()]
    rows = [(d.written, d.summary, d.family, ", ".join(other_names(d)), d.citation) for d in listed]
    if sys.stdout.isatty() and output.format is None and output.output is None:
        _print_paragraphs(rows, terminal_width())
        return
    names = ("measure", "definition", "tool", "also", "citation")
    emit(Sheet("measures", pl.DataFrame(rows, list(names), orient="row"), signature("measures")), output)


def _print_paragraphs(rows: Iterable[tuple[str, ...]], width: int) -> None:
    """One paragraph per measure, because five columns of text do not fit a terminal."""
    for written, definition, tool, also, citation in rows:
        click.secho(written, bold=True)
        for line in (definition, f"{citation} ({tool})", *([f"also written {also}"] if also else [])):
            click.echo(textwrap.fill(line, width, initial_indent="    ", subsequent_indent="    "))
