"""Judges of the sample collection: a person, a second person, and a machine whose leniency and bias are known.

The person's grades are the truth. Another judge sees a latent grade::

    relevance + leniency + favour·[in the top 10 of a run of the favoured team] + topic noise + document noise

rounded to the nearest grade of the scale.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
import polars as pl

from cranfield.collection.types import Qrels, Run
from cranfield.core.errors import ArgumentError
from cranfield.core.labels import repr_of
from cranfield.core.resampling import generator

if TYPE_CHECKING:
    from cranfield.collection.sample import Sample

_SECOND, _MACHINE = 4, 5  # random streams; those of the collection are 0 to 3
TOP_GRADE = 2
FAVOURED_DEPTH = 10
"""A favoured document stands among the first so many of a run of the team."""
SECOND_SHARE = 0.6
"""Share of the person's pairs that the second person judges too."""


@dataclass(frozen=True)
class JudgeModel:
    """How a judge differs from the first person, in grades.

    Parameters
    ----------
    leniency : added to every latent grade
    favour : added to documents that the favoured team ranks high
    error : standard deviation of the noise of one document
    topic_error : standard deviation of the noise that all documents of a topic share
    """

    leniency: float = 0.0
    favour: float = 0.0
    error: float = 0.24
    topic_error: float = 0.05

    def __post_init__(self) -> None:
        for name, value in vars(self).items():
            if not np.isfinite(value) or (name.endswith("error") and value < 0):
                bound = "0 or more" if name.endswith("error") else "a finite number"
                raise ArgumentError(f"`{name}` must be {bound}; got {value}. Write 0.2.")


PERSON = JudgeModel()
MACHINE = JudgeModel(leniency=0.1, favour=0.2, error=0.22, topic_error=0.05)
"""A lenient machine that favours one team."""


@dataclass(frozen=True, eq=False)
class SampleJudges:
    """Judgments of the pool by three judges.

    Attributes
    ----------
    human : the person's judgments of the first half of the topics
    second : a second person's judgments of some of the same pairs
    machine : the machine's judgments of all topics
    team : the team that the machine favours
    groups : system → team, of that team's systems
    """

    human: Qrels
    second: Qrels
    machine: Qrels
    team: str
    groups: dict[str, str]


def make_judges(
    sample: Sample,
    *,
    machine: JudgeModel = MACHINE,
    second: JudgeModel = PERSON,
    team: str | None = None,
    n_human: int | None = None,
) -> SampleJudges:
    """Judges of a sample collection with known leniency and a known bias, to try and check `judges`.

    Parameters
    ----------
    sample : from `make_sample`
    machine, second : how the machine and the second person differ from the first
    team : the team that the machine favours; by default the second one, or the only one
    n_human : topics that people judge, the first ones; by default half of them

    Examples
    --------
    >>> from cranfield import make_sample
    >>> found = make_judges(make_sample(6, 8, n_documents=300, depth=20, length=60))
    >>> found.machine
    Qrels(machine: 6 topics, 449 judgments, 81 relevant)
    >>> found.human.topics, found.team
    (('1', '2', '3'), 'apple')
    """
    if not hasattr(sample, "truth"):
        raise ArgumentError(f"`sample` must come from make_sample; got {repr_of(sample)}.")
    teams = list(dict.fromkeys(sample.truth["team"]))
    team = teams[min(1, len(teams) - 1)] if team is None else team
    if team not in teams:
        raise ArgumentError(f"`team` must be one of {', '.join(teams)}; got {team!r}.")
    topics = sample.topics["topic"].to_list()
    n = max(1, len(topics) // 2) if n_human is None else n_human
    if not 1 <= n <= len(topics):
        raise ArgumentError(f"`n_human` must be from 1 to the number of topics, {len(topics)}; got {n}.")
    groups = {system: team for system, own in sample.truth.select("system", "team").iter_rows() if own == team}
    liked = _liked([run for run in sample.runs if run.system in groups])
    pool = sample.qrels.frame
    human = pool.filter(pl.col("topic").is_in(topics[:n]))
    by_second = _graded(human, second, liked, sample.seed, _SECOND, topics)
    kept = np.concatenate([
        generator(sample.seed, _SECOND, topics.index(topic[0]), 1).random(part.height) < SECOND_SHARE
        for topic, part in human.group_by("topic", maintain_order=True)
    ])  # fmt: skip
    kept[0] = True  # at least one pair is judged twice
    return SampleJudges(
        Qrels(human, "human"),
        Qrels(by_second.filter(pl.Series(kept)), "second"),
        Qrels(_graded(pool, machine, liked, sample.seed, _MACHINE, topics), "machine"),
        team,
        groups,
    )


def _liked(runs: Sequence[Run]) -> pl.DataFrame:
    """The pairs that a run of the favoured team ranks among the first."""
    tops = [
        run.frame.sort("score", "document", descending=True)
        .group_by("topic", maintain_order=True)
        .head(FAVOURED_DEPTH)
        .select("topic", "document")
        for run in runs
    ]
    return pl.concat(tops).unique(maintain_order=True).with_columns(liked=pl.lit(1.0))


def _graded(
    pool: pl.DataFrame, model: JudgeModel, liked: pl.DataFrame, seed: int, stream: int, topics: list[str]
) -> pl.DataFrame:
    """The pairs of a pool with this judge's grades; a topic does not depend on the number of topics."""
    favoured = pool.join(liked, on=["topic", "document"], how="left", maintain_order="left")["liked"].fill_null(0.0)
    noise = []
    for topic, part in pool.group_by("topic", maintain_order=True):
        random = generator(seed, stream, topics.index(topic[0]))
        shared = model.topic_error * float(random.standard_normal())
        noise.append(shared + model.error * random.standard_normal(part.height))
    latent = pool["relevance"].to_numpy() + model.leniency + model.favour * favoured.to_numpy() + np.concatenate(noise)
    grades = np.clip(np.rint(latent), 0, TOP_GRADE).astype(np.int32)
    return pool.with_columns(relevance=pl.Series(grades, dtype=pl.Int32))
