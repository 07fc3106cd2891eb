"""What a study of reliability says: coefficients, components, topics for a target, and three views of the topics."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from functools import cache
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

import polars as pl

from cranfield.core import defaults
from cranfield.core.answer import Answer, Chart
from cranfield.core.errors import quietly
from cranfield.core.labels import plural
from cranfield.core.sentences import sentence
from cranfield.core.tables import Sheet

if TYPE_CHECKING:
    from cranfield.questions.reliability.reliability import Reliability
    from cranfield.questions.reliability.tau import ExpectedTau
    from cranfield.questions.reliability.views import ThreeViews

RELIABILITY = sentence(
    "generalisability.reliability",
    "With {topics} the ranking by {measure} has reliability {relative:.3f}, the scores {absolute:.3f}",
    "these are Eρ² and Φ by the components of variance",
    always=True,
)
NEEDED = sentence(
    "generalisability.needed",
    "{what}, {topics:,} topics are needed ({lower:,} to {most}).",
    "variance between systems is seen; fewest topics whose coefficient reaches the target, and its interval",
)
BEYOND_COUNTING = sentence(
    "generalisability.beyond-counting",
    "{what}, more topics are needed than can be counted.",
    "variance between systems is seen, and so little beside the rest that the fewest topics are no number",
)
NEVER_ENOUGH = sentence(
    "generalisability.never-enough",
    "{what} no number of topics is enough: no variance between systems is seen in these scores.",
    "the component of systems is estimated as 0",
)
FEW_SYSTEMS = sentence(
    "generalisability.few-systems",
    "With so few systems ({systems:g}) the interval of erho2 may hold in only 90% of cases.",
    "the interval is the jackknife's, and there are fewer than 40 systems",
)
NO_JACKKNIFE = sentence(
    "generalisability.no-jackknife",
    "No jackknife interval of erho2: {why}; Feldt's stands in, which supposes normal effects.",
    "a jackknife interval was asked for, and collections are pooled, or r is not above 0 without some topic or system",
)
ENOUGH_SYSTEMS = 40
"""With as many, the jackknife interval covered .96 or more on subsets of real systems."""
COLUMNS_MEAN = "erho2 (Eρ²): would other topics rank the systems alike? phi (Φ): would they give the same scores?"
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
VIEWS_HEADING = "Three views of the same topics"
PANELS = "Three panels: power, interval width and reliability against the number of topics."
FEWEST_FOR_TAU = 4
COLUMNS = ("measure",)


def reliability_answer(result: Reliability, settings: Any) -> Answer:
    """Both coefficients with their intervals, what they are made of, and what other views say of the same topics."""
    usual = {"min_diff": defaults.VIEW_MIN_DIFF, "n_resamples": defaults.HALVINGS, "seed": defaults.SEED}
    chosen: dict[str, Any] = {name: getattr(settings, name, value) for name, value in usual.items()}
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
        several = f"{result.measure}: {len(each)} collections, each by itself"
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
        headline=headline(result),
        sentences=needed(result),
        sheets={
            "coefficients": lambda: sheet("coefficients", "Reliability", result.to_frame(), meaning(result)),
            "targets": lambda: sheet("targets", "Topics for a target", result.targets_frame(), meaning(result)),
            "components": lambda: sheet(
                "components", "Components of the variance", result.components_frame(), COMPONENTS,
                digits={"variance": 6, "share": 3},
            ),
            "views": lambda: joined("views", VIEWS_HEADING, VIEWS),
            "tau": lambda: joined("tau", "Agreement to expect", TAU),
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
        said = (FEW_SYSTEMS(systems=components.n_systems),)
    elif not jackknifed and result.intervals == "jackknife":
        pooled = "several collections are pooled"
        said = (NO_JACKKNIFE(why=pooled if result.collections > 1 else "leaving one out leaves no positive ratio"),)
    return COLUMNS_MEAN, f"Intervals by {by} (erho2) and by Arteaga, Jeyaratnam and Franklin (phi).", *said


def headline(result: Reliability) -> str:
    """How reliable the ranking is, and how reliable the scores."""
    n = result.n_topics[0]
    relative, absolute = (result.ratio(name).at(n)[0] for name in ("erho2", "phi"))
    return RELIABILITY(topics=plural(n, "topic"), measure=result.measure, relative=relative, absolute=absolute)


def needed(result: Reliability) -> tuple[str, ...]:
    """The topics each target takes, in sentences."""
    said = []
    names = {"erho2": "ranking (Eρ²)", "phi": "scores (Φ)"}
    for row in result.targets_frame().iter_rows(named=True):
        what = f"For {row['target']:g} of the {names[row['coefficient']]}"
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
    left = f", the worst {result.drop:.0%} left out" if result.drop else ""
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


def views_answer(result: ThreeViews) -> Answer:
    """Power, width and reliability side by side."""
    return part_answer(result, "views", VIEWS, Chart("views-chart", VIEWS_HEADING, PANELS, result, "views"))


def tau_answer(result: ExpectedTau) -> Answer:
    """The agreement to expect."""
    drawn = Chart("agreement-chart", "Agreement to expect", "Line with band: τ against topics.", result, "agreement")
    return part_answer(result, "tau", TAU, drawn)
