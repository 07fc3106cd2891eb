"""Scores per topic equal those of pytrec_eval, pyNTCIREVAL, pyndeval and ir_measures on generated collections.

The collections hold ties, missing and strange topics, unjudged documents, negative grades, topics without
relevant documents and interleaved lines, so these tests need no data but their own.
"""

from __future__ import annotations

from collections import Counter

import ir_measures
import pyndeval
import pytest
import pytrec_eval
from pyNTCIREVAL import Labeler
from pyNTCIREVAL.metrics import (
    AP,
    ERR,
    RBP,
    MSnDCG,
    NCUguBR,
    NCUguP,
    NCUrbBR,
    NCUrbP,
    OMeasure,
    PMeasure,
    PPlusMeasure,
    QMeasure,
    nDCG,
    nERR,
)

from cranfield import Scores, evaluate, parse_measure
from cranfield.measures.aliases import trec_name
from small_collections import as_dicts, judgments_as_dicts, qrels_of, run_of, tricky_qrels, tricky_run

pytestmark = [
    pytest.mark.filterwarnings("ignore:.*no document for:cranfield.CranfieldWarning"),
    pytest.mark.filterwarnings("ignore:.*without judgments:cranfield.CranfieldWarning"),
    pytest.mark.filterwarnings("ignore:.*no relevant document:cranfield.CranfieldWarning"),
    pytest.mark.filterwarnings("ignore:.*judged .lowest:cranfield.CranfieldWarning"),
]
SEEDS = range(12)
EXACT = {"abs": 1e-12, "rel": 0}
TREC = ["AP", "AP@5", "Rprec", "RR", "Bpref", "infAP", "nDCG", "SetP", "SetR", "SetF", "NumRet", "NumRel", "NumRelRet"]
TREC += [f"{name}@{k}" for name in ("P", "R", "nDCG", "Success") for k in (1, 5, 10, 1000)]


def value(scores: Scores, measure: str, topic: str) -> float:
    matrix = scores[str(parse_measure(measure))]
    return float(matrix.values[matrix.topics.index(topic), 0])


@pytest.mark.parametrize("ties", [True, False])
@pytest.mark.parametrize("level", [1, 2])
@pytest.mark.parametrize("seed", SEEDS)
def test_pytrec_eval(seed: int, level: int, ties: bool) -> None:
    qrels, run = tricky_qrels(seed), tricky_run(seed, ties=ties)
    scores = evaluate(qrels, run, TREC, level=level, single_precision=True)
    names = {name: trec_name(parse_measure(name)) for name in TREC}
    peer = pytrec_eval.RelevanceEvaluator(judgments_as_dicts(qrels), _requests(names), relevance_level=level)
    theirs = peer.evaluate(as_dicts(run))
    assert set(theirs) == set(qrels.topics) - {"3"}
    for measure, name in names.items():
        ours = str(parse_measure(measure).with_defaults({"rel": level}))
        for topic in qrels.topics:
            expected = theirs[topic][name] if topic in theirs else {"NumRel": None}.get(measure, 0.0)
            if expected is not None:
                assert value(scores, ours, topic) == pytest.approx(expected, **EXACT), (measure, topic)


def _requests(names: dict[str, str]) -> set[str]:
    """pytrec_eval's way to ask: P.1,5 for P_1 and P_5."""
    found: dict[str, list[str]] = {}
    for name in names.values():
        stem, _, number = name.rpartition("_")
        if number.isdecimal():
            found.setdefault(stem, []).append(number)
        else:
            found.setdefault(name, [])
    return {f"{stem}.{','.join(cutoffs)}" if cutoffs else stem for stem, cutoffs in found.items()}


