"""``cranfield standardise``: fit factors, apply them, and see what they do."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from cranfield.cli.options import Alpha, ChartName, Format, Missing, Output, Plot, ScoreFiles, Seed, Workers
from cranfield.cli.output import draw, emit, say, say_missing
from cranfield.defaults import (
    ALPHA,
    ANOVA_VARIANCE,
    EFFECT_MIN_DIFFS,
    EFFECT_SYSTEMS,
    MISSING,
    POWER,
    RANK_RESAMPLES,
    SEED,
    STANDARDISE_A,
    STANDARDISE_B,
    STANDARDISE_TO,
    FactorsFormat,
    StandardiseTo,
    VarianceMethod,
)

if TYPE_CHECKING:
    import polars as pl

    from cranfield.design import StandardisationEffect
    from cranfield.present.tables import Sheet
    from cranfield.scores import Scores

app = typer.Typer(
    help="Standardised scores: fit factors once, apply them to any later run.",
    no_args_is_help=True,
    context_settings={"help_option_names": ["-h", "--help"]},
)

Measure = Annotated[
    str | None,
    typer.Option("--measure", "-m", help="Use only this measure; for a wide table, its name. [default: all]"),
]
To = Annotated[
    StandardiseTo, typer.Option("--to", help="ab: clip(A*z + B, 0, 1); cdf: the normal probability of z; z itself.")
]
A = Annotated[float, typer.Option("--a", help="A of std-AB, the sd of a topic's scores.")]
B = Annotated[float, typer.Option("--b", help="B of std-AB, the score of an average system.")]


def _read(scores: list[str], measure: str | None, missing: str) -> Scores:
    from cranfield.scores import read_scores

    found = read_scores(scores, measure=measure, missing=missing)  # type: ignore[arg-type]
    say_missing([found])
    return found


@app.command("fit")
def fit(
    scores: ScoreFiles,
    measure: Measure = None,
    missing: Missing = MISSING,
    trec: Annotated[bool, typer.Option("--trec", help="Write the file of trec_eval's -Z option.")] = False,
    format: Format = None,
    output: Annotated[
        Path | None,
        typer.Option("--output", "-o", help="Write the factors to this file (.csv .tsv .json .parquet .zscores)."),
    ] = None,
) -> None:
    """Fit standardisation factors: every topic's mean and standard deviation over the systems given.

    With -o the factors are kept with their version and history, for `standardise apply` on any later run.
    """
    from cranfield.errors import ArgumentError
    from cranfield.present.tables import Sheet
    from cranfield.standardise import fit_standardisation
    from cranfield.standardise.files import to_bytes

    if trec and format is not None:
        raise ArgumentError("--trec is a format of its own; leave out --format")
    factors = fit_standardisation(_read(scores, measure, missing))
    if output is not None and (trec or format in (None, "csv", "json")):
        kept: FactorsFormat | None = "trec" if trec else "csv" if format == "csv" else "json" if format else None
        factors.save(output, format=kept)
        for warning in factors.warnings:
            say(f"warning: {warning}")
        say(f"wrote {output} (factors of {len(factors.to_frame())} topics and measures)")
        return
    if trec:
        for warning in factors.warnings:
            say(f"warning: {warning}")
        typer.echo(to_bytes(factors, "trec").decode(), nl=False)
        return
    answer = Sheet(
        "standardise fit",
        factors.to_frame(),
        factors.signature,
        {"measures": list(factors), "version": factors.version, "provenance": list(factors.provenance)},
        factors.warnings,
        title="Standardisation factors",
    )
    emit(answer, format=format, output=output)


@app.command("apply")
def apply(
    scores: ScoreFiles,
    factors: Annotated[str, typer.Option("--factors", help="Factors written by `standardise fit`, or a -Z file.")],
    to: To = STANDARDISE_TO,
    a: A = STANDARDISE_A,
    b: B = STANDARDISE_B,
    measure: Measure = None,
    missing: Missing = MISSING,
    plot: Plot = None,
    chart: ChartName = None,
    format: Format = None,
    output: Output = None,
) -> None:
    """Standardise the scores of any systems, known or new, by saved factors."""
    from cranfield.present.tables import Sheet
    from cranfield.standardise import Standardisation

    raw = _read(scores, measure, missing)
    done = Standardisation.load(factors).apply(raw, to=to, a=a, b=b, missing=missing)
    settings = {"factors": factors, "to": to, **({"a": a, "b": b} if to == "ab" else {})}
    answer = Sheet(
        "standardise apply",
        done.to_frame(),
        done.signature,
        {**settings, "counts": [vars(count) for count in done.counts]},
        done.warnings,
        title="Standardised scores",
        notes=tuple(done.clipping()),
    )
    emit(answer, format=format, output=output)
    if output is not None or format not in (None, "table"):
        for line in done.clipping():
            say(f"note: {line}")
    draw(done, plot, chart, raw=raw)


@app.command("robustness")
def robustness(
    scores: ScoreFiles,
    leave_out: Annotated[
        list[str] | None,
        typer.Option("--leave-out", help="Leave out this system; repeat to leave out several together."),
    ] = None,
    teams: Annotated[
        str | None,
        typer.Option("--teams", help="Leave out one team after another: a file with a system and its team a line."),
    ] = None,
    to: To = STANDARDISE_TO,
    a: A = STANDARDISE_A,
    b: B = STANDARDISE_B,
    measure: Measure = None,
    missing: Missing = MISSING,
    plot: Plot = None,
    chart: ChartName = None,
    format: Format = None,
    output: Output = None,
) -> None:
    """How far systems move when factors are fitted without them: each in turn, a team, or those named."""
    from cranfield.errors import ArgumentError
    from cranfield.present.tables import Sheet
    from cranfield.standardise import standardisation_robustness
    from cranfield.standardise.files import read_teams

    if leave_out and teams:
        raise ArgumentError("--leave-out and --teams both say what to leave out; give one of them")
    groups = read_teams(teams) if teams else {"given": leave_out} if leave_out else None
    result = standardisation_robustness(_read(scores, measure, missing), groups=groups, to=to, a=a, b=b)
    notes = [
        f"{row['measure']}: left-out means move by {row['mean_difference']:.4f} on average and "
        f"{row['largest_difference']:.4f} at most, single scores by up to {row['largest_topic_difference']:.4f}; "
        f"{row['ranks_changed']} of {row['left_out']} change rank, by {row['largest_rank_change']} at most; "
        f"lowest tau {row['lowest_tau']:.4f}"
        for row in result.summary().iter_rows(named=True)
    ]
    name, title = "standardise robustness", "Left-out systems by factors fitted with and without them"
    shown = Sheet(name, _narrow(result.to_frame()), result.signature, title=title, notes=tuple(notes))
    settings = {"to": to, "a": a, "b": b, "summary": result.summary().to_dicts()}
    answer = Sheet(name, result.to_frame(), result.signature, settings, result.warnings, sections=(shown,))
    emit(answer, format=format, output=output)
    draw(result, plot, chart)


def _narrow(rows: pl.DataFrame) -> pl.DataFrame:
    """The table for people: short names, and no column that says the same in every row."""
    if rows["measure"].n_unique() == 1:
        rows = rows.drop("measure")
    if (rows["left_out"] == rows["system"]).all():
        rows = rows.drop("left_out")
    if (rows["tied_topics"] == 0).all():
        rows = rows.drop("tied_topics")
    short = {"difference": "change", "max_difference": "max_change", "tied_topics": "ties"}
    return rows.rename({"mean_left_out": "mean_out", "rank_left_out": "rank_out", **short}, strict=False)


@app.command("effect")
def effect(
    scores: ScoreFiles,
    factors: Annotated[
        str | None, typer.Option("--factors", help="Saved factors. [default: fitted on the scores given]")
    ] = None,
    to: To = STANDARDISE_TO,
    a: A = STANDARDISE_A,
    b: B = STANDARDISE_B,
    systems: Annotated[
        list[int] | None, typer.Option("--systems", help="Systems to compare; repeatable. [default: 2 10 20 30 50]")
    ] = None,
    min_diff: Annotated[
        list[float] | None,
        typer.Option("--min-diff", help="Smallest difference to detect; repeatable. [default: .02 .05 .10 .20]"),
    ] = None,
    fraction: Annotated[
        float, typer.Option("--fraction", help="Scale-free difference, in standard deviations between systems.")
    ] = 1.0,
    alpha: Alpha = ALPHA,
    power: Annotated[float, typer.Option("--power", help="Wanted probability of detection.")] = POWER,
    variance: Annotated[VarianceMethod, typer.Option("--variance-method", help="Variance estimator.")] = ANOVA_VARIANCE,
    resamples: Annotated[int, typer.Option("--resamples", help="Bootstrap samples of topics; 0 for none.")] = (
        RANK_RESAMPLES
    ),
    seed: Seed = SEED,
    workers: Workers = None,
    measure: Measure = None,
    missing: Missing = MISSING,
    plot: Plot = None,
    chart: ChartName = None,
    format: Format = None,
    output: Output = None,
) -> None:
    """Raw and standardised scores side by side: variances, rank agreement, topics needed.

    Three tables: variances with tau between the two rankings; a comparison that no change of scale can flatter;
    and the topics needed for every number of systems and difference. In JSON, CSV and parquet they are one table
    with a column `table`.
    """
    from cranfield.design import standardisation_effect
    from cranfield.present.tables import Sheet
    from cranfield.standardise import Standardisation

    found = standardisation_effect(
        _read(scores, measure, missing),
        factors=None if factors is None else Standardisation.load(factors),
        to=to,
        a=a,
        b=b,
        n_systems=systems or EFFECT_SYSTEMS,
        min_diff=min_diff or EFFECT_MIN_DIFFS,
        fraction=fraction,
        alpha=alpha,
        power=power,
        estimator=variance,
        n_resamples=resamples,
        seed=seed,
        missing=missing,
        workers=workers,
    )
    name = "standardise effect"
    emit(
        Sheet(
            name,
            found.to_frame(),
            found.signature,
            found.settings,
            found.warnings,
            sections=_effect_sections(name, found, alpha, fraction),
        ),
        format=format,
        output=output,
    )
    draw(found, plot, chart)


def _effect_sections(
    name: str, found: StandardisationEffect, alpha: float, fraction: float
) -> tuple[Sheet, Sheet, Sheet, Sheet]:
    """The tables for people, narrow enough for a terminal."""
    from cranfield.present.tables import Sheet

    sizes = ["measure", "systems", "topics", "variance_raw", "variance_standardised", "clipped", "tied_topics"]
    short = {"variance_raw": "raw", "variance_standardised": "standardised"}
    ranking = ["measure", "tau", "published_lower", "published_upper", "bootstrap_lower", "bootstrap_upper"]
    narrow = {name: name.replace("published", "pub").replace("bootstrap", "boot") for name in ranking}
    shorter = {"standardised": "std", "standardised_published": "std_published"}
    return (
        Sheet(name, found.variance.select(sizes).rename(short), title="Variance, raw and standardised"),
        Sheet(
            name,
            found.variance.select(ranking).rename(narrow),
            title="Agreement of the two rankings of the systems",
            notes=(
                "pub: tau ± z·√(2(2m+5)/(9m(m-1))), the published interval, which can pass 1. "
                f"boot: quantiles {alpha / 2:g} and {1 - alpha / 2:g} over resampled topics.",
            ),
        ),
        Sheet(
            name,
            found.scale_free,
            title="Free of scale: the only fair comparison of raw and standardised",
            notes=(
                "blocked_f: variance between systems over residual variance. topics: needed by "
                f"{found.scale_free['systems'][0]} systems when best and worst differ by {fraction:g} sd between "
                "systems (blocked, exact).",
            ),
            digits={"blocked_f": 2},
        ),
        Sheet(
            name,
            found.topics.rename(shorter),
            found.signature,
            title="Topics needed (one-way ANOVA), exact and published",
            notes=("The same min_diff is another difference on another scale: do not compare raw with std here.",),
            digits={"min_diff": 2},
        ),
    )
