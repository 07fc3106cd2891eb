"""``cranfield demo``: the whole story on a sample collection, told by the program's own commands."""

from __future__ import annotations

import textwrap
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from cranfield.cli.output import say

if TYPE_CHECKING:
    from cranfield.cli.build import OutputSettings
    from cranfield.settings.files import DemoSettings


@dataclass(frozen=True)
class Step:
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


def run(settings: DemoSettings, output: OutputSettings, files: dict[str, Any]) -> None:
    """Type one command after another; the story ends with one that fails or is interrupted."""
    import click

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
