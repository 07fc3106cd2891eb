"""How deep to judge, and at what cost? The settings of `cost`."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, ClassVar

from cranfield.core import defaults
from cranfield.core import options as shared
from cranfield.core.errors import ArgumentError
from cranfield.core.question import Bar, Files, HelpGroup, Question, Takes, setting
from cranfield.questions.design.question import PUBLISHED
from cranfield.questions.variance.question import estimators


@dataclass(frozen=True, kw_only=True)
class CostQuestion(Question):
    """Topics and judgments for each pool depth and measure.

    Judgments are cut to each depth, runs evaluated anew, variances estimated (and pooled over collections), and the
    design priced: topics × (documents in the pool of a topic × document cost + topic cost). ratio is the cost of the
    deepest pool divided by this one. Topics are for comparing all pairs after correction (as design pairs and design
    recommend), for an analysis of variance with --blocked or --published, or for an interval with --width.

    \b
    Examples:
      cranfield cost qrels.txt runs/ -m AP --depth 10 --depth 100 --width 0.15
      cranfield cost qrels.txt runs/ -m AP --depth 10 --systems 10 --min-diff 0.15
      cranfield cost qrels.txt runs/ -m AP --depth 10 --systems 10 --budget 10000
      cranfield cost --collection q03 runs03/ --collection q04 runs04/ \\
                     -m AP --depth 10 --depth 100 --width 0.15
    """

    command: ClassVar[str] = "cost"
    group: ClassVar[HelpGroup] = "Design"
    aliases: ClassVar[tuple[str, ...]] = ("budget",)
    brief: ClassVar[str] = "How deep to judge, how many topics, at what cost."
    takes: ClassVar[Takes] = "judged"
    counts: ClassVar[str] = "judging shallower"
    place: ClassVar[int] = 160

    files: tuple[str, ...] = setting(
        (), "Judgments, then the runs that were pooled.", argument=True, metavar="QRELS RUN...", part="source"
    )
    collection: tuple[str, ...] | None = setting(
        None, "Judgments and a directory of runs; repeat it to pool several collections.", metavar="QRELS RUNS",
        part="source",
    )  # fmt: skip
    depths: tuple[int, ...] = setting(
        help="Pool depth to consider; repeatable.", flags=("--depth",), metavar="D", least=1, most=10_000_000
    )
    measures: tuple[str, ...] = setting(
        help="Measure to evaluate by; repeatable.", flags=("--measure", "-m"), metavar="NAME"
    )
    n_systems: int | None = shared.n_systems(None, "Systems to compare.")
    min_diff: float | None = shared.min_diff(None, "Smallest difference worth detecting.")
    width: float | None = setting(
        None, "Largest expected width of an interval, instead.", metavar="W", check=shared.positive
    )
    power: float | None = shared.power(None, f"{defaults.POWER:.2f}")
    alpha: float = shared.alpha()
    method: str = shared.method()
    published: bool = setting(False, PUBLISHED)
    blocked: bool = setting(False, "Topics for one F-test on shared topics, instead of all pairs.")
    epsilon: str | None = shared.epsilon()
    estimator: str | None = setting(None, "How to estimate variances.", registry=estimators)
    document_cost: float = setting(1.0, "Cost of judging a document.", check=shared.not_negative)
    topic_cost: float = setting(0.0, "Cost of setting up a topic.", check=shared.not_negative)
    budget: float | None = setting(
        None, "What may be spent: find the best design it buys.", metavar="B", check=shared.positive
    )
    order: str = setting(defaults.ORDER, "How documents are ordered.", choices=defaults.names(defaults.RankingOrder))

    @staticmethod
    def verb() -> Callable[..., Any]:
        """The public function that answers it."""
        from cranfield.questions.cost.cost import cost

        return cost

    def read(self, files: Files, bar: Bar) -> tuple[Any, ...]:
        """Judgments and runs: the plain arguments, or each --collection with the argument after it."""
        named, collections = self.files, self.collection
        if not collections:
            if len(named) < 2:
                raise ArgumentError("name the judgments and at least one run: cranfield cost QRELS RUN…")
            return ([(named[0], list(named[1:]))],)
        if len(named) != len(collections):
            raise ArgumentError(
                f"--collection needs one place of runs for each qrels file; got {len(named)} for {len(collections)}. "
                "Write --collection QRELS RUNS for each, with RUNS one directory (or a glob in quotes)."
            )
        return ([(qrels, [runs]) for qrels, runs in zip(collections, named, strict=True)],)
