"""The table for people: plain text, fitted to a terminal; nothing is ever cut or folded in a file or a pipe."""

from __future__ import annotations

import os
import sys
from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from cranfield.core.tables import Sheet

_BOLD, _DIM, _PLAIN = "\x1b[1m", "\x1b[2m", "\x1b[0m"


def fitted(sheet: Sheet, width: int | None = None) -> bytes:
    """The table, fitted to a width if there is one; a terminal shows titles bold (unless NO_COLOR is set)."""
    styled = width is not None and sys.stdout.isatty() and not os.environ.get("NO_COLOR")
    shown, texts = transposed(sheet.for_people, width).for_people, []
    for section in shown.sections or (shown,):
        kept = without_dispensable(without_repetition(section.for_people, width), width)
        texts.append(table_text(kept, width, styled))
    return "\n".join(texts).encode(errors="replace")


def table_text(sheet: Sheet, width: int | None = None, styled: bool = False) -> str:
    """Title, table, notes and signature. Without a width nothing is cut or folded."""
    lines: list[str] = []
    if sheet.title:
        lines += [*_styled(_wrapped(sheet.title, width), _BOLD, styled), ""]
    lines += _grid(sheet, width, styled)
    if sheet.notes:
        lines += ["", *(line for note in sheet.notes for line in _wrapped(_unfolded(note, width), width))]
    if sheet.signature:
        lines += ["", *_styled(_wrapped(sheet.signature, width), _DIM, styled)]
    return "\n".join(lines) + "\n"


def _grid(sheet: Sheet, width: int | None, styled: bool) -> list[str]:
    """Header, rule and rows."""
    from cranfield.core.tables import text_rows

    names, rows = sheet.rows.columns, text_rows(sheet)
    numeric = [dtype.is_numeric() for dtype in sheet.rows.dtypes]
    columns = list(zip(*rows, strict=True)) if rows else [()] * len(names)
    widest = [max(1, _widest(column)) for column in columns]
    if width is None:
        gap, widths = 3, [max(_columns(name), cells) for name, cells in zip(names, widest, strict=True)]
    else:
        words_of = [
            cells if number else max((_columns(word) for text in column for word in text.split()), default=0)
            for column, cells, number in zip(columns, widest, numeric, strict=True)
        ]
        gap, widths = fit_columns(names, widest, numeric, width, words_of)
    header = [_folded_cell(folded(name, wide), wide) for name, wide in zip(names, widths, strict=True)]
    height = max(map(len, header), default=0)
    above = [[""] * (height - len(cell)) + cell for cell in header]  # headers stand on the rule
    lines = _styled([_line(line, widths, numeric, gap) for line in zip(*above, strict=True)], _BOLD, styled)
    lines.append("─" * (sum(widths) + gap * (len(widths) - 1)))
    fits = [cells <= wide for cells, wide in zip(widest, widths, strict=True)]
    if all(fits) and all(map(_plain, columns)):
        cells_of = zip(widths, numeric, strict=True)
        whole = (" " * gap).join(f"{{:{'>' if right else '<'}{wide}}}" for wide, right in cells_of)
        return [*lines, *(whole.format(*row).rstrip() for row in rows)]
    for row in rows:
        if all(fits) and not any("\n" in part for part in row):
            lines.append(_line(row, widths, numeric, gap))
            continue
        parts = [_folded_cell(part, wide) for part, wide in zip(row, widths, strict=True)]
        deep = max(map(len, parts))
        filled = [part + [""] * (deep - len(part)) for part in parts]
        lines += [_line(line, widths, numeric, gap) for line in zip(*filled, strict=True)]
    return lines


def _line(cells: Sequence[str], widths: list[int], numeric: list[bool], gap: int) -> str:
    filled = []
    for cell, wide, right in zip(cells, widths, numeric, strict=True):
        blanks = " " * (wide - _columns(cell))
        filled.append(blanks + cell if right else cell + blanks)
    return (" " * gap).join(filled).rstrip()


def _folded_cell(text: str, width: int) -> list[str]:
    """The lines of a cell: broken at blanks, and inside words that are too long."""
    return [part for line in text.split("\n") for part in ([line] if _columns(line) <= width else _broken(line, width))]


def _wrapped(text: str, width: int | None) -> list[str]:
    """The lines of a text, folded to the terminal."""
    if width is None:
        return [line.rstrip() for line in text.splitlines()]
    return [part for line in text.splitlines() for part in _broken(line, width) or [""]]


def _unfolded(note: str, width: int | None) -> str:
    """A note folded for a wider page becomes one line again, to be folded anew."""
    return note if width is None or max(map(len, note.splitlines()), default=0) <= width else " ".join(note.split())


def _broken(line: str, width: int) -> list[str]:
    from textwrap import wrap

    return wrap(line, width, break_on_hyphens=False)


def _styled(lines: list[str], style: str, wanted: bool) -> list[str]:
    return [f"{style}{line}{_PLAIN}" for line in lines] if wanted else lines


def _plain(cells: Sequence[str]) -> bool:
    """Whether every cell is one line, and every character one column of a terminal."""
    together = "".join(cells)
    return together.isascii() and "\n" not in together


def _widest(cells: Sequence[str]) -> int:
    if _plain(cells):
        return max(map(len, cells), default=0)
    return max((_columns(line) for cell in cells for line in cell.split("\n")), default=0)


