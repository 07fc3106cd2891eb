"""What `tune` found: `TunedFamily` for one family, `Tuning` for all of them and their held-out scores."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from cranfield.defaults import ALPHA, CURVE_RESAMPLES, SEED
from cranfield.errors import UnknownNameError
from cranfield.executors import Progress
from cranfield.invariants import check_finite, check_interval
from cranfield.results import Result
from cranfield.scores import ScoreMatrix
from cranfield.signature import signature
from cranfield.tuning.curve import CURVE_COLUMNS, mean_bands, parameter_columns
from cranfield.tuning.families import Family
from cranfield.tuning.folds import Folds, Positions

if TYPE_CHECKING:
    import polars as pl

Array = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class TunedFamily:
    """What tuning found for one family.

    Attributes
    ----------
    family : the family: its settings and all their scores
    choices : per fold, the position of the setting with the best training mean
    train_means, held_out_means : per fold, the chosen setting's mean on the training and on the held-out topics
    final : the setting with the best mean on all topics: the one to send into the world
    in_sample_mean : its mean on all topics, which looks better than it is
    held_out_mean : the mean of the held-out scores over topics: the honest estimate of a system tuned like this
    optimism : mean of `final` on the topics that were held out, less `held_out_mean`
    n_tied : folds in which further settings did as well on the training topics
    lower, upper : 95% interval of `held_out_mean` over topics (t), what other topics would move it by
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
        """The interval of the held-out mean as it is written after it; nothing where there is none."""
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
        return float(np.mean([label == self.final for label in self.chosen]))

    @property
    def n_distinct(self) -> int:
        """How many different settings were chosen."""
        return int(np.count_nonzero(self.times_chosen))

    @property
    def at_edge(self) -> tuple[str, ...]:
        """Numeric parameters whose final value is the smallest or largest tried, of three or more."""
        parameters = []
        final = self.family.settings[self.family.scores.systems.index(self.final)]
        for parameter in final:
            values = {setting.get(parameter) for setting in self.family.settings} - {None}
            numeric = all(isinstance(v, (int, float)) and not isinstance(v, bool) for v in values)
            if numeric and len(values) >= 3 and final[parameter] in (min(values), max(values)):  # type: ignore[type-var]
                parameters.append(parameter)
        return tuple(parameters)

    def curve(
        self,
        *,
        n_resamples: int = CURVE_RESAMPLES,
        seed: int = SEED,
        alpha: float = ALPHA,
        progress: Progress | None = None,
    ) -> pl.DataFrame:
        """Every setting's mean with a band from resampled topics, and how often it was chosen.

        One numeric parameter makes a curve of this, two a heat map. The band says how far the mean would move on
        other topics. It is wide where topics differ, and says little about which of two settings is better,
        since both would move together.

        Returns the columns family, setting, one for each parameter, mean, lower, upper, folds (that chose it), final.
        """
        import polars as pl

        scores = self.family.scores
        lower, upper = mean_bands(scores, n_resamples=n_resamples, seed=seed, alpha=alpha, progress=progress)
        means = [math.fsum(column) / len(column) for column in scores.values.T]  # the same in any order
        return pl.DataFrame(
            [
                pl.Series("family", [self.name] * scores.n_systems),
                pl.Series("setting", list(scores.systems)),
                *parameter_columns(self.family),
                pl.Series("mean", means),
                pl.Series("lower", list(map(min, lower.tolist(), means))),  # scores below the grid's step are 0 on it
                pl.Series("upper", list(map(max, upper.tolist(), means))),
                pl.Series("folds", self.times_chosen),
                pl.Series("final", [label == self.final for label in scores.systems]),
            ]
        )


