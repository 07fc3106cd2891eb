"""Scores per topic equal those of trec_eval, NTCIREVAL and ndeval on real collections (../shared)."""

from __future__ import annotations

import csv
from pathlib import Path

import pytest

from cranfield import Qrels, Scores, evaluate, parse_measure, read_qrels
from cranfield.collection.intents import read_intents
from cranfield.core.defaults import RankingOrder
from cranfield.core.files import system_name
from cranfield.trec_eval.evaluation import trec_lines
from support import SHARED, needs_shared

pytestmark = [needs_shared, pytest.mark.filterwarnings("ignore:.*judged .lowest:cranfield.CranfieldWarning")]
EXACT = 1e-12
FOUR_DIGITS = 0.5e-4 + 1e-12

COVID = SHARED / "data/runs/trec-covid-r5"
WWW = SHARED / "data/runs/ntcir-www4"
WEB = SHARED / "data/runs/trec-web2012-diversity"
FIXTURES = SHARED / "data/fixtures"

NTCIR_NAMES = {
    "RR": "RR",
    "P-plus": "P+",
    "AP": "AP(tool=ntcir)",
    "Q-measure": "Q",
    "RBP": "RBP(p=0.95)",
    "ERR": "ERR",
    "P-plus@0010": "P+@10",
    "RR@0010": "RR@10",
    "nG@0001": "nG@1",
    "EBR": "EBR",
    "iRBU": "iRBU",
    "NCUrb,P": "NCUrb-P",
    "NCUrb,BR": "NCUrb-BR",
    "O-measure": "O-measure",
    "P-measure": "P-measure",
    "O-measure@0010": "O-measure@10",
    "P-measure@0010": "P-measure@10",
}
for _k in ("0001", "0010", "1000"):
    NTCIR_NAMES |= {
        f"AP@{_k}": f"AP(tool=ntcir)@{int(_k)}",
        f"Q@{_k}": f"Q@{int(_k)}",
        f"nDCG@{_k}": f"nDCG(tool=ntcir)@{int(_k)}",
        f"MSnDCG@{_k}": f"nDCG@{int(_k)}",
        f"Prec@{_k}": f"P@{int(_k)}",
        f"RBP@{_k}": f"RBP(p=0.95)@{int(_k)}",
        f"ERR@{_k}": f"ERR@{int(_k)}",
        f"nERR@{_k}": f"nERR@{int(_k)}",
        f"EBR@{_k}": f"EBR@{int(_k)}",
        f"nEBR@{_k}": f"nEBR@{int(_k)}",
        f"iRBU@{_k}": f"iRBU@{int(_k)}",
        f"niRBU@{_k}": f"niRBU@{int(_k)}",
        f"nRBP@{_k}": f"nRBP(p=0.95)@{int(_k)}",
        f"Hit@{_k}": f"Success@{int(_k)}",
    }


def rows(path: Path) -> list[dict[str, str]]:
    with path.open() as stream:
        return list(csv.DictReader(stream))


def score(qrels: Path | Qrels, runs: Path | list[Path], names: dict[str, str], **options: object) -> Scores:
    return evaluate(qrels, runs, list(names.values()), **options)  # type: ignore[arg-type]


def check(reference: Path, names: dict[str, str], scores: Scores, gains: str | None, tolerance: float) -> None:
    checked = 0
    for row in rows(reference):
        if row["measure"] not in names:
            continue
        measure = parse_measure(names[row["measure"]])
        name = str(measure.with_defaults({"gains": gains}) if gains else measure)
        matrix = scores[name]
        ours = matrix.values[matrix.topics.index(row["topic"]), matrix.systems.index(row["run"])]
        assert ours == pytest.approx(float(row["value"]), abs=tolerance, rel=0), row
        checked += 1
    assert checked > 100 * len(names) / 50


def runs_of(folder: Path, reference: Path) -> list[Path]:
    return [folder / "runs" / f"{name}.gz" for name in sorted({row["run"] for row in rows(reference)})]


def test_trec_covid_per_topic_as_pytrec_eval() -> None:
    reference = COVID / "trec_eval_per_topic.csv"
    names = {row["measure"] for row in rows(reference)} - {"gm_map"}
    assert len(names) == 16
    same = {name: name for name in names}
    scores = score(COVID / "qrels.txt", runs_of(COVID, reference), same, single_precision=True)
    check(reference, same, scores, None, EXACT)


