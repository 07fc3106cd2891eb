"""Topics that belong together (variants of a query, turns of a conversation, topics of a user): clusters.

The estimate stays the mean over topics. There are G clusters of n topics. D_g is the sum of the differences of cluster
g, and n_g counts its topics. Var(d̄) = G/(G − 1)·Σ(D_g − n_g·d̄)²/n² replaces s²/n. Two tables of G rows carry this
into every formula:

- ``spread``: z_g = (G/n)·(X_g − n_g·x̄) + x̄. Its mean is x̄, and its variance over G is the variance above.
- ``sums``: (G/n)·X_g. Its mean is x̄; flipping its signs flips whole clusters.

With clusters of one size the two are the same; with one topic each they are the scores.
"""

from __future__ import annotations

import math
import os
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from cranfield.core.answer import sentence
from cranfield.core.arguments import check_arguments
from cranfield.core.errors import DataError, FileError, Problem
from cranfield.core.files import read_bytes
from cranfield.core.labels import plural, summary
from cranfield.core.text import Problems, filled_lines, shown
from cranfield.questions.variance.squares import squares
from cranfield.scores.doors import ScoresLike, as_scores
from cranfield.scores.matrix import ScoreMatrix, Scores

Array = NDArray[np.float64]
TopicGroups = Mapping[str, str] | str | os.PathLike[str]
"""The group of each topic, or a file that `read_topic_groups` reads."""
_BETWEEN = re.compile(r"\s*[,\t]\s*|\s+")
_TURN = re.compile(r"(.+)[_.\-#]\d+")
FEW_CLUSTERS = 20
"""Groups of topics below which the variance between them is hardly known."""

EFFECTIVE = sentence(
    "comparison.effective-topics",
    "{topics} topics in {groups} groups are worth {effective:.0f} independent topics for an average pair of systems.",
    "topics are grouped; the figure is topics over the design effect, the mean variance of a difference by groups "
    "relative to that by topics",
)
FEW_GROUPS = sentence(
    "comparison.few-groups",
    "With {groups} groups of topics the error rates are unknown; 20 or more are needed.",
    "topics are grouped, and there are fewer than 20 groups",
)
LOOK_LIKE_TURNS = sentence(
    "comparison.look-like-turns",
    "Topic ids look like parts of {groups} groups (such as {example}). If they belong together, give `topic_groups`: "
    "otherwise errors are too small.",
    "no groups are given, and all topic ids end in a separator and a number, with two or more topics per beginning on "
    "average",
)


def read_topic_groups(path: str | os.PathLike[str]) -> dict[str, str]:
    """The group of each topic: lines of ``topic group``, separated by a comma, a tab or blanks.

    A first line ``topic,group`` is a header. Empty lines and lines that begin with ``#`` are skipped.

    >>> import tempfile, pathlib
    >>> file = pathlib.Path(tempfile.mkdtemp(), "groups.csv")
    >>> _ = file.write_text("topic,group\\n31_1,31\\n31_2,31\\n32_1 32\\n")
    >>> read_topic_groups(file)
    {'31_1': '31', '31_2': '31', '32_1': '32'}
    """
    check_arguments(read_topic_groups, locals())
    label = os.fspath(path)
    problems = Problems(label)
    groups: dict[str, str] = {}
    first = True
    for number, line in filled_lines(read_bytes(path), label):
        text = line.strip()
        fields = _BETWEEN.split(text)
        header, first = first and [field.casefold() for field in fields] == ["topic", "group"], False
        if header:
            continue
        if len(fields) != 2 or not all(fields):
            count = plural(sum(map(bool, fields)), "field")
            problems.add(number, f"expected a topic and its group, found {count}: {shown(text)}")
        elif fields[0] in groups:
            problems.add(number, f"topic {fields[0]!r} already belongs to group {groups[fields[0]]!r}")
        else:
            groups[fields[0]] = fields[1]
    problems.raise_if_any()
    if not groups:
        raise FileError(label, [Problem(0, "names no topic; expected a topic and its group on each line")])
    return groups


def groups_of(groups: TopicGroups | None) -> Mapping[str, str] | None:
    """The group of each topic, read where a file was given."""
    return groups if groups is None or isinstance(groups, Mapping) else read_topic_groups(groups)


