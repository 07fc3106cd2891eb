"""Nothing that a user sees changes unnoticed: every command, every format, the page's API and the report."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from golden.cases import ADDRESSES, CASES, COMMANDS, ENDINGS, REPORTS, Case
from golden.compare import EXPECTED, as_json, check, same_json
from golden.run import ask, normalise, open_page, type_command, upload, visible_text

RUNS = [(case, format) for case in CASES for format in case.formats]
Ask = Callable[[str], tuple[int, Any]]


@pytest.mark.parametrize(("case", "format"), RUNS, ids=[case.file(format) for case, format in RUNS])
def test_command(case: Case, format: str, here: Path, update: bool) -> None:
    printed = type_command(case.argv(format))
    text = printed.stdout + printed.messages
    if case.writes:
        text += f"\n== {case.writes} ==\n" + normalise((here / case.writes).read_text(encoding="utf-8"))
    check(case.file(format), text, update=update)


@pytest.mark.parametrize("command", COMMANDS)
def test_options(command: str, here: Path, update: bool) -> None:
    """The spellings only: how help is laid out is not ours alone."""
    printed = type_command([*command.split(), "--help"])
    assert printed.code == 0
    spelled = [found.group() for line in re.findall(r"^ +-.*$", printed.stdout, re.M) for found in _OPTION.finditer(line)]
    check(f"options-{command.replace(' ', '-')}.txt", "\n".join(dict.fromkeys(spelled)) + "\n", update=update)


_OPTION = re.compile(r"(?<![\w-])--?[a-z](?:[a-z-]*[a-z])?(?![\w-])")


@pytest.mark.parametrize("name", REPORTS)
def test_report(name: str, here: Path, update: bool) -> None:
    printed = type_command(REPORTS[name].split())
    html = (here / "made.html").read_text(encoding="utf-8")
    text = printed.stdout + printed.messages + "\n== made.html ==\n" + visible_text(html)
    check(f"{name}.txt", text, update=update)


@pytest.fixture(scope="module")
def answer(collection: Path) -> Iterator[Ask]:
    """Asks the page; the datasets' ids are named in the address, and in the answer again."""
    runs = {path.name: path.read_bytes() for path in sorted((collection / "s" / "runs").iterdir())}
    with open_page() as client:
        ids = {
            "RUNS": upload(client, {"qrels.txt": (collection / "s" / "qrels.txt").read_bytes(), **runs}),
            "SCORES": upload(client, {"ap.csv": (collection / "ap.csv").read_bytes()}),
            "SETTINGS": upload(client, {"settings.csv": (collection / "settings.csv").read_bytes()}),
        }
        for id in ids.values():
            assert ask(client, f"/api/data/{id}")[0] == 200

        def asked(address: str) -> tuple[int, Any]:
            for name, id in ids.items():
                address = address.replace(f"={name}", f"={id}").replace(f"/{name}", f"/{id}")
            status, body = ask(client, address)
            text = normalise(json.dumps(body, ensure_ascii=False))
            for name, id in ids.items():
                text = text.replace(id, name)
            return status, json.loads(text)

        yield asked


@pytest.mark.parametrize("name", ADDRESSES)
def test_page(name: str, answer: Ask, here: Path, update: bool) -> None:
    status, body = answer(ADDRESSES[name])
    check(f"page-{name}.json", as_json({"status": status, "body": body}), update=update)


def test_no_golden_file_is_stale(update: bool) -> None:
    wanted = {case.file(format) for case, format in RUNS}
    wanted |= {f"options-{command.replace(' ', '-')}.txt" for command in COMMANDS}
    wanted |= {f"{name}.txt" for name in REPORTS} | {f"page-{name}.json" for name in ADDRESSES}
    stale = sorted({path.name for path in EXPECTED.iterdir()} - wanted)
    if update:
        for name in stale:
            (EXPECTED / name).unlink()
        return
    assert not stale, f"golden files without a case: {', '.join(stale)}"


def test_names_of_cases_differ() -> None:
    names = [case.name for case in CASES]
    assert len(set(names)) == len(names)
    assert {format for case in CASES for format in case.formats} == set(ENDINGS)


def test_the_comparison_can_fail() -> None:
    assert same_json('{"a": [1, 0.5]}', '{"a": [1, 0.50000000000000011]}')
    assert not same_json('{"a": [1, 0.5]}', '{"a": [1, 0.5000000001]}')
    assert not same_json('{"a": [1, 0.5]}', '{"a": [1.0, 0.5]}')
    assert not same_json('{"a": 1, "b": 2}', '{"b": 2, "a": 1}')
    assert not same_json('{"a": 1}', '{"a": 1, "b": null}')
    assert not same_json('{"a": 1}\n', '{"a": 1}\n\n== exit code 0, stderr ==\nwarning: x\n')


def test_a_changed_digit_is_shown() -> None:
    name = "compare.txt"
    text = (EXPECTED / name).read_text(encoding="utf-8")
    place = re.search(r"\d", text)
    assert place is not None
    changed = text[: place.start()] + str((int(place.group()) + 1) % 10) + text[place.end() :]
    with pytest.raises(AssertionError, match="is not what it was"):
        check(name, changed, update=False)
