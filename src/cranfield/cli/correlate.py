"""``cranfield correlate``: do two files rank the systems alike?"""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Union

import typer

from cranfield.cli.options import Alpha, ChartName, Format, Missing, Output, Plot, Seed, Workers
from cranfield.cli.output import draw, emit, say_missing
from cranfield.defaults import ALPHA, MISSING, RANK_RESAMPLES, SEED, MissingPolicy

if TYPE_CHECKING:
    from cranfield.scores import ScoreMatrix, Scores


def command(
    reference: Annotated[str, typer.Argument(metavar="A", help="Reference: a score file, or an order of systems.")],
    estimate: Annotated[str, typer.Argument(metavar="B", help="Score file or order to compare with it.")],
    measure: Annotated[
        str | None,
        typer.Option("--measure", "-m", help="Measure of A (and of B, unless told). [default: all in common]"),
    ] = None,
    other_measure: Annotated[
        str | None, typer.Option("--other-measure", help="Measure of B, when not that of A.")
    ] = None,
    alpha: Alpha = ALPHA,
    resamples: Annotated[
        int, typer.Option("--resamples", help="Bootstrap samples of topics; 0 for none.")
    ] = RANK_RESAMPLES,
    seed: Seed = SEED,
    workers: Workers = None,
    missing: Missing = MISSING,
    plot: Plot = None,
    chart: ChartName = None,
    format: Format = None,
    output: Output = None,
) -> None:
    """Rank correlation between two orders of the same systems: tau, tau_b, tau_AP and tau_AP,b, with intervals.

    Score files rank systems by their mean. An order is a text file with a system a line, the best first, or a
    system and its score a line; it has no topics and so no bootstrap interval.
    """
    import polars as pl

    from cranfield.present.tables import Sheet
    from cranfield.scores import correlate
    from cranfield.scores.rank_coefficients import COEFFICIENTS

    pairs = _pairs(_side(reference, measure, missing), _side(estimate, other_measure or measure, missing))
    done = [
        correlate(x, y, alpha=alpha, n_resamples=resamples, seed=seed, missing=missing, workers=workers)
        for x, y in pairs
    ]
    frames = [
        one.to_frame().select(
            pl.lit(one.reference).alias("reference"), pl.lit(one.estimate).alias("estimate"), pl.all()
        )
        for one in done
    ]
    answer = Sheet(
        "correlate",
        pl.concat(frames),
        done[0].signature if len(done) == 1 else " | ".join(one.signature for one in done),
        {"reference": reference, "estimate": estimate, "alpha": alpha, "resamples": resamples, "seed": seed},
        tuple(dict.fromkeys(warning for one in done for warning in one.warnings)),
        title=f"Rank correlation of {done[0].n_systems} systems: {reference} (reference) and {estimate}",
        notes=tuple(f"{name}: {text}" for name, text in COEFFICIENTS.items()),
    )
    emit(answer, format=format, output=output)
    draw(done[0], plot, chart)


Side = Union["Scores", dict[str, float]]


def _side(path: str, measure: str | None, missing: MissingPolicy) -> Side:
    from cranfield.scores import is_order, read_order, read_scores

    if is_order(path):
        return read_order(path)
    found = read_scores(path, measure=measure, missing=missing)
    say_missing([found])
    return found


def _pairs(x: Side, y: Side) -> list[tuple[ScoreMatrix | dict[str, float], ScoreMatrix | dict[str, float]]]:
    """What to compare with what: the only measure on each side, or all measures that both sides have."""
    from cranfield.errors import DataError
    from cranfield.labels import summary

    if isinstance(x, dict) or isinstance(y, dict) or len(x) == len(y) == 1:
        return [(x if isinstance(x, dict) else x.only(), y if isinstance(y, dict) else y.only())]
    common = [measure for measure in x if measure in y]
    if not common:
        raise DataError(
            f"the files have no measure in common ({summary(list(x))} and {summary(list(y))}); "
            "say which with --measure and --other-measure"
        )
    return [(x[measure], y[measure]) for measure in common]
