"""Expected values in the tests of elinor (1.0) and ranx (0.3): numbers alone, so that neither needs to be installed."""

from __future__ import annotations

from math import log2

import pytest

from cranfield import ScoreMatrix, compare, evaluate

pytestmark = pytest.mark.filterwarnings("ignore::cranfield.CranfieldWarning")
EXACT = {"abs": 1e-12, "rel": 0}
Nested = dict[str, dict[str, float]]


def nested(text: str) -> Nested:
    """``1: d1 2, d4 1`` per line: topic → document → value."""
    lines = [line.split(":") for line in text.strip().splitlines()]
    return {
        topic.strip(): {(pair := one.split())[0]: float(pair[1]) for one in rest.split(",")} for topic, rest in lines
    }


# ── elinor ────────────────────────────────────────────────────────────────────────────────────────────────

JUDGED = nested("""
1: d1 2, d4 1, d7 0
2: d3 2, d6 1
3: d2 0, d5 2, d8 1
4: d1 1, d3 0, d7 2
5: d2 1, d5 0
6: d4 2, d6 0, d8 1
7: d1 0, d4 2
8: d3 1, d7 2
""")
RUNS = {
    "pred_1": """
1: d1 .65, d4 .23, d7 .89
2: d3 .48, d6 .91, d8 .33
3: d2 .76, d5 .27, d8 .58
4: d1 .15, d3 .83, d7 .62
5: d2 .93, d5 .4, d8 .17
6: d4 .71, d6 .54, d8 .21
7: d1 .36, d4 .82, d8 .29
8: d4 .46, d3 .95, d7 .64
""",
    "pred_2": """
1: d2 .72, d5 .29, d8 .58
2: d2 .15, d6 .83, d7 .42
3: d1 .91, d5 .37, d8 .65
4: d3 .57, d5 .92, d6 .34
5: d2 .78, d4 .26, d7 .64
6: d2 .19, d5 .88, d8 .47
7: d3 .56, d4 .94, d6 .21
8: d1 .73, d4 .38, d7 .66
""",
    "pred_3": """
1: d1 .44, d3 .81, d6 .27
2: d3 .63, d4 .36, d8 .92
3: d2 .74, d5 .23, d7 .48
4: d1 .58, d6 .13, d7 .69
5: d2 .35, d4 .91, d7 .72
6: d4 .47, d5 .19, d8 .87
7: d1 .65, d3 .29, d6 .93
8: d3 .41, d5 .76, d7 .55
""",
}
ELINOR = {
    "pred_1": {
        "P@3": [2 / 3, 2 / 3, 2 / 3, 2 / 3, 1 / 3, 2 / 3, 1 / 3, 2 / 3],
        "AP": [0.5833333333333333, 1, 0.5833333333333333, 0.5833333333333333, 1, 0.8333333333333333, 1, 1],
        "RR": [0.5, 1, 0.5, 0.5, 1, 1, 1, 1],
        "nDCG@3": [0.66967181649423, 0.8597186998521972, 0.6199062332840657, 0.66967181649423, 1, 0.9502344167898356, 1,
                   0.8597186998521972],
    },
    "pred_2": {
        "P@3": [0, 1 / 3, 2 / 3, 0, 1 / 3, 1 / 3, 1 / 3, 1 / 3],
        "AP": [0, 0.5, 0.5833333333333333, 0, 1, 0.25, 1, 0.25],
        "RR": [0, 1, 0.5, 0, 1, 0.5, 1, 0.5],
        "nDCG@3": [0, 0.38009376671593426, 0.6199062332840657, 0, 1, 0.23981246656813146, 1, 0.4796249331362629],
    },
    "pred_3": {
        "P@3": [1 / 3, 1 / 3, 1 / 3, 2 / 3, 1 / 3, 2 / 3, 0, 2 / 3],
        "AP": [0.25, 0.25, 1 / 6, 1, 1 / 3, 1, 0, 0.5833333333333333],
        "RR": [0.5, 0.5, 1 / 3, 1, 1 / 3, 1, 0, 0.5],
        "nDCG@3": [0.4796249331362629, 0.4796249331362629, 0.38009376671593426, 1, 0.5, 0.8597186998521972, 0,
                   0.66967181649423],
    },
}  # fmt: skip
SAKAI_X = [0.7, 0.3, 0.2, 0.6, 0.4, 0.4, 0, 0.7, 0.1, 0.3, 0.5, 0.4, 0, 0.6, 0.5, 0.3, 0.1, 0.5, 0.2, 0.1]
SAKAI_Y = [0.5, 0.1, 0, 0.2, 0.4, 0.3, 0, 0.5, 0.3, 0.3, 0.4, 0.4, 0.1, 0.4, 0.2, 0.1, 0.1, 0.6, 0.3, 0.2]
"""Table 5.1 of Sakai's book on information access evaluation (2015), as elinor's test has it."""


