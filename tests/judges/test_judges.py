"""`judges` on small cases: decisions and bias by own computation, several machines, and bad input."""

from __future__ import annotations

import json
import re
from functools import cache
from itertools import combinations
from pathlib import Path

import numpy as np
import polars as pl
import pytest
from click.testing import CliRunner
from scipy import stats

import cranfield as cf
from cranfield import ArgumentError, CranfieldError, FileError, ScoreMatrix, write_qrels
from cranfield.cli.main import app
from cranfield.questions.judges import bias, rankings
from cranfield.questions.judges.judges import INTERVALS
from cranfield.questions.judges.question import JudgesQuestion

RNG = np.random.default_rng(11)
pytestmark = pytest.mark.filterwarnings("ignore::cranfield.core.errors.CranfieldWarning")


def matrix(values: np.ndarray, measure: str = "AP", first: int = 0) -> ScoreMatrix:
    return ScoreMatrix(
        values, [str(first + at) for at in range(len(values))], list("abcdefghij"[: values.shape[1]]), measure
    )


def scores(n: int = 30, m: int = 8, noise: float = 0.05) -> np.ndarray:
    drawn = np.linspace(0.3, 0.5, m) + RNG.normal(0, 0.1, (n, 1)) + RNG.normal(0, noise, (n, m))
    return np.clip(drawn, 0, 1)


# ── decisions ─────────────────────────────────────────────────────────────────────────────────────────────


def decided_by_hand(values: np.ndarray, alpha: float) -> dict[tuple[int, int], int]:
    """Paired t-tests with Holm's correction by scipy, one pair after another."""
    pairs = list(combinations(range(values.shape[1]), 2))
    tests = {pair: stats.ttest_rel(values[:, pair[0]], values[:, pair[1]]) for pair in pairs}
    decided, ordered = dict.fromkeys(pairs, 0), sorted(pairs, key=lambda pair: tests[pair].pvalue)
    for at, pair in enumerate(ordered):
        if tests[pair].pvalue * (len(pairs) - at) > alpha:
            break
        decided[pair] = int(np.sign(tests[pair].statistic))
    return decided


def test_decisions_by_own_computation() -> None:
    human = scores()
    machine = human + RNG.normal(0, 0.06, human.shape)
    result = cf.judges({"person": matrix(human)}, {"machine": matrix(machine)}, n_resamples=20)
    h, m = decided_by_hand(human, 0.05), decided_by_hand(machine, 0.05)
    expected = {
        "both": sum(h[pair] == m[pair] != 0 for pair in h),
        "only_human": sum(h[pair] != 0 and m[pair] == 0 for pair in h),
        "only_machine": sum(h[pair] == 0 and m[pair] != 0 for pair in h),
        "opposite": sum(h[pair] * m[pair] < 0 for pair in h),
        "neither": sum(h[pair] == m[pair] == 0 for pair in h),
    }
    assert dict(result.decision_rows.select("decision", "pairs").iter_rows()) == expected
    assert expected["only_human"] + expected["only_machine"] > 0
    assert result.conflict_rows["decision"].value_counts().sort("decision").rows() == sorted(
        (name, count) for name, count in expected.items() if count
    )


def test_opposite_pairs_come_first() -> None:
    human = scores(noise=0.01)
    machine = human.copy()
    machine[:, [0, 7]] = human[:, [7, 0]]
    result = cf.judges({"person": matrix(human)}, {"machine": matrix(machine)}, n_resamples=20)
    first = result.conflict_rows.row(0, named=True)
    assert (first["system_a"], first["system_b"], first["decision"]) == ("h", "a", "opposite")
    assert first["human"] == pytest.approx(-first["machine"])


def test_identical_systems_are_decided_by_neither() -> None:
    both = np.repeat(RNG.random((20, 1)), 5, axis=1)
    decided = rankings.decisions(both, both, 0.05, holm=True)
    assert rankings.count_decisions(decided)["neither"] == 10


# ── bias ──────────────────────────────────────────────────────────────────────────────────────────────────


