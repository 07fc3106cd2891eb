"""`replicate` end to end: policies, determinism, resumption, bad input."""

from __future__ import annotations

import json
import os
import random
import signal
import subprocess
import sys
import time
import warnings
import zlib
from collections.abc import Callable
from pathlib import Path

import numpy as np
import polars as pl
import pytest

from cranfield import (
    ArgumentError,
    CranfieldWarning,
    DataError,
    Qrels,
    Replicates,
    Run,
    ScoreMatrix,
    make_sample,
    write_qrels,
    write_run,
)
from cranfield import replicate as warning_replicate
from cranfield import replicate_scores as warning_replicate_scores
from cranfield.core.work_files import WorkFile
from cranfield.questions.replicates.partitions import DocumentHashes, assign

SAMPLE = make_sample(n_topics=15, n_systems=6, n_documents=600, seed=11)


def replicate(*args: object, **options: object) -> Replicates:
    """`replicate` with few resamples; its warnings are in the result."""
    options = {"n_resamples": 300, "n_splits": 3} | options
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", CranfieldWarning)
        return warning_replicate(*args, **options)  # type: ignore[arg-type]


def poor_qrels(relevant: int, topics: int = 4) -> Qrels:
    """Topics with few relevant documents, the first with one less."""
    rows = [
        (str(topic), "0", f"d{topic}-{number}", 1)
        for topic in range(1, topics + 1)
        for number in range(relevant - (topic == 1))
    ]
    schema = {"topic": pl.String, "subtopic": pl.String, "document": pl.String, "relevance": pl.Int32}
    return Qrels(pl.DataFrame(rows, schema=schema, orient="row"), name="poor")


def runs_for(qrels: Qrels, count: int = 2) -> list[Run]:
    rng = np.random.default_rng(1)
    found = []
    for number in range(count):
        frame = qrels.frame.select("topic", "document").with_columns(
            pl.lit(None, dtype=pl.Int64).alias("rank"), pl.Series("score", rng.random(len(qrels)))
        )
        found.append(Run(frame, f"s{number}", f"s{number}"))
    return found


def test_tables_have_their_columns() -> None:
    found = replicate(SAMPLE.qrels, SAMPLE.runs, ["AP", "P@10"])
    assert found.effects.columns == ["measure", "system", "mean", "effect", "lower", "upper"]
    assert found.pairs.columns == [
        "measure", "system_a", "system_b", "difference", "p", "p_adjusted", "votes", "against", "decision",
    ]  # fmt: skip
    assert found.pairs.height == 2 * 15
    assert found.effects.height == 2 * 6
    assert found.splits.height == 2 * 3
    assert set(found.anova["source"]) == {"topic", "system", "topic × system", "residual", "total"}
    assert (found.pairs["difference"] >= 0).all()
    assert set(found.pairs["decision"]) <= {"different", "undecided"}
    assert repr(found).startswith("Replicates(AP: ")
    assert "<table" in found._repr_html_()
    assert set(found.to_dict()) == {"signature", "settings", "warnings", "effects", "pairs", "agreement"}
    assert found.to_frame().equals(found.pairs)
    assert found["AP"].measure == "AP"
    assert "p difference; resamples 300" in found.signature


def test_effects_are_means_over_partitions() -> None:
    """The effects of a split, computed from files cut up by hand."""
    from cranfield import evaluate

    found = replicate(SAMPLE.qrels, SAMPLE.runs, "AP", n_splits=1)
    split = found["AP"].data.splits[0]
    means = []
    for k in range(2):
        cut = [frame.filter(pl.Series(assign(DocumentHashes().of(frame["document"]), 2, seed=1, split=1) == k))
               for frame in (SAMPLE.qrels.frame, *(run.frame for run in SAMPLE.runs))]  # fmt: skip
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", CranfieldWarning)
            runs = [Run(frame, run.system) for frame, run in zip(cut[1:], SAMPLE.runs, strict=True)]
            matrix = evaluate(Qrels(cut[0]), runs, "AP").only()
        means.append(matrix.select(topics=split.topics, systems=found["AP"].data.systems).system_means)
    mean = np.mean(means, axis=0)
    assert np.allclose(found["AP"].effects[0].effects, mean - mean.mean(), atol=1e-10)


