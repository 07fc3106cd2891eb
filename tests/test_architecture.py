"""Imports go one way: a room may use the rooms above it, never those below."""

from __future__ import annotations

import ast
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

SOURCE = Path(__file__).resolve().parents[1] / "src" / "cranfield"
ROOMS = ["core", "scores", "collection", "measures", "questions", "trec_eval", "reports", "web", "cli"]
LEVEL = {room: level for level, room in enumerate(ROOMS)}
OUTSIDERS = {
    "altair": ("core/charts/", "charts.py"),
    "vl_convert": ("core/charts/",),
    "jinja2": ("core/pages.py", "reports/", "web/"),
    "click": ("cli/",),
    "rich": ("cli/",),
    "fastapi": ("web/",),
    "uvicorn": ("web/", "cli/"),
    "pyvinecopulib": ("questions/simulate/",),
    "distributed": ("core/cluster.py",),
}
"""Libraries that belong in some files only, by the beginning or the end of their paths."""
ALLOWED = {
    # Scores are looked up by any name of their measure, and what names mean is known where measures are.
    ("scores", "cranfield.measures.names.recognise"),
    # Scores and checks of files are results too, and the folder of the question they answer says what they say.
    ("scores", "cranfield.questions.evaluate.answer.scores_answer"),
    ("scores", "cranfield.questions.evaluate.charts"),
    ("collection", "cranfield.questions.check.answer.check_answer"),
    ("collection", "cranfield.questions.check.charts"),
    # The report is a skin that goes through the other questions, and a question itself.
    ("questions", "cranfield.reports.report.report"),
}
MODULES = sorted(SOURCE.rglob("*.py"))


def imports(path: Path) -> list[str]:
    """Every module a file imports, also inside functions (but not for type checking only)."""
    tree = ast.parse(path.read_text())
    for node in ast.walk(tree):
        if isinstance(node, ast.If) and ast.unparse(node.test) == "TYPE_CHECKING":
            node.body = []
    names = []
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            names += [alias.name for alias in node.names]
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, f"{path}: relative import; write the full name"
            names += [f"{node.module}.{alias.name}" for alias in node.names]
    return names


def room_of(path: Path) -> str:
    return path.relative_to(SOURCE).parts[0].removesuffix(".py")


def broken(path: Path, names: list[str]) -> list[str]:
    """What a module must not import, of what it imports."""
    room, place, wrong = room_of(path), path.relative_to(SOURCE).as_posix(), []
    for name in names:
        parts = name.split(".")
        if (room, name) in ALLOWED:
            continue
        if parts[0] == "cranfield" and len(parts) > 1 and LEVEL.get(parts[1], -1) > LEVEL.get(room, len(ROOMS)):
            wrong.append(f"{room} must not import {name}")
        homes = OUTSIDERS.get(parts[0])
        if homes is not None and not any(place.startswith(home) or place.endswith(home) for home in homes):
            wrong.append(f"{parts[0]} belongs in {', '.join(homes)} only")
    return wrong


@pytest.mark.parametrize("path", MODULES, ids=lambda p: str(p.relative_to(SOURCE)))
def test_imports_go_upward_only(path: Path) -> None:
    assert broken(path, imports(path)) == []


def test_every_room_and_outsider_is_met() -> None:
    assert {room_of(path) for path in MODULES} >= set(LEVEL), "a room of the list that is no longer there"
    used = {name.split(".")[0] for path in MODULES for name in imports(path)}
    assert set(OUTSIDERS) <= used
    assert {(room_of(path), name) for path in MODULES for name in imports(path)} >= ALLOWED


def test_every_module_has_its_room() -> None:
    unlisted = {room_of(path) for path in MODULES} - set(LEVEL) - {"__init__", "__main__"}
    assert not unlisted, f"add {unlisted} to ROOMS and to docs/architecture.md"


def test_the_rule_can_fail(tmp_path: Path) -> None:
    bad = tmp_path / "bad.py"
    bad.write_text(
        "from typing import TYPE_CHECKING\n"
        "if TYPE_CHECKING:\n    from cranfield.web import server\n"
        "def f():\n    from cranfield.cli import output\n    import rich.table, typer\n    from cranfield.core import errors\n"
    )
    names = imports(bad)
    assert names[1:] == ["cranfield.cli.output", "rich.table", "typer", "cranfield.core.errors"]
    assert broken(SOURCE / "questions" / "design" / "anova.py", names) == [
        "questions must not import cranfield.cli.output", "rich belongs in cli/ only",
    ]  # fmt: skip
    assert broken(SOURCE / "cli" / "main.py", names) == []
    assert broken(SOURCE / "core" / "labels.py", ["cranfield.scores.matrix", "cranfield.core.errors"]) == [
        "core must not import cranfield.scores.matrix"
    ]


