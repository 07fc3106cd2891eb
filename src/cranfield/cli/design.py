"""``cranfield design``: how many topics, or the question turned round."""

from __future__ import annotations

from collections.abc import Callable
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, get_args

import typer

from cranfield.cli.options import ChartName, Format, Missing, Output, Plot, ScoreFiles
from cranfield.cli.output import draw, emit, say, say_missing, wrapped
from cranfield.defaults import (
    ALPHA,
    ANOVA_VARIANCE,
    BLOCKED_VARIANCE,
    DESIGN_METHOD,
    MISSING,
    PAIRED_VARIANCE,
    POWER,
    DesignMethod,
    OutputFormat,
    VarianceMethod,
)

if TYPE_CHECKING:
    from cranfield.design import Design
    from cranfield.scores import Scores
    from cranfield.variance import VarianceEstimate

app = typer.Typer(
    help="How many topics? Or, with --topics: what can they tell? Repeat an option to get a grid.",
    no_args_is_help=True,
    rich_markup_mode=None,
)

Variances = Annotated[
    list[float] | None, typer.Option("--variance", metavar="V", help="Variance of a system's score over topics.")
]
DifferenceVariances = Annotated[
    list[float] | None,
    typer.Option(
        "--variance-of-difference", metavar="V", help="Variance over topics of the difference of two systems."
    ),
]
Systems = Annotated[list[int] | None, typer.Option("--systems", metavar="M", help="How many systems will be compared.")]
MinDiffs = Annotated[
    list[float] | None,
    typer.Option("--min-diff", metavar="D", help="Smallest difference worth detecting (best to worst)."),
]
Powers = Annotated[
    list[float] | None,
    typer.Option("--power", metavar="P", help=f"Wanted power. [default: {POWER:.2f}, unless sought]"),
]
TopicCounts = Annotated[
    list[int] | None, typer.Option("--topics", metavar="N", help="Topics there are: find what they can do instead.")
]
Widths = Annotated[
    list[float] | None, typer.Option("--width", metavar="W", help="Largest expected width of the interval.")
]
Alphas = Annotated[
    list[float], typer.Option("--alpha", metavar="A", help="Significance level; intervals have 1 - alpha.")
]
Method = Annotated[DesignMethod, typer.Option("--method", help="How the power is computed.")]
PastScores = Annotated[
    list[str] | None,
    typer.Option(
        "--scores", metavar="FILE", help="Past score files to estimate the variance from; several are pooled."
    ),
]
MorePastScores = Annotated[list[str] | None, typer.Argument(metavar="SCORES...", help="Further files of --scores.")]
Estimator = Annotated[
    VarianceMethod | None, typer.Option("--estimator", help="How to estimate the variance from scores.")
]
Measure = Annotated[str | None, typer.Option("--measure", "-m", help="Measure to use of the scores. [default: all]")]
TwoSample = Annotated[
    bool, typer.Option("--two-sample", help="The two systems have different topics; sizes are per group.")
]


@app.command("anova")
def anova(
    more: MorePastScores = None,
    variance: Variances = None,
    systems: Systems = None,
    min_diff: MinDiffs = None,
    power: Powers = None,
    topics: TopicCounts = None,
    alpha: Alphas = [ALPHA],  # noqa: B006 (typer copies it)
    method: Method = DESIGN_METHOD,
    blocked: Annotated[
        bool, typer.Option("--blocked", help="All systems share the topics and the test takes topics out.")
    ] = False,
    epsilon: Annotated[
        str | None,
        typer.Option(
            "--epsilon",
            metavar="E|past",
            help="With --blocked: for the F-test corrected by this ε, or that of --scores.",
        ),
    ] = None,
    scores: PastScores = None,
    estimator: Estimator = None,
    measure: Measure = None,
    missing: Missing = MISSING,
    plot: Plot = None,
    chart: ChartName = None,
    format: Format = None,
    output: Output = None,
) -> None:
    """Topics for telling m systems apart by analysis of variance.

    Give all but one of --systems, --min-diff, --topics and --power; that one is found. --blocked is the sound choice
    for systems that share their topics.

    \b
    Examples:
      cranfield design anova --variance 0.0530 --systems 10 --min-diff 0.10
      cranfield design anova --variance 0.0530 --systems 10 --topics 50
      cranfield design anova --scores past.AP.csv --blocked --systems 20 --min-diff 0.10
    """
    from cranfield.design import design_anova

    def design(given: Any) -> Design:
        return design_anova(
            given, systems, min_diff, n_topics=topics, power=power, alpha=alpha, method=method, blocked=blocked,
            epsilon=number_or_past(epsilon),
        )  # fmt: skip

    note = (
        "Holds for the two-way F-test on shared topics."
        if blocked
        else "Holds for independent topics per system; systems that share topics need --blocked, and a blocked test."
    )
    default: VarianceMethod = BLOCKED_VARIANCE if blocked else ANOVA_VARIANCE
    found = _answer(
        "design anova", design, _Past(scores, more, estimator or default, measure, missing, alpha[0]), format, output,
        {"--variance": variance}, note,
    )  # fmt: skip
    draw(found, plot, chart)


