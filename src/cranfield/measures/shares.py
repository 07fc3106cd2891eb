"""How much of the top of every run is judged: a run of unjudged documents scores low for want of judgments.

Judgments without any non-relevant document (known items, clicks) name what is relevant and nothing else; there the
share means nothing, and nobody is warned.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import NamedTuple, Protocol

import numpy as np

from cranfield.collection.types import Qrels, Run
from cranfield.core.answer import sentence
from cranfield.core.defaults import JUDGED_CUTOFF
from cranfield.core.labels import plural
from cranfield.measures.names import Measure
from cranfield.measures.ranking import JudgedRanking

LOW_SHARE = 0.9
"""Below this judged share of the top, scores may change with further judgments."""
FEWEST = 20
"""The share of fewer documents says nothing."""
_ALLOWS_FOR_UNJUDGED = {"Bpref", "infAP", "Judged", "Unjudged", "RBPresidual"}
"""Measures that ignore, estimate or count unjudged documents."""
MOSTLY_UNJUDGED = sentence(
    "measures.mostly-unjudged",
    "{which} less than 90% of {their} top {depth} judged (lowest: {system}, {share:.0%}). Unjudged documents count as "
    "not relevant, so these scores may be too low. Score condensed lists (`judged_only`), or compute bounds "
    "(`unjudged` of compare).",
    "less than 90% of the first documents of some run are judged, down to the depth of a measure",
)


class HasShares(Protocol):
    """A run with the judged share of its top at some depths."""

    @property
    def system(self) -> str: ...
    @property
    def shares(self) -> Mapping[int, float]: ...


class TopShares(NamedTuple):
    """The shares of a run that has no scores yet."""

    system: str
    shares: Mapping[int, float]


def depths_of(measures: Sequence[Measure]) -> list[int]:
    """The depths at which the judged share counts: the cutoffs of the measures, and 10 for those without one.

    >>> from cranfield.measures.names import parse_measures
    >>> depths_of(parse_measures(["nDCG@20", "AP", "P@10", "Bpref"]))
    [10, 20]
    """
    counted = [one for one in measures if one.name not in _ALLOWS_FOR_UNJUDGED and one.definition.aggregate == "mean"]
    return sorted({int(one.get("cutoff") or JUDGED_CUTOFF) for one in counted})


def top_share(ranking: JudgedRanking, depth: int) -> float:
    """Share of judged documents among the first `depth` of all topics; 1 for fewer than 20 of them."""
    depth = min(depth, int(ranking.retrieved.max(initial=0)))  # a cutoff may be any whole number
    seen = int(np.minimum(ranking.retrieved, depth).sum())
    return int((ranking.rank <= depth).sum()) / seen if seen >= FEWEST else 1.0


def mostly_unjudged(runs: Sequence[HasShares]) -> list[str]:
    """A warning for the shallowest depth at which less than 90% of the top of some run is judged."""
    for depth in runs[0].shares if runs else ():
        low = [one for one in runs if one.shares[depth] < LOW_SHARE]
        if low:
            worst = min(low, key=lambda one: (one.shares[depth], one.system.encode()))
            return [
                MOSTLY_UNJUDGED(
                    which=f"{len(low)} of {plural(len(runs), 'run')} {'has' if len(low) == 1 else 'have'}",
                    their="its" if len(low) == 1 else "their", depth=depth, system=worst.system,
                    share=worst.shares[depth],
                )
            ]  # fmt: skip
    return []


def judged_documents(qrels: Qrels, run: Run) -> Run:
    """The run without its unjudged documents."""
    pair = ["topic", "document"]
    judged = qrels.frame.select(pair).unique()
    return replace(run, frame=run.frame.join(judged, on=pair, how="semi", maintain_order="left"))
