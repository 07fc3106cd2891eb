"""What checked files say: what they hold, or what is wrong with them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from cranfield.core.answer import Answer, Chart
from cranfield.core.tables import Sheet

if TYPE_CHECKING:
    from cranfield.collection.check import FileCheck


def check_answer(result: FileCheck, settings: Any) -> Answer:
    """One file, in one row."""

    def sheet() -> Sheet:
        return Sheet("check", result.to_frame(), result.signature, result.settings, result.warnings)

    drawn = Chart("contents-chart", "Contents", "Bars: the counts of the file.", result, "contents")
    return Answer(headline=result.summary(), sheets={"check": sheet}, charts=(drawn,))