HEAVY = {
    "numpy",
    "polars",
    "scipy",
    "pandas",
    "pydantic",
    "altair",
    "vl_convert",
    "jinja2",
    "fastapi",
    "rich",
    "distributed",
}


def modules_after(code: str) -> set[str]:
    """Everything that a fresh Python has imported after some code."""
    code += "\nimport sys; print(*sys.modules, file=sys.stderr)"
    environment = {**os.environ, "PYTHONPATH": str(SOURCE.parent)}
    ended = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True, env=environment)
    return {name.split(".")[0] for name in ended.stderr.split()}


HELP = "from click.testing import CliRunner; from cranfield.cli.main import app\nfor words in {}: assert CliRunner().invoke(app, words).exit_code == 0"
SETTINGS = "from cranfield.core.question import questions; assert len(questions()) > 20"
LIGHT = {
    "the package": "import cranfield",
    "the list of commands": HELP.format([["--help"], ["design", "--help"]]),
    "the help of commands": HELP.format([["compare", "--help"], ["variance", "--help"], ["convert", "--help"]]),
    "every question": SETTINGS,
    "every choice": SETTINGS + "\nfor one in questions().values():\n    for each in one.all(): each.choices",
}


@pytest.mark.parametrize("what", LIGHT)
def test_a_light_start(what: str) -> None:
    assert modules_after(LIGHT[what]) & HEAVY == set()


def test_a_heavy_start_is_seen() -> None:
    assert "numpy" in modules_after("import cranfield; cranfield.ScoreMatrix") & HEAVY


FOLDERS = [
    "scores/formats",
]
FILLED = ["questions/variance/estimators.py", "questions/compare/tests.py", "questions/compare/corrections.py"]
"""Registries that one module fills."""
IN_FOLDERS = [path for folder in FOLDERS for path in sorted((SOURCE / folder).glob("*.py"))]
REGISTERED = [*IN_FOLDERS, *(SOURCE / path for path in FILLED)]
QUESTIONS = sorted((SOURCE / "questions").glob("*/question.py"))


def imports_at_the_top(tree: ast.Module) -> set[str]:
    """The packages that a module imports when it is itself imported, by the first part of their names."""
    names = {alias.name for node in tree.body if isinstance(node, ast.Import) for alias in node.names}
    names |= {str(node.module) for node in tree.body if isinstance(node, ast.ImportFrom)}
    return {name.split(".")[0] for name in names}


@pytest.mark.parametrize("path", REGISTERED + QUESTIONS, ids=lambda p: str(p.relative_to(SOURCE)))
def test_a_registered_file_imports_nothing_heavy(path: Path) -> None:
    assert imports_at_the_top(ast.parse(path.read_text())) & HEAVY == set()


def test_every_folder_holds_files() -> None:
    assert {path.parent.relative_to(SOURCE).as_posix() for path in IN_FOLDERS} == set(FOLDERS)
    assert imports_at_the_top(ast.parse("import numpy as np\nfrom scipy.special import ndtr")) & HEAVY == {
        "numpy",
        "scipy",
    }


def command_line_words(tree: ast.AST) -> list[str]:
    """Options of the command line in strings that are not docstrings and do not quote a whole command."""
    heads = (ast.Module, ast.FunctionDef, ast.ClassDef)
    prose = {id(n.body[0].value) for n in ast.walk(tree) if isinstance(n, heads) and isinstance(n.body[0], ast.Expr)}
    texts = [n for n in ast.walk(tree) if isinstance(n, ast.Constant) and isinstance(n.value, str)]
    spoken = [text.value for text in texts if id(text) not in prose and "`cranfield " not in text.value]
    return [text for text in spoken if re.search(r"(?<![\w-])--[a-z]", text)]


@pytest.mark.parametrize("path", MODULES, ids=lambda p: str(p.relative_to(SOURCE)))
def test_messages_of_the_library_name_no_option_of_the_command_line(path: Path) -> None:
    spelled = (
        path.name in ("question.py", "options.py") or "trec_eval" in path.parts
    )  # options are spelled or read there
    if room_of(path) not in ("cli", "web") and not spelled:
        assert command_line_words(ast.parse(path.read_text())) == []


def test_an_option_in_a_message_is_seen() -> None:
    assert command_line_words(ast.parse('def f():\n    """See --empty."""\n    raise E(f"{x}; use --empty keep")')) == [
        "; use --empty keep"
    ]
