"""One light frozen dataclass per question: what can be set, its defaults, its help and its limits, once."""

from cranfield.settings.base import (
    REQUIRED,
    QueryError,
    Setting,
    Settings,
    in_words_of,
    question_of,
    questions,
    setting,
)

__all__ = ["REQUIRED", "QueryError", "Setting", "Settings", "in_words_of", "question_of", "questions", "setting"]
