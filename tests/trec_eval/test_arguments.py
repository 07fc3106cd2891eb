"""trec_eval's command line: what it takes, and what is said about the rest."""

from __future__ import annotations

from pathlib import Path

import pytest

from cranfield import ArgumentError
from cranfield.measures.aliases import TREC_MEASURES
from cranfield.trec_eval.arguments import parse_arguments
from cranfield.trec_eval.measures import SETS, choose
from support import Type

FILES = ["qrels", "run"]


@pytest.mark.parametrize(
    "words",
    [
        ["-q", "-c", "-l", "2", "-m", "P.5,10", "-m", "map", *FILES],
        ["-qcl2", "-mP.5,10", "-mmap", *FILES],
        ["qrels", "-cq", "run", "--level_for_rel=2", "--measure", "P.5,10", "--meas=map"],
        ["--query_eval_wanted", "--complete_rel_info_wanted", "-l", "2", "-m", "P.5,10", "-m", "map", "--", *FILES],
    ],
)
def test_every_way_to_write_flags(words: list[str]) -> None:
    options = parse_arguments(words)
    assert (options.topics, options.complete, options.level, options.measures) == (True, True, 2, ("P.5,10", "map"))
    assert (options.qrels, options.run) == ("qrels", "run")


def test_the_other_flags() -> None:
    options = parse_arguments(["-n", "-J", "-M3", "-N", "9", "-Z", "z", "-D", "2.301", "-o", "-R", "qrels", *FILES])
    assert (options.no_summary, options.judged_only, options.most, options.documents) == (True, True, 3, 9)
    assert (options.zscores, options.only_topic) == ("z", "301")
    assert options.notes == ("-D 2.301: trec_eval's debug lines are not printed",)


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["-x", *FILES], "trec_eval has no flag -x; it has -h -v -q -n -m -c -l -M -J -N -Z -D -R -T -o"),
        (["--frob", *FILES], "trec_eval has no flag --frob; it has -h -v -q -n -m -c -l -M -J -N -Z -D -R -T -o"),
        (["qrels", "run", "-l"], "trec_eval -l: option -l requires argument"),
        (["-l", "high", *FILES], "trec_eval -l: expected a whole number, found 'high'"),
        (["-l", "0", *FILES], "trec_eval -l: must be at least 1; got 0"),
        (["-M", "0", *FILES], "trec_eval -M: must be at least 1; got 0"),
        (["-T", "x", *FILES], "trec_eval -T x: no such format; known: trec_results"),
        (["-M", "9" * 30, *FILES], f"trec_eval -M: must be at most 2147483647; got {'9' * 30}"),
        (["-l", "9" * 5000, *FILES], f"trec_eval -l: expected a whole number, found '{'9' * 5000}'"),
        (
            ["-R", "pref", *FILES],
            "trec_eval -R pref: no such format; known: qrels, prefs, qrels_prefs, qrels_jg",
        ),
        (
            ["qrels"],
            "trec_eval takes judgments and a run; found 1 file. Usage: cranfield trec_eval [-h] [-q] [-n] [-c] "
            "[-l LEVEL] [-m MEASURE]… [-M N] [-J] [-N N] [-Z FILE] [-R FORMAT] QRELS RUN…",
        ),
    ],
)
def test_wrong_flags_are_named(words: list[str], message: str) -> None:
    with pytest.raises(ArgumentError) as error:
        parse_arguments(words)
    assert str(error.value) == message


def test_sets_of_measures() -> None:
    names = [measure.name for measure in choose([])[0]]
    assert names == [
        "runid", "num_q", "num_ret", "num_rel", "num_rel_ret", "map", "gm_map", "Rprec", "bpref", "recip_rank",
        "iprec_at_recall", "P",
    ]  # fmt: skip
    assert [m.name for m in choose(["set"])[0]][5:] == [
        "utility", "set_P", "set_relative_P", "set_recall", "set_map", "set_F",
    ]  # fmt: skip
    assert len(SETS["all_trec"]) == 37
    assert len(TREC_MEASURES) == 57


@pytest.mark.parametrize(
    ("texts", "printed"),
    [
        (["P_10"], ["P.10"]),
        (["nDCG@5", "nDCG@10"], ["ndcg_cut.5,10"]),
        (["MAP", "map"], ["map"]),
        (["mrr", "Bpref"], ["bpref", "recip_rank"]),
        (["iprec_at_recall_0.20"], ["iprec_at_recall.0.20"]),
        (["GMAP"], ["gm_map"]),
        (["P", "P.3"], ["P.3"]),
    ],
)
def test_names_are_looked_up_as_everywhere(texts: list[str], printed: list[str]) -> None:
    chosen, notes = choose(texts)
    assert [f"{m.name}.{m.parameters}" if m.given else m.name for m in chosen] == printed
    assert notes == []


