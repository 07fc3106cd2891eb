"""What comparisons conclude: which pairs differ, who leads, who may be the best."""

from cranfield.sentences import sentence

PAIRS_DIFFER = sentence(
    "comparison.pairs-differ",
    "{measure}: {separated:,} of {pairs:,} pairs differ ({what}; {correction} p ≤ {alpha:g})",
    "`separated` pairs, of all that were tested, have an adjusted p of at most alpha",
    always=True,
)
ONE_DIFFERS = sentence(
    "comparison.one-differs",
    "{measure}: {a} and {b} differ ({correction} p ≤ {alpha:g})",
    "one pair was tested, and its adjusted p is at most alpha",
)
ONE_NOT_SHOWN = sentence(
    "comparison.one-not-shown",
    "{measure}: {a} and {b} are not shown to differ ({correction} p > {alpha:g})",
    "one pair was tested, and its adjusted p is above alpha",
)
DIFFER_SIGNIFICANTLY = sentence(
    "comparison.differ-significantly",
    "{separated:,} of {pairs} of systems {verb} significantly",
    "`separated` pairs, of all that were tested, have an adjusted p of at most alpha",
    always=True,
)
ONLY_BEST = sentence(
    "comparison.only-best",
    "only {system} may be the best {level}",
    "the confidence set for the best (multiple comparisons with the best) holds one system",
)
ANY_BEST = sentence(
    "comparison.any-best",
    "any of the {count} systems may be the best {level}",
    "the confidence set for the best holds every system, of three or more",
)
EITHER_BEST = sentence(
    "comparison.either-best",
    "either system may be the best {level}",
    "there are two systems, and the confidence set for the best holds both",
)
SOME_BEST = sentence(
    "comparison.some-best",
    "{count} systems may be the best {level}: {systems}",
    "the confidence set for the best holds `count` systems, more than one and fewer than all",
)
LEADS = sentence("comparison.leads", "{system} leads{by}", "no other system has a mean as high")
SHARES_LEAD = sentence(
    "comparison.shares-lead",
    "{system} and {others} share the lead{by}",
    "as many other systems have the same highest mean",
)
SHARED_LETTER = sentence(
    "comparison.shared-letter",
    "Systems that share a letter are not shown to differ ({level}).",
    "letters are printed; two systems share one exactly when their difference is not significant",
)
RANK_RANGE = sentence(
    "comparison.rank-range",
    "group: the ranks between which all systems lie that it is not separated from ({level}).",
    "groups are printed as ranges of ranks: the first and last rank of the systems that it does not differ from "
    "significantly",
)
MAY_BE_BEST = sentence(
    "comparison.may-be-best",
    "may_be_best: the truly best system is one of these ({percent}; skewed differences are allowed for as far as these "
    "topics show them).",
    "there is a confidence set for the best: all systems were compared, by their means (coverage simulated: "
    "docs/compare.md)",
)
BEST_LEAVES_OUT = sentence(
    "comparison.best-leaves-out",
    "may_be_best leaves out {systems}, though the rank interval reaches 1: that interval is also about the other end.",
    "there is a confidence set for the best, and these systems are not in it and have a rank_lower of 1",
)
BEST_KEEPS = sentence(
    "comparison.best-keeps",
    "may_be_best keeps {systems}, though the rank interval begins at 2 or later: that interval does not allow for "
    "skewed differences.",
    "there is a confidence set for the best, and these systems are in it and have a rank_lower of 2 or more; without "
    "the allowance for skewness every system of the set has a rank_lower of 1",
)
DIFFERS_FROM = sentence(
    "comparison.differs-from",
    "{mark} differs from {system} ({correction} p {sign} {alpha:g})",
    "the mark stands behind the systems, and only those, whose comparison with that baseline is significant",
)
INTERVAL_AGREES = sentence(
    "comparison.interval-agrees",
    "it leaves out 0 exactly when the pair is significant (where it would not by itself, the end next to 0 is moved)",
    "intervals are simultaneous",
)
INTERVAL_PAIRWISE = sentence(
    "comparison.interval-pairwise",
    "it may leave out 0 though the adjusted p is above alpha",
    "intervals are pairwise",
)
WINS = sentence(
    "comparison.wins",
    "{measure}: {a} wins {wins}, ties {ties} and loses {losses} topics against {b}",
    "the first has the higher, the same and the lower score on that many topics",
    always=True,
)
NONE_CAN = sentence(
    "comparison.none-can-be-significant",
    "no pair can be significant: the smallest possible p is {smallest:.3g}{counted}, above {alpha:g}",
    "the smallest p that topics and resamples allow, times what the correction takes, is above alpha",
)
NONE_CAN_ADJUSTED = sentence(
    "comparison.no-adjusted-can-be-significant",
    "no pair can be significant: the smallest adjusted p is 1/{flips}, above {alpha:g}; use at least "
    "{needed} resamples",
    "p-values are adjusted by resampling and one over the number of resamples is above alpha",
)
ASYMMETRIC = sentence(
    "comparison.asymmetric",
    "differences are asymmetric (skewness {average:.2f}, mean over {pairs}; {limit:.2f} is much with {topics} "
    "topics), and there {test} tends to reject equal means too often, the more topics the more; prefer randomisation, "
    "or count its errors on scores like these with `simulate tests`",
    "the test is Wilcoxon's or the sign test, there are at least 25 topics, and the skewness of the pairs' differences "
    "is at least 4/√topics on average (hits and false alarms: docs/simulate.md)",
)
BOOTSTRAP_FEW = sentence(
    "comparison.bootstrap-few-topics",
    "with {topics} topics a bootstrap-shift test rejects true hypotheses too often; prefer randomisation, "
    "or count its errors on scores like these with `simulate tests`",
    "the test is bootstrap and there are fewer than 50 topics: it then rejects more than .06 at .05 (docs/simulate.md)",
)
TWO_DIFFER = sentence(
    "comparison.two-differ",
    "{a} and {b} differ significantly: adjusted p {p}.",
    "one pair is looked at, and its adjusted p is at most alpha",
)
TWO_NOT_SHOWN = sentence(
    "comparison.two-not-shown",
    "{a} and {b} are not shown to differ: adjusted p {p}.",
    "one pair is looked at, and its adjusted p is above alpha",
)
NOT_TESTED = sentence(
    "comparison.not-tested",
    "This pair was not tested: with a baseline, only systems against it are.",
    "one pair is looked at, neither of which is a baseline that was named",
)
BEATS_ON = sentence(
    "comparison.beats-on",
    "{a} beats {b} on {wins} of {topics} topics and loses on {losses}",
    "the first has the higher and the lower score on that many topics",
    always=True,
)
OBSERVED_DIRECTION = sentence(
    "comparison.observed-direction",
    "alternative 'greater' for all pairs tests the observed direction: its level is {level:g}, not {alpha:g}; "
    "name a baseline or use 'two-sided'",
    "all pairs are tested with alternative 'greater': whichever system has the higher mean stands first",
)
AGAINST_DIRECTION = sentence(
    "comparison.against-direction",
    "alternative 'less' for all pairs tests against the observed direction and finds nothing; name a baseline "
    "or use 'two-sided'",
    "all pairs are tested with alternative 'less': whichever system has the higher mean stands first",
)
IDENTICAL = sentence(
    "comparison.identical",
    "identical scores on every topic, so p = 1: {pairs}",
    "both systems of these pairs have the same score on every topic",
)
LOST = sentence(
    "comparison.lost",
    "p = 1 for {pairs}: their scores differ, but beside {largest:g}, the largest score, by less than sums can tell; "
    "compare them without the systems of such scores",
    "the scores of both systems are the same once rounded beside the largest score, and differ by themselves",
)
LITTLE_LEFT = sentence(
    "comparison.little-left",
    "beside {largest:g}, the largest score, sums know scores only to {step:.2g}, which leaves little of those of "
    "{systems}: do not rely on the order and p-values among these; compare them without the systems of such scores",
    "several systems whose largest score is not 0, and less than a thousand of the steps that sums keep",
)
NO_SPREAD = sentence(
    "comparison.no-spread",
    "a difference that is the same on every topic leaves the {test} no spread to go by; its p is a bound, the "
    "smallest number there is: {pairs}; use randomisation for a p-value that counts",
    "the difference of these pairs is not 0 and has no variance, and the test divides by it",
)
NO_EFFECT_SIZE = sentence(
    "comparison.no-effect-size",
    "no effect size, which divides by the spread of a difference: it is the same on every topic for {pairs}",
    "the difference of these pairs has no variance, and nothing else says so",
)
COARSE = sentence(
    "comparison.coarse",
    "{count} p-value{s} stand at 1/{resamples}, the smallest that so many resamples give: they are bounds, "
    "and with {family} comparisons a pair is significant only when at most {reached} resamples reach it; "
    "randomisation resolves smaller p-values",
    "p-values have no method but resamples, some stand at the smallest, and the correction leaves room for "
    "fewer than five resamples",
)
NO_SPREAD_BOOTSTRAP = sentence(
    "comparison.no-spread-bootstrap",
    "a difference that is the same on every topic leaves a {test} no spread to work with, so its p means "
    "nothing: {pairs}; use randomisation for a meaningful p-value",
    "the test is a bootstrap and the difference of these pairs is not 0 and has no variance",
)
