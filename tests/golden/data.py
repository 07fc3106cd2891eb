"""The files the cases name, made in the current directory by the program itself or from plain formulas."""

from __future__ import annotations

import math
from pathlib import Path

from golden.run import type_command

SAMPLE = "sample s --topics 12 --systems 6 --documents 400 --depth 10 --length 60 --seed 1"


def make() -> None:
    """Make all of them."""
    _type(SAMPLE)
    _type("evaluate s/qrels.txt s/runs -m AP -q -o ap.eval.csv")
    _type("convert ap.eval.csv -o ap.csv --layout wide")
    _type("evaluate s/qrels.txt s/runs -m AP -m nDCG@10 -q -o scores.eval.csv")
    _type("convert scores.eval.csv -o scores.csv")
    _type("convert scores.eval.csv -m nDCG@10 -o ndcg.csv --layout wide")
    _type("standardise fit ap.csv -o factors.csv")
    Path("order.txt").write_text("apple-1\nalder-1\nalder-4\napple-2\nalder-2\nalder-3\n")
    Path("teams.txt").write_text("".join(f"{system} {system[:5]}\n" for system in SYSTEMS))
    Path("settings.csv").write_text(_settings())
    Path("patterned.csv").write_text(
        _settings().replace("ql(mu=", "ql-mu").replace(")", "").replace("bm25(b=", "bm-mu")
    )
    scores = Path("ap.csv").read_text().splitlines()
    holes = [line.rpartition(",")[0] + "," if number in (3, 7) else line for number, line in enumerate(scores)]
    Path("holes.csv").write_text("\n".join(holes) + "\n")
    Path("nonsense.csv").write_text("topic,a,b\n1,0.5,0.25\n2,high,0.5\n3,0.5\n")
    Path("bad.run").write_text("1 Q0 d1 1 2.0 tag\n1 Q0 d1 2 1.0 tag\n1 Q0 d2 three x tag\n")
    Path("short.csv").write_text("\n".join(scores[:2]) + "\n")
    Path("battles.csv").write_text(_battles())
    Path("flat.csv").write_text("topic,a,b,c\n" + "".join(f"{i},0.5,0.5,0.25\n" for i in range(1, 6)))


SYSTEMS = ("alder-1", "alder-2", "alder-3", "alder-4", "apple-1", "apple-2")


def _type(words: str) -> None:
    printed = type_command(words.split())
    assert printed.code == 0, printed.stderr


def _battles() -> str:
    """Comparisons of three systems on 24 topics: each wins some, the first most, and some are ties."""
    rows = []
    for at in range(72):
        pair = sorted((at % 3, (at + 1) % 3))
        said = ("b", "tie", *(["a"] * 5))[at * 5 % 7]
        rows.append(f"{at // 3},{SYSTEMS[pair[0]]},{SYSTEMS[pair[1]]},{said}")
    return "\n".join(["topic,system_a,system_b,preferred", *rows, ""])


def _settings() -> str:
    """A wide table of settings of two families: a hump over a parameter, topics that differ, a fixed wobble."""
    names = [f"ql(mu={mu})" for mu in (100, 500, 1000, 2000)] + [f"bm25(b={b})" for b in (0.2, 0.4, 0.6)]
    rows = ["topic," + ",".join(names)]
    for topic in range(1, 13):
        values = []
        for place in range(len(names)):
            hump = 0.05 * math.cos((place % 4) - 1.5)
            wobble = 0.04 * ((topic * 7 + place * 5) % 11) / 11
            values.append(f"{0.2 + 0.03 * (topic % 5) + hump + wobble + 0.02 * (place > 3):.4f}")
        rows.append(f"{topic}," + ",".join(values))
    return "\n".join(rows) + "\n"
