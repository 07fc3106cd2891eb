"""``cranfield check``: validate runs, qrels and score files."""

from __future__ import annotations

from typing import Annotated

import typer

from cranfield.cli.options import Format, Output
from cranfield.defaults import FileKind


def command(
    files: Annotated[
        list[str], typer.Argument(metavar="FILE...", help="Runs, qrels or score files, directories or globs.")
    ],
    kind: Annotated[
        FileKind | None, typer.Option("--kind", help="What the files are; recognised from their content if not given.")
    ] = None,
    lenient: Annotated[bool, typer.Option("--lenient", help="Accept fields after the run tag.")] = False,
    format: Format = None,
    output: Output = None,
) -> None:
    """Validate files: what they hold, ties, and every problem with file and line.

    Ends with exit code 1 when any file has a problem.

    Example: cranfield check qrels.txt runs/
    """
    import polars as pl

    from cranfield.cli.output import emit, progress_bar, say
    from cranfield.collection import check_file
    from cranfield.files import expand
    from cranfield.present.tables import Answer
    from cranfield.signature import signature

    paths = expand(files)
    checks = []
    with progress_bar("checking files") as progress:
        for done, path in enumerate(paths, 1):
            checks.append(check_file(path, kind=kind, lenient=lenient))
            if progress:
                progress(done, len(paths))
    rows = pl.concat([check.to_frame() for check in checks])
    notes = tuple(f"{check.path}: {note}" for check in checks for note in check.notes)
    settings = {"kind": kind or "recognised", "lenient": lenient}
    emit(Answer("check", rows, signature("check", **settings), settings, notes=notes), format=format, output=output)
    wrong = [check for check in checks if check.problems]
    for check in wrong:
        say(f"error: {check.error}")
    if wrong:
        raise typer.Exit(1)
