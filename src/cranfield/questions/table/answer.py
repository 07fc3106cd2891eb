"""What the table of a paper says, in every format it is printed in."""

from __future__ import annotations

from collections.abc import Callable
from html import escape
from typing import TYPE_CHECKING, Any, NamedTuple

import polars as pl

from cranfield.core.answer import Answer, Chart
from cranfield.core.formats.csv import to_csv
from cranfield.core.formats.latex import tex
from cranfield.core.tables import DIGITS, Sheet, steady_rows
from cranfield.questions.compare.answer import equivalence_notes, level_notes
from cranfield.questions.compare.groups import ALIKE

if TYPE_CHECKING:
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
            "latex": latex(result, digits, explained),
            "markdown": markdown(result, digits, explained),
            "html": html(result, digits, explained),
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


class Markup(NamedTuple):
    """How a format writes names, the best mean, marks and intervals; `{}` is the place of the text."""

    escape: Callable[[str], str]
    best: str
    raised: str
    interval: str

    def sign(self, text: str) -> str:
        """A mark, raised; nothing for no mark."""
        return self.raised.format(self.escape(text)) if text else ""


TEXT = Markup(str, "{}*", " {}", " {}")
LATEX = Markup(tex, r"\textbf{{{}}}", r"\textsuperscript{{{}}}", r" {{\footnotesize {}}}")
MARKDOWN = Markup(str, "**{}**", "<sup>{}</sup>", " {}")
HTML = Markup(escape, "<strong>{}</strong>", "<sup>{}</sup>", " <small>{}</small>")


def headers(result: PaperTable, markup: Markup, counted: str = "W/T/L{sign}") -> list[str]:
    """The names of the columns; `counted` heads the topics won, tied and lost against the baseline of a sign."""
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
    names = headers(result, TEXT, "{measure} W/T/L{sign}")
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


_PAGE = 345
"""Width of the text on a page of LaTeX's article, in points."""
_CHARACTER, _GAP = 4.6, 12
"""Points that a character of such a table takes on average, and the gap between columns."""
_SMALL_CHARACTER, _SMALL_GAP = 3.6, 6
"""The same in footnotesize with half the gap."""
_NARROWER = "Set the table on its side, or show fewer measures, baselines, digits, intervals or counts."


def latex(result: PaperTable, digits: int, explained: str) -> str:
    """A table environment with caption and a booktabs tabular."""

    names = headers(result, LATEX)
    names[0] = "System"
    rows = body(result, digits, LATEX)
    columns = "l" + "".join("l" + ("c" * len(result.baselines) if result.wins else "") for _ in result.measures)
    caption = tex(result.caption())
    shown = wide_text(result, digits)
    heads = [len("W/T/L (1)" if "W/T/L" in name else name) for name in shown.columns]
    across = sum(
        max(head, *map(len, column)) for head, column in zip(heads, zip(*shown.rows(), strict=True), strict=True)
    )
    narrow = across * _CHARACTER + len(heads) * _GAP > _PAGE
    too_wide = across * _SMALL_CHARACTER + len(heads) * _SMALL_GAP > _PAGE
    warned = f"About {across} characters across are too wide for a page of text. {_NARROWER}" if too_wide else ""
    comments = [line for line in (explained, result.signature, warned) if line]
    lines = [
        *(f"% {line}" for line in comments),
        r"\begin{table}",
        r"\centering",
        rf"\caption{{{caption}}}",
        *([r"\footnotesize", r"\setlength{\tabcolsep}{3pt}"] if narrow else []),
        rf"\begin{{tabular}}{{{columns}}}",
        r"\toprule",
        " & ".join(names) + r" \\",
        r"\midrule",
        *(" & ".join(row).replace("–", "--") + r" \\" for row in rows),
        r"\bottomrule",
        r"\end{tabular}",
        r"\end{table}",
    ]
    return "\n".join(lines) + "\n"


def markdown(result: PaperTable, digits: int, explained: str) -> str:
    """A pipe table below its caption."""

    names = headers(result, MARKDOWN, "{measure} W/T/L{sign}")
    rows = body(result, digits, MARKDOWN)
    lines = [names, [":---", *["---:"] * (len(names) - 1)], *rows]
    table = "".join(f"| {' | '.join(part.replace('|', chr(92) + '|') for part in line)} |\n" for line in lines)
    after = "".join(f"\n{text}\n" for text in (explained, result.signature) if text)
    return f"{result.caption()}\n\n{table}{after}"


def html(result: PaperTable, digits: int, explained: str) -> str:
    """A table with its caption."""

    names, rows = headers(result, HTML), body(result, digits, HTML)
    head = "".join(f'<th scope="col">{name}</th>' for name in names)
    lines = ["<table>", f"<caption>{escape(result.caption())}</caption>", f"<thead><tr>{head}</tr></thead>", "<tbody>"]
    for first, *others in rows:
        lines.append(f'<tr><th scope="row">{first}</th>' + "".join(f"<td>{one}</td>" for one in others) + "</tr>")
    lines += ["</tbody>", "</table>", *(f"<p>{escape(text)}</p>" for text in (explained, result.signature) if text)]
    return "\n".join(lines) + "\n"
