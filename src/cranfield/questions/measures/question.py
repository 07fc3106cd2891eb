"""Which measures are there? The settings of `measures`."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from cranfield.core.question import HelpGroup, Question, setting


@dataclass(frozen=True, kw_only=True)
class MeasuresQuestion(Question):
    """List the measures: how to write each, what it computes, and the paper it comes from.

    Other names are understood too: those of trec_eval (map, P_10, ndcg_cut_10), and irm:NAME for whatever
    ir_measures computes when it is installed.

    Example: cranfield measures AP nDCG
    """

    command: ClassVar[str] = "measures"
    group: ClassVar[HelpGroup] = "Evaluate"
    aliases: ClassVar[tuple[str, ...]] = ("metrics",)
    brief: ClassVar[str] = "List the measures, with definitions and citations."
    place: ClassVar[int] = 60
    drawn: ClassVar[bool] = False

    names: tuple[str, ...] = setting((), "Only these, by any of their names.", argument=True, metavar="[NAME]...")
