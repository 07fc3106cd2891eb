"""Error rates of tests on simulated scores: known answers, the trap of exchangeable pairs, and what is refused."""

from __future__ import annotations

import re
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest
from scipy import stats

from cranfield import ScoreMatrix, make_scores, simulate_tests
from cranfield.core.answer import answer
from cranfield.core.errors import ArgumentError, CranfieldWarning, DataError, UnknownNameError
from cranfield.questions.compare.classical import NODES, tukey, tukey_of_families
from cranfield.questions.compare.family import GridScores, all_pairs
from cranfield.questions.simulate.population import Drawn, Population, moved_quantile, solve_tilt
from cranfield.questions.simulate.tests import SimulatedTests, _plan
from cranfield.questions.simulate.trials import binomial_bounds, mean_interval, rate_interval, run_block
from simulated_systems import skewed


def matrix(values: Any) -> ScoreMatrix:
    values = np.asarray(values, dtype=float)
    return ScoreMatrix(values, map(str, range(len(values))), [f"s{j}" for j in range(values.shape[1])], "AP")


class NormalPairs:
    """Independent normal scores: the differences have sd 1."""

    def draw(self, rng: np.random.Generator, size: int, n_topics: int, shifts: Any, **about: Any) -> Drawn:
        noise = rng.normal(0, np.sqrt(0.5), (size, n_topics, len(shifts)))
        return Drawn(noise + shifts, np.zeros((size, len(shifts)), dtype=np.int64), np.full(size, True))


@pytest.mark.parametrize(("n_topics", "difference"), [(10, 0.0), (25, 0.0), (25, 0.5), (50, 0.3)])
def test_normal_data_give_the_level_and_the_non_central_power_of_t(n_topics: int, difference: float) -> None:
    trials = 4096
    plan = _plan(n_topics, difference, "t", [0.05, 0.01], None, None, trials, 99, "resample", 5)
    parts = [run_block(NormalPairs(), plan, block)[0] for block in plan.blocks]
    rejected = np.concatenate([part.rejected for part in parts], axis=2)[0, :, :, 0]
    for level, said in zip(plan.alpha, rejected, strict=True):
        df, shift, bar = n_topics - 1, difference * np.sqrt(n_topics), stats.t.ppf(1 - level / 2, n_topics - 1)
        power = stats.nct.sf(bar, df, shift) + stats.nct.cdf(-bar, df, shift) if shift else level
        low, high = binomial_bounds(float(power), trials)
        assert low <= said.mean() <= high


def test_normal_data_give_the_type_iii_error_and_the_power_in_families_of_t() -> None:
    trials, n_topics, difference = 4096, 6, 0.2
    plan = _plan(n_topics, difference, "t", 0.05, 3, "none", trials, 99, "resample", 5)
    parts = [run_block(NormalPairs(), plan, block)[0] for block in plan.blocks]
    said = np.concatenate([part.rejected for part in parts], axis=2)[0, 0]
    wrong = np.concatenate([part.wrong for part in parts])
    df, shift, bar = n_topics - 1, difference * np.sqrt(n_topics), stats.t.ppf(0.975, n_topics - 1)
    below = stats.nct.cdf(-bar, df, shift)
    # Systems 1 and 2 are alike, the third is better: pairs (1, 2), (1, 3), (2, 3).
    for pair, power in enumerate((0.05, stats.nct.sf(bar, df, shift) + below, stats.nct.sf(bar, df, shift) + below)):
        low, high = binomial_bounds(float(power), trials)
        assert low <= said[:, pair].mean() <= high
    low, high = binomial_bounds(float(below), trials)
    assert low <= (said & wrong)[:, 1].mean() <= high
    assert not wrong[:, 0].any()


T, WORSE = ("t", 50, 0.051, 0.046, 0.056), ("wilcoxon", 50, 0.0722, 0.066, 0.079)


