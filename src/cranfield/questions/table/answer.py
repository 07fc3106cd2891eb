"""What the table of a paper says, in every format it is printed in."""

from __future__ import annotations

from collections.abc import Callable
from html import escape
from typing import TYPE_CHECKING, Any

import polars as pl

from cranfield.core.answer import Answer, Chart
from cranfield.core.formats.csv import to_csv
from cranfield.core.formats.latex import tex
from cranfield.core.tables import DIGITS, Sheet, steady_rows
from cranfield.questions.compare.answer import level_notes

if TYPE_CHECKING:
    from cranfield.questions.table.table import PaperTable


def table_answer(result: PaperTable, settings: Any) -> Answer:
    """Systems by measures."""
    digits = getattr(settings, "digits", DIGITS)
    explained = result.explain() if getattr(settings, "explain", False) else ""

    def sheet() -> Sheet:
        notes = (explained,) if explained else level_notes(result.first)
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


def headers(result: PaperTable, marked: Callable[[str], str]) -> list[str]:
    """The names of the columns."""
    names = ["system"]
    for measure in result.measures:
        names.append(measure)
        if result.wins:
            names += [f"{measure} W/T/L{marked(sign)}" for sign in result.baselines.values()]
    return names


def body(
    result: PaperTable, digits: int, name: Callable[[str, str], str], cell: Callable[[str, str, str, bool], str]
) -> list[list[str]]:
    """The rows: `name` writes a system and its letter, `cell` a mean, its marks, its interval, whether it is best."""
    rows = []
    for system in result.systems:
        row = [name(system, result.letters.get(system, ""))]
        for measure in result.measures:
            one = result.cells[system, measure]
            interval = f"[{one.lower:.{digits}f}, {one.upper:.{digits}f}]" if result.show_intervals else ""
            between = " " if any(len(sign) > 1 for sign in one.marks) else ""
            row.append(cell(f"{one.mean:.{digits}f}", between.join(one.marks), interval, one.best))
            row += ["/".join(map(str, counts)) if counts else "–" for counts in one.wins]
        rows.append(row)
    return rows


def wide_text(result: PaperTable, digits: int) -> pl.DataFrame:
    """The table as plain text: the best with a star, marks behind the mean."""

    def cell(mean: str, marks: str, interval: str, best: bool) -> str:
        return f"{mean}{'*' * best}{marks and f' {marks}'}{interval and f' {interval}'}"

    names = headers(result, lambda sign: f" {sign}")
    rows = body(result, digits, lambda name, letter: f"{letter} {name}" if letter else name, cell)
    return pl.DataFrame(rows, schema=dict.fromkeys(names, pl.String), orient="row")


def wide(result: PaperTable) -> pl.DataFrame:
    """One row per system: every measure's mean, and beside it interval, marks and topics won."""
    rows: dict[str, dict[str, Any]] = {}
    for (system, measure), one in result.cells.items():
        row = rows.setdefault(system, {"system": system})
        row[measure] = one.mean
        if result.show_intervals:
            row |= {f"{measure}_lower": one.lower, f"{measure}_upper": one.upper}
        row |= {f"{measure}_marks": " ".join(one.marks), f"{measure}_best": one.best}
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

    def raised(sign: str) -> str:
        return rf"\textsuperscript{{{tex(sign)}}}" if sign else ""

    def cell(mean: str, marks: str, interval: str, best: bool) -> str:
        shown = rf"\textbf{{{mean}}}" if best else mean
        return shown + raised(marks) + (rf" {{\footnotesize {tex(interval)}}}" if interval else "")

    names = [headers(result, lambda sign: "")[0].capitalize()]
    for measure in result.measures:
        names.append(tex(measure))
        if result.wins:
            names += [rf"W/T/L{raised(sign)}" for sign in result.baselines.values()]
    rows = body(result, digits, lambda name, letter: tex(name) + raised(letter), cell)
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

    def raised(sign: str) -> str:
        return f"<sup>{sign}</sup>" if sign else ""

    def cell(mean: str, marks: str, interval: str, best: bool) -> str:
        return (f"**{mean}**" if best else mean) + raised(marks) + (f" {interval}" if interval else "")

    names = headers(result, raised)
    rows = body(result, digits, lambda name, letter: name + raised(letter), cell)
    lines = [names, [":---", *["---:"] * (len(names) - 1)], *rows]
    table = "".join(f"| {' | '.join(part.replace('|', chr(92) + '|') for part in line)} |\n" for line in lines)
    after = "".join(f"\n{text}\n" for text in (explained, result.signature) if text)
    return f"{result.caption()}\n\n{table}{after}"


def html(result: PaperTable, digits: int, explained: str) -> str:
    """A table with its caption."""

    def raised(sign: str) -> str:
        return f"<sup>{escape(sign)}</sup>" if sign else ""

    def cell(mean: str, marks: str, interval: str, best: bool) -> str:
        shown = f"<strong>{mean}</strong>" if best else mean
        return shown + raised(marks) + (f" <small>{interval}</small>" if interval else "")

    names = ["system"]
    for measure in result.measures:
        names.append(escape(measure))
        if result.wins:
            names += [f"W/T/L{raised(sign)}" for sign in result.baselines.values()]
    rows = body(result, digits, lambda name, letter: escape(name) + raised(letter), cell)
    head = "".join(f'<th scope="col">{name}</th>' for name in names)
    lines = ["<table>", f"<caption>{escape(result.caption())}</caption>", f"<thead><tr>{head}</tr></thead>", "<tbody>"]
    for first, *others in rows:
        lines.append(f'<tr><th scope="row">{first}</th>' + "".join(f"<td>{one}</td>" for one in others) + "</tr>")
    lines += ["</tbody>", "</table>", *(f"<p>{escape(text)}</p>" for text in (explained, result.signature) if text)]
    return "\n".join(lines) + "\n"
