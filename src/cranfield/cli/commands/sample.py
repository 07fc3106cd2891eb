"""``cranfield sample`` and ``cranfield demo``: a synthetic collection with known truth, and the whole story on it."""

from __future__ import annotations

import math
import shlex
import textwrap
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

import click
import polars as pl

from cranfield.cli.ask import runs
from cranfield.cli.output import emit, say
from cranfield.core.labels import plural
from cranfield.core.tables import Sheet
from cranfield.questions.demo.question import DemoQuestion
from cranfield.questions.sample.question import SampleQuestion

if TYPE_CHECKING:
    from cranfield.cli.build import Output
    from cranfield.collection.sample import Sample
    from cranfield.core.question import Files


@runs(SampleQuestion)
def sample(settings: SampleQuestion, output: Output, files: Files) -> None:
    """Make the collection, write it, and say what each file holds."""
    from cranfield.collection.sample_files import check_directory

    directory = settings.directory
    check_directory(directory, force=settings.force)
    made: Sample = settings.ask()
    paths = made.write(directory, force=settings.force)
    sizes = {path.relative_to(directory).as_posix(): path.stat().st_size for path in paths}
    runs = sum(size for name, size in sizes.items() if name.startswith("runs/"))
    contents = _contents(made)
    rows = pl.DataFrame(
        {
            "file": list(contents),
            "kilobytes": [math.ceil(sizes.get(name, runs) / 1000) for name in contents],
            "holds": list(contents.values()),
        }
    )
    shown = {"directory": str(directory), **settings.to_dict(), "depth": made.depth, "length": made.length}
    sheet = Sheet(
        "sample", rows, made.signature, {**shown, "force": settings.force}, warnings=made.warnings,
        title=f"Sample collection in {directory}", notes=("Try next:", *_next_commands(directory)),
    )  # fmt: skip
    emit(sheet, output)


def _contents(made: Sample) -> dict[str, str]:
    """What each file holds, in a few words."""
    truth = made.topic_truth
    return {
        "README.txt": "what each file holds",
        "documents.jsonl.gz": f"{made.documents.height} documents",
        "topics.tsv": f"{made.topics.height} topics",
        "qrels.txt": f"{len(made.qrels)} judgments (depth {made.depth}), {truth['pooled_relevant'].sum()} relevant",
        "qrels.full.txt.gz": f"{len(made.full_qrels)} judgments (all), {truth['relevant'].sum()} relevant",
        "runs/*.run.gz": f"{len(made.runs)} runs of {plural(made.truth['team'].n_unique(), 'team')}",
        "truth.json": "true quality and mean AP of each system",
    }


def _next_commands(directory: Path) -> tuple[str, ...]:
    """Commands that use the files, ready to paste."""
    qrels, runs, scores = (shlex.quote(f"{directory}/{name}") for name in ("qrels.txt", "runs", "ap.csv"))
    return (
        f"  cranfield evaluate {qrels} {runs} -m AP -q -o {scores}",
        f"  cranfield variance {scores}",
        f"  cranfield compare {scores}",
        f"  cranfield replicates {qrels} {runs} -m AP --partitions 2",
    )


class Step(NamedTuple):
    """One command of the story, and what to look at in its answer."""

    text: str
    words: tuple[str, ...]


STORY = (
    Step(
        "First, a collection to work on: synthetic, but with hard and easy topics, good and bad systems, and systems "
        "of one team that make the same mistakes. Because it is synthetic, the truth is known.",
        ("sample", "{dir}", "--seed", "{seed}", "--force"),
    ),
    Step(
        "Are the files valid? The readers are strict: they refuse whatever they do not understand.",
        ("check", "{dir}/qrels.txt", "{dir}/runs/alder-1.run.gz"),
    ),
    Step(
        "From runs and judgments to scores, one for every topic and system.",
        ("evaluate", "{dir}/qrels.txt", "{dir}/runs", "-m", "AP", "-m", "nDCG@10", "-q", "-o", "{dir}/scores.parquet"),
    ),
    Step(
        "Which systems really differ? Systems that share a letter are not shown to differ.",
        ("leaderboard", "{dir}/scores.parquet", "--measure", "AP"),
    ),
    Step(
        "How good is this collection? With its 50 topics, this is the smallest difference between two systems named "
        "beforehand that a paired t-test would find 80 times in 100, or oftener for 95% of the pairs; residual below "
        "is the same for an average pair.",
        ("design", "ttest", "--scores", "{dir}/scores.parquet", "--measure", "AP", "--topics", "50"),
    ),
    Step(
        "And the next collection? How many topics to compare all pairs of 20 systems after correction and detect a "
        "difference of 0.10 between the best and the worst; and what other ways of asking say.",
        ("design", "recommend", "{dir}/scores.parquet", "--measure", "AP", "--systems", "20", "--min-diff", "0.10"),
    ),
    Step(
        "Everything at once, with charts, in one HTML file that can be mailed and opened offline.",
        ("report", "{dir}/qrels.txt", "{dir}/runs", "-o", "{dir}/report.html"),
    ),
)


@runs(DemoQuestion)
def demo(settings: DemoQuestion, output: Output, files: Files) -> None:
    """Type one command after another; the story ends with one that fails or is interrupted."""
    from cranfield.cli.main import app

    values = {"dir": str(settings.directory), "seed": str(settings.seed)}
    for number, step in enumerate(STORY, 1):
        words = [word.format(**values) for word in step.words]
        say(f"\n── {number} of {len(STORY)} " + "─" * 67)
        say(textwrap.fill(step.text, 78))
        say(f"\n$ cranfield {' '.join(words)}\n")
        if code := app(words, standalone_mode=False):
            raise click.exceptions.Exit(code)
    say(f"\nOpen {settings.directory}/report.html; then try the same with files of your own.")
