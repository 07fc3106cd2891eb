"""Valid but odd files: every measure against a naive evaluator of our own, pytrec_eval, and trec_eval if it is there."""

from __future__ import annotations

import random
import shutil
import subprocess
from pathlib import Path

import pytest

import naive
from cranfield import evaluate, parse_measure
from cranfield.measures.registry import find, known_names

pytestmark = pytest.mark.filterwarnings("ignore::cranfield.core.errors.CranfieldWarning")
FEW, MANY = range(6), range(6, 400)
SEEDS = [*FEW, *(pytest.param(seed, marks=pytest.mark.slow) for seed in MANY)]
LEVELS = ((0, 1), (1,), (0,), (0, 0, 1, 2), (-1, 0, 1, 3), (-2, -1), (0, 1, 2, 3, 4, 5))
NAMES = (
    [f"d{i}" for i in range(12)],
    ["\u00e9", "e\u0301", "\u6587\u66f8", "\U0001f600", "a", "A", "#1", "0", "00", "-0", "1e5", "\uff44"],
    ["d" * n for n in range(1, 13)],
    ["d1"],
)
SCORES: tuple[tuple[str, ...], ...] = (
    ("1",), ("0.5", "0.25"), ("-1", "-2", "-0.5", "0", "-0.0"), ("1e300", "-1e300", "1E+299", "5e-324", "0", "1e-400"),
    ("0.1", "0.2", "0.3", "0.30000000000000004"), ("16777216", "16777217", "16777218"), ("1", "+1", "01", "1.", ".5"),
    tuple(str(i / 7) for i in range(40)),
)  # fmt: skip


DIVERSE = {
    "alpha-DCG",
    "alpha-nDCG",
    "ERR-IA",
    "nERR-IA",
    "NRBP",
    "nNRBP",
    "AP-IA",
    "P-IA",
    "strec",
    "I-rec",
    "D-nDCG",
    "D-Q",
    "D#-nDCG",
    "D#-Q",
}
"""Measures of documents judged for several subtopics; of one subtopic, all are tried."""


def write(folder: Path, seed: int, *, subtopics: bool) -> tuple[Path, Path]:
    """Judgments and a run: topics of one side alone, ties, one document, any level, any blank, any end of line."""
    chance = random.Random(f"{seed} {subtopics}")
    end, blank = chance.choice(("\n", "\r\n")), chance.choice((" ", "\t", "  ", " \t "))
    names, levels, scores = chance.choice(NAMES), chance.choice(LEVELS), chance.choice(SCORES)
    topics = chance.sample(["1", "2", "10", "01", "é", "t-3", "301"], chance.choice((1, 2, 4)))
    each = ["1", "2", "3"] if subtopics else ["0"]
    judged = [
        (topic, one, document, str(chance.choice(levels)))
        for topic in topics
        for document in names
        for one in each
        if chance.random() < 0.6
    ] or [(topics[0], each[0], names[0], str(levels[0]))]
    ranked = [
        (topic, "Q0", document, str(chance.randrange(99)), chance.choice(scores), "odd")
        for topic in (*topics, "only-in-the-run")
        if chance.random() < 0.8 or topic == judged[0][0]
        for document in chance.sample(names, chance.randint(1, len(names)))
    ]
    if not {(topic, document) for topic, _, document, _ in judged} & {(row[0], row[2]) for row in ranked}:
        ranked.append((judged[0][0], "Q0", judged[0][2], "1", scores[0], "odd"))  # or it is taken for a mistake
    qrels, run = folder / "qrels", folder / "odd"
    for path, rows in ((qrels, judged), (run, ranked)):
        chance.shuffle(rows)
        text = end.join(blank.join(row) for row in rows) + end * chance.randrange(3)
        path.write_bytes(text.encode())
    return qrels, run


def test_every_measure_has_a_naive_twin() -> None:
    named = {parse_measure(name).name for name in naive.MEASURES}
    assert {find(name).name for name in known_names()} - named == {"GF", "GFR"}, "they need groups of documents"


