"""`advise`: how many topics for the comparison people run, with every other way of asking beside it."""

from __future__ import annotations

import math
import warnings as _warnings
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any, Final

import numpy as np
import polars as pl
from scipy.special import stdtrit

from cranfield.defaults import ALPHA, POWER, VarianceMethod
from cranfield.design.all_pairs import design_all_pairs
from cranfield.design.anova import design_anova
from cranfield.design.grid import count, positive, probability
from cranfield.design.interval import design_interval
from cranfield.design.jackknife import blocked_interval, past_scores
from cranfield.design.result import Design
from cranfield.design.sense import sense
from cranfield.design.ttest import design_ttest
from cranfield.errors import ArgumentError, CranfieldWarning, DataError, notify
from cranfield.results import Result
from cranfield.scores import ScoreMatrix
from cranfield.signature import signature
from cranfield.variance import VarianceEstimate, estimate_variance, pool_variances
from cranfield.variance.pair_spread import pair_spread
from cranfield.variance.unbiased_epsilon import mean_greenhouse_geisser

SIZES: Final = (25, 50, 100, 200)
"""Topic set sizes whose worth is shown."""

_METHODS: tuple[VarianceMethod, ...] = ("residual", "percentile95", "within")


@dataclass(frozen=True, eq=False)
class Advice(Result):
    """How many topics, what is promised for them, and what other designs would ask for.

    Attributes
    ----------
    topics : int
        The recommended number: that of the first row.
    lower, upper : int or None
        Interval for it, at confidence 1 − alpha, from the uncertainty of the past scores.
    promise : str
        What that number of topics does, in one sentence; `simulate_power` checks this very sentence.
    rows : polars frame
        One row per design, the recommended one first: design, question, estimator, method, epsilon, variance (σ²),
        topics, topics_lower, topics_upper.
    sizes : polars frame
        What 25, 50, 100 and 200 topics would do: power and smallest difference of the recommended design, smallest
        difference of one planned pair, expected width of the interval of an average pair and of a 95th-percentile one.
    """

    measure: str
    topics: int
    promise: str
    rows: pl.DataFrame
    sizes: pl.DataFrame
    settings: Mapping[str, Any] = field(default_factory=dict)
    warnings: tuple[str, ...] = ()

    @property
    def lower(self) -> int | None:
        """The lower end of the interval of `topics`."""
        end: int | None = self.rows["topics_lower"][0]
        return end

    @property
    def upper(self) -> int | None:
        """The upper end of the interval of `topics`."""
        end: int | None = self.rows["topics_upper"][0]
        return end

    @property
    def signature(self) -> str:
        """One line for a paper's footnote."""
        return signature("topic set size advice", measure=self.measure, **self.settings)

    def to_frame(self) -> pl.DataFrame:
        """The rows as a polars frame."""
        return self.rows

    def to_dict(self) -> dict[str, Any]:
        """Everything as plain Python values."""
        return {
            "topics": self.topics,
            "topics_lower": self.lower,
            "topics_upper": self.upper,
            "promise": self.promise,
            "signature": self.signature,
            "settings": dict(self.settings),
            "rows": self.rows.to_dicts(),
            "sizes": self.sizes.to_dicts(),
            "warnings": list(self.warnings),
        }

    def __repr__(self) -> str:
        ends = "" if self.lower is None else f" [{self.lower}, {self.upper}]"
        return f"Advice({self.measure}: {self.topics} topics{ends}; {self.rows['design'][0]})"

    def _view(self) -> tuple[str, list[pl.DataFrame]]:
        return self.promise, [self.rows, self.sizes]


