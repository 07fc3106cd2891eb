"""How many documents of the runs are judged; where hardly any is, ids that are written differently are an error."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Literal

from cranfield.errors import DataError
from cranfield.labels import plural
from cranfield.records import record
from cranfield.sentences import measures as say

if TYPE_CHECKING:
    from cranfield.collection.types import Qrels, Run

HARDLY = 0.01
"""Share of judged documents below which ids may be written differently in run and judgments."""
TELLING = 10
"""How many times as many documents must match without regard to capitals for these to be the reason."""
_IN_VAIN = {
    "scores": ("every score would be 0", "the scores would mean nothing"),
    "pool": ("the pool would be empty", "the pool would mean nothing"),
}


@record
class Matched:
    """The documents that a run has for judged topics, and how many of them are judged."""

    system: str
    judged: int
    retrieved: int

    def hardly(self, judgments: int) -> bool:
        """Whether fewer than one in a hundred of the documents that could be judged are.

        >>> Matched("bm25", judged=2, retrieved=1000).hardly(500)
        True
        """
        return self.judged == 0 or self.judged < HARDLY * min(judgments, self.retrieved)

    def warnings(self, judgments: int) -> tuple[str, ...]:
        """One sentence if none or hardly one of the documents is judged."""
        if not self.judged:
            return (say.NONE_JUDGED(system=self.system),)
        if not self.hardly(judgments):
            return ()
        verb = "is" if self.judged == 1 else "are"
        return (say.HARDLY_JUDGED(system=self.system, judged=self.judged, retrieved=self.retrieved, verb=verb),)


def refuse_other_ids(
    qrels: Qrels,
    judgments: int,
    matched: Sequence[Matched],
    again: Callable[[int], Run | None],
    found: Literal["scores", "pool"] = "scores",
) -> None:
    """A `DataError` where no document of any run is judged, or hardly one because ids differ in capitals or blanks.

    A few ids without letters match all the same, so that not all is 0, and means as little. The run with the most
    judged documents is looked at.

    Parameters
    ----------
    judgments : judged documents in all
    matched : every run
    again : the run of a number; None for one that is gone by now (a pipe, an iterator)
    found : what the runs are matched with the judgments for
    """
    nothing, little = _IN_VAIN[found]
    if not any(one.judged for one in matched):
        whose = matched[0].system if len(matched) == 1 else f"the {len(matched)} runs"
        raise DataError(
            f"no document of {whose} is judged in {qrels.name}, so {nothing}; do the ids of topics and documents "
            "agree (capitals, blanks, leading zeros)? `cranfield check` compares them"
        )
    if not all(one.hardly(judgments) for one in matched):
        return
    run = again(max(range(len(matched)), key=lambda at: matched[at].judged))
    if run is None:
        return
    from cranfield.collection.agreement import agreement

    seen = agreement(qrels, run)
    if seen.folded_documents >= TELLING * seen.judged:
        few = f"{plural(seen.judged, 'document')} of {seen.system} {'is' if seen.judged == 1 else 'are'}"
        raise DataError(
            f"only {few} judged in {qrels.name}, and {seen.folded_documents:,} would be without regard to capitals "
            f"and blanks, so {little}; write the ids alike. `cranfield check` compares them"
        )
