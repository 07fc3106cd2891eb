"""What the view says first: who leads, how many pairs differ, whether measures agree, and what was not judged."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from cranfield.labels import summary
from cranfield.present.answers.comparison import how_many_differ, leader
from cranfield.sentences import report as say

if TYPE_CHECKING:
    from cranfield.comparison import Comparison

LOW_JUDGED = 0.9
"""A run with fewer of its first documents judged than this is named."""


def sentences(
    comparison: Comparison,
    leaders: Mapping[str, Sequence[str]],
    tau: Mapping[str, float | None],
    judged: Mapping[str, float] | None,
    depth: int,
) -> list[str]:
    """The sentences of the headline, one finding each.

    `leaders` are the systems that lead by each measure, `tau` Kendall's τ between this measure and each other.
    """
    said = [
        f"{leader(comparison, f' by {comparison.measure}')}.",
        f"{how_many_differ(comparison)} ({comparison.correction_text()} p ≤ {comparison.alpha:g}).",
    ]
    others = [name for name in leaders if name != comparison.measure]
    if others:
        said.append(_agreement(comparison.measure, leaders, tau, others))
    if judged:
        said.append(_judged(judged, depth))
    return said


def _agreement(
    measure: str, leaders: Mapping[str, Sequence[str]], tau: Mapping[str, float | None], others: Sequence[str]
) -> str:
    """Whether another measure has another leader, and how far the orders agree."""
    mine = set(leaders[measure])
    known = [name for name in others if tau.get(name) is not None]
    told = ", ".join(f"τ({measure}, {name}) = {tau[name]:.2f}" for name in known)
    elsewhere: dict[tuple[str, ...], list[str]] = {}
    for name in others:
        if not mine & set(leaders[name]):
            elsewhere.setdefault(tuple(leaders[name]), []).append(name)
    if elsewhere:
        text = "; ".join(f"by {_listed(by)} {summary(list(names), 2)} leads" for names, by in elsewhere.items())
        text = text[0].upper() + text[1:]
    else:
        text = say.SAME_LEADER_VIEW(measures=_listed(others))
    return f"{text}; {told}." if told else f"{text}."


def _listed(names: Sequence[str]) -> str:
    """Names in a sentence.

    >>> _listed(["AP"]), _listed(["AP", "RR", "P@5"])
    ('AP', 'AP, RR and P@5')
    """
    return names[0] if len(names) == 1 else f"{', '.join(names[:-1])} and {names[-1]}"


def _judged(judged: Mapping[str, float], depth: int) -> str:
    """How much of the top was judged, and where least."""
    worst = min(judged, key=lambda name: (judged[name], name))
    low = sum(share < LOW_JUDGED for share in judged.values())
    if judged[worst] == 1:
        return f"All of the first {depth} documents of every run are judged."
    if not low:
        return f"Of the first {depth} documents of every run at least {judged[worst]:.0%} are judged."
    more = f", and under {LOW_JUDGED:.0%} is judged for {low} runs" if low > 1 else ""
    return (
        f"{1 - judged[worst]:.0%} of the first {depth} documents of {worst} are unjudged{more}: such runs may be "
        "better than they look."
    )
