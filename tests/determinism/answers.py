"""What every command answers, as digests: to be run in one surrounding after another, and compared.

    PYTHONPATH=src:tests python -m determinism.answers FOLDER WORKERS ORDER PART

FOLDER is a new directory, ORDER is 0 for files as they are made or a seed that shuffles their lines and columns, and
PART is `all` or every how many-th case is asked. Prints JSON: for every case the digest of what was printed and written,
and the digest of its rows in any order.
"""

from __future__ import annotations

import hashlib
import json
import os
import random
import sys
from pathlib import Path
from typing import Any

from cranfield.core.question import questions
from golden.cases import ANSWERS, REPORTS, Case
from golden.data import make
from golden.run import type_command

TAKES_ORDER = {
    "sample", "check", "monitor", "convert",  # of files one by one, or of topics in time
    "evaluate-trec", "convert-wide", "convert-long", "standardise-fit-written", "standardise-fit-trec",
    "pool-written", "tune-held-out", "gate-junit", "table-html",  # files that keep the order of their input
}  # fmt: skip


def digest(data: bytes) -> str:
    return hashlib.sha256(data).hexdigest()[:16]


def shuffle(seed: int) -> None:
    """The lines and columns of the score files, and the lines of the judgments, in another order."""
    chance = random.Random(seed)
    for name in ("ap.csv", "ndcg.csv", "scores.csv", "settings.csv", "patterned.csv"):
        header, *rows = [line.split(",") for line in Path(name).read_text().splitlines()]
        chance.shuffle(rows)
        order = list(range(len(header)))
        if name in ("ap.csv", "ndcg.csv"):
            tail = order[1:]
            chance.shuffle(tail)
            order = [0, *tail]
        lines = [",".join(row[at] for at in order) for row in [header, *rows]]
        Path(name).write_text("\n".join(lines) + "\n")
    judgments = Path("s/qrels.txt").read_text().splitlines(keepends=True)
    chance.shuffle(judgments)
    Path("s/qrels.txt").write_text("".join(judgments))


def without_order(printed: str) -> str:
    """The rows of an answer as JSON, sorted."""
    try:
        answer = json.loads(printed)
    except ValueError:
        return "\n".join(sorted(printed.splitlines()))
    rows: list[Any] = answer.get("rows", []) if isinstance(answer, dict) else answer
    return json.dumps(sorted(json.dumps(row, sort_keys=True) for row in rows))


def answer(case: Case, format: str, workers: str) -> dict[str, str]:
    """The digests of one case."""
    words = case.argv(format)
    command = next(name for name in (" ".join(words[:2]), words[0]) if name in questions())
    if "workers" in {one.name for one in questions()[command].all()}:
        words += ["--workers", workers]
    printed = type_command(words)
    written = Path(case.writes).read_bytes() if case.writes else b""
    exact = f"{printed.code}\n{printed.stdout}\n{printed.stderr}".encode() + written
    return {"exact": digest(exact), "rows": digest(without_order(printed.stdout).encode())}


def main(folder: str, workers: str, order: str, part: str) -> None:
    """Make the files, ask every case, print the digests."""
    Path(folder).mkdir(parents=True)
    os.chdir(folder)
    make()
    if order != "0":
        shuffle(int(order))
    reports = [Case(name, words, ("table",), "made.html") for name, words in REPORTS.items()]
    cases = [*ANSWERS, *reports] if part == "all" else [*ANSWERS[:: int(part)]]
    answers = {case.name: answer(case, "json" if "json" in case.formats else "table", workers) for case in cases}
    sys.stdout.write(json.dumps(answers))


if __name__ == "__main__":
    main(*sys.argv[1:5])
