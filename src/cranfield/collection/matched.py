"""Do judgments and runs have the same topics and documents? The first question about a score of 0.

Where almost no document of the runs is judged because ids are spelled differently, that is an error.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Literal

import polars as pl

from cranfield.collection.types import Qrels, Run
from cranfield.core.answer import sentence
from cranfield.core.errors import DataError
from cranfield.core.labels import plural

HARDLY = 0.01
"""Share of judged documents below which ids may be spelled differently in run and judgments."""
TELLING = 10
"""Spelling is the reason if ignoring capitals matches at least this many times as many documents."""
_IN_VAIN = {
    "scores": ("every score would be 0", "the scores would be meaningless"),
    "pool": ("the pool would be empty", "the pool would be meaningless"),
}
NONE_JUDGED = sentence(
    "measures.none-judged",
    "{system}: none of its documents is judged; do the document ids agree?",
    "the run shares topics with the judgments and no document",
)
HARDLY_JUDGED = sentence(
    "measures.hardly-judged",
    "{system}: only {judged:,} of its {retrieved:,} documents on judged topics {verb} judged; do the document "
    "ids agree? `cranfield check` compares them",
    "very few of the documents of the run are judged",
)


@dataclass(frozen=True)
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
        """One sentence if no document, or almost none, is judged."""
        if not self.judged:
            return (NONE_JUDGED(system=self.system),)
        if not self.hardly(judgments):
            return ()
        verb = "is" if self.judged == 1 else "are"
        return (HARDLY_JUDGED(system=self.system, judged=self.judged, retrieved=self.retrieved, verb=verb),)


def refuse_other_ids(
    qrels: Qrels,
    judgments: int,
    matched: Sequence[Matched],
    again: Callable[[int], Run | None],
    found: Literal["scores", "pool"] = "scores",
) -> None:
    """A `DataError` where no document of any run is judged, or almost none because ids differ in capitals or blanks.

    A few ids without letters may still match, so that not every score is 0. The run with the most judged documents
    decides.

    Parameters
    ----------
    judgments : judged documents in all
    matched : every run
    again : the run of a number; None for one that is gone by now (a pipe, an iterator)
    found : what the runs are matched with the judgments for
    """
    nothing, little = _IN_VAIN[found]
    if not any(one.judged for one in matched):
        whose = f"run {matched[0].system!r}" if len(matched) == 1 else f"the {len(matched)} runs"
        raise DataError(
            f"no document of {whose} is judged in {qrels.name}, so {nothing}. Do the topic and document ids agree "
            "(capitals, blanks, leading zeros)? `cranfield check` compares them"
        )
    if not all(one.hardly(judgments) for one in matched):
        return
    run = again(max(range(len(matched)), key=lambda at: matched[at].judged))
    if run is None:
        return
    seen = agreement(qrels, run)
    if seen.folded_documents >= TELLING * seen.judged:
        few = f"{plural(seen.judged, 'document')} of {seen.system} {'is' if seen.judged == 1 else 'are'}"
        raise DataError(
            f"only {few} judged in {qrels.name}, so {little}. {seen.folded_documents:,} would match if capitals and "
            "blanks were ignored: write the ids alike. `cranfield check` compares them"
        )


DEPTH = 10
"""Depth at which the share of judged documents is computed."""


@dataclass(frozen=True)
class Agreement:
    """What a run and the judgments have in common.

    Attributes
    ----------
    system : the run's system
    shared_topics : topics that both have
    judged_share : share of judged documents among the first ten of every shared topic
    judged : judged documents in the whole run
    folded_topics : topics that match only if case, blanks and leading zeros are ignored
    folded_documents : retrieved documents that are judged only if case and blanks are ignored
    """

    system: str
    shared_topics: int
    judged_share: float
    judged: int
    folded_topics: int
    folded_documents: int

    @property
    def warnings(self) -> tuple[str, ...]:
        """What is wrong, one sentence each."""
        texts = []
        if count := self.folded_topics:
            what = "would match the judgments if case, blanks and leading zeros were ignored; write them alike"
            texts.append(f"{plural(count, 'topic id')} {what}")
        if count := self.folded_documents:
            what = "would match the judgments if case and blanks were ignored; write them alike"
            texts.append(f"{plural(count, 'document id')} {what}")
        if not self.shared_topics:
            texts.append("no topic in common with the judgments; do the topic ids agree?")
        elif not self.judged:
            texts.append("none of its documents is judged; do the document ids agree?")
        return tuple(texts)


def agreement(qrels: Qrels, run: Run) -> Agreement:
    """What a run and the judgments have in common, and what they would have with equal spelling of ids.

    >>> qrels = Qrels(pl.DataFrame({"topic": ["1"], "subtopic": ["0"], "document": ["FT-1"], "relevance": [1]}))
    >>> run = Run(pl.DataFrame({"topic": ["1"], "document": ["ft-1"], "rank": [1], "score": [2.0]}))
    >>> agreement(qrels, run).warnings[0]
    '1 document id would match the judgments if case and blanks were ignored; write them alike'
    """
    from cranfield.collection.pools import judged_share

    pair = ["topic", "document"]
    pairs, rows = qrels.frame.select(pair).unique(), run.frame.select(pair)
    topics, ours = set(pairs["topic"].unique()), set(rows["topic"].unique())
    rest = rows.join(pairs, on=pair, how="anti")
    plain = pl.col("document").str.strip_chars().str.to_lowercase()
    folded = rest.with_columns(plain).join(pairs.with_columns(plain), on=pair, how="semi").height
    alike = {_plain(topic) for topic in topics}
    share = float(judged_share(qrels, [run], depth=DEPTH)["judged"][0])
    folded_topics = sum(_plain(topic) in alike for topic in ours - topics)
    return Agreement(run.system, len(topics & ours), share, len(run) - rest.height, folded_topics, folded)


def _plain(topic: str) -> str:
    return topic.strip().casefold().lstrip("0")
