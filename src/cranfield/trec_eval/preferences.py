"""Judgments in trec_eval's other formats: preferences with their measures, and qrels of several groups.

The documents of a topic are numbered: those retrieved by rank, then the others by id. A group of judgments is a matrix
over these numbers, true where the row is preferred to the column. A preference is fulfilled if its row is retrieved
and stands above its column, or the column is not retrieved.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from itertools import groupby, pairwise

import numpy as np
import polars as pl
from numpy.typing import NDArray

from cranfield.collection.preferences import Preferences, Preferred, read_preferences
from cranfield.collection.readers import read_qrels
from cranfield.collection.types import QRELS_SCHEMA, Qrels, Run
from cranfield.core.errors import DataError
from cranfield.measures.aliases import PREFERENCES, TREC_MEASURES, TrecMeasure
from cranfield.measures.judgments import Floats, Mask
from cranfield.measures.ranking import JudgedRanking, judge, prepare
from cranfield.trec_eval.arguments import Options
from cranfield.trec_eval.measures import Column, columns, cut

_PREFIX = "prefs_"


@dataclass(frozen=True)
class Group:
    """The preferences of one judgment group.

    Parameters
    ----------
    prefers : documents × documents, true where the row is preferred
    level : level of each document; NaN for one outside the group
    retrieved : how many of the documents are retrieved; they come first
    by_level : whether levels alone say what is preferred (one subgroup)
    """

    prefers: Mask
    level: Floats
    retrieved: int
    by_level: bool

    def count(self, kept: Mask | None = None) -> tuple[int, int, int, int, int]:
        """Fulfilled and possible with both retrieved, the same with one retrieved, possible with none."""
        n, prefers = self.retrieved, self.prefers if kept is None else self.prefers & kept[:, None] & kept
        both, implied = prefers[:n, :n], int(prefers[:n, n:].sum())
        return (
            int(np.triu(both).sum()), int(both.sum()), implied, implied + int(prefers[n:, :n].sum()),
            int(prefers[n:, n:].sum()),
        )  # fmt: skip

    def limited(self, only_retrieved: bool) -> tuple[int, int]:
        """Fulfilled and possible preferences with as many documents that are not relevant as relevant ones.

        Where fewer are known, the missing ones count as ranked below; where more are known, the first ones count.
        """
        inside = np.arange(len(self.level)) < self.retrieved
        relevant = self.level > 0
        other = self.level <= 0 if self.by_level else self.level == 0
        seen = inside if only_retrieved else np.ones_like(inside)
        wanted, known = int((relevant & seen).sum()), int((other & seen).sum())
        if wanted >= known:
            fulfilled, possible, implied, implied_possible, neither = self.count()
            if not only_retrieved:
                fulfilled, possible = fulfilled + implied, possible + implied_possible + neither
            missing = wanted - known
            return fulfilled + int((relevant & inside).sum()) * missing, possible + int(relevant.sum()) * missing
        if self.by_level:
            return self._limited_by_level(seen, wanted)
        # trec_eval keeps as many as there are relevant documents in all, retrieved or not.
        kept = seen & ~(other & (np.cumsum(other) > int(relevant.sum())))
        fulfilled, possible, implied, implied_possible, neither = self.count(kept)
        return fulfilled + implied, possible + implied_possible + neither

    def _limited_by_level(self, seen: Mask, wanted: int) -> tuple[int, int]:
        """trec_eval compares the documents of the lowest level with each other too."""
        lowest = self.level == np.nanmin(self.level)
        group = np.flatnonzero(~np.isnan(self.level) & seen)
        higher = np.flatnonzero(~np.isnan(self.level) & ~lowest & seen)
        first = np.flatnonzero(lowest)[:wanted]
        first = first[seen[first]]
        above = self.prefers[np.ix_(higher, higher)]
        fulfilled = above & (higher[:, None] < higher) & (higher[:, None] < self.retrieved)
        below = (group[:, None] < first) & (group[:, None] < self.retrieved)
        return int(fulfilled.sum() + below.sum()), int(above.sum()) + below.size


def make_group(lines: Sequence[Preferred], number: dict[str, int], retrieved: int, topic: str) -> Group:
    """The matrix of a judgment group; an error where its preferences contradict each other."""
    level = np.full(len(number), np.nan)
    prefers = np.zeros((len(number), len(number)), dtype=np.bool_)
    subgroups = [
        list(part) for _, part in groupby(sorted(lines, key=lambda one: one.subgroup), lambda one: one.subgroup)
    ]
    for part in subgroups:
        places = np.array([number[one.document] for one in part])
        levels = np.array([one.level for one in part])
        known = level[places]
        if ((known > 0) & (levels == 0) | (known == 0) & (levels > 0)).any():
            raise DataError(f"topic {topic}: group {lines[0].group} calls a document both relevant and not relevant")
        level[places] = levels
        prefers[np.ix_(places, places)] |= levels[:, None] > levels
    if len(subgroups) > 1:
        prefers = transitive(prefers)
        if (prefers & prefers.T).any():
            raise DataError(f"topic {topic}: the preferences of group {lines[0].group} contradict each other")
    return Group(prefers, level, retrieved, by_level=len(subgroups) == 1)


def transitive(prefers: Mask) -> Mask:
    """Preferences with those that follow: a over b and b over c give a over c.

    >>> transitive(np.array([[0, 1, 0], [0, 0, 1], [0, 0, 0]], dtype=bool)).astype(int).tolist()
    [[0, 1, 1], [0, 0, 1], [0, 0, 0]]
    """
    while True:
        steps: NDArray[np.float32] = prefers.astype(np.float32)
        longer = prefers | (steps @ steps > 0)
        if (longer == prefers).all():
            return longer
        prefers = longer


def topic_values(lines: Sequence[Preferred], ranked: Sequence[str], topic: str) -> dict[str, float]:
    """Every measure of preferences for one topic.

    Parameters
    ----------
    lines : the preferences of the topic
    ranked : the documents retrieved that the preferences name, in order
    """
    others = sorted({one.document for one in lines} - set(ranked), key=str.encode)
    number = {document: at for at, document in enumerate([*ranked, *others])}
    ordered = sorted(lines, key=lambda one: one.group.encode())
    groups = [make_group(list(part), number, len(ranked), topic) for _, part in groupby(ordered, lambda one: one.group)]
    counts = np.array([group.count() for group in groups]).T
    fulfilled, possible, implied, implied_possible, neither = counts
    values = {
        "num_prefs_poss": float((possible + implied_possible + neither).sum()),
        "num_prefs_ful": float((fulfilled + implied).sum()),
        "num_prefs_ful_ret": float(fulfilled.sum()),
        "avgjg_Rnonrel": _limited_mean(groups, only_retrieved=False),
        "avgjg_Rnonrel_ret": _limited_mean(groups, only_retrieved=True),
    }
    forms = {
        "": (fulfilled + implied, possible + implied_possible + neither),
        "_ret": (fulfilled, possible),
        "_imp": (fulfilled + implied, possible + implied_possible),
    }
    for ending, (part, whole) in forms.items():
        values[f"simp{ending}"] = float(part.sum() / whole.sum()) if whole.sum() else 0.0
        shares = np.divide(part, whole, out=np.zeros(len(part)), where=whole > 0)
        values[f"avgjg{ending}"] = float(np.add.accumulate(shares)[-1] / len(groups))
    return {_PREFIX + name: value for name, value in (values | _pairs(groups)).items()}


def _limited_mean(groups: Sequence[Group], *, only_retrieved: bool) -> float:
    """Mean over groups; 0 where a group has none, as trec_eval prints for its nan."""
    total = 0.0
    for group in groups:
        fulfilled, possible = group.limited(only_retrieved)
        if not possible:
            return 0.0
        total += fulfilled / possible
    return total / len(groups)


def _pairs(groups: Sequence[Group]) -> dict[str, float]:
    """Mean over pairs of documents of the share of groups that prefer the upper one."""
    n = groups[0].retrieved
    counts = np.zeros(groups[0].prefers.shape, dtype=np.int64)
    for group in groups:
        counts += group.prefers
    both = counts + counts.T
    share = np.divide(counts, both, out=np.zeros(counts.shape), where=both > 0)
    upper = np.triu(both > 0, 1)
    inside, crossing = share[:n, :n][upper[:n, :n]], share[:n, n:][both[:n, n:] > 0]
    pairs = {"_ret": len(inside), "_imp": len(inside) + len(crossing), "": int(upper.sum())}
    values = np.concatenate([[0.0], inside, crossing])
    sums = np.add.accumulate(values)  # one by one, as trec_eval adds
    total = {"_ret": sums[len(inside)], "_imp": sums[-1], "": sums[-1]}
    return {f"pair{ending}": float(total[ending] / count) if count else 0.0 for ending, count in pairs.items()}


def preference_values(
    preferences: Preferences, ranked: Sequence[Sequence[str]], topics: Sequence[str]
) -> dict[str, Floats]:
    """Every measure of preferences: one value per topic.

    Parameters
    ----------
    ranked : for each topic, the documents retrieved that its preferences name, in order
    """
    found = [
        topic_values(preferences.topics[topic], documents, topic)
        for topic, documents in zip(topics, ranked, strict=True)
    ]
    return {name: np.array([one[name] for one in found]) for name in PREFERENCES}


_ENDING = "_avgjg"


@dataclass(frozen=True)
class Grouped:
    """A run judged in one of these formats: its rankings, and the columns of a measure."""

    ranking: JudgedRanking
    columns: Callable[[TrecMeasure], list[Column]]


def judged_by_preferences(options: Options, system: Run) -> Grouped:
    """A run judged by preferences (-R prefs, -R qrels_prefs)."""
    preferences = read_preferences(options.qrels, subgroups=options.format == "prefs")
    named = {(topic, one.document): None for topic, lines in preferences.topics.items() for one in lines}
    rows = [(topic, "0", document, 0) for topic, document in named]
    judgments, index = prepare(Qrels(pl.DataFrame(rows, schema=QRELS_SCHEMA, orient="row"), preferences.name))
    ranking = cut(judge(_by_id_ascending(system), judgments, index, order="file")[0], options.most, False)
    found = ranking.judgments.documents.gather(ranking.document).to_list()
    ends = np.searchsorted(ranking.topic, np.arange(ranking.n_topics + 1))
    ranked = [found[start:end] for start, end in pairwise(ends)]
    values = preference_values(preferences, ranked, judgments.topics)

    def by_name(measure: TrecMeasure) -> list[Column]:
        if measure.name in values:
            return [Column(measure.name, measure, values[measure.name])]
        return columns(measure, ranking, level=1, documents=0)

    return Grouped(ranking, by_name)


def _by_id_ascending(system: Run) -> Run:
    """The run by score; for preferences trec_eval breaks ties by document id ascending, elsewhere descending."""
    return Run(system.frame.sort("topic", "score", "document", descending=[False, True, False]), tag=system.tag)


def judged_by_groups(options: Options, system: Run) -> Grouped:
    """A run judged by several groups (-R qrels_jg): every measure is averaged over the groups of a topic."""
    qrels = read_qrels(options.qrels)
    documents = qrels.frame.unique(["topic", "document"], maintain_order=True).with_columns(subtopic=pl.lit("0"))
    judgments, index = prepare(Qrels(documents, qrels.name))
    ranking = cut(judge(system, judgments, index)[0], options.most, False)
    groups = sorted(qrels.frame["subtopic"].unique().to_list(), key=str.encode)
    rankings = []
    for group in groups:
        part = Qrels(qrels.frame.filter(pl.col("subtopic") == group))
        its_judgments, its_index = prepare(part)
        one = judge(system, its_judgments, its_index)[0]
        places = np.array([judgments.topic_number[topic] for topic in its_judgments.topics])
        rankings.append((cut(one, options.most, options.judged_only), places))

    def averaged(measure: TrecMeasure) -> list[Column]:
        if not measure.name.endswith(_ENDING):
            return columns(measure, ranking, level=options.level, documents=0)
        plain = TREC_MEASURES[measure.name.removesuffix(_ENDING)]
        plain = replace(plain, parameters=measure.parameters, given=measure.given)
        sums: dict[str, Floats] = {}
        count = np.zeros(judgments.n_topics)
        for one, places in rankings:
            count[places] += 1
            for column in columns(plain, one, level=options.level, documents=0):
                name = measure.name + column.name.removeprefix(plain.name)
                sums.setdefault(name, np.zeros(judgments.n_topics))[places] += column.values
        return [Column(name, measure, values / count) for name, values in sums.items()]

    return Grouped(ranking, averaged)
