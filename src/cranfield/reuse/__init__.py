"""Will this collection serve systems not yet built? Each team's judgments left out in turn."""

from cranfield.reuse.analysis import reuse
from cranfield.reuse.result import Reuse

__all__ = ["Reuse", "reuse"]
