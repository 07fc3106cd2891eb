"""The gallery of the manual: a heading, a command and a picture for every chart."""

from __future__ import annotations

import importlib
import os
import re
import shlex
from pathlib import Path

import pytest

import examples
from cranfield.cli.output import chart_kinds
from cranfield.core.question import questions

DOCS = Path(__file__).resolve().parents[1] / "docs"


def test_every_chart_stands_beside_a_command_that_draws_it(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Of two questions; `test_every_question.py` draws the charts of all."""
    few = {"variance", "design pairs"}
    monkeypatch.syspath_prepend(str(DOCS))
    gallery = importlib.import_module("gallery")
    monkeypatch.setattr(examples, "EXAMPLES", [one for one in examples.EXAMPLES if one.question.command in few])
    page = tmp_path / "gallery.md"
    gallery.write(page)
    text = page.read_text()
    for command in few:
        part = text.split(f"## {command}\n")[1]
        assert {f"### {kind}" for kind in chart_kinds(questions()[command])} <= set(part.splitlines())
    pictures = re.findall(r"\]\((.+?)\)", text)
    assert len(pictures) == text.count("\n### ")
    assert all((tmp_path / one).read_text().startswith("<svg") for one in pictures)
    first = shlex.split(re.findall(r"^\$ cranfield (.+)$", text, flags=re.MULTILINE)[0])
    with examples.folder():
        assert examples.type_words(first).exit_code == 0
        assert Path(first[-1]).stat().st_size > 1000
    os.utime(page, (2e9, 2e9))
    (tmp_path / pictures[0]).unlink()
    gallery.write(page)
    assert not (tmp_path / pictures[0]).exists(), "a page newer than the program is kept"
