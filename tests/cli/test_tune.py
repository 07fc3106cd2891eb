"""``cranfield tune``, ``compare --tune`` and ``selection-bias`` as a user types them."""

from __future__ import annotations

import csv
import io
import json
from pathlib import Path

import numpy as np
import pytest

import cranfield as package
from support import Type


@pytest.fixture
def grids(tmp_path: Path) -> tuple[str, str]:
    """Two families of four settings on 30 topics; the second is better, and its second setting the best."""
    rng = np.random.default_rng(7)
    ease = rng.random(30) / 2
    paths = []
    for name, quality in (("bm25", 0.0), ("sauce", 0.1)):
        steps = np.array([0.0, 0.05, 0.02, -0.02])
        noise = rng.normal(0, 0.03, (30, 1)) + rng.normal(0, 0.005, (30, 4))
        values = np.clip(ease[:, None] + quality + steps + noise + 0.1, 0, 1)
        lines = [",".join(["topic", *[f"{name}(k1={k1})" for k1 in (0.6, 0.9, 1.2, 1.5)]])]
        lines += [",".join([str(401 + i), *[f"{v:.4f}" for v in row]]) for i, row in enumerate(values)]
        path = tmp_path / f"{name}.AP.csv"
        path.write_text("\n".join(lines) + "\n")
        paths.append(str(path))
    return paths[0], paths[1]


def test_folds(cranfield: Type, grids: tuple[str, str]) -> None:
    result = cranfield("tune", *grids, "--folds", "5", "--format", "csv")
    assert (result.exit_code, result.stderr) == (0, "")
    rows = list(csv.DictReader(io.StringIO(result.stdout)))
    assert list(rows[0]) == ["measure", "family", "fold", "chosen", "train_mean", "held_out_mean", "topics"]
    assert [row["fold"] for row in rows] == ["1", "2", "3", "4", "5", "all"] * 2
    assert {row["chosen"] for row in rows if row["family"] == "sauce"} == {"sauce(k1=0.9)"}


def test_the_table_says_what_to_expect(cranfield: Type, grids: tuple[str, str]) -> None:
    result = cranfield("tune", grids[0])
    assert result.stdout.startswith("AP tuned by 10-fold, drawn 10 times on 30 topics\n")
    assert "bm25: use bm25(k1=0.9), chosen in 100 of 100 folds.\n" in result.stdout
    assert "on unseen topics. The best setting's mean on all topics is" in result.stdout
    assert result.stdout.endswith(
        "tuning; measure AP; families bm25 (4 settings); topics 30; folds 10-fold, drawn 10 times; seed 1; alpha 0.05; "
        f"cranfield {package.__version__}\n"
    )


def test_json_envelope(cranfield: Type, grids: tuple[str, str]) -> None:
    found = json.loads(cranfield("tune", *grids, "--leave-one-out", "--show", "summary", "--format", "json").stdout)
    assert found["command"] == "tune"
    assert found["settings"] == {
        "measure": "AP", "families": {"bm25": 4, "sauce": 4}, "n_topics": 30, "folds": "leave-one-out", "seed": None,
        "alpha": 0.05, "show": "summary",
    }  # fmt: skip
    assert [row["final"] for row in found["rows"]] == ["bm25(k1=0.9)", "sauce(k1=0.9)"]
    assert [row["agreement"] for row in found["rows"]] == [1.0, 1.0]
    assert len(found["warnings"]) == 1
    assert found["warnings"][0].startswith("Leave-one-out: ")


def test_the_curve(cranfield: Type, grids: tuple[str, str]) -> None:
    result = cranfield("tune", grids[0], "--show", "curve", "--resamples", "200")
    assert "family   setting         k1     mean    lower    upper   folds   final" in result.stdout
    assert "95% percentile interval of the mean, 200 topic resamples." in result.stdout
    found = json.loads(cranfield("tune", grids[0], "--show", "curve", "--format", "json").stdout)
    assert [row["k1"] for row in found["rows"]] == [0.6, 0.9, 1.2, 1.5]
    assert [row["folds"] for row in found["rows"]] == [0, 100, 0, 0]
    assert all(row["lower"] < row["mean"] < row["upper"] for row in found["rows"])


