"""``cranfield compare``: which systems differ."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Literal

import typer

from cranfield import defaults
from cranfield.cli import comparing, tuning
from cranfield.cli.options import Alpha, ChartName, Format, Missing, Output, Plot, Resamples, ScoreFiles, Seed, Workers

if TYPE_CHECKING:
    from pathlib import Path

    from cranfield.comparison import Comparison, MeasureComparisons
    from cranfield.present.tables import Answer
    from cranfield.scores import Scores

Show = Literal["pairs", "power", "curve"]


def command(
    scores: ScoreFiles,
    measure: comparing.Measures = None,
    test: comparing.Test = defaults.TEST,
    baseline: comparing.Baselines = None,
    correction: comparing.CorrectionName = None,
    alternative: comparing.AlternativeName = defaults.ALTERNATIVE,
    statistic: comparing.Statistic = defaults.STATISTIC,
    effect_size: Annotated[
        defaults.EffectSize,
        typer.Option(
            "--effect-size", help="Divide the difference by its own sd, or by the residual sd of two-way ANOVA."
        ),
    ] = defaults.EFFECT_SIZE,
    show: Annotated[
        Show,
        typer.Option(
            "--show",
            help="pairs: a row a pair. power: how many pairs each measure separates. "
            "curve: every p, largest first (achieved significance levels).",
        ),
    ] = "pairs",
    across_measures: comparing.Together = False,
    alpha: Alpha = defaults.ALPHA,
    resamples: Resamples = defaults.RESAMPLES,
    seed: Seed = defaults.SEED,
    missing: Missing = defaults.MISSING,
    workers: Workers = None,
    memory: comparing.Memory = defaults.MEMORY_MB,
    tune: Annotated[
        bool,
        typer.Option(
            "--tune", help="The systems are settings: tune each family first, and compare held-out scores (see tune)."
        ),
    ] = False,
    folds: tuning.FoldCount = None,
    leave_one_out: tuning.LeaveOneOutFlag = False,
    holdout: tuning.HoldOutShare = None,
    repeats: tuning.Repeats = 1,
    stratified: tuning.Stratified = False,
    pattern: tuning.Pattern = None,
    plot: Plot = None,
    chart: ChartName = None,
    format: Format = None,
    output: Output = None,
) -> None:
    """Test which systems differ: all pairs at once, or every system against baselines.

    Differences come with intervals, effect sizes, p-values and p-values adjusted for the number of comparisons.

    Example: cranfield compare scores.csv --baseline bm25 --test randomisation
    """
    from cranfield.cli.output import emit

    tuned = tuning.before_comparing(
        tune,
        scores,
        measure=measure,
        missing=missing,
        folds=folds,
        leave_one_out=leave_one_out,
        holdout=holdout,
        repeats=repeats,
        stratified=stratified,
        pattern=pattern,
        seed=seed,
    )
    read = comparing.read_measures(scores if tuned is None else tuned.scores, measure, missing)
    found = comparing.compare_files(
        read,
        measure=measure,
        missing=missing,
        test=test,
        baseline=baseline,
        correction=correction,
        alternative=alternative,
        statistic=statistic,
        across_measures=across_measures,
        alpha=alpha,
        resamples=resamples,
        seed=seed,
        workers=workers,
        memory=memory,
    )
    answer = _answer(found, show, effect_size)
    emit(answer if tuned is None else tuned.introduce(answer), format=format, output=output)
    if plot is not None or chart is not None:
        _draw(found, read, plot, chart)


def _draw(found: MeasureComparisons, scores: Scores, plot: Path | None, chart: str | None) -> None:
    """One pair topic by topic, pairs with a baseline as intervals, all pairs as a map, measures as curves."""
    from cranfield.cli.output import draw

    first = next(iter(found.values()))
    if chart is None and len(found) > 1:
        draw(found, plot)
    elif chart is None and len(first.p) == 1:
        draw(scores[first.measure], plot, "difference", a=first.system_a[0], b=first.system_b[0])
    else:
        draw(first, plot, chart or ("differences" if first.baselines else "pairs"))


def _answer(found: MeasureComparisons, show: Show, effect_size: defaults.EffectSize) -> Answer:
    from cranfield.present.tables import Answer

    several = len(found) > 1
    settings = {**comparing.settings_of(found), "show": show, "effect_size": effect_size}
    title = comparing.titles(found)
    if show == "power":
        rows = found.discriminative_power()
        return Answer("compare", rows, found.signature, settings, found.warnings, "Discriminative power")
    if show == "curve":
        rows = found.asl_curves()
        rows = rows if several else rows.drop("measure")
        return Answer("compare", rows, found.signature, settings, found.warnings, title)
    rows = found.to_frame()
    if effect_size == "residual":
        rows = rows.with_columns(rows["effect_size_residual"].alias("effect_size"))
    rows = rows.drop("effect_size_residual", *([] if several else ["measure"]))
    comparisons = list(found.values())
    return Answer(
        "compare",
        rows,
        found.signature,
        settings,
        found.warnings,
        title,
        digits={"effect_size": 2},
        notes=_notes(comparisons[0]),
        superscripts={"difference": [mark for each in comparisons for mark in _marks(each)]},
        latex_columns=tuple(name for name in rows.columns if name != "significant"),
        latex_notes=_meanings(comparisons[0]),
        dispensable=(*[name for name in rows.columns if name.endswith(("_a", "_b"))][2:], "effect_size", "significant"),
    )


def _marks(found: Comparison) -> list[str]:
    """A mark behind every significant difference: the baseline's, or for all pairs one or two daggers by level."""
    from cranfield.comparison.groups import mark

    if found.baselines:
        number = {name: mark(i) for i, name in enumerate(found.baselines)}
        return [number[b] if yes else "" for b, yes in zip(found.system_b, found.significant, strict=True)]
    strong = found.p_adjusted <= found.alpha / 5
    return ["‡" if more else "†" if yes else "" for yes, more in zip(found.significant, strong, strict=True)]


def _meanings(found: Comparison) -> tuple[str, ...]:
    """What the marks mean, a line each."""
    from cranfield.comparison.groups import mark

    kind = found.correction_text()
    if found.baselines:
        return tuple(
            f"{mark(i)} differs from {name} ({kind} p <= {found.alpha:g})" for i, name in enumerate(found.baselines)
        )
    return (f"† {kind} p <= {found.alpha:g}, ‡ {kind} p <= {found.alpha / 5:g}",)


def _notes(found: Comparison) -> tuple[str, ...]:
    notes = [f"lower, upper: {1 - found.alpha:.0%} {found.interval}."]
    if found.statistic != "mean":
        notes.append(f"effect_size: of the mean difference, which is not that of the {found.statistic}s.")
    return tuple(notes)
