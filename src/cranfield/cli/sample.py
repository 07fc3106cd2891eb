"""``cranfield sample``: a synthetic collection with known truth, to try every command on."""

from __future__ import annotations

import math
import shlex
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from cranfield import defaults
from cranfield.cli.options import Format, Output, Seed
from cranfield.cli.output import emit

if TYPE_CHECKING:
    from cranfield.collection import Sample


def command(
    directory: Annotated[Path, typer.Argument(metavar="DIR", help="Where to write it: a new or empty directory.")],
    topics: Annotated[int, typer.Option("--topics", help="How many topics.")] = defaults.SAMPLE_TOPICS,
    systems: Annotated[int, typer.Option("--systems", help="How many systems.")] = defaults.SAMPLE_SYSTEMS,
    documents: Annotated[int, typer.Option("--documents", help="How many documents.")] = defaults.SAMPLE_DOCUMENTS,
    depth: Annotated[
        int | None,
        typer.Option("--depth", help=f"Judge the top so many of every run. [default: {defaults.SAMPLE_DEPTH}]"),
    ] = None,
    length: Annotated[
        int | None,
        typer.Option("--length", help=f"Documents a run holds for a topic. [default: {defaults.SAMPLE_LENGTH}]"),
    ] = None,
    seed: Seed = defaults.SEED,
    force: Annotated[bool, typer.Option("--force", help="Replace a former sample in DIR.")] = False,
    format: Format = None,
    output: Output = None,
) -> None:
    """Write a synthetic collection with known truth: documents, topics, graded judgments and runs."""
    import polars as pl

    from cranfield.collection.sample import make_sample
    from cranfield.collection.sample_files import check_directory
    from cranfield.present.tables import Sheet

    check_directory(directory, force=force)
    made = make_sample(topics, systems, seed, n_documents=documents, depth=depth, length=length)
    paths = made.write(directory, force=force)
    sizes = {path.relative_to(directory).as_posix(): path.stat().st_size for path in paths}
    runs = sum(size for name, size in sizes.items() if name.startswith("runs/"))
    contents = _contents(made)
    rows = pl.DataFrame(
        [(name, math.ceil(sizes.get(name, runs) / 1000), holds) for name, holds in contents.items()],
        schema={"file": pl.String, "kilobytes": pl.Int64, "holds": pl.String},
        orient="row",
    )
    settings = {"topics": topics, "systems": systems, "documents": documents, "depth": made.depth}
    answer = Sheet(
        "sample",
        rows,
        made.signature,
        {"directory": str(directory), **settings, "length": made.length, "seed": seed, "force": force},
        warnings=made.warnings,
        title=f"Sample collection in {directory}",
        notes=("Try next:", *_next_commands(directory)),
    )
    emit(answer, format=format, output=output)


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
