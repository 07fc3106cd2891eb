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
