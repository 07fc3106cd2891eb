"""Exact designs beside statsmodels, and the distributions beside direct integration."""

from __future__ import annotations

import numpy as np
import polars as pl
import pytest
from scipy import integrate, special
from statsmodels.stats.power import FTestAnovaPower, TTestIndPower, TTestPower

from cranfield import design_anova, design_ttest, design_two_sample_ttest
from cranfield.questions.design.anova import anova_power, anova_topics
from cranfield.questions.design.power import exact_power, root_variance_factor
from published_tables import table

CELLS = table("anova_topic_set_sizes")


def test_anova_power_of_every_cell_agrees_with_statsmodels() -> None:
    rest = [CELLS[name].to_numpy() for name in ("systems", "min_diff", "variance")]
    systems, min_diff, variance = rest
    ours = anova_power(CELLS["topics"], *rest, alpha=CELLS["alpha"])
    theirs = FTestAnovaPower().power(
        min_diff / np.sqrt(2 * variance * systems),
        CELLS["topics"].to_numpy() * systems,
        CELLS["alpha"].to_numpy(),
        systems,
    )
    np.testing.assert_allclose(ours, theirs, atol=1e-12)


@pytest.mark.parametrize("at", range(0, 887, 60))
def test_anova_sizes_agree_with_statsmodels(at: int) -> None:
    row = CELLS.row(at, named=True)
    m = row["systems"]
    effect = row["min_diff"] / np.sqrt(2 * row["variance"] * m)
    total = FTestAnovaPower().solve_power(effect, None, row["alpha"], 1 - row["beta"], m)
    ours = anova_topics(row["variance"], m, row["min_diff"], alpha=row["alpha"], power=1 - row["beta"])
    assert int(ours) == int(np.ceil(total / m - 1e-6))


@pytest.mark.parametrize("sd", [0.1, 0.2072, 0.4])
@pytest.mark.parametrize("min_diff", [0.01, 0.05, 0.2])
@pytest.mark.parametrize("alpha", [0.01, 0.05])
def test_t_sizes_agree_with_statsmodels(sd: float, min_diff: float, alpha: float) -> None:
    paired = design_ttest(sd**2, min_diff, alpha=alpha, power=0.9)
    theirs = TTestPower().solve_power(min_diff / sd, None, alpha, 0.9)
    assert paired.n_topics == max(2, int(np.ceil(theirs - 1e-6)))
    assert paired.achieved_power == pytest.approx(TTestPower().power(min_diff / sd, paired.n_topics, alpha), abs=1e-9)
    groups = design_two_sample_ttest(sd**2, min_diff, alpha=alpha, power=0.9)
    theirs = TTestIndPower().solve_power(min_diff / sd, None, alpha, 0.9)
    assert groups.n_topics == int(np.ceil(theirs - 1e-6))


def noncentral_f_tail(between: float, error: float, noncentrality: float, critical: float) -> float:
    """P(F′ > critical) as a Poisson mixture of beta tails, summed term by term."""
    k = np.arange(0, 2000)
    half = noncentrality / 2
    weights = np.exp(-half + k * np.log(half) - special.gammaln(k + 1))
    x = between * critical / (between * critical + error)
    return float((weights * special.betaincc(between / 2 + k, error / 2, x)).sum())


@pytest.mark.parametrize("n", [2, 10, 1e3, 1e6])
@pytest.mark.parametrize("m", [2, 10, 1000])
@pytest.mark.parametrize("noncentrality", [0.5, 15.0, 200.0])
def test_exact_power_agrees_with_a_direct_sum(n: float, m: float, noncentrality: float) -> None:
    between, error = m - 1.0, m * (n - 1)
    critical = special.fdtri(between, error, 0.95)
    ours = exact_power(*(np.asarray([v]) for v in (between, error, noncentrality, critical)))[0]
    theirs = noncentral_f_tail(between, error, noncentrality, critical)
    assert ours == pytest.approx(theirs, abs=1e-9)


@pytest.mark.parametrize("df", [1.0, 2.0, 49.0, 342.0, 4999.0, 5001.0, 20000.0])
def test_expected_root_variance_agrees_with_integration(df: float) -> None:
    def density(v: float) -> float:
        return np.sqrt(v / df) * np.exp((df / 2 - 1) * np.log(v) - v / 2 - df / 2 * np.log(2) - special.gammaln(df / 2))

    spread = 12 * np.sqrt(2 * df)
    value, _ = integrate.quad(density, max(0, df - spread), df + spread + 50, limit=400, points=[df], epsabs=1e-12)
    assert float(root_variance_factor(np.asarray(df))) == pytest.approx(value, rel=1e-8)


