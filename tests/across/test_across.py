"""`across`: reference values, one collection equals `compare`, formulas computed anew, orders that do not matter."""

from __future__ import annotations

import json
from itertools import pairwise
from pathlib import Path

import numpy as np
import polars as pl
import pytest
from click.testing import CliRunner
from scipy import stats

import cranfield as cf
from across_cases import means, scored, seeded
from cranfield.cli.main import app

pytestmark = pytest.mark.filterwarnings("ignore::cranfield.core.errors.CranfieldWarning")
DATA = Path(__file__).resolve().parents[3] / "shared" / "data" / "across"
real = pytest.mark.skipif(not DATA.exists(), reason="needs ../shared/data/across")


@real
def test_beir_gives_the_reference_values() -> None:
    result = cf.across(pl.read_csv(DATA / "beir15.means.csv"), n_resamples=199)
    pairs = result.to_frame()
    assert (pairs.height, (pairs["p"] <= 0.05).sum()) == (17_391, 13_781)
    board = result.leaderboard()
    order = board["system"].to_list()
    p = {(a, b): value for a, b, value in pairs.select("system_a", "system_b", "p").iter_rows()}
    assert sum(p[a, b] <= 0.05 for a, b in pairwise(order)) == 4
    assert result.components()["variance"].round(4).to_list() == [0.0370, 0.0197, 0.0064]
    assert round(float(stats.kendalltau(board["mean"], board["borda"]).statistic), 3) == 0.951
    assert result.settings["claim"] == ["like_these"]


@real
def test_mteb_folders_are_read_as_they_are() -> None:
    ended = CliRunner().invoke(app, ["across", str(DATA / "mteb-results"), "--resamples", "99", "--format", "json"])
    assert ended.exit_code == 0, ended.output
    rows = json.loads(ended.stdout)["rows"]
    table = pl.read_csv(DATA / "beir15.means.csv")
    expected = dict(table.group_by("system").agg(pl.col("value").mean()).iter_rows())
    assert len(rows) == 10
    for row in rows:
        assert row["collections"] == 15
        assert row["mean_a"] == pytest.approx(expected[row["system_a"]], abs=1e-9)


@real
def test_snapshots_of_one_collection_are_read_from_files() -> None:
    files = [str(path) for path in sorted(DATA.glob("longeval-*.csv"))]
    ended = CliRunner().invoke(
        app, ["across", *files, "--resamples", "99", "--show", "collections", "--format", "json"]
    )
    assert ended.exit_code == 0, ended.output
    found = [row["collection"] for row in json.loads(ended.stdout)["rows"]]
    assert found == ["longeval-long-term", "longeval-short-term", "longeval-within"]


def write_mteb(folder: Path, cells: dict[tuple[str, str], float]) -> None:
    for (model, task), value in cells.items():
        path = folder / model / "rev1" / f"{task}.json"
        path.parent.mkdir(parents=True, exist_ok=True)
        entry = {"ndcg_at_10": value, "main_score": value, "hf_subset": "default"}
        path.write_text(json.dumps({"task_name": task, "scores": {"test": [entry]}}))


CELLS = {(model, f"T{k}"): 0.3 + 0.1 * at + 0.01 * k * (at - 1) for k in range(4) for at, model in enumerate("ABC")}


def run(*words: str) -> tuple[int, str]:
    ended = CliRunner().invoke(app, ["across", *words, "--resamples", "99", "--format", "json"])
    return ended.exit_code, ended.stdout or ended.stderr


def test_a_small_mteb_folder_has_the_means_of_its_files(tmp_path: Path) -> None:
    write_mteb(tmp_path, CELLS)
    code, text = run(str(tmp_path))
    assert code == 0
    first = json.loads(text)["rows"][0]
    assert (first["measure"], first["system_a"], first["system_b"]) == ("nDCG@10", "C", "B")
    assert first["mean_a"] == pytest.approx(np.mean([CELLS["C", f"T{k}"] for k in range(4)]))


def test_missing_cells_are_the_users_decision(tmp_path: Path) -> None:
    write_mteb(tmp_path, {cell: value for cell, value in CELLS.items() if cell != ("B", "T3")})
    code, text = run(str(tmp_path))
    assert code == 1
    assert text.split("error: ")[1] == (
        "nDCG@10: 1 of 12 results are missing, such as B on T3. Add them, or set --missing to drop-collection or "
        "drop-system.\n"
    )
    _, text = run(str(tmp_path), "--missing", "drop-system")
    assert {row["system_a"] for row in json.loads(text)["rows"]} == {"C"}
    _, text = run(str(tmp_path), "--missing", "drop-collection")
    assert {row["collections"] for row in json.loads(text)["rows"]} == {3}


