"""The compare page's questions, put to the library: leaderboard, pairs, and two systems topic by topic."""

from __future__ import annotations

import shlex
from typing import Any
from urllib.parse import urlencode

import polars as pl

from cranfield import defaults
from cranfield.comparison import Comparison, compare
from cranfield.errors import ArgumentError
from cranfield.executors import Progress
from cranfield.labels import positions
from cranfield.present.tables import Sheet
from cranfield.scores import ScoreMatrix
from cranfield.web.pages.questions import CompareQuestion, PairQuestion
from cranfield.web.pages.result import Chart, Result, Table
from cranfield.web.pages.snippets import command_line, python_call
from cranfield.web.server.data import Dataset


def run_comparison(question: CompareQuestion, dataset: Dataset, progress: Progress) -> tuple[ScoreMatrix, Comparison]:
    """The comparison itself: the part that can take long."""
    dataset.require_valid(progress)
    matrix = dataset.matrix(question.measure)
    found = compare(
        matrix,
        test=question.test,
        baseline=question.baseline,
        correction=question.correction,
        alternative=question.alternative,
        statistic=question.statistic,
        alpha=question.alpha,
        n_resamples=question.resamples,
        seed=question.seed,
        progress=progress,
    )
    return matrix, found


def answer_comparison(question: CompareQuestion, dataset: Dataset, progress: Progress) -> Result:
    """Leaderboard, pairs and charts of a comparison."""
    matrix, found = run_comparison(question, dataset, progress)
    pairs = found.to_frame()
    words = question.query()
    links = tuple(
        f"/compare/pair?{words}&{urlencode({'a': a, 'b': b})}"
        for a, b in zip(found.system_a, found.system_b, strict=True)
    )
    board = Sheet(
        "leaderboard", found.leaderboard(), found.signature, found.settings, found.warnings, found.summary()
    )
    answer = Sheet(
        "compare", pairs, found.signature, found.settings, found.warnings, found.summary(),
        digits={"effect_size": 2, "effect_size_residual": 2},
        notes=(f"lower, upper: {1 - found.alpha:.0%} {found.interval}.",),
    )  # fmt: skip
    return Result(
        headline=found.summary(),
        sentences=(f"Systems best first, {dataset.name}, {matrix.n_topics} topics.",),
        tables=(Table("pairs", "Every pair", answer, links), Table("leaderboard", "Leaderboard", board)),
        charts=_charts(found),
        command=_command(question, dataset),
        python=_python(question, dataset),
        warnings=(*dataset.warnings(matrix.measure), *found.warnings),
        extra={"systems": found.systems, "comparison": found},
    )


def _charts(found: Comparison) -> tuple[Chart, ...]:
    means = "Dots with whiskers: each system's mean and its interval, best first."
    heat = "Map: one row and one column a system, dark where the row's system is better."
    pairs = "Dots with whiskers: the difference of each pair and its interval."
    return (
        Chart("leaderboard-chart", "Leaderboard", means, found, "leaderboard"),
        Chart("heat-map", "Which pairs differ", heat, found, "pairs"),
        Chart("differences", "Largest differences", pairs, found, "differences"),
    )


def answer_pair(question: PairQuestion, dataset: Dataset, comparison: Result, progress: Progress) -> Result:
    """Two systems of a comparison, topic by topic."""
    dataset.require_valid(progress)
    matrix = dataset.matrix(question.measure)
    a, b = question.a, question.b
    at, other = positions("system", [a, b], matrix.systems)
    if a == b:
        raise ArgumentError(f"a pair needs two systems; got {a!r} twice. Choose another.")
    values = matrix.values[:, at] - matrix.values[:, other]
    topics = pl.DataFrame(
        {
            "topic": matrix.topics,
            a: matrix.values[:, at],
            b if b not in ("topic", "difference") else f"{b} ": matrix.values[:, other],
            "difference": values,
        }
    ).sort("difference", descending=True)
    pairs = comparison.table("pairs").answer
    both = pl.Series([a, b])
    mine = pairs.rows.filter(pl.col("system_a").is_in(both.implode()) & pl.col("system_b").is_in(both.implode()))
    signature = pairs.signature
    tables = [Table("topics", "Topic by topic", Sheet("compare", topics, signature, pairs.settings))]
    sentences = []
    if mine.height:
        tables.insert(0, Table("pair", "The pair in the comparison", Sheet(
            "compare", mine, signature, pairs.settings, digits=pairs.digits, notes=pairs.notes)))  # fmt: skip
        row = mine.row(0, named=True)
        verdict = "differ significantly" if row["significant"] else "do not differ significantly"
        sentences.append(f"{row['system_a']} and {row['system_b']} {verdict}: adjusted p = {row['p_adjusted']:.4g}.")
    else:
        sentences.append("This pair was not tested: with a baseline, only systems against it are.")
    wins, losses = int((values > 0).sum()), int((values < 0).sum())
    alt = f"Bars: the difference of {a} and {b} on every topic, largest first."
    return Result(
        headline=f"{a} beats {b} on {wins} of {matrix.n_topics} topics and loses on {losses}",
        sentences=tuple(sentences),
        tables=tuple(tables),
        charts=(Chart("topics-chart", "Topic by topic", alt, matrix, "difference", {"a": a, "b": b}),),
        command=comparison.command,
        python=(*comparison.python[:-1], f"result = {comparison.python[-1]}",
                f"scores.values[:, scores.systems.index({a!r})] - scores.values[:, scores.systems.index({b!r})]"),
        warnings=comparison.warnings,
        extra={"a": a, "b": b, "systems": comparison.extra["systems"]},
    )  # fmt: skip


def _changed(question: CompareQuestion) -> dict[str, Any]:
    """The settings that are not as usual."""
    return {
        "test": None if question.test == defaults.TEST else question.test,
        "baseline": question.baseline,
        "correction": question.correction,
        "alternative": None if question.alternative == defaults.ALTERNATIVE else question.alternative,
        "statistic": None if question.statistic == defaults.STATISTIC else question.statistic,
        "alpha": None if question.alpha == defaults.ALPHA else question.alpha,
        "resamples": None if question.resamples == defaults.RESAMPLES else question.resamples,
        "seed": None if question.seed == defaults.SEED else question.seed,
    }


def _command(question: CompareQuestion, dataset: Dataset) -> tuple[str, ...]:
    before, words = dataset.score_words(question.measure)
    options = {f"--{name}": value for name, value in _changed(question).items()}
    if not before:
        options = {"--measure": question.measure, **options}
    return (*before, command_line(f"compare {words}", options))


def _python(question: CompareQuestion, dataset: Dataset) -> tuple[str, ...]:
    options = _changed(question)
    options["n_resamples"] = options.pop("resamples")
    return (*read_lines(dataset, question.measure, "compare"), python_call("compare", "scores", **options))


def read_lines(dataset: Dataset, measure: str | None, *names: str) -> tuple[str, str]:
    """Python that imports the names, and reads the scores the page used as `scores`."""
    before, words = dataset.score_words(measure)
    name = measure or (defaults.MEASURES[0] if before else None)
    pick = f"[{name!r}]" if name else ".only()"
    return imports(*names, "read_scores"), f"scores = read_scores({files_literal(words)}){pick}"


def imports(*names: str) -> str:
    """The line that imports these names."""
    return f"from cranfield import {', '.join(sorted(names))}"


def files_literal(words: str) -> str:
    """The words that name files on a command line, as Python."""
    found = shlex.split(words)
    return repr(found[0] if len(found) == 1 else found)
