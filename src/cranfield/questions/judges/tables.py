"""The tables of `judges`: decisions, rankings, bias, labels, leniency, and machines side by side."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import combinations
from typing import Any

import numpy as np
import polars as pl
from numpy.typing import NDArray
from scipy.special import stdtrit

from cranfield.questions.judges import bias, labels, rankings
from cranfield.questions.judges.inputs import Bench, Judge
from cranfield.questions.judges.verdict import BesidePeople, groups_of
from cranfield.scores.rank_coefficients import rank_correlations
from cranfield.scores.tau_interval import LEAST_SYSTEMS, RankedScores, tau_intervals

Array = NDArray[np.float64]
TOP = 15
"""Systems at the top, by human means, whose order is looked at by itself."""
COEFFICIENTS = ("tau_b", "tau_ap_b")


def decision_rows(bench: Bench, alpha: float) -> pl.DataFrame:
    rows = []
    for one in bench.machines if bench.common else ():
        counts = rankings.count_decisions(_decided(bench, one, alpha))
        total = sum(counts.values())
        rows += [(one.name, name, count, count / total) for name, count in counts.items()]
    schema = {"judge": pl.String, "decision": pl.String, "pairs": pl.Int64, "share": pl.Float64}
    return pl.DataFrame(rows, schema=schema, orient="row")


def _decided(bench: Bench, machine: Judge, alpha: float) -> Array:
    return rankings.decisions(bench.reference.on(bench.common), machine.on(bench.common), alpha, holm=True)


ORDER = ("opposite", "only_human", "only_machine", "both", "neither")
"""Decisions of a pair, those to look at first."""


def pair_decision_rows(bench: Bench, alpha: float) -> pl.DataFrame:
    """Every pair of systems under both judgments, opposite decisions first."""
    frames = []
    systems = np.array(bench.reference.scores.systems)
    a, b = np.triu_indices(len(systems), 1)
    for one in bench.machines if bench.common else ():
        h, m = _decided(bench, one, alpha)
        decision = np.select(
            [h * m < 0, (h != 0) & (m == 0), (h == 0) & (m != 0), (h != 0) & (h == m)], ORDER[:4], ORDER[4]
        )
        human, machine = (values.mean(axis=0) for values in (bench.reference.on(bench.common), one.on(bench.common)))
        flip = human[a] < human[b]
        first, second = np.where(flip, b, a), np.where(flip, a, b)
        frame = pl.DataFrame({
            "judge": [one.name] * len(a), "system_a": systems[first], "system_b": systems[second],
            "human": human[first] - human[second], "machine": machine[first] - machine[second], "decision": decision,
        })  # fmt: skip
        place = pl.col("decision").replace_strict(ORDER, range(len(ORDER)), return_dtype=pl.Int64)
        frames.append(frame.sort(place, -pl.col("human"), maintain_order=True))
    texts = ("judge", "system_a", "system_b")
    schema = {**dict.fromkeys(texts, pl.String), "human": pl.Float64, "machine": pl.Float64, "decision": pl.String}
    return pl.concat(frames) if frames else pl.DataFrame(schema=schema)


def ranking_rows(
    bench: Bench, beside: Sequence[BesidePeople], alpha: float, n_resamples: int, seed: int
) -> pl.DataFrame:
    """τ and τ_AP of every judge; of a machine also on the pairs of the second persons, where those are fewer."""
    sides = [(one.role, one.judge.name, one.reference, one.own, one.shared) for one in bench.sides]
    of_machines = {name: (reference, own) for role, name, reference, own, _ in sides if role == "machine"}
    for one in beside:
        cut = one.reference, one.own
        if not all(map(np.array_equal, of_machines[one.machine], cut)):
            sides.append(("machine, their pairs", one.machine, *cut, True))
    rows = []
    for role, name, first, second, shared in sides:
        rows += _coefficients(name, role, "all", first, second, shared, alpha, n_resamples, seed)
        if shared and first.shape[1] > TOP + LEAST_SYSTEMS:
            top = np.sort(np.argsort(-first.mean(axis=0), kind="stable")[:TOP])
            rows += _coefficients(
                name, role, f"top {TOP}", first[:, top], second[:, top], shared, alpha, n_resamples, seed
            )
    texts = ("judge", "role", "systems", "coefficient")
    numbers = ("value", "corrected", "lower", "upper")
    schema = {**dict.fromkeys(texts, pl.String), **dict.fromkeys(numbers, pl.Float64)}
    return pl.DataFrame(rows, schema=schema, orient="row")


def _coefficients(
    name: str, role: str, which: str, first: Array, second: Array, shared: bool, alpha: float, n: int, seed: int
) -> list[tuple[Any, ...]]:
    x, y = RankedScores.of(first), RankedScores.of(second)
    point = rank_correlations(x.totals[None], y.totals[None], (x.tolerance, y.tolerance))
    values = {key: float(point[key][0]) for key in COEFFICIENTS}
    ends = tau_intervals(x, y, values, shared=shared, alpha=alpha, n_resamples=n, seed=seed)
    return [
        (name, role, which, key, None if np.isnan(value) else value, *_plain(ends[key]))
        for key, value in values.items()
    ]


def _plain(found: Any) -> tuple[float | None, float | None, float | None]:
    return found.corrected, found.lower, found.upper


def bias_rows(
    bench: Bench,
    beside: Sequence[BesidePeople],
    groups: Mapping[str, str] | None,
    teams: Mapping[str, str] | None,
    alpha: float,
    n_resamples: int,
    seed: int,
) -> pl.DataFrame:
    rows: list[tuple[Any, ...]] = []
    systems = bench.reference.scores.systems
    at_team = None
    if teams:
        order = {team: at for at, team in enumerate(dict.fromkeys(teams.get(system, system) for system in systems))}
        at_team = np.array([order[teams.get(system, system)] for system in systems])
    for group, inside in groups_of(bench, groups) if bench.common else ():
        for side in bench.sides:
            h, x = side.reference, side.own
            if len(h) < bias.LEAST_TOPICS:
                continue
            found = bias.group_bias(h, x, inside, alpha)
            p = None if at_team is None else bias.permutation_p(h, x, inside, at_team, min(n_resamples, 999), seed)
            rows.append((side.judge.name, side.role, group, int(inside.sum()), *found, p))
        for one in beside:
            beyond = one.bias(inside, alpha)
            if beyond is not None:
                rows.append((one.machine, "beyond a person", group, int(inside.sum()), *beyond, None))
    schema = {
        "judge": pl.String, "role": pl.String, "group": pl.String, "systems": pl.Int64, "difference": pl.Float64,
        "lower": pl.Float64, "upper": pl.Float64, "p": pl.Float64, "p_teams": pl.Float64,
    }  # fmt: skip
    return pl.DataFrame(rows, schema=schema, orient="row")


def _tables(bench: Bench, judge: Judge, other: Judge | None = None) -> tuple[Array, Array] | None:
    """Tables of counts by topic, and the grades; beside the reference unless another judge is named."""
    first_judge = other or bench.reference
    if judge.qrels is None or first_judge.qrels is None:
        return None
    both = bench.pairs_in_common(first_judge, judge)
    if both.is_empty():
        return None
    first, second = (both[name].to_numpy().astype(np.float64) for name in ("relevance", "grade"))
    grades = np.union1d(first, second)
    if len(grades) < 2:
        return None
    topics = np.unique(both["topic"].to_numpy(), return_inverse=True)[1]
    return labels.counts_by_topic(topics, first, second, grades), grades


def label_rows(bench: Bench, alpha: float) -> pl.DataFrame:
    rows = []
    for judge in (*bench.machines, *bench.seconds):
        found = _tables(bench, judge)
        if found is not None:
            rows += [(judge.name, *one) for one in labels.agreements(*found, alpha)]
    numbers = dict.fromkeys(("value", "lower", "upper"), pl.Float64)
    return pl.DataFrame(rows, schema={"judge": pl.String, "statistic": pl.String, **numbers}, orient="row")


def confusion_rows(bench: Bench) -> pl.DataFrame:
    rows = []
    for judge in (*bench.machines, *bench.seconds):
        found = _tables(bench, judge)
        if found is not None:
            total, grades = found[0].sum(axis=0), found[1].astype(int)
            rows += [
                (judge.name, int(own), int(other), int(total[i, j]))
                for i, own in enumerate(grades)
                for j, other in enumerate(grades)
            ]
    schema = {"judge": pl.String, "grade": pl.Int64, "judge_grade": pl.Int64, "pairs": pl.Int64}
    return pl.DataFrame(rows, schema=schema, orient="row")


def leniency_rows(bench: Bench, alpha: float) -> pl.DataFrame:
    """Judge minus reference: in grades for every grade of the reference, and in the measure for every system."""
    rows: list[tuple[Any, ...]] = []
    for _, judge, reference, own, shared in bench.sides:
        found = _tables(bench, judge)
        if found is not None:
            rows += [(judge.name, "grade", *one) for one in labels.leniency_by_grade(*found, alpha)]
        if not shared:
            continue
        lead = own - reference
        n = len(lead)
        half = float(stdtrit(n - 1, 1 - alpha / 2)) * lead.std(axis=0, ddof=1) / np.sqrt(n)
        for system, value, reach in zip(bench.reference.scores.systems, lead.mean(axis=0), half, strict=True):
            rows.append((judge.name, "system", system, n, float(value), float(value - reach), float(value + reach)))
    schema = {
        "judge": pl.String, "of": pl.String, "name": pl.String, "topics": pl.Int64, "value": pl.Float64,
        "lower": pl.Float64, "upper": pl.Float64,
    }  # fmt: skip
    return pl.DataFrame(rows, schema=schema, orient="row")


def errors_by_topic(bench: Bench) -> list[Array]:
    """Machine minus human by topic, averaged over systems; one array per machine."""
    h = bench.reference.on(bench.common)
    return [(one.on(bench.common) - h).mean(axis=1) for one in bench.machines]


def judge_rows(bench: Bench, alpha: float, n_resamples: int, seed: int) -> pl.DataFrame:
    """Two machines at a time: correlation of their errors by topic, their agreement, and which is nearer to people."""
    rows = []
    h = bench.reference.on(bench.common)
    if len(bench.machines) > 1 and len(bench.common) >= labels.LEAST_TOPICS and h.shape[1] >= LEAST_SYSTEMS:
        every = [one.on(bench.common) for one in bench.machines]
        found = rankings.rankings(h, every, alpha=alpha, n_resamples=n_resamples, seed=seed)
        errors = errors_by_topic(bench)
        for i, j in combinations(range(len(every)), 2):
            r = float(np.corrcoef(errors[i], errors[j])[0, 1]) if min(errors[i].std(), errors[j].std()) > 0 else None
            difference = rankings.tau_difference(found[i], [found[j]], len(h), alpha)
            ends = (None, None, None) if difference is None else (difference.value, difference.lower, difference.upper)
            first, second = bench.machines[i], bench.machines[j]
            rows.append((
                first.name, second.name, r, _kappa(bench, first, second), *ends,
            ))  # fmt: skip
    texts = dict.fromkeys(("judge_a", "judge_b"), pl.String)
    numbers = dict.fromkeys(("error_correlation", "kappa", "difference", "lower", "upper"), pl.Float64)
    return pl.DataFrame(rows, schema={**texts, **numbers}, orient="row")


def _kappa(bench: Bench, first: Judge, second: Judge) -> float | None:
    """Cohen's κ of two machines on the pairs that both judged: the repeatability, where one machine judged twice."""
    found = _tables(bench, second, first)
    if found is None:
        return None
    value = float(labels.kappa(found[0].sum(axis=0, keepdims=True), found[1])[0])
    return None if np.isnan(value) else value


def score_rows(bench: Bench) -> pl.DataFrame:
    frames = []
    for judge in bench.machines:
        topics = bench.common
        first, second = (one.on(topics) if topics else one.scores.values for one in (bench.reference, judge))
        each = {"system": bench.reference.scores.systems, "human": first.mean(axis=0), "machine": second.mean(axis=0)}
        ends: dict[str, Array] = {}
        for name, values in (("human", first), ("machine", second)):
            error = values.std(axis=0, ddof=1) / np.sqrt(len(values)) if len(values) > 1 else np.zeros(values.shape[1])
            ends |= {f"{name}_lower": each[name] - 2 * error, f"{name}_upper": each[name] + 2 * error}
        frames.append(pl.DataFrame({"judge": [judge.name] * len(each["system"]), **each, **ends}))
    return pl.concat(frames)
