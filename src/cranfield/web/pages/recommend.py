"""How many topics should the next collection have, from past scores and in plain words?"""

from __future__ import annotations

from cranfield.settings.design import RecommendSettings
from cranfield.web.pages.design import NEXT
from cranfield.web.server.page import page

page(
    "recommend",
    "Recommend",
    RecommendSettings,
    heading="What should the next collection be like?",
    lead="A recommendation from past scores: how many topics for comparing all pairs of systems after correction, what "
    "other ways of asking say, and what other numbers of topics would do.",
    button="Recommend",
    doing="Designing from",
    example=NEXT,
    brief="How many topics the next collection should have, from past scores; what other numbers do is in `tables`.",
    place=15,
)
