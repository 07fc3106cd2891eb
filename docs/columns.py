"""The columns of every answer, as the examples of the questions print them. docs/conf.py asks."""

from __future__ import annotations

import json
import sys
import warnings
from pathlib import Path
from typing import Any

from cranfield.cli import ask
from cranfield.core.question import Question, questions

TESTS = Path(__file__).resolve().parents[1] / "tests"
HEAD = """# Columns

What is in the rows of `--format json`, and in CSV and parquet, of each command? These columns, in this order, in the answers to the small examples of `cranfield COMMAND --help`.

A column that has no use in an answer is left out there, and settings may add some. Types are those of JSON; a number may be `null`.
"""
TYPES = {bool: "true or false", int: "whole number", float: "number", str: "text", list: "list", dict: "object"}


def shows(question: type[Question]) -> list[str]:
    """The values of `--show`; one empty word where there is no such option."""
    found = [one for one in question.all() if "--show" in one.flags]
    return [str(one) for one in found[0].choices] if found and found[0].choices else [""]


def described(rows: list[dict[str, Any]]) -> str:
    """Names and types of the columns of some rows."""
    parts = []
    for name in dict.fromkeys(key for row in rows for key in row):
        kinds = {TYPES[type(row[name])] for row in rows if row.get(name) is not None}
        kind = "number" if kinds == {"number", "whole number"} else " or ".join(sorted(kinds)) or "null"
        parts.append(f"`{name}` {kind}")
    return ", ".join(parts)


def answers(names: list[str]) -> dict[str, dict[str, str]]:
    """For each command and each `--show`, the columns of the first example that has such an answer."""
    if str(TESTS) not in sys.path:
        sys.path.append(str(TESTS))
    import examples

    found: dict[str, dict[str, str]] = {}
    for name in names:
        for show in shows(questions()[name]):
            for example in examples.EXAMPLES:
                if example.question.command != name:
                    continue
                with warnings.catch_warnings(), examples.folder():
                    warnings.simplefilter("ignore")
                    words = example.printed("json", {"--show"} if show else set())
                    said = examples.type_words([*words, *(["--show", show] if show else [])])
                if (
                    said.exit_code in (0, 3, 4)
                    and said.stdout.startswith("{")
                    and (rows := json.loads(said.stdout)["rows"])
                ):
                    found.setdefault(name, {})[show] = described(rows)
                    break
    return found


def text(names: list[str]) -> str:
    """The page."""
    parts = [HEAD]
    for name, columns in answers(names).items():
        parts.append(f"## {name}\n")
        if list(columns) == [""]:
            parts.append(f"{columns['']}\n")
        else:
            parts += [
                "| `--show` | columns |",
                "|:--|:--|",
                *(f"| `{show}` | {row} |" for show, row in columns.items()),
                "",
            ]
    return "\n".join(parts)


def write(page: Path) -> None:
    """The page, unless it is newer than the program."""
    sources = [*Path(ask.__file__).parents[1].rglob("*.py"), Path(__file__)]
    if not page.exists() or page.stat().st_mtime < max(one.stat().st_mtime for one in sources):
        page.write_text(text([name for name, one in questions().items() if one.printed]))
