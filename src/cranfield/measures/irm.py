"""Other measures through ir_measures, if it is installed: ``irm:NAME``."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NoReturn

import numpy as np

from cranfield.core.errors import ArgumentError, DataError
from cranfield.measures.judgments import Floats
from cranfield.measures.registry import IR_MEASURES, Definition

if TYPE_CHECKING:
    from cranfield.collection.types import Qrels, Run


def library() -> Any:
    """The module ir_measures; an error where it is not installed."""
    try:
        import ir_measures
    except ImportError:
        raise ArgumentError("measures named irm:… need ir_measures; install it with: pip install ir-measures") from None
    return ir_measures


def _measure(text: str) -> Any:
    theirs = library()
    try:
        return theirs.parse_measure(text)
    except Exception as error:  # noqa: BLE001 (it raises AssertionError, NameError, SyntaxError and more)
        raise ArgumentError(f"measure '{IR_MEASURES}{text}': ir_measures does not know it ({error})") from None


def canonical(text: str) -> str:
    """The spelling ir_measures gives a measure."""
    return str(_measure(text))


def definition(text: str) -> Definition:
    """The definition of a measure that ir_measures computes."""

    def not_ours(*_: object, **__: object) -> NoReturn:
        raise TypeError(f"{text} is computed by ir_measures from the run itself, not from the judged ranking")

    measure = _measure(text)
    return Definition(f"{IR_MEASURES}{measure}", not_ours, f"{measure}, computed by ir_measures", family="ir_measures")


class Peer:
    """Several measures computed by ir_measures, with its conventions for ties and topics."""

    def __init__(self, qrels: Qrels, names: list[str]) -> None:
        theirs = library()
        self.measures = [_measure(name.removeprefix(IR_MEASURES)) for name in names]
        self._topics = {topic: number for number, topic in enumerate(qrels.topics)}
        columns = qrels.frame.select("topic", "document", "relevance", "subtopic")
        judgments = [theirs.Qrel(*row) for row in columns.iter_rows()]
        self._scored = theirs.ScoredDoc
        try:
            self._evaluator = theirs.evaluator(self.measures, judgments)
        except Exception as error:  # noqa: BLE001
            named = ", ".join(map(str, self.measures))
            raise DataError(f"ir_measures cannot compute {named}: {error}") from None

    def score(self, run: Run) -> Floats:
        """Measures × topics; a topic ir_measures gives no score for is 0."""
        values = np.zeros((len(self.measures), len(self._topics)))
        at = {measure: row for row, measure in enumerate(self.measures)}
        rows = run.frame.select("topic", "document", "score").iter_rows()
        for metric in self._evaluator.iter_calc([self._scored(*row) for row in rows]):
            if metric.query_id in self._topics:
                values[at[metric.measure], self._topics[metric.query_id]] = metric.value
        return values