@pytest.mark.parametrize("subtopics", [False, True], ids=["plain", "subtopics"])
@pytest.mark.parametrize("seed", SEEDS)
def test_every_measure_is_what_its_definition_says(tmp_path: Path, seed: int, subtopics: bool) -> None:
    qrels, run = write(tmp_path, seed, subtopics=subtopics)
    names = [name for name in naive.MEASURES if not subtopics or name.split("(")[0].split("@")[0] in DIVERSE]
    scores = evaluate(qrels, run, names)
    ranking = naive.read_ranking(run)
    wanted = naive.evaluate(naive.read_judgments(qrels), ranking)
    wrong = []
    for name in names:
        matrix = scores[str(parse_measure(name))]
        assert {*matrix.topics} == {topic for topic, _ in wanted}
        for topic, value in zip(matrix.topics, matrix.values[:, 0], strict=True):
            if value != pytest.approx(wanted[topic, name], rel=1e-11, abs=1e-12):
                wrong.append(f"{name} of {topic}: {value!r}, by definition {wanted[topic, name]!r}")
    assert not wrong, "\n".join(wrong)


TREC = ["map", "Rprec", "bpref", "recip_rank", "infAP", "ndcg", "set_P", "set_recall", "set_F", "num_ret", "num_rel", "num_rel_ret",
        "P_5", "recall_5", "ndcg_cut_5", "map_cut_5", "success_5", "11pt_avg", "binG", "G", "Rndcg", "ndcg_rel", "utility", "relative_P_5",
        "set_map", "set_relative_P"]  # fmt: skip


@pytest.mark.parametrize("seed", SEEDS)
def test_the_measures_of_trec_eval_are_those_of_pytrec_eval(tmp_path: Path, seed: int) -> None:
    pytrec_eval = pytest.importorskip("pytrec_eval")
    qrels, run = write(tmp_path, seed, subtopics=False)
    known = {topic: {d: each["0"] for d, each in rows.items()} for topic, rows in naive.read_judgments(qrels).items()}
    known = {topic: levels for topic, levels in known.items() if max(levels.values()) >= 0}
    retrieved: dict[str, dict[str, float]] = {}
    for topic, _, document, _, score, _ in naive._fields(run):
        retrieved.setdefault(topic, {})[document] = float(score)
    if not {*known} & {*retrieved}:
        pytest.skip("theirs ends in a segmentation fault if no judgment of a topic is 0 or more")
    theirs = pytrec_eval.RelevanceEvaluator(known, set(pytrec_eval.supported_measures)).evaluate(retrieved)
    names = {name: "IPrecAvg(tool=trec9)" if name == "11pt_avg" else name for name in TREC}  # theirs is version 9
    ours = evaluate(qrels, run, list(names.values()), single_precision=True)
    checked = 0
    for name in TREC:
        matrix = ours[str(parse_measure(names[name]))]
        for topic, value in zip(matrix.topics, matrix.values[:, 0], strict=True):
            if topic in theirs and name in theirs[topic]:
                assert value == pytest.approx(theirs[topic][name], rel=1e-9, abs=1e-12), (name, topic)
                checked += 1
    assert checked >= 15


@pytest.mark.skipif(shutil.which("trec_eval") is None, reason="trec_eval's program is not on the path")
@pytest.mark.parametrize("seed", SEEDS)
def test_the_lines_are_those_of_trec_eval(tmp_path: Path, seed: int) -> None:
    qrels, run = write(tmp_path, seed, subtopics=False)
    words = ["-q", "-c", "-m", "all_trec", str(qrels), str(run)]
    theirs = subprocess.run(["trec_eval", *words], capture_output=True, check=False)
    if theirs.returncode:
        pytest.skip(f"it refuses the files: {theirs.stderr.decode(errors='replace').splitlines()[0]}")
    ours = subprocess.run(["cranfield", "trec_eval", *words], capture_output=True, check=True)
    mine, their = _told(ours.stdout), _told(theirs.stdout)
    assert [line.split()[:-1] for line in mine] == [line.split()[:-1] for line in their]
    for one, other in zip(mine, their, strict=True):
        # Theirs adds the parts of a residual, ours takes them from 1: a mean between two fourth decimals may differ.
        half = one.startswith(b"rbp_resid ") and abs(float(one.split()[-1]) - float(other.split()[-1])) < 1.01e-4
        assert one == other or half


def _told(printed: bytes) -> list[bytes]:
    """The lines without those of rbp, which theirs scales by variables that it never sets, and of nan."""
    return [line for line in printed.splitlines() if line.split()[:1] != [b"rbp"] and not line.endswith(b"nan")]
