"""A short run of the fuzzer; `make fuzz` runs it for as long as you like."""

from __future__ import annotations

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))

from fuzz import fuzz


def test_two_seconds_of_broken_files_are_all_answered() -> None:
    tried, findings = fuzz(1, 2.0)
    assert sum(tried.values()) > 20
    assert not findings, "\n\n".join(findings.values())
