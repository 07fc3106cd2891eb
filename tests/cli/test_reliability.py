"""`cranfield reliability`, `monitor`, `reuse` and `design looks`: what they print, and what they refuse."""

from __future__ import annotations

import json
import math
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from click.testing import CliRunner
from scipy import stats

import cranfield
from cranfield.cli.main import app
from cranfield.questions.monitor.boundaries import spending_boundaries

Row = dict[str, Any]


def typed(*words: str) -> tuple[int, str]:
    ended = CliRunner().invoke(app, list(words))
    assert ended.exception is None or isinstance(ended.exception, SystemExit), ended.exception
    return ended.exit_code, ended.output


def rows(*words: str) -> list[Row]:
    code, text = typed(*words, "--format", "json")
    assert code == 0, text
    listed: list[Row] = json.loads(text[text.index("{") :])["rows"]
    return listed


def refused(*words: str) -> str:
    code, text = typed(*words)
    assert code != 0, text
    return " ".join(text.split())


def table(values: Any, systems: str = "abcd", first: int = 1) -> str:
    lines = [",".join(["topic", *systems])]
    lines += [",".join([str(number), *(f"{x:.4f}" for x in row)]) for number, row in enumerate(values, first)]
    return "\n".join(lines) + "\n"


@pytest.fixture
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    rng = np.random.default_rng(3)
    values = 0.4 + rng.normal(0, 0.1, (30, 1)) + rng.normal(0, 0.05, (30, 4)) + np.array([0.0, 0.0, 0.05, 0.15])
    Path("all.AP.csv").write_text(table(values))
    for number, start in enumerate((0, 10, 20), 1):
        Path(f"batch{number}.AP.csv").write_text(table(values[start : start + 10], first=start + 1))
    return tmp_path


# ── reliability ───────────────────────────────────────────────────────────────────────────────────────────────


def anova(path: str) -> tuple[int, int, float, float, float]:
    """Topics, systems and the three mean squares, from the file and by their definitions."""
    x = np.loadtxt(path, delimiter=",", skiprows=1)[:, 1:]
    n, m = x.shape
    ms_s = n * x.mean(0).var(ddof=1)
    ms_q = m * x.mean(1).var(ddof=1)
    residual = x - x.mean(0) - x.mean(1, keepdims=True) + x.mean()
    return n, m, float(ms_s), float(ms_q), float(np.square(residual).sum() / ((n - 1) * (m - 1)))


def test_both_coefficients_and_their_intervals_by_formula(here: Path) -> None:
    n, m, ms_s, ms_q, ms_e = anova("all.AP.csv")
    found = {(row["coefficient"], row["topics"]): row for row in rows("reliability", "all.AP.csv", "--topics", "25")}
    s, q = (ms_s - ms_e) / n, (ms_q - ms_e) / m
    erho2, phi = found["erho2", 25], found["phi", 25]
    assert erho2["value"] == pytest.approx(s / (s + ms_e / 25))
    assert phi["value"] == pytest.approx(s / (s + (q + ms_e) / 25))
    normal = {
        row["coefficient"]: row for row in rows("reliability", "all.AP.csv", "--topics", "25", "--intervals", "normal")
    }
    for end, at in (("lower", 0.975), ("upper", 0.025)):
        f_e = stats.f.ppf(at, m - 1, (m - 1) * (n - 1))
        feldt = (ms_s / (ms_e * f_e) - 1) / n
        assert normal["erho2"][end] == pytest.approx(25 * feldt / (1 + 25 * feldt))
        f_inf, f_q = stats.chi2.ppf(at, m - 1) / (m - 1), stats.f.ppf(at, m - 1, n - 1)
        above = m * (ms_s**2 - f_inf * ms_s * ms_e + (f_inf - f_e) * f_e * ms_e**2)
        arteaga = above / (n * ((m - 1) * f_inf * ms_s * ms_e + f_q * ms_s * ms_q))
        assert phi[end] == pytest.approx(25 * arteaga / (1 + 25 * arteaga))


def test_the_default_interval_is_the_two_way_jackknife(here: Path) -> None:
    x = np.loadtxt("all.AP.csv", delimiter=",", skiprows=1)[:, 1:]
    n, m = x.shape

    def log_ratio(x: Any) -> float:
        residual = x - x.mean(0) - x.mean(1, keepdims=True) + x.mean()
        ms_e = np.square(residual).sum() / ((x.shape[0] - 1) * (x.shape[1] - 1))
        return float(np.log((x.shape[0] * x.mean(0).var(ddof=1) / ms_e - 1) / x.shape[0]))

    v_t = (n - 1) * np.var([log_ratio(np.delete(x, i, axis=0)) for i in range(n)])
    v_s = (m - 1) * np.var([log_ratio(np.delete(x, j, axis=1)) for j in range(m)])
    df = (v_t + v_s) ** 2 / (v_t**2 / (n - 1) + v_s**2 / (m - 1))
    (found,) = (row for row in rows("reliability", "all.AP.csv", "--topics", "25") if row["coefficient"] == "erho2")
    for end, side in (("lower", -1), ("upper", 1)):
        r = np.exp(log_ratio(x) + side * stats.t.ppf(0.975, df) * np.sqrt(v_t + v_s))
        assert found[end] == pytest.approx(25 * r / (1 + 25 * r))