@pytest.mark.parametrize("run", ELINOR)
@pytest.mark.parametrize("measure", ["P@3", "AP", "RR", "nDCG@3"])
def test_elinor(run: str, measure: str) -> None:
    matrix = evaluate(JUDGED, {run: nested(RUNS[run])}, measure).only()
    assert matrix.values[:, 0].tolist() == pytest.approx(ELINOR[run][measure], **EXACT)


def test_the_t_test_of_elinor() -> None:
    matrix = ScoreMatrix(list(zip(SAKAI_X, SAKAI_Y, strict=True)), [f"Q{at}" for at in range(20)], ["X", "Y"], "nDCG@5")
    row = compare(matrix, test="t").to_frame().row(0, named=True)
    assert abs(row["difference"]) == pytest.approx(0.0750, abs=1e-4)
    assert row["p"] == pytest.approx(0.048, abs=1e-3)
    assert (row["upper"] - row["lower"]) / 2 == pytest.approx(0.0742, abs=1e-4)
    assert abs(row["effect_size"]) == pytest.approx(0.473, abs=1e-3)


# ── ranx ──────────────────────────────────────────────────────────────────────────────────────────────────


def ranked(*documents: int) -> dict[str, float]:
    return {f"d{document}": -float(at) for at, document in enumerate(documents)}


def binary(*documents: int) -> dict[str, float]:
    return {f"d{document}": 1 for document in documents}


LEVELS = {"d2": 5, "d4": 4, "d5": 3, "d10": 2}
ORDERS = {"1": (1, 2, 3, 4, 5), "2": (10, 5, 2, 4, 3), "3": (1, 3, 6, 7, 8)}


def discounted(gains: tuple[float, ...]) -> float:
    return sum(gain / log2(rank + 1) for rank, gain in enumerate(gains, 1))


