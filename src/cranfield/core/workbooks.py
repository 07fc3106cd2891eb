"""Spreadsheets: the cells of a sheet as separated text, which every reader of tables reads; and written back.

Reading needs python-calamine, which gives the types and the exact numbers of cells. It runs in a separate process with
a memory limit (see `core.parquet`), because a small archive may stand for a huge sheet. Writing needs nothing:
the same rows give the same bytes.
"""

from __future__ import annotations

import csv
import io
import json
import math
import zipfile
from collections.abc import Callable, Iterator, Sequence
from datetime import date, datetime, time, timedelta
from typing import TYPE_CHECKING, Any

from cranfield.core.errors import DataError, FileError, UnknownNameError, notify, with_extra
from cranfield.core.files import split_sheet
from cranfield.core.labels import CONTROL, summary

if TYPE_CHECKING:
    import polars as pl

_EPOCH = (1980, 1, 1, 0, 0, 0)
"""The time that every part of a written archive has, so that the same rows give the same bytes."""
_ESCAPED = str.maketrans({"&": "&amp;", "<": "&lt;", ">": "&gt;"})
_WHOLE = 10**15
"""Below it every whole number of a cell is exact, and written without a point."""


class SheetText(bytes):
    """The cells of one sheet, tab-separated: line 7 is row 7. `sheet` is its name, `said` what to know about it, and
    the table has `before` empty columns on its left."""

    sheet: str
    before: int
    said: tuple[str, ...]


def sheet_text(data: bytes, path: str) -> SheetText:
    """The sheet that a file's name asks for (``scores.xlsx#AP``), or the first one."""
    from cranfield.core.parquet import ask

    try:
        import python_calamine  # noqa: F401
    except ImportError:
        text = f"is a spreadsheet, which needs python-calamine; {with_extra('excel')}, or save the sheet as CSV"
        raise FileError(path, text) from None
    book, wanted = split_sheet(path)
    answer = json.loads(ask(data, path, "a spreadsheet", wanted))
    names = answer["names"]
    if "text" not in answer:
        raise FileError(path, str(UnknownNameError("sheet", wanted, names)))
    sheet = SheetText(answer["text"].encode())
    sheet.sheet, sheet.before, sheet.said = answer["sheet"], answer["before"], ()
    others = [name for name in names if name != sheet.sheet]
    if others and not wanted:
        said = f"read sheet {sheet.sheet!r}; others: {summary(others)}. Name one: {book}#{others[0]}"
        sheet.said = (said,)
        notify((f"{path}: {said}",))
    return sheet


def cells_of(data: bytes, wanted: str) -> bytes:
    """The cells of a sheet and the names of all sheets, as JSON; for the separate process."""
    from python_calamine import CalamineWorkbook

    book = CalamineWorkbook.from_filelike(io.BytesIO(data))
    # Charts and macros have names too, and no cells.
    names = [sheet.name for sheet in book.sheets_metadata if "WorkSheet" in str(sheet.typ)]
    if not names or (wanted and wanted not in names):
        return json.dumps({"names": names}).encode()
    name = wanted or names[0]
    rows = book.get_sheet_by_name(name).to_python(skip_empty_area=False)
    empty = min((next((at for at, cell in enumerate(row) if cell != ""), len(row)) for row in rows), default=0)
    out = io.StringIO()
    writer = csv.writer(out, delimiter="\t", lineterminator="\n")
    for number, row in enumerate(rows, 1):
        writer.writerow([_text(cell, f"{column_name(at)}{number}") for at, cell in enumerate(row)][empty:])
    return json.dumps({"names": names, "sheet": name, "before": empty, "text": out.getvalue()}).encode()


def _text(cell: object, place: str) -> str:
    """A cell as a table of text would have it; a date says where it stands, because no reader can use it."""
    if isinstance(cell, bool):
        return f"{str(cell).upper()} in cell {place}"
    if isinstance(cell, float):
        return str(int(cell)) if cell.is_integer() and abs(cell) < _WHOLE else repr(cell)
    if isinstance(cell, (datetime, date, time, timedelta)):
        return f"date {cell} in cell {place}"
    return " ".join(str(cell).split())


def column_name(at: int) -> str:
    """What a spreadsheet calls a column.

    >>> column_name(0), column_name(25), column_name(26), column_name(701), column_name(702)
    ('A', 'Z', 'AA', 'ZZ', 'AAA')
    """
    name, at = "", at + 1
    while at:
        at, rest = divmod(at - 1, 26)
        name = chr(ord("A") + rest) + name
    return name


# ── written ───────────────────────────────────────────────────────────────────────────────────────────────


