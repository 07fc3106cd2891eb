"""The answers of `simulate tests`, `simulate design` and `simulate scores`."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import numpy as np
import polars as pl

from cranfield.core.answer import Answer, Chart, sentence
from cranfield.core.labels import joined
from cranfield.core.tables import Sheet
from cranfield.questions.compare.corrections import CORRECTIONS

if TYPE_CHECKING:
    from cranfield.questions.simulate.design import SimulatedDesign
    from cranfield.questions.simulate.scores import SimulatedScores
    from cranfield.questions.simulate.tests import SimulatedTests

NOT_SIMULATED, NONE_SHOWN = "type I error was not simulated", "no test exceeds its level"
"""Clauses about levels beside power: for pairs that all differ, and for families in which some pairs do not."""
MOST_POWER = sentence(
    "simulation.most-power",
    "{topics} topics detect a difference of {difference:g} at {alpha:g} with power {rate} ({test}{others}); {level}",
    "no cell had only true hypotheses; no other simulated test has a higher rate; for pairs no level is known then, "
    "and for families no Monte-Carlo interval of a rate lies wholly above the level",
)
TOO_OFTEN = sentence(
    "simulation.too-often",
    "{test} {what} at {alpha} with {topics} topics.{others} {advice}",
    "the Monte-Carlo interval of every rate that is named lies wholly above the level, at 99% for all rows "
    "together; a recommended test is never above the level by its own 99% interval and not shown to be below it; "
    "it rejects less often than the one named first",
)
NONE_EXCEEDS = sentence(
    "simulation.none-exceeds",
    "No test is shown to exceed its level; the highest rate is {rate} at {alpha} ({test}, {topics} topics){low}",
    "no rate's Monte-Carlo interval lies wholly above the level, at 99% for all rows together",
)
BELOW = sentence(
    "simulation.below",
    "{tests} {fall} below the level and {lose} power",
    "of every test named, some rate's Monte-Carlo interval lies wholly below the level, at 99% for all rows together, "
    "and none lies above it; the rate given is the lowest",
)
DELIVERS = sentence(
    "simulation.delivers",
    "Recommendations from pilots of {pilot} topics reach a mean power of {mean:.2f} ({promised:g} promised)",
    "shares of simulated collections of the recommended size in which the difference was detected; a pilot falls "
    "short if its whole 99% Monte-Carlo interval lies below the promise",
    always=True,
    measured="recommend",
)
_SPOKEN = {"wilcoxon": "Wilcoxon", "sign": "the sign test"}
INTERVAL = "rate: share of simulated collections. lower, upper: its 99% Monte-Carlo interval, for this row alone."
RATES = "type1: rejected true hypotheses (nominal: alpha). power: detected differences. type3: with the wrong sign."
FAMILIES = (
    "family-wise: collections with any rejected true hypothesis{family}. false-discovery: mean share of true "
    "hypotheses among the rejected{discovery}. type1: rejected true hypotheses. power, type3: of pairs that differ."
)
AT_MOST = " (at most alpha is expected)"
NO_PAIRS = "No type I error of pairs was simulated. Use a difference of 0 and no correction."
CONSTANT = {"kind": "kind", "difference": "true difference", "alpha": "alpha"}
"""Names of columns in the title, used if a column is constant."""
PAIRS = {
    "resample": "exchangeable: the same pairs after swapping both scores at random on every topic.",
    "copula": "exchangeable: pairs with a symmetric copula. not exchangeable: all others, such as Tawn's.",
}
DESIGNS = (
    "topics: recommended from the pilot. reached: share of collections of that size in which the difference is "
    "detected, with its 99% Monte-Carlo interval (lower, upper).",
    "width: width of the confidence interval of an average pair's difference: promised from the pilot, and reached in "
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
        same = {name: rows[name][0] for name in CONSTANT if rows[name].n_unique() == 1}
        once = "".join(f", {CONSTANT[name]} {one if name == 'kind' else f'{one:g}'}" for name, one in same.items())
        kinds = _kinds(known) if show == "rates" else PAIRS[known["mode"]] if rows.height else NO_PAIRS
        heading = "Error rates and power" if show == "rates" else "Type I error of exchangeable and other pairs"
        return Sheet(
            "simulate tests", rows, result.signature, {**known, "show": show}, result.warnings, title + once,
            notes=(*([f"{result.summary()}."] if show == "rates" else []), INTERVAL, kinds),
            heading=heading + once, hidden=tuple(same),
        )  # fmt: skip

    alt = "Lines: rate of every test by number of topics, with a band at the level."
    return Answer(
        headline=result.summary(),
        sheets={show: lambda show=show: sheet(show) for show in ("rates", "pairs")},
        charts=(Chart("rates", "Rates", alt, result, "rates"),),
        on_page=("rates", "pairs") if result.pairs_frame()["pairs"].n_unique() > 1 else ("rates",),
    )


def _kinds(known: Mapping[str, Any]) -> str:
    """The meaning of the rates, and which of them the correction bounds."""
    if known["n_systems"] == 2:
        return RATES
    bounds = CORRECTIONS[known["correction"] or "none"].controls
    return FAMILIES.format(
        family=AT_MOST if bounds == "family-wise error" else "",
        discovery=AT_MOST if bounds == "false discovery rate" else "",
    )


def tests_headline(result: SimulatedTests) -> str:
    """The test that exceeds its level most, or that none does; for power alone, the most powerful test."""
    held, over, row = result.levels(), result.too_often(), result.named()
    if row["kind"] == "power":
        return MOST_POWER(
            topics=row["topics"], difference=row["difference"], alpha=row["alpha"], rate=_rate(row["rate"]),
            test=row["test"], others=", the most powerful test" if result.rows["test"].n_unique() > 1 else "",
            level=NONE_SHOWN if held.height else NOT_SIMULATED,
        )  # fmt: skip
    low, alpha = _below(result, row["alpha"]), f"{row['alpha']:g}".removeprefix("0")
    if not over.height:
        clause = f"; {low}" if low else ""
        return NONE_EXCEEDS(rate=_rate(row["rate"]), alpha=alpha, test=row["test"], topics=row["topics"], low=clause)
    same = over.filter(pl.col("alpha") == row["alpha"]).unique("test", keep="first", maintain_order=True)
    others = [f"{_spoken(test)} has {_rate(rate)}" for test, rate in same[1:].select("test", "rate").iter_rows()]
    if good := result.keepers(row["alpha"]):
        advice = "; ".join(filter(None, [f"Use {joined(good, 'or')}", low]))
    elif low:
        advice = f"Also, {low}"
    elif same.height == held["test"].n_unique():
        least = min(same["rate"].to_list())
        lowest = f"All {same.height} tests are above the level, the lowest at {_rate(least)}"
        advice = lowest if others else "No other test was simulated"
    else:
        advice = "Simulate more trials to find a test that keeps the level"
    worst = f" At worst, {joined(others)}." if others else ""
    first = _spoken(row["test"]).replace("the sign", "The sign")
    return TOO_OFTEN(test=first, what=_what(row), alpha=alpha, topics=row["topics"], others=worst, advice=advice)


def _below(result: SimulatedTests, alpha: float) -> str:
    """A clause about tests that are below the level, if any."""
    low = result.below(alpha)
    named = [f"{_spoken(test)} ({_rate(rate)})" for test, rate in low.items()]
    return (
        BELOW(tests=joined(named), fall="is" if len(low) == 1 else "are", lose="loses" if len(low) == 1 else "lose")
        if low
        else ""
    )


def _what(row: Mapping[str, Any]) -> str:
    """The error rate that exceeds the level."""
    rate = _rate(row["rate"])
    if row["kind"] == "type1":
        return f"has a type I error of {rate}"
    if row["difference"] == 0:  # all hypotheses are true
        return f"has a family-wise error of {rate}"
    kind = "family-wise error" if row["kind"] == "family-wise" else "false discovery rate"
    return f"has a {kind} of {rate} in families of halves {row['difference']:g} apart"


def _spoken(test: str) -> str:
    return _SPOKEN.get(test, test)


def _rate(value: float) -> str:
    """A rate with three decimals, or with two significant digits if it is small.

    >>> _rate(0.0722), _rate(0.05), _rate(0.00142), _rate(0.0), _rate(1.0)
    ('.072', '.05', '.0014', '0', '1')
    """
    decimals = max(3, 1 - math.floor(math.log10(value))) if value > 0 else 3
    return f"{value:.{decimals}f}".rstrip("0").rstrip(".").removeprefix("0") or "0"


def design_headline(result: SimulatedDesign) -> str:
    """The mean power that the recommendations reach."""
    rows = result.rows
    mean, promised = rows["reached"].to_numpy().mean(), float(rows["promised"][0])
    return DELIVERS(pilot=result.settings["n_topics"], mean=mean, promised=promised)


def design_details(result: SimulatedDesign) -> tuple[str, ...]:
    """The spread of topics and power over the pilots, and the width of intervals."""
    rows = result.rows
    topics, reached = rows["topics"].to_numpy(), rows["reached"].to_numpy()
    short = int((rows["upper"] < rows["promised"]).sum())
    width, promised = rows["width_reached"].to_numpy().mean(), rows["width_promised"].to_numpy().mean()
    return (
        f"The median recommendation is {math.ceil(np.median(topics))} topics ({topics.min()} to {topics.max()}).",
        f"Power ranges from {reached.min():.2f} to {reached.max():.2f}; {short} of {len(topics)} pilots fall short.",
        f"Intervals of an average pair are {width:.3f} wide ({promised:.3f} promised).",
    )


def design_answer(result: SimulatedDesign, question: Any = None) -> Answer:
    """The power and width that every pilot's recommendation reaches."""
    title = f"{result.measure}: {result.settings['n_pilots']} pilots, {result.settings['n_trials']:,} collections each"

    def sheet() -> Sheet:
        return Sheet(
            "simulate design", result.to_frame(), result.signature, dict(result.settings), result.warnings, title,
            notes=(f"{result.summary()}.", *design_details(result), *DESIGNS), heading="Promised and reached",
        )  # fmt: skip

    alt = "Points: power reached by every pilot's recommendation, by number of topics."
    return Answer(
        headline=result.summary(),
        sentences=design_details(result),
        sheets={"pilots": sheet},
        charts=(Chart("reached", "Reached", alt, result, "reached"),),
    )


def scores_answer(result: SimulatedScores, question: Any = None) -> Answer:
    """The scores, and their truth."""

    def sheet(show: str) -> Sheet:
        rows = result.to_frame() if show == "scores" else result.truth
        return Sheet(
            "simulate scores", rows, result.signature, {**result.settings, "show": show}, result.warnings,
            result.summary(), heading="Simulated scores" if show == "scores" else "True means",
        )  # fmt: skip

    return Answer(
        headline=result.summary(),
        sheets={show: lambda show=show: sheet(show) for show in ("scores", "truth")},
        charts=(Chart("systems", "Systems", "Simulated scores of every system.", result, "systems"),),
        in_notebook=("truth",),
    )
