"""``cranfield tune``: choose parameters on training topics, score them on held-out ones."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from cranfield import defaults
from cranfield.cli import tuning
from cranfield.cli.options import Alpha, ChartName, Format, Missing, Output, Plot, ScoreFiles, Seed

if TYPE_CHECKING:
    from cranfield.present.tables import Sheet
    from cranfield.tuning import Tuning


def command(
    scores: ScoreFiles,
    folds: tuning.FoldCount = None,
    leave_one_out: tuning.LeaveOneOutFlag = False,
    holdout: tuning.HoldOutShare = None,
    repeats: tuning.Repeats = 1,
    stratified: tuning.Stratified = False,
    pattern: tuning.Pattern = None,
    measure: Annotated[
        str | None, typer.Option("--measure", "-m", help="Tune for this measure; for a wide table, its name.")
    ] = None,
    show: Annotated[
        defaults.TuningView,
        typer.Option(
            "--show",
            help="folds: a row a fold. summary: a row a family. curve: every setting's mean with a band from "
            "resampled topics, and how often it was chosen.",
        ),
    ] = defaults.TUNING_VIEW,
    held_out: Annotated[
        Path | None,
        typer.Option("--held-out", metavar="FILE", help="Write the held-out scores, to be compared."),
    ] = None,
    alpha: Alpha = defaults.ALPHA,
    resamples: Annotated[
        int, typer.Option("--resamples", help="Resamples of topics behind the band of --show curve.")
    ] = defaults.CURVE_RESAMPLES,
    seed: Seed = defaults.SEED,
    missing: Missing = defaults.MISSING,
    plot: Plot = None,
    chart: ChartName = None,
    format: Format = None,
    output: Output = None,
) -> None:
    """Tune parameters without fooling yourself: what would the tuned system do on unseen topics?

    The systems in the score files are settings, such as bm25(k1=0.9,b=0.4). In every fold the setting with the
    best mean on the training topics is scored on the held-out topics; all families share the folds.

    Example: cranfield tune bm25.csv ql.csv --folds 10 --held-out tuned.csv
    """
    from cranfield.cli.output import draw, emit, say
    from cranfield.scores import write_scores

    splitter = tuning.splitter_of(folds, leave_one_out, holdout, repeats, stratified, seed)
    found = tuning.tune_files(scores, splitter, measure=measure, missing=missing, pattern=pattern)
    answer = _answer(found, show, resamples, alpha, seed)
    if held_out is not None:
        write_scores(found.held_out, held_out)
        say(f"wrote {held_out}: {found.measure}, {found.held_out.n_topics} topics × {len(found.families)} families")
    emit(answer, format=format, output=output)
    draw(found, plot, chart)


def _answer(found: Tuning, show: defaults.TuningView, resamples: int, alpha: float, seed: int) -> Sheet:
    from cranfield.cli.output import progress_bar
    from cranfield.present.tables import Sheet

    settings: dict[str, object] = {
        "measure": found.measure,
        "families": {family.name: family.family.scores.n_systems for family in found.families},
        "topics": len(found.folds.topics),
        "folds": found.folds.description,
        "seed": seed,
        "show": show,
    }
    signature = found.signature
    notes = [line for family in found.families for line in tuning.notes_on(family)]
    if show == "summary":
        rows = found.summary()
    elif show == "curve":
        with progress_bar("settings") as progress:
            rows = found.curve(n_resamples=resamples, seed=seed, alpha=alpha, progress=progress)
        settings |= {"resamples": resamples, "alpha": alpha}
        notes = [f"lower, upper: {1 - alpha:.0%} percentile interval of the mean, {resamples} resamples of topics."]
    else:
        rows = found.to_frame()
    title = f"{found.measure} tuned by {found.folds.description} on {len(found.folds.topics)} topics"
    digits = {name: _places(rows[name].to_list()) for name in _parameters(found)} if show == "curve" else {}
    return Sheet("tune", rows, signature, settings, found.warnings, title, digits, tuple(notes))


def _parameters(found: Tuning) -> list[str]:
    from cranfield.tuning.curve import column_of

    return list(dict.fromkeys(column_of(name) for family in found.families for name in family.family.parameters))


def _places(values: list[object]) -> int:
    """Decimals that show every value of a parameter as it was written."""
    return max(
        (len(f"{value:.6f}".rstrip("0").partition(".")[2]) for value in values if isinstance(value, float)), default=0
    )
