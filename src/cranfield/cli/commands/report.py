"""``cranfield report``: the whole story in one HTML file."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any, cast

import click

from cranfield.cli.output import progress_bar, refuse_unwritable, say
from cranfield.errors import ArgumentError

if TYPE_CHECKING:
    from cranfield.cli.build import OutputSettings
    from cranfield.settings.report import ReportSettings


def run(settings: ReportSettings, output: OutputSettings, files: dict[str, Any]) -> None:
    """Write the report, and print its headline."""
    from cranfield.collection.check import recognise
    from cranfield.files import expand
    from cranfield.scores import read_scores

    to, given = settings.output, list(settings.files)
    if to.suffix.lower() not in (".html", ".htm"):
        raise ArgumentError(f"a report is an HTML file; end {to} in .html.")
    refuse_unwritable(to)
    if not given:
        raise ArgumentError("nothing to report on; write cranfield report QRELS RUN... or cranfield report SCORES...")
    first = expand(given[:1])[0]
    with progress_bar("writing the report") as progress:
        if recognise(first) == "qrels":
            if len(given) < 2:
                raise ArgumentError(f"{given[0]} holds judgments; name the runs after it, or give score files.")
            report = settings.ask(qrels=first, runs=given[1:], progress=progress)
        else:
            if recognise(first) == "run":
                raise ArgumentError(f"{first} is a run; name the judgments first: cranfield report QRELS RUN...")
            one = settings.measures[0] if settings.measures and len(settings.measures) == 1 else None
            scores = read_scores(given, measure=one, missing=cast(Any, settings.missing))
            names = ", ".join(Path(name).name for name in expand(given)[:3])
            report = settings.ask(scores, source=names, progress=progress)
        report.write(to)
    click.echo(report.headline)
    say(f"wrote {to} ({to.stat().st_size / 1e6:.1f} MB)")
