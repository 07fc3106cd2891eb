"""Will the judgments serve systems not yet built?"""

from __future__ import annotations

import re
from dataclasses import replace
from typing import Any

from cranfield.errors import ArgumentError
from cranfield.executors import Progress
from cranfield.records import record
from cranfield.settings import setting
from cranfield.settings.reuse import ReuseSettings
from cranfield.web.server.data import Dataset
from cranfield.web.server.library import ask_library
from cranfield.web.server.outcome import Outcome
from cranfield.web.server.page import page

ENDS = "-_.0123456789"


@record(kw_only=True)
class ReuseQuestion(ReuseSettings):
    """The settings of `reuse`, with teams told apart by the names of their runs."""

    team_ends: str = setting(
        ENDS, "A team is what stands before the first of these characters in the run tag.", flags=(), part="source",
        label="A team's name ends at",
    )  # fmt: skip


def reused(question: Any, dataset: Dataset, progress: Progress) -> Outcome:
    """Each team left out in turn; a class of characters, unlike a pattern of the user's, is matched in no time."""
    if not question.team_ends:
        raise ArgumentError(f"`team_ends` is empty; write the characters that end a team's name, such as {ENDS}")
    return ask_library(replace(question, team_prefix=f"[^{re.escape(question.team_ends)}]+"), dataset, progress)


page(
    "reuse",
    "Reuse",
    ReuseQuestion,
    heading="Will it serve systems not yet built?",
    lead="What a team alone brought into the pool is taken away, and its runs are scored as if they had come later. "
    "Needs runs and judgments.",
    button="Leave teams out",
    doing="Leaving teams out of",
    nothing="This takes a little while: choose data and run it.",
    brief="How far runs fall without the judgments that their team alone brought; needs runs.",
    answer=reused,
    waits=True,
    place=42,
)
