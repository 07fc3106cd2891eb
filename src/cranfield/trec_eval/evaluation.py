"""`trec_eval`: two files and options in, trec_eval's lines out."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from itertools import chain
from typing import Any

import numpy as np

from cranfield.collection.readers import read_qrels, read_run
from cranfield.collection.types import Qrels, Run
from cranfield.core.elementary import exp, log
from cranfield.core.errors import DataError
from cranfield.core.labels import summary
from cranfield.measures.aliases import FORMATS, TrecMeasure, trec_name, trec_place
from cranfield.measures.judgments import Floats, Ints
from cranfield.measures.names import parse_measure
from cranfield.measures.ranking import JudgedRanking, judge, prepare
from cranfield.questions.standardise.fit import Factors, Standardisation
from cranfield.scores.matrix import Scores
from cranfield.trec_eval.arguments import Options
from cranfield.trec_eval.measures import LOWEST, UNDEFINED, Column, choose, columns, cut, with_stand_in
from cranfield.trec_eval.preferences import judged_by_groups, judged_by_preferences

WIDTH = 22
"""Width of a measure's name in trec_eval's lines."""
MISSING_Z = -1000000.0
"""trec_eval's z score where the mean is missing, or the sd is 0 and the value is not the mean."""


@dataclass(frozen=True)
class Printed:
    """The output of trec_eval: text of the topics and of the summary, and notes for standard error."""

    blocks: Iterator[str]
    notes: tuple[str, ...] = ()

    @property
    def text(self) -> str:
        """All of it at once."""
        return "".join(self.blocks)


def trec_eval(options: Options, qrels: Qrels | None = None, run: Run | None = None) -> Printed:
    r"""Evaluate as trec_eval 10 does and print as it does.

    Topics are summed in byte order of their ids, so that the last printed digit agrees with trec_eval.

    Parameters
    ----------
    options : the command line, see `parse_arguments`
    qrels, run : judgments and run in memory; default the files that the options name

    Examples
    --------
    >>> import polars as pl
    >>> from cranfield import Qrels, Run
    >>> from cranfield.trec_eval.arguments import parse_arguments
    >>> qrels = Qrels(pl.DataFrame({"topic": ["1", "1"], "subtopic": ["0", "0"], "document": ["a", "b"],
    ...                             "relevance": [1, 1]}))
    >>> run = Run(pl.DataFrame({"topic": ["1", "1"], "document": ["x", "a"], "rank": [1, 2], "score": [2.0, 1.0]}))
    >>> trec_eval(parse_arguments(["-m", "map", "-m", "num_rel", "qrels", "run"]), qrels, run).text
    'num_rel               \tall\t2\nmap                   \tall\t0.2500\n'
    """
    chosen, notes = choose(options.measures, options.format)
    factors = None if options.zscores is None else dict(Standardisation.load(options.zscores))
    notes = [*options.notes, *notes]
    if options.format == FORMATS[0]:
        judged = read_qrels(options.qrels) if qrels is None else qrels
        system = _read(options.run) if run is None else run
        judgments, index = prepare(judged)
        ranking, _ = judge(system, judgments, index)
    else:
        system = _read(options.run) if run is None else run
        grouped = (judged_by_groups if options.format == "qrels_jg" else judged_by_preferences)(options, system)
        ranking, judgments = grouped.ranking, grouped.ranking.judgments
    topics, absent = _topics(ranking, options)
    notes += ranking.matched(options.run).warnings(len(judgments.topic))
    if absent and not options.complete:
        named = summary([judgments.topics[at] for at in absent])
        notes.append(f"dropped, because the run lacks them: {named}; -c scores them 0")
    if options.format == FORMATS[0]:
        ranking = cut(with_stand_in(ranking) if options.complete else ranking, options.most, options.judged_only)
        if options.judged_only and not ranking.retrieved[topics].all() and any(m.name in UNDEFINED for m in chosen):
            undefined = " and ".join(UNDEFINED)
            notes.append(f"-J leaves topics without documents; there {undefined} are 0 (nan in trec_eval)")
        compute: Callable[[TrecMeasure], list[Column]] = partial(
            columns, ranking=ranking, level=options.level, documents=options.documents
        )
    else:
        compute = grouped.columns
    table = [column.of(topics, absent=np.isin(topics, absent)) for measure in chosen for column in compute(measure)]
    labels = [judgments.topics[at] for at in topics]
    if factors is not None:
        table = [_standardised(column, factors, labels) for column in table]
    page = _Page(chosen, table, labels, z=factors is not None)
    page.facts["tag"] = system.tag or getattr(system, "system", "")
    page.facts["topics"] = len(judgments.topics) if options.complete else len(labels)  # also where -D evaluates one
    if options.complete:  # trec_eval counts every level above 0 here, whatever -l says
        page.facts["relevant"] = int((judgments.level > 0).sum())
    blocks = page.blocks(topics=options.topics, summary=not options.no_summary)
    if len(options.runs) > 1 and (options.no_summary or not any(measure.summary == "tag" for measure in chosen)):
        blocks = chain([f"{'runid':<{WIDTH}}\tall\t{page.facts['tag']}\n"], blocks)
    return Printed(blocks, tuple(notes))


def each_run(options: Options) -> Iterator[Printed]:
    """The output for every run; with several, a line with the run's tag opens each that would not print it."""
    for run in options.runs:
        yield trec_eval(replace(options, runs=(run, *(other for other in options.runs if other != run))))


def _read(path: str) -> Run:
    return read_run(path, lenient=True, name="tag")


