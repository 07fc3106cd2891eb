"""`recommend`: how many topics for the comparison people run, with every other way of asking beside it."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any, Final

import numpy as np
import polars as pl

from cranfield.defaults import ALPHA, POWER
from cranfield.design.all_pairs import design_all_pairs, design_spread
from cranfield.design.anova import design_anova
from cranfield.design.grid import count, positive, probability
from cranfield.design.interval import design_interval
from cranfield.design.recommendation_text import text_of
from cranfield.design.result import Design
from cranfield.design.sense import sense
from cranfield.design.ttest import design_ttest
from cranfield.errors import DataError, notify, quietly
from cranfield.invariants import check_frame
from cranfield.labels import summary
from cranfield.results import Result
from cranfield.scores import ScoreMatrix, Scores
from cranfield.scores.doors import ScoresLike, as_collections, as_scores, is_scores
from cranfield.sentences import design as say
from cranfield.settings.design import RecommendSettings
from cranfield.signature import signature
from cranfield.variance import VarianceEstimate, estimate_variance, pool_variances

SIZES: Final = (25, 50, 100, 200)
"""Topic set sizes whose worth is shown."""
FEW_VALUES: Final = 30
"""Scores with fewer distinct values than this are called discrete."""
MANY_ENDS: Final = 0.25
"""A share of scores at the smallest or largest value that earns the same caveat."""

_ESTIMATORS = ("residual", "percentile95", "within")
_ALL = "Which of all pairs of systems differ, after correction?"
_AGAINST = "Which systems differ from the baseline, after correction?"
_ANY = "Do any of the systems differ, by one F-test on shared topics?"


@dataclass(frozen=True, eq=False)
class Recommendation(Result):
    """How many topics, what is promised for them, and what other designs would ask for.

    Attributes
    ----------
    n_topics : int
        The recommended number: that of the first row.
    lower, upper : int or None
        Interval for it, at confidence 1 − alpha, from the uncertainty of the past scores.
    promise : str
        What that number of topics does, in one sentence; `simulate_power` checks this very sentence.
    rows : polars frame
        One row per design, the recommended one first: design, estimator, method, variance (σ²), topics, topics_lower,
        topics_upper, epsilon, question (which the design answers).
    sizes : polars frame
        What 25, 50, 100 and 200 topics would do: power and smallest difference of the recommended design, smallest
        difference of one planned pair, expected width of the interval of an average pair and of a 95th-percentile one.
    text : str
        The whole recommendation in Markdown, for a track overview.
    """

    measure: str
    n_topics: int
    promise: str
    rows: pl.DataFrame
    sizes: pl.DataFrame
    text: str
    settings: Mapping[str, Any] = field(default_factory=dict)
    warnings: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        for table in (self.rows, self.sizes):
            check_frame(f"{self.measure}: the recommendation", table)

    @property
    def lower(self) -> int | None:
        """The lower end of the interval of `n_topics`."""
        end: int | None = self.rows["topics_lower"][0]
        return end

    @property
    def upper(self) -> int | None:
        """The upper end of the interval of `n_topics`."""
        end: int | None = self.rows["topics_upper"][0]
        return end

    @property
    def signature(self) -> str:
        """One line for a paper's footnote."""
        named = {"systems" if name == "n_systems" else name: value for name, value in self.settings.items()}
        return signature("topic set size recommendation", **named)

    def to_frame(self) -> pl.DataFrame:
        """The rows as a polars frame."""
        return self.rows

    def to_dict(self) -> dict[str, Any]:
        """Everything as plain Python values."""
        return {
            "topics": self.n_topics,
            "topics_lower": self.lower,
            "topics_upper": self.upper,
            "promise": self.promise,
            "signature": self.signature,
            "settings": dict(self.settings),
            "rows": self.rows.to_dicts(),
            "sizes": self.sizes.to_dicts(),
            "text": self.text,
            "warnings": list(self.warnings),
        }

    def summary(self) -> str:
        """The recommended number of topics."""
        return say.RECOMMENDED(topics=self.n_topics, measure=self.measure)

    def __repr__(self) -> str:
        ends = "" if self.lower is None else f" [{self.lower}, {self.upper}]"
        return f"Recommendation({self.measure}: {self.n_topics} topics{ends}; {self.rows['design'][0]})"