@pytest.mark.parametrize(
    ("rows", "sentence"),
    [
        ([T, WORSE], "Wilcoxon has a type I error of .072 at .05 with 50 topics. Use t"),
        ([WORSE], "Wilcoxon has a type I error of .072 at .05 with 50 topics. No other test was simulated"),
        (
            [T, WORSE, ("sign", 50, 0.1, 0.09, 0.11), ("sign", 25, 0.08, 0.07, 0.09)],
            "The sign test has a type I error of .1 at .05 with 50 topics. At worst, Wilcoxon has .072. Use t",
        ),
        # As near to the level as t, but its interval is not below Wilcoxon's; or above the level with other topics.
        (
            [("randomisation", 50, 0.06, 0.049, 0.067), WORSE],
            "Wilcoxon has a type I error of .072 at .05 with 50 topics. Simulate more trials",
        ),
        (
            [T, ("t", 25, 0.0555, 0.0502, 0.06), WORSE, ("wilcoxon", 25, 0.055, 0.049, 0.06)],
            "Wilcoxon has a type I error of .072 at .05 with 50 topics. Simulate more trials",
        ),
        (
            [("sign", 50, 0.1, 0.09, 0.11), WORSE],
            "The sign test has a type I error of .1 at .05 with 50 topics. At worst, Wilcoxon has .072. All 2 tests "
            "are above the level, the lowest at .072",
        ),
        ([T, ("wilcoxon", 50, 0.055, 0.049, 0.06)],
         "No test is shown to exceed its level; the highest rate is .055 at .05 (wilcoxon"),
        # Below the level: said, and not advised.
        (
            [T, WORSE, ("welch", 50, 0.003, 0.001, 0.006), ("unpaired-t", 50, 0.02, 0.015, 0.025)],
            "Wilcoxon has a type I error of .072 at .05 with 50 topics. Use t; welch (.003) and unpaired-t (.02) "
            "are below the level and lose power",
        ),
        (
            [("welch", 50, 0.003, 0.001, 0.006), WORSE],
            "Wilcoxon has a type I error of .072 at .05 with 50 topics. Also, welch (.003) is below the level",
        ),
        ([T, ("welch", 50, 0.003, 0.001, 0.006)],
         "No test is shown to exceed its level; the highest rate is .051 at .05 (t, 50 topics); welch (.003) is below"),
        # Below with few topics, above with many: the worst is said of it.
        (
            [T, ("sign", 25, 0.03, 0.025, 0.035), ("sign", 50, 0.1, 0.09, 0.11)],
            "The sign test has a type I error of .1 at .05 with 50 topics. Use t",
        ),
        # Alone above the level by a hair, but the worst of ten.
        ([("wilcoxon", 50, 0.0562, 0.0502, 0.062), *(("t", n, 0.05, 0.045, 0.055) for n in range(10, 100, 10))],
         "No test is shown to exceed its level"),
    ],
)  # fmt: skip
def test_the_sentence_to_take_away(rows: list[tuple[Any, ...]], sentence: str) -> None:
    about = {"difference": 0.0, "alpha": 0.05, "kind": "type1", "pairs": "all"}
    named = [dict(zip(("test", "topics", "rate", "lower", "upper"), row, strict=True)) | about for row in rows]
    found = SimulatedTests("AP", pl.DataFrame(named), {"correction": None})
    assert found.summary().startswith(sentence)
    assert ("below the level" in found.summary()) == ("below" in sentence)


def families(correction: str, *rows: tuple[str, float, str, float, float, float]) -> SimulatedTests:
    """Rates of families with 50 topics: test, difference, kind, rate and its ends."""
    named = [dict(zip(("test", "difference", "kind", "rate", "lower", "upper"), row, strict=True)) for row in rows]
    about = {"topics": 50, "alpha": 0.05, "pairs": "all"}
    known = {"correction": correction, "n_systems": 5, "n_trials": 1000, "mode": "resample"}
    return SimulatedTests("AP", pl.DataFrame([row | about for row in named]), known)


