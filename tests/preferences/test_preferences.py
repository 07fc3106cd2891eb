"""Bradley–Terry rankings: published strengths, a plain likelihood, the jackknife, coverage, and what is refused."""

from __future__ import annotations

import itertools
from pathlib import Path

import numpy as np
import polars as pl
import pytest
from scipy.optimize import minimize
from scipy.special import expit, stdtrit

from cranfield import ArgumentError, DataError, FileError, preferences
from cranfield.questions.preferences.comparisons import Comparisons
from cranfield.questions.preferences.preferences import error
from cranfield.questions.preferences.strengths import Contests, covariance, curvature, jackknife, strengths

Row = tuple[str, str, str, str]
TEAMS = ("Milwaukee", "Detroit", "Toronto", "New York", "Boston", "Cleveland", "Baltimore")
WON = "7 9 7 7 9 11 7 5 11 9 9 7 7 8 12 6 7 10 7 12 6"
"""Games that the first of each two teams won of 13: American League, Eastern Division, 1987 (Agresti 2002, §10.6)."""
AGRESTI = [1.58, 1.44, 1.29, 1.25, 1.11, 0.68, 0.0]
"""Strengths by Agresti, relative to Baltimore."""


def battles(seed: int, n_topics: int = 25, each: int = 8, m: int = 5, ties: bool = True) -> list[Row]:
    random = np.random.default_rng(seed)
    names = [f"s{at}" for at in range(m)]
    rows = []
    for topic, _ in itertools.product(range(n_topics), range(each)):
        one, other = random.choice(m, 2, replace=False)
        won = random.random() < expit((other - one) / 3)
        said = "tie" if ties and random.random() < 0.1 else names[one] if won else names[other]
        rows.append((f"t{topic}", names[one], names[other], said))
    return rows


@pytest.mark.filterwarnings("ignore:13 topics:cranfield.CranfieldWarning")
def test_the_strengths_of_baseball_teams() -> None:
    rows: list[Row] = []
    for (one, other), won in zip(itertools.combinations(TEAMS, 2), map(int, WON.split()), strict=True):
        rows += [(str(game), one, other, "a" if game < won else "b") for game in range(13)]
    table = dict(preferences(rows).rows.select("system", "strength").iter_rows())
    assert [round(table[team] - table["Baltimore"], 2) for team in TEAMS] == AGRESTI


@pytest.mark.parametrize("seed", range(4))
def test_a_plain_likelihood_has_its_highest_point_there(seed: int) -> None:
    rows = battles(seed)
    result = preferences(rows)
    names = sorted(result.rows["system"])

    def minus_likelihood(theta: np.ndarray) -> float:
        total = 0.0
        for _, one, other, said in rows:
            apart = theta[names.index(one)] - theta[names.index(other)]
            share = 0.5 if said == "tie" else float(said == one)
            total -= share * np.log(expit(apart)) + (1 - share) * np.log(expit(-apart))
        return total + float(theta.sum() ** 2)

    expected = minimize(minus_likelihood, np.zeros(len(names)), tol=1e-12).x
    table = dict(result.rows.select("system", "strength").iter_rows())
    assert [table[name] for name in names] == pytest.approx(expected, abs=1e-5)


def test_neither_the_order_of_rows_nor_the_sides_matter() -> None:
    rows = battles(5)
    swapped = [(topic, other, one, said) for topic, one, other, said in reversed(rows)]
    first, second = preferences(rows), preferences(swapped)
    assert first.rows["system"].to_list() == second.rows["system"].to_list()
    for name in ("strength", "lower", "upper", "share"):
        assert first.rows[name].to_list() == pytest.approx(second.rows[name].to_list(), abs=1e-12)


def test_the_jackknife_is_a_step_without_the_topic() -> None:
    contests = Comparisons.of(battles(6, n_topics=12)).contests
    theta = strengths(contests.wins)
    changes = jackknife(contests, theta)
    share = expit(theta[contests.first] - theta[contests.second])
    for topic in range(12):
        out, kept = contests.topic == topic, contests.topic != topic
        score = np.zeros(len(theta))
        np.add.at(score, contests.first[out], (contests.won - share)[out])
        np.add.at(score, contests.second[out], (share - contests.won)[out])
        rest = Contests(contests.topic[kept], contests.first[kept], contests.second[kept], contests.won[kept], 12, 5)
        step = -np.linalg.solve(curvature(rest.wins + rest.wins.T, theta), score)
        assert changes[topic] == pytest.approx(step - step.mean(), abs=1e-12)
        assert changes[topic] == pytest.approx(strengths(rest.wins) - theta, abs=0.05)


