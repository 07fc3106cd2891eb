"""The only doors through which the golden tests reach the product: its program, its page, and what they print."""

from __future__ import annotations

import io
import re
import time
import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager, redirect_stderr, redirect_stdout
from dataclasses import dataclass
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

with warnings.catch_warnings():
    warnings.simplefilter("ignore")  # newer starlette prefers another HTTP client, and still takes this one
    from starlette.testclient import TestClient as Client

MESSAGES = "\n== exit code {code}, stderr ==\n"
"""What separates stdout from the messages in a golden file; left out when all is well and nothing is said."""


@dataclass(frozen=True)
class Printed:
    """What a command printed, with everything that depends on the machine taken out."""

    code: int
    stdout: str
    stderr: str

    @property
    def messages(self) -> str:
        """Exit code and stderr as they stand in a golden file."""
        return MESSAGES.format(code=self.code) + self.stderr if self.code or self.stderr else ""


def _program() -> Callable[..., Any]:
    from cranfield.cli.main import app

    return app


def type_command(argv: list[str] | tuple[str, ...]) -> Printed:
    """Run `cranfield` with these words in this process and in the current directory; a traceback is a failure."""
    out, err, code = io.StringIO(), io.StringIO(), 0
    with redirect_stdout(out), redirect_stderr(err):
        try:
            _program()(list(argv), prog_name="cranfield")
        except SystemExit as end:
            code = int(end.code or 0)
    return Printed(code, normalise(out.getvalue()), normalise(err.getvalue()))


@contextmanager
def open_page() -> Iterator[Client]:
    """A client of the page, asked without a network."""
    from cranfield.web.server.app import create_app

    with Client(create_app(), base_url="http://127.0.0.1", follow_redirects=False) as client:
        yield client


def ask(client: Client, address: str, seconds: float = 60.0) -> tuple[int, Any]:
    """Status and JSON of an address, once the answer is there."""
    end = time.monotonic() + seconds
    answer = client.get(address)
    while answer.status_code == 202 and time.monotonic() < end:
        time.sleep(0.02)
        answer = client.get(address)
    return answer.status_code, answer.json()


def parameters(client: Client) -> dict[str, Any]:
    """What the API says of its parameters: default, choices and description of each, by address."""
    paths = client.get("/api/openapi.json").json()["paths"]
    return {
        f"{verb} {path}": {one["name"]: _described(one) for one in operation.get("parameters", [])}
        for path, verbs in paths.items()
        for verb, operation in verbs.items()
    }


def _described(parameter: dict[str, Any]) -> dict[str, Any]:
    schema = parameter.get("schema", {})
    choices = [choice for option in [schema, *schema.get("anyOf", [])] for choice in option.get("enum", [])]
    told = {
        "required": parameter.get("required", False),
        "default": schema.get("default"),
        "choices": choices or None,
        "description": parameter.get("description") or schema.get("description"),
    }
    return {name: value for name, value in told.items() if value not in (None, False)}


def upload(client: Client, files: dict[str, bytes]) -> str:
    """The id of a dataset made of these files."""
    parts = [("files", (name, content)) for name, content in files.items()]
    answer = client.post("/api/data", files=parts)
    assert answer.status_code in (201, 202), answer.text
    body = answer.json()
    return str(body.get("data") or body["id"])


def normalise(text: str) -> str:
    """Without what differs between machines and releases: the place of files, the version, the day, sizes in MB."""
    text = text.replace(f"{Path.cwd()}/", "").replace(str(Path.cwd()), "HERE")
    text = re.sub(r"\bcranfield(,? (?:version )?|==)\d+\.\d+[0-9a-z.+]*", r"cranfield\1VERSION", text)
    text = re.sub(r"\((?:without the )?compiled parser\)", "(PARSER)", text)
    text = re.sub(r"^(Usage: .*|Try '.*' for help\.)\n+", "", text, flags=re.M)  # worded by the library of the options
    text = re.sub(r"\b\d+(\.\d+)? MB\)", "SIZE MB)", text)
    text = re.sub(r"\b20\d\d-\d\d-\d\d([T ]\d\d:\d\d(:\d\d(\.\d+)?)?(Z|[+-]\d\d:\d\d)?)?", "DATE", text)
    return "\n".join(line.rstrip() for line in text.splitlines()) + ("\n" if text.endswith("\n") else "")


class _VisibleText(HTMLParser):
    """Gathers what a reader sees: one line per block, one line per row of a table; no menu, charts, scripts, styles."""

    SILENT = frozenset({"script", "style", "svg", "template", "head", "nav"})
    WITHIN_A_LINE = frozenset({"a", "abbr", "b", "button", "code", "em", "i", "kbd", "mark", "small", "span"})
    WITHIN_A_LINE |= {"strong", "sub", "sup", "time", "select", "input", "meta", "link", "col", "img"}

    def __init__(self) -> None:
        super().__init__()
        self.text: list[str] = []
        self.silence: list[str] = []

    def _before(self, tag: str) -> str:
        return " | " if tag in ("td", "th") else "" if tag in self.WITHIN_A_LINE else "\n"

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        if tag in self.SILENT or ("class", "next pages") in attrs:  # links to every other page
            self.silence.append(tag)
        else:
            self.text.append(self._before(tag))

    def handle_endtag(self, tag: str) -> None:
        if self.silence and tag == self.silence[-1]:
            self.silence.pop()
        elif tag not in ("td", "th"):
            self.text.append(self._before(tag))

    def handle_data(self, data: str) -> None:
        if not self.silence:
            self.text.append(re.sub(r"\s+", " ", data))


def visible_text(html: str) -> str:
    """The words and numbers of an HTML page."""
    parser = _VisibleText()
    parser.feed(html)
    lines = (re.sub(r"\s+", " ", line).strip() for line in "".join(parser.text).split("\n"))
    return normalise("\n".join(line for line in lines if line) + "\n")
