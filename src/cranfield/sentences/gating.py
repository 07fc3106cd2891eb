"""What a gate concludes."""

from cranfield.sentences import sentence

BETTER = sentence(
    "gating.better",
    "{candidate} is better than {baseline}{more} ({where}).",
    "superiority was asked for, and the one-sided p of passing is at most alpha",
)
NOT_WORSE = sentence(
    "gating.not-worse",
    "{candidate} is not worse than {baseline} by {margin:g} or more ({where}).",
    "non-inferiority was asked for, and the one-sided p of passing is at most alpha",
)
NOT_BETTER = sentence(
    "gating.not-better",
    "{candidate} is not better than {baseline}{least} ({where}).",
    "superiority was asked for, and the one-sided p of failing is at most alpha",
)
WORSE = sentence(
    "gating.worse",
    "{candidate} is worse than {baseline} by more than {margin:g} ({where}).",
    "non-inferiority was asked for, and the one-sided p of failing is at most alpha",
)
CANNOT_TELL = sentence(
    "gating.cannot-tell",
    "{topics} cannot tell whether {candidate} {claim} ({where}); {remedy}.",
    "neither p is at most alpha",
)
COULD_DECIDE = sentence(
    "gating.could-decide",
    "about {topics} could decide it if the difference stays as it is",
    "undecided, and the observed difference lies off the threshold",
)
UNLIKELY = sentence(
    "gating.unlikely",
    "no number of topics is likely to decide it: the difference lies at the threshold itself",
    "undecided, and the observed difference is the threshold",
)
EQUAL_WOULD_PASS = sentence(
    "gating.equal-would-pass",
    "A candidate just as good as {baseline} would pass with probability {power:g} on {topics}.",
    "undecided, and a margin lets an equal candidate pass at all",
)
WIDE_MARGIN = sentence(
    "gating.wide-margin",
    "a margin of {margin:g} is as large as the mean {measure} of {baseline} itself, so that almost anything "
    "would pass; is it in units of the measure?",
    "the margin is at least the mean of the baseline",
)