def workbook(frame: pl.DataFrame, ending: str, path: str = "the table") -> bytes:
    """The rows as a workbook of one sheet: numbers stay numbers, and text is never a formula."""
    rows = [frame.columns, *frame.iter_rows()]
    for row in rows:
        if (wrong := next((cell for cell in row if isinstance(cell, str) and CONTROL.search(cell)), None)) is not None:
            raise DataError(f"{path}: label {wrong!r} cannot be written to a spreadsheet; write .csv instead")
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w") as archive:
        for name, text in _PARTS[ending](rows):
            part = zipfile.ZipInfo(name, _EPOCH)
            # The type of an OpenDocument file is read without unpacking.
            part.compress_type = zipfile.ZIP_STORED if name == "mimetype" else zipfile.ZIP_DEFLATED
            archive.writestr(part, text)
    return out.getvalue()


_XML = '<?xml version="1.0" encoding="UTF-8" standalone="yes"?>\n'
Parts = Iterator[tuple[str, str]]


def _xlsx(rows: Sequence[Sequence[Any]]) -> Parts:
    office = "http://schemas.openxmlformats.org"
    package, main = f"{office}/package/2006", f"{office}/spreadsheetml/2006/main"
    document = f"{office}/officeDocument/2006/relationships"
    kind = "application/vnd.openxmlformats-officedocument.spreadsheetml"
    yield (
        "[Content_Types].xml",
        (
            f'{_XML}<Types xmlns="{package}/content-types">'
            '<Default Extension="rels" ContentType="application/vnd.openxmlformats-package.relationships+xml"/>'
            f'<Override PartName="/xl/workbook.xml" ContentType="{kind}.sheet.main+xml"/>'
            f'<Override PartName="/xl/worksheets/sheet1.xml" ContentType="{kind}.worksheet+xml"/></Types>'
        ),
    )
    for name, type_, target in (
        ("_rels/.rels", "officeDocument", "xl/workbook.xml"),
        ("xl/_rels/workbook.xml.rels", "worksheet", "worksheets/sheet1.xml"),
    ):
        yield (
            name,
            (
                f'{_XML}<Relationships xmlns="{package}/relationships">'
                f'<Relationship Id="r1" Type="{document}/{type_}" Target="{target}"/></Relationships>'
            ),
        )
    yield (
        "xl/workbook.xml",
        (
            f'{_XML}<workbook xmlns="{main}" xmlns:r="{document}"><sheets>'
            '<sheet name="cranfield" sheetId="1" r:id="r1"/></sheets></workbook>'
        ),
    )
    cells = (
        [_xlsx_cell(cell, f"{column_name(at)}{r}") for at, cell in enumerate(row)] for r, row in enumerate(rows, 1)
    )
    lines = (f'<row r="{r}">{"".join(row)}</row>' for r, row in enumerate(cells, 1))
    yield (
        "xl/worksheets/sheet1.xml",
        (f'{_XML}<worksheet xmlns="{main}"><sheetData>{"".join(lines)}</sheetData></worksheet>'),
    )


def _xlsx_cell(cell: Any, place: str) -> str:
    if cell is None:
        return ""
    if _is_number(cell):
        return f'<c r="{place}"><v>{cell!r}</v></c>'
    return f'<c r="{place}" t="inlineStr"><is><t xml:space="preserve">{str(cell).translate(_ESCAPED)}</t></is></c>'


def _ods(rows: Sequence[Sequence[Any]]) -> Parts:
    oasis, kind = "urn:oasis:names:tc:opendocument:xmlns", "application/vnd.oasis.opendocument.spreadsheet"
    yield "mimetype", kind
    yield (
        "META-INF/manifest.xml",
        (
            f'{_XML}<m:manifest xmlns:m="{oasis}:manifest:1.0" m:version="1.2">'
            f'<m:file-entry m:full-path="/" m:media-type="{kind}"/>'
            '<m:file-entry m:full-path="content.xml" m:media-type="text/xml"/></m:manifest>'
        ),
    )
    spaces = " ".join(f'xmlns:{name}="{oasis}:{name}:1.0"' for name in ("office", "table", "text"))
    lines = (f"<table:table-row>{''.join(map(_ods_cell, row))}</table:table-row>" for row in rows)
    yield (
        "content.xml",
        (
            f'{_XML}<office:document-content {spaces} office:version="1.2"><office:body><office:spreadsheet>'
            f'<table:table table:name="cranfield">{"".join(lines)}</table:table>'
            "</office:spreadsheet></office:body></office:document-content>"
        ),
    )


def _ods_cell(cell: Any) -> str:
    if cell is None:
        return "<table:table-cell/>"
    text = f"<text:p>{str(cell).translate(_ESCAPED)}</text:p>"
    kind = f'float" office:value="{cell!r}"' if _is_number(cell) else 'string"'
    return f'<table:table-cell office:value-type="{kind}>{text}</table:table-cell>'


def _is_number(cell: Any) -> bool:
    return isinstance(cell, (int, float)) and not isinstance(cell, bool) and math.isfinite(cell)


_PARTS: dict[str, Callable[[Sequence[Sequence[Any]]], Parts]] = {".xlsx": _xlsx, ".ods": _ods}
WRITTEN = tuple(_PARTS)
"""The endings of workbooks that can be written; more can be read."""
