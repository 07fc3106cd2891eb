"""What variances conclude."""

from cranfield.sentences import sentence

VARIANCE = sentence(
    "variance.estimate",
    "The {estimator} variance of {measure} is {variance:.4f}{interval}",
    "the estimate by that formula, with its interval",
    always=True,
)
F_FOR_SYSTEMS = sentence(
    "variance.f-for-systems",
    "{measure}: F = {f:.2f} for systems, p {p}",
    "F and p of the two-way analysis of variance, without correction for unequal variances",
    always=True,
)
LOW_EPSILON = sentence(
    "variance.low-epsilon",
    "Differences between systems do not all vary equally (unbiased ε = {epsilon:.2f}; 1 would be equal). "
    "An F-test over "
    "all systems needs its degrees of freedom multiplied by ε: p_unbiased in the analysis of variance.",
    "the unbiased estimate of ε is below the limit of the settings",
)
NO_INTERVAL = sentence(
    "variance.no-interval",
    "{measure}: no interval for the {estimator} variance: {problem}.",
    "there are fewer than three topics, no variance is left without one of them, or the ends lie beyond all bounds",
)
