"""Reading chart specifications, and small results of every kind to draw."""

from __future__ import annotations

import functools
import warnings
from collections.abc import Iterator
from typing import Any

import numpy as np

import examples
from cranfield import (
    FileCheck,
    ScoreMatrix,
    Scores,
    anova_table,
    correlate,
    cost_from_figures,
    design_anova,
    design_interval,
    design_looks,
    design_ttest,
    estimate_variance,
    expected_tau,
    fit_standardisation,
    gate,
    leaderboard,
    make_sample,
    make_scores,
    monitor,
    paper_table,
    recommend,
    reestimate,
    reliability,
    reuse,
    simulate_design,
    simulate_scores,
    simulate_tests,
    standardisation_effect,
    standardisation_robustness,
    three_views,
    variances,
)
from cranfield.core.answer import Drawings
from cranfield.core.errors import CranfieldWarning
from cranfield.core.results import Result
from cranfield.questions.compare.compare import compare, compare_measures
from cranfield.questions.correlate.correlate import Correlations
from cranfield.questions.cost.pools import PoolFigure
from cranfield.questions.replicates.replicate import replicate
from cranfield.questions.tune.selection_bias import selection_bias
from cranfield.questions.tune.tune import tune

METHODS = ("percentile95", "residual", "within", "one_way", "two_way")


def views(spec: dict[str, Any]) -> Iterator[dict[str, Any]]:
    """Every view of a specification that draws marks."""
    for name in ("layer", "hconcat", "vconcat", "concat"):
        for part in spec.get(name, []):
            yield from views(part)
    if "spec" in spec:
        yield from views(spec["spec"])
    if "mark" in spec:
        yield spec


def spec_data(spec: dict[str, Any]) -> list[list[dict[str, Any]]]:
    """The rows of every view, the largest first; data may stand above the views that use it."""
    found = []

    def walk(part: dict[str, Any]) -> None:
        if "data" in part:
            named = part["data"].get("name")
            found.append(part["data"]["values"] if named is None else spec["datasets"][named])
        for name in ("layer", "hconcat", "vconcat", "concat"):
            for child in part.get(name, []):
                walk(child)
        if "spec" in part:
            walk(part["spec"])

    walk(spec)
    return sorted(found, key=len, reverse=True)


def channels(spec: dict[str, Any]) -> set[tuple[str, str, str]]:
    """(mark, channel, field) of everything that is drawn from data."""
    found = set()
    for view in views(spec):
        mark = view["mark"] if isinstance(view["mark"], str) else view["mark"]["type"]
        for channel, encoding in view.get("encoding", {}).items():
            if isinstance(encoding, dict) and "field" in encoding:
                found.add((mark, channel, encoding["field"]))
    return found


def title(spec: dict[str, Any], part: str = "text") -> str:
    text = spec["title"].get(part, "")
    return text if isinstance(text, str) else " ".join(text)


def matrix(n_topics: int = 20, n_systems: int = 6, seed: int = 3) -> ScoreMatrix:
    return make_scores(n_topics=n_topics, n_systems=n_systems, seed=seed)


def names(count: int, length: int) -> list[str]:
    return [f"system{'_of_a_long_name' * 10}"[: length - 4] + f"_{k:03d}" for k in range(count)]


def family_matrices() -> dict[str, ScoreMatrix]:
    rng = np.random.default_rng(5)
    base = rng.uniform(0.2, 0.6, size=(24, 1))
    k1 = [0.3, 0.6, 0.9, 1.2, 1.5]
    lines = np.clip(base - 0.05 * (np.array(k1) - 0.9) ** 2 + rng.normal(0, 0.02, (24, 5)), 0, 1)
    topics = [str(i) for i in range(24)]
    grid = [(mu, b) for mu in (100, 500, 1000) for b in (0.1, 0.5)]
    heat = np.clip(base + rng.normal(0, 0.02, (24, len(grid))), 0, 1)
    return {
        "bm25": ScoreMatrix(lines, topics, [f"bm25(k1={k})" for k in k1], "AP"),
        "ql": ScoreMatrix(heat, topics, [f"ql(mu={m},b={b})" for m, b in grid], "AP"),
    }


