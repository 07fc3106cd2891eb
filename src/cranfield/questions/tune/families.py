"""A family: one system under every parameter setting. From score files, matrices, or a live search engine."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from cranfield.core.arguments import check_arguments
from cranfield.core.defaults import MISSING, MissingPolicy
from cranfield.core.errors import ArgumentError, DataError
from cranfield.core.executors import Progress
from cranfield.core.labels import check_unique, is_several, repr_of, summary
from cranfield.questions.tune.parameters import NamePattern, Setting, parse_setting
from cranfield.scores.doors import as_matrix, is_scores
from cranfield.scores.frames import is_frame
from cranfield.scores.matrix import ScoreMatrix, Scores
from cranfield.scores.readers import Paths, read_collections

Evaluate = Callable[[Setting, Sequence[str]], "ScoreMatrix | Mapping[str, float] | Iterable[float]"]
"""A search engine to be tuned: (setting, topics) -> the score of each topic."""


@dataclass(frozen=True, eq=False)
class Family:
    """A system under every setting of its parameters.

    Parameters
    ----------
    name : the family's name, under which its held-out scores are compared
    scores : topic × setting scores; the systems of the matrix are the settings
    settings : the settings, read from the labels (``bm25(k1=0.9,b=0.4)``) unless given
    notes : warnings about the source of the scores, one sentence each

    Examples
    --------
    >>> x = ScoreMatrix([[0.5, 0.25], [1.0, 0.75]], ["1", "2"], ["ql(mu=500)", "ql(mu=1000)"], "AP")
    >>> Family("ql", x)
    Family(ql: 2 settings of mu, AP on 2 topics)
    """

    name: str
    scores: ScoreMatrix
    settings: tuple[Setting, ...] = ()
    notes: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        settings = self.settings or tuple(parse_setting(label) for label in self.scores.systems)
        if len(settings) != self.scores.n_systems:
            raise DataError(
                f"family {self.name!r}: {len(settings)} settings for {self.scores.n_systems} systems. "
                "Give one per system."
            )
        object.__setattr__(self, "settings", tuple(settings))

    @property
    def parameters(self) -> tuple[str, ...]:
        """The parameters' names, in the order in which they first occur."""
        return tuple(dict.fromkeys(key for setting in self.settings for key in setting))

    def __repr__(self) -> str:
        of = f" of {', '.join(self.parameters)}" if self.parameters else ""
        x = self.scores
        return f"Family({self.name}: {x.n_systems} settings{of}, {x.measure} on {x.n_topics} topics)"


@dataclass(frozen=True, eq=False)
class LiveFamily:
    """A family whose scores come from a function, called once per setting and topic.

    Parameters
    ----------
    name : the family's name
    evaluate : ``evaluate(setting, topics)`` gives the score of each topic under one setting: in the order of
        `topics`, or as a mapping from topic to score, or as a `ScoreMatrix` with one system. The setting is a
        mapping, so ``engine(**setting)`` works.
    settings : the settings to try (see `grid`)
    topics : the topics to try them on
    measure : the name of what is measured

    Examples
    --------
    >>> from cranfield.questions.tune.parameters import grid
    >>> calls = []
    >>> def search(setting, topics):
    ...     calls.append(setting.label)
    ...     return [1 - abs(setting["mu"] - 500) / 1000 for _ in topics]
    >>> family = LiveFamily("ql", search, grid("ql", mu=[100, 500, 900]), ["1", "2"], "AP")
    >>> family.scores().system_means.tolist()
    [0.6, 1.0, 0.6]
    >>> _ = family.scores()
    >>> calls
    ['ql(mu=100)', 'ql(mu=500)', 'ql(mu=900)']
    """

    name: str
    evaluate: Evaluate
    settings: Sequence[Setting]
    topics: Sequence[str]
    measure: str = "score"
    _known: dict[tuple[str, str], float] = field(default_factory=dict, init=False, repr=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "topics", check_unique("topic", tuple(self.topics)))
        object.__setattr__(self, "settings", tuple(self.settings))
        check_unique("setting", [setting.label for setting in self.settings])

    def scores(self, topics: Sequence[str] | None = None, *, progress: Progress | None = None) -> ScoreMatrix:
        """Topic × setting scores of these topics (default: all); evaluates only unknown ones."""
        chosen = tuple(self.topics if topics is None else topics)
        columns = []
        for done, setting in enumerate(self.settings, 1):
            wanted = [topic for topic in chosen if (setting.label, topic) not in self._known]
            if wanted:
                scores = _scores_of(self.evaluate(setting, wanted), setting, wanted)
                self._known.update({(setting.label, topic): score for topic, score in zip(wanted, scores, strict=True)})
            columns.append([self._known[setting.label, topic] for topic in chosen])
            if progress:
                progress(done, len(self.settings))
        labels = [setting.label for setting in self.settings]
        step = f"{self.name} evaluated live under {len(labels)} settings"
        return ScoreMatrix(np.array(columns).T, chosen, labels, self.measure, provenance=[step])

    def to_family(self, progress: Progress | None = None) -> Family:
        """The family with all its scores."""
        return Family(self.name, self.scores(progress=progress), tuple(self.settings))


