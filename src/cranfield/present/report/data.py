"""Section: what was evaluated, and what is wrong with it."""

from __future__ import annotations

import polars as pl

from cranfield.present.answer import answer
from cranfield.present.charts.scores import topics as topics_chart
from cranfield.present.charts.style import number, plural
from cranfield.present.report.case import Case, named
from cranfield.present.report.parts import Figure, Part, Section, Table, Text, notices
from cranfield.present.tables import Sheet
from cranfield.present.view.data import JUDGED_DEPTH as COVERAGE_DEPTH

LOW_COVERAGE = 0.9
"""A run with fewer of its first documents judged than this is named."""


def section(case: Case) -> Section:
    """Sources, counts, problems, coverage, and how hard the topics were."""
    matrix = case.main
    measures = list(case.scores)
    parts: list[Part] = [
        Text(
            f"{plural(matrix.n_systems, 'system')} {'was' if matrix.n_systems == 1 else 'were'} scored on "
            f"{plural(matrix.n_topics, 'topic')} by {plural(len(measures), 'measure')}: {named(measures, 8)}. "
            f"Source: {case.sources}. The report is told by {case.measure}; the other measures stand beside it."
            if len(measures) > 1
            else f"{plural(matrix.n_systems, 'system')} {'was' if matrix.n_systems == 1 else 'were'} scored on "
            f"{plural(matrix.n_topics, 'topic')} by {case.measure}. Source: {case.sources}."
        )
    ]
    if case.qrels is not None:
        parts.append(Text(_judgments(case)))
    parts += _problems(case)
    coverage = _coverage(case)
    parts += coverage
    parts.append(Figure("fig-topics", topics_chart(matrix)))
    topics = Sheet("report", _topics(case))
    parts.append(Table("topics", f"Topics by mean {case.measure}, easiest first", topics, shown=10))
    said = answer(case.scores)
    parts += [
        Table(
            f"scores-{k}", f"{name} of every system on every topic (file only)", said.sheet(f"{name} by topic"), shown=0
        )
        for k, name in enumerate(measures, 1)
    ]
    return Section(
        "data",
        "The data",
        tuple(parts),
        tuple(dict.fromkeys(m.provenance[0] for m in case.scores.values() if m.provenance)),
    )


def _judgments(case: Case) -> str:
    qrels = case.judgments
    judged, relevant = len(qrels), int((qrels.frame["relevance"] > 0).sum())
    topics = len(qrels.topics)
    return (
        f"{judged:,} documents were judged for {plural(topics, 'topic')} ({number(judged / topics, 0)} a topic); "
        f"{relevant:,} of them ({relevant / judged:.0%}) are relevant."
    )


def _problems(case: Case) -> list[Part]:
    matrix = case.main
    problems: list[str] = list(case.problems)
    if matrix.n_systems > 1:
        zero = [topic for topic, row in zip(matrix.topics, matrix.values, strict=True) if not row.any()]
        if zero and not any("no relevant document" in text for text in problems):
            problems.append(f"every system scores 0 on {plural(len(zero), 'topic')}: {named(zero)}")
        same = [
            topic
            for topic, row in zip(matrix.topics, matrix.values, strict=True)
            if row.any() and row.min() == row.max()
        ]
        if same:
            problems.append(
                f"all systems tie on {plural(len(same), 'topic')}, which tell nothing about them: {named(same)}"
            )
        columns: dict[bytes, list[str]] = {}
        for k, system in enumerate(matrix.systems):
            columns.setdefault(matrix.values[:, k].tobytes(), []).append(system)
        problems += [
            f"identical {case.measure} on every topic: {named(group)}" for group in columns.values() if len(group) > 1
        ]
    if not problems:
        return [Text("No problem was found in the files.")]
    told = notices(problems)
    return [Text(f"{plural(len(told), 'thing')} to know about the data:"), *told]


def _coverage(case: Case) -> list[Part]:
    if case.qrels is None or not case.runs:
        return []
    frame = pl.DataFrame(list(case.judged_shares.items()), ["system", "judged"], orient="row").sort("judged")
    low = frame.filter(pl.col("judged") < LOW_COVERAGE)
    mean = sum(frame["judged"]) / frame.height
    text = f"Of the first {COVERAGE_DEPTH} documents of a run {mean:.0%} were judged on average"
    if low.height:
        worst = frame.row(0, named=True)
        text += (
            f"; for {plural(low.height, 'run')} it is under {LOW_COVERAGE:.0%}, lowest for {worst['system']} "
            f"({worst['judged']:.0%}). What was not judged counts as not relevant, so such runs may "
            "be better than they look."
        )
    else:
        text += f", and never under {frame['judged'][0]:.0%}."
    caption = f"Judged share of the first {COVERAGE_DEPTH} documents, lowest first"
    return [Text(text), Table("coverage", caption, Sheet("report", frame), shown=8)]


def _topics(case: Case) -> pl.DataFrame:
    matrix = case.main
    frame = pl.DataFrame(
        {
            "topic": matrix.topics,
            f"mean_{case.measure}": matrix.topic_means,
            "lowest": matrix.values.min(axis=1),
            "highest": matrix.values.max(axis=1),
        }
    )
    if case.qrels is not None:
        counts = case.qrels.frame.group_by("topic").agg(judged=pl.len(), relevant=(pl.col("relevance") > 0).sum())
        frame = frame.join(counts, on="topic", how="left")
    return frame.sort(f"mean_{case.measure}", descending=True)
