"""What leaving teams out of the pool concludes."""

from cranfield.sentences import sentence

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
POOL_NOT_JUDGED = sentence(
    "reusability.pool-not-judged",
    "depth {depths}: only {share:.0%} of the pool of depth {depth} was judged ({judged:,.0f} of {pool:,.0f} documents "
    "per topic), so what is said of it is true of the judged part alone, as if the pool were shallower.",
    "less than nine tenths of the pool of these depths was judged",
)
NO_TAU = sentence(
    "reusability.no-tau",
    "{count} of {rows} rows have no tau: all systems tie with or without the judgments.",
    "in that many rows all systems have the same score, with the team's judgments or without",
)