def _topics(ranking: JudgedRanking, options: Options) -> tuple[Ints, list[int]]:
    """The numbers of the topics evaluated, in byte order of their ids, and of those the run lacks."""
    labels = ranking.judgments.topics
    wanted = [at for at in range(len(labels)) if options.only_topic in (None, labels[at])]
    absent = [at for at in wanted if ranking.retrieved[at] == 0]
    kept = wanted if options.complete else [at for at in wanted if ranking.retrieved[at] > 0]
    if not kept:
        raise DataError(
            "no topic has both judgments and results"
            + ("" if options.only_topic is None else f" (-D evaluates topic {options.only_topic} alone)")
            + f"; the qrels have topics such as {summary(list(labels), most=3)}"
        )
    kept.sort(key=lambda at: labels[at].encode())
    return np.array(kept, dtype=np.int64), absent


def _standardised(column: Column, factors: Mapping[str, Factors], topics: Sequence[str]) -> Column:
    """The column as z scores: (value − mean) / sd by topic."""
    known = factors.get(column.name)
    moments = {} if known is None else dict(zip(known.topics, zip(known.mean, known.sd, strict=True), strict=True))
    mean, sd = np.array([moments.get(topic, (np.nan, 0.0)) for topic in topics]).reshape(-1, 2).T
    off = column.values - mean
    z = np.divide(off, sd, out=np.where(off == 0, 0.0, MISSING_Z), where=sd != 0)
    return Column(column.name, column.measure, z, column.texts)


@dataclass
class _Page:
    """The columns of all topics, ready to be printed."""

    chosen: list[TrecMeasure]
    table: list[Column]
    topics: list[str]
    z: bool
    facts: dict[str, str | int] = field(default_factory=dict)

    def blocks(self, *, topics: bool, summary: bool) -> Iterator[str]:
        if topics:
            yield from self._topic_blocks()
        if summary:
            yield "".join(f"{name:<{WIDTH}}\tall\t{value}\n" for name, value in self._summary())

    def _name(self, column: Column) -> str:
        return f"Z{column.name:<{WIDTH}}" if self.z and column.texts is None else column.name

    def _form(self, column: Column) -> str:
        if column.texts is not None:
            return "%s"
        return "%d" if column.measure.show == "count" and not self.z else "%6.4f"

    def _topic_blocks(self) -> Iterator[str]:
        shown = [column for column in self.table if column.measure.show != "never"]
        cells = [column.values.tolist() if column.texts is None else column.texts for column in shown]
        rows = zip(*cells, strict=True) if cells else iter([()] * len(self.topics))
        return topic_blocks([self._name(c) for c in shown], [self._form(c) for c in shown], self.topics, rows)

    def _summary(self) -> Iterator[tuple[str, str]]:
        if any(measure.summary == "tag" for measure in self.chosen):
            yield "runid", str(self.facts["tag"])
        for column in self.table:
            if (how := column.measure.summary) != "none":
                form = "%d" if how in ("sum", "topics", "relevant") and not self.z else "%6.4f"
                yield self._name(column), form % self._total(column)

    def _total(self, column: Column) -> float:
        how = column.measure.summary
        if how == "topics" or (how == "relevant" and "relevant" in self.facts):
            return float(self.facts[how])
        total = float(running_total(column.values))
        if how in ("sum", "relevant"):
            return total
        averaged = int(self.facts["topics"])
        if how == "geometric":
            return float(exp((total + (averaged - len(self.topics)) * log(LOWEST)) / averaged))
        return total / averaged


def trec_lines(scores: Scores, system: str, *, topics: bool) -> Iterator[str]:
    """The lines trec_eval prints for one run: measures in its order, topics in byte order, then all.

    Counts are printed as integers and summed over topics; everything else with four decimals and averaged.
    """
    measures = sorted((parse_measure(name) for name in scores), key=lambda one: trec_place(one)[:2])
    columns = [scores[str(m)].select(systems=[system]) for m in measures]
    values = np.column_stack([column.values[:, 0] for column in columns])
    names = [trec_name(m) for m in measures]
    whole = [m.definition.aggregate == "sum" for m in measures]
    formats = ["%.0f" if count else "%6.4f" for count in whole]
    if topics:
        labels = columns[0].topics
        order = sorted(range(len(labels)), key=lambda at: labels[at].encode())
        blocks = topic_blocks(names, formats, [labels[at] for at in order], values[order].tolist())
        for block in blocks:
            yield from block.splitlines()
    sums = running_total(values)
    for name, form, count, total in zip(names, formats, whole, sums, strict=True):
        yield f"{name:<{WIDTH}}\tall\t{form % (total if count else total / len(values))}"


def running_total(values: Floats) -> Floats:
    """Column sums, added row by row as in a plain loop (not pairwise)."""
    sums: Floats = np.add.accumulate(values, axis=0)[-1]
    return sums


def topic_blocks(
    names: Sequence[str], formats: Sequence[str], topics: Iterable[str], rows: Iterable[Sequence[Any]]
) -> Iterator[str]:
    r"""One text for each topic: a line for each measure.

    >>> list(topic_blocks(["num_ret", "map"], ["%d", "%6.4f"], ["7"], [[2, 0.25]]))
    ['num_ret               \t7\t2\nmap                   \t7\t0.2500\n']
    """
    # One template for all topics: formatting a block at once is several times faster than line by line.
    heads = [f"{name:<{WIDTH}}".replace("%", "%%") for name in names]
    lines = [f"{head}\t\0\t{form}\n" for head, form in zip(heads, formats, strict=True)]
    template = "".join(lines)
    for topic, row in zip(topics, rows, strict=True):
        yield template.replace("\0", topic.replace("%", "%%")) % tuple(row)
