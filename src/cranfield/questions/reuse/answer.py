"""The answer of `reuse`: ranks lost without the team's judgments, and judged shares."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import polars as pl

from cranfield.core.answer import Answer, Chart, sentence
from cranfield.core.labels import plural
from cranfield.core.tables import Sheet

if TYPE_CHECKING:
    from cranfield.questions.reuse.reuse import Reuse

NO_RANK_LOST = sentence(
    "reusability.no-rank-lost",
    "Without its team's judgments, no run loses a rank ({where})",
    "by the first measure and at the deepest pool that is 90% judged, no run of a left-out team ranks lower than "
    "before",
    measured="reuse",
)
FALLS = sentence(
    "reusability.falls",
    "Without their team's judgments, runs lose at most {ranks} ({where}, team {team})",
    "by the first measure and at the deepest pool that is 90% judged, that is the most ranks a run of a left-out team "
    "loses",
    measured="reuse",
)
NOT_TOLD = sentence(
    "reusability.not-told",
    "Reusability is unknown: only {share:.0%} of the pool of depth {depth} is judged",
    "no pool is at least 90% judged; the share is that of the shallowest",
    measured="reuse",
)
JUDGED_IN_PART = sentence(
    "reusability.judged-in-part",
    "Losses at depth {depths} are underestimated, because less than 90% of these pools is judged.",
    "some pools are at least 90% judged, and those of these depths are not",
)
DECISIONS_CHANGE = sentence(
    "reusability.decisions-change",
    "{flips:,} of {pairs:,} decisions between runs of a left-out team and other runs change.",
    "counted over all left-out teams by the first measure at the deepest pool that is 90% judged",
    always=True,
)
ORDER_KEPT = sentence(
    "reusability.order-kept",
    "Kendall's tau between the rankings with and without a team's judgments is at least {tau:.3f}{interval}.",
    "τ is known for some team; the lowest of them, at the deepest pool that is 90% judged",
    measured="tau",
)
LATER_TEAMS = sentence(
    "reusability.later-teams",
    "A later team may lose more: in simulations, about 1 in 30 did.",
    "some pool is at least 90% judged, so that the headline names the most ranks lost",
    measured="reuse",
)
LESS_KIND = sentence(
    "reusability.less-kind",
    "By {measure} the loss is larger: {ranks} (team {team}).",
    "by another measure a run loses more ranks than by the first",
)
NOT_USED = sentence(
    "reusability.not-used",
    "{left:,} of {judged:,} judgments are not used: no run has their documents among its first {depth:,}. Scores "
    "differ from those with all judgments.",
    "some judgments lie outside the deepest pool of these runs",
)

TEAMS = (
    "pool_judged: judged share of the pool of this depth; below 0.9, losses are underestimated. unique_judged, "
    "unique_relevant: judgments that only this team contributed; the other columns leave them out.",
    "rank_drop: most ranks lost by one of its runs. score_change: of the run that loses most. tau: between the orders "
    "of all systems with and without them. flips: changed decisions on pairs with other teams' runs.",
)
WORST = ("The team with the largest rank loss, for every measure, view and depth.",)


def reuse_answer(result: Reuse, question: Any = None) -> Answer:
    """Every team left out in turn, the largest losses, and the judged share of each run."""
    known = result.settings
    counts = f"{known['n_systems']} runs of {known['n_teams']} teams on {known['n_topics']} topics"
    pooled = f" ({known['n_pooled']} contributing)" if "n_pooled" in known else ""
    setup = f"{counts.replace(' runs', f' runs{pooled}', 1)}, each team left out in turn."
    changes = f"{decisions_change(result)} {order_kept(result)}".strip()
    later = "" if result.sound_depth is None else LATER_TEAMS()
    sentences = tuple(filter(None, (later, changes, other_measures(result), in_part(result), beyond(result))))
    systems = (
        f"judged: judged share of the first {known['cutoff']} documents. residual: weight of unjudged documents in "
        f"RBP(p={known['p']:g}). _without: without the team's own judgments.",
    )

    def sheet(show: str, heading: str, rows: pl.DataFrame, notes: tuple[str, ...]) -> Sheet:
        return Sheet(
            "reuse", rows, result.signature, {**known, "show": show}, result.warnings, headline(result),
            notes=(setup, *sentences, *notes), heading=heading, dispensable=("pairs", "unique_judged", "runs"),
        )  # fmt: skip

    alt = "Points: most ranks lost by a run of each team without the team's own judgments."
    return Answer(
        headline=headline(result),
        sentences=sentences,
        sheets={
            "teams": lambda: sheet("teams", "Teams left out in turn", result.to_frame(), TEAMS),
            "worst": lambda: sheet("worst", "Largest losses", result.worst(), (*WORST, *TEAMS)),
            "systems": lambda: sheet("systems", "Judged share of each run", result.systems_frame(), systems),
        },
        charts=(
            Chart("drops", "Ranks lost", alt, result, "drops"),
            Chart("depths", "Pool depth", "Lines: most ranks lost at each pool depth.", result, "depths"),
        ),
        on_page=("worst", "teams", "systems"),
    )


def deepest(result: Reuse) -> pl.DataFrame:
    """The rows of the first measure at the deepest pool that is 90% judged, one per team; none if no pool is."""
    first = result.rows.row(0, named=True)
    here = pl.col("measure").eq(first["measure"]) & pl.col("view").eq(first["view"])
    return result.rows.filter(here & pl.col("depth").eq(result.sound_depth or 0))


def headline(result: Reuse) -> str:
    """The most ranks a run loses at the deepest pool that is 90% judged, by the first measure."""
    if result.sound_depth is None:
        depth, share = min(result.shares.items())
        return NOT_TOLD(share=share, depth=depth)
    here = deepest(result)
    worst = here.sort("rank_drop", descending=True, maintain_order=True).row(0, named=True)
    drop, where = worst["rank_drop"], f"{worst['measure']}, depth {worst['depth']}"
    if drop <= 0:
        return NO_RANK_LOST(where=where)
    return FALLS(ranks=plural(drop, "rank"), team=worst["team"], where=where)


def other_measures(result: Reuse) -> str:
    """The largest loss by another measure, if it exceeds that of the first."""
    if result.sound_depth is None:
        return ""
    full = (pl.col("view") == result.rows["view"][0]) & (pl.col("depth") == result.sound_depth)
    worst = result.rows.filter(full).sort("rank_drop", descending=True, maintain_order=True).row(0, named=True)
    first = int(deepest(result)["rank_drop"].to_numpy().max())
    drop = worst["rank_drop"]
    less = drop > max(first, 0)
    return LESS_KIND(measure=worst["measure"], ranks=plural(drop, "rank"), team=worst["team"]) if less else ""


def beyond(result: Reuse) -> str:
    """How many judgments lie outside the deepest pool and are not used."""
    depth, count = max(result.pools.items())
    left = result.n_judged - count
    return NOT_USED(left=left, judged=result.n_judged, depth=depth) if left else ""


def in_part(result: Reuse) -> str:
    """Which rows stand apart, because their pools are judged in part."""
    deep = [depth for depth in result.shares if result.sound_depth is not None and depth > result.sound_depth]
    return JUDGED_IN_PART(depths=", ".join(map(str, deep))) if deep else ""


def decisions_change(result: Reuse) -> str:
    """How many decisions change at the deepest pool that is 90% judged."""
    here = deepest(result)
    if here.is_empty():
        return ""
    return DECISIONS_CHANGE(flips=int(here["flips"].sum()), pairs=int(here["pairs"].sum()))


def order_kept(result: Reuse) -> str:
    """The lowest tau at the deepest pool that is 90% judged."""
    known = deepest(result).filter(pl.col("tau").is_not_null()).sort("tau", maintain_order=True)
    if known.is_empty():
        return ""
    row = known.row(0, named=True)
    level = f"{1 - result.settings['alpha']:.0%}"
    interval = "" if row["lower"] is None else f" ({level} interval {row['lower']:.3f} to {row['upper']:.3f})"
    return ORDER_KEPT(tau=row["tau"], interval=interval)
