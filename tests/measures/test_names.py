"""Measure names: one spelling each, parameters checked, mistakes explained."""

from __future__ import annotations

import pickle
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from cranfield import ArgumentError, DataError, Measure, UnknownNameError, evaluate, parse_measure
from cranfield.measures import registry
from cranfield.measures.aliases import NO_SCORE, TREC_NAMES, plain, trec_name
from cranfield.measures.names import look_up, parse_measures, recognise
from cranfield.measures.ranking import JudgedRanking
from cranfield.measures.registry import find, known_names, measure
from small_collections import qrels_of, run_of


@pytest.mark.parametrize(
    ("text", "canonical"),
    [
        ("AP", "AP"),
        ("map", "AP"),
        ("MAP", "AP"),
        ("map_cut_100", "AP@100"),
        ("AP(rel=2)", "AP(rel=2)"),
        ("AP(rel=1)", "AP"),
        ("AP(tool=ntcir, rel=2)@10", "AP(rel=2,tool=ntcir)@10"),
        ("AP(rel=2,tool=ntcir) @ 10", "AP(rel=2,tool=ntcir)@10"),
        ("P_10", "P@10"),
        ("P.10", "P@10"),
        ("ndcg_cut.10", "nDCG@10"),
        ("ndcg_cut@10", "nDCG@10"),
        ("P@10", "P@10"),
        ("recall_1000", "R@1000"),
        ("recip_rank", "RR"),
        ("MRR@10", "RR@10"),
        ("ndcg", "nDCG"),
        ("NDCG@10", "nDCG@10"),
        ("ndcg_cut_10", "nDCG@10"),
        ("ndcg_at_10", "nDCG@10"),
        ("map_at_100", "AP@100"),
        ("recall_at_100", "R@100"),
        ("precision_at_1", "P@1"),
        ("mrr_at_10", "RR@10"),
        ("hit_rate_at_5", "Success@5"),
        ("MSnDCG@10", "nDCG@10"),
        ("nDCG(dcg='exp-log2')@10", "nDCG(gains=exp)@10"),
        ("nDCG(gains=1:3.0:7)", "nDCG(gains=1:3:7)"),
        ("bpref", "Bpref"),
        ("infAP", "infAP"),
        ("success_5", "Success@5"),
        ("set_P", "SetP"),
        ("set_recall", "SetR"),
        ("num_rel_ret", "NumRelRet"),
        ("RBP", "RBP"),
        ("RBP(p=.8)", "RBP"),
        ("rbp", "RBP(p=0.9)"),
        ("RBP(p=0.50)", "RBP(p=0.5)"),
        ("alpha_nDCG@10", "alpha-nDCG@10"),
        ("alpha-nDCG(alpha=0.5)@10", "alpha-nDCG@10"),
        ("ERR_IA@20", "ERR-IA@20"),
        ("MAP-IA", "AP-IA"),
        ("StRecall@10", "strec@10"),
        ("d#-ndcg@10", "D#-nDCG@10"),
        ("P-plus", "P+"),
        ("Q-measure@10", "Q@10"),
        ("nG@1", "nG@1"),
        ("NDCG_CUT_10", "nDCG@10"),
        ("Map_Cut.5", "AP@5"),
        ("mrr", "RR"),
        ("F1", "SetF"),
        ("hit_rate@5", "Success@5"),
        ("r-precision", "Rprec"),
        ("Rprec_mult_0.20", "Rprec(multiple=0.2)"),
        ("Rprec_mult_1.00", "Rprec"),
        ("iprec_at_recall_0.10", "IPrec(recall=0.1)"),
        ("iprec_at_recall.0.10", "IPrec(recall=0.1)"),
        ("11pt_avg", "IPrecAvg"),
        ("relative_P_5", "RelP@5"),
        ("set_map", "SetAP"),
        ("unj_20", "Unjudged@20"),
        ("rbp_resid", "RBPresidual(p=0.9)"),
        ("G", "G"),
        ("Rndcg", "RnDCG"),
        ("ndcg_rel", "nDCGrel"),
        ("ideal_dcg", "IDCG"),
        ("num_nonrel_judged_ret", "NumNonrelRet"),
    ],
)
def test_every_spelling_leads_to_one(text: str, canonical: str) -> None:
    found = parse_measure(text)
    assert str(found) == canonical
    assert parse_measure(canonical) == found
    assert hash(parse_measure(canonical)) == hash(found)
    assert pickle.loads(pickle.dumps(found)) == found