def test_held_out_scores_go_straight_into_compare(cranfield: Type, grids: tuple[str, str]) -> None:
    """Tuning, then comparing, in two commands and in one."""
    tuned = cranfield("tune", *grids, "--folds", "5", "--held-out", "tuned.csv")
    assert tuned.stderr == "wrote tuned.csv: AP, 30 topics × 2 families\n"
    options = ["--baseline", "bm25", "--format", "json"]
    two = json.loads(cranfield("compare", "tuned.csv", *options).stdout)
    one = json.loads(cranfield("compare", *grids, "--tune", "--folds", "5", *options).stdout)
    assert one["rows"] == two["rows"]
    assert one["rows"][0]["significant"]
    assert one["settings"]["measures"] == two["settings"]["measures"] == ["AP"]
    assert one["settings"]["tuning"]["folds"] == "5-fold"
    assert [f["final"] for f in one["settings"]["tuning"]["families"]] == ["bm25(k1=0.9)", "sauce(k1=0.9)"]
    assert one["signature"] == (
        "tuning; measure AP; families bm25 (4 settings), sauce (4 settings); topics 30; folds 5-fold; seed 1; alpha 0.05; "
        + two["signature"]
    )


def test_compare_tuned_families_for_people(cranfield: Type, grids: tuple[str, str]) -> None:
    result = cranfield("compare", *grids, "--tune", "--test", "t")
    assert result.stdout.startswith("Held-out scores of 2 families, 10-fold, drawn 10 times\nAP: ")
    assert " differ significantly (uncorrected p" in result.stdout
    assert "sauce: use sauce(k1=0.9), chosen in 100 of 100 folds." in result.stdout


def test_a_hold_out_warns(cranfield: Type, grids: tuple[str, str]) -> None:
    result = cranfield("tune", grids[0], "--holdout", "0.2")
    assert result.stderr == (
        "warning: 24 of 30 topics were never held out, so the held-out scores cover 6 topics. "
        "N-fold and leave-one-out cover all topics.\n"
    )
    assert cranfield("tune", grids[0], "--holdout", "0.01").stderr == (
        "warning: 29 of 30 topics were never held out, so the held-out scores cover 1 topic. "
        "N-fold and leave-one-out cover all topics.\n"
    )


def test_the_optimism_of_a_hold_out_is_that_of_the_figures_beside_it(cranfield: Type, grids: tuple[str, str]) -> None:
    words = ("tune", grids[0], "--holdout", "0.2", "--show", "summary")
    (row,) = json.loads(cranfield(*words, "--format", "json").stdout)["rows"]
    there = row["held_out_mean"] + row["optimism"]
    assert round(there, 4) != round(row["in_sample_mean"], 4)
    assert (
        f"bm25: expect {row['held_out_mean']:.4f} [{row['held_out_lower']:.4f}, {row['held_out_upper']:.4f}] on unseen "
        f"topics. The best setting's mean on the held-out topics is "
        f"{there:.4f}, an optimism of {row['optimism']:.4f}.\n"
    ) in cranfield(*words).stdout


def test_one_family_cannot_be_compared(cranfield: Type, grids: tuple[str, str]) -> None:
    result = cranfield("compare", grids[0], "--tune")
    assert (result.exit_code, result.stderr) == (
        1,
        "error: --tune needs two families; found one, 'bm25'. Name a second, or run `cranfield tune`.\n",
    )


def test_a_pattern(cranfield: Type) -> None:
    lines = ["topic,ql-5,ql-10,bm-5,bm-10", *[f"{i},0.{i},0.2,0.{i},0.3" for i in range(1, 10)]]
    Path("all.AP.csv").write_text("\n".join(lines) + "\n")
    found = json.loads(cranfield("tune", "all.AP.csv", "--pattern", "{family}-{mu}", "--format", "json").stdout or "{}")
    assert found == {}  # ten folds of nine topics
    result = cranfield("tune", "all.AP.csv", "--pattern", "{family}-{mu}", "--folds", "3", "--format", "json")
    assert json.loads(result.stdout)["settings"]["families"] == {"ql": 2, "bm": 2}


def test_chosen_settings_and_families(cranfield: Type, grids: tuple[str, str]) -> None:
    def families(*words: str) -> dict[str, int]:
        result = cranfield("tune", *grids, "--folds", "5", "--format", "json", *words)
        assert result.exit_code == 0, result.stderr
        return dict(json.loads(result.stdout)["settings"]["families"])

    assert families("--system", "sauce") == {"sauce": 4}
    assert families("--system", "sauce", "-s", "bm25(k1=0.6)", "-s", "bm25(k1=1.5)") == {"bm25": 2, "sauce": 4}
    unknown = cranfield("tune", *grids, "--system", "sauces")
    assert unknown.exit_code == 2
    assert unknown.stderr.startswith("error: unknown system 'sauces'. Did you mean 'sauce")
    both = cranfield("compare", *grids, "--tune", "--test", "t", "--system", "sauce", "--baseline", "bm25")
    assert both.exit_code == 0, both.stderr
    assert "sauce" in both.stdout


