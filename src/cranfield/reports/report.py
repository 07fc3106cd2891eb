"""`report`: from judgments and runs, or scores, to one HTML file."""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, TypeAlias, cast

from markupsafe import Markup

from cranfield.collection.doors import QrelsLike, RunsLike
from cranfield.collection.teams import read_teams
from cranfield.collection.titles import collection_title
from cranfield.core import defaults
from cranfield.core.arguments import check_arguments
from cranfield.core.errors import ArgumentError, CranfieldError, DataError, UnknownNameError, quietly
from cranfield.core.executors import Progress
from cranfield.core.files import read_bytes
from cranfield.core.labels import joined, plural, summary
from cranfield.core.pages import Figure as ChartPart
from cranfield.core.pages import Part, Section, Text, render_page
from cranfield.core.text import plain_text
from cranfield.core.writing import write_atomically
from cranfield.questions.compare.answer import how_many_differ, leader
from cranfield.questions.compare.measures import MeasureComparisons
from cranfield.questions.compare.tests import TESTS
from cranfield.questions.judges.inputs import JudgesLike
from cranfield.questions.table.answer import how_found
from cranfield.reports.case import Case, Material
from cranfield.reports.participants import participant_pages
from cranfield.reports.references import WORKS
from cranfield.reports.sections import SECTIONS, build, detectable
from cranfield.reports.view import page
from cranfield.reports.view.page import still_map
from cranfield.scores.doors import ScoresLike

PathLike: TypeAlias = str | os.PathLike[str]
MOST_SCORES = 1_000_000
"""Scores that a report can show."""


@dataclass(frozen=True, eq=False)
class Report:
    """A finished report; get one from `report`.

    Attributes
    ----------
    title : str
    headline : str
        The findings in two or three sentences.
    sections : tuple of Section
        Texts, figures and tables, as data.
    summary : str
        The findings in a paragraph to paste into an overview paper.
    view : mapping, optional
        The data of the linked view (see `view_data`); None where no systems could be compared.
    note : str
        The organiser's note, in paragraphs.
    case : Case, optional
        What the report is about.
    """

    title: str
    headline: str
    sections: tuple[Section, ...]
    summary: str = ""
    view: Mapping[str, Any] | None = field(default=None, repr=False)
    note: str = ""
    case: Case | None = field(default=None, repr=False)

    @property
    def findings(self) -> tuple[Section, ...]:
        """The pages of findings: what the sections say first, under the question it answers."""
        by_name = {section.id: section for section in self.sections}
        found = []
        for name, (title, texts, figures) in FINDINGS.items():
            if name in by_name and (parts := _lifted(by_name[name], texts, figures)):
                titles = {part.finding for part in parts if isinstance(part, ChartPart)}
                once = [part for part in parts if not (isinstance(part, Text) and part.text.rstrip(".") in titles)]
                found.append(Section(f"finding-{name}", title, tuple(once)))
        return tuple(found)

    @property
    def appendix(self) -> tuple[Section, ...]:
        """The sections without what stands among the findings."""
        lifted = {
            id(part)
            for section in self.sections
            if section.id in FINDINGS
            for part in _lifted(section, *FINDINGS[section.id][1:])
        }
        return tuple(
            replace(section, parts=tuple(part for part in section.parts if id(part) not in lifted))
            for section in self.sections
        )

    @property
    def still(self) -> Markup:
        """The pair map for readers without scripts."""
        return still_map([self.case.comparison]) if self.view is not None and self.case is not None else Markup("")

    @property
    def html(self) -> str:
        """The whole page: no network, figures and tables inside, one script that its policy knows by its hash."""
        return render_page("report.html", report=self, view=page)

    def write(self, path: str | os.PathLike[str]) -> Path:
        """Write the page whole or not at all, and return its path."""
        write_atomically(path, self.html.encode(errors="replace"))
        return Path(path)

    def write_participants(self, folder: str | os.PathLike[str], report: str = "../report.html") -> list[Path]:
        """Write one short page per team (per run where there are no teams), and return their paths.

        Parameters
        ----------
        folder : where the pages go; it is made if it is not there
        report : the address of the report from there
        """
        if self.case is None or self.view is None:
            raise ArgumentError("`participants` needs a comparison of systems, and there is none in this report.")
        pages = participant_pages(self.case.comparison, self.title, self.case.teams, report)
        Path(folder).mkdir(parents=True, exist_ok=True)
        for name, text in pages.items():
            write_atomically(Path(folder, name), text.encode(errors="replace"))
        return [Path(folder, name) for name in pages]

    def __repr__(self) -> str:
        return f"Report({self.title}: {self.headline})"

    def _repr_html_(self) -> str:
        from html import escape

        return f"<p><b>{escape(self.title)}</b></p><p>{escape(self.headline)}</p>"


