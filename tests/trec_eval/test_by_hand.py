"""A collection small enough for pencil and paper: every measure, every flag that changes a value."""

from __future__ import annotations

from pathlib import Path

import pytest

from cranfield import DataError
from cranfield.trec_eval.arguments import parse_arguments
from cranfield.trec_eval.evaluation import trec_eval

QRELS = "1 0 a 1\n1 0 b 2\n1 0 c 0\n1 0 d 1\n1 0 e -1\n2 0 f 1\n10 0 g 0\n"
RUN = """\
10 Q0 y 1 3 bm25
1 Q0 b 1 0.5 bm25
1 Q0 c 1 2 bm25
1 Q0 a 1 3 bm25
1 Q0 x 1 3 bm25
1 Q0 e 1 1 bm25
"""
"""Topic 1 ranks x (unjudged; its id breaks the tie with a), a, c, e (in the pool, not judged), b; R = 3."""

TOPIC_1 = {
    "num_ret": "5",
    "num_rel": "3",
    "num_rel_ret": "2",
    "map": "0.3000",  # (1/2 + 2/5) / 3
    "Rprec": "0.3333",
    "bpref": "0.3333",  # (1 + 0) / 3: c stands above b, and N = 1
    "recip_rank": "0.5000",
    "iprec_at_recall_0.00": "0.5000",
    "iprec_at_recall_0.40": "0.5000",  # round(1.2) = 1 relevant document
    "iprec_at_recall_0.50": "0.4000",  # round(1.5) = 2
    "iprec_at_recall_0.90": "0.0000",  # round(2.7) = 3, never reached
    "P_5": "0.4000",
    "P_10": "0.2000",
    "relstring": "'-10.2'",
    "recall_5": "0.6667",
    "infAP": "0.3333",  # (1/2 + 1/5 + 4/5 · 3/4 · 1/2) / 3
    "Rprec_mult_0.20": "0.0000",  # rank ⌊0.6 + 0.9⌋ = 1
    "Rprec_mult_0.40": "0.5000",  # rank 2
    "Rprec_mult_2.00": "0.3333",  # rank 6
    "utility": "-1.0000",
    "11pt_avg": "0.3727",  # (5 · 0.5 + 4 · 0.4) / 11
    "binG": "0.3539",  # (1/log2 3 + 1/log2 5) / 3
    "G": "0.3403",  # (1/log2(2+3-1) + 2/log2(2+6-3)) / 4
    "dcg": "1.4046",  # 1/log2 3 + 2/log2 6
    "ideal_dcg": "3.1309",  # 2 + 1/log2 3 + 1/2
    "ndcg": "0.4486",
    "ndcg_rel": "0.3790",  # (0.6309/2.6309 + 2 · 0.4486) / 3
    "Rndcg": "0.2167",  # (0 + 0.6309/3.1309 + 0.4486) / 3
    "ndcg_cut_5": "0.4486",
    "map_cut_5": "0.3000",
    "relative_P_5": "0.6667",
    "success_1": "0.0000",
    "success_5": "1.0000",
    "set_P": "0.4000",
    "set_relative_P": "0.6667",
    "set_recall": "0.6667",
    "set_map": "0.2667",
    "set_F": "0.5000",
    "num_nonrel_judged_ret": "1",
    "yaap": "-0.4895",  # ln(1.9 / 3.1)
    "rbp": "0.1106",  # 0.1 · (0.5 · 0.9 + 1 · 0.9^4)
    "rbp_resid": "0.7634",  # 0.1 · (1 + 0.9^3) + 0.9^5
    "unj_5": "0.4000",
    "unj_10": "0.2000",
}


@pytest.fixture
def files(tmp_path: Path) -> list[str]:
    (tmp_path / "qrels").write_text(QRELS)
    (tmp_path / "run").write_text(RUN)
    return [str(tmp_path / "qrels"), str(tmp_path / "run")]


def lines(files: list[str], *flags: str) -> list[tuple[str, ...]]:
    text = trec_eval(parse_arguments([*flags, *files])).text
    return [tuple(part.strip() for part in line.split("\t")) for line in text.splitlines()]


def values(files: list[str], topic: str, *flags: str) -> dict[str, str]:
    return {name: value for name, at, value in lines(files, *flags) if at == topic}


EVERYTHING = ("-m", "all_trec", "-m", "dcg", "-m", "ideal_dcg", "-m", "yaap")


