"""What a paper prints: the table of systems by measures, and the sentences that say how it came about."""

from typing import TYPE_CHECKING

from cranfield.lazy import on_first_use

if TYPE_CHECKING:
    from cranfield.paper.table import PaperTable, paper_table

__all__ = ["PaperTable", "paper_table"]

__getattr__ = on_first_use(__name__, {"table": ["PaperTable", "paper_table"]})