def test_a_target_takes_the_topics_of_the_formula(here: Path) -> None:
    n, m, ms_s, ms_q, ms_e = anova("all.AP.csv")
    s, q = (ms_s - ms_e) / n, (ms_q - ms_e) / m
    needed = {row["coefficient"]: row["topics_needed"] for row in rows("reliability", "all.AP.csv", "--target", "0.9")}
    assert needed == {"erho2": math.ceil(9 * ms_e / s), "phi": math.ceil(9 * (q + ms_e) / s)}
    usual = rows("reliability", "all.AP.csv", "--show", "targets")
    assert [row["target"] for row in usual] == [0.95, 0.95]


def test_every_view_of_reliability(here: Path) -> None:
    shares = rows("reliability", "all.AP.csv", "--show", "components")
    assert sum(row["share"] for row in shares) == pytest.approx(1)
    views = rows("reliability", "all.AP.csv", "--topics", "1", "--topics", "30", "--show", "views", "--min-diff", "0.1")
    assert [row["topics"] for row in views] == [30]
    tau = rows("reliability", "all.AP.csv", "--topics", "30", "--show", "tau")
    assert tau[0]["tau"] == views[0]["tau"]
    both = rows("reliability", "all.AP.csv", "batch1.AP.csv", "--show", "tau")
    assert [row["collection"] for row in both] == ["all", "batch1"]


def test_bad_questions_about_reliability(here: Path) -> None:
    Path("one.AP.csv").write_text(table([[0.1, 0.2]], "ab"))
    assert "a study of reliability needs at least 2 topics; there is 1. Give scores of more topics." in refused(
        "reliability", "one.AP.csv"
    )
    assert "--drop must be a share from 0 to below 1; got 1" in refused("reliability", "all.AP.csv", "--drop", "1")
    assert "--target must be between 0 and 1; got 95. Write 0.95" in refused(
        "reliability", "all.AP.csv", "--target", "95"
    )
    assert "an expected tau needs at least 4 topics; there are 3. Give scores of more topics." in refused(
        "reliability", few_topics(), "--show", "tau"
    )
    Path("two.csv").write_text("system,topic,measure,value\n" + "".join(
        f"{system},{topic},{measure},0.{system}{topic}\n" for system in "12" for topic in "123" for measure in ("AP", "RR")
    ))  # fmt: skip
    assert "there are 2 measures (AP, RR); choose one, such as --measure AP" in refused("reliability", "two.csv")


def few_topics() -> str:
    Path("few.AP.csv").write_text(table([[0.1, 0.3], [0.2, 0.3], [0.5, 0.9]], "ab"))
    return "few.AP.csv"


def test_negative_components_are_told(here: Path) -> None:
    Path("chance.AP.csv").write_text(table([[0.1, 0.9], [0.9, 0.1], [0.2, 0.8], [0.8, 0.21]], "ab"))
    code, text = typed("reliability", "chance.AP.csv")
    assert code == 0
    assert "the variance component of systems is negative and set to 0" in " ".join(text.split())
    assert [row["value"] for row in rows("reliability", "chance.AP.csv")] == [0, 0]


# ── monitor ───────────────────────────────────────────────────────────────────────────────────────────────────


@pytest.mark.parametrize(
    ("spending", "published"),
    [
        ("obrien-fleming", (4.877, 3.357, 2.680, 2.290, 2.031)),
        ("pocock", (2.438, 2.427, 2.410, 2.397, 2.386)),
    ],
)
def test_boundaries_of_five_equal_looks_are_the_published_ones(spending: Any, published: tuple[float, ...]) -> None:
    bounds = spending_boundaries([0.2, 0.4, 0.6, 0.8, 1.0], spending, 0.05)
    assert bounds.tolist() == pytest.approx(published, abs=0.002)


