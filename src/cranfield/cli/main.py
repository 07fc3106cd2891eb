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
    standardise,
    tune,
    variance,
)
from cranfield.cli.output import say
from cranfield.errors import ArgumentError, CranfieldError, CranfieldWarning


class _Program(TyperGroup):
    """Turns our own errors into one line on stderr and an exit code: 2 for bad usage, 1 for bad input."""

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


app.command("sample")(sample.command)
app.command("check")(check.command)
app.command("evaluate")(evaluate.command)
app.command("measures")(measures.command)
app.command("convert")(convert.command)
app.command("leaderboard")(leaderboard.command)
app.command("compare")(compare.command)
app.add_typer(standardise.app, name="standardise")
app.command("replicates")(replicates.command)
app.command("correlate")(correlate.command)
app.command("variance")(variance.command)
app.add_typer(design.app, name="design")
app.command("cost")(cost.command)
app.command("pool")(pool.command)
app.command("tune")(tune.command)
app.command("selection-bias")(selection_bias.command)
app.command("report")(report.command)
app.command("demo")(demo.command)


def main() -> None:
    """Entry point of the ``cranfield`` program."""
    app()