def _scores_of(
    scores: ScoreMatrix | Mapping[str, float] | Iterable[float], setting: Setting, topics: Sequence[str]
) -> NDArray[np.float64]:
    """What an evaluation gave, as one finite number per topic."""
    if isinstance(scores, ScoreMatrix):
        if scores.n_systems != 1:
            raise DataError(f"{setting.label}: expected the scores of one system; got {scores.n_systems} systems")
        scores = dict(zip(scores.topics, scores.values[:, 0].tolist(), strict=True))
    if isinstance(scores, Mapping):
        absent = [topic for topic in topics if topic not in scores]
        if absent:
            raise DataError(f"{setting.label}: no score for topic {summary(absent)}. Give one for every topic.")
        scores = [scores[topic] for topic in topics]
    values = np.asarray(list(scores), dtype=np.float64)
    if values.shape != (len(topics),):
        raise DataError(f"{setting.label}: expected {len(topics)} scores, one per topic; got shape {values.shape}")
    if not np.isfinite(values).all():
        at = int(np.flatnonzero(~np.isfinite(values))[0])
        raise DataError(f"{setting.label}: the score of topic {topics[at]!r} is {values[at]}. Give a finite score.")
    return values


FamilyLike = Any
"""A `Family`, a `LiveFamily`, or the scores of settings in any form that `as_scores` takes."""


def as_families(families: Any, progress: Progress | None = None) -> tuple[Family, ...]:
    """The families in any form `tune` accepts, live ones evaluated."""
    if isinstance(families, (ScoreMatrix, Scores)) or is_frame(families) or _is_one_table(families):
        listed: list[Family | LiveFamily] = split_families(as_matrix(families, argument="families"))
    elif isinstance(families, (Family, LiveFamily)):
        listed = [families]
    elif isinstance(families, Mapping):
        listed = [_named(name, family) for name, family in families.items()]
    elif is_several(families):
        listed = list(families)
    else:
        raise ArgumentError(f"`families` must be score files, scores or a list of families; got {repr_of(families)}.")
    checked = []
    for family in listed:
        if not isinstance(family, (Family, LiveFamily)):
            raise ArgumentError(
                f"a family must be a Family, a LiveFamily or, in a mapping by name, a ScoreMatrix; "
                f"got {type(family).__name__}."
            )
        checked.append(family.to_family(progress) if isinstance(family, LiveFamily) else family)
    if not checked:
        raise DataError("there is no family to tune. Give at least one.")
    check_unique("family", [family.name for family in checked])
    return tuple(checked)


