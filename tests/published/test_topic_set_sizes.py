"""Every cell of the published topic set size tables, and the variances they start from."""

from __future__ import annotations

import numpy as np
import polars as pl
import pytest

from cranfield import design_anova, design_interval, design_ttest, estimate_variance, pool_variances, read_collections
from cranfield.questions.design.anova import anova_power, anova_topics
from published_tables import table
from support import SHARED, needs_shared

ANOVA = table("anova_topic_set_sizes")
INTERVAL = table("interval_topic_set_sizes")
QUESTION = [ANOVA["variance"], ANOVA["systems"], ANOVA["min_diff"]]
LEVELS = {"alpha": ANOVA["alpha"], "power": 1 - ANOVA["beta"]}


def test_the_tables_are_complete() -> None:
    assert (ANOVA.height, INTERVAL.height) == (887, 127)
    assert ANOVA.filter(pl.col("status") != "reproduced").height == 1
    assert INTERVAL.filter(pl.col("status") != "reproduced").height == 0


def test_every_anova_cell_follows_from_the_published_method() -> None:
    found = anova_topics(*QUESTION, **LEVELS, method="published")
    same = pl.Series(found == ANOVA["topics"].to_numpy())
    assert (same == (ANOVA["status"] == "reproduced")).all()
    assert int(same.sum()) == 886
    misprint = ANOVA.filter(~same)
    assert misprint.select("where", "measure", "topics").row(0) == ("Table 4", "nDCG", 894)
    assert found[~same.to_numpy()].tolist() == [896]


@pytest.mark.parametrize("at", [0, 500, 886])
def test_the_labelled_function_agrees_with_the_arrays(at: int) -> None:
    row = ANOVA.row(at, named=True)
    design = design_anova(
        row["variance"], row["systems"], row["min_diff"], alpha=row["alpha"], power=1 - row["beta"], method="published"
    )
    assert design.n_topics == row["topics"]


def test_exact_power_of_every_published_cell() -> None:
    """592 of 887 printed sizes fall short of their power, by up to 5 points; with the right sign 394, by up to 1."""
    power = anova_power(
        ANOVA["topics"], *[ANOVA[name] for name in ("systems", "min_diff", "variance")], alpha=ANOVA["alpha"]
    )
    short = LEVELS["power"].to_numpy() - power
    assert int((short > 0).sum()) == 592
    assert 0.049 < short.max() < 0.050
    corrected = anova_topics(*QUESTION, **LEVELS, method="approximate")
    power = anova_power(corrected, *[ANOVA[name] for name in ("systems", "min_diff", "variance")], alpha=ANOVA["alpha"])
    short = LEVELS["power"].to_numpy() - power
    assert int((short > 0).sum()) == 394
    assert short.max() < 0.01


def test_exact_sizes_reach_their_power_and_one_topic_less_does_not() -> None:
    n = anova_topics(*QUESTION, **LEVELS)
    rest = [ANOVA[name] for name in ("systems", "min_diff", "variance")]
    assert (anova_power(n, *rest, alpha=ANOVA["alpha"]) >= LEVELS["power"].to_numpy()).all()
    assert (anova_power(n - 1, *rest, alpha=ANOVA["alpha"]) < LEVELS["power"].to_numpy())[n > 2].all()


def test_every_interval_cell() -> None:
    for row in INTERVAL.iter_rows(named=True):
        design = design_interval(row["variance_of_difference"], row["width"], alpha=row["alpha"])
        assert design.n_topics == row["topics"], row


def test_intervals_beyond_the_spreadsheet() -> None:
    assert design_interval([0.24**2, 0.42**2], 0.05).rows["topics"].to_list() == [356, 1087]


def test_footnoted_one_way_sizes() -> None:
    """EVIA 2014, footnotes 4 and 6."""
    assert design_anova(0.0523, 100, 0.10, method="published").n_topics == 423
    assert design_anova(0.0523, 10, 0.20, method="published").n_topics == 42


