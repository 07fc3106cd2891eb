"""`table`: systems by measures, with means, marks, the best, and what the caption has to say."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property, partial
from html import escape
from typing import TYPE_CHECKING, Any, Unpack

import numpy as np
import polars as pl

from cranfield.collection.doors import QrelsLike, RunsLike
from cranfield.core.arguments import check_arguments
from cranfield.core.errors import ArgumentError, notify, quietly
from cranfield.core.labels import joined, plural
from cranfield.core.results import Result
from cranfield.questions.compare.compare import FamilyOptions, compare_measures
from cranfield.questions.compare.comparison import Comparison
from cranfield.questions.compare.equivalence import ALIKE, letter, mark
from cranfield.questions.compare.measures import MeasureComparisons
from cranfield.questions.compare.tests import TESTS
from cranfield.questions.compare.topics import wins_ties_losses
from cranfield.questions.table.answer import how_found, methods_text, table_answer
from cranfield.questions.table.question import TableQuestion
from cranfield.scores.doors import ScoresLike

if TYPE_CHECKING:
    from cranfield.core.answer import Drawings

MOST_LETTERS = 26
"""Systems that can be told by one letter each; more are compared with baselines, or not marked."""


@dataclass(frozen=True)
class Cell:
    """One system by one measure.

    Attributes
    ----------
    mean, lower, upper : the mean and its interval at level 1 − alpha
    marks : the marks of the baselines it differs from, or the letters of the systems it is better than
    best : whether no system has a higher mean
    wins : for every baseline, the topics won, tied and lost; None against itself
    alike : with a margin, the marks of the baselines, or the letters of the systems, that it is equivalent to
    """

    mean: float
    lower: float
    upper: float
    marks: tuple[str, ...]
    best: bool
    wins: tuple[tuple[int, int, int] | None, ...]
    alike: tuple[str, ...] = ()


@dataclass(frozen=True, eq=False, repr=False)
class PaperTable(Result):
    """The table of a paper, which `to_latex`, `to_markdown` and `to_html` write out.

    Attributes
    ----------
    comparisons : the comparison behind every column
    show_intervals, wins : whether to show the interval of every mean, and topics won, tied and lost
    """

    comparisons: MeasureComparisons
    show_intervals: bool
    wins: bool

    @property
    def first(self) -> Comparison:
        """The comparison by the first measure, which says the order of the systems."""
        return self.comparisons.first

    @property
    def measures(self) -> tuple[str, ...]:
        """The measures, one column each."""
        return tuple(self.comparisons)

    @property
    def systems(self) -> tuple[str, ...]:
        """The systems, best first by the first measure."""
        return self.first.systems

    @property
    def baselines(self) -> dict[str, str]:
        """The baselines and their marks."""
        return {name: mark(number) for number, name in enumerate(self.first.baselines)}

    @property
    def letters(self) -> dict[str, str]:
        """Without baselines, the letter of every system; none when there are more systems than letters."""
        if self.first.baselines or len(self.systems) > MOST_LETTERS:
            return {}
        return {name: letter(number) for number, name in enumerate(self.systems)}

    @cached_property
    def cells(self) -> dict[tuple[str, str], Cell]:
        """Every cell by its system and measure."""
        columns = {measure: self._column(comparison) for measure, comparison in self.comparisons.items()}
        return {(system, measure): columns[measure][system] for system in self.systems for measure in columns}

    def _column(self, comparison: Comparison) -> dict[str, Cell]:
        """The cells of one measure by system."""
        marks: dict[str, list[str]] = {name: [] for name in comparison.systems}
        baselines, letters = self.baselines, self.letters
        for at in np.flatnonzero(comparison.significant):
            a, b = comparison.systems[comparison.pairs.a[at]], comparison.systems[comparison.pairs.b[at]]
            if baselines:
                marks[a].append(baselines[b])
                if a in baselines:  # two baselines that differ carry each other's mark, as in the leaderboard
                    marks[b].append(baselines[a])
            elif letters:
                better, worse = (a, b) if comparison.difference[at] > 0 else (b, a)
                marks[better].append(letters[worse])
        alike = self._alike(comparison)
        order = [*baselines.values(), *letters.values()]
        return {
            name: Cell(
                float(comparison.value[i]),
                float(comparison.value_lower[i]),
                float(comparison.value_upper[i]),
                tuple(sorted(marks[name], key=order.index)),
                bool(comparison.rank[i] == 1),
                tuple(
                    None if name == other else wins_ties_losses(comparison.scores, name, other) for other in baselines
                )
                if self.wins
                else (),
                tuple(sorted(alike[name], key=order.index)),
            )
            for i, name in enumerate(comparison.systems)
        }

    def _alike(self, comparison: Comparison) -> dict[str, list[str]]:
        """The marks or letters of those that every system is shown equivalent to."""
        signs: dict[str, list[str]] = {name: [] for name in comparison.systems}
        baselines, letters = self.baselines, self.letters
        for at in np.flatnonzero(comparison.equivalent):
            a, b = comparison.systems[comparison.pairs.a[at]], comparison.systems[comparison.pairs.b[at]]
            if baselines:
                signs[a].append(baselines[b])
            elif letters:
                signs[a].append(letters[b])
                signs[b].append(letters[a])
        return signs

    def to_frame(self) -> pl.DataFrame:
        """One row per system and measure: mean, lower, upper, marks, best, and the topics won, tied and lost."""
        rows = []
        for (system, measure), cell in self.cells.items():
            rows.append(
                {"system": system, "measure": measure, "mean": cell.mean, "lower": cell.lower, "upper": cell.upper}
                | {"marks": " ".join(cell.marks), "best": cell.best}
                | ({} if self.first.margin is None else {"equivalent": " ".join(cell.alike)})
                | {f"{what}_{name}": count for name, what, count in self.won(cell)}
            )
        return pl.DataFrame(rows, infer_schema_length=None)

    def won(self, cell: Cell) -> Iterator[tuple[str, str, int | None]]:
        """Of every baseline whose topics are counted: its name, wins, ties or losses, and how many."""
        for name, counts in zip(self.baselines, cell.wins, strict=False):
            for what, count in zip(("wins", "ties", "losses"), counts or (None,) * 3, strict=True):
                yield name, what, count

    def caption(self) -> str:
        """What stands above the table: what is shown, on how many topics, and what the marks rest on."""
        first = self.first
        parts = [f"Means over {plural(first.n_topics, 'topic')}; the best in bold."]
        if self.baselines:
            meanings = ", ".join(f"{sign} from {name}" for name, sign in self.baselines.items())
            parts.append(f"Significantly different: {meanings}")
        elif self.letters:
            parts.append("Letters mark the systems that a system is significantly better than")
        else:
            parts.append(f"{plural(len(self.systems), 'system')} are too many to mark; every pair was compared")
        parts[-1] += f" ({self._test()})."
        if first.margin is not None and (self.baselines or self.letters):
            level = f"{first.within_level:.0%} intervals"
            parts.append(f"{ALIKE}: equivalent within ±{first.margin:g} to the systems marked after it ({level}).")
        if self.show_intervals:
            parts.append(f"In brackets: {1 - first.alpha:.0%} t intervals of the means.")
        if self.wins:
            parts.append("W/T/L: topics won, tied and lost against the baseline marked.")
        return " ".join(parts)

    def _test(self) -> str:
        first, entry = self.first, TESTS[self.first.test]
        ways = how_found(self.comparisons)
        found = f", p by {joined(ways)}" if ways else ""
        family = plural(first.family, "comparison")
        level = f"{first.correction_text()} p ≤ {first.alpha:g}"
        return f"{first.alternative} {entry.title}{found}, {level}, family of {family}{self.comparisons.scope}"

    def explain(self) -> str:
        """The sentences for the methods section: which test, why, how it is reported, and the references."""
        return methods_text(self.comparisons)

    def to_html(self) -> str:
        """The table for a web page."""
        return self._rendered("html")

    @property
    def settings(self) -> dict[str, Any]:
        """The settings in force, defaults included."""
        return {
            **self.comparisons.settings,
            "show_intervals": self.show_intervals,
            "wins": self.wins,
            "caption": self.caption(),
        }

    @property
    def signature(self) -> str:
        """One line for a footnote."""
        return self.comparisons.signature

    @property
    def warnings(self) -> tuple[str, ...]:
        """What to know before relying on it."""
        return self.comparisons.warnings

    def summary(self) -> str:
        """What the table shows."""
        return f"{plural(len(self.systems), 'system')} by {', '.join(self.measures)}. {self.caption()}"

    def __repr__(self) -> str:
        return f"PaperTable({self.summary()})\n{self.to_frame()}"

    answer = table_answer

    @staticmethod
    def drawings() -> Drawings:
        """Its charts by name; the first is drawn unless another is named."""
        from cranfield.questions.compare import charts

        return {"leaderboard": partial(charts.of_first, charts.leaderboard)}

    def _repr_html_(self) -> str:
        """The table itself, its best values in bold and its marks raised, and what to know before relying on it."""
        from cranfield.core.answer import gathered

        notes = "".join(f"<p>{escape(text)}</p>\n" for text in gathered(self.warnings))
        return f'<div class="cranfield">\n{self.to_html()}{notes}</div>\n'


def table(
    scores: ScoresLike | QrelsLike | None = None,
    runs: RunsLike | None = None,
    *,
    qrels: QrelsLike | None = None,
    measure: str | Sequence[str] | None = None,
    show_intervals: bool = False,
    wins: bool = False,
    **options: Unpack[FamilyOptions],
) -> PaperTable:
    """The table a paper prints: systems by measures, means, significance marks, the best, and a caption.

    Parameters
    ----------
    scores : ScoreMatrix, Scores, or whatever `as_scores` takes
        The systems on the same topics, by one measure or several. With `runs`, the judgments.
    runs, qrels : optional
        Runs to evaluate first, and the judgments by name, as in `compare`: ``table(qrels, runs)``.
    measure : str or several, optional
        The columns of the table.
    show_intervals : bool
        Show the t interval of every mean.
    wins : bool
        Count the topics won, tied and lost against every baseline.
    baseline : str or several, optional
        Systems to compare all others with; a mark († ‡ …) behind a mean says which it differs from. Without any,
        all pairs are compared and letters say which systems a system is better than.
    margin : float, optional
        Also mark, by ≈, the systems shown to differ by less than this.
    test, correction, across_measures, alpha, n_resamples, seed, workers, executor, memory, progress
        As in `compare`.

    Returns
    -------
    PaperTable
        With `to_latex` (booktabs), `to_markdown`, `to_html`, `to_frame`, `caption` and `explain`.

    References
    ----------
    What belongs in such a table: Sakai, "Statistical Reform in Information Retrieval?", SIGIR Forum 48(1), 2014.

    Examples
    --------
    >>> bm25, ours = [.2, .3, .1, .4, .5, .3, .2], [.4, .5, .2, .6, .6, .5, .3]
    >>> found = table({"bm25": bm25, "ours": ours}, measure="AP", baseline="bm25", wins=True)
    >>> found.cells["ours", "AP"].marks, found.cells["ours", "AP"].wins
    (('†',), ((7, 0, 0),))
    """
    check_arguments(table, locals())
    baseline = options.get("baseline") or None
    TableQuestion(baseline=(baseline,) if isinstance(baseline, str) else baseline and tuple(baseline), wins=wins)
    with quietly():
        comparisons = compare_measures(scores, runs, qrels=qrels, measure=measure, **options)
    _same_systems(comparisons)
    result = PaperTable(comparisons, show_intervals, wins)
    notify(result.warnings)
    return result


def paper_table(
    scores: ScoresLike | QrelsLike | None = None, runs: RunsLike | None = None, *, intervals: bool = False, **more: Any
) -> PaperTable:
    """The same as `table`, whose `show_intervals` is called `intervals` here."""
    with quietly():
        result = table(scores, runs, **{"show_intervals": intervals, **more})
    notify(result.warnings)
    return result


def _same_systems(comparisons: MeasureComparisons) -> None:
    """A table has the same rows in every column."""
    first, *others = comparisons.comparisons
    for other in others:
        if missing := sorted(set(first.systems) ^ set(other.systems)):
            raise ArgumentError(
                f"the measures have different systems: {', '.join(missing[:5])} not by both {first.measure} and "
                f"{other.measure}. Choose systems that all measures have."
            )
