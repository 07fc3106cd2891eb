"""The answers of `tune` and `selection_bias`."""

from __future__ import annotations

import math
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import polars as pl

from cranfield.core import defaults
from cranfield.core.answer import Answer, Chart, sentence
from cranfield.core.tables import Sheet
from cranfield.questions.tune.held_out import column_of

if TYPE_CHECKING:
    from cranfield.core.executors import Progress
    from cranfield.questions.tune.held_out import TunedFamily
    from cranfield.questions.tune.selection_bias import SelectionBias
    from cranfield.questions.tune.tune import Tuning

EXPECT = sentence(
    "tuning.expect",
    "Expect {mean:.4f}{interval} {measure} from {family} on unseen topics",
    "the mean of held-out scores, whose setting was chosen on other topics, of the family in which it is highest; "
    "the interval is of the final setting's true mean and includes its choice",
    always=True,
    measured="tune",
)
HONEST = sentence(
    "tuning.honest",
    "{family}: expect {mean:.4f}{interval} on unseen topics. The best setting's mean on {where} is {best:.4f}, an "
    "optimism of {optimism:.4f}.",
    "held-out mean, the final setting's mean on the same topics, and their difference",
    always=True,
    measured="tune",
)
USE = sentence(
    "tuning.use",
    "{family}: use {setting}, chosen in {times} of {folds} folds",
    "the setting has the highest mean on all topics, and that many folds chose it",
    always=True,
)
AT_EDGE = sentence(
    "tuning.at-edge",
    "{family}: {parameters} of the final setting is at the edge of the grid. The best value may lie beyond it.",
    "the parameter is a number, three values or more were tried, and the final one is the smallest or largest",
)
TOO_GOOD = sentence(
    "tuning.too-good",
    "its mean on all topics, {mean:.4f}, is {optimism:.4f} too high.",
    "the optimism is above 0: held-out scores are lower",
)
NO_OPTIMISM = sentence(
    "tuning.no-optimism",
    "its mean on all topics is {mean:.4f}; held-out scores are no lower.",
    "the optimism is 0 or below",
)
LOOKS_BETTER = sentence(
    "tuning.looks-better",
    "In-sample, the tuned system looks {advantage:.4f} better than an equally good one",
    "mean advantage of the best of equally good settings over another of them, on the topics it was chosen by",
    always=True,
)
_MOST_SENTENCES = 5
MOST_FOLDS = 20
"Most folds shown one by one in tables; files have all."


def tuning_answer(result: Tuning, question: Any = None) -> Answer:
    """Every family's choice per fold, its summary, the curve over its parameters, and the held-out scores."""
    usual = {"n_resamples": defaults.CURVE_RESAMPLES, "seed": defaults.SEED, "alpha": result.alpha}
    band: dict[str, Any] = {name: getattr(question, name, value) for name, value in usual.items()}
    notes = tuple(line for family in result.families for line in notes_on(family))

    def sheet(show: str, heading: str, rows: pl.DataFrame, **more: Any) -> Sheet:
        facts = {**result.settings, "show": show, **more.pop("settings", {})}
        title = f"{result.measure} tuned by {result.folds.description} on {len(result.folds.topics)} topics"
        more = {"notes": notes, **more}
        return Sheet("tune", rows, result.signature, facts, result.warnings, title, heading=heading, **more)

    def curve(progress: Progress | None = None) -> Sheet:
        rows = result.curve(**band, progress=progress)
        parameters = {column_of(name) for family in result.families for name in family.family.parameters}
        level, count = f"{1 - band['alpha']:.0%}", band["n_resamples"]
        return sheet(
            "curve",
            "Every setting",
            rows,
            settings={"n_resamples": count},
            digits={name: _places(rows[name].to_list()) for name in parameters},
            notes=(f"lower, upper: {level} percentile interval of the mean, {count} topic resamples.",),
        )

    def folds() -> Sheet:
        whole, many = sheet("folds", "Fold by fold", result.to_frame()), len(result.folds)
        if many <= MOST_FOLDS:
            return whole
        note = f"Means of all {many} folds; format csv has every fold."
        brief = replace(whole, rows=whole.rows.filter(pl.col("fold") == "all"), notes=(note, *whole.notes))
        return replace(whole, sections=(brief,))

    best = max(result.families, key=lambda one: one.held_out_mean)
    return Answer(
        headline=EXPECT(mean=best.held_out_mean, interval=best.interval, measure=result.measure, family=best.name),
        sheets={
            "folds": folds,
            "summary": lambda: sheet("summary", "Families", result.by_family()),
            "curve": curve,
            "held-out": lambda: sheet(
                "held-out", "Held-out scores", result.held_out.to_wide(), notes=(), read_back=True
            ),
        },
        charts=(
            Chart(
                "curve-chart", "Mean by parameter",
                "Curve: mean by parameter value with a band; rings mark chosen settings.", result, "curve", band,
            ),
            Chart("folds-chart", "Choices of the folds", "Points: the setting chosen in every fold.", result, "folds"),
        ),
        sentences=tuple(_sentence(one) for one in result.families[:_MOST_SENTENCES]),
        on_page=("summary", "folds", "curve", "held-out"),
    )  # fmt: skip


