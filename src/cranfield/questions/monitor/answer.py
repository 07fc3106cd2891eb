"""The answers of `monitor`, `design looks` and `reestimate`."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from cranfield.core import defaults
from cranfield.core.answer import Answer, Chart, sentence
from cranfield.core.errors import DataError, quietly
from cranfield.core.labels import plural
from cranfield.core.tables import Sheet

if TYPE_CHECKING:
    import polars as pl

    from cranfield.questions.monitor.monitor import Monitoring
    from cranfield.questions.monitor.planned import SequentialDesign
    from cranfield.questions.monitor.reestimation import Reestimate

DECIDED = sentence(
    "monitoring.decided",
    "{decision}: after {topics:,}{of} topics {decided:,} of {pairs} decided",
    "`Stop` when every pair is decided or the last planned topic is in, else `Go on`; a pair is decided when its p "
    "at some look did not exceed the boundary (or its confidence sequence excluded 0)",
    always=True,
    measured="monitor",
)
SPENT = sentence(
    "monitoring.spent",
    "{spent:.2g} of the level {alpha:g} is spent.",
    "looks were planned; the spending function at the share of topics seen",
)
OUTLOOK = sentence(
    "monitoring.outlook",
    "If means and variances stay the same, {there:,} of {undecided:,} undecided pairs will be decided within "
    "{topics:,} topics.",
    "the decision is to go on, and some pair is undecided",
)
LATER = sentence(
    "monitoring.later",
    "With Holm, a pair may be decided although its interval contains 0.",
    "pairs are decided by Holm's steps and there are several; intervals are those of the first step",
    measured="monitor",
)
LEVEL = sentence(
    "monitoring.level-approximate",
    "The level is approximate. On pairs of real runs the error at nominal .05 was {rates} ({rule}).",
    "always, with the rates of the rule that decides: O'Brien–Fleming or Pocock spending, or unplanned looks",
    always=True,
    measured="monitor",
)
RATES = {"obrien-fleming": (".04–.06", "O'Brien–Fleming"), "pocock": (".04–.08", "Pocock")}
"""The measured error of planned looks at one pair; both ends, and the name of the rule."""
UNPLANNED = (".01–.05", "unplanned looks")
PRICE = sentence(
    "monitoring.price",
    "The maximum is {more} more than one look takes.",
    "topics at most, beside those of one look with the same power",
    always=True,
)
GAIN = sentence(
    "monitoring.gain",
    "If the difference is {min_diff:g}, the expected number is {saved:.1f} topics lower.",
    "the topics to expect, by the joint distribution of the looks, are fewer than with one look",
)
NO_GAIN = sentence(
    "monitoring.no-gain",
    "If the difference is {min_diff:g}, the expected number is {more:.1f} topics higher.",
    "the topics to expect are at least as many as with one look (low power, where stopping early is rare)",
)
PLANNED = (
    "p: of the paired t-test, allowing for skewness (Hall). boundary: largest p that decides a pair at this look. "
    "Decisions are final.",
    "spent: part of alpha used so far by all pairs.",
    "lower, upper: simultaneous repeated confidence intervals over all pairs and looks.",
)
ANYTIME = (
    "p: valid for any number of looks, and adjusted for all pairs. lower, upper: confidence sequences, simultaneous "
    "over all pairs and times.",
)
PLAN = (
    "boundary: largest p that decides the first pair; with Holm, later pairs have larger boundaries. t: the same for "
    "|t|. made: the look has taken place. Future looks are assumed to be as large as the first.",
)
ANYTIME_PLAN = ("t: smallest |t| at which a confidence sequence excludes 0. Looks spend nothing.",)
FORECAST = (
    "topics: total number, if means and variances stay the same. It is too low if the differences are partly "
    "due to chance. Use it to plan the next batch, never to decide.",
)
BLIND = "The variance ignores which system has which score, so it hardly affects the level of the final test."
BLIND_TO_MANY = (
    "This variance includes the differences between the {} systems' means, so topics_needed is biased high. "
    "`design recommend` removes them, but is not blinded."
)


def monitoring_answer(result: Monitoring, question: Any = None) -> Answer:
    """Every look at every pair, the plan, and the forecast."""
    min_diff = getattr(question, "min_diff", defaults.VIEW_MIN_DIFF)
    power = getattr(question, "power", defaults.POWER)
    kind = "confidence sequences" if result.anytime else f"planned looks, {result.spending} spending"
    title = f"{result.measure}: {plural(len(result.looks), 'look')} at {plural(len(result.pairs), 'pair')}, {kind}"
    meaning = ANYTIME if result.anytime else PLANNED
    if result.correction == "holm" and len(result.pairs) > 1:
        meaning = (*meaning, LATER())
    rates, rule = UNPLANNED if result.anytime else RATES[result.spending]
    meaning = (*meaning, LEVEL(rates=rates, rule=rule))

    def sheet(show: str, heading: str, rows: pl.DataFrame, notes: tuple[str, ...]) -> Sheet:
        return Sheet(
            "monitor", rows, result.signature, {**result.settings, "show": show}, result.warnings, title, notes=notes,
            heading=heading, hidden=("measure", "spent") if result.anytime else ("measure",),
            digits={"spent": 6, "boundary": 6},
        )  # fmt: skip

    def reestimated() -> Sheet:
        from cranfield.questions.monitor.reestimation import reestimate

        with quietly():
            again = reestimate(result.scores, min_diff, power=power, alpha=result.alpha)
        rows, facts = again.to_frame(), {"min_diff": min_diff, "power": power, "show": "reestimate"}
        warnings = tuple(dict.fromkeys((*result.warnings, *again.warnings)))
        return Sheet(
            "monitor", rows, again.signature, {**result.settings, **facts}, warnings, again.summary(),
            notes=(*blind(again.n_systems), _for_whom(len(result.pairs))), hidden=("measure",),
            heading="Topics needed by the blinded variance",
        )  # fmt: skip

    plan = ANYTIME_PLAN if result.anytime else PLAN
    sheets = {
        "looks": lambda: sheet("looks", "Every look", result.to_frame(), meaning),
        "last": lambda: sheet("last", f"After {result.n_topics} topics", result.last(), meaning),
        "forecast": lambda: sheet("forecast", "Topics to expect", result.forecast(), FORECAST),
        "plan": lambda: sheet("plan", "The plan", result.plan(), plan),
        "reestimate": reestimated,
    }
    words = "Curves: t statistic of each pair over the looks, with the boundaries."
    whiskers = "Dots with whiskers: difference of each pair at the last look, with its simultaneous interval."
    return Answer(
        headline=headline(result),
        sentences=outlook(result),
        sheets=sheets,
        charts=(
            Chart("path", "Paths and boundaries", words, result, "path"),
            Chart("intervals", "Differences so far", whiskers, result, "intervals"),
        ),
        on_page=("last", "plan", "forecast", "looks", *(("reestimate",) if _has_variance(result) else ())),
    )


def blind(n_systems: int) -> tuple[str, ...]:
    """Notes on the blinded variance."""
    return (BLIND, BLIND_TO_MANY.format(n_systems)) if n_systems > 2 else (BLIND,)


def _for_whom(pairs: int) -> str:
    return "For one pair at level alpha" + ("." if pairs == 1 else "; all pairs together need more topics.")


def _has_variance(result: Monitoring) -> bool:
    from cranfield.questions.monitor.reestimation import reestimate

    try:
        with quietly():
            reestimate(result.scores, defaults.VIEW_MIN_DIFF)
    except DataError:
        return False
    return True


def headline(result: Monitoring) -> str:
    """Stop, or go on; and how many pairs are decided."""
    return DECIDED(decision=result.decision.capitalize(), **result.progress())


def outlook(result: Monitoring) -> tuple[str, ...]:
    """The level spent, and how many pairs the plan may still decide."""
    used = result.looks[-1].spent
    sentences = [] if used is None else [SPENT(spent=used, alpha=result.alpha)]
    ahead = result.forecast()
    if result.decision == "go on" and ahead.height:
        there = int(ahead["in_plan"].sum())
        sentences.append(OUTLOOK(there=there, undecided=ahead.height, topics=result.max_topics))
    return tuple(sentences)


def looks_answer(result: SequentialDesign, question: Any = None) -> Answer:
    """Maximum and expected topics, compared with one look; and every look."""
    more = result.topics_max - result.topics_fixed
    saved = result.topics_fixed - result.expected_alternative
    d = result.min_diff
    gain = GAIN(min_diff=d, saved=saved) if saved > 0 else NO_GAIN(min_diff=d, more=abs(saved))
    notes = (
        f"{PRICE(more=plural(more, 'topic'))} {gain}",
        "expected_null, expected_alternative: expected topics if the difference is 0, and if it is min_diff.",
    )
    title = f"{plural(result.looks, 'look')}, {result.spending} spending, σ_t² = {result.variance_of_difference:g}"

    def sheet(show: str, heading: str, rows: Any, notes: tuple[str, ...]) -> Sheet:
        return Sheet(
            "design looks", rows, result.signature, {**result.settings, "show": show}, result.warnings, title,
            notes=notes, heading=heading, digits={"inflation": 3, "expected_null": 1, "expected_alternative": 1,
            "boundary": 6, "spent": 6},
        )  # fmt: skip

    each = (
        "z, boundary: smallest |z| and largest p that stop here. stop_null, stop_alternative: probability of stopping.",
    )
    chart = Chart(
        "stops", "When it stops", "Bars: probability of stopping at each look, with and without a difference.",
        result, "stops",
    )  # fmt: skip
    return Answer(
        headline=result.summary(),
        sheets={
            "price": lambda: sheet("price", "Maximum and expected topics", result.to_frame(), notes),
            "looks": lambda: sheet("looks", "The looks", result.looks_frame(), each),
        },
        charts=(chart,),
    )


def reestimate_answer(result: Reestimate, question: Any = None) -> Answer:
    """The topics needed by the blinded variance."""

    def sheet() -> Sheet:
        return Sheet(
            "monitor", result.to_frame(), result.signature, result.settings, result.warnings,
            notes=blind(result.n_systems), heading="Topics needed by the blinded variance", hidden=("measure",),
        )  # fmt: skip

    drawn = Chart("needed-chart", "Topics needed", "Bars: present and needed topics.", result, "needed")
    return Answer(headline=result.summary(), sheets={"reestimate": sheet}, charts=(drawn,))