@pytest.mark.parametrize("n_systems", [3, 8])
def test_one_collection_is_compare_to_the_last_bit(n_systems: int) -> None:
    (only,) = scored([[0.5 - 0.02 * at for at in range(6)][:n_systems]]).values()
    if n_systems == 8:
        values = np.column_stack([only.values, only.values[:, :2] + 0.01])
        only = cf.ScoreMatrix(values, only.topics, list("abcdefgh"), "AP")
    names = [(topic, system) for topic in only.topics for system in only.systems]
    long = pl.DataFrame(names, schema=["topic", "system"], orient="row").with_columns(
        value=only.values.ravel(), collection=pl.lit("c"), seed=pl.lit("7"), measure=pl.lit("AP")
    )
    theirs = cf.compare(only)
    for collections in ({"c": only}, long):
        ours = cf.across(collections)
        assert same(ours.to_frame(), theirs.to_frame()) >= {
            "difference",
            "lower",
            "upper",
            "p",
            "p_adjusted",
            "effect_size",
        }
        assert same(ours.leaderboard(), theirs.leaderboard()) >= {"mean", "lower", "upper", "rank_upper", "may_be_best"}


def same(ours: pl.DataFrame, theirs: pl.DataFrame) -> set[str]:
    """The columns of both, all of them equal to the last bit."""
    shared = [name for name in ours.columns if name in theirs.columns]
    assert ours.select(shared).equals(theirs.select(shared))
    return set(shared)


def test_like_these_is_student_t_over_collections() -> None:
    table = means(9)
    result = cf.across(table, n_resamples=99).to_frame()
    wide = table.pivot(on="system", index="collection", values="value")
    for row in result.iter_rows(named=True):
        expected = stats.ttest_rel(wide[row["system_a"]].to_numpy(), wide[row["system_b"]].to_numpy())
        assert row["p"] == pytest.approx(expected.pvalue)
        assert row["p_adjusted"] >= row["p"]
        assert (row["lower"] > 0 or row["upper"] < 0) == row["significant"]


def test_a_recipe_has_the_crossed_variance() -> None:
    table = seeded(3, n_collections=2)
    row = cf.across(table, claim="recipe").to_frame().row(0, named=True)
    x = {key[0]: part.pivot(on=["system", "seed"], index="topic", values="value").drop("topic").to_numpy().reshape(20, 2, 3)
         for key, part in table.group_by("collection", maintain_order=True)}  # fmt: skip
    topics, df = 0.0, 0.0
    for values in x.values():
        own = np.var(values[:, 0].mean(axis=1) - values[:, 1].mean(axis=1), ddof=1) / 20 / 4
        topics += own
        df += own**2 / 19
    seeds = 0.0
    for j in (0, 1):
        spread = np.var(np.mean([values[:, j].mean(axis=0) for values in x.values()], axis=0), ddof=1) / 3
        noise = 0.0
        for values in x.values():
            own = values[:, j]
            rest = own - own.mean(axis=1, keepdims=True) - own.mean(axis=0) + own.mean()
            noise += (rest**2).sum() / (19 * 2) / (20 * 3) / 4
        seeds += spread - noise
        df += spread**2 / 2
    variance = max(topics + seeds, topics)
    t = row["difference"] / np.sqrt(variance)
    assert row["p"] == pytest.approx(2 * stats.t.sf(abs(t), min(variance**2 / df, 38.0)))


def test_no_order_matters() -> None:
    table = seeded(3, n_collections=3)
    first = cf.across(table, n_resamples=99)
    second = cf.across(table.sample(fraction=1, shuffle=True, seed=2), n_resamples=99)
    assert first.to_frame().equals(second.to_frame())
    collections = scored([[0.5, 0.45, 0.4]] * 3)
    other = {name: collections[name].select(systems=list("cab")) for name in reversed(collections)}
    assert cf.across(collections, n_resamples=99).to_frame().equals(cf.across(other, n_resamples=99).to_frame())


def test_a_claim_about_others_implies_the_claim_about_these() -> None:
    """The same scores three times: no variance between collections, but the topics' error stays."""
    (only,) = scored([[0.32, 0.3]], sd=0.2).values()
    rows = cf.across(dict.fromkeys("abc", only), n_resamples=199).to_frame()
    these, like = rows.row(0, named=True), rows.row(1, named=True)
    assert not these["significant"]
    assert not like["significant"]


