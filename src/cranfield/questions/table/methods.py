"""The sentences a methods section needs: which test, why, how it is reported, and the references."""

from __future__ import annotations

from typing import TYPE_CHECKING

from cranfield.core.labels import joined, plural
from cranfield.questions.compare.answer import level_notes
from cranfield.questions.compare.corrections import CORRECTIONS
from cranfield.questions.compare.tests import TESTS

if TYPE_CHECKING:
    from cranfield.questions.compare.measures import MeasureComparisons


def how_found(comparisons: MeasureComparisons) -> list[str]:
    """Where the p-values come from, one phrase a method; nothing for a test that has a formula.

    >>> from cranfield import ScoreMatrix, compare_measures, Scores
    >>> ap = ScoreMatrix([[.2, .5], [.3, .4], [.1, .3], [.2, .6], [.1, .2], [.3, .6]], "123456", "ab", "AP")
    >>> how_found(compare_measures(Scores([ap]), baseline="a"))
    ['enumeration']
    """
    phrases = {
        "enumerated": "enumeration",
        "exact lattice": "the exact distribution on a lattice",
        "monte carlo": f"{comparisons.telling.n_resamples or 0:,} resamples",
        "saddlepoint": "saddlepoint approximation",
        "own bootstrap": f"{comparisons.telling.n_resamples or 0:,} resamples of topics",
    }
    return [phrases[name] for name in comparisons.p_methods if name in phrases]


def methods_text(comparisons: MeasureComparisons) -> str:
    """A short paragraph about how the comparisons were made, ready for a paper.

    >>> from cranfield import ScoreMatrix, compare_measures, Scores
    >>> ap = ScoreMatrix([[.2, .5], [.3, .4], [.1, .3], [.2, .6]], "1234", ["a", "b"], "AP")
    >>> print(methods_text(compare_measures(Scores([ap]), test="t", baseline="a")).partition(" (")[0])
    Systems were compared with the baseline a by a two-sided paired t-test over 4 topics
    """
    first = comparisons.first
    entry = TESTS[first.test]
    several = "s" * (len(first.baselines) > 1)
    whom = f"with the baseline{several} {joined(first.baselines)}" if first.baselines else "pair by pair"
    cited = f" ({entry.source})" if entry.source else ""
    topics = plural(first.n_topics, "topic")
    sentences = [f"Systems were compared {whom} by a {first.alternative} {entry.title} over {topics}{cited}."]
    sentences.append(
        f"{entry.why}; it assumes that {entry.assumes}." if entry.why else f"It assumes that {entry.assumes}."
    )
    if ways := how_found(comparisons):
        seed = f" (seed {first.seed})" if {"monte carlo", "own bootstrap"} & set(comparisons.p_methods) else ""
        sentences.append(f"Its p-values come from {joined(ways)}{seed}.")
    family = plural(first.family, "comparison")
    scope = comparisons.scope
    if entry.corrects_family:
        sentences.append(f"Its p-values hold for the whole family of {family}{scope}.")
    elif first.family == 1:
        sentences.append(f"There is one comparison{scope}, so no adjustment is needed.")
    elif first.correction == "none":
        sentences.append(f"The p-values of the {family}{scope} were not adjusted.")
    else:
        correction = CORRECTIONS[first.correction]
        cited = f" ({correction.source})" if correction.source else ""
        sentences.append(f"The p-values were {correction.title} over {family}{scope}{cited}.")
    sentences.append(
        f"Differences with p ≤ {first.alpha:g} are significant; report their size and interval "
        f"({1 - first.alpha:.0%}, {first.interval}). A missing mark does not mean equality."
    )
    return " ".join([*sentences, *level_notes(first)])
