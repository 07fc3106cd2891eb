"""Nothing that a user sees changes unnoticed: every command, every format, the page's API and the report."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from html import unescape
from pathlib import Path
from typing import Any

import pytest

from golden.cases import ADDRESSES, CASES, COMMANDS, DOWNLOADS, ENDINGS, PAGES, REPORTS, Case
from golden.compare import EXPECTED, as_json, check, older
from golden.run import Client, ask, normalise, open_page, parameters, type_command, upload, visible_text

RUNS = [(case, format) for case in CASES for format in case.formats]
QUESTIONS = [name for name in ADDRESSES if not name.startswith(("data", "error-job"))]


@pytest.mark.parametrize(("case", "format"), RUNS, ids=[case.file(format) for case, format in RUNS])
def test_command(case: Case, format: str, here: Path, update: bool) -> None:
    if case.name == "error-option" and older("click", (8, 5)):
        pytest.skip("the words are those of a newer click")
    if case.writes:
        (here / case.writes).unlink(missing_ok=True)  # what another case wrote
    printed = type_command(case.argv(format))
    text = printed.stdout + printed.messages
    if case.writes:
        text += f"\n== {case.writes} ==\n" + normalise((here / case.writes).read_text(encoding="utf-8"))
    check(case.file(format), text, update=update)


@pytest.mark.parametrize("command", COMMANDS)
def test_options(command: str, here: Path, update: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    """The spellings only: how help is laid out is not ours alone."""
    monkeypatch.setenv("COLUMNS", "100")
    printed = type_command([*command.split(), "--help"])
    assert printed.code == 0
    spelled = [
        found.group() for line in re.findall(r"^ +-.*$", printed.stdout, re.M) for found in _OPTION.finditer(line)
    ]
    check(f"options-{command.replace(' ', '-')}.txt", "\n".join(sorted(set(spelled))) + "\n", update=update)


_OPTION = re.compile(r"(?<![\w-])--?[a-z](?:[a-z-]*[a-z])?(?![\w-])")


@pytest.mark.parametrize("name", REPORTS)
def test_report(name: str, here: Path, update: bool) -> None:
    printed = type_command(REPORTS[name].split())
    html = (here / "made.html").read_text(encoding="utf-8")
    text = printed.stdout + printed.messages + "\n== made.html ==\n" + visible_text(html)
    check(f"{name}.txt", text, update=update)


class Page:
    """The page with three datasets, which addresses and golden files call RUNS, SCORES and SETTINGS."""

    def __init__(self, client: Client, ids: dict[str, str]) -> None:
        self.client, self.ids = client, ids

    def address(self, text: str) -> str:
        for name, id in self.ids.items():
            text = text.replace(f"={name}", f"={id}").replace(f"/{name}", f"/{id}")
        return text

    def named(self, text: str) -> str:
        for name, id in self.ids.items():
            text = text.replace(id, name)
        return normalise(text)

    def answer(self, address: str) -> tuple[int, Any]:
        status, body = ask(self.client, self.address(address))
        return status, json.loads(self.named(json.dumps(body, ensure_ascii=False)))

    def html(self, address: str) -> str:
        if "?" in address:
            ask(self.client, "/api" + self.address(address))  # so that nothing is still being computed
            address += "&start=yes"  # long computations wait for a click
        return self.named(self.client.get(self.address(address)).text)


@pytest.fixture(scope="module")
def page(collection: Path) -> Iterator[Page]:
    runs = {path.name: path.read_bytes() for path in sorted((collection / "s" / "runs").iterdir())}
    with open_page() as client:
        ids = {
            "RUNS": upload(client, {"qrels.txt": (collection / "s" / "qrels.txt").read_bytes(), **runs}),
            "SCORES": upload(client, {"ap.csv": (collection / "ap.csv").read_bytes()}),
            "SETTINGS": upload(client, {"settings.csv": (collection / "settings.csv").read_bytes()}),
        }
        for id in [*ids.values(), "sample"]:  # all are read before the first question, whichever that is
            assert ask(client, f"/api/data/{id}")[0] == 200
            assert ask(client, f"/api/view?data={id}")[0] == 200
        yield Page(client, ids)


@pytest.mark.parametrize("name", ADDRESSES)
def test_api(name: str, page: Page, here: Path, update: bool) -> None:
    status, body = page.answer(ADDRESSES[name])
    check(f"page-{name}.json", as_json({"status": status, "body": body}), update=update)


def test_parameters_of_the_api(page: Page, update: bool) -> None:
    """Those of the addresses that the golden file has; a page may come, none may go or change."""
    found, known = parameters(page.client), json.loads((EXPECTED / "page-parameters.json").read_text(encoding="utf-8"))
    check("page-parameters.json", as_json({one: found.get(one) for one in (found if update else known)}), update=update)


@pytest.mark.parametrize("name", QUESTIONS)
def test_page(name: str, page: Page, here: Path, update: bool) -> None:
    address = ADDRESSES[name].removeprefix("/api")
    check(f"page-{name}.txt", visible_text(page.html(address)), update=update)


@pytest.mark.parametrize("address", PAGES)
def test_page_without_an_answer(address: str, page: Page, here: Path, update: bool) -> None:
    check(_file_of(address), visible_text(page.html(address)), update=update)


@pytest.mark.parametrize("name", DOWNLOADS)
def test_files_of_a_page(name: str, page: Page, here: Path, update: bool) -> None:
    links = re.findall(
        r'href="(/files/[^"]+?\.(?:csv|md|tex)\b[^"]*)"', page.html(ADDRESSES[name].removeprefix("/api"))
    )
    assert links
    parts = []
    for link in dict.fromkeys(unescape(link) for link in links):
        answer = page.client.get(page.address(link))
        assert answer.status_code == 200, link
        parts.append(f"== {link.partition('?')[0]} ==\n{page.named(answer.text)}")
    check(f"page-{name}-files.txt", "\n".join(parts), update=update)


def _file_of(address: str) -> str:
    return f"page{address.partition('?')[0].rstrip('/').replace('/', '-').lower() or '-start'}-form.txt"


def test_no_golden_file_is_stale(update: bool) -> None:
    wanted = {case.file(format) for case, format in RUNS}
    wanted |= {f"options-{command.replace(' ', '-')}.txt" for command in COMMANDS}
    wanted |= {f"{name}.txt" for name in REPORTS} | {f"page-{name}.json" for name in [*ADDRESSES, "parameters"]}
    wanted |= {f"page-{name}.txt" for name in QUESTIONS} | {f"page-{name}-files.txt" for name in DOWNLOADS}
    wanted |= {_file_of(address) for address in PAGES}
    stale = sorted({path.name for path in EXPECTED.iterdir()} - wanted)
    if update:
        for name in stale:
            (EXPECTED / name).unlink()
        return
    assert not stale, f"golden files without a case: {', '.join(stale)}"


@pytest.mark.parametrize("command", COMMANDS)
def test_every_table_of_a_command_is_asked_for(command: str) -> None:
    """Each value of `--show`, by typing it; what comes without it is the first one."""
    choices = re.search(r"--show\s+<([a-z|-]+)>", type_command([*command.split(), "--help"]).stdout)
    shown = choices.group(1).split("|")[1:] if choices else []
    typed = [case.words for case in CASES if case.words.startswith(f"{command} ")]
    assert typed or command in ("demo", "report", "serve")
    assert all(any(f"--show {value} " in f"{words} " for words in typed) for value in shown)


def test_names_of_cases_differ() -> None:
    names = [case.name for case in CASES]
    assert len(set(names)) == len(names)
    assert {format for case in CASES for format in case.formats} == set(ENDINGS)


def test_a_changed_digit_is_shown() -> None:
    name = "compare.txt"
    text = (EXPECTED / name).read_text(encoding="utf-8")
    place = re.search(r"\d", text)
    assert place is not None
    changed = text[: place.start()] + str((int(place.group()) + 1) % 10) + text[place.end() :]
    with pytest.raises(AssertionError, match="is not what it was"):
        check(name, changed, update=False)


@pytest.mark.parametrize("text", ["", " \n"])
def test_an_empty_golden_file_is_never_written(text: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("golden.compare.EXPECTED", tmp_path)
    check("kept.txt", "what was printed\n", update=True)
    with pytest.raises(AssertionError, match=r"^kept\.txt would be empty\."):
        check("kept.txt", text, update=True)
    assert [(one.name, one.read_text()) for one in tmp_path.iterdir()] == [("kept.txt", "what was printed\n")]
