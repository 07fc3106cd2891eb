"""No sentence that a user reads has more than 25 words: conclusions, help, settings, the page; in an error, 20."""

from __future__ import annotations

import ast
import inspect
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

from cranfield.core.answer import every_sentence
from cranfield.core.question import GROUPS, questions

SOURCE = Path(__file__).resolve().parents[1] / "src" / "cranfield"
MOST_WORDS = 25
MOST_WORDS_OF_AN_ERROR = 20
EXCEPTIONS: dict[str, str] = {}
"""Places whose sentence stays long, each with the reason."""


def sentences(text: str) -> Iterator[str]:
    """The sentences of a text; a colon, a semicolon and an empty line end one as well."""
    for one in re.split(r"(?<=[.!?;:])\s+|\n\s*\n", text):
        if one.strip():
            yield " ".join(one.split())


def visible(html: str) -> str:
    """The words of a template: no markup, scripts or control structures; a filled-in value is one word."""
    html = re.sub(r"(?s)<(script|style|svg)\b.*?</\1>|\{%.*?%\}|\{#.*?#\}", "\n\n", html)
    html = re.sub(r"(?s)\{\{.*?\}\}", "X", html)
    inline = re.sub(r"</?(a|abbr|b|code|em|i|kbd|small|span|strong|var)\b[^>]*>", "", html)
    return re.sub(r"<[^>]*>", "\n\n", inline)


def places() -> Iterator[tuple[str, str]]:
    """Where a user reads something, and the text."""
    for name, one in every_sentence().items():
        yield f"sentence {name}", re.sub(r"\{[^}]*\}", "X", one.shown)
    for word, group in GROUPS.items():
        yield f"help {word}", f"{group.brief}\n\n{group.help}"
    for command, question in questions().items():
        prose = re.sub(r"(?m)^\s*(Examples?:|cranfield ).*$", "", inspect.cleandoc(question.__doc__ or ""))
        yield f"help {command}", f"{question.brief}\n\n{prose}"
        for one in question.all():
            yield f"help {command} {one.name}", f"{one.help}\n\n{one.usual}"
        if (page := question.page) is not None:
            yield f"page {page.name}", "\n\n".join([page.title, page.heading, page.lead, page.nothing, page.brief])
    for template in sorted(SOURCE.rglob("templates/*.html")):
        yield f"template {template.relative_to(SOURCE)}", visible(template.read_text(encoding="utf-8"))


def written(node: ast.expr) -> str:
    """The text of a literal, also of an f-string or of several added; a filled-in value is one word."""
    match node:
        case ast.Constant(value=str(text)):
            return text
        case ast.JoinedStr(values=parts):
            return "".join(written(part) if isinstance(part, ast.Constant) else "X" for part in parts)
        case ast.BinOp(left=left, op=ast.Add(), right=right):
            return written(left) + written(right)
    return ""


def errors(source: str) -> Iterator[tuple[int, str]]:
    """The line and text of every error that a module constructs, and of every problem that a reader collects."""
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Call):
            name = getattr(node.func, "id", None) or getattr(node.func, "attr", "")
            if name.endswith(("Error", "Problem")) or name in {"add", "fail"}:
                yield from ((node.lineno, text) for one in node.args if (text := written(one)))


def long_sentences() -> dict[str, list[str]]:
    """The sentences of more than `MOST_WORDS` words, by place."""
    found: dict[str, list[str]] = {}
    for place, text in places():
        for one in sentences(text):
            if len(one.split()) > MOST_WORDS:
                found.setdefault(place, []).append(one)
    return found


def test_no_sentence_is_long() -> None:
    shown = [f"{place}: {one}" for place, found in long_sentences().items() for one in found
             if place not in EXCEPTIONS]  # fmt: skip
    assert not shown, f"more than {MOST_WORDS} words:\n" + "\n".join(shown)


def test_no_sentence_of_an_error_is_long() -> None:
    found = [
        f"{path.relative_to(SOURCE)}:{line}: {one}"
        for path in sorted(SOURCE.rglob("*.py"))
        for line, text in errors(path.read_text(encoding="utf-8"))
        for one in sentences(text)
        if len(one.split()) > MOST_WORDS_OF_AN_ERROR
    ]
    assert not found, f"more than {MOST_WORDS_OF_AN_ERROR} words:\n" + "\n".join(found)


def test_errors_are_found() -> None:
    source = 'raise DataError(f"{a} is bad; " + "give b")\nproblems.add(0, "no data")\nprint("no error")'
    assert list(errors(source)) == [(1, "X is bad; give b"), (2, "no data")]


def test_every_exception_is_needed() -> None:
    assert set(EXCEPTIONS) <= set(long_sentences())


@pytest.mark.parametrize(
    ("text", "words"),
    [("One two. Three; four: five\n\nsix", [2, 1, 1, 1, 1]), ("No end here", [3]), ("", [])],
)
def test_sentences_are_found(text: str, words: list[int]) -> None:
    assert [len(one.split()) for one in sentences(text)] == words


def test_only_words_of_a_template_are_counted() -> None:
    html = "<p class='x y'>Choose <b>one</b> of {{ data | length }} files.</p>{% if a %}<p>Then go.</p>{% endif %}"
    assert list(sentences(visible(html))) == ["Choose one of X files.", "Then go."]