def advise(
    scores: ScoreMatrix | Mapping[str, ScoreMatrix] | Iterable[ScoreMatrix],
    n_systems: int,
    min_diff: float,
    *,
    power: float = POWER,
    alpha: float = ALPHA,
    baseline: bool = False,
) -> Advice:
    """How many topics should the next collection have?

    The answer is for what most experiments run: all pairs of systems, or all against a `baseline`, each tested on
    the shared topics, corrected for their number. Beside it stand the designs of the papers and others, each with
    the question it answers. Nothing is random: the same scores give the same answer.

    Parameters
    ----------
    scores : ScoreMatrix, or several by the name of their collection
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
    >>> advise(x, n_systems=5, min_diff=0.10)
    Advice(AP: 28 topics [23, 36]; all pairs, corrected)
    """
    k = int(count("n_systems", n_systems))
    difference, wanted, level = positive("min_diff", min_diff), probability("power", power), probability("alpha", alpha)
    collections = _named(scores)
    matrices = list(collections.values())
    question = {"min_diff": difference, "power": wanted, "alpha": level}
    with _warnings.catch_warnings():
        _warnings.simplefilter("ignore", CranfieldWarning)  # the warnings of the advice say what matters
        estimates: dict[str, VarianceEstimate] = {
            method: pool_variances(
                [estimate_variance(x, method, alpha=level, collection=name) for name, x in collections.items()]
            )
            for method in _METHODS
        }
        spread = design_spread(estimates["residual"], matrices)
        rows = _pair_rows(estimates, k, spread, question, baseline)
        blocked, refused = _blocked_rows(matrices, estimates["residual"], k, question)
        rows += blocked
        rows += _other_rows(estimates, k, question)
        sizes = _sizes(estimates, k, spread, question, baseline)
    frame = pl.DataFrame(
        rows,
        schema_overrides={"epsilon": pl.Float64, "topics_lower": pl.Int64, "topics_upper": pl.Int64},
        infer_schema_length=None,
    )
    topics = int(rows[0]["topics"])
    measure = estimates["residual"].measure
    result = Advice(
        measure,
        topics,
        _promise(measure, k, topics, question, baseline),
        frame,
        sizes,
        {"systems": k, **question, "baseline": baseline, "collections": list(collections)},
        (*sense(matrices, difference, topics=topics), *refused),
    )
    notify(result.warnings)
    return result


def _named(scores: ScoreMatrix | Mapping[str, ScoreMatrix] | Iterable[ScoreMatrix]) -> dict[str, ScoreMatrix]:
    if isinstance(scores, ScoreMatrix):
        return {"past scores": scores}
    named = dict(scores) if isinstance(scores, Mapping) else {f"collection {i}": x for i, x in enumerate(scores, 1)}
    if not named:
        raise ArgumentError("`scores` is empty; give at least one score matrix.")
    return named


def design_spread(estimate: VarianceEstimate, matrices: Iterable[ScoreMatrix]) -> float:
    """The `spread` that `design_all_pairs` needs for its promise to hold: of the pairs, and of the estimate itself.

    Which pair will matter is unknown, and so is the variance: s² = (spread of the pairs)² + (standard error of the log
    variance)². Power averaged over both is what a designer can expect.

    >>> rng = np.random.default_rng(1)
    >>> x = ScoreMatrix(rng.normal(0.4, 0.1, (40, 5)), map(str, range(40)), "abcde", "AP")
    >>> round(design_spread(estimate_variance(x, "residual"), [x]), 2)
    0.21
    """
    error = 0.0
    if estimate.lower is not None and estimate.upper is not None:
        df = sum(stratum.n_topics - 1 for stratum in estimate.strata)
        error = math.log(estimate.upper / estimate.lower) / (2 * float(stdtrit(df, 1 - estimate.alpha / 2)))
    return min(math.hypot(pair_spread(matrices), error), 9.0)


def _promise(measure: str, k: int, topics: int, question: Mapping[str, float], baseline: bool) -> str:
    pairs = f"the {k - 1} comparisons with it" if baseline else f"all {k * (k - 1) // 2} pairs"
    two = "a system and the baseline" if baseline else "the best and the worst"
    return (
        f"With {topics} topics, if {two} of {k} systems differ by {question['min_diff']:g} in mean {measure} and the "
        f"others lie midway, paired t-tests of {pairs} with Holm's correction at level {question['alpha']:g} show that "
        f"these two differ with probability about {question['power']:g}, on average over which systems they are."
    )