def bias_by_hand(human: np.ndarray, machine: np.ndarray, group: np.ndarray) -> float:
    line = stats.linregress(human.mean(axis=0)[~group], machine.mean(axis=0)[~group])
    expected = line.intercept + line.slope * human.mean(axis=0)[group]
    return float((machine.mean(axis=0)[group] - expected).mean())


def test_bias_is_the_residual_and_its_error_the_jackknife() -> None:
    human = scores(n=25)
    group = np.arange(8) >= 6
    machine = 0.7 * human + 0.2 + 0.05 * group + RNG.normal(0, 0.02, human.shape)
    found = bias.group_bias(human, machine, group, 0.05)
    assert found.difference == pytest.approx(bias_by_hand(human, machine, group), abs=1e-12)
    left = np.array([
        bias_by_hand(np.delete(human, at, 0), np.delete(machine, at, 0), group) for at in range(25)
    ])  # fmt: skip
    half = stats.t.ppf(0.975, 24) * np.sqrt(24 / 25 * ((left - left.mean()) ** 2).sum())
    assert (found.lower, found.upper) == pytest.approx((found.difference - half, found.difference + half), abs=1e-12)


def test_a_lenient_scale_is_no_bias() -> None:
    """A plain difference in differences finds bias here: the best systems gain least."""
    human = scores(n=25)
    group = np.arange(8) >= 6
    found = bias.group_bias(human, 0.5 * human + 0.4, group, 0.05)
    assert found.difference == pytest.approx(0, abs=1e-12)


def test_teams_are_permuted_whole() -> None:
    human = scores(n=25)
    group = np.arange(8) >= 6
    machine = human + 0.2 * group
    teams = np.array([0, 0, 1, 1, 2, 2, 3, 3])
    p = bias.permutation_p(human, machine, group, teams, 199, 1)
    assert 0.15 < p < 0.35  # one team of four: the smallest p is about 1/4
    result = cf.judges(
        {"person": matrix(human)}, {"machine": matrix(machine)}, n_resamples=99,
        system_groups={"g": "ours", "h": "ours"}, teams=dict(zip("abcdefgh", "AABBCCDD", strict=True)),
    )  # fmt: skip
    assert result.bias_rows["p_teams"].item() == pytest.approx(p, abs=0.1)


# ── several machines, powered estimates and strata ────────────────────────────────────────────────────────


def test_two_machines_with_the_same_errors_are_one() -> None:
    human = scores()
    errors = RNG.normal(0, 0.05, (30, 1))
    result = cf.judges(
        {"person": matrix(human)}, {"x": matrix(human + errors), "y": matrix(human + 2 * errors)}, n_resamples=20
    )
    row = result.judge_rows.row(0, named=True)
    assert row["error_correlation"] == pytest.approx(1)
    assert row["difference"] == 0
    assert result.effective_judges == pytest.approx(1)


def test_means_are_powered_only_where_sampling_is_known() -> None:
    every = scores(n=80)
    person, machine = matrix(every[:30]), matrix(every + RNG.normal(0, 0.01, every.shape))
    unknown = cf.judges({"person": person}, {"machine": machine}, n_resamples=50)
    assert unknown.method == "powered"
    assert set(unknown.mean_rows["method"]) == {"human", "machine"}
    known = cf.judges({"person": person}, {"machine": machine}, sampled="random", n_resamples=50)
    assert set(known.mean_rows["method"]) == {"human", "machine", "powered"}
    assert known.mean_rows.filter(method="machine")["lower"].null_count() == 8
    assert known.effective_topics is not None
    assert known.effective_topics > 40


def test_strata_undo_a_biased_choice_of_topics() -> None:
    """People judged most easy topics and few hard ones; the plain human mean is too high, the weighted one is not."""
    rng = np.random.default_rng(2)
    easy = np.arange(200) < 100
    every = np.where(easy[:, None], 0.7, 0.3) + rng.normal(0, 0.05, (200, 6)) + np.linspace(0, 0.05, 6)
    chosen = [str(at) for at in (*range(40), *range(100, 110))]
    machine = matrix(every + rng.normal(0, 0.02, every.shape))
    person = matrix(every).select(topics=chosen)
    strata = {str(at): "easy" if easy[at] else "hard" for at in range(200)}
    result = cf.judges({"person": person}, {"machine": machine}, sampled=strata, n_resamples=50)
    means = result.mean_rows.filter(method="powered")
    truth = every.mean(axis=0)
    assert np.abs(means["value"].to_numpy() - truth).max() < 0.02
    assert ((means["lower"].to_numpy() < truth) & (truth < means["upper"].to_numpy())).all()
    assert np.abs(result.mean_rows.filter(method="human")["value"].to_numpy() - truth).max() < 0.05
    plain = cf.judges({"person": person}, {"machine": machine}, sampled="random", n_resamples=50)
    assert np.abs(plain.mean_rows.filter(method="human")["value"].to_numpy() - truth).min() > 0.05


