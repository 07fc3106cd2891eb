"""What simulations conclude."""

from cranfield.sentences import sentence

NOT_SIMULATED, NONE_SHOWN = "whether tests keep their level was not simulated", "no test is shown to exceed its level"
"""What is said of levels beside power: of pairs that all differ, and of families in which some pairs do not."""
MOST_POWER = sentence(
    "simulation.most-power",
    "On scores like yours, {topics} topics show a difference of {difference:g} at {alpha:g} with probability {rate} by "
    "{test}{others}; {level}",
    "nowhere were all hypotheses true; no test of those asked for has a higher rate; of pairs no level is known then, "
    "and of families no rate's Monte-Carlo interval lies wholly above the level",
)
TOO_OFTEN = sentence(
    "simulation.too-often",
    "On scores like yours, {test} {what} at {alpha} with {topics} topics{others}; {advice}",
    "the Monte-Carlo interval of every rate that is named lies wholly above the level, at 99% for all rows together; a "
    "test to use is at no number of topics above the level by its own 99% interval, nor said to fall below it, and "
    "rejects less often than the one named first",
)
NONE_EXCEEDS = sentence(
    "simulation.none-exceeds",
    "On scores like yours, no test is shown to exceed its level: the highest is {rate} at {alpha}, by {test} with "
    "{topics} topics{low}",
    "no rate's Monte-Carlo interval lies wholly above the level, at 99% for all rows together",
)
BELOW = sentence(
    "simulation.below",
    "{tests} {fall} below the level, which costs power",
    "of every test named, some rate's Monte-Carlo interval lies wholly below the level, at 99% for all rows together, "
    "and none lies above it; the rate given is the lowest",
)
DELIVERS = sentence(
    "simulation.delivers",
    "Pilots of {pilot} topics lead to recommendations of {median} topics ({fewest} to {most}) and reach a power of "
    "{mean:.2f} on average ({lowest:.2f} to {highest:.2f}) where {promised:g} is promised; {short} of {pilots} clearly "
    "fall short. Intervals of an average pair are {width:.3f} wide where {hoped:.3f} is promised",
    "shares of simulated collections of the recommended size in which the difference was found; `clearly`: the whole "
    "99% Monte-Carlo interval lies below the promise",
    always=True,
)
COPIES = sentence(
    "simulation.copies",
    "The simulation leaves out {systems} with the same scores as another.",
    "that many systems have the scores of an earlier one on every topic",
)