def test_topics_that_agree_are_not_certain() -> None:
    """Each topic has the same result, so the jackknife sees no variation; the comparisons themselves have some."""
    rows = [(f"t{topic}", "x", "y", said) for topic in range(20) for said in ("x", "x", "y")]
    row = preferences(rows).pairs.row(0, named=True)
    information = 60 * (2 / 3) * (1 / 3)
    assert row["difference"] == pytest.approx(np.log(2))
    assert row["upper"] - row["lower"] == pytest.approx(2 * stdtrit(19, 0.975) / np.sqrt(information))


def test_ranks_follow_from_the_pairs() -> None:
    result = preferences(battles(1, n_topics=60))
    significant = result.pairs.filter(pl.col("p_adjusted") <= 0.05)
    assert 0 < significant.height < result.pairs.height
    for row in result.rows.iter_rows(named=True):
        assert row["rank_lower"] == 1 + significant.filter(system_b=row["system"]).height
        assert row["rank_upper"] == 5 - significant.filter(system_a=row["system"]).height
    assert result.rows["wins"].sum() == 480
    assert result.rows["share"].mean() == pytest.approx(0.5)


@pytest.mark.slow
@pytest.mark.parametrize(("spread", "n_topics"), [(0.0, 50), (1.0, 25), (1.0, 50)])
def test_coverage(spread: float, n_topics: int) -> None:
    """95% intervals of differences hold the truth about that often, also where topics favour some systems."""
    random, m, each, trials = np.random.default_rng(11), 5, 12, 400

    def drawn(topics: int) -> Contests:
        first = random.integers(0, m, (topics, each))
        second = (first + random.integers(1, m, first.shape)) % m
        taste = np.linspace(-1, 1, m) + random.normal(0, spread, (topics, m))
        at = np.arange(topics)[:, None]
        won = random.random(first.shape) < expit(taste[at, first] - taste[at, second])
        topic = np.repeat(np.arange(topics), each)
        return Contests(topic, first.ravel(), second.ravel(), won.ravel().astype(float), topics, m)

    truth = strengths(drawn(40_000).wins)
    upper = np.triu_indices(m, 1)
    held = []
    for _ in range(trials):
        contests = drawn(n_topics)
        theta = strengths(contests.wins)
        independent = covariance(contests.wins + contests.wins.T, theta)
        errors = error(jackknife(contests, theta), independent)[upper]
        apart = (theta - truth)[upper[0]] - (theta - truth)[upper[1]]
        held.append((np.abs(apart) <= stdtrit(n_topics - 1, 0.975) * errors).mean())
    assert 0.935 <= np.mean(held) <= 0.98


def test_systems_with_the_same_record_share_a_rank() -> None:
    names = [f"s{at}" for at in range(7)]
    rows: list[Row] = []
    for topic in range(20):
        for one, other in itertools.combinations(range(7), 2):  # each beats the next three of a circle
            rows.append((str(topic), names[one], names[other], "a" if other - one <= 3 else "b"))
        rows += [(str(topic), name, weak, "a" if topic else "b") for name in names for weak in ("y", "z")]
    result = preferences(rows)
    assert result.rows["rank"].to_list() == [1] * 7 + [8] * 2
    assert result.rows["system"].to_list() == [*names, "y", "z"]


# ── files ─────────────────────────────────────────────────────────────────────────────────────────────────