LINEAR = [discounted((0, 5, 0, 4, 3)), discounted((2, 3, 5, 4)), 0.0]
EXPONENTIAL = [discounted((0, 31, 0, 15, 7)), discounted((3, 7, 31, 15)), 0.0]
BEST = {"linear": discounted((5, 4, 3, 2)), "exp": discounted((31, 15, 7, 3))}
RANX = [
    ("RBP(p=0.5,rel=1)", [binary(1, 2, 6, 11, 17)], [ranked(*range(1, 21))], [0.7661], 5e-5),
    ("RBP(p=0.8,rel=1)", [binary(1, 2, 6, 11, 17)], [ranked(*range(1, 21))], [0.4526], 5e-5),
    ("RBP(p=0.95,rel=1)", [binary(1, 2, 6, 11, 17)], [ranked(*range(1, 21))], [0.1881], 5e-5),
    ("NumRelRet", [binary(1, 4, 5, 6), binary(1, 4, 6)], [ranked(1, 2, 3, 4, 5), ranked(1, 2, 4, 3, 5)], [3, 2], 0),
    ("Success@5", [binary(9, 6, 8), binary(1, 2, 4)], [ranked(1, 2, 3, 4, 5, 7), ranked(1, 2, 4, 3, 5, 7)], [0, 1], 0),
    ("RR@5", [binary(3), binary(1), binary(3), binary(3)],
     [ranked(2, 3, 1, 4, 5), ranked(1, 2, 3, 4, 5), ranked(1, 2, 4, 5), ranked(2, 1, 4, 5)], [0.5, 1, 0, 0], 0),
    ("Rprec", [binary(1, 2, 3), binary(1, 2)], [ranked(2, 4, 3, 1, 5, 6, 7)] * 2, [2 / 3, 1 / 2], 1e-12),
    ("R@2", [binary(1, 2, 3), binary(1, 2)], [ranked(2, 4, 3, 1, 5, 6, 7)] * 2, [1 / 3, 1 / 2], 1e-12),
    ("Bpref", [binary(2, 5) | {"d1": 0, "d4": 0}, binary(2, 5) | {"d1": 0, "d6": 0},
               binary(2, 5, 7) | {"d1": 0, "d6": 0, "d8": 0}, binary(2, 4, 6, 9) | {"d1": 0, "d3": 0, "d7": 0, "d8": 0}],
     [ranked(1, 2, 3, 4), ranked(1, 2, 3, 4, 5, 6), ranked(1, 2, 3, 4, 5, 6, 7, 8), ranked(1, 2, 3, 4, 6, 7, 8)],
     [1 / 4, 1 / 2, 5 / 9, 7 / 16], 1e-12),
    *((f"DCG(gains={gains})@10", [LEVELS] * 3, [ranked(*ORDERS[at]) for at in "123"], values, 1e-12)
      for gains, values in (("linear", LINEAR), ("exp", EXPONENTIAL))),
    *((f"nDCG(gains={gains})@10", [LEVELS] * 3, [ranked(*ORDERS[at]) for at in "123"],
       [value / BEST[gains] for value in values], 1e-12)
      for gains, values in (("linear", LINEAR), ("exp", EXPONENTIAL))),
]  # fmt: skip
"""Measure, judgments and rankings per topic, what ranx's tests expect, and to how many digits."""


@pytest.mark.parametrize(("measure", "judged", "rankings", "expected", "digits"), RANX, ids=[one[0] for one in RANX])
def test_ranx(
    measure: str, judged: list[dict[str, float]], rankings: list[dict[str, float]], expected: list[float], digits: float
) -> None:
    """Unlike ranx, ``dcg`` with exponential gains is ``DCG(gains=exp)`` here (its ``dcg_burges``)."""
    topics = [str(at) for at in range(len(judged))]
    qrels, run = dict(zip(topics, judged, strict=True)), dict(zip(topics, rankings, strict=True))
    values = evaluate(qrels, {"run": run}, measure).only().values[:, 0]
    assert values.tolist() == pytest.approx(expected, abs=digits, rel=0)


def test_f_of_ranx() -> None:
    """Precision and recall of whole rankings, and their harmonic mean; 0 without a relevant document."""
    qrels = {"1": binary(2, 5) | {"d1": 0, "d4": 0}, "2": binary(2, 5) | {"d1": 0, "d6": 0}, "3": binary(2, 4)}
    run = {"1": ranked(1, 2, 3, 4), "2": ranked(1, 2, 3, 4, 5, 6), "3": ranked(11, 12)}
    values = {
        name: matrix.values[:, 0].tolist() for name, matrix in evaluate(qrels, run, ["SetP", "SetR", "SetF"]).items()
    }
    assert values["SetP"] == pytest.approx([1 / 4, 1 / 3, 0], **EXACT)
    assert values["SetR"] == pytest.approx([1 / 2, 1, 0], **EXACT)
    assert values["SetF"] == pytest.approx([1 / 3, 1 / 2, 0], **EXACT)