@app.command("ttest")
def ttest(
    more: MorePastScores = None,
    variance_of_difference: DifferenceVariances = None,
    variance: Variances = None,
    min_diff: MinDiffs = None,
    power: Powers = None,
    topics: TopicCounts = None,
    alpha: Alphas = [ALPHA],  # noqa: B006 (typer copies it)
    method: Method = DESIGN_METHOD,
    two_sample: TwoSample = False,
    scores: PastScores = None,
    estimator: Estimator = None,
    measure: Measure = None,
    missing: Missing = MISSING,
    plot: Plot = None,
    chart: ChartName = None,
    format: Format = None,
    output: Output = None,
) -> None:
    """Topics for seeing a difference between two systems by a t-test, paired unless --two-sample.

    Give all but one of --min-diff, --topics and --power; that one is found. --variance V stands for
    --variance-of-difference 2V, and the other way round.

    \b
    Examples:
      cranfield design ttest --variance-of-difference 0.0429 --min-diff 0.05
      cranfield design ttest --scores past.AP.csv --topics 50
    """
    from cranfield.design import design_ttest, design_two_sample_ttest

    def design(given: Any) -> Design:
        function = design_two_sample_ttest if two_sample else design_ttest
        return function(given, min_diff, n_topics=topics, power=power, alpha=alpha, method=method)

    found = _answer(
        "design ttest", design, _Past(scores, more, estimator or _pair_default(two_sample), measure, missing, alpha[0]),
        format, output, *_pair_variances(variance, variance_of_difference, two_sample),
    )  # fmt: skip
    draw(found, plot, chart)


@app.command("interval")
def interval(
    more: MorePastScores = None,
    variance_of_difference: DifferenceVariances = None,
    variance: Variances = None,
    width: Widths = None,
    topics: TopicCounts = None,
    alpha: Alphas = [ALPHA],  # noqa: B006 (typer copies it)
    two_sample: TwoSample = False,
    scores: PastScores = None,
    estimator: Estimator = None,
    measure: Measure = None,
    missing: Missing = MISSING,
    plot: Plot = None,
    chart: ChartName = None,
    format: Format = None,
    output: Output = None,
) -> None:
    """Topics for a confidence interval of a difference that is expected to be no wider than --width.

    With --topics instead: the width to expect. --variance V stands for --variance-of-difference 2V.

    Example: cranfield design interval --variance-of-difference 0.0441 --width 0.10
    """
    from cranfield.design import design_interval, design_two_sample_interval

    def design(given: Any) -> Design:
        function = design_two_sample_interval if two_sample else design_interval
        return function(given, width, n_topics=topics, alpha=alpha)

    found = _answer(
        "design interval", design,
        _Past(scores, more, estimator or _pair_default(two_sample), measure, missing, alpha[0]),
        format, output, *_pair_variances(variance, variance_of_difference, two_sample),
    )  # fmt: skip
    draw(found, plot, chart)


@app.command("recommend")
def recommend(
    scores: ScoreFiles,
    systems: Annotated[int, typer.Option("--systems", metavar="M", help="How many systems will be compared.")],
    min_diff: Annotated[
        float, typer.Option("--min-diff", metavar="D", help="Smallest best-to-worst difference worth detecting.")
    ],
    power: Annotated[float, typer.Option("--power", metavar="P", help="Wanted power.")] = POWER,
    alpha: Annotated[float, typer.Option("--alpha", metavar="A", help="Significance level.")] = ALPHA,
    measure: Measure = None,
    missing: Missing = MISSING,
    plot: Plot = None,
    chart: ChartName = None,
    format: Format = None,
    output: Output = None,
) -> None:
    """A recommendation in plain words, from past scores: how many topics, why, and what other numbers would buy.

    Prints Markdown to paste into an overview; --format json or csv gives the numbers.

    Example: cranfield design recommend past.AP.csv --systems 20 --min-diff 0.10
    """
    from cranfield.design import recommend as library_recommend
    from cranfield.errors import DataError
    from cranfield.files import write_atomically
    from cranfield.labels import summary
    from cranfield.present.tables import Sheet
    from cranfield.scores import read_collections

    collections = read_collections(scores, measure=measure, missing=missing)
    say_missing(collections.values())
    measures = list(dict.fromkeys(name for found in collections.values() for name in found))
    if len(measures) > 1:
        raise DataError(f"there are {len(measures)} measures ({summary(measures)}); choose one with --measure")
    found = library_recommend(
        {name: one.only() for name, one in collections.items()}, systems, min_diff, power=power, alpha=alpha
    )
    words = format in (None, "table", "markdown") and (output is None or format or output.suffix in (".md", ".txt"))
    if words and output is None:
        typer.echo(wrapped(f"{found.text}\n{found.signature}"))
    elif words and output is not None:
        write_atomically(output, f"{found.text}\n{found.signature}\n".encode())
        say(f"wrote {output}")
    else:
        settings = {**found.settings, "recommended": found.topics, "what_topics_buy": found.sizes.to_dicts()}
        emit(
            Sheet("design recommend", found.rows, found.signature, settings, found.warnings, digits={"variance": 6}),
            format=format,
            output=output,
        )
    draw(found, plot, chart)


