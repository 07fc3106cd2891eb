"""Intent probabilities: how likely each subtopic is to be the intent of the searcher."""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass

from cranfield.core.arguments import check_arguments
from cranfield.core.files import read_bytes
from cranfield.core.text import Problems, filled_lines, finite_number, shown

FIELDS = "topic intent probability"
_SLACK = 0.001  # files print few digits, so a topic's probabilities may sum to a little more than 1


@dataclass(frozen=True)
class Intents:
    """The probability of every (topic, intent) pair.

    >>> Intents({("0001", "1"): 0.75, ("0001", "2"): 0.25})
    Intents(intents: 1 topics, 2 intents)
    """

    probability: Mapping[tuple[str, str], float]
    name: str = "intents"

    def __repr__(self) -> str:
        topics = {topic for topic, _ in self.probability}
        return f"Intents({self.name}: {len(topics)} topics, {len(self.probability)} intents)"


def read_intents(path: str | os.PathLike[str]) -> Intents:
    """Read intent probabilities: ``topic intent probability``, one line each, as NTCIREVAL's Iprob files have them.

    A probability lies between 0 and 1, those of a topic sum to at most 1, and a pair occurs once. White space, comments
    and compression are those of the other readers.

    >>> import tempfile, pathlib
    >>> file = pathlib.Path(tempfile.mkdtemp(), "Iprob")
    >>> _ = file.write_text("0001 1 0.75\\n0001 2 0.25\\n")
    >>> read_intents(file).probability["0001", "2"]
    0.25
    """
    check_arguments(read_intents, locals())
    label = os.fspath(path)
    problems = Problems(label)
    probabilities: dict[tuple[str, str], float] = {}
    sums: dict[str, float] = {}
    for number, line in filled_lines(read_bytes(path), label):
        fields = line.split()
        if len(fields) != 3:
            problems.add(number, f"expected 3 fields ({FIELDS}), found {len(fields)}: {shown(line.strip())}")
            continue
        topic, intent, text = fields
        value = finite_number(text)
        if value is None or not 0 <= value <= 1:
            problems.add(number, f"expected a probability between 0 and 1 (field 3), found {shown(text)}")
        elif (topic, intent) in probabilities:
            problems.add(number, f"intent {intent} of topic {topic} already has a probability")
        else:
            probabilities[topic, intent] = value
            sums[topic] = sums.get(topic, 0.0) + value
            if sums[topic] > 1 + _SLACK >= sums[topic] - value:
                problems.add(number, f"the probabilities of topic {topic} sum to more than 1")
    problems.raise_if_any()
    return Intents(probabilities, os.path.basename(label))  # noqa: PTH119