def _columns(text: str) -> int:
    """Columns of a terminal that a text takes: two for wide characters, none for combining ones.

    >>> _columns("bm25"), _columns("検索"), _columns("e\\u0301")
    (4, 4, 1)
    """
    if text.isascii():
        return len(text)
    from unicodedata import combining, east_asian_width

    return sum(0 if combining(c) else 1 + (east_asian_width(c) in "WF") for c in text)


def transposed(sheet: Sheet, width: int | None) -> Sheet:
    """A single row too wide for the terminal becomes a column of names and values."""
    if width is None or sheet.rows.height != 1:
        return sheet
    import polars as pl

    from cranfield.core.tables import text_rows

    names, (cells,) = sheet.rows.columns, text_rows(sheet)
    if _fits(names, [cells], width, gap=3):
        return sheet
    return replace(sheet, rows=pl.DataFrame({"name": names, "value": cells}), digits={})


def without_repetition(sheet: Sheet, width: int | None) -> Sheet:
    """In a table too wide for the terminal, move columns with one value to a note."""
    from cranfield.core.tables import text_rows

    if width is None or sheet.rows.height < 2:
        return sheet
    names, rows = sheet.rows.columns, text_rows(sheet)
    if _fits(names, rows, width, gap=2):
        return sheet
    same = {name: cells[0] for name, cells in zip(names, zip(*rows, strict=True), strict=True) if len(set(cells)) == 1}
    if not same or len(same) == len(names):
        return sheet
    note = "All rows: " + ", ".join(f"{name} {cell or 'empty'}" for name, cell in same.items()) + "."
    return replace(sheet, rows=sheet.rows.drop(list(same)), notes=(note, *sheet.notes))


def without_dispensable(sheet: Sheet, width: int | None) -> Sheet:
    """Leave out dispensable columns where headers would break inside a word, with a note."""
    from cranfield.core.tables import text_rows

    gone: list[str] = []
    for name in sheet.dispensable if width is not None else ():
        shown = replace(sheet, rows=sheet.rows.drop(gone))
        words = [max(header.split("_"), key=len) for header in shown.rows.columns]
        if width is None or _fits(words, text_rows(shown), width, gap=1):
            break
        if name in shown.rows.columns:
            gone.append(name)
    if not gone:
        return sheet
    note = f"Columns left out to fit the width: {', '.join(gone)} (format csv has all)."
    return replace(sheet, rows=sheet.rows.drop(gone), notes=(*sheet.notes, note))


def _fits(names: list[str], rows: list[list[str]], width: int, gap: int) -> bool:
    """Whether the rows stand side by side without any header folded."""
    widest = [_widest(column) for column in zip(names, *rows, strict=True)]
    return sum(widest) + gap * (len(widest) - 1) <= width


def fit_columns(
    headers: list[str], cells: list[int], numeric: list[bool], width: int, words_of: list[int] | None = None
) -> tuple[int, list[int]]:
    """Blanks between columns, and the width of each, so that a table fits: numbers are never broken over lines.

    First the gaps shrink, then headers and texts are folded between words (`words_of`: the longest word of each
    column), then headers inside words, then long texts. What is still too wide is left so.

    >>> fit_columns(["system", "rank_change"], [3, 6], [False, True], 80)
    (3, [6, 11])
    >>> fit_columns(["system", "rank_change"], [3, 6], [False, True], 16)
    (2, [6, 8])
    >>> fit_columns(["design", "topics"], [12, 3], [False, True], 15, [5, 3])
    (1, [8, 6])
    """
    natural = [max(len(header), cell) for header, cell in zip(headers, cells, strict=True)]
    gaps = len(headers) - 1
    for gap in (3, 2):
        if sum(natural) + gap * gaps <= width:
            return gap, natural
    words = [max(map(len, header.split("_"))) for header in headers]
    for least in (words, [min(4, length) for length in words]):
        narrow = [max(cell, shortest) for cell, shortest in zip(cells, least, strict=True)]
        for gap in (2, 1):
            spare = width - sum(narrow) - gap * gaps
            if spare >= 0:
                widths = list(narrow)
                for _ in range(min(spare, sum(natural) - sum(narrow))):
                    # One blank at a time to the header that is folded most.
                    widths[max(range(len(widths)), key=lambda i: natural[i] / widths[i])] += 1
                return gap, widths
        if words_of is not None and least is words:
            fewest = [max(pair) for pair in zip(words_of, least, strict=True)]
            widths = _shrunk(narrow, fewest, width - gaps)
            if sum(widths) + gaps <= width:
                return 1, widths
    widths = narrow
    while sum(widths) + gaps > width:
        texts = [i for i, number in enumerate(numeric) if not number and widths[i] > 8]
        if not texts:
            break
        widths[max(texts, key=lambda i: widths[i])] -= 1
    return 1, widths


def _shrunk(widths: list[int], fewest: list[int], width: int) -> list[int]:
    """The widths less one at a time, always of the widest that may shrink, until they fit."""
    widths = list(widths)
    while sum(widths) > width:
        free = [i for i, wide in enumerate(widths) if wide > fewest[i]]
        if not free:
            break
        widths[max(free, key=lambda i: widths[i])] -= 1
    return widths


def folded(header: str, width: int) -> str:
    """A header over several lines, broken at its underscores.

    >>> folded("partial_eta_squared", 12)
    'partial_eta\\nsquared'
    """
    lines: list[str] = []
    for word in header.split("_"):
        if lines and len(lines[-1]) + 1 + len(word) <= width:
            lines[-1] += f"_{word}"
        else:
            lines.append(word)
    return "\n".join(lines)
