"""ir_measures and cranfield agree: its syntax, its own providers, and cranfield as one of its providers."""

from __future__ import annotations

from collections.abc import Iterator

import ir_measures
import pytest
from ir_measures import (
    AP,
    BPM,
    ERR,
    INSQ,
    INST,
    NERR8,
    NERR9,
    NERR10,
    NERR11,
    RBP,
    RR,
    SDCG,
    Accuracy,
    Bpref,
    Compat,
    IPrec,
    Judged,
    NumQ,
    NumRel,
    NumRelRet,
    NumRet,
    P,
    R,
    Rprec,
    SetAP,
    SetF,
    SetP,
    SetR,
    SetRelP,
    Success,
    alpha_nDCG,
    infAP,
    nDCG,
)  # fmt: skip

from cranfield import evaluate, parse_measure
from cranfield.measures.provider import NAME, as_ours, provider, register, unregister
from small_collections import as_dicts, judgments_as_dicts, qrels_of, run_of, tricky_qrels, tricky_run

pytestmark = [
    pytest.mark.filterwarnings("ignore:.*judged .lowest:cranfield.CranfieldWarning"),
    pytest.mark.filterwarnings("ignore:.*no document for:cranfield.CranfieldWarning"),
    pytest.mark.filterwarnings("ignore:.*without judgments:cranfield.CranfieldWarning"),
    pytest.mark.filterwarnings("ignore:.*no relevant document:cranfield.CranfieldWarning"),
]
EXACT = {"abs": 1e-12, "rel": 0}
CONDENSED = [P @ 4, RR, Rprec, AP, AP @ 4, nDCG, nDCG @ 4, R @ 2, SetP, SetAP, SetF, Success @ 2]
SHARED = [
    *CONDENSED, *(one(judged_only=True) for one in CONDENSED), Bpref, infAP, NumRet, NumRet(rel=2), NumRelRet, NumRel,
    IPrec @ 0.1, IPrec @ 0.25, IPrec @ 0.5, IPrec(rel=2) @ 0.75, IPrec(judged_only=True) @ 0.6, SetR(rel=2), SetRelP, SetP(relative=True, rel=2), SetF(beta=0.5), SetF(beta=2.0, rel=2), P(rel=2, judged_only=True) @ 4,
    nDCG(gains={1: 3, 2: 9}) @ 5, nDCG(gains={0: 1, 1: 4}), Judged @ 5, Judged, Compat, Compat(p=0.8, normalize=False),
]  # fmt: skip


def by_topic(metrics: Iterator[ir_measures.Metric]) -> dict[str, float]:
    return {metric.query_id: metric.value for metric in metrics}


@pytest.fixture
def registered() -> Iterator[None]:
    register()
    yield
    unregister()


@pytest.mark.parametrize("seed", range(6))
def test_every_shared_measure_has_the_same_value(seed: int) -> None:
    levels = (0, 0, 0, 1, 2) if seed % 2 else (-1, 0, 0, 1, 2)
    qrels, run = judgments_as_dicts(tricky_qrels(seed, levels=levels)), as_dicts(tricky_run(seed, ties=False))
    for measure in SHARED:
        if "{0:" in str(measure) and seed % 2 == 0:
            continue  # pytrec_eval gives negative levels no gain, and shifts its table of gains by them
        found = by_topic(ir_measures.iter_calc([measure], qrels, run))
        theirs = {topic: 0.0 if value != value else value for topic, value in found.items()}  # nan: nothing is left
        ours = by_topic(provider().iter_calc([measure], qrels, run))
        assert ours == pytest.approx(theirs, **EXACT), measure


@pytest.mark.parametrize("seed", range(6))
def test_accuracy_has_the_same_value_and_the_same_topics(seed: int) -> None:
    qrels, run = judgments_as_dicts(tricky_qrels(seed)), as_dicts(tricky_run(seed, ties=False))
    for measure in (Accuracy, Accuracy(rel=2), Accuracy(cutoff=20)):
        try:
            theirs = by_topic(ir_measures.accuracy.iter_calc([measure], qrels, run))
        except ZeroDivisionError:  # theirs divides by the documents that are not relevant
            continue
        assert by_topic(provider().iter_calc([measure], qrels, run)) == pytest.approx(theirs, **EXACT), measure
        scores = evaluate(tricky_qrels(seed), tricky_run(seed, ties=False), [str(measure)]).only()
        rest = set(scores.topics) - set(theirs)
        assert all(scores.values[scores.topics.index(topic), 0] == 0 for topic in rest)