def test_large_collections_are_drawn_from_the_normal_limit() -> None:
    """The critical value of the drawn topics and of the limit agree."""
    from cranfield.questions.across import claims

    rng = np.random.default_rng(1)
    data = [rng.normal(0.4, 0.1, (1200, 3)) for _ in range(2)]
    a, b = np.array([0, 0, 1]), np.array([1, 2, 2])
    how = {"alpha": 0.05, "n_resamples": 1999, "seed": 1}
    fast = claims.these_collections(data, np.full(2, 0.5), a, b, **how)  # type: ignore[arg-type]
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(claims, "GAUSSIAN", 10**9)
        slow = claims.these_collections(data, np.full(2, 0.5), a, b, **how)  # type: ignore[arg-type]
    assert np.allclose(fast.upper - fast.lower, slow.upper - slow.lower, rtol=0.04)
    assert np.allclose(fast.p_adjusted, slow.p_adjusted, atol=0.04)


def test_replicated_counts_collections_in_which_the_difference_holds() -> None:
    rows = cf.across(scored([[0.5, 0.3], [0.5, 0.3], [0.4, 0.4]]), n_resamples=99).to_frame()
    assert rows["replicated"].to_list() == [2, 2]


@pytest.mark.parametrize(
    ("table", "options", "message"),
    [
        (means(2), {}, "score: means of 2 collections support no claim. Give scores by topic, or at least 8 collections."),
        (means(1), {}, "score: means of 1 collection support no claim. Give scores by topic, or at least 8 collections."),
        (means(9), {"claim": "these"},
         "`claim` 'these' needs scores by topic and one run per system. These data support: like_these."),
        (seeded(3, best=True), {},
         "score: system 'z' has one seed, which tells nothing about its recipe. Give more seeds, or use `across` with "
         "`deterministic` or the `claim` trained."),
        (seeded(3, n_collections=3, best=True), {"claim": "like_these"},
         "score: system 'z' has one seed, which tells nothing about its recipe. Give more seeds, or use `across` with "
         "`deterministic` or the `claim` trained."),
        (pl.concat([means(8), means(8).head(1)]), {},
         "collection 'c0': system 'a' has two scores. Keep one, or add a column called seed."),
        (seeded(2).head(79), {},
         "collection 'c0' lacks 1 score, such as topic '19' of system 'b'. Add them, or set `missing` to zero or "
         "drop-topic."),
        (means(8).with_columns(value=pl.lit("much")), {},
         "collection 'c0', system 'a': 'much' is not a finite number. Correct the value."),
        (seeded(2).filter(pl.concat_str("collection", "system", "seed") != "c1a0"), {"claim": "trained"},
         "score: 1 of 8 results are missing, such as a, seed 0, on c1. Add them, or set `missing` to drop-collection or "
         "drop-system."),
    ],
)  # fmt: skip
def test_what_cannot_be_answered_is_refused_with_a_remedy(
    table: pl.DataFrame, options: dict[str, str], message: str
) -> None:
    with pytest.raises(cf.CranfieldError) as error:
        cf.across(table, n_resamples=99, **options)  # type: ignore[arg-type]
    assert str(error.value) == message


@pytest.mark.parametrize("command", ["compare", "leaderboard", "table"])
def test_other_commands_refer_tables_of_several_collections_here(command: str, tmp_path: Path) -> None:
    path = tmp_path / "all.csv"
    seeded(2).write_csv(path)
    ended = CliRunner().invoke(app, [command, str(path)])
    assert ended.exit_code == 1
    assert (
        f"column 'collection' names 2 collections. Use `cranfield across {path}`, or keep one of them." in ended.stderr
    )
    seeded(2, n_collections=1).drop("collection").write_csv(path)
    ended = CliRunner().invoke(app, [command, str(path)])
    if command == "table":  # prints the spread of seeds
        assert "as recipes" in ended.stdout
        return
    assert "column 'seed' names 2 seeds." in ended.stderr


def test_names_of_files(tmp_path: Path) -> None:
    for name, matrix in scored([[0.5, 0.3]] * 2).items():
        cf.write_scores(matrix, tmp_path / f"{name}.AP.csv", layout="wide")
    files = [str(tmp_path / f"c{k}.AP.csv") for k in range(2)]
    code, text = run(*files, "--names", "first", "--names", "second", "--show", "collections")
    assert code == 0
    assert [row["collection"] for row in json.loads(text)["rows"]] == ["first", "second"]
    code, text = run(*files, "--names", "first")
    assert code == 2
    assert "has 1 different names for 2 files. Name each file once, in order." in text
