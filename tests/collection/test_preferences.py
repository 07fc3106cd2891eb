"""Preferences as levels for graded measures."""

from __future__ import annotations

from pathlib import Path

import pytest

from cranfield import DataError, evaluate
from cranfield.collection.preferences import Preferences, read_preferences
from small_collections import run_of


def levels(tmp_path: Path, text: str) -> dict[str, int]:
    (tmp_path / "prefs").write_text(text)
    frame = read_preferences(tmp_path / "prefs").as_qrels().frame
    return dict(frame.select("document", "relevance").iter_rows())


def test_levels_are_places_in_the_order(tmp_path: Path) -> None:
    """a over b over c from two subgroups; d over c only; e is not relevant."""
    text = "1 g s a 9\n1 g s b 5\n1 g t b 2\n1 g t c 1\n1 g u d 2\n1 g u c 1\n1 g u e 0\n"
    assert levels(tmp_path, text) == {"a": 3, "b": 2, "c": 1, "d": 2, "e": 0}


def test_groups_that_agree_are_taken_together(tmp_path: Path) -> None:
    assert levels(tmp_path, "1 ann s a 2\n1 ann s b 1\n1 bob s b 2\n1 bob s c 1\n") == {"a": 3, "b": 2, "c": 1}


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("1 ann s a 2\n1 ann s b 1\n1 bob s b 2\n1 bob s a 1\n", "topic 1: the preferences contradict each other"),
        ("1 ann s a 2\n1 bob s a 0\n", "topic 1: document a is called both relevant and not relevant"),
    ],
)
def test_contradictions_have_no_order(tmp_path: Path, text: str, message: str) -> None:
    with pytest.raises(DataError) as error:
        levels(tmp_path, text)
    assert str(error.value).startswith(message)


@pytest.mark.filterwarnings("ignore::cranfield.CranfieldWarning")
def test_compatibility_takes_preferences(tmp_path: Path) -> None:
    (tmp_path / "prefs").write_text("1 g s a 3\n1 g s b 2\n1 g s c 0\n")
    preferences = read_preferences(tmp_path / "prefs")
    assert isinstance(preferences, Preferences)
    best, worse = (run_of([("1", one, -at) for at, one in enumerate(order)], order) for order in ("abc", "bac"))
    found = evaluate(preferences.as_qrels(), [best, worse], "Compat").only()
    assert found.values[0, 0] == pytest.approx(1)
    assert found.values[0, 1] < 1
    assert any("places in the order of preference" in step for step in found.provenance)
