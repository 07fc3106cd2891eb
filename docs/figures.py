"""Writes the figures of the documentation: ``python docs/figures.py``, or ``make figures``.

A figure stands in a page between ``<!-- figure NAME -->`` and ``<!-- /figure -->``, which readers do not see. Where it comes
from is said in ``docs/figure_sources.py`` and ``docs/figure_studies.py``:

- ``exact``: computed here in a moment from what the repository holds;
- ``shared``: computed from public score matrices, where ``../shared/data`` is there;
- ``measured``: timed or simulated at length. Its text, date, command and a fingerprint of the modules it rests on are
  kept in ``docs/figures.json``; ``python docs/figures.py --measure GROUP`` measures again.

`make test` fails while a page and ``figures.json`` differ, while an exact (or shared) figure comes out otherwise, and
while the modules behind a measured one have changed since. ``docs/sentences.md`` is written here too.
"""

from __future__ import annotations

import argparse
import ast
import datetime
import hashlib
import json
import re
import sys
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

DOCS = Path(__file__).resolve().parent
ROOT = DOCS.parent
SOURCE = ROOT / "src" / "cranfield"
SHARED = ROOT.parent / "shared" / "data"
STORE = DOCS / "figures.json"
MARKED = re.compile(r"(<!-- figure ([\w.-]+) -->\n?)(.*?)(\n?<!-- /figure -->)", re.DOTALL)
Texts = dict[str, str]


@dataclass(frozen=True)
class Group:
    """Figures that are made together.

    Parameters
    ----------
    name : how the command line calls it
    kind : see above
    make : gives the text of every figure by its name
    command : what a reader would type to see the figures; for measured ones
    sources : the modules that measured figures rest on, below ``src/cranfield``
    slow : takes more than some seconds, so that only `make test-all` computes it again
    """

    name: str
    kind: Literal["exact", "shared", "measured"]
    make: Callable[[], Texts]
    command: str = ""
    sources: tuple[str, ...] = ()
    slow: bool = False


GROUPS: dict[str, Group] = {}


def figures(
    kind: Literal["exact", "shared", "measured"],
    *,
    command: str = "",
    sources: tuple[str, ...] = (),
    slow: bool = False,
) -> Callable[[Callable[[], Texts]], Callable[[], Texts]]:
    """Register a function that makes figures, under its own name."""

    def register(make: Callable[[], Texts]) -> Callable[[], Texts]:
        name = make.__name__.replace("_", "-")
        GROUPS[name] = Group(name, kind, make, command, sources, slow)
        return make

    return register


def pages() -> list[Path]:
    """Every page that may hold figures."""
    return [ROOT / "README.md", ROOT / "paper" / "paper.md", *sorted(DOCS.glob("*.md"))]


def marked(text: str) -> Iterator[tuple[str, str]]:
    """Name and text of every figure of a page."""
    for found in MARKED.finditer(text):
        yield found[2], found[3]


def filled(text: str, texts: Texts) -> str:
    """A page with its figures as they should be."""
    return MARKED.sub(lambda found: found[1] + texts.get(found[2], found[3]) + found[4], text)


def stored() -> dict[str, dict[str, Any]]:
    """What is kept about every figure, by its name."""
    return dict(json.loads(STORE.read_text())) if STORE.exists() else {}


def _shape(node: Any) -> Any:
    """A syntax tree without what is empty and with f-strings in one piece, which Pythons list differently."""
    if isinstance(node, list):
        return [_shape(one) for one in node]
    if isinstance(node, ast.JoinedStr):
        return ["".join(one.value if isinstance(one, ast.Constant) else "{}" for one in node.values),
                *(_shape(one) for one in node.values if not isinstance(one, ast.Constant))]  # fmt: skip
    if not isinstance(node, ast.AST):
        return repr(node)
    fields = [(name, value) for name, value in ast.iter_fields(node) if value is not None and value != []]
    return [type(node).__name__, *([name, _shape(value)] for name, value in sorted(fields, key=lambda one: one[0]))]


def _moves_no_number(node: ast.stmt) -> bool:
    """Whether it is an import or registers a sentence."""
    call = node.value if isinstance(node, ast.Assign) else None
    return isinstance(node, (ast.Import, ast.ImportFrom)) or (
        isinstance(call, ast.Call) and isinstance(call.func, ast.Name) and call.func.id == "sentence"
    )


def fingerprint(sources: tuple[str, ...]) -> str:
    """Of modules without imports, comments, docstrings, layout and sentences; the same in every Python."""
    whole = hashlib.sha256()
    for name in sources:
        tree = ast.parse((SOURCE / name).read_text())
        for node in ast.walk(tree):
            if isinstance(node, (ast.Module, ast.ClassDef, ast.FunctionDef)) and ast.get_docstring(node, clean=False):
                node.body = node.body[1:]
            if hasattr(node, "body") and isinstance(node.body, list):
                node.body = [one for one in node.body if not _moves_no_number(one)]
        whole.update(json.dumps(_shape(tree)).encode())
    return whole.hexdigest()[:16]


