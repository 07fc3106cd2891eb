"""``cranfield selection-bias``: what tuning on the test topics makes of equally good settings."""

from __future__ import annotations

from typing import Annotated

import typer

from cranfield import defaults
from cranfield.cli import tuning
from cranfield.cli.options import Alpha, ChartName, Format, Output, Plot, Seed


def command(
    settings: Annotated[int, typer.Option("--settings", help="Equally good settings.")] = defaults.BIAS_SETTINGS,
    topics: Annotated[int, typer.Option("--topics", help="Topics.")] = defaults.BIAS_TOPICS,
    sd: Annotated[
        float, typer.Option("--sd", help="Spread of a setting's scores on a topic about the topic's ease.")
    ] = defaults.BIAS_SD,
    correlation: Annotated[
        float,
        typer.Option("--correlation", help="Of that spread between settings; near 1 for neighbours on a grid."),
    ] = 0.0,
    folds: tuning.FoldCount = None,
    leave_one_out: tuning.LeaveOneOutFlag = False,
    holdout: tuning.HoldOutShare = None,
    repeats: tuning.Repeats = 1,
    experiments: Annotated[
        int, typer.Option("--experiments", help="Experiments to simulate.")
    ] = defaults.BIAS_EXPERIMENTS,
    alpha: Alpha = defaults.ALPHA,
    seed: Seed = defaults.SEED,
    plot: Plot = None,
    chart: ChartName = None,
    format: Format = None,
    output: Output = None,
) -> None:
    """Simulate tuning among equally good settings: how much better than an untuned equal does the best look?

    The truth is an advantage of 0. Tested in-sample, on the topics it was chosen on, the tuned system looks
    better; tested on held-out topics it does not.

    Example: cranfield selection-bias --settings 50 --topics 50 --folds 10
    """
    from cranfield.cli.output import draw, emit, progress_bar
    from cranfield.present.tables import Sheet
    from cranfield.tuning import selection_bias

    splitter = tuning.splitter_of(folds, leave_one_out, holdout, repeats, False, seed)
    with progress_bar("experiments") as progress:
        found = selection_bias(
            settings,
            topics,
            splitter,
            sd=sd,
            correlation=correlation,
            alpha=alpha,
            n_experiments=experiments,
            seed=seed,
            progress=progress,
        )
    used = {
        "settings": settings,
        "topics": topics,
        "sd": sd,
        "correlation": correlation,
        "folds": found.folds,
        "experiments": experiments,
        "alpha": alpha,
        "seed": seed,
    }
    notes = (
        f"advantage: of the tuned system over an equally good untuned one; in truth 0. By theory the best of "
        f"{settings} in-sample gains {found.expected:.4f}.",
        f"declared_better: share of experiments in which a paired t-test at {alpha:g} finds for the tuned system; "
        f"should be {alpha / 2:g}.",
    )
    title = f"{settings} equally good settings tuned on {topics} topics, {experiments} times"
    emit(
        Sheet("selection-bias", found.to_frame(), found.signature, used, found.warnings, title, notes=notes),
        format=format,
        output=output,
    )
    draw(found, plot, chart)
