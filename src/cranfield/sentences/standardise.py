"""What standardisation concludes."""

from cranfield.sentences import sentence

VARIANCES = sentence(
    "standardise.variances",
    "{measure}: variance {raw:.4f} raw, {standardised:.4f} standardised",
    "these are the two variances; it claims no gain, because the two are on different scales",
    always=True,
)
RANKINGS_AGREE = sentence(
    "standardise.rankings-agree",
    "{measure}: the two rankings of the systems agree with τ = {tau:.3f}.",
    "Kendall's τ between raw and standardised means is that",
    always=True,
)
RANKS_ALIKE = sentence(
    "standardise.ranks-alike",
    "They rank the systems {alike}: Kendall's τ between the two orders is {tau}.",
    "`as the raw ones do` at τ = 1, `much as the raw ones do` above .8, else `differently`",
    always=True,
)
TELLING_APART = sentence(
    "standardise.telling-apart",
    "On these topics and by {measure}, the F of the blocked analysis of variance goes from {before} to {after}. The "
    "factors come from these very scores, so this does not say that other systems, other topics or other measures "
    "would be told apart more or less easily.",
    "these are the two values of F",
    always=True,
)
LEFT_OUT = sentence(
    "standardise.left-out",
    "{measure}: left-out means move by {mean_difference:.4f} on average and {largest_difference:.4f} at most, single "
    "scores by up to {largest_topic_difference:.4f}; {ranks_changed} of {left_out} change rank, by "
    "{largest_rank_change} at most; lowest tau {lowest_tau:.4f}",
    "each system was scored by factors fitted with and without it",
    always=True,
)
TIED = sentence(
    "standardise.tied",
    "{measure}: all standardising systems tied on {count} of {topics} topics ({which}); there a standardised "
    "score is average, best or worst: 0, +inf or -inf as z, and b, 1 or 0 as ab",
    "on these topics every system that the factors come from has the same score",
)
TIED_WITHOUT = sentence(
    "standardise.tied-without",
    "in {count} (left-out system, topic) cases all other systems tie on the topic, so that the score is "
    "average, best or worst there",
    "without one system, all others have the same score on some topic",
)
CLIPPED = sentence(
    "standardise.clipped",
    "{measure}: {clipped} of {cells} cells ({share:.2%}) were clipped: {below} at 0, {above} at 1",
    "standardised scores a·z + b lay outside [0, 1] that often",
)
OFF_TIE = sentence(
    "standardise.off-tie",
    "{measure}: {count} cells differ from the common score of a topic on which all standardising systems "
    "tied; they became {became}",
    "other systems than those the factors come from scored otherwise on topics where those tied",
)
TIED_TOPICS = sentence(
    "standardise.tied-topics",
    "{measure}: {tied} of {topics} topics had all standardising systems tied; {off} scores on them are off "
    "the common score",
    "the factors have topics without spread among the topics that are standardised",
)
