"""What takes long or much is said before the work begins."""

from __future__ import annotations

import numpy as np
import pytest

from cranfield import CranfieldWarning, DataError, ScoreMatrix, build_report, compare, correlate
from cranfield.core import resources
from cranfield.core.resources import Demand, announced_to
from cranfield.questions.compare.tests import TESTS, Size
from cranfield.reports import report as report_module
from support import Type


def scores(n_topics: int, n_systems: int) -> ScoreMatrix:
    values = np.random.default_rng(1).beta(2, 3, (n_topics, n_systems))
    return ScoreMatrix(values, [str(t) for t in range(n_topics)], [f"s{i}" for i in range(n_systems)], "AP")


def test_what_takes_a_while_is_a_warning_before_the_work(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(resources, "A_WHILE", 0.0)
    with pytest.warns(
        CranfieldWarning, match=r"comparing 3 systems on 20 topics \(paired t-test\) takes about 1 second"
    ):
        compare(scores(20, 3), test="t")
    with pytest.warns(CranfieldWarning, match=r"resampling 5 systems on 20 topics takes .* fewer resamples take less"):
        correlate(scores(20, 5), scores(20, 5), n_resamples=10)


def test_whoever_listens_is_told_instead(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(resources, "A_WHILE", 0.0)
    heard: list[str] = []
    with announced_to(heard.append):
        compare(scores(20, 3), n_resamples=100)
    assert len(heard) == 1
    assert heard[0].endswith("fewer resamples, a baseline instead of all pairs, or the t-test would take less")


def test_the_flips_of_a_correction_count(monkeypatch: pytest.MonkeyPatch) -> None:
    told: list[Demand] = []
    monkeypatch.setattr(Demand, "foretell", lambda self: told.append(self))
    for correction in ("holm", "westfall-young"):
        compare(scores(70, 5), test="t", correction=correction, n_resamples=50_000)
    twice = 2 * resources.flipped_sums(70, 5, 50_000)
    assert twice < told[1].seconds - told[0].seconds < 2 * twice
    assert told[1].instead == "fewer resamples, another correction, or fewer systems would take less"


def test_what_is_quick_is_not_announced() -> None:
    compare(scores(50, 5), n_resamples=100)  # a warning would be an error here


def test_what_does_not_fit_into_memory_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(resources, "machine_memory", lambda: 90.0)  # less than Python takes
    with pytest.raises(DataError, match=r"needs about 16[01] MB of memory, and this machine has 90 MB; fewer systems"):
        compare(scores(20, 3), test="t")


def test_the_command_line_says_it_on_stderr(cranfield: Type, monkeypatch: pytest.MonkeyPatch) -> None:
    from cranfield import write_scores

    write_scores(scores(20, 3), "scores.csv")
    monkeypatch.setattr(resources, "A_WHILE", 0.0)
    ended = cranfield("leaderboard", "scores.csv", "--format", "csv")
    assert ended.exit_code == 0
    assert "comparing 3 systems on 20 topics (randomisation test) takes about" in ended.stderr
    assert "processor time" not in ended.stdout


def test_a_report_of_too_many_scores_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(report_module, "MOST_SCORES", 59)
    with pytest.raises(
        DataError, match=r"60 scores \(20 topics × 3 systems\) are too many for a report; the limit is 59\."
    ):
        build_report(scores(20, 3))


@pytest.mark.parametrize("test", list(TESTS))
def test_every_test_takes_more_of_more(test: str) -> None:
    small, large = Size(100, 10, 45, 1000, True), Size(1000, 20, 190, 2000, True)
    assert 0 < TESTS[test].work(small) < TESTS[test].work(large)


def test_text() -> None:
    text = str(Demand("this", 20_000, 2_500, "that takes less"))
    assert text == "this takes about 6 hours of processor time and 2.5 GB after reading; that takes less"