FINDINGS = {
    "leaderboard": ("Who may be the best?", 3, 0),
    "differences": ("Which systems differ?", 2, 0),
    "collection": ("What can the collection detect?", 2, 1),
    "data": ("How was it judged?", 2, 1),
    "reliability": ("How reliable is it?", 3, 1),
    "next": ("What does the next collection need?", 2, 1),
}
"""The pages of findings: which sections they come from, under what title, and how many texts and figures of each."""


def _lifted(section: Section, texts: int, figures: int) -> list[Part]:
    """The first texts and figures of a section."""
    said = [part for part in section.parts if isinstance(part, Text)][:texts]
    drawn = [part for part in section.parts if isinstance(part, ChartPart)][:figures]
    return [*said, *drawn]


def report(
    scores: ScoresLike | QrelsLike | None = None,
    runs: RunsLike | None = None,
    *,
    qrels: QrelsLike | None = None,
    measures: Any | None = None,
    title: str | None = None,
    note: PathLike | None = None,
    documents: PathLike | None = None,
    skip: Iterable[str] | None = None,
    source: str | None = None,
    min_diff: float = defaults.NEXT_MIN_DIFF,
    n_systems: int | None = None,
    alpha: float = defaults.ALPHA,
    power: float = defaults.POWER,
    n_resamples: int | None = None,
    seed: int = defaults.SEED,
    n_partitions: int = defaults.PARTITIONS,
    n_splits: int = defaults.SPLITS,
    replicate_resamples: int = defaults.REPLICATES_RESAMPLES,
    depths: Sequence[int] | None = None,
    teams: Mapping[str, str] | PathLike | None = None,
    machine: JudgesLike | None = None,
    second: JudgesLike | None = None,
    system_groups: Mapping[str, str] | PathLike | None = None,
    across: Any | None = None,
    level: int = defaults.RELEVANCE,
    gains: str | None = None,
    intents: PathLike | None = None,
    order: defaults.RankingOrder = defaults.ORDER,
    single_precision: bool = False,
    name: defaults.SystemName = defaults.SYSTEM_NAME,
    lenient: bool = False,
    judged_only: bool = False,
    workers: int | None = None,
    progress: Progress | None = None,
) -> Report:
    """One self-contained HTML page about a collection, in plain language.

    Give judgments and runs, or scores. The first measure is the main one. A section that the data do not support (such
    as a comparison of one system) gives the reason instead.

    Parameters
    ----------
    scores : scores of the systems, in any form that `as_scores` takes; or instead
    qrels, runs : judgments and runs, or their files, in any form that `evaluate` takes; they also give
        pool depths and replicates. ``report(qrels, runs)`` needs no names
    measures : names of measures; for scores, which of them and in which order
    note : a text file: the organiser's note, shown below the title; blank lines part its paragraphs
    documents : ids and titles of documents, for ranked lists (see `cranfield.collection.titles.read_titles`)
    skip : sections to leave out: data, leaderboard, differences, collection, reliability, next, standardisation,
        replicates, reuse, judges, across, methods
    source : a description of where the scores come from
    min_diff, n_systems : what the next collection should detect, among how many systems (as many as here)
    n_resamples : resamples of the tests, as in `compare`
    n_partitions, n_splits, replicate_resamples : of the replicates
    depths : pool depths to price
    teams : the team of every run, or a file of them (see `read_teams`): each is left out of the pool in turn
    machine, second : judgments (or, beside scores, scores) by machines and by second persons, for a section as
        `judges` answers it
    system_groups : groups of systems that a machine may favour, see `judges`
    across : scores of other collections with the same systems, in any form that `across` takes, or their files
    level, gains, intents, order, single_precision, name, lenient, judged_only : how runs are scored, see `evaluate`

    Returns
    -------
    Report
        With `.html`, `.headline` and `.write(path)`.

    Examples
    --------
    >>> from cranfield import make_scores
    >>> made = report(make_scores(n_topics=20, n_systems=5, seed=3), skip=["standardisation"])
    >>> made.html.startswith("<!doctype html>")
    True
    """
    check_arguments(report, locals())
    left_out = tuple(skip or ())
    for section in left_out:
        if section not in defaults.REPORT_SECTIONS:
            raise UnknownNameError("section", section, defaults.REPORT_SECTIONS)
    if not min_diff > 0:
        raise ArgumentError(f"`min_diff` must be positive; got {min_diff:g}. Write 0.1.")
    noted = "" if note is None else plain_text(read_bytes(note), os.fspath(note)).strip()
    scoring: dict[str, Any] = {
        "level": level, "gains": gains, "intents": intents, "order": order, "single_precision": single_precision,
        "name": name, "lenient": lenient, "judged_only": judged_only,
    }  # fmt: skip
    if scores is not None and runs is not None and qrels is None:
        scores, qrels = None, scores
    if (scores is None) == (qrels is None) or (qrels is None) != (runs is None):
        raise ArgumentError("give either `scores`, or `qrels` with `runs`.")
    if scores is not None:
        material = Material.of_scores(cast("Any", scores), measures, source)
    else:
        material = Material.of_runs(cast("Any", qrels), cast("Any", runs), measures, source, scoring, workers)
    judged, main = material.qrels, next(iter(material.scores.values()))
    if (cells := sum(matrix.values.size for matrix in material.scores.values())) > MOST_SCORES:
        raise DataError(
            f"{cells:,} scores ({main.n_topics:,} topics × {main.n_systems:,} systems) are too many for a report; the "
            f"limit is {MOST_SCORES:,}. Select systems, topics or measures, or run compare, variance and reliability."
        )
    for matrix in material.scores.values():
        matrix.require(topics=1, systems=1, what="a report", tiny=True)
    if documents is not None and judged is None:
        raise ArgumentError("`documents` needs `qrels` and `runs`; got scores.")
    if teams is not None and judged is None:
        raise ArgumentError("`teams` needs `qrels` and `runs`; got scores.")
    if machine is None and (second is not None or system_groups is not None):
        lonely = "second" if second is not None else "system_groups"
        raise ArgumentError(f"`{lonely}` needs `machine`, the judgments of a machine.")
    grouping = teams if teams is None or isinstance(teams, Mapping) else read_teams(teams)
    named = qrels if isinstance(qrels, (str, os.PathLike)) else material.source if judged is None else judged.name
    called = title or collection_title(named)
    case = Case(
        material, called, scoring, grouping, alpha, power, min_diff, n_systems or max(2, main.n_systems), n_resamples,
        seed, n_partitions, n_splits, replicate_resamples, tuple(depths or defaults.REPORT_DEPTHS), workers,
        {"machine": machine, "second": second, "system_groups": system_groups}, across, documents,
    )  # fmt: skip
    possible = {
        "replicates": judged is not None, "reuse": judged is not None and grouping is not None,
        "judges": machine is not None, "across": across is not None,
    }  # fmt: skip
    wanted = [one for one in SECTIONS if one not in left_out and possible.get(one, True)]
    built = []
    for done, section in enumerate(wanted, 1):
        built.append(build(section, case))
        if progress:
            progress(done, len(wanted))
    if "methods" not in left_out:
        built.append(_methods(built))
    size = f"{plural(main.n_systems, 'system')} on {plural(main.n_topics, 'topic')}"
    heading = title or (f"{called}: {size}" if called else size)
    return Report(heading, _headline(case), tuple(built), _summary(case) if case.view else "", case.view, noted, case)


