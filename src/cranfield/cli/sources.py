"""From the files on a command line to the data a question is asked about."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from cranfield.scores import Scores
    from cranfield.settings import Settings


def read(settings: Settings, files: dict[str, Any]) -> tuple[Any, ...]:
    """What the question is about, as the public function takes it."""
    if settings.takes == "scores":
        return (read_scores(files["scores"], measure=settings.measure, missing=settings.missing),)  # type: ignore[attr-defined]
    if settings.takes == "collections":
        return (read_collections(files["scores"], measure=settings.measure, missing=settings.missing),)  # type: ignore[attr-defined]
    if settings.takes == "runs":
        return files["qrels"], list(files["runs"])
    return ()


def read_scores(files: Sequence[str], *, measure: Sequence[str] | str | None, missing: Any) -> Scores:
    """The scores by the measures wanted."""
    from cranfield.scores import read_scores

    wanted = [measure] if isinstance(measure, str) else list(dict.fromkeys(measure or ()))
    # For one file the reader takes the name, which a wide table may lack; among several it chooses.
    one = len(wanted) == 1 and len(files) == 1
    scores = read_scores(list(files), measure=wanted[0] if one else None, missing=missing)
    return scores.select(measures=wanted) if wanted and not one else scores


def read_collections(files: Sequence[str], *, measure: str | None, missing: Any) -> dict[str, Scores]:
    """Every table a collection of its own."""
    from cranfield.scores import read_collections

    return read_collections(list(files), measure=measure, missing=missing)
