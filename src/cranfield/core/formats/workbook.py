"""Spreadsheets: the rows as a workbook of one sheet."""

from __future__ import annotations

from typing import TYPE_CHECKING

from cranfield.core.formats import FORMATS, OutputFormat, Write

if TYPE_CHECKING:
    from cranfield.core.tables import Sheet


def _writer(ending: str) -> Write:
    def write(sheet: Sheet, width: int | None = None) -> bytes:
        from cranfield.core.workbooks import workbook

        return workbook(sheet.for_machines, ending)

    return write


for _name, _program, _type, _rank in (
    ("xlsx", "Excel", "vnd.openxmlformats-officedocument.spreadsheetml.sheet", 75),
    ("ods", "LibreOffice", "vnd.oasis.opendocument.spreadsheet", 76),
):
    FORMATS.register(
        OutputFormat(
            _name, f"the rows as a spreadsheet of {_program}", (f".{_name}",), _writer(f".{_name}"),
            offered=False, media_type=f"application/{_type}", rank=_rank,
        )
    )  # fmt: skip
