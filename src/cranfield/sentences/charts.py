"""What the titles of charts conclude, where they do not say what the answer's headline says."""

from cranfield.sentences import sentence

F_CHANGES = sentence(
    "charts.f-changes",
    "Standardisation {change} the F for {measure} from {before} to {after}",
    "`raises`, `lowers` or `does not change`, as the two values of F are; the factors come from these very scores",
    always=True,
)
LEFT_OUT = sentence(
    "charts.left-out",
    "Leaving a system out moves its mean by at most {difference} and {ranks}",
    "the largest changes over all systems left out in turn",
    always=True,
)
WITH_BASELINE = sentence(
    "charts.with-baseline",
    "{significant:,} of {comparisons} with {baselines} are significant",
    "systems were compared with baselines; that many adjusted p are at most alpha",
)
BEFORE_CORRECTION = sentence(
    "charts.before-correction",
    "{measure} separates {share:.0%} of {pairs} before correction",
    "that share of the pairs has an uncorrected p of at most alpha",
    always=True,
)
DETECT = sentence(
    "charts.detect",
    "{topics} detect {what} with probability {power}",
    "power of the design with that variance",
    always=True,
)
RELIABILITY = sentence(
    "charts.reliability",
    "{measure}: {topics} give a ranking of reliability {relative}, scores of {absolute}",
    "these are Eρ² and Φ by the components of variance",
    always=True,
)
VIEWS = sentence(
    "charts.views",
    "{measure}: {topics} see {min_diff} with power {power:.2f}, give intervals {width} wide, and rank with reliability "
    "{relative}",
    "as `generalisability.three-views`",
    always=True,
)
LOOKS_TAKE = sentence(
    "charts.looks-take",
    "{looks} {topics} topics on average and {most:,} at most; one look takes {fixed:,}",
    "on average if the difference is min_diff, by the joint distribution of the looks",
    always=True,
)
COST_LEAST = sentence(
    "charts.cost-least",
    "{series}: pools of depth {depth} with {topics} cost least",
    "at least 90% of the pool was judged at every depth, and no depth costs less",
)
OTHER_DOCUMENTS = sentence(
    "charts.other-documents",
    "Other documents: {different:,} of {pairs} differ in {measure}; mean interval length {length}",
    "pairs that the splits together separate by their rule",
    always=True,
)
SPLITS_AGREE = sentence(
    "charts.splits-agree",
    "All {splits} splits agree on {agreed:,} of {pairs} ({share:.0%})",
    "there are two splits or more; that many pairs get the same decision from every split",
)
REPLICATES_BESIDE = sentence(
    "charts.replicates-beside",
    "Replicates find {different:,} of {pairs} different, randomisation over topics {others:,}",
    "pairs that each separates by its own rule",
    always=True,
)
LOSES_UP_TO = sentence(
    "charts.loses-up-to",
    "{series}: without its team's judgments a run loses {losses}",
    "the most ranks that a left-out team's run loses at the shallowest and deepest pools; `no rank` where none does",
    always=True,
)
HIGHEST_MEAN = sentence(
    "charts.highest-mean", "{system} has the highest mean {measure}: {mean}", "no other system has a mean as high"
)
HIGHEST_MEAN_SHARED = sentence(
    "charts.highest-mean-shared",
    "{systems} systems share the highest mean {measure}: {mean}",
    "two systems or more have the highest mean",
)
PROMISES_TOO_MUCH = sentence(
    "charts.promises-too-much",
    "Tuning on the test topics would promise {optimism} too much for {family}",
    "held-out scores of some family are lower than its best setting's mean; the family with the largest gap",
)
PROMISES_NO_MORE = sentence(
    "charts.promises-no-more",
    "No family's mean on the test topics is above its held-out mean",
    "no held-out mean is lower than the best setting's mean on the same topics",
)
BEST_HELD_OUT = sentence(
    "charts.best-held-out",
    "{family} has the best held-out mean of {families}: {mean}",
    "there are two families or more; no held-out mean is higher",
)
DECLARED_BETTER = sentence(
    "charts.declared-better",
    "Tested on its tuning topics, a system that is no better is declared better in {inside:.0%} of experiments; held "
    "out, {outside:.0%}",
    "shares of simulated experiments with equally good settings",
    always=True,
)
ORDERS_AGREE = sentence(
    "charts.orders-agree",
    "The two orders of {systems} agree with τ = {tau}",
    "Kendall's τ between the two orders is defined, and that",
)
SEVERAL_ORDERS_AGREE = sentence(
    "charts.several-orders-agree",
    "The orders agree with τ from {lowest} to {highest}",
    "several pairs of orders were correlated; the lowest and highest τ that is defined, which differ",
)
SEVERAL_ORDERS_ALIKE = sentence(
    "charts.several-orders-alike",
    "The orders agree with τ = {tau} each",
    "several pairs of orders were correlated; all τ that are defined are this, to three decimals",
)
TOPICS_DIFFER = sentence(
    "charts.topics-differ",
    "Topics differ: mean {measure} from {low} (topic {hard}) to {high} (topic {easy})",
    "there are two topics or more, and not all have the same mean",
)
ESTIMATORS_DIFFER = sentence(
    "charts.estimators-differ",
    "Estimators of the {measure} variance differ {ratio:.1f}-fold: {low}, {high}",
    "two estimators or more, of one measure; the largest is more than 5% above the smallest, which is above 0",
)