@pytest.mark.parametrize("seed", SEEDS)
def test_pyntcireval(seed: int) -> None:
    grades, cutoff = [1, 3, 7], 5
    qrels, run = tricky_qrels(seed, levels=(0, 0, 1, 2, 3)), tricky_run(seed, ties=True)
    names = {
        "AP(tool=ntcir)": lambda x, b: AP(x, b),
        f"AP(tool=ntcir)@{cutoff}": lambda x, b: AP(x, b, cutoff),
        "Q(gains=1:3:7)": lambda x, b: QMeasure(x, b, 1.0),
        f"Q(gains=1:3:7)@{cutoff}": lambda x, b: QMeasure(x, b, 1.0, cutoff),
        f"nDCG(gains=1:3:7,tool=ntcir)@{cutoff}": lambda x, b: nDCG(x, b, 2, cutoff),
        f"nDCG(gains=1:3:7)@{cutoff}": lambda x, b: MSnDCG(x, b, cutoff),
        "ERR(gains=1:3:7)": lambda x, b: ERR(x, b),
        f"nERR(gains=1:3:7)@{cutoff}": lambda x, b: nERR(x, b, cutoff),
        "P+(gains=1:3:7)": lambda x, b: PPlusMeasure(x, b, 1.0),
        "RBP(gains=1:3:7,p=0.95)": lambda x, b: RBP(x, b, 0.95),
        "nG(gains=1:3:7)@1": lambda x, b: MSnDCG(x, b, 1),
        "O-measure(gains=1:3:7)": lambda x, b: OMeasure(x, b, 1.0),
        "P-measure(gains=1:3:7)": lambda x, b: PMeasure(x, b, 1.0),
        "NCUrb-P(gamma=0.9)": lambda x, b: NCUrbP(x, b, 0.9),
        "NCUrb-BR(gains=1:3:7)": lambda x, b: NCUrbBR(x, b, 0.95, 1.0),
        "NCUgu-P(stops=1:5:9)": lambda x, b: NCUguP(x, b, [1, 5, 9]),
        "NCUgu-BR(gains=1:3:7,stops=1:5:9)": lambda x, b: NCUguBR(x, b, [1, 5, 9], 1.0),
    }
    scores = evaluate(qrels, run, list(names), order="file")
    judged, ranked = judgments_as_dicts(qrels), as_dicts(run)
    for topic in qrels.topics:
        counts = Counter(judged[topic].values())
        per_level = [counts[level] for level in range(4)]
        if topic not in ranked or not sum(per_level[1:]):
            assert all(value(scores, name, topic) == 0 for name in names)
            continue
        labelled = Labeler(judged[topic]).label(list(ranked[topic]))
        for name, make in names.items():
            expected = make(per_level, grades).compute(labelled)
            assert value(scores, name, topic) == pytest.approx(expected, **EXACT), (name, topic)


@pytest.mark.parametrize("seed", SEEDS)
def test_pyndeval(seed: int) -> None:
    qrels = tricky_qrels(seed, levels=(0, 0, 0, 1, 2), n_subtopics=4)
    run = tricky_run(seed, ties=False)
    grouped = run.frame.sort("topic", maintain_order=True)  # pyndeval misreads a run whose topics are interleaved
    theirs = pyndeval.ndeval(
        [pyndeval.SubtopicQrel(*row) for row in qrels.frame.iter_rows()],
        [pyndeval.ScoredDoc(topic, document, score) for topic, document, _, score in grouped.iter_rows()],
    )
    names = list(next(iter(theirs.values())))
    assert len(names) == 21
    scores = evaluate(qrels, run, names)
    for topic, expected in theirs.items():
        for name in names:
            if expected[name] == expected[name]:  # it divides 0 by 0 for a topic without relevant documents
                assert value(scores, name, topic) == pytest.approx(expected[name], **EXACT), (topic, name)
            else:
                assert value(scores, name, topic) == 0


@pytest.mark.parametrize("seed", SEEDS)
def test_ir_measures(seed: int) -> None:
    qrels, run = tricky_qrels(seed, levels=(-1, 0, 0, 1, 2)), tricky_run(seed, ties=False)
    names = ["Judged@5", "Judged@1000", "AP(rel=2)", "nDCG@5", "RR@5", "P(rel=2)@5", "SetF"]
    peers = [f"irm:{name}" for name in names]
    scores = evaluate(qrels, run, names + peers)
    direct = ir_measures.evaluator(
        [ir_measures.parse_measure(name) for name in names],
        [ir_measures.Qrel(t, d, r) for t, _, d, r in qrels.frame.iter_rows()],
    ).iter_calc([ir_measures.ScoredDoc(t, d, s) for t, d, _, s in run.frame.iter_rows()])
    seen = 0
    for metric in direct:
        assert value(scores, str(metric.measure), metric.query_id) == pytest.approx(metric.value, **EXACT)
        assert value(scores, f"irm:{metric.measure}", metric.query_id) == metric.value
        seen += 1
    assert seen == 8 * len(names)


def test_measures_we_do_not_have_come_from_ir_measures() -> None:
    qrels = qrels_of([("1", "0", "a", 1), ("1", "0", "b", 0)])
    scores = evaluate(qrels, run_of([("1", "b", 2), ("1", "a", 1)]), ["irm:IPrec@0.1", "AP"])
    assert list(scores) == ["irm:IPrec@0.1", "AP"]
    assert scores["irm:IPrec@0.1"].values.tolist() == [[0.5]]