@pytest.mark.parametrize(
    ("found", "sentence"),
    [
        # Holm promises its level whichever hypotheses are true: the case in which some are counts as well.
        (
            families(
                "holm", ("t", 0.0, "family-wise", 0.04, 0.035, 0.052), ("sign", 0.0, "family-wise", 0.05, 0.045, 0.055),
                ("t", 0.1, "family-wise", 0.02, 0.015, 0.025), ("sign", 0.1, "family-wise", 0.12, 0.11, 0.13),
                ("t", 0.1, "power", 0.5, 0.4, 0.6), ("sign", 0.1, "power", 0.6, 0.5, 0.7),
            ),
            "The sign test has a family-wise error of .12 in families of halves 0.1 apart at .05 with 50 topics. Use t",
        ),
        # A family-wise error beyond the level is no fault of a correction that bounds false discoveries.
        (
            families(
                "bh", ("t", 0.0, "family-wise", 0.04, 0.03, 0.06), ("t", 0.0, "false-discovery", 0.04, 0.03, 0.06),
                ("t", 0.1, "family-wise", 0.2, 0.18, 0.22), ("t", 0.1, "false-discovery", 0.03, 0.02, 0.04),
                ("t", 0.1, "power", 0.5, 0.4, 0.6),
            ),
            "No test is shown to exceed its level; the highest rate is .04 at .05 (t, 50 topics)",
        ),
        (
            families("bh", ("sign", 0.1, "false-discovery", 0.08, 0.07, 0.09), ("sign", 0.1, "power", 0.5, 0.4, 0.6)),
            "The sign test has a false discovery rate of .08 in families of halves 0.1 apart at .05 with 50 topics. "
            "No other test was simulated",
        ),
        # Without a case of true hypotheses alone power is told; the level was simulated nevertheless.
        (
            families("holm", ("t", 0.1, "family-wise", 0.02, 0.015, 0.025), ("t", 0.1, "power", 0.5, 0.4, 0.6)),
            "50 topics detect a difference of 0.1 at 0.05 with power .5 (t); no test exceeds its level",
        ),
        (
            families("none", ("t", 0.1, "power", 0.5, 0.4, 0.6), ("sign", 0.1, "power", 0.4, 0.3, 0.5)),
            "50 topics detect a difference of 0.1 at 0.05 with power .5 (t, the most powerful test); type I error "
            "was not simulated",
        ),
    ],
)  # fmt: skip
def test_the_sentence_about_families(found: SimulatedTests, sentence: str) -> None:
    assert found.summary() == sentence


def test_a_chart_promises_no_exact_level_where_some_hypotheses_are_false() -> None:
    chart = str(families("bh", ("t", 0.1, "false-discovery", 0.09, 0.08, 0.1)).chart().to_dict())
    assert "band: around the level" in chart
    assert "false discovery rate" in chart
    assert "band: range of an exact test" in str(
        families("bh", ("t", 0.0, "false-discovery", 0.09, 0.08, 0.1)).chart().to_dict()
    )


def test_a_chart_draws_the_level_and_difference_that_its_title_speaks_of() -> None:
    columns = ["test", "topics", "difference", "alpha", "rate", "lower", "upper", "kind", "pairs"]
    known = {"correction": None, "n_systems": 2, "n_trials": 1000, "mode": "resample"}
    held = [("sign", 50, 0.0, 0.05, 0.08, 0.07, 0.09, "type1", "all"),
            ("sign", 50, 0.0, 0.01, 0.04, 0.03, 0.05, "type1", "all")]  # fmt: skip
    power = [("sign", 50, d, 0.05, rate, rate, rate, "power", "all") for d, rate in ((0.02, 0.2), (0.05, 0.6))]
    for rows, title, drawn in (
        (held, "has a type I error of .04 at .01", "level 0.01, true difference 0"),
        (power, "detect a difference of 0.05 at 0.05", "level 0.05, true difference 0.05"),
    ):
        found = SimulatedTests("AP", pl.DataFrame(rows, columns, orient="row"), known)
        assert title in found.summary()
        assert drawn in str(found.chart().to_dict())


def test_what_is_given_twice_is_simulated_once() -> None:
    found = simulate_tests(
        make_scores(20, 4), n_topics=[10, 10], difference=[0, 0.0], alpha=[0.05, 0.05], tests="t", n_trials=20
    )
    assert found.rows.height == 1


