"""Lines of the page's scripts are as long as those of Python at most; `make lint` runs this, without node."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path

SOURCES = Path(__file__).parent.parent / "src"
LONGEST = 120


def faults(folder: Path = SOURCES) -> Iterator[str]:
    """Every line that is too long, ends in a blank or has a tab: its place, the fault and the remedy."""
    for path in sorted(folder.rglob("*.js")):
        for number, line in enumerate(path.read_text("utf-8").splitlines(), 1):
            if len(line) > LONGEST:
                yield f"{path}:{number}: {len(line)} characters, at most {LONGEST}. Break the line."
            if line != line.rstrip() or "\t" in line:
                yield f"{path}:{number}: a tab or a blank at the end. Indent with blanks and end the line before them."


if __name__ == "__main__":
    sys.exit("\n".join(faults()) or None)
