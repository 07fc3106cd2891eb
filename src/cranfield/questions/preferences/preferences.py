"""`preferences`: a Bradley–Terry ranking of systems from pairwise preferences, with topics as clusters."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import polars as pl
from scipy.special import stdtr, stdtrit

from cranfield.core import defaults
from cranfield.core.answer import Answer, Drawings, sentence
from cranfield.core.arguments import check_arguments
from cranfield.core.errors import DataError, notify
from cranfield.core.results import Result, check_frame, claim, signature
from cranfield.questions.compare.corrections import adjust
from cranfield.questions.preferences.comparisons import Comparisons, ComparisonsLike
from cranfield.questions.preferences.question import PreferencesQuestion
from cranfield.questions.preferences.strengths import (
    DECIMALS,
    Floats,
    chances,
    covariance,
    jackknife,
    refuse_unbounded,
    strengths,
)

FEW_TOPICS = sentence(
    "preferences.few-topics",
    "{topics} topics: intervals are approximate below 20 topics.",
    "the comparisons are of fewer than 20 topics",
)
LEAST_P = 1e-300


@dataclass(frozen=True, repr=False)
class PreferenceRanking(Result):
    """Systems ranked by the preferences for them.

    Parameters
    ----------
    rows : one row per system, the best first: rank, system, strength, lower, upper, rank_lower, rank_upper, wins (with
        half of the ties), comparisons, share (chance to be preferred to another system drawn at random)
    pairs : one row per pair: system_a, system_b, difference, lower, upper, chance (a is preferred), p, p_adjusted
    """

    rows: pl.DataFrame
    pairs: pl.DataFrame
    n_topics: int
    n_comparisons: int
    alpha: float = defaults.ALPHA
    warnings: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        what = "the ranking by preferences"
        check_frame(what, self.rows, "strength")
        check_frame(what, self.pairs, "difference")
        claim((self.rows["rank_lower"] <= self.rows["rank"]).all(), what, "a rank above its interval")
        claim((self.rows["rank_upper"] >= self.rows["rank"]).all(), what, "a rank below its interval")

    @property
    def settings(self) -> dict[str, Any]:
        """The settings in force, defaults included."""
        facts = {"n_systems": self.rows.height, "n_topics": self.n_topics, "n_comparisons": self.n_comparisons}
        return PreferencesQuestion.in_force(self, **facts)

    @property
    def signature(self) -> str:
        """One line for a paper's footnote."""
        return signature("Bradley–Terry ranking, jackknife over topics, pairs by Holm", **self.settings)

    def to_frame(self) -> pl.DataFrame:
        """One row per system, the best first."""
        return self.rows

    def to_dict(self) -> dict[str, Any]:
        """Everything as plain Python values."""
        return {**super().to_dict(), "pairs": self.pairs.to_dicts()}

    def answer(self, question: Any = None) -> Answer:
        """What it says, as every skin shows it."""
        from cranfield.questions.preferences.answer import preferences_answer

        return preferences_answer(self, question)

    @staticmethod
    def drawings() -> Drawings:
        """Its charts by name."""
        from cranfield.questions.preferences import charts

        return {"strengths": charts.ranked}

    def summary(self) -> str:
        """The headline."""
        return self.answer().headline

    def __repr__(self) -> str:
        return f"PreferenceRanking({self.summary()})\n{self.rows}"


