"""One family tuned: the best setting on the training topics of every fold, its held-out scores, and its curve."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any, Final

import numpy as np
import polars as pl
from numpy.typing import NDArray
from scipy.special import stdtrit

from cranfield.core.defaults import ALPHA, CURVE_RESAMPLES, MEMORY_MB, SEED
from cranfield.core.executors import Progress
from cranfield.core.options import share
from cranfield.core.resampling import BLOCK, check_resamples, own_unit, rows_within, to_grid, topic_weights
from cranfield.core.results import check_finite, check_interval
from cranfield.questions.tune.families import Family
from cranfield.questions.tune.folds import Folds, Positions
from cranfield.scores.matrix import ScoreMatrix

Array = NDArray[np.float64]
CURVE_COLUMNS = ("family", "setting", "mean", "lower", "upper", "folds", "final")
"""The columns of a curve, except the parameters, which come before the mean."""
_AT_ONCE = 2**16
"""Sums per step, few enough for the processor's cache."""
_MEANS_AT_ONCE = 2**24
"""Resampled means per step (128 MB); further settings use the same resamples."""
RESAMPLES: Final = 500
"""Resamples of topics behind the spread of the choice; its relative error is then about 3%."""
_CELLS_AT_ONCE: Final = 2**22
"""Resampled means per step."""


@dataclass(frozen=True)
class Choice:
    """Per fold: the column chosen, and whether there was a tie."""

    column: Positions
    tied: NDArray[np.bool_]


def best(sums: Array, tolerance: float) -> Choice:
    """The first column of every row whose sum is within `tolerance` of the row's largest.

    >>> best(np.array([[0.1, 0.3, 0.3], [0.2, 0.1, 0.0]]), 0.0).column.tolist()
    [1, 0]
    """
    near = sums >= sums.max(axis=1, keepdims=True) - tolerance
    rows, column = np.arange(len(sums)), near.argmax(axis=1)
    near[rows, column] = False
    return Choice(column, near.any(axis=1))


