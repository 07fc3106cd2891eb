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
