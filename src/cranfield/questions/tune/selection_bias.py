"""`selection_bias`: simulate tuning on the test topics among equally good settings."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
import polars as pl
from numpy.typing import NDArray
from scipy.special import ndtr, stdtrit

from cranfield.core.arguments import check_arguments
from cranfield.core.defaults import ALPHA, BIAS_EXPERIMENTS, BIAS_SD, BIAS_SETTINGS, BIAS_TOPICS, SEED
from cranfield.core.errors import ArgumentError
from cranfield.core.executors import Progress
from cranfield.core.options import at_least, number_text, share
from cranfield.core.resampling import generator
from cranfield.core.results import Result, check_finite, signature
from cranfield.core.truth import equal_settings
from cranfield.questions.tune.answer import bias_answer
from cranfield.questions.tune.folds import Splitter, make_folds, splitter_of
from cranfield.questions.tune.held_out import Array, best, choose, mean_per_topic

if TYPE_CHECKING:
    from cranfield.core.answer import Drawings

_STREAM = 510
"""The stream of random numbers of simulated scores."""
MOST_SCORES, MOST_DRAWS = 100_000_000, 1e12
"""Limits on the scores of one experiment and on all draws."""


@dataclass(frozen=True, eq=False)
class SelectionBias(Result):
    """The apparent advantage of a tuned system over an equally good one, in-sample and held-out.

    Attributes
    ----------
    in_sample, held_out : per simulated experiment, mean score of the tuned system less that of the baseline
    in_sample_better, held_out_better : per experiment, whether a paired t-test declares the tuned system better
    n_settings, n_topics, sd, correlation, alpha, folds, seed : the settings of the simulation
    """

    in_sample: Array
    held_out: Array
    in_sample_better: NDArray[np.bool_]
    held_out_better: NDArray[np.bool_]
    n_settings: int
    n_topics: int
    sd: float
    correlation: float
    alpha: float
    folds: str
    seed: int
    warnings: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        check_finite("the selection bias", in_sample=self.in_sample, held_out=self.held_out)

    @property
    def expected(self) -> float:
        """The in-sample advantage by theory: E(largest of m standard normals) · sd · √(1 − correlation) / √n."""
        return expected_largest(self.n_settings) * self.sd * math.sqrt((1 - self.correlation) / self.n_topics)

    @property
    def signature(self) -> str:
        """One line for a paper's footnote."""
        return signature("selection bias", **{name.removeprefix("n_"): value for name, value in self.settings.items()})

    @property
    def settings(self) -> dict[str, Any]:
        """What was simulated."""
        names = ("n_settings", "n_topics", "sd", "correlation", "alpha", "folds")
        known = {name: getattr(self, name) for name in names}
        return {**known, "n_experiments": len(self.in_sample), "seed": self.seed}

    def to_frame(self) -> pl.DataFrame:
        """Two rows, in-sample and held-out.

        Columns: tested, advantage (mean over experiments; the truth is 0), standard_error, lower, upper (95% of
        the experiments), declared_better (share of experiments, should be alpha/2).
        """
        each = np.stack([self.in_sample, self.held_out])
        lower, upper = np.quantile(each, [0.025, 0.975], axis=1)
        return pl.DataFrame(
            {
                "tested": ["in-sample", "held-out"],
                "advantage": each.mean(axis=1),
                "standard_error": each.std(axis=1, ddof=1) / math.sqrt(each.shape[1]),
                "lower": lower,
                "upper": upper,
                "declared_better": [float(self.in_sample_better.mean()), float(self.held_out_better.mean())],
            }
        )

    def to_dict(self) -> dict[str, Any]:
        """The rows and the settings as plain values."""
        return {**super().to_dict(), "expected": self.expected}

    def __repr__(self) -> str:
        return (
            f"SelectionBias({self.n_settings} equally good settings on {self.n_topics} topics: "
            f"in-sample {self.in_sample.mean():+.4f}, held-out {self.held_out.mean():+.4f}; "
            f"declared better {self.in_sample_better.mean():.1%} and {self.held_out_better.mean():.1%})"
        )

    answer = bias_answer

    @staticmethod
    def drawings() -> Drawings:
        """Its charts by name; the first is drawn unless another is named."""
        from cranfield.questions.tune import charts

        return {"bias": charts.bias}


