"""Settings of `cost`."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar

from cranfield.core import defaults
from cranfield.core import options as shared
from cranfield.core.errors import ArgumentError
from cranfield.core.options import setting
from cranfield.core.question import Bar, Files, HelpGroup, Page, Place, Question, Takes
from cranfield.questions.design.question import PUBLISHED
from cranfield.questions.pool.question import contributing
from cranfield.questions.variance.question import estimators

if TYPE_CHECKING:
    from cranfield.questions.cost.cost import Cost


@dataclass(frozen=True, kw_only=True)
class CostQuestion(Question):
    """Topics and judgments for each pool depth and measure.

    At each depth the judgments are reduced, the runs re-evaluated, and the variance estimated and pooled. The cost is
    topics × (pool documents per topic × document cost + topic cost); ratio is the cost of the deepest pool divided by
    this cost. Topics are for all pairs after correction, for an analysis of variance with --blocked or --published, or
    for an interval with --width. --systems scales pools to that many systems. With --budget, the best depth has the
    smallest detectable difference (or width) among the depths at which at least 90% of the pool is judged.

    \b
    Examples:
      cranfield cost qrels.txt runs/ -m AP --depth 10 --depth 100 --width 0.15
      cranfield cost qrels.txt runs/ -m AP --depth 10 --systems 10 --min-diff 0.15
      cranfield cost qrels.txt runs/ -m AP --systems 10 --budget 10000
      cranfield cost --collection q03 runs03/ --collection q04 runs04/ \\
                     -m AP --depth 10 --depth 100 --width 0.15
    """

    command: ClassVar[str] = "cost"
    group: ClassVar[HelpGroup] = "Design"
    aliases: ClassVar[tuple[str, ...]] = ("budget",)
    brief: ClassVar[str] = "Pool depth, number of topics, and cost."
    takes: ClassVar[Takes] = "judged"
    counts: ClassVar[str] = "judging shallower"
    place: ClassVar[int] = 160
    page = Page(
        name="cost",
        title="Cost and budget",
        place=Place.PLAN,
        order=20,
        heading="How deep to judge, at what cost?",
        doing="Pricing pools of",
        brief="Topics and judgments for each pool depth, or the best design for a budget; needs runs.",
        example={"systems": f"{defaults.NEXT_SYSTEMS}", "min_diff": f"{defaults.NEXT_MIN_DIFF:.2f}"},
    )

    files: tuple[str, ...] = setting(
        (), "Qrels file, then the pooled runs.", argument=True, metavar="QRELS RUN...", part="source"
    )
    collection: tuple[str, ...] | None = setting(
        None, "Qrels file and directory of runs; repeat to pool collections.", metavar="QRELS RUNS",
        part="source",
    )  # fmt: skip
    depths: tuple[int, ...] | None = setting(
        None, "Pool depth; repeatable.", "--depth", metavar="D", least=1, most=10_000_000,
        usual=" ".join(map(str, defaults.COST_DEPTHS)),
    )  # fmt: skip
    measures: tuple[str, ...] = setting(
        help="Measure to evaluate by; repeatable.", flags=("--measure", "-m"), metavar="NAME"
    )
    contributing: Path | None = contributing()
    teams: Path | None = shared.teams(part="source")
    team_prefix: str | None = shared.team_prefix(part="source")
    best_per_team: str | None = shared.best_per_team()
    n_systems: int | None = shared.n_systems(None, "Number of systems to compare.")
    min_diff: float | None = shared.min_diff(None, "Smallest difference to detect.")
    width: float | None = setting(
        None, "Maximum expected width of an interval, instead of a test.", metavar="W", check=shared.positive
    )
    power: float | None = shared.power(None, f"{defaults.POWER:.2f}")
    assurance: float = shared.assurance()
    alpha: float = shared.alpha()
    method: str | None = shared.method(None)
    published: bool = setting(False, PUBLISHED, more=True)
    blocked: bool = setting(False, "One F-test on shared topics, instead of all pairs.", more=True)
    epsilon: str | None = shared.epsilon()
    estimator: str | None = setting(None, "How to estimate the variance at each depth.", registry=estimators, more=True)
    document_cost: float = setting(1.0, "Cost of judging a document.", check=shared.not_negative)
    topic_cost: float = setting(0.0, "Cost of setting up a topic.", check=shared.not_negative)
    budget: float | None = setting(
        None, "Budget; solves for the best affordable design.", metavar="B", check=shared.positive
    )
    order: defaults.RankingOrder = setting(defaults.ORDER, "Order of documents in runs.", more=True)

    @staticmethod
    def verb() -> Callable[..., Cost]:
        """The public function that answers it."""
        from cranfield.questions.cost.cost import cost

        return cost

    def read(self, files: Files, bar: Bar) -> tuple[Any, ...]:
        """Judgments and runs: the plain arguments, or each --collection with the argument after it."""
        from cranfield.questions.files import best_runs, check_teams

        check_teams(self)
        named, collections = self.files, self.collection
        if not collections:
            if len(named) < 2:
                raise ArgumentError("no runs given. Write: cranfield cost QRELS RUN…")
            return ([(named[0], best_runs(self, named[0], named[1:]))],)
        if len(named) != len(collections):
            raise ArgumentError(
                f"--collection needs one RUNS for each QRELS; got {len(named)} for {len(collections)}. "
                "Write --collection QRELS RUNS, with RUNS a directory or a quoted glob."
            )
        return ([(qrels, best_runs(self, qrels, [runs])) for qrels, runs in zip(collections, named, strict=True)],)
