"""Scores drawn from an additive model whose variance components are known exactly: the check of every estimator."""

from __future__ import annotations

import math
from collections.abc import Sequence

from cranfield.core.arguments import check_arguments
from cranfield.core.defaults import SEED
from cranfield.core.errors import ArgumentError
from cranfield.core.truth import additive_scores
from cranfield.scores.matrix import ScoreMatrix


def make_scores(
    n_topics: int = 50,
    n_systems: int = 30,
    seed: int = SEED,
    *,
    mean: float = 0.25,
    system_variance: float = 0.007,
    topic_variance: float = 0.03,
    residual_variance: float = 0.0125,
    system_effects: Sequence[float] | None = None,
) -> ScoreMatrix:
    """Scores with exactly known variance components.

    Draws x_ij = mean + s_j + t_i + e_ij with independent normal effects: topics of variance σ_T², residuals of
    variance σ_E², and systems of variance σ_S² or, with `system_effects`, exactly the given s_j. Scores are not
    cut to [0, 1], so that the truth stays exact. Over draws, with m systems, the estimators of two-way ANOVA
    have these expectations (Sakai 2014a, eq. 4–7):

    ========== ==================================
    within     σ_T² + σ_E²
    residual   σ_E²
    two_way    (m−1)/m · σ_S² + σ_T² + σ_E²
    ========== ==================================

    (two_way with given effects: Σ(s_j − s̄)²/m in place of the first term), and every paired difference has
    variance 2·σ_E². The defaults are of the size of AP on TREC-3, TREC-8 and Robust.

    Parameters
    ----------
    n_topics, n_systems : the size of the matrix
    seed : the draw; the first topics of a larger matrix are those of a smaller one
    mean : the grand mean
    system_variance, topic_variance, residual_variance : σ_S², σ_T², σ_E²
    system_effects : fixed effects, one per system (`system_variance` is then not used)

    Examples
    --------
    >>> x = make_scores(4000, 5, system_effects=[0, 0, 0, 0, 0.1])
    >>> difference = x.values[:, 4] - x.values[:, 0]
    >>> f"mean {difference.mean():.2f}, variance {difference.var():.3f}"
    'mean 0.10, variance 0.025'
    """
    check_arguments(make_scores, locals())
    for name, count in (("n_topics", n_topics), ("n_systems", n_systems)):
        if count < 1:
            raise ArgumentError(f"`{name}` must be at least 1; got {count}")
    if seed < 0:
        raise ArgumentError(f"`seed` must be at least 0; got {seed}")
    variances = {"system_variance": system_variance, "topic_variance": topic_variance}
    for name, variance in (variances | {"residual_variance": residual_variance}).items():
        if not (variance >= 0 and math.isfinite(variance)):
            raise ArgumentError(f"`{name}` must be 0 or more; got {variance}")
    if system_effects is not None and len(system_effects) != n_systems:
        raise ArgumentError(
            f"`system_effects` must hold one effect per system: {n_systems} are needed; got {len(system_effects)}"
        )
    between = f"system variance {system_variance:g}" if system_effects is None else "fixed system effects"
    values = additive_scores(
        n_topics, n_systems, seed, mean=mean, systems=system_variance if system_effects is None else system_effects,
        topic_variance=topic_variance, residual_variance=residual_variance,
    )  # fmt: skip
    step = (
        f"drawn from an additive normal model: mean {mean:g}, {between}, topic variance {topic_variance:g}, "
        f"residual variance {residual_variance:g}, seed {seed}"
    )
    return ScoreMatrix(
        values,
        topics=[str(i) for i in range(1, n_topics + 1)],
        systems=[f"system{j}" for j in range(1, n_systems + 1)],
        measure="score",
        provenance=[step],
    )