def test_the_tables_say_what_a_correction_bounds_and_which_pairs_there_are() -> None:
    """A page shows both sorts of pairs; family-wise error may pass the level where false discovery is bounded."""
    past = make_scores(20, 4)
    pairs = answer(simulate_tests(past, n_topics=10, tests="t", n_trials=20))
    assert pairs.shown == ("rates", "pairs")
    assert set(pairs.sheet("pairs").rows["pairs"]) == {"all", "exchangeable"}
    for correction, bounded in (
        ("holm", "rejected true hypothesis (at most alpha is expected). false"),
        ("bh", "among the rejected (at most alpha"),
    ):
        said = answer(simulate_tests(past, n_topics=10, tests="t", correction=correction, n_systems=3, n_trials=20))
        notes = " ".join(said.sheet().notes)
        assert bounded in notes
        assert notes.count("at most alpha is expected") == 1
        assert said.shown == ("rates",)
        assert any("No type I error of pairs was simulated" in note for note in said.sheet("pairs").notes)


def test_levels_are_printed_as_given_and_small_rates_with_two_digits() -> None:
    row = {"test": "t", "topics": 50, "difference": 0.0, "alpha": 0.0125, "rate": 0.0042, "lower": 0.003, "upper": 0.02}
    found = SimulatedTests("AP", pl.DataFrame([row | {"kind": "type1", "pairs": "all"}]), {"correction": None})
    assert "the highest rate is .0042 at .0125 (t" in found.summary()


def test_a_margin_is_moved_to_the_mean_asked_for() -> None:
    population = Population.of(skewed())
    rng = np.random.default_rng(1)
    drawn = population.draw(rng, 64, 4000, np.array([0.0, 0.03]))
    first = population.means[drawn.systems[:, 0]]
    error = 4 * 0.3 / np.sqrt(4000)
    assert np.abs(drawn.scores[:, :, 0].mean(axis=1) - first).max() < error
    assert np.abs(drawn.scores[:, :, 1].mean(axis=1) - first - 0.03).max() < error
    # Every score is one that the system had.
    for trial in range(5):
        own = population.values[:, drawn.systems[trial, 1]]
        assert set(drawn.scores[trial, :, 1]) <= set(own)


def test_a_margin_that_is_there_already_is_not_moved() -> None:
    ordered = np.sort(np.random.default_rng(0).random((3, 20)), axis=1)
    tilt = solve_tilt(ordered, ordered.mean(axis=1))
    assert tilt.tolist() == [0, 0, 0]
    u = np.linspace(0.01, 0.99, 7)
    assert np.allclose(moved_quantile(u, np.zeros(7)), u)
    lowered, raised = moved_quantile(u, np.full(7, -1.0)), moved_quantile(u, np.full(7, 1.0))
    assert ((lowered < u) & (u < raised)).all()
    assert (np.diff(lowered) > 0).all()
    assert np.allclose(1 - moved_quantile(1 - u, np.full(7, 1.0)), lowered)


def test_a_tilt_gives_the_mean_wanted_however_far_and_whichever_way() -> None:
    rng = np.random.default_rng(2)
    ordered = np.sort(rng.choice(np.arange(11) / 10, (200, 30)), axis=1)
    low, high = ordered[:, 0], ordered[:, -1]
    target = low + (high - low) * rng.choice([1e-6, 0.01, 0.3, 0.5, 0.9, 1 - 1e-6], 200)
    tilt = solve_tilt(ordered, target)
    # The moved mean, from quantiles at evenly spread u: no weights are shared with the solver.
    u = (np.arange(60_000) + 0.5) / 60_000
    for row, aim, one in zip(ordered[::8], target[::8], tilt[::8], strict=True):
        place = np.minimum((moved_quantile(u, np.array(one)) * 30).astype(int), 29)
        assert row[place].mean() == pytest.approx(aim, abs=2e-4)
    assert np.allclose(solve_tilt(1 - ordered[:, ::-1], 1 - target), -tilt, atol=1e-6)
    for unit in (2.0**-60, 2.0**60):
        assert (solve_tilt(ordered * unit, target * unit) == tilt).all()


