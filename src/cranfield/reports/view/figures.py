"""The key figures of a collection, and what other numbers of topics would detect."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from cranfield.core.defaults import POWER
from cranfield.core.errors import CranfieldError, quietly
from cranfield.core.labels import plural
from cranfield.questions.compare.comparison import Comparison
from cranfield.questions.design.all_pairs import design_all_pairs
from cranfield.questions.reliability.reliability import reliability
from cranfield.questions.variance.variances import variances

LOW_JUDGED = 0.9
"""A run with fewer of its first documents judged than this is counted."""
STOPS = (10, 15, 20, 25, 30, 40, 50, 75, 100, 150, 200, 300)
"""Numbers of topics that the slider of the map offers, with that of the collection among them."""
Figure = tuple[str, str]
"""A number with its unit, and what it counts."""


def detection(comparison: Comparison) -> dict[str, Any] | None:
    """The smallest difference that so many topics detect between two average systems, corrected for all pairs.

    The variance is the residual one, and the design that of all pairs, as in `recommend`; None where the scores do not
    say.

    >>> from cranfield import compare, make_scores
    >>> found = detection(compare(make_scores(n_topics=20, n_systems=4, seed=3)))
    >>> found["topics"][:3], round(found["min_diff"][2], 3)
    ([10, 15, 20], 0.14)
    """
    topics = sorted({*STOPS, comparison.n_topics})
    try:
        with quietly():
            (estimate,) = variances({"": comparison.scores}, estimator=("residual",), alpha=comparison.alpha)
            found = design_all_pairs(
                estimate, comparison.n_systems, n_topics=topics, power=POWER, alpha=comparison.alpha
            ).to_frame()
    except CranfieldError:
        return None
    differences = found.sort("topics")["min_diff"].to_list()
    return {"topics": topics, "min_diff": [float(f"{value:.6g}") for value in differences], "power": POWER}


def key_figures(
    comparison: Comparison, judged: Mapping[str, float] | None, depth: int, detected: Mapping[str, Any] | None
) -> list[Figure]:
    """The four numbers that a collection is opened with; fewer where something cannot be known.

    >>> from cranfield import compare, make_scores
    >>> result = compare(make_scores(n_topics=20, n_systems=4, seed=3))
    >>> for value, label in key_figures(result, None, 10, detection(result)):
    ...     print(f"{value} | {label}")
    2 of 4 | may be the best
    4 of 6 | pairs differ
    0.92 | reliability of the ranking
    0.14 score | detectable with 20 topics
    """
    n, best = comparison.n_systems, comparison.best
    figures = []
    if best is not None:
        figures.append((f"{int(best.sum()):,} of {n:,}", "may be the best"))
    apart = comparison.significant
    figures.append((f"{int(apart.sum()):,} of {len(apart):,}", "pairs differ"))
    if judged:
        low = sum(share < LOW_JUDGED for share in judged.values())
        figures.append((plural(low, "run"), f"with under {LOW_JUDGED:.0%} of the top {depth} judged"))
    else:
        try:
            with quietly():
                value, *_ = (
                    reliability(comparison.scores, alpha=comparison.alpha).ratio("erho2").at(comparison.n_topics)
                )
            figures.append((f"{value:.2f}", "reliability of the ranking"))
        except CranfieldError:
            pass
    if detected is not None:
        least = detected["min_diff"][detected["topics"].index(comparison.n_topics)]
        figures.append((f"{least:.2g} {comparison.measure}", f"detectable with {plural(comparison.n_topics, 'topic')}"))
    return figures
