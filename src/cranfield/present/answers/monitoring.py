"""What looks at a growing set of topics say: what is decided, what to expect, and what looking costs."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from cranfield import defaults
from cranfield.errors import DataError, quietly
from cranfield.labels import plural
from cranfield.present.answer import Answer, Chart, answers
from cranfield.present.tables import Sheet
from cranfield.sentences import monitoring as say

if TYPE_CHECKING:
    from cranfield.monitoring import Monitoring, Reestimate, SequentialDesign

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


@answers("Monitoring")
def monitoring_answer(result: Monitoring, settings: Any) -> Answer:
    """Every look at every pair, the plan, and what the undecided pairs may take."""
    min_diff = getattr(settings, "min_diff", defaults.VIEW_MIN_DIFF)
    power = getattr(settings, "power", defaults.POWER)
    kind = "confidence sequences" if result.anytime else f"planned looks, {result.spending} spending"
    looks = "1 look" if len(result.looks) == 1 else f"{len(result.looks)} looks"
    pairs = "1 pair" if len(result.pairs) == 1 else f"{len(result.pairs)} pairs"
    title = f"{result.measure}: {looks} at {pairs}, {kind}"
    meaning = ANYTIME if result.anytime else PLANNED
    if result.correction == "holm" and len(result.pairs) > 1:
        meaning = (*meaning, say.LATER())

    def sheet(show: str, heading: str, rows: Any, notes: tuple[str, ...], **more: Any) -> Sheet:
        return Sheet(
            "monitor", rows, result.signature, {**result.settings, "show": show}, result.warnings, title, notes=notes,
            heading=heading, hidden=("measure", "spent") if result.anytime else ("measure",), **more,
        )  # fmt: skip

    def reestimated() -> Sheet:
        from cranfield.monitoring import reestimate

        with quietly():
            again = reestimate(result.scores, min_diff, power=power, alpha=result.alpha)
        rows, facts = again.to_frame(), {"min_diff": min_diff, "power": power, "show": "reestimate"}
        said = tuple(dict.fromkeys((*result.warnings, *again.warnings)))
        return Sheet(
            "monitor", rows, again.signature, {**result.settings, **facts}, said, again.summary(),
            notes=(*blind(again.n_systems), _for_whom(len(result.pairs))), heading="Topics by the variance so far",
            hidden=("measure",),
        )  # fmt: skip

    last = result.looks[-1].n_topics
    sheets = {
        "looks": lambda: sheet("looks", "Every look", result.to_frame(), meaning, digits={"spent": 6, "boundary": 6}),
        "last": lambda: sheet(
            "last", f"After {last} topics", result.last(), meaning, digits={"spent": 6, "boundary": 6}
        ),
        "forecast": lambda: sheet("forecast", "Topics to expect", result.forecast(), FORECAST),
        "plan": lambda: sheet(
            "plan", "The plan", result.plan(), ANYTIME_PLAN if result.anytime else PLAN,
            digits={"spent": 6, "boundary": 6},
        ),
        "reestimate": reestimated,
    }  # fmt: skip
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
    from cranfield.monitoring import reestimate

    try:
        with quietly():
            reestimate(result.scores, defaults.VIEW_MIN_DIFF)
    except DataError:
        return False
    return True


def headline(result: Monitoring) -> str:
    """Stop, or go on; and how many pairs are decided."""
    of = "" if result.anytime else f" of {result.max_topics:,}"
    pairs = f"{len(result.pairs):,} {'pair is' if len(result.pairs) == 1 else 'pairs are'}"
    return say.DECIDED(
        decision=result.decision.capitalize(), topics=result.n_topics, of=of, decided=result.n_decided, pairs=pairs
    )


def outlook(result: Monitoring) -> tuple[str, ...]:
    """What was spent, and how many pairs the plan may still decide."""
    said = []
    used = result.looks[-1].spent
    if used is not None:
        said.append(say.SPENT(spent=used, alpha=result.alpha))
    ahead = result.forecast()
    if result.decision == "go on" and ahead.height:
        there = int(ahead["in_plan"].sum())
        said.append(say.OUTLOOK(there=there, undecided=ahead.height, topics=result.max_topics))
    return tuple(said)


@answers("SequentialDesign")
def looks_answer(result: SequentialDesign, settings: Any) -> Answer:
    """Topics at most and to expect, beside the design with one look; and every look."""
    more = result.topics_max - result.topics_fixed
    saved = result.topics_fixed - result.expected_alternative
    gain = (
        say.GAIN(min_diff=result.min_diff, saved=saved)
        if saved > 0
        else say.NO_GAIN(min_diff=result.min_diff, more=abs(saved))
    )
    notes = (
        f"{say.PRICE(more=plural(more, 'topic'))} {gain}",
        "expected_null, expected_alternative: topics to expect without a difference, and with min_diff.",
    )
    looks = "1 look" if result.looks == 1 else f"{result.looks} looks"
    title = f"{looks}, {result.spending} spending, σ_t² = {result.variance_of_difference:g}"

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


@answers("Reestimate")
def reestimate_answer(result: Reestimate, settings: Any) -> Answer:
    """The topics that the variance so far asks for."""

    def sheet() -> Sheet:
        return Sheet(
            "monitor", result.to_frame(), result.signature, result.settings, result.warnings,
            notes=blind(result.n_systems), heading="Topics by the variance so far", hidden=("measure",),
        )  # fmt: skip

    drawn = Chart("needed-chart", "Topics needed", "Bars: the topics there are and those needed.", result, "needed")
    return Answer(headline=result.summary(), sheets={"reestimate": sheet}, charts=(drawn,))
