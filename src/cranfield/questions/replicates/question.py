"""Which systems differ on several partitions of the documents: the settings of `replicates`."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, ClassVar

from cranfield.core import defaults
from cranfield.core import options as shared
from cranfield.core.errors import ArgumentError
from cranfield.core.options import setting
from cranfield.core.question import HelpGroup, Page, Place, Takes
from cranfield.measures.options import Scoring

if TYPE_CHECKING:
    from cranfield.questions.replicates.replicate import Replicates


def _corrections() -> tuple[str, ...]:
    from cranfield.questions.compare.corrections import of_p_alone

    return tuple(of_p_alone())


@dataclass(frozen=True, kw_only=True)
class ReplicatesQuestion(Scoring):
    """Score every topic on several partitions of the documents, and test which systems differ.

    The documents are split at random, so each (topic, system) pair has several scores. A model with a topic x system
    interaction is fitted, and its residuals are bootstrapped. Many splits are combined into one decision per pair.
    The inference is to other documents, not to other topics.

    Example: cranfield replicates qrels.txt runs/ -m AP --show pairs
    """

    command: ClassVar[str] = "replicates"
    group: ClassVar[HelpGroup] = "Compare"
    aliases: ClassVar[tuple[str, ...]] = ("replicate", "partitions")
    brief: ClassVar[str] = "Intervals and decisions from document partitions."
    takes: ClassVar[Takes] = "runs"
    counts: ClassVar[str] = "runs and splits"
    place: ClassVar[int] = 100
    page = Page(
        name="replicates",
        title="Replicates",
        place=Place.COLLECTION,
        order=30,
        heading="Do the systems differ on other documents?",
        lead="The documents are split at random. Every topic is scored on every partition. Needs runs and judgments.",
        button="Run",
        doing="Splitting the documents of",
        brief="Which systems differ on several partitions of the documents; needs runs.",
    )

    measures: tuple[str, ...] = setting(
        ("AP",), "Measure, such as AP, P@10 or infAP; repeatable.", "--measure", "-m", metavar="NAME", label="Measure"
    )
    n_partitions: int = setting(
        defaults.PARTITIONS,
        "Number of document partitions, at least 2.",
        "--partitions",
        "-x",
        label="Partitions of the documents",
        least=2,
        most=1000,
    )
    n_splits: int = setting(defaults.SPLITS, "Number of random splits.", least=1, most=10_000)
    residuals: defaults.Residuals = setting(
        defaults.RESIDUALS, "Rescale residuals by sqrt(N/(N-p)), or keep them raw (published).", more=True
    )
    resample: defaults.Resample = setting(
        defaults.RESAMPLE, "Resample whole (topic, partition) rows, or single cells (published).", more=True
    )
    p: defaults.PairP = setting(
        defaults.PAIR_P, "p from the bootstrapped difference, or from one system's effect (published).",
        label="p from", more=True,
    )  # fmt: skip
    published: bool = setting(
        False, "Use the published choices: raw residuals, cells, effect, BH.", label="As published"
    )
    interaction: bool = setting(
        True, "Leave the topic x system term out of the model.", label="Topic × system term in the model", more=True
    )
    empty: defaults.EmptyPolicy = setting(
        defaults.EMPTY,
        "Topics without relevant documents in a partition: drop them, redraw the split, or keep the other partitions.",
        label="Topics without relevant documents in a partition",
        more=True,
    )
    redraws: int = setting(
        defaults.REDRAWS, "Most splits to draw with --empty redraw.", least=1, most=1_000_000,
        on_page=False,
    )  # fmt: skip
    merge: defaults.Merge = setting(
        defaults.MERGE, "How to merge the p-values of the splits, before correction.",
        label="Merge p-values by", more=True,
    )  # fmt: skip
    decide: defaults.Decide = setting(
        defaults.DECIDE, "Decide by the merged p-value, or by the votes of the splits.", label="Decide by", more=True
    )
    correction: str = setting(
        defaults.REPLICATES_CORRECTION, "Correction over all pairs of a measure.",
        choices=_corrections,
    )  # fmt: skip
    alpha: float = shared.alpha()
    n_resamples: int = shared.n_resamples(defaults.REPLICATES_RESAMPLES, "Bootstrap resamples per split.")
    seed: int = shared.seed()
    work: Path | None = shared.work()
    workers: int | None = shared.workers()
    cluster: str | None = shared.cluster()
    show: defaults.ReplicatesShow = shared.show("systems", "Table to print.")
    teams: Path | None = setting(
        None, "File of lines `system team`, for --show teams.", metavar="FILE", part="view", on_page=False
    )
    team_prefix: str | None = setting(
        None, "Regular expression that finds the team at the start of the run tag.", part="view",
        on_page=False,
    )  # fmt: skip

    @staticmethod
    def verb() -> Callable[..., Replicates]:
        "The public function that answers it."
        from cranfield.questions.replicates.replicate import replicate

        return replicate

    def check_together(self) -> None:
        """A table of teams needs to know them."""
        if self.show == "teams" and (self.teams is None) == (self.team_prefix is None):
            raise ArgumentError(
                "`show` teams needs a grouping of the runs. Give either `teams` FILE or `team_prefix` PATTERN."
            )
