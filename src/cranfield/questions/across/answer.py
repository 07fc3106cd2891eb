"""The answer of `across`: pairs by claim, leaderboard, sources of variance, and what each collection decides."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import polars as pl

from cranfield.core.answer import Answer, Chart, sentence
from cranfield.core.defaults import ALPHA
from cranfield.core.labels import plural
from cranfield.core.tables import DIGITS, Sheet
from cranfield.questions.across.board import interaction_share
from cranfield.questions.across.claims import pair_variance
from cranfield.questions.compare.clusters import EFFECTIVE, effective_topics

if TYPE_CHECKING:
    from cranfield.questions.across.across import Across

PAIRS_DIFFER = sentence(
    "across.pairs-differ",
    "{measure}: {separated:,} of {pairs:,} pairs differ {where}",
    "that many pairs have an adjusted p of at most alpha by this claim",
    always=True,
    measured="across.md#what-simulation-says",
)
ONE_DIFFERS = sentence(
    "across.one-differs",
    "{measure}: {a} is better than {b} {where}",
    "one pair was tested by this claim, and its adjusted p is at most alpha",
    measured="across.md#what-simulation-says",
)
ONE_NOT_SHOWN = sentence(
    "across.one-not-shown",
    "{measure}: no significant difference between {a} and {b} {where}",
    "one pair was tested by this claim, and its adjusted p is above alpha",
    measured="across.md#what-simulation-says",
)
LEADER_CHANGES = sentence(
    "across.leader-changes",
    "{leader} leads by the mean, but without {collection} {other} leads.",
    "leaving out that collection, another system has the highest mean",
)
LEADER_STAYS = sentence(
    "across.leader-stays",
    "{leader} leads whichever collection is left out.",
    "there are several collections, and leaving out any of them keeps the highest mean",
)
INTERACTION = sentence(
    "across.interaction",
    "A difference varies between collections: {share:.0%} of that variance is interaction, which more topics do not "
    "reduce.",
    "scores by topic on several collections; the rest of the variance is the topics' error",
)
NO_INTERACTION = sentence(
    "across.no-interaction",
    "The topics' error explains how much differences vary between collections.",
    "scores by topic on several collections; the estimate of the interaction is 0",
)
ORDERS = sentence(
    "across.orders",
    "The Borda count puts {system} first, not {leader}.",
    "the system with the most Borda points is not the one with the highest mean",
)

ONE_PAIR_LIKE = sentence(
    "across.one-pair-like-these",
    "One pair on collections like these: at level 0.05, 6 to 8% of draws of BEIR's collections had a false positive.",
    "one pair is tested by the claim like_these",
    measured="across.md#what-simulation-says",
)
ONE_PAIR_RECIPE = sentence(
    "across.one-pair-recipe",
    "One pair of recipes: at level 0.05, up to 9% of simulations with very unequal seed spread had a false positive.",
    "one pair is tested by the claim recipe, and a system has fewer than ten seeds",
    measured="across.md#what-simulation-says",
)

PAIRS = (
    "claim: what the result generalises to. these, trained: other topics. recipe: also other seeds. like_these: also "
    "other collections. replicated: the difference holds on at least this number of collections.",
    "Intervals and adjusted p are simultaneous over all pairs of a claim.",
)
BOARD = (
    "rank_lower, rank_upper: simultaneous interval of the rank, under this claim. standardised_mean: mean z score per "
    "collection. borda: systems beaten, summed over collections (MTEB's rule).",
)
DISPENSABLE = {
    "pairs": ("mean_a", "mean_b", "effect_size", "collections", "p_flips", "p", "replicated"),
    "leaderboard": ("standardised_mean", "borda_rank", "borda"),
    "collections": ("second_mean",),
}
COMPONENT_DIGITS = {"variance": 6}
COMPONENTS = (
    "interaction: variance of a system's advantage between collections (with topic error if only means are given). "
    "topic: variance of one score. seed: variance of one run's mean.",
)
VIEWS = (
    "standardised_mean: mean z score per collection. borda: systems beaten, summed over collections (MTEB's rule). "
    "Both depend on the other systems in the list. mean_rank: 1 is best.",
    "interquartile_mean: without the lowest and the highest quarter of a system's results. It ignores where a system "
    "fails. No test rests on these columns.",
)
MEANS_HOLD = sentence(
    "across.means-hold",
    "In simulations with BEIR's or similarly skewed collections, intervals of single means had coverage of {share}% "
    "or more.",
    "the leaderboard is by the claim like_these, at level .95",
    measured="across.md#what-simulation-says",
)
LEAST_HELD = 88
"""Per cent of simulations in which the interval of a mean held, at worst (`docs/across_tables.md`)."""
MANY_SEEDS = 10
"""Seeds from which a single pair of recipes keeps its level whatever their spread (`docs/across_tables.md`)."""
COLLECTIONS = ("leader_without: the system with the highest mean over the other collections.",)


def across_answer(result: Across, question: Any = None) -> Answer:
    """Pairs of every claim, the leaderboard, components and collections."""
    known = result.settings
    counts = f"{plural(known['n_systems'], 'system')} on {plural(known['n_collections'], 'collection')}"
    if known["n_seeds"] > 1:
        counts += f", up to {known['n_seeds']} seeds"
    further = tuple(
        filter(
            None,
            (
                *other_claims(result), *one_pair(result), *leader(result), by_borda(result), interaction(result),
                worth(result),
            ),
        )
    )  # fmt: skip

    def sheet(show: str, heading: str, rows: pl.DataFrame, notes: tuple[str, ...]) -> Sheet:
        return Sheet(
            "across",
            rows,
            result.signature,
            {**known, "show": show},
            result.warnings,
            headline(result),
            notes=(f"{counts}.", *further, *notes),
            heading=heading,
            dispensable=DISPENSABLE.get(show, ()),
            digits=COMPONENT_DIGITS if show == "components" else {},
        )

    def paper() -> Sheet:
        from cranfield.questions.across.paper import paper_sheet

        return paper_sheet(result, {**known, "show": "table"}, getattr(question, "digits", DIGITS))

    return Answer(
        headline=headline(result),
        sentences=further,
        sheets={
            "pairs": lambda: sheet("pairs", "Pairs", result.to_frame(), PAIRS),
            "leaderboard": lambda: sheet(
                "leaderboard", "Leaderboard", result.leaderboard(), (*means_hold(result), *BOARD)
            ),
            "components": lambda: sheet("components", "Sources of variance", result.components(), COMPONENTS),
            "collections": lambda: sheet("collections", "Collections", result.collections(), COLLECTIONS),
            "views": lambda: sheet("views", "Other means", result.views(), VIEWS),
            "table": paper,
        },
        charts=(
            Chart("systems", "Leaderboard", "Points: mean of each system with its interval.", result, "systems"),
            Chart("forest", "Forest plot", "Points: difference of a pair on each collection.", result, "forest"),
        ),
        on_page=("leaderboard", "pairs", "components", "collections", "table"),
    )


def headline(result: Across) -> str:
    """The pairs that the first claim separates."""
    return claim_text(result, result.rows["claim"][0])


def claim_text(result: Across, claim: str) -> str:
    """What one claim separates, by the first measure."""
    measure = result.data[0].measure
    rows = result.rows.filter((pl.col("measure") == measure) & (pl.col("claim") == claim))
    where = where_of(claim, len(result.data[0].collections))
    if rows.height == 1:
        row = rows.row(0, named=True)
        a, b = (row["system_a"], row["system_b"]) if row["difference"] >= 0 else (row["system_b"], row["system_a"])
        return (ONE_DIFFERS if row["significant"] else ONE_NOT_SHOWN)(measure=measure, a=a, b=b, where=where)
    return PAIRS_DIFFER(measure=measure, separated=int(rows["significant"].sum()), pairs=rows.height, where=where)


def where_of(claim: str, count: int) -> str:
    """What a claim is about, as the end of a sentence."""
    these = "on this collection" if count == 1 else f"on these {count} collections"
    return {
        "these": these,
        "trained": f"as trained, {these}",
        "recipe": f"as recipes, {these}",
        "like_these": f"on collections like these {count}",
    }[claim]


def other_claims(result: Across) -> list[str]:
    """The further claims, one sentence each."""
    return [f"{claim_text(result, claim)}." for claim in dict.fromkeys(result.rows["claim"])][1:]


def means_hold(result: Across) -> list[str]:
    """How often the intervals of the leaderboard held, where that is less than their level."""
    usual = result.settings["alpha"] == ALPHA
    return [MEANS_HOLD(share=LEAST_HELD)] if usual and result.board["claim"][0] == "like_these" else []


def one_pair(result: Across) -> list[str]:
    """Where simulations of a single pair exceeded the level by more than .02."""
    data = result.data[0]
    rows = result.rows.filter(pl.col("measure") == data.measure)
    alone = [claim for claim in dict.fromkeys(rows["claim"]) if rows.filter(pl.col("claim") == claim).height == 1]
    few = any(2 < len(labels) < MANY_SEEDS for labels in data.seeds)  # two seeds have a warning
    said = [ONE_PAIR_LIKE()] if "like_these" in alone else []
    return [*said, ONE_PAIR_RECIPE()] if few and "recipe" in alone else said


def leader(result: Across) -> list[str]:
    """Whether the leader by the mean depends on one collection."""
    rows = result.collection_rows.filter(pl.col("measure") == result.data[0].measure)
    best = result.board.filter((pl.col("measure") == result.data[0].measure) & (pl.col("rank") == 1))
    if rows.height < 2 or best.height > 1:
        return []
    first = result.board["system"][0]
    changed = rows.filter(pl.col("leader_without") != first)
    if changed.is_empty():
        return [LEADER_STAYS(leader=first)]
    row = changed.row(0, named=True)
    return [LEADER_CHANGES(leader=first, collection=row["collection"], other=row["leader_without"])]


def by_borda(result: Across) -> str:
    """Whether another system is first by the Borda count."""
    board = result.board.filter(pl.col("measure") == result.data[0].measure)
    leaders = board.filter(pl.col("borda_rank") == 1)["system"].to_list()
    first = board["system"][0]
    return "" if first in leaders else ORDERS(system=leaders[0], leader=first)


def interaction(result: Across) -> str:
    """How much of a difference depends on the collection."""
    share = interaction_share(result.data[0])
    if share is None:
        return ""
    return INTERACTION(share=share) if share > 0 else NO_INTERACTION()


def worth(result: Across) -> str:
    """How many independent topics grouped ones are worth, over all collections."""
    data = result.data[0]
    if not any(data.clusters):
        return ""
    effective = 0.0
    for at, clusters in enumerate(data.clusters):
        each = data.by_system(at)
        n = len(each)
        by_topic = pair_variance(each)
        effective += (
            n if clusters is None else effective_topics(by_topic, pair_variance(data.averaged[at]), n, len(clusters))
        )
    counts = [len(topics) for topics in data.topics]
    return EFFECTIVE(topics=sum(counts), groups=sum(len(one) for one in data.averaged), effective=effective)
