"""Means and differences of systems: human only, or powered by the topics that only the machine judged."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
import polars as pl
from numpy.typing import NDArray
from scipy.special import stdtrit

from cranfield.core.answer import sentence
from cranfield.core.errors import quietly
from cranfield.questions.compare.compare import compare
from cranfield.questions.judges import powered
from cranfield.questions.judges.inputs import Bench, strata_of
from cranfield.scores.matrix import ScoreMatrix

Array = NDArray[np.float64]

NO_FURTHER = sentence(
    "judges.no-further-topics",
    "Means and pairs use human judgments only: {machine} judged fewer than 2 further topics.",
    "the machine judged at most one topic that people did not",
)
TOO_FEW = sentence(
    "judges.too-few",
    "Means and pairs use human judgments only: {n} topics with both judgments are fewer than {least}.",
    "fewer than 15 topics have both judgments, and the machine judged further topics",
)
TOO_WEAK = sentence(
    "judges.too-weak",
    "Means and pairs use human judgments only: the median correlation of differences is {rho:.2f}, below {least}.",
    "human and machine differences of pairs correlate less than .5 in the median",
)
STRATA_UNUSED = sentence(
    "judges.strata-unused",
    "Strata are not used here: every human topic counts alike.",
    "strata are declared, and means and pairs use human judgments only",
)
UNKNOWN_SAMPLING = sentence(
    "judges.unknown-sampling",
    "Prediction-powered differences assume that the human topics are a random sample. If they are not, intervals may "
    "cover far less. If they are, set `sampled` to random; this adds prediction-powered means.",
    "the sampling of the human topics is not declared and powered estimates were possible",
    measured="judges.md#what-simulation-says",
)


@dataclass(frozen=True, eq=False)
class Estimates:
    """Means and pairs, the judgments behind them, and why human ones only."""

    means: pl.DataFrame
    pairs: pl.DataFrame
    method: str
    effective_topics: float | None
    reason: str = ""


MEAN_SCHEMA = {
    "system": pl.String, "method": pl.String, "value": pl.Float64, "lower": pl.Float64, "upper": pl.Float64,
    "weight": pl.Float64, "effective_topics": pl.Float64,
}  # fmt: skip
PAIR_SCHEMA = {
    "system_a": pl.String, "system_b": pl.String, "difference": pl.Float64, "lower": pl.Float64, "upper": pl.Float64,
    "p": pl.Float64, "p_adjusted": pl.Float64, "significant": pl.Boolean, "method": pl.String, "weight": pl.Float64,
    "correlation": pl.Float64, "effective_topics": pl.Float64,
}  # fmt: skip


def no_estimates() -> Estimates:
    """Those of people and machines that share no topic."""
    return Estimates(pl.DataFrame(schema=MEAN_SCHEMA), pl.DataFrame(schema=PAIR_SCHEMA), "human", None)


def estimate(
    bench: Bench, sampled: str | None, strata: Mapping[str, str] | None, alpha: float, n_resamples: int, seed: int
) -> Estimates:
    """Means and pairs, powered by the first machine where that is sound; else by human judgments only."""
    machine, common = bench.machines[0], bench.common
    y, f, others = bench.reference.on(common), machine.on(common), machine.on(bench.extra)
    human = _human_means(bench, y, f, alpha)

    def human_only(reason: str) -> Estimates:
        return _human_pairs(bench, human, alpha, seed, f"{reason} {STRATA_UNUSED()}" if strata is not None else reason)

    if len(others) < 2:
        return human_only(NO_FURTHER(machine=machine.name))
    if len(y) < powered.LEAST_TOPICS:
        return human_only(TOO_FEW(n=len(y), least=powered.LEAST_TOPICS))
    layers = None if strata is None else strata_of(strata, common, bench.extra)
    a, b = np.triu_indices(y.shape[1], 1)
    sides = y[:, a] - y[:, b], f[:, a] - f[:, b], others[:, a] - others[:, b]
    found = powered.powered(*sides, layers)
    if not powered.offered(len(y), found.correlation):
        rho = float(np.median(found.correlation))
        return human_only(TOO_WEAK(rho=rho, least=powered.LEAST_CORRELATION))
    family = powered.powered_max_t(*sides, alpha=alpha, n_resamples=n_resamples, seed=seed, strata=layers)
    pairs = _powered_pairs(bench, found, family, alpha)
    effective = float(np.median(found.effective_topics(len(y))))
    if sampled == "unknown":
        return Estimates(human, pairs, "powered", effective)
    own = powered.powered(y, f, others, layers)
    lower, upper = own.interval(alpha)
    systems = bench.reference.scores.systems
    if strata is not None:  # people alone, weighted by the strata too
        human = _human_means(bench, y, f, alpha, own)
    means = pl.DataFrame(
        {
            "system": systems, "method": ["powered"] * len(systems), "value": own.estimate, "lower": lower,
            "upper": upper, "weight": own.weight, "effective_topics": own.effective_topics(len(y)),
        },
        schema=MEAN_SCHEMA,
    )  # fmt: skip
    return Estimates(pl.concat([human, means]), pairs, "powered", effective)


def _powered_pairs(bench: Bench, found: powered.Powered, family: powered.PoweredFamily, alpha: float) -> pl.DataFrame:
    systems = np.array(bench.reference.scores.systems)
    a, b = np.triu_indices(len(systems), 1)
    up = found.estimate >= 0
    size = np.abs(found.estimate)
    # With few resamples the critical value is infinite: the interval is open.
    ends = [size + sign * family.critical * family.error if np.isfinite(family.critical) else None for sign in (-1, 1)]
    columns = {
        "system_a": systems[np.where(up, a, b)],
        "system_b": systems[np.where(up, b, a)],
        "difference": size,
        "lower": ends[0],
        "upper": ends[1],
        "p": np.minimum(family.p, family.p_adjusted),
        "p_adjusted": family.p_adjusted,
        "significant": family.p_adjusted <= alpha,
        "method": pl.repeat("powered", len(a), eager=True),
        "weight": found.weight,
        "correlation": found.correlation,
        "effective_topics": found.effective_topics(len(bench.common)),
    }
    blank = pl.Series([None] * len(a), dtype=pl.Float64)
    frame = pl.DataFrame(
        {name: blank if value is None else value for name, value in columns.items()}, schema=PAIR_SCHEMA
    )
    return frame.sort("difference", descending=True, maintain_order=True)


def _human_means(
    bench: Bench, y: Array, f: Array, alpha: float, weighted: powered.Powered | None = None
) -> pl.DataFrame:
    """Human means with t intervals, and machine means without: those would not be about human judgments.

    With strata, people's are weighted by the strata's shares.
    """
    mean, error, freedom = y.mean(axis=0), y.std(axis=0, ddof=1) / np.sqrt(len(y)), np.full(y.shape[1], len(y) - 1.0)
    if weighted is not None:
        mean, error, freedom = weighted.human, weighted.human_error, weighted.human_freedom
    half = stdtrit(freedom, 1 - alpha / 2) * error
    systems, m = bench.reference.scores.systems, y.shape[1]
    own = {"system": systems, "method": ["human"] * m, "value": mean, "lower": mean - half, "upper": mean + half}
    n = {"weight": [0.0] * m, "effective_topics": [float(len(y))] * m}
    nothing = {name: [None] * m for name in ("lower", "upper", "weight", "effective_topics")}
    machine = {"system": systems, "method": ["machine"] * m, "value": f.mean(axis=0), **nothing}
    return pl.concat([pl.DataFrame({**own, **n}, schema=MEAN_SCHEMA), pl.DataFrame(machine, schema=MEAN_SCHEMA)])


def _human_pairs(bench: Bench, means: pl.DataFrame, alpha: float, seed: int, reason: str) -> Estimates:
    """All pairs as `compare` has them, by human judgments only."""
    matrix = ScoreMatrix(bench.reference.on(bench.common), bench.common, bench.reference.scores.systems, bench.measure)
    with quietly():
        frame = compare(matrix, alpha=alpha, seed=seed).to_frame()
    n = float(len(bench.common))
    no_number = pl.lit(None, pl.Float64)
    rows = frame.with_columns(
        method=pl.lit("human"), weight=pl.lit(0.0), correlation=no_number, effective_topics=pl.lit(n)
    )
    return Estimates(means, rows.select(*PAIR_SCHEMA), "human", None, reason)
