"""A tour on a sample collection: the settings of `demo`."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import ClassVar

from cranfield.core import options as shared
from cranfield.core.options import setting
from cranfield.core.question import Question


@dataclass(frozen=True, kw_only=True)
class DemoQuestion(Question):
    """Show the main commands on a sample collection.

    Prints each command before its output, ready to repeat with your own files.

    Example: cranfield demo
    """

    command: ClassVar[str] = "demo"
    aliases: ClassVar[tuple[str, ...]] = ("tutorial",)
    brief: ClassVar[str] = "Show the main commands on a sample collection."
    place: ClassVar[int] = 10
    printed: ClassVar[bool] = False

    directory: Path = setting(
        Path("cranfield-demo"), "Directory for the sample collection and the scores.", argument=True, metavar="[DIR]"
    )
    seed: int = shared.seed()
