"""Would other topics rank the systems alike?"""

from __future__ import annotations

from cranfield.settings.reliability import ReliabilitySettings
from cranfield.web.server.page import page

page(
    "reliability",
    "Reliability",
    ReliabilitySettings,
    heading="Is the collection reliable?",
    lead="Would other topics rank the systems alike (Eρ²), and give them the same scores (Φ)? Beside it what power and "
    "interval width say of the same topics. Several collections are pooled.",
    button="Study",
    doing="Studying the reliability of",
    brief="Reliability of ranking and scores for any number of topics; components, targets and views are in `tables`.",
    place=32,
)
