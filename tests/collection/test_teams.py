"""One grammar of team files, for every command that takes one."""

from __future__ import annotations

from pathlib import Path

import pytest

from cranfield import FileError
from cranfield.collection.teams import read_teams, systems_by_team


@pytest.mark.parametrize(
    "text",
    [
        "a1 A\nb1\tB\n\na2, A\n",
        "system,team\na1,A\nb1,B\na2,A\n",
        "# who took part\nSystem Team\na1 A\n  # a comment\nb1   B\na2 ,A",
        "a1\tA\r\nb1\tB\r\na2\tA\r\n",
    ],
)
def test_comma_tab_or_blanks_with_or_without_header(tmp_path: Path, text: str) -> None:
    path = tmp_path / "teams.txt"
    path.write_bytes(text.encode())
    assert read_teams(path) == {"a1": "A", "b1": "B", "a2": "A"}
    assert systems_by_team(read_teams(path)) == {"A": ["a1", "a2"], "B": ["b1"]}


def test_every_bad_line_is_named(tmp_path: Path) -> None:
    path = tmp_path / "teams.txt"
    path.write_text("a1 A\na1 B\nx\na b c\ny,\n")
    with pytest.raises(FileError) as caught:
        read_teams(path)
    assert str(caught.value).splitlines() == [
        f"{path}: 4 problems",
        f"  {path}:2: system 'a1' already belongs to team 'A'",
        f"  {path}:3: expected a system and its team, found 1 field: 'x'",
        f"  {path}:4: expected a system and its team, found 3 fields: 'a b c'",
        f"  {path}:5: expected a system and its team, found 1 field: 'y,'",
    ]


@pytest.mark.parametrize("text", ["system,team\n", "# nobody\n"])
def test_a_file_without_systems(tmp_path: Path, text: str) -> None:
    path = tmp_path / "teams.txt"
    path.write_text(text)
    with pytest.raises(FileError) as caught:
        read_teams(path)
    assert str(caught.value) == f"{path}: names no system; expected a system and its team on each line"