def test_tables_json_lines_frames_and_rows_say_the_same(tmp_path: Path) -> None:
    rows = battles(2)
    expected = preferences(rows).rows
    table = pl.DataFrame(rows, schema=["topic", "system_a", "system_b", "preferred"], orient="row")
    table.write_csv(tmp_path / "battles.csv")
    table.write_csv(tmp_path / "battles.tsv", separator="\t")
    arena = table.rename({"topic": "question_id", "system_a": "model_a", "system_b": "model_b", "preferred": "winner"})
    sides = pl.when(pl.col("winner") == pl.col("model_a")).then(pl.lit("model_a"))
    sides = sides.when(pl.col("winner") == pl.col("model_b")).then(pl.lit("model_b")).otherwise(pl.lit("tie (bothbad)"))
    arena.with_columns(winner=sides, judge=pl.lit("x")).write_ndjson(tmp_path / "battles.jsonl")
    halves = [tmp_path / "one.csv", tmp_path / "two.csv"]
    table[:77].write_csv(halves[0])
    table[77:].write_csv(halves[1])
    for given in (tmp_path / "battles.csv", str(tmp_path / "battles.tsv"), tmp_path / "battles.jsonl", table, halves):
        assert preferences(given).rows.equals(expected)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("topic,system_a,preferred\n1,x,x\n", "b.csv:1: no column system_b; found topic, system_a, preferred"),
        ("topic,system_a,system_b,preferred\n1,x,y,z\n", "b.csv:2: expected x, y, a, b or tie as preferred, found 'z'"),
        ("topic,system_a,system_b,preferred\n1,x,y,X\n", "b.csv:2: expected x, y, a, b or tie as preferred, found 'X'"),
        ("topic,system_a,system_b,preferred\n1,x,y\n", "b.csv:2: expected 4 fields as in the header, found 3"),
        ("topic,system_a,system_b,preferred\n1,x,y,y,x\n", "b.csv:2: expected 4 fields as in the header, found 5"),
        (
            "1 0 a 2\n1 0 b 1\n",
            "b.csv:1: no column topic and no column system_a and no column system_b and no column "
            "preferred; found 1 0 a 2",
        ),
        (
            '{"topic": 1, "a": null, "b": "y", "winner": "y"}\n',
            "b.csv:1: expected a topic and two systems, found an empty field",
        ),
        ("topic,system_a,system_b,preferred\n1,x,x,x\n", "b.csv:2: system x is compared with itself"),
        (
            "topic,system_a,system_b,preferred\n1,x,,x\n",
            "b.csv:2: expected a topic and two systems, found an empty field",
        ),
    ],
)
def test_rows_that_are_no_comparisons(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, text: str, message: str) -> None:
    monkeypatch.chdir(tmp_path)
    Path("b.csv").write_text(text)
    with pytest.raises(FileError) as error:
        preferences("b.csv")
    assert str(error.value) == message


@pytest.mark.parametrize(
    ("rows", "message"),
    [
        ([], "no comparison is given; expected topic, system_a, system_b and preferred"),
        ([("1", "x", "y", "z")], "comparisons, row 1: expected x, y, a, b or tie as preferred, found 'z'"),
        ([("1", "ours", "y", "OURS")], "comparisons, row 1: expected ours, y, a, b or tie as preferred, found 'OURS'"),
        ([("1", None, "y", "y")], "comparisons, row 1: expected a topic and two systems, found an empty field"),
        ([("1", "x", "y", "x"), ("1", "x", "y", "y")], "all comparisons are of one topic; intervals need at least 2 topics"),
        ([("1", "x", "y", "x"), ("2", "x", "y", "x")],
         "No comparison has x lose or tie against the other systems, so strengths have no finite values. Leave them out."),
        ([("1", "x", "y", "tie"), ("2", "v", "w", "tie")],
         "No comparison links v, w to the other systems, so strengths have no finite values. Leave them out."),
        ([("1", "x", "y", "tie"), ("2", "y", "z", "tie")],
         "only one topic links some systems to the others, so intervals are unknown. Compare more pairs."),
    ],
)  # fmt: skip
def test_comparisons_that_rank_nothing(rows: list[Row], message: str) -> None:
    with pytest.raises(DataError) as error:
        preferences(rows)
    assert str(error.value) == message


def test_rows_of_another_shape() -> None:
    with pytest.raises(ArgumentError, match="^each comparison needs topic, system_a, system_b and preferred$"):
        preferences([("1", "x", "y")])


def test_few_topics_are_reported() -> None:
    rows = [(str(topic), "x", "y", said) for topic in range(10) for said in ("x", "y")]
    with pytest.warns(UserWarning, match="10 topics: intervals are approximate below 20 topics."):
        preferences(rows)
