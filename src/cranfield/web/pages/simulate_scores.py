"""Scores like these, with their truth beside them."""

from __future__ import annotations

from cranfield.errors import ArgumentError
from cranfield.executors import Progress
from cranfield.settings.simulate import SimulateScoresSettings
from cranfield.web.server.data import Dataset
from cranfield.web.server.library import ask_library
from cranfield.web.server.outcome import Outcome
from cranfield.web.server.page import page

MOST = 1_000_000
"""Scores that the page draws at once."""


def draw(question: SimulateScoresSettings, dataset: Dataset, progress: Progress) -> Outcome:
    """The answer of the library, unless it would be too long for a page."""
    dataset.require_valid(progress)
    past = dataset.matrix(question.measure)
    asked = (question.n_topics or past.n_topics) * (question.n_systems or past.n_systems)
    if asked > MOST:
        raise ArgumentError(
            f"`n_topics` times `n_systems` may come to {MOST:,} on the page; got {asked:,}. Draw fewer here, or "
            "as many as you like with the command line."
        )
    return ask_library(question, dataset, progress)


page(
    "simulate-scores",
    "Simulated scores",
    SimulateScoresSettings,
    heading="Scores like mine, with known truth",
    lead="Topics and systems drawn out of your scores, as many as you like, with the true means beside them: "
    "for trying out methods.",
    button="Draw",
    doing="Drawing scores like those of",
    nothing="Choose data and say how much to draw.",
    waits=True,
    place=None,
    address="/simulate/scores",
    leads_to=("simulate", "simulate-design"),
    answer=draw,
)