def test_strata_files(tmp_path: Path) -> None:
    every = scores(n=60)
    person, machine = matrix(every[:30]), matrix(every + RNG.normal(0, 0.01, every.shape))
    file = tmp_path / "strata.txt"
    file.write_text("".join(f"{at} {'odd' if at % 2 else 'even'}\n" for at in range(60)))
    result = cf.judges({"person": person}, {"machine": machine}, sampled=file, n_resamples=50)
    assert result.settings["sampled"] == str(file)
    assert result.method == "powered"
    file.write_text("".join(f"{at} x\n" for at in range(59)))
    message = message_of({"person": person}, {"machine": machine}, sampled=file)
    assert message == "`sampled` has no stratum for 1 topic (59). Add them."
    file.write_text("".join(f"{at} {'x' if at < 30 else 'y'}\n" for at in range(60)))
    message = message_of({"person": person}, {"machine": machine}, sampled=file)
    assert message == "stratum 'x' has fewer than 2 human or further machine topics. Merge strata."
    file.write_text("1 a\n1 b\n2\n")
    assert "1 stratum 'a'" in message_of({"person": person}, {"machine": machine}, sampled=file).replace(
        "topic '1' already belongs to", "1"
    )


# ── known truth of the sample ─────────────────────────────────────────────────────────────────────────────


@cache
def sample() -> cf.Sample:
    return cf.make_sample(n_topics=30, n_systems=20, n_documents=500, depth=20, length=60)


def test_a_judge_without_error_agrees() -> None:
    exact = cf.JudgeModel(error=0, topic_error=0)
    made = cf.make_judges(sample(), machine=exact, second=exact, n_human=30)
    assert made.machine == sample().qrels
    assert made.human == sample().qrels
    result = cf.judges(
        {"human": made.human, "second": made.second}, {"machine": made.machine}, sample().runs, n_resamples=50
    )
    assert result.label_rows.filter(judge="machine", statistic="kappa")["value"].item() == 1
    assert result.ranking_rows["value"].drop_nulls().unique().to_list() == [1.0]
    assert result.verdicts[0].difference.value == 0


def test_leniency_is_found_by_grade() -> None:
    made = cf.make_judges(sample(), machine=cf.JudgeModel(leniency=1, error=0, topic_error=0), n_human=30)
    result = cf.judges({"human": made.human}, {"machine": made.machine}, sample().runs, n_resamples=20)
    rows = result.leniency_rows.filter(of="grade").select("name", "value").rows()
    assert rows == [("0", 1.0), ("1", 1.0), ("2", 0.0)]  # 2 is the top of the scale
    lead = made.machine.frame["relevance"] - made.human.frame["relevance"]
    overrating = result.label_rows.filter(statistic="overrating")["value"].item()
    assert overrating == pytest.approx(lead.mean())


def test_the_favoured_team_is_found_and_no_other() -> None:
    made = cf.make_judges(sample(), machine=cf.JudgeModel(favour=0.4, error=0.2, topic_error=0), n_human=30)
    groups = dict(sample().truth.select("system", "team").iter_rows())
    result = cf.judges(
        {"human": made.human, "second": made.second}, {"machine": made.machine}, sample().runs,
        system_groups=groups, n_resamples=50,
    )  # fmt: skip
    rows = {row["group"]: row for row in result.bias_rows.filter(role="machine").iter_rows(named=True)}
    assert max(rows, key=lambda group: rows[group]["difference"]) == made.team
    assert rows[made.team]["lower"] > 0
    assert made.team in dict(result.verdicts[0].biased)
    assert result.verdicts[0].outcome != "not worse"


