"""What leaving teams out says: how far their runs fall, and how much of every run is judged."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import polars as pl

from cranfield.core.answer import Answer, Chart
from cranfield.core.labels import plural
from cranfield.core.sentences import sentence
from cranfield.core.tables import Sheet

if TYPE_CHECKING:
    from cranfield.questions.reuse.reuse import Reuse

NO_RANK_LOST = sentence(
    "reusability.no-rank-lost",
    "Without its own team's judgments no run loses a rank {where}",
    "by the first measure and at the deepest pool, no run of a left-out team ranks lower than before",
)
FALLS = sentence(
    "reusability.falls",
    "Without its own team's judgments a run falls {ranks} at most (team {team}) {where}",
    "by the first measure and at the deepest pool, that is the most ranks a run of a left-out team loses",
)
DECISIONS_CHANGE = sentence(
    "reusability.decisions-change",
    "{flips:,} of {pairs:,} decisions between a left-out team's runs and the others' change.",
    "counted over all left-out teams by the first measure at the deepest pool",
    always=True,
)
ORDER_KEPT = sentence(
    "reusability.order-kept",
    "The order of all systems keeps a tau of at least {tau:.3f}.",
    "τ is known for some team; the lowest of them",
)
LESS_KIND = sentence(
    "reusability.less-kind",
    "Not every measure is as kind: by {measure} a run falls {ranks} (team {team}).",
    "by another measure a run loses more ranks than by the first",
)
NOT_USED = sentence(
    "reusability.not-used",
    "{left:,} of {judged:,} judgments are of documents that none of these runs has among its first {depth:,}; they are "
    "not used, so scores differ from those by all judgments.",
    "some judgments lie outside the deepest pool of these runs",
)

TEAMS = (
    "unique_judged, unique_relevant: judgments that this team alone brought into the pool; all else is without them.",
    "rank_drop: the most ranks one of its runs loses; score_change: of the run that loses most; tau: agreement of the "
    "order of all systems with the one before; flips: of pairs with other teams' runs, decided otherwise.",
)
WORST = ("Of every measure, view and depth the team that loses most ranks.",)


def reuse_answer(result: Reuse, question: Any = None) -> Answer:
    """Every team left out in turn, the worst of it, and how much of each run is judged."""
    known = result.settings
    counts = f"{known['n_systems']} runs of {known['n_teams']} teams on {known['n_topics']} topics"
    title = f"{counts}, each team left out in turn"
    systems = (
        f"judged: share of the first {known['cutoff']} documents; residual: weight of what is not judged in "
        f"RBP(p={known['p']:g}); _without: had the team's own judgments not been made.",
    )

    def sheet(show: str, heading: str, rows: pl.DataFrame, notes: tuple[str, ...]) -> Sheet:
        return Sheet(
            "reuse", rows, result.signature, {**known, "show": show}, result.warnings, title, notes=notes,
            heading=heading, dispensable=("pairs", "unique_judged", "runs"),
        )  # fmt: skip

    changes = f"{decisions_change(result)} {order_kept(result)}".strip()
    alt = "Bars: the most ranks a run of each team loses when the team's own judgments are not there."
    return Answer(
        headline=headline(result),
        sentences=tuple(filter(None, (changes, other_measures(result), beyond(result)))),
        sheets={
            "teams": lambda: sheet("teams", "Teams left out in turn", result.to_frame(), TEAMS),
            "worst": lambda: sheet("worst", "The worst of it", result.worst(), (*WORST, *TEAMS)),
            "systems": lambda: sheet("systems", "How much of each run is judged", result.systems_frame(), systems),
        },
        charts=(
            Chart("drops", "Ranks lost", alt, result, "drops"),
            Chart("depths", "Pool depth", "Lines: the worst rank drop at each pool depth.", result, "depths"),
        ),
        on_page=("worst", "teams", "systems"),
    )


def deepest(result: Reuse) -> pl.DataFrame:
    """The rows of the first measure at the deepest pool, one per team."""
    first = result.rows.row(0, named=True)
    here = pl.col("measure").eq(first["measure"]) & pl.col("view").eq(first["view"])
    return result.rows.filter(here & pl.col("depth").eq(result.rows["depth"].max()))


def headline(result: Reuse) -> str:
    """How far the worst run falls at the deepest pool, by the first measure."""
    here = deepest(result)
    worst = here.sort("rank_drop", descending=True, maintain_order=True).row(0, named=True)
    drop, where = worst["rank_drop"], f"by {worst['measure']} from pools of depth {worst['depth']}"
    if drop <= 0:
        return NO_RANK_LOST(where=where)
    return FALLS(ranks=plural(drop, "rank"), team=worst["team"], where=where)


def other_measures(result: Reuse) -> str:
    """By which of the other measures a run falls further than by the first, and how far by the worst of them."""
    full = (pl.col("view") == "full list") & (pl.col("depth") == result.rows["depth"].max())
    worst = result.rows.filter(full).sort("rank_drop", descending=True, maintain_order=True).row(0, named=True)
    first = int(deepest(result)["rank_drop"].to_numpy().max())
    drop = worst["rank_drop"]
    less = drop > max(first, 0)
    return LESS_KIND(measure=worst["measure"], ranks=plural(drop, "rank"), team=worst["team"]) if less else ""


def beyond(result: Reuse) -> str:
    """How many judgments lie outside the deepest pool of these runs, and so are not used."""
    depth, count = max(result.pools.items())
    left = result.n_judged - count
    return NOT_USED(left=left, judged=result.n_judged, depth=depth) if left else ""


def decisions_change(result: Reuse) -> str:
    """How many decisions change at the deepest pool."""
    here = deepest(result)
    return DECISIONS_CHANGE(flips=int(here["flips"].sum()), pairs=int(here["pairs"].sum()))


def order_kept(result: Reuse) -> str:
    """How much of the systems' order is kept at the deepest pool."""
    known = deepest(result)["tau"].drop_nulls().to_list()
    return ORDER_KEPT(tau=min(known)) if known else ""
