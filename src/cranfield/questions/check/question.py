"""Are these files valid? The settings of `check`."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar

from cranfield.core import defaults
from cranfield.core.options import setting
from cranfield.core.question import HelpGroup, Question

if TYPE_CHECKING:
    from cranfield.collection.check import FileCheck


@dataclass(frozen=True, kw_only=True)
class CheckQuestion(Question):
    """Validate files: contents, ties, and every problem with file and line.

    Runs are also compared with judgments: shared topics, judged share of the top 10, and ids that differ only in case,
    blanks or leading zeros. The exit code is 1 if any file has a problem.

    Example: cranfield check qrels.txt runs/
    """

    command: ClassVar[str] = "check"
    group: ClassVar[HelpGroup] = "Collection"
    aliases: ClassVar[tuple[str, ...]] = ("validate", "lint")
    brief: ClassVar[str] = "Validate runs, qrels and score files."
    counts: ClassVar[str] = "checking files"
    place: ClassVar[int] = 30
    drawn: ClassVar[bool] = False

    files: tuple[str, ...] = setting(
        help="Runs, qrels or score files, directories or globs.", argument=True, metavar="FILE...", part="source"
    )
    kind: defaults.FileKind | None = setting(None, "What the files are; recognised from their content if not given.")
    lenient: bool = setting(False, "Accept fields after the run tag.")

    @staticmethod
    def verb() -> Callable[..., FileCheck]:
        """The public function that answers it."""
        from cranfield.collection.check import check_file

        return check_file
