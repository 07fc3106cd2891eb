"""Bounds from unjudged documents, against every possible assignment of levels on small cases."""

from __future__ import annotations

from itertools import product

import numpy as np
import polars as pl
import pytest

from cranfield import ArgumentError, Qrels, Run, compare, evaluate, make_sample
from cranfield.core.errors import quietly
from cranfield.measures.bounds import BOUNDED, precision_sums
from small_collections import qrels_of, run_of

MEASURES = [
    "P@3", "R@3", "RBP(p=0.7)@4", "RBP(p=0.7,rel=2)@4", "DCG@3", "nDCG@3", "nDCG", "nDCG(gains=exp)@4",
    "nDCG(tool=ntcir)@4", "nDCG(gains=1:5:6)@3", "AP", "AP@3", "AP(tool=ntcir)@3", "AP(rel=2)", "RR", "RR@2", "Success@2",
]  # fmt: skip
EXACT = {one for one in MEASURES if not one.startswith(("AP", "RR", "Success"))}
"""Measures whose differences have exact bounds."""


def case(seed: int) -> tuple[Qrels, list[Run], list[str]]:
    """One topic, two runs of five of eight documents; at most six are unjudged. Level 3 is the highest."""
    rng = np.random.default_rng(seed)
    documents = list("abcdefgh")
    judged = sorted(rng.choice(documents, 4, replace=False))
    levels = {name: int(level) for name, level in zip(judged, rng.integers(0, 4, 4), strict=True)}
    levels["z"] = 3  # retrieved by nobody
    runs = []
    for name in ("one", "two"):
        order = rng.permutation(documents)[:5]
        runs.append(run_of([("1", str(d), -k) for k, d in enumerate(order)], name))
    return (
        qrels_of([("1", "0", d, level) for d, level in levels.items()]),
        runs,
        [d for d in documents if d not in levels],
    )


def unjudged_of(runs: list[Run], free: list[str], cutoff: int | None) -> list[str]:
    seen = {d for run in runs for d in run.frame["document"].to_list()[:cutoff]}
    return [d for d in free if d in seen]


def every(qrels: Qrels, runs: list[Run], measure: str, documents: list[str]) -> np.ndarray:
    """The scores under every assignment of levels 0 to 3: assignments × runs. Each is a topic of one collection."""
    given = [dict(zip(documents, levels, strict=True)) for levels in product(range(4), repeat=len(documents))]
    judged = [
        (str(at), "0", d, level)
        for at, levels in enumerate(given)
        for d, level in [*qrels.frame.select("document", "relevance").iter_rows(), *levels.items()]
    ]
    many = pl.DataFrame({"topic": [str(at) for at in range(len(given))]})
    copies = [Run(many.join(run.frame.drop("topic"), how="cross"), run.system) for run in runs]
    with quietly():
        values = evaluate(qrels_of(judged), copies, measure).only().sorted()
    return values.values


@pytest.mark.parametrize("measure", MEASURES)
def test_no_assignment_of_levels_is_outside_and_some_are_at_the_ends(measure: str) -> None:
    cutoff = int(measure.split("@")[1]) if "@" in measure else None
    for seed in range(6):
        qrels, runs, free = case(seed)
        with quietly():
            scores = evaluate(qrels, runs, measure, unjudged="bounds").only()
        bounds = scores.unjudged
        assert bounds is not None
        low, high = bounds.means(["one", "two"], ["1"])
        for at, run in enumerate(runs):
            found = every(qrels, runs, measure, unjudged_of([run], free, cutoff))[:, at]
            assert (low[at], high[at]) == pytest.approx((found.min(), found.max()), abs=1e-12)
        values = every(qrels, runs, measure, unjudged_of(runs, free, cutoff))
        differences = values[:, 0] - values[:, 1]
        (lower,), (upper,) = bounds.differences(["one"], ["two"], ["1"])
        if measure in EXACT:
            assert (lower, upper) == pytest.approx((differences.min(), differences.max()), abs=1e-12)
        assert lower <= differences.min() + 1e-12
        assert upper >= differences.max() - 1e-12


