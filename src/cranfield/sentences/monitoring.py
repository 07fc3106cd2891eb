"""What looks at a growing set of topics conclude."""

from cranfield.sentences import sentence

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
PRICE = sentence(
    "monitoring.price",
    "The price: {more} more at most than with one look. The gain: if the difference is {min_diff:g}, "
    "{saved:.1f} topics "
    "fewer on average.",
    "topics at most and to expect by the joint distribution of the looks",
    always=True,
)
