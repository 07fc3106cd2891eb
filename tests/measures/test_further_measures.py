"""Measures that no installed tool computes, by hand; and values that elinor and ranx publish for small collections."""

from __future__ import annotations

import pytest

from cranfield import Qrels, Run, evaluate
from small_collections import qrels_of, run_of, tricky_qrels, tricky_run

pytestmark = [
    pytest.mark.filterwarnings("ignore:.*judged .lowest:cranfield.CranfieldWarning"),
    pytest.mark.filterwarnings("ignore:.*no document for:cranfield.CranfieldWarning"),
    pytest.mark.filterwarnings("ignore:.*without judgments:cranfield.CranfieldWarning"),
    pytest.mark.filterwarnings("ignore:.*no relevant document:cranfield.CranfieldWarning"),
]
EXACT = {"abs": 1e-12, "rel": 0}


def ranked(levels: str, missed: str = "") -> tuple[Qrels, Run]:
    """A ranking from its levels (x: unjudged), and judged documents that are not retrieved."""
    rows = [("1", "0", f"d{at}", int(level)) for at, level in enumerate(levels) if level != "x"]
    rows += [("1", "0", f"m{at}", int(level)) for at, level in enumerate(missed)]
    return qrels_of(rows), run_of([("1", f"d{at}", float(-at)) for at in range(len(levels))])


def value(measure: str, levels: str, missed: str = "") -> float:
    return float(evaluate(*ranked(levels, missed), measure).only().values[0, 0])


def test_graded_average_precision_by_hand() -> None:
    """Levels 1, 0, 2 and one of 1 missed: at rank 1 min(1, 1); at rank 3 min(2, 1) + min(2, 2); all gains are 4."""
    assert value("GAP", "102", "1") == pytest.approx((1 + (1 + 2) / 3) / 4, **EXACT)
    assert value("GAP(gains=1:3)", "102", "1") == pytest.approx((1 + (1 + 3) / 3) / 5, **EXACT)
    assert value("GAP", "2110") == pytest.approx(1, **EXACT)
    assert value("GAP", "120") < 1


@pytest.mark.parametrize("seed", range(4))
def test_graded_average_precision_of_two_levels_is_average_precision(seed: int) -> None:
    qrels, run = tricky_qrels(seed, levels=(-1, 0, 0, 1)), tricky_run(seed, ties=True)
    ours, ap = evaluate(qrels, run, ["GAP", "AP"]).values()
    assert ours.values == pytest.approx(ap.values, **EXACT)


def test_normalised_cumulative_gain_by_hand() -> None:
    assert value("NCG@2", "x12", "3") == pytest.approx(1 / (3 + 2), **EXACT)
    assert value("NCG", "x12", "3") == pytest.approx(3 / 6, **EXACT)
    assert value("NCG(gains=exp)@3", "210", "3") == pytest.approx((3 + 1) / (7 + 3 + 1), **EXACT)


def test_capped_recall_has_its_names() -> None:
    for name in ("R_cap@2", "capped_recall@2", "recall_cap@2", "RCap@2", "RelP@2"):
        assert value(name, "x11", "1") == pytest.approx(1 / 2, **EXACT)
    assert value("R_cap@10", "x11", "1") == pytest.approx(2 / 3, **EXACT)


def test_compatibility_by_hand() -> None:
    """The best ranking is d1, d2, m0: overlaps 0, 1/2, 2/3, and 1, 1, 1 for itself."""
    p = 0.5
    weights = [1, p, p**2]
    ours = sum(w * o for w, o in zip(weights, [0, 1 / 2, 2 / 3], strict=True))
    assert value("Compat(p=0.5)", "x21", "1") == pytest.approx(ours / sum(weights), **EXACT)
    assert value("Compat(p=0.5,normalize=False)", "x21", "1") == pytest.approx(ours / sum(weights), **EXACT)
    assert value("Compat", "3211x") == pytest.approx(1, **EXACT)
    assert value("Compat(normalize=False)", "3211x") < 1  # the best ranking is shorter than the list


def test_compatibility_forgives_the_order_within_a_level() -> None:
    assert value("Compat", "1111") == pytest.approx(1, **EXACT)
    assert value("Compat", "12") < value("Compat", "21") == pytest.approx(1, **EXACT)


def test_stopping_measures_by_hand() -> None:
    """One document of the highest level (stop 3/4) at rank 2."""
    assert value("iRBU", "x2") == pytest.approx(0.75 * 0.99**2, **EXACT)
    assert value("EBR", "x2") == pytest.approx(0.75 * (1 * 3 + 1) / (1 * 3 + 2), **EXACT)
    assert value("niRBU", "x2") == pytest.approx(0.99, **EXACT)
    assert value("nEBR", "x2") == pytest.approx(4 / 5, **EXACT)
    assert value("nRBP(p=0.5)", "x2") == pytest.approx(0.5, **EXACT)


ELINOR = (
    qrels_of([("q1", "0", "d1", 1), ("q1", "0", "d2", 0), ("q1", "0", "d3", 2), ("q2", "0", "d2", 2), ("q2", "0", "d4", 1)]),
    run_of([("q1", "d1", 0.5), ("q1", "d2", 0.4), ("q1", "d3", 0.3), ("q2", "d4", 0.1), ("q2", "d1", 0.2), ("q2", "d3", 0.3)]),
)  # fmt: skip


@pytest.mark.parametrize(("measure", "mean"), [("P@3", 0.5), ("AP", 0.5), ("RR", 0.6667), ("nDCG@3", 0.4751)])
def test_values_of_elinor(measure: str, mean: float) -> None:
    assert evaluate(*ELINOR, measure).only().values.mean() == pytest.approx(mean, abs=5e-5)


RANX = (
    qrels_of([("0", "0", "D0", 0), ("0", "0", "D1", 1), ("0", "0", "D2", 1), ("0", "0", "D3", 2), ("0", "0", "D4", 0)]),
    run_of([("0", "D0", 0.8), ("0", "D2", 0.7), ("0", "D1", 0.3), ("0", "D3", 0.4), ("0", "D4", 0.1)]),
)


@pytest.mark.parametrize(
    ("measure", "expected"),
    [("P@5", 0.6), ("P(rel=2)@5", 0.2), ("R@5", 1.0), ("RR", 0.5), ("RR(rel=2)", 1 / 3), ("RR(rel=2)@2", 0.0),
     ("AP", 0.6388888888888888), ("AP(rel=2)", 1 / 3), ("AP@2", 1 / 6), ("AP(rel=2)@2", 0.0), ("Success@10", 1.0)],
)  # fmt: skip
def test_values_of_ranx(measure: str, expected: float) -> None:
    assert evaluate(*RANX, measure).only().values.tolist() == [[pytest.approx(expected, **EXACT)]]


def test_set_f_weighs_recall_by_beta() -> None:
    """P = 2/4 and R = 2/3, so that beta and beta² differ."""
    for beta in (0.5, 2.0):
        expected = (1 + beta) * (1 / 2) * (2 / 3) / (beta / 2 + 2 / 3)
        assert value(f"SetF(beta={beta})", "1x10", "1") == pytest.approx(expected, **EXACT)
        assert value(f"set_F.{beta}", "1x10", "1") == pytest.approx(expected, **EXACT)
