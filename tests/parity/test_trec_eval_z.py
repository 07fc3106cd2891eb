"""trec_eval -Z: its own test files give the z scores it prints.

trec_eval standardises unrounded scores; its other output shows four decimals. So every printed z must follow from the
printed score within the rounding of both, and exactly to its four decimals where a peer gives the unrounded score.
An sd of 0 gives z = 0 at the mean, as trec_eval does; elsewhere trec_eval puts -1000000 for 'missing', cannot tell
better from worse, and ours is +inf or -inf.
"""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from cranfield import ScoreMatrix, Scores, Standardisation
from cranfield.scores.readers import read_scores
from support import SHARED, needs_shared

FIXTURES = SHARED / "data" / "fixtures" / "trec_eval"
TOPICS = ("301", "302", "303")
CHANGED_IN_10 = ("iprec_at_recall_", "11pt_avg")
"""Interpolated precision differs between trec_eval 10, whose output this is, and the 9.0 inside pytrec_eval."""


def printed(name: str) -> dict[tuple[str, str], str]:
    rows = [line.split() for line in (FIXTURES / name).read_text().splitlines()]
    return {(row[0], row[1]): row[2] for row in rows if len(row) == 3}


def read_run_and_qrels() -> tuple[dict[str, dict[str, float]], dict[str, dict[str, int]]]:
    run: dict[str, dict[str, float]] = {}
    qrels: dict[str, dict[str, int]] = {}
    for line in (FIXTURES / "results.test").read_text().splitlines():
        topic, _, document, _, score, *_ = line.split()
        run.setdefault(topic, {})[document] = float(score)
    for line in (FIXTURES / "qrels.test").read_text().splitlines():
        topic, _, document, grade = line.split()
        qrels.setdefault(topic, {})[document] = int(grade)
    return run, qrels


@needs_shared
@pytest.mark.filterwarnings("ignore::cranfield.core.errors.CranfieldWarning")
def test_every_line_that_has_factors() -> None:
    factors = Standardisation.load(FIXTURES / "zscores_file")
    scores = read_scores(FIXTURES / "out.test.aq")
    done = factors.apply(Scores(scores[measure] for measure in factors), to="z")
    expected = printed("out.test.aqZ")
    checked = 0
    for measure in factors:
        z = done.scores[f"z({measure})"]
        for topic, value, sd in zip(z.topics, z.values[:, 0], factors[measure].sd, strict=True):
            rounding = 5.001e-5 + (0 if sd == 0 else 5.001e-5 / sd)
            assert value == pytest.approx(float(expected[f"Z{measure}", topic]), abs=rounding), (measure, topic)
            checked += 1
    assert checked == 285 == len((FIXTURES / "zscores_file").read_text().splitlines())


@needs_shared
@pytest.mark.filterwarnings("ignore::cranfield.core.errors.CranfieldWarning")
def test_to_the_printed_decimals_from_unrounded_scores() -> None:
    pytrec_eval = pytest.importorskip("pytrec_eval")
    run, qrels = read_run_and_qrels()
    found = pytrec_eval.RelevanceEvaluator(qrels, pytrec_eval.supported_measures).evaluate(run)
    factors = Standardisation.load(FIXTURES / "zscores_file")
    expected = printed("out.test.aqZ")
    checked = 0
    for measure in factors:
        if measure.startswith(CHANGED_IN_10) or measure not in found["301"]:
            continue
        raw = ScoreMatrix([[found[topic][measure]] for topic in TOPICS], TOPICS, ["run"], measure)
        for topic, value in zip(TOPICS, factors.apply(raw, to="z").scores.only().values[:, 0], strict=True):
            assert f"{value + 0.0:.4f}".replace("-0.0000", "0.0000") == expected[f"Z{measure}", topic], (measure, topic)
            checked += 1
    assert checked == 234


def test_a_z_file_made_by_hand(tmp_path: Path) -> None:
    """The synthetic twin: blanks of any kind, unsorted topics, an sd of 0."""
    path = tmp_path / "zscores"
    path.write_text("302\tmap 0.4 0.1\n301  map   0.25\t0.0000\n301 P_5 0.5 0.25\n302 P_5 0 1\n")
    factors = Standardisation.load(path)
    raw = ScoreMatrix([[0.25, 0.2, 0.3], [0.3, 0.4, 0.5]], ["301", "302"], ["a", "b", "c"], "map")
    with pytest.warns(UserWarning, match="on 1 of 2 topics all standardising systems have the same score"):
        z = factors.apply(raw, to="z").scores.only().values
    np.testing.assert_allclose(z, [[0, -np.inf, np.inf], [-1, 0, 1]], atol=1e-12)
