"""`recommend`: the number of topics for the usual comparison, beside other designs."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from functools import partial
from typing import TYPE_CHECKING, Any, Final, TypedDict

import numpy as np
import polars as pl

from cranfield.core.answer import sentence
from cranfield.core.arguments import check_arguments
from cranfield.core.defaults import ALPHA, ASSURANCE, FEW_COMPARISONS, POWER, SEED
from cranfield.core.errors import CranfieldError, DataError, notify, quietly
from cranfield.core.labels import summary
from cranfield.core.options import at_least
from cranfield.core.results import Result, check_frame, signature
from cranfield.questions.design.all_pairs import design_spread, solve_all_pairs
from cranfield.questions.design.anova import size_with_epsilon, solve_anova
from cranfield.questions.design.asked import sense
from cranfield.questions.design.grid import count, positive, probability
from cranfield.questions.design.interval import solve_interval
from cranfield.questions.design.result import Design
from cranfield.questions.design.ttest import solve_ttest
from cranfield.questions.recommend.answer import recommendation_answer
from cranfield.questions.recommend.max_t_design import MaxTPower, comparisons, max_t_power
from cranfield.questions.recommend.question import RecommendQuestion
from cranfield.questions.variance.estimate import Teams, VarianceEstimate, named_teams, team_of
from cranfield.questions.variance.variances import pooled_variances
from cranfield.scores.doors import ScoresLike, as_collections, as_scores, is_scores
from cranfield.scores.matrix import ScoreMatrix, Scores

if TYPE_CHECKING:
    from cranfield.core.answer import Drawings

SIZES: Final = (25, 50, 100, 200)
"""Topic set sizes whose worth is shown."""
FEW_VALUES: Final = 30
"""Scores with fewer distinct values than this are called discrete."""
MANY_ENDS: Final = 0.25
"""A share of scores at the smallest or largest value that earns the same caveat."""

PROMISE_PAIR = sentence(
    "design.promise-pair",
    "With {topics:,} topics, a paired t-test at level {alpha:g} detects a difference of {min_diff:g} in mean {measure} "
    "with power about {power:g}. Power is averaged over pairs of systems.",
    "two systems are asked for",
    measured="validation.md#sizes-for-t-tests-with-holms-correction",
)
PROMISE_MAX_T = sentence(
    "design.promise-max-t",
    "With {topics:,} topics, power is about {power:g} to detect a difference of {min_diff:g} in mean {measure} between "
    "{two} of {systems} systems. The test is max-t over {pairs} at level {alpha:g}, the default for large families. "
    "The other systems are assumed to lie midway between the two. Power is averaged over pairs.",
    "more than 20 comparisons are asked for, and min_diff is a difference that two means can have",
    measured="recommend",
)
PROMISE = sentence(
    "design.promise",
    "With {topics:,} topics, power is about {power:g} to detect a difference of {min_diff:g} in mean {measure} between "
    "{two} of {systems} systems. The tests are paired t-tests of {pairs} with Holm's correction at level {alpha:g}. "
    "The other systems are assumed to lie midway between the two. Power is averaged over pairs.",
    "three systems or more and at most 20 comparisons are asked for, and min_diff is a difference that two means can "
    "have",
    measured="validation.md#sizes-for-t-tests-with-holms-correction",
)
NO_BLOCKED = sentence(
    "design.no-blocked",
    "no blocked ANOVA design: {reason}.",
    "the past scores have too few systems or topics to estimate ε",
)
NOT_NORMAL = sentence(
    "design.not-normal",
    "{finding}. These designs assume normal scores; treat the sizes as a guide, and use a randomisation test.",
    "scores have very few different values, or most are the lowest or the highest",
)
MAX_T = "max-t"
"""In the names of designs for max-t."""
_MAX_T = "Which pairs of systems differ? (max-t, the default for large families)"
_MAX_T_AGAINST = "Which systems differ from the baseline? (max-t, the default for large families)"
_ALL = "Which pairs of systems differ? (corrected)"
_AGAINST = "Which systems differ from the baseline? (corrected)"
_ONE = "Do two systems chosen in advance differ?"
_ANY = "Does any system differ? (one F-test on shared topics)"


class Asked(TypedDict):
    """What all designs are asked."""

    n_systems: int
    min_diff: float
    power: float
    alpha: float


@dataclass(frozen=True, eq=False)
class Recommendation(Result):
    """The recommended number of topics, its power, and what other designs ask for.

    Attributes
    ----------
    n_topics : int
        The recommended number: that of the first row.
    lower, upper : int or None
        Its interval with confidence 1 − alpha; past topics and systems (or teams) count as samples.
    assured : int or None
        The size at which the true power is as wanted with the `assurance` asked for.
    promise : str
        What that number of topics achieves; `simulate_power` and `simulate_max_t_power` check it.
    rows : polars frame
        One row per design, the recommended one first: design, estimator, method, variance (σ²), topics, topics_lower,
        topics_upper, topics_assured, epsilon, question (which the design answers).
    sizes : polars frame
        What 25, 50, 100 and 200 topics achieve: power and smallest difference of the recommended design, smallest
        difference of one planned pair, expected interval width of an average and of a 95th-percentile pair.
    past : str
        The past scores, by name and size.
    of_systems : bool
        Whether systems count as a sample in the interval; False with too few systems.
    text : str
        The whole recommendation in Markdown, for a track overview.
    """

    measure: str
    n_topics: int
    promise: str
    rows: pl.DataFrame
    sizes: pl.DataFrame
    past: str
    settings: Mapping[str, Any] = field(default_factory=dict)
    warnings: tuple[str, ...] = ()
    of_systems: bool = True

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
    def assured(self) -> int | None:
        """The size at which the true power is as wanted with the assurance asked for."""
        size: int | None = self.rows["topics_assured"][0]
        return size

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
        more = {"sizes": self.sizes.to_dicts(), "text": self.text}
        return self.top() | super().to_dict() | more

    def top(self) -> dict[str, Any]:
        """The recommended size, its interval, the assured size, and the promise."""
        row = self.rows.row(0, named=True)
        names = ("topics", "topics_lower", "topics_upper", "topics_assured")
        return {name: row[name] for name in names} | {"promise": self.promise}

    @property
    def text(self) -> str:
        """The number, its promise and its uncertainty; every way of asking; other numbers of topics; caveats."""
        from cranfield.questions.recommend.answer import text_of

        return text_of(self)

    def summary(self) -> str:
        """The recommended number of topics."""
        from cranfield.questions.recommend.answer import headline

        return headline(self)

    @property
    def by_max_t(self) -> bool:
        """Whether the recommended number is for max-t."""
        return str(self.rows["design"][0]).endswith(MAX_T)

    def __repr__(self) -> str:
        ends = "" if self.lower is None else f" [{self.lower}, {self.upper}]"
        return f"Recommendation({self.measure}: {self.n_topics} topics{ends}; {self.rows['design'][0]})"

    answer = recommendation_answer

    @staticmethod
    def drawings() -> Drawings:
        """Its charts by name; the first is drawn unless another is named."""
        from cranfield.questions.recommend import charts

        return {"recommendation": charts.recommendation}


def recommend(
    scores: ScoresLike,
    n_systems: int,
    min_diff: float,
    *,
    power: float = POWER,
    alpha: float = ALPHA,
    baseline: bool = False,
    assurance: float = ASSURANCE,
    budget: int | None = None,
    teams: Teams | None = None,
    seed: int = SEED,
) -> Recommendation:
    """How many topics should the next collection have?

    The answer is for the usual experiment: all pairs of systems, or all against a `baseline`, are tested on shared
    topics with a correction for their number. More than 20 comparisons are tested by max-t, the default of `compare`;
    its critical value comes from random subsets of the past systems (see `MaxTPower`). Fewer are tested by paired
    t-tests with Holm's correction. The designs of the papers and others stand beside it. The same scores and seed give
    the same answer.

    Parameters
    ----------
    scores : ScoreMatrix or whatever `as_scores` takes, or several by the name of their collection
        Past scores by one measure; several collections are pooled (Sakai (2014b), eq. 11).
    n_systems : int
        How many systems will be compared, the baseline included.
    min_diff : float
        The smallest difference between best and worst worth detecting.
    power, alpha : float
        `alpha` is the family-wise level of the tests; intervals have confidence 1 − alpha.
    baseline : bool
        Systems will only be compared with one of them.
    assurance : float
        For ``topics_assured``: the size n(V̂·exp(t_df·s)), t_df the quantile of this probability. Over past scores that
        might have been drawn, the true power at that size is at least `power` with about this probability.
    budget : int, optional
        Judgments available; ``per_topic`` in `rows` and `sizes` is how many each topic gets. Which depth they pay for
        depends on the pools: see `cost`.
    teams : mapping from system to team, or a file that `read_teams` reads, optional
        Teams count as the sample in place of systems; see `estimate_variance`.
    seed : int
        For the subsets and resamples behind the critical value of max-t.

    Examples
    --------
    >>> rng = np.random.default_rng(1)
    >>> values = rng.uniform(size=(40, 1)) * 0.5 + rng.normal(0, 0.1, size=(40, 5)) + np.linspace(0.2, 0.4, 5)
    >>> x = ScoreMatrix(values, map(str, range(40)), "abcde", "AP")
    >>> recommend(x, n_systems=5, min_diff=0.10)
    Recommendation(AP: 28 topics [21, 38]; all pairs, corrected)
    """
    check_arguments(recommend, locals())
    k = int(count("n_systems", n_systems))
    difference, wanted, level = positive("min_diff", min_diff), probability("power", power), probability("alpha", alpha)
    sure, grouping = probability("assurance", assurance), team_of(teams)
    named = _named(scores)
    collections = {name: one.only() for name, one in named.items()}
    asked: Asked = {"n_systems": k, "min_diff": difference, "power": wanted, "alpha": level}
    with quietly():  # the warnings of the recommendation say what matters
        average, wide, within = (
            pooled_variances(named, name, level, grouping)[0] for name in ("residual", "percentile95", "within")
        )
        of_max_t = _max_t_design(collections, average, asked, baseline, seed)
        listed, refused = _designs(average, wide, within, asked, baseline, sure, of_max_t)
        types = dict.fromkeys(("topics_lower", "topics_upper", "topics_assured"), pl.Int64) | {"epsilon": pl.Float64}
        rows = pl.DataFrame(listed, schema_overrides=types, infer_schema_length=None)
        sizes = _sizes(average, wide, asked, baseline, of_max_t)
    if budget is not None:
        at_least("budget", budget, 1, 10_000)
        per_topic = int(budget) // pl.col("topics")
        rows, sizes = (frame.with_columns(per_topic.alias("per_topic")) for frame in (rows, sizes))
    measure, topics = average.measure, int(rows["topics"][0])
    said = (
        *(f"{name}: {text}" for name, matrix in collections.items() for text in matrix.warnings),
        *sense(list(collections.values()), difference, topics=topics),
        *_caveats(collections),
        *refused,
        *(text for text in average.warnings if text not in average.inherited),
    )
    settings = RecommendQuestion.in_force(
        measure=measure, collections=list(collections), **asked, baseline=baseline, assurance=sure, budget=budget,
        teams=named_teams(teams), seed=seed,
    )  # fmt: skip
    past = ", ".join(f"{name} ({x.n_topics} topics × {x.n_systems} systems)" for name, x in collections.items())
    promise = _promise(measure, topics, asked, baseline)
    of_systems = average.error is not None and average.error.systems
    result = Recommendation(measure, topics, promise, rows, sizes, past, settings, said, of_systems)
    notify(result.warnings)
    return result


def _named(scores: Any) -> Mapping[str, Scores]:
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
    return collections


def _promise(measure: str, topics: int, asked: Asked, baseline: bool) -> str:
    k = asked["n_systems"]
    if k == 2:
        return PROMISE_PAIR(topics=topics, measure=measure, **asked)
    pairs = f"the {k - 1} comparisons with it" if baseline else f"all {k * (k - 1) // 2:,} pairs"
    two = "a system and the baseline" if baseline else "the best and the worst"
    said = PROMISE_MAX_T if comparisons(k, baseline) > FEW_COMPARISONS else PROMISE
    return said(topics=topics, two=two, systems=k, measure=measure, pairs=pairs, **asked)


def _designs(
    average: VarianceEstimate, wide: VarianceEstimate, within: VarianceEstimate, asked: Asked, baseline: bool,
    assurance: float, of_max_t: MaxTPower | None,
) -> tuple[list[dict[str, Any]], tuple[str, ...]]:  # fmt: skip
    """All designs, the recommended one first; and the reason if there is no blocked ANOVA."""
    alpha, difference = asked["alpha"], asked["min_diff"]

    def of_pairs(against: bool, estimate: VarianceEstimate, more: str = "") -> dict[str, Any]:
        name, question = ("baseline, corrected", _AGAINST) if against else ("all pairs, corrected", _ALL)
        solve = partial(solve_all_pairs, baseline=against, **asked)
        return _row(solve, estimate, assurance, name, question + more)

    rows = [] if of_max_t is None else [_max_t_row(of_max_t, average, asked, baseline, assurance)]
    rows += [of_pairs(baseline, average), of_pairs(baseline, wide, " For 95% of the pairs.")]
    blocked, refused = _blocked_rows(average, asked, assurance)
    rows += [of_pairs(not baseline, average), *blocked]
    question = "Does any system differ? (unpaired, as in the papers)"
    one_way = partial(solve_anova, blocked=False, method="published", **asked)
    rows.append(_row(one_way, within, assurance, "one-way ANOVA, published", question))
    test = partial(solve_ttest, min_diff=difference, power=asked["power"], alpha=alpha)
    narrow = partial(solve_interval, width=difference, alpha=alpha)
    for solve, name, question in (
        (test, "paired t-test", _ONE),
        (narrow, "interval", f"Is the interval at most {difference:g} wide?"),
    ):
        for estimate, which in ((average, "For an average pair."), (wide, "For 95% of the pairs.")):
            rows.append(_row(solve, estimate, assurance, name, f"{question} {which}"))
    return rows, refused


def _max_t_design(
    past: Mapping[str, ScoreMatrix], average: VarianceEstimate, asked: Asked, baseline: bool, seed: int
) -> MaxTPower | None:
    """The power of max-t, where it is the test of so many comparisons."""
    k = asked["n_systems"]
    if comparisons(k, baseline) <= FEW_COMPARISONS:
        return None
    return max_t_power(past, k, alpha=asked["alpha"], baseline=baseline, seed=seed, spread=design_spread(average))


def _max_t_row(
    of_max_t: MaxTPower, estimate: VarianceEstimate, asked: Asked, baseline: bool, assurance: float
) -> dict[str, Any]:
    """The design for max-t; its interval and its assured size carry those of the variance through."""

    def solve(variance: float | None) -> int | None:
        try:
            return None if variance is None else of_max_t.topics(asked["min_diff"], 2 * variance, asked["power"])
        except CranfieldError:  # more topics than are ever designed
            return None

    topics = of_max_t.topics(asked["min_diff"], estimate.variance_of_difference, asked["power"])
    above = estimate.assured(assurance)
    name = "baseline" if baseline else "all pairs"
    return {
        "design": f"{name}, {MAX_T}", "estimator": estimate.estimator, "method": "bootstrap",
        "variance": estimate.variance, "topics": topics, "topics_lower": solve(estimate.lower),
        "topics_upper": solve(estimate.upper), "topics_assured": solve(None if above is None else above.variance),
        "epsilon": None, "question": _MAX_T_AGAINST if baseline else _MAX_T,
    }  # fmt: skip


def _row(
    solve: Callable[[VarianceEstimate], Design], estimate: VarianceEstimate, assurance: float, name: str, question: str
) -> dict[str, Any]:
    """One design, with its size at the variance for the wanted assurance."""
    row = solve(estimate).rows.row(0, named=True)
    above = estimate.assured(assurance)
    try:
        assured = None if above is None else solve(above).n_topics
    except CranfieldError:  # more topics than are ever designed
        assured = None
    return {
        "design": name, "estimator": row["estimator"], "method": row.get("method", "exact"),
        "variance": row["variance"] if "variance" in row else row["variance_of_difference"] / 2,
        **{column: row.get(column) for column in ("topics", "topics_lower", "topics_upper")},
        "topics_assured": assured, "epsilon": row.get("epsilon"), "question": question,
    }  # fmt: skip


def _blocked_rows(
    estimate: VarianceEstimate, asked: Asked, assurance: float
) -> tuple[list[dict[str, Any]], tuple[str, ...]]:
    """Blocked ANOVA with the unbiased and with the Greenhouse–Geisser ε; or the reason why not."""
    k = asked["n_systems"]
    try:
        estimate.epsilon(k)  # its own refusal: the design's offers to take ε from the caller
    except DataError as error:
        return [], (NO_BLOCKED(reason=error),)
    labelled = f"{_ANY} Simulated power for .80: .76 to .81 (TREC scores, 20 systems, min_diff .10)."
    solve = partial(solve_anova, epsilon="past", **asked)
    rows = [_row(solve, estimate, assurance, "blocked ANOVA, unbiased ε", labelled)]
    if k > 2:
        # ε is uncertain too, so the size itself was jackknifed, not the variance alone.
        size = size_with_epsilon(estimate, **asked) if rows[0]["topics_upper"] is not None else None
        rows[0]["topics_assured"] = None if size is None else math.ceil(size.at(assurance))
        biased = partial(solve_anova, epsilon=estimate.greenhouse_geisser(k), **asked)
        question = f"{_ANY} ε is biased low with few topics."
        other = _row(biased, estimate, assurance, "blocked ANOVA, Greenhouse–Geisser ε", question)
        rows.append(other | dict.fromkeys(("topics_lower", "topics_upper", "topics_assured")))
    return rows, ()


def _sizes(
    average: VarianceEstimate, wide: VarianceEstimate, asked: Asked, baseline: bool, of_max_t: MaxTPower | None
) -> pl.DataFrame:
    power, alpha = asked["power"], asked["alpha"]
    variance, spread = average.variance_of_difference, design_spread(average)
    common: dict[str, Any] = {"n_systems": asked["n_systems"], "n_topics": SIZES, "alpha": alpha}
    common |= {"baseline": baseline, "spread": spread}
    if of_max_t is not None:
        powers = pl.Series([of_max_t.power(n, asked["min_diff"], variance) for n in SIZES])
        differences = pl.Series([of_max_t.min_diff(n, variance, power) for n in SIZES])
    else:
        powers = solve_all_pairs(variance, min_diff=asked["min_diff"], **common).rows["achieved_power"]
        differences = solve_all_pairs(variance, power=power, **common).rows["min_diff"]
    return pl.DataFrame(
        {
            "topics": SIZES,
            "power": powers,
            "min_diff": differences,
            "min_diff_pair": solve_ttest(variance, n_topics=SIZES, power=power, alpha=alpha).rows["min_diff"],
        }
    ).join(expected_widths(average, wide, SIZES, alpha=alpha), on="topics")


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
    Sakai (2014b), eq. 9.

    Examples
    --------
    >>> from cranfield import estimate_variance
    >>> rng = np.random.default_rng(1)
    >>> x = ScoreMatrix(rng.normal(0.4, 0.1, (40, 5)), map(str, range(40)), "abcde", "AP")
    >>> both = [estimate_variance(x, method) for method in ("residual", "percentile95")]
    >>> expected_widths(*both, [50]).row(0)[0]
    50
    """
    sizes = list(n_topics)
    mean, edge = (solve_interval(one, n_topics=sizes, alpha=alpha).rows["width"] for one in (average, wide))
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
    return (NOT_NORMAL(finding=finding),)
