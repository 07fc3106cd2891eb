"""The sentences a methods section needs: which test, why, how it is reported, and the references."""

from __future__ import annotations

from typing import TYPE_CHECKING

from cranfield.comparison.corrections import CORRECTIONS
from cranfield.comparison.tests import TESTS
from cranfield.labels import joined, plural

if TYPE_CHECKING:
    from cranfield.comparison import MeasureComparisons

WHY = {
    "randomisation": (
        "It makes no assumption about the distribution of the scores",
        "Smucker, Allan and Carterette, CIKM 2007",
    ),
    "bootstrap": (
        "It takes the topics for a sample and makes no assumption about their distribution",
        "Sakai, SIGIR 2006",
    ),
    "bootstrap-t": (
        "It takes the topics for a sample and studentises every resample",
        "Efron and Tibshirani, An Introduction to the Bootstrap, 1993, section 16.4",
    ),
    "t": ("Simulations with retrieval scores found that it keeps its level", "Urbano, Lima and Hanjalic, SIGIR 2019"),
    "wilcoxon": (
        "It rests on the ranks of the differences and not on the means",
        "Wilcoxon, Biometrics Bulletin 1, 1945",
    ),
    "sign": ("It rests on the signs of the differences alone", "Conover, Practical Nonparametric Statistics, 1999"),
    "tukey": (
        "It compares all pairs at once and keeps the family-wise error",
        "Tukey, 1953; Carterette, TOIS 30(1), 2012",
    ),
    "randomised-tukey": (
        "It compares all pairs at once, keeps the family-wise error and needs no normality",
        "Carterette, TOIS 30(1), 2012",
    ),
}
"""Why a test is used, and whom to cite; a test that is not here goes without."""

SOURCES = {
    "holm": "Holm, Scandinavian Journal of Statistics 6, 1979",
    "bonferroni": "Dunn, Journal of the American Statistical Association 56, 1961",
    "bh": "Benjamini and Hochberg, Journal of the Royal Statistical Society B 57, 1995",
    "by": "Benjamini and Yekutieli, Annals of Statistics 29, 2001",
}
"""Whom to cite for a correction."""


def how_found(comparisons: MeasureComparisons) -> list[str]:
    """Where the p-values come from, one phrase a method; nothing for a test that has a formula.

    >>> from cranfield import ScoreMatrix, compare_measures, Scores
    >>> ap = ScoreMatrix([[.2, .5], [.3, .4], [.1, .3], [.2, .6], [.1, .2], [.3, .6]], "123456", "ab", "AP")
    >>> how_found(compare_measures(Scores([ap]), baseline="a"))
    ['enumeration']
    """
    drawn = next((each for each in comparisons.comparisons if not each.exact), comparisons.comparisons[0])
    phrases = {
        "enumerated": "enumeration",
        "exact lattice": "the exact distribution on a lattice",
        "monte carlo": f"{drawn.n_resamples or 0:,} resamples",
        "saddlepoint": "saddlepoint approximation",
    }
    return [phrases[name] for name in comparisons.p_methods if name in phrases]


def methods_text(comparisons: MeasureComparisons) -> str:
    """A short paragraph about how the comparisons were made, ready for a paper.

    >>> from cranfield import ScoreMatrix, compare_measures, Scores
    >>> ap = ScoreMatrix([[.2, .5], [.3, .4], [.1, .3], [.2, .6]], "1234", ["a", "b"], "AP")
    >>> print(methods_text(compare_measures(Scores([ap]), test="t", baseline="a")).partition(" (")[0])
    Systems were compared with the baseline a by a two-sided paired t-test over 4 topics
    """
    first = comparisons.comparisons[0]
    entry = TESTS[first.test]
    why, source = WHY.get(first.test, ("", ""))
    if first.baselines:
        whom = f"with the baseline{'s' * (len(first.baselines) > 1)} {joined(first.baselines)}"
    else:
        whom = "pair by pair"
    cited = f" ({source})" if source else ""
    topics = plural(first.n_topics, "topic")
    sentences = [f"Systems were compared {whom} by a {first.alternative} {entry.title} over {topics}{cited}."]
    if why:
        sentences.append(f"{why}; it assumes that {entry.assumes}.")
    else:
        sentences.append(f"It assumes that {entry.assumes}.")
    if ways := how_found(comparisons):
        seed = f" (seed {first.seed})" if "monte carlo" in comparisons.p_methods else ""
        sentences.append(f"Its p-values come from {joined(ways)}{seed}.")
    family = plural(first.family, "comparison")
    scope = " by all measures" if comparisons.across_measures else " per measure" if len(comparisons) > 1 else ""
    if entry.corrects_family:
        sentences.append(f"Its p-values hold for the whole family of {family}{scope}.")
    elif first.family == 1:
        sentences.append(f"There is one comparison{scope}, and nothing to adjust for.")
    elif first.correction == "none":
        sentences.append(f"The p-values of the {family}{scope} were not adjusted.")
    else:
        cited = f" ({SOURCES[first.correction]})" if first.correction in SOURCES else ""
        sentences.append(f"The p-values were {CORRECTIONS[first.correction].title} over {family}{scope}{cited}.")
    sentences.append(
        f"Differences with p ≤ {first.alpha:g} are called significant; report them with their size and interval "
        f"({1 - first.alpha:.0%}, {first.interval}), and do not read a missing mark as equality."
    )
    return " ".join(sentences)