def choose(values: Array, folds: Folds, tolerance: float) -> Choice:
    """The best column on the training topics of every fold: the argmax of the training means.

    The sum over the training topics is the total minus the sum over the held-out ones. So leave-one-out takes one pass
    over the scores. On the exact grid the difference has no rounding error: a fold's held-out scores
    cannot influence its choice. They only help to set the unit of the grid, some 1e-12 for scores up to 1.

    Parameters
    ----------
    values : topics × settings, whole numbers (scores in units of the exact grid), topics in the folds' order
    tolerance : sums this close are tied; the first setting is then taken
    """
    total = values.sum(axis=0)
    size = max(1, _AT_ONCE // values.shape[1])
    parts = []
    for start in range(0, len(folds), size):
        sums = _sums(values, (folds.held_out if folds.train is None else folds.train)[start : start + size])
        parts.append(best(total - sums if folds.train is None else sums, tolerance))
    return Choice(np.concatenate([part.column for part in parts]), np.concatenate([part.tied for part in parts]))


def _sums(values: Array, topics: Sequence[Positions]) -> Array:
    """The sum of every column over each of these sets of topics: sets × columns."""
    if all(len(some) == 1 for some in topics):
        return values[np.concatenate(topics)]
    out = np.empty((len(topics), values.shape[1]))
    for row, some in enumerate(topics):
        np.sum(values[some], axis=0, out=out[row])
    return out


def mean_per_topic(topic: Positions, score: Array, n_topics: int) -> Array:
    """The mean score of every topic over the folds that held it out; NaN for a topic never held out."""
    times = np.bincount(topic, minlength=n_topics)
    sums = np.bincount(topic, weights=score, minlength=n_topics)
    return np.asarray(np.divide(sums, times, out=np.full(n_topics, np.nan), where=times > 0))


@dataclass(frozen=True, eq=False)
class TunedFamily:
    """What tuning found for one family.

    Attributes
    ----------
    family : the family: its settings and all their scores
    choices : per fold, the position of the setting with the best training mean
    train_means, held_out_means : per fold, the chosen setting's mean on the training and on the held-out topics
    final : the setting with the best mean on all topics: the one to use
    in_sample_mean : its mean on all topics, which is biased high
    held_out_mean : the mean of the held-out scores over topics: the estimate for a system tuned in this way
    optimism : mean of `final` on the held-out topics minus `held_out_mean`
    n_tied : folds with several best settings on the training topics
    lower, upper : interval of the true mean of `final`, with the uncertainty of its choice; see `final_interval`
    """

    family: Family
    choices: Positions
    train_means: Array
    held_out_means: Array
    final: str
    in_sample_mean: float
    held_out_mean: float
    optimism: float
    n_tied: int
    lower: float | None = None
    upper: float | None = None

    def __post_init__(self) -> None:
        what = f"tuning {self.family.name}"
        means: dict[str, Any] = {
            "training mean": self.train_means,
            "held-out mean": [*self.held_out_means, self.held_out_mean],
            "mean on all topics": self.in_sample_mean,
        }
        check_finite(what, **means, optimism=self.optimism, lower=self.lower, upper=self.upper)
        check_interval(what, "held-out mean", self.lower, self.held_out_mean, self.upper)

    @property
    def name(self) -> str:
        """The family's name."""
        return self.family.name

    @property
    def interval(self) -> str:
        """The interval of the final setting's true mean as text; empty if there is none."""
        return "" if self.lower is None else f" [{self.lower:.4f}, {self.upper:.4f}]"

    @property
    def chosen(self) -> tuple[str, ...]:
        """The setting chosen in every fold."""
        return tuple(self.family.scores.systems[at] for at in self.choices)

    @property
    def times_chosen(self) -> NDArray[np.int64]:
        """For every setting, in how many folds it was chosen."""
        return np.bincount(self.choices, minlength=self.family.scores.n_systems)

    @property
    def agreement(self) -> float:
        """Stability: the share of folds that chose the final setting."""
        return self.n_chosen / len(self.choices)

    @property
    def n_distinct(self) -> int:
        """How many different settings were chosen."""
        return int(np.count_nonzero(self.times_chosen))

    @property
    def at_edge(self) -> tuple[str, ...]:
        """Numeric parameters whose final value is the smallest or largest tried, of three or more."""
        final = self.family.settings[self.family.scores.systems.index(self.final)]

        def ends(parameter: str) -> bool:
            values: set[Any] = {setting.get(parameter) for setting in self.family.settings} - {None}
            return _numbers(values) and len(values) >= 3 and final[parameter] in (min(values), max(values))

        return tuple(filter(ends, final))

    @property
    def n_chosen(self) -> int:
        """In how many folds the final setting was chosen."""
        return self.chosen.count(self.final)

    def curve(
        self,
        *,
        n_resamples: int = CURVE_RESAMPLES,
        seed: int = SEED,
        alpha: float = ALPHA,
        progress: Progress | None = None,
    ) -> pl.DataFrame:
        """Every setting's mean with a band from resampled topics, and how often it was chosen.

        One numeric parameter makes a curve of this, two a heat map. The band shows how far the mean would move with
        other topics. It is wide where topics differ. It does not show which of two settings is better, since both
        would move together.

        Returns the columns family, setting, one for each parameter, mean, lower, upper, folds (that chose it), final.
        """
        scores = self.family.scores
        lower, upper = mean_bands(scores, n_resamples, seed, alpha, progress)
        means = np.array([math.fsum(column) / len(column) for column in scores.values.T])  # the same in any order
        return pl.DataFrame(
            {
                "family": [self.name] * scores.n_systems,
                "setting": scores.systems,
                **{column_of(name): parameter_column(self.family, name) for name in self.family.parameters},
                "mean": means,
                "lower": np.minimum(lower, means),  # scores below the grid's step are 0 on it
                "upper": np.maximum(upper, means),
                "folds": self.times_chosen,
                "final": [label == self.final for label in scores.systems],
            }
        )


def tune_family(
    family: Family, raw: Array, units: Array, folds: Folds, alpha: float = ALPHA
) -> tuple[TunedFamily, Array]:
    """The findings for one family, and its held-out score per topic (NaN for a topic never held out)."""
    # Equal sums of n scores differ by at most n units after rounding.
    choice = choose(units, folds, tolerance=len(units))
    final = int(best(units.sum(axis=0, keepdims=True), tolerance=len(units)).column[0])
    sizes = np.array([len(fold) for fold in folds.held_out])
    topic = np.concatenate(folds.held_out)
    score = raw[topic, np.repeat(choice.column, sizes)]
    held_out = mean_per_topic(topic, score, len(raw))
    covered = ~np.isnan(held_out)
    held_out_mean = float(held_out[covered].mean())
    # The same sums as for the held-out mean, so that folds which all chose `final` give an optimism of exactly 0.
    in_sample = float(mean_per_topic(topic, raw[topic, final], len(raw))[covered].mean())
    held_out_sums = np.add.reduceat(score, np.cumsum(sizes) - sizes)
    if folds.train is None:
        train_sums = raw.sum(axis=0)[choice.column] - held_out_sums
    else:
        train_sums = np.array([raw[train, at].sum() for train, at in zip(folds.train, choice.column, strict=True)])
    ends = final_interval(held_out[covered], raw, units, final, alpha)
    result = TunedFamily(
        family=family,
        choices=choice.column,
        train_means=train_sums / folds.n_train,
        held_out_means=held_out_sums / sizes,
        final=family.scores.systems[final],
        in_sample_mean=float(raw[:, final].mean()),
        held_out_mean=held_out_mean,
        optimism=in_sample - held_out_mean,
        n_tied=int(choice.tied.sum()),
        lower=None if ends is None else ends[0],
        upper=None if ends is None else ends[1],
    )
    return result, held_out


def mean_bands(
    scores: ScoreMatrix, n_resamples: int, seed: int, alpha: float, progress: Progress | None = None
) -> tuple[Array, Array]:
    """Lower and upper end of the bootstrap percentile interval of every system's mean, topics resampled.

    Every system sees the same resamples, and one product of weights and scores gives the means.
    """
    share("alpha", alpha)
    n_resamples = check_resamples(n_resamples)
    ordered = scores.select(topics=sorted(scores.topics, key=str.encode))
    unit = own_unit(ordered.values)
    values = to_grid(ordered.values / unit, scores.n_topics) * unit
    width = max(1, _MEANS_AT_ONCE // n_resamples)
    rows = min(BLOCK, rows_within(MEMORY_MB, 24 * scores.n_topics, 1))
    lower, upper = np.empty(scores.n_systems), np.empty(scores.n_systems)
    for start in range(0, scores.n_systems, width):
        part = values[:, start : start + width]
        means = np.empty((n_resamples, part.shape[1]))
        done = 0
        for weights in topic_weights(scores.n_topics, n_resamples, seed, rows):
            means[done : done + len(weights)] = weights @ part
            done += len(weights)
        means /= scores.n_topics
        ends = np.quantile(means, [alpha / 2, 1 - alpha / 2], axis=0)
        lower[start : start + width], upper[start : start + width] = ends
        if progress:
            progress(min(start + width, scores.n_systems), scores.n_systems)
    return lower, upper


def column_of(parameter: str) -> str:
    """The column of a parameter: its name, unless a curve has a column of that name already.

    >>> column_of("k1"), column_of("mean")
    ('k1', 'parameter_mean')
    """
    return f"parameter_{parameter}" if parameter in CURVE_COLUMNS else parameter


def parameter_column(family: Family, parameter: str) -> pl.Series:
    """A parameter of every setting: numbers where all are, otherwise text; null where it has none."""
    values = [setting.get(parameter) for setting in family.settings]
    present = [value for value in values if value is not None]
    if all(isinstance(value, bool) for value in present):
        return pl.Series(values, dtype=pl.Boolean)
    if _numbers(present):
        whole = all(isinstance(value, int) for value in present)
        return pl.Series(values, dtype=pl.Int64 if whole else pl.Float64, strict=False)
    return pl.Series([None if value is None else str(value) for value in values], dtype=pl.String)


def _numbers(values: Iterable[Any]) -> bool:
    return all(isinstance(value, (int, float)) and not isinstance(value, bool) for value in values)


def final_interval(
    held_out: Array, raw: Array, units: Array, final: int, alpha: float = ALPHA
) -> tuple[float, float] | None:
    r"""The interval of the true mean of the setting that is best on all topics.

    The t interval of held-out scores ignores that other topics would lead to another choice. Let H̄ be the held-out
    mean and Z̄ the final setting's mean on all topics. e_b is the excess of the best mean of a topic resample over the
    original mean of that setting. Then

    .. math:: s = \max(SE_{held\ out},\ SE_{final},\ \sqrt{n/(n-1)}\,sd(e_b)), \qquad
              [\min(\bar H, \bar Z) - t s,\ \max(\bar H, \bar Z) + t s]

    with t at n − 1 degrees of freedom. None with fewer than two topics. docs/validation.md has the coverage.

    Parameters
    ----------
    held_out : held-out score of every topic that was held out
    raw, units : topics × settings, as scores and in units of the exact grid (whole numbers)
    final : the column of the final setting
    alpha : one minus the level of the interval
    """
    n = min(len(held_out), len(raw))
    if n < 2:
        return None
    error = max(_standard_error(held_out), _standard_error(raw[:, final]), _spread_of_choice(raw, units))
    reach = float(stdtrit(n - 1, 1 - alpha / 2)) * error
    means = float(held_out.mean()), float(raw[:, final].mean())
    return min(means) - reach, max(means) + reach


def _standard_error(scores: Array) -> float:
    return float(scores.std(ddof=1)) / math.sqrt(len(scores))


def _spread_of_choice(raw: Array, units: Array) -> float:
    """√(n/(n−1))·sd(e_b); sums of whole numbers are exact, so the choice is the same on every processor."""
    n, m = units.shape
    totals, means = units.sum(axis=0), raw.mean(axis=0)
    # A unit is worth so much; any setting tells, the one with the largest sum most exactly.
    largest = int(np.abs(totals).argmax())
    worth = means[largest] / totals[largest] if totals[largest] else 0.0
    excess = []
    for weights in topic_weights(n, RESAMPLES, SEED, max(1, _CELLS_AT_ONCE // m)):
        sums = weights @ units
        best = sums.argmax(axis=1)
        excess.append((sums[np.arange(len(sums)), best] - totals[best]) * worth)
    return math.sqrt(n / (n - 1)) * float(np.concatenate(excess).std(ddof=1))