def _is_one_table(families: Any) -> bool:
    """Whether it holds scores of settings, not families by name."""
    if isinstance(families, Mapping):
        return all(isinstance(one, (Mapping, list, tuple, np.ndarray)) for one in families.values()) and bool(families)
    return isinstance(families, tuple) and is_scores(families)


def _named(name: str, family: FamilyLike) -> Family | LiveFamily:
    if isinstance(family, (Family, LiveFamily)):
        return replace(family, name=name)
    return Family(name, as_matrix(family, argument=f"families[{name!r}]"))


def split_families(
    scores: ScoreMatrix, pattern: str | None = None, *, name: str | None = None, one_family: bool = False
) -> list[Family | LiveFamily]:
    """The families in one score matrix.

    With a pattern (see `NamePattern`) its ``{family}`` names the family, and systems that do not match are dropped
    with a note. Otherwise the name before the brackets does (``bm25(…)``, ``ql(…)``). Names without settings are
    refused unless `one_family` is set, since runs of many teams are not settings of one system.

    >>> x = ScoreMatrix([[0.1, 0.2, 0.3]], ["1"], ["bm25(b=0)", "bm25(b=1)", "ql(mu=9)"], "AP")
    >>> split_families(x)
    [Family(bm25: 2 settings of b, AP on 1 topics), Family(ql: 1 settings of mu, AP on 1 topics)]
    """
    groups: dict[str, list[Setting]] = {}
    notes: tuple[str, ...] = ()
    if pattern is not None:
        matcher = NamePattern(pattern)
        unmatched = []
        for label in scores.systems:
            parsed = matcher.match(label)
            if parsed is None:
                unmatched.append(label)
            else:
                groups.setdefault(parsed[0] or name or "system", []).append(parsed[1])
        if not groups:
            raise DataError(f"no system matches the pattern {pattern!r}. The systems are {summary(scores.systems)}.")
        if unmatched:
            notes = (f"dropped {len(unmatched)} systems that do not match {pattern!r}: {summary(unmatched)}",)
    else:
        for setting in (parse_setting(label) for label in scores.systems):
            groups.setdefault(setting.name, []).append(setting)
        if len(groups) == 1:
            groups = {name or next(iter(groups)) or "system": next(iter(groups.values()))}
        elif not any(setting for settings in groups.values() for setting in settings):
            if not one_family:
                raise DataError(
                    f"the {scores.n_systems} systems ({summary(scores.systems)}) do not look like settings of one "
                    "system, such as bm25(k1=0.9,b=0.4). Give the `pattern` of their names, or set `one_family`. "
                    "Use `compare` for different systems."
                )
            groups = {name or "system": [setting for settings in groups.values() for setting in settings]}
    return [
        Family(family, scores.select(systems=[s.label for s in settings]), tuple(settings), notes)
        for family, settings in groups.items()
    ]


def read_families(
    paths: Paths,
    *,
    measure: str | None = None,
    missing: MissingPolicy = MISSING,
    pattern: str | None = None,
    one_family: bool = False,
) -> list[Family]:
    """Read families from score files: one per file, named after it, or several by their names.

    A table or a directory of per-run files is one family, unless `split_families` finds several in it.

    Examples
    --------
    >>> import tempfile, pathlib
    >>> file = pathlib.Path(tempfile.mkdtemp(), "ql.AP.csv")
    >>> _ = file.write_text("topic,ql(mu=500),ql(mu=1000)\\n401,0.25,0.125\\n402,0.5,0.75\\n")
    >>> read_families(file)
    [Family(ql: 2 settings of mu, AP on 2 topics)]
    """
    check_arguments(read_families, locals())
    families: list[Family] = []
    for name, scores in read_collections(paths, measure=measure, missing=missing).items():
        families += as_families(split_families(scores.only(), pattern, name=name, one_family=one_family))
    names = [family.name for family in families]
    if twice := sorted({name for name in names if names.count(name) > 1}):
        raise DataError(
            f"family {summary(twice)} comes from several files. Put its settings into one file, or rename them."
        )
    return families
