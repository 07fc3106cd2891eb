"""`recommend`: from past scores and a question to an answer in plain words."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Final

import numpy as np
import polars as pl

from cranfield.defaults import ALPHA, LOW_EPSILON, POWER
from cranfield.design.anova import design_anova
from cranfield.design.detectable import detectable_differences
from cranfield.design.grid import count, positive, probability
from cranfield.design.result import Design
from cranfield.design.ttest import design_ttest
from cranfield.errors import DataError, notify, quietly
from cranfield.labels import summary
from cranfield.results import Result
from cranfield.scores import ScoreMatrix, Scores
from cranfield.scores.doors import ScoresLike, as_collections, as_scores, is_scores
from cranfield.signature import signature
from cranfield.variance import VarianceEstimate, estimate_variance, pool_variances

SIZES: Final = (25, 50, 100, 200)
"""Topic set sizes whose worth is shown."""
FEW_VALUES: Final = 30
"""Scores with fewer distinct values than this are called discrete."""
MANY_ENDS: Final = 0.25
"""A share of scores at the smallest or largest value that earns the same caveat."""

_ESTIMATORS = ("residual", "percentile95", "within", "one_way", "two_way")
_WHY = {
    ("blocked ANOVA", "exact"): "all systems share the topics, and the test takes topic difficulty out",
    ("blocked, adjusted", "exact"): "the same for an F-test corrected for unequal variances of differences",
    ("one-way ANOVA", "exact"): "as if every system had topics of its own",
    ("one-way ANOVA", "published"): "the same by the papers' spreadsheet approximation",
    ("paired t-test", "exact"): "two systems only, on the same topics",
}


@dataclass(frozen=True, eq=False)
class Recommendation(Result):
    """How many topics, for each way of asking, and why the answers differ.

    Attributes
    ----------
    n_topics : int
        The recommended number of topics.
    rows : polars frame
        One row per design and estimator: design, estimator, method, variance, topics, interval, why.
    sizes : polars frame
        What 25, 50, 100 and 200 topics would buy: power at `min_diff`, detectable difference, interval width.
    text : str
        The whole recommendation in Markdown, for a track overview.
    """

    measure: str
    n_topics: int
    rows: pl.DataFrame
    sizes: pl.DataFrame
    text: str
    settings: Mapping[str, Any] = field(default_factory=dict)
    warnings: tuple[str, ...] = ()

    @property
    def signature(self) -> str:
        """One line for a paper's footnote."""
        named = {"systems" if name == "n_systems" else name: value for name, value in self.settings.items()}
        return signature("topic set size recommendation", measure=self.measure, **named)

    def to_frame(self) -> pl.DataFrame:
        """The rows as a polars frame."""
        return self.rows

    def to_dict(self) -> dict[str, Any]:
        """Everything as plain Python values."""
        return {
            "n_topics": self.n_topics,
            "signature": self.signature,
            "settings": dict(self.settings),
            "rows": self.rows.to_dicts(),
            "sizes": self.sizes.to_dicts(),
            "text": self.text,
            "warnings": list(self.warnings),
        }

    def summary(self) -> str:
        """The recommended number of topics."""
        return f"{self.n_topics} topics by {self.measure}"

    def __repr__(self) -> str:
        return f"Recommendation({self.measure}: {self.n_topics} topics; print(….text) for the reasons)"


def recommend(
    scores: ScoresLike,
    n_systems: int,
    min_diff: float,
    *,
    power: float = POWER,
    alpha: float = ALPHA,
) -> Recommendation:
    """How many topics should the next collection have, in words to paste into a track overview?

    The recommended size is that of the blocked design with the residual variance, since systems are compared on
    shared topics, corrected by the Greenhouse–Geisser ε of the past scores when that is below 0.75. Beside it stand
    the sizes of every other estimator and method, with the reason for the difference.

    Parameters
    ----------
    scores : ScoreMatrix or whatever `as_scores` takes, or several by the name of their collection
        Past scores by one measure; several collections are pooled (RD-003 eq. 11).
    n_systems : int
        How many systems will be compared.
    min_diff : float
        The smallest difference between best and worst worth detecting.

    Examples
    --------
    >>> rng = np.random.default_rng(1)
    >>> values = rng.uniform(size=(40, 1)) * 0.5 + rng.normal(0, 0.1, size=(40, 5)) + 0.2
    >>> x = ScoreMatrix(values, map(str, range(40)), "abcde", "AP")
    >>> recommend(x, n_systems=5, min_diff=0.10)
    Recommendation(AP: 23 topics; print(….text) for the reasons)
    """
    m = int(count("n_systems", n_systems))
    difference, wanted, level = positive("min_diff", min_diff), probability("power", power), probability("alpha", alpha)
    collections = _named(scores)
    with quietly():  # the text says what these warnings would say
        estimates: dict[str, VarianceEstimate] = {
            method: pool_variances(
                [estimate_variance(x, method, alpha=level, collection=name) for name, x in collections.items()]
            )
            for method in _ESTIMATORS
        }
        question: dict[str, Any] = {"min_diff": difference, "power": wanted, "alpha": level}
        blocked = design_anova(estimates["residual"], m, blocked=True, **question)
        epsilon = float(blocked.only("epsilon"))
        low = epsilon < LOW_EPSILON
        rows = _rows(estimates, m, epsilon if low else None, question)
        sizes = _sizes(estimates, m, epsilon if low else None, question)
    inherited = [f"{name}: {text}" for name, matrix in collections.items() for text in matrix.warnings]
    caveats = (*inherited, *_caveats(collections))
    topics = int(rows["topics"][0])
    text = _text(collections, estimates, m, question, rows, sizes, epsilon, low, caveats)
    measure = estimates["residual"].measure
    settings = {"n_systems": m, **question, "collections": list(collections)}
    result = Recommendation(measure, topics, rows, sizes, text, settings, caveats)
    notify(result.warnings)
    return result


