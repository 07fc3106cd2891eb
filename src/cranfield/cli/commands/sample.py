"""``cranfield sample``: a synthetic collection with known truth."""

from __future__ import annotations

import math
import shlex
from typing import TYPE_CHECKING, Any

from cranfield.cli.output import emit

if TYPE_CHECKING:
    from pathlib import Path

    from cranfield.cli.build import OutputSettings
    from cranfield.collection import Sample
    from cranfield.settings.files import SampleSettings


def run(settings: SampleSettings, output: OutputSettings, files: dict[str, Any]) -> None:
    """Make the collection, write it, and say what each file holds."""
    import polars as pl

    from cranfield.collection.sample_files import check_directory
    from cranfield.present.tables import Sheet

    directory = settings.directory
    check_directory(directory, force=settings.force)
    made: Sample = settings.ask()
    paths = made.write(directory, force=settings.force)
    sizes = {path.relative_to(directory).as_posix(): path.stat().st_size for path in paths}
    runs = sum(size for name, size in sizes.items() if name.startswith("runs/"))
    rows = pl.DataFrame(
        [(name, math.ceil(sizes.get(name, runs) / 1000), holds) for name, holds in _contents(made).items()],
        schema={"file": pl.String, "kilobytes": pl.Int64, "holds": pl.String},
        orient="row",
    )
    shown = {"directory": str(directory), **settings.to_dict(), "depth": made.depth, "length": made.length}
    sheet = Sheet(
        "sample",
        rows,
        made.signature,
        {**shown, "force": settings.force},
        warnings=made.warnings,
        title=f"Sample collection in {directory}",
        notes=("Try next:", *_next_commands(directory)),
    )
    emit(sheet, output)


def _contents(made: Sample) -> dict[str, str]:
    """What each file holds, in a few words."""
    n_teams = made.truth["team"].n_unique()
    relevant = made.topic_truth["pooled_relevant"].sum(), made.topic_truth["relevant"].sum()
    return {
        "README.txt": "what each file holds",
        "documents.jsonl.gz": f"{made.documents.height} documents",
        "topics.tsv": f"{made.topics.height} topics",
        "qrels.txt": f"{len(made.qrels)} judgments (depth {made.depth}), {relevant[0]} relevant",
        "qrels.full.txt.gz": f"{len(made.full_qrels)} judgments (all), {relevant[1]} relevant",
        "runs/*.run.gz": f"{len(made.runs)} runs of {n_teams} {'team' if n_teams == 1 else 'teams'}",
        "truth.json": "true quality and mean AP of each system",
    }


def _next_commands(directory: Path) -> tuple[str, ...]:
    """Commands that use the files, ready to paste."""
    qrels, runs = shlex.quote(f"{directory}/qrels.txt"), shlex.quote(f"{directory}/runs")
    scores = shlex.quote(f"{directory}/ap.csv")
    return (
        f"  cranfield evaluate {qrels} {runs} -m AP -q -o {scores}",
        f"  cranfield variance {scores}",
        f"  cranfield compare {scores}",
        f"  cranfield replicates {qrels} {runs} -m AP --partitions 2",
    )