def test_min_diff_of_ten_systems_is_nearly_the_interval_width() -> None:
    """EVIA 2014 §5.3 and Figure 3: (α, β, m) = (.05, .20, 10)."""
    for variance in (0.0690, 0.0375):
        sizes = [20, 50, 100, 200]
        detectable = design_anova(variance, 10, n_topics=sizes, blocked=False).rows["min_diff"].to_numpy()
        width = design_interval(2 * variance, n_topics=sizes).rows["width"].to_numpy()
        assert np.abs(detectable / width - 1).max() < 0.03


def test_pooled_variances_of_the_tables() -> None:
    """The printed pooled values follow from the printed parts by RD-003 eq. 11, within rounding."""
    for (quantity, _, _), group in table("variances").group_by("quantity", "where", "measure"):
        power = 2 if quantity == "sd_of_difference" else 1
        parts = group.filter(pl.col("collection") != "pooled")
        weights = parts["topics"].to_numpy() - 1
        pooled = np.average(parts["value"].to_numpy() ** power, weights=weights) ** (1 / power)
        printed = group.filter(pl.col("collection") == "pooled")["value"].item()
        assert abs(pooled - printed) < (0.0101 if power == 2 else 0.000101)


def test_judged_per_topic_of_the_tables() -> None:
    for row in table("pool_depths").iter_rows(named=True):
        assert round((row["judged_2003"] + row["judged_2004"]) / (50 + 49)) == row["judged_per_topic"]


@needs_shared
def test_variances_of_the_real_matrices() -> None:
    """METHODS' reference values, EVIA 2014 Table 3 and RD-003 Table 2 from the papers' own data."""
    collections = read_collections([SHARED / "data/matrices" / f"robust{year}-new.AP.csv" for year in (2003, 2004)])
    expected = {
        "two_way": (0.054239, 0.051696, 0.052981),
        "one_way": (None, None, 0.052298),
        "within": (None, None, 0.047100),
        "percentile95": (0.044383, 0.041469, 0.042941),
    }
    printed = {"two_way": (0.0543, 0.0517, 0.0530)}
    for method, values in expected.items():
        each = [estimate_variance(scores.only(), method) for scores in collections.values()]
        found = [*each, pool_variances(each)]
        numbers = [e.variance_of_difference if method == "percentile95" else e.variance for e in found]
        for number, value in zip(numbers, values, strict=True):
            assert value is None or number == pytest.approx(value, abs=6e-7)
        if method in printed:
            assert all(abs(n - p) < 1e-4 for n, p in zip(numbers, printed[method], strict=True))
        if method == "percentile95":
            assert [round(np.sqrt(n), 2) for n in numbers] == [0.21, 0.20, 0.21]


@needs_shared
def test_from_real_scores_to_the_papers_sizes() -> None:
    """Pooled two_way variance, rounded as the paper prints it, gives EVIA Table 4's AP column; unrounded, 6917."""
    collections = read_collections([SHARED / "data/matrices" / f"robust{year}-new.AP.csv" for year in (2003, 2004)])
    pooled = pool_variances([estimate_variance(scores.only(), "two_way") for scores in collections.values()])
    cells = ANOVA.filter((pl.col("where") == "Table 4") & (pl.col("measure") == "AP"))
    rounded = round(pooled.variance, 4)
    found = anova_topics(
        rounded, cells["systems"], cells["min_diff"], alpha=cells["alpha"], power=1 - cells["beta"], method="published"
    )
    assert found.tolist() == cells["topics"].to_list()
    first = {"alpha": 0.01, "power": 0.90, "method": "published"}
    assert design_anova(rounded, 10, 0.02, **first).n_topics == 6920
    assert design_anova(pooled.variance, 10, 0.02, **first).n_topics == 6917
    one_way = pool_variances([estimate_variance(scores.only(), "one_way") for scores in collections.values()])
    assert design_anova(round(one_way.variance, 4), 100, 0.10, method="published").n_topics == 423


@needs_shared
def test_paired_sizes_differ_by_factors_between_estimators() -> None:
    collections = read_collections([SHARED / "data/matrices" / f"robust{year}-new.AP.csv" for year in (2003, 2004)])
    sizes = {
        method: design_ttest(
            pool_variances([estimate_variance(scores.only(), method) for scores in collections.values()]), 0.05
        ).n_topics
        for method in ("two_way", "percentile95", "residual")
    }
    assert sizes == {"two_way": 335, "percentile95": 137, "residual": 83}
