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
LOOKS_TAKE = sentence(
    "monitoring.looks-take",
    "{looks} at most {most:,} topics where one look takes {fixed:,}; expect {expected:.0f} if the difference is "
    "{min_diff:g} and {null:.0f} if there is none",
    "topics by the joint distribution of the looks",
    always=True,
)
SO_FAR = sentence(
    "monitoring.so-far",
    "{measure}: after {topics:,}{of} topics (look {look:,}) {decided:,} of {pairs} decided; {decision}",
    "as `monitoring.decided`",
    always=True,
)
REESTIMATED = sentence(
    "monitoring.reestimated",
    "{measure}: after {seen:,} topics, {topics:,}{interval} in all should see a difference of {min_diff:g} with power "
    "{power:g}",
    "topics of a paired t-test of two systems by the blinded variance so far, which errs upwards; its jackknife "
    "interval",
    always=True,
)
LATER = sentence(
    "monitoring.later",
    "With Holm a later pair may be decided while its interval still holds 0.",
    "pairs are decided by Holm's steps and there are several; intervals are those of the first step",
)
EARLY = sentence(
    "monitoring.early",
    "{measure}: the first look has {first} topics; a confidence sequence is asymptotic, so begin to look with "
    "{least} or more.",
    "looks are not planned, and the first has fewer than `least` topics",
)
BLIND = sentence(
    "monitoring.blind",
    "{measure}: look {looks} comes so early that nothing may be spent on it; it has no intervals.",
    "the boundary of these looks is infinite",
)
NO_BLINDED_INTERVAL = sentence(
    "monitoring.no-blinded-interval",
    "{measure}: no interval for the blinded variance: too few topics with a difference.",
    "without one of the topics no difference is left, or there are fewer than three topics",
)
