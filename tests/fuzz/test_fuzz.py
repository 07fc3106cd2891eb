"""A short run of the fuzzer (`make fuzz` runs it for as long as you like), and what it found, each once more."""

from __future__ import annotations

from pathlib import Path

import pytest

from fuzz import commands
from fuzz.run import fuzz

CONSTANT = "topic,a,b,c\nt0,0.1,0.2,0.4\nt1,0.3,0.4,0.6\nt2,0.2,0.3,0.5\n"
USUAL = "topic,a,b,c\nt0,0.1,0.7,0.4\nt1,0.3,0.4,0.9\nt2,0.2,0.8,0.5\nt3,0.6,0.1,0.3\n"
TINY = "topic,a,b,c\nt0,1e-151,7e-151,4e-151\nt1,3e-151,4e-151,9e-151\nt2,2e-151,8e-151,5e-151\n"
HUGE = "topic,a,b,c\nt0,1e80,7e79,4e79\nt1,3e79,4e80,9e79\nt2,2e79,8e80,5e80\nt3,6e80,1e80,3e79\n"
FOUND = [
    (USUAL, "correlate x.csv x.csv --resamples 1"),
    (USUAL, "design recommend x.csv --systems 3 --min-diff 0.2 --power 1e-16"),
    (USUAL, "design recommend x.csv --systems 4 --min-diff 0.2 --alpha 0.9999999999999999"),
    (USUAL, "design recommend x.csv --systems 4 --min-diff 0.2 --alpha 1e-300"),
    (TINY, "gate x.csv --baseline b --candidate c --margin 1 --alpha 1e-300"),
    (USUAL, "gate x.csv --baseline b --candidate c --margin 1e-300"),
    (CONSTANT, "standardise effect x.csv --resamples 20 --to z --factors factors.csv"),
    (TINY, "design anova --scores x.csv --topics 20 --min-diff 1e8 --min-diff 0.1"),
    (HUGE, "variance x.csv --anova"),
    (CONSTANT, "monitor x.csv --per-look 2 --looks 2"),
]


@pytest.mark.parametrize(("kind", "inputs"), [("readers", 400), ("commands", 60)])
def test_some_broken_inputs_are_all_answered(kind: str, inputs: int) -> None:
    tried, findings = fuzz(kind, 1, 60.0, inputs)
    assert sum(tried.values()) > 20
    assert not findings, "\n\n".join(findings.values())


@pytest.mark.slow
@pytest.mark.parametrize(("kind", "inputs"), [("readers", 60_000), ("commands", 3_000)])
def test_many_broken_inputs_are_all_answered(kind: str, inputs: int) -> None:
    _, findings = fuzz(kind, 1_000_000, 600.0, inputs)
    assert not findings, "\n\n".join(findings.values())


@pytest.mark.parametrize(("table", "words"), FOUND, ids=[words for _, words in FOUND])
def test_what_was_found_before(table: str, words: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    commands.prepare(tmp_path)
    Path("x.csv").write_text(table)
    for format in ("json", "table"):
        codes = commands.CODES.get(words.split(maxsplit=1)[0], {0, 1, 2})
        assert commands.run([*words.split(), "--format", format], format, codes) is None