@dataclass(frozen=True, eq=False)
class Tuning(Result):
    """What `tune` found: per family and fold the choice and its scores, and the held-out scores of all families.

    Attributes
    ----------
    families : one `TunedFamily` each, also by name: ``tuning["bm25"]``
    folds : which topics were held out when; the same for all families
    held_out : topic × family matrix of held-out scores, ready for `cranfield.comparison`
    warnings : what to know before relying on it, one sentence each
    """

    families: tuple[TunedFamily, ...]
    folds: Folds
    held_out: ScoreMatrix
    warnings: tuple[str, ...] = ()

    def __getitem__(self, name: str) -> TunedFamily:
        for family in self.families:
            if family.name == name:
                return family
        raise UnknownNameError("family", name, [family.name for family in self.families])

    @property
    def measure(self) -> str:
        """The measure tuned for."""
        return self.held_out.measure

    @property
    def signature(self) -> str:
        """One line for a paper's footnote."""
        return signature(
            "tuning",
            measure=self.measure,
            families=[f"{f.name} ({f.family.scores.n_systems} settings)" for f in self.families],
            topics=len(self.folds.topics),
            folds=self.folds.description,
            seed=self.folds.seed,
        )

    def to_frame(self) -> pl.DataFrame:
        """One row per family and fold: family, fold, chosen, train_mean, held_out_mean, topics (held out).

        The last fold of a family, ``all``, holds its final setting, that setting's mean on all topics, and the
        mean of the held-out scores.
        """
        import polars as pl

        sizes = [len(fold) for fold in self.folds.held_out]
        labels = [str(number) for number in range(1, len(sizes) + 1)]
        columns: dict[str, list[Any]] = {
            name: [] for name in ("family", "fold", "chosen", "train_mean", "held_out_mean", "topics")
        }
        for family in self.families:
            columns["family"] += [family.name] * (len(sizes) + 1)
            columns["fold"] += [*labels, "all"]
            columns["chosen"] += [*family.chosen, family.final]
            columns["train_mean"] += [*family.train_means.tolist(), family.in_sample_mean]
            columns["held_out_mean"] += [*family.held_out_means.tolist(), family.held_out_mean]
            columns["topics"] += [*sizes, self.held_out.n_topics]
        return pl.DataFrame(columns)

    @property
    def settings(self) -> dict[str, Any]:
        """How topics were held out."""
        return {
            "measure": self.measure,
            "families": {family.name: family.family.scores.n_systems for family in self.families},
            "n_topics": len(self.folds.topics),
            "folds": self.folds.description,
            "seed": self.folds.seed,
        }

    def summary(self) -> str:
        """The held-out mean of every family and the setting to use."""
        each = [f"{f.name} {f.held_out_mean:.4f} held out, with {f.final}" for f in self.families]
        return f"{self.measure}: {'; '.join(each)}"

    def by_family(self) -> pl.DataFrame:
        """One row per family.

        Columns: family, settings, final, agreement (share of folds that chose it), distinct (settings chosen),
        in_sample_mean, held_out_mean with its 95% interval over topics, optimism.
        """
        import polars as pl

        return pl.DataFrame(
            {
                "family": [f.name for f in self.families],
                "settings": [f.family.scores.n_systems for f in self.families],
                "final": [f.final for f in self.families],
                "agreement": [f.agreement for f in self.families],
                "distinct": [f.n_distinct for f in self.families],
                "in_sample_mean": [f.in_sample_mean for f in self.families],
                "held_out_mean": [f.held_out_mean for f in self.families],
                "held_out_lower": [f.lower for f in self.families],
                "held_out_upper": [f.upper for f in self.families],
                "optimism": [f.optimism for f in self.families],
            }
        )

    def curve(
        self,
        *,
        n_resamples: int = CURVE_RESAMPLES,
        seed: int = SEED,
        alpha: float = ALPHA,
        progress: Progress | None = None,
    ) -> pl.DataFrame:
        """The curves of all families below one another (see `TunedFamily.curve`)."""
        import polars as pl

        curves = [
            family.curve(n_resamples=n_resamples, seed=seed, alpha=alpha, progress=progress) for family in self.families
        ]
        joined = pl.concat(curves, how="diagonal_relaxed")
        parameters = [name for name in joined.columns if name not in CURVE_COLUMNS]
        return joined.select(*CURVE_COLUMNS[:2], *parameters, *CURVE_COLUMNS[2:])

    def to_dict(self) -> dict[str, Any]:
        """Everything as plain values: signature, families, folds with their topics, held-out scores, warnings."""
        return {
            "signature": self.signature,
            "measure": self.measure,
            "settings": self.settings,
            "families": self.by_family().to_dicts(),
            "folds": [
                {
                    "fold": str(fold + 1),
                    "held_out": list(self.folds.held_out_topics(fold)),
                    "chosen": {family.name: family.chosen[fold] for family in self.families},
                    "train_mean": {family.name: float(family.train_means[fold]) for family in self.families},
                    "held_out_mean": {family.name: float(family.held_out_means[fold]) for family in self.families},
                }
                for fold in range(len(self.folds))
            ],
            "held_out": {
                family: dict(zip(self.held_out.topics, self.held_out.values[:, j].tolist(), strict=True))
                for j, family in enumerate(self.held_out.systems)
            },
            "warnings": list(self.warnings),
        }

    def __repr__(self) -> str:
        lines = [f"Tuning({self.measure}, {self.folds.description}, {len(self.folds.topics)} topics)"]
        lines += [
            f"  {f.name}: held-out mean {f.held_out_mean:.4f}{f.interval}, in-sample {f.in_sample_mean:.4f} with "
            f"{f.final} (chosen in {round(f.agreement * len(f.choices))} of {len(f.choices)} folds)"
            for f in self.families
        ]
        return "\n".join(lines)
