"""Are machine judgments as good as a second person, and what do they add? The settings of `judges`."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar

from cranfield.core import defaults
from cranfield.core import options as shared
from cranfield.core.options import setting
from cranfield.core.question import Bar, Files, HelpGroup, Page, Place, Takes
from cranfield.measures.options import Scoring

if TYPE_CHECKING:
    from cranfield.questions.judges.judges import Judging
    from cranfield.questions.judges.plan import JudgesDesign


@dataclass(frozen=True, kw_only=True)
class Judged(Scoring):
    """What questions about judges have in common: the judgments of people and machines, and the runs."""

    by_one_measure: ClassVar[bool] = True
    prefers: ClassVar[str] = defaults.JUDGES_MEASURE
    takes: ClassVar[Takes] = "judges"

    runs: tuple[str, ...] = setting(
        (), "Runs to score; none when score files are given.", argument=True, metavar="[RUN...]", part="source",
        on_page=False,
    )  # fmt: skip
    human: tuple[str, ...] = setting(
        help="Judgments (or scores) by people; repeatable. The first is the reference.", metavar="QRELS|SCORES",
        part="source", on_page=False,
    )  # fmt: skip
    machine: tuple[str, ...] = setting(
        help="Judgments (or scores) by a machine; repeatable.", metavar="QRELS|SCORES", part="source", on_page=False
    )
    measure: str | None = setting(
        None, "Measure that ranks the systems.", "--measure", "-m", metavar="NAME", often=True,
        usual=f"{defaults.JUDGES_MEASURE} for runs, or the only one of the scores",
    )  # fmt: skip
    map: str | None = setting(
        None, "Machine grade to human grade, such as 0:0,1:0,2:1,3:1.", metavar="PAIRS", on_page=False
    )

    def read(self, files: Files, bar: Bar) -> tuple[Any, ...]:
        """The files by role; the function reads them."""
        return list(self.human), list(self.machine), list(self.runs) or None


@dataclass(frozen=True, kw_only=True)
class JudgesQuestion(Judged):
    """Compare machine judgments with those of people: verdict, decisions, rankings, labels and bias.

    The first --human is the reference; others are second persons, whose agreement is the ceiling. With runs,
    judgments are qrels files; without, both are score files. The topic is the unit of every interval.

    \b
    Examples:
      cranfield judges --human past.AP.csv --machine trec8.AP.csv --show rankings
      cranfield judges --human judges/human.qrels --human judges/second.qrels \\
        --machine judges/machine.qrels runs/ --system-groups judges/groups.txt
    """

    command: ClassVar[str] = "judges"
    brief: ClassVar[str] = "Compare machine judgments with those of people."
    group: ClassVar[HelpGroup] = "Collection"
    aliases: ClassVar[tuple[str, ...]] = ("judge", "llm")
    place: ClassVar[int] = 174
    page = Page(
        name="judges",
        title="Judges",
        place=Place.COLLECTION,
        order=40,
        heading="Are machine judgments as good as a second person?",
        lead="Needs runs with their judgments, or scores, and files called machine… with those of a machine. Files "
        "called second… hold those of a second person; a file called groups names systems that a machine may favour.",
        button="Compare judges",
        doing="Comparing the judges of",
        brief="Verdict, decisions, rankings, labels and bias of a machine; needs its judgments or scores.",
        leads_to=lambda: (DesignJudgesQuestion,),
    )

    system_groups: Path | None = setting(
        None, "File of lines `system group`, for systems that a machine may favour.", metavar="FILE", on_page=False
    )
    teams: Path | None = shared.teams()
    sampled: str = setting(
        "unknown", "How human topics were chosen: random, unknown, or a FILE with lines `topic stratum`.",
        metavar="random|unknown|FILE", on_page=False,
    )  # fmt: skip
    alpha: float = shared.alpha()
    n_resamples: int = shared.n_resamples(defaults.TAU_RESAMPLES, "Resamples of topics.")
    seed: int = shared.seed()
    show: str | None = setting(
        None,
        "Table to print. conflicts: every pair, opposite decisions first. leniency: machine grade minus "
        "human grade. judges: two machines side by side.",
        choices=defaults.names(defaults.JudgesShow), usual="decisions; rankings where no topic is shared", part="view",
        on_page=False,
    )  # fmt: skip

    @staticmethod
    def verb() -> Callable[..., Judging]:
        """The public function that answers it."""
        from cranfield.questions.judges.judges import judges

        return judges


@dataclass(frozen=True, kw_only=True)
class DesignJudgesQuestion(Judged):
    """Human topics needed when a machine judges further topics.

    A pilot with both judgments shows how closely the machine follows people. The closer it does, the fewer human topics
    reach the same width or power. With prices, the cheapest mix is marked.

    \b
    Examples:
      cranfield design judges --human past.AP.csv --machine trec8.AP.csv --min-diff 0.05 --machine-topics 200
      cranfield design judges --human judges/human.qrels --machine judges/machine.qrels runs/ --width 0.1 \\
        --price-human 1 --price-machine 0.01
    """

    command: ClassVar[str] = "design judges"
    brief: ClassVar[str] = "Human topics needed when a machine judges more."
    group: ClassVar[HelpGroup] = "Design"
    place: ClassVar[int] = 158
    page = Page(
        name="design-judges",
        title="Human topics",
        address="/judges/design",
        place=Place.COLLECTION,
        order=45,
        heading="How many topics must people judge beside a machine?",
        lead="The data are the pilot: topics with judgments, or scores, by people and by a machine (a file called "
        "machine…). Give a smallest difference with its power, or a width.",
        doing="Planning human topics from",
        example={"min_diff": f"{defaults.JUDGES_MIN_DIFF:g}"},
        leads_to=lambda: (JudgesQuestion,),
    )

    width: float | None = setting(
        None, "Target width of the interval of a difference.", metavar="W", check=shared.positive, often=True,
        label="Width of the interval",
    )  # fmt: skip
    min_diff: float | None = setting(
        None, "Smallest difference worth detecting.", metavar="D", check=shared.positive, often=True,
        label="Smallest difference",
    )  # fmt: skip
    power: float = shared.power()
    machine_topics: tuple[int, ...] = setting(
        defaults.MACHINE_TOPICS, "Further topics that only the machine judges; repeatable.", metavar="N", least=0,
        most=10_000_000,
    )  # fmt: skip
    price_human: float | None = setting(
        None, "Price of a human judgment (of a topic, with score files).", metavar="P", check=shared.not_negative,
        label="Price by people",
    )  # fmt: skip
    price_machine: float = setting(
        0.0, "Price of a machine judgment.", metavar="P", check=shared.not_negative, label="Price by machine"
    )
    alpha: float = shared.alpha()

    @staticmethod
    def verb() -> Callable[..., JudgesDesign]:
        """The public function that answers it."""
        from cranfield.questions.judges.plan import design_judges

        return design_judges
