"""Does a recommended number of topics deliver?"""

from __future__ import annotations

from cranfield.settings.simulate import SimulateDesignSettings
from cranfield.web.server.page import page

page(
    "simulate-design",
    "Simulate a design",
    SimulateDesignSettings,
    heading="Does the recommended number of topics deliver?",
    lead="Pilots are drawn from your scores, topics recommended from each, and collections of that size drawn with a "
    "difference that is known: how often is it found, and how wide are the intervals?",
    button="Simulate",
    doing="Simulating designs from",
    nothing="This takes a little while, and can be cancelled: choose data, say what you want to see, and start it.",
    waits=True,
    place=None,
    address="/simulate/design",
    leads_to=("simulate", "simulate-scores"),
)