def test_order_and_workers_do_not_matter() -> None:
    shuffled = list(SAMPLE.runs)
    random.Random(3).shuffle(shuffled)
    frame = SAMPLE.qrels.frame.sample(fraction=1, shuffle=True, seed=5)
    first = replicate(SAMPLE.qrels, SAMPLE.runs, "AP", workers=1)
    second = replicate(Qrels(frame, SAMPLE.qrels.name), shuffled, "AP", workers=3)
    assert first.pairs.equals(second.pairs)
    assert first.effects.equals(second.effects)
    assert first.splits.equals(second.splits)
    assert not first.pairs.equals(replicate(SAMPLE.qrels, SAMPLE.runs, "AP", seed=2).pairs)


def test_drop_leaves_out_topics_and_says_so() -> None:
    qrels = poor_qrels(4)
    found = replicate(qrels, runs_for(qrels), "AP", n_splits=11)
    for split in found["AP"].data.splits:
        assert split.scores.balanced
        assert not set(split.short) & set(split.topics)
        assert len(split.short) + len(split.topics) == 4
    assert any(split.short for split in found["AP"].data.splits)
    assert any(
        text.startswith("AP: dropped 0 to ")
        and "topics per split, because a partition has none of their relevant" in text
        for text in found.warnings
    )


def test_keep_makes_an_unbalanced_model() -> None:
    qrels = poor_qrels(4)
    found = replicate(qrels, runs_for(qrels), "AP", n_splits=11, empty="keep")
    assert not all(split.scores.balanced for split in found["AP"].data.splits)
    assert all(len(split.topics) == 4 for split in found["AP"].data.splits)
    assert any("kept fewer partitions for" in text for text in found.warnings)


def test_redraw_takes_the_next_balanced_split() -> None:
    qrels = poor_qrels(5)
    found = replicate(qrels, runs_for(qrels), "AP", n_splits=5, empty="redraw")
    splits = found["AP"].data.splits
    assert all(not split.short and split.scores.balanced for split in splits)
    numbers = [split.number for split in splits]
    assert numbers == sorted(set(numbers))
    assert numbers != [1, 2, 3, 4, 5]


def test_a_topic_without_relevant_documents_is_no_obstacle() -> None:
    frame = SAMPLE.qrels.frame
    topics_without_relevant = frame.filter(pl.col("topic") == frame["topic"][0]).with_columns(
        relevance=pl.lit(0, dtype=pl.Int32)
    )
    qrels = Qrels(pl.concat([topics_without_relevant, frame.filter(pl.col("topic") != frame["topic"][0])]), "q")
    found = replicate(qrels, SAMPLE.runs, "AP", empty="redraw", redraws=3000, n_splits=1)
    assert found["AP"].data.whole.n_topics == 14
    assert any("have no relevant document" in text for text in found.warnings)


def test_levels_decide_what_is_empty() -> None:
    found = replicate(SAMPLE.qrels, SAMPLE.runs, ["AP", "AP(rel=2)"], n_splits=2)
    lenient, strict = (found[name].data.splits[0] for name in ("AP", "AP(rel=2)"))
    assert set(strict.topics) <= set(lenient.topics)


def test_published_sets_four_things() -> None:
    found = replicate(SAMPLE.qrels, SAMPLE.runs, "AP", published=True, correction="none")
    assert {name: found.settings[name] for name in ("residuals", "resample", "p", "correction")} == {
        "residuals": "raw", "resample": "cells", "p": "effect", "correction": "bh",
    }  # fmt: skip
    text = " ".join(found.warnings)
    assert "Raw residuals make intervals too short by √((x−1)/x) (0.71). Use rescaled residuals." in text
    assert "p = effect ignores the variance of one system" in text
    assert "Resampling cells assumes independent residuals" in text


