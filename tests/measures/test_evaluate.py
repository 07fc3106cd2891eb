"""`evaluate`: orders, missing and strange topics, provenance, and what it refuses."""

from __future__ import annotations

import os
import re
import threading
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import polars as pl
import pytest

from cranfield import ArgumentError, CranfieldWarning, DataError, FileError, Qrels, Run, ScoreMatrix, evaluate
from cranfield.collection.intents import Intents, read_intents
from cranfield.collection.types import RUN_SCHEMA
from cranfield.collection.writers import write_run
from cranfield.measures.evaluation import Evaluator
from small_collections import qrels_of, run_of, tricky_qrels, tricky_run

QRELS = qrels_of([("1", "0", "a", 1), ("1", "0", "b", 2), ("1", "0", "c", 0), ("2", "0", "a", 1)])


def scores_of(run: Run, measure: str, qrels: Qrels = QRELS, **options: object) -> list[float]:
    result: ScoreMatrix = evaluate(qrels, run, measure, **options).only()  # type: ignore[arg-type]
    return result.values[:, 0].tolist()


VAST = qrels_of([("1", "0", "a", 2_000_000_000), ("1", "0", "b", 1), ("2", "0", "a", 1)])
"""A level for which a table of all levels would take 16 GB."""


def test_a_vast_level_takes_no_more_memory_than_any_other() -> None:
    run = run_of([("1", "b", 2), ("1", "a", 1), ("2", "a", 1)])
    top = 2_000_000_000.0
    ideal = top + 1 / np.log2(3)
    assert scores_of(run, "nDCG", VAST) == pytest.approx([(1 + top / np.log2(3)) / ideal, 1.0])
    assert scores_of(run, "RBP(p=0.5)", VAST) == pytest.approx([0.5 * (1 / top + 0.5), 0.5 / top])


@pytest.mark.parametrize("measure", ["ERR", "nERR", "nDCG(gains=exp)@10", "Q(gains=exp)", "D-nDCG(gains=exp)"])
def test_exponential_gains_of_a_vast_level_are_refused(measure: str) -> None:
    said = (
        r"the judgments go up to level 2,000,000,000; exponential gains \(2\^level − 1\) stop at level 900. Use linear"
    )
    with pytest.raises(DataError, match=said):
        scores_of(run_of([("1", "a", 1)]), measure, VAST)
    with pytest.raises(DataError, match=r"^top is level 5,000; exponential gains"):
        scores_of(run_of([("1", "a", 1)]), "ERR(top=5000)")


# ── the order of a ranking ────────────────────────────────────────────────────────────────────────────────


def ranks(qrels: Qrels, run: Run, **options: object) -> dict[str, int]:
    """The rank of every judged document of topic 1."""
    ranking = Evaluator(qrels, "AP", **options).judge(run)  # type: ignore[arg-type]
    names = ranking.judgments.documents.gather(ranking.document).to_list()
    return dict(zip(names, ranking.rank.tolist(), strict=True))


def test_scores_beyond_single_precision_tie_and_nothing_is_printed() -> None:
    qrels = qrels_of(("1", "0", d, 1) for d in "abcd")
    run = run_of([("1", "a", 1e300), ("1", "b", 1e200), ("1", "c", -1e300), ("1", "d", 1.0)])
    assert ranks(qrels, run) == {"a": 1, "b": 2, "d": 3, "c": 4}
    assert ranks(qrels, run, single_precision=True) == {"b": 1, "a": 2, "d": 3, "c": 4}


def test_ties_go_to_the_larger_id_in_byte_order() -> None:
    documents = ["a", "B", "é", "z", "10", "9"]  # bytes: 10 < 9 < B < a < z < é
    qrels = qrels_of(("1", "0", d, 1) for d in documents)
    run = run_of([("1", d, 1.0) for d in documents])
    assert ranks(qrels, run) == {"é": 1, "z": 2, "a": 3, "B": 4, "9": 5, "10": 6}
    assert ranks(qrels, run, order="file") == {d: i for i, d in enumerate(documents, 1)}