def test_every_known_measure_reads_its_own_name_back() -> None:
    for name in known_names():
        definition = find(name)
        text = f"{name}@1" if "cutoff" in definition.parameters else name
        text = f"{name}(recall=0.5)" if name == "IPrec" else text
        assert str(parse_measure(text)) == text
        assert definition.summary.endswith(".")
        if definition.family != "yours":
            assert definition.citation
            assert definition.written.startswith(name)


def test_trec_names_go_there_and_back() -> None:
    numbers = {"cutoff": "_7", "recall": "_0.70", "multiple": "_0.20", "beta": "_0.5", None: ""}
    for name, meant in TREC_NAMES.items():
        text = name + numbers[meant.number]
        assert trec_name(parse_measure(text)) == text
        assert parse_measure(text.upper() if name != "rbp" else text) == parse_measure(text)
        assert parse_measure(text.replace("_", "-") if name == "set_P" else text) == parse_measure(text)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("nDGC@10", "unknown measure 'nDGC'. Did you mean 'nDCG' or 'RnDCG' or 'nG'?"),
        ("recip_rnk", "unknown measure 'recip_rnk'. Did you mean 'recip_rank' or 'Precision' or 'R-precision'?"),
        ("RBP(p=9)", "measure 'RBP(p=9)': `p` must be between 0 and 1, both excluded; got 9"),
        ("RBP(p=x)", "measure 'RBP(p=x)': `p` must be a number; got 'x'"),
        ("P@0", "measure 'P@0': `cutoff` must be at least 1; got 0"),
        ("P@ten", "measure 'P@ten': `cutoff` must be an integer; got 'ten'"),
        ("P", "measure 'P': P needs a cutoff; write P@10 or P(rel=…)@10"),
        ("ndcg_cut", "measure 'ndcg_cut': ndcg_cut needs a cutoff; write ndcg_cut_10"),
        ("map_cut(rel=2)", "measure 'map_cut(rel=2)': map_cut needs a cutoff; write map_cut_10"),
        ("Rprec@10", "measure 'Rprec@10': Rprec has no parameter `cutoff`; write Rprec or Rprec(rel=…,multiple=…)"),
        ("AP(foo=1)", "measure 'AP(foo=1)': AP has no parameter `foo`; write AP or AP(rel=…,tool=…)@10"),
        ("AP(rel=0)", "measure 'AP(rel=0)': `rel` must be at least 1; got 0"),
        ("AP(rel=2,rel=3)", "measure 'AP(rel=2,rel=3)': `rel` is given twice"),
        ("AP(rel)", "measure 'AP(rel)': expected parameter=value in the parentheses, found 'rel'"),
        ("AP(tool=gdeval)", "measure 'AP(tool=gdeval)': `tool` must be one of trec, ntcir; got 'gdeval'"),
        ("AP@10@20", "measure 'AP@10@20': expected NAME, NAME@10 or NAME(parameter=value)@10, as in nDCG@10"),
        ("nG@5", "measure 'nG@5': `cutoff` must be 1; got 5"),
        (
            "Q(gains=3:-1)",
            "measure 'Q(gains=3:-1)': `gains` must be linear, exp or the gains of levels 1, 2, … such as 1:3:7 "
            "(none negative, one positive); got '3:-1'",
        ),
        ("Q(gains=1:1e308)", "measure 'Q(gains=1:1e308)': `gains` must be at most 1e+100; got '1:1e308'"),
        ("Utility(miss=nan)", "measure 'Utility(miss=nan)': `miss` must be a number of magnitude at most 1e+100; got nan"),
        ("Q(beta=1e101)", "measure 'Q(beta=1e101)': `beta` must be a number of magnitude at most 1e+100; got 1e101"),
        ("no_such_module.f", "measure 'no_such_module.f': module 'no_such_module' cannot be imported "
                             "(No module named 'no_such_module')"),
        ("math.tau", "measure 'math.tau' is a float, not a measure; "
                     "decorate a function with cranfield.measures.measure"),
        ("math.nothing", "measure 'math.nothing': module 'math' has no 'nothing'"),
    ],
)  # fmt: skip
def test_mistakes_are_explained(text: str, message: str) -> None:
    with pytest.raises(ArgumentError) as error:
        parse_measure(text)
    assert str(error.value) == message


