"""The manual: its size, its pages' beginnings, the parts of an explanation, and the page of columns."""

from __future__ import annotations

import importlib
import json
import re
from pathlib import Path

import pytest

from cranfield.core.question import questions

DOCS = Path(__file__).resolve().parents[1] / "docs"


def listed(page: str) -> list[str]:
    """The pages in the list of contents of a page."""
    (names,) = re.findall(r"```\{toctree\}\n:hidden:\n\n(.+?)\n```", (DOCS / page).read_text(), flags=re.DOTALL)
    return [name for name in names.splitlines() if not name.startswith("_generated/")]


def prose(name: str) -> str:
    """A page as it is written; of a notebook, the texts between its code."""
    if (page := DOCS / f"{name}.md").exists():
        return page.read_text()
    cells = json.loads((DOCS / f"{name}.ipynb").read_text())["cells"]
    return "\n\n".join("".join(cell["source"]) for cell in cells if cell["cell_type"] == "markdown")


SECTIONS = ("tutorials", "howto", "explanation")
GUIDES = ["index", "start", "choose", *SECTIONS, *(name for one in SECTIONS for name in listed(f"{one}.md"))]
"""Everything but reference and validation."""


def test_every_page_is_in_a_section() -> None:
    pages = {page.stem for page in [*DOCS.glob("*.md"), *DOCS.glob("*.ipynb")]}
    assert pages == {*GUIDES, "reference", "validated", *listed("reference.md"), *listed("validated.md")}


def test_the_manual_is_short() -> None:
    """Words between blanks, those of outputs, tables and commands included, without reference and validation."""
    assert sum(len(prose(name).split()) for name in GUIDES) <= 30_000


@pytest.mark.parametrize("name", [name for name in GUIDES if (DOCS / f"{name}.md").exists()])
def test_a_page_begins_with_its_question_and_an_answer(name: str) -> None:
    beginning = prose(name).split("\n## ")[0]
    question = beginning.split("\n\n")[1]
    assert "?" in question, f"{name} begins without a question"
    assert re.search(r"^(```|!\[|\|)", beginning, flags=re.MULTILINE), (
        f"{name} has no picture, output or table at the top"
    )


@pytest.mark.parametrize("name", listed("explanation.md"))
def test_an_explanation_has_its_parts(name: str) -> None:
    text = prose(name)
    parts = {
        "assumptions": r"\*\*Assumes\.\*\*|\| assumes \|",
        "a formula": r"=.*[√·/Σ]|exp\(|√\(",
        "a citation": r"\([^()]*(1[89]|20)\d\d[a-z]?[^()]*\)|\(Arguello, INLS 509\)",
        "what simulation says": r"^## What (simulation|measurement) says$|^\*\*Simulation\.\*\*",
        "when not to use it": r"^## When not to use it$",
    }
    for part, pattern in parts.items():
        assert re.search(pattern, text, flags=re.MULTILINE), f"{name} lacks {part}"


def test_formulas_need_no_script() -> None:
    """The site has no typesetter of TeX: one would come from elsewhere."""
    for name in GUIDES:
        assert not re.search(r"\$\$|\\frac", prose(name)), name


def test_blocks_are_closed_on_a_line_of_their_own() -> None:
    for page in DOCS.glob("*.md"):
        assert not re.search(r"^```<", page.read_text(), flags=re.MULTILINE), (
            f"{page.name}: a block that is never closed"
        )


def test_no_line_is_longer_than_a_screen_of_github() -> None:
    """Rows of tables aside, which the browser breaks."""
    for page in DOCS.glob("*.md"):
        for number, line in enumerate(page.read_text().splitlines(), 1):
            assert len(line) < 900 or line.startswith("|"), f"{page.name}:{number} has {len(line)} characters"


def test_the_page_of_columns_lists_what_is_printed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.syspath_prepend(str(DOCS))
    page = importlib.import_module("columns").text(["gate", "variance", "compare"])
    assert re.findall(r"^## (.+)$", page, flags=re.MULTILINE) == ["gate", "variance", "compare"]
    assert "`measure` text, `topics` whole number, `mean_baseline` number" in page
    (shows,) = (
        [str(one) for one in setting.choices] for setting in questions()["compare"].all() if "--show" in setting.flags
    )
    assert re.findall(r"^\| `(\w+)` \|", page, flags=re.MULTILINE) == shows
    assert "`significant` true or false" in page
