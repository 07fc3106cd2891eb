"""The recipes run as they stand, in their order."""

from __future__ import annotations

import re
import shlex
from pathlib import Path

import click
import pytest

from cranfield.cli.main import app
from support import Type

PAGE = Path(__file__).resolve().parents[1] / "docs" / "recipes.md"
COMMANDS = [
    shlex.split(line, comments=True)
    for line in re.findall(r"^\$ cranfield (.*)$", PAGE.read_text(), flags=re.MULTILINE)
]


@pytest.mark.parametrize("words", COMMANDS, ids=" ".join)
def test_every_option_is_there(words: list[str]) -> None:
    """Quick: the words are read as the program reads them, and nothing is done."""
    command: click.Command = app
    context = click.Context(app)
    while isinstance(command, click.Group):
        found = command.get_command(context, words[0])
        assert found is not None, words[0]
        command, words = found, words[1:]
    command.make_context("cranfield", list(words))


@pytest.mark.slow
def test_every_command_runs(cranfield: Type) -> None:
    for words in COMMANDS:
        result = cranfield(*words)
        assert result.exit_code == 0, f"{' '.join(words)}\n{result.stderr}"
