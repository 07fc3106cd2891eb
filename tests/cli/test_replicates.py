"""The command `replicates`, typed as a user would."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from cranfield import make_sample, write_qrels, write_run
from support import Type

FEW = ("--splits", "3", "--resamples", "200")


@pytest.fixture(scope="module")
def sample(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A small collection on disk."""
    place = tmp_path_factory.mktemp("sample")
    made = make_sample(n_topics=12, n_systems=5, n_documents=400, seed=3)
    write_qrels(made.qrels, place / "qrels.txt")
    (place / "runs").mkdir()
    for run in made.runs:
        write_run(run, place / "runs" / f"{run.system}.run")
    return place


@pytest.fixture
def typed(cranfield: Type, sample: Path) -> Type:
    """The command on the small collection."""
    return lambda *words: cranfield("replicates", str(sample / "qrels.txt"), str(sample / "runs"), *FEW, *words)


def test_json_envelope(typed: Type) -> None:
    result = typed("--format", "json", "--show", "pairs", "-m", "AP", "-m", "P@10")
    assert result.exit_code == 0
    answer = json.loads(result.stdout)
    assert answer["command"] == "replicates"
    assert answer["settings"]["n_partitions"] == 2
    assert answer["settings"]["show"] == "pairs"
    assert len(answer["rows"]) == 20
    assert list(answer["rows"][0])[:6] == ["measure", "system_a", "system_b", "difference", "p", "p_adjusted"]
    assert answer["signature"].startswith("replicates (residual bootstrap ANOVA); measures AP, P@10; partitions 2")


@pytest.mark.parametrize("show", ["systems", "pairs", "agreement", "comparison", "anova", "splits"])
@pytest.mark.parametrize("format", ["table", "csv", "markdown", "latex"])
def test_every_table_in_every_format(typed: Type, show: str, format: str) -> None:
    result = typed("--show", show, "--format", format)
    assert result.exit_code == 0
    assert len(result.stdout.splitlines()) > 3
    assert "Traceback" not in result.stderr


def test_a_table_for_people(typed: Type) -> None:
    out = typed().stdout
    assert out.startswith("AP: system effects with intervals, averaged over 3 splits into 2 partitions\n")
    assert "of 10 pairs differ" in out
    assert "With the interaction, topics are fixed: the inference is to other documents, not to other topics." in out
    assert "topics are fixed" not in typed("--no-interaction").stdout


def test_teams(typed: Type) -> None:
    result = typed("--show", "teams", "--team-prefix", "[A-Za-z]+")
    assert result.exit_code == 0, result.stderr
    assert "mean interval length within teams" in result.stdout
    wrong = typed("--show", "teams")
    assert wrong.exit_code == 2
    assert wrong.stderr == (
        "error: --show teams needs a grouping of the runs. Give either --teams FILE or --team-prefix PATTERN.\n"
    )


def test_a_work_file_is_taken_up(typed: Type) -> None:
    first = typed("--work", "job.work", "--format", "csv")
    second = typed("--work", "job.work", "--format", "csv", "--workers", "1")
    assert first.stdout == second.stdout
    other = typed("--work", "job.work", "--seed", "2")
    assert other.exit_code == 2
    assert other.stderr == (
        "error: work file job.work belongs to another job: its seed is 1, now 2. Name another file, or remove it to "
        "start again.\n"
    )


@pytest.mark.parametrize(
    ("words", "code", "message"),
    [
        (("--partitions", "1"), 2, "error: --partitions must be a whole number of at least 2; got 1. Write 2.\n"),
        (("-m", "APP"), 2, "error: unknown measure 'APP'. Did you mean 'AP'?"),
        (("--alpha", "5"), 2, "error: --alpha must be between 0 and 1; got 5. Write 0.05.\n"),
    ],
)
def test_bad_usage(typed: Type, words: tuple[str, ...], code: int, message: str) -> None:
    result = typed(*words)
    assert result.exit_code == code
    assert result.stderr.startswith(message.rstrip("?"))
    assert result.stdout == ""


def test_one_run_is_not_enough(sample: Path, cranfield: Type) -> None:
    run = next((sample / "runs").iterdir())
    result = cranfield("replicates", str(sample / "qrels.txt"), str(run))
    assert result.exit_code == 1
    assert result.stderr == "error: replicates compare at least 2 runs; there is 1. Add runs.\n"
