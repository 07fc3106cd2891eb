"""Leaving systems out: the same as refitting by hand, and honest about ties that appear."""

from __future__ import annotations

import numpy as np
import pytest

from cranfield import ArgumentError, CranfieldWarning, DataError, ScoreMatrix, UnknownNameError
from cranfield.questions.standardise.fit import fit_standardisation
from cranfield.questions.standardise.robustness import standardisation_robustness

RNG = np.random.default_rng(7)
RAW = ScoreMatrix(RNG.random((6, 5)), list("123456"), list("abcde"), "AP")


@pytest.mark.parametrize("to", ["ab", "cdf", "z"])
def test_left_out_scores_are_those_of_factors_fitted_without_them(to: str) -> None:
    found = standardisation_robustness(RAW, to=to)  # type: ignore[arg-type]
    full = fit_standardisation(RAW).apply(RAW, to=to).scores.only()  # type: ignore[arg-type]
    assert [row.system for row in found.left_out] == list(RAW.systems)
    for row in found.left_out:
        refit = fit_standardisation(RAW.drop(systems=[row.system])).apply(RAW, to=to).scores.only()  # type: ignore[arg-type]
        j = RAW.systems.index(row.system)
        assert row.mean == pytest.approx(full.system_means[j], abs=1e-11)
        assert row.mean_left_out == pytest.approx(refit.system_means[j], abs=1e-11)
        assert row.max_difference == pytest.approx(np.abs(refit.values - full.values)[:, j].max(), abs=1e-11)
        assert row.rank == 1 + sum(full.system_means > full.system_means[j])
        assert row.rank_left_out == 1 + sum(refit.system_means > refit.system_means[j])
        order = [np.sign(np.subtract.outer(side, side)) for side in (full.system_means, refit.system_means)]
        assert row.tau == pytest.approx((order[0] * order[1]).sum() / 20)


def test_a_team_is_left_out_together() -> None:
    found = standardisation_robustness(RAW, teams={"a": "A", "b": "A", "e": "C"})
    assert [(row.left_out, row.system) for row in found.left_out] == [("A", "a"), ("A", "b"), ("C", "e")]
    refit = fit_standardisation(RAW.drop(systems=["a", "b"])).apply(RAW).scores.only()
    assert found.left_out[1].mean_left_out == pytest.approx(refit.system_means[1], abs=1e-11)
    summary = found.by_measure().row(0, named=True)
    assert summary["left_out"] == 3
    assert summary["largest_difference"] == max(abs(row.difference) for row in found.left_out)


def test_a_topic_only_one_system_solves() -> None:
    raw = ScoreMatrix([[0, 0, 0, 0.4], [0.1, 0.2, 0.3, 0.4]], ["1", "2"], list("abcd"), "AP")
    text = "in 1 cases (left-out system, topic) all other systems tie; the score there is average, best or worst"
    with pytest.warns(CranfieldWarning) as caught:
        found = standardisation_robustness(raw)
    assert [str(w.message) for w in caught] == [text]
    last = found.left_out[-1]
    assert (last.system, last.tied_topics) == ("d", 1)
    assert last.max_difference == pytest.approx(1 - (0.5 + 0.15 * 1.5))
    text = "AP: a z score becomes infinite, because the remaining systems all tie on a topic; use to='ab' or to='cdf'"
    with pytest.raises(DataError) as error:
        standardisation_robustness(raw, to="z")
    assert str(error.value) == text


def test_the_order_of_topics_and_systems_never_matters() -> None:
    mixed = RAW.select(topics=list("526431"), systems=list("dbeca"))
    ours = {row.system: row for row in standardisation_robustness(RAW).left_out}
    theirs = {row.system: row for row in standardisation_robustness(mixed).left_out}
    assert ours == theirs


def test_what_is_refused() -> None:
    with pytest.raises(DataError) as error:
        standardisation_robustness(RAW.select(systems=["a", "b"]))
    assert (
        str(error.value)
        == "AP: leaving systems out needs at least 3 systems; there are 2. Give scores of more systems."
    )
    with pytest.raises(ArgumentError) as bad:
        standardisation_robustness(RAW, leave_out=list("abcd"))
    assert str(bad.value) == (
        "group 'given' leaves 1 of 5 systems to fit factors on; name at least one system and leave at least 2"
    )
    with pytest.raises(ArgumentError) as bad:
        standardisation_robustness(RAW, teams={})
    assert str(bad.value) == "`teams` is empty; name the team of at least one system."
    with pytest.raises(ArgumentError) as bad:
        standardisation_robustness(RAW, leave_out=[])
    assert str(bad.value) == "`leave_out` is empty; name at least one system to leave out."
    with pytest.raises(ArgumentError) as bad:
        standardisation_robustness(RAW, leave_out="a", teams={"a": "A"})
    assert str(bad.value) == "`leave_out` and `teams` both say what to leave out; give one of them"
    with pytest.raises(UnknownNameError, match="unknown system 'x'"):
        standardisation_robustness(RAW, leave_out="x")
