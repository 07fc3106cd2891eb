"""What a study of reliability says: coefficients, components, topics for a target, and three views of the topics."""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING, Any

import polars as pl

from cranfield import defaults
from cranfield.errors import quietly
from cranfield.present.answer import Answer, Chart, answers
from cranfield.present.tables import Sheet
from cranfield.sentences import generalisability as say

if TYPE_CHECKING:
    from cranfield.generalisability import ExpectedTau, Reliability, ThreeViews

MEANING = (
    "erho2 (Eρ²): would other topics rank the systems alike? phi (Φ): would they give the same scores?",
    "Intervals by Feldt (erho2) and by Arteaga, Jeyaratnam and Franklin (phi).",
)
COMPONENTS = (
    "systems: how much systems differ on average; topics: how much topics differ in difficulty; residual: what "
    "remains, mostly systems that do well on different topics.",
)
VIEWS = (
    "power, power_all_pairs: of a paired t-test for the difference, alone and corrected for all pairs; width: of the "
    "interval of a difference.",
    "Three questions, three answers: a reliable ranking does not make neighbours in it different.",
)
TAU = ("tau: Kendall's, to expect between the rankings by two topic sets of that size, from halves of these topics.",)
FEWEST_FOR_TAU = 4
COLUMNS = ("measure",)


@answers("Reliability")
def reliability_answer(result: Reliability, settings: Any) -> Answer:
    """Both coefficients with their intervals, what they are made of, and what other views say of the same topics."""
    chosen: dict[str, Any] = {
        "min_diff": getattr(settings, "min_diff", defaults.VIEW_MIN_DIFF),
        "n_resamples": getattr(settings, "n_resamples", defaults.HALVINGS),
        "seed": getattr(settings, "seed", defaults.SEED),
    }
    title = f"{result.measure}: reliability from {_data(result)}"

    @cache
    def views() -> dict[str, ThreeViews]:
        with quietly():
            return result.views(**chosen)

    def sheet(show: str, heading: str, rows: pl.DataFrame, notes: tuple[str, ...], **more: Any) -> Sheet:
        known = {**result.settings, **more.pop("settings", {}), "show": show}
        warnings = tuple(dict.fromkeys((*result.warnings, *more.pop("warnings", ()))))
        signed = more.pop("signature", result.signature)
        above = more.pop("title", title)
        return Sheet(
            "reliability", rows, signed, known, warnings, above, notes=notes, heading=heading, hidden=COLUMNS, **more
        )

    def joined(show: str, heading: str, notes: tuple[str, ...], by_tau: bool) -> Sheet:
        each = {name: one.tau if by_tau else one for name, one in views().items()}
        frames = [_named(one.to_frame(), name, len(each) > 1) for name, one in each.items()]
        signed = "; ".join(one.signature for one in each.values())
        several = f"{result.measure}: {len(each)} collections, each by itself"
        warnings = tuple(text for one in each.values() for text in one.warnings)
        return sheet(
            show, heading, pl.concat(frames), notes, settings=chosen, signature=signed, warnings=warnings,
            title=several if len(each) > 1 else title,
        )  # fmt: skip

    enough = all(matrix.n_topics >= FEWEST_FOR_TAU for matrix in result.scores.values())
    some = enough and any(n > 1 for n in result.n_topics)
    charts = [
        Chart(
            "coefficients-chart", "Reliability and topics",
            "Curves with bands: Eρ² and Φ against the number of topics.", result, "coefficients",
        ),
    ]  # fmt: skip
    if some:
        alt = "Three panels: power, interval width and reliability against the number of topics."
        charts.append(Chart("views-chart", "Three views of the same topics", alt, result, "views", chosen))
    return Answer(
        headline=headline(result),
        sentences=needed(result),
        sheets={
            "coefficients": lambda: sheet("coefficients", "Reliability", result.to_frame(), MEANING),
            "targets": lambda: sheet("targets", "Topics for a target", result.targets_frame(), MEANING),
            "components": lambda: sheet(
                "components", "Components of the variance", result.components_frame(), COMPONENTS,
                digits={"variance": 6, "share": 3},
            ),
            "views": lambda: joined("views", "Three views of the same topics", VIEWS, by_tau=False),
            "tau": lambda: joined("tau", "Agreement to expect", TAU, by_tau=True),
        },
        charts=tuple(charts),
        on_page=("coefficients", "targets", "components", *(("views", "tau") if some else ())),
    )  # fmt: skip


def headline(result: Reliability) -> str:
    """How reliable the ranking is, and how reliable the scores."""
    n = result.n_topics[0]
    relative, absolute = (result.ratio(name).at(n)[0] for name in ("erho2", "phi"))
    topics = "1 topic" if n == 1 else f"{n:,} topics"
    return say.RELIABILITY(topics=topics, measure=result.measure, relative=relative, absolute=absolute)


def needed(result: Reliability) -> tuple[str, ...]:
    """The topics each target takes, in sentences."""
    said = []
    names = {"erho2": "ranking (Eρ²)", "phi": "scores (Φ)"}
    for row in result.targets_frame().iter_rows(named=True):
        what = f"For {row['target']:g} of the {names[row['coefficient']]}"
        if row["topics_needed"] is None:
            said.append(say.NEVER_ENOUGH(what=what))
            continue
        most = "any number" if row["topics_upper"] is None else f"{row['topics_upper']:,}"
        said.append(say.NEEDED(what=what, topics=row["topics_needed"], lower=row["topics_lower"], most=most))
    return tuple(said)


def _data(result: Reliability) -> str:
    if result.collections > 1:
        return f"{result.collections} collections, pooled"
    (matrix,) = result.scores.values()
    left = f", the worst {result.drop:.0%} left out" if result.drop else ""
    return f"{matrix.n_topics} topics × {matrix.n_systems} systems{left}"


def _named(rows: pl.DataFrame, name: str, several: bool) -> pl.DataFrame:
    return rows.insert_column(1, pl.Series("collection", [name] * rows.height)) if several else rows


@answers("ThreeViews")
def views_answer(result: ThreeViews, settings: Any) -> Answer:
    """Power, width and reliability side by side."""

    def sheet() -> Sheet:
        return Sheet(
            "reliability", result.to_frame(), result.signature, result.settings, result.warnings, notes=VIEWS,
            heading="Three views of the same topics", hidden=COLUMNS,
        )  # fmt: skip

    alt = "Three panels: power, interval width and reliability against the number of topics."
    chart = Chart("views-chart", "Three views of the same topics", alt, result, "views")
    return Answer(headline=result.summary(), sheets={"views": sheet}, charts=(chart,))


@answers("ExpectedTau")
def tau_answer(result: ExpectedTau, settings: Any) -> Answer:
    """The agreement to expect."""

    def sheet() -> Sheet:
        return Sheet(
            "reliability", result.to_frame(), result.signature, result.settings, result.warnings, notes=TAU,
            heading="Agreement to expect", hidden=COLUMNS,
        )  # fmt: skip

    drawn = Chart("agreement-chart", "Agreement to expect", "Line with band: τ against topics.", result, "agreement")
    return Answer(headline=result.summary(), sheets={"tau": sheet}, charts=(drawn,))
