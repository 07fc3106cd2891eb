"""Sections: how reliable the collection is, and whether it will serve systems not yet built."""

from __future__ import annotations

from typing import TYPE_CHECKING

from cranfield import defaults
from cranfield.errors import DataError, quietly
from cranfield.present.answer import answer
from cranfield.present.answers.generalisability import FEWEST_FOR_TAU
from cranfield.present.answers.reusability import deepest
from cranfield.present.charts import generalisability as charts
from cranfield.present.charts import reusability as reuse_charts
from cranfield.present.charts.style import given, number, plural
from cranfield.present.report.case import Case
from cranfield.present.report.parts import Figure, Part, Section, Table, Text, notices
from cranfield.sentences import generalisability as say
from cranfield.settings.reliability import ReliabilitySettings

if TYPE_CHECKING:
    from cranfield.generalisability import Reliability, ThreeViews

DROPPED = 0.25
"""Share of the worst systems that a second look leaves out."""
MOST_MEASURES = 3
"""Measures by which teams are left out."""


def reliable(case: Case) -> Section:
    """Components, both coefficients, topics for .95, the agreement to expect, and three views of the same topics."""
    from cranfield.generalisability import reliability

    n = case.main.n_topics
    sizes = [n, *sorted({25, 50, 100, 200} - {n})]
    with quietly():
        study = reliability(case.main, n_topics=sizes, target=defaults.RELIABILITY_TARGET, alpha=case.alpha)
    settings = ReliabilitySettings(
        n_topics=tuple(sizes), target=(defaults.RELIABILITY_TARGET,), alpha=case.alpha, min_diff=case.min_diff,
        seed=case.seed,
    )  # fmt: skip
    said = answer(study, settings)
    parts: list[Part] = [Text(_finding(study, case), strong=True), Text(_meaning(study)), Text(_needed(study))]
    signatures = [study.signature]
    if n >= FEWEST_FOR_TAU:
        with quietly():
            (views,) = study.views(min_diff=case.min_diff, seed=case.seed).values()
        parts += [Text(_agreement(views)), Text(_other_views(views))]
        signatures.append(views.signature)
    parts.append(Text(_components(study)))
    parts += [Text(text) for text in _without_worst(study, case)]
    parts += notices(study.warnings)
    parts.append(Figure("fig-reliability", charts.coefficients(study)))
    if n >= FEWEST_FOR_TAU:
        parts.append(Figure("fig-views", charts.views(study, min_diff=case.min_diff, seed=case.seed)))
    parts += [
        Table("reliability", "Reliability of ranking (erho2) and scores (phi)", said.sheet("coefficients")),
        Table("components", "Components of the variance", said.sheet("components")),
    ]
    if n >= FEWEST_FOR_TAU:
        parts.append(Table("views", "Three views of the same topics", said.sheet("views")))
    works = ("brennan", "feldt", "arteaga", "urbano", "kendall")
    return Section("reliability", "How reliable is this collection", tuple(parts), tuple(signatures), works)


def _between(values: tuple[float, float, float], alpha: float) -> str:
    value, lower, upper = (number(one) for one in values)
    return f"{value} ({1 - alpha:.0%} interval {lower} to {upper})"


def _finding(study: Reliability, case: Case) -> str:
    n = case.main.n_topics
    relative, absolute = (_between(study.ratio(name).at(n), study.alpha) for name in ("erho2", "phi"))
    return say.REPORT_RELIABILITY(
        topics=plural(n, "topic"), systems=plural(case.main.n_systems, "system"), measure=case.measure,
        relative=relative, absolute=absolute,
    )  # fmt: skip


def _meaning(study: Reliability) -> str:
    lower = ", and is lower because some topics are harder than others" if study.components.topics > 0 else ""
    return (
        "Both coefficients lie between 0 and 1. Eρ² asks whether other topics would rank the systems alike; Φ asks "
        f"whether they would give them the same scores{lower}."
    )


def _needed(study: Reliability) -> str:
    rows = {row["coefficient"]: row for row in study.targets_frame().iter_rows(named=True)}
    target = f"{defaults.RELIABILITY_TARGET:g}"
    if rows["erho2"]["topics_needed"] is None:
        return say.NEVER_REACHED(target=target)

    def topics(row: dict[str, int | None]) -> str:
        upper = row["topics_upper"]
        if row["topics_needed"] is None:
            return "more topics than can be counted"
        most = "any number" if upper is None else f"{upper:,}"
        return f"{row['topics_needed']:,} topics ({row['topics_lower']:,} to {most})"

    return say.TO_REACH(target=target, ranking=topics(rows["erho2"]), scores=topics(rows["phi"]))


