"""What simulations say: which test keeps its level, whether a design delivers, and scores with their truth."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from cranfield.comparison.corrections import CORRECTIONS
from cranfield.present.answer import Answer, Chart, answers
from cranfield.present.tables import Sheet

if TYPE_CHECKING:
    from cranfield.simulation import SimulatedDesign, SimulatedScores, SimulatedTests

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


@answers("SimulatedTests")
def tests_answer(result: SimulatedTests, settings: Any) -> Answer:
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


@answers("SimulatedDesign")
def design_answer(result: SimulatedDesign, settings: Any) -> Answer:
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


@answers("SimulatedScores")
def scores_answer(result: SimulatedScores, settings: Any) -> Answer:
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