def test_judges_of_a_topic_do_not_depend_on_the_number_of_topics() -> None:
    short = cf.make_sample(n_topics=10, n_systems=20, n_documents=500, depth=20, length=60)
    long, brief = (cf.make_judges(one).machine.frame for one in (sample(), short))
    assert long.filter(long["topic"].is_in(short.qrels.topics)).equals(brief)


@pytest.mark.parametrize(
    ("how", "message"),
    [
        ({"team": "nobody"}, "`team` must be one of alder, apple"),
        ({"n_human": 31}, "`n_human` must be from 1 to the number of topics, 30; got 31."),
        ({"n_human": 0}, "`n_human` must be from 1 to the number of topics, 30; got 0."),
    ],
)
def test_bad_settings_of_sample_judges(how: dict[str, object], message: str) -> None:
    with pytest.raises(ArgumentError) as error:
        cf.make_judges(sample(), **how)  # type: ignore[arg-type]
    assert str(error.value).startswith(message)
    with pytest.raises(ArgumentError, match="`error` must be 0 or more; got -1"):
        cf.JudgeModel(error=-1)


def test_bias_beyond_a_person_is_that_of_the_machine_minus_that_of_people() -> None:
    human, group = scores(n=25), np.arange(8) >= 6
    people = [human + RNG.normal(0, 0.02, human.shape) + extra * group for extra in (0.01, 0.02)]
    machine = human + 0.05 * group
    result = cf.judges(
        {"h": matrix(human), "a": matrix(people[0]), "b": matrix(people[1])}, {"m": matrix(machine)},
        system_groups={"g": "ours", "h": "ours"}, n_resamples=20,
    )  # fmt: skip

    def value(keep: list[int]) -> float:
        placebo = np.mean([bias_by_hand(human[keep], one[keep], group) for one in people])
        return bias_by_hand(human[keep], machine[keep], group) - float(placebo)

    row = result.bias_rows.filter(role="beyond a person").row(0, named=True)
    every = list(range(25))
    left = np.array([value([at for at in every if at != out]) for out in every])
    half = stats.t.ppf(0.975, 24) * np.sqrt(24 / 25 * ((left - left.mean()) ** 2).sum())
    assert row["difference"] == pytest.approx(value(every), abs=1e-12)
    assert (row["lower"], row["upper"]) == pytest.approx((value(every) - half, value(every) + half), abs=1e-12)
    assert row["judge"] == "m"


def test_pairs_judged_by_all_are_counted() -> None:
    made = cf.make_judges(sample(), n_human=10)
    result = cf.judges({"human": made.human}, {"machine": made.machine}, sample().runs, n_resamples=20)
    assert result.settings["n_pairs"] == made.human.frame.height
    assert f"{made.human.frame.height:,} documents judged by both." in result.answer().sheet().title
    assert cf.judges({"p": matrix(scores())}, {"m": matrix(scores())}, n_resamples=20).settings["n_pairs"] is None


def test_the_columns_of_every_table_are_those_of_the_documentation() -> None:
    """docs/judges.md lists what `--show` prints, in its order."""
    page = (Path(__file__).parents[2] / "docs" / "judges.md").read_text()
    listed = dict(re.findall(r"^\| `([a-z]+)` \| ((?:[a-z_]+(?:, )?)+) \|", page, re.MULTILINE))
    result = cf.judges({"p": matrix(scores())}, {"m": matrix(scores())}, n_resamples=20)
    tables = {name.removesuffix("_rows"): getattr(result, name).columns for name in INTERVALS}
    tables |= {f"{name}s": columns for name, columns in tables.items()}
    assert list(listed) == list(JudgesQuestion.of("show").choices or ())
    for name, columns in listed.items():
        assert ["measure", *columns.split(", ")] == tables[name], name


# ── second persons on the pairs that both judged ─────────────────────────────────────────────────────────


def halves() -> tuple[cf.Qrels, cf.Qrels]:
    """The judgments of the sample in two parts that share topics and no pair."""
    frame = sample().qrels.frame
    first = pl.int_range(pl.len()).over("topic") % 2 == 0
    return cf.Qrels(frame.filter(first)), cf.Qrels(frame.filter(~first))


