"""What simulations say: which test keeps its level, whether a design delivers, and scores with their truth."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import numpy as np
import polars as pl

from cranfield.core.answer import Answer, Chart
from cranfield.core.labels import joined
from cranfield.core.sentences import sentence
from cranfield.core.tables import Sheet
from cranfield.questions.compare.corrections import CORRECTIONS

if TYPE_CHECKING:
    from cranfield.questions.simulate.design import SimulatedDesign
    from cranfield.questions.simulate.scores import SimulatedScores
    from cranfield.questions.simulate.tests import SimulatedTests

NOT_SIMULATED, NONE_SHOWN = "whether tests keep their level was not simulated", "no test is shown to exceed its level"
"""What is said of levels beside power: of pairs that all differ, and of families in which some pairs do not."""
MOST_POWER = sentence(
    "simulation.most-power",
    "On scores like yours, {topics} topics show a difference of {difference:g} at {alpha:g} with probability {rate} by "
    "{test}{others}; {level}",
    "nowhere were all hypotheses true; no test of those asked for has a higher rate; of pairs no level is known then, "
    "and of families no rate's Monte-Carlo interval lies wholly above the level",
)
TOO_OFTEN = sentence(
    "simulation.too-often",
    "On scores like yours, {test} {what} at {alpha} with {topics} topics{others}; {advice}",
    "the Monte-Carlo interval of every rate that is named lies wholly above the level, at 99% for all rows together; a "
    "test to use is at no number of topics above the level by its own 99% interval, nor said to fall below it, and "
    "rejects less often than the one named first",
)
NONE_EXCEEDS = sentence(
    "simulation.none-exceeds",
    "On scores like yours, no test is shown to exceed its level: the highest is {rate} at {alpha}, by {test} with "
    "{topics} topics{low}",
    "no rate's Monte-Carlo interval lies wholly above the level, at 99% for all rows together",
)
BELOW = sentence(
    "simulation.below",
    "{tests} {fall} below the level, which costs power",
    "of every test named, some rate's Monte-Carlo interval lies wholly below the level, at 99% for all rows together, "
    "and none lies above it; the rate given is the lowest",
)
DELIVERS = sentence(
    "simulation.delivers",
    "Pilots of {pilot} topics lead to recommendations of {median} topics ({fewest} to {most}) and reach a power of "
    "{mean:.2f} on average ({lowest:.2f} to {highest:.2f}) where {promised:g} is promised; {short} of {pilots} clearly "
    "fall short. Intervals of an average pair are {width:.3f} wide where {hoped:.3f} is promised",
    "shares of simulated collections of the recommended size in which the difference was found; `clearly`: the whole "
    "99% Monte-Carlo interval lies below the promise",
    always=True,
)
_SPOKEN = {"wilcoxon": "Wilcoxon", "sign": "the sign test"}
INTERVAL = "rate: share of simulated collections; lower and upper: its 99% Monte-Carlo interval, of this row alone."
RATES = "type1: true hypotheses rejected, should be alpha; power: differences found; type3: found the wrong way round."
FAMILIES = (
    "family-wise: collections in which any true hypothesis is rejected{family}; false-discovery: mean share of false "
    "ones among the rejected{discovery}; type1: true hypotheses rejected; power and type3: of the pairs that differ."
)
AT_MOST = ", should be at most alpha"
NO_PAIRS = "Nothing to show: no type I error of pairs was simulated. Ask for a difference of 0, and for no correction."
SAID_ONCE = {"kind": "kind", "difference": "true difference", "alpha": "alpha"}
"""What columns are called above the table where they are the same in all rows."""
PAIRS = {
    "resample": "exchangeable: the same pairs with both scores swapped by a coin on every topic, as if the systems had "
    "one joint distribution whichever comes first.",
    "copula": "exchangeable: pairs whose copula is symmetric in both systems; not exchangeable: all others, such as "
    "Tawn's.",
}
DESIGNS = (
    "topics: recommended from the pilot; reached: share of collections of that size in which the difference is found, "
    "with its 99% Monte-Carlo interval, lower and upper.",
    "width: of the confidence interval of an average pair's difference, promised from the pilot and reached in "
    "collections of that size, with its 99% Monte-Carlo interval.",
)


def rates_answer(result: SimulatedTests, question: Any = None) -> Answer:
    """Rates of every test, and type I errors by sort of pairs."""
    known = result.settings
    families = known["n_systems"] > 2
    what = f"families of {known['n_systems']} systems" if families else "pairs"
    title = f"{result.measure}: {known['n_trials']:,} simulated {what} per row ({known['mode']})"

    def sheet(show: str) -> Sheet:
        rows = result.to_frame() if show == "rates" else result.pairs_frame()
        same = {name: rows[name][0] for name in SAID_ONCE if rows[name].n_unique() == 1}
        once = "".join(f", {SAID_ONCE[name]} {one if name == 'kind' else f'{one:g}'}" for name, one in same.items())
        kinds = _kinds(known) if show == "rates" else PAIRS[known["mode"]] if rows.height else NO_PAIRS
        heading = "Error rates and power" if show == "rates" else "Type I error, with and without exchangeable pairs"
        return Sheet(
            "simulate tests", rows, result.signature, {**known, "show": show}, result.warnings, title + once,
            notes=(*([f"{result.summary()}."] if show == "rates" else []), INTERVAL, kinds),
            heading=heading + once, hidden=tuple(same),
        )  # fmt: skip

    alt = "Lines: the rate of every test against the number of topics, with a band for the level."
    return Answer(
        headline=result.summary(),
        sheets={show: lambda show=show: sheet(show) for show in ("rates", "pairs")},
        charts=(Chart("rates", "Rates", alt, result, "rates"),),
        on_page=("rates", "pairs") if result.pairs_frame()["pairs"].n_unique() > 1 else ("rates",),
    )


def _kinds(known: Mapping[str, Any]) -> str:
    """What the rates are, and which of them the correction bounds."""
    if known["n_systems"] == 2:
        return RATES
    bounds = CORRECTIONS[known["correction"] or "none"].controls
    return FAMILIES.format(
        family=AT_MOST if bounds == "family-wise error" else "",
        discovery=AT_MOST if bounds == "false discovery rate" else "",
    )


def tests_headline(result: SimulatedTests) -> str:
    """Which test exceeds its level most, or that none is shown to; of differences alone, which one finds most."""
    held, over, row = result.levels(), result.too_often(), result.named()
    if row["kind"] == "power":
        return MOST_POWER(
            topics=row["topics"], difference=row["difference"], alpha=row["alpha"], rate=_rate(row["rate"]),
            test=row["test"], others=", by no other test more often" if result.rows["test"].n_unique() > 1 else "",
            level=NONE_SHOWN if held.height else NOT_SIMULATED,
        )  # fmt: skip
    low, alpha = _below(result, row["alpha"]), f"{row['alpha']:g}".removeprefix("0")
    if not over.height:
        clause = f"; {low}" if low else ""
        return NONE_EXCEEDS(rate=_rate(row["rate"]), alpha=alpha, test=row["test"], topics=row["topics"], low=clause)
    same = over.filter(pl.col("alpha") == row["alpha"]).unique("test", keep="first", maintain_order=True)
    others = [f"{_spoken(test)} {_rate(rate)}" for test, rate in same[1:].select("test", "rate").iter_rows()]
    if good := result.keepers(row["alpha"]):
        advice = "; ".join(filter(None, [f"use {joined(good, 'or')}", low]))
    elif low:
        advice = low
    elif same.height == held["test"].n_unique():
        advice = "no test here keeps the level" if others else "no other test was tried"
    else:
        advice = "more trials would tell which test keeps the level"
    worst = f" ({', '.join(others)} at worst)" if others else ""
    return TOO_OFTEN(
        test=_spoken(row["test"]), what=_what(row), alpha=alpha, topics=row["topics"], others=worst, advice=advice
    )


def _below(result: SimulatedTests, alpha: float) -> str:
    """A clause about the tests that reject less often than the level allows, if there are any."""
    low = result.below(alpha)
    named = [f"{_spoken(test)} ({_rate(rate)})" for test, rate in low.items()]
    return BELOW(tests=joined(named), fall="falls" if len(low) == 1 else "fall") if low else ""


def _what(row: Mapping[str, Any]) -> str:
    """What a test does too often."""
    rate = _rate(row["rate"])
    if row["kind"] == "type1":
        return f"rejects true nulls {rate} of the time"
    if row["difference"] == 0:  # whatever is found is false
        return f"errs in a family of true nulls {rate} of the time"
    apart = f"in families of halves {row['difference']:g} apart"
    if row["kind"] == "family-wise":
        return f"errs {rate} of the time {apart}"
    return f"has a false discovery rate of {rate} {apart}"


def _spoken(test: str) -> str:
    return _SPOKEN.get(test, test)


def _rate(value: float) -> str:
    """A rate as papers print it, with three decimals, and more where it would lose its second digit.

    >>> _rate(0.0722), _rate(0.05), _rate(0.00142), _rate(0.0), _rate(1.0)
    ('.072', '.05', '.0014', '0', '1')
    """
    decimals = max(3, 1 - math.floor(math.log10(value))) if value > 0 else 3
    return f"{value:.{decimals}f}".rstrip("0").rstrip(".").removeprefix("0") or "0"


def design_headline(result: SimulatedDesign) -> str:
    """What the pilots recommend, and what the recommendations deliver."""
    rows = result.rows
    reached, topics = rows["reached"].to_numpy(), rows["topics"].to_numpy()
    return DELIVERS(
        pilot=result.settings["n_topics"], median=math.ceil(np.median(topics)), fewest=topics.min(), most=topics.max(),
        mean=reached.mean(), lowest=reached.min(), highest=reached.max(), promised=float(rows["promised"][0]),
        short=int((rows["upper"] < rows["promised"]).sum()), pilots=len(topics),
        width=rows["width_reached"].to_numpy().mean(), hoped=rows["width_promised"].to_numpy().mean(),
    )  # fmt: skip


def design_answer(result: SimulatedDesign, question: Any = None) -> Answer:
    """What every pilot's recommendation delivers."""
    title = f"{result.measure}: {result.settings['n_pilots']} pilots, {result.settings['n_trials']:,} collections each"

    def sheet() -> Sheet:
        return Sheet(
            "simulate design", result.to_frame(), result.signature, dict(result.settings), result.warnings, title,
            notes=(f"{result.summary()}.", *DESIGNS), heading="Promised and reached",
        )  # fmt: skip

    alt = "Points: the power that every pilot's recommendation reaches, against its number of topics."
    return Answer(
        headline=result.summary(),
        sheets={"pilots": sheet},
        charts=(Chart("reached", "Reached", alt, result, "reached"),),
    )


def scores_answer(result: SimulatedScores, question: Any = None) -> Answer:
    """The scores, and their truth."""

    def sheet(show: str) -> Sheet:
        rows = result.to_frame() if show == "scores" else result.truth
        return Sheet(
            "simulate scores", rows, result.signature, {**result.settings, "show": show}, result.warnings,
            result.summary(), heading="Simulated scores" if show == "scores" else "Their truth",
        )  # fmt: skip

    return Answer(
        headline=result.summary(),
        sheets={show: lambda show=show: sheet(show) for show in ("scores", "truth")},
        charts=(Chart("systems", "Systems", "Simulated scores of every system.", result, "systems"),),
        in_notebook=("truth",),
    )
