"""From the files on a command line to the data a question is asked about."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from cranfield.core.defaults import MEASURES, FileKind
from cranfield.core.errors import ArgumentError, DataError, FileError, Problem, quietly
from cranfield.core.files import expand, is_dataset
from cranfield.core.question import Bar, Files
from cranfield.measures.options import SCORING, RunsOrScores, Scoring

if TYPE_CHECKING:
    from cranfield.scores.matrix import Scores

_IS = {"run": "contains a run", "qrels": "contains judgments", "scores": "contains scores"}
_WANTED = {"run": "a run", "qrels": "judgments", "scores": "scores"}


class OtherKindError(FileError):
    """A file of one kind where another was wanted; the caller knows the `remedy`."""

    def __init__(self, path: str, given: FileKind, wanted: FileKind, remedy: str = "") -> None:
        self.given, self.wanted = given, wanted
        said = f"{_IS[given]}, not {_WANTED[wanted]}"
        super().__init__(path, [Problem(0, f"{said}. {remedy}" if remedy else said)])


def kind_of(path: str, wanted: FileKind | None = None) -> FileKind:
    """Run, qrels or scores, by the first file that a name stands for; scores where they are wanted and may be meant."""
    from cranfield.core.recognition import beginning, recognise
    from cranfield.scores.formats import other_kind

    file = expand([path])[0]
    kind = recognise(file)
    if kind == "unknown":  # the reader of scores says what is wrong with it
        return "scores"
    maybe = wanted == "scores" != kind and not is_dataset(file) and other_kind(beginning(file)) is None
    return "scores" if maybe else kind


def require_kind(path: str, wanted: FileKind) -> None:
    """Refuse a file of another kind."""
    if (kind := kind_of(path, wanted)) != wanted:
        raise OtherKindError(path, kind, wanted)


def read(question: Any, files: Files, bar: Bar) -> tuple[Any, ...]:
    """What the question is about, as the public function takes it."""
    from cranfield.scores.readers import read_collections

    own = question.read(files, bar)
    if own is not None:
        return tuple(own)
    match question.takes:
        case "scores":
            named = files["scores"]
            of_runs = isinstance(question, RunsOrScores)
            if not of_runs:
                require_kind(named[0], "scores")
            if of_runs and holds_judgments(named, question):
                scores = evaluated(named, question, bar)
            else:
                scores = read_scores(named, question.measure, question.holes if of_runs else question.missing)
            return (only_wanted(scores, question),)
        case "collections":
            require_kind(files["scores"][0], "scores")
            several = read_collections(list(files["scores"]), measure=question.measure, missing=question.missing)
            return (grouped({name: only_wanted(one, question) for name, one in several.items()}, question),)
        case "batches":  # one for every argument: a table, or the files of a directory together
            batches = [read_scores([file], question.measure, question.missing) for file in files["scores"]]
            return ([only_wanted(one, question) for one in batches],)
        case "past":
            past = list(question.files or ())
            if not past:
                if getattr(question, "topic_groups", None) is not None:
                    raise ArgumentError("`topic_groups` needs past scores. Leave it out, or give `scores`.")
                return ()
            return (grouped(read_collections(past, measure=question.measure, missing=question.missing), question),)
        case "runs":
            return files["qrels"], best_runs(question, files["qrels"], list(files["runs"]))
    return ()


def by_its_name(question: Any, data: tuple[Any, ...]) -> Any:
    """The question with its measure as the data call it: ``map`` finds AP, and AP with --level 2 is AP(rel=2)."""
    from cranfield.scores.matrix import Scores

    first = data[0] if data else None
    inside = [*first.values()] if isinstance(first, dict) else first if isinstance(first, list) else [first]
    if not inside or not isinstance(inside[0], Scores) or not getattr(question, "measure", None):
        return question
    names = tuple(inside[0])
    return replace(question, measure=names if question.of("measure").several else names[0])


def grouped(collections: dict[str, Scores], question: Any) -> dict[str, Scores]:
    """The scores by groups of topics, where the question names groups; a warning if it should name them."""
    if not hasattr(question, "topic_groups"):
        return collections
    from cranfield.questions.compare.clusters import group_topics, noticed_turns, read_topic_groups

    if question.topic_groups is None:
        return {name: noticed_turns(scores) for name, scores in collections.items()}
    of_topic = read_topic_groups(question.topic_groups)
    return {name: group_topics(scores, of_topic) for name, scores in collections.items()}


def only_wanted(scores: Scores, question: Any) -> Scores:
    """The systems wanted, and the baselines; all of them where none is named."""
    wanted = getattr(question, "system", None)
    baseline = getattr(question, "baseline", None)  # a name, several, or a flag
    baselines = [baseline] if isinstance(baseline, str) else baseline if isinstance(baseline, tuple) else ()
    if wanted:
        scores = scores.select(systems=dict.fromkeys([*wanted, *baselines]))
    check_teams(question)
    if getattr(question, "best_per_team", None) is None:
        return scores
    from cranfield.collection.teams import best_per_team

    best = best_per_team(
        scores, question.teams, question.best_per_team, team_prefix=question.team_prefix, keep=list(baselines)
    )
    # The measure that chose may have been evaluated for that alone.
    shown = [name for name in best if name not in _for_teams_alone(question)]
    return best.select(measures=shown) if shown else best


def check_teams(question: Any) -> None:
    """Refuse teams that nothing is done with."""
    teams, prefix = (getattr(question, name, None) for name in ("teams", "team_prefix"))
    chooses = getattr(question, "best_per_team", None)
    if chooses is None and (teams or prefix) and question.of("teams").part == "source":
        raise ArgumentError("`teams` and `team_prefix` need `best_per_team`, the measure that chooses a run per team.")


def best_runs(question: Any, qrels: str, runs: Sequence[str]) -> list[Any]:
    """The run files of each team's best run, where only these are wanted; otherwise the runs as named."""
    chooses = getattr(question, "best_per_team", None)
    if chooses is None:
        return list(runs)
    from cranfield.collection.doors import as_runs, skipped_files
    from cranfield.collection.teams import best_per_team
    from cranfield.measures.evaluation import evaluate

    sources = as_runs(list(runs))
    how: dict[str, Any] = {name: getattr(question, name) for name in SCORING if hasattr(question, name)}
    with quietly():  # evaluated again below, where every warning is given
        scores = evaluate(qrels, sources, [chooses], **how)
    best = best_per_team(scores, question.teams, team_prefix=question.team_prefix)
    systems = scores.only().systems
    made = expand([])  # a list that carries what was left out
    chosen: list[Any] = made
    chosen += [source for source, name in zip(sources, systems, strict=True) if name in best.only().systems]
    ignored = tuple(text for text in best.warnings if text not in scores.warnings)
    made.skipped = (*skipped_files(sources), *ignored)
    return chosen


