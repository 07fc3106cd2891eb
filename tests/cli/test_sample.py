"""``cranfield sample`` as a user types it."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from click.testing import CliRunner

from cranfield.cli.main import app
from cranfield.collection.sample_files import README

SMALL = ["--topics", "4", "--systems", "3", "--documents", "300", "--length", "40", "--depth", "10"]


def run(*words: str) -> tuple[int, str, str]:
    result = CliRunner().invoke(app, ["sample", *words])
    return result.exit_code, result.stdout, result.stderr


def test_it_says_what_it_wrote_and_what_to_try_next(tmp_path: Path) -> None:
    code, out, err = run(str(tmp_path / "s"), *SMALL)
    assert (code, err) == (0, "")
    assert out.startswith(f"Sample collection in {tmp_path / 's'}\n")
    for line in (
        "300 documents",
        "4 topics",
        "1200 judgments (all)",
        "3 runs of 1 team\n",
        f"cranfield evaluate {tmp_path}/s/qrels.txt {tmp_path}/s/runs -m AP -q -o {tmp_path}/s/ap.csv",
        "sample collection; topics 4; systems 3; documents 300; depth 10; length 40; seed 1; cranfield",
    ):
        assert line in out
    assert (tmp_path / "s" / "README.txt").read_text().startswith(README[:60])
    assert len(list((tmp_path / "s" / "runs").iterdir())) == 3


def test_json_holds_files_and_settings(tmp_path: Path) -> None:
    code, out, _ = run(str(tmp_path / "s"), *SMALL, "--seed", "7", "--format", "json")
    answer = json.loads(out)
    assert code == 0
    assert answer["command"] == "sample"
    assert answer["settings"] == {
        "directory": str(tmp_path / "s"),
        "n_topics": 4,
        "n_systems": 3,
        "n_documents": 300,
        "depth": 10,
        "length": 40,
        "seed": 7,
        "force": False,
    }
    assert [row["file"] for row in answer["rows"]] == [
        "README.txt",
        "documents.jsonl.gz",
        "topics.tsv",
        "qrels.txt",
        "qrels.full.txt.gz",
        "runs/*.run.gz",
        "truth.json",
    ]


def test_small_collections_need_no_further_options(tmp_path: Path) -> None:
    code, out, _ = run(str(tmp_path / "s"), "--topics", "2", "--systems", "2", "--documents", "200")
    assert code == 0
    assert "depth 50; length 200" in out


def test_a_topic_lost_by_the_pool_is_told(tmp_path: Path) -> None:
    code, _, err = run(str(tmp_path / "s"), *SMALL, "--systems", "1", "--depth", "1", "--topics", "20")
    assert code == 0
    assert err.startswith("warning: ")
    assert err.endswith("have no relevant document in the pool of depth 1, so every system scores 0 there\n")


def test_a_directory_with_files_is_refused_before_any_work(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    assert run(str(tmp_path / "s"), *SMALL)[0] == 0
    monkeypatch.setattr("cranfield.collection.sample.make_sample", None)
    code, out, err = run(str(tmp_path / "s"), *SMALL)
    assert (code, out) == (1, "")
    assert err == (
        f"error: {tmp_path / 's'}: is not empty; name a new directory, or replace an earlier sample with --force\n"
    )


def test_force_replaces(tmp_path: Path) -> None:
    run(str(tmp_path / "s"), *SMALL)
    code, _, _ = run(str(tmp_path / "s"), *SMALL, "--systems", "2", "--force")
    assert code == 0
    assert len(list((tmp_path / "s" / "runs").iterdir())) == 2


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["--topics", "0"], "error: --topics must be a whole number of at least 1; got 0. Write 50.\n"),
        (["--documents", "50"], "error: --documents must be at least 100; got 50\n"),
        (["--depth", "600"], "error: --depth must be at most the length of the runs, 500; got 600\n"),
    ],
)
def test_bad_sizes_end_with_code_2_and_write_nothing(tmp_path: Path, words: list[str], message: str) -> None:
    assert run(str(tmp_path / "s"), *words) == (2, "", message)
    assert not list(tmp_path.iterdir())
