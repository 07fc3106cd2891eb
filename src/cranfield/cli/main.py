"""The program: its commands, and what happens when one fails."""

from __future__ import annotations

import sys
import warnings
from typing import Annotated, Any

import typer
from typer.core import TyperGroup

from cranfield import __version__
from cranfield.cli import (
    check,
    compare,
    convert,
    correlate,
    cost,
    demo,
    design,
    evaluate,
    leaderboard,
    measures,
    pool,
    replicates,
    report,
    sample,
    selection_bias,
    serve,
    standardise,
    trec_eval,
    tune,
    variance,
)
from cranfield.cli.output import say
from cranfield.errors import ArgumentError, CranfieldError, CranfieldWarning

COMMANDS: list[tuple[str, Any, str]] = [
    ("demo", demo.command, "The whole story on a sample collection."),
    ("sample", sample.command, "Make a synthetic collection with known truth."),
    ("check", check.command, "Validate runs, qrels and score files."),
    ("convert", convert.command, "Any score format to any other."),
    ("evaluate", evaluate.command, "Score runs against judgments."),
    ("trec_eval", trec_eval.command, "trec_eval's own flags, measures and lines."),
    ("measures", measures.command, "List the measures, with definitions and citations."),
    ("leaderboard", leaderboard.command, "Who leads, and who cannot be told apart."),
    ("compare", compare.command, "Which systems differ: tests for all pairs at once."),
    ("correlate", correlate.command, "How far two rankings of systems agree."),
    ("replicates", replicates.command, "Intervals and decisions from document partitions."),
    ("tune", tune.command, "Tune parameters without fooling yourself."),
    ("selection-bias", selection_bias.command, "What tuning on the test topics does, simulated."),
    ("standardise", standardise.app, "Standardised scores that travel: fit, apply, effect."),
    ("variance", variance.command, "What varies in past scores, and by how much."),
    ("design", design.app, "How many topics? Or: what can mine tell apart?"),
    ("cost", cost.command, "How deep to judge, how many topics, at what cost."),
    ("pool", pool.command, "Judgments as a shallower pool would have them."),
    ("report", report.command, "All of it as one HTML file to mail."),
    ("serve", serve.command, "The same questions on a page in your browser."),
]
"""Name, command and line of help, in the order the help shows them: from files to scores to answers."""


class _Program(TyperGroup):
    """Turns our own errors into one line on stderr and an exit code: 2 for bad usage, 1 for bad input."""

    def list_commands(self, ctx: Any) -> list[str]:
        return [name for name, _, _ in COMMANDS]

    def invoke(self, ctx: Any) -> Any:
        try:
            with warnings.catch_warnings():
                # Results carry their warnings and `emit` prints them once.
                warnings.simplefilter("ignore", CranfieldWarning)
                return super().invoke(ctx)
        except CranfieldError as error:
            say(f"error: {error}")
            raise typer.Exit(2 if isinstance(error, ArgumentError) else 1) from None
        except BrokenPipeError:
            sys.stderr.close()
            raise typer.Exit(0) from None
        except KeyboardInterrupt:
            say("interrupted")
            raise typer.Exit(130) from None


app = typer.Typer(
    cls=_Program,
    help="Design and analyse test collections: how many topics you need, and which systems really differ.",
    no_args_is_help=True,
    pretty_exceptions_enable=False,
    rich_markup_mode=None,
    context_settings={"help_option_names": ["-h", "--help"]},
)


def _version(wanted: bool) -> None:
    if wanted:
        typer.echo(f"cranfield {__version__}")
        raise typer.Exit


@app.callback()
def _program(
    version: Annotated[
        bool, typer.Option("--version", callback=_version, is_eager=True, help="Show the version and exit.")
    ] = False,
) -> None:
    pass


_SETTINGS = {"trec_eval": trec_eval.SETTINGS}

for _name, _what, _help in COMMANDS:
    if isinstance(_what, typer.Typer):
        app.add_typer(_what, name=_name, short_help=_help)
    else:
        app.command(_name, short_help=_help, context_settings=_SETTINGS.get(_name))(_what)


def main() -> None:
    """Entry point of the ``cranfield`` program."""
    app()
