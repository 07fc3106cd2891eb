"""From the files on a command line to the data a question is asked about."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from cranfield.cli.kinds import kind_of, mistaken
from cranfield.defaults import MEASURES
from cranfield.errors import ArgumentError, DataError, FileError, Problem, UnknownNameError
from cranfield.settings.evaluate import RunsOrScores, Scoring

if TYPE_CHECKING:
    from cranfield.scores import Scores
    from cranfield.tuning import Family


def read(settings: Any, files: dict[str, Any]) -> tuple[Any, ...]:
    """What the question is about, as the public function takes it."""
    if settings.takes == "scores":
        if isinstance(settings, RunsOrScores):
            return (scores_of(files["scores"], settings),)
        refuse_others(files["scores"], settings)
        scores = read_scores(files["scores"], measure=settings.measure, missing=settings.missing)
        return (only_wanted(scores, settings),)
    if settings.takes == "collections":
        refuse_others(files["scores"], settings)
        collections = read_collections(files["scores"], measure=settings.measure, missing=settings.missing)
        return ({name: only_wanted(one, settings) for name, one in collections.items()},)
    if settings.takes == "batches":
        batches = read_batches(files["scores"], measure=settings.measure, missing=settings.missing)
        return ([only_wanted(one, settings) for one in batches],)
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


def refuse_others(files: Sequence[str], settings: Any) -> None:
    """Say so when the first file is a run or judgments where scores are wanted."""
    kind = kind_of(files[0])
    if kind != "scores":
        raise FileError(files[0], [Problem(0, mistaken(kind, "scores", type(settings)))])


def scores_of(files: Sequence[str], settings: Any) -> Scores:
    """The scores of the systems wanted: as the files hold them, or of runs, evaluated by the judgments before them."""
    if holds_judgments(files, settings):
        scores = evaluated(files, settings)
    else:
        scores = read_scores(files, measure=settings.measure, missing=settings.holes)
    return only_wanted(scores, settings)


def only_wanted(scores: Scores, settings: Any) -> Scores:
    """The systems wanted, and the baselines; all of them where none is named."""
    wanted = getattr(settings, "system", None)
    if not wanted:
        return scores
    baseline = getattr(settings, "baseline", None)
    baselines = (
        [baseline] if isinstance(baseline, str) else baseline if isinstance(baseline, tuple) else ()
    )  # or a flag
    return scores.select(systems=dict.fromkeys([*wanted, *baselines]))


def holds_judgments(files: Sequence[str], settings: Any) -> bool:
    """Whether the files are judgments and runs, not scores; what is neither is refused."""
    kind = kind_of(files[0])
    if kind == "run":
        raise FileError(files[0], [Problem(0, mistaken("run", "scores", type(settings)))])
    if kind == "scores":
        refuse_scoring(files[0], settings)
        return False
    if len(files) == 1:
        # A table of a few systems' whole numbers looks like judgments too: then it can be read as scores.
        try:
            read_scores(files, measure=None, missing="zero")
        except DataError:
            raise ArgumentError(
                f"{files[0]} holds judgments; name the runs after it (cranfield {settings.command} QRELS RUN...), or "
                "give score files."
            ) from None
        refuse_scoring(files[0], settings)
        return False
    return True


def refuse_scoring(file: str, settings: Any) -> None:
    """Say so when scores, which are settled, come with options about scoring runs."""
    idle = [f"`{one.name}`" for one in Scoring.all() if one.name in settings.changed()]
    if idle:
        raise ArgumentError(
            f"{file} holds scores, and {', '.join(idle)} would say how to score runs; leave it out, or name judgments "
            f"and runs: cranfield {settings.command} QRELS RUN..."
        )


def evaluated(files: Sequence[str], settings: Any) -> Scores:
    """The scores of the runs after the judgments."""
    from cranfield.cli.output import progress_bar
    from cranfield.measures import evaluate

    measures = [settings.measure] if isinstance(settings.measure, str) else settings.measure or MEASURES
    with progress_bar("evaluating runs") as progress:
        return evaluate(files[0], list(files[1:]), measures, **settings.scoring, progress=progress)


def read_scores(files: Sequence[str], *, measure: Sequence[str] | str | None, missing: Any) -> Scores:
    """The scores by the measures wanted."""
    from cranfield.scores import read_scores

    wanted = [measure] if isinstance(measure, str) else list(dict.fromkeys(measure or ()))
    # For one file the reader takes the name, which a wide table may lack; among several it chooses.
    if len(wanted) == 1 and len(files) == 1:
        return read_scores(list(files), measure=wanted[0], missing=missing)
    scores = read_scores(list(files), missing=missing)
    names = dict.fromkeys(scores[name].measure for name in wanted)
    return scores.select(measures=list(names)) if wanted else scores


def read_collections(files: Sequence[str], *, measure: str | None, missing: Any) -> dict[str, Scores]:
    """Every table a collection of its own."""
    from cranfield.scores import read_collections

    return read_collections(list(files), measure=measure, missing=missing)


def read_batches(files: Sequence[str], *, measure: str | None, missing: Any) -> list[Scores]:
    """One batch of topics for every argument: a table, or the files of a directory together."""
    return [read_scores([file], measure=measure, missing=missing) for file in files]


def read_families(files: Sequence[str], settings: Any) -> list[Family]:
    """The families of settings in score files, or of runs named after their settings; those wanted where not all."""
    families = _all_families(files, settings)
    if not settings.system:
        return families
    return _wanted(families, [*settings.system, *(getattr(settings, "baseline", None) or ())])


def _all_families(files: Sequence[str], settings: Any) -> list[Family]:
    from cranfield.tuning import read_families

    measure = settings.measure[0] if isinstance(settings.measure, tuple) else settings.measure
    if holds_judgments(files, settings):
        return _evaluated_families(files, settings, measure)
    return read_families(
        list(files), measure=measure, missing=settings.holes, pattern=settings.pattern, one_family=settings.one_family
    )


def _evaluated_families(files: Sequence[str], settings: Any, measure: str | None) -> list[Family]:
    from cranfield.tuning.families import as_families, split_families

    if measure is None:
        raise ArgumentError(f"tuning is for one measure; name it with --measure, such as --measure {MEASURES[0]}")
    matrix = evaluated(files, settings).only()
    return list(as_families(split_families(matrix, settings.pattern, one_family=settings.one_family)))


def _wanted(families: Sequence[Family], names: Sequence[str]) -> list[Family]:
    """The settings called so, and every setting of a family called so."""
    known = dict.fromkeys([*(family.name for family in families), *(x for one in families for x in one.scores.systems)])
    for name in names:
        if name not in known:
            raise UnknownNameError("system", name, known)
    kept = []
    for family in families:
        settings = [one for one in family.settings if {one.label, family.name} & set(names)]
        if settings:
            scores = family.scores.select(systems=[one.label for one in settings])
            kept.append(replace(family, scores=scores, settings=tuple(settings)))
    return kept


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
