"""What the report concludes beyond the answers it shows."""

from cranfield.sentences import sentence

ITS_MEAN = sentence(
    "report.its-mean",
    "Its mean {measure} is {mean}, with a {level} interval from {lower} to {upper}. Its rank among these "
    "systems {ranks} "
    "({level}).",
    "mean, interval and rank interval of the leader",
    always=True,
)
NOT_SHOWN = sentence(
    "report.not-shown-to-differ",
    "Tests of all pairs do not show that these differ from {system}: {systems}. That is no evidence that they are as "
    "good.",
    "some system's comparison with the leader is not significant",
)
OTHER_LEADER = sentence(
    "report.other-leader",
    "By {other} another system leads: {leader}; {system} is at rank {rank} there. The two measures order the systems "
    "with Kendall's τ = {tau}.",
    "there is a second measure, and its highest mean is not that of the leader by the first",
)
SAME_LEADER = sentence(
    "report.same-leader",
    "{system} leads by {other} too. The two measures order the systems with Kendall's τ = {tau}.",
    "there is a second measure, and no mean by it is higher than that of the leader by the first",
)
UNCORRECTED = sentence(
    "report.uncorrected",
    "Without correction for {comparisons} it would have been {uncorrected:,}; if no two systems differed at all, about "
    "{chance} of {pairs:,} would come out significant by chance.",
    "`uncorrected` pairs have a p of at most alpha; alpha times the pairs are expected by chance",
    always=True,
)
SMALLEST = sentence(
    "report.smallest-significant",
    "The smallest difference found significant is {difference}.",
    "some pair is significant",
)
FIRST_SECOND = sentence(
    "report.first-second",
    "First against second: {first} beats {second} by {difference} on average, {level} interval {lower} to {upper} "
    "({interval}), adjusted p {p}: {verdict}.",
    "`significant` when the adjusted p of this pair is at most alpha, else `not significant`",
    always=True,
)
SEPARATES_MOST = sentence(
    "report.separates-most",
    "{measure} separates most pairs: {significant:,} of {pairs:,} ({share:.0%}).",
    "no other measure separates as many pairs",
)
SEPARATE_EQUALLY = sentence(
    "report.separate-equally",
    "{measures} separate most pairs, equally many: {significant:,} of {pairs:,} ({share:.0%}).",
    "two measures or more separate the same, highest number of pairs",
)
REPLICATES_BESIDE = sentence(
    "report.replicates-beside",
    "The randomisation test over topics separates {alike:,} pairs with that same correction. The leaderboard's "
    "{leaderboard:,} are not to be compared with these: they are {title}, which holds the chance of any error at "
    "{alpha:g}, where {kind} allows a share of {alpha:g} of the pairs called different to be wrong.",
    "as in every report, the replicates control the false discovery rate and the leaderboard the family-wise error "
    "rate",
    always=True,
)
SAME_LEADER_VIEW = sentence(
    "report.same-leader-view",
    "The same system leads by {measures}",
    "the leader by the first measure leads, or shares the lead, by all others",
)
