"""Imports go one way: a room may use the rooms above it, never those below."""

from __future__ import annotations

import ast
import re
from pathlib import Path

import pytest

SOURCE = Path(__file__).resolve().parents[1] / "src" / "cranfield"
ROOMS = [
    "errors lazy registry defaults labels signature results files executors resampling",
    "settings",
    "scores",
    "collection",
    "measures",
    "variance",
    "standardise",
    "trec_eval",
    "comparison",
    "gating",
    "paper",
    "design",
    "replicates",
    "tuning",
    "reliability",
    "monitoring",
    "reuse",
    "present",
    "web",
    "cli",
]
LEVEL = {room: level for level, rooms in enumerate(ROOMS) for room in rooms.split()}
OUTSIDERS = {"altair": {"present"}, "vl_convert": {"present"}, "jinja2": {"present", "web"}}
OUTSIDERS |= {"typer": {"cli"}, "rich": {"cli"}, "fastapi": {"web"}, "uvicorn": {"web", "cli"}}
MODULES = sorted(SOURCE.rglob("*.py"))


def imports(path: Path) -> list[str]:
    """Every module a file imports, also inside functions (but not for type checking only)."""
    tree = ast.parse(path.read_text())
    for node in ast.walk(tree):
        if isinstance(node, ast.If) and ast.unparse(node.test) == "TYPE_CHECKING":
            node.body = []
    found = []
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            found += [alias.name for alias in node.names]
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, f"{path}: relative import; write the full name"
            found += [f"{node.module}.{alias.name}" for alias in node.names]
    return found


def room_of(path: Path) -> str:
    return path.relative_to(SOURCE).parts[0].removesuffix(".py")


@pytest.mark.parametrize("path", MODULES, ids=lambda p: str(p.relative_to(SOURCE)))
def test_imports_go_upward_only(path: Path) -> None:
    room = room_of(path)
    for name in imports(path):
        parts = name.split(".")
        if parts[0] == "cranfield" and len(parts) > 1 and parts[1] in LEVEL and room in LEVEL:
            assert LEVEL[parts[1]] <= LEVEL[room], f"{path}: {room} must not import {name}"
        if parts[0] in OUTSIDERS:
            assert room in OUTSIDERS[parts[0]], f"{path}: {parts[0]} belongs in {OUTSIDERS[parts[0]]} only"


def test_every_module_has_its_room() -> None:
    unlisted = {room_of(path) for path in MODULES} - set(LEVEL) - {"__init__", "__main__"}
    assert not unlisted, f"add {unlisted} to ROOMS and to docs/architecture.md"


def test_the_rule_can_fail(tmp_path: Path) -> None:
    bad = tmp_path / "bad.py"
    bad.write_text("def f():\n    from cranfield.cli import output\n    import typer\n")
    assert imports(bad) == ["cranfield.cli.output", "typer"]


def command_line_words(tree: ast.AST) -> list[str]:
    """Options of the command line in strings that are not docstrings."""
    heads = (ast.Module, ast.FunctionDef, ast.ClassDef)
    prose = {id(n.body[0].value) for n in ast.walk(tree) if isinstance(n, heads) and isinstance(n.body[0], ast.Expr)}
    texts = [n for n in ast.walk(tree) if isinstance(n, ast.Constant) and isinstance(n.value, str)]
    return [text.value for text in texts if id(text) not in prose and re.search(r"(?<![\w-])--[a-z]", text.value)]


@pytest.mark.parametrize("path", MODULES, ids=lambda p: str(p.relative_to(SOURCE)))
def test_messages_of_the_library_name_no_option_of_the_command_line(path: Path) -> None:
    if room_of(path) not in ("cli", "web", "trec_eval"):  # the last reads a command line itself
        assert command_line_words(ast.parse(path.read_text())) == []


def test_an_option_in_a_message_is_seen() -> None:
    assert command_line_words(ast.parse('def f():\n    """See --empty."""\n    raise E(f"{x}; use --empty keep")')) == [
        "; use --empty keep"
    ]