def recommend(
    scores: ScoresLike,
    n_systems: int,
    min_diff: float,
    *,
    power: float = POWER,
    alpha: float = ALPHA,
    baseline: bool = False,
) -> Recommendation:
    """How many topics should the next collection have, in words to paste into a track overview?

    The answer is for what most experiments run: all pairs of systems, or all against a `baseline`, each tested on
    the shared topics, corrected for their number. Beside it stand the designs of the papers and others, each with
    the question it answers. Nothing is random: the same scores give the same answer.

    Parameters
    ----------
    scores : ScoreMatrix or whatever `as_scores` takes, or several by the name of their collection
        Past scores by one measure; several collections are pooled (RD-003 eq. 11).
    n_systems : int
        How many systems will be compared, the baseline included.
    min_diff : float
        The smallest difference between best and worst worth detecting.
    power, alpha : float
        `alpha` is the family-wise level of the tests; intervals have confidence 1 − alpha.
    baseline : bool
        Systems will only be compared with one of them.

    Examples
    --------
    >>> rng = np.random.default_rng(1)
    >>> values = rng.uniform(size=(40, 1)) * 0.5 + rng.normal(0, 0.1, size=(40, 5)) + np.linspace(0.2, 0.4, 5)
    >>> x = ScoreMatrix(values, map(str, range(40)), "abcde", "AP")
    >>> recommend(x, n_systems=5, min_diff=0.10)
    Recommendation(AP: 28 topics [23, 36]; all pairs, corrected)
    """
    k = int(count("n_systems", n_systems))
    difference, wanted, level = positive("min_diff", min_diff), probability("power", power), probability("alpha", alpha)
    collections = _named(scores)
    question: dict[str, Any] = {"min_diff": difference, "power": wanted, "alpha": level}
    with quietly():  # the warnings of the recommendation say what matters
        estimates: dict[str, VarianceEstimate] = {
            name: pool_variances(
                [estimate_variance(x, name, alpha=level, collection=where) for where, x in collections.items()]
            )
            for name in _ESTIMATORS
        }
        blocked, refused = _blocked_rows(estimates["residual"], k, question)
        rows = pl.DataFrame(
            [*_pair_rows(estimates, k, question, baseline), *blocked, *_other_rows(estimates, k, question)],
            schema_overrides={"epsilon": pl.Float64, "topics_lower": pl.Int64, "topics_upper": pl.Int64},
            infer_schema_length=None,
        )
        sizes = _sizes(estimates, k, question, baseline)
    measure, topics = estimates["residual"].measure, int(rows["topics"][0])
    promise = _promise(measure, k, topics, question, baseline)
    said = (
        *(f"{name}: {text}" for name, matrix in collections.items() for text in matrix.warnings),
        *sense(list(collections.values()), difference, topics=topics),
        *_caveats(collections),
        *refused,
    )
    settings = RecommendSettings.in_force(
        measure=measure, collections=list(collections), n_systems=k, **question, baseline=baseline
    )
    text = text_of(measure, promise, rows, sizes, collections, settings, said)
    result = Recommendation(measure, topics, promise, rows, sizes, text, settings, said)
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


def _promise(measure: str, k: int, topics: int, question: Mapping[str, float], baseline: bool) -> str:
    pairs = f"the {k - 1} comparisons with it" if baseline else f"all {k * (k - 1) // 2} pairs"
    if k == 2:
        return say.PROMISE_PAIR(topics=topics, measure=measure, **question)
    two = "a system and the baseline" if baseline else "the best and the worst"
    return say.PROMISE(topics=topics, two=two, systems=k, measure=measure, pairs=pairs, **question)


def _row(design: Design, name: str, question: str, epsilon: str = "epsilon") -> dict[str, Any]:
    row = design.rows.row(0, named=True)
    return {
        "design": name,
        "estimator": row["estimator"],
        "method": row.get("method", "exact"),
        "variance": row["variance"] if "variance" in row else row["variance_of_difference"] / 2,
        "topics": row["topics"],
        "topics_lower": row.get("topics_lower"),
        "topics_upper": row.get("topics_upper"),
        "epsilon": row.get(epsilon),
        "question": question,
    }


def _pair_rows(
    estimates: Mapping[str, VarianceEstimate], k: int, question: dict[str, Any], baseline: bool
) -> list[dict[str, Any]]:
    """All pairs and the baseline, the one asked for first."""
    rows = []
    for against in (baseline, not baseline):
        name, asked = ("baseline, corrected", _AGAINST) if against else ("all pairs, corrected", _ALL)
        rows.append(_row(design_all_pairs(estimates["residual"], k, baseline=against, **question), name, asked))
    steady = design_all_pairs(estimates["percentile95"], k, baseline=baseline, **question)
    rows.insert(1, _row(steady, rows[0]["design"], f"{rows[0]['question']} For 95% of the pairs, not on average."))
    return rows


