"""``cranfield check``, ``convert`` and ``pool``: validate files, change formats, make shallower pools."""

from __future__ import annotations

import sys
from collections.abc import Iterable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast

import click
import polars as pl

from cranfield.cli.ask import kind_if_known
from cranfield.cli.output import collection_format, draw, emit, progress_bar, say, write
from cranfield.core.errors import ArgumentError, FileError
from cranfield.core.files import expand
from cranfield.core.labels import summary
from cranfield.core.results import signature
from cranfield.core.tables import Sheet
from cranfield.core.writing import write_atomically
from cranfield.questions.check.question import CheckQuestion
from cranfield.questions.convert.question import ConvertQuestion
from cranfield.questions.pool.question import PoolQuestion

if TYPE_CHECKING:
    from cranfield.cli.build import Output
    from cranfield.collection.check import FileCheck
    from cranfield.collection.matched import Agreement
    from cranfield.collection.types import Run
    from cranfield.core.question import Files


def _expanded(names: Sequence[str]) -> list[str]:
    """The files that names stand for, with a note about skipped ones."""
    paths = expand(list(names))
    for text in paths.skipped:
        say(f"note: {text}")
    return paths


def check(settings: CheckQuestion, output: Output, files: Files) -> None:
    """Check every file; print contents and problems."""

    checks, matches = _check(_expanded(settings.files), settings)
    rows = pl.concat([check.to_frame() for check in checks])
    notes = tuple(f"{check.path}: {note}" for check in checks for note in check.notes)
    if matches:
        each = [matches.get(check.path) for check in checks]
        rows = rows.with_columns(
            pl.Series("shared_topics", [one and one.shared_topics for one in each], dtype=pl.Int64),
            pl.Series("judged_at_10", [one and one.judged_share for one in each], dtype=pl.Float64),
        )
        notes += ("judged_at_10: share of judged documents in the top 10 of shared topics.",)
    said = tuple(f"{path}: {text}" for path, match in matches.items() for text in match.warnings)
    shown = {"kind": settings.kind or "recognised", "lenient": settings.lenient}
    emit(Sheet("check", rows, signature("check", **shown), shown, said, notes=notes), output)
    wrong = [check for check in checks if check.problems]
    for one in wrong:
        say(f"error: {one.error}")
    if wrong:
        raise click.exceptions.Exit(1)


def _check(paths: list[str], settings: CheckQuestion) -> tuple[list[FileCheck], dict[str, Agreement]]:
    """Every file checked, and every run compared with the judgments when there is one file of them."""
    from cranfield.collection.check import check_and_read
    from cranfield.collection.matched import agreement
    from cranfield.collection.types import Qrels, Run

    judged = [path for path in paths if (settings.kind or kind_if_known(path)) == "qrels"]
    order = [*judged, *(path for path in paths if path not in judged)] if len(judged) == 1 else paths
    checks: dict[str, FileCheck] = {}
    matches: dict[str, Agreement] = {}
    qrels: Qrels | None = None
    with progress_bar(settings.counts) as progress:
        for done, path in enumerate(order, 1):
            checks[path], content = check_and_read(path, kind=settings.kind, lenient=settings.lenient)
            if isinstance(content, Qrels) and len(judged) == 1:
                qrels = content
            if isinstance(content, Run) and qrels is not None:
                matches[path] = agreement(qrels, content)
            if progress:
                progress(done, len(paths))
    return [checks[path] for path in paths], {path: matches[path] for path in paths if path in matches}


def convert(settings: ConvertQuestion, output: Output, files: Files) -> None:
    """Read, and write in another layout."""
    from cranfield.collection.formats import COLLECTION_FORMATS
    from cranfield.questions.files import kind_of

    given, kind = list(files["scores"]), settings.kind
    if kind is None and settings.format is None and settings.layout not in ("long", "wide", "trec_eval", "nev"):
        first = expand(given[:1])[0]
        kind = kind_of(first)
        if kind == "scores" and settings.layout in COLLECTION_FORMATS:
            raise ArgumentError(
                f"{first} contains scores, and scores have no layout {settings.layout}. Use --kind to override."
            )
    if kind in ("run", "qrels"):
        _convert_collection(kind, settings.layout, output, given)
    else:
        _convert_scores(settings, output, given)


