"""Do judgments and a run speak of the same topics and documents? The first thing to know about a score of 0."""

from __future__ import annotations

import polars as pl

from cranfield.collection.coverage import judged_share
from cranfield.collection.types import Qrels, Run
from cranfield.labels import plural
from cranfield.records import record

DEPTH = 10
"""How far down a run is looked at for judged documents."""


@record
class Agreement:
    """What a run and the judgments have in common.

    Attributes
    ----------
    system : the run's system
    shared_topics : topics that both have
    judged_share : share of judged documents among the first ten of every shared topic
    judged : judged documents in the whole run
    folded_topics : topics that are the same only without regard to case, blanks and leading zeros
    folded_documents : retrieved documents that are judged only without regard to case and blanks
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
        if self.folded_topics:
            texts.append(
                f"{plural(self.folded_topics, 'topic id')} would match the judgments' without regard to case, blanks "
                "and leading zeros; write them alike"
            )
        if self.folded_documents:
            texts.append(
                f"{plural(self.folded_documents, 'document id')} would match the judgments' without regard to case and "
                "blanks; write them alike"
            )
        if not self.shared_topics:
            texts.append("no topic in common with the judgments; do the topic ids agree?")
        elif not self.judged:
            texts.append("none of its documents is judged; do the document ids agree?")
        return tuple(texts)


def agreement(qrels: Qrels, run: Run) -> Agreement:
    """What a run and the judgments have in common, and what they would have if ids were written alike.

    >>> qrels = Qrels(pl.DataFrame({"topic": ["1"], "subtopic": ["0"], "document": ["FT-1"], "relevance": [1]}))
    >>> run = Run(pl.DataFrame({"topic": ["1"], "document": ["ft-1"], "rank": [1], "score": [2.0]}))
    >>> agreement(qrels, run).warnings[0]
    "1 document id would match the judgments' without regard to case and blanks; write them alike"
    """
    pairs = qrels.frame.select("topic", "document").unique()
    topics, ours = set(pairs["topic"].unique()), set(run.frame["topic"].unique())
    judged = run.frame.select("topic", "document").join(pairs, on=["topic", "document"], how="semi").height
    rest = run.frame.select("topic", "document").join(pairs, on=["topic", "document"], how="anti")
    plain = pl.col("document").str.strip_chars().str.to_lowercase()
    folded = rest.with_columns(plain).join(pairs.with_columns(plain), on=["topic", "document"], how="semi").height
    alike = {_plain(topic) for topic in topics}
    share = float(judged_share(qrels, [run], depth=DEPTH)["judged"][0])
    return Agreement(
        run.system, len(topics & ours), share, judged,
        sum(_plain(topic) in alike for topic in ours - topics), folded,
    )  # fmt: skip


def _plain(topic: str) -> str:
    return topic.strip().casefold().lstrip("0")
