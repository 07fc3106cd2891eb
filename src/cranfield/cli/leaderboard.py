"""``cranfield leaderboard``: systems in order, with intervals, ranks and groups."""

from __future__ import annotations

from typing import TYPE_CHECKING

from cranfield import defaults
from cranfield.cli import comparing
from cranfield.cli.options import Alpha, ChartName, Format, Missing, Output, Plot, Resamples, ScoreFiles, Seed, Workers

if TYPE_CHECKING:
    from cranfield.comparison import Comparison


def command(
    scores: ScoreFiles,
    measure: comparing.Measures = None,
    test: comparing.Test = defaults.TEST,
    baseline: comparing.Baselines = None,
    correction: comparing.CorrectionName = None,
    alternative: comparing.AlternativeName = defaults.ALTERNATIVE,
    statistic: comparing.Statistic = defaults.STATISTIC,
    across_measures: comparing.Together = False,
    alpha: Alpha = defaults.ALPHA,
    resamples: Resamples = defaults.RESAMPLES,
    seed: Seed = defaults.SEED,
    missing: Missing = defaults.MISSING,
    workers: Workers = None,
    memory: comparing.Memory = defaults.MEMORY_MB,
    plot: Plot = None,
    chart: ChartName = None,
    format: Format = None,
    output: Output = None,
) -> None:
    """Rank the systems: means with intervals, rank intervals, and groups of systems that do not differ.

    Two systems share a letter exactly when they are not significantly different. With baselines, marks († ‡ …)
    say which of them a system differs from.

    Example: cranfield leaderboard scores.csv --format latex
    """
    from cranfield.cli.output import draw, emit
    from cranfield.present.tables import Answer

    found = comparing.compare_files(
        scores,
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
    rows = found.leaderboard()
    if len(found) == 1:
        rows = rows.drop("measure")
    groups = "marks" if baseline else "group"
    first = next(iter(found.values()))
    answer = Answer(
        "leaderboard",
        rows,
        found.signature,
        {**comparing.settings_of(found), "rank_resamples": defaults.RANK_RESAMPLES},
        found.warnings,
        comparing.titles(found),
        notes=_notes(first),
        superscripts={first.statistic.replace("-", "_"): rows[groups].to_list()},
        latex_columns=tuple(name for name in rows.columns if name != groups),
    )
    emit(answer, format=format, output=output)
    draw(first, plot, chart)


def _notes(found: Comparison) -> tuple[str, ...]:
    from cranfield.comparison.groups import mark

    kind = "t interval of the mean" if found.statistic == "mean" else "bootstrap percentile interval"
    notes = [
        f"lower, upper: {1 - found.alpha:.0%} {kind}; rank_lower, rank_upper: the same for the rank, by "
        f"{defaults.RANK_RESAMPLES} resamples of topics.",
    ]
    level = f"{found.correction_text()} p ≤ {found.alpha:g}"
    if found.baselines:
        notes += [f"{mark(i)} differs from {name} ({level})" for i, name in enumerate(found.baselines)]
    else:
        notes.append(f"Systems that share a letter do not differ ({level}).")
    return tuple(notes)