def test_too_few_resamples_for_the_correction() -> None:
    found = replicate(SAMPLE.qrels, SAMPLE.runs, "AP", correction="holm", n_resamples=300)
    assert any(
        text == "AP: 300 resamples cannot give a p-value small enough for holm over 15 pairs. Use at least 1199 "
        "resamples."
        for text in found.warnings
    )
    enough = replicate(SAMPLE.qrels, SAMPLE.runs, "AP", correction="holm", n_resamples=1199)
    assert not any("small enough" in text for text in enough.warnings)


def test_warnings_are_issued() -> None:
    with pytest.warns(CranfieldWarning, match="p = effect ignores"):
        warning_replicate(SAMPLE.qrels, SAMPLE.runs, "AP", n_splits=1, n_resamples=50, p="effect")


# ── scores that are replicated already ────────────────────────────────────────────────────────────────────


def test_scores_give_the_same_as_files() -> None:
    found = replicate(SAMPLE.qrels, SAMPLE.runs, "AP", n_splits=1)
    data = found["AP"].data
    cube = data.splits[0].scores.values.reshape(len(data.splits[0].topics), 2, 6).transpose(0, 2, 1)
    matrix = ScoreMatrix(cube, data.splits[0].topics, data.systems, "AP", ["0", "1"])
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", CranfieldWarning)
        again = warning_replicate_scores(matrix, n_resamples=300)
    assert again.pairs.equals(found.pairs)


def test_scores_that_do_not_fit() -> None:
    one = ScoreMatrix(np.random.default_rng(1).random((3, 2, 2)), ["1", "2", "3"], ["a", "b"], "AP", ["0", "1"])
    other = ScoreMatrix(np.random.default_rng(1).random((2, 2, 2)), ["1", "2"], ["a", "b"], "AP", ["0", "1"])
    with pytest.raises(DataError) as caught:
        warning_replicate_scores([one, other])
    assert str(caught.value) == "the splits differ in topics, systems or measure. Use the same in every split."
    with pytest.raises(DataError) as nothing:
        warning_replicate_scores([])
    assert str(nothing.value) == "no scores. Give at least one split."
    with pytest.raises(DataError) as alone:
        warning_replicate_scores(one.select(systems=["a"]))
    assert str(alone.value) == "AP: there is 1 system, and replicates compare at least 2. Add a system."


# ── bad input ─────────────────────────────────────────────────────────────────────────────────────────────


def test_one_run() -> None:
    with pytest.raises(DataError) as caught:
        replicate(SAMPLE.qrels, SAMPLE.runs[:1], "AP")
    assert str(caught.value) == "replicates compare at least 2 runs; there is 1. Add runs."


def test_more_partitions_than_relevant_documents() -> None:
    qrels = poor_qrels(3)
    with pytest.raises(DataError) as caught:
        replicate(qrels, runs_for(qrels), "AP", n_partitions=5)
    assert str(caught.value) == (
        "split 1 leaves 0 of 4 topics with relevant documents in each of 5 partitions; at least 2 are needed. No topic "
        "has more than 3 relevant documents. Use fewer partitions, or empty='keep'."
    )
    assert replicate(qrels, runs_for(qrels), "AP", n_partitions=3, empty="keep").pairs.height == 1


def test_no_common_topic() -> None:
    stranger = Run(SAMPLE.runs[0].frame.with_columns(topic=pl.lit("x") + pl.col("topic")), "stranger")
    with pytest.raises(DataError) as caught:
        replicate(SAMPLE.qrels, [SAMPLE.runs[0], stranger], "AP")
    assert str(caught.value) == f"stranger: no topic in common with {SAMPLE.qrels.name}. Check the topic ids."


def test_a_split_that_cannot_be_balanced() -> None:
    qrels = poor_qrels(2)
    with pytest.raises(DataError) as caught:
        replicate(qrels, runs_for(qrels), "AP", empty="redraw", redraws=50)
    assert str(caught.value) == (
        "only 0 of 50 splits have relevant documents of every topic in all 2 partitions; 3 are needed. Topics that "
        "fail most often: 1. Use empty='drop' or empty='keep', fewer partitions, or more redraws."
    )


