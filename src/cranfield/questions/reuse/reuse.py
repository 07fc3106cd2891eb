"""`reuse`: are these judgments fair to systems that did not contribute to the pool?"""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Unpack

import numpy as np
import polars as pl

from cranfield.collection.doors import QrelsLike, RunsLike, as_qrels, as_runs, skipped_files
from cranfield.collection.matched import refuse_other_ids
from cranfield.collection.readers import read_runs
from cranfield.collection.teams import read_teams, teams_by_prefix, teams_of
from cranfield.collection.types import Qrels, Run
from cranfield.core import defaults
from cranfield.core.answer import sentence
from cranfield.core.arguments import check_arguments
from cranfield.core.errors import ArgumentError, DataError, UnknownNameError, notify
from cranfield.core.labels import natural_sorted, plural, summary
from cranfield.core.options import at_least, share
from cranfield.core.resampling import check_resamples, topic_weights
from cranfield.core.results import Result, check_frame, signature
from cranfield.measures.evaluation import Evaluator
from cranfield.measures.names import MeasuresLike, parse_measures
from cranfield.measures.options import ScoringOptions, complete_scoring
from cranfield.measures.registry import IR_MEASURES
from cranfield.measures.shares import TopShares, mostly_unjudged
from cranfield.questions.cost.pools import LOW_SHARE, pool_by_topic, price_of
from cranfield.questions.pool.contributing import Contributing, find_contributors, named_contributors
from cranfield.questions.reuse.answer import decisions_change, headline, reuse_answer
from cranfield.questions.reuse.rescoring import Standing, Views, effect, highest_levels, judged_of, nearest_ranks

if TYPE_CHECKING:
    from cranfield.core.answer import Drawings

Path = str | os.PathLike[str]
POOL_NOT_JUDGED = sentence(
    "reusability.pool-not-judged",
    "Depth {depths}: only {share:.0%} of the pool of depth {depth} was judged ({judged:,.0f} of {pool:,.0f} "
    "documents per topic). Rank losses there are underestimated, because fewer judged documents are unique to a "
    "team. Use a shallower depth, or name the runs that built the pool (`contributing`).",
    "less than nine tenths of the pool of these depths was judged",
)
NO_TAU = sentence(
    "reusability.no-tau",
    "{count} of {rows} rows have no tau, because all systems tie with or without the judgments.",
    "in that many rows all systems have the same score, with or without the team's judgments",
)


@dataclass(frozen=True, eq=False)
class Reuse(Result):
    """Every team left out in turn, at every pool depth, by every measure; get one from `reuse`.

    Attributes
    ----------
    rows : polars frame
        One row per measure, view, depth and team; see `to_frame`.
    system_rows : polars frame
        One row per depth and system: how much of its top is judged, and RBP's residual, with and without its team.
    n_judged : int
        Number of judgments.
    pools : mapping from depth to int
        Number of judgments of documents in the pool of that depth; the others are not used.
    shares : mapping from depth to float
        Judged share of the documents in the pool of that depth.
    """

    rows: pl.DataFrame
    system_rows: pl.DataFrame
    settings: Mapping[str, Any]
    n_judged: int
    pools: Mapping[int, int]
    shares: Mapping[int, float]
    warnings: tuple[str, ...] = field(default=())

    def __post_init__(self) -> None:
        for table in (self.rows, self.system_rows):
            check_frame("reusability", table)

    @property
    def signature(self) -> str:
        """One line for a paper's footnote."""
        return signature("reusability, teams left out in turn", **dict(self.settings))

    def to_frame(self) -> pl.DataFrame:
        """One row per measure, view, depth and team.

        measure, view (``full list`` or ``condensed list``), depth, pool_judged (the judged share of that pool; below .9
        the losses of the row are underestimated, and the headline ignores it), team, runs, unique_judged,
        unique_relevant, rank_drop (the most ranks one of its runs loses; negative when all gain), score_change (the
        mean score of the run that loses most, without minus with its judgments), tau with lower and upper (the order of
        all systems without and with them), pairs (of its runs with those of other teams) and flips (changed decisions).
        """
        return self.rows

    def systems_frame(self) -> pl.DataFrame:
        """One row per depth and system: judged and residual, with and without its team."""
        return self.system_rows

    @property
    def sound_depth(self) -> int | None:
        """The deepest pool that is at least 90% judged; None where there is none."""
        return max((depth for depth, share in self.shares.items() if share >= LOW_SHARE), default=None)

    def worst(self) -> pl.DataFrame:
        """The team that loses most ranks, for every measure, view and depth."""
        by = ["measure", "view", "depth"]
        order = self.rows.sort("rank_drop", "tau", descending=[True, False], maintain_order=True)
        return order.unique(by, keep="first", maintain_order=True).sort(by)

    def to_dict(self) -> dict[str, Any]:
        """Everything as plain Python values."""
        pools = [
            {"depth": depth, "judged": count, "judged_share": self.shares[depth]} for depth, count in self.pools.items()
        ]
        systems = self.system_rows.to_dicts()
        return {**super().to_dict(), "systems": systems, "judged": self.n_judged, "pools": pools}

    def summary(self) -> str:
        """The headline, and how many decisions change."""
        return f"{headline(self)}. {decisions_change(self)}".strip()

    def __repr__(self) -> str:
        return f"Reuse({self.summary()})\n{self.rows}"

    def _view(self) -> tuple[str, list[pl.DataFrame]]:
        return self.summary(), [self.worst(), self.rows]

    answer = reuse_answer

    @staticmethod
    def drawings() -> Drawings:
        """Its charts by name; the first is drawn unless another is named."""
        from cranfield.questions.reuse import charts

        return {"drops": charts.drops, "depths": charts.depths}