def test_a_level_in_between_can_be_the_best_for_ndcg() -> None:
    """Rank 3 is unjudged: with level 1 nDCG is 0.80, with the highest level 0.74, without relevance 0.76."""
    qrels = qrels_of([("1", "0", "a", 2), ("1", "0", "b", 0), ("1", "0", "m", 1), ("2", "0", "t", 3)])
    run = run_of([("1", "a", 3), ("1", "b", 2), ("1", "x", 1), ("2", "t", 1)])
    with quietly():
        bounds = evaluate(qrels, run, "nDCG", unjudged="bounds").only().unjudged
    assert bounds is not None
    _, (upper,) = bounds.means([run.system], ["1"])
    assert upper == pytest.approx(2.5 / (2.5 + 1 / np.log2(3)), abs=1e-12)


def test_the_residual_of_rbp_is_its_bound() -> None:
    qrels = qrels_of([("1", "0", "a", 1), ("1", "0", "b", 0)])
    run = run_of([("1", "x", 9), ("1", "a", 8), ("1", "y", 7), ("1", "b", 6)])
    with quietly():
        scores = evaluate(qrels, run, ["RBP(p=0.5)"], unjudged="bounds").only()
        residual = evaluate(qrels, run, "RBPresidual(p=0.5)").only().values[0, 0]
    assert scores.unjudged is not None
    (low,), (high,) = scores.unjudged.means([run.system], ["1"])
    assert low == scores.values[0, 0]
    assert high - low == pytest.approx(residual, abs=1e-15)


def test_sums_of_precision_agree_with_every_choice() -> None:
    from itertools import combinations

    relevant, free = np.array([2, 5]), np.array([1, 3, 4, 7])
    most, least = precision_sums(relevant, free)
    for j in range(5):
        sums = []
        for chosen in combinations(free, j):
            ranks = np.sort([*relevant, *chosen])
            sums.append(float((np.arange(1, len(ranks) + 1) / ranks).sum()))
        assert (least[j], most[j]) == pytest.approx((min(sums), max(sums)))


def test_compare_and_leaderboard_show_the_bounds() -> None:
    sample = make_sample(n_topics=20, n_systems=4, n_documents=600, depth=50)
    part = Qrels(sample.qrels.frame.filter(pl.int_range(pl.len()) % 20 > 0), "qrels")
    with quietly():
        scores = evaluate(part, sample.runs, ["nDCG@10"], unjudged="bounds")
        result = compare(scores, test="t")
        plain = compare(evaluate(part, sample.runs, ["nDCG@10"]), test="t")
    pairs, board = result.to_frame(), result.leaderboard()
    assert pairs.drop("unjudged_lower", "unjudged_upper").equals(plain.to_frame())
    assert (pairs["unjudged_lower"] <= pairs["difference"]).all()
    assert (pairs["difference"] <= pairs["unjudged_upper"]).all()
    assert (pairs["unjudged_lower"] < pairs["unjudged_upper"]).any()
    assert ((board["unjudged_lower"] <= board["mean"]) & (board["mean"] <= board["unjudged_upper"])).all()
    some = scores.select(systems=list(board["system"][:2])).only()
    assert some.unjudged is not None
    assert some.note("x").unjudged is some.unjudged


def test_what_it_refuses() -> None:
    qrels, runs, _ = case(1)
    known = ", ".join(BOUNDED)
    for arguments, message in (
        ({"measures": "ERR"}, f"`unjudged`: bounds of ERR are not known. Choose among {known}."),
        ({"measures": "AP", "judged_only": True}, "`judged_only` removes unjudged documents, so bounds have no meaning. "
         "Leave out one."),
    ):  # fmt: skip
        with pytest.raises(ArgumentError) as error:
            evaluate(qrels, runs, unjudged="bounds", **arguments)  # type: ignore[arg-type]
        assert str(error.value) == message
