"""Does a recommendation deliver, and are simulated matrices what they say?"""

from __future__ import annotations

from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from scipy import stats

from cranfield import ScoreMatrix, make_scores, read_scores, simulate_design, simulate_scores, write_scores
from cranfield.core.errors import ArgumentError, DataError, UnknownNameError
from cranfield.questions.simulate.design import reached_width


def test_a_recommendation_delivers_on_normal_scores() -> None:
    scores = make_scores(400, 10, system_effects=[0.0] * 10)
    found = simulate_design(scores, 5, 0.1, n_topics=100, n_pilots=4, n_trials=400)
    power = ["pilot", "topics", "promised", "reached", "lower", "upper"]
    width = ["width_promised", "width_reached", "width_lower", "width_upper"]
    assert found.to_frame().columns == [*power, *width]
    rows = found.rows
    assert ((rows["width_lower"] <= rows["width_reached"]) & (rows["width_reached"] <= rows["width_upper"])).all()
    # Differences have sd √(2 · .0125): the width of a t-interval with so many topics is known.
    n = rows["topics"].to_numpy()
    known = 2 * stats.t.ppf(0.975, n - 1) * np.sqrt(2 * 0.0125 / n)
    assert np.abs(rows["width_reached"].to_numpy() / known - 1).max() < 0.05
    assert np.abs(rows["width_promised"].to_numpy() / known - 1).max() < 0.1
    assert "Intervals of an average pair are" in " ".join(found.answer().sentences)
    assert ((rows["lower"] <= rows["reached"]) & (rows["reached"] <= rows["upper"])).all()
    assert abs(rows["reached"].mean() - 0.8) < 0.08  # type: ignore[operator]
    assert "(0.8 promised)" in found.summary()
    again = simulate_design(scores, 5, 0.1, n_topics=100, n_pilots=4, n_trials=400, workers=1)
    assert again.rows.equals(rows)


def test_an_interrupted_simulation_of_designs_goes_on(tmp_path: Path) -> None:
    ask = partial(simulate_design, make_scores(60, 6), 4, 0.1, n_trials=100)
    whole, part = ask(n_pilots=3), ask(n_pilots=2, work=tmp_path / "design.work")
    assert part.rows.equals(whole.rows.head(2))
    steps: list[tuple[int, int]] = []
    more = ask(n_pilots=3, work=tmp_path / "design.work", progress=lambda done, total: steps.append((done, total)))
    assert more.rows.equals(whole.rows)
    assert steps == [(3, 3)]
    with pytest.raises(ArgumentError, match="belongs to another job: its n_trials is 100, now 50"):
        simulate_design(make_scores(60, 6), 4, 0.1, n_trials=50, work=tmp_path / "design.work")


def test_simulated_scores_have_their_truth(tmp_path: Path) -> None:
    past = make_scores(60, 8)
    same = simulate_scores(past, n_topics=5000)
    assert same.scores.n_systems == 8
    assert np.abs(same.scores.values.mean(axis=0) - same.truth["mean"].to_numpy()).max() < 0.02
    equal = simulate_scores(past, n_topics=5000, n_systems=4, difference=0.05)
    means = equal.truth["mean"].to_numpy()
    assert np.allclose(means - means[0], [0, 0, 0.05, 0.05])
    assert np.abs(equal.scores.values.mean(axis=0) - means).max() < 0.02
    assert len(set(equal.truth["source"])) == 4
    write_scores(equal.scores, tmp_path / "s.parquet")
    assert read_scores(tmp_path / "s.parquet").only() == equal.scores
    assert (
        simulate_scores(past, n_topics=50, n_systems=4).scores == simulate_scores(past, n_topics=50, n_systems=4).scores
    )


@pytest.mark.parametrize(
    ("settings", "text"),
    [
        ({"n_systems": 20}, "there are 6 to draw from"),
        ({"n_systems": 1}, "`n_systems` must be"),
        ({"n_topics": 0}, "`n_topics` must be"),
        ({"difference": -1.0}, "`difference` must be"),
        ({"difference": 9.0}, "`difference` 9 is not possible"),
    ],
)
def test_scores_that_cannot_be_made(settings: dict[str, Any], text: str) -> None:
    with pytest.raises(ArgumentError, match=text):
        simulate_scores(make_scores(20, 6), **settings)


@pytest.mark.parametrize(
    ("settings", "text"),
    [
        ({"n_pilots": 0}, "`n_pilots`"),
        ({"n_trials": 0}, "`n_trials`"),
        ({"n_topics": 2}, "`n_topics` must be at least 5"),
        ({"n_systems": 20}, "the scores have 6"),
    ],
)
def test_designs_that_cannot_be_simulated(settings: dict[str, Any], text: str) -> None:
    with pytest.raises(ArgumentError, match=text):
        simulate_design(make_scores(20, 6), **({"n_systems": 3, "min_diff": 0.1} | settings))


def matrix(values: Any, measure: str = "AP") -> ScoreMatrix:
    values = np.asarray(values, dtype=float)
    return ScoreMatrix(values, map(str, range(len(values))), [f"s{j}" for j in range(values.shape[1])], measure)


NOISE = np.random.default_rng(1).random((20, 3)).round(2)
BAD: dict[str, tuple[ScoreMatrix, str]] = {
    "one system": (matrix(NOISE[:, :1]), "2 systems"),
    "two topics": (matrix(NOISE[:2]), "at least 5 topics; there are 2"),
    "all constant": (matrix(np.full((20, 3), 0.3)), "same score on every topic|scores are 0.3"),
}


@pytest.mark.parametrize("name", BAD)
def test_scores_that_tell_nothing_are_refused(name: str) -> None:
    scores, text = BAD[name]
    with pytest.raises(DataError, match=text):
        simulate_design(scores, 2, 0.1, n_topics=50, n_pilots=1, n_trials=10)
    for mode in ("resample", "copula"):
        if mode == "copula":
            pytest.importorskip("pyvinecopulib")
        with pytest.raises(DataError, match=text):
            simulate_scores(scores, mode=mode)


def test_scores_beyond_the_measure_have_no_margins() -> None:
    pytest.importorskip("pyvinecopulib")
    with pytest.raises(DataError, match=r"P@10 cannot be 0\.\d+: its values are"):
        simulate_scores(matrix(NOISE, "P@10"), mode="copula")
    with pytest.raises(DataError, match="scores between 0 and 1"):
        simulate_scores(matrix(10 * NOISE), mode="copula")
    assert simulate_scores(matrix(10 * NOISE)).scores.n_systems == 3
    with pytest.raises(UnknownNameError, match="unknown mode"):
        simulate_scores(matrix(NOISE), mode="vine")  # type: ignore[arg-type]


@pytest.mark.parametrize("scale", [1e-300, 1e-90, 1e90, 1e300])
def test_a_width_is_in_the_units_of_the_scores_however_large_or_small(scale: float) -> None:
    x = np.random.default_rng(1).normal(0, 0.1, (50, 4))
    want = reached_width(x, 20, n_trials=64)
    assert reached_width(x * scale, 20, n_trials=64) == pytest.approx(
        tuple(scale * one for one in want), rel=1e-9, abs=0
    )
