"""Groups of topics, weights, scales and flips: computed anew, and their limits."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import polars as pl
import pytest
from click.testing import CliRunner
from scipy import stats

import cranfield as cf
from across_cases import means, scored, seeded
from cranfield.cli.main import app
from cranfield.core.answer import answer

pytestmark = pytest.mark.filterwarnings("ignore::cranfield.core.errors.CranfieldWarning")
GROUPS = {str(topic): str(topic // 2) for topic in range(40)}


def cluster_variance(d: np.ndarray, groups: list[str]) -> float:
    """Var(d̄) = G/(G − 1)·Σ_g(Σ_{i∈g}(d_i − d̄))²/n²."""
    sums = [(d - d.mean())[[one == name for one in groups]].sum() for name in dict.fromkeys(groups)]
    return len(sums) / (len(sums) - 1) * float(np.square(sums).sum()) / len(d) ** 2


@pytest.mark.parametrize("weights", [None, {"c0": 3.0, "c1": 0.5}])
@pytest.mark.parametrize("groups", [None, GROUPS])
def test_recipes_of_weighted_collections_and_grouped_topics(
    weights: dict[str, float] | None, groups: dict[str, str] | None
) -> None:
    table = seeded(5, n_collections=2)
    row = cf.across(table, claim="recipe", weights=weights, topic_groups=groups).to_frame().row(0, named=True)
    w = np.array([0.5, 0.5] if weights is None else [6 / 7, 1 / 7])
    x = {key[0]: part.pivot(on=["system", "seed"], index="topic", values="value") for key, part in
         table.group_by("collection", maintain_order=True)}  # fmt: skip
    variance = shares = difference = 0.0
    run_means = np.zeros((2, 5))
    noise = np.zeros(2)
    for weight, part in zip(w, x.values(), strict=True):
        topics = part["topic"].to_list()
        values = part.drop("topic").to_numpy().reshape(20, 2, 5)
        labels = topics if groups is None else [groups[topic] for topic in topics]
        d = values[:, 0].mean(axis=1) - values[:, 1].mean(axis=1)
        difference += weight * d.mean()
        own = weight**2 * cluster_variance(d, labels)
        variance += own
        shares += own**2 / (len(set(labels)) - 1)
        run_means += weight * values.mean(axis=0)
        for j in (0, 1):
            residual = values[:, j] - values[:, j].mean(axis=1, keepdims=True) - values[:, j].mean(axis=0)
            noise[j] += weight**2 * sum(cluster_variance(residual[:, r], labels) for r in range(5)) / 4 / 5
    for j in (0, 1):
        raw = run_means[j].var(ddof=1) / 5
        variance += raw - noise[j]
        shares += raw**2 / 4
    topic_term = variance - sum(run_means[j].var(ddof=1) / 5 - noise[j] for j in (0, 1))
    variance = max(variance, topic_term)
    df = min(variance**2 / shares, 2 * (20 if groups is None else 10) - 2)
    assert abs(row["difference"]) == pytest.approx(abs(difference))
    assert row["p"] == pytest.approx(2 * stats.t.sf(abs(difference) / np.sqrt(variance), df), rel=1e-6)


def test_one_collection_in_groups_is_compare_to_the_last_bit() -> None:
    (only,) = scored([[0.5, 0.48, 0.45, 0.44]]).values()
    ours = cf.across({"c": only}, topic_groups=GROUPS).to_frame()
    theirs = cf.compare(only, topic_groups=GROUPS).to_frame()
    shared = [name for name in ours.columns if name in theirs.columns]
    assert len(shared) > 8
    assert ours.select(shared).equals(theirs.select(shared))


def test_a_group_per_topic_changes_nothing() -> None:
    data = scored([[0.5, 0.48, 0.45]] * 3)
    alone = {str(topic): f"g{topic}" for topic in range(40)}
    first, second = (cf.across(data, topic_groups=groups, n_resamples=99) for groups in (None, alone))
    assert first.to_frame().equals(second.to_frame())


def test_groups_of_equal_topics_are_worth_as_many_topics() -> None:
    """Every topic twice: the same numbers as once, where pairs are known; too narrow where they are not."""
    once = scored([[0.5, 0.48, 0.45]] * 2, n=30)
    twice = {
        name: cf.ScoreMatrix(np.repeat(matrix.values, 2, axis=0), [str(t) for t in range(60)], matrix.systems, "AP")
        for name, matrix in once.items()
    }
    pairs = {str(topic): f"{topic // 2:02}" for topic in range(60)}
    wanted, grouped, blind = (
        cf.across(data, topic_groups=groups, n_resamples=1999).to_frame()
        for data, groups in ((once, None), (twice, pairs), (twice, None))
    )
    wide = [float((one["upper"] - one["lower"]).mean()) for one in (wanted, grouped, blind)]
    assert wide[1] == pytest.approx(wide[0], rel=0.05)
    assert wide[2] < 0.8 * wide[0]
    said = answer(cf.across(twice, topic_groups=pairs, n_resamples=99)).sentences
    assert "120 topics in 60 groups are worth 59 independent topics for an average pair of systems." in said


def test_variances_and_designs_of_grouped_topics(tmp_path: Path) -> None:
    """Every topic twice: twice the variance per topic, so twice the topics."""
    (once,) = scored([[0.5, 0.48, 0.45]], n=30).values()
    twice = cf.ScoreMatrix(np.repeat(once.values, 2, axis=0), [str(t) for t in range(60)], once.systems, "AP")
    pairs = {str(topic): f"{topic // 2:02}" for topic in range(60)}
    for estimator in ("residual", "within", "percentile95"):
        single, double = (
            cf.estimate_variance(scores, estimator).variance for scores in (once, cf.group_topics(twice, pairs))
        )
        assert double == pytest.approx(2 * single)
    cf.write_scores(twice, tmp_path / "twice.AP.csv", layout="wide")
    (tmp_path / "groups.txt").write_text("".join(f"{topic} {group}\n" for topic, group in pairs.items()))
    turns = cf.ScoreMatrix(twice.values, [f"{t // 2}_{t % 2}" for t in range(60)], twice.systems, "AP")
    cf.write_scores(turns, tmp_path / "turns.AP.csv", layout="wide")
    words = ["--topic-groups", str(tmp_path / "groups.txt"), "--format", "json"]
    for command in (["variance"], ["design", "ttest", "--min-diff", "0.05", "--scores"]):
        ended = CliRunner().invoke(app, [*command, str(tmp_path / "twice.AP.csv"), *words])
        assert ended.exit_code == 0, ended.output
        assert "60 topics in 30 groups are worth" in " ".join(json.loads(ended.stdout)["warnings"])
        ended = CliRunner().invoke(app, [*command, str(tmp_path / "turns.AP.csv"), "--format", "json"])
        (said,) = json.loads(ended.stdout)["warnings"]
        assert said.startswith("AP: Topic ids look like parts of 30 groups (such as 0_0 and 0_1).")
    ended = CliRunner().invoke(app, ["design", "ttest", "--variance", "0.1", "--min-diff", "0.1", *words])
    assert "--topic-groups needs past scores. Leave it out, or give --scores." in ended.stderr


def test_designs_over_collections_of_grouped_topics() -> None:
    once = scored([[0.5, 0.48], [0.5, 0.49]], n=30)
    twice = {
        name: cf.ScoreMatrix(np.repeat(matrix.values, 2, axis=0), [str(t) for t in range(60)], matrix.systems, "AP")
        for name, matrix in once.items()
    }
    pairs = {str(topic): f"{topic // 2:02}" for topic in range(60)}
    single, double = (
        cf.design_across(data, min_diff=0.02, topic_groups=groups).to_frame().filter(pl.col("claim") == "these")
        for data, groups in ((once, None), (twice, pairs))
    )
    ratio = double["topics"] / single["topics"]
    assert ratio.is_between(1.7, 2.1).all()


def test_turns_are_noticed() -> None:
    made = {
        name: cf.ScoreMatrix(one.values, [f"{t // 4}_{t % 4}" for t in range(40)], one.systems, "AP")
        for name, one in scored([[0.5, 0.3]] * 2).items()
    }
    found = [text for text in cf.across(made, n_resamples=99).warnings if "look like parts" in text]
    assert len(found) == 1
    assert "look like parts of 20 groups (such as 0_0 and 0_1)" in found[0]


def test_flips_of_collections_are_all_listed() -> None:
    table = means(9)
    wide = table.pivot(on="system", index="collection", values="value").drop("collection")
    signs = np.array(np.meshgrid(*[[-1, 1]] * 9)).reshape(9, -1)
    for row in cf.across(table, n_resamples=99).to_frame().iter_rows(named=True):
        d = (wide[row["system_a"]] - wide[row["system_b"]]).to_numpy()
        assert row["p_flips"] == pytest.approx((np.abs(d @ signs) >= abs(d.sum()) - 1e-12).mean())


def test_flips_of_topics_stay_within_collections() -> None:
    data = scored([[0.5, 0.49], [0.4, 0.39]], n=30)
    row = cf.across(data, weights={"c0": 3.0}, n_resamples=99).to_frame().row(0, named=True)
    d = np.concatenate(
        [w * (one.values[:, 0] - one.values[:, 1]) / 30 for w, one in zip((0.75, 0.25), data.values(), strict=True)]
    )
    signs = np.random.default_rng(1).choice([-1, 1], (100_000, len(d)))
    assert row["p_flips"] == pytest.approx((np.abs(signs @ d) >= abs(d.sum())).mean(), abs=0.006)


def test_scales_that_collections_share() -> None:
    rng = np.random.default_rng(6)
    table = pl.DataFrame([(f"c{k}", system, float(rng.normal(0.5, 0.1))) for k in range(9) for system in "abcde"],
                         schema=["collection", "system", "value"], orient="row")  # fmt: skip
    wide = table.pivot(on="system", index="collection", values="value").drop("collection")
    values = wide.to_numpy()
    z = (values - values.mean(axis=1, keepdims=True)) / values.std(axis=1, ddof=1, keepdims=True)
    points = np.array([[sum(row > one) for one in row] for row in -values])
    for scale, expected in (("standardised", z), ("borda", points)):
        result = cf.across(table, scale=scale, n_resamples=99)
        for row in result.to_frame().iter_rows(named=True):
            a, b = (expected[:, wide.columns.index(row[name])] for name in ("system_a", "system_b"))
            assert row["difference"] == pytest.approx((a - b).mean())
            assert row["p"] == pytest.approx(stats.ttest_rel(a, b).pvalue)
    with pytest.raises(cf.ArgumentError, match="`scale` 'borda' needs at least 5 systems; got 3. Leave it out."):
        cf.across(means(9), scale="borda")


def test_weights_support_these_collections_alone() -> None:
    data = scored([[0.5, 0.3]] * 3)
    assert cf.across(data, weights={"c0": 2.0}, n_resamples=99).settings["claim"] == ["these"]
    with pytest.raises(cf.ArgumentError, match="needs at least 3 collections with equal weights"):
        cf.across(data, weights={"c0": 2.0}, claim="like_these")
    with pytest.raises(cf.DataError, match="means support a claim with equal weights only. Leave out `weights`."):
        cf.across(means(9), weights=["c0=2"])
    for wrong in ("c0", "c0=-1", "c0=nan", "=2"):
        with pytest.raises(cf.ArgumentError, match="must be NAME=W with a weight W above 0"):
            cf.across(data, weights=[wrong])


def test_views_have_the_interquartile_mean() -> None:
    table = means(9)
    found = cf.across(table, n_resamples=99).views()
    for row in found.iter_rows(named=True):
        values = table.filter(pl.col("system") == row["system"])["value"].to_numpy()
        assert row["interquartile_mean"] == pytest.approx(stats.trim_mean(values, 0.25))
    ranks = table.with_columns(rank=pl.col("value").rank(descending=True).over("collection"))
    wanted = dict(ranks.group_by("system").agg(pl.col("rank").mean()).iter_rows())
    assert {row["system"]: row["mean_rank"] for row in found.iter_rows(named=True)} == pytest.approx(wanted)


def test_five_seeds_need_nothing_of_others() -> None:
    """A third recipe with a wide spread changes nothing about two with five seeds each, and widens those with two."""

    def width(r: int, third: bool) -> float:
        rng = np.random.default_rng(8)
        rows = [
            ("c", system, str(seed), str(topic), 0.5 + (sd * unit if third or system != "z" else 0) + noise)
            for system, sd in (("a", 0.01), ("b", 0.01), ("z", 0.2))
            for seed, unit in enumerate(rng.normal(0, 1, r))
            for topic, noise in enumerate(rng.normal(0, 0.01, 30))
            if third or system != "z"
        ]
        table = pl.DataFrame(rows, schema=["collection", "system", "seed", "topic", "value"], orient="row")
        found = cf.across(table, claim="recipe", baseline="b").to_frame()
        return float(found.filter(pl.col("system_a").is_in(["a", "b"]) & pl.col("system_b").is_in(["a", "b"]))["p"][0])

    assert width(5, True) == pytest.approx(width(5, False))
    assert width(2, True) != pytest.approx(width(2, False))


def test_the_report_has_a_section_about_other_collections(tmp_path: Path) -> None:
    first, *others = scored([[0.6, 0.5, 0.4]] * 3).values()
    files = []
    for at, matrix in enumerate(others):
        files.append(str(tmp_path / f"other{at}.AP.csv"))
        cf.write_scores(matrix, files[-1], layout="wide")
    skip = ["standardisation", "next", "reliability", "collection", "data"]
    made = cf.build_report(first, skip=skip, across=files)
    (section,) = (one for one in made.sections if one.id == "across")
    assert section.title == "Other collections"
    assert "AP: 3 of 3 pairs differ on these 3 collections." in str(section.parts)
    assert "across" not in [one.id for one in cf.build_report(first, skip=skip).sections]


def test_groups_of_one_topic_each_answer_the_question_about_turns() -> None:
    made = {
        name: cf.ScoreMatrix(m.values, [f"{t // 2}_{t % 2}" for t in range(40)], m.systems, "AP")
        for name, m in scored([[0.5, 0.3]] * 2).items()
    }
    alone = {topic: topic for topic in made["c0"].topics}
    found = cf.across(made, topic_groups=alone, n_resamples=99)
    assert not any("look like parts" in text for text in found.warnings)
    assert found.to_frame().equals(cf.across(made, n_resamples=99).to_frame())