def _blocked_rows(
    estimate: VarianceEstimate, k: int, question: dict[str, Any]
) -> tuple[list[dict[str, Any]], tuple[str, ...]]:
    """Blocked ANOVA with the unbiased ε and with Greenhouse–Geisser's; or the reason why there is none."""
    try:
        estimate.epsilon(k)  # its own refusal: the design's offers to take ε from the caller, which advice does not
        adjusted = design_anova(estimate, k, epsilon="past", **question)
    except DataError as error:
        return [], (say.NO_BLOCKED(reason=error),)
    labelled = f"{_ANY} Such sizes had power .76 to .81 instead of .80 on TREC scores (20 systems, .10, simulated)."
    rows = [_row(adjusted, "blocked ANOVA, unbiased ε", labelled)]
    if k > 2:
        low = float(adjusted.rows["epsilon_gg"][0])
        biased = design_anova(estimate, k, epsilon=low, **question)
        other = _row(biased, "blocked ANOVA, Greenhouse–Geisser ε", f"{_ANY} With an ε that few topics make too low.")
        rows.append(other | {"topics_lower": None, "topics_upper": None})
    return rows, ()


def _other_rows(estimates: Mapping[str, VarianceEstimate], k: int, question: dict[str, Any]) -> list[dict[str, Any]]:
    published = design_anova(estimates["within"], k, published=True, **question)
    one, narrow = "Do two systems named beforehand differ?", f"Is an interval {question['min_diff']:g} wide or less?"
    asked = "Do any of the systems differ, had each its own topics (the papers)?"
    rows = [_row(published, "one-way ANOVA, published", asked)]
    for name, which in (("residual", "An average pair."), ("percentile95", "95% of the pairs.")):
        rows.append(_row(design_ttest(estimates[name], **question), "paired t-test", f"{one} {which}"))
    for name, which in (("residual", "An average pair."), ("percentile95", "95% of the pairs.")):
        width = design_interval(estimates[name], question["min_diff"], alpha=question["alpha"])
        rows.append(_row(width, "interval", f"{narrow} {which}"))
    return rows


def _sizes(estimates: Mapping[str, VarianceEstimate], k: int, question: dict[str, Any], baseline: bool) -> pl.DataFrame:
    sizes, power, alpha = list(SIZES), question["power"], question["alpha"]
    average = estimates["residual"].variance_of_difference
    spread = design_spread(estimates["residual"])
    common: dict[str, Any] = {"n_topics": sizes, "alpha": alpha, "baseline": baseline, "spread": spread}
    reached = design_all_pairs(average, k, question["min_diff"], **common)
    detectable = design_all_pairs(average, k, power=power, **common)
    pair = design_ttest(average, n_topics=sizes, power=power, alpha=alpha)
    widths = expected_widths(estimates["residual"], estimates["percentile95"], sizes, alpha=alpha)
    return pl.DataFrame(
        {
            "topics": sizes,
            "power": reached.rows["achieved_power"],
            "min_diff": detectable.rows["min_diff"],
            "min_diff_pair": pair.rows["min_diff"],
        }
    ).join(widths, on="topics")


def expected_widths(
    average: VarianceEstimate, wide: VarianceEstimate, n_topics: Iterable[int], *, alpha: float = ALPHA
) -> pl.DataFrame:
    """Expected width of a pair's interval by number of topics: of the average pair and of a 95th-percentile one.

    Parameters
    ----------
    average, wide : VarianceEstimate
        By `residual` (2·V_E2 is the mean variance of a difference) and by `percentile95`.

    References
    ----------
    RD-003 eq. 9.

    Examples
    --------
    >>> rng = np.random.default_rng(1)
    >>> x = ScoreMatrix(rng.normal(0.4, 0.1, (40, 5)), map(str, range(40)), "abcde", "AP")
    >>> both = [estimate_variance(x, method) for method in ("residual", "percentile95")]
    >>> expected_widths(*both, [50]).row(0)[0]
    50
    """
    sizes = list(n_topics)
    mean, edge = (design_interval(one, n_topics=sizes, alpha=alpha).rows["width"] for one in (average, wide))
    return pl.DataFrame({"topics": sizes, "width_average_pair": mean, "width_percentile95_pair": edge})


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
    return (say.NOT_NORMAL(finding=finding),)
