"""What a study of reliability concludes."""

from cranfield.sentences import sentence

RELIABILITY = sentence(
    "generalisability.reliability",
    "With {topics} the ranking by {measure} has reliability {relative:.3f}, the scores {absolute:.3f}",
    "these are Eρ² and Φ by the components of variance",
    always=True,
)
NEEDED = sentence(
    "generalisability.needed",
    "{what}, {topics:,} topics are needed ({lower:,} to {most}).",
    "variance between systems is seen; fewest topics whose coefficient reaches the target, and its interval",
)
NEVER_ENOUGH = sentence(
    "generalisability.never-enough",
    "{what} no number of topics is enough: no variance between systems is seen in these scores.",
    "the component of systems is estimated as 0",
)
REPORT_RELIABILITY = sentence(
    "generalisability.report-reliability",
    "With its {topics} this collection ranks {systems} by {measure} with a reliability of Eρ² = {relative}. Their "
    "scores have a reliability of Φ = {absolute}.",
    "these are Eρ² and Φ with their intervals",
    always=True,
)
TO_REACH = sentence(
    "generalisability.to-reach",
    "To reach {target}, the ranking takes {ranking} and the scores {scores}.",
    "variance between systems is seen",
)
NEVER_REACHED = sentence(
    "generalisability.never-reached",
    "No number of topics takes either to {target}: these scores show no more variance between systems "
    "than chance gives.",
    "the component of systems is estimated as 0",
)
TAU_EXPECTED = sentence(
    "generalisability.tau-expected",
    "Two rankings of these systems, each by {topics} of this kind, are expected to agree with a Kendall's τ of "
    "{tau}{interval}.",
    "τ extrapolated from random halves of the topics",
    always=True,
)
OTHER_VIEWS = sentence(
    "generalisability.other-views",
    "The same topics find a difference of {min_diff} between two systems named beforehand with "
    "probability {power}, and "
    "as one of all {pairs:,} pairs with probability {corrected}; the interval of a difference is "
    "expected to be {width} "
    "wide. These are three different questions: a reliable ranking does not make neighbours in it different.",
    "power of a paired t-test with the residual variance, alone and at alpha over the number of pairs",
    always=True,
)
SHARES = sentence(
    "generalisability.shares",
    "Of the variance of a single score {systems:.0%} lies between systems, {topics:.0%} between topics, and "
    "{residual:.0%} in which system does well on which topic.",
    "shares of the three components",
    always=True,
)
WITHOUT_WORST = sentence(
    "generalisability.without-worst",
    "Bad systems make any collection look reliable: without the {left} with the lowest means, Eρ² is {values}.",
    "leaving out the worst quarter leaves systems enough for a study",
)