@pytest.mark.parametrize("df", [(1.0, 10.0), (1.0, 1e5), (7.0, 22960.0), (999.0, 1e6)])
def test_power_has_no_gaps_where_the_lower_tail_underflows(df: tuple[float, float]) -> None:
    noncentrality = np.geomspace(1, 1e9, 4000)
    power = exact_power(*np.broadcast_arrays(df[0], df[1], noncentrality, special.fdtri(*df, 0.95)))
    assert (np.diff(power) >= -1e-12).all()
    assert (power[noncentrality > 2000] > 0.99).all()


def test_a_million_topics_neither_overflow_nor_take_long() -> None:
    variance = 0.0530
    for blocked in (False, True):
        design = design_anova(variance, [2, 10, 100, 1000], 1e-3, blocked=blocked)
        assert design.rows["topics"].min() > 8e5
        assert (design.rows["achieved_power"] >= 0.8).all()
        assert (design.rows["achieved_power"] < 0.8 + 1e-6).all()
    # At that size the F-test is the chi-squared test: λ of a non-central χ² with one degree of freedom.
    wanted = (special.ndtri(0.975) + special.ndtri(0.8)) ** 2 * 2 * variance / 1e-6
    assert design_anova(variance, 2, 1e-3).n_topics == pytest.approx(wanted, rel=1e-5)


def test_f_with_one_degree_of_freedom_is_the_two_sided_t() -> None:
    from scipy.stats import nct

    n, alpha = np.asarray([3.0, 10.0, 50.0, 400.0]), 0.05
    shift = np.sqrt(n) * 0.3
    edge = special.stdtrit(n - 1, 1 - alpha / 2)
    both_tails = nct.sf(edge, n - 1, shift) + nct.cdf(-edge, n - 1, shift)
    rows = design_ttest(1.0, 0.3, n_topics=n).rows
    np.testing.assert_allclose(rows["achieved_power"], both_tails, atol=1e-9)


def test_two_way_table_agrees_with_statsmodels() -> None:
    import pandas as pd
    import statsmodels.api as sm
    from statsmodels.formula.api import ols

    from cranfield import ScoreMatrix, anova_table

    rng = np.random.default_rng(5)
    values = rng.normal(size=(12, 1)) + rng.normal(size=(1, 4)) + rng.normal(size=(12, 4))
    x = ScoreMatrix(values, [f"t{i}" for i in range(12)], list("abcd"), "AP")
    theirs = sm.stats.anova_lm(
        ols("value ~ C(system) + C(topic)", pd.DataFrame(x.to_long().to_dict(as_series=False))).fit()
    )
    ours = anova_table(x).to_frame()
    for ours_at, theirs_at in [("systems", "C(system)"), ("topics", "C(topic)"), ("residual", "Residual")]:
        row = ours.filter(pl.col("source") == ours_at).row(0, named=True)
        assert row["sum_of_squares"] == pytest.approx(theirs.loc[theirs_at, "sum_sq"])
        assert row["df"] == theirs.loc[theirs_at, "df"]
        assert row["mean_square"] == pytest.approx(theirs.loc[theirs_at, "mean_sq"])
        if row["f"] is not None:
            assert row["f"] == pytest.approx(theirs.loc[theirs_at, "F"])
            assert row["p"] == pytest.approx(theirs.loc[theirs_at, "PR(>F)"])


@pytest.mark.parametrize("noncentrality", [1e9, 0.999e10, 1.001e10, 1e15, 1e100])
def test_the_power_at_a_huge_noncentrality_is_that_of_the_error_alone(noncentrality: float) -> None:
    """Where the critical value is as large, χ²(φ_E) ≤ λ/F_α·φ_E/φ_A decides: by hand for two degrees of freedom."""
    for between, share in ((1.0, 0.5), (3.0, 1.0), (3.0, 2.0)):
        critical = noncentrality / (share * between)
        ours = exact_power(*(np.asarray([v]) for v in (between, 2.0, noncentrality, critical)))[0]
        assert ours == pytest.approx(1 - np.exp(-share), abs=1e-6)
