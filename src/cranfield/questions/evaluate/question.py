"""From runs to scores: the settings of `evaluate`, and of every question that scores runs itself."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar

from cranfield.core import defaults
from cranfield.core import options as shared
from cranfield.core.options import setting
from cranfield.core.question import HelpGroup, Takes
from cranfield.measures.options import Scoring

if TYPE_CHECKING:
    from cranfield.scores.matrix import Scores


@dataclass(frozen=True, kw_only=True)
class EvaluateQuestion(Scoring):
    """Score runs against judgments.

    Prints the mean of each system and measure, best first (counts are summed). -q adds the score of every topic.
    CSV and JSON have one row per system, topic and measure; topic `all` is the mean.

    --collections FILE scores many collections in one job. Each line names a collection, its judgments and its runs.
    The scores go to one file per collection in the directory of -o; an interrupted job resumes.

    Example: cranfield evaluate qrels.txt runs/ -m AP -m nDCG@10 -q -o scores.parquet
    """

    command: ClassVar[str] = "evaluate"
    group: ClassVar[HelpGroup] = "Evaluate"
    aliases: ClassVar[tuple[str, ...]] = ("eval", "score")
    instead: ClassVar[str] = "collections"
    brief: ClassVar[str] = "Score runs against judgments."
    takes: ClassVar[Takes] = "runs"
    counts: ClassVar[str] = "evaluating runs"
    place: ClassVar[int] = 50
    own_file: ClassVar[bool] = True

    measures: tuple[str, ...] = setting(
        defaults.MEASURES,
        "A measure such as AP, nDCG@10, RBP(p=0.8) or map; repeatable. `cranfield measures` lists them.",
        "--measure", "-m", metavar="NAME", often=True,
    )  # fmt: skip
    collections: str | None = setting(
        None, "File that lists collections to score into the directory of -o.", metavar="FILE",
        part="source", on_page=False,
    )  # fmt: skip
    per_topic: bool = setting(
        False, "Also print the score of every topic.", "--per-topic", "-q", part="view", often=True
    )
    long: bool = setting(False, "Print one row per system and measure.", part="view", on_page=False)
    trec: bool = setting(False, "Print the lines of trec_eval, ready for diff.", part="view")
    missing: defaults.MissingPolicy = setting("zero", "How to treat a missing (topic, system) score.", on_page=False)
    map: str | None = setting(
        None, "Level of each grade, such as 0:0,0.5:1,1:2; 0.5+:1 covers all grades from 0.5.", metavar="PAIRS",
        on_page=False,
    )  # fmt: skip
    groups: tuple[str, ...] = setting(
        (), "Document groups for GF and GFR: nominal=FILE or ordinal=FILE; add ,FILE for a target; repeatable.",
        metavar="KIND=FILE[,FILE]", on_page=False,
    )  # fmt: skip
    workers: int | None = shared.workers(
        "Number of runs scored at a time; the result stays the same.", usual="one per core, at most 8"
    )
    cluster: str | None = shared.cluster()
    memory: float = shared.memory()

    @staticmethod
    def verb() -> Callable[..., Scores]:
        """The public function that answers it."""
        from cranfield.measures.evaluation import evaluate

        return evaluate
