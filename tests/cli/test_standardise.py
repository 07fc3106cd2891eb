"""standardise and correlate on the command line, as a user types them."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import polars as pl
import pytest
from click.testing import CliRunner, Result

from cranfield import Standardisation
from cranfield.cli.main import app
from cranfield.scores.readers import read_scores

WIDE = "topic,a,b,c\n1,0.1,0.3,0.8\n2,0.0,0.5,0.4\n3,0.9,0.7,0.95\n4,0.2,0.25,0.3\n"


@pytest.fixture
def raw(tmp_path: Path) -> Path:
    path = tmp_path / "mine.AP.csv"
    path.write_text(WIDE)
    return path


def run(*arguments: object) -> Result:
    return CliRunner().invoke(app, [str(argument) for argument in arguments])


@pytest.mark.parametrize("ending", ["csv", "tsv", "json", "parquet", "zscores"])
def test_fit_then_apply(raw: Path, tmp_path: Path, ending: str) -> None:
    factors = tmp_path / f"factors.{ending}"
    done = run("standardise", "fit", raw, "-o", factors)
    assert done.exit_code == 0
    assert done.stderr == f"wrote {factors} (factors of 4 topics and measures)\n"
    std = tmp_path / "std.csv"
    assert run("standardise", "apply", raw, "--factors", factors, "-o", std).exit_code == 0
    assert pl.read_csv(std).columns == ["topic", "system", "measure", "value"]
    values = read_scores(std).only().values
    np.testing.assert_allclose(values.mean(axis=1), 0.5, atol=1e-12)
    np.testing.assert_allclose(values.std(axis=1, ddof=1), 0.15, atol=1e-12)


def test_what_fit_prints_can_be_loaded(raw: Path, tmp_path: Path) -> None:
    for format, name in (("json", "f.json"), ("csv", "f.csv")):
        (tmp_path / name).write_text(run("standardise", "fit", raw, "--format", format).stdout)
    (tmp_path / "f.z").write_text(run("standardise", "fit", raw, "--trec").stdout)
    kept = [Standardisation.load(tmp_path / name)["AP"] for name in ("f.json", "f.csv", "f.z")]
    assert kept[0] == kept[1]
    assert kept[2].mean.tolist() == kept[0].mean.tolist()


def test_apply_reports_its_settings_and_counts(raw: Path, tmp_path: Path) -> None:
    factors = tmp_path / "f.json"
    run("standardise", "fit", raw, "-o", factors)
    done = run("standardise", "apply", raw, "--factors", factors, "--a", 0.6, "--format", "json")
    answer = json.loads(done.stdout)
    assert answer["command"] == "standardise apply"
    assert answer["settings"]["a"] == 0.6
    counts = answer["settings"]["counts"][0]
    assert counts["below"] + counts["above"] > 0
    assert f"of {counts['cells']} cells" in done.stderr
    assert {row["measure"] for row in answer["rows"]} == {"std-AB(AP)"}


@pytest.mark.parametrize(
    ("arguments", "code", "text"),
    [
        (["--a", "0"], 2, "error: --a must be a positive number; got 0. The papers use 0.15.\n"),
        (
            ["--b", "7"],
            2,
            "error: --b must be between 0 and 1, the range scores are clipped to; got 7. The papers use 0.5.\n",
        ),
    ],
)
def test_bad_settings(raw: Path, tmp_path: Path, arguments: list[str], code: int, text: str) -> None:
    factors = tmp_path / "f.json"
    run("standardise", "fit", raw, "-o", factors)
    out = tmp_path / "out.csv"
    done = run("standardise", "apply", raw, "--factors", factors, *arguments, "-o", out)
    assert (done.exit_code, done.stderr) == (code, text)
    assert not out.exists()


def test_bad_factors(raw: Path, tmp_path: Path) -> None:
    factors = tmp_path / "f.csv"
    factors.write_text("topic,measure,mean,sd\n1,AP,0.4,0.2\n")
    done = run("standardise", "apply", raw, "--factors", factors)
    assert (done.exit_code, done.stdout) == (1, "")
    assert done.stderr == (
        "error: AP: no factors for 3 of 4 topics (2, 3, 4); pass --missing drop-topic to leave them out\n"
    )
    kept = run("standardise", "apply", raw, "--factors", factors, "--missing", "drop-topic", "--format", "csv")
    assert kept.stdout.count("std-AB(AP)") == 3
    assert kept.stderr.splitlines()[0] == "warning: AP: 3 topics without factors left out: 2, 3, 4"
    factors.write_text("topic,measure,mean,sd\n1,nDCG,0.4,0.2\n")
    assert run("standardise", "apply", raw, "--factors", factors).stderr == (
        "error: the factors have no measure 'AP', only nDCG; fit factors for it, or leave the measure out\n"
    )
    one = tmp_path / "one.AP.csv"
    one.write_text("topic,a\n1,0.5\n2,0.6\n")
    target = tmp_path / "none.csv"
    done = run("standardise", "fit", one, "-o", target)
    assert (
        done.stderr
        == "error: AP: fitting standardisation factors needs at least 2 systems; there is 1. Give scores of more systems.\n"
    )
    assert not target.exists()
    done = run("standardise", "fit", raw, "--trec", "--format", "csv")
    assert (done.exit_code, done.stderr) == (2, "error: --trec sets the format; leave out --format\n")


def test_effect_shows_its_tables(raw: Path, tmp_path: Path) -> None:
    small = ["--systems", 2, "--min-diff", 0.1, "--resamples", 100]
    done = run("standardise", "effect", raw, *small)
    assert done.exit_code == 0
    for title in ("Variance, raw and standardised", "Agreement of the two rankings", "Scale-free", "Topics needed"):
        assert title in done.stdout
    out = tmp_path / "effect.md"
    run("standardise", "effect", raw, *small, "-o", out)
    assert out.read_text().count("| measure |") == 4
    answer = json.loads(
        run(
            "standardise", "effect", raw, "--systems", 2, "--min-diff", 0.1, "--resamples", 100, "--format", "json"
        ).stdout
    )
    assert [row["table"] for row in answer["rows"]] == ["variance", "scale_free", "scale_free", "topics"]


def test_robustness(raw: Path, tmp_path: Path) -> None:
    rows = json.loads(run("standardise", "robustness", raw, "--format", "json").stdout)["rows"]
    assert [row["system"] for row in rows] == ["a", "b", "c"]
    rows = json.loads(run("standardise", "robustness", raw, "--leave-out", "b", "--format", "json").stdout)["rows"]
    assert [(row["left_out"], row["system"]) for row in rows] == [("given", "b")]
    teams = tmp_path / "teams.csv"
    teams.write_text("system,team\na,A\nb,B\n")
    rows = json.loads(run("standardise", "robustness", raw, "--teams", teams, "--format", "json").stdout)["rows"]
    assert [row["left_out"] for row in rows] == ["A", "B"]
    done = run("standardise", "robustness", raw, "--teams", teams, "--leave-out", "b")
    assert (done.exit_code, done.stderr) == (
        2,
        "error: --leave-out and --teams both say what to leave out; give one of them\n",
    )


def test_correlate_files_and_orders(raw: Path, tmp_path: Path) -> None:
    order = tmp_path / "order.txt"
    order.write_text("c\nb\na\n")
    rows = json.loads(run("correlate", raw, order, "--format", "json").stdout)["rows"]
    assert [row["coefficient"] for row in rows] == ["tau", "tau_b", "tau_ap", "tau_ap_b"]
    assert all(row["value"] == 1 for row in rows)
    rows = json.loads(run("correlate", raw, raw, "--resamples", 50, "--format", "json").stdout)["rows"]
    columns = ["reference", "estimate", "coefficient", "value", "corrected", "lower", "upper"]
    assert list(rows[0]) == columns
    options = ("--resamples", 0, "--published", "--format", "json")
    rows = json.loads(run("correlate", raw, raw, *options).stdout)["rows"]
    assert list(rows[0]) == [*columns, "published_lower", "published_upper"]
    assert rows[0]["published_upper"] == 1


def test_correlate_measures(raw: Path, tmp_path: Path) -> None:
    many = tmp_path / "many.csv"
    scores = read_scores(raw).only().to_long()
    other = scores.with_columns(measure=pl.lit("P@20"), value=1 - pl.col("value"))
    pl.concat([scores, other]).write_csv(many)
    rows = json.loads(run("correlate", many, many, "--resamples", 0, "--format", "json").stdout)["rows"]
    assert [row["reference"] for row in rows] == ["AP"] * 4 + ["P@20"] * 4
    assert run("standardise", "fit", many, "-m", "P@20", "--format", "csv").stdout.count("P@20") == 4
    options = ["-m", "AP", "--other-measure", "P@20", "--resamples", 0, "--format", "json"]
    rows = json.loads(run("correlate", many, many, *options).stdout)["rows"]
    assert (rows[0]["reference"], rows[0]["estimate"], rows[0]["value"]) == ("AP", "P@20", -1)
    done = run("correlate", many, tmp_path / "nothing.csv")
    assert (done.exit_code, done.stderr) == (1, f"error: {tmp_path / 'nothing.csv'}: no such file; check the name\n")
    renamed = tmp_path / "renamed.csv"
    pl.read_csv(many).with_columns(pl.col("measure") + "x").write_csv(renamed)
    assert run("correlate", many, renamed).stderr == (
        "error: the files have no measure in common (AP, P@20 and APx, P@20x); choose with --measure and "
        "--other-measure\n"
    )
