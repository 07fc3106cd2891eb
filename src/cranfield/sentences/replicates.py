"""What replicates of the document collection conclude."""

from cranfield.sentences import sentence

DIFFERENT = sentence(
    "replicates.different",
    "{measure}: {different:,} of {pairs:,} pairs different ({share:.1%}), mean interval length {length:.4f}",
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
SHORT_TOPICS = sentence(
    "replicates.short-topics",
    "{measure}: {topics} topics per split {what}, as some partition holds none of their relevant documents; "
    "most often {often}",
    "some topics have no relevant document in some partition",
)
NONE_SMALL_ENOUGH = sentence(
    "replicates.none-small-enough",
    "{measure}: with {resamples} resamples no p-value can be small enough for {correction} over {pairs} "
    "pairs; at least {needed} resamples are needed",
    "the smallest p that so many resamples give, times the number of pairs, is above alpha under Holm or Bonferroni",
)
DOMINATED = sentence(
    "replicates.dominated",
    "{measure}: topic {topic} alone makes {share:.0%} of the residual sum of squares, so the length of the "
    "intervals depends on it; does it have few relevant documents?",
    "one topic makes a fifth or more of the residual sum of squares, and at least five times its part",
)
RAW = sentence(
    "replicates.raw",
    "raw residuals make intervals too short by √((x−1)/x) ({factor:.2f}); use rescaled residuals",
    "residuals are raw and the model has the interaction",
)
EFFECT = sentence(
    "replicates.effect",
    "p = effect ignores the variance of one of two systems, so true null hypotheses are rejected several "
    "times as often as alpha says; use p = difference",
    "p-values are published ones (simulated: docs/replicates.md)",
)
CELLS = sentence(
    "replicates.cells",
    "resampling cells treats residuals as independent, but {shared:.0%} of their sum of squares is shared by "
    "all systems (topic × partition); use rows",
    "cells are resampled; `shared` of the residual sum of squares is common to all systems",
)
