"""The table of a paper, with marks and caption."""

from __future__ import annotations

from cranfield.settings.table import TableSettings
from cranfield.web.server.page import page

page(
    "table",
    "Table",
    TableSettings,
    heading="The table of the paper",
    lead="Systems by measures, with marks for significant differences and a caption that names test, correction and "
    "topics: download it as LaTeX.",
    button="Set the table",
    doing="Setting the table of",
    place=24,
)
