"""Help: commands and options below headings, the most used first, and suggestions for unknown words."""

from __future__ import annotations

import re
from pathlib import Path
from typing import get_args

import pytest

from cranfield.cli.build import MOST_USED, OTHER_WORDS, command_of
from cranfield.core.options import OptionGroup
from cranfield.core.question import GROUPS, HelpGroup, Question, questions
from support import Type

every_question = pytest.mark.parametrize("question", questions().values(), ids=questions())


def headings(text: str) -> list[str]:
    return re.findall(r"^(\w[\w ]*):$", text, re.M)


def test_commands_stand_below_their_headings(cranfield: Type) -> None:
    shown = cranfield("--help").stdout
    assert headings(shown) == ["Options", *get_args(HelpGroup)]
    listed = re.findall(r"^  ([a-z][\w-]*) +\S", shown.partition("Options:")[2], re.M)
    assert sorted(listed) == sorted({*(name.split()[0] for name in questions()), "trec_eval", "help"})
    compare = shown.partition("\nCompare:\n")[2].partition("\n\n")[0]
    assert "\n  compare " in compare


@every_question
def test_options_stand_below_headings_and_each_only_once(question: type[Question], cranfield: Type) -> None:
    shown = cranfield(*question.command.split(), "--help").stdout
    found = headings(shown)
    known = ["Most used", *get_args(OptionGroup)]
    assert [one for one in found if one != "Examples"] == [one for one in known if one in found]
    options = shown[shown.index(f"\n{next(one for one in found if one in known)}:") :]
    entries = re.findall(r"^  (-[^\s,]+)", options, re.M)
    assert len(entries) == len(set(entries))
    if "Most used" in found:
        most = shown.partition("Most used:\n")[2].partition("\n\n")[0]
        assert len(re.findall(r"^  -", most, re.M)) <= MOST_USED + 1


@every_question
def test_what_is_required_is_among_the_first(question: type[Question]) -> None:
    command = command_of(question)
    first = next(iter(command.headings.values()), "")  # type: ignore[attr-defined]
    required = {one.name for one in question.all() if one.required and not one.argument}
    assert all(command.headings[name] == first for name in required)  # type: ignore[attr-defined]


@pytest.mark.parametrize(
    ("typed", "meant"),
    [
        ("eval", "'evaluate'"),
        ("power", "'design'"),
        ("significance", "'compare'"),
        ("judge", "'judges'"),
        ("nuggets", "'convert'"),
        ("standardise fot", "'standardise fit'"),
        ("recommend", "'design recommend'"),
        ("comapre", "'compare'"),
        ("design recomend", "'design recommend'"),
    ],
)
def test_an_unknown_command_suggests_what_was_meant(cranfield: Type, typed: str, meant: str) -> None:
    result = cranfield(*typed.split())
    assert result.exit_code == 2
    assert f"No such command '{typed}'. Did you mean {meant}?" in result.stderr


def test_no_alias_is_a_command_or_belongs_to_two() -> None:
    words = [word for one in [*GROUPS.values(), *questions().values()] for word in one.aliases]
    assert len(words) == len(set(words))
    assert not {name.split()[0] for name in questions()} & set(words)


@pytest.mark.parametrize(
    ("typed", "meant"), [("--metric", "'--measure'"), ("--aplha", "'--alpha'"), ("--threads", "'--workers'")]
)
def test_an_unknown_option_suggests_what_was_meant(cranfield: Type, typed: str, meant: str) -> None:
    result = cranfield("compare", "x", typed, "1")
    assert result.exit_code == 2
    assert f"No such option '{typed}'. Did you mean {meant}" in result.stderr


def test_an_option_of_other_tools_stands_for_one_of_ours() -> None:
    ours = {flag for one in questions().values() for option in command_of(one).params for flag in option.opts}
    assert set(OTHER_WORDS.values()) <= ours


def test_piped_output_respects_columns(cranfield: Type, monkeypatch: pytest.MonkeyPatch) -> None:
    Path("a.AP.csv").write_text("topic,bm25,ql\n" + "".join(f"{i},{i % 7 / 7},{i % 5 / 5}\n" for i in range(40)))
    words = ("compare", "a.AP.csv", "--test", "t")
    monkeypatch.delenv("COLUMNS", raising=False)
    whole = cranfield(*words).stdout
    monkeypatch.setenv("COLUMNS", "60")
    narrow = cranfield(*words).stdout
    assert max(map(len, narrow.splitlines())) <= 60 < max(map(len, whole.splitlines()))
    assert "\x1b" not in narrow
