"""Judgments of a shallower pool: the settings of `pool`."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any, ClassVar

from cranfield.core import defaults
from cranfield.core.options import setting
from cranfield.core.question import HelpGroup, Question, Takes


def contributing() -> Any:
    """The runs that built the pool, in `pool`, `cost` and `reuse`."""
    return setting(
        None, "File with the runs that built the pool, one name per line.", metavar="FILE", on_page=False,
        usual="all runs",
    )  # fmt: skip


@dataclass(frozen=True, kw_only=True)
class PoolQuestion(Question):
    """Reduce judgments to the documents in the top of at least one run.

    Prints the number of documents left for each topic. -o writes the reduced judgments, in the format of the file's
    ending (.csv, .json, .jsonl) or in TREC format.

    \b
    Examples:
      cranfield pool qrels.txt runs/ --depth 10 -o qrels.depth10.txt
      cranfield pool qrels.txt runs/ --depth 10 --contributing pooled.txt
    """

    command: ClassVar[str] = "pool"
    group: ClassVar[HelpGroup] = "Collection"
    aliases: ClassVar[tuple[str, ...]] = ("pooling",)
    brief: ClassVar[str] = "Reduce judgments to a shallower pool."
    takes: ClassVar[Takes] = "runs"
    place: ClassVar[int] = 170
    own_file: ClassVar[bool] = True
    drawn: ClassVar[bool] = False

    depth: int = setting(help="Keep documents in the top D of any run.", metavar="D", least=1, most=10_000_000)
    order: defaults.RankingOrder = setting(defaults.ORDER, "Order of the documents of a run.")
    contributing: Path | None = contributing()
