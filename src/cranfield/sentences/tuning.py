"""What tuning concludes: what to expect on unseen topics, and what to use."""

from cranfield.sentences import sentence

EXPECT = sentence(
    "tuning.expect",
    "Expect {mean:.4f}{interval} {measure} from {family} on unseen topics",
    "the mean of held-out scores, whose setting was chosen on other topics, of the family in which it is highest; the "
    "interval is over topics",
    always=True,
)
HONEST = sentence(
    "tuning.honest",
    "{family}: expect {mean:.4f}{interval} on unseen topics; the best setting's mean on {where} is {best:.4f}, an "
    "optimism of {optimism:.4f}.",
    "held-out mean, the final setting's mean on the same topics, and their difference",
    always=True,
)
USE = sentence(
    "tuning.use",
    "{family}: use {setting}, chosen in {times} of {folds} folds",
    "the setting has the highest mean on all topics, and that many folds chose it",
    always=True,
)
AT_EDGE = sentence(
    "tuning.at-edge",
    "{family}: {parameters} of the final setting lies at the edge of the values tried; the best may lie beyond.",
    "the parameter is a number, three values or more were tried, and the final one is the smallest or largest",
)
TOO_GOOD = sentence(
    "tuning.too-good",
    "its mean on all topics, {mean:.4f}, is {optimism:.4f} too good.",
    "the optimism is above 0: held-out scores are lower",
)
NO_OPTIMISM = sentence(
    "tuning.no-optimism",
    "its mean on all topics is {mean:.4f}; held-out scores are no lower.",
    "the optimism is 0 or below",
)
LOOKS_BETTER = sentence(
    "tuning.looks-better",
    "In-sample the tuned system looks {advantage:.4f} better than its equal",
    "mean advantage of the best of equally good settings over another of them, on the topics it was chosen by",
    always=True,
)
TIED = sentence(
    "tuning.tied",
    "{family}: in {tied} of {folds} folds several settings share the best training mean; the first in the "
    "given order was taken",
    "two or more settings have the highest mean on the training topics of that many folds",
)
DEPENDENT = sentence(
    "tuning.dependent",
    "{family}: settings about as good as the final one score quite differently topic by topic, so held-out "
    "scores depend on one another and a test on them may reject too often (their mean is not affected); fewer "
    "folds or a single hold-out reduce this",
    "there are two families and three folds or more, and rivals of the final setting differ from it topic by "
    "topic as much as families differ (simulated: docs/tuning.md)",
)
LEAVE_ONE_OUT = sentence(
    "tuning.leave-one-out",
    "leave-one-out: a topic on which a setting does well is missing exactly where it would have spoken for "
    "that setting, so choice and held-out score pull against each other and the held-out mean comes out too "
    "low and unsteady; prefer folds drawn several times (the default)",
    "every fold holds out a single topic (simulated: docs/tuning.md)",
)
MIXTURE = sentence(
    "tuning.mixture",
    "{family}: no more than {share:.0%} of the folds chose the final setting, so the held-out mean is that of "
    "a mixture of settings; another draw of topics may well choose another",
    "there is one family, three folds or more, and fewer than half of them chose the final setting",
)
NEVER_HELD_OUT = sentence(
    "tuning.never-held-out",
    "{never} of {topics} topics were never held out, so the held-out scores rest on {rest} topic{s}; N-fold "
    "and leave-one-out use every topic",
    "some topics are in no held-out part",
)