def test_a_second_person_who_judged_part_of_the_pairs_is_neither_strict_nor_biased() -> None:
    """The same grades on half of the pairs: whole scores would differ, those on the shared pairs do not."""
    result = cf.judges(
        {"human": sample().qrels, "second": halves()[0]}, {"machine": sample().qrels}, sample().runs,
        system_groups={sample().runs[0].system: "first"}, n_resamples=20,
    )  # fmt: skip
    lead = result.leniency_rows.filter(judge="second", of="system")["value"]
    assert lead.len() == 20
    assert lead.abs().max() == 0
    assert result.bias_rows.filter(judge="second", role="second person")["difference"].item() == 0
    assert result.verdicts[0].n_pairs == halves()[0].frame.height
    assert f"on {halves()[0].frame.height:,} pairs of 30 topics." in " ".join(result.answer().sentences)


def test_people_who_share_no_pair_set_no_ceiling() -> None:
    first, second = halves()
    result = cf.judges({"human": first, "second": second}, {"machine": sample().qrels}, sample().runs, n_resamples=20)
    assert result.verdicts == ()
    assert set(result.ranking_rows["role"]) == {"machine"}
    assert "machine: no verdict." in " ".join(result.answer().sentences)


def test_rankings_show_a_machine_on_the_pairs_of_the_second_persons() -> None:
    """Δ is the difference of two rows of the table."""
    made = cf.make_judges(sample(), n_human=30)
    some = cf.Qrels(made.second.frame.filter(pl.int_range(pl.len()) % 3 > 0))
    result = cf.judges({"human": made.human, "second": some}, {"machine": made.machine}, sample().runs, n_resamples=20)
    tau = dict(result.ranking_rows.filter(coefficient="tau_b", systems="all").select("role", "value").iter_rows())
    assert tau["machine, their pairs"] - tau["second person"] == pytest.approx(result.verdicts[0].difference.value)
    assert tau["machine, their pairs"] != tau["machine"]


def test_a_group_that_cannot_be_examined_is_named() -> None:
    human = scores()
    people = {"person": matrix(human), "second": matrix(human)}
    groups = {**dict.fromkeys("abcdef", "large"), "nobody": "absent"}
    result = cf.judges(people, {"machine": matrix(human)}, system_groups=groups, n_resamples=20)
    assert result.bias_rows.is_empty()
    assert result.warnings == (
        "Bias was not examined for large, absent: a group needs 1 system inside, 3 outside, and 3 shared topics.",
    )
    assert result.verdicts[0].outcome == "not worse"
    assert "Bias for a group of systems was not examined" in " ".join(result.answer().sentences)


def test_a_bias_without_any_spread_over_topics_is_certain() -> None:
    human, group = np.tile(np.arange(8) / 8, (16, 1)), np.arange(8) >= 6
    for size, p in ((0.25, 0), (0.0, 1)):
        found = bias.group_bias(human, human + size * group, group, 0.05)
        assert (found.difference, found.lower, found.upper, found.p) == pytest.approx((size, size, size, p))


def test_permutations_that_leave_too_few_systems_outside_do_not_count() -> None:
    """Of teams of 7 systems and 1, the large one never forms the group."""
    human = scores()
    group, teams = np.arange(8) == 7, np.array([0, 0, 0, 0, 0, 0, 0, 1])
    assert bias.permutation_p(human, human + 0.1 * group, group, teams, 99, 1) == 1


def test_a_mapping_is_printed_and_part_of_the_signature() -> None:
    made = cf.make_judges(sample(), n_human=10)
    judged = {"human": made.human}, {"machine": made.machine}, sample().runs
    mapped = cf.judges(*judged, map="0:0,1:1,2:1", n_resamples=20)
    assert mapped.answer().sheet().title.endswith(" Machine grades mapped 0:0,1:1,2:1.")
    assert "map 0:0,1:1,2:1" in mapped.signature
    plain = cf.judges(*judged, n_resamples=20)
    assert "map" not in plain.signature
    assert "mapped" not in plain.answer().sheet().title