def test_swapped_by_a_coin_wilcoxon_looks_innocent() -> None:
    found = simulate_tests(skewed(), n_topics=50, tests=["t", "wilcoxon", "sign"], n_trials=2000)
    rates = {(row["test"], row["pairs"]): row for row in found.pairs_frame().to_dicts()}
    assert rates["wilcoxon", "all"]["lower"] > 0.06
    assert rates["wilcoxon", "exchangeable"]["lower"] <= 0.05 <= rates["wilcoxon", "exchangeable"]["upper"]
    assert rates["t", "exchangeable"]["lower"] <= 0.05
    assert found.too_often()["test"][0] in ("wilcoxon", "sign")
    assert "wilcoxon" not in found.keepers(0.05)
    assert "has a type I error of" in found.summary()


def test_rows() -> None:
    found = simulate_tests(
        make_scores(40, 6), n_topics=[10, 25], difference=[0, 0.05], alpha=[0.05, 0.01], n_trials=300
    )
    frame = found.to_frame()
    assert frame.columns == ["test", "topics", "difference", "alpha", "rate", "lower", "upper", "kind"]
    assert set(frame["kind"]) == {"type1", "power", "type3"}
    assert frame.height == 5 * 2 * 2 * 3
    assert ((frame["lower"] <= frame["rate"]) & (frame["rate"] <= frame["upper"])).all()
    power = frame.filter((pl.col("kind") == "power") & (pl.col("test") == "t") & (pl.col("alpha") == 0.05))
    assert power["rate"][1] > power["rate"][0]
    only = simulate_tests(make_scores(40, 6), n_topics=25, difference=0.05, tests="t", n_trials=300)
    assert "detect a difference of 0.05" in only.summary()


def test_any_workers_and_executor_and_order_give_the_same_bytes() -> None:
    scores = skewed()
    ask = partial(simulate_tests, n_topics=20, n_trials=600, difference=[0, 0.02])
    one = ask(scores, workers=1)
    steps: list[tuple[int, int]] = []
    many = ask(scores.select(systems=scores.systems[::-1], topics=scores.topics[::-1]), workers=3,
               progress=lambda done, total: steps.append((done, total)))  # fmt: skip
    with ThreadPoolExecutor(2) as pool:
        third = ask(scores, executor=pool)
    assert one.all_rows.equals(many.all_rows)
    assert one.all_rows.equals(third.all_rows)
    assert steps[-1] == (600, 600)


class Interrupted(Exception):
    """Somebody cancelled."""


@pytest.mark.parametrize("mode", ["resample", "copula"])
def test_an_interrupted_simulation_goes_on(tmp_path: Path, mode: Any) -> None:
    if mode == "copula":
        pytest.importorskip("pyvinecopulib")
    work = tmp_path / "tests.work"
    ask = partial(simulate_tests, skewed(20, 4), n_topics=10, tests=["t", "sign"], difference=[0, 0.02], mode=mode)

    def cancel(done: int, total: int) -> None:
        raise Interrupted

    with pytest.raises(Interrupted):
        ask(n_trials=600, work=work, progress=cancel, workers=1)
    kept = work.read_bytes()
    assert kept.count(b"\n") == 2, "the job and its first block"
    steps: list[tuple[int, int]] = []
    found = ask(n_trials=600, work=work, progress=lambda done, total: steps.append((done, total)), workers=2)
    assert steps == [(512, 600), (600, 600)]
    assert found.all_rows.equals(ask(n_trials=600, workers=1).all_rows)
    assert work.read_bytes().startswith(kept)
    # Done: nothing is drawn again. More trials: only the blocks that were not whole.
    assert ask(n_trials=600, work=work).all_rows.equals(found.all_rows)
    more = ask(n_trials=700, work=work)
    assert more.all_rows.equals(ask(n_trials=700).all_rows)
    with pytest.raises(ArgumentError, match="belongs to another job: its seed is"):
        ask(n_trials=600, work=work, seed=7)
    lines = work.read_bytes().splitlines(keepends=True)
    work.write_bytes(b"".join([*lines[:1], lines[1].replace(b"rejected 0", b"rejected 9"), *lines[2:]]))
    with pytest.warns(CranfieldWarning, match=r"is damaged; these parts are computed again: line 2 \(block 0\)"):
        again = ask(n_trials=600, work=work)
    assert again.all_rows.equals(found.all_rows)


