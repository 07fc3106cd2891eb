"""``cranfield variance``: how much past scores vary."""

from __future__ import annotations

from typing import Annotated, Any, cast, get_args

import typer

from cranfield.cli.options import Alpha, ChartName, Format, Missing, Output, Plot, ScoreFiles
from cranfield.defaults import ALPHA, MISSING, VarianceMethod


def command(
    scores: ScoreFiles,
    measure: Annotated[
        str | None, typer.Option("--measure", "-m", help="This measure only; for a wide table, its name.")
    ] = None,
    method: Annotated[
        list[str] | None,
        typer.Option(
            "--method",
            metavar=f"[{'|'.join(get_args(VarianceMethod))}]",
            help="Estimator; repeat for several. [default: all]",
        ),
    ] = None,
    anova: Annotated[bool, typer.Option("--anova", help="Show the two-way analysis of variance instead.")] = False,
    alpha: Alpha = ALPHA,
    missing: Missing = MISSING,
    plot: Plot = None,
    chart: ChartName = None,
    format: Format = None,
    output: Output = None,
) -> None:
    """Estimate the variance of past scores, collection by collection and pooled.

    Every table is a collection; files of one run each make one together. The last row of each measure and method
    pools them. lower and upper bound the variance (leave-one-topic-out jackknife).

    Example: cranfield variance robust2003.AP.csv robust2004.AP.csv
    """
    import polars as pl

    from cranfield.cli.output import draw, emit, say_missing
    from cranfield.errors import ArgumentError, DataError
    from cranfield.present.tables import Sheet
    from cranfield.scores import read_collections
    from cranfield.signature import signature
    from cranfield.variance import VarianceEstimate, anova_table, collection_variances, pool_variances

    if anova and method:
        raise ArgumentError("--anova shows the whole table; leave out --method.")
    collections = read_collections(scores, measure=measure, missing=missing)
    say_missing(collections.values())
    settings: dict[str, Any] = {"collections": list(collections), "missing": missing}
    digits = {"variance": 6, "variance_of_difference": 6, "lower": 6, "upper": 6}
    if anova:
        tables = [anova_table(x, collection=name) for name, found in collections.items() for x in found.values()]
        notes = [
            f"{table.collection}, {table.measure}: Greenhouse–Geisser ε = {table.epsilon:.3f}; "
            "p_gg is p with degrees of freedom multiplied by ε."
            for table in tables
        ]
        rows = pl.concat([table.to_frame() for table in tables])
        answer = Sheet(
            "variance",
            rows,
            signature("two-way ANOVA", **settings),
            settings | {"epsilon": [table.epsilon for table in tables]},
            title="Two-way analysis of variance",
            digits={"f": 2} | dict.fromkeys(("eta_squared", "partial_eta_squared", "omega_squared"), 3),
            notes=tuple(notes),
        )
        emit(answer, format=format, output=output)
        draw(tables[0], plot, chart)
        return
    estimates: list[VarianceEstimate] = []
    without: dict[str, DataError] = {}
    for name in method or get_args(VarianceMethod):
        try:
            of_measures = collection_variances(collections, cast(VarianceMethod, name), alpha=alpha)
        except DataError as error:
            if method:
                raise
            without[name] = error
            continue
        for several in of_measures.values():
            estimates += several
            if len(several) > 1:
                estimates.append(pool_variances(several))
    if not estimates:
        raise next(iter(without.values()))
    estimates.sort(key=lambda estimate: estimate.measure)
    settings |= {"alpha": alpha}
    answer = Sheet(
        "variance",
        pl.concat([estimate.to_frame() for estimate in estimates]),
        signature("variance estimates", **settings),
        settings,
        tuple(
            dict.fromkeys(
                [text for one in estimates for text in one.warnings]
                + [f"no {name} estimate: {error}" for name, error in without.items()]
            )
        ),
        title="Variance of past scores",
        digits=digits,
        notes=(
            "within, one_way and two_way hold the variance between topics; residual and percentile95 do not.",
            "Designs use: one-way ANOVA within, blocked ANOVA residual, paired t and interval percentile95.",
        ),
    )
    emit(answer, format=format, output=output)
    draw(estimates, plot, chart)
