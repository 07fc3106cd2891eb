"""Topics come in batches: which pairs are decided, and may one stop?"""

from __future__ import annotations

from cranfield.settings.monitor import MonitorSettings
from cranfield.web.server.page import page

page(
    "monitor",
    "Monitor",
    MonitorSettings,
    heading="May I stop adding topics?",
    lead="Every score file of the data is a batch of topics, in the order of the upload; or one table is cut into "
    "looks. Looking again and again keeps its promise when it is planned, or made for looks that nobody planned.",
    button="Look",
    doing="Looking at",
    brief="Which pairs are decided after each batch of topics; plan, forecast and every look are in `tables`.",
    place=34,
)