def _places(values: list[Any]) -> int:
    """Decimals that show every value of a parameter as it was written."""
    return max(
        (len(f"{value:.6f}".rstrip("0").partition(".")[2]) for value in values if isinstance(value, float)), default=0
    )


def notes_on(family: TunedFamily) -> list[str]:
    """The held-out mean, the stability of the choice, and whether it is at the edge of the grid."""
    # If some topics were never held out, optimism and the means beside it cover the other topics only.
    there = family.held_out_mean + family.optimism
    where = "all topics" if math.isclose(there, family.in_sample_mean, abs_tol=1e-9) else "the held-out topics"
    lines = [
        HONEST(
            family=family.name, mean=family.held_out_mean, interval=family.interval, where=where, best=there,
            optimism=family.optimism,
        ),
        _use(family) + (f" ({family.n_distinct} settings chosen in all)." if family.n_distinct > 1 else "."),
    ]  # fmt: skip
    return [*lines, *_edge(family)]


def _use(family: TunedFamily) -> str:
    return USE(family=family.name, setting=family.final, times=family.n_chosen, folds=len(family.choices))


def _edge(family: TunedFamily) -> list[str]:
    at_edge = " and ".join(family.at_edge)
    return [AT_EDGE(family=family.name, parameters=at_edge)] if at_edge else []


def _sentence(family: TunedFamily) -> str:
    honest = NO_OPTIMISM(mean=family.in_sample_mean)
    if family.optimism > 0:
        honest = TOO_GOOD(mean=family.in_sample_mean, optimism=family.optimism)
    return " ".join([f"{_use(family)}; {honest}", *_edge(family)])


def introduced(answer: Answer, tuning: Tuning) -> Answer:
    """The answer of a comparison of held-out scores, with notes and warnings of the tuning before it."""
    families = tuning.by_family().drop("settings").to_dicts()
    notes = tuple(line for family in tuning.families for line in notes_on(family))

    def introduce(sheet: Sheet) -> Sheet:
        return replace(
            sheet,
            signature=f"{tuning.signature.rpartition('; cranfield')[0]}; {sheet.signature}",
            settings={**sheet.settings, "tuning": {"folds": tuning.folds.description, "families": families}},
            warnings=(*tuning.warnings, *sheet.warnings),
            title=f"Held-out scores of {len(tuning.families)} families, {tuning.folds.description}\n{sheet.title}",
            notes=(*notes, *sheet.notes),
        )

    sheets = {name: lambda make=make: introduce(make()) for name, make in answer.sheets.items()}
    return replace(answer, sheets=sheets)


def bias_answer(result: SelectionBias, question: Any = None) -> Answer:
    """The advantage of the tuned system over an equally good one, in-sample and held-out."""
    rows = result.to_frame()
    count = len(result.in_sample)
    title = f"{result.n_settings} equally good settings tuned on {result.n_topics} topics, {count} times"
    notes = (
        "advantage: of the tuned system over an equally good untuned one; the true value is 0. The theoretical "
        f"in-sample advantage of the best of {result.n_settings} is {result.expected:.4f}.",
        f"declared_better: share of experiments in which a paired t-test at {result.alpha:g} favours the tuned "
        f"system; the nominal value is {result.alpha / 2:g}.",
    )

    def sheet() -> Sheet:
        return Sheet(
            "selection-bias", rows, result.signature, result.settings, result.warnings, title, notes=notes,
            heading="Advantage of the tuned system",
        )  # fmt: skip

    chart = Chart(
        "bias", "Selection bias", "Dots with whiskers: advantage of the tuned system, in-sample and held-out.",
        result, "bias",
    )  # fmt: skip
    headline = LOOKS_BETTER(advantage=rows["advantage"][0])
    return Answer(headline=headline, sheets={"bias": sheet}, charts=(chart,))