def families_of(n_systems: int) -> dict[str, ScoreMatrix]:
    """The two small families; of many systems also families of one numeric parameter, up to 20 settings each."""
    families = family_matrices()
    rng = np.random.default_rng(11)
    base = families["bm25"].values[:, :1]
    for k in range(n_systems // 20):
        values = np.clip(base + rng.normal(0, 0.03, (24, 20)), 0, 1)
        families[f"f{k}"] = ScoreMatrix(values, families["bm25"].topics, [f"f{k}(b={j / 20})" for j in range(20)], "AP")
    return families


@functools.lru_cache(maxsize=4)
def results(n_systems: int = 6) -> dict[str, Any]:
    """One result of every kind that has a chart, by the name of its type; all as small as so many systems allow.

    A type that is not listed comes from the examples of its question, as far as one number of systems goes.
    """
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", CranfieldWarning)
        x = matrix(n_systems=n_systems)
        y = ScoreMatrix(x.values**2, x.topics, x.systems, "other")
        scores = Scores([x, y])
        residual = estimate_variance(x, "residual")
        sample = make_sample(n_topics=10, n_systems=4 if n_systems == 6 else n_systems, n_documents=300, seed=7)
        teams = {run.system: f"team {number // 2}" for number, run in enumerate(sample.runs)}
        figures = [PoolFigure("AP", 100, 731, 0.0530), PoolFigure("AP", 10, 96, 0.0714)]
        made: dict[str, Any] = {
            "AnovaTable": anova_table(x),
            "Comparison": compare(x, n_resamples=2000),
            "MeasureComparisons": compare_measures(scores, n_resamples=2000),
            "ExpectedTau": expected_tau(x, n_topics=[10, 30], n_resamples=20),
            "FileCheck": FileCheck("runs/bm25.run", "run", 50, 1, 50_000, ties=320, notes=("1 line skipped",)),
            "Gate": gate(x, baseline=x.systems[0], candidate=x.systems[1], margin=0.02),
            "PairTopics": compare(x, test="t").pair(x.systems[0], x.systems[1]),
            "Leaderboard": leaderboard(scores, n_resamples=2000),
            "PaperTable": paper_table(x, n_resamples=500),
            "Correlation": correlate(x, y, n_resamples=200),
            "Correlations": Correlations((correlate(x, y, n_resamples=200), correlate(y, x, n_resamples=200))),
            "Cost": cost_from_figures(figures, width=0.15),
            "Design": design_anova(residual, n_systems, 0.10),
            "Monitoring": monitor(x, per_look=5, looks=4),
            "Recommendation": recommend(x, n_systems, 0.10),
            "Reestimate": reestimate(x, 0.1),
            "Reliability": reliability(x, n_topics=[10, 30], target=0.9),
            "Replicates": replicate(sample.qrels, sample.runs, "AP", n_splits=3, n_resamples=300),
            "Reuse": reuse(sample.qrels, sample.runs, teams, measures="AP", depths=[5, 20], n_resamples=30),
            "Robustness": standardisation_robustness(x),
            "ScoreMatrix": x,
            "Scores": scores,
            "SelectionBias": selection_bias(n_settings=5, n_topics=20, n_experiments=50),
            "SequentialDesign": design_looks(0.04, 0.07),
            "ThreeViews": three_views(x, n_topics=[10, 20], n_resamples=20),
            "SimulatedDesign": simulate_design(x, 3, 0.1, n_pilots=3, n_trials=50),
            "SimulatedScores": simulate_scores(x, n_systems=4 if n_systems == 6 else n_systems, difference=0.05),
            "SimulatedTests": simulate_tests(x, n_topics=[10, 20], n_trials=100, n_resamples=99),
            "StandardisationEffect": standardisation_effect(scores, n_resamples=50),
            "Standardisation": fit_standardisation(x),
            "Standardised": fit_standardisation(x).apply(x),
            "Tuning": tune(families_of(n_systems)),
            "VarianceEstimate": residual,
            "Variances": variances({"first": x, "second": y}),
            "ttest": design_ttest(estimate_variance(x, "percentile95"), 0.05),
            "interval": design_interval(estimate_variance(x, "percentile95"), 0.10),
            "estimates": [estimate_variance(x, method) for method in METHODS],
        }
        return made | (examples.results(set(made)) if n_systems == 6 else {})


def drawings() -> dict[str, Drawings]:
    """What draws the results of each type, by its name."""
    made = [result for result in results().values() if isinstance(result, Result)]
    return {type(result).__name__: type(result).drawings() for result in made}


CHARTS = [(kind_of, kind) for kind_of, known in drawings().items() for kind in known]
"""Every chart of every type of result."""
