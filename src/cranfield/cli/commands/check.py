"""``cranfield check``: validate runs, qrels and score files, and compare the runs with the judgments."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from cranfield.cli.kinds import kind_of
from cranfield.cli.output import emit, progress_bar, say
from cranfield.errors import CranfieldError

if TYPE_CHECKING:
    import polars as pl

    from cranfield.cli.build import OutputSettings
    from cranfield.collection.agreement import Agreement
    from cranfield.collection.check import FileCheck
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
    checks, matches = _check(paths, settings)
    rows = pl.concat([check.to_frame() for check in checks])
    if matches:
        rows = rows.with_columns(*_columns(checks, matches))
    notes = tuple(f"{check.path}: {note}" for check in checks for note in check.notes)
    if matches:
        notes += ("judged_at_10: share of judged documents among the first ten of every shared topic.",)
    said = tuple(f"{path}: {text}" for path, match in matches.items() for text in match.warnings)
    shown = {"kind": settings.kind or "recognised", "lenient": settings.lenient}
    emit(Sheet("check", rows, signature("check", **shown), shown, said, notes=notes), output)
    wrong = [check for check in checks if check.problems]
    for check in wrong:
        say(f"error: {check.error}")
    if wrong:
        raise click.exceptions.Exit(1)


def _check(paths: list[str], settings: CheckSettings) -> tuple[list[FileCheck], dict[str, Agreement]]:
    """Every file checked, and every run compared with the judgments when there is one file of them."""
    from cranfield.collection import Qrels, Run
    from cranfield.collection.agreement import agreement
    from cranfield.collection.check import check_and_read

    judged = [path for path in paths if (settings.kind or _kind(path)) == "qrels"]
    order = [*judged, *(path for path in paths if path not in judged)] if len(judged) == 1 else paths
    checks: dict[str, FileCheck] = {}
    matches: dict[str, Agreement] = {}
    qrels: Qrels | None = None
    with progress_bar(settings.counts) as progress:
        for done, path in enumerate(order, 1):
            checks[path], content = check_and_read(path, kind=settings.kind, lenient=settings.lenient)  # type: ignore[arg-type]
            if isinstance(content, Qrels) and len(judged) == 1:
                qrels = content
            if isinstance(content, Run) and qrels is not None:
                matches[path] = agreement(qrels, content)
            if progress:
                progress(done, len(paths))
    return [checks[path] for path in paths], {path: matches[path] for path in paths if path in matches}


def _kind(path: str) -> str:
    try:
        return kind_of(path)
    except CranfieldError:
        return "unknown"  # reading it will say what is wrong


def _columns(checks: list[FileCheck], matches: dict[str, Agreement]) -> list[pl.Series]:
    import polars as pl

    each = [matches.get(check.path) for check in checks]
    return [
        pl.Series("shared_topics", [one and one.shared_topics for one in each], dtype=pl.Int64),
        pl.Series("judged_at_10", [one and one.judged_share for one in each], dtype=pl.Float64),
    ]
