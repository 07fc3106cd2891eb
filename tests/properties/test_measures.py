"""What must hold for every collection: order never matters, partitions are rankings, scores keep their bounds."""

from __future__ import annotations

import numpy as np
import polars as pl
import pytest
from hypothesis import HealthCheck, assume, given, settings
from hypothesis import strategies as st

from cranfield import DataError, Qrels, Run, Scores
from cranfield import evaluate as evaluate_strictly
from cranfield.collection.types import QRELS_SCHEMA, RUN_SCHEMA
from cranfield.measures.ranking import DocumentIndex

pytestmark = pytest.mark.filterwarnings("ignore::cranfield.CranfieldWarning")
AD_HOC = ["AP", "AP(tool=ntcir)@3", "P@3", "R@3", "Rprec", "RR", "Bpref", "infAP", "nDCG", "nDCG(tool=ntcir)@3", "Q@3"]
AD_HOC += ["P+", "ERR", "nERR@3", "RBP", "SetF", "Success@2", "Judged@3", "nG@1"]
DIVERSE = ["alpha-nDCG@3", "ERR-IA@3", "nERR-IA@3", "NRBP", "nNRBP", "AP-IA", "P-IA@3", "strec@3", "D-nDCG@3", "D#-Q@3"]
IDEAL = ["AP", "Rprec", "nDCG", "nDCG@3", "nDCG(tool=ntcir)@3", "Q", "Q@3", "nERR@3", "RR", "P+", "Bpref", "nG@1"]

topics = st.sampled_from(["1", "2", "10", "t"])
documents = st.sampled_from([f"d{i}" for i in range(12)] + ["é", "D1"])
judged = st.dictionaries(st.tuples(topics, documents), st.integers(-1, 3), min_size=1, max_size=30)
ranked = st.dictionaries(st.tuples(topics, documents), st.integers(0, 4), min_size=1, max_size=40)
diverse = st.dictionaries(
    st.tuples(topics, st.sampled_from("123"), documents), st.integers(0, 2), min_size=1, max_size=30
)


def evaluate(qrels: Qrels, runs: object, measures: object) -> Scores:
    """The scores; a run without any judged document is refused, and no case."""
    try:
        return evaluate_strictly(qrels, runs, measures)  # type: ignore[arg-type]
    except DataError as error:
        assume("is judged in" not in str(error))
        raise


def qrels_from(levels: dict[tuple[str, str], int]) -> Qrels:
    return Qrels(pl.DataFrame([(t, "0", d, v) for (t, d), v in levels.items()], schema=QRELS_SCHEMA, orient="row"))


def run_from(scores: dict[tuple[str, str], int]) -> Run:
    rows = [(t, d, i, float(s)) for i, ((t, d), s) in enumerate(scores.items(), 1)]
    return Run(pl.DataFrame(rows, schema=RUN_SCHEMA, orient="row"))


@settings(max_examples=60, deadline=None)
@given(judged, ranked, st.randoms(use_true_random=False))
def test_order_of_lines_never_matters(levels: dict, scores: dict, random) -> None:  # type: ignore[no-untyped-def, type-arg]
    expected = evaluate(qrels_from(levels), run_from(scores), AD_HOC)
    lines, judgments = list(scores.items()), list(levels.items())
    random.shuffle(lines)
    random.shuffle(judgments)
    assert evaluate(qrels_from(dict(judgments)), run_from(dict(lines)), AD_HOC) == expected


@settings(max_examples=60, deadline=None)
@given(judged, ranked)
def test_scores_lie_between_0_and_1(levels: dict, scores: dict) -> None:  # type: ignore[type-arg]
    for matrix in evaluate(qrels_from(levels), run_from(scores), AD_HOC).values():
        assert matrix.values.min() >= 0
        assert matrix.values.max() <= 1 + 1e-12


@settings(max_examples=40, deadline=None)
@given(judged)
def test_the_ideal_ranking_scores_1(levels: dict) -> None:  # type: ignore[type-arg]
    qrels = qrels_from(levels)
    some = {topic for (topic, _), level in levels.items() if level > 0}
    for matrix in evaluate(qrels, run_from(levels), IDEAL).values():
        for topic, score in zip(matrix.topics, matrix.values[:, 0], strict=True):
            assert score == pytest.approx(float(topic in some), abs=1e-12), matrix.measure


@settings(max_examples=40, deadline=None, suppress_health_check=[HealthCheck.filter_too_much])
@given(judged, ranked)
def test_another_topic_changes_nothing(levels: dict, scores: dict) -> None:  # type: ignore[type-arg]
    """A topic's scores are the same bytes whatever other topics there are."""
    whole = evaluate(qrels_from(levels), run_from(scores), AD_HOC)
    for topic in {topic for topic, _ in levels} & {topic for topic, _ in scores}:
        alone = evaluate(
            qrels_from({k: v for k, v in levels.items() if k[0] == topic} | {("z", "d0"): max(levels.values())}),
            run_from({k: v for k, v in scores.items() if k[0] == topic}),
            AD_HOC,
        )
        for name, matrix in whole.items():
            ours = matrix.values[matrix.topics.index(topic), 0]
            assert alone[name].values[alone[name].topics.index(topic), 0] == ours


@settings(max_examples=80, deadline=None)
@given(
    st.lists(st.tuples(st.integers(0, 3), st.text("ab", max_size=4)), min_size=1, max_size=40),
    st.lists(st.tuples(st.integers(0, 3), st.text("ab", max_size=4)), max_size=40),
    st.integers(0, 3),
)
def test_documents_are_found_whatever_their_hashes(judged: list, sought: list, bits: int) -> None:  # type: ignore[type-arg]
    """With hashes of 0 to 3 bits, so that nearly all collide, the index still finds exactly the judged pairs."""

    class Colliding(DocumentIndex):
        def _keys(self, topic, document):  # type: ignore[no-untyped-def]
            keys = super()._keys(topic, document)
            # Every further seed brings back some bits, as a seed does that happens to collide less.
            keep = np.uint64(64 - min(64, bits + 16 * self._seed))
            return keys if keep == 0 else (keys >> keep if keep < 64 else keys * np.uint64(0))

    def columns(pairs: list) -> tuple:  # type: ignore[type-arg]
        return np.array([t for t, _ in pairs], dtype=np.int64), pl.Series([d for _, d in pairs], dtype=pl.String)

    index = Colliding(*columns(judged))
    pairs = list(zip(index.topic.tolist(), index.document.to_list(), strict=True))
    assert sorted(pairs) == sorted(set(judged))
    assert [pairs[n] for n in index.of_judgment] == judged
    found = index.find(*columns(sought)).tolist()
    assert [pairs[n] if n >= 0 else None for n in found] == [pair if pair in pairs else None for pair in sought]
