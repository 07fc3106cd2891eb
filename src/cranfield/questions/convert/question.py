"""Any format to any other: the settings of `convert`."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar

from cranfield.core import defaults
from cranfield.core import options as shared
from cranfield.core.options import setting
from cranfield.core.question import Question, Takes
from cranfield.core.registry import Registry

if TYPE_CHECKING:
    from cranfield.scores.matrix import Scores


def formats() -> Registry[Any]:
    """The formats of score files."""
    from cranfield.scores.formats import FORMATS

    return FORMATS


def layouts() -> tuple[str, ...]:
    """The layouts that `convert` writes: of scores, then of runs and judgments."""
    from cranfield.collection.formats import writable
    from cranfield.scores.formats import writable as scores_writable

    scores = scores_writable()
    return tuple(
        dict.fromkeys([*sorted(scores, key=lambda name: name != "long"), *writable("run"), *writable("qrels")])
    )


@dataclass(frozen=True, kw_only=True)
class ConvertQuestion(Question):
    """Convert scores, runs or judgments from one format to another.

    Scores: wide and long tables, trec_eval -q and ir_measures -q output, NTCIREVAL .nev, parquet, JSON. Runs and
    judgments: TREC, NTCIR, MS MARCO, BEIR, MTEB, tables, JSON, JSON lines. Numbers keep their full precision.

    Example: cranfield convert evals/*.eval -o scores.parquet

    Example: cranfield convert predictions.json --layout trec -o bm25.run
    """

    command: ClassVar[str] = "convert"
    aliases: ClassVar[tuple[str, ...]] = ("export", "import", "nuggets")
    brief: ClassVar[str] = "Convert scores, runs or qrels to another format."
    takes: ClassVar[Takes] = "files"
    place: ClassVar[int] = 40
    own_file: ClassVar[bool] = True

    layout: str | None = setting(
        None, "Scores: long (system, topic, measure, value), wide (one row per topic), trec_eval and nev (one file per "
        "system into the directory that -o names). Runs and qrels: trec, ntcir, msmarco, beir, table, json or jsonl.",
        choices=layouts, usual="long; for runs and qrels by the ending, or trec", part="view",
    )  # fmt: skip
    kind: defaults.FileKind | None = setting(
        None, "Kind of files; recognised from the first if not given.", part="view"
    )
    measure: str | None = shared.measure("Keep only this measure." + shared.WIDE)
    missing: str = shared.missing()
    format: str | None = setting(
        None, "Input format; recognised from the content if not given.", "--input-format", registry=formats,
        part="source",
    )  # fmt: skip
    header: bool | None = setting(
        None, "Whether the first row of a wide table contains labels.", "--header/--no-header", part="source"
    )
    topic_column: bool | None = setting(
        None,
        "Whether the first column of a wide table contains labels.",
        "--topic-column/--no-topic-column",
        part="source",
    )

    @staticmethod
    def verb() -> Callable[..., Scores]:
        """The public function that answers it."""
        from cranfield.scores.readers import read_scores

        return read_scores
