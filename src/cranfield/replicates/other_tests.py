"""The replicated analysis beside other tests on the same runs."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
import polars as pl
from numpy.typing import NDArray

from cranfield.comparison.classical import paired_t
from cranfield.comparison.corrections import adjust
from cranfield.comparison.grid import GridScores
from cranfield.comparison.randomisation import randomisation
from cranfield.comparison.resampled import Resampling
from cranfield.defaults import RESAMPLES
from cranfield.replicates.analysis import MeasureReplicates

Ints = NDArray[np.int64]


@dataclass(frozen=True, eq=False)
class OtherTests:
    """Directions (1, 0, −1) that tests on the whole collection find, uncorrected and corrected, for all pairs."""

    t: Mapping[str, Ints]
    randomisation: Mapping[str, Ints]


def other_tests(replicates: MeasureReplicates, n_resamples: int = RESAMPLES) -> OtherTests:
    """Paired t and randomisation, two-sided, on the whole collection's scores."""
    scores, pairs, rule = GridScores.of(replicates.data.whole.values), replicates.pairs, replicates.rule
    sign = np.sign(pairs.of(scores.sums)).astype(np.int64)
    how = Resampling(n_resamples, replicates.how.seed, workers=replicates.how.workers)
    p = {"t": paired_t(scores, pairs, "two-sided"), "randomisation": randomisation(scores, pairs, how).p}
    corrections: list[str] = list(dict.fromkeys(["none", rule.correction]))
    decided = {
        test: {name: np.where(adjust(values, name) <= rule.alpha, sign, 0) for name in corrections}
        for test, values in p.items()
    }
    return OtherTests(decided["t"], decided["randomisation"])


def comparison_table(replicates: MeasureReplicates, n_resamples: int = RESAMPLES) -> pl.DataFrame:
    """Which pairs each rule and test separates, beside the decision by replicates.

    `both` counts the pairs that the row's test and the decision by replicates find different alike, `extra` those
    only the row's test does, `missed` those only the replicates do, `conflicts` those they decide in opposite
    directions.
    The first rows are the replicates themselves: the merged p-value, the votes, and the first split alone. The
    slides compare with uncorrected tests; the same tests with the correction in use stand beside them.
    """
    decisions, rule = replicates.decisions, replicates.rule
    reference = decisions.direction
    sign = np.sign(decisions.difference).astype(np.int64)
    first = np.sign(replicates.pairs.of(replicates.effects[0].effects)).astype(np.int64)
    rows: list[tuple[str, str, Ints]] = [
        (rule.merge, rule.correction, np.where(decisions.merged, sign, 0)),
        ("majority", rule.correction, np.where(decisions.majority, sign, 0)),
        ("unanimous", rule.correction, np.where(decisions.unanimous, sign, 0)),
        (
            f"split {replicates.data.splits[0].number}",
            rule.correction,
            np.where(decisions.split_p[0] <= rule.alpha, first, 0),
        ),
    ]
    others = other_tests(replicates, n_resamples)
    for name, tests in (("paired t", others.t), ("randomisation", others.randomisation)):
        rows += [(name, correction, direction) for correction, direction in tests.items()]
    table = []
    for name, correction, direction in rows:
        different = int((direction != 0).sum())
        table.append((replicates.measure, name, correction, different, different / len(direction),
                      *_overlap(direction, reference)))  # fmt: skip
    names = ["measure", "test", "correction", "different", "share", "both", "extra", "missed", "conflicts"]
    return pl.DataFrame(table, schema=names, orient="row")


def _overlap(here: Ints, there: Ints) -> tuple[int, int, int, int]:
    return (
        int(((here == there) & (here != 0)).sum()),
        int(((here != 0) & (there == 0)).sum()),
        int(((here == 0) & (there != 0)).sum()),
        int((here * there < 0).sum()),
    )
