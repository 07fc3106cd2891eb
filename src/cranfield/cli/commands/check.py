"""``cranfield check``: validate runs, qrels and score files."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from cranfield.cli.output import emit, progress_bar, say

if TYPE_CHECKING:
    from cranfield.cli.build import OutputSettings
    from cranfield.settings.files import CheckSettings


def run(settings: CheckSettings, output: OutputSettings, files: dict[str, Any]) -> None:
    """Check every file, print what they hold, and say every problem."""
    import polars as pl

    from cranfield.files import expand
    from cranfield.present.tables import Sheet
    from cranfield.signature import signature

    paths = expand(list(settings.files))
    for text in paths.skipped:
        say(f"note: {text}")
    checks = []
    with progress_bar(settings.counts) as progress:
        for done, path in enumerate(paths, 1):
            checks.append(settings.ask(path))
            if progress:
                progress(done, len(paths))
    rows = pl.concat([check.to_frame() for check in checks])
    notes = tuple(f"{check.path}: {note}" for check in checks for note in check.notes)
    shown = {"kind": settings.kind or "recognised", "lenient": settings.lenient}
    emit(Sheet("check", rows, signature("check", **shown), shown, notes=notes), output)
    wrong = [check for check in checks if check.problems]
    for check in wrong:
        say(f"error: {check.error}")
    if wrong:
        raise click.exceptions.Exit(1)