def test_trec_covid_rbp() -> None:
    reference = COVID / "rbp_p5_per_topic.csv"
    names = {"rbp_p5": "RBP(p=0.5)"}
    scores = score(COVID / "qrels.txt", runs_of(COVID, reference), names, single_precision=True)
    check(reference, names, scores, None, EXACT)


def test_trec_covid_leaderboard_and_means() -> None:
    names = {
        "map": "AP", "P_5": "P@5", "P_10": "P@10", "P_20": "P@20", "recall_100": "R@100", "recall_1000": "R@1000",
        "ndcg": "nDCG", "ndcg_cut_10": "nDCG@10", "ndcg_cut_20": "nDCG@20", "recip_rank": "RR", "Rprec": "Rprec",
        "bpref": "Bpref", "infAP": "infAP", "rbp_p5": "RBP(p=0.5)",
    }  # fmt: skip
    scores = score(COVID / "qrels.txt", COVID / "runs", names, single_precision=True)
    means = {name: dict(zip(scores[n].systems, scores[n].system_means, strict=True)) for name, n in names.items()}
    for row in rows(COVID / "means_full_precision.csv"):
        for name in names:
            assert means[name][system_name(row["tag"])] == pytest.approx(float(row[name]), abs=EXACT, rel=0), (
                row["tag"],
                name,
            )
    board = {"ndcg@20": "ndcg_cut_20", "P@20": "P_20", "rbp_p5": "rbp_p5", "bpref": "bpref", "map": "map"}
    printed = rows(COVID / "leaderboard_expected.csv")
    assert len(printed) == 40
    for row in printed:
        for theirs, ours in board.items():
            assert means[ours][system_name(row["tag"])] == pytest.approx(float(row[theirs]), abs=FOUR_DIGITS), (
                row["tag"],
                theirs,
            )


@pytest.mark.parametrize(("reference", "order"), [("file_order", "file"), ("trec_order", "score")])
def test_trec_covid_as_ntcireval(reference: str, order: RankingOrder) -> None:
    path = COVID / f"ntcireval_per_topic_{reference}.csv"
    scores = score(
        COVID / "qrels.txt", runs_of(COVID, path), NTCIR_NAMES, gains="1:3", order=order, single_precision=True
    )
    check(path, NTCIR_NAMES, scores, "1:3", EXACT)


@pytest.mark.filterwarnings("ignore:.*markup line")
@pytest.mark.parametrize(("reference", "tolerance"), [("ntcireval_per_topic", EXACT), ("official_nev", FOUR_DIGITS)])
def test_www4_as_ntcireval(reference: str, tolerance: float) -> None:
    path = WWW / f"{reference}.csv"
    scores = score(WWW / "qrels.ntcir.gz", runs_of(WWW, path), NTCIR_NAMES, gains="1:2", order="file")
    check(path, NTCIR_NAMES, scores, "1:2", tolerance)


NDEVAL = [
    f"{name}@{k}" for name in ("ERR-IA", "nERR-IA", "alpha-DCG", "alpha-nDCG", "P-IA", "strec") for k in (5, 10, 20)
]
NDEVAL += ["NRBP", "nNRBP", "MAP-IA"]


@pytest.mark.parametrize(("reference", "order"), [("rank_order", "rank"), ("trec_order", "score")])
def test_web2012_as_ndeval(reference: str, order: RankingOrder) -> None:
    path = WEB / f"ndeval_{reference}.csv"
    names = {name: name for name in NDEVAL}
    assert set(names) == {row["measure"] for row in rows(path)}
    check(path, names, score(WEB / "qrels.diversity.txt.gz", WEB / "runs", names, order=order), None, EXACT)


D_MEASURES = {"I-rec@10": "I-rec@10"}
D_MEASURES |= {f"{name}@10": f"{name}@10" for name in ("D-nDCG", "D-Q", "D#-nDCG", "D#-Q")}


@pytest.mark.parametrize(
    ("reference", "order", "intents", "tolerance"),
    [
        ("dmeasures_rank_order", "rank", False, EXACT),
        ("dmeasures_trec_order", "score", False, EXACT),
        ("dmeasures_published_pipeline_4dp", "file", True, 1.01e-4),
    ],
)
def test_web2012_d_measures_as_ntcireval(reference: str, order: RankingOrder, intents: bool, tolerance: float) -> None:
    path = WEB / f"{reference}.csv"
    chances = read_intents(WEB / "Iprob.txt") if intents else None
    qrels = WEB / "qrels.diversity.txt.gz"
    scores = score(qrels, WEB / "runs", D_MEASURES, order=order, gains="exp", intents=chances)
    check(path, D_MEASURES, scores, "exp", tolerance)


