"""From runs to scores: the settings of `evaluate`, and of every question that scores runs itself."""

from __future__ import annotations

from typing import Any, ClassVar

from cranfield import defaults
from cranfield.records import record
from cranfield.settings import shared
from cranfield.settings.base import Settings, setting


def level(**more: Any) -> Any:
    """What counts as relevant."""
    return setting(
        defaults.RELEVANCE, "Lowest relevance level that counts as relevant.", "--level", "-l",
        least=-1_000_000, most=1_000_000, on_page=False, **more,
    )  # fmt: skip


def gains(**more: Any) -> Any:
    """What each level is worth."""
    return setting(None, "Gain of each level: linear, exp, or a list such as 1:3:7.", on_page=False, **more)


def intents(**more: Any) -> Any:
    """How probable each intent of a topic is."""
    help = "Intent probabilities (topic intent probability) for D-measures."
    return setting(None, help, metavar="FILE", on_page=False, **more)


def order(**more: Any) -> Any:
    """How the documents of a topic are ordered."""
    help = "Documents by score (trec_eval), rank column (ndeval) or file (NTCIREVAL)."
    return setting(defaults.ORDER, help, choices=defaults.names(defaults.RankingOrder), on_page=False, **more)


def single_precision(**more: Any) -> Any:
    """How precisely scores are compared."""
    return setting(False, "Compare scores as 32-bit floats, as trec_eval before 9.0.8 did.", on_page=False, **more)


def system_name(**more: Any) -> Any:
    """What a system is called."""
    help = "Name systems after their file or their run tag."
    return setting(
        defaults.SYSTEM_NAME, help, choices=defaults.names(defaults.SystemName), on_page=False, **more
    )  # fmt: skip


def lenient(**more: Any) -> Any:
    """How strictly runs are read."""
    return setting(False, "Accept fields after the run tag.", on_page=False, **more)


@record(kw_only=True)
class Scoring(Settings):
    """How runs are read and scored."""

    level: int = level()
    gains: str | None = gains()
    intents: str | None = intents()
    order: str = order()
    single_precision: bool = single_precision()
    name: str = system_name()
    lenient: bool = lenient()


@record(kw_only=True)
class RunsOrScores(Settings):
    """What a question about scores needs when it is given judgments and runs, and scores these first."""

    level: int = level(part="source")
    gains: str | None = gains(part="source")
    intents: str | None = intents(part="source")
    order: str = order(part="source")
    single_precision: bool = single_precision(part="source")
    name: str = system_name(part="source")
    lenient: bool = lenient(part="source")
    missing: str | None = setting(
        None, "What a missing (topic, system) score means.", choices=defaults.names(defaults.MissingPolicy),
        usual=f"{defaults.MISSING} in score files, zero for runs", part="source", on_page=False,
    )  # fmt: skip

    @property
    def scoring(self) -> dict[str, Any]:
        """How runs are scored, as `evaluate` takes it."""
        names = [one.name for one in Scoring.all()]
        return {**{name: getattr(self, name) for name in names}, "missing": self.missing or "zero"}

    @property
    def holes(self) -> str:
        """What a hole in a score file means."""
        return self.missing or defaults.MISSING


@record(kw_only=True)
class EvaluateSettings(Scoring):
    """Score runs against judgments.

    Prints the mean of every system by every measure, the best first (counts are summed), and with -q the score of
    every topic. CSV and JSON have one row per system, topic and measure (topic `all`: the mean).

    Whole archives in one job: --collections FILE, whose lines have a name, judgments and runs, writes one file of
    scores per collection to the directory that -o names, and goes on where it stopped.

    Example: cranfield evaluate qrels.txt runs/ -m AP -m nDCG@10 -q -o scores.parquet
    """

    command: ClassVar[str] = "evaluate"
    instead: ClassVar[str] = "collections"
    brief: ClassVar[str] = "Score runs against judgments."
    takes: ClassVar[str] = "runs"
    answered_by: ClassVar[str] = "cranfield.measures:evaluate"
    counts: ClassVar[str] = "evaluating runs"
    place: ClassVar[int] = 50

    measures: tuple[str, ...] = setting(
        defaults.MEASURES,
        "A measure such as AP, nDCG@10, RBP(p=0.8) or map; repeatable. `cranfield measures` lists them.",
        "--measure", "-m", metavar="NAME",
    )  # fmt: skip
    collections: str | None = setting(
        None, "Evaluate the collections that this file lists, into the directory of -o.", metavar="FILE",
        part="source", on_page=False,
    )  # fmt: skip
    per_topic: bool = setting(False, "Also print the score of every topic.", "--per-topic", "-q", part="view")
    long: bool = setting(False, "Means in one row per system and measure.", part="view", on_page=False)
    trec: bool = setting(False, "Print the lines trec_eval prints, ready for diff.", part="view")
    missing: str = setting(
        "zero", "What a missing (topic, system) score means.", choices=defaults.names(defaults.MissingPolicy),
        on_page=False,
    )  # fmt: skip
    workers: int | None = shared.workers(
        "Runs scored at a time; never changes a result.", usual="one per core, at most 8"
    )
    cluster: str | None = shared.cluster()
    memory: float = shared.memory()


@record(kw_only=True)
class MeasuresSettings(Settings):
    """List the measures: how to write each, what it computes, and the paper it comes from.

    Other names are understood too: those of trec_eval (map, P_10, ndcg_cut_10), and irm:NAME for whatever
    ir_measures computes when it is installed.

    Example: cranfield measures AP nDCG
    """

    command: ClassVar[str] = "measures"
    brief: ClassVar[str] = "List the measures, with definitions and citations."
    place: ClassVar[int] = 60
    drawn: ClassVar[bool] = False

    names: tuple[str, ...] = setting((), "Only these, by any of their names.", argument=True, metavar="[NAME]...")


@record(kw_only=True)
class PoolSettings(Settings):
    """Reduce judgments to the documents in the top of at least one run.

    Writes the reduced judgments with -o (TREC's lines, or what .csv, .json and .jsonl stand for), and prints how many
    documents are left for each topic.

    Example: cranfield pool qrels.txt runs/ --depth 10 -o qrels.depth10.txt
    """

    command: ClassVar[str] = "pool"
    brief: ClassVar[str] = "Judgments as a shallower pool would have them."
    takes: ClassVar[str] = "runs"
    place: ClassVar[int] = 170
    drawn: ClassVar[bool] = False

    depth: int = setting(help="Keep documents in the top D of any run.", metavar="D", least=1, most=10_000_000)
    order: str = setting(defaults.ORDER, "How documents are ordered.", choices=defaults.names(defaults.RankingOrder))
