"""`build_report`: from judgments and runs, or scores, to one HTML file."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from cranfield.collection.title import collection_title
from cranfield.defaults import (
    ALPHA,
    MEASURES,
    NEXT_MIN_DIFF,
    ORDER,
    PARTITIONS,
    POWER,
    RELEVANCE,
    REPLICATES_RESAMPLES,
    REPORT_DEPTHS,
    REPORT_SECTIONS,
    SEED,
    SPLITS,
    SYSTEM_NAME,
    RankingOrder,
    SystemName,
)
from cranfield.errors import ArgumentError, CranfieldError, DataError, UnknownNameError, quietly
from cranfield.executors import Progress, map_in_order
from cranfield.files import NamedFile, is_file, write_atomically
from cranfield.labels import plural
from cranfield.present.answers.comparison import how_many_differ, leader
from cranfield.present.report import collection, data, extras, reliability, systems
from cranfield.present.report.case import Case
from cranfield.present.report.parts import Notice, Part, Section, Text
from cranfield.present.report.references import WORKS
from cranfield.present.report.summary import summary, view_of

if TYPE_CHECKING:
    from cranfield.collection import Qrels, Run
    from cranfield.collection.doors import QrelsLike, RunsLike
    from cranfield.scores import Scores
    from cranfield.scores.doors import ScoresLike

    PathLike = str | os.PathLike[str]

MOST_SCORES = 1_000_000
"""Scores that a report can show."""
MOST_TEXT = 1_500_000_000
"""Bytes of runs, as text, that a report holds in memory; more are read whenever they are looked at."""
TITLES = {
    "data": "The data",
    "leaderboard": "Leaderboard",
    "differences": "Which systems differ",
    "collection": "How good the collection is",
    "reliability": "How reliable is this collection",
    "next": "What the next collection needs",
    "standardisation": "Standardisation",
    "replicates": "Other documents: replicates",
    "reuse": "Will it serve systems not yet built",
    "methods": "Methods",
}
_BUILDERS: dict[str, Callable[[Case], Section]] = {
    "data": data.section,
    "leaderboard": systems.leaderboard,
    "differences": systems.differences,
    "collection": collection.quality,
    "reliability": reliability.reliable,
    "next": collection.next_one,
    "standardisation": extras.standardisation,
    "replicates": extras.replicated,
    "reuse": reliability.reusable,
}


@dataclass(frozen=True, eq=False)
class Report:
    """A finished report; get one from `build_report`.

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
    """

    title: str
    headline: str
    sections: tuple[Section, ...]
    summary: str = ""
    view: Mapping[str, Any] | None = field(default=None, repr=False)

    @property
    def html(self) -> str:
        """The whole page: no network, figures and tables inside, one script that its policy knows by its hash."""
        from cranfield.present.page import render_page
        from cranfield.present.view import page

        return render_page("report.html", report=self, view=page)

    def write(self, path: str | os.PathLike[str]) -> Path:
        """Write the page whole or not at all, and return its path."""
        write_atomically(path, self.html.encode())
        return Path(path)

    def __repr__(self) -> str:
        return f"Report({self.title}: {self.headline})"

    def _repr_html_(self) -> str:
        from html import escape

        return f"<p><b>{escape(self.title)}</b></p><p>{escape(self.headline)}</p>"


def build_report(
    scores: ScoresLike | None = None,
    *,
    qrels: QrelsLike | None = None,
    runs: RunsLike | None = None,
    measures: Any | None = None,
    title: str | None = None,
    skip: Iterable[str] | None = None,
    source: str | None = None,
    min_diff: float = NEXT_MIN_DIFF,
    n_systems: int | None = None,
    alpha: float = ALPHA,
    power: float = POWER,
    n_resamples: int | None = None,
    seed: int = SEED,
    n_partitions: int = PARTITIONS,
    n_splits: int = SPLITS,
    replicate_resamples: int = REPLICATES_RESAMPLES,
    depths: Sequence[int] | None = None,
    teams: Mapping[str, str] | PathLike | None = None,
    level: int = RELEVANCE,
    gains: str | None = None,
    intents: PathLike | None = None,
    order: RankingOrder = ORDER,
    single_precision: bool = False,
    name: SystemName = SYSTEM_NAME,
    lenient: bool = False,
    workers: int | None = None,
    progress: Progress | None = None,
) -> Report:
    """One HTML page that tells the whole story of a collection, in plain language and offline.

    Give judgments and runs, or scores. The first measure leads; the others stand beside it. A section that the
    data cannot support (a comparison of one system, say) says why instead.

    Parameters
    ----------
    scores : scores of the systems, in any form that `as_scores` takes; or instead
    qrels, runs : judgments and runs, or their files, in any form that `evaluate` takes; they also give
        pool depths and replicates
    measures : names of measures; for scores, which of them and in which order
    skip : sections to leave out: data, leaderboard, differences, collection, reliability, next, standardisation,
        replicates, reuse, methods
    source : where scores come from, in words
    min_diff, n_systems : what the next collection should detect, among how many systems (as many as here)
    n_resamples : resamples of the tests, as in `compare`
    n_partitions, n_splits, replicate_resamples : of the replicates
    depths : pool depths to price
    teams : the team of every run, or a file of them (see `read_teams`): each is left out of the pool in turn
    level, gains, intents, order, single_precision, name, lenient : how runs are read and scored, see `evaluate`

    Returns
    -------
    Report
        With `.html`, `.headline` and `.write(path)`.

    Examples
    --------
    >>> from cranfield import make_scores
    >>> report = build_report(make_scores(n_topics=20, n_systems=5, seed=3), skip=["standardisation"])
    >>> report.html.startswith("<!doctype html>")
    True
    """
    left_out = tuple(skip or ())
    for section in left_out:
        if section not in REPORT_SECTIONS:
            raise UnknownNameError("section", section, REPORT_SECTIONS)
    if not min_diff > 0:
        raise ArgumentError(f"`min_diff` must be positive; got {min_diff:g}. Write 0.1.")
    scoring: dict[str, Any] = {
        "level": level, "gains": gains, "intents": intents, "order": order, "single_precision": single_precision,
        "name": name, "lenient": lenient,
    }  # fmt: skip
    evaluated, where, problems, judged, files = _material(scores, qrels, runs, measures, source, scoring, workers)
    main = next(iter(evaluated.values()))
    if (cells := sum(matrix.values.size for matrix in evaluated.values())) > MOST_SCORES:
        raise DataError(
            f"a report shows every score, and {cells:,} of them ({main.n_topics:,} topics × {main.n_systems:,} "
            f"systems) would make a page that no browser opens; at most {MOST_SCORES:,} fit: choose systems, topics or "
            "measures, or ask for the comparison, the variances and the reliability by themselves"
        )
    for matrix in evaluated.values():
        matrix.require(topics=1, systems=1, what="a report", tiny=True)
    grouping = _grouping(teams, judged is not None)
    case = Case(
        evaluated,
        where,
        problems,
        judged,
        files,
        alpha,
        power,
        min_diff,
        n_systems or max(2, main.n_systems),
        n_resamples,
        seed,
        n_partitions,
        n_splits,
        replicate_resamples,
        tuple(depths or REPORT_DEPTHS),
        workers,
        scoring,
        grouping,
    )
    possible = {"replicates": judged is not None, "reuse": judged is not None and grouping is not None}
    wanted = [one for one in _BUILDERS if one not in left_out and possible.get(one, True)]
    built = []
    for done, section in enumerate(wanted, 1):
        built.append(_build(section, case))
        if progress:
            progress(done, len(wanted))
    if "methods" not in left_out:
        built.append(_methods(built))
    called = title or collection_title(_path_of(qrels, judged, where))
    size = f"{plural(main.n_systems, 'system')} on {plural(main.n_topics, 'topic')}"
    view = view_of(case, called)
    heading = title or (f"{called}: {size}" if called else size)
    return Report(heading, _headline(case), tuple(built), summary(case, view) if view else "", view)


def _grouping(teams: Mapping[str, str] | PathLike | None, judged: bool) -> Mapping[str, str] | None:
    from cranfield.collection import read_teams

    if teams is not None and not judged:
        raise ArgumentError(
            "`teams` are left out of the pool in turn, which needs `qrels` and `runs`; there are scores."
        )
    return teams if teams is None or isinstance(teams, Mapping) else read_teams(teams)


def _material(
    scores: ScoresLike | None,
    qrels: Any,
    runs: Any,
    measures: Sequence[str] | None,
    source: str | None,
    scoring: dict[str, Any],
    workers: int | None,
) -> tuple[Scores, str, tuple[str, ...], Qrels | None, tuple[Run | str, ...]]:
    from cranfield.collection.doors import as_qrels, as_runs, skipped_files
    from cranfield.measures.doors import scores_or_evaluated
    from cranfield.measures.evaluation import evaluate
    from cranfield.scores.doors import as_scores

    if (scores is None) == (qrels is None) or (qrels is None) != (runs is None):
        raise ArgumentError("give either `scores`, or `qrels` with `runs`.")
    if scores is not None:
        listed = scores_or_evaluated(as_scores(scores), measure=None if measures is None else list(measures))
        steps = [step for matrix in listed.values() for step in matrix.provenance[1:]]
        return listed, source or _origin(listed), tuple(dict.fromkeys(steps)), None, ()
    judged = as_qrels(qrels)
    sources = as_runs(runs)
    files = list(sources)
    if not files:
        raise ArgumentError("`runs` is empty; give at least one run.")
    with quietly():
        files = _held(files, scoring, workers)
        scored = evaluate(judged, files, list(measures or MEASURES), **scoring, workers=workers)
    where = source or f"{Path(judged.name).name} ({plural(len(files), 'run')})"
    return scored, where, (*skipped_files(sources), *scored.warnings), judged, tuple(files)


def _held(files: Sequence[Run | str], scoring: Mapping[str, Any], workers: int | None) -> list[Run | str]:
    """The runs in memory, since several sections look at them; where they are too large, as they are."""
    from cranfield.collection import read_run

    texts = [Path(file.place if isinstance(file, NamedFile) else file) for file in files if isinstance(file, str)]
    if not all(is_file(file) for file in texts):
        return list(files)
    size = sum(file.stat().st_size * (1 if file.suffix in ("", ".txt", ".run") else 5) for file in texts)
    if size > MOST_TEXT:
        return list(files)
    read = partial(read_run, lenient=scoring["lenient"], name=scoring["name"])
    done = iter(
        map_in_order(read, [file for file in files if isinstance(file, str)], executor="threads", workers=workers)
    )
    return [next(done) if isinstance(file, str) else file for file in files]


def _path_of(qrels: Any, judged: Qrels | None, where: str) -> str | os.PathLike[str]:
    """What may tell the name of the collection: the file of the judgments, or where the scores come from."""
    if isinstance(qrels, (str, os.PathLike)):
        return qrels
    return where if judged is None else judged.name


def _origin(scores: Scores) -> str:
    steps = [matrix.provenance[0] for matrix in scores.values() if matrix.provenance]
    return steps[0] if steps else "scores"


def _build(name: str, case: Case) -> Section:
    """The section, or a section that says why there is none."""
    try:
        with quietly():
            return _BUILDERS[name](case)
    except (DataError, ArgumentError) as error:
        return Section(name, TITLES[name], (Notice(f"This section could not be made: {error}"),))


def _methods(sections: Sequence[Section]) -> Section:
    """How everything was obtained: one line each, and the works to cite."""
    from cranfield import __version__

    keys = list(dict.fromkeys(work for section in sections for work in section.works))
    lines = list(dict.fromkeys(line for section in sections for line in section.signatures if line))
    parts: list[Part] = [
        Text(
            f"Everything in this report was computed by cranfield {__version__}. Repeating it with "
            "the same data and settings gives the same numbers. The lines below belong in a paper's footnotes."
        )
    ]
    return Section("methods", TITLES["methods"], tuple(parts), tuple(lines), tuple(WORKS[key] for key in keys))


def _headline(case: Case) -> str:
    """The findings: who leads, how many pairs differ, and what the collection can detect."""
    said = []
    try:
        comparison = case.comparison()
        said.append(f"{leader(comparison, f' by {case.measure}')}.")
        said.append(f"{how_many_differ(comparison)}.")
        said.append(collection.can_detect(case))
    except CranfieldError as error:
        if not said:
            main = case.main
            best = max(zip(main.system_means.tolist(), main.systems, strict=True))
            said.append(f"{best[1]} has a mean {case.measure} of {best[0]:.4f}. No comparison: {error}.")
    return " ".join(said)
