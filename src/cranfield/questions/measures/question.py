"""The list of measures: the settings of `measures`."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from cranfield.core.options import setting
from cranfield.core.question import HelpGroup, Question


@dataclass(frozen=True, kw_only=True)
class MeasuresQuestion(Question):
    """List the measures with name, definition and citation.

    Names of trec_eval work too (map, P_10, ndcg_cut_10). irm:NAME is a measure of ir_measures, if installed.

    Example: cranfield measures AP nDCG
    """

    command: ClassVar[str] = "measures"
    group: ClassVar[HelpGroup] = "Evaluate"
    aliases: ClassVar[tuple[str, ...]] = ("metrics",)
    brief: ClassVar[str] = "List the measures, with definitions and citations."
    place: ClassVar[int] = 60
    drawn: ClassVar[bool] = False

    names: tuple[str, ...] = setting((), "Measures to list, by any of their names.", argument=True, metavar="[NAME]...")
