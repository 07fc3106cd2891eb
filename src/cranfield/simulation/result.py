"""`SimulatedTests`: how often every test rejects what is true and what is not, on scores like these."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import polars as pl
from scipy import special

from cranfield.comparison.corrections import CORRECTIONS
from cranfield.comparison.tests import TESTS
from cranfield.invariants import check_frame
from cranfield.labels import joined
from cranfield.results import Result
from cranfield.sentences import simulation as say
from cranfield.signature import signature
from cranfield.truth.rates import CONFIDENCE

_SPOKEN = {"wilcoxon": "Wilcoxon", "sign": "the sign test"}
KINDS = ("type1", "power", "type3", "family-wise", "false-discovery")
_HELD = {"nothing": "type1", "family-wise error": "family-wise", "false discovery rate": "false-discovery"}
"""What is held against the level, by what a correction bounds."""


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
        """The rows that are held against a level: those about true hypotheses, also where others in a family differ.

        Type I error of single pairs; where families are corrected, what the correction bounds: family-wise error, or
        false discovery. A test that is one of whole families is held to the family-wise error.
        """
        held = _HELD[CORRECTIONS[self.settings["correction"] or "none"].controls]
        families = pl.col("test").is_in(_of_families(self.rows["test"].unique().to_list()))
        return self.rows.filter(pl.col("kind") == pl.when(families).then(pl.lit("family-wise")).otherwise(pl.lit(held)))

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

        Nowhere does their own 99% interval lie above the level, nor are they shown to fall below it (`below`), and
        where the other one is worst their interval lies below its.
        """
        here, not_those = self._at(alpha), {*self._above(alpha), *self.below(alpha)}
        worst = self.too_often().filter(pl.col("alpha") == alpha).row(0, named=True)
        there = (pl.col("topics") == worst["topics"]) & (pl.col("difference") == worst["difference"])
        less = here.filter(there & (pl.col("upper") < worst["lower"]))["test"].to_list()
        far = {
            test: abs(here.filter(pl.col("test") == test)["rate"].mean() - alpha)  # type: ignore[operator]
            for test in less
            if test not in not_those
        }
        return sorted(far, key=far.__getitem__)

    def below(self, alpha: float) -> dict[str, float]:
        """The tests that reject less often than this level allows, which costs power, each with its lowest rate.

        A rate of theirs is below the level where all hypotheses are true, all rows looked at together as in
        `too_often`, and nowhere does their own 99% interval lie above it. (Where some are false, a correction need not
        reach the level.)
        """
        here, above = self._at(alpha).filter(pl.col("difference") == 0), self._above(alpha)
        low = here.filter(_end("upper", self.levels().height) < pl.col("alpha")).sort("rate", maintain_order=True)
        return {
            test: rate
            for test, rate in low.unique("test", keep="first", maintain_order=True).select("test", "rate").iter_rows()
            if test not in above
        }

    def _at(self, alpha: float) -> pl.DataFrame:
        return self.levels().filter(pl.col("alpha") == alpha)

    def _above(self, alpha: float) -> list[str]:
        """The tests whose own 99% interval lies above this level anywhere."""
        return self._at(alpha).filter(pl.col("lower") > pl.col("alpha"))["test"].to_list()

    def named(self) -> dict[str, Any]:
        """The row that the sentence speaks of first.

        The rate that exceeds its level most; if none does, the highest beside its level; where no level was simulated
        with all hypotheses true, the highest power with the fewest topics.
        """
        held, over = self.levels(), self.too_often()
        if over.height:
            return over.row(0, named=True)
        if (held["difference"] == 0).any():
            by_level = pl.col("rate") / pl.col("alpha")
            return held.sort(by_level, descending=True, maintain_order=True).row(0, named=True)
        power = self.rows.filter(pl.col("kind") == "power")
        return power.sort("topics", "rate", descending=[False, True], maintain_order=True).row(0, named=True)

    def summary(self) -> str:
        """The sentence to take away."""
        held, over, row = self.levels(), self.too_often(), self.named()
        if row["kind"] == "power":
            return say.MOST_POWER(
                topics=row["topics"], difference=row["difference"], alpha=row["alpha"], rate=_rate(row["rate"]),
                test=row["test"], others=", by no other test more often" if self.rows["test"].n_unique() > 1 else "",
                level=say.NONE_SHOWN if held.height else say.NOT_SIMULATED,
            )  # fmt: skip
        if over.height:
            same = over.filter(pl.col("alpha") == row["alpha"]).unique("test", keep="first", maintain_order=True)
            others = [f"{_spoken(one['test'])} {_rate(one['rate'])}" for one in same[1:].iter_rows(named=True)]
            low = self._below_text(row["alpha"])
            if good := self.keepers(row["alpha"]):
                advice = f"use {joined(good, 'or')}{low}"
            elif low:
                advice = low.removeprefix("; ")
            elif same.height == held["test"].n_unique():
                advice = "no test here keeps the level" if others else "no other test was tried"
            else:
                advice = "more trials would tell which test keeps the level"
            return say.TOO_OFTEN(
                test=_spoken(row["test"]), what=_what(row), alpha=_level(row["alpha"]), topics=row["topics"],
                others=f" ({', '.join(others)} at worst)" if others else "", advice=advice,
            )  # fmt: skip
        return say.NONE_EXCEEDS(
            rate=_rate(row["rate"]), alpha=_level(row["alpha"]), test=row["test"], topics=row["topics"],
            low=self._below_text(row["alpha"]),
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


def _what(row: Mapping[str, Any]) -> str:
    """What a test does too often."""
    rate = _rate(row["rate"])
    if row["kind"] == "type1":
        return f"rejects true nulls {rate} of the time"
    if row["difference"] == 0:  # whatever is found is false
        return f"errs in a family of true nulls {rate} of the time"
    apart = f"in families of halves {row['difference']:g} apart"
    if row["kind"] == "family-wise":
        return f"errs {rate} of the time {apart}"
    return f"has a false discovery rate of {rate} {apart}"


def _spoken(test: str) -> str:
    return _SPOKEN.get(test, test)


def _rate(value: float) -> str:
    """A rate as papers print it, with three decimals, and more where it would lose its second digit.

    >>> _rate(0.0722), _rate(0.05), _rate(0.00142), _rate(0.0), _rate(1.0)
    ('.072', '.05', '.0014', '0', '1')
    """
    decimals = max(3, 1 - math.floor(math.log10(value))) if value > 0 else 3
    return f"{value:.{decimals}f}".rstrip("0").rstrip(".").removeprefix("0") or "0"


def _level(alpha: float) -> str:
    """A level as it was given.

    >>> _level(0.05), _level(0.0125)
    ('.05', '.0125')
    """
    return f"{alpha:g}".removeprefix("0")