def _convert_collection(kind: str, layout: str | None, output: Output, given: list[str]) -> None:
    """Runs or judgments: one file to a file or to standard output, several runs to a directory."""
    from cranfield.collection.readers import read_qrels, read_run

    if output.format is not None:
        raise ArgumentError(f"--format applies to printed tables; choose a format of {kind} files with --layout")
    paths = _expanded(given)
    several, to = len(paths) > 1, output.output
    entry = collection_format(layout, None if several else to, kind)
    if several and kind == "qrels":
        raise ArgumentError(f"judgments are converted one file at a time; got {len(paths)}")
    if several and to is None:
        raise ArgumentError(f"{len(paths)} runs need a directory; name it with --output")
    if several and to is not None:
        try:
            to.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise FileError(str(to), f"cannot be written: {error.strerror or error}") from None
    for path in paths:
        content: Any = read_run(path) if kind == "run" else read_qrels(path)
        data = entry.write(content, kind)
        for note in content.notes:
            say(f"note: {path}: {note}")
        if to is None:
            sys.stdout.write(data.decode())
            return
        target = to / f"{content.system}{entry.ending}" if several else Path(to)
        write_atomically(target, data)
        say(f"wrote {target}: {len(content.topics)} topics, {len(content):,} rows, as {entry.name}")


def _convert_scores(settings: ConvertQuestion, output: Output, given: list[str]) -> None:
    from cranfield.scores.writers import write_scores

    scores = settings.ask(given, **settings.values("source"))
    layout, to = settings.layout or "long", output.output
    steps = [step for matrix in scores.values() for step in matrix.provenance if "read from" not in step]
    notes = tuple(dict.fromkeys(steps))
    if to is None and layout in ("trec_eval", "nev"):
        raise ArgumentError(f"--layout {layout} writes one file per system; name a directory with --output")
    if to is None or output.format is not None:
        rows = scores.only().to_wide() if layout == "wide" else scores.to_long()
        shown = {"layout": layout, "missing": settings.missing}
        emit(Sheet("convert", rows, signature("convert", **shown), shown, notes), output)
        draw(scores.answer(), scores, output)
        return
    for note in notes:
        say(f"note: {note}")
    write_scores(scores, to, layout=cast(Any, layout))
    draw(scores.answer(), scores, output)
    for matrix in scores.values():
        say(f"wrote {to}: {matrix.measure}, {matrix.n_topics} topics × {matrix.n_systems} systems")


def pool(settings: PoolQuestion, output: Output, files: Files) -> None:
    """Reduce the judgments, write them, and print the counts of each topic."""
    from cranfield.collection.pools import depth_pools, judged_counts
    from cranfield.collection.readers import read_qrels, read_runs
    from cranfield.questions.pool.contributing import contributing_runs, find_contributors, named_contributors

    entry = collection_format(None, output.output, "qrels")
    judged, depth = read_qrels(files["qrels"]), settings.depth
    runs = expand(files["runs"])
    contributors = find_contributors(settings.contributing)
    pooled: Iterable[Run] = read_runs(runs)
    warnings = [*judged.notes, *runs.skipped]
    if contributors is not None:
        given = list(pooled)
        pooled = contributing_runs(given, contributors)
        warnings += contributors.absent([run.system for run in given])
    kept = depth_pools(judged, pooled, [depth], order=cast(Any, settings.order))[depth]
    counts = judged_counts(kept, judged.topics)
    without_relevant = counts.filter(counts["relevant"] == 0)["topic"].to_list()
    if without_relevant:
        warnings.append(
            f"{len(without_relevant)} of {len(counts)} topics have no relevant document left: "
            f"{summary(without_relevant)}"
        )
    if output.output is not None:
        left = f": {len(kept):,} of {len(judged):,} judgments"
        write(output.output, entry.write(kept, "qrels"), left)
    per_topic = counts["judged"].sum() / len(counts)
    shown = {"qrels": files["qrels"], **settings.to_dict()}
    shown["contributing"] = named_contributors(settings.contributing)
    sheet = Sheet(
        "pool", counts, signature("pool", **shown), shown, tuple(warnings),
        title=f"Judged documents at pool depth {depth}",
        notes=(f"{len(kept):,} of {len(judged):,} judgments; {per_topic:.1f} documents per topic.",),
    )  # fmt: skip
    emit(sheet, replace(output, output=None))