def _agreement(views: ThreeViews) -> str:
    n = views.tau.n_topics[0]
    value, lower, upper = views.tau.at(n)
    interval = "" if lower is None or upper is None else f" ({number(lower)} to {number(upper)})"
    return say.TAU_EXPECTED(topics=plural(n, "topic"), tau=number(value), interval=interval)


def _other_views(views: ThreeViews) -> str:
    row = views.to_frame().row(0, named=True)
    return say.OTHER_VIEWS(
        min_diff=given(views.min_diff), power=_chance(row["power"]), pairs=views.pairs,
        corrected=_chance(row["power_all_pairs"]), width=number(row["width"]),
    )  # fmt: skip


def _chance(probability: float) -> str:
    """A probability in two digits, never as certain or impossible."""
    return "above 0.99" if probability > 0.995 else "below 0.01" if probability < 0.005 else f"{probability:.2f}"


def _components(study: Reliability) -> str:
    return say.SHARES(**study.components.shares)


def _without_worst(study: Reliability, case: Case) -> list[str]:
    """The same without the worst quarter, where that leaves enough: bad systems can make a collection look reliable."""
    from cranfield.generalisability import reliability

    try:
        with quietly():
            rest = reliability(case.main, drop=DROPPED, alpha=case.alpha)
    except DataError:
        return []
    if rest.components.n_systems == case.main.n_systems:
        return []
    values = _between(rest.ratio("erho2").at(case.main.n_topics), case.alpha)
    left = case.main.n_systems - round(rest.components.n_systems)
    before = study.ratio("erho2").at(case.main.n_topics)[0]
    lower = rest.ratio("erho2").at(case.main.n_topics)[0] < before
    told = say.WITHOUT_WORST if lower else say.WITHOUT_WORST_NO_LOWER
    return [told(left=plural(left, "system"), values=values)]


def reusable(case: Case) -> Section:
    """What happens to a team's runs when the documents that it alone brought into the pool are not judged."""
    from cranfield.reusability import reuse

    scoring = {name: value for name, value in case.scoring.items() if name not in ("lenient", "name")}
    depths = sorted({min(case.depths), max(case.depths)})
    with quietly():
        result = reuse(
            case.judgments, list(case.run_objects()), case.teams, measures=list(case.scores)[:MOST_MEASURES],
            depths=depths, alpha=case.alpha, seed=case.seed, **scoring,
        )  # fmt: skip
    said = answer(result)
    here = deepest(result)
    relevant = here.sort("unique_relevant", descending=True, maintain_order=True).row(0, named=True)
    parts: list[Part] = [
        Text(f"{said.headline}.", strong=True),
        *(Text(text) for text in said.sentences),
        Text(
            "A system that is built later has brought nothing into the pool. To see how it would fare, the judgments "
            "of documents that only one team had among its first "
            f"{here['depth'][0]} were taken away and that team's runs scored anew, for each of "
            f"{plural(result.settings['n_teams'], 'team')} in turn. Of these runs, those of team "
            f"{relevant['team']} alone brought {plural(relevant['unique_relevant'], 'relevant document')}, "
            "the most of any team."
        ),
        Text(
            "Bpref and condensed lists pass over unjudged documents; where they hold the order and the other measures "
            "do not, use them for new systems, or judge what those bring."
        ),
        *notices(result.warnings),
        Figure("fig-drops", reuse_charts.drops(result)),
    ]
    if len(depths) > 1:
        parts.append(Figure("fig-reuse-depths", reuse_charts.depths(result)))
    parts += [
        Table("reuse-worst", "The team that loses most ranks", said.sheet("worst")),
        Table("reuse", "Every team left out in turn", said.sheet("teams"), shown=10),
        Table("reuse-systems", "How much of every run is judged", said.sheet("systems"), shown=10),
    ]
    return Section(
        "reuse", "Will it serve systems not yet built", tuple(parts), (result.signature,), ("zobel", "sakai-condensed")
    )