def test_selection_bias(cranfield: Type) -> None:
    result = cranfield("selection-bias", "--experiments", "200", "--format", "json")
    found = json.loads(result.stdout)
    assert [row["tested"] for row in found["rows"]] == ["in-sample", "held-out"]
    assert found["rows"][0]["advantage"] > 0.025
    assert abs(found["rows"][1]["advantage"]) < 0.01
    shown = cranfield("selection-bias", "--experiments", "200", "--correlation", "0.9", "--leave-one-out").stdout
    assert shown.startswith("50 equally good settings tuned on 50 topics, 200 times\n")
    assert "The theoretical in-sample advantage of the best of 50 is 0.0101." in shown


@pytest.mark.parametrize(
    ("words", "code", "message"),
    [
        (
            ["--folds", "31"],
            2,
            "--folds must be at most the number of topics; got 31 folds for 30 topics. "
            "Write 30 (leave-one-out) or less.",
        ),
        (["--folds", "5", "--holdout", "0.2"], 2, "--folds and --holdout exclude each other. Choose one."),
        (
            ["--leave-one-out", "--repeats", "2"],
            2,
            "--leave-one-out draws nothing. Omit --repeats and --stratified.",
        ),
        (["--holdout", "20"], 2, "--holdout must be between 0 and 1; got 20. Write 0.2."),
        (["--holdout", "1.5"], 2, "--holdout must be between 0 and 1; got 1.5. Write 0.015."),
        (["--resamples", "0", "--show", "curve"], 2,
         "--resamples must be a whole number of at least 1; got 0. Write 10000."),
        (["--leave-one-out", "--seed", "-1", "--show", "curve"], 2,
         "--seed must be a whole number of at least 0; got -1. Write 1."),
        (["--alpha", "5", "--show", "curve"], 2, "--alpha must be between 0 and 1; got 5. Write 0.05."),
        (["--pattern", "x{y}"], 1, "no system matches the pattern 'x{y}'. The systems are bm25(k1=0.6), bm25(k1=0.9), "
         "bm25(k1=1.2), bm25(k1=1.5)."),
    ],
)  # fmt: skip
def test_bad_input(cranfield: Type, grids: tuple[str, str], words: list[str], code: int, message: str) -> None:
    result = cranfield("tune", grids[0], *words)
    assert (result.exit_code, result.stdout, result.stderr) == (code, "", f"error: {message}\n")


def test_options_of_tuning_need_tune(cranfield: Type, grids: tuple[str, str]) -> None:
    result = cranfield("compare", *grids, "--folds", "5")
    assert (result.exit_code, result.stderr) == (
        2,
        "error: --folds, --holdout and the other tuning options need --tune. Add it.\n",
    )
    result = cranfield("compare", *grids, "--tune", "-m", "AP", "-m", "P@10")
    assert (result.exit_code, result.stderr) == (
        2,
        "error: --tune tunes for one measure; got 2. Name one with --measure.\n",
    )


def test_families_on_different_topics_and_a_hole(cranfield: Type, grids: tuple[str, str], tmp_path: Path) -> None:
    short = tmp_path / "short.AP.csv"
    short.write_text("\n".join(Path(grids[1]).read_text().splitlines()[:-2]) + "\n")
    result = cranfield("tune", grids[0], str(short))
    assert (result.exit_code, result.stderr) == (
        1,
        "error: families 'bm25' and 'short' differ in 2 topics (429, 430). "
        "Score them on the same topics, or keep the common ones.\n",
    )
    hole = tmp_path / "hole.AP.csv"
    hole.write_text("topic,a(x=1),a(x=2)\n1,0.5,nan\n2,0.1,0.2\n")
    result = cranfield("tune", str(hole))
    assert result.exit_code == 1
    assert "hole.AP.csv: AP: 1 of 4 scores is missing" in result.stderr
    assert cranfield("tune", str(hole), "--missing", "zero", "--folds", "2").exit_code == 0


@pytest.mark.parametrize(
    "first", ["lambda=0.1,lambda=0.2,lambda=0.3", '"0.4, 0.8","0.5, 0.8","0.6, 0.8"', "0.1,0.2,0.3"]
)
def test_settings_may_be_written_without_a_name(cranfield, tmp_path, monkeypatch, first):
    """One family of three settings; before, three families of one, or another kind of file."""
    monkeypatch.chdir(tmp_path)
    rows = [f"{t},{t % 3 / 10},{t % 4 / 10},{t % 5 / 10}" for t in range(1, 13)]
    Path("grid.csv").write_text("\n".join([f"topic,{first}", *rows]) + "\n")
    result = cranfield("tune", "grid.csv", "--folds", "3", "--format", "json")
    assert result.exit_code == 0, result.output
    assert len({row["family"] for row in json.loads(result.stdout)["rows"]}) == 1