def test_families_with_a_correction() -> None:
    found = simulate_tests(
        make_scores(60, 8), n_topics=30, tests=["t", "sign"], n_systems=4, correction="holm", difference=[0, 0.1],
        n_trials=500,
    )  # fmt: skip
    frame = found.to_frame().filter(pl.col("test") == "t")
    rates = {(row["kind"], row["difference"]): row for row in frame.to_dicts()}
    assert set(rates) == {("family-wise", 0.0), ("false-discovery", 0.0), *((k, 0.1) for k in (
        "family-wise", "false-discovery", "power", "type3"))}  # fmt: skip
    assert rates["family-wise", 0.0]["lower"] <= 0.05
    # All hypotheses true: what is found is false, so both rates are one.
    assert rates["family-wise", 0.0]["rate"] == pytest.approx(rates["false-discovery", 0.0]["rate"])
    assert rates["power", 0.1]["rate"] > 0.3
    raw = simulate_tests(make_scores(60, 8), n_topics=30, tests="t", n_systems=4, correction="none", n_trials=500)
    assert raw.rows.filter(pl.col("kind") == "family-wise")["rate"][0] > 0.1
    assert set(raw.rows["kind"]) == {"family-wise", "false-discovery", "type1"}
    some = simulate_tests(make_scores(60, 8), n_topics=30, tests="t", n_systems=3, difference=0.1, n_trials=100)
    assert {"type1", "power"} <= set(some.rows["kind"])  # two of the three systems are alike


@pytest.mark.parametrize(("test", "correction"), [("tukey", None), ("t", "westfall-young")])
def test_what_needs_the_whole_family(test: str, correction: str | None) -> None:
    found = simulate_tests(
        make_scores(60, 6), n_topics=20, tests=test, n_systems=3, correction=correction, n_trials=60, n_resamples=99
    )
    assert found.rows.filter(pl.col("kind") == "family-wise")["rate"][0] < 0.25


def test_families_that_share_the_table_of_tukeys_test_get_their_own_p_values() -> None:
    values = np.random.default_rng(3).random((12, 5 * 12)).round(2)
    values[:, 5:10] = values[:, 5:6] + [0, 0, 0.1, 0.1, 0.1]  # a family without a residual
    families = [GridScores.of(values[:, at : at + 5]) for at in range(0, 60, 5)]
    found = tukey_of_families(families, all_pairs(5))
    assert found.size > NODES  # more than are computed one by one
    alone = np.stack([tukey(scores, all_pairs(5), 0.05).p for scores in families[:3]])
    assert np.allclose(found[:3], alone, rtol=1e-6)
    assert set(np.round(found[1], 9)) == {0.0, 1.0}


def test_a_test_of_families_is_held_to_the_error_of_families_and_takes_no_correction() -> None:
    """Pairs alone would be far below the level: ten of them share it."""
    x = make_scores(60, 8)
    found = simulate_tests(x, n_topics=20, tests=["t", "tukey"], n_systems=5, n_trials=100)
    assert found.levels().select("test", "kind").rows() == [("t", "type1"), ("tukey", "family-wise")]
    assert "correction none;" in found.signature
    beside = simulate_tests(x, n_topics=20, tests=["t", "tukey"], correction="holm", n_trials=20)
    assert "correction holm (not of tukey);" in beside.signature
    with pytest.raises(
        ArgumentError, match="`correction` 'holm' cannot be added to tukey: .* Leave the correction out"
    ):
        simulate_tests(x, n_topics=20, tests="tukey", correction="holm", n_trials=20)


def test_intervals_contain_their_rate() -> None:
    for hits in (0, 1, 50, 100):
        rate, lower, upper = rate_interval(np.arange(100) < hits)
        assert 0 <= lower <= rate == hits / 100 <= upper <= 1
        assert lower < upper
    clustered = np.repeat(np.arange(100) < 50, 8)
    wide, narrow = rate_interval(clustered, 8), rate_interval(clustered)
    assert wide[2] - wide[1] > 2 * (narrow[2] - narrow[1])
    # Nothing seen, and shares that are 0 or 1: the same as of a rate.
    assert mean_interval(np.zeros(100)) == rate_interval(np.zeros(100, dtype=bool))
    assert np.allclose(mean_interval(np.arange(1000) < 7), rate_interval(np.arange(1000) < 7), atol=1e-4)
    # Trials of a pair that all agree are no evidence of one another.
    assert rate_interval(np.zeros(800, dtype=bool), 8) == rate_interval(np.zeros(100, dtype=bool))