def reuse(
    qrels: QrelsLike,
    runs: RunsLike,
    teams: Mapping[str, str] | Path | None = None,
    *,
    team_prefix: str | None = None,
    contributing: Contributing | None = None,
    measures: MeasuresLike = defaults.MEASURES,
    depths: int | Sequence[int] = defaults.REPORT_DEPTHS,
    leave_out: str | Sequence[str] | None = None,
    cutoff: int = defaults.JUDGED_CUTOFF,
    p: float = defaults.PERSISTENCE,
    alpha: float = defaults.ALPHA,
    n_resamples: int = defaults.REUSE_RESAMPLES,
    seed: int = defaults.SEED,
    **scoring: Unpack[ScoringOptions],
) -> Reuse:
    """What happens to a team's runs without the judgments of documents that only this team contributed?

    This is how a later system, which contributed nothing, would be judged (Zobel 1998). The pool of depth d is the
    judged documents among the first d of the contributing runs; judgments of other documents are not used. A team's
    *unique* judgments are those of documents that no contributing run of another team has among its first d. They are
    left out, all systems are scored again, and the team's runs are found in the new order. A team without contributing
    runs has nothing to leave out, and no row.

    Where a pool was judged in part, few judged documents are unique to a team, and losses are underestimated. The
    headline therefore takes the deepest pool that is at least 90% judged.

    A paired t-test with Holm's correction decides whether two systems differ. The family is all pairs of a run of the
    team and a run of another team. A *flip* is a pair with another decision without the unique judgments: different,
    undecided, or different in the opposite direction.

    Robust views are added to the measures: bpref, which ignores unjudged documents, and AP and nDCG of condensed lists,
    from which they are removed (Sakai 2007). RBP's residual is the weight of unjudged documents and of ranks beyond
    the end of the ranking: 1 − Σ_judged (1 − p)p^(rank−1). This is p^n plus the weight of unjudged ranks (Moffat &
    Zobel 2008). A topic without retrieved documents has residual 1.

    Parameters
    ----------
    qrels : Qrels, or whatever `as_qrels` takes
    runs : several runs, in any form that `as_runs` takes
        The runs to score, those that built the pool among them.
    teams : mapping from system to team, or a file
        The team of every run; see `read_teams`. Or instead
    team_prefix : str, optional
        a regular expression: the team is what it matches at the start of the run tag.
    contributing : names of runs, or a file with one name per line, optional
        The runs that built the pool; all runs unless given.
    measures : names or `Measure` values, not of ir_measures
    depths : int or several
        Pool depths; at most the depth of judging.
    leave_out : str or several, optional
        Teams to leave out; all of them in turn unless given.
    cutoff : int
        Depth of the judged share.
    p : float
        Persistence of RBP.
    alpha : float
        Level of the tests, and one minus the confidence of the intervals of τ.
    n_resamples, seed : int
        Bootstrap over topics behind the interval of τ_b, which is that of `correlate`; none with fewer than 5 runs.
    level, gains, intents, order, single_precision, lenient, name, judged_only : as in `evaluate`

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
    >>> result.to_frame().columns[:8]
    ['measure', 'view', 'depth', 'pool_judged', 'team', 'runs', 'unique_judged', 'unique_relevant']
    """
    check_arguments(reuse, locals())
    share("alpha", alpha)
    share("p", p)
    at_least("cutoff", cutoff, 1, defaults.JUDGED_CUTOFF)
    check_resamples(n_resamples)
    wanted = _check_depths(depths)
    qrels = as_qrels(qrels)
    options = complete_scoring(scoring, "reuse")
    listed, skipped = _find_runs(runs, options["lenient"], options["name"])
    grouping = _find_teams(listed, teams, team_prefix)
    members = _check_teams(listed, grouping)
    contributors = find_contributors(contributing)
    built = [True] * len(listed) if contributors is None else contributors.among([run.system for run in listed])
    pooled = {team: [j for j in own if built[j]] for team, own in members.items()}
    left_out = _check_left_out(leave_out, members, pooled)
    views = _views(qrels, measures, options)
    if len(views.plain.topics) < 2:
        raise DataError(
            f"{qrels.name}: there is 1 judged topic; leaving teams out needs at least 2. Judge more topics."
        )
    rankings = [views.plain.judge(run) for run in listed]
    matched = [ranking.matched(run.system) for run, ranking in zip(listed, rankings, strict=True)]
    refuse_other_ids(qrels, len(views.plain.judgments.topic), matched, listed.__getitem__, "pool")
    nearest = nearest_ranks(views.plain, rankings, pooled)
    levels = highest_levels(views.plain)
    weights = np.concatenate(list(topic_weights(len(views.plain.topics), n_resamples, seed)))
    builders = [run for run, contributed in zip(listed, built, strict=True) if contributed]
    price = price_of([pool_by_topic(qrels, builders, wanted, order=options["order"])])
    shares = {row["depth"]: row["judged_share"] or 0.0 for row in price.iter_rows(named=True)}
    rows: list[dict[str, Any]] = []
    systems: list[dict[str, Any]] = []
    pools: dict[int, int] = {}
    for depth in wanted:
        pool = np.asarray((nearest <= depth).any(axis=1))
        if not pool.any():
            raise DataError(
                f"{qrels.name}: no document among the first {depth} of any run is judged. Check the document ids."
            )
        pools[depth] = int(pool.sum())
        whole = Standing.of(views.scores(rankings, pool), weights)
        for team, own in members.items():
            if team not in left_out:
                continue
            rest = np.asarray((np.delete(nearest, list(members).index(team), axis=1) <= depth).any(axis=1))
            unique = pool & ~rest
            after = Standing.of(views.scores(rankings, rest), weights)
            counts = {
                "depth": depth,
                "pool_judged": shares[depth],
                "team": team,
                "runs": len(own),
                "unique_judged": int(unique.sum()),
            }
            counts["unique_relevant"] = int((unique & (levels >= options["level"])).sum())
            for at, (measure, view) in enumerate(views.names):
                rows.append({"measure": measure, "view": view} | counts | effect(whole, after, at, own, alpha))
            systems += [judged_of(listed[j].system, team, depth, rankings[j], pool, rest, cutoff, p) for j in own]
    settings = {
        "judgments": qrels.name,
        "measures": [measure for measure, view in views.names if view == views.whole],
        "depths": list(wanted),
        "n_teams": len(members),
        "n_systems": len(listed),
        "contributing": named_contributors(contributing),
        **({} if contributors is None else {"n_pooled": sum(built)}),
        "n_topics": len(views.plain.topics),
        "cutoff": cutoff,
        "p": p,
        **{
            name: value
            for name, value in options.items()
            if name in ("level", "gains", "order", "single_precision", "judged_only")
        },
        "test": "paired t, Holm over the team's runs against all others",
        "alpha": alpha,
        "n_resamples": n_resamples,
        "seed": seed,
    }
    names = [run.system for run in listed]
    absent = () if contributors is None else contributors.absent(names)
    _, ignored = teams_of(names, grouping)
    tops = [TopShares(run.system, views.plain.shares(one)) for run, one in zip(listed, rankings, strict=True)]
    said = (*skipped, *ignored, *absent, *mostly_unjudged(tops), *_unjudged(price), *_warnings(rows))
    result = Reuse(_frame(rows, views), pl.DataFrame(systems), settings, len(nearest), pools, shares, said)
    notify(result.warnings)
    return result