def selection_bias(
    n_settings: int = BIAS_SETTINGS,
    n_topics: int = BIAS_TOPICS,
    splitter: Splitter | None = None,
    *,
    folds: int | None = None,
    leave_one_out: bool = False,
    holdout: float | None = None,
    n_repeats: int | None = None,
    sd: float = BIAS_SD,
    correlation: float = 0.0,
    alpha: float = ALPHA,
    n_experiments: int = BIAS_EXPERIMENTS,
    seed: int = SEED,
    progress: Progress | None = None,
) -> SelectionBias:
    """Simulate tuning among equally good settings, and measure the apparent advantage of the best.

    The score of a setting on a topic is a topic effect plus normal noise. The noise has standard deviation `sd` for all
    settings and for the baseline. The topic effect cancels in every difference. So the true advantage is 0, and any
    in-sample advantage is selection bias: in theory E(largest of m standard normals) · sd · √(1 − correlation) / √n.

    The mean of the held-out scores is unbiased. A test on them is not exact: each fold's choice depends on the topics
    of the other folds, so held-out scores are dependent. With settings as different as separate systems (correlation
    0) a t-test on many small folds rejects too often. With neighbours on a parameter grid (correlation .9) it keeps
    its level. A single hold-out always keeps the level, but has low power.

    Parameters
    ----------
    n_settings, n_topics : size of the experiment
    splitter, folds, leave_one_out, holdout, n_repeats : how to hold topics out (see `tune`); 10 folds unless given
    sd : standard deviation of scores around the topic mean. The root of the `residual` variance of past scores is an
        estimate.
    correlation : of these scores between settings of the family: 0 for settings no more alike than setting and
        baseline, near 1 for neighbours on a grid
    alpha : level of the two-sided paired t-test against the baseline
    n_experiments : how many experiments to simulate

    Examples
    --------
    >>> selection_bias(50, 50, n_experiments=300)
    SelectionBias(50 equally good settings on 50 topics: in-sample +0.0316, held-out -0.0005;
                  declared better 32.0% and 9.3%)
    """
    check_arguments(selection_bias, locals())
    at_least("n_settings", n_settings, 2, BIAS_SETTINGS)
    at_least("n_topics", n_topics, 2, BIAS_TOPICS)
    at_least("n_experiments", n_experiments, 2, BIAS_EXPERIMENTS)
    for name, size, most in (
        ("`n_settings` × `n_topics`", n_settings * n_topics, MOST_SCORES),
        ("`n_experiments` × `n_topics`", n_experiments * n_topics, MOST_SCORES),
        ("`n_experiments` × `n_settings` × `n_topics`", n_experiments * n_settings * n_topics, MOST_DRAWS),
    ):
        if size > most:
            raise ArgumentError(
                f"{name} is {number_text(size)}; at most {most:g} can be simulated. Reduce one of them."
            )
    if not 1e-12 <= sd <= 1e12:
        raise ArgumentError(f"`sd` must be a positive number; got {sd}. Write {BIAS_SD}.")
    if not 0 <= correlation < 1:
        raise ArgumentError(f"`correlation` must be at least 0 and below 1; got {correlation}. Write 0.9.")
    share("alpha", alpha)
    topics = tuple(f"{i:06d}" for i in range(n_topics))
    split = splitter_of(
        splitter, folds=folds, leave_one_out=leave_one_out, holdout=holdout, n_repeats=n_repeats or 1, seed=seed
    )
    made = make_folds(split, topics, np.zeros((n_topics, 1)))
    held = np.concatenate(made.held_out)
    sizes = [len(fold) for fold in made.held_out]
    covered = made.times_held_out > 0
    in_sample, held_out = np.empty((n_experiments, n_topics)), np.empty((n_experiments, int(covered.sum())))
    random = generator(seed, _STREAM)
    for experiment in range(n_experiments):
        baseline, settings = equal_settings(n_topics, n_settings, sd, correlation, random)
        champion = int(best(settings.sum(axis=0, keepdims=True), 0.0).column[0])
        in_sample[experiment] = settings[:, champion] - baseline
        chosen = np.repeat(choose(settings, made, 0.0).column, sizes)
        held_out[experiment] = mean_per_topic(held, settings[held, chosen] - baseline[held], n_topics)[covered]
        if progress:
            progress(experiment + 1, n_experiments)
    better = _declared_better(in_sample, alpha), _declared_better(held_out, alpha)
    return SelectionBias(
        in_sample.mean(axis=1), held_out.mean(axis=1), *better, n_settings, n_topics, sd, correlation, alpha,
        made.description, seed,
    )  # fmt: skip


def _declared_better(differences: Array, alpha: float) -> NDArray[np.bool_]:
    """Per row, whether a two-sided paired t-test finds the mean difference significant and positive."""
    n = differences.shape[1]
    if n < 2:
        return np.zeros(len(differences), dtype=np.bool_)
    t = differences.mean(axis=1) / (differences.std(axis=1, ddof=1) / math.sqrt(n))
    return np.asarray(t > stdtrit(n - 1, 1 - alpha / 2))


def expected_largest(m: int) -> float:
    """The expected largest of m independent standard normals, ∫ z · m φ(z) Φ(z)^(m−1) dz.

    >>> round(expected_largest(2), 4), round(expected_largest(50), 3)
    (0.5642, 2.249)
    """
    z = np.linspace(-10.0, 10.0, 20_001)
    density = m * np.exp(-z * z / 2) / math.sqrt(2 * math.pi) * ndtr(z) ** (m - 1)
    return float((z * density).sum() * (z[1] - z[0]))
