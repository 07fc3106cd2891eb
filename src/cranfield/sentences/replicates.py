"""What replicates of the document collection conclude."""

from cranfield.sentences import sentence

DIFFERENT = sentence(
    "replicates.different",
    "{measure}: {different} of {pairs} pairs different ({share:.1%}), mean interval length {length:.4f}",
    "pairs that the splits together separate by their rule; about other documents, not about other topics",
    always=True,
)
DIFFER_ON_OTHERS = sentence(
    "replicates.differ-on-others",
    "Judged by other documents of the same kind, {different:,} of {pairs} of systems differ significantly in {measure} "
    "({correction} p ≤ {alpha:g}).",
    "pairs that the splits together separate by their rule",
    always=True,
)
NO_CONFLICT = sentence(
    "replicates.no-conflict",
    "No pair is decided one way here and the other way by a test over topics.",
    "no pair is significant by both with opposite signs",
)
CONFLICTS = sentence(
    "replicates.conflicts",
    "{conflicts} of the tests over topics go the other way.",
    "some pair is significant by both with opposite signs",
)
