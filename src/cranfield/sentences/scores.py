"""What comparisons of rankings say about themselves."""

from cranfield.sentences import sentence

APART = sentence(
    "scores.apart",
    "the two sides have no topic in common ({reference} and {estimate}); their topics are resampled independently",
    "two rankings are of matrices without a common topic",
)
NO_BOOTSTRAP = sentence(
    "scores.no-bootstrap",
    "a bootstrap over topics needs at least 2 topics on each side; there is none",
    "resamples are asked for and one side has a single topic",
)
UNDEFINED = sentence(
    "scores.undefined",
    "all systems tie on one side, so {names} cannot be computed",
    "all systems have the same value on one side",
)
TIED_PAIRS = sentence(
    "scores.tied-pairs",
    "tied pairs of systems: {reference} in the reference, {estimate} in the estimate; tau_ap is the mean over "
    "all orders of the tied; prefer tau_b or tau_ap_b",
    "some systems have the same value on one side",
)
