"""``cranfield report``: the whole story of a collection in one HTML file."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from cranfield import defaults
from cranfield.cli.options import Alpha, Missing, Resamples, Seed, Workers


def command(
    files: Annotated[
        list[str],
        typer.Argument(
            metavar="QRELS RUN... | SCORES...",
            help="Judgments first and then runs; or score files. Directories and globs work.",
        ),
    ],
    output: Annotated[Path, typer.Option("--output", "-o", help="The HTML file to write.")] = Path(
        defaults.REPORT_FILE
    ),
    measure: Annotated[
        list[str] | None,
        typer.Option(
            "--measure",
            "-m",
            help="A measure; repeatable, the first one leads. [default: "
            f"{' '.join(defaults.MEASURES)}, or all in the scores]",
        ),
    ] = None,
    skip: Annotated[
        list[str] | None,
        typer.Option(
            "--skip", metavar="SECTION", help=f"Leave a section out; repeatable: {', '.join(defaults.REPORT_SECTIONS)}."
        ),
    ] = None,
    title: Annotated[str | None, typer.Option("--title", help="Title of the report.")] = None,
    min_diff: Annotated[
        float, typer.Option("--min-diff", metavar="D", help="Difference the next collection should detect.")
    ] = defaults.REPORT_MIN_DIFF,
    systems: Annotated[
        int | None,
        typer.Option("--systems", metavar="M", help="Systems it will compare. [default: as many as here]"),
    ] = None,
    power: Annotated[float, typer.Option("--power", metavar="P", help="Wanted power.")] = defaults.POWER,
    depth: Annotated[
        list[int] | None,
        typer.Option(
            "--depth", help=f"Pool depth to price; repeatable. [default: {' '.join(map(str, defaults.REPORT_DEPTHS))}]"
        ),
    ] = None,
    partitions: Annotated[int, typer.Option("--partitions", help="Partitions of the documents.")] = defaults.PARTITIONS,
    splits: Annotated[int, typer.Option("--splits", help="How often the documents are split.")] = defaults.SPLITS,
    alpha: Alpha = defaults.ALPHA,
    resamples: Resamples = defaults.RESAMPLES,
    seed: Seed = defaults.SEED,
    missing: Missing = defaults.MISSING,
    lenient: Annotated[bool, typer.Option("--lenient", help="Accept fields after the run tag.")] = False,
    workers: Workers = None,
) -> None:
    """Write one HTML file that tells everything about a collection, in plain language, to mail and open offline.

    Data and problems, leaderboard, which systems differ, what the collection can detect, what the next one needs,
    standardisation, replicates (with runs), methods with citations; every table also as CSV. Prints the headline.

    \b
    Examples:
      cranfield report qrels.txt runs/ -m AP -m nDCG@10 -o report.html
      cranfield report scores.csv --skip standardisation
    """
    from cranfield.cli.output import progress_bar, say
    from cranfield.collection.check import recognise
    from cranfield.errors import ArgumentError, FileError, Problem
    from cranfield.files import expand
    from cranfield.present.report import build_report
    from cranfield.scores import read_scores

    if output.suffix.lower() not in (".html", ".htm"):
        raise ArgumentError(f"a report is an HTML file; end {output} in .html.")
    if not output.parent.is_dir():
        raise FileError(str(output), [Problem(0, f"cannot be written: there is no directory {output.parent}")])
    settings = {
        "measures": measure or None, "skip": skip or (), "title": title, "min_diff": min_diff, "n_systems": systems,
        "power": power, "depths": depth or defaults.REPORT_DEPTHS, "n_partitions": partitions, "n_splits": splits,
        "alpha": alpha, "n_resamples": resamples, "seed": seed, "lenient": lenient, "workers": workers,
    }  # fmt: skip
    first = expand(files[:1])[0]
    judged = recognise(first) == "qrels"
    with progress_bar("writing the report") as progress:
        if judged:
            if len(files) < 2:
                raise ArgumentError(f"{files[0]} holds judgments; name the runs after it, or give score files.")
            report = build_report(qrels=first, runs=files[1:], progress=progress, **settings)  # type: ignore[arg-type]
        else:
            if recognise(first) == "run":
                raise ArgumentError(f"{first} is a run; name the judgments first: cranfield report QRELS RUN...")
            one = measure[0] if measure and len(measure) == 1 else None
            scores = read_scores(files, measure=one, missing=missing)
            names = ", ".join(Path(name).name for name in expand(files)[:3])
            report = build_report(scores, source=names, progress=progress, **settings)  # type: ignore[arg-type]
        report.write(output)
    typer.echo(report.headline)
    say(f"wrote {output} ({output.stat().st_size / 1e6:.1f} MB)")
