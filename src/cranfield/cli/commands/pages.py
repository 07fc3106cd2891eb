"""``cranfield report`` and ``cranfield serve``: one HTML file, and the local page."""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast

import click

from cranfield.cli.output import progress_bar, refuse_unwritable, say
from cranfield.core.errors import ArgumentError, with_extra
from cranfield.core.files import expand
from cranfield.core.resources import check_charts
from cranfield.questions.report.question import ReportQuestion
from cranfield.questions.serve.question import ServeQuestion

if TYPE_CHECKING:
    from cranfield.cli.build import Output
    from cranfield.core.question import Files
    from cranfield.reports.report import Report


def report(settings: ReportQuestion, output: Output, files: Files) -> None:
    """Write the report, and print its headline."""
    from cranfield.collection.teams import best_per_team
    from cranfield.questions.files import best_runs, kind_of
    from cranfield.scores.readers import read_scores

    check_charts()
    to, given = settings.output, list(settings.files)
    if to.suffix.lower() not in (".html", ".htm"):
        raise ArgumentError(f"a report is an HTML file; end {to} in .html.")
    refuse_unwritable(to)
    if not given:
        raise ArgumentError("no files given; write cranfield report QRELS RUN... or cranfield report SCORES...")
    first = expand(given[:1])[0]
    with progress_bar("writing the report") as progress:
        kind = kind_of(first)
        if kind == "run":
            raise ArgumentError(f"{first} is a run. Put the qrels file first: cranfield report QRELS RUN...")
        if kind == "qrels" and len(given) < 2:
            raise ArgumentError(f"{given[0]} contains only judgments. Add the runs after it, or give score files.")
        if kind == "qrels":
            made = settings.ask(qrels=first, runs=best_runs(settings, first, given[1:]), progress=progress)
        else:
            one = settings.measures[0] if settings.measures and len(settings.measures) == 1 else None
            scores = read_scores(given, measure=one, missing=cast(Any, settings.missing))
            if settings.best_per_team is not None:
                chosen = settings.teams, settings.best_per_team
                scores = best_per_team(scores, *chosen, team_prefix=settings.team_prefix)
            names = ", ".join(Path(name).name for name in expand(given)[:3])
            unused = {} if settings.best_per_team is None else {"teams": None}  # they chose the systems
            made = settings.ask(scores, source=names, progress=progress, **unused)
        made.write(to)
        mailed = _write_participants(made, settings.participants, to)
    click.echo(made.headline)
    say(f"wrote {to} ({to.stat().st_size / 1e6:.1f} MB)")
    if mailed:
        say(f"wrote {len(mailed)} pages for participants to {settings.participants}")


def _write_participants(made: Report, folder: Path | None, to: Path) -> list[Path]:
    """The pages of the teams, with links to the report from where they lie."""
    if folder is None:
        return []
    return made.write_participants(folder, Path(os.path.relpath(to, folder)).as_posix())


def serve(settings: ServeQuestion, output: Output, files: Files) -> None:
    """Serve the page until interrupted."""
    from importlib.util import find_spec

    missing = [name for name in ("fastapi", "uvicorn", "python_multipart") if find_spec(name) is None]
    if missing:
        raise ArgumentError(f"the page needs {', '.join(missing)}. Install: {with_extra('web')}")
    from cranfield.web.server.serve import serve

    serve(settings)