@dataclass(frozen=True)
class Clusters:
    """Which topics belong together: the cluster of each topic by position, and how many topics each has."""

    of_topic: NDArray[np.intp]
    sizes: Array

    @classmethod
    def of(cls, topics: Sequence[str], groups: Mapping[str, str] | None) -> Clusters | None:
        """The clusters of these topics, in byte order of their names; None without groups, or one topic each.

        >>> Clusters.of(["1_1", "1_2", "2_1"], {"1_1": "1", "1_2": "1", "2_1": "2"}).sizes.tolist()
        [2.0, 1.0]
        """
        if groups is None:
            return None
        if missing := [topic for topic in topics if topic not in groups]:
            count = plural(len(missing), "topic")
            raise DataError(f"no group is given for {count} ({summary(missing)}). Add them to `topic_groups`.")
        names = sorted({groups[topic] for topic in topics}, key=str.encode)
        if len(names) == len(topics):
            return None
        if len(names) < 2:
            raise DataError(f"all {len(topics)} topics are in one group. A comparison needs at least 2 groups.")
        place = {name: at for at, name in enumerate(names)}
        at = np.array([place[groups[topic]] for topic in topics], dtype=np.intp)
        return cls(at, np.bincount(at).astype(np.float64))

    def __len__(self) -> int:
        return len(self.sizes)

    @property
    def relative(self) -> Array:
        """The topics of every cluster relative to the average cluster."""
        return np.asarray(self.sizes * len(self) / self.sizes.sum())

    def sums(self, values: Array) -> Array:
        """(G/n)·X_g of every system; sums are exact where the values lie on the exact grid."""
        totals = np.zeros((len(self), values.shape[1]))
        np.add.at(totals, self.of_topic, values)
        return np.asarray(totals * (len(self) / len(values)))

    def spread(self, values: Array) -> Array:
        """(G/n)·(X_g − n_g·x̄) + x̄ of every system."""
        mean = values.sum(axis=0) / len(values)
        return np.asarray(self.sums(values) - np.outer(self.relative - 1, mean))


def group_topics(scores: ScoresLike, groups: TopicGroups) -> Scores:
    """Scores whose rows are groups of topics, for variances and designs: means stay, and variances per topic are right.

    A row is x̄ + √(n/G)·(z_g − x̄), z_g as in `Clusters.spread`. So the variance over rows is n times the variance of
    the mean over topics. A number of topics computed from it is for topics that come in such groups.

    Parameters
    ----------
    scores : in any form that `as_scores` takes
    groups : mapping from topic to group, or a file of lines ``topic group``

    Examples
    --------
    >>> past = ScoreMatrix([[0.1, 0.5], [0.1, 0.5], [0.3, 0.4], [0.3, 0.4]], "1234", "ab", "AP")
    >>> group_topics(past, {"1": "x", "2": "x", "3": "y", "4": "y"}).only().values.round(3).tolist()
    [[0.059, 0.521], [0.341, 0.379]]
    """
    found = groups_of(groups)
    return Scores(_grouped(matrix, found) for matrix in as_scores(scores).values())


def _grouped(matrix: ScoreMatrix, groups: Mapping[str, str] | None) -> ScoreMatrix:
    clusters = Clusters.of(matrix.require(what="grouping").topics, groups)
    if clusters is None or groups is None:
        return matrix
    x = np.asarray(matrix.values)
    n, mean = len(x), x.sum(axis=0) / len(x)
    spread = clusters.spread(x)
    names = sorted({groups[topic] for topic in matrix.topics}, key=str.encode)
    worth = float(n)
    if x.shape[1] > 1:
        by_topic, by_group = (float(squares(table).mean_residual) for table in (x, spread))
        worth = effective_topics(by_topic, by_group, n, len(clusters))
    said = [EFFECTIVE(topics=n, groups=len(clusters), effective=worth), *grouped_cautions(matrix.topics, clusters)]
    rows = mean + math.sqrt(n / len(clusters)) * (spread - mean)
    return replace(
        matrix, values=rows, topics=tuple(names), left_out=(*matrix.left_out, *said), filled=None, unjudged=None
    )


def noticed_turns(scores: Scores) -> Scores:
    """The scores, with a warning where their topics look like parts of groups."""
    first, *others = scores.values()
    if not (said := grouped_cautions(first.topics, None)):
        return scores
    return Scores([replace(first, left_out=(*first.left_out, *said)), *others])


def effective_topics(by_topic: float, by_cluster: float, n_topics: int, n_clusters: int) -> float:
    """n/deff, deff = (variance by clusters/G)/(variance by topics/n).

    >>> effective_topics(1.0, 2.0, 100, 50)
    25.0
    """
    if by_cluster == 0:
        return float(n_topics)
    return n_clusters * by_topic / by_cluster


def turns(topics: Sequence[str]) -> tuple[int, str] | None:
    """How many groups the topic ids suggest, and an example; None where they suggest none.

    >>> turns(["31_1", "31_2", "31_3", "32_1", "32_2"])
    (2, '31_1 and 31_2')
    >>> turns(["301", "302"]) is None
    True
    """
    found = [_TURN.fullmatch(topic) for topic in topics]
    if not all(found):
        return None
    members: dict[str, list[str]] = {}
    for match in found:
        if match is not None:
            members.setdefault(match[1], []).append(match[0])
    if len(members) < 2 or 2 * len(members) > len(topics):
        return None
    example = next(names for names in members.values() if len(names) > 1)
    return len(members), " and ".join(example[:2])


def grouped_cautions(topics: Sequence[str], clusters: Clusters | None) -> list[str]:
    """That groups of topics are few, or that topics look as if they had some."""
    if clusters is not None:
        return [FEW_GROUPS(groups=len(clusters))] if len(clusters) < FEW_CLUSTERS else []
    found = turns(topics)
    return [] if found is None else [LOOK_LIKE_TURNS(groups=found[0], example=found[1])]
