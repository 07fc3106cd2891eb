"""Known truth: models of scores and of rankings whose means, variances and equal systems are known exactly.

`make_scores`, selection bias and the sample collection draw from here, in whatever room they are. In the collection,
system j gives document d on topic i the score ::

    x_ijd = signal_ij + document_id + bonus      (relevant documents only)
          + √c · common_id + √k · team_i,team(j),d + √(1 − c − k) · own_ijd

with standard normal noise that all systems share (look-alikes that mislead everybody), that the systems of one
team share, and that is the system's own. The signal is the distance between relevant and other documents in
standard deviations of the noise (d′ of signal detection theory), never below 0::

    signal_ij = signal + quality_j + ease_i + team interaction_i,team(j) + interaction_ij
"""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import cast

import numpy as np
from numpy.typing import NDArray

from cranfield.core.errors import ArgumentError
from cranfield.core.resampling import generator

Array = NDArray[np.float64]
_SYSTEMS, _TOPICS, _RESIDUALS = 0, 1, 2
"""The random streams of the additive model, one per component."""
TEAM_SIZES = (4, 3, 5, 2, 1)
"""How many systems each team has; the list repeats."""
TEAM_NAMES = (
    "alder",
    "apple",
    "ash",
    "aspen",
    "beech",
    "birch",
    "cedar",
    "cherry",
    "cypress",
    "elm",
    "fir",
    "hazel",
    "holly",
    "larch",
    "lime",
    "maple",
    "oak",
    "olive",
    "pear",
    "pine",
    "plum",
    "rowan",
    "spruce",
    "willow",
    "yew",
)
FAILED_LENGTH = 30
"""A system that fails on a topic returns at most so many documents."""
LOWEST = -1000.0
"""A score below every other: what a failing system gives to relevant documents."""
MIN_RELEVANT, MAX_RELEVANT_SHARE = 3, 0.05
"""Bounds on the relevant documents of a topic: a count, and a share of the collection."""
_SYSTEMS, _TOPICS, _FURTHER_TOPICS = 0, 1, 2  # the random streams


def additive_scores(
    n_topics: int,
    n_systems: int,
    seed: int,
    *,
    mean: float,
    systems: float | Sequence[float],
    topic_variance: float,
    residual_variance: float,
) -> Array:
    """Scores x_ij = mean + s_j + t_i + e_ij with independent normal effects, topics × systems.

    Parameters
    ----------
    systems : the variance of the s_j, or the s_j themselves
    seed : the first topics of a larger matrix are those of a smaller one

    >>> additive_scores(2, 2, 1, mean=0.5, systems=[0, 0.1], topic_variance=0, residual_variance=0).round(3).tolist()
    [[0.5, 0.6], [0.5, 0.6]]
    """
    if np.ndim(systems):
        effects = np.asarray(systems, dtype=np.float64)
    else:
        effects = math.sqrt(cast(float, systems)) * generator(seed, _SYSTEMS).standard_normal(n_systems)
    topics = math.sqrt(topic_variance) * generator(seed, _TOPICS).standard_normal(n_topics)
    residuals = math.sqrt(residual_variance) * generator(seed, _RESIDUALS).standard_normal((n_topics, n_systems))
    return np.asarray(mean + effects[np.newaxis, :] + topics[:, np.newaxis] + residuals)


def equal_settings(
    n_topics: int, n_settings: int, sd: float, correlation: float, rng: np.random.Generator
) -> tuple[Array, Array]:
    """Scores of a baseline and of settings that are all as good, about the topic's ease: topics, topics × settings.

    Parameters
    ----------
    sd : spread of a setting's scores on a topic about the topic's ease
    correlation : of that spread between settings; the baseline has nothing in common with them

    >>> baseline, settings = equal_settings(5, 3, 0.1, 0.9, np.random.default_rng(1))
    >>> baseline.shape, settings.shape
    ((5,), (5, 3))
    """
    noise = rng.normal(0.0, sd, (n_topics, n_settings + 2))
    baseline, shared, own = noise[:, 0], noise[:, 1:2], noise[:, 2:]
    return baseline, math.sqrt(correlation) * shared + math.sqrt(1 - correlation) * own


# fmt: off
# fmt: on


