"""Topic set size design: all 887 published ANOVA cells, grids, and variance estimation

Peer: statsmodels' `FTestAnovaPower`, which solves one cell at a time. Both find the exact non-central F answer;
the sizes are compared before the times are.
"""

from __future__ import annotations

import warnings
from pathlib import Path

import numpy as np
import polars as pl

from benchmarks.harness import Row, best_time
from cranfield import design_anova, design_interval, design_ttest, estimate_variance, make_scores
from cranfield.questions.design.anova import anova_topics

CELLS = Path(__file__).resolve().parents[1] / "tests/published/anova_topic_set_sizes.csv"


def _statsmodels(cells: pl.DataFrame) -> list[int]:
    from statsmodels.stats.power import FTestAnovaPower

    solver = FTestAnovaPower()
    sizes = []
    for row in cells.iter_rows(named=True):
        m = row["systems"]
        effect = row["min_diff"] / np.sqrt(2 * row["variance"] * m)
        total = solver.solve_power(effect, None, row["alpha"], 1 - row["beta"], m)
        sizes.append(max(2, int(np.ceil(float(np.squeeze(total)) / m - 1e-6))))
    return sizes


def run() -> list[Row]:
    """Exact sizes of all cells beside statsmodels, then what a page of the web interface asks for."""
    cells = pl.read_csv(CELLS)
    question = [cells[name].to_numpy() for name in ("variance", "systems", "min_diff")]
    levels = {"alpha": cells["alpha"].to_numpy(), "power": 1 - cells["beta"].to_numpy()}
    ours = best_time(lambda: anova_topics(*question, **levels), 5)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        theirs = best_time(lambda: _statsmodels(cells), 1)
        differing = int((anova_topics(*question, **levels) != _statsmodels(cells)).sum())
    published = best_time(lambda: anova_topics(*question, **levels, method="published"), 5)
    sizes, differences = [2, 5, 10, 20, 50], [0.02, 0.05, 0.1, 0.2]
    grid = best_time(lambda: design_anova(0.05, sizes, differences), 5)
    turned = best_time(lambda: design_anova(0.05, sizes, n_topics=[25, 50, 100, 200]), 5)
    pairs = best_time(lambda: (design_ttest(0.04, differences), design_interval(0.04, differences)), 5)
    huge = best_time(lambda: design_anova(0.05, sizes, [1e-4, 1e-3]), 5)
    scores = make_scores(149, 61)
    methods = ("within", "one_way", "two_way", "residual", "percentile95")
    variance = best_time(lambda: [estimate_variance(scores, method) for method in methods], 5)
    return [
        Row("887 exact ANOVA sizes, cranfield", ours, note=f"{differing} sizes differ from statsmodels"),
        Row("887 exact ANOVA sizes, statsmodels FTestAnovaPower", theirs, theirs / ours),
        Row("887 published ANOVA sizes, cranfield", published),
        Row("5 × 4 grid of ANOVA sizes", grid, note="as a page asks for"),
        Row("5 × 4 grid of detectable differences", turned),
        Row("4 t-test and 4 interval sizes", pairs),
        Row("10 ANOVA sizes of 10⁶ to 10⁹ topics", huge),
        Row("5 variance estimates with intervals, 149 × 61 scores", variance),
    ]
