"""How runs are read and scored: the options of `evaluate`, as arguments and as settings of questions."""

from __future__ import annotations

import os
from dataclasses import dataclass, replace
from functools import cache
from typing import TYPE_CHECKING, Any, TypedDict, cast

from cranfield.core import defaults
from cranfield.core.options import Setting, setting
from cranfield.core.question import Question

if TYPE_CHECKING:
    from concurrent.futures import Executor

    from cranfield.collection.groups import GroupsLike
    from cranfield.collection.intents import Intents


class ScoringOptions(TypedDict, total=False):
    """How runs are read and scored, for functions that pass it on: ``**scoring: Unpack[ScoringOptions]``.

    `evaluate` explains each of them.
    """

    level: int
    gains: str | None
    intents: Intents | str | os.PathLike[str] | None
    order: defaults.RankingOrder
    single_precision: bool
    lenient: bool
    name: defaults.SystemName
    judged_only: bool


class EvaluationOptions(ScoringOptions, total=False):
    """Scoring options with the others of `evaluate`: missing topics, and how the work is done."""

    missing: defaults.MissingPolicy
    workers: int | None
    executor: Executor | None
    memory: float
    unjudged: defaults.Unjudged | None
    map: str | None
    groups: GroupsLike


@dataclass(frozen=True, kw_only=True)
class Scoring(Question):
    """How runs are read and scored."""

    level: int = setting(
        defaults.RELEVANCE, "Lowest relevance level that counts as relevant.", "--level", "-l",
        least=-1_000_000, most=1_000_000, on_page=False,
    )  # fmt: skip
    gains: str | None = setting(None, "Gain of each level: linear, exp, or a list such as 1:3:7.", on_page=False)
    intents: str | None = setting(
        None, "Intent probabilities (topic intent probability) for D-measures.", metavar="FILE", on_page=False
    )
    order: defaults.RankingOrder = setting(
        defaults.ORDER, "Documents by score (trec_eval), rank column (ndeval) or file (NTCIREVAL).", on_page=False
    )
    single_precision: bool = setting(
        False, "Compare scores as 32-bit floats, as trec_eval before 9.0.8 did.", on_page=False
    )
    name: defaults.SystemName = setting(
        defaults.SYSTEM_NAME, "Name systems after their file or their run tag.", on_page=False
    )
    lenient: bool = setting(False, "Accept fields after the run tag.", on_page=False)
    judged_only: bool = setting(False, "Remove unjudged documents before scoring (condensed lists).", on_page=False)


SCORING = cast("ScoringOptions", {one.name: one.default for one in Scoring.all()})
"""The scoring options with their defaults."""


def complete_scoring(scoring: ScoringOptions, function: str) -> ScoringOptions:
    """All scoring options; a `TypeError`, as Python's own, for one that the function does not take.

    >>> complete_scoring({"level": 2}, "reuse")["order"]
    'score'
    """
    for name in scoring:
        if name not in SCORING:
            raise TypeError(f"{function}() got an unexpected keyword argument {name!r}")
    return {**SCORING, **scoring}


@dataclass(frozen=True, kw_only=True)
class RunsOrScores(Scoring):
    """What a question about scores needs when it is given judgments and runs, which it scores first."""

    missing: defaults.MissingPolicy | None = setting(
        None, "What a missing (topic, system) score means.",
        usual=f"{defaults.MISSING} in score files, zero for runs", part="source", on_page=False,
    )  # fmt: skip

    @classmethod
    @cache
    def all(cls) -> tuple[Setting, ...]:
        """Every setting; the scoring options say how files are read and are no arguments of the function."""
        return tuple(replace(one, part="source") if one.name in SCORING else one for one in super().all())

    @property
    def scoring(self) -> dict[str, Any]:
        """How runs are scored, as `evaluate` takes it."""
        return {**{name: getattr(self, name) for name in SCORING}, "missing": self.missing or "zero"}

    @property
    def holes(self) -> str:
        """What a hole in a score file means."""
        return self.missing or defaults.MISSING