@dataclass(frozen=True)
class SampleModel:
    """The parameters of the sample's model; the defaults give AP like that of TREC ad hoc tracks.

    Parameters
    ----------
    signal : mean distance between relevant and other documents, in standard deviations of the noise
    ease_sd : how topics differ in ease
    quality_sd : how systems differ in quality, exactly: the drawn qualities are brought to mean 0 and this sd
    team_interaction_sd, interaction_sd : how a team, and one system, suits one topic more than another
    document_sd : how the relevant documents of a topic differ in ease, for all systems alike
    bonus : how much easier a highly relevant document (relevance 2) is to find
    relevant_median, relevant_sd : relevant documents of a topic: median, and sd of the logarithm
    highly_relevant_share : share of relevance 2 among them
    common_noise, team_noise : shares of the noise variance that all systems, and one team's, have in common
    weak_share : share of systems that are much weaker than the rest
    failure_rate : chance that a system fails on a topic: a short list without any relevant document
    missing_rate : chance that it returns nothing at all, so that the topic is missing from its run
    coarse_share : share of systems whose scores are so coarse that many documents tie
    """

    signal: float = 1.45
    ease_sd: float = 0.8
    quality_sd: float = 0.4
    team_interaction_sd: float = 0.2
    interaction_sd: float = 0.15
    document_sd: float = 1.1
    bonus: float = 0.5
    relevant_median: float = 30.0
    relevant_sd: float = 0.9
    highly_relevant_share: float = 0.25
    common_noise: float = 0.4
    team_noise: float = 0.35
    weak_share: float = 0.15
    failure_rate: float = 0.012
    missing_rate: float = 0.0
    coarse_share: float = 0.2

    def __post_init__(self) -> None:
        for field in dataclasses.fields(self):
            value = getattr(self, field.name)
            if not math.isfinite(value):
                raise ArgumentError(f"`{field.name}` must be a finite number; got {value}")
            if field.name.endswith(("_sd", "_median", "_noise")) and value < 0:
                raise ArgumentError(f"`{field.name}` must be 0 or more; got {value}")
            if field.name.endswith(("_share", "_rate")) and not 0 <= value <= 1:
                raise ArgumentError(f"`{field.name}` must be between 0 and 1; got {value}")
        for first, second in (("common_noise", "team_noise"), ("failure_rate", "missing_rate")):
            if (total := getattr(self, first) + getattr(self, second)) > 1:
                raise ArgumentError(f"`{first}` and `{second}` are parts of a whole; their sum is {total:g}, above 1")


@dataclass(frozen=True)
class Systems:
    """What is fixed about the systems: name, team, quality, and the scale on which each prints its scores."""

    names: tuple[str, ...]
    teams: tuple[str, ...]
    team: NDArray[np.int64]
    quality: NDArray[np.float64]
    offset: NDArray[np.float64]
    slope: NDArray[np.float64]
    decimals: NDArray[np.int64]


@dataclass(frozen=True)
class Rankings:
    """One topic: the relevance of every document, and what every system retrieved.

    `documents` and `scores` have one row per system, best first as the system itself orders them; only the first
    `lengths` entries of a row are retrieved.
    """

    ease: float
    relevance: NDArray[np.int32]
    lookalike: NDArray[np.float32]
    documents: NDArray[np.int64]
    scores: NDArray[np.float64]
    lengths: NDArray[np.int64]

    def in_score_order(self) -> NDArray[np.int64]:
        """Document positions by printed score, ties by document id descending, as trec_eval orders them.

        Places beyond a list's end hold −1.
        """
        unused = np.arange(self.documents.shape[1]) >= self.lengths[:, np.newaxis]
        order = np.lexsort((-self.documents, np.where(unused, np.inf, -self.scores)), axis=-1)
        return np.where(unused, -1, np.take_along_axis(self.documents, order, axis=-1))


def team_name(k: int) -> str:
    """The name of the k-th team (from 0).

    >>> team_name(0), team_name(25)
    ('alder', 'team26')
    """
    return TEAM_NAMES[k] if k < len(TEAM_NAMES) else f"team{k + 1}"


def draw_systems(model: SampleModel, n_systems: int, seed: int) -> Systems:
    """The systems and their teams."""
    random = generator(seed, _SYSTEMS)
    team: list[int] = []
    names: list[str] = []
    while len(team) < n_systems:
        k = team[-1] + 1 if team else 0
        for member in range(1, min(TEAM_SIZES[k % len(TEAM_SIZES)], n_systems - len(team)) + 1):
            team.append(k)
            names.append(f"{team_name(k)}-{member}")
    members = np.array(team)
    quality = random.standard_normal(members[-1] + 1)[members] + random.standard_normal(n_systems)
    weak = random.random(n_systems) < model.weak_share
    quality -= weak * random.exponential(3.0, n_systems)
    quality -= quality.mean()
    if n_systems > 1:
        quality *= model.quality_sd / quality.std()
    offset = random.uniform(-10, 20, n_systems)
    slope = random.uniform(1, 5, n_systems)
    coarse = random.permutation(n_systems) < math.ceil(model.coarse_share * n_systems)
    return Systems(
        names=tuple(names),
        teams=tuple(team_name(k) for k in team),
        team=members,
        quality=quality,
        offset=offset,
        slope=slope,
        decimals=np.where(coarse, 1, 4),
    )