def test_ties_are_sorted_only_where_needed() -> None:
    qrels = qrels_of(("1", "0", d, 1) for d in "abcdef")
    ordered = run_of([("1", "f", 3), ("1", "e", 3), ("1", "b", 2), ("1", "a", 2)])
    assert ranks(qrels, ordered) == {"f": 1, "e": 2, "b": 3, "a": 4}
    assert ranks(qrels, run_of([("1", "a", 2), ("1", "f", 3), ("1", "b", 2), ("1", "e", 3)])) == ranks(qrels, ordered)


def test_scores_that_differ_beyond_32_bits_tie_only_in_single_precision() -> None:
    qrels = qrels_of(("1", "0", d, 1) for d in "ab")
    run = run_of([("1", "a", 1.0 + 1e-12), ("1", "b", 1.0)])
    assert ranks(qrels, run) == {"a": 1, "b": 2}
    assert ranks(qrels, run, single_precision=True) == {"b": 1, "a": 2}
    assert ranks(qrels, run_of([("1", "a", -0.0), ("1", "b", 0.0)])) == {"b": 1, "a": 2}


def with_ranks(rows: list[tuple[str, str, int | None, float]]) -> Run:
    return Run(pl.DataFrame(rows, schema=RUN_SCHEMA, orient="row"), "tagged")


def test_order_by_rank_column() -> None:
    qrels = qrels_of(("1", "0", d, 1) for d in "abc")
    run = with_ranks([("1", "a", 30, 9.0), ("1", "b", 1, 1.0), ("1", "c", 7, 5.0)])
    assert ranks(qrels, run, order="rank") == {"b": 1, "c": 2, "a": 3}


def test_rank_column_that_is_no_ranking() -> None:
    twice = with_ranks([("1", "a", 1, 2.0), ("1", "b", 1, 1.0)])
    with pytest.raises(DataError) as error:
        evaluate(QRELS, twice, "AP", order="rank")
    assert str(error.value) == (
        "tagged: rank 1 occurs twice for topic 1 (1 duplicate ranks in all); "
        "order by score or by file instead (order='score', order='file')"
    )
    with pytest.raises(DataError) as error:
        evaluate(QRELS, with_ranks([("1", "a", None, 2.0), ("1", "b", 2, 1.0)]), "AP", order="rank")
    assert str(error.value) == (
        "tagged: 1 documents have no integer in the rank column, the first for topic 1; "
        "order by score or by file instead (order='score', order='file')"
    )


# ── topics ────────────────────────────────────────────────────────────────────────────────────────────────


def test_missing_topics_count_zero_and_are_reported() -> None:
    run = run_of([("1", "a", 2), ("7", "x", 1)], "bm25")
    with pytest.warns(CranfieldWarning) as caught:
        scores = evaluate(QRELS, run, ["AP", "NumRet"])
    assert [str(w.message) for w in caught] == [
        "bm25: no document for 1 of 2 topics, scored 0: 2",
        "bm25: 1 topic without judgments dropped: 7",
    ]
    assert scores["AP"].values.tolist() == [[0.5], [0.0]]
    assert scores["AP"].topics == ("1", "2")
    assert scores["AP"].provenance[0].startswith("evaluated on qrels; order score; cranfield ")
    assert "bm25: no document for 1 of 2 topics, scored 0: 2" in scores["AP"].provenance


def test_topics_left_out_are_reported_and_not_called_barren() -> None:
    qrels = qrels_of([("1", "0", "a", 1), ("2", "0", "a", 0), ("3", "0", "a", 0)])
    runs = [run_of([("1", "a", 2), ("2", "a", 2)], "bm25"), run_of([("1", "a", 2), ("3", "a", 1)], "ql")]
    with pytest.warns(CranfieldWarning) as caught:
        assert evaluate(qrels, runs, "AP", missing="drop-topic").only().topics == ("1",)
    assert [str(w.message) for w in caught] == [
        "bm25: no document for 1 of 3 topics, dropped for every system: 3",
        "ql: no document for 1 of 3 topics, dropped for every system: 2",
    ]


@pytest.mark.filterwarnings("ignore::cranfield.CranfieldWarning")
def test_missing_topics_can_be_left_out_or_refused() -> None:
    run = run_of([("1", "a", 2)], "bm25")
    assert evaluate(QRELS, run, "AP", missing="drop-topic").only().topics == ("1",)
    with pytest.raises(DataError, match="AP: 1 of 2 scores is missing, first for topic '2', system 'bm25'"):
        evaluate(QRELS, run, "AP", missing="error")