def _find_runs(runs: RunsLike, lenient: bool, name: defaults.SystemName) -> tuple[list[Run], tuple[str, ...]]:
    """The runs in byte order of their systems, and warnings about skipped files."""
    sources = as_runs(runs)
    given = list(sources)
    listed = [one for one in given if isinstance(one, Run)]
    if files := [one for one in given if not isinstance(one, Run)]:
        listed += read_runs(files, lenient=lenient, name=name)
    return sorted(listed, key=lambda run: run.system.encode()), skipped_files(sources)


def _find_teams(
    runs: Sequence[Run], teams: Mapping[str, str] | Path | None, team_prefix: str | None
) -> Mapping[str, str]:
    """The team of each system, from a mapping, a file or a prefix."""
    if (teams is None) == (team_prefix is None):
        raise ArgumentError(
            "the runs need teams. Give either `teams` (a file of lines `system team`) or `team_prefix` "
            "(a regular expression for the start of run tags)."
        )
    if team_prefix is not None:
        return teams_by_prefix([run.system for run in runs], [run.tag for run in runs], team_prefix)
    return teams if isinstance(teams, Mapping) else read_teams(teams)  # type: ignore[arg-type]


def _check_teams(runs: Sequence[Run], teams: Mapping[str, str]) -> dict[str, list[int]]:
    """The runs of every team, by position, teams in numeric-aware order."""
    names = [run.system for run in runs]
    if len(set(names)) < len(names):
        twice = next(name for name in names if names.count(name) > 1)
        raise DataError(f"two runs are called {twice}. Give every run a unique name.")
    if not names:
        raise ArgumentError("`runs` is empty. Give the runs the pool was made of.")
    if missing := [name for name in names if name not in teams]:
        raise DataError(
            f"no team is given for {plural(len(missing), 'run')} ({summary(missing)}). Add them to `teams`."
        )
    members: dict[str, list[int]] = {team: [] for team in natural_sorted({teams[name] for name in names})}
    for at, name in enumerate(names):
        members[teams[name]].append(at)
    if len(members) < 2:
        raise DataError(f"all {len(names)} runs are of one team ({next(iter(members))}). Give at least 2 teams.")
    return members


