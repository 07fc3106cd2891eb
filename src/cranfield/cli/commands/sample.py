"""``cranfield sample`` and ``cranfield demo``: a synthetic collection with known truth, and a tour of the commands."""

from __future__ import annotations

import math
import shlex
import textwrap
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

import click
import polars as pl

from cranfield.cli.output import emit, say
from cranfield.core.labels import plural
from cranfield.core.resources import check_charts
from cranfield.core.tables import Sheet
from cranfield.questions.demo.question import DemoQuestion
from cranfield.questions.sample.question import SampleQuestion

if TYPE_CHECKING:
    from cranfield.cli.build import Output
    from cranfield.collection.sample import Sample
    from cranfield.core.question import Files


def sample(settings: SampleQuestion, output: Output, files: Files) -> None:
    """Make the collection, write it, and list its files."""
    from cranfield.collection.sample_files import check_directory

    directory = settings.directory
    check_directory(directory, force=settings.force)
    made = settings.ask()
    paths = made.write(directory, force=settings.force)
    sizes = {path.relative_to(directory).as_posix(): path.stat().st_size for path in paths}
    folders = {"runs/*.run.gz": "runs/", "judges/*": "judges/"}
    for pattern, folder in folders.items():
        sizes[pattern] = sum(size for name, size in sizes.items() if name.startswith(folder))
    contents = _contents(made)
    rows = pl.DataFrame(
        {
            "file": list(contents),
            "kilobytes": [math.ceil(sizes[name] / 1000) for name in contents],
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
    """The content of each file."""
    truth = made.topic_truth
    return {
        "README.txt": "list of the files",
        "documents.jsonl.gz": f"{made.documents.height} documents",
        "topics.tsv": f"{made.topics.height} topics",
        "qrels.txt": f"{len(made.qrels)} judgments (depth {made.depth}), {truth['pooled_relevant'].sum()} relevant",
        "qrels.full.txt.gz": f"{len(made.full_qrels)} judgments (all), {truth['relevant'].sum()} relevant",
        "runs/*.run.gz": f"{len(made.runs)} runs of {plural(made.truth['team'].n_unique(), 'team')}",
        "truth.json": "true quality and mean AP of each system",
        "judges/*": "judgments by a person, a second person and a machine",
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
        "First, a collection to work on. It is synthetic, so the truth is known. It has hard and easy topics, good and "
        "bad systems, and teams whose systems make the same mistakes.",
        ("sample", "{dir}", "--seed", "{seed}", "--force"),
    ),
    Step(
        "Are the files valid? The readers are strict and name every problem.",
        ("check", "{dir}/qrels.txt", "{dir}/runs/alder-1.run.gz"),
    ),
    Step(
        "Score the runs against the judgments: one score for every topic and system.",
        ("evaluate", "{dir}/qrels.txt", "{dir}/runs", "-m", "AP", "-m", "nDCG@10", "-q", "-o", "{dir}/scores.parquet"),
    ),
    Step(
        "Rank the systems. Intervals show how certain each rank is.",
        ("leaderboard", "{dir}/scores.parquet", "--measure", "AP"),
    ),
    Step(
        "What can this collection detect? This is the smallest difference that a paired t-test on 50 topics finds with "
        "80% power, for 95% of the pairs. Below the table, residual is for an average pair.",
        ("design", "ttest", "--scores", "{dir}/scores.parquet", "--measure", "AP", "--topics", "50"),
    ),
    Step(
        "How many topics does the next collection need? It should compare all pairs of 20 systems and detect a "
        "difference of 0.10 between the best and the worst.",
        ("design", "recommend", "{dir}/scores.parquet", "--measure", "AP", "--systems", "20", "--min-diff", "0.10"),
    ),
    Step(
        "A machine judged all topics, and people judged half of them. Are its judgments as good as a "
        "second person's, and does it favour a team?",
        (
            "judges",
            "{dir}/runs",
            "--human",
            "{dir}/judges/human.qrels",
            "--human",
            "{dir}/judges/second.qrels",
            "--machine",
            "{dir}/judges/machine.qrels",
            "--system-groups",
            "{dir}/judges/groups.txt",
            "--sampled",
            "random",
        ),
    ),
    Step(
        "Everything at once, with charts, in one HTML file that opens offline.",
        (
            "report",
            "{dir}/qrels.txt",
            "{dir}/runs",
            "--machine",
            "{dir}/judges/machine.qrels",
            "--second",
            "{dir}/judges/second.qrels",
            "-o",
            "{dir}/report.html",
        ),
    ),
)


def demo(settings: DemoQuestion, output: Output, files: Files) -> None:
    """Run the commands in turn; stop at one that fails or is interrupted."""
    from cranfield.cli.main import app

    check_charts()  # now, and not at the last step
    values = {"dir": str(settings.directory), "seed": str(settings.seed)}
    for number, step in enumerate(STORY, 1):
        words = [word.format(**values) for word in step.words]
        say(f"\n── {number} of {len(STORY)} " + "─" * 67)
        say(textwrap.fill(step.text, 78))
        say(f"\n$ cranfield {' '.join(words)}\n")
        if code := app(words, standalone_mode=False):
            raise click.exceptions.Exit(code)
    say(f"\nOpen {settings.directory}/report.html; then try your own files.")
