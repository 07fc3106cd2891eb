"""May this candidate replace the baseline?"""

from __future__ import annotations

from typing import ClassVar

from cranfield.records import record
from cranfield.settings.gate import GateSettings
from cranfield.web.server.page import page


@record(kw_only=True)
class GateQuestion(GateSettings):
    """The settings of `gate`, about two systems of a dataset."""

    takes: ClassVar[str] = "scores"


page(
    "gate",
    "Gate",
    GateQuestion,
    heading="May the candidate replace the baseline?",
    lead="Pass when it is shown to lose no more than you can accept, fail when it is shown to lose more, undecided "
    "when these topics cannot tell; then it says how many could.",
    button="Decide",
    doing="Holding two systems of",
    nothing="Choose data, the two systems, and the loss you can accept.",
    waits=True,
    place=26,
)
