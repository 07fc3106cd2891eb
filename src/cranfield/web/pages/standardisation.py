"""The standardise page's question, put to the library: standardised scores, their factors, and what they change."""

from __future__ import annotations

from typing import Any

from cranfield import defaults
from cranfield.design import standardisation_effect
from cranfield.executors import Progress
from cranfield.present.tables import Sheet
from cranfield.scores import Scores
from cranfield.standardise import fit_standardisation
from cranfield.web.pages.comparisons import read_lines
from cranfield.web.pages.questions import StandardiseQuestion
from cranfield.web.pages.result import Chart, Result, Table
from cranfield.web.pages.snippets import command_line, python_call
from cranfield.web.server.data import Dataset


def answer_standardisation(question: StandardiseQuestion, dataset: Dataset, progress: Progress) -> Result:
    """Factors fitted on the data, the data standardised by them, and variance, ranking and design before and after."""
    dataset.require_valid(progress)
    scores = Scores([dataset.matrix(question.measure)])
    factors = fit_standardisation(scores)
    done = factors.apply(scores, to=question.to, a=question.a, b=question.b)
    effect = standardisation_effect(
        scores,
        factors=factors,
        to=question.to,
        a=question.a,
        b=question.b,
        fraction=question.fraction,
        alpha=question.alpha,
        power=question.power,
        n_resamples=question.resamples,
        seed=question.seed,
    )
    (measure,) = scores
    row = effect.variance.row(0, named=True)
    name = "standardise effect"

    def table(key: str, heading: str, rows: Any, *notes: str, **digits: int) -> Table:
        answer = Sheet(name, rows, effect.signature, effect.settings, effect.warnings, digits=digits, notes=notes)
        return Table(key, heading, answer)

    free = (
        "blocked F: variance between systems over residual variance. topics: needed by "
        f"{defaults.SCALE_FREE_SYSTEMS} systems when best and worst differ by {question.fraction:g} sd between "
        "systems. Neither changes with the scale, so this is the fair comparison."
    )
    unfair = "The same min_diff is another difference on another scale: do not compare raw with standardised here."
    return Result(
        headline=f"{measure}: variance {row['variance_raw']:.4f} raw, {row['variance_standardised']:.4f} standardised",
        sentences=(f"The two rankings of the systems agree with τ = {row['tau']:.3f}.", *done.clipping()),
        tables=(
            table("effect", "Variance and ranking, raw and standardised", effect.variance),
            table("scale-free", "Free of scale", effect.scale_free, free, blocked_f=2),
            table("topics", "Topics needed (one-way ANOVA), exact and published", effect.topics, unfair, min_diff=2),
            Table("factors", "Factors of every topic", Sheet(
                "standardise fit", factors.to_frame(), factors.signature, {}, factors.warnings)),
            Table("scores", "Standardised scores", Sheet(
                "standardise apply", done.to_frame(), done.signature, {}, done.warnings)),
        ),
        charts=(
            Chart("effect-chart", "What changes", "Bars: raw and standardised, free of scale.", effect, "effect"),
            Chart("topics-chart", "Standardised scores by topic", "Boxes: standardised scores of every topic.",
                  done, "topics"),
        ),
        command=_command(question, dataset),
        python=_python(question, dataset),
        warnings=tuple(dict.fromkeys((*dataset.warnings(measure), *effect.warnings))),
    )  # fmt: skip


def _changed(question: StandardiseQuestion) -> dict[str, Any]:
    usual = {name: field.default for name, field in StandardiseQuestion.model_fields.items()}
    names = ("to", "a", "b", "fraction", "alpha", "power", "resamples", "seed")
    return {name: None if getattr(question, name) == usual[name] else getattr(question, name) for name in names}


def _command(question: StandardiseQuestion, dataset: Dataset) -> tuple[str, ...]:
    before, words = dataset.score_words(question.measure)
    options = {f"--{name}": value for name, value in _changed(question).items()}
    if not before:
        options = {"--measure": question.measure, **options}
    apply = {name: options[name] for name in ("--to", "--a", "--b")}
    return (
        *before,
        command_line(f"standardise effect {words}", options),
        f"cranfield standardise fit {words} -o factors.csv",
        command_line(f"standardise apply {words} --factors factors.csv", apply),
    )


def _python(question: StandardiseQuestion, dataset: Dataset) -> tuple[str, ...]:
    changed = _changed(question)
    changed["n_resamples"] = changed.pop("resamples")
    apply = {name: changed[name] for name in ("to", "a", "b")}
    return (
        *read_lines(dataset, question.measure, "fit_standardisation", "standardisation_effect"),
        python_call("standardisation_effect", "scores", **changed),
        python_call("fit_standardisation(scores).apply", "scores", **apply),
    )