def test_no_topic_in_common() -> None:
    right = run_of([("1", "a", 2)], "ql")
    with pytest.warns(CranfieldWarning) as caught:
        evaluate(QRELS, [run_of([("01", "a", 2)], "bm25"), right], "AP")
    assert str(caught[0].message) == "bm25: no topic in common with qrels; do the topic ids agree?"


def test_a_run_without_any_judged_document_is_said() -> None:
    right = run_of([("1", "a", 2)], "ql")
    with pytest.warns(CranfieldWarning) as caught:
        evaluate(QRELS, [run_of([("1", "A", 2)], "bm25"), right], "AP")
    assert "bm25: none of its documents is judged; do the document ids agree?" in [str(w.message) for w in caught]


MANY = qrels_of([*(("1", "0", f"d{number}", 1) for number in range(300)), ("1", "0", "7", 1)])
"""Judgments of documents with letters in their ids, but for one."""


def ids_of(letter: str, system: str = "bm25") -> Run:
    """A run whose ids begin with another letter, but for one."""
    return run_of([*(("1", f"{letter}{number}", 900 - number) for number in range(300)), ("1", "7", 1)], system)


def test_a_run_with_hardly_any_judged_document_is_said() -> None:
    with pytest.warns(CranfieldWarning) as caught:
        evaluate(MANY, ids_of("x"), "AP")
    said = "only 1 of its 301 documents on judged topics is judged; do the document ids agree? `cranfield check` compares them"
    assert [str(w.message) for w in caught] == [f"bm25: {said}"]
    with pytest.warns(CranfieldWarning) as caught:
        evaluate(MANY, [ids_of("d", "ql"), ids_of("D")], "AP")  # one run of several is no reason to stop
    assert [str(w.message) for w in caught] == [f"bm25: {said}"]


@pytest.mark.parametrize("as_file", [False, True])
def test_runs_whose_ids_are_in_other_letters_are_refused(tmp_path: Path, as_file: bool) -> None:
    """Capitals spoil all ids but the few without letters: the scores are not all 0, and mean as little."""
    file = tmp_path / "bm25.run"
    write_run(ids_of("D"), file)
    with pytest.raises(DataError) as error:
        evaluate(MANY, file if as_file else ids_of("D"), "AP")
    assert str(error.value) == (
        "only 1 document of bm25 is judged in qrels, so the scores would be meaningless. 300 would match if capitals "
        "and blanks were ignored: write the ids alike. `cranfield check` compares them"
    )


def test_a_pipe_is_not_waited_for_a_second_time(tmp_path: Path) -> None:
    """Ids in other letters are looked for in what can be read again; of a pipe the warning must do."""
    pipe = tmp_path / "bm25.run"
    os.mkfifo(pipe)
    writer = threading.Thread(target=lambda: write_run(ids_of("D"), pipe))
    writer.start()
    with pytest.warns(CranfieldWarning, match="only 1 of its 301 documents on judged topics is judged"):
        evaluate(MANY, pipe, "AP")
    writer.join(60)


def test_one_judged_document_among_many_retrieved_is_no_reason_to_warn() -> None:
    """Known items: one judgment per topic, and a run of a thousand documents that has it."""
    run = run_of([("1", f"d{number}", 2000 - number) for number in range(1000)], "bm25")
    evaluate(qrels_of([("1", "0", "d3", 1)]), run, "AP")


def test_runs_without_any_judged_document_are_refused() -> None:
    with pytest.raises(DataError) as error:
        evaluate(QRELS, run_of([("1", "A", 2)], "bm25"), "AP")
    assert str(error.value) == (
        "no document of run 'bm25' is judged in qrels, so every score would be 0. Do the topic and document ids agree "
        "(capitals, blanks, leading zeros)? `cranfield check` compares them"
    )


def test_topics_without_relevant_documents_are_counted() -> None:
    qrels = qrels_of([("1", "0", "a", 1), ("2", "0", "a", 0)])
    run = run_of([("1", "a", 2), ("2", "a", 1)])
    with pytest.warns(CranfieldWarning) as caught:
        scores = evaluate(qrels, run, ["AP", "P(rel=2)@1"])
    assert [str(w.message) for w in caught] == [
        "1 of 2 topics have no relevant document, so every system scores 0 there: 2",
        "2 of 2 topics have no relevant document at level 2 or above, so every system scores 0 there: 1, 2",
    ]
    assert scores["AP"].values.tolist() == [[1.0], [0.0]]


