"""`reuse`: would these judgments be fair to systems that did not help to make them?"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import polars as pl
from numpy.typing import NDArray

from cranfield.collection.doors import QrelsLike, RunsLike, as_qrels
from cranfield.collection.intents import Intents, read_intents
from cranfield.collection.matched import refuse_other_ids
from cranfield.collection.types import Qrels
from cranfield.comparison.classical import paired_t
from cranfield.comparison.corrections import adjust, at_most
from cranfield.comparison.grid import GridScores
from cranfield.comparison.pairs import Pairs
from cranfield.defaults import (
    ALPHA,
    JUDGED_CUTOFF,
    MEASURES,
    ORDER,
    PERSISTENCE,
    RELEVANCE,
    REPORT_DEPTHS,
    REUSE_RESAMPLES,
    SEED,
    SYSTEM_NAME,
    RankingOrder,
    SystemName,
)
from cranfield.design.pool_price import LOW_SHARE, pool_by_topic, price_of
from cranfield.errors import ArgumentError, DataError, notify
from cranfield.measures.evaluation import Evaluator
from cranfield.measures.names import Measure, parse_measures
from cranfield.measures.ranking import JudgedRanking
from cranfield.measures.registry import IR_MEASURES
from cranfield.resampling import check_resamples, grid_step, product, to_grid, topic_weights
from cranfield.reusability.inputs import (
    Path,
    check_depths,
    check_left_out,
    check_numbers,
    check_teams,
    find_runs,
    find_teams,
)
from cranfield.reusability.rescoring import Array, Mask, Views, judged_share, judged_weight
from cranfield.reusability.result import Reuse
from cranfield.scores.rank_coefficients import rank_correlations, systems_above
from cranfield.sentences import reusability as say

_NOWHERE = np.iinfo(np.int64).max


def reuse(
    qrels: QrelsLike,
    runs: RunsLike,
    teams: Mapping[str, str] | Path | None = None,
    *,
    team_prefix: str | None = None,
    measures: str | Measure | Sequence[str | Measure] = MEASURES,
    depths: int | Sequence[int] = REPORT_DEPTHS,
    leave_out: str | Sequence[str] | None = None,
    cutoff: int = JUDGED_CUTOFF,
    p: float = PERSISTENCE,
    level: int = RELEVANCE,
    gains: str | None = None,
    intents: Intents | Path | None = None,
    order: RankingOrder = ORDER,
    single_precision: bool = False,
    lenient: bool = False,
    name: SystemName = SYSTEM_NAME,
    alpha: float = ALPHA,
    n_resamples: int = REUSE_RESAMPLES,
    seed: int = SEED,
) -> Reuse:
    """What happens to a team's runs when the documents that only this team brought into the pool are not judged?

    That is how a later system, which brought nothing, would be judged (Zobel 1998). For every pool depth d the pool is
    what was judged of the first d documents of all runs; judgments of other documents are not used. A team's *unique*
    judgments are those of documents that no run of another team has among its first d. They are taken away, all systems
    are scored anew, and the team's runs looked up in the new order.

    Whether two systems differ is decided by a paired t-test with Holm's correction over all pairs of a run of the team
    and a run of another; a *flip* is a pair that is decided otherwise without the unique judgments (differs, does not
    differ, or differs the other way round).

    Robust views beside the measures asked for: bpref, which passes over unjudged documents, and AP and nDCG of
    condensed lists, from which they are removed (Sakai 2007). RBP's residual says how much of its weight lies on
    unjudged documents and beyond the end of the ranking: 1 − Σ_judged (1 − p)p^(rank−1), which is p^n plus the weight
    of unjudged ranks (Moffat & Zobel 2008); a topic for which a run has nothing has residual 1.

    Parameters
    ----------
    qrels : Qrels, or whatever `as_qrels` takes
    runs : several runs, in any form that `as_runs` takes
        The runs the pool was made of.
    teams : mapping from system to team, or a file
        The team of every run; see `read_teams`. Or instead
    team_prefix : str, optional
        a regular expression: the team is what it matches at the start of the run tag.
    measures : names or `Measure` values, not of ir_measures
    depths : int or several
        Pool depths, at most that to which the runs were judged.
    leave_out : str or several, optional
        Teams to leave out; all of them in turn unless given.
    cutoff : int
        Depth of the judged share.
    p : float
        Persistence of RBP.
    level, gains, intents, order, single_precision, lenient, name : as in `evaluate`
    alpha : float
        Level of the tests, and one minus the confidence of the intervals of τ.
    n_resamples, seed : int
        Bootstrap over topics of τ_b (the percentile interval).

    References
    ----------
    Zobel, "How reliable are the results of large-scale information retrieval experiments?" (SIGIR 1998); Buckley,
    Dimmick, Soboroff & Voorhees, "Bias and the limits of pooling for large collections", Information Retrieval 10
    (2007); Sakai, "Alternatives to bpref" (SIGIR 2007).

    Examples
    --------
    >>> from cranfield import make_sample
    >>> sample = make_sample(n_topics=10, n_systems=6, n_documents=500, depth=20)
    >>> teams = dict(sample.truth.select("system", "team").iter_rows())
    >>> result = reuse(sample.qrels, sample.runs, teams, measures="AP", depths=20)
    >>> result.to_frame().columns[:9]
    ['measure', 'view', 'depth', 'team', 'runs', 'unique_judged', 'unique_relevant', 'rank_drop', 'score_change']
    """
    check_numbers(alpha, p, cutoff)
    check_resamples(n_resamples)
    wanted = check_depths(depths)
    qrels = as_qrels(qrels)
    listed, skipped = find_runs(runs, lenient, name)
    members = check_teams(listed, find_teams(listed, teams, team_prefix))
    left_out = check_left_out(leave_out, members)
    views = _views(
        qrels,
        measures,
        level=level,
        gains=gains,
        intents=intents if intents is None or isinstance(intents, Intents) else read_intents(intents),
        order=order,
        single_precision=single_precision,
    )
    if len(views.plain.topics) < 2:
        raise DataError(
            f"{qrels.name}: leaving teams out needs at least 2 judged topics; there is 1; judge more topics"
        )
    rankings = [views.plain.judge(run) for run in listed]
    matched = [ranking.matched(run.system) for run, ranking in zip(listed, rankings, strict=True)]
    refuse_other_ids(qrels, len(views.plain.judgments.topic), matched, listed.__getitem__, "pool")
    nearest = _nearest(views.plain, rankings, members)
    levels = _levels(views.plain)
    weights = np.concatenate(list(topic_weights(len(views.plain.topics), n_resamples, seed)))
    rows: list[dict[str, Any]] = []
    systems: list[dict[str, Any]] = []
    pools: dict[int, int] = {}
    for depth in wanted:
        pool = np.asarray((nearest <= depth).any(axis=1))
        if not pool.any():
            raise DataError(
                f"{qrels.name}: no document among the first {depth} of any run is judged; do the document ids agree?"
            )
        pools[depth] = int(pool.sum())
        whole = _Standing.of(views.scores(rankings, pool), weights)
        for team, own in members.items():
            if team not in left_out:
                continue
            rest = np.asarray((np.delete(nearest, list(members).index(team), axis=1) <= depth).any(axis=1))
            unique = pool & ~rest
            after = _Standing.of(views.scores(rankings, rest), weights)
            counts = {"depth": depth, "team": team, "runs": len(own), "unique_judged": int(unique.sum())}
            counts["unique_relevant"] = int((unique & (levels >= level)).sum())
            for at, (measure, view) in enumerate(views.names):
                rows.append({"measure": measure, "view": view} | counts | _effect(whole, after, at, own, alpha))
            systems += [_system(listed[j].system, team, depth, rankings[j], pool, rest, cutoff, p) for j in own]
    settings = {
        "judgments": qrels.name,
        "measures": [measure for measure, view in views.names if view == "full list"],
        "depths": list(wanted),
        "n_teams": len(members),
        "n_systems": len(listed),
        "n_topics": len(views.plain.topics),
        "cutoff": cutoff,
        "p": p,
        "level": level,
        "gains": gains,
        "order": order,
        "single_precision": single_precision,
        "test": "paired t, Holm over the team's runs against all others",
        "alpha": alpha,
        "n_resamples": n_resamples,
        "seed": seed,
    }
    said = (*skipped, *_unjudged(price_of([pool_by_topic(qrels, listed, wanted, order=order)])), *_warnings(rows))
    result = Reuse(_frame(rows, views), pl.DataFrame(systems), settings, len(nearest), pools, said)
    notify(result.warnings)
    return result


@dataclass(frozen=True, eq=False)
class _Standing:
    """Scores by every view (views × topics × systems) on the exact grid, with what orders systems by them."""

    values: Array
    sums: Array
    tolerance: Array
    drawn: list[Array]

    @classmethod
    def of(cls, values: Array, weights: Array) -> _Standing:
        n = values.shape[1]
        grid = np.stack([to_grid(layer, 2 * n) for layer in values])
        tolerance = np.asarray([2 * n * grid_step(layer, 2 * n) for layer in values])
        return cls(values, grid.sum(axis=1), tolerance, [product(weights, layer) for layer in grid])


def _effect(before: _Standing, after: _Standing, at: int, own: Sequence[int], alpha: float) -> dict[str, Any]:
    """Rank drop, score change, τ with interval, and flips, by one view."""
    tolerance = (float(before.tolerance[at]), float(after.tolerance[at]))
    ranks = [
        systems_above(side.sums[at][None], width)[0][0]
        for side, width in ((before, tolerance[0]), (after, tolerance[1]))
    ]
    n = before.values.shape[1]
    change = (after.sums[at] - before.sums[at])[own] / n
    tau = float(rank_correlations(before.sums[at][None], after.sums[at][None], tolerance)["tau_b"][0])
    drawn = rank_correlations(before.drawn[at], after.drawn[at], tolerance)["tau_b"]
    drawn = drawn[~np.isnan(drawn)]
    known = not math.isnan(tau) and len(drawn) > 0
    limits = np.quantile(drawn, [alpha / 2, 1 - alpha / 2]) if known else (0.0, 0.0)
    others = [j for j in range(before.values.shape[2]) if j not in own]
    pairs = Pairs(
        np.repeat(np.asarray(own, dtype=np.intp), len(others)), np.tile(np.asarray(others, dtype=np.intp), len(own))
    )
    decided = [_decisions(side.values[at], pairs, alpha) for side in (before, after)]
    return {
        "rank_drop": int((ranks[1] - ranks[0])[own].max()),
        "score_change": float(change.min()),
        "tau": tau if known else None,
        "lower": min(float(limits[0]), tau) if known else None,
        "upper": max(float(limits[1]), tau) if known else None,
        "pairs": len(pairs),
        "flips": int((decided[0] != decided[1]).sum()),
    }


def _decisions(values: Array, pairs: Pairs, alpha: float) -> NDArray[np.int64]:
    """+1, −1 or 0 for every pair: the first is better, the second, or undecided."""
    scores = GridScores.of(values)
    p = np.asarray(adjust(paired_t(scores, pairs, "two-sided"), "holm"))
    return np.where(at_most(p, alpha), np.sign(pairs.of(scores.sums)), 0).astype(np.int64)


def _system(
    system: str, team: str, depth: int, ranking: JudgedRanking, pool: Mask, rest: Mask, cutoff: int, p: float
) -> dict[str, Any]:
    row: dict[str, Any] = {"depth": depth, "team": team, "system": system}
    for suffix, kept in (("", pool), ("_without", rest)):
        row[f"judged{suffix}"] = judged_share(ranking, kept, cutoff)
        row[f"residual{suffix}"] = float(1 - judged_weight(ranking, kept, p).mean())
    return row


def _nearest(
    evaluator: Evaluator, rankings: Sequence[JudgedRanking], members: Mapping[str, list[int]]
) -> NDArray[np.int64]:
    """The best rank any run of each team gives each judged document: documents × teams."""
    nearest = np.full((len(evaluator.judgments.topic), len(members)), _NOWHERE)
    for column, own in enumerate(members.values()):
        for j in own:
            np.minimum.at(nearest[:, column], rankings[j].document, rankings[j].rank)
    return nearest


def _levels(evaluator: Evaluator) -> NDArray[np.int64]:
    """The highest level each document has for any subtopic."""
    subtopics = evaluator.judgments.subtopics
    level = np.full(len(evaluator.judgments.topic), -1, dtype=np.int64)
    np.maximum.at(level, subtopics.document, subtopics.level)
    return level


def _views(qrels: Qrels, measures: str | Measure | Sequence[str | Measure], **scoring: Any) -> Views:
    named = parse_measures(measures)
    if foreign := [str(measure) for measure in named if measure.name.startswith(IR_MEASURES)]:
        raise ArgumentError(
            f"`measures`: {', '.join(foreign)} is computed by ir_measures, which cannot leave judgments out."
        )
    single = not qrels.frame.select("topic", "document").is_duplicated().any()
    # Bpref and condensed lists need one judgment per document; diversity judgments have one per subtopic.
    plain = Evaluator(qrels, [*named, *(["Bpref"] if single else [])], **scoring)
    return Views(plain, Evaluator(qrels, ["AP", "nDCG"], **scoring) if single else None)


def _frame(rows: list[dict[str, Any]], views: Views) -> pl.DataFrame:
    order = {name: at for at, name in enumerate(views.names)}
    by_view = sorted(rows, key=lambda row: order[row["measure"], row["view"]])
    return pl.DataFrame(by_view, schema_overrides=dict.fromkeys(("tau", "lower", "upper"), pl.Float64))


def _unjudged(pools: pl.DataFrame) -> tuple[str, ...]:
    """Which pools are deeper than the judging was."""
    deep = pools.filter(pl.col("judged_share") < LOW_SHARE)
    if deep.is_empty():
        return ()
    worst = deep.row(-1, named=True)
    return (
        say.POOL_NOT_JUDGED(
            depths=", ".join(map(str, deep["depth"])), share=worst["judged_share"], depth=worst["depth"],
            judged=worst["judged_per_topic"], pool=worst["pool_per_topic"],
        ),
    )  # fmt: skip


def _warnings(rows: list[dict[str, Any]]) -> tuple[str, ...]:
    blind = sum(row["tau"] is None for row in rows)
    if blind:
        return (say.NO_TAU(count=blind, rows=len(rows)),)
    return ()
