"""``cranfield convert``: any format of scores, runs or judgments to any other."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast

from cranfield.cli.output import collection_format, draw, emit, say
from cranfield.errors import ArgumentError, FileError, Problem

if TYPE_CHECKING:
    from cranfield.cli.build import OutputSettings
    from cranfield.settings.files import ConvertSettings


def run(settings: ConvertSettings, output: OutputSettings, files: dict[str, Any]) -> None:
    """Read, and write in another layout."""
    from cranfield.collection.check import recognise
    from cranfield.collection.formats import COLLECTION_FORMATS
    from cranfield.files import expand

    given = list(files["scores"])
    kind = settings.kind
    if kind is None and settings.format is None and settings.layout not in ("long", "wide", "trec_eval", "nev"):
        first = expand(given[:1])[0]
        kind = recognise(first)
        if kind == "scores" and settings.layout in COLLECTION_FORMATS:
            raise ArgumentError(f"{first} holds scores, which have no layout {settings.layout}; --kind says otherwise")
    if kind in ("run", "qrels"):
        _convert_collection(kind, settings.layout, output, given)
    else:
        _convert_scores(settings, output, given)


def _convert_collection(kind: str, layout: str | None, output: OutputSettings, given: list[str]) -> None:
    """Runs or judgments: one file to a file or to standard output, several runs to a directory."""
    from cranfield.collection import read_qrels, read_run
    from cranfield.files import expand, write_atomically

    if output.format is not None:
        raise ArgumentError(f"--format is about printed tables; choose a format of {kind} files with --layout")
    paths = expand(given)
    for text in paths.skipped:
        say(f"note: {text}")
    several, to = len(paths) > 1, output.output
    entry = collection_format(layout, None if several else to, kind)
    if several and kind == "qrels":
        raise ArgumentError(f"judgments are converted one file at a time; got {len(paths)}")
    if several and to is None:
        raise ArgumentError(f"{len(paths)} runs need a directory to go to; name it with --output")
    if several and to is not None:
        try:
            to.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise FileError(str(to), [Problem(0, f"cannot be written: {error.strerror or error}")]) from None
    for path in paths:
        content: Any = read_run(path) if kind == "run" else read_qrels(path)
        write = entry.write_run if kind == "run" else entry.write_qrels
        data = cast("Any", write)(content)
        for note in content.notes:
            say(f"note: {path}: {note}")
        if to is None:
            sys.stdout.write(data.decode())
            return
        target = to / f"{content.system}{entry.ending}" if several else Path(to)
        write_atomically(target, data)
        say(f"wrote {target}: {len(content.topics)} topics, {len(content):,} rows, as {entry.name}")


def _convert_scores(settings: ConvertSettings, output: OutputSettings, given: list[str]) -> None:
    from cranfield.present.answer import answer
    from cranfield.present.tables import Sheet
    from cranfield.scores import write_scores
    from cranfield.signature import signature

    scores = settings.ask(given, **settings.values("source"))
    layout, to = settings.layout or "long", output.output
    notes = tuple(
        dict.fromkeys(step for matrix in scores.values() for step in matrix.provenance if "read from" not in step)
    )
    if to is None and layout in ("trec_eval", "nev"):
        raise ArgumentError(f"--layout {layout} writes one file per system; name a directory with --output")
    if to is None or output.format is not None:
        rows = scores.only().to_wide() if layout == "wide" else scores.to_long()
        shown = {"layout": layout, "missing": settings.missing}
        emit(Sheet("convert", rows, signature("convert", **shown), shown, notes), output)
        draw(answer(scores), scores, output)
        return
    for note in notes:
        say(f"note: {note}")
    write_scores(scores, to, layout=cast(Any, layout))
    draw(answer(scores), scores, output)
    for matrix in scores.values():
        say(f"wrote {to}: {matrix.measure}, {matrix.n_topics} topics × {matrix.n_systems} systems")