def test_binary_judgments_need_one_gain_only() -> None:
    assert str(parse_measure("Q(gains=3.0)")) == "Q(gains=3)"


def test_several_in_one_text() -> None:
    assert [str(m) for m in parse_measures(["AP, nDCG(gains=exp, tool=ntcir)@10  P@5", "map", Measure("RR")])] == [
        "AP",
        "nDCG(gains=exp,tool=ntcir)@10",
        "P@5",
        "RR",
    ]
    with pytest.raises(ArgumentError, match="no measure is named; name at least one, such as AP or nDCG@10"):
        parse_measures([])


def test_defaults_fill_only_what_was_left_open() -> None:
    defaults: dict[str, int | float | str] = {"rel": 2, "gains": "1:3"}
    filled = [str(parse_measure(t).with_defaults(defaults)) for t in ("AP", "AP(rel=3)", "Q@10", "RBP", "NumRet")]
    assert filled == ["AP(rel=2)", "AP(rel=3)", "Q(gains=1:3)@10", "RBP(gains=1:3)", "NumRet"]


# ── measures of one's own ─────────────────────────────────────────────────────────────────────────────────

OWN = '''
from cranfield.measures import Cutoff, JudgedRanking, measure

@measure("MeanLevel")
def mean_level(ranking: JudgedRanking, *, cutoff: Cutoff = 10, bonus: float = 0.0):
    """Mean relevance level of the first documents."""
    return ranking.top(cutoff).clip(0).mean(axis=1) + bonus
'''


@pytest.fixture
def scratch_registry(monkeypatch: pytest.MonkeyPatch) -> None:
    """Whatever a test registers is gone afterwards."""
    registry.known_names()  # so that no family registers itself in what is put back
    monkeypatch.setattr(registry, "_DEFINITIONS", dict(registry._DEFINITIONS))
    monkeypatch.setattr(registry, "_ALIASES", dict(registry._ALIASES))


@pytest.mark.usefixtures("scratch_registry")
def test_own_measure_by_dotted_name(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "own_measures.py").write_text(OWN)
    monkeypatch.chdir(tmp_path)
    qrels = qrels_of([("1", "0", "a", 2), ("1", "0", "b", 1)])
    run = run_of([("1", "a", 3), ("1", "x", 2), ("1", "b", 1)])
    scores = evaluate(qrels, run, ["own_measures.mean_level@2", "own_measures.mean_level(bonus=1)"])
    assert list(scores) == ["MeanLevel@2", "MeanLevel(bonus=1.0)"]
    assert [m.values.tolist() for m in scores.values()] == [[[1.0]], [[1.3]]]
    assert str(parse_measure("MeanLevel@10")) == "MeanLevel"
    with pytest.raises(UnknownNameError, match="Did you mean 'MeanLevel'"):
        parse_measure("MeanLevle")


@pytest.mark.parametrize(
    ("code", "why"),
    [
        ("1 +", "SyntaxError: invalid syntax (own_and_broken.py, line 1)"),
        ("1 / 0", "ZeroDivisionError: division by zero"),
        ("import no_such_module", "No module named 'no_such_module'"),
    ],
)
def test_a_module_that_cannot_be_run(code: str, why: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "own_and_broken.py").write_text(code + "\n")
    monkeypatch.chdir(tmp_path)
    with pytest.raises(ArgumentError) as error:
        parse_measure("own_and_broken.measure@10")
    assert str(error.value) == (f"measure 'own_and_broken.measure': module 'own_and_broken' cannot be imported ({why})")