# ── bad input ─────────────────────────────────────────────────────────────────────────────────────────────


def message_of(*data: object, **how: object) -> str:
    with pytest.raises(CranfieldError) as error:
        cf.judges(*data, **how)  # type: ignore[arg-type]
    return str(error.value)


def test_no_shared_topic_leaves_rankings_only() -> None:
    result = cf.judges({"person": matrix(scores())}, {"machine": matrix(scores(), first=100)}, n_resamples=20)
    assert result.decision_rows.is_empty()
    assert result.ranking_rows.height == 2
    assert result.answer().sheet().rows["coefficient"].to_list() == ["tau_b", "tau_ap_b"]
    with pytest.raises(ArgumentError) as error:
        result.answer().sheet("decisions")
    assert str(error.value) == "`show` decisions has no rows here. Judge at least 2 topics by people and machines."


def test_the_command_shows_rankings_where_no_topic_is_shared(tmp_path: Path) -> None:
    for name, first in (("person", 0), ("machine", 100)):
        cf.write_scores(matrix(scores(), first=first), tmp_path / f"{name}.csv")
    words = ["judges", "--human", str(tmp_path / "person.csv"), "--machine", str(tmp_path / "machine.csv")]
    done = CliRunner().invoke(app, [*words, "--resamples", "20"])
    assert done.exit_code == 0, done.output
    assert "tau_ap_b" in done.output


def test_judgments_without_runs_are_refused(tmp_path: Path) -> None:
    human, machine, _ = grades(tmp_path, "1")
    assert (
        message_of(human, machine) == f"{human[0]}: contains judgments, and there are no runs to score. Add the runs."
    )
    message = message_of({"person": cf.read_qrels(human[0])}, {"machine": cf.read_qrels(machine[0])})
    assert message == "`human` holds judgments, and `runs` names no runs to score. Add the runs."


def test_one_shared_topic_is_refused() -> None:
    message = message_of({"person": matrix(scores())}, {"machine": matrix(scores(), first=29)})
    assert message == "people and machines share 1 topic; at least 2 are needed. Judge more topics twice."


def test_one_shared_system_is_refused() -> None:
    other = ScoreMatrix(scores(m=2), [str(at) for at in range(30)], ["a", "z"], "AP")
    message = message_of({"person": matrix(scores())}, {"machine": other})
    assert message == "the judges share 1 system; at least 2 are needed. Give more runs."


def test_two_judges_of_one_name_are_refused(tmp_path: Path) -> None:
    file = tmp_path / "a" / "x.csv"
    file.parent.mkdir()
    cf.write_scores(matrix(scores()), file)
    assert message_of(file, file) == "two judges are called 'a/x'. Rename one of the files, or give a mapping of names."


def test_all_systems_tied_give_no_tau() -> None:
    result = cf.judges({"person": matrix(scores())}, {"machine": matrix(np.full((30, 8), 0.5))}, n_resamples=20)
    assert result.ranking_rows.filter(coefficient="tau_b")["value"].item() is None
    assert result.summary() == "machine: all systems tie, so τ is not defined"


def test_tied_systems_leave_no_verdict_and_no_nan() -> None:
    tied, other = matrix(np.zeros((16, 6))), matrix(scores(n=16, m=6))
    result = cf.judges({"person": tied, "second": other}, {"x": other, "y": tied}, n_resamples=20)
    assert not result.verdicts
    assert result.judge_rows.row(0, named=True)["difference"] is None
    json.dumps(result.to_dict(), allow_nan=False)


def test_the_measure_must_be_there() -> None:
    person = {"person": matrix(scores())}
    assert "nDCG@10" in message_of(person, {"machine": matrix(scores())}, measure="nDCG@10")


def grades(tmp_path: Path, last: str) -> tuple[list[Path], list[Path], list[cf.Run]]:
    small = cf.make_sample(n_topics=4, n_systems=3, n_documents=100, depth=5, length=10)
    write_qrels(small.qrels, tmp_path / "human.qrels")
    lines = (tmp_path / "human.qrels").read_text().splitlines()
    (tmp_path / "machine.qrels").write_text(
        "\n".join([*(line[:-1] + "1" for line in lines[:-1]), lines[-1][:-1] + last]) + "\n"
    )
    return [tmp_path / "human.qrels"], [tmp_path / "machine.qrels"], list(small.runs)


