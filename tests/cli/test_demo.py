"""The demonstration: every command of the story works, in order, on the sample."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from cranfield import compare, read_scores
from cranfield.cli.commands import sample
from cranfield.cli.commands.sample import STORY
from support import SMALL, Type, counts


@pytest.mark.filterwarnings("ignore::cranfield.core.errors.CranfieldWarning")
def test_the_story_is_told_to_the_end(cranfield: Type, monkeypatch: pytest.MonkeyPatch) -> None:
    first, *others = STORY
    monkeypatch.setattr(sample, "STORY", (first._replace(words=(*first.words, *SMALL)), *others))
    result = cranfield("demo", "here")
    assert result.exit_code == 0, result.stderr
    for number, step in enumerate(STORY, 1):
        assert f"── {number} of {len(STORY)} " in result.stderr
        assert f"$ cranfield {step.words[0]}" in result.stderr
    assert re.search(r"^\d+ topics by AP$", result.stdout, re.MULTILINE)
    report = Path("here/report.html").read_text()
    assert report.startswith("<!doctype html>")
    # Commands, report and library count the same pairs that differ.
    (by_command,) = counts(result.stdout + result.stderr)
    assert by_command in counts(re.sub(r"<[^>]+>", "", report))
    found = compare(read_scores(Path("here/scores.parquet"), measure="AP"))
    assert by_command == (int(found.significant.sum()), len(found.p))
    told = [line for line in result.stderr.splitlines() if not line.startswith("$ ")]
    assert max(map(len, told)) <= 80


def test_the_story_ends_with_a_command_that_fails(cranfield: Type) -> None:
    Path("here").write_text("a file where a directory is to be")
    result = cranfield("demo", "here")
    assert result.exit_code == 1
    assert result.stderr.count("error: ") == 1
    assert "2 of 7" not in result.stderr
    assert "Open here" not in result.stderr


def test_the_story_ends_when_it_is_interrupted(cranfield: Type, monkeypatch: pytest.MonkeyPatch) -> None:
    def interrupted(*_: object, **__: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr("cranfield.collection.sample.make_sample", interrupted)
    result = cranfield("demo", "here")
    assert result.exit_code == 130
    assert result.stderr.endswith("\ninterrupted\n")
    assert "2 of 7" not in result.stderr