def number_or_past(text: str | None) -> Any:
    """What the library checks: a number where it reads as one."""
    try:
        return None if text is None else float(text)
    except ValueError:
        return text


class _Past:
    """Past scores given on the command line, and how to estimate from them."""

    def __init__(
        self,
        scores: list[str] | None,
        more: list[str] | None,
        estimator: VarianceMethod,
        measure: str | None,
        missing: Any,
        alpha: float,
    ) -> None:
        self.files = [*(scores or []), *(more or [])]
        self.estimator, self.measure, self.missing, self.alpha = estimator, measure, missing, alpha

    @cached_property
    def collections(self) -> dict[str, Scores]:
        """The scores, read once."""
        from cranfield.cli.output import say_missing
        from cranfield.scores import read_collections

        found = read_collections(self.files, measure=self.measure, missing=self.missing)
        say_missing(found.values())
        return found

    def estimates(self, method: VarianceMethod) -> list[VarianceEstimate]:
        """One estimate a measure."""
        from cranfield.variance import pooled_variances

        return pooled_variances(self.collections, [method], alpha=self.alpha)[method]


def _pair_default(two_sample: bool) -> VarianceMethod:
    return ANOVA_VARIANCE if two_sample else PAIRED_VARIANCE


def _pair_variances(
    variance: list[float] | None, of_difference: list[float] | None, two_sample: bool
) -> tuple[dict[str, list[float] | None], str]:
    """Both ways of writing the variance, each as the design wants it, and what the sizes mean."""
    if two_sample:
        halves = None if of_difference is None else [value / 2 for value in of_difference]
        return {"--variance": variance, "--variance-of-difference": halves}, "Topics are per group."
    doubles = None if variance is None else [2 * value for value in variance]
    return {"--variance-of-difference": of_difference, "--variance": doubles}, "Both systems have the same topics."


def _answer(
    command: str,
    design: Callable[[Any], Design],
    past: _Past,
    format: OutputFormat | None,
    output: Path | None,
    typed: dict[str, list[float] | None],
    note: str,
) -> Design:
    """Design from typed variances or from scores, print the rows, and give back the design."""
    from cranfield.errors import ArgumentError
    from cranfield.present.tables import Sheet

    given = {option: values for option, values in typed.items() if values}
    if len(given) + bool(past.files) != 1:
        options = ", ".join(["--scores", *typed])
        found = ", ".join([*(["--scores"] if past.files else []), *given]) or "none"
        raise ArgumentError(f"give one of {options}; got {found}.")
    settings: dict[str, Any] = {}
    notes = [note]
    if given:
        result = design(next(iter(given.values())))
    else:
        estimates = past.estimates(past.estimator)
        result = design(estimates)
        others = {name: _if_any(design, past, name) for name in get_args(VarianceMethod) if name != past.estimator}
        rows = [row for other in others.values() if other is not None for row in other.rows.to_dicts()]
        settings = {
            "scores": past.files,
            "missing": past.missing,
            "estimator": past.estimator,
            "other_estimators": rows,
        }
        notes += _others_notes(result, others, len(estimates))
    digits = {"variance": 6, "variance_of_difference": 6, "epsilon": 3}
    answer = Sheet(
        command,
        result.rows,
        result.signature,
        {"solved_for": result.solved_for, **result.settings, **settings},
        result.warnings,
        title=f"{result.what[0].upper()}{result.what[1:]}: {result.solved_for}",
        digits=digits,
        notes=tuple(notes),
    )
    emit(answer, format=format, output=output)
    return result


def _if_any(design: Callable[[Any], Design], past: _Past, estimator: VarianceMethod) -> Design | None:
    """What another estimator would give; None where it has no variance to offer or its design no solution."""
    from cranfield.errors import CranfieldError

    try:
        return design(past.estimates(estimator))
    except CranfieldError:
        return None


def _others_notes(result: Design, others: dict[VarianceMethod, Design | None], measures: int) -> list[str]:
    """What the other estimators would give: they differ by factors, and nobody should find out too late."""
    column = result.solved_for
    notes = []
    for at in range(measures):
        row = at * (result.rows.height // measures)
        shown = [
            f"{name} {_short(None if design is None else design.rows[column][row])}" for name, design in others.items()
        ]
        which = f" for {result.rows['measure'][row]}" if measures > 1 else ""
        cell = "" if result.rows.height == measures else " in the first row"
        notes.append(f"{column} by other estimators{which}{cell}: {', '.join(shown)}.")
    return notes


def _short(value: float | None) -> str:
    return "none" if value is None else f"{value:.4f}" if isinstance(value, float) else str(value)
