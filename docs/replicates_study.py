"""Is `replicates` calibrated? Coverage of intervals and type I error of pair tests on scores with known truth.

``python docs/figures.py --measure replicates-calibration`` writes the table of docs/replicates_tables.md.
"""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import Executor
from dataclasses import replace
from functools import partial
from typing import Literal, get_args

import numpy as np
import polars as pl
from numpy.typing import NDArray

from cranfield.core.defaults import ALPHA, SEED, PairP, Resample, Residuals
from cranfield.core.errors import UnknownNameError
from cranfield.core.executors import map_in_order
from cranfield.core.resampling import generator
from cranfield.questions.compare.corrections import at_most
from cranfield.questions.compare.family import all_pairs
from cranfield.questions.replicates.bootstrap import Bootstrap, Effects, Replicated, bootstrap_effects

Array = NDArray[np.float64]
Scenario = Literal["iid", "trec-like"]
SHARED, SPREAD, TOPIC_SPREAD = 0.4, 36.0, 0.5
"""TREC-like errors: share common to all systems, largest by smallest variance of a system, sd of log scale by topic.

The first two are those of the 40 TREC-COVID runs by AP; topics differ in scale as their numbers of relevant
documents do."""
_SIMULATED = 90
"""The stream of random numbers of simulated scores."""


def calibrate(
    scenario: Scenario = "iid",
    *,
    n_partitions: int = 2,
    n_topics: int = 50,
    n_systems: int = 8,
    n_datasets: int = 1000,
    n_resamples: int = 999,
    alpha: float = ALPHA,
    seed: int = SEED,
    workers: int | None = None,
    executor: Executor | None = None,
) -> pl.DataFrame:
    """Coverage and type I error of every combination of residuals, resampling and p, with interaction.

    Returns
    -------
    frame
        One row per combination: `coverage` of the 1 − alpha intervals on system effects, and `type_1` error of the
        pair tests at alpha. Each is a mean over systems (pairs) and datasets. Beside it stand its standard error over
        datasets and the smallest and largest value of a single system (pair).

    Examples
    --------
    >>> table = calibrate(n_datasets=20, n_resamples=99, workers=1)
    >>> table.select("residuals", "resample", "p").row(0)
    ('rescaled', 'rows', 'difference')
    """
    one = partial(_one_dataset, scenario, n_topics, n_systems, n_partitions, n_resamples, alpha, seed)
    chunks = [range(at, min(at + 25, n_datasets)) for at in range(0, n_datasets, 25)]
    done = map_in_order(partial(_each, one), chunks, executor=executor or "processes", workers=workers)
    datasets = [row for chunk in done for row in chunk]
    rows = []
    for at, (residuals, resample, p) in enumerate(_combinations()):
        covered = np.stack([dataset[at][0] for dataset in datasets])
        rejected = np.stack([dataset[at][1] for dataset in datasets])
        rows.append((scenario, n_partitions, residuals, resample, p, *_rates(covered), *_rates(rejected)))
    names = ["scenario", "n_partitions", "residuals", "resample", "p"]
    kinds = ["", "_se", "_min", "_max"]
    schema = [*names, *(f"coverage{k}" for k in kinds), *(f"type_1{k}" for k in kinds)]
    return pl.DataFrame(rows, schema=schema, orient="row")


def _combinations() -> list[tuple[Residuals, Resample, PairP]]:
    """Every combination, the default first and the published one last."""
    return [
        (residuals, resample, p)
        for residuals in get_args(Residuals)
        for resample in get_args(Resample)
        for p in get_args(PairP)
    ]


def _rates(hits: NDArray[np.bool_]) -> tuple[float, float, float, float]:
    """Mean, its standard error over datasets, and the extremes over systems or pairs."""
    by_dataset, by_item = hits.mean(axis=1), hits.mean(axis=0)
    error = by_dataset.std(ddof=1) / np.sqrt(len(hits))
    return float(hits.mean()), float(error), float(by_item.min()), float(by_item.max())


_Dataset = list[tuple[NDArray[np.bool_], NDArray[np.bool_]]]


def _each(one: Callable[[int], _Dataset], numbers: range) -> list[_Dataset]:
    return [one(number) for number in numbers]


def _one_dataset(
    scenario: Scenario, n: int, m: int, x: int, n_resamples: int, alpha: float, seed: int, number: int
) -> _Dataset:
    """For every combination: which systems' intervals hold the truth, 0, and which pairs are rejected."""
    scores = Replicated.of(draw_errors(scenario, n, m, x, generator(seed, _SIMULATED, number)))
    pairs = all_pairs(m)
    outcome = []
    drawn: dict[str, Effects] = {}
    for residuals, resample, p in _combinations():
        how = Bootstrap(n_resamples, residuals, resample, p, seed=seed, workers=1)
        if resample not in drawn:
            drawn[resample] = bootstrap_effects(scores, replace(how, residuals="raw"), number)
        raw = drawn[resample]
        factor = raw.fit.rescaling if residuals == "rescaled" else 1.0
        effects = Effects(raw.fit, raw.deviations * factor, raw.tolerance, how)
        lower, upper = effects.intervals(alpha)
        outcome.append(((lower <= 0) & (upper >= 0), at_most(effects.p_values(pairs), alpha)))
    return outcome


def draw_errors(scenario: Scenario, n_topics: int, n_systems: int, partitions: int, rng: np.random.Generator) -> Array:
    """Errors ε_ijk with mean 0, topics × systems × partitions: all that a simulation of the model needs.

    With interaction the residuals do not depend on topic, system and interaction effects. So these are all 0, and
    every pair of systems is a true null hypothesis. ``"iid"``: standard normal. ``"trec-like"``: a part that
    all systems share in a (topic, partition), and parts of their own whose variance differs between systems, both
    scaled topic by topic.
    """
    if scenario not in get_args(Scenario):
        raise UnknownNameError("scenario", str(scenario), get_args(Scenario))
    own = rng.standard_normal((n_topics, n_systems, partitions))
    if scenario == "iid":
        return own
    common = rng.standard_normal((n_topics, 1, partitions))
    variance = np.geomspace(1, SPREAD, n_systems)
    spread = np.sqrt(variance / variance.mean())[None, :, None]
    scale = np.exp(TOPIC_SPREAD * rng.standard_normal((n_topics, 1, 1)))
    return np.asarray(scale * (np.sqrt(SHARED) * common + np.sqrt(1 - SHARED) * spread * own))