def draw_topic(
    model: SampleModel, systems: Systems, n_documents: int, length: int, seed: int, topic: int, *, further: bool = False
) -> Rankings:
    """One topic and every system's ranking for it; with `further`, a topic beyond those of the collection."""
    random = generator(seed, _FURTHER_TOPICS if further else _TOPICS, topic)
    n_systems, n_teams = len(systems.names), int(systems.team[-1]) + 1
    ease = model.ease_sd * float(random.standard_normal())
    relevant, grades = _draw_relevant(model, n_documents, random)
    relevance = np.zeros(n_documents, dtype=np.int32)
    relevance[relevant] = grades

    own = 1.0 - model.common_noise - model.team_noise
    common = random.standard_normal(n_documents, dtype=np.float32)
    team = random.standard_normal((n_teams, n_documents), dtype=np.float32)
    score = random.standard_normal((n_systems, n_documents), dtype=np.float32)
    score *= np.float32(math.sqrt(max(own, 0.0)))
    score += np.float32(math.sqrt(model.team_noise)) * team[systems.team]
    score += np.float32(math.sqrt(model.common_noise)) * common

    signal = model.signal + ease + systems.quality
    signal += model.team_interaction_sd * random.standard_normal(n_teams)[systems.team]
    signal += model.interaction_sd * random.standard_normal(n_systems)
    document = model.document_sd * random.standard_normal(len(relevant)) + model.bonus * (grades == 2)
    score[:, relevant] += (np.maximum(signal, 0.0)[:, np.newaxis] + document).astype(np.float32)

    chance = random.random(n_systems)
    missing, failed = chance < model.missing_rate, chance < model.missing_rate + model.failure_rate
    score[np.ix_(failed, relevant)] = LOWEST
    lengths = np.where(failed, random.integers(1, FAILED_LENGTH + 1, n_systems), length)
    lengths = np.minimum(np.where(missing, 0, lengths), length)
    documents = _best(score, length)
    printed = systems.offset[:, np.newaxis] + systems.slope[:, np.newaxis] * np.take_along_axis(
        score, documents, axis=1
    ).astype(np.float64)
    for places in np.unique(systems.decimals):
        rows = systems.decimals == places
        printed[rows] = np.round(printed[rows], places)
    return Rankings(ease, relevance, common, documents, printed, lengths)


def average_precision(documents: NDArray[np.int64], relevance: NDArray[np.int32]) -> NDArray[np.float64]:
    """AP of each row of document positions (−1: no document): mean over relevant documents of precision at each.

    >>> average_precision(np.array([[2, 0, 1], [1, 0, -1]]), np.array([0, 1, 2])).round(4).tolist()
    [0.8333, 0.5]
    """
    hits = (documents >= 0) & (relevance[documents] > 0)
    precision = np.cumsum(hits, axis=1) / np.arange(1, documents.shape[1] + 1)
    return np.asarray((precision * hits).sum(axis=1) / max(1, int((relevance > 0).sum())))


def _draw_relevant(
    model: SampleModel, n_documents: int, random: np.random.Generator
) -> tuple[NDArray[np.int64], NDArray[np.int32]]:
    count = model.relevant_median * math.exp(model.relevant_sd * float(random.standard_normal()))
    most = max(MIN_RELEVANT, int(MAX_RELEVANT_SHARE * n_documents))
    n_relevant = min(max(round(count), MIN_RELEVANT), most)
    relevant = random.choice(n_documents, n_relevant, replace=False)
    grades = np.ones(n_relevant, dtype=np.int32)
    grades[: round(model.highly_relevant_share * n_relevant)] = 2
    return relevant, grades


def _best(score: NDArray[np.float32], length: int) -> NDArray[np.int64]:
    """The positions of the `length` largest of each row, largest first, equal ones by position.

    Score and position are packed into one integer. So no two keys are equal, and the result does not depend on how
    a machine sorts.
    """
    bits = int(score.shape[1]).bit_length()
    keys = np.rint(np.ldexp(-score.astype(np.float64), 30)).astype(np.int64) << bits
    keys |= np.arange(score.shape[1])
    if length < score.shape[1]:
        keys = np.partition(keys, length - 1, axis=1)[:, :length]
    return np.sort(keys, axis=1) & ((1 << bits) - 1)
