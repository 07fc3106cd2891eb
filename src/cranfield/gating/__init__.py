"""May this candidate replace the baseline? Non-inferiority with a margin, or superiority, as a build asks it."""

from typing import TYPE_CHECKING

from cranfield.lazy import on_first_use

if TYPE_CHECKING:
    from cranfield.gating.decision import gate
    from cranfield.gating.result import Gate, GateCheck

__all__ = ["Gate", "GateCheck", "gate"]

__getattr__ = on_first_use(__name__, {"decision": ["gate"], "result": ["Gate", "GateCheck"]})
