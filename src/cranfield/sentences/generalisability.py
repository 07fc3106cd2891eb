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
    "Bad systems make a collection look more reliable: without the {left} with the lowest means, Eρ² is {values}.",
    "leaving out the worst quarter leaves systems enough for a study, and Eρ² is lower without them",
)
WITHOUT_WORST_NO_LOWER = sentence(
    "generalisability.without-worst-no-lower",
    "Bad systems do not raise it here: without the {left} with the lowest means, Eρ² is {values}.",
    "leaving out the worst quarter leaves systems enough for a study, and Eρ² is no lower without them",
)
WITH_INTERVALS = sentence(
    "generalisability.with-intervals",
    "{measure}: with {topics:,} topics the ranking has reliability {relative} and the scores {absolute} ({level} "
    "intervals)",
    "these are Eρ² and Φ with their intervals",
    always=True,
)
TAU_OF_TWO_SETS = sentence(
    "generalisability.tau-of-two-sets",
    "{measure}: rankings of these {systems:,} systems by two sets of {topics:,} topics are expected to agree with tau "
    "{tau:.3f}{interval}",
    "τ extrapolated from random halves of the topics",
    always=True,
)
THREE_VIEWS = sentence(
    "generalisability.three-views",
    "{measure}: {topics:,} topics see a difference of {min_diff:g} with probability {power:.2f} ({corrected:.2f} among "
    "all {pairs:,} pairs), give an interval of expected width {width:.3f}, rank with reliability {relative:.3f} and "
    "expect tau {tau:.3f} with another such set",
    "as `generalisability.other-views`, with Eρ² and the τ to expect",
    always=True,
)
BELOW_CHANCE_SYSTEMS = sentence(
    "generalisability.below-chance-systems",
    "{measure}: the variance component of systems was estimated below 0 and is taken as 0: systems differ less than "
    "chance alone makes them, so both coefficients are 0.",
    "the mean square of systems is below that of the residual",
)
BELOW_CHANCE_TOPICS = sentence(
    "generalisability.below-chance-topics",
    "{measure}: the variance component of topics was estimated below 0 and is taken as 0: topics differ less than "
    "chance alone makes them.",
    "the mean square of topics is below that of the residual",
)
STARTS_AT_ZERO = sentence(
    "generalisability.starts-at-zero",
    "{measure}: the interval of a coefficient starts at 0: these topics do not show that systems differ.",
    "the lower end of a coefficient's interval is 0",
)
NO_AGREEMENT = sentence(
    "generalisability.no-agreement",
    "{measure}: halves of the topics do not agree (mean tau {tau:.3f}); tau is given as theirs, without an interval.",
    "the mean τ between random halves of the topics is 0 or less",
)
FULL_AGREEMENT = sentence(
    "generalisability.full-agreement",
    "{measure}: all halves of the topics rank the systems alike; tau is given as theirs, without an interval.",
    "the mean τ between random halves of the topics is 1",
)
NO_TAU_INTERVAL = sentence(
    "generalisability.no-tau-interval",
    "{measure}: no interval for tau: without one of the topics the halves do not agree.",
    "τ of the halves is between 0 and 1, and without one of the topics it is not",
)