def test_every_measure(files: list[str]) -> None:
    found = values(files, "1", "-q", *EVERYTHING)
    assert {name: found[name] for name in TOPIC_1} == TOPIC_1


def test_the_form_of_the_lines(files: list[str]) -> None:
    text = trec_eval(parse_arguments(["-q", "-m", "num_ret", "-m", "map", "-m", "runid", *files])).text
    assert text == (
        "num_ret               \t1\t5\n"
        "map                   \t1\t0.3000\n"
        "num_ret               \t10\t1\n"
        "map                   \t10\t0.0000\n"
        "runid                 \tall\tbm25\n"
        "num_ret               \tall\t6\n"
        "map                   \tall\t0.1500\n"
    )


def test_topics_stand_in_byte_order_and_missing_ones_count_0_with_c(files: list[str]) -> None:
    per_topic = lines(files, "-q", "-c", "-n", "-m", "map")
    assert per_topic == [("map", "1", "0.3000"), ("map", "10", "0.0000"), ("map", "2", "0.0000")]
    summary = values(files, "all", "-c", *EVERYTHING)
    assert summary["num_q"] == "3"
    assert summary["num_rel"] == "4"
    assert summary["map"] == "0.1000"
    assert summary["gm_map"] == "0.0003"  # (0.3 · 0.00001²)^(1/3)
    missing = values(files, "2", "-q", "-c", *EVERYTHING)
    assert missing.pop("num_rel") == "1"
    assert missing.pop("ideal_dcg") == "1.0000"
    assert missing.pop("yaap") == "-0.6931"  # ln(1/2)
    assert missing.pop("relstring") == "''"
    assert set(missing.values()) == {"0", "0.0000"}


def test_missing_topics_are_left_out_and_named(files: list[str]) -> None:
    printed = trec_eval(parse_arguments(["-m", "num_q", "-m", "gm_map", *files]))
    assert printed.text == "num_q                 \tall\t2\ngm_map                \tall\t0.0017\n"
    assert printed.notes == ("dropped, because the run lacks them: 2; -c scores them 0",)


def test_the_relevance_level(files: list[str]) -> None:
    found = values(files, "1", "-q", "-l2", *EVERYTHING)
    assert [found[name] for name in ("num_rel", "map", "P_5", "recip_rank")] == ["1", "0.2000", "0.2000", "0.2000"]
    assert found["ndcg"] == TOPIC_1["ndcg"]
    assert found["relstring"] == TOPIC_1["relstring"]
    assert found["num_nonrel_judged_ret"] == "2"
    # With -c trec_eval counts every level above 0, whatever -l says.
    assert values(files, "all", "-l2", "-c", "-m", "num_rel") == {"num_rel": "4"}


def test_the_first_documents_and_judged_documents_only(files: list[str]) -> None:
    first = values(files, "1", "-q", "-M2", *EVERYTHING)
    assert [first[name] for name in ("num_ret", "map", "P_5", "relstring")] == ["2", "0.1667", "0.2000", "'-1'"]
    judged = values(files, "1", "-q", "-J", *EVERYTHING)  # a c b
    assert [judged[name] for name in ("num_ret", "map", "relstring")] == ["3", "0.5556", "'102'"]
    assert [judged[name] for name in ("unj_5", "rbp_resid")] == ["0.0000", "0.0000"]
    both = values(files, "1", "-q", "-M", "4", "-J", "-m", "relstring")  # first cut, then judged
    assert both == {"relstring": "'10'"}
    printed = trec_eval(parse_arguments(["-J", *files]))
    assert "nan" not in printed.text
    assert printed.notes[1] == (
        "-J leaves topics without documents; there iprec_at_recall and 11pt_avg are 0 (nan in trec_eval)"
    )


