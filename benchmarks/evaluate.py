"""Files to scores (AP, nDCG@10, P@10), 100 runs × 50 topics × 1,000 documents, beside pytrec_eval and others.

Every tool works in a separate process, reads the files and scores every run on every topic; seconds leave out
imports, and for ranx compilation, which the notes give. pytrec_eval is used well: each run is parsed, evaluated
and dropped before the next. On a machine that is busy otherwise, processor time tells more than seconds. Then how
time grows with the number of rows, and memory with the number of runs.
"""

from __future__ import annotations

import os
import tempfile
import time
from pathlib import Path
from typing import Any

from benchmarks.generate import write_qrels, write_runs
from benchmarks.harness import Measured, Row, fresh_process

RUNS = 100
SOME = 20
"""Runs for the slower peers, whose time is scaled up."""
GROWN = 10
"""Runs whose topics are doubled."""
ROUNDS = 2


def ours(qrels: str, paths: list[str]) -> tuple[float, float]:
    """Seconds of cranfield.evaluate, and its processor seconds (all threads)."""
    from cranfield import evaluate

    start, used = time.perf_counter(), time.process_time()
    scores = evaluate(qrels, paths, ["AP", "nDCG@10", "P@10"])
    seconds, used = time.perf_counter() - start, time.process_time() - used
    assert scores["AP"].n_systems == len(paths)
    return seconds, used


def pytrec_eval_one_by_one(qrels: str, paths: list[str]) -> tuple[float, float]:
    """Seconds and processor seconds of pytrec_eval with one run in memory at a time."""
    import pytrec_eval

    start, used = time.perf_counter(), time.process_time()
    with Path(qrels).open() as stream:
        judgments = pytrec_eval.parse_qrel(stream)
    evaluator = pytrec_eval.RelevanceEvaluator(judgments, {"map", "ndcg_cut.10", "P.10"})
    results = []
    for path in paths:
        with Path(path).open() as stream:
            results.append(evaluator.evaluate(pytrec_eval.parse_run(stream)))
    return time.perf_counter() - start, time.process_time() - used


def pytrec_eval_all_runs(qrels: str, paths: list[str]) -> float:
    """Seconds to parse all runs into memory, as pytrec_eval's own example does."""
    import pytrec_eval

    start = time.perf_counter()
    runs: list[Any] = []
    for path in paths:
        with Path(path).open() as stream:
            runs.append(pytrec_eval.parse_run(stream))
    return time.perf_counter() - start


def ir_measures_one_by_one(qrels: str, paths: list[str]) -> float:
    """Seconds of ir_measures with one run in memory at a time."""
    import ir_measures

    start = time.perf_counter()
    judgments = list(ir_measures.read_trec_qrels(qrels))
    names = ["AP", "nDCG@10", "P@10"]
    evaluator = ir_measures.evaluator([ir_measures.parse_measure(name) for name in names], judgments)
    results = [list(evaluator.iter_calc(ir_measures.read_trec_run(path))) for path in paths]
    seconds = time.perf_counter() - start
    assert len(results) == len(paths)
    return seconds


def ranx_one_by_one(qrels: str, paths: list[str]) -> tuple[float, float]:
    """Seconds of ranx, and of its first evaluation, in which it compiles."""
    from ranx import Qrels, Run, evaluate

    names = ["map", "ndcg@10", "precision@10"]
    judgments = Qrels.from_file(qrels, kind="trec")
    start = time.perf_counter()
    evaluate(judgments, Run.from_file(paths[0], kind="trec"), names)
    first = time.perf_counter() - start
    start = time.perf_counter()
    judgments = Qrels.from_file(qrels, kind="trec")
    for path in paths:
        evaluate(judgments, Run.from_file(path, kind="trec"), names)
    return time.perf_counter() - start, first


def best(results: list[Measured]) -> tuple[float, float, float]:
    """The shortest time, the least processor time and the smallest peak of several rounds."""
    seconds, used = (min(times) for times in zip(*(result.value for result in results), strict=True))
    return seconds, used, min(result.peak_mb for result in results)


def _linked(paths: list[str], folder: Path, times: int) -> list[str]:
    """The same runs under more names, so that many runs need little disk."""
    folder.mkdir()
    linked = []
    for copy in range(times):
        for path in paths:
            target = folder / f"copy{copy}-{Path(path).name}"
            os.link(path, target)
            linked.append(str(target))
    return linked


def _side_by_side(qrels: str, paths: list[str]) -> list[Row]:
    mine: list[Measured] = []
    peer: list[Measured] = []
    for _ in range(ROUNDS):  # in turn, so that a busy moment of the machine meets both
        mine.append(fresh_process(ours, qrels, paths))
        peer.append(fresh_process(pytrec_eval_one_by_one, qrels, paths))
    seconds, used, peak = best(mine)
    theirs, they_used, their_peak = best(peer)
    whole = min(result.seconds for result in mine)
    note = f"{used:.2f} s of processor time; {whole:.2f} s with imports"
    rows = [
        Row("cranfield.evaluate", seconds, 1.0, peak, note),
        Row("pytrec_eval, run after run", theirs, theirs / seconds, their_peak, f"{they_used:.2f} s of processor time"),
    ]
    held = fresh_process(pytrec_eval_all_runs, qrels, paths)
    rows.append(Row("pytrec_eval, holding the runs", held.value, None, held.peak_mb, "parsing alone"))
    few, scale = paths[:SOME], len(paths) / SOME
    measured = fresh_process(ir_measures_one_by_one, qrels, few)
    theirs, note = measured.value * scale, f"scaled up from {SOME} runs"
    rows.append(Row("ir_measures, run after run", theirs, theirs / seconds, measured.peak_mb, note))
    try:
        measured = fresh_process(ranx_one_by_one, qrels, few)
    except EOFError:  # the process ended with an ImportError
        return [*rows, Row("ranx", float("nan"), None, None, "not installed")]
    theirs, first = measured.value
    note += f"; first evaluation, with compilation, {first:.1f} s apart"
    rows.append(Row("ranx, run after run", theirs * scale, theirs * scale / seconds, measured.peak_mb, note))
    return rows


def _growth(folder: Path) -> list[Row]:
    rows = []
    for times in (1, 2, 4):
        n_topics = 50 * times
        paths = write_runs(folder / f"x{times}", n_runs=GROWN, n_topics=n_topics, compress=False)
        qrels = write_qrels(folder / f"x{times}.qrels", n_topics=n_topics)
        seconds, used, peak = best([fresh_process(ours, qrels, paths) for _ in range(ROUNDS)])
        per_row = used / (GROWN * n_topics * 1000) * 1e9
        note = f"{times}× rows, {per_row:.0f} ns of processor time per row"
        rows.append(Row(f"{GROWN} runs × {n_topics} topics", seconds, None, peak, note))
    return rows


def _memory(qrels: str, paths: list[str], folder: Path) -> list[Row]:
    rows = []
    for times in (1, 4):
        many = _linked(paths, folder / f"m{times}", times)
        seconds, _, peak = best([fresh_process(ours, qrels, many) for _ in range(ROUNDS)])
        rows.append(Row(f"{len(many)} runs", seconds, None, peak, "memory against the number of runs"))
    return rows


def run() -> list[Row]:
    """Everything, in one temporary directory (about 500 MB)."""
    with tempfile.TemporaryDirectory() as scratch:
        folder = Path(scratch)
        qrels = write_qrels(folder / "qrels")
        paths = write_runs(folder / "runs", n_runs=RUNS, compress=False)
        return [*_side_by_side(qrels, paths), *_growth(folder), *_memory(qrels, paths, folder)]