def _named(scores: Any) -> dict[str, ScoreMatrix]:
    if is_scores(scores) and (isinstance(scores, Scores) or not isinstance(scores, Mapping)):
        scores = {"past scores": as_scores(scores)}
    elif not isinstance(scores, Mapping):
        scores = {f"collection {i}": x for i, x in enumerate(scores, 1)}
    collections = as_collections(scores)
    measures = list(dict.fromkeys(name for one in collections.values() for name in one))
    if len(measures) > 1:
        raise DataError(
            f"there are {len(measures)} measures ({summary(measures)}); choose one, such as measure='{measures[0]}'"
        )
    return {name: one.only() for name, one in collections.items()}


def _row(what: str, design: Design, size: str = "topics", interval: bool = True) -> dict[str, Any]:
    row = design.rows.row(0, named=True)
    variance = row["variance"] if "variance" in row else row["variance_of_difference"] / 2
    return {
        "design": what,
        "estimator": row["estimator"],
        "method": row["method"],
        "variance": variance,
        "topics": row[size],
        "topics_lower": row.get("topics_lower") if interval else None,
        "topics_upper": row.get("topics_upper") if interval else None,
        "why": _WHY[what, row["method"]],
    }


def _rows(
    estimates: Mapping[str, VarianceEstimate], m: int, epsilon: float | None, question: dict[str, Any]
) -> pl.DataFrame:
    """The recommended design first."""
    rows = []
    if epsilon is not None:
        adjusted = design_anova(estimates["residual"], m, blocked=True, epsilon="past", **question)
        rows.append(_row("blocked, adjusted", adjusted))
    rows.append(_row("blocked ANOVA", design_anova(estimates["residual"], m, blocked=True, **question)))
    for method in ("within", "one_way", "two_way"):
        rows.append(_row("one-way ANOVA", design_anova(estimates[method], m, **question)))
        rows.append(_row("one-way ANOVA", design_anova(estimates[method], m, method="published", **question)))
    for method in ("residual", "percentile95", "two_way"):
        rows.append(_row("paired t-test", design_ttest(estimates[method], **question)))
    return pl.DataFrame(rows, schema_overrides={"topics_lower": pl.Int64, "topics_upper": pl.Int64})


def _sizes(
    estimates: Mapping[str, VarianceEstimate], m: int, epsilon: float | None, question: dict[str, Any]
) -> pl.DataFrame:
    sizes, residual, alpha = list(SIZES), estimates["residual"], question["alpha"]
    reached = design_anova(
        residual.variance, m, question["min_diff"], n_topics=sizes, blocked=True, alpha=alpha, epsilon=epsilon
    )
    detectable = detectable_differences(
        residual, estimates["percentile95"], m, sizes, power=question["power"], alpha=alpha, epsilon=epsilon
    )
    return detectable.insert_column(1, reached.rows["achieved_power"].alias("power"))


def _caveats(collections: Mapping[str, ScoreMatrix]) -> tuple[str, ...]:
    """The normality assumption against what the scores look like."""
    values = np.concatenate([x.values.ravel() for x in collections.values()])
    measure = next(iter(collections.values())).measure
    distinct, counts = np.unique(values, return_counts=True)
    ends = (counts[0] + counts[-1]) / len(values)
    if len(distinct) < FEW_VALUES and 2 * len(distinct) <= len(values):  # few scores have few values
        finding = f"only {len(distinct)} different values of {measure} occur in {len(values):,} scores"
    elif ends > MANY_ENDS:
        finding = f"{ends:.0%} of the {measure} scores are exactly {distinct[0]:g} or {distinct[-1]:g}"
    else:
        return ()
    return (
        f"{finding}, far from the normal distribution these designs assume; the sizes hold for a normal measure of the "
        "same variance, so treat them as a guide and test by randomisation.",
    )