@pytest.mark.usefixtures("scratch_registry")
def test_own_measure_by_entry_point(monkeypatch: pytest.MonkeyPatch) -> None:
    @measure("Everything")
    def everything(ranking: JudgedRanking) -> np.ndarray:  # type: ignore[type-arg]
        """One."""
        return np.ones(ranking.n_topics)

    monkeypatch.setattr(registry, "_entry_points", lambda: {"plugged": lambda: everything})
    assert str(parse_measure("plugged")) == "Everything"
    assert "plugged" in known_names()


@pytest.mark.usefixtures("scratch_registry")
def test_own_measures_that_cannot_work_are_refused() -> None:
    with pytest.raises(ArgumentError, match="measure 'AP' is defined already, in .*average_precision; choose another"):

        @measure("AP")
        def other(ranking: JudgedRanking) -> np.ndarray:  # type: ignore[type-arg]
            return np.ones(ranking.n_topics)

    with pytest.raises(ArgumentError, match="measure function untyped: parameter `k` needs a type, such as int"):

        @measure("Untyped")
        def untyped(ranking, *, k=1):  # type: ignore[no-untyped-def]
            return np.ones(ranking.n_topics)

    with pytest.raises(ArgumentError, match="parameter `k`: a measure takes int, float, str, bool or Literal, not"):

        @measure("Strange")
        def strange(ranking: JudgedRanking, *, k: list = []) -> np.ndarray:  # type: ignore[type-arg]  # noqa: B006
            return np.ones(ranking.n_topics)


@pytest.mark.usefixtures("scratch_registry")
@pytest.mark.parametrize(
    ("values", "message"),
    [
        ([1.0, 2.0], r"measure Bad must give one number per topic \(1\); it gave shape \(2,\)"),
        ([float("nan")], r"measure Bad must give one number per topic \(1\); it gave NaN"),
    ],
)
def test_own_measures_must_give_one_number_a_topic(values: list[float], message: str) -> None:
    @measure("Bad")
    def bad(ranking: JudgedRanking) -> np.ndarray:  # type: ignore[type-arg]
        return np.array(values)

    with pytest.raises(ValueError, match=message):
        evaluate(qrels_of([("1", "0", "a", 1)]), run_of([("1", "a", 1)]), "Bad")


@pytest.mark.usefixtures("scratch_registry")
def test_own_measures_that_fail_say_where() -> None:
    @measure("Failing")
    def failing(ranking: JudgedRanking) -> np.ndarray:  # type: ignore[type-arg]
        return ranking.nothing  # type: ignore[attr-defined, no-any-return]

    line = failing.__code__.co_firstlineno + 2
    with pytest.raises(DataError) as error:
        evaluate(qrels_of([("1", "0", "a", 1)]), run_of([("1", "a", 1)]), "Failing")
    assert str(error.value) == (
        "measure Failing failed: AttributeError: 'JudgedRanking' object has no attribute 'nothing' "
        f"(test_names.py:{line})"
    )


# ── ir_measures ───────────────────────────────────────────────────────────────────────────────────────────


def test_irm_names() -> None:
    assert str(parse_measure("irm:P(rel=2)@5")) == "irm:P(rel=2)@5"
    assert parse_measure("irm:AP@5").definition.summary == "AP@5, computed by ir_measures"
    with pytest.raises(ArgumentError, match="measure 'irm:Nothing': ir_measures does not know it"):
        parse_measure("irm:Nothing")


