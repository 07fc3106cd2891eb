"""One grammar of team files, for every command that takes one."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from cranfield import DataError, FileError, ScoreMatrix, Scores, best_per_team, make_sample
from cranfield.collection.teams import read_teams, systems_by_team, teams_of
from cranfield.collection.writers import write_qrels, write_run
from cranfield.core.errors import quietly


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


def test_a_first_line_of_names_with_numbers_is_no_header(tmp_path: Path) -> None:
    (tmp_path / "teams.csv").write_text("run1,team1\nrun2,team1\n")
    assert read_teams(tmp_path / "teams.csv") == {"run1": "team1", "run2": "team1"}


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


TABLES = {
    "named": "rank,Run Tag,AP,Group\n1,a1,0.3,A\n2,b1,0.2,B\n3,a2,0.1,A\n",
    "semicolons": "team;tag;map\nA;a1;0,3\nB;b1;0,2\nA;a2;0,1\n",
    "quoted": '"participant","runtag","comment"\n"A","a1","x, y"\n"B","b1",""\n"A","a2","z"\n',
    "repeated": "team,run,measure\nA,a1,AP\nA,a1,P\nB,b1,AP\nA,a2,AP\n",
    "transposed": "system,a1,b1,a2\nteam,A,B,A\n",
    "transposed, teams first": "team\tA\tB\tA\nyear\t1\t1\t1\nrun\ta1\tb1\ta2\n",
}


@pytest.mark.parametrize("name", TABLES)
def test_a_table_with_named_columns_or_rows(tmp_path: Path, name: str) -> None:
    path = tmp_path / "leaderboard.csv"
    path.write_text(TABLES[name])
    assert read_teams(path) == {"a1": "A", "b1": "B", "a2": "A"}


def test_two_teams_for_a_system_of_a_table(tmp_path: Path) -> None:
    path = tmp_path / "leaderboard.csv"
    path.write_text("team,run\nA,a1\nB,a1\n")
    with pytest.raises(FileError, match="leaderboard.csv:3: system 'a1' already belongs to team 'A'"):
        read_teams(path)


def three() -> Scores:
    ap = ScoreMatrix([[0.1, 0.3, 0.2], [0.2, 0.3, 0.1]], ["1", "2"], ["a1", "a2", "b1"], "AP")
    p = ScoreMatrix([[0.9, 0.3, 0.2], [0.8, 0.3, 0.1]], ["1", "2"], ["a1", "a2", "b1"], "P@10")
    return Scores([ap, p])


def test_the_best_run_of_each_team_by_a_measure() -> None:
    teams = {"a1": "A", "a2": "A", "b1": "B", "c1": "C"}
    with quietly():
        by_ap, by_p = best_per_team(three(), teams), best_per_team(three(), teams, "P@10")
    assert (by_ap["AP"].systems, by_p["AP"].systems) == (("a2", "b1"), ("a1", "b1"))
    assert by_ap.warnings == ("1 of 4 systems in `teams` is not among the runs here and is ignored: c1",)
    assert by_p["AP"].provenance == ("kept 2 of 3 systems: the best of each of 2 teams by P@10",)
    assert best_per_team(three(), team_prefix="[a-z]", keep=["a1"])["AP"].systems == ("a1", "a2", "b1")


def test_a_run_without_a_team() -> None:
    with pytest.raises(DataError) as error:
        teams_of(["a1", "x", "y"], {"a1": "A"})
    assert str(error.value) == "no team is given for 2 runs (x, y). Add them to `teams`."


def test_a_run_may_be_listed_with_its_ending() -> None:
    """TREC-COVID's leaderboard lists final.qruir.f.txt, whose run is read as final.qruir.f."""
    teams = {"final.qruir.f.txt": "CSIR", "other.run": "A", "b": "B"}
    assert teams_of(["final.qruir.f", "b"], teams) == (
        {"final.qruir.f": "CSIR", "b": "B"},
        ("1 of 3 systems in `teams` is not among the runs here and is ignored: other.run",),
    )
    assert teams_of(["a", "a.txt"], {"a": "A", "a.txt": "B"})[0] == {"a": "A", "a.txt": "B"}


def test_cost_counts_the_systems_of_the_file_that_have_no_run(cranfield: Any) -> None:
    sample = make_sample(n_topics=6, n_systems=4, n_documents=200)
    Path("runs").mkdir()
    write_qrels(sample.qrels, "qrels.txt")
    for run in sample.runs:
        write_run(run, f"runs/{run.system}.run")
    listed = [f"{run.system},{run.system}" for run in sample.runs]
    Path("teams.csv").write_text("\n".join(["team,run", *listed, "none,other"]))
    chosen = ("--teams", "teams.csv", "--best-per-team", "AP")
    result = cranfield("cost", "qrels.txt", "runs", "-m", "AP", "--depth", "5", "--width", "0.2", *chosen)
    assert "1 of 5 systems in --teams is not among the runs here and is ignored: other" in result.stderr