def _text(
    collections: Mapping[str, ScoreMatrix],
    estimates: Mapping[str, VarianceEstimate],
    m: int,
    question: Mapping[str, Any],
    rows: pl.DataFrame,
    sizes: pl.DataFrame,
    epsilon: float,
    low: bool,
    caveats: tuple[str, ...],
) -> str:
    measure = estimates["residual"].measure
    best = rows.row(0, named=True)
    difference, power, alpha = question["min_diff"], question["power"], question["alpha"]
    interval = ""
    if best["topics_lower"] is not None:
        interval = (
            f" The past variance is itself uncertain: at the ends of its {1 - alpha:.0%} interval the answer would be "
            f"{best['topics_lower']} or {best['topics_upper']} topics."
        )
    past = ", ".join(f"{name} ({x.n_topics} topics × {x.n_systems} systems)" for name, x in collections.items())
    one_way = rows.filter((pl.col("design") == "one-way ANOVA") & (pl.col("method") == "exact"))["topics"].to_list()
    parts = [
        f"# How many topics for {measure}?",
        f"**Create {best['topics']} topics** to compare {m} systems by {measure}: whenever the best and the worst "
        f"differ by {difference:g} or more, an F-test that takes topic differences out will say that the systems "
        f"differ with probability {power:g} at significance level {alpha:g}.{interval}",
        f"Variances come from {past}.",
        "## Every design and estimator",
        _markdown(_with_interval(rows), {"variance": 4}),
        "## Why the answers differ",
        "- **Blocked ANOVA** (residual variance): "
        f"{_WHY['blocked ANOVA', 'exact']}. This is how collections are used, and what to test with.",
        f"- **Sphericity**: the test assumes that all differences between systems vary equally. For sets of {m} of the "
        f"past systems Greenhouse–Geisser ε = {epsilon:.2f} (1 would be equal). "
        + (
            "That is low: uncorrected, the test rejects too often. The recommended size is for the test with degrees "
            f"of freedom multiplied by ε; without the correction {rows['topics'][1]} topics would seem enough."
            if low
            else "That is high enough to go without a correction."
        ),
        f"- **One-way ANOVA** (within, one_way, two_way: {min(one_way)} to {max(one_way)} topics): "
        f"{_WHY['one-way ANOVA', 'exact']}, so what topics differ by counts as noise. It is the design of the papers. "
        "Its promise does not hold for the comparison people run: on shared topics the one-way F-test has far less "
        "power than designed for (in simulation about .6 instead of .80 with 10 systems). `within` is the unbiased "
        "variance of that model; `one_way` and `two_way` add the variance between systems, to err on the large side. "
        "`published` is the papers' spreadsheet, which falls short of the power it states.",
        "- **Paired t-test**: one pair of systems, named beforehand. `percentile95` is wide enough for 95% of the past "
        "pairs; twice the residual variance fits an average pair; twice `two_way` ignores that topics are shared.",
        "## What a given number of topics buys",
        _markdown(sizes, {"power": 3, "min_diff": 3, "min_diff_pair": 3, "interval_width": 3}),
        f"`power`: to detect a range of {difference:g} among {m} systems. `min_diff`: the smallest range detected with "
        f"power {power:g}. `min_diff_pair`: the same for one pair and a paired t-test. `interval_width`: width to "
        f"expect of the {1 - alpha:.0%} interval of a pair's difference.",
    ]
    parts += [f"## Caveat\n\n{caveat[0].upper()}{caveat[1:]}" for caveat in caveats]
    return "\n\n".join(parts) + "\n"


def _with_interval(rows: pl.DataFrame) -> pl.DataFrame:
    """The rows with both ends of the interval in one column, narrow enough for a page."""
    ends = zip(rows["topics_lower"], rows["topics_upper"], strict=True)
    interval = ["" if low is None else f"{low}–{high}" for low, high in ends]
    return rows.drop("why", "topics_lower", "topics_upper").with_columns(pl.Series("interval", interval))


def _markdown(frame: pl.DataFrame, digits: Mapping[str, int]) -> str:
    """A pipe table, padded so that it also reads well on a terminal."""

    def shown(name: str, value: Any) -> str:
        return "" if value is None else f"{value:.{digits[name]}f}" if name in digits else str(value)

    columns = [[name, *(shown(name, value) for value in frame[name])] for name in frame.columns]
    widths = [max(map(len, column)) for column in columns]
    right = [dtype.is_numeric() for dtype in frame.dtypes]
    lines = [
        " | ".join(cell.rjust(w) if r else cell.ljust(w) for cell, w, r in zip(line, widths, right, strict=True))
        for line in zip(*columns, strict=True)
    ]
    rule = " | ".join("-" * (w - 1) + ":" if r else "-" * w for w, r in zip(widths, right, strict=True))
    return "\n".join(f"| {line} |" for line in [lines[0], rule, *lines[1:]])
