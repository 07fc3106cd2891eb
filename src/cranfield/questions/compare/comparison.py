"""`Comparison`: what a comparison of systems found."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING, Any, Literal

import numpy as np
import polars as pl
from numpy.typing import NDArray

from cranfield.core.answer import sentence
from cranfield.core.defaults import INTERVALS, MOST_LETTERED, Alternative, IntervalKind
from cranfield.core.labels import plural
from cranfield.core.results import Result, check_finite, check_interval, check_p, claim, signature
from cranfield.questions.compare.clusters import Clusters, effective_topics
from cranfield.questions.compare.corrections import CORRECTIONS, at_most
from cranfield.questions.compare.equivalence import (
    MARKS,
    alike,
    is_alone,
    letter,
    letters,
    margin_level,
    mark,
    shown_within,
    verdicts,
)
from cranfield.questions.compare.family import GridScores, Pairs, residual_variance
from cranfield.questions.compare.intervals import Basis
from cranfield.questions.compare.question import ComparisonQuestion
from cranfield.questions.compare.tests import PERCENTILE, TESTS
from cranfield.questions.compare.topics import PairTopics
from cranfield.scores.matrix import ScoreMatrix

if TYPE_CHECKING:
    from cranfield.core.answer import Answer, Drawings
    from cranfield.core.question import Question
    from cranfield.questions.compare.bayes import Posterior

Array = NDArray[np.float64]
P_METHODS = {
    "enumerated": "enumeration",
    "exact lattice": "exact lattice",
    "monte carlo": "Monte Carlo",
    "saddlepoint": "saddlepoint",
    "formula": "formula",
    "own bootstrap": "own bootstrap",
}
"""How a p-value is found, and what a signature calls it."""
INVERTED = "interval by inverting the randomisation test"
"""The interval of a pair, or of few, where that test decides."""
STANDARD_ERROR = "bootstrap t interval"
"""The interval of a statistic other than the mean: its standard error is that of the resamples of topics."""
PAIRS_DIFFER = sentence(
    "comparison.pairs-differ",
    "{measure}: {separated:,} of {pairs:,} pairs differ significantly ({what}; {correction} p ≤ {alpha:g})",
    "`separated` pairs, of all that were tested, have an adjusted p of at most alpha",
    always=True,
    measured="families small",
)
ONE_DIFFERS = sentence(
    "comparison.one-differs",
    "{measure}: {a} and {b} differ significantly ({correction} p ≤ {alpha:g})",
    "one pair was tested, and its adjusted p is at most alpha",
    measured="pairs",
)
ONE_NOT_SHOWN = sentence(
    "comparison.one-not-shown",
    "{measure}: no significant difference between {a} and {b} ({correction} p > {alpha:g})",
    "one pair was tested, and its adjusted p is above alpha",
    measured="pairs",
)
ONLY_BEST = sentence(
    "comparison.only-best",
    "only {system} may be the best {level}",
    "one system has a rank interval that includes 1",
    measured="ranks",
)
ANY_BEST = sentence(
    "comparison.any-best",
    "any of the {count} systems may be the best {level}",
    "every system, of three or more, has a rank interval that includes 1",
    measured="ranks",
)
EITHER_BEST = sentence(
    "comparison.either-best",
    "either system may be the best {level}",
    "there are two systems, and the rank intervals of both include 1",
    measured="ranks",
)
SOME_BEST = sentence(
    "comparison.some-best",
    "{count} systems may be the best {level}{systems}",
    "`count` systems, more than one and fewer than all, have a rank interval that includes 1",
    measured="ranks",
)
MOST_NAMED = 4
"""Systems that may be the best and are named in a headline of 15 words; the leaderboard marks all of them."""


@dataclass(frozen=True, eq=False, repr=False)
class Comparison(Result):
    """Which systems differ: every pair tested, and the leaderboard that follows.

    Systems stand in order of merit, best first; equal ones in byte order of their names. All arrays with a value
    per pair follow `pairs`, whose positions point into `systems`.

    Attributes
    ----------
    measure : what the scores measure
    test, alternative, correction, alpha : the settings
    statistic : what systems are judged by, ``"mean"`` unless told otherwise
    systems : the systems, best first
    n_topics : number of topics
    baselines : the systems the others were compared with; empty when all pairs were
    pairs : positions of `system_a` and `system_b` of every pair
    value, value_lower, value_upper : each system's statistic, and its interval at level 1 − alpha
    rank, rank_lower, rank_upper : each system's rank, and its interval at level 1 − alpha (see `max_t`; for
        another statistic than the mean by the bootstrap over topics)
    rank_resamples : resamples behind the rank intervals
    difference, lower, upper : a value per pair: `system_a` minus `system_b`, and its interval at level 1 − alpha
    intervals : ``"simultaneous"`` (for the family, in agreement with the decisions) or ``"pairwise"``
    basis : the standard errors behind the intervals
    effect_size : mean difference divided by the standard deviation of the differences; NaN (null in tables) where it is
        not defined because the difference is the same on every topic
    effect_size_residual : mean difference divided by √V_E2, the residual standard deviation of two-way ANOVA
    p, p_adjusted : the p-value of every pair, and the same adjusted for the family
    p_method : how the p-value of every pair was found: ``"enumerated"``, ``"exact lattice"``, ``"monte carlo"``,
        ``"saddlepoint"`` (below what the resamples resolve), ``"formula"`` or, of max-t, ``"own bootstrap"``: the
        share of resamples that reach the pair's own statistic
    family : how many comparisons the adjustment counts
    smallest_p : the smallest p-value the test could have given
    n_resamples : resamples drawn or enumerated; None when the test needs none
    exact : whether all possible resamples were enumerated
    seed : seed of the resamples
    across_measures : whether the adjustment counts the comparisons of other measures too
    margin : largest difference that does not matter, where one is given
    within : both ends of the intervals that decide on equivalence, where there is a margin
    clusters : which topics belong together, where they are grouped
    teams : the team of every pair, where systems are compared within teams; each team is then a family
    team_prefix : the expression that found the teams, if one did
    scores : the scores that were compared, topics and systems in byte order of their names
    warnings : what to know before relying on the result
    """

    measure: str
    test: str
    alternative: Alternative
    correction: str
    alpha: float
    statistic: str
    systems: tuple[str, ...]
    n_topics: int
    baselines: tuple[str, ...]
    pairs: Pairs
    value: Array
    value_lower: Array
    value_upper: Array
    rank: NDArray[np.int64]
    rank_lower: NDArray[np.int64]
    rank_upper: NDArray[np.int64]
    rank_resamples: int
    difference: Array
    lower: Array
    upper: Array
    intervals: IntervalKind
    basis: Basis
    effect_size: Array
    effect_size_residual: Array
    p: Array
    p_method: tuple[str, ...]
    p_adjusted: Array
    family: int
    smallest_p: float
    n_resamples: int | None
    exact: bool
    seed: int
    scores: ScoreMatrix
    across_measures: bool = False
    warnings: tuple[str, ...] = field(default=())
    margin: float | None = None
    within: tuple[Array, Array] | None = None
    teams: tuple[str, ...] = ()
    team_prefix: str | None = None
    clusters: Clusters | None = None

    def __post_init__(self) -> None:
        """Refuse a result that cannot be right: a mistake in the program, not in the data.

        Numbers are finite, except the open end of a one-sided interval. 0 < p ≤ adjusted p ≤ 1, in the same order.
        Every interval contains its estimate.
        """
        what = f"{self.measure}: the {self.test} comparison"
        numbers = ("value", "value_lower", "value_upper", "difference", "smallest_p")
        check_finite(what, **{name: getattr(self, name) for name in numbers})
        for size in (self.effect_size, self.effect_size_residual):
            claim(not np.isinf(size).any(), what, "an infinite effect size")
        check_interval(what, "difference", self.lower, self.difference, self.upper)
        if self.within is not None:
            check_interval(what, "difference", self.within[0], self.difference, self.within[1])
        check_interval(what, "value", self.value_lower, self.value, self.value_upper)
        check_interval(what, "rank", self.rank_lower, self.rank, self.rank_upper)
        if CORRECTIONS[self.correction].of_scores is not None or TESTS[self.test].by_maximum:
            check_p(what, self.p)
            check_p(what, self.p_adjusted)
            return  # too few resamples bound nothing, and a warning says so
        family = np.array(self.teams)
        for team in dict.fromkeys(self.teams) or (None,):
            own = slice(None) if team is None else family == team
            check_p(what, self.p[own], self.p_adjusted[own])
        claim(self.alternative == "greater" or np.isfinite(self.upper).all(), what, "an interval without end")
        claim(self.alternative == "less" or np.isfinite(self.lower).all(), what, "an interval without end")

    @property
    def n_systems(self) -> int:
        """How many systems."""
        return len(self.systems)

    @property
    def n_units(self) -> int:
        """How many topics, or groups of topics, are drawn and flipped."""
        return self.n_topics if self.clusters is None else len(self.clusters)

    @property
    def effective_topics(self) -> float:
        """How many independent topics these are worth for an average pair; all of them unless they are grouped."""
        if self.clusters is None:
            return float(self.n_topics)
        x = np.asarray(self.scores.values)
        by_topic, by_cluster = (residual_variance(GridScores.of(each)) for each in (x, self.clusters.spread(x)))
        return effective_topics(by_topic, by_cluster, self.n_topics, len(self.clusters))

    @property
    def value_name(self) -> str:
        """The name of the statistic in tables."""
        return self.statistic.replace("-", "_")

    # ── pairs ─────────────────────────────────────────────────────────────────────────────────────────────

    @property
    def significant(self) -> NDArray[np.bool_]:
        """Which pairs differ: adjusted p at most alpha."""
        return at_most(self.p_adjusted, self.alpha)

    @property
    def equivalent(self) -> NDArray[np.bool_]:
        """Which pairs are shown to differ by less than the margin; none without a margin."""
        if self.margin is None or self.within is None:
            return np.zeros(len(self.p), dtype=np.bool_)
        return shown_within(*self.within, self.margin)

    @property
    def verdict(self) -> list[str]:
        """What is shown of every pair: ``differs``, ``equivalent``, ``both`` (by less than the margin) or ``open``."""
        return verdicts(self.significant, self.equivalent)

    @property
    def within_level(self) -> float:
        """The level of the intervals that decide on equivalence: 1 − alpha, or 1 − 2·alpha for one pair."""
        corrects = TESTS[self.test].corrects_family
        alone = not self.teams and is_alone(self.family, self.correction, corrects)
        return 1 - margin_level(self.alpha, alone)

    @cached_property
    def alike(self) -> tuple[tuple[str, ...], ...]:
        """Groups of systems of which every two are shown equivalent; with baselines, each with those like it."""
        near = self._systems_square(self.equivalent)
        if self.baselines:
            at = [self.systems.index(name) for name in self.baselines]
            groups = [sorted({j, *np.flatnonzero(near[j]).tolist()}) for j in at if near[j].any()]
        else:
            groups = alike(near)
        return tuple(tuple(self.systems[i] for i in group) for group in groups)

    def _systems_square(self, of_pairs: NDArray[np.bool_]) -> NDArray[np.bool_]:
        """What holds of pairs, systems × systems; False for what was not tested."""
        square = np.zeros((len(self.systems), len(self.systems)), dtype=np.bool_)
        square[self.pairs.a[of_pairs], self.pairs.b[of_pairs]] = True
        return np.asarray(square | square.T)

    @property
    def system_a(self) -> tuple[str, ...]:
        """The first system of every pair: the better one of all pairs, the system compared with a baseline."""
        return tuple(self.systems[i] for i in self.pairs.a)

    @property
    def system_b(self) -> tuple[str, ...]:
        """The second system of every pair."""
        return tuple(self.systems[i] for i in self.pairs.b)

    def to_frame(self) -> pl.DataFrame:
        """One row per pair: measure, systems, values, difference with interval and effect sizes, p and adjusted p."""
        name = self.value_name
        return pl.DataFrame(
            {
                "measure": [self.measure] * len(self.p),
                **({"team": self.teams} if self.teams else {}),
                "system_a": self.system_a,
                "system_b": self.system_b,
                f"{name}_a": self.value[self.pairs.a],
                f"{name}_b": self.value[self.pairs.b],
                "difference": self.difference,
                "lower": self._where_bounded(self.lower),
                "upper": self._where_bounded(self.upper),
                "effect_size": pl.Series(self.effect_size).fill_nan(None),
                "effect_size_residual": pl.Series(self.effect_size_residual).fill_nan(None),
                "p": self.p,
                "p_adjusted": self.p_adjusted,
                "significant": self.significant,
                **self._shown(),
                "p_method": self.p_method,
            },
            schema_overrides={"measure": pl.String, "p_method": pl.String},
        ).with_columns(**_ends(self.difference_bounds))

    @cached_property
    def mean_bounds(self) -> tuple[Array, Array] | None:
        """The smallest and largest value of each mean that unjudged documents allow; see `evaluate`."""
        known = self.scores.unjudged if self.statistic == "mean" else None
        return None if known is None else known.means(self.systems, self.scores.topics)

    @cached_property
    def difference_bounds(self) -> tuple[Array, Array] | None:
        """The same for each difference."""
        known = self.scores.unjudged if self.statistic == "mean" else None
        return None if known is None else known.differences(self.system_a, self.system_b, self.scores.topics)

    def _shown(self) -> dict[str, Any]:
        """With a margin: whether every pair is shown equivalent, and what is shown of it in a word."""
        return {} if self.margin is None else {"equivalent": self.equivalent, "verdict": self.verdict}

    def _where_bounded(self, end: Array) -> pl.Series:
        """Ends of intervals; none where there is no interval, because max-t has no variance."""
        return pl.Series(np.where(np.isinf(self.basis.error), np.nan, end)).fill_nan(None)

    def pair_names(self, at: Iterable[int], between: str = " − ") -> list[str]:
        """Some of the pairs, as messages name them."""
        return [f"{self.systems[self.pairs.a[i]]}{between}{self.systems[self.pairs.b[i]]}" for i in at]

    def pair(self, system_a: str, system_b: str) -> PairTopics:
        """Two of the systems topic by topic, whether or not they were tested against each other."""
        return PairTopics(self, system_a, system_b)

    def posterior(self) -> Posterior:
        """How probable it is that one system of a pair is better by more than the margin; see `bayes`.

        >>> from cranfield import ScoreMatrix, compare
        >>> values = [[.2, .5, .3], [.3, .4, .2], [.1, .3, .3], [.2, .6, .4], [.4, .5, .2]]
        >>> compare(ScoreMatrix(values, "12345", "abc", "AP"), test="t").posterior().better.round(2).tolist()
        [1.0, 1.0, 0.68]
        """
        from cranfield.questions.compare.bayes import posterior

        return posterior(self)

    @property
    def p_methods(self) -> dict[str, int]:
        """How many p-values were found by which method."""
        return {name: self.p_method.count(name) for name in P_METHODS if name in self.p_method}

    def matrix(self, which: Literal["p", "p_adjusted", "difference", "effect_size"] = "p_adjusted") -> Array:
        """A systems × systems array of p-values (or differences), systems best first.

        Symmetric for a two-sided test (differences and effect sizes change sign); a one-sided p stands at
        [a, b] only. NaN marks what was not tested, and the diagonal.
        """
        values = getattr(self, which)
        grid = np.full((len(self.systems), len(self.systems)), np.nan)
        if which in ("difference", "effect_size"):
            grid[self.pairs.b, self.pairs.a] = -values
        elif self.alternative == "two-sided":
            grid[self.pairs.b, self.pairs.a] = values
        grid[self.pairs.a, self.pairs.b] = values
        return grid

    # ── the leaderboard ───────────────────────────────────────────────────────────────────────────────────

    @cached_property
    def groups(self) -> tuple[str, ...]:
        """Per system, the letters of its groups, or with baselines the marks († ‡ …) of those it differs from.

        Two systems share a letter exactly when they do not differ significantly.
        """
        separated = self.separated
        if not self.baselines:
            return tuple(letters(separated))
        at = [self.systems.index(name) for name in self.baselines]
        # Doubled marks need a space: without one † †† (the first and the fifth) would be ††† (the ninth).
        between = "" if len(at) <= len(MARKS) else " "
        return tuple(between.join(mark(number) for number, j in enumerate(at) if row[j]) for row in separated)

    @property
    def separated(self) -> NDArray[np.bool_]:
        """Which two systems differ significantly, systems × systems; False for what was not tested."""
        return self._systems_square(self.significant)

    @cached_property
    def unseparated_ranks(self) -> tuple[str, ...]:
        """Per system, the first and last rank of the systems that it does not differ from significantly: a hull.

        Systems between the two ranks may still differ from it.
        """
        near = ~self.separated
        first, last = near.argmax(axis=1), len(self.systems) - 1 - near[:, ::-1].argmax(axis=1)
        ends = zip(self.rank[first].tolist(), self.rank[last].tolist(), strict=True)
        return tuple(str(low) if low == high else f"{low}–{high}" for low, high in ends)

    @property
    def best(self) -> NDArray[np.bool_] | None:
        """Which systems may be the best: those whose rank interval includes 1. None where not judged by means.

        The set holds the truly best system with probability about 1 − alpha: the rank interval of that system holds its
        rank (Mogstad et al., Review of Economic Studies 91, 2024).
        """
        return self.rank_lower == 1 if self.statistic == "mean" else None

    @property
    def may_be_best(self) -> tuple[str, ...]:
        """The systems that may be the best; for another statistic than the mean all systems."""
        if self.best is None:
            return self.systems
        return tuple(name for name, member in zip(self.systems, self.best, strict=True) if member)

    def shows_letters(self, letters: bool | None = None) -> bool:
        """Whether the leaderboard shows groups as letters: unless told, up to 30 systems."""
        return len(self.systems) <= MOST_LETTERED if letters is None else letters

    def leaderboard(self, letters: bool | None = None) -> pl.DataFrame:
        """One row per system, best first: rank, value with interval, rank interval, groups, and who may be the best.

        Parameters
        ----------
        letters : bool, optional
            Groups as letters: two systems share one exactly when they do not differ significantly. Otherwise the
            first and last rank of the systems it does not differ from. By default letters up to 30 systems. With
            baselines the column has their marks instead.
        """
        groups = self.groups if self.baselines or self.shows_letters(letters) else self.unseparated_ranks
        board = pl.DataFrame(
            {
                "rank": self.rank,
                "system": self.systems,
                self.value_name: self.value,
                "lower": self.value_lower,
                "upper": self.value_upper,
                "rank_lower": self.rank_lower,
                "rank_upper": self.rank_upper,
                "marks" if self.baselines else "group": groups,
            }
        )
        if self.margin is not None:
            board = board.with_columns(alike=pl.Series(self.alike_marks(letters), dtype=pl.String))
        board = board if self.best is None else board.with_columns(may_be_best=pl.Series(self.best))
        return board.with_columns(**_ends(self.mean_bounds))

    def alike_marks(self, letters: bool | None = None) -> list[str]:
        """Per system, the letters of its groups of systems shown alike, or with baselines their marks.

        Of many systems the number of those shown equivalent to it.
        """
        if not self.baselines and not self.shows_letters(letters):
            counts = self._systems_square(self.equivalent).sum(axis=1).tolist()
            return [f"{count:,}" if count else "" for count in counts]
        names: dict[str, list[str]] = {name: [] for name in self.systems}
        if self.baselines:
            for a, b, yes in zip(self.system_a, self.system_b, self.equivalent, strict=True):
                if yes:
                    names[a].append(mark(self.baselines.index(b)))
        else:
            for number, group in enumerate(self.alike):
                for name in group:
                    names[name].append(letter(number))
        between = " " if any(len(sign) > 1 for own in names.values() for sign in own) else ""
        return [between.join(own) for own in names.values()]

    @cached_property
    def unseparated_from_best(self) -> tuple[str, ...]:
        """The systems that no significant difference separates from the best (or from a baseline), with it."""
        reference = np.isin(self.systems, self.baselines or self.systems[:1])
        a, b = self.pairs.a[self.significant], self.pairs.b[self.significant]
        concerned = reference[a] | reference[b]
        separated = np.zeros(len(self.systems), dtype=np.bool_)
        separated[a[concerned]] = separated[b[concerned]] = True
        return tuple(np.array(self.systems, dtype=object)[~separated | reference].tolist())

    # ── the measure ───────────────────────────────────────────────────────────────────────────────────────

    @property
    def discriminative_power(self) -> float:
        """Share of the pairs that are separated at alpha after correction (Sakai, SIGIR 2006)."""
        return float(self.significant.mean())

    def asl_curve(self) -> pl.DataFrame:
        """The achieved significance levels, largest first: uncorrected p against the number of pairs above it.

        A measure whose curve lies closer to the origin separates more pairs (Sakai, SIGIR 2006, Fig. 1).
        """
        return pl.DataFrame(
            {"pair": np.arange(1, len(self.p) + 1), "p": np.sort(self.p)[::-1]},
            schema={"pair": pl.Int64, "p": pl.Float64},
        )

    @property
    def _only_adjusted(self) -> bool:
        return TESTS[self.test].corrects_family and not TESTS[self.test].by_maximum

    def power_row(self) -> dict[str, Any]:
        """Discriminative power in numbers: pairs, how many are separated, and which difference that takes.

        The Tukey tests have no uncorrected p-values to count.
        """
        uncorrected = None if self._only_adjusted else at_most(self.p, self.alpha)
        separated = np.abs(self.difference[self.significant])
        return {
            "measure": self.measure,
            "pairs": len(self.p),
            "significant": int(self.significant.sum()),
            "share": self.discriminative_power,
            "uncorrected": None if uncorrected is None else int(uncorrected.sum()),
            "share_uncorrected": None if uncorrected is None else float(uncorrected.mean()),
            "smallest_difference": float(separated.min()) if len(separated) else None,
        }

    # ── views ─────────────────────────────────────────────────────────────────────────────────────────────

    def to_dict(self) -> dict[str, Any]:
        """Everything in plain values: settings, pairs, leaderboard, signature and warnings."""
        return {
            **self.settings,
            "pairs": self.to_frame().to_dicts(),
            "leaderboard": self.leaderboard().to_dicts(),
            "signature": self.signature,
            "warnings": list(self.warnings),
        }

    @property
    def interval(self) -> str:
        """What kind of interval a difference has, in a few words."""
        test, correction = TESTS[self.test], CORRECTIONS[self.correction]
        kind = test.interval if self.statistic == "mean" else STANDARD_ERROR
        kind = INVERTED if self.basis.inverted else kind
        if self.intervals == "pairwise":
            own = kind if self.basis.percentile is None or test.by_maximum else PERCENTILE
            return f"{own} per pair"
        if test.corrects_family:
            article = "the " if "test" in test.title else ""
            return f"simultaneous interval of {article}{test.title}{' per team' if self.teams else ''}"
        if self.correction == "none" or self.family == 1:
            return kind
        if self.teams:
            return f"{kind}, simultaneous over the comparisons of a team (Bonferroni level)"
        scope = "the significant ones of " if correction.controls == "false discovery rate" else ""
        level = "Bonferroni level" if self.correction in ("bonferroni", "holm") else correction.title
        return f"{kind}, simultaneous over {scope}{self.family} comparisons ({level})"

    @property
    def signature(self) -> str:
        """One line for a paper's footnote."""
        return self.signed(self.p_methods)

    def signed(self, p_methods: Mapping[str, int]) -> str:
        """The signature; `p_methods` are those of all measures where it stands for several."""
        test = TESTS[self.test]
        title = test.title
        drawn = self.n_resamples is not None and not self.exact
        if self.exact:
            flips = self.n_resamples and self.n_resamples == 2.0**self.n_units
            title += f", exact (all {self.n_resamples} sign flips)" if flips else ", exact"
        elif set(p_methods) - {"formula"} and self.test == "randomisation" and self.statistic == "mean":
            methods = ", ".join(f"{P_METHODS[name]} {count:,}" for name, count in p_methods.items())
            title += f" (p by {methods})"
        return signature(
            title,
            measure=self.measure,
            statistic=None if self.statistic == "mean" else self.statistic,
            topics=self.n_topics if self.clusters is None else f"{self.n_topics} in {len(self.clusters)} groups",
            systems=len(self.systems),
            baseline=self.baselines or None,
            alternative=self.alternative,
            correction="by the test itself" if test.corrects_family else self.correction,
            family=self._family_text(),
            alpha=self.alpha,
            intervals=None if self.intervals == INTERVALS else self.intervals,
            margin=self.margin,
            resamples=self.n_resamples if drawn else None,
            seed=self.seed if drawn else None,
        )

    def _family_text(self) -> str:
        """How many comparisons a family has; of teams how many families there are, and the largest."""
        size = f"{self.family} comparison{'s' * (self.family != 1)}"
        if not self.teams:
            return size
        return f"one per team ({plural(len(dict.fromkeys(self.teams)), 'team')}, at most {size})"

    @property
    def settings(self) -> dict[str, Any]:
        """The settings in force, defaults included."""
        n_teams = len(dict.fromkeys(self.teams))
        return ComparisonQuestion.in_force(
            self,
            measure=self.measure,
            baseline=self.baselines or None,
            seed=None if self.n_resamples is None or self.exact else self.seed,
            family=self.family,
            interval=self.interval,
            p_methods=self.p_methods,
            n_topics=self.n_topics,
            n_systems=self.n_systems,
            exact=self.exact,
            topic_groups=None if self.clusters is None else f"{len(self.clusters)} groups",
            within_teams=bool(self.teams),
            teams=f"{n_teams} teams" if self.teams and self.team_prefix is None else None,
            team_prefix=self.team_prefix,
            **({"n_teams": n_teams} if self.teams else {}),
        )

    @property
    def headline(self) -> str:
        """How many pairs differ, or whether the only pair does."""
        level = {"measure": self.measure, "correction": self.correction_text(), "alpha": self.alpha}
        if len(self.p) == 1:
            verdict = ONE_DIFFERS if self.significant[0] else ONE_NOT_SHOWN
            return verdict(a=self.system_a[0], b=self.system_b[0], **level)
        what = f"against {', '.join(self.baselines)}" if self.baselines else "all pairs"
        what = "within teams" if self.teams else what
        return PAIRS_DIFFER(separated=int(self.significant.sum()), pairs=len(self.p), what=what, **level)

    def summary(self) -> str:
        """The headline, and which systems may be the best."""
        return "; ".join(filter(None, (self.headline, self.best_text())))

    def best_text(self) -> str:
        """Which systems may be the best, as part of a sentence; empty for baselines and other statistics."""
        if self.best is None or self.baselines:
            return ""
        names = self.may_be_best
        level = f"({100 * (1 - self.alpha):.4g}%)"
        if len(names) == 1:
            return ONLY_BEST(system=names[0], level=level)
        if len(names) == len(self.systems):
            return EITHER_BEST(level=level) if len(names) == 2 else ANY_BEST(count=len(names), level=level)
        listed = f": {', '.join(names)}" if len(names) <= MOST_NAMED else ""  # a headline has 15 words
        return SOME_BEST(count=len(names), level=level, systems=listed)

    def correction_text(self) -> str:
        """How the p-values are adjusted, as an adjective; a family of one needs no adjustment."""
        if TESTS[self.test].corrects_family:
            return "family-wise"
        alone = self.family == 1 and CORRECTIONS[self.correction].adjust_sorted is not None
        return CORRECTIONS["none" if alone else self.correction].title

    def __repr__(self) -> str:
        return f"Comparison({self.summary()})\n{self.to_frame()}"

    def answer(self, question: Question | None = None) -> Answer:
        """What the result says, as every skin shows it."""
        from cranfield.questions.compare.answer import comparison_answer

        return comparison_answer(self, question)

    @staticmethod
    def drawings() -> Drawings:
        """Its charts by name; the first is drawn unless another is named."""
        from cranfield.questions.compare import charts

        return {
            "leaderboard": charts.leaderboard,
            "pairs": charts.pairs,
            "differences": charts.differences,
            "significance-levels": charts.significance_levels,
        }


def _ends(bounds: tuple[Array, Array] | None) -> dict[str, pl.Series]:
    """Two columns with what unjudged documents leave open; none where it was not asked."""
    names = ("unjudged_lower", "unjudged_upper")
    return {} if bounds is None else {name: pl.Series(end) for name, end in zip(names, bounds, strict=True)}
