"""Answers of `reliability`: coefficients, components, topics for a target, power and interval width."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from functools import cache
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

import polars as pl

from cranfield.core import defaults
from cranfield.core.answer import Answer, Chart, sentence
from cranfield.core.errors import quietly
from cranfield.core.labels import plural
from cranfield.core.tables import Sheet

if TYPE_CHECKING:
    from cranfield.questions.reliability.reliability import Reliability
    from cranfield.questions.reliability.tau import ExpectedTau
    from cranfield.questions.reliability.views import ThreeViews

NEEDED = sentence(
    "generalisability.needed",
    "{what} needs {topics:,} topics ({lower:,} to {most}).",
    "the component of systems is above 0; fewest topics whose coefficient reaches the target, and its interval",
    measured="reliability",
)
BEYOND_COUNTING = sentence(
    "generalisability.beyond-counting",
    "{what} needs too many topics to count.",
    "the component of systems is above 0, and so small that the number of topics overflows",
)
NEVER_ENOUGH = sentence(
    "generalisability.never-enough",
    "{what} is out of reach: these scores show no variance between systems.",
    "the component of systems is estimated as 0",
)
FEW_SYSTEMS = sentence(
    "generalisability.few-systems",
    "With only {systems:g} systems, the interval of erho2 may have coverage as low as {share:.0%}.",
    "the interval is the jackknife's, and there are fewer than 40 systems; 87% below 20 systems, 94% from 20 on",
    measured="reliability",
)
FEW_SYSTEMS_PHI = sentence(
    "generalisability.few-systems-phi",
    "With only {systems:g} systems, the interval of phi may have coverage as low as {share:.0%}.",
    "there are fewer than 40 systems; 75% below 20 systems, 84% from 20 on",
    measured="reliability",
)
NO_JACKKNIFE = sentence(
    "generalisability.no-jackknife",
    "No jackknife interval of erho2: {why}. Feldt's interval is used, which assumes normal effects.",
    "a jackknife interval was asked for, and collections are pooled, or r is not above 0 without some topic or system",
    measured="reliability",
)
ENOUGH_SYSTEMS = 40
"""With this many, the jackknife interval covered .96 or more on subsets of real systems."""
MANY_SYSTEMS = 20
"""From here on the intervals of both coefficients held more often than with 5 or 10 (docs/validation.md)."""
COLUMNS_MEAN = "erho2 (Eρ²): stability of the ranking with other topics. phi (Φ): stability of the scores."
COMPONENTS = (
    "systems: variance between systems. topics: variance of topic difficulty. residual: the rest, mostly systems that "
    "do well on different topics.",
)
VIEWS = (
    "power: of one paired t-test. power_all_pairs: the same, corrected for all pairs. width: width of the interval of "
    "a difference.",
    "A reliable ranking does not imply that neighbouring systems differ.",
)
TAU = ("tau: expected Kendall's tau between rankings by two topic sets of that size, estimated from halves of these.",)
VIEWS_HEADING = "Power, interval width and reliability"
PANELS = "Three panels: power, interval width and reliability against the number of topics."
FEWEST_FOR_TAU = 4
COLUMNS = ("measure",)


def reliability_answer(result: Reliability, question: Any = None) -> Answer:
    """Both coefficients with intervals, the components, and power and width of the same topics."""
    usual = {"min_diff": defaults.VIEW_MIN_DIFF, "n_resamples": defaults.HALVINGS, "seed": defaults.SEED}
    chosen: dict[str, Any] = {name: getattr(question, name, value) for name, value in usual.items()}
    title = f"{result.measure}: reliability from {source(result)}"

    @cache
    def views() -> dict[str, ThreeViews]:
        with quietly():
            return result.views(**chosen)

    def sheet(
        show: str, heading: str, rows: pl.DataFrame, notes: tuple[str, ...], *, above: str = title,
        signed: str = result.signature, settings: Mapping[str, Any] = MappingProxyType({}),
        warnings: Iterable[str] = (), **more: Any,
    ) -> Sheet:  # fmt: skip
        return Sheet(
            "reliability", rows, signed, {**result.settings, **settings, "show": show},
            tuple(dict.fromkeys((*result.warnings, *warnings))), above, notes=notes, heading=heading, hidden=COLUMNS,
            **more,
        )  # fmt: skip

    def joined(show: str, heading: str, notes: tuple[str, ...]) -> Sheet:
        each = {name: one.tau if show == "tau" else one for name, one in views().items()}
        frames = [_named(one.to_frame(), name, len(each) > 1) for name, one in each.items()]
        several = f"{result.measure}: {len(each)} collections, separately"
        return sheet(
            show, heading, pl.concat(frames), notes, settings=chosen, above=several if len(each) > 1 else title,
            signed="; ".join(one.signature for one in each.values()),
            warnings=[text for one in each.values() for text in one.warnings],
        )  # fmt: skip

    enough = all(matrix.n_topics >= FEWEST_FOR_TAU for matrix in result.scores.values())
    some = enough and any(n > 1 for n in result.n_topics)
    alt = "Curves with bands: Eρ² and Φ against the number of topics."
    charts: tuple[Chart, ...] = (Chart("coefficients-chart", "Reliability and topics", alt, result, "coefficients"),)
    if some:
        charts += (Chart("views-chart", VIEWS_HEADING, PANELS, result, "views", chosen),)
    return Answer(
        headline=result.summary(),
        sentences=needed(result),
        sheets={
            "coefficients": lambda: sheet("coefficients", "Reliability", result.to_frame(), meaning(result)),
            "targets": lambda: sheet("targets", "Topics for a target", result.targets_frame(), meaning(result)),
            "components": lambda: sheet(
                "components", "Components of the variance", result.components_frame(), COMPONENTS,
                digits={"variance": 6, "share": 3},
            ),
            "views": lambda: joined("views", VIEWS_HEADING, VIEWS),
            "tau": lambda: joined("tau", "Expected agreement", TAU),
        },
        charts=charts,
        on_page=("coefficients", "targets", "components", *(("views", "tau") if some else ())),
    )  # fmt: skip


def meaning(result: Reliability) -> tuple[str, ...]:
    """What the columns mean, and what their intervals rest on."""
    components = result.components
    said: tuple[str, ...] = ()
    jackknifed = components.spread is not None
    by = "the jackknife over topics and systems" if jackknifed else "Feldt"
    if jackknifed and components.n_systems < ENOUGH_SYSTEMS:
        said = (FEW_SYSTEMS(systems=components.n_systems, share=0.87 if components.n_systems < MANY_SYSTEMS else 0.94),)
    elif not jackknifed and result.intervals == "jackknife":
        pooled = "several collections are pooled"
        said = (
            NO_JACKKNIFE(
                why=pooled if result.collections > 1 else "a ratio is not positive when one topic or system is left out"
            ),
        )
    if components.n_systems < ENOUGH_SYSTEMS:
        share = 0.75 if components.n_systems < MANY_SYSTEMS else 0.84
        said = (*said, FEW_SYSTEMS_PHI(systems=components.n_systems, share=share))
    return COLUMNS_MEAN, f"Intervals by {by} (erho2) and by Arteaga, Jeyaratnam and Franklin (phi).", *said


def needed(result: Reliability) -> tuple[str, ...]:
    """The topics each target takes, in sentences."""
    said = []
    names = {"erho2": "ranking (Eρ²)", "phi": "scores (Φ)"}
    for row in result.targets_frame().iter_rows(named=True):
        what = f"Reliability {row['target']:g} of the {names[row['coefficient']]}"
        if row["topics_needed"] is None:
            never = BEYOND_COUNTING if result.components.systems > 0 else NEVER_ENOUGH
            said.append(never(what=what))
            continue
        most = "any number" if row["topics_upper"] is None else f"{row['topics_upper']:,}"
        said.append(NEEDED(what=what, topics=row["topics_needed"], lower=row["topics_lower"], most=most))
    return tuple(said)


def source(result: Reliability) -> str:
    """What the study is made from."""
    if result.collections > 1:
        return f"{result.collections} collections, pooled"
    (matrix,) = result.scores.values()
    left = f", without the worst {result.drop:.0%}" if result.drop else ""
    return f"{plural(matrix.n_topics, 'topic')} × {plural(matrix.n_systems, 'system')}{left}"


def _named(rows: pl.DataFrame, name: str, several: bool) -> pl.DataFrame:
    return rows.insert_column(1, pl.Series("collection", [name] * rows.height)) if several else rows


def part_answer(result: ThreeViews | ExpectedTau, name: str, notes: tuple[str, ...], chart: Chart) -> Answer:
    """One table of the study by itself, under the heading of its chart."""

    def sheet() -> Sheet:
        return Sheet(
            "reliability", result.to_frame(), result.signature, result.settings, result.warnings, notes=notes,
            heading=chart.heading, hidden=COLUMNS,
        )  # fmt: skip

    return Answer(headline=result.summary(), sheets={name: sheet}, charts=(chart,))


def views_answer(result: ThreeViews, question: Any = None) -> Answer:
    """Power, width and reliability side by side."""
    return part_answer(result, "views", VIEWS, Chart("views-chart", VIEWS_HEADING, PANELS, result, "views"))


def tau_answer(result: ExpectedTau, question: Any = None) -> Answer:
    """The agreement to expect."""
    drawn = Chart("agreement-chart", "Expected agreement", "Line with band: τ against topics.", result, "agreement")
    return part_answer(result, "tau", TAU, drawn)
