"""What the table of a paper says, in every format it is printed in, and the sentences for its methods section."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Any

import polars as pl

from cranfield.core.answer import Answer, Chart
from cranfield.core.formats import to_csv
from cranfield.core.labels import joined, plural
from cranfield.core.tables import DIGITS, Sheet, steady_rows
from cranfield.questions.compare.answer import equivalence_notes, level_notes
from cranfield.questions.compare.corrections import CORRECTIONS
from cranfield.questions.compare.equivalence import ALIKE
from cranfield.questions.compare.tests import TESTS
from cranfield.questions.table.typeset import HTML, LATEX, TEXT, Markup, typeset

if TYPE_CHECKING:
    from cranfield.questions.compare.measures import MeasureComparisons
    from cranfield.questions.table.table import PaperTable


def table_answer(result: PaperTable, question: Any = None) -> Answer:
    """Systems by measures."""
    digits = getattr(question, "digits", DIGITS)
    explained = result.explain() if getattr(question, "explain", False) else ""

    def sheet() -> Sheet:
        notes = (explained,) if explained else level_notes(result.first)
        notes += equivalence_notes(result.comparisons)
        facts = {**result.settings, **({"methods": explained} if explained else {})}
        shown = Sheet(
            "table", wide_text(result, digits), result.signature, title=result.caption().replace("in bold", "with *"),
            notes=notes,
        )  # fmt: skip
        texts = {
            **typeset(
                result.caption(),
                partial(headers, result),
                partial(body, result, digits),
                signature=result.signature,
                explained=explained,
                alignment="l" + "".join("l" + "c" * len(result.baselines) * result.wins for _ in result.measures),
            ),
            "csv": to_csv(steady_rows(wide(result))),
        }
        return Sheet(
            "table", result.to_frame(), result.signature, facts, result.warnings, result.caption(), notes=notes,
            sections=(shown,), heading="Systems by measures", texts=texts,
        )  # fmt: skip

    chart = Chart(
        "leaderboard-chart", "Leaderboard", "Dots with whiskers: each system's mean and its interval, best first.",
        result.first, "leaderboard",
    )  # fmt: skip
    return Answer(headline=result.caption(), sheets={"table": sheet}, charts=(chart,))


def headers(result: PaperTable, markup: Markup) -> list[str]:
    """The names of the columns."""
    # LaTeX and HTML have no room for the measure before each count.
    counted = "W/T/L{sign}" if markup in (LATEX, HTML) else "{measure} W/T/L{sign}"
    names = ["system"]
    for measure in result.measures:
        names.append(markup.escape(measure))
        if result.wins:
            names += [counted.format(measure=measure, sign=markup.sign(sign)) for sign in result.baselines.values()]
    return names


def body(result: PaperTable, digits: int, markup: Markup) -> list[list[str]]:
    """The rows: every system with its letter, and every mean with its marks and interval."""
    rows = []
    for system in result.systems:
        letter = result.letters.get(system, "")
        own = f"{letter} {system}".lstrip() if markup is TEXT else markup.escape(system) + markup.sign(letter)
        row = [own]
        for measure in result.measures:
            one = result.cells[system, measure]
            mean = f"{one.mean:.{digits}f}"
            between = " " if any(len(sign) > 1 for sign in (*one.marks, *one.alike)) else ""
            signs = [between.join(one.marks), ALIKE + between.join(one.alike) if one.alike else ""]
            text = (markup.best.format(mean) if one.best else mean) + markup.sign(" ".join(filter(None, signs)))
            if result.show_intervals:
                text += markup.interval.format(markup.escape(f"[{one.lower:.{digits}f}, {one.upper:.{digits}f}]"))
            row += [text, *("/".join(map(str, counts)) if counts else "–" for counts in one.wins)]
        rows.append(row)
    return rows


def wide_text(result: PaperTable, digits: int) -> pl.DataFrame:
    """The table as plain text: the best with a star, marks behind the mean."""
    names = headers(result, TEXT)
    return pl.DataFrame(body(result, digits, TEXT), schema=dict.fromkeys(names, pl.String), orient="row")


def wide(result: PaperTable) -> pl.DataFrame:
    """One row per system: every measure's mean, and beside it interval, marks and topics won."""
    rows: dict[str, dict[str, Any]] = {}
    for (system, measure), one in result.cells.items():
        row = rows.setdefault(system, {"system": system})
        row[measure] = one.mean
        if result.show_intervals:
            row |= {f"{measure}_lower": one.lower, f"{measure}_upper": one.upper}
        row |= {f"{measure}_marks": " ".join(one.marks), f"{measure}_best": one.best}
        if result.first.margin is not None:
            row[f"{measure}_equivalent"] = " ".join(one.alike)
        row |= {f"{measure}_{what}_{name}": count for name, what, count in result.won(one)}
    return pl.DataFrame(list(rows.values()), infer_schema_length=None)