def _row(design: Design, name: str, question: str, epsilon: float | None = None) -> dict[str, Any]:
    row = design.rows.row(0, named=True)
    return {
        "design": name,
        "question": question,
        "estimator": row["estimator"],
        "method": row.get("method", "exact"),
        "epsilon": epsilon,
        "variance": row["variance"] if "variance" in row else row["variance_of_difference"] / 2,
        "topics": row["topics"],
        "topics_lower": row.get("topics_lower"),
        "topics_upper": row.get("topics_upper"),
    }


_ALL = "Which of all pairs of systems differ, after correction?"
_AGAINST = "Which systems differ from the baseline, after correction?"


def _pair_rows(
    estimates: Mapping[str, VarianceEstimate], k: int, spread: float, question: dict[str, Any], baseline: bool
) -> list[dict[str, Any]]:
    """All pairs and the baseline, the one asked for first."""
    rows = []
    for against in (baseline, not baseline):
        name, asked = ("baseline, corrected", _AGAINST) if against else ("all pairs, corrected", _ALL)
        average = design_all_pairs(estimates["residual"], k, baseline=against, spread=spread, **question)
        rows.append(_row(average, name, asked))
    steady = design_all_pairs(estimates["percentile95"], k, baseline=baseline, **question)
    rows.insert(1, _row(steady, rows[0]["design"], f"{rows[0]['question']} For 95% of the pairs, not on average."))
    return rows


def _blocked_rows(
    matrices: list[ScoreMatrix], estimate: VarianceEstimate, k: int, question: dict[str, Any]
) -> tuple[list[dict[str, Any]], tuple[str, ...]]:
    """Blocked ANOVA with the unbiased ε and with Greenhouse–Geisser's; or the reason why there is none."""
    try:
        epsilon = estimate.unbiased_epsilon(k)
        weights = [stratum.n_topics - 1 for stratum in estimate.strata]
        plain = [mean_greenhouse_geisser(stratum.covariance, k) for stratum in estimate.strata]
    except DataError as error:
        return [], (f"no blocked ANOVA is designed: {error}.",)
    asked = "Do any of the systems differ (one F-test for all, topics taken out)?"
    adjusted = design_anova(estimate, k, blocked=True, epsilon=epsilon, **question)
    row = _row(adjusted, "blocked ANOVA, unbiased ε", asked, epsilon)
    ends = None
    if min(x.n_topics for x in matrices) > 3:
        ends = blocked_interval(past_scores(matrices, k), k, **question)
    row["topics_lower"] = None if ends is None else min(max(math.ceil(ends[0]), 2), row["topics"])
    row["topics_upper"] = None if ends is None else max(math.ceil(ends[1]), row["topics"])
    lower_bound = float(np.average(plain, weights=weights))
    biased = design_anova(estimate, k, blocked=True, epsilon=lower_bound, **question)
    other = _row(biased, "blocked ANOVA, Greenhouse–Geisser ε", f"{asked} With an ε that few topics make too low.")
    return [row, other | {"epsilon": lower_bound, "topics_lower": None, "topics_upper": None}], ()


def _other_rows(estimates: Mapping[str, VarianceEstimate], k: int, question: dict[str, Any]) -> list[dict[str, Any]]:
    published = design_anova(estimates["within"], k, method="published", **question)
    pair = {name: design_ttest(estimates[name], **question) for name in ("residual", "percentile95")}
    width = {
        name: design_interval(estimates[name], question["min_diff"], alpha=question["alpha"])
        for name in ("residual", "percentile95")
    }
    one, narrow = "Do two systems named beforehand differ?", f"Is an interval {question['min_diff']:g} wide or less?"
    return [
        _row(published, "one-way ANOVA, published", "Do any differ, had every system its own topics (the papers)?"),
        _row(pair["residual"], "paired t-test", f"{one} An average pair."),
        _row(pair["percentile95"], "paired t-test", f"{one} 95% of the pairs."),
        _row(width["residual"], "interval", f"{narrow} An average pair."),
        _row(width["percentile95"], "interval", f"{narrow} 95% of the pairs."),
    ]


def _sizes(
    estimates: Mapping[str, VarianceEstimate], k: int, spread: float, question: dict[str, Any], baseline: bool
) -> pl.DataFrame:
    sizes, power, alpha = list(SIZES), question["power"], question["alpha"]
    average = estimates["residual"].variance_of_difference
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
