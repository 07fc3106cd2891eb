"""The whole story on a sample collection: the settings of `demo`."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import ClassVar

from cranfield.core import options as shared
from cranfield.core.question import Question, setting


@dataclass(frozen=True, kw_only=True)
class DemoQuestion(Question):
    """Make a sample collection and tell the whole story with it.

    Shows each command before its answer, so that you can type it with your own files.

    Example: cranfield demo
    """

    command: ClassVar[str] = "demo"
    aliases: ClassVar[tuple[str, ...]] = ("tutorial",)
    brief: ClassVar[str] = "The whole story on a sample collection."
    place: ClassVar[int] = 10
    printed: ClassVar[bool] = False

    directory: Path = setting(
        Path("cranfield-demo"), "Where the sample collection and the scores go.", argument=True, metavar="[DIR]"
    )
    seed: int = shared.seed()