def _check_left_out(
    leave_out: str | Sequence[str] | None, members: Mapping[str, list[int]], pooled: Mapping[str, list[int]]
) -> list[str]:
    """The teams to leave out, all of them known and with contributing runs."""
    able = [team for team, own in pooled.items() if own]
    chosen = able if leave_out is None else [leave_out] if isinstance(leave_out, str) else list(leave_out)
    for team in chosen:
        if team not in members:
            raise UnknownNameError("team", team, members)
        if not pooled[team]:
            raise ArgumentError(f"`leave_out`: no run of team {team} contributed to the pool. Leave out another team.")
    if not chosen:
        raise ArgumentError("`leave_out` is empty. Name at least one team, or omit it for all teams.")
    return chosen


def _check_depths(depths: int | Sequence[int]) -> list[int]:
    """The pool depths in ascending order, each once."""
    wanted = list(dict.fromkeys([depths] if isinstance(depths, int) else depths))
    for depth in wanted:
        at_least("depths", depth, 1, 100)
    if not wanted:
        raise ArgumentError("`depths` is empty. Give at least one pool depth.")
    return sorted(wanted)


def _views(qrels: Qrels, measures: MeasuresLike, scoring: ScoringOptions) -> Views:
    named = parse_measures(measures)
    if foreign := [str(measure) for measure in named if measure.name.startswith(IR_MEASURES)]:
        raise ArgumentError(
            f"`measures`: {', '.join(foreign)} is computed by ir_measures, which cannot leave judgments out."
        )
    single = not qrels.frame.select("topic", "document").is_duplicated().any()
    # Bpref and condensed lists need one judgment per document; diversity judgments have one per subtopic.
    plain = Evaluator(qrels, [*named, *(["Bpref"] if single else [])], **scoring)
    beside = single and not scoring["judged_only"]  # then the measures asked for are of condensed lists already
    return Views(plain, Evaluator(qrels, ["AP", "nDCG"], **scoring) if beside else None)


def _frame(rows: list[dict[str, Any]], views: Views) -> pl.DataFrame:
    order = {name: at for at, name in enumerate(views.names)}
    by_view = sorted(rows, key=lambda row: order[row["measure"], row["view"]])
    return pl.DataFrame(by_view, schema_overrides=dict.fromkeys(("tau", "lower", "upper"), pl.Float64))


def _unjudged(pools: pl.DataFrame) -> tuple[str, ...]:
    """A warning about pools that were not judged completely."""
    deep = pools.filter(pl.col("judged_share") < LOW_SHARE)
    if deep.is_empty():
        return ()
    worst = deep.row(-1, named=True)
    return (
        POOL_NOT_JUDGED(
            depths=", ".join(map(str, deep["depth"])), share=worst["judged_share"], depth=worst["depth"],
            judged=worst["judged_per_topic"], pool=worst["pool_per_topic"],
        ),
    )  # fmt: skip


def _warnings(rows: list[dict[str, Any]]) -> tuple[str, ...]:
    unknown = sum(row["tau"] is None for row in rows)
    return (NO_TAU(count=unknown, rows=len(rows)),) if unknown else ()
