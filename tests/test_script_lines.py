"""The scripts of the page are legible."""

from __future__ import annotations

from pathlib import Path

import script_lines


def test_no_line_of_a_script_is_too_long() -> None:
    assert list(script_lines.faults()) == []


def test_a_long_line_and_a_tab_are_told_with_their_place(tmp_path: Path) -> None:
    Path(tmp_path, "a.js").write_text(f"{'x' * 121}\nfine();\n\tindented();\n")
    long, tab = script_lines.faults(tmp_path)
    assert long == f"{tmp_path}/a.js:1: 121 characters, at most 120. Break the line."
    assert tab.startswith(f"{tmp_path}/a.js:3: a tab or a blank at the end.")
