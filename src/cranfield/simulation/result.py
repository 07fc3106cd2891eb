"""`SimulatedTests`: how often every test rejects what is true and what is not, on scores like these."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import polars as pl
from scipy import special

from cranfield.comparison.tests import TESTS
from cranfield.invariants import check_frame
from cranfield.labels import joined
from cranfield.results import Result
from cranfield.sentences import simulation as say
from cranfield.signature import signature
from cranfield.truth.rates import CONFIDENCE

_SPOKEN = {"wilcoxon": "Wilcoxon", "sign": "the sign test"}
KINDS = ("type1", "power", "type3", "family-wise", "false-discovery")


@dataclass(frozen=True, eq=False)
class SimulatedTests(Result):
    """Error rates and power of significance tests on simulated scores; get one from `simulate_tests`.

    Attributes
    ----------
    all_rows : polars frame
        One row per test, topics, difference, level, kind and sort of pairs; see `to_frame` and `pairs_frame`.
    """

    measure: str
    all_rows: pl.DataFrame
    settings: Mapping[str, Any]
    warnings: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        check_frame(f"{self.measure}: the simulated tests", self.all_rows, "rate")

    @property
    def signature(self) -> str:
        """One line for a paper's footnote."""
        named = {name.removeprefix("n_"): value for name, value in self.settings.items()}
        if named["correction"] not in (None, "none") and (own := _of_families(named["tests"])):
            named["correction"] = f"{named['correction']} (not of {', '.join(own)})"
        return signature("simulated tests", **named)

    @property
    def rows(self) -> pl.DataFrame:
        """The rows of all pairs."""
        return self.all_rows.filter(pl.col("pairs") == "all").drop("pairs")

    def to_frame(self) -> pl.DataFrame:
        """One row per test, topics, difference, alpha and kind.

        rate with lower and upper, its 99% Monte-Carlo interval. Kinds: ``type1``, true hypotheses rejected; ``power``,
        real differences found, whichever way; ``type3``, found the wrong way round. With a correction: ``family-wise``,
        trials in which any true hypothesis is rejected; ``false-discovery``, the mean share of false ones among the
        rejected.
        """
        return self.rows

    def pairs_frame(self) -> pl.DataFrame:
        """Type I error by sort of pairs: all, exchangeable ones, and others where the mode tells them apart."""
        return self.all_rows.filter(pl.col("kind") == "type1")

    def levels(self) -> pl.DataFrame:
        """The rows that are held against a level: type I error, or family-wise error where families are corrected.

        They are by a correction, or by a test that is one of whole families.
        """
        corrected = self.settings["correction"] not in (None, "none")
        families = pl.lit(corrected) | pl.col("test").is_in(_of_families(self.rows["test"].unique().to_list()))
        held = pl.when(families).then(pl.lit("family-wise")).otherwise(pl.lit("type1"))
        return self.rows.filter((pl.col("kind") == held) & (pl.col("difference") == 0))

    def too_often(self) -> pl.DataFrame:
        """The rows whose rate is above the level, all looked at together, the worst first.

        The distance from a rate to the lower end of its 99% interval is stretched as Bonferroni asks for so many rows:
        by z(1 − .005/rows)/z(.995).
        """
        held = self.levels()
        over = held.filter(_end("lower", held.height) > pl.col("alpha"))
        return over.sort(pl.col("rate") / pl.col("alpha"), descending=True, maintain_order=True)

    def keepers(self, alpha: float) -> list[str]:
        """The tests to use instead of the one that exceeds this level most, the nearest to the level first.

        With no number of topics does their own 99% interval lie above the level, nor are they shown to fall below it
        (`below`), and where the other one is worst their interval lies below its.
        """
        here, not_those = self._at(alpha), {*self._above(alpha), *self.below(alpha)}
        worst = self.too_often().filter(pl.col("alpha") == alpha).row(0, named=True)
        less = here.filter((pl.col("topics") == worst["topics"]) & (pl.col("upper") < worst["lower"]))["test"].to_list()
        far = {
            test: abs(here.filter(pl.col("test") == test)["rate"].mean() - alpha)  # type: ignore[operator]
            for test in less
            if test not in not_those
        }
        return sorted(far, key=far.__getitem__)

    def below(self, alpha: float) -> dict[str, float]:
        """The tests that reject less often than this level allows, which costs power, each with its lowest rate.

        A rate of theirs is below the level, all rows looked at together as in `too_often`, and with no number of topics
        does their own 99% interval lie above it.
        """
        here, above = self._at(alpha), self._above(alpha)
        low = here.filter(_end("upper", self.levels().height) < pl.col("alpha")).sort("rate", maintain_order=True)
        return {
            test: rate
            for test, rate in low.unique("test", keep="first", maintain_order=True).select("test", "rate").iter_rows()
            if test not in above
        }

    def _at(self, alpha: float) -> pl.DataFrame:
        return self.levels().filter(pl.col("alpha") == alpha)

    def _above(self, alpha: float) -> list[str]:
        """The tests whose own 99% interval lies above this level with any number of topics."""
        return self._at(alpha).filter(pl.col("lower") > pl.col("alpha"))["test"].to_list()

    def summary(self) -> str:
        """The sentence to take away."""
        held = self.levels()
        if not held.height:
            best = self.rows.filter(pl.col("kind") == "power").sort("topics", "rate", descending=[False, True])
            row = best.row(0, named=True)
            return say.MOST_POWER(
                topics=row["topics"], difference=row["difference"], alpha=row["alpha"], rate=_rate(row["rate"]),
                test=row["test"],
            )  # fmt: skip
        over = self.too_often()
        if over.height:
            worst = over.row(0, named=True)
            what = "rejects true nulls" if worst["kind"] == "type1" else "errs in a family of true nulls"
            same = over.filter(pl.col("alpha") == worst["alpha"]).unique("test", keep="first", maintain_order=True)
            others = [f"{_spoken(row['test'])} {_rate(row['rate'])}" for row in same[1:].iter_rows(named=True)]
            low = self._below_text(worst["alpha"])
            if good := self.keepers(worst["alpha"]):
                advice = f"use {joined(good, 'or')}{low}"
            elif low:
                advice = low.removeprefix("; ")
            elif same.height == held["test"].n_unique():
                advice = "no test here keeps the level" if others else "no other test was tried"
            else:
                advice = "more trials would tell which test keeps the level"
            return say.TOO_OFTEN(
                test=_spoken(worst["test"]), what=what, rate=_rate(worst["rate"]), alpha=_rate(worst["alpha"]),
                topics=worst["topics"], others=f" ({', '.join(others)} at worst)" if others else "", advice=advice,
            )  # fmt: skip
        worst = held.sort(pl.col("rate") / pl.col("alpha"), descending=True, maintain_order=True).row(0, named=True)
        return say.NONE_EXCEEDS(
            rate=_rate(worst["rate"]), alpha=_rate(worst["alpha"]), test=worst["test"], topics=worst["topics"],
            low=self._below_text(worst["alpha"]),
        )  # fmt: skip

    def _below_text(self, alpha: float) -> str:
        """A clause about the tests that reject less often than the level allows, if there are any."""
        low = self.below(alpha)
        if not low:
            return ""
        named = [f"{_spoken(test)} ({_rate(rate)})" for test, rate in low.items()]
        return f"; {say.BELOW(tests=joined(named), fall='falls' if len(low) == 1 else 'fall')}"

    def __repr__(self) -> str:
        return f"SimulatedTests({self.measure}: {self.summary()})\n{self.rows}"


def _end(name: str, n_rows: int) -> pl.Expr:
    """An end of the 99% interval, as far from the rate as it must be to hold for so many rows together."""
    tail = (1 - CONFIDENCE) / 2
    wider = float(special.ndtri(1 - tail / max(n_rows, 1)) / special.ndtri(1 - tail))
    return pl.col("rate") + wider * (pl.col(name) - pl.col("rate"))


def _of_families(tests: list[str]) -> list[str]:
    """Those of the tests that correct for the family themselves."""
    return [test for test in tests if TESTS[test].corrects_family]


def _spoken(test: str) -> str:
    return _SPOKEN.get(test, test)


def _rate(value: float) -> str:
    """A rate as papers print it.

    >>> _rate(0.0722), _rate(0.05), _rate(1.0)
    ('.072', '.05', '1')
    """
    return f"{value:.3f}".rstrip("0").rstrip(".").removeprefix("0") or "0"