def _for_teams_alone(question: Any) -> list[str]:
    """The measure that chooses the best run of each team, where it was not asked for besides."""
    from cranfield.measures.names import parse_measure

    asked, chooses = question.measure, getattr(question, "best_per_team", None)
    if chooses is None or not asked:
        return []
    named = [asked] if isinstance(asked, str) else asked
    meant = str(parse_measure(chooses))
    return [] if meant in [str(parse_measure(one)) for one in named] else [meant]


def holds_judgments(files: Sequence[str], question: RunsOrScores) -> bool:
    """Whether the files are judgments and runs, not scores; all else is refused."""
    kind = kind_of(files[0])
    if kind == "run":
        require_kind(files[0], "scores")
    if kind == "qrels" and len(files) > 1:
        return True
    if kind == "qrels":
        # A table of a few systems' whole numbers looks like judgments too: then it can be read as scores.
        try:
            read_scores(files, None, "zero")
        except DataError:
            raise ArgumentError(
                f"{files[0]} contains only judgments. Add the runs (cranfield {question.command} QRELS RUN...), or "
                "give score files."
            ) from None
    of_runs = [*(one.name for one in Scoring.all()), "unjudged"]
    idle = [f"`{name}`" for name in of_runs if name in question.changed()]
    if idle:
        raise ArgumentError(
            f"{files[0]} contains scores, and {', '.join(idle)} applies to runs only. Leave it out, or give judgments "
            f"and runs: cranfield {question.command} QRELS RUN..."
        )
    return False


def evaluated(files: Sequence[str], question: Any, bar: Bar) -> Scores:
    """The scores of the runs after the judgments."""
    from cranfield.measures.evaluation import evaluate

    asked = [question.measure] if isinstance(question.measure, str) else question.measure or MEASURES
    measures = [*asked, *_for_teams_alone(question)]
    with bar("evaluating runs") as progress:
        how = {**question.scoring, "unjudged": getattr(question, "unjudged", None)}
        return evaluate(files[0], list(files[1:]), measures, **how, progress=progress)


def read_scores(files: Sequence[str], measure: Sequence[str] | str | None, missing: Any) -> Scores:
    """The scores by the measures wanted."""
    from cranfield.scores.readers import read_scores

    wanted = [measure] if isinstance(measure, str) else list(dict.fromkeys(measure or ()))
    # For one file the reader takes the name, which a wide table may lack; among several it chooses.
    if len(wanted) == 1 and len(files) == 1:
        return read_scores(list(files), measure=wanted[0], missing=missing)
    scores = read_scores(list(files), missing=missing)
    names = dict.fromkeys(scores[name].measure for name in wanted)
    return scores.select(measures=list(names)) if wanted else scores
