"""Several measures at once: one comparison each, one family if asked, and which measure separates most."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import Executor
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np

from cranfield.comparison.analysis import TUKEY, analyse, check
from cranfield.comparison.comparison import Comparison
from cranfield.comparison.corrections import adjust
from cranfield.comparison.messages import comparison_signature, too_few_resamples
from cranfield.comparison.resampled import Resampling
from cranfield.comparison.statistics import Statistic, find_statistic
from cranfield.defaults import (
    ALPHA,
    ALTERNATIVE,
    MEMORY_MB,
    RESAMPLES,
    SEED,
    STATISTIC,
    TEST,
    Alternative,
    Correction,
    StatisticName,
    TestName,
)
from cranfield.errors import notify
from cranfield.executors import Progress
from cranfield.resampling import check_resamples
from cranfield.results import Result
from cranfield.scores import Scores

if TYPE_CHECKING:
    import polars as pl


@dataclass(frozen=True, eq=False, repr=False)
class MeasureComparisons(Result, Mapping[str, Comparison]):
    """The comparisons of the same systems by several measures: measure name → `Comparison`.

    Attributes
    ----------
    comparisons : the comparisons, in the order of the measures
    across_measures : whether the corrections count the comparisons of all measures as one family
    """

    comparisons: tuple[Comparison, ...]
    across_measures: bool

    def __getitem__(self, measure: str) -> Comparison:
        for comparison in self.comparisons:
            if comparison.measure == measure:
                return comparison
        raise KeyError(measure)

    def __iter__(self) -> Iterator[str]:
        return (comparison.measure for comparison in self.comparisons)

    def __len__(self) -> int:
        return len(self.comparisons)

    @property
    def signature(self) -> str:
        """One line for a paper's footnote."""
        first = self.comparisons[0]
        if len(self) == 1:
            return first.signature
        return first.signature.replace(f"measure {first.measure}", f"measures {', '.join(self)}", 1)

    @property
    def warnings(self) -> tuple[str, ...]:
        """The warnings of every comparison, with its measure where there are several."""
        if len(self) == 1:
            return self.comparisons[0].warnings
        each: dict[str, list[str]] = {}
        for comparison in self.comparisons:
            for text in comparison.warnings:
                each.setdefault(text, []).append(comparison.measure)
        return tuple(f"{', '.join(measures)}: {text}" for text, measures in each.items())

    def to_frame(self) -> pl.DataFrame:
        """A row a measure and pair: `Comparison.to_frame` with the measure first."""
        return self._stack([comparison.to_frame() for comparison in self.comparisons])

    def leaderboard(self) -> pl.DataFrame:
        """A row a measure and system: `Comparison.leaderboard` with the measure first."""
        return self._stack([comparison.leaderboard() for comparison in self.comparisons])

    def discriminative_power(self) -> pl.DataFrame:
        """A row a measure: how many pairs it separates, corrected and not, and the smallest difference it took.

        A measure that separates more pairs of the same systems on the same topics discriminates better (Sakai,
        SIGIR 2006); whether it measures the right thing is another question.
        """
        import polars as pl

        return pl.DataFrame([comparison.power_row() for comparison in self.comparisons])

    def asl_curves(self) -> pl.DataFrame:
        """The achieved significance levels of every measure (see `Comparison.asl_curve`)."""
        return self._stack([comparison.asl_curve() for comparison in self.comparisons])

    def _stack(self, frames: Sequence[pl.DataFrame]) -> pl.DataFrame:
        import polars as pl

        named = [
            frame.select(pl.lit(measure).alias("measure"), pl.all())
            for measure, frame in zip(self, frames, strict=True)
        ]
        return pl.concat(named)

    def to_dict(self) -> dict[str, Any]:
        """Every comparison as plain values, by measure."""
        return {comparison.measure: comparison.to_dict() for comparison in self.comparisons}

    def __repr__(self) -> str:
        lines = "\n".join(f"  {comparison.summary()}" for comparison in self.comparisons)
        return f"MeasureComparisons({len(self)} measures)\n{lines}"

    def _view(self) -> tuple[str, list[pl.DataFrame]]:
        return repr(self).partition("\n")[0], [self.discriminative_power()]


def compare_measures(
    scores: Scores,
    *,
    across_measures: bool = False,
    test: TestName = TEST,
    baseline: str | Sequence[str] | None = None,
    correction: Correction | None = None,
    alternative: Alternative = ALTERNATIVE,
    statistic: StatisticName | Statistic = STATISTIC,
    alpha: float = ALPHA,
    n_resamples: int = RESAMPLES,
    seed: int = SEED,
    workers: int | None = None,
    executor: Executor | None = None,
    memory: float = MEMORY_MB,
    progress: Progress | None = None,
) -> MeasureComparisons:
    """Compare the systems by every measure there is; see `compare` for the parameters.

    With ``across_measures=True`` the comparisons of all measures are one family: the correction counts them all (for
    the Tukey tests, which adjust for the pairs of one measure, p is multiplied by the number of measures). Claiming
    "better by AP or by nDCG" needs that; claims about one measure fixed in advance do not.

    >>> from cranfield import ScoreMatrix
    >>> ap = ScoreMatrix([[.2, .5], [.3, .4], [.1, .3], [.2, .6]], "1234", ["a", "b"], "AP")
    >>> rr = ScoreMatrix([[.5, 1], [.5, 1], [1, 1], [.2, .5]], "1234", ["a", "b"], "RR")
    >>> compare_measures(Scores([ap, rr]), test="t", across_measures=True).to_frame()["p_adjusted"].round(3).to_list()
    [0.061, 0.071]
    """
    check(test, correction, alternative, alpha)
    name, function = find_statistic(statistic)
    how = Resampling(check_resamples(n_resamples), seed, alternative, function, workers, memory, progress, executor)
    found = [analyse(matrix, test, baseline, correction, alpha, how, name) for matrix in scores.values()]
    if across_measures and len(found) > 1:
        found = _one_family(found)
    result = MeasureComparisons(tuple(found), across_measures)
    notify(result.warnings)
    return result


def _one_family(found: list[Comparison]) -> list[Comparison]:
    """The comparisons with p adjusted over the pairs of all of them."""
    if found[0].test in TUKEY:
        adjusted = [np.minimum(1.0, each.p * len(found)) for each in found]
    else:
        pooled = adjust(np.concatenate([each.p for each in found]), found[0].correction)
        adjusted = np.split(pooled, np.cumsum([len(each.p) for each in found])[:-1])
    family = sum(len(each.p) for each in found)
    joined = []
    for each, p_adjusted in zip(found, adjusted, strict=True):
        wider = replace(each, p_adjusted=p_adjusted, family=family)
        kept = tuple(text for text in each.warnings if text != too_few_resamples(each))
        few = too_few_resamples(wider)
        joined.append(replace(wider, signature=comparison_signature(wider), warnings=(few, *kept) if few else kept))
    return joined