def test_topics_stand_in_numeric_order_whatever_the_files_do() -> None:
    qrels = qrels_of([("10", "0", "a", 1), ("9", "0", "a", 1), ("100", "0", "b", 1)])
    run = run_of([("100", "a", 3), ("100", "b", 2), ("9", "a", 1), ("10", "a", 1)])
    result = evaluate(qrels, run, "RR").only()
    assert (result.topics, result.values[:, 0].tolist()) == (("9", "10", "100"), [1.0, 1.0, 0.5])


# ── runs, files and workers ───────────────────────────────────────────────────────────────────────────────


def write_runs(folder: Path, count: int) -> list[str]:
    folder.mkdir()
    for seed in range(count):
        frame = tricky_run(seed, ties=True).frame
        lines = (f"{t} Q0 {d} {r} {s!r} tag{seed}\n" for t, d, r, s in frame.iter_rows())
        (folder / f"sys{seed}.run").write_text("".join(lines))
    return sorted(str(path) for path in folder.iterdir())


@pytest.mark.filterwarnings("ignore::cranfield.CranfieldWarning")
def test_files_objects_and_generators_give_the_same_bytes_for_any_number_of_workers(tmp_path: Path) -> None:
    paths = write_runs(tmp_path / "runs", 7)
    qrels = tricky_qrels(3)
    measures = ["AP", "nDCG@10", "Q", "nERR@5", "Bpref", "infAP", "RBP(p=0.5)"]
    expected = evaluate(qrels, tmp_path / "runs", measures, workers=1)
    assert expected["AP"].systems == tuple(f"sys{n}" for n in range(7))

    def lazily() -> Iterator[Run | str]:
        yield from paths

    for runs in (paths, lazily(), [tmp_path / "runs"], str(tmp_path / "runs/*.run")):
        for workers in (1, 2, 5):
            found = evaluate(qrels, runs if not isinstance(runs, Iterator) else lazily(), measures, workers=workers)
            assert found == expected
            assert [m.provenance for m in found.values()] == [m.provenance for m in expected.values()]
    one_by_one = [evaluate(qrels, path, measures)["Q"].values[:, 0] for path in paths]
    assert np.array_equal(np.column_stack(one_by_one), expected["Q"].values)
    assert evaluate(qrels, paths, "AP", name="tag").only().systems[0] == "tag0"


@pytest.mark.filterwarnings("ignore::cranfield.CranfieldWarning")
def test_progress_counts_runs(tmp_path: Path) -> None:
    seen: list[tuple[int, int]] = []
    paths = write_runs(tmp_path / "runs", 3)
    evaluate(tricky_qrels(1), paths, "AP", progress=lambda done, total: seen.append((done, total)))
    assert seen == [(1, 3), (2, 3), (3, 3)]


def test_two_runs_of_one_system_are_refused(tmp_path: Path) -> None:
    with pytest.raises(DataError, match=r"system 'run' exists already \(run 1\); give every run its own name"):
        evaluate(QRELS, [run_of([("1", "a", 1), ("2", "a", 1)])] * 2, "AP")
    with pytest.raises(DataError, match="no run to evaluate"):
        evaluate(QRELS, [], "AP")


def test_a_bad_file_ends_the_work(tmp_path: Path) -> None:
    paths = write_runs(tmp_path / "runs", 3)
    Path(paths[1]).write_text("1 Q0 d1 1 x tag\n")
    with pytest.raises(FileError, match="expected a finite number as score"):
        evaluate(QRELS, paths, "AP", workers=2)


# ── what else it refuses ──────────────────────────────────────────────────────────────────────────────────


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"order": "random"}, "`order` must be score, rank or file; got 'random'"),
        ({"level": 0}, "`level`, the lowest level that counts as relevant, must be at least 1; got 0"),
        ({"gains": "many"}, "`gains` must be linear, exp or the gains of levels 1, 2, … such as 1:3:7 "
                            "(none negative, one positive); got 'many'"),
    ],
)  # fmt: skip
def test_bad_arguments(options: dict[str, object], message: str) -> None:
    with pytest.raises(ArgumentError) as error:
        evaluate(QRELS, run_of([("1", "a", 1)]), "AP", **options)  # type: ignore[arg-type]
    assert str(error.value) == message


