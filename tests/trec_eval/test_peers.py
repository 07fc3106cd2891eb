"""Beside other programs on generated collections: ties, missing topics, unjudged documents, negative judgments.

pytrec_eval holds trec_eval 9.0, which rounds recall points otherwise and compares scores as 32-bit floats; the scores
generated here are told apart by those too. A trec_eval 10 is compared line by line where one is on the PATH.
"""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

import numpy as np
import pytest

from cranfield.trec_eval.arguments import parse_arguments
from cranfield.trec_eval.evaluation import trec_eval

PROGRAM = shutil.which("trec_eval")
TOPICS = ["1", "2", "10", "11", "100", "a%b", "z-1", "Q7", "q7", "301", "302", "303"]
LEVELS = [[0, 1], [-1, 0, 1], [0, 1, 2, 3], [-2, -1, 0, 1, 2, 4], [0], [0, 1, 12]]
FLAGS = [
    [],
    ["-l", "2"],
    ["-M", "7"],
    ["-m", "P.7,3", "-m", "relstring.30", "-m", "iprec_at_recall.0.25,0.5", "-m", "Rprec_mult.0.1,3", "-m", "yaap"],
    ["-m", "ndcg.1=3,2=7", "-m", "G.1=3,2=7", "-m", "Rndcg.1=2", "-m", "ndcg_rel.1=4,3=9", "-m", "set_F.0.5"],
    ["-N", "1000", "-m", "utility.2,-0.5,-1,0.001", "-m", "dcg", "-m", "ideal_dcg", "-m", "rbp_resid.p=0.7"],
    ["-J", "-m", "relstring.30", "-m", "11pt_avg.0.2,0.5,0.8"],
    ["-D", "0.{topic}", "-m", "yaap"],
]


def collection(seed: int, folder: Path) -> list[str]:
    """Write a generated collection; the names of its files."""
    random = np.random.default_rng(seed)
    topics = random.choice(TOPICS, int(random.integers(1, len(TOPICS))), replace=False)
    documents = [f"d{number}" for number in range(60)]
    levels = LEVELS[seed % len(LEVELS)]
    judged = [
        f"{topic} 0 {document} {random.choice(levels)}\n"
        for topic in topics
        for document in random.choice(documents, int(random.integers(1, 40)), replace=False)
    ]
    judged += [f"{topic} 0 zz 0\n" for topic in topics]
    found = [
        f"{topic} Q0 {document} 1 {round(float(random.normal()), int(random.integers(0, 4)))} tag\n"
        for topic in topics
        if random.random() < 0.85 or topic == topics[0]
        for document in random.choice(documents, int(random.integers(1, 50)), replace=False)
    ]
    found.append("unjudged Q0 x 1 1 tag\n")
    random.shuffle(judged)
    random.shuffle(found)
    (folder / "qrels").write_text("".join(judged))
    (folder / "run").write_text("".join(found))
    return [str(folder / "qrels"), str(folder / "run")]


def rows(text: str) -> dict[tuple[str, str], str]:
    return {(line.split("\t")[0].strip(), line.split("\t")[1]): line.split("\t")[2] for line in text.splitlines()}


@pytest.mark.parametrize("seed", range(12))
def test_pytrec_eval(seed: int, tmp_path: Path) -> None:
    pytrec_eval = pytest.importorskip("pytrec_eval")
    files = collection(seed, tmp_path)
    with Path(files[0]).open() as qrels, Path(files[1]).open() as run:
        judged, found = pytrec_eval.parse_qrel(qrels), pytrec_eval.parse_run(run)
    evaluator = pytrec_eval.RelevanceEvaluator(judged, pytrec_eval.supported_measures)
    expected = evaluator.evaluate(found)
    ours = rows(trec_eval(parse_arguments(["-q", "-n", "-m", "all_trec", *files])).text)
    checked = 0
    for topic, values in expected.items():
        for name, value in values.items():
            if name.startswith(("iprec_at_recall", "11pt_avg", "relstring")) or (name, topic) not in ours:
                continue
            assert float(ours[name, topic]) == pytest.approx(value, abs=5.001e-5), (name, topic)
            checked += 1
    assert checked >= 60 * len(expected)


@pytest.mark.skipif(PROGRAM is None, reason="no trec_eval program on the PATH")
@pytest.mark.parametrize("flags", FLAGS, ids=lambda flags: " ".join(flags) or "none")
@pytest.mark.parametrize("seed", range(12))
def test_trec_eval_itself(seed: int, flags: list[str], tmp_path: Path) -> None:
    version = subprocess.run([str(PROGRAM), "-v"], capture_output=True, text=True, check=False).stderr
    if " 10." not in version:
        pytest.skip(f"compared with version 10, and this is {version.strip()}")
    files = collection(seed, tmp_path)
    topic = Path(files[0]).read_text().split()[0]
    words = ["-q", "-c", "-m", "all_trec", *(word.format(topic=topic) for word in flags), *files]
    theirs = subprocess.run([str(PROGRAM), *words], capture_output=True, text=True, check=True).stdout
    ours = trec_eval(parse_arguments(words)).text.splitlines()
    undefined = {line.split()[0] for line in theirs.splitlines() if "nan" in line} | {"rbp"}
    for mine, line in zip(ours, theirs.splitlines(), strict=True):
        assert mine == line or line.split()[0] in undefined