def make(group: Group) -> dict[str, dict[str, Any]]:
    """A group's figures, with what is kept about them."""
    kept: dict[str, Any] = {"group": group.name, "kind": group.kind}
    if group.kind == "measured":
        today = datetime.datetime.now(datetime.UTC).date().isoformat()
        kept |= {"date": today, "command": group.command, "fingerprint": fingerprint(group.sources)}
    return {name: {"text": text, **kept} for name, text in group.make().items()}


def stale(group: Group, kept: dict[str, dict[str, Any]]) -> str:
    """Why a measured group has to be measured again; empty if it has not."""
    mine = [one for one in kept.values() if one["group"] == group.name]
    if not mine:
        return f"{group.name} was never measured: python docs/figures.py --measure {group.name}"
    if any(one["fingerprint"] != fingerprint(group.sources) for one in mine):
        return (
            f"the figures of {group.name} are of {mine[0]['date']}, and one of {', '.join(group.sources)} has changed "
            f"since. Measure again: python docs/figures.py --measure {group.name} (as: {group.command}). If the change "
            f"cannot move a number, say so: python docs/figures.py --still-true {group.name}"
        )
    return ""


def sentences_page() -> str:
    """The list of conclusions."""
    from cranfield.core.answer import every_sentence

    lines = [
        "<!-- Written by docs/figures.py from the folders of src/cranfield; change those files, not this one. -->",
        "# What cranfield may conclude, and when it is true",
        "",
        "Every sentence with which a command, page or report concludes something. Those marked *always* are printed whatever",
        "the data are, and are true of the figures in them; the others are printed only when their condition holds.",
        "`tests/test_sentences.py` (`tests/test_chart_titles.py` for charts) has a case of each in which it is printed and true, and one in which it would be false and",
        "is not printed. *Measured* leads to the coverage or error of what a sentence claims.",
    ]
    room = ""
    for name, one in sorted(every_sentence().items(), key=lambda item: item[0].split(".")[0]):
        if name.split(".")[0] != room:
            room = name.split(".")[0]
            lines += ["", f"## {room.capitalize()}", "", "| sentence | true when |", "|:---|:---|"]
        said = one.shown.replace("|", "\\|").replace("`", "")
        always = " (*always*)" if one.always else ""
        lines.append(f"| {said} | {one.true_when}{always} |")
    return "\n".join(lines) + "\n"


def write(kept: dict[str, dict[str, Any]]) -> list[str]:
    """Rewrite the store and all pages; the names of the pages that changed."""
    STORE.write_text(json.dumps(dict(sorted(kept.items())), indent=1, ensure_ascii=False) + "\n")
    texts = {name: one["text"] for name, one in kept.items()}
    wanted = {page: filled(page.read_text(), texts) for page in pages() if page.name != "sentences.md"}
    wanted[DOCS / "sentences.md"] = sentences_page()
    changed = [page for page, text in wanted.items() if not page.exists() or page.read_text() != text]
    for page in changed:
        page.write_text(wanted[page])
    return [page.name for page in changed]


def main() -> None:
    """The command line."""
    import figure_sources  # noqa: F401  (registers the groups)
    import figure_studies  # noqa: F401

    parser = argparse.ArgumentParser(description="Write the figures of the documentation.")
    parser.add_argument("--measure", metavar="GROUP", action="append", default=[], help="make this group alone, again")
    parser.add_argument("--still-true", metavar="GROUP", action="append", default=[], help="a change moved no number")
    arguments = parser.parse_args()
    for name in [*arguments.measure, *arguments.still_true]:
        if name not in GROUPS:
            parser.error(f"{name}: the groups are {', '.join(GROUPS)}")
    kept = {name: one for name, one in stored().items() if one["group"] in GROUPS}
    named = arguments.measure or arguments.still_true
    for group in GROUPS.values():
        there = group.kind == "exact" or (group.kind == "shared" and SHARED.is_dir())
        wanted = group.name in arguments.measure or (there and not named)
        if wanted:
            kept |= make(group)
        if group.name in arguments.still_true:
            now = fingerprint(group.sources)
            kept |= {name: one | {"fingerprint": now} for name, one in kept.items() if one["group"] == group.name}
    for name in write(kept):
        sys.stdout.write(f"{name} changed\n")
    for group in GROUPS.values():
        if group.kind == "measured" and (why := stale(group, kept)):
            sys.stdout.write(f"{why}\n")


if __name__ == "__main__":
    sys.modules["figures"] = sys.modules["__main__"]
    main()