def test_parameters(files: list[str]) -> None:
    found = lines(files, "-q", "-n", "-D", "0.1", "-m", "P.2,1", "-m", "utility.2,-1,-3,0.5", "-N", "100",
                  "-m", "set_F.0.5", "-m", "relstring.2", "-m", "11pt_avg.0.2,0.5,0.8", "-m", "ndcg.2=5",
                  "-m", "Rprec_mult.0.4", "-m", "iprec_at_recall.0.5", "-m", "rbp.p=0.5")  # fmt: skip
    assert found == [
        ("iprec_at_recall_0.50", "1", "0.4000"),
        ("P_1", "1", "0.0000"),
        ("P_2", "1", "0.5000"),
        ("relstring_2", "1", "'-1'"),
        ("Rprec_mult_0.40", "1", "0.5000"),
        ("utility_2,-1,-3,0.5", "1", "45.0000"),  # 4 - 3 - 3 + 0.5 · (100 + 2 - 5 - 3)
        ("11pt_avg_0.2,0.5,0.8", "1", "0.4333"),
        ("ndcg_2=5", "1", "0.4184"),  # (0.6309 + 5/log2 6) / (5 + 0.6309 + 0.5)
        ("set_F_0.5", "1", "0.4615"),  # 1.5 · 0.4 · 0.6667 / (0.5 · 0.4 + 0.6667)
        ("rbp_p=0.5", "1", "0.1562"),  # 0.5 · (0.5 · 0.5 + 0.5^4)
    ]


def test_one_topic_of_all(files: list[str]) -> None:
    """With -c the means stay those of all three topics of the qrels, the others counting 0 (0.00001 in gm_map)."""
    wanted = ["-D", "0.1", "-m", "map", "-m", "gm_map", "-m", "num_q", "-m", "num_rel"]
    assert values(files, "all", *wanted) == {"num_q": "1", "num_rel": "3", "map": "0.3000", "gm_map": "0.3000"}
    complete = {"num_q": "3", "num_rel": "4", "map": "0.1000", "gm_map": "0.0003"}  # (0.3 · 0.00001²)^(1/3)
    assert values(files, "all", "-c", *wanted) == complete


def test_z_scores(files: list[str], tmp_path: Path) -> None:
    (tmp_path / "z").write_text("1 map 0.2 0.1\n10 map 0.5 0.25\n1 num_ret 5 0\n10 num_ret 3 0\n1 P_5 0.9 0.5\n")
    found = lines(files, "-q", "-Z", str(tmp_path / "z"), "-m", "map", "-m", "num_ret", "-m", "num_q", "-m", "gm_map",
                  "-m", "runid", "-m", "P.5", "-m", "relstring")  # fmt: skip
    assert found == [
        ("Znum_ret", "1", "0.0000"),  # sd 0, at the mean
        ("Zmap", "1", "1.0000"),
        ("ZP_5", "1", "-1.0000"),
        ("relstring", "1", "'-10.2'"),
        ("Znum_ret", "10", "-1000000.0000"),  # sd 0, away from it
        ("Zmap", "10", "-2.0000"),
        ("ZP_5", "10", "-1000000.0000"),  # no mean given
        ("relstring", "10", "'-'"),
        ("runid", "all", "bm25"),
        ("Znum_q", "all", "2.0000"),
        ("Znum_ret", "all", "-1000000.0000"),
        ("Zmap", "all", "-0.5000"),
        ("Zgm_map", "all", "0.0000"),
        ("ZP_5", "all", "-500000.5000"),
    ]
    assert trec_eval(parse_arguments(["-Z", str(tmp_path / "z"), "-m", "map", *files])).text.startswith("Zmap  ")


def test_standardise_fit_writes_what_z_reads(files: list[str], tmp_path: Path) -> None:
    from cranfield import ScoreMatrix, fit_standardisation

    raw = ScoreMatrix([[0.1, 0.3], [0.2, 0.6]], ["1", "10"], ["one", "two"], "AP")
    fit_standardisation(raw).save(tmp_path / "f.zscores")
    assert values(files, "1", "-q", "-Z", str(tmp_path / "f.zscores"), "-m", "map") == {"Zmap": "0.7071"}


def test_no_topic_in_common(files: list[str]) -> None:
    with pytest.raises(
        DataError, match=r"^no topic has both judgments and results \(-D evaluates topic 7 alone\); the"
    ):
        trec_eval(parse_arguments(["-D", "0.7", *files]))


def test_odd_topic_names(tmp_path: Path) -> None:
    (tmp_path / "q").write_text("100% 0 a 1\n%s 0 a 1\n")
    (tmp_path / "r").write_text("100% Q0 a 1 1 t\n%s Q0 a 1 1 t\n")
    assert lines([str(tmp_path / "q"), str(tmp_path / "r")], "-q", "-m", "map") == [
        ("map", "%s", "1.0000"),
        ("map", "100%", "1.0000"),
        ("map", "all", "1.0000"),
    ]