def test_the_same_system_twice() -> None:
    with pytest.raises(DataError, match="run 2"):
        replicate(SAMPLE.qrels, [SAMPLE.runs[0], SAMPLE.runs[0]], "AP")


def test_measures_of_ir_measures_are_refused() -> None:
    with pytest.raises(ArgumentError) as caught:
        replicate(SAMPLE.qrels, SAMPLE.runs, "irm:AP")
    assert "comes from ir_measures, which cannot score partitions" in str(caught.value)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"n_splits": 0}, "`n_splits` must be a whole number of at least 1; got 0. Write 11."),
        ({"redraws": 2, "empty": "redraw"}, "`redraws` must be at least `n_splits` (3); got 2. Write 1000."),
        ({"empty": "skip"}, "unknown empty 'skip'. Did you mean 'keep'?"),
        ({"n_partitions": 1}, "`n_partitions` must be a whole number from 2 to 20; got 1. Write 2."),
    ],
)
def test_bad_settings(options: dict[str, object], message: str) -> None:
    with pytest.raises(ArgumentError) as caught:
        replicate(SAMPLE.qrels, SAMPLE.runs, "AP", **options)
    assert str(caught.value) == message


# ── the work file ─────────────────────────────────────────────────────────────────────────────────────────


def test_resumes_from_any_point_with_the_same_result(tmp_path: Path) -> None:
    work = tmp_path / "job.work"
    plain = replicate(SAMPLE.qrels, SAMPLE.runs, ["AP", "P@10"])
    first = replicate(SAMPLE.qrels, SAMPLE.runs, ["AP", "P@10"], work=work)
    assert first.pairs.equals(plain.pairs)
    data = work.read_bytes()
    lines = data.splitlines(keepends=True)
    assert len(lines) == 1 + 6 + 2 * 3
    for cut in (len(lines[0]), len(b"".join(lines[:4])) + 10, len(b"".join(lines[:9])), len(data) - 1):
        work.write_bytes(data[:cut])
        again = replicate(SAMPLE.qrels, SAMPLE.runs, ["AP", "P@10"], work=work, workers=1)
        assert again.pairs.equals(plain.pairs)
        assert again.effects.equals(plain.effects)
        assert again.splits.equals(plain.splits)
        assert sorted(work.read_bytes().splitlines()) == sorted(data.splitlines())