def test_what_trec_eval_passes_over_is_said() -> None:
    chosen, notes = choose(["P.5", "P.10", "map.3", "official.1"])
    assert next(m for m in chosen if m.name == "P").numbers == (5.0,)
    assert notes == [
        "-m P.10 is ignored, as in trec_eval: the first parameters given for P count; write -m P.5,10",
        "-m map.3: map takes no parameters; '3' is ignored, as in trec_eval",
        "-m official.1: official takes no parameters; '1' is ignored, as in trec_eval",
    ]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("mpa", "unknown measure 'mpa'. Did you mean 'map' or 'P'?"),
        ("ERR@10", "trec_eval -m ERR@10: trec_eval has no such measure; `cranfield evaluate --trec -m ERR@10` prints"),
        ("AP(rel=2)", "trec_eval -m AP(rel=2): the relevance level is set for all measures; write -l 2"),
        ("P.0", "-m P.0: ranks start at 1, decimals at 0"),
        ("P.5,5", "-m P.5,5: a parameter is given twice"),
        ("P.5,x", "-m P.5,x: expected a rank, found 'x'"),
        ("P.99999999999", "-m P.99999999999: expected a rank, found '99999999999'"),
        ("Rprec_mult.nan", "-m Rprec_mult.nan: expected a number, found 'nan'"),
        ("utility.1,inf,0,0", "-m utility.1,inf,0,0: expected a number, found 'inf'"),
        ("ndcg.1=nan", "-m ndcg.1=nan: expected level=gain pairs such as 1=3.5,2=9, found '1=nan'"),
        ("utility.1,2", "-m utility.1,2: utility takes 4 numbers; got 2"),
        ("iprec_at_recall.2", "-m iprec_at_recall.2: recall lies between 0 and 1"),
        ("ndcg.5", "-m ndcg.5: expected level=gain pairs such as 1=3.5,2=9, found '5'"),
        ("prefs_pair", "trec_eval -m prefs_pair: needs judgments in the format prefs or qrels_prefs; add -R prefs"),
        (
            "all_prefs",
            "trec_eval -m all_prefs: prefs_num_prefs_poss needs judgments in the format prefs or qrels_prefs",
        ),
        ("map_avgjg", "trec_eval -m map_avgjg: needs judgments in the format qrels_jg; add -R qrels_jg"),
    ],
)
def test_wrong_measures_are_explained(text: str, message: str) -> None:
    with pytest.raises(ArgumentError) as error:
        choose([text])
    assert str(error.value).startswith(message)


def test_gains_that_cannot_be_given(tmp_path: Path, cranfield: Type) -> None:
    Path("q").write_text("1 0 a 1\n")
    Path("r").write_text("1 Q0 a 1 1 t\n")
    done = cranfield("trec_eval", "-m", "ndcg.0=1", "q", "r")
    assert done.exit_code == 2
    assert done.stderr == (
        "error: -m ndcg.0=1: gains need levels from 1 and must not be negative; found 0=1. Change the levels "
        "in the qrels instead\n"
    )
    done = cranfield("trec_eval", "-m", "ndcg.2000000000=1", "q", "r")
    said = "error: -m ndcg: only levels of up to 4 digits may have a gain; found '2000000000'\n"
    assert (done.exit_code, done.stderr) == (2, said)
    Path("q").write_text("1 0 a 2000000000\n")
    done = cranfield("trec_eval", "-m", "ndcg.1=3", "q", "r")
    assert done.stderr == (
        "error: the judgments go up to level 2,000,000,000; named gains need levels of up to 4 digits. "
        "Omit the gains from -m ndcg\n"
    )


def test_the_command(cranfield: Type) -> None:
    Path("q").write_text("1 0 a 1\n2 0 a 1\n")
    Path("r").write_text("1 Q0 a 1 1 tag more words\n")
    done = cranfield("trec_eval", "-m", "map", "q", "r")
    assert (done.exit_code, done.stdout) == (0, "map                   \tall\t1.0000\n")
    assert done.stderr == "note: dropped, because the run lacks them: 2; -c scores them 0\n"
    done = cranfield("trec_eval", "-m", "map", "q", "-", stdin=b"1 Q0 a 1 1 tag\n")
    assert done.stdout == "map                   \tall\t1.0000\n"
    done = cranfield("trec_eval", "--frob", "q", "r")
    assert (done.exit_code, done.stdout) == (2, "")
    assert done.stderr.startswith("error: trec_eval has no flag --frob;")
    done = cranfield("trec_eval", "q", "nothing")
    assert done.exit_code == 1
    assert "nothing" in done.stderr


def test_help_and_version(cranfield: Type) -> None:
    done = cranfield("trec_eval", "-h")
    assert done.exit_code == 0
    for name in (*TREC_MEASURES, *SETS, "-q", "-Z FILE"):
        assert f"\n  {name}" in done.stdout
    named = cranfield("trec_eval", "-h", "-m", "bpref").stdout
    assert "judged non-relevant" in named
    assert "recip_rank   " not in named.partition("Measures:")[2]
    assert cranfield("trec_eval", "-v").stdout.endswith("as trec_eval 10.0\n")
    assert "trec_eval" in cranfield("--help").stdout
