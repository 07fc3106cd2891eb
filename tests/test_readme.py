"""The README tells the truth: its commands and its Python run as written, and its links lead somewhere."""

from __future__ import annotations

import re
import shlex
import warnings
from pathlib import Path

from cranfield import CranfieldWarning
from support import SMALL, Type

ROOT = Path(__file__).resolve().parents[1]
README = (ROOT / "README.md").read_text()


def blocks(language: str) -> list[str]:
    return re.findall(rf"```{language}\n(.*?)```", README, flags=re.DOTALL)


def test_the_tour_runs_as_written(cranfield: Type) -> None:
    commands = re.findall(r"^\$ cranfield (.*)$", "\n".join(blocks("console")), flags=re.MULTILINE)
    assert len(commands) == 13
    for command in commands:
        words = shlex.split(command, comments=True)
        result = cranfield(*words, *(SMALL if words[0] == "sample" else []))
        assert result.exit_code == 0, f"cranfield {command}\n{result.stderr}"
    (code,) = blocks("python")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", CranfieldWarning)
        exec(compile(code, "README.md", "exec"), {})


def test_it_is_short() -> None:
    assert len(README.splitlines()) <= 120


def test_links_lead_somewhere() -> None:
    pages = [ROOT / "README.md", *(ROOT / "docs").glob("*.md")]
    for page in pages:
        for target in re.findall(r"\]\(([^)#]+?)(?:#[^)]*)?\)", page.read_text()):
            if not target.startswith(("http:", "https:", "mailto:")):
                assert (page.parent / target).exists(), f"{page.name} links to {target}"
