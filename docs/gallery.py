"""The gallery: every chart of every result, drawn by the first example of a question that has it. docs/conf.py asks."""

from __future__ import annotations

import shlex
import sys
import warnings
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from cranfield import save_chart
from cranfield.cli import ask
from cranfield.cli.output import chart_kinds
from cranfield.core.errors import ArgumentError

HERE = Path(__file__).parent
TESTS = HERE.parent / "tests"
HEAD = """# Gallery

Which chart answers my question, and which command draws it? The files are those of the small examples in `cranfield COMMAND --help`.
"""


def drawn() -> Iterator[tuple[str, str, list[str], Any]]:
    """Command, kind of chart, words and chart: one of each kind of each type of result."""
    if str(TESTS) not in sys.path:
        sys.path.append(str(TESTS))
    import pytest

    import examples

    seen: set[tuple[type, str]] = set()
    for example in examples.EXAMPLES:
        if not example.question.drawn:
            continue
        kinds = {(kind, name) for kind in example.question.results() for name in kind.drawings()}
        if kinds <= seen:
            continue
        held: list[Any] = []
        typed = [*example.words]
        for option in examples.OUTPUT & {*typed}:  # a chart needs no table
            del typed[(at := typed.index(option)) : at + 2]
        with pytest.MonkeyPatch.context() as patch, warnings.catch_warnings(), examples.folder():
            warnings.simplefilter("ignore")
            patch.setattr(ask, "draw", lambda said, result, to, held=held: held.append(result))
            examples.type_words(example.printed("json"))
        for result in held:
            for name in chart_kinds(example.question):
                if (type(result), name) in seen or name not in result.drawings():
                    continue
                try:
                    chart = result.chart(name)
                except ArgumentError:  # this example has too little for it; another has not
                    continue
                seen.add((type(result), name))
                yield example.question.command, name, [*typed, "--chart", name, "--plot", f"{name}.svg"], chart


def write(page: Path) -> None:
    """The page and its pictures, unless they are newer than the program."""
    sources = [*Path(ask.__file__).parents[1].rglob("*.py"), Path(__file__)]
    if page.exists() and page.stat().st_mtime > max(one.stat().st_mtime for one in sources):
        return
    pictures = page.parent / "gallery"
    pictures.mkdir(parents=True, exist_ok=True)
    parts, heading = [HEAD], ""
    for number, (command, name, words, chart) in enumerate(drawn()):
        picture = pictures / f"{number:02}-{command.replace(' ', '-')}-{name}.svg"
        save_chart(chart, picture)
        if command != heading:
            heading = command
            parts.append(f"## {command}\n")
        typed = shlex.join(["cranfield", *words])
        parts.append(f"### {name}\n\n```console\n$ {typed}\n```\n\n![{name} of {command}](gallery/{picture.name})\n")
    page.write_text("\n".join(parts))