def test_batches_are_the_same_as_one_table_cut(here: Path) -> None:
    batches = rows("monitor", "batch1.AP.csv", "batch2.AP.csv", "batch3.AP.csv", "--looks", "3")
    assert rows("monitor", "all.AP.csv", "--per-look", "10", "--looks", "3") == batches
    columns = ["look", "topics", "system_a", "system_b", "difference", "lower", "upper", "p", "boundary", "decision"]
    assert [name for name in batches[0] if name in columns] == columns
    assert sorted({row["topics"] for row in batches}) == [10, 20, 30]
    x = np.loadtxt("all.AP.csv", delimiter=",", skiprows=1)[:20, 1:]
    row = next(one for one in batches if one["look"] == 2 and {one["system_a"], one["system_b"]} == {"a", "d"})
    place = "abcd".index
    a, b = x[:, place(row["system_a"])], x[:, place(row["system_b"])]
    assert row["difference"] == pytest.approx((a - b).mean())
    assert row["p"] == pytest.approx(stats.ttest_rel(a, b).pvalue)


def test_the_plan_spends_the_level(here: Path) -> None:
    plan = rows("monitor", "batch1.AP.csv", "--looks", "5", "--baseline", "a", "--show", "plan")
    assert [row["topics"] for row in plan] == [10, 20, 30, 40, 50]
    assert [row["made"] for row in plan] == [True, False, False, False, False]
    assert plan[-1]["spent"] == pytest.approx(0.05)
    expected = 2 * stats.norm.sf(spending_boundaries([0.2, 0.4, 0.6, 0.8, 1.0], "obrien-fleming", 0.05 / 3))
    assert [row["boundary"] for row in plan] == pytest.approx(expected.tolist())


def test_unplanned_looks_decide_the_clear_difference(here: Path) -> None:
    last = rows("monitor", "all.AP.csv", "--per-look", "15", "--anytime", "--show", "last", "--baseline", "d")
    assert all(row["decision"].startswith("stop") for row in last)
    assert all(row["lower"] <= row["difference"] <= row["upper"] for row in last)


def test_one_batch_is_a_first_look(here: Path) -> None:
    code, text = typed("monitor", "batch1.AP.csv", "--show", "last")
    assert code == 0
    assert "1 look at 6 pairs" in text


def test_bad_batches(here: Path) -> None:
    Path("other.AP.csv").write_text(table([[0.1, 0.2, 0.3, 0.4]], "abcx", first=50))
    assert "batch 2 and the first differ in 2 systems (d, x)" in refused("monitor", "batch1.AP.csv", "other.AP.csv")
    assert "batch 2 repeats 10 topics of earlier batches" in refused("monitor", "batch1.AP.csv", "all.AP.csv")
    assert "cuts one table into batches; there are 2" in refused(
        "monitor", "batch1.AP.csv", "batch2.AP.csv", "--per-look", "5"
    )
    assert "later batches have no level left. Plan more topics" in refused(
        "monitor", "batch1.AP.csv", "batch2.AP.csv", "batch3.AP.csv", "--looks", "2"
    )
    Path("one.AP.csv").write_text(table([[0.1, 0.2]], "ab"))
    assert "needs at least 2 topics; there is 1. Give scores of more topics." in refused("monitor", "one.AP.csv")
    assert "unknown system 'z'" in refused("monitor", "all.AP.csv", "--per-look", "10", "--baseline", "z")


# ── design looks ──────────────────────────────────────────────────────────────────────────────────────────────


def test_the_price_of_looking() -> None:
    words = ("design", "looks", "--variance-of-difference", "0.04", "--min-diff", "0.07")
    (row,) = rows(*words)
    assert row["topics_fixed"] == cranfield.design_ttest(0.04, 0.07).n_topics
    assert row["topics_fixed"] <= row["topics_max"]
    assert row["expected_alternative"] < row["topics_fixed"]
    looks = rows(*words, "--show", "looks", "--spending", "pocock")
    assert sum(one["stop_null"] for one in looks) == pytest.approx(0.05, abs=1e-4)
    assert "The maximum is 2 topics more than one look takes." in typed(*words)[1]
    assert "--looks" in refused(*words, "--looks", "0")


def test_looks_at_all_pairs() -> None:
    words = ("design", "pairs", "--variance-of-difference", "0.02", "--systems", "20", "--min-diff", "0.10")
    (row,) = rows(*words, "--looks", "5")
    one = cranfield.design_looks(0.02, 0.10, alpha=0.05 / 190)
    assert (row["topics"], row["topics_max"]) == (one.topics_fixed, one.topics_max)
    assert row["expected_alternative"] == pytest.approx(one.expected_alternative)
    (few,) = rows(*words, "--looks", "5", "--baseline")
    assert few["topics_max"] == cranfield.design_looks(0.02, 0.10, alpha=0.05 / 19).topics_max
    (unequal,) = rows(*words, "--looks", "5", "--spread", "0.4")  # more topics, and the looks move up with them
    assert unequal["topics"] < unequal["topics_max"] <= unequal["topics"] * one.inflation + 1
    assert unequal["topics_max"] > row["topics_max"]
    assert "tested at alpha divided by the number of comparisons" in typed(*words, "--looks", "5")[1]
    assert "topics_max" not in rows(*words)[0]