def test_what_is_finished_is_not_computed_again(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    work = tmp_path / "job.work"
    replicate(SAMPLE.qrels, SAMPLE.runs, "AP", work=work)

    def fail(*_: object) -> None:
        raise AssertionError("computed again")

    monkeypatch.setattr("cranfield.questions.replicates.splits.analyse_split", fail)
    monkeypatch.setattr("cranfield.measures.evaluation.Evaluator.judge_with_unjudged_topics", fail)
    decided = replicate(SAMPLE.qrels, SAMPLE.runs, "AP", work=work, decide="unanimous", merge="cauchy")
    assert decided.pairs.height == 15


def test_a_work_file_of_another_job_is_refused(tmp_path: Path) -> None:
    work = tmp_path / "job.work"
    replicate(SAMPLE.qrels, SAMPLE.runs, "AP", work=work)
    before = work.read_bytes()
    with pytest.raises(ArgumentError) as caught:
        replicate(SAMPLE.qrels, SAMPLE.runs, "AP", work=work, n_partitions=3)
    assert str(caught.value) == (
        f"work file {work} belongs to another job: its n_partitions is 2, now 3. Name another file, or remove it to "
        "start again."
    )
    with pytest.raises(ArgumentError, match="its runs is"):
        replicate(SAMPLE.qrels, SAMPLE.runs[:3], "AP", work=work)
    assert work.read_bytes() == before


def test_a_file_that_is_no_work_file_is_left_alone(tmp_path: Path) -> None:
    work = tmp_path / "thesis.txt"
    work.write_text("ten years of work\n")
    with pytest.raises(DataError) as caught:
        replicate(SAMPLE.qrels, SAMPLE.runs, "AP", work=work)
    assert str(caught.value) == f"{work}:1: is not a work file; name a new file, nothing is overwritten"
    assert work.read_text() == "ten years of work\n"
    with pytest.raises(DataError, match="cannot be written: No such file or directory"):
        replicate(SAMPLE.qrels, SAMPLE.runs, "AP", work=tmp_path / "nowhere" / "job.work")


def test_killing_the_job_loses_no_finished_split(tmp_path: Path) -> None:
    """Start the command, kill it once some splits are done, start it again: the same bytes as an undisturbed job."""
    sample = make_sample(n_topics=20, n_systems=8, n_documents=600, seed=2)
    write_qrels(sample.qrels, tmp_path / "qrels.txt")
    (tmp_path / "runs").mkdir()
    for run in sample.runs:
        write_run(run, tmp_path / "runs" / f"{run.system}.run")
    words = [sys.executable, "-m", "cranfield", "replicates", str(tmp_path / "qrels.txt"), str(tmp_path / "runs"), "--format",
             "json", "--show", "pairs", "--splits", "40", "--resamples", "8000", "--workers", "1"]  # fmt: skip
    here = Path(__file__).resolve().parents[2] / "src"
    environment = os.environ | {"PYTHONPATH": str(here)}
    whole = subprocess.run(words, env=environment, capture_output=True, check=True)
    work = tmp_path / "job.work"
    job = subprocess.Popen(
        [*words, "--work", str(work)], env=environment, stdout=subprocess.PIPE, stderr=subprocess.PIPE
    )
    deadline = time.monotonic() + 60
    while job.poll() is None and time.monotonic() < deadline:
        if work.exists() and work.read_bytes().count(b"AP split") >= 2:
            job.send_signal(signal.SIGKILL)
            break
        time.sleep(0.005)
    out, _ = job.communicate()
    finished = work.read_bytes().count(b'"AP split')
    assert job.returncode == -signal.SIGKILL, "the job ended before it could be killed"
    assert out == b""
    assert 1 <= finished < 40
    done = [line for line in work.read_bytes().splitlines(keepends=True) if line.endswith(b"\n")]
    again = subprocess.run([*words, "--work", str(work)], env=environment, capture_output=True, check=True)
    assert again.stdout == whole.stdout
    assert work.read_bytes().startswith(b"".join(done))


def _sealed(body: bytes) -> bytes:
    return b"%08x %s\n" % (zlib.crc32(body), body)


@pytest.mark.parametrize(
    ("damage", "named"),
    [
        (lambda line: line.replace(b"system", b"sistem"), "line 3 (run 2)"),
        (lambda line: b"\xff\x00\xfe\n", "line 3"),
        (lambda line: b"\n", "line 3"),
        (lambda line: line[:-1] + b"\r", "line 3 (run 2)"),
        (lambda line: line.replace(b"system", b"sys\rtem"), "line 3 (run 2), line 4"),
        (lambda line: _sealed(b"[" * 100_000), "line 3"),
        (lambda line: _sealed(b"{not json"), "line 3"),
        (lambda line: _sealed(b'["run 2"]'), "line 3"),
        (lambda line: _sealed(b'["run 2", 7]'), "line 3 (run 2)"),
        (lambda line: _sealed(b'["run 2", {"whole": {"type": "<f8"}}]'), "line 3 (run 2)"),
        (lambda line: _sealed(b'["run 2", {"whole": {"array": "!!", "type": "<f8", "shape": [1]}}]'), "line 3 (run 2)"),
        (lambda line: _sealed(b'["run 2", {"w": {"array": "", "type": "O", "shape": [1]}}]'), "line 3 (run 2)"),
        (lambda line: _sealed(b'["run 2", {"whole": ' + b"9" * 5000 + b"}]"), "line 3 (run 2)"),
        (lambda line: _sealed(b'["run 2", {"system": "b"}]'), "run 2"),
        (lambda line: _sealed(line[9:-1].replace(b'"shape": [1, ', b'"shape": [1, 1, ')), "run 2"),
    ],
)  # fmt: skip
def test_a_damaged_line_is_computed_again_and_named(
    tmp_path: Path, damage: Callable[[bytes], bytes], named: str
) -> None:
    work = tmp_path / "job.work"
    plain = replicate(SAMPLE.qrels, SAMPLE.runs, "AP", work=work)
    lines = work.read_bytes().splitlines(keepends=True)
    work.write_bytes(b"".join([*lines[:2], damage(lines[2]), *lines[3:]]))
    again = replicate(SAMPLE.qrels, SAMPLE.runs, "AP", work=work)
    assert f"work file {work} is damaged; these parts are computed again: {named}" in again.warnings
    assert again.pairs.equals(plain.pairs)
    assert replicate(SAMPLE.qrels, SAMPLE.runs, "AP", work=work).warnings == plain.warnings  # mended


@pytest.mark.parametrize(
    ("key", "name", "value"),
    [
        ("run 2", "parts", np.inf), ("run 2", "whole", np.nan), ("AP split 2", "effects", np.nan),
        ("AP split 2", "effects", 7.0), ("AP split 2", "lower", 7.0), ("AP split 2", "upper", -np.inf),
        ("AP split 2", "p", 0.0), ("AP split 2", "p", 7.0), ("AP split 2", "shared", np.nan),
    ],
)  # fmt: skip
def test_a_part_with_a_right_checksum_that_cannot_be_is_computed_again(
    tmp_path: Path, key: str, name: str, value: float
) -> None:
    work = tmp_path / "job.work"
    plain = replicate(SAMPLE.qrels, SAMPLE.runs, "AP", work=work)
    held = WorkFile(work, json.loads(work.read_bytes().splitlines()[0][9:])[1])
    part = held.get(key)
    assert part is not None
    held.put(key, {**part, name: np.full_like(part[name], value) if isinstance(part[name], np.ndarray) else value})
    held.close()
    again = replicate(SAMPLE.qrels, SAMPLE.runs, "AP", work=work)
    assert f"work file {work} is damaged; these parts are computed again: {key}" in again.warnings
    assert again.pairs.equals(plain.pairs)
    assert again.effects.equals(plain.effects)


@pytest.mark.parametrize("interaction", [True, False])
@pytest.mark.parametrize("n_topics", [2, 3, 8])
def test_degenerate_scores_give_finite_results_that_hold_their_estimates(n_topics: int, interaction: bool) -> None:
    rng = np.random.default_rng(5)
    shape = (n_topics, 3, 2)
    steady = np.full(shape, 0.5)
    steady[:, 2] = rng.random((n_topics, 2))
    for values in (np.full(shape, 0.5), steady, np.round(rng.random(shape)), (rng.random(shape) < 0.1) * 1.0):
        matrix = ScoreMatrix(values, [str(i) for i in range(n_topics)], ["a", "b", "c"], "AP", ["0", "1"])
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", CranfieldWarning)
            result = warning_replicate_scores([matrix], n_resamples=200, interaction=interaction)
        for frame in (result.splits, result.effects, result.pairs):
            for column in frame.iter_columns():
                assert not column.dtype.is_float() or column.drop_nulls().is_finite().all()
        assert (result.effects["lower"] <= result.effects["effect"]).all()
        assert (result.effects["effect"] <= result.effects["upper"]).all()


def test_replicated_scores_too_large_to_be_squared_are_refused() -> None:
    matrix = ScoreMatrix(np.full((2, 2, 2), 1e300), ["1", "2"], ["a", "b"], "AP", ["0", "1"])
    with pytest.raises(DataError, match="too large for a double; scale the scores first"):
        warning_replicate_scores([matrix])