def test_a_chart_of_many_tests_names_those_that_are_not_drawn() -> None:
    tests = ["t", "randomisation", "wilcoxon", "welch", "unpaired-t", "bootstrap", "sign"]
    kept = [(test, 50, 0.0, 0.05, 0.05, 0.04, 0.06, "type1", "all") for test in tests[:-1]]
    columns = ["test", "topics", "difference", "alpha", "rate", "lower", "upper", "kind", "pairs"]
    frame = pl.DataFrame([*kept, ("sign", 50, 0.0, 0.05, 0.2, 0.18, 0.22, "type1", "all")], columns, orient="row")
    known = {"correction": None, "n_systems": 2, "n_trials": 1000, "mode": "resample"}
    chart = str(SimulatedTests("AP", frame, known).chart().to_dict())
    assert "not drawn: bootstrap" in chart
    places = re.findall(r"'at': ([\d.]+)", chart)
    assert len(places) == len(set(places)) == 6  # bars stand beside one another
    assert "'sign'" in chart


BAD: dict[str, tuple[Any, dict[str, Any], type[Exception], str]] = {
    "one system": (matrix(np.random.default_rng(1).random((20, 1))), {}, DataError, "2 systems; there is 1. Give"),
    "few topics": (matrix([[0.1, 0.2], [0.3, 0.1]]), {}, DataError, "at least 5 topics; there are 2"),
    "constant": (matrix([[0.1, 0.2, 0.5]] * 6 + [[0.2, 0.2, 0.1]]), {}, DataError, "same score on every topic .* s1"),
    "difference": (make_scores(20, 3), {"difference": -0.1}, ArgumentError, r"must be .*; got -0\.1\. Write 0\.1\."),
    "too large": (make_scores(20, 3), {"difference": 5}, ArgumentError, "`difference` 5 is not possible"),
    "alpha": (make_scores(20, 3), {"alpha": 5}, ArgumentError, "`alpha`"),
    "topics": (make_scores(20, 3), {"n_topics": 1}, ArgumentError, "`n_topics` must be a whole number of at least 2"),
    "very many topics": (
        make_scores(20, 3),
        {"n_topics": 90_000},
        ArgumentError,
        "needs 180,000 numbers; at most 50,000",
    ),
    "trials": (make_scores(20, 3), {"n_trials": 0}, ArgumentError, "`n_trials`"),
    "systems": (make_scores(20, 3), {"n_systems": 9}, ArgumentError, "there are 3 to draw from"),
    "one of a pair": (
        make_scores(20, 3),
        {"n_systems": 1},
        ArgumentError,
        "`n_systems` must be a whole number of at least 2",
    ),
    "mode": (make_scores(20, 3), {"mode": "vine"}, UnknownNameError, "unknown mode"),
    "test": (make_scores(20, 3), {"tests": "z"}, UnknownNameError, "unknown test"),
    "tukey": (make_scores(20, 3), {"tests": "tukey"}, ArgumentError, "for families"),
    "none": (make_scores(20, 3), {"n_topics": []}, ArgumentError, "`n_topics` is empty"),
}


@pytest.mark.parametrize("name", BAD)
def test_what_cannot_be_simulated_is_refused(name: str) -> None:
    scores, settings, error, text = BAD[name]
    with pytest.raises(error, match=text):
        simulate_tests(scores, **({"n_trials": 10, "n_topics": 10} | settings))


def test_copies_are_left_out_and_named() -> None:
    x = make_scores(20, 4)
    doubled = matrix(np.concatenate([x.values, x.values[:, :1]], axis=1))
    with pytest.warns(CranfieldWarning, match="drops 1 system with the same scores"):
        simulate_tests(doubled, n_trials=10, n_topics=10, tests="t")
    with pytest.raises(DataError, match="all systems have the same scores"):
        simulate_tests(matrix(np.repeat(x.values[:, :1], 3, axis=1)), n_trials=10)
