"""From the files on a command line to the data a question is asked about."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from cranfield.errors import ArgumentError

if TYPE_CHECKING:
    from cranfield.scores import Scores
    from cranfield.tuning import Family


def read(settings: Any, files: dict[str, Any]) -> tuple[Any, ...]:
    """What the question is about, as the public function takes it."""
    if settings.takes == "scores":
        return (read_scores(files["scores"], measure=settings.measure, missing=settings.missing),)
    if settings.takes == "collections":
        return (read_collections(files["scores"], measure=settings.measure, missing=settings.missing),)
    if settings.takes == "batches":
        return (read_batches(files["scores"], measure=settings.measure, missing=settings.missing),)
    if settings.takes == "families":
        return (read_families(files["scores"], settings),)
    if settings.takes == "past":
        past = settings.files
        return (read_collections(past, measure=settings.measure, missing=settings.missing),) if past else ()
    if settings.takes == "judged":
        return (judged_collections(**settings.values("source")),)
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


def read_batches(files: Sequence[str], *, measure: str | None, missing: Any) -> list[Scores]:
    """One batch of topics for every argument: a table, or the files of a directory together."""
    return [read_scores([file], measure=measure, missing=missing) for file in files]


def read_families(files: Sequence[str], settings: Any) -> list[Family]:
    """The families of settings in score files."""
    from cranfield.tuning import read_families

    measure = settings.measure[0] if isinstance(settings.measure, tuple) else settings.measure
    return read_families(
        list(files), measure=measure, missing=settings.missing, pattern=settings.pattern, one_family=settings.one_family
    )


def judged_collections(files: Sequence[str], collection: Sequence[str] | None) -> list[tuple[str, list[str]]]:
    """Judgments and runs: the plain arguments, or each --collection with the argument after it."""
    if not collection:
        if len(files) < 2:
            raise ArgumentError("name the judgments and at least one run: cranfield cost QRELS RUN…")
        return [(files[0], list(files[1:]))]
    if len(files) != len(collection):
        raise ArgumentError(
            f"--collection needs one place of runs for each qrels file; got {len(files)} for {len(collection)}. "
            "Write --collection QRELS RUNS for each, with RUNS one directory (or a glob in quotes)."
        )
    return [(qrels, [runs]) for qrels, runs in zip(collection, files, strict=True)]