def test_accuracy_without_other_documents_is_one() -> None:
    qrels, run = qrels_of([("1", "0", "a", 1)]), run_of([("1", "a", 1)])
    assert evaluate(qrels, run, "Accuracy").only().values.tolist() == [[1.0]]


def continued(measure: ir_measures.Measure, gains: list[float]) -> list[float]:
    """The probability to continue after each rank, as the papers define it."""
    found, total = [], 0.0
    for rank, gain in enumerate(gains, 1):
        total += gain
        wanted = measure["T"] if "T" in measure.SUPPORTED_PARAMS else 0.0
        patience = ((rank + 2 * wanted - 1) / (rank + 2 * wanted)) ** 2 if wanted else 0.0
        rest = wanted - total
        found.append({
            "INSQ": patience,
            "INST": ((rank + wanted + rest - 1) / (rank + wanted + rest)) ** 2 if wanted else 0.0,
            "BPM": float(total < wanted),
            "NERR8": 1 - gain,
            "NERR9": (1 - gain) * rank / (rank + 1),
            "NERR10": (1 - gain) * measure["p"] if measure.NAME == "NERR10" else 0.0,
            "NERR11": (1 - gain) * patience,
        }[measure.NAME])  # fmt: skip
    return found


@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize(
    "measure",
    [INSQ(T=1.0, max_rel=3), INST(T=2.0, max_rel=3), INST(T=1.0, min_rel=1, max_rel=3), BPM(T=1.0, max_rel=3) @ 7,
     NERR8(max_rel=3) @ 10, NERR9(max_rel=3) @ 10, NERR10(p=0.8, max_rel=3), NERR11(T=2.0, max_rel=3)],
    ids=str,
)  # fmt: skip
def test_continuation_measures_follow_their_definition(seed: int, measure: ir_measures.Measure) -> None:
    """Weights are products of the probabilities to continue, over 1000 ranks as in cwl_eval, or down to the cutoff."""
    judged, ranked = judgments_as_dicts(tricky_qrels(seed)), as_dicts(tricky_run(seed, ties=False))
    depth = measure["cutoff"] if "cutoff" in measure.SUPPORTED_PARAMS else 1000
    low, high = measure["min_rel"], measure["max_rel"]
    for topic, value in by_topic(provider().iter_calc([measure], judged, ranked)).items():
        documents = sorted(ranked.get(topic, {}), key=lambda one: -ranked[topic][one])
        levels = [judged[topic].get(document, 0) for document in documents]
        gains = [(min(max(level, low), high) - low) / (high - low) for level in levels][:depth]
        gains += [0.0] * (depth - len(gains))
        weights = [1.0]
        for chance in continued(measure, gains)[:-1]:
            weights.append(weights[-1] * chance)
        expected = sum(w * g for w, g in zip(weights, gains, strict=True)) / sum(weights)
        assert value == pytest.approx(expected, **EXACT), topic


@pytest.mark.parametrize(
    ("measure", "expected"),
    [(SDCG(max_rel=1) @ 3, (1 / 1.5849625007211562) / (1 + 1 / 1.5849625007211562 + 0.5)),
     (BPM(T=1.0, max_rel=1) @ 20, 1 / 2), (NERR8(max_rel=1) @ 10, 1 / 2), (BPM(T=2.0, max_rel=1) @ 4, 1 / 4)],
    ids=str,
)  # fmt: skip
def test_one_relevant_document_at_rank_two(measure: ir_measures.Measure, expected: float) -> None:
    (metric,) = provider().iter_calc([measure], {"1": {"b": 1}}, {"1": {"a": 3.0, "b": 2.0, "c": 1.0}})
    assert metric.value == pytest.approx(expected, **EXACT)


def test_the_highest_level_defaults_to_that_of_the_collection() -> None:
    qrels, run = tricky_qrels(1), tricky_run(1, ties=False)
    scores = evaluate(qrels, run, ["INST", "INST(max_rel=3)", "BPM@5", "BPM(max_rel=3)@5"])
    first, second, third, fourth = (matrix.values.tolist() for matrix in scores.values())
    assert (first, third) == (second, fourth)