def how_found(comparisons: MeasureComparisons) -> list[str]:
    """Where the p-values come from, one phrase a method; nothing for a test that has a formula.

    >>> from cranfield import ScoreMatrix, compare_measures, Scores
    >>> ap = ScoreMatrix([[.2, .5], [.3, .4], [.1, .3], [.2, .6], [.1, .2], [.3, .6]], "123456", "ab", "AP")
    >>> how_found(compare_measures(Scores([ap]), baseline="a"))
    ['enumeration']
    """
    phrases = {
        "enumerated": "enumeration",
        "exact lattice": "the exact distribution on a lattice",
        "monte carlo": f"{comparisons.telling.n_resamples or 0:,} resamples",
        "saddlepoint": "saddlepoint approximation",
        "own bootstrap": f"{comparisons.telling.n_resamples or 0:,} resamples of topics",
    }
    return [phrases[name] for name in comparisons.p_methods if name in phrases]


def methods_text(comparisons: MeasureComparisons) -> str:
    """A short paragraph about how the comparisons were made, ready for a paper.

    >>> from cranfield import ScoreMatrix, compare_measures, Scores
    >>> ap = ScoreMatrix([[.2, .5], [.3, .4], [.1, .3], [.2, .6]], "1234", ["a", "b"], "AP")
    >>> print(methods_text(compare_measures(Scores([ap]), test="t", baseline="a")).partition(" (")[0])
    Systems were compared with the baseline a by a two-sided paired t-test over 4 topics
    """
    first = comparisons.first
    entry = TESTS[first.test]
    several = "s" * (len(first.baselines) > 1)
    whom = f"with the baseline{several} {joined(first.baselines)}" if first.baselines else "pair by pair"
    cited = f" ({entry.source})" if entry.source else ""
    topics = plural(first.n_topics, "topic")
    sentences = [f"Systems were compared {whom} by a {first.alternative} {entry.title} over {topics}{cited}."]
    sentences.append(
        f"{entry.why}; it assumes that {entry.assumes}." if entry.why else f"It assumes that {entry.assumes}."
    )
    if ways := how_found(comparisons):
        seed = f" (seed {first.seed})" if {"monte carlo", "own bootstrap"} & set(comparisons.p_methods) else ""
        sentences.append(f"Its p-values come from {joined(ways)}{seed}.")
    family = plural(first.family, "comparison")
    scope = comparisons.scope
    if entry.corrects_family:
        sentences.append(f"Its p-values hold for the whole family of {family}{scope}.")
    elif first.family == 1:
        sentences.append(f"There is one comparison{scope}, so no adjustment is needed.")
    elif first.correction == "none":
        sentences.append(f"The p-values of the {family}{scope} were not adjusted.")
    else:
        correction = CORRECTIONS[first.correction]
        cited = f" ({correction.source})" if correction.source else ""
        sentences.append(f"The p-values were {correction.title} over {family}{scope}{cited}.")
    sentences.append(
        f"Differences with p ≤ {first.alpha:g} are significant; report their size and interval "
        f"({1 - first.alpha:.0%}, {first.interval}). A missing mark does not mean equality."
    )
    return " ".join([*sentences, *level_notes(first)])
