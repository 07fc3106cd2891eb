"""Collections as nobody makes them on purpose, and every measure with every parameter to score them by."""

from __future__ import annotations

import random
from pathlib import Path

from cranfield.measures.registry import REQUIRED, find, known_names

LEVELS = ((0,), (0, 1), (0, 0, 1, 2), (-1, 0, 3), (1,), (0, 1, 2, 900), (-5, 5000), (0, 2 * 10**9))
VALUES = (
    "0",
    "1",
    "2",
    "0.5",
    "0.999",
    "-1",
    "1e-300",
    "1e300",
    "nan",
    "exp",
    "1:3:7",
    "1e-300:1e300",
    "ntcir",
    "x",
    "9" * 30,
)


def collection(chance: random.Random, folder: Path) -> None:
    """Judgments, intents and runs of a few topics: ties, nothing relevant, nothing retrieved, topics that only one side
    knows.
    """
    documents = [f"d{i}" for i in range(8)]
    topics = [f"t{i}" for i in range(chance.choice((1, 2, 3, 5)))]
    levels, subtopics = chance.choice(LEVELS), chance.choice((*[("0",)] * 5, ("1", "2")))
    (folder / "runs").mkdir(parents=True, exist_ok=True)
    judged = [
        f"{topic} {subtopic} {document} {chance.choice(levels)}\n"
        for topic in topics
        for document in documents
        for subtopic in subtopics
        if chance.random() < 0.7
    ]
    (folder / "qrels.txt").write_text("".join(judged) or "t0 0 d0 1\n")
    probable = chance.choice((0.5, 0.25, 0, 1e-300))
    intents = [f"{topic} {subtopic} {probable}\n" for topic in topics for subtopic in subtopics]
    (folder / "intents.txt").write_text("".join(intents))
    scores = chance.choice(((1.0,), (0.5, 0.25), (1e300, -1e300), (0.1, 0.2, 0.3, 0.30000000000000004)))
    for system in "abc":
        known = [topic for topic in (*topics, "t9") if chance.random() < 0.8] or ["t0"]
        ranked = [(topic, chance.sample(documents, chance.randrange(1, 9))) for topic in known]
        lines = [
            f"{topic} Q0 {one} {at} {chance.choice(scores)!r} {system}\n"
            for topic, list in ranked
            for at, one in enumerate(list)
        ]
        (folder / "runs" / f"{system}.run").write_text("".join(lines))


def measure(chance: random.Random, mild: bool = False) -> str:
    """Any measure that there is, often cut off, sometimes with a parameter of any value."""
    name = chance.choice(known_names())
    own = dict(find(name).parameters)
    cutoff = own.pop("cutoff", None)
    needed = [one for one, parameter in own.items() if parameter.default is REQUIRED]
    more = [one for one in own if one not in needed and not mild and chance.random() < 0.3]
    inside = ",".join(f"{one}={'0.5' if mild else chance.choice(VALUES)}" for one in (*needed, *more))
    text = f"{name}({inside})" if inside else name
    if cutoff is not None and (cutoff.default is REQUIRED or chance.random() < 0.5):
        text += f"@{chance.choice([k for k in (1, 3, 5, 10) if cutoff.range is None or k in cutoff.range])}"
    return text
