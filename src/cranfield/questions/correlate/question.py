"""Do two orders of systems agree? The settings of `correlate`."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar, cast

from cranfield.core import defaults
from cranfield.core import options as shared
from cranfield.core.errors import DataError
from cranfield.core.labels import summary
from cranfield.core.options import setting
from cranfield.core.question import Bar, Files, HelpGroup, Page, Place, Question

if TYPE_CHECKING:
    from cranfield.core.results import Result
    from cranfield.questions.correlate.correlate import Correlations
    from cranfield.scores.matrix import Scores


@dataclass(frozen=True, kw_only=True)
class CorrelateQuestion(Question):
    """Rank correlation between two orders of the same systems: tau, tau_b, tau_AP and tau_AP,b, with intervals.

    Score files rank systems by their mean. An order is a text file with one system per line, the best first, or a
    system and its score on each line; it has no topics and so no interval.

    \b
    Examples:
      cranfield correlate robust2003.AP.csv robust2004.AP.csv
      cranfield correlate scores.csv order.txt
    """

    command: ClassVar[str] = "correlate"
    group: ClassVar[HelpGroup] = "Compare"
    aliases: ClassVar[tuple[str, ...]] = ("tau", "kendall", "correlation")
    brief: ClassVar[str] = "Agreement of two rankings of systems."
    place: ClassVar[int] = 90
    page = Page(
        name="correlate",
        title="Side by side",
        place=Place.RESULT,
        order=40,
        heading="Do two sides rank the systems alike?",
        lead="Compare the rankings by two datasets, or by two measures of one dataset: the ranks of every system on "
        "both sides, and rank correlations.",
        button="Compare the orders",
        doing="Ranking the systems of",
        brief="Rank correlation of two datasets, or of two measures of one, with both ranks of every system.",
    )

    reference: str = setting(
        help="Reference: a score file, or an order of systems.", argument=True, metavar="A", part="source"
    )
    estimate: str = setting(help="Score file or order to compare with it.", argument=True, metavar="B", part="source")
    measure: str | None = shared.measure("Measure of A (and of B, unless given).", usual="all in common")
    other_measure: str | None = setting(None, "Measure of B; by default the one of A.", part="source", metavar="NAME")
    alpha: float = shared.alpha()
    n_resamples: int = shared.n_resamples(defaults.TAU_RESAMPLES, "Bootstrap samples of topics; 0 for none.", least=0)
    seed: int = shared.seed()
    published: bool = setting(False, "Add the published interval of tau, cut at 1.", label="Published interval")
    workers: int | None = shared.workers()
    cluster: str | None = shared.cluster()
    missing: str = shared.missing()

    @staticmethod
    def verb() -> Callable[..., Any]:  # of one pair; `ask` gives those of all
        """The public function that answers it."""
        from cranfield.questions.correlate.correlate import correlate

        return correlate

    @classmethod
    def results(cls) -> tuple[type[Result], ...]:
        """The correlations of all pairs of orders, also where there is one."""
        from cranfield.questions.correlate.correlate import Correlations

        return (Correlations,)

    def read(self, files: Files, bar: Bar) -> tuple[Any, ...]:
        """What to compare with what: the only measure on each side, or all measures that both sides have."""
        x, y = self._side(self.reference, self.measure), self._side(self.estimate, self.other_measure or self.measure)
        if isinstance(x, dict) or isinstance(y, dict) or len(x) == len(y) == 1:
            return ((x if isinstance(x, dict) else x.only(), y if isinstance(y, dict) else y.only()),)
        common = [measure for measure in x if measure in y]
        if not common:
            raise DataError(
                f"the files have no measure in common ({summary(list(x))} and {summary(list(y))}); "
                "choose with --measure and --other-measure"
            )
        return tuple((x[measure], y[measure]) for measure in common)

    def _side(self, path: str, measure: str | None) -> Scores | dict[str, float]:
        from cranfield.questions.correlate.order_files import is_order, read_order
        from cranfield.scores.readers import read_scores

        if is_order(path):
            return read_order(path)
        return read_scores(path, measure=measure, missing=cast(Any, self.missing))

    def ask(self, *data: Any, **more: Any) -> Correlations:
        """The correlation of every pair of orders."""
        from cranfield.questions.correlate.correlate import Correlations

        return Correlations(tuple(super(CorrelateQuestion, self).ask(*pair, **more) for pair in data))
