"""What designs conclude: how many topics, what they promise, what a pool depth costs."""

from cranfield.sentences import sentence

PROMISE_PAIR = sentence(
    "design.promise-pair",
    "With {topics:,} topics, if two systems differ by {min_diff:g} in mean {measure}, a paired t-test at "
    "level {alpha:g} "
    "shows it with probability about {power:g}, on average over which systems they are.",
    "two systems are asked for; simulated on ten populations: docs/advice.md",
)
PROMISE = sentence(
    "design.promise",
    "With {topics:,} topics, if {two} of {systems} systems differ by {min_diff:g} in mean {measure} and the others lie "
    "midway, paired t-tests of {pairs} with Holm's correction at level {alpha:g} show that these two differ with "
    "probability about {power:g}, on average over which systems they are.",
    "three systems or more are asked for, and min_diff is a difference that two means can have; simulated on ten "
    "populations: docs/advice.md",
)
CREATE = sentence(
    "design.create",
    "Create {topics:,} topics.",
    "min_diff is a difference that two means can have; others are refused",
)
RECOMMENDED = sentence(
    "design.recommended",
    "{topics:,} topics by {measure}",
    "min_diff is a difference that two means can have; others are refused",
)
IMPOSSIBLE = sentence(
    "design.impossible",
    "no two systems can differ by `min_diff` = {min_diff:g} in mean {measure}, whose scores run from {low:.4g} to "
    "{high:.4g}",
    "min_diff is above 1 and all past scores lie in [0, 1], or above 100 and they lie in [0, 100]; said when refusing",
)
SAMPLE_INTERVAL = sentence(
    "design.sample-interval",
    "The past scores are a sample: the {level} interval is {lower:,} to {upper:,} topics.",
    "an interval could be jackknifed; its coverage is simulated: docs/advice.md",
)
WIDTH = sentence(
    "design.width",
    "With {topics} topics the {level} interval of the difference of two systems is expected to be {width:.4f} wide.",
    "an interval is designed; expected width of a t interval with that variance",
)
DETECTS = sentence(
    "design.detects",
    "With {topics} topics, {test} a difference of {min_diff:.4g}{among} with probability {power:.3f} at "
    "level {alpha:g}.",
    "a test is designed; power by the noncentral distribution with that variance",
)
PUBLISHED_SAYS = sentence(
    "design.published-says",
    "The papers' spreadsheet says {value}.",
    "the papers have a method of their own for this design: the figure is by method `published`",
)
LOWEST_COST = sentence(
    "design.lowest-cost",
    "Lowest cost for {measure}: {size}{deepest}.",
    "at least 90% of the pool was judged at every depth, and no depth costs less",
)
BEST_FOR_BUDGET = sentence(
    "design.best-for-budget",
    "Best for {measure}: {size}, {what} {value:.4f}.",
    "a budget was given, at least 90% of the pool was judged at every depth, and no depth gives a smaller figure",
)
COST_DOUBTFUL = sentence(
    "design.cost-doubtful",
    "Unjudged documents make these costs doubtful: no depth is called the cheapest.",
    "less than 90% of the pool was judged at some depth",
)
MORE_THAN_RANGE = sentence(
    "design.more-than-range",
    "`min_diff` = {min_diff:g} is more than any two {measure} scores differ by (they run from {low:.4g} "
    "to {high:.4g}), "
    "so two means on this scale can hardly differ by it.",
    "min_diff is more than the largest past score less the smallest, and not refused",
)
MORE_THAN_APART = sentence(
    "design.more-than-apart",
    "`min_diff` = {min_diff:g} is more than the best and the worst past system are apart ({apart:.4g} by {measure}); a "
    "collection of this size is likely to show only differences larger than any before.",
    "min_diff is more than the largest past mean less the smallest, and no more than the scores' range",
)
TOO_SMALL = sentence(
    "design.too-small",
    "`min_diff` = {min_diff:g} is {share:.2g} standard deviations of the difference of two systems ({spread:.4g} by "
    "{measure}): a paired t-test takes more than 3,000 topics to show it with power 0.8 at level 0.05.",
    "min_diff is below a twentieth of the standard deviation of a difference",
)
MANY_TOPICS = sentence(
    "design.many-topics",
    "{topics:,} topics are more than most test collections have; 200 could detect a difference of about "
    "{detectable:.2g}.",
    "the answer is above 5,000 topics",
)
LOSSES = sentence(
    "design.losses",
    "Judging to depth {shallow} can only miss relevant documents that depth {deep} finds, never the reverse: systems "
    "that come later and find them score too low. A shallow pool serves the comparison of these systems and is less "
    "reusable; fewest judgments is no reason by itself to choose it.",
    "two depths or more are compared",
)
CAN_DETECT = sentence(
    "design.can-detect",
    "With {topics}, an average pair among {systems} that is {apart} {measure} apart is shown to differ "
    "with probability "
    "{power:g} after correction for all pairs, and two systems named beforehand when they are {pair} apart (level "
    "{alpha:g}). Here best and worst are {observed} apart, and {separated:,} of {pairs} are shown to differ: steadier "
    "pairs take less, erratic ones more.",
    "the differences are those of the all-pairs and the t-test design with these topics; the counts are those of the "
    "comparison",
    always=True,
)
DETECT_WIDTHS = sentence(
    "design.detect-widths",
    "With these topics an interval for the difference of two systems is expected to be {average} wide for an average "
    "pair, and {wide} for one that varies more than 95% of the pairs.",
    "expected widths of t intervals with the mean and the 95th-percentile variance of a difference",
    always=True,
)
CREATE_NEXT = sentence(
    "design.create-next",
    "To compare {systems} by {measure} and see a difference of {min_diff} between best and worst, create {topics}.",
    "the number is that of `recommend`; a difference that no two means can have is refused",
)
JUDGING_COSTS_LEAST = sentence(
    "design.judging-costs-least",
    "Judging costs least with pools of depth {depth}: {topics} with {documents} documents to judge each, {judgments} "
    "judgments in all.",
    "at least 90% of the pool was judged at every depth, and no depth costs less",
)
NO_CHEAPEST = sentence(
    "design.no-cheapest",
    "No pool depth is called the cheapest: too much of the pools was never judged.",
    "less than 90% of the pool was judged at some depth",
)
AVERAGE_PAIR = sentence(
    "design.average-pair",
    "With {topics} an average pair that is {apart} {measure} apart is shown to differ with probability {power:g} after "
    "that correction.",
    "the difference is that of the all-pairs design with these topics and systems",
    always=True,
)
UPPER_BOUND = sentence(
    "design.upper-bound-systems",
    "the number of systems is sought for an F-test without correction, which real scores need; it is an upper bound.",
    "the number of systems is the unknown of a blocked ANOVA from past scores",
)
NOT_SPHERICAL = sentence(
    "design.not-spherical",
    "the blocked F-test assumes that all differences between systems vary equally; {measure} scores of the "
    "past do not (ε = {epsilon:.2f} for {systems:.0f} systems), so it rejects too often. The size is for the "
    "test with degrees of freedom multiplied by ε.",
    "ε of the past scores is low (below .75), and the blocked design allows for it",
)
ONE_WAY_RESIDUAL = sentence(
    "design.one-way-residual",
    "the residual variance leaves out what topics differ by, but the one-way design needs it: the size is far "
    "too small. Use within, or leave `published` out.",
    "the papers' one-way design is fed with the residual variance",
)
UNPAIRED_RESIDUAL = sentence(
    "design.unpaired-residual",
    "the residual variance leaves out what topics differ by, but two groups of different topics need it: the "
    "size is far too small. Use within, or pair the systems.",
    "a two-sample design is fed with the residual variance",
)
LEFT_EMPTY = sentence(
    "design.left-empty",
    "{count} of {designs} designs have no solution and are left empty; the first: {reason}",
    "some, but not all, of the designs asked for have no solution",
)
SHARE_JUDGED = sentence(
    "design.share-judged",
    "depth {depths}: only {share:.0%} of the pool of depth {depth} was judged ({judged:,.0f} of {pool:,.0f} "
    "documents per topic), so scores there are those of a shallower pool and their variance is doubtful; no "
    "depth is called the cheapest.",
    "less than nine tenths of the pool of these depths was judged",
)
BUDGET_TOO_SMALL = sentence(
    "design.budget-too-small",
    "{measure}: the budget pays for {topics} topics at depth {depth}; a design needs at least 2.",
    "the budget divided by the price of a topic at that depth is below 2, and not so at every depth",
)
NO_BLOCKED = sentence(
    "design.no-blocked",
    "no blocked ANOVA is designed: {reason}.",
    "the past scores have too few systems or topics to say how their differences vary",
)
NOT_NORMAL = sentence(
    "design.not-normal",
    "{finding}, far from the normal distribution these designs assume; the sizes hold for a normal measure of "
    "the same variance, so treat them as a guide and test by randomisation.",
    "scores have very few different values, or most are the lowest or the highest",
)
PER_CENT = sentence(
    "design.per-cent",
    "{measure} scores run from {low:.4g} to {high:.4g}, perhaps per cent; `min_diff` = {min_diff:g} is then "
    "{min_diff:g} of a point. Write {hundredfold:g} if {min_diff:g} of the whole scale is meant.",
    "scores lie between 0 and 100 and not between 0 and 1, and the difference is below 1 and a twentieth of "
    "their range",
)
BY_CHANCE = sentence(
    "design.by-chance",
    "{measure}, {scores}: {why}, so no number of topics can be given in standard deviations between systems",
    "the variance between systems is estimated as 0 or less, or there is no residual",
)
