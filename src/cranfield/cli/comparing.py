"""What `compare` and `leaderboard` share: their options, and the way from files to comparisons."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

from cranfield import defaults

if TYPE_CHECKING:
    from cranfield.comparison import MeasureComparisons
    from cranfield.scores import Scores

Measures = Annotated[
    list[str] | None,
    typer.Option("--measure", "-m", help="Use these measures only; for a wide table, the measure's name."),
]
Test = Annotated[defaults.TestName, typer.Option("--test", help="Which test; see docs/compare.md for which when.")]
Baselines = Annotated[
    list[str] | None,
    typer.Option("--baseline", "-b", help="Compare every system with this one; repeatable. [default: all pairs]"),
]
CorrectionName = Annotated[
    defaults.Correction | None,
    typer.Option(
        "--correction",
        help=f"Adjustment for many comparisons; the Tukey tests have their own. [default: {defaults.CORRECTION}]",
    ),
]
AlternativeName = Annotated[
    defaults.Alternative,
    typer.Option("--alternative", help="greater: system_a is better (for all pairs: the observed direction)."),
]
Statistic = Annotated[
    defaults.StatisticName,
    typer.Option("--statistic", help="What systems are judged by; others than the mean for resampling tests only."),
]
Together = Annotated[
    bool, typer.Option("--across-measures", help="Correct over the comparisons of all measures as one family.")
]
Memory = Annotated[
    float, typer.Option("--memory", metavar="MB", help="About how much memory to use; never changes a result.")
]


def read_measures(scores: list[str] | Scores, measure: list[str] | None, missing: defaults.MissingPolicy) -> Scores:
    """The scores by the measures wanted, read unless they are there already."""
    from cranfield.scores import Scores, read_scores

    # For one file the reader takes the name, which a wide table may lack; among several it chooses.
    one = measure is not None and len(measure) == 1 and len(scores) == 1
    if isinstance(scores, Scores):
        found = scores
    else:
        found = read_scores(scores, measure=measure[0] if one and measure else None, missing=missing)
    return found.select(measures=list(dict.fromkeys(measure))) if measure and not one else found


def compare_files(
    scores: list[str] | Scores,
    *,
    measure: list[str] | None,
    missing: defaults.MissingPolicy,
    test: defaults.TestName,
    baseline: list[str] | None,
    correction: defaults.Correction | None,
    alternative: defaults.Alternative,
    statistic: defaults.StatisticName,
    across_measures: bool,
    alpha: float,
    resamples: int,
    seed: int,
    workers: int | None,
    memory: float,
) -> MeasureComparisons:
    """Read the scores and compare the systems by every measure wanted."""
    from cranfield.cli.output import progress_bar
    from cranfield.comparison import compare_measures

    found = read_measures(scores, measure, missing)
    with progress_bar("resamples") as progress:
        return compare_measures(
            found,
            across_measures=across_measures,
            test=test,
            baseline=baseline or None,
            correction=correction,
            alternative=alternative,
            statistic=statistic,
            alpha=alpha,
            n_resamples=resamples,
            seed=seed,
            workers=workers,
            memory=memory,
            progress=progress,
        )


def settings_of(found: MeasureComparisons) -> dict[str, object]:
    """The settings in force, for JSON; the measure's name becomes the list of measures."""
    return found.settings


def titles(found: MeasureComparisons) -> str:
    """A line a measure: how many pairs differ."""
    return "\n".join(comparison.summary() for comparison in found.values())