def test_a_grade_that_the_mapping_lacks(tmp_path: Path) -> None:
    message = message_of(*grades(tmp_path, "7"), map="1:1")
    assert message.endswith(": expected a grade of `map` 1:1 as relevance (field 4), found '7'")


@pytest.mark.parametrize("mapping", ["1", "a:b", "1:1:1", "", "1:0.5", "inf:1"])
def test_a_mapping_that_is_none(tmp_path: Path, mapping: str) -> None:
    message = message_of(*grades(tmp_path, "1"), map=mapping)
    assert message.startswith(f"`map` must be pairs of grade and level; got {mapping!r}. Write 0:0,1:0,2:1 or,")


def test_a_mapping_that_names_a_grade_twice(tmp_path: Path) -> None:
    message = message_of(*grades(tmp_path, "1"), map="1:0,1:1")
    assert message == "`map` names a grade twice: '1:0,1:1'. Write each grade once."


def test_fractional_grades_need_a_mapping(tmp_path: Path) -> None:
    human, machine, runs = grades(tmp_path, "0.5")
    message = message_of(human, machine, runs)
    assert message.endswith("found '0.5'; `map` of evaluate and judges declares levels: 0+:0,0.5+:1")
    result = cf.judges(human, machine, runs, map="1:2,0.5:1", n_resamples=20)
    counts = result.confusion_rows.group_by("judge_grade").agg(pl.col("pairs").sum()).sort("judge_grade").rows()
    assert dict(counts)[1] == 1
    with pytest.raises(FileError, match="expected a grade of `map` 1:2,0.25:1 as relevance"):
        cf.judges(human, machine, runs, map="1:2,0.25:1")


def test_a_mapping_gives_the_mapped_judgments(tmp_path: Path) -> None:
    human, machine, runs = grades(tmp_path, "1")
    by_map = cf.judges(human, machine, runs, map="1:2", n_resamples=20)
    assert set(by_map.confusion_rows.filter(by_map.confusion_rows["pairs"] > 0)["judge_grade"]) == {2}


def test_sampled_that_is_no_file() -> None:
    message = message_of({"person": matrix(scores())}, {"machine": matrix(scores())}, sampled="randm")
    assert message == "`sampled` must be random, unknown or a file of strata; got 'randm'. If in doubt, write unknown."


def test_groups_that_name_no_system() -> None:
    human = {"person": matrix(scores()), "second": matrix(scores())}
    message = message_of(human, {"machine": matrix(scores())}, system_groups={"zz": "x"}, n_resamples=20)
    assert message.startswith("`system_groups` names none of the systems")


def test_no_judgments() -> None:
    assert message_of([], {"machine": matrix(scores())}) == "`human` names no judgments. Give at least one file."


def test_a_person_and_a_machine_that_are_one(tmp_path: Path) -> None:
    """Judgments held against themselves: everything agrees, and nothing breaks."""
    x = matrix(scores())
    result = cf.judges({"person": x, "second": x}, {"machine": x}, system_groups={"a": "g"}, n_resamples=20)
    assert result.verdicts[0].difference[:2] == (0, 0)
    assert result.bias_rows["difference"].abs().max() == pytest.approx(0, abs=1e-12)


@pytest.mark.parametrize("spread", [0.01, 0.2])
def test_delta_reaches_as_far_as_the_larger_half_width_around_both_centres(spread: float) -> None:
    drawn, cleared = 0.8 + np.linspace(-0.1, 0.1, 101), 0.7 + np.linspace(-spread, spread, 101)
    none = rankings.Ranking(0.0, 0.0, np.zeros(101), np.zeros(101), None, None)
    found = rankings.tau_difference(rankings.Ranking(0.8, 0.7, drawn, cleared, None, None), [none], 25, 0.05)
    reach = max(0.095, stats.t.ppf(0.975, 24) * cleared.std(ddof=1))
    assert found is not None
    assert (found.lower, found.upper) == pytest.approx((0.7 - reach, 0.8 + reach))


