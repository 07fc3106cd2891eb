"""Will this collection serve systems not yet built? Each team's judgments left out in turn."""

from cranfield.reusability.analysis import reuse
from cranfield.reusability.result import Reuse

__all__ = ["Reuse", "reuse"]