def preferences(comparisons: ComparisonsLike | Comparisons, *, alpha: float = defaults.ALPHA) -> PreferenceRanking:
    """Rank systems by pairwise preferences: Bradley–Terry strengths with topics as clusters.

    P(i preferred to j) = 1/(1 + exp(θ_j − θ_i)); the strengths θ of most likelihood have mean 0, and a tie is half a
    win for each. Comparisons on the same topic depend on each other. So the standard error is that of a jackknife over
    topics (one Newton step per topic left out). The t distribution has topics − 1 degrees of freedom. It is never
    below the error of independent comparisons, so that topics that happen to agree do not look certain. Ranks are
    bounded by the pairs that differ after Holm's correction, for all systems at once.

    Parameters
    ----------
    comparisons : a file or several, a frame, or rows of topic, system_a, system_b and the preferred one (its name,
        ``a``, ``b`` or ``tie``)
    alpha : intervals have confidence 1 − alpha

    References
    ----------
    Bradley & Terry 1952, Biometrika 39; Ford 1957, American Mathematical Monthly 64 (existence); MacKinnon & White
    1985, Journal of Econometrics 29 (jackknife).

    Examples
    --------
    >>> from cranfield import preferences
    >>> rows = [(str(topic), "bm25", "ours", "bm25" if topic < 6 else "ours") for topic in range(24)]
    >>> preferences(rows).rows.select("rank", "system", "strength", "share").rows()  # log 3 apart
    [(1, 'ours', 0.549306144334, 0.75), (2, 'bm25', -0.549306144334, 0.25)]
    """
    check_arguments(preferences, locals())
    given = Comparisons.of(comparisons)
    systems, contests = given.systems, given.contests
    if contests.n_topics < 2:
        raise DataError("all comparisons are of one topic; intervals need at least 2 topics")
    wins = contests.wins
    refuse_unbounded(wins, systems)
    theta = strengths(wins)
    changes = jackknife(contests, theta)
    if np.isnan(changes).any():
        raise DataError(
            "only one topic links some systems to the others, so intervals are unknown. Compare more pairs."
        )
    errors = error(changes, covariance(wins + wins.T, theta))
    reach = float(stdtrit(contests.n_topics - 1, 1 - alpha / 2))
    pairs = _pairs(systems, theta, errors, reach, contests.n_topics - 1)
    rows = _rows(systems, theta, errors, reach, wins, pairs, alpha)
    few = (FEW_TOPICS(topics=contests.n_topics),) if contests.n_topics < 20 else ()
    notify(few)
    return PreferenceRanking(rows, pairs, contests.n_topics, len(contests.won), alpha, few)


def error(changes: Floats, independent: Floats) -> Floats:
    """Systems × systems: standard errors of differences, and on the diagonal those of the strengths.

    Parameters
    ----------
    changes : topics × systems, from `jackknife`
    independent : the covariance of the strengths if all comparisons were independent
    """
    n = len(changes)
    apart = changes - changes.mean(axis=0)
    clustered = (n - 1) / n * apart.T @ apart
    errors: Floats = np.sqrt(np.maximum(_of_differences(clustered), _of_differences(independent)))
    return errors


def _of_differences(covariance: Floats) -> Floats:
    """Variances of differences, and on the diagonal those of the values themselves."""
    own = covariance.diagonal()
    variances = own[:, None] + own - 2 * covariance
    np.fill_diagonal(variances, own)
    clipped: Floats = variances.clip(0.0)
    return clipped


def _pairs(systems: tuple[str, ...], theta: Floats, errors: Floats, reach: float, df: int) -> pl.DataFrame:
    """Every pair, the stronger system first."""
    order = np.argsort(-theta, kind="stable")
    upper = np.triu_indices(len(theta), 1)
    first, second = order[upper[0]], order[upper[1]]
    difference, spread = theta[first] - theta[second], errors[first, second]
    p = (2 * stdtr(df, -difference / spread)).clip(LEAST_P, 1.0)
    return pl.DataFrame(
        {
            "system_a": [systems[at] for at in first],
            "system_b": [systems[at] for at in second],
            "difference": difference,
            "lower": difference - reach * spread,
            "upper": difference + reach * spread,
            "chance": chances(theta)[first, second],
            "p": p,
            "p_adjusted": adjust(p, "holm"),
        }
    )


def _rows(
    systems: tuple[str, ...],
    theta: Floats,
    errors: Floats,
    reach: float,
    wins: Floats,
    pairs: pl.DataFrame,
    alpha: float,
) -> pl.DataFrame:
    """Every system, the strongest first."""
    width = reach * errors.diagonal()
    share = chances(theta)
    decided = pairs.filter(pl.col("p_adjusted") <= alpha)
    above = dict(decided.group_by("system_b").len().iter_rows())
    below = dict(decided.group_by("system_a").len().iter_rows())
    frame = pl.DataFrame(
        {
            "rank": [int((theta > one).sum()) + 1 for one in theta],
            "system": systems,
            "strength": theta,
            "lower": theta - width,
            "upper": theta + width,
            "rank_lower": [1 + above.get(name, 0) for name in systems],
            "rank_upper": [len(systems) - below.get(name, 0) for name in systems],
            "wins": wins.sum(axis=1),
            "comparisons": (wins + wins.T).sum(axis=1).round().astype(np.int64),
            "share": ((share.sum(axis=1) - 0.5) / (len(theta) - 1)).round(DECIMALS),
        }
    )
    return frame.sort("strength", descending=True, maintain_order=True)