# ── what does not match ───────────────────────────────────────────────────────────────────────────────────


def test_scores_by_different_measures_are_refused() -> None:
    people, machine = (
        ScoreMatrix(scores(), list(map(str, range(30))), list("abcdefgh"), "AP"),
        matrix(scores(), "nDCG@10"),
    )
    with pytest.raises(CranfieldError) as caught:
        cf.judges({"person": people}, {"machine": machine}, n_resamples=20)
    assert str(caught.value) == "person has AP scores, machine has nDCG@10. Give scores by one measure."


def test_a_score_file_without_a_measure_takes_that_of_the_others() -> None:
    same = cf.judges({"person": matrix(scores(), "score")}, {"machine": matrix(scores(), "map")}, n_resamples=20)
    assert same.settings["measure"] == "map"
    other = cf.judges({"person": matrix(scores(), "nist")}, {"machine": matrix(scores(), "gpt4")}, n_resamples=20)
    assert other.settings["measure"] == "nist"
    alias = cf.judges({"person": matrix(scores(), "AP")}, {"machine": matrix(scores(), "map")}, n_resamples=20)
    assert alias.settings["measure"] == "AP"


def test_a_mapping_of_grades_is_refused_for_scores() -> None:
    with pytest.raises(ArgumentError) as caught:
        cf.judges({"person": matrix(scores())}, {"machine": matrix(scores())}, map="0:1")
    assert str(caught.value) == "`map` maps grades, and scores hold none. Leave it out, or give judgments and runs."


def test_files_of_one_name_are_called_after_their_folders(tmp_path: Path) -> None:
    sample = cf.make_sample(n_topics=4, n_systems=3, n_documents=100, depth=10, length=20)
    for folder in ("nist", "gpt"):
        (tmp_path / folder).mkdir()
        write_qrels(sample.qrels, tmp_path / folder / "qrels.txt")
    result = cf.judges(tmp_path / "nist" / "qrels.txt", tmp_path / "gpt" / "qrels.txt", sample.runs, n_resamples=20)
    assert (result.settings["human"], result.settings["machine"]) == (["nist/qrels"], ["gpt/qrels"])


def test_systems_that_a_judge_did_not_score_are_named() -> None:
    people, machine = matrix(scores(m=8)), matrix(scores(m=6))
    result = cf.judges({"person": people}, {"machine": machine}, n_resamples=20)
    assert "2 systems left out, because some judge has no scores: g, h." in result.warnings
    assert result.settings["n_systems"] == 6


def graded(machine: list[int]) -> cf.Judging:
    """Two systems on three topics of four documents: people grade 0 to 3, the machine as given."""
    people, other = (
        {str(topic): {f"d{at}": grade for at, grade in enumerate(grades)} for topic in range(3)}
        for grades in ([0, 1, 2, 3], machine)
    )
    runs = {
        name: {str(topic): {f"d{at}": float(sign * at + topic) for at in range(4)} for topic in range(3)}
        for name, sign in (("up", 1), ("down", -1))
    }
    return cf.judges({"person": people}, {"machine": other}, runs, n_resamples=20)


def test_unmapped_scales_are_told_apart() -> None:
    said = "Grades by machine are 0 to 1, by person 0 to 3. Labels and leniency compare them unmapped. Declare `map`."
    assert said in graded([0, 0, 1, 1]).warnings
    assert not any("unmapped" in text for text in graded([0, 3, 2, 0]).warnings)


def test_second_persons_who_judged_different_topics_are_named() -> None:
    values = scores()
    people = {"person": matrix(values), "a": matrix(values[:20]), "b": matrix(values[12:], first=12)}
    result = cf.judges(people, {"machine": matrix(values)}, n_resamples=20)
    said = "Δ uses the 8 topics that every second person judged. With a alone it would use 20 topics."
    assert said in result.warnings
    assert result.verdicts[0].n_topics == 8
    same = {"person": matrix(values), "a": matrix(values[:20]), "b": matrix(values[:20])}
    assert not any("Δ uses" in text for text in cf.judges(same, {"machine": matrix(values)}, n_resamples=20).warnings)
