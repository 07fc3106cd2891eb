"""Which test keeps its level on scores like these?"""

from __future__ import annotations

from cranfield.settings.simulate import SimulateTestsSettings
from cranfield.web.server.page import page

page(
    "simulate",
    "Simulate",
    SimulateTestsSettings,
    heading="Which test keeps its level on my scores?",
    lead="Pairs of systems whose truth is known are made out of your scores, and every test is asked about them: how "
    "often it sees a difference that is not there, or misses one that is.",
    button="Simulate",
    doing="Simulating scores like those of",
    nothing="This takes a little while, and can be cancelled: choose data and start it.",
    waits=True,
    place=44,
    leads_to=("simulate-design", "simulate-scores"),
)
