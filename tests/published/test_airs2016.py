"""AIRS 2016: the intervals of Table 1(g) and the recommendations of sections 4.2 to 4.5.

The scores behind the paper are not public, so its variances (Table 1 e, f) cannot be recomputed; what follows from
them can. Each recommendation names the published size, and beside it what the exact power asks for.
"""

from __future__ import annotations

import pytest

from cranfield.questions.design.anova import design_anova
from cranfield.scores.rank_coefficients import tau_half_width

TABLE_1G = [
    ("MedNLPDoc precision", 14, 0.978, 0.585, 1.371),
    ("MedNLPDoc recall", 14, 0.956, 0.563, 1.349),
    ("MobileClick E Q-measure", 25, 0.867, 0.587, 1.147),
    ("MobileClick E nDCG@3", 25, 0.720, 0.440, 1.000),
    ("MobileClick E nDCG@5", 25, 0.713, 0.433, 0.993),
    ("MobileClick E nDCG@10", 25, 0.773, 0.493, 1.053),
    ("MobileClick E nDCG@20", 25, 0.853, 0.573, 1.133),
    ("MobileClick J Q-measure", 12, 0.970, 0.537, 1.403),
    ("MobileClick J nDCG@3", 12, 0.970, 0.537, 1.403),
    ("MobileClick J nDCG@5", 12, 0.909, 0.476, 1.342),
    ("MobileClick J nDCG@10", 12, 0.970, 0.537, 1.403),
    ("MobileClick J nDCG@20", 12, 1.000, 0.567, 1.433),
    ("MobileClick E M-measure", 16, 0.983, 0.620, 1.346),
    ("MobileClick J M-measure", 13, 0.949, 0.537, 1.361),
    ("STC nG@1", 44, 0.884, 0.679, 1.089),
    ("STC P+", 44, 0.962, 0.757, 1.167),
    ("STC nERR@10", 44, 0.947, 0.742, 1.152),
    ("QALab Phase-1 Boolean", 27, 0.892, 0.624, 1.160),
    ("QALab Phase-3 Boolean", 34, 0.964, 0.728, 1.200),
]
"""Task and measure, systems, τ, lower, upper, as printed."""


@pytest.mark.parametrize(
    ("m", "tau", "lower", "upper"), [row[1:] for row in TABLE_1G], ids=[row[0] for row in TABLE_1G]
)
def test_intervals_of_tau(m: int, tau: float, lower: float, upper: float) -> None:
    half = tau_half_width(m)
    assert tau - half == pytest.approx(lower, abs=1e-3)
    assert tau + half == pytest.approx(upper, abs=1e-3)


@pytest.mark.parametrize(
    ("m", "half"),
    [(14, 0.393), (25, 0.280), (12, 0.433), (16, 0.363), (13, 0.412), (44, 0.205), (27, 0.268), (34, 0.236)],
)
def test_half_widths(m: int, half: float) -> None:
    assert tau_half_width(m) == pytest.approx(half, abs=5e-4)


RECOMMENDATIONS = [
    ("4.2 raw recall", 0.0601, 2, 0.10, 93, 96),
    ("4.2 raw recall", 0.0601, 50, 0.20, 91, 91),
    ("4.2 raw recall", 0.0601, 10, 0.20, 48, 48),
    ("4.2 std-AB recall", 0.0127, 2, 0.05, 79, 81),
    ("4.2 std-AB recall", 0.0127, 50, 0.10, 77, 77),
    ("4.3 raw nDCG@3 E", 0.0259, 10, 0.10, 82, 82),
    ("4.3 raw nDCG@3 J", 0.0570, 2, 0.10, 88, 91),
    ("4.3 std-AB nDCG@3 E", 0.0215, 20, 0.10, 89, 90),
    ("4.3 std-AB nDCG@3 J", 0.0176, 30, 0.10, 86, 86),
    ("4.3 std-AB M E", 0.0072, 10, 0.05, 91, 91),
    ("4.3 std-AB M J", 0.0077, 10, 0.05, 97, 98),
    ("4.4 raw nG@1", 0.1144, 20, 0.20, 118, 119),
    ("4.4 raw nG@1", 0.1144, 10, 0.20, 90, 91),
    ("4.4 std-AB nG@1", 0.0193, 30, 0.10, 94, 95),
    ("4.5 raw Boolean", 0.2130, 2, 0.20, 82, 85),
    ("4.5 std-AB Boolean", 0.0204, 2, 0.10, 32, 34),
    ("4.5 std-AB Boolean", 0.0204, 50, 0.20, 31, 32),
]
"""Section and scores, printed variance, systems, min_diff, topics as printed, topics by scipy.stats' non-central F."""


@pytest.mark.parametrize(
    ("variance", "systems", "min_diff", "printed", "exact"),
    [row[1:] for row in RECOMMENDATIONS],
    ids=[f"{row[0]} m={row[2]} {row[3]}" for row in RECOMMENDATIONS],
)
def test_recommendations(variance: float, systems: int, min_diff: float, printed: int, exact: int) -> None:
    assert design_anova(variance, systems, min_diff, method="published").n_topics == printed
    assert design_anova(variance, systems, min_diff, blocked=False).n_topics == exact


def test_the_recommended_collections_hold_for_the_exact_power_too() -> None:
    """The paper rounds up to 100, 50, 80, 90, 120 or 40 topics; by the exact power three fall short by a topic."""
    made = [100, 100, 50, 80, 80, 90, 90, 100, 100, 100, 100, 120, 90, 100, 90, 40, 40]
    short = [row[0] for row, topics in zip(RECOMMENDATIONS, made, strict=True) if row[5] > topics]
    assert short == ["4.2 std-AB recall", "4.3 raw nDCG@3 J", "4.4 raw nG@1"]