build_report = report
"""The name that `report` had first."""


def _methods(sections: Sequence[Section]) -> Section:
    """How everything was obtained: one line each, and the works to cite."""
    from cranfield import __version__

    keys = dict.fromkeys(work for section in sections for work in section.works)
    lines = dict.fromkeys(line for section in sections for line in section.signatures if line)
    text = (
        f"Computed by cranfield {__version__}. The same data and settings give the same numbers. Use these lines in a "
        "paper's footnotes."
    )
    return Section("methods", "Methods", (Text(text),), tuple(lines), tuple(WORKS[key] for key in keys))


def _detects(case: Case) -> tuple[str, ...]:
    """What these topics can detect; nothing where the scores do not say."""
    try:
        with quietly():
            return detectable(case).answer().sentences
    except CranfieldError:
        return ()


def _headline(case: Case) -> str:
    """The findings: who leads, how many pairs differ, and what the collection can detect."""
    try:
        leads = f"{leader(case.comparison, f' by {case.measure}')}."
    except CranfieldError as error:
        mean, best = max(zip(case.main.system_means.tolist(), case.main.systems, strict=True))
        return f"{best} has a mean {case.measure} of {mean:.4f}. No comparison: {error}."
    return " ".join([leads, f"{how_many_differ(case.comparison)}.", *_detects(case)])


def _summary(case: Case) -> str:
    """The findings in a paragraph that can be pasted: what was compared, how, and what came out."""
    result, grouping = case.comparison, case.teams or {}
    grouped = {team for system in result.systems if (team := grouping.get(system))}
    teams = f" of {plural(len(grouped), 'team')}" if case.teams else ""
    test, title = TESTS[result.test].title, f"{case.title}: " if case.title else ""
    ways = how_found(MeasureComparisons((result,), result.across_measures))
    found = f", p by {joined(ways)}" if ways else ""
    said = [
        f"{title}{plural(result.n_systems, 'system')}{teams} were compared on {plural(result.n_topics, 'topic')} by "
        f"{summary(list(case.scores), 8)}.",
        *case.findings,
        f"Pairs were tested by {case.measure} with the {test[0].lower()}{test[1:]} over topics ({result.alternative}"
        f"{found}; {result.correction_text()} for {plural(result.family, 'comparison')}).",
        *_detects(case),
    ]
    return " ".join(said)