# ── reuse ─────────────────────────────────────────────────────────────────────────────────────────────────────


@pytest.fixture
def pool(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Two topics alike. Pool of depth 3: a, b of both teams, c of red alone, relevant; d of blue alone, not relevant."""
    monkeypatch.chdir(tmp_path)
    judged = {"a": 1, "b": 0, "c": 1, "d": 0}
    Path("qrels.txt").write_text("".join(f"{t} 0 {d} {level}\n" for t in (1, 2) for d, level in judged.items()))
    Path("runs").mkdir()
    for system, documents in {"red1": "ab", "red2": "ca", "blue1": "bad"}.items():
        lines = [f"{t} Q0 {d} {k} {9 - k} {system}\n" for t in (1, 2) for k, d in enumerate(documents, 1)]
        Path("runs", f"{system}.run").write_text("".join(lines))
    Path("teams.txt").write_text("red1 red\nred2 red\nblue1 blue\n")
    return tmp_path


REUSE = ("reuse", "qrels.txt", "runs", "-m", "P@2", "--depth", "3", "--resamples", "20")


def test_a_pool_by_hand(pool: Path) -> None:
    found = rows(*REUSE, "--teams", "teams.txt")
    row = {(one["measure"], one["team"]): one for one in found if one["view"] == "full list"}
    red, blue = row["P@2", "red"], row["P@2", "blue"]
    # Without c, red2 has P@2 = 1/2 where it had 1, and shares the first rank with all; blue loses nothing relevant.
    assert (red["runs"], red["unique_judged"], red["unique_relevant"]) == (2, 2, 2)
    assert red["score_change"] == pytest.approx(-0.5)
    assert (blue["runs"], blue["unique_judged"], blue["unique_relevant"]) == (1, 2, 0)
    assert (blue["rank_drop"], blue["score_change"]) == (0, 0)
    systems = {one["system"]: one for one in rows(*REUSE, "--teams", "teams.txt", "--show", "systems", "--cutoff", "2")}
    assert (systems["red2"]["judged"], systems["red2"]["judged_without"]) == (1, 0.5)
    # RBP's residual at p = .8: .8² beyond the list, and the weight .2 of the first rank when c is not judged.
    assert systems["red2"]["residual"] == pytest.approx(0.64)
    assert systems["red2"]["residual_without"] == pytest.approx(0.84)


def test_teams_by_prefix_are_those_of_the_file(pool: Path) -> None:
    assert rows(*REUSE, "--team-prefix", "[a-z]+") == rows(*REUSE, "--teams", "teams.txt")
    one = rows(*REUSE, "--teams", "teams.txt", "--leave-out", "red")
    assert {row["team"] for row in one} == {"red"}


def test_bad_teams(pool: Path) -> None:
    assert "the runs need teams. Give either --teams" in refused(*REUSE)
    Path("one.txt").write_text("red1 red\nred2 red\nblue1 red\n")
    assert "all 3 runs are of one team (red). Give at least 2 teams." in refused(*REUSE, "--teams", "one.txt")
    assert "unknown team 'rad'. Did you mean 'red'?" in refused(*REUSE, "--teams", "teams.txt", "--leave-out", "rad")
    Path("some.txt").write_text("red1 red\nblue1 blue\n")
    assert "no team is given for 1 run (red2)" in refused(*REUSE, "--teams", "some.txt")
    Path("more.txt").write_text("red1 red\nred2 red\nblue1 blue\ngreen1 green\n")
    code, text = typed(*REUSE, "--teams", "more.txt")
    assert code == 0
    assert "1 of 4 systems in --teams is not among the runs here and is ignored: green1" in text
    Path("qrels.txt").write_text("1 0 a 1\n1 0 b 0\n")
    assert "there is 1 judged topic; leaving teams out needs at least 2" in refused(*REUSE, "--teams", "teams.txt")


def test_design_ttest_gives_looks_beside_one_look() -> None:
    words = ("design", "ttest", "--variance-of-difference", "0.04", "--min-diff", "0.07", "--min-diff", "0.1")
    beside = rows(*words, "--looks", "5")
    for row, min_diff in zip(beside, ("0.07", "0.1"), strict=True):
        (alone,) = rows("design", "looks", *words[2:4], "--min-diff", min_diff, "--looks", "5")
        assert row["topics"] == alone["topics_fixed"]
        for name in ("topics_max", "expected_null", "expected_alternative"):
            assert row[name] == alone[name]
    assert "topics_max" not in rows(*words)[0]
    _, text = typed(*words, "--looks", "1")
    assert "With 1 look (O'Brien–Fleming-like spending)" in text
    said = refused("design", "ttest", "--variance", "0.02", "--min-diff", "0.1", "--two-sample", "--looks", "3")
    assert "--looks is for paired tests; leave out --looks or --two-sample." in said
