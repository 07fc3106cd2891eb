"""Judgments in trec_eval's other formats: preferences, and qrels of several judgment groups."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from itertools import pairwise

import numpy as np
import polars as pl

from cranfield.collection.preferences import read_preferences
from cranfield.collection.readers import read_qrels
from cranfield.collection.types import QRELS_SCHEMA, Qrels, Run
from cranfield.measures.aliases import TREC_MEASURES, TrecMeasure
from cranfield.measures.judgments import Floats
from cranfield.measures.ranking import JudgedRanking, judge, prepare
from cranfield.trec_eval.arguments import Options
from cranfield.trec_eval.columns import Column, columns, cut
from cranfield.trec_eval.preferences import preference_values

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
