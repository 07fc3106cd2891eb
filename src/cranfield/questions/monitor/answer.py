"""What looks at a growing set of topics say: what is decided, what to expect, and what looking costs."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from cranfield.core import defaults
from cranfield.core.answer import Answer, Chart
from cranfield.core.errors import DataError, quietly
from cranfield.core.labels import plural
from cranfield.core.sentences import sentence
from cranfield.core.tables import Sheet

if TYPE_CHECKING:
    import polars as pl

    from cranfield.questions.monitor.monitor import Monitoring
    from cranfield.questions.monitor.planned import SequentialDesign
    from cranfield.questions.monitor.reestimation import Reestimate

DECIDED = sentence(
    "monitoring.decided",
    "{decision}: after {topics:,}{of} topics {decided:,} of {pairs} decided",
    "`Stop` when every pair is decided or the plan's last topic is in, else `Go on`; a pair is decided when its p at "
    "some look did not exceed the boundary of that look (or its confidence sequence left 0)",
    always=True,
)
SPENT = sentence(
    "monitoring.spent",
    "{spent:.2g} of the level {alpha:g} is spent.",
    "looks were planned; the spending function at the share of topics seen",
)
OUTLOOK = sentence(
    "monitoring.outlook",
    "If all stays as it is, {there:,} of {undecided:,} undecided pairs will be decided within {topics:,} topics.",
    "the decision is to go on, and some pair is undecided",
)
LATER = sentence(
    "monitoring.later",
    "With Holm a later pair may be decided while its interval still holds 0.",
    "pairs are decided by Holm's steps and there are several; intervals are those of the first step",
)
PRICE = sentence(
    "monitoring.price",
    "The price: {more} more at most than with one look.",
    "topics at most, beside those of one look with the same power",
    always=True,
)
GAIN = sentence(
    "monitoring.gain",
    "The gain: if the difference is {min_diff:g}, {saved:.1f} topics fewer on average.",
    "the topics to expect, by the joint distribution of the looks, are fewer than with one look",
)
NO_GAIN = sentence(
    "monitoring.no-gain",
    "There is no gain: if the difference is {min_diff:g}, {more:.1f} topics more on average.",
    "the topics to expect are at least as many as with one look (low power, where stopping early is rare)",
)
PLANNED = (
    "p: of the paired t-test; boundary: what it must not exceed at this look; a decision, once made, stays.",
    "spent: of alpha, by all pairs together at their share of it.",
    "lower, upper: repeated confidence intervals, which hold for all pairs and looks together.",
)
ANYTIME = (
    "p: valid however often one looks, and adjusted for all pairs; lower, upper: confidence sequences, which hold for "
    "all pairs and at all times together.",
)
PLAN = (
    "boundary: what p must not exceed for the first pair to be decided (later pairs have it easier with Holm); t: the "
    "same for |t|; looks not made are supposed to be as large as the first.",
)
ANYTIME_PLAN = ("t: what |t| must exceed for a confidence sequence to leave 0; nothing is spent by looking.",)
FORECAST = (
    "topics: in all, if difference and spread stay as they are. A lead that is luck makes it too hopeful: plan the "
    "next batch by it, never decide by it.",
)
BLIND = "The variance is estimated blind to which system is which, so that asking does not spoil the test."
BLIND_TO_MANY = (
    "The differences between the {} systems' means count as noise in it, so systems that differ much make "
    "topics_needed far too high; the variance without them, which is not blind, is that of `design recommend`."
)


def monitoring_answer(result: Monitoring, question: Any = None) -> Answer:
    """Every look at every pair, the plan, and what the undecided pairs may take."""
    min_diff = getattr(question, "min_diff", defaults.VIEW_MIN_DIFF)
    power = getattr(question, "power", defaults.POWER)
    kind = "confidence sequences" if result.anytime else f"planned looks, {result.spending} spending"
    title = f"{result.measure}: {plural(len(result.looks), 'look')} at {plural(len(result.pairs), 'pair')}, {kind}"
    meaning = ANYTIME if result.anytime else PLANNED
    if result.correction == "holm" and len(result.pairs) > 1:
        meaning = (*meaning, LATER())

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
        said = tuple(dict.fromkeys((*result.warnings, *again.warnings)))
        return Sheet(
            "monitor", rows, again.signature, {**result.settings, **facts}, said, again.summary(),
            notes=(*blind(again.n_systems), _for_whom(len(result.pairs))), heading="Topics by the variance so far",
            hidden=("measure",),
        )  # fmt: skip

    plan = ANYTIME_PLAN if result.anytime else PLAN
    sheets = {
        "looks": lambda: sheet("looks", "Every look", result.to_frame(), meaning),
        "last": lambda: sheet("last", f"After {result.n_topics} topics", result.last(), meaning),
        "forecast": lambda: sheet("forecast", "Topics to expect", result.forecast(), FORECAST),
        "plan": lambda: sheet("plan", "The plan", result.plan(), plan),
        "reestimate": reestimated,
    }
    words = "Curves: the t-test's statistic of each pair over the looks, between the boundaries that decide it."
    whiskers = "Dots with whiskers: the difference of each pair at the last look, with an interval that looking allows."
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
    """What a blinded variance is good for, and what it cannot leave out."""
    return (BLIND, BLIND_TO_MANY.format(n_systems)) if n_systems > 2 else (BLIND,)


def _for_whom(pairs: int) -> str:
    return "For one pair at the level alpha" + ("." if pairs == 1 else "; all pairs together take more.")


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
    """What was spent, and how many pairs the plan may still decide."""
    said = []
    used = result.looks[-1].spent
    if used is not None:
        said.append(SPENT(spent=used, alpha=result.alpha))
    ahead = result.forecast()
    if result.decision == "go on" and ahead.height:
        there = int(ahead["in_plan"].sum())
        said.append(OUTLOOK(there=there, undecided=ahead.height, topics=result.max_topics))
    return tuple(said)


def looks_answer(result: SequentialDesign, question: Any = None) -> Answer:
    """Topics at most and to expect, beside the design with one look; and every look."""
    more = result.topics_max - result.topics_fixed
    saved = result.topics_fixed - result.expected_alternative
    d = result.min_diff
    gain = GAIN(min_diff=d, saved=saved) if saved > 0 else NO_GAIN(min_diff=d, more=abs(saved))
    notes = (
        f"{PRICE(more=plural(more, 'topic'))} {gain}",
        "expected_null, expected_alternative: topics to expect without a difference, and with min_diff.",
    )
    title = f"{plural(result.looks, 'look')}, {result.spending} spending, σ_t² = {result.variance_of_difference:g}"

    def sheet(show: str, heading: str, rows: Any, notes: tuple[str, ...]) -> Sheet:
        return Sheet(
            "design looks", rows, result.signature, {**result.settings, "show": show}, result.warnings, title,
            notes=notes, heading=heading, digits={"inflation": 3, "expected_null": 1, "expected_alternative": 1,
            "boundary": 6, "spent": 6},
        )  # fmt: skip

    each = ("z, boundary: what |z| must exceed, and p not; stop_null, stop_alternative: chance of stopping here.",)
    chart = Chart(
        "stops", "When it stops", "Bars: the chance of stopping at each look, with and without a difference.",
        result, "stops",
    )  # fmt: skip
    return Answer(
        headline=result.summary(),
        sheets={
            "price": lambda: sheet("price", "The price of looking", result.to_frame(), notes),
            "looks": lambda: sheet("looks", "The looks", result.looks_frame(), each),
        },
        charts=(chart,),
    )


def reestimate_answer(result: Reestimate, question: Any = None) -> Answer:
    """The topics that the variance so far asks for."""

    def sheet() -> Sheet:
        return Sheet(
            "monitor", result.to_frame(), result.signature, result.settings, result.warnings,
            notes=blind(result.n_systems), heading="Topics by the variance so far", hidden=("measure",),
        )  # fmt: skip

    drawn = Chart("needed-chart", "Topics needed", "Bars: the topics there are and those needed.", result, "needed")
    return Answer(headline=result.summary(), sheets={"reestimate": sheet}, charts=(drawn,))
