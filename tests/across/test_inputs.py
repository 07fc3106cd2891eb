"""What `across` reads: results of other tools, tables of several shapes, runs, and files that are none of these."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest
from click.testing import CliRunner

import cranfield as cf
from across_cases import means, scored, seeded
from cranfield.cli.main import app

pytestmark = pytest.mark.filterwarnings("ignore::cranfield.core.errors.CranfieldWarning")
MEANS = {(system, f"d{k}"): 0.3 + 0.1 * at + 0.02 * k * at for k in range(4) for at, system in enumerate("ABC")}


def run(*words: str) -> tuple[int, str]:
    ended = CliRunner().invoke(app, [*words])
    return ended.exit_code, ended.stdout or ended.stderr


def rows(*words: str) -> list[dict[str, Any]]:
    code, text = run("across", *words, "--resamples", "99", "--format", "json")
    assert code == 0, text
    found: list[dict[str, Any]] = json.loads(text)["rows"]
    return found


def write_beir(folder: Path) -> Path:
    for (system, name), value in MEANS.items():
        path = folder / system / f"{name}.json"
        path.parent.mkdir(parents=True, exist_ok=True)
        made = {
            "ndcg": {"NDCG@1": value / 2, "NDCG@10": value},
            "map": {"MAP@10": value / 3},
            "recall": {},
            "precision": {},
        }
        path.write_text(json.dumps(made))
    return folder


def write_ranx(folder: Path) -> Path:
    folder.mkdir()
    for k in range(4):
        made: dict[str, Any] = {"stat_test": "student", "metrics": ["ndcg@10"], "model_names": ["A", "B", "C"]}
        for system in "ABC":
            made[system] = {"scores": {"ndcg@10": MEANS[system, f"d{k}"]}, "comparisons": {}, "win_tie_loss": {}}
        (folder / f"d{k}.json").write_text(json.dumps(made))
    return folder


def write_wide(folder: Path) -> Path:
    folder.mkdir()
    table = pl.DataFrame([(name, system, value) for (system, name), value in MEANS.items()],
                         schema=["Dataset", "system", "value"], orient="row")  # fmt: skip
    path = folder / "wide.csv"
    table.pivot(on="system", index="Dataset", values="value").write_csv(path)
    return path


@pytest.mark.parametrize("write", [write_beir, write_ranx, write_wide])
def test_every_shape_gives_the_same_means(write: Any, tmp_path: Path) -> None:
    path = write(tmp_path / "results")
    of = [] if write is write_wide else ["--measure", "nDCG@10"]
    found = {row["system"]: row["mean"] for row in rows(str(path), *of, "--show", "leaderboard")}
    for system in "ABC":
        assert found[system] == pytest.approx(np.mean([MEANS[system, f"d{k}"] for k in range(4)]))
    assert cf.across(str(path), n_resamples=99).settings["collections"] == [f"d{k}" for k in range(4)]


def test_the_first_measure_of_beir_is_ndcg_at_10(tmp_path: Path) -> None:
    found = rows(str(write_beir(tmp_path / "results")))
    assert list(dict.fromkeys(row["measure"] for row in found)) == ["nDCG@10", "nDCG@1", "AP@10"]


def test_measures_may_have_columns(tmp_path: Path) -> None:
    table = seeded(2).rename({"value": "nDCG@10"}).with_columns(AP=pl.col("nDCG@10") / 2)
    table.write_csv(tmp_path / "tidy.csv")
    found = rows(str(tmp_path / "tidy.csv"), "--claim", "trained")
    assert [row["measure"] for row in found] == ["nDCG@10", "AP"]
    assert found[0]["difference"] == pytest.approx(2 * found[1]["difference"])


def test_judgments_and_runs_by_collection(tmp_path: Path) -> None:
    for name in "ab":
        cf.make_sample(n_topics=6, n_systems=3, n_documents=100, seed=ord(name)).write(tmp_path / name)
    (tmp_path / "list.txt").write_text("one a/qrels.txt a/runs\ntwo b/qrels.txt b/runs\n")
    found = rows("--collections", str(tmp_path / "list.txt"), "-m", "AP", "--show", "collections")
    assert [row["collection"] for row in found] == ["one", "two"]
    scores = cf.evaluate(tmp_path / "a" / "qrels.txt", tmp_path / "a" / "runs", ["AP"])["AP"]
    assert found[0]["mean"] == pytest.approx(scores.values.mean())
    (tmp_path / "list.txt").write_text("one a/qrels.txt a/runs\ntwo b/qrels.txt nothing\n")
    code, text = run("across", "--collections", str(tmp_path / "list.txt"))
    assert code == 1
    assert "list.txt:2: two: " in text


TASK = '{"task_name": "T0", "mteb_version": "1", "scores": %s}'


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ("[" * 100_000 + "]" * 100_000, "nests more than 64 objects; is the file damaged?"),
        (TASK % '{"test": [{"main_score": NaN}]}', "A: nan by main_score is not a finite number. Remove the file."),
        (TASK % '{"test": [{"main_score": "high"}]}', "A: 'high' by main_score is not a finite number. Remove the file."),
        (TASK % ('{"test": [{"main_score": 1' + "0" * 400 + "}]}"), ":1: holds a number of 401 digits; at most 300 are read"),
        (TASK % "{}", "looks like a result file of MTEB, but scores are missing. Remove it."),
        ("[]", "is not a result file of MTEB, BEIR or ranx, as T0.json is. Remove it."),
        ('{"task_name": ', "is not JSON: Expecting value"),
    ],
)  # fmt: skip
def test_a_hostile_result_file_is_an_error_that_names_it(content: str, message: str, tmp_path: Path) -> None:
    for system in "AB":
        (tmp_path / "m" / system / "r").mkdir(parents=True)
        (tmp_path / "m" / system / "r" / "T0.json").write_text(TASK % '{"test": [{"main_score": 0.5}]}')
    (tmp_path / "m" / "A" / "r" / "T1.json").write_text(content)
    code, text = run("across", str(tmp_path / "m"))
    assert code == 1
    assert "T1.json" in text
    assert message in text


def test_links_lead_nowhere(tmp_path: Path) -> None:
    folder = write_beir(tmp_path / "m")
    (folder / "A" / "loop").symlink_to("..")
    assert len(rows(str(folder), "--measure", "nDCG@10")) == 3
    (folder / "A" / "d9.json").symlink_to("/dev/zero")
    code, text = run("across", str(folder))
    assert code == 1
    assert "d9.json: is a device; name a file" in text


@pytest.mark.parametrize("command", ["compare", "leaderboard", "table", "variance", "reliability"])
def test_datasets_are_not_taken_for_topics(command: str, tmp_path: Path) -> None:
    for name, path in (("Dataset", write_wide(tmp_path / "w")), ("collection", tmp_path / "long.csv")):
        if name == "collection":
            means(9).write_csv(path)
        code, text = run(command, str(path))
        assert code == 1
        assert (
            f"column {name!r} names {4 if name == 'Dataset' else 9} collections. Use `cranfield across {path}`" in text
        )


def test_seeds_are_not_taken_for_systems() -> None:
    table = seeded(3, n_collections=1).drop("collection").rename({"value": "nDCG@10"})
    with pytest.raises(cf.DataError, match="column 'seed' names 3 seeds. Use `across`, or keep one of them."):
        cf.compare(table)


@pytest.mark.parametrize("ending", ["csv", "parquet"])
def test_read_scores_refuses_collections_whose_topics_differ(ending: str, tmp_path: Path) -> None:
    table = pl.DataFrame(
        [(name, f"{name}{topic}", system, "AP", 0.5) for name in "xy" for topic in (1, 2) for system in ("a", "b")],
        schema=["collection", "topic", "system", "measure", "value"],
        orient="row",
    )
    path = tmp_path / f"all.{ending}"
    table.write_csv(path) if ending == "csv" else table.write_parquet(path)
    with pytest.raises(cf.FileError, match="column 'collection' names 2 collections"):
        cf.read_scores(path)
    one = table.filter(pl.col("collection") == "x")
    one.write_csv(path) if ending == "csv" else one.write_parquet(path)
    assert cf.read_scores(path).only().topics == ("x1", "x2")


def test_two_files_of_one_name_need_names(tmp_path: Path) -> None:
    (tmp_path / "x").mkdir()
    for path, matrix in zip((tmp_path, tmp_path / "x"), scored([[0.5, 0.3]] * 2).values(), strict=True):
        cf.write_scores(matrix, path / "a.AP.csv", layout="wide")
    files = [str(tmp_path / "a.AP.csv"), str(tmp_path / "x" / "a.AP.csv")]
    code, text = run("across", *files)
    assert code == 1
    assert "2 files are called 'a'; name their collections with --names." in text
    assert len(rows(*files, "--names", "one", "--names", "two")) == 1


def test_the_table_of_seeds_marks_recipes(tmp_path: Path) -> None:
    table = seeded(3, n_collections=1).drop("collection")
    better = table.with_columns(value=pl.col("value") + 0.3 * (pl.col("system") == "a"))
    better.write_csv(tmp_path / "seeds.csv")
    code, text = run("table", str(tmp_path / "seeds.csv"), "--format", "markdown", "--digits", "3")
    assert code == 0
    of = {key[0]: part.group_by("seed").agg(pl.col("value").mean())["value"] for key, part in better.group_by("system")}
    mean, sd = (
        {name: f"{values.mean():.3f}" for name, values in of.items()},
        {n: f"{v.std():.3f}" for n, v in of.items()},
    )
    assert f"| a<sup>a</sup> | **{mean['a']}** ± {sd['a']}<sup>b</sup> |" in text
    assert f"| b<sup>b</sup> | {mean['b']} ± {sd['b']} |" in text
    assert "as recipes, on this collection" in text
    code, text = run("table", str(tmp_path / "seeds.csv"), "--wins", "--baseline", "b")
    assert "--wins does not apply to a table with training seeds. Leave it out." in text


def test_the_page_reads_what_the_command_reads(tmp_path: Path) -> None:
    from cranfield.web.server.app import create_app
    from cranfield.web.server.security import Limits
    from web_page import HERE, Client

    seeded(3).write_csv(tmp_path / "all.csv")
    results = sorted(write_beir(tmp_path / "m").glob("*/*.json"))
    uploads = {
        "all.csv": [("all.csv", (tmp_path / "all.csv").read_bytes())],
        str(tmp_path / "m"): [(str(path.relative_to(tmp_path)), path.read_bytes()) for path in results],
    }
    with Client(create_app(limits=Limits(patience=60.0)), base_url=HERE) as client:
        for name, files in uploads.items():
            id = client.post("/api/data", files=[("files", one) for one in files]).json()["id"]
            found = client.get(
                f"/api/across?data={id}&resamples=99&measure={'score' if name == 'all.csv' else 'nDCG@10'}"
            )
            wanted = rows(str(tmp_path / name), *(() if name == "all.csv" else ("--measure", "nDCG@10")))
            board = rows(
                str(tmp_path / name), *(() if name == "all.csv" else ("--measure", "nDCG@10")), "--show", "leaderboard"
            )
            assert found.json()["rows"] in (wanted, board)
            said = client.get(f"/api/compare?data={id}").text
            assert "The page Across compares systems over them" in said


@pytest.mark.parametrize("command", ["compare", "leaderboard", "table"])
def test_folders_of_results_and_files_of_other_topics_are_for_across(command: str, tmp_path: Path) -> None:
    for model in "ab":
        (tmp_path / "results" / model).mkdir(parents=True)
        made = {"ndcg": {"NDCG@10": 0.5}, "map": {"MAP@10": 0.4}}
        (tmp_path / "results" / model / "scifact.json").write_text(json.dumps(made))
    code, text = run(command, str(tmp_path / "results"))
    assert code == 1
    assert "holds result files of several collections. Compare them with `cranfield across`." in text
    code, text = run(command, str(tmp_path / "results" / "a"))
    assert "compare them with `cranfield across`" in text
    files = []
    for name, one in scored([[0.5, 0.3]] * 2).items():
        files.append(str(tmp_path / f"{name}.AP.csv"))
        cf.write_scores(one.__class__(one.values, [f"{name}{t}" for t in one.topics], one.systems, "AP"), files[-1])
    code, text = run(command, *files)
    assert code == 1
    assert "has other topics of the same systems. Compare collections with `cranfield across`." in text


def test_a_recipe_without_seeds_has_a_remedy_in_table_too(tmp_path: Path) -> None:
    table = seeded(3, n_collections=1, best=True).drop("collection")
    table.write_csv(tmp_path / "seeds.csv")
    code, text = run("table", str(tmp_path / "seeds.csv"))
    assert code == 1
    assert "use `across` with" in text


# ── MTEB: what a mean is over ─────────────────────────────────────────────────────────────────────────────


def write_mteb(folder: Path, scores: dict[str, Any], model: str = "B") -> Path:
    """Three models on four tasks; on the last, one model has these scores and the others two subsets of dev."""
    for (system, name), value in MEANS.items():
        path = folder / system / "rev" / f"{name}.json"
        path.parent.mkdir(parents=True, exist_ok=True)
        entry = {"hf_subset": "default", "languages": ["eng-Latn"], "main_score": value, "ndcg_at_10": value}
        own: dict[str, Any] = {"test": [entry]}
        if name == "d3":
            own = (
                scores if system == model else {"dev": [{**entry, "hf_subset": language} for language in ("de", "fr")]}
            )
        path.write_text(json.dumps({"task_name": name, "mteb_version": "1.3.1", "scores": own}))
    return folder


@pytest.mark.parametrize(
    ("scores", "message"),
    [
        (
            {"dev": [{"hf_subset": "de", "main_score": 0.5, "ndcg_at_10": 0.5}]},
            "d3 covers dev of de, but dev of de, fr in A/rev/d3.json. Give all systems the same subsets.",
        ),
        (
            {"test": [{"hf_subset": one, "main_score": 0.5, "ndcg_at_10": 0.5} for one in ("de", "fr")]},
            "d3 covers test of de, fr, but dev of de, fr in A/rev/d3.json. Give all systems the same subsets.",
        ),
        (
            {name: [{"hf_subset": "de", "main_score": 0.5}] for name in ("train", "dev")},
            "has the splits train, dev, and none is called test. Keep one split.",
        ),
    ],
)
def test_means_over_different_subsets_are_not_compared(
    scores: dict[str, Any], message: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(write_mteb(tmp_path, scores))
    code, text = run("across", ".")
    assert code == 1
    assert text.strip() == f"error: B/rev/d3.json: {message}"


def test_a_task_has_the_mean_over_its_subsets(tmp_path: Path) -> None:
    same = {"dev": [{"hf_subset": one, "main_score": v, "ndcg_at_10": v} for one, v in (("fr", 0.2), ("de", 0.6))]}
    found = cf.across(str(write_mteb(tmp_path, same)), n_resamples=99).data[0]
    assert found.means[found.collections.index("d3"), found.systems.index("B")] == pytest.approx(0.4)
