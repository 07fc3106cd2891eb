"""Several measures at once: one comparison each, one family if asked, and which measure separates most."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import polars as pl

from cranfield.core.results import Result
from cranfield.questions.compare.comparison import P_METHODS, Comparison

if TYPE_CHECKING:
    from cranfield.core.answer import Answer, Drawings
    from cranfield.core.question import Question


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
    def first(self) -> Comparison:
        """The comparison by the first measure."""
        return self.comparisons[0]

    @property
    def scope(self) -> str:
        """Which measures a family is of, as part of a sentence; nothing for one measure."""
        return "" if len(self) == 1 else " by all measures" if self.across_measures else " per measure"

    @property
    def signature(self) -> str:
        """One line for a paper's footnote."""
        one = self.telling
        if len(self) == 1:
            return one.signature
        said = one.signed(self.p_methods)
        return said.replace(f"measure {one.measure}", f"measures {', '.join(self)}", 1)

    @property
    def p_methods(self) -> dict[str, int]:
        """How many p-values, of all measures, were found by which method."""
        counts: Counter[str] = Counter()
        for comparison in self.comparisons:
            counts.update(comparison.p_methods)
        return {name: counts[name] for name in P_METHODS if name in counts}

    @property
    def telling(self) -> Comparison:
        """The comparison whose settings hold for all: one that drew resamples, where any did."""
        return next((each for each in self.comparisons if not each.exact), self.first)

    @property
    def warnings(self) -> tuple[str, ...]:
        """The warnings of every comparison, with its measure where there are several."""
        if len(self) == 1:
            return self.first.warnings
        each: dict[str, list[str]] = {}
        for comparison in self.comparisons:
            for text in comparison.warnings:
                each.setdefault(text, []).append(comparison.measure)
        return tuple(f"{', '.join(measures)}: {text}" for text, measures in each.items())

    def to_frame(self) -> pl.DataFrame:
        """One row per measure and pair, as `Comparison.to_frame`."""
        return pl.concat([comparison.to_frame() for comparison in self.comparisons])

    def leaderboard(self, letters: bool | None = None) -> pl.DataFrame:
        """One row per measure and system: `Comparison.leaderboard` with the measure first."""
        return self._stack([comparison.leaderboard(letters) for comparison in self.comparisons])

    def discriminative_power(self) -> pl.DataFrame:
        """One row per measure: how many pairs it separates, corrected and not, and the smallest difference it took.

        A measure that separates more pairs of the same systems on the same topics discriminates better (Sakai,
        SIGIR 2006); whether it measures the right thing is another question.
        """
        counts = {"uncorrected": pl.Int64, "share_uncorrected": pl.Float64, "smallest_difference": pl.Float64}
        return pl.DataFrame([comparison.power_row() for comparison in self.comparisons], schema_overrides=counts)

    def asl_curves(self) -> pl.DataFrame:
        """The achieved significance levels of every measure (see `Comparison.asl_curve`)."""
        return self._stack([comparison.asl_curve() for comparison in self.comparisons])

    def _stack(self, frames: Sequence[pl.DataFrame]) -> pl.DataFrame:
        named = [
            frame.select(pl.lit(measure).alias("measure"), pl.all())
            for measure, frame in zip(self, frames, strict=True)
        ]
        return pl.concat(named)

    @property
    def settings(self) -> dict[str, Any]:
        """The settings in force; the measure's name becomes the list of measures."""
        common = {name: value for name, value in self.telling.settings.items() if name != "measure"}
        return {"measures": list(self), **common, "p_methods": self.p_methods, "across_measures": self.across_measures}

    def to_dict(self) -> dict[str, Any]:
        """Everything as plain values: every comparison by its measure, settings, signature and warnings."""
        return {
            "signature": self.signature,
            "settings": self.settings,
            "comparisons": {comparison.measure: comparison.to_dict() for comparison in self.comparisons},
            "warnings": list(self.warnings),
        }

    def summary(self) -> str:
        """How many pairs differ, by every measure."""
        return "; ".join(comparison.summary() for comparison in self.comparisons)

    def __repr__(self) -> str:
        lines = "\n".join(f"  {comparison.summary()}" for comparison in self.comparisons)
        return f"MeasureComparisons({len(self)} measures)\n{lines}"

    def answer(self, question: Question | None = None) -> Answer:
        """What the result says, as every skin shows it."""
        from cranfield.questions.compare.answer import comparison_answer

        return comparison_answer(self, question)

    @staticmethod
    def drawings() -> Drawings:
        """Its charts by name; the first is drawn unless another is named."""
        from cranfield.questions.compare import charts

        return {"significance-levels": charts.significance_levels}
