"""A full analysis in one file: the settings of `report`."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, ClassVar

from cranfield.core import defaults
from cranfield.core import options as shared
from cranfield.core.errors import ArgumentError
from cranfield.core.options import setting
from cranfield.core.question import Page, Place
from cranfield.measures.options import Scoring

if TYPE_CHECKING:
    from cranfield.reports.report import Report


@dataclass(frozen=True, kw_only=True)
class ReportQuestion(Scoring):
    """Write a full analysis of a collection as one HTML file, which opens offline.

    Sections: data and problems, leaderboard, significant differences, detectable difference, reliability, the next
    collection, standardisation and methods with citations. Runs add replicates; teams add reusability; --machine adds
    judges. Every table can be saved as CSV. Prints the headline.

    \b
    Examples:
      cranfield report qrels.txt runs/ -m AP -m nDCG@10 -o report.html
      cranfield report scores.csv --skip standardisation
    """

    command: ClassVar[str] = "report"
    aliases: ClassVar[tuple[str, ...]] = ("html",)
    brief: ClassVar[str] = "Write a full analysis as one HTML file."
    counts: ClassVar[str] = "building the report"
    place: ClassVar[int] = 180
    printed: ClassVar[bool] = False
    page = Page(
        name="report",
        title="Report",
        place=Place.RESULT,
        order=50,
        heading="Report in one file",
        lead="A full analysis as one HTML file that opens anywhere: leaderboard, significant differences, reliability "
        "and the next collection.",
        button="Write the report",
        doing="Writing the report on",
        nothing="Choose data and write the report. This takes a while.",
        brief="Build a report; `/files/report/report.html` with the same settings downloads it.",
        waits=True,
        template="report.html",
    )

    files: tuple[str, ...] = setting(
        (), "Judgments, then runs; or score files. Directories and globs work.", argument=True,
        metavar="QRELS RUN... | SCORES...", part="source", on_page=False,
    )  # fmt: skip
    output: Path = setting(
        Path(defaults.REPORT_FILE), "The HTML file to write.", "--output", "-o", part="view", on_page=False, often=True,
        written=True,
    )  # fmt: skip
    measures: tuple[str, ...] | None = setting(
        None, "Measure; repeatable. The first is the main one.", "--measure", "-m", metavar="NAME", label="Measures",
        often=True, usual=f"{' '.join(defaults.MEASURES)}, or all in the scores",
    )  # fmt: skip
    skip: tuple[str, ...] | None = setting(
        None, f"Leave a section out; repeatable: {', '.join(defaults.REPORT_SECTIONS)}.", metavar="SECTION",
        label="Leave out", choices=defaults.REPORT_SECTIONS, what="section", more=True,
    )  # fmt: skip
    title: str | None = setting(None, "Heading of the report and of its file.")
    note: Path | None = setting(
        None, "Text file with a note of the organisers, shown below the title.", metavar="FILE", on_page=False
    )
    participants: Path | None = setting(
        None, "Also write one short page per team (or run) into this directory, to mail.", metavar="DIR", part="view",
        on_page=False,
    )  # fmt: skip
    min_diff: float = shared.min_diff(defaults.NEXT_MIN_DIFF, "Difference the next collection should detect.")
    n_systems: int | None = shared.n_systems(None, "Number of systems it will compare.", usual="as many as here")
    power: float = shared.power(more=True)
    depths: tuple[int, ...] | None = setting(
        None, "Pool depth to cost; repeatable.", "--depth", usual=" ".join(map(str, defaults.REPORT_DEPTHS)),
        least=1, most=10_000_000, on_page=False,
    )  # fmt: skip
    documents: Path | None = shared.documents()
    teams: Path | None = shared.teams()
    across: tuple[str, ...] | None = setting(
        None, "Scores of another collection with the same systems; repeatable. Adds a section.", metavar="SCORES",
        on_page=False,
    )  # fmt: skip
    team_prefix: str | None = shared.team_prefix(part="source")
    best_per_team: str | None = shared.best_per_team()
    machine: tuple[str, ...] | None = setting(
        None,
        "Judgments (or scores) by a machine, for a section about it; repeatable.",
        metavar="QRELS|SCORES",
        usual="none",
        on_page=False,
    )
    second: tuple[str, ...] | None = setting(
        None, "Judgments (or scores) by a second person, beside a machine's; repeatable.", metavar="QRELS|SCORES",
        usual="none", on_page=False,
    )  # fmt: skip
    system_groups: Path | None = shared.teams("File of lines `system group`, for systems that a machine may favour.")
    n_partitions: int = setting(
        defaults.PARTITIONS, "Number of partitions of the documents.", least=2, most=20, more=True
    )
    n_splits: int = setting(defaults.SPLITS, "Number of splits of the documents.", least=1, most=10_000, more=True)
    replicate_resamples: int = setting(
        defaults.REPLICATES_RESAMPLES, "Bootstrap samples of the replicates.", least=1, most=shared.MOST_RESAMPLES,
        more=True,
    )  # fmt: skip
    alpha: float = shared.alpha(more=True)
    n_resamples: int | None = shared.n_resamples(None, usual="100000, or what the family needs")
    seed: int = shared.seed()
    missing: str = shared.missing()
    workers: int | None = shared.workers()
    cluster: str | None = shared.cluster()

    def check_together(self) -> None:
        """A prefix chooses runs and does nothing else here; second persons stand beside a machine."""
        if (self.second or self.system_groups) and not self.machine:
            name = "second" if self.second else "system_groups"
            raise ArgumentError(f"`{name}` needs `machine`, the judgments of a machine.")
        if self.team_prefix and not self.best_per_team:
            raise ArgumentError("`team_prefix` needs `best_per_team`, the measure that chooses a run per team.")

    @staticmethod
    def verb() -> Callable[..., Report]:
        """The public function that answers it."""
        from cranfield.reports.report import report

        return report