def test_irm_without_ir_measures(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(__import__("sys").modules, "ir_measures", None)
    with pytest.raises(ArgumentError) as error:
        parse_measure("irm:AP")
    assert str(error.value) == "measures named irm:… need ir_measures; install it with: pip install ir-measures"


def test_the_table_of_other_names_has_no_two_meanings() -> None:
    """No name leads to two measures, and none hides a measure of ours; trec_eval's rbp is the one known exception."""
    ours = {plain(name): name for name in known_names()}
    seen: dict[str, str] = {}
    for name in known_names():
        for other in find(name).aliases:
            assert ours.get(plain(other), name) == name
            assert seen.setdefault(plain(other), name) == name
            assert look_up(other)[0].name == name
    for theirs, meant in TREC_NAMES.items():
        assert meant.ours in known_names()
        assert ours.get(plain(theirs), meant.ours) == meant.ours
        assert seen.get(plain(theirs), meant.ours) == meant.ours
    assert (str(parse_measure("rbp")), str(parse_measure("RBP"))) == ("RBP(p=0.9)", "RBP")


@pytest.mark.parametrize("name", [*NO_SCORE, "GMAP", "GM_MAP"])
def test_names_that_score_no_topic_say_what_to_use(name: str) -> None:
    with pytest.raises(ArgumentError) as error:
        parse_measure(name)
    assert str(error.value).startswith(f"measure {name!r}: ")
    assert "`cranfield trec_eval" in str(error.value)
    assert ("-R prefs" in str(error.value)) == name.startswith("prefs_")
    assert ("-R qrels_jg" in str(error.value)) == (name.endswith("_avgjg") and not name.startswith("prefs_"))


@pytest.mark.parametrize(
    ("typed", "meant"), [("P5", "P@5"), ("ndcg10", "nDCG@10"), ("nDCG-10", "nDCG@10"), ("MAP100", "AP@100"), ("recall100", "R@100")]
)  # fmt: skip
def test_a_cutoff_without_its_sign_is_answered_with_the_right_spelling(typed: str, meant: str) -> None:
    with pytest.raises(UnknownNameError) as error:
        parse_measure(typed)
    assert str(error.value) == f"unknown measure {typed!r}. Did you mean {meant!r}?"
    assert str(parse_measure(meant)) == meant


def test_what_is_no_measure_is_said() -> None:
    with pytest.raises(ArgumentError, match=r"a measure must be a name such as 'nDCG@10'.*got 3"):
        parse_measures(3)


def test_numbers_go_with_the_name_before_them() -> None:
    assert [str(m) for m in parse_measures("P.5,10 map, iprec_at_recall.0.1,0.2")] == [
        "P@5", "P@10", "AP", "IPrec(recall=0.1)", "IPrec(recall=0.2)",
    ]  # fmt: skip
    with pytest.raises(UnknownNameError, match="unknown measure '10'"):
        parse_measures("map,10")


def test_names_in_score_files_are_recognised_without_importing_anything() -> None:
    assert [str(recognise(name)) for name in ("map", "P_10", "nDCG(gains=exp)@10", "Rprec_mult_0.20")] == [
        "AP", "P@10", "nDCG(gains=exp)@10", "Rprec(multiple=0.2)",
    ]  # fmt: skip
    assert [recognise(name) for name in ("clicks", "os.path", "P@0", "gm_map", "a b")] == [None] * 5


def test_the_list_of_measures_does_not_depend_on_what_was_imported_first() -> None:
    told = [
        subprocess.run(
            [sys.executable, "-c", f"{first}\nfrom cranfield.measures.registry import known_names\nprint(known_names())"],
            capture_output=True, text=True, check=True,
        ).stdout
        for first in ("", "import cranfield.measures.diversity, cranfield.measures.binary")
    ]  # fmt: skip
    assert told[0] == told[1]
    assert told[0].startswith("['AP', 'P', ")


@pytest.mark.parametrize(
    ("text", "usage"),
    [
        ("utility.1,-1,0,0", "here write Utility or Utility(rel=…,hit=…,noise=…,miss=…,rest=…,documents=…)"),
        ("ndcg.1=3,2=7", "here write nDCG or nDCG(gains=…,tool=…)@10"),
        ("P.x", "here write P@10 or P(rel=…)@10"),
    ],
)
def test_parameters_of_trec_eval_are_answered_with_ours(text: str, usage: str) -> None:
    with pytest.raises(ArgumentError) as error:
        parse_measures(text)
    assert str(error.value).endswith(usage)
