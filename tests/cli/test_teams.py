"""`--teams`, `--team-prefix` and `--best-per-team` of every command that chooses runs."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from cranfield import evaluate, make_sample
from cranfield.core.errors import quietly

BEST = ["--teams", "teams.csv", "--best-per-team", "AP"]


@pytest.fixture
def track(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> dict[str, str]:
    """A small track in the working directory, with a table of its teams; the best run of each team by AP."""
    sample = make_sample(n_topics=8, n_systems=6, n_documents=300, depth=20)
    sample.write(tmp_path)
    monkeypatch.chdir(tmp_path)
    teams = dict(sample.truth.select("system", "team").iter_rows())
    rows = [f"{team},{system},1" for system, team in teams.items()]
    Path("teams.csv").write_text("\n".join(["team,run,place", *rows, "nobody,ghost,9"]) + "\n")
    with quietly():
        scores = evaluate(sample.qrels, sample.runs, "AP").only()
    means = dict(zip(scores.systems, scores.system_means.tolist(), strict=True))
    return {team: max((s for s in teams if teams[s] == team), key=means.__getitem__) for team in teams.values()}


@pytest.mark.parametrize("command", ["leaderboard", "table"])
def test_only_the_best_runs_are_ranked(cranfield, track, command) -> None:
    result = cranfield(command, "qrels.txt", "runs", "-m", "P@10", *BEST, "--test", "t", "--format", "json")
    assert result.exit_code == 0, result.output
    answer = json.loads(result.stdout)
    assert {row["system"] for row in answer["rows"]} == set(track.values())
    assert {row["measure"] for row in answer["rows"]} == {"P@10"}
    said = "1 of 7 systems in `teams` is not among the runs here and is ignored: ghost"
    assert said in answer["warnings"]


def test_compare_reuse_and_cost_use_the_best_runs(cranfield, track) -> None:
    pairs = json.loads(
        cranfield("compare", "qrels.txt", "runs", "-m", "AP", *BEST, "--test", "t", "--format", "json").stdout
    )
    assert {row[side] for row in pairs["rows"] for side in ("system_a", "system_b")} == set(track.values())
    left = cranfield("reuse", "qrels.txt", "runs", "-m", "AP", "--depth", "10", *BEST, "--format", "json")
    assert [
        row["runs"] for row in json.loads(left.stdout)["rows"] if (row["measure"], row["view"]) == ("AP", "full list")
    ] == [1] * len(track)
    asked = ["cost", "qrels.txt", "runs", "-m", "AP", "--depth", "5", "--width", "0.3", "--format", "json"]
    every, best = (json.loads(cranfield(*asked, *more).stdout)["rows"][0] for more in ([], BEST))
    assert best["pool_per_topic"] < every["pool_per_topic"]


def test_teams_without_a_measure_are_refused(cranfield, track) -> None:
    result = cranfield("compare", "qrels.txt", "runs", "-m", "AP", "--teams", "teams.csv")
    assert result.exit_code == 2
    assert "need --within-teams or --best-per-team" in result.stderr


def test_report_of_the_best_runs(cranfield, track) -> None:
    few = ["--skip", "replicates", "--skip", "reuse", "--skip", "next", "--resamples", "50", "-o", "r.html"]
    result = cranfield("report", "qrels.txt", "runs", "-m", "AP", *BEST, *few)
    assert result.exit_code == 0, result.output
    assert f"{len(track)} systems on 8 topics" in Path("r.html").read_text()