def test_ntcireval_sample_d_measures() -> None:
    folder = FIXTURES / "ntcireval-sample"
    scores = evaluate(
        folder / "Dtest.Dqrels",
        folder / "TRECRUN",
        list(D_MEASURES.values()),
        order="file",
        intents=folder / "Dtest.Iprob",
        gains="linear",
    )
    check(folder / "expected_dmeasures_full_precision.csv", D_MEASURES, scores, None, EXACT)


def test_ntcireval_sample_ad_hoc() -> None:
    folder = FIXTURES / "ntcireval-sample"
    scores = score(folder / "test.qrels", [folder / "TRECRUN"], NTCIR_NAMES, order="file", gains="1:2")
    printed = [row for row in rows(folder / "expected_printed_4dp.csv") if row["source"] == "nev"]
    checked = 0
    for row in printed:
        theirs = row["measure"].replace("P@", "Prec@")
        if theirs in NTCIR_NAMES:
            matrix = scores[str(parse_measure(NTCIR_NAMES[theirs]).with_defaults({"gains": "1:2"}))]
            ours = matrix.values[matrix.topics.index(row["topic"]), 0]
            assert ours == pytest.approx(float(row["value"]), abs=FOUR_DIGITS), row
            checked += 1
    assert checked > 40


def test_trecvid_inferred_ap() -> None:
    folder = FIXTURES / "trecvid-avs21"
    import gzip

    import polars as pl

    lines = [line.split() for line in gzip.open(folder / "qrels.stratified.txt.gz", "rt")]
    frame = pl.DataFrame(
        [[topic, "0", shot, int(level)] for topic, _, shot, _, level in lines],
        schema={"topic": pl.String, "subtopic": pl.String, "document": pl.String, "relevance": pl.Int32},
        orient="row",
    )
    reference = folder / "infap_trec_eval.csv"
    names = {row["measure"]: row["measure"] for row in rows(reference)}
    scores = score(Qrels(frame), [folder / "run.gz"], names, single_precision=True)
    for row in rows(reference):
        matrix = scores[str(parse_measure(row["measure"]))]
        ours = matrix.values[matrix.topics.index(row["topic"]), 0]
        assert ours == pytest.approx(float(row["value"]), abs=EXACT, rel=0), row


TREC_EVAL = [
    "num_ret", "num_rel", "num_rel_ret", "map", "Rprec", "bpref", "recip_rank", "infAP", "ndcg", "set_P", "set_recall",
    "set_F",
]  # fmt: skip
TREC_EVAL += [f"P_{k}" for k in (5, 10, 15, 20, 30, 100, 200, 500, 1000)]
TREC_EVAL += [f"{name}_{k}" for name in ("recall", "ndcg_cut", "map_cut") for k in (5, 10, 100, 1000)]
TREC_EVAL += [f"success_{k}" for k in (1, 5, 10)]


@pytest.mark.filterwarnings("ignore:.*no document for:cranfield.CranfieldWarning")
@pytest.mark.filterwarnings("ignore:.*fields after the run tag:cranfield.CranfieldWarning")
@pytest.mark.parametrize(
    ("output", "qrels", "run", "level", "extra"),
    [
        ("out.test.aq", "qrels.test", "results.test", 1, ["rbp"]),
        ("out.test.aqc", "qrels.test", "results.trunc", 1, ["rbp"]),
        ("out.test.aql", "qrels.rel_level", "results.test", 2, []),
    ],
)
def test_trec_eval_prints_the_same_lines(output: str, qrels: str, run: str, level: int, extra: list[str]) -> None:
    folder = FIXTURES / "trec_eval"
    wanted = TREC_EVAL + extra
    scores = evaluate(folder / qrels, folder / run, wanted, level=level, lenient=True)
    ours = list(trec_lines(scores, run, topics=True))
    theirs = [line for line in (folder / output).read_text().splitlines() if line.split()[0] in wanted]
    assert ours == theirs


def test_double_precision_is_trec_eval_10() -> None:
    """With doubles, two printed values of a run whose scores tie only in 32-bit floats differ from the leaderboard."""
    run = COVID / "runs/udel_fang_ltr_split.gz"
    qrels = read_qrels(COVID / "qrels.txt")
    single = evaluate(qrels, run, ["nDCG@20"], single_precision=True).only().values
    double = evaluate(qrels, run, ["nDCG@20"]).only().values
    assert abs(single - double).max() > 1e-4
