"""The closed form is ordinary least squares, balanced or not, per parameter."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from cranfield import ScoreMatrix
from cranfield.core.errors import DataError
from cranfield.questions.replicates.bootstrap import Replicated, anova_table, fit
from cranfield.questions.replicates.replicate import replicate_scores


def contrasts(codes: np.ndarray, levels: int) -> np.ndarray:
    """Sum-to-zero coding: the last level is minus all others."""
    table = np.vstack([np.eye(levels - 1), -np.ones(levels - 1)])
    return table[codes]


def least_squares(
    scores: Replicated, interaction: bool
) -> tuple[np.ndarray, np.ndarray, np.ndarray | None, np.ndarray]:
    """(μ, t), s, (ts) and residuals of the model, by numpy's lstsq on the full design."""
    n, m = scores.n_topics, scores.n_systems
    topic = np.repeat(scores.topic, m)
    system = np.tile(np.arange(m), len(scores.topic))
    t, s = contrasts(topic, n), contrasts(system, m)
    parts = [np.ones((len(topic), 1)), t, s]
    if interaction:
        parts.append((t[:, :, None] * s[:, None, :]).reshape(len(topic), -1))
    design = np.hstack(parts)
    y = scores.values.ravel()
    found, _, rank, _ = np.linalg.lstsq(design, y, rcond=None)
    assert rank == design.shape[1]
    topics = np.concatenate([found[:1], found[1:n], [-found[1:n].sum()]])
    systems = found[n : n + m - 1]
    both = None
    if interaction:
        inner = found[n + m - 1 :].reshape(n - 1, m - 1)
        both = np.block([[inner, -inner.sum(1, keepdims=True)], [-inner.sum(0, keepdims=True), inner.sum()]])
    return topics, np.append(systems, -systems.sum()), both, y - design @ found


@st.composite
def designs(draw: st.DrawFn) -> Replicated:
    n, m, x = draw(st.integers(2, 5)), draw(st.integers(2, 5)), draw(st.integers(2, 4))
    rng = np.random.default_rng(draw(st.integers(0, 2**32)))
    available = None
    if draw(st.booleans()):
        available = rng.random((n, x)) < 0.6
        available[np.arange(n), rng.integers(x, size=n)] = True
        available[0] = True
    return Replicated.of(rng.random((n, m, x)), available)


@given(designs(), st.booleans())
@settings(deadline=None)
def test_closed_form_is_least_squares(scores: Replicated, interaction: bool) -> None:
    found = fit(scores, interaction=interaction)
    topics, systems, both, residuals = least_squares(scores, interaction)
    assert np.allclose(np.concatenate([[found.mean], found.topics]), topics, atol=1e-10, rtol=0)
    assert np.allclose(found.systems, systems, atol=1e-10, rtol=0)
    assert np.allclose(found.residuals.ravel(), residuals, atol=1e-10, rtol=0)
    if both is not None:
        assert found.interaction is not None
        assert np.allclose(found.interaction, both, atol=1e-10, rtol=0)


def test_statsmodels_agrees_on_effects_and_anova() -> None:
    import pandas as pd
    import statsmodels.formula.api as smf
    from statsmodels.stats.anova import anova_lm

    rng = np.random.default_rng(3)
    available = np.array([[1, 1, 1], [1, 0, 1], [0, 1, 1], [1, 1, 0]], dtype=bool)
    for mask in (None, available):
        scores = Replicated.of(rng.random((4, 3, 3)), mask)
        frame = pd.DataFrame(
            {
                "y": scores.values.ravel(),
                "t": np.repeat(scores.topic, 3).astype(str),
                "s": np.tile(np.arange(3), len(scores.topic)).astype(str),
            }
        )
        for interaction, formula in ((True, "y ~ C(t, Sum) * C(s, Sum)"), (False, "y ~ C(t, Sum) + C(s, Sum)")):
            model = smf.ols(formula, frame).fit()
            found = fit(scores, interaction=interaction)
            assert np.allclose(
                found.systems[:2], [model.params[f"C(s, Sum)[S.{k}]"] for k in (0, 1)], atol=1e-10, rtol=0
            )
            theirs, ours = anova_lm(model, typ=1), anova_table(scores, interaction=interaction)
            size = len(theirs)
            assert ours["df"][:size].to_list() == theirs["df"].tolist()
            assert np.allclose(ours["sum_of_squares"][:size], theirs["sum_sq"], atol=1e-10)
            assert np.allclose(ours["f"][: size - 1], theirs["F"][:-1], rtol=1e-8)
            assert np.allclose(ours["p"][: size - 1], theirs["PR(>F)"][:-1], rtol=1e-6)
            assert abs(ours["sum_of_squares"][-1] - ((frame["y"] - frame["y"].mean()) ** 2).sum()) < 1e-9


def test_rescaling_is_the_square_root_of_n_by_n_minus_p() -> None:
    scores = Replicated.of(np.random.default_rng(1).random((6, 4, 3)))
    assert abs(fit(scores).rescaling - np.sqrt(3 / 2)) < 1e-15
    assert abs(fit(scores, interaction=False).rescaling - np.sqrt(72 / (72 - 9))) < 1e-15


def test_shared_and_spread_say_what_the_residuals_are() -> None:
    alone = Replicated.of(np.array([[[0.0, 1.0], [0.0, 1.0]], [[0.5, 0.5], [0.5, 0.5]]]))
    assert fit(alone).shared == pytest.approx(1.0)
    assert fit(alone).spread == pytest.approx(1.0)
    apart = Replicated.of(np.array([[[0.0, 1.0], [1.0, 0.0]], [[0.5, 0.5], [0.5, 0.5]]]))
    assert fit(apart).shared == pytest.approx(0.0)
    same = Replicated.of(np.full((2, 2, 2), 0.25))
    assert (fit(same).shared, fit(same).spread) == (0.0, 1.0)


def test_one_partition_is_no_replicate() -> None:
    scores = ScoreMatrix([[0.1, 0.2], [0.3, 0.4]], ["1", "2"], ["a", "b"], "AP")
    with pytest.raises(DataError) as caught:
        replicate_scores(scores)
    assert str(caught.value) == (
        "AP: a replicated analysis needs at least 2 partitions. Compare topic × system scores with `compare`."
    )


def test_nothing_replicated_leaves_no_residuals() -> None:
    scores = Replicated.of(np.random.default_rng(1).random((3, 2, 2)), np.array([[1, 0], [0, 1], [1, 0]], dtype=bool))
    with pytest.raises(DataError) as caught:
        fit(scores)
    assert str(caught.value) == (
        "every topic has relevant documents in one partition only, so nothing is replicated. Use fewer partitions, "
        "or the model without interaction."
    )
    assert fit(scores, interaction=False).systems.shape == (2,)