def test_gains_must_cover_every_level() -> None:
    qrels = qrels_of([("1", "0", "a", 3)])
    with pytest.raises(DataError) as error:
        evaluate(qrels, run_of([("1", "a", 1)]), "Q(gains=1:2)")
    assert str(error.value) == (
        "gains 1:2 stop at level 2, but the judgments go up to level 3; give a gain for every level"
    )
    with pytest.raises(DataError) as error:
        evaluate(qrels, run_of([("1", "a", 1)]), "ERR(top=2)")
    assert str(error.value) == "the judgments go up to level 3, above top=2; raise top or omit it"


def test_no_judgments() -> None:
    with pytest.raises(DataError, match="qrels: holds no judgments"):
        evaluate(qrels_of([]), run_of([("1", "a", 1)]), "AP")


def test_ad_hoc_measures_refuse_documents_judged_for_several_subtopics() -> None:
    qrels = qrels_of([("1", "1", "a", 1), ("1", "2", "a", 1), ("1", "1", "b", 1)])
    run = run_of([("1", "a", 1)])
    with pytest.raises(DataError) as error:
        evaluate(qrels, run, "AP")
    assert str(error.value) == (
        "topic 1: document a is judged for 2 subtopics, but AP, nDCG and their like need one judgment per document. "
        "Use a diversity measure such as alpha-nDCG@10, or qrels with one line per document"
    )
    assert scores_of(run, "strec@1", qrels) == [1.0]


# ── ERR, whose scale is a choice ──────────────────────────────────────────────────────────────────────────


def test_err_scale() -> None:
    """Stop probability (2^g − 1)/2^max: max is the collection's highest level, or as gdeval has it, 4."""
    qrels, run = qrels_of([("1", "0", "a", 1), ("1", "0", "b", 2)]), run_of([("1", "a", 2)])
    assert scores_of(run, "ERR@20", qrels) == [1 / 4]
    assert scores_of(run, "ERR(top=4)@20", qrels) == [1 / 16]
    assert scores_of(run, "ERR(gains=linear)@20", qrels) == [1 / 3]
    assert scores_of(run, "ERR(gains=1:2)@20", qrels) == [1 / 3]


# ── intents ───────────────────────────────────────────────────────────────────────────────────────────────


def test_intent_probabilities() -> None:
    """A document for the intent with 90% is worth nine times the other one: hand computation."""
    qrels = qrels_of([("1", "1", "a", 1), ("1", "2", "b", 1)])
    run = run_of([("1", "b", 2), ("1", "a", 1)])
    chances = Intents({("1", "1"): 0.9, ("1", "2"): 0.1})
    log3 = float(np.log2(3))
    assert scores_of(run, "D-nDCG@2", qrels, intents=chances) == pytest.approx(
        [(0.1 + 0.9 / log3) / (0.9 + 0.1 / log3)], abs=1e-15
    )
    assert scores_of(run, "D-nDCG@2", qrels) == [1.0]
    with pytest.raises(DataError) as error:
        evaluate(qrels, run, "D-nDCG@2", intents=Intents({("1", "1"): 1.0}, "Iprob"))
    assert str(error.value) == "Iprob: intent 2 of topic 1 has relevant documents but no probability"


def test_intents_file_is_read_strictly(tmp_path: Path) -> None:
    file = tmp_path / "Iprob"
    file.write_text("# comment\n1 1 0.5\n1 1 0.5\n1 2\n1 3 1.5\n1 4 x\n2 1 0.7\n2 2 0.7\n")
    with pytest.raises(FileError) as error:
        read_intents(file)
    assert str(error.value).replace(str(file), "Iprob") == (
        "Iprob: 5 problems\n"
        "  Iprob:3: intent 1 of topic 1 already has a probability\n"
        "  Iprob:4: expected 3 fields (topic intent probability), found 2: '1 2'\n"
        "  Iprob:5: expected a probability between 0 and 1 (field 3), found '1.5'\n"
        "  Iprob:6: expected a probability between 0 and 1 (field 3), found 'x'\n"
        "  Iprob:8: the probabilities of topic 2 sum to more than 1"
    )
    assert re.fullmatch(r"Intents\(intents: 1 topics, 1 intents\)", repr(Intents({("1", "1"): 1.0})))
