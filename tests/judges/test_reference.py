"""Reference values on TREC Deep Learning judgments by people, GPT-4 and GPT-4o."""

from __future__ import annotations

from functools import cache
from pathlib import Path

import polars as pl
import pytest

import cranfield as cf
from support import SHARED, needs_shared

DATA = SHARED / "data" / "judges"
pytestmark = [needs_shared, pytest.mark.filterwarnings("ignore::cranfield.core.errors.CranfieldWarning")]


def judged(year: str, machines: list[str], seconds: tuple[str, ...] = (), **how: object) -> cf.Judging:
    place = DATA / f"dl{year}-same-pairs"
    people = [place / f"{name}.qrels" for name in ("human", *seconds)]
    return cf.judges(people, [place / f"{name}.qrels" for name in machines], place / "runs", n_resamples=200, **how)  # type: ignore[arg-type]


@cache
def dl2019() -> cf.Judging:
    return judged("2019", ["gpt4", "gpt4o"], ("second-a", "second-b"))


def tau(result: cf.Judging, judge: str, systems: str = "all", coefficient: str = "tau_b") -> float:
    whole = pl.col("role").is_in(["machine", "second person"])
    rows = result.ranking_rows.filter(whole, judge=judge, systems=systems, coefficient=coefficient)
    return round(float(rows["value"].item()), 3)


def test_tau_of_machines_and_the_ceiling_of_2019() -> None:
    found = dl2019()
    assert (found.settings["n_systems"], found.settings["n_topics"]) == (61, 43)
    assert [tau(found, name) for name in ("gpt4", "gpt4o", "second-a", "second-b")] == [0.823, 0.855, 0.885, 0.874]


def test_the_best_systems_are_ranked_far_worse() -> None:
    found = dl2019()
    assert [tau(found, name, "top 15") for name in ("gpt4", "gpt4o", "second-a")] == [0.600, 0.600, 0.657]


def test_tau_between_the_second_assessors() -> None:
    place = DATA / "dl2019-same-pairs"
    found = cf.judges(place / "second-a.qrels", place / "second-b.qrels", place / "runs", n_resamples=50)
    assert tau(found, "second-b") == 0.889


def test_the_verdict_on_2019_is_that_topics_cannot_tell() -> None:
    one = judged("2019", ["gpt4o"], ("second-a",)).verdicts[0]
    assert one.outcome == "cannot tell"
    assert one.difference.value == pytest.approx(-0.030, abs=0.0005)
    assert one.difference.lower == pytest.approx(-0.153, abs=0.02)  # 200 resamples
    assert one.difference.upper == pytest.approx(0.094, abs=0.02)
    both = dl2019().verdicts[1]
    assert both.judge == "gpt4o"
    assert both.difference.value == pytest.approx(-0.024, abs=0.0005)


def test_tau_of_2020_has_no_ceiling() -> None:
    found = judged("2020", ["gpt4o"])
    assert (found.settings["n_systems"], found.settings["n_topics"]) == (83, 54)
    assert tau(found, "gpt4o") == 0.875
    assert not found.verdicts


@pytest.mark.parametrize(
    ("year", "measure", "expected"),
    [(2019, "nDCG@10", 0.8571), (2020, "nDCG@10", 0.8527), (2023, "nDCG@10", 0.8958),
     (2019, "AP", 0.6159), (2020, "AP", 0.8539), (2023, "AP", 0.7906)],
)  # fmt: skip
def test_tau_on_different_topics(year: int, measure: str, expected: float) -> None:
    human, machine = (DATA / f"dl{year}.{who}.{measure}.csv" for who in ("human", "gpt4"))
    found = cf.judges(human, machine, n_resamples=50)
    assert found.settings["n_topics"] == 0
    assert found.decision_rows.is_empty()
    value = found.ranking_rows.filter(coefficient="tau_b", systems="all")["value"].item()
    assert round(value, 4) == expected


def test_groups_built_on_the_judging_model(tmp_path: Path) -> None:
    names = [path.name.split(".")[0] for path in (DATA / "dl2019-same-pairs" / "runs").iterdir()]
    runs = cf.read_runs(DATA / "dl2019-same-pairs" / "runs")
    groups = {run.system: "gpt4" for run in runs if "rankgpt4" in run.system}
    assert len(names) == 61
    assert len(groups) == 8
    found = judged("2019", ["gpt4o"], ("second-a",), system_groups=groups)
    rows = {row["judge"]: row for row in found.bias_rows.iter_rows(named=True)}
    assert rows["gpt4o"]["systems"] == 8
    assert abs(rows["second-a"]["difference"]) < abs(rows["gpt4o"]["difference"])
