"""Options shared by many commands, declared once."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from cranfield.defaults import CHART_ENDINGS, MissingPolicy, OutputFormat

ScoreFiles = Annotated[
    list[str],
    typer.Argument(metavar="SCORES...", help="Score files, directories or globs; - is standard input."),
]
RunFiles = Annotated[
    list[str], typer.Argument(metavar="RUN...", help="Run files, directories or globs, plain or compressed.")
]
QrelsFile = Annotated[str, typer.Argument(metavar="QRELS", help="Judgments: a TREC or NTCIR qrels file.")]
Format = Annotated[OutputFormat | None, typer.Option("--format", help="How to print the rows. [default: table]")]
Output = Annotated[
    Path | None,
    typer.Option(
        "--output",
        "-o",
        help="Write to this file instead; format by --format or its ending (.json .csv .tsv .md .tex .txt .parquet).",
    ),
]
Missing = Annotated[MissingPolicy, typer.Option("--missing", help="What a missing (topic, system) score means.")]
Seed = Annotated[int, typer.Option("--seed", help="Seed of everything random.")]
Alpha = Annotated[float, typer.Option("--alpha", help="Significance level; intervals have level 1 - alpha.")]
Resamples = Annotated[int, typer.Option("--resamples", help="How many resamples.")]
Workers = Annotated[
    int | None,
    typer.Option("--workers", min=1, help="Threads or processes to use; never changes a result. [default: all cores]"),
]


def _drawable(path: Path | None) -> Path | None:
    """Refuse an ending that cannot be drawn before any work is done."""
    if path is not None and path.suffix.lower() not in CHART_ENDINGS:
        raise typer.BadParameter(f"cannot draw to {path}: end the name in {', '.join(CHART_ENDINGS)}.")
    return path


Plot = Annotated[
    Path | None,
    typer.Option("--plot", callback=_drawable, help=f"Also draw the result to this file ({' '.join(CHART_ENDINGS)})."),
]
ChartName = Annotated[
    str | None, typer.Option("--chart", metavar="KIND", help="Which chart --plot draws; see docs/charts.md.")
]