def test_calc_uses_us_once_registered(registered: None) -> None:
    qrels, run = judgments_as_dicts(tricky_qrels(2)), as_dicts(tricky_run(2, ties=False))
    assert ir_measures.providers.registry[NAME] is provider()
    assert ir_measures.DefaultPipeline.providers[0] is provider()
    measures = [AP, nDCG @ 10, NumQ, INST(max_rel=3), ERR @ 10, RBP(p=0.5, rel=1)]
    found = ir_measures.calc(measures, qrels, run)
    assert set(found.aggregated) == set(measures)
    assert found.aggregated[NumQ] == 7  # topic 3 is missing from the run
    values = {m.query_id: m.value for m in found.per_query if m.measure == AP}
    matrix = evaluate(tricky_qrels(2), tricky_run(2, ties=False), "AP").only()
    assert values == dict(zip(matrix.topics, matrix.values[:, 0].tolist(), strict=True))


def test_registering_twice_changes_nothing(registered: None) -> None:
    before = list(ir_measures.DefaultPipeline.providers)
    register()
    assert ir_measures.DefaultPipeline.providers == before
    register(first=False)
    assert provider() not in ir_measures.DefaultPipeline.providers
    assert ir_measures.providers.registry[NAME] is provider()


def test_the_provider_says_what_it_supports() -> None:
    assert provider().supports(IPrec @ 0.25)
    assert provider().supports(alpha_nDCG(alpha=0.3) @ 5)
    assert not provider().supports(P(rel=0) @ 5)  # every document would be relevant
    assert as_ours(P(rel=0) @ 5) is None
    with pytest.raises(ValueError, match="unsupported measure"):
        list(provider().iter_calc([P(rel=0) @ 5], {"1": {"a": 1}}, {"1": {"a": 1.0}}))


@pytest.mark.parametrize("empty", [({}, {"1": {"a": 1.0}}), ({"1": {"a": 1}}, {}), ({}, {})])
def test_the_provider_takes_empty_input(empty: tuple[dict, dict]) -> None:  # type: ignore[type-arg]
    qrels, run = empty
    found = list(provider().iter_calc([AP], qrels, run))
    assert [(one.query_id, one.value) for one in found] == [(topic, 0.0) for topic in qrels]


@pytest.mark.parametrize(
    ("theirs", "ours"),
    [
        ("nDCG(judged_only=True)@10", "nDCG(judged_only=True)@10"),
        ("nDCG(dcg='exp-log2')@10", "nDCG(gains=exp)@10"),
        ("nDCG(gains={2: 3, 1: 1, 0: 0})@10", "nDCG(gains={2:3})@10"),
        ("nDCG(gains={1:1})", "nDCG"),
        ("IPrec@.25", "IPrec(recall=0.25)"),
        ("IPrec(rel=2)@0.5", "IPrec(recall=0.5,rel=2)"),
        ("NumQ", "NumTopics"),
        ("NumRet(rel=2)", "NumRelRet(rel=2)"),
        ("SetP(relative=True)", "SetRelP"),
        ("SetP(relative=False)", "SetP"),
        ("alpha_nDCG(alpha=.3)@5", "alpha-nDCG(alpha=0.3)@5"),
        ("StRecall@5", "strec@5"),
        ("SDCG(dcg='log2',max_rel=2)@5", "SDCG(max_rel=2)@5"),
        ("P(judged_only=False)@5", "P@5"),
    ],
)
def test_the_syntax_of_ir_measures(theirs: str, ours: str) -> None:
    assert str(parse_measure(theirs)) == ours
    assert parse_measure(ours) == parse_measure(theirs)


def test_every_measure_of_ir_measures_is_one_of_ours() -> None:
    needed = {"cutoff": 5, "recall": 0.5, "max_rel": 2}
    lacking = []
    for name, measure in ir_measures.measures.registry.items():
        required = {key: needed[key] for key, one in measure.SUPPORTED_PARAMS.items() if one.required}
        if "cutoff" in measure.SUPPORTED_PARAMS:
            required["cutoff"] = 5
        if as_ours(measure(**required)) is None:
            lacking.append(name)
    assert lacking == []


def test_condensed_lists_hold_every_judged_document() -> None:
    """Also for diversity: a document judged for any subtopic stays, and one of a negative level goes."""
    qrels = qrels_of([("1", "1", "a", 1), ("1", "2", "b", 1), ("1", "1", "n", 0), ("1", "2", "p", -1)])
    run = run_of([("1", "x", 5), ("1", "p", 4), ("1", "n", 3), ("1", "a", 2), ("1", "b", 1)])
    plain, condensed = (
        matrix.values[0, 0] for matrix in evaluate(qrels, run, ["AP-IA", "AP-IA(judged_only=True)"]).values()
    )
    assert plain == pytest.approx((1 / 4 + 1 / 5) / 2)
    assert condensed == pytest.approx((1 / 2 + 1 / 3) / 2)
