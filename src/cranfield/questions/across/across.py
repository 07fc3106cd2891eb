"""`across`: which systems differ over several collections, or over several seeds?"""

from __future__ import annotations

import math
import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
import polars as pl
from numpy.typing import NDArray
from scipy.special import stdtr

from cranfield.core.answer import sentence
from cranfield.core.arguments import check_arguments
from cranfield.core.defaults import ALPHA, MAX_T_RESAMPLES, SEED
from cranfield.core.errors import ArgumentError, DataError, UnknownNameError, notify, quietly
from cranfield.core.labels import plural, positions, summary
from cranfield.core.recognition import collected_columns
from cranfield.core.resampling import check_resamples
from cranfield.core.results import Result, check_frame, signature
from cranfield.questions.across.answer import across_answer, headline
from cranfield.questions.across.board import (
    interquartile_means,
    leaders,
    mean_intervals,
    mean_ranks,
    rank_ends,
    ranks,
    sources,
    standardised,
)
from cranfield.questions.across.claims import Claim, borda, like_these, replicated, these_collections
from cranfield.questions.across.collected import Collected, collect, from_scores, from_table
from cranfield.questions.across.files import Parts, read_parts
from cranfield.questions.across.question import AcrossQuestion, weights_of
from cranfield.questions.across.seeds import recipes
from cranfield.questions.compare.cautions import named_by_seed
from cranfield.questions.compare.clusters import TopicGroups, groups_of
from cranfield.questions.compare.compare import compare
from cranfield.questions.compare.comparison import Comparison
from cranfield.questions.compare.corrections import at_most
from cranfield.questions.compare.family import GridScores, Pairs, against, all_pairs
from cranfield.questions.compare.flips import saddlepoint
from cranfield.questions.compare.randomisation import randomisation
from cranfield.questions.compare.resampled import Resampling
from cranfield.scores.doors import CollectionsLike, as_collections
from cranfield.scores.frames import as_polars, is_frame
from cranfield.scores.matrix import ScoreMatrix

if TYPE_CHECKING:
    from cranfield.core.answer import Drawings

Array = NDArray[np.float64]
ENOUGH = 8
"""Collections from which the claim about collections like these is worth relying on."""
FEWEST = 3
"""Collections below which that claim is not made."""
FEW_COLLECTIONS = sentence(
    "across.few-collections",
    "{count} collections are few to infer about others like them ({df} degrees of freedom), so intervals are wide. Use "
    "at least {enough}.",
    "a claim about collections like these is made from fewer than 8",
    measured="across.md#what-simulation-says",
)
MEANS_ONLY = sentence(
    "across.means-only",
    "{measure}: only means are given, without topics. They support claims about collections like these, not about "
    "these collections.",
    "the table has one mean per system and collection",
)
FEW_SEEDS = sentence(
    "across.few-seeds",
    "Some systems have two seeds. Where seed spread differs between systems, up to 13% of simulated families had a "
    "false positive at level 0.05. Train a third seed.",
    "a recipe claim uses a system with two seeds",
    measured="across.md#what-simulation-says",
)
ONE_COLLECTION = sentence(
    "across.one-collection",
    "{collection} counts as one collection of {count} topics. If these are collections, give a table with a column "
    "`collection`.",
    "there is one collection, and no system has several seeds",
)
LISTED = 13
"""Topics or collections up to which all sign flips are listed."""
MEASURED = 25
"""Topics per collection from which error rates were simulated."""
FEW_TOPICS = sentence(
    "across.few-topics",
    "{collection} has {count} topics. The error rates were measured with {measured} or more per collection.",
    "several collections or seeds, and one collection has fewer than 25 topics",
)


@dataclass(frozen=True, eq=False)
class Across(Result):
    """Systems over several collections or seeds; get one from `across`.

    Attributes
    ----------
    rows : one row per measure, claim and pair; see `to_frame`
    board : one row per measure and system, by the first claim; see `leaderboard`
    source_rows : one row per measure and source of variance
    collection_rows : one row per measure and collection
    data : the scores by measure
    """

    rows: pl.DataFrame
    board: pl.DataFrame
    source_rows: pl.DataFrame
    collection_rows: pl.DataFrame
    settings: Mapping[str, Any]
    data: tuple[Collected, ...] = field(repr=False)
    warnings: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        check_frame("across", self.rows, "difference")
        check_frame("across", self.board, "mean")
        for table in (self.source_rows, self.collection_rows):
            check_frame("across", table)

    @property
    def signature(self) -> str:
        """One line for a paper's footnote."""
        known = self.settings
        return signature(
            "systems over collections",
            measure=[one.measure for one in self.data],
            claims=known["claim"],
            collections=known["n_collections"],
            scale=None if known["scale"] == "raw" else known["scale"],
            weights=known["weights"],
            topics=known["topic_groups"] and f"in {known['topic_groups']}",
            systems=known["n_systems"],
            seeds=known["n_seeds"] if known["n_seeds"] > 1 else None,
            alpha=known["alpha"],
            resamples=known["n_resamples"],
            seed=known["seed"],
        )

    def to_frame(self) -> pl.DataFrame:
        """One row per measure, claim and pair.

        measure, claim, system_a, system_b, mean_a, mean_b, difference with lower and upper, effect_size, p,
        p_adjusted and significant as in `compare`. ``collections`` is their number. ``replicated`` is in how many of
        them at least the difference holds (partial conjunction); missing for means alone.
        """
        return self.rows

    def leaderboard(self) -> pl.DataFrame:
        """One row per measure and system, best first, by the first claim.

        rank, system, mean with lower and upper, rank_lower and rank_upper (simultaneous), may_be_best,
        standardised_mean (z scores per collection), borda (MTEB's points) and borda_rank.
        """
        return self.board

    def components(self) -> pl.DataFrame:
        """One row per measure and source: component, variance and its share of the sum."""
        return self.source_rows

    def views(self) -> pl.DataFrame:
        """One row per measure and system: the mean beside means that no test rests on.

        standardised_mean, borda, borda_rank, mean_rank (over collections), interquartile_mean (over collections and
        seeds; Agarwal et al. 2021).
        """
        tables = [
            pl.DataFrame(
                {
                    "system": list(data.systems),
                    "mean_rank": mean_ranks(data.system_means),
                    "interquartile_mean": interquartile_means(data),
                }
            ).with_columns(measure=pl.lit(data.measure))
            for data in self.data
        ]
        kept = self.board.select("measure", "system", "mean", "standardised_mean", "borda", "borda_rank")
        return kept.join(pl.concat(tables), on=["measure", "system"], how="left", maintain_order="left")

    def collections(self) -> pl.DataFrame:
        """One row per measure and collection: its leader, and who leads without it."""
        return self.collection_rows

    def to_dict(self) -> dict[str, Any]:
        """Everything as plain Python values."""
        more = {"leaderboard": self.board, "components": self.source_rows, "collections": self.collection_rows}
        return {**super().to_dict(), **{name: table.to_dicts() for name, table in more.items()}}

    def summary(self) -> str:
        """The headline."""
        return headline(self)

    def __repr__(self) -> str:
        return f"Across({self.summary()})\n{self.rows}"

    answer = across_answer

    @staticmethod
    def drawings() -> Drawings:
        """Its charts by name; the first is drawn unless another is named."""
        from cranfield.questions.across import charts

        return {
            "systems": charts.systems,
            "forest": charts.forest,
            "components": charts.components,
            "critical-difference": charts.critical_difference,
        }


def across(
    collections: CollectionsLike | Parts,
    missing: str = "error",
    *,
    measure: str | Sequence[str] | None = None,
    claim: str | Sequence[str] | None = None,
    baseline: str | Sequence[str] | None = None,
    deterministic: str | Sequence[str] | None = None,
    scale: str = "raw",
    weights: Mapping[str, float] | Sequence[str] | None = None,
    topic_groups: TopicGroups | None = None,
    alpha: float = ALPHA,
    n_resamples: int | None = None,
    seed: int = SEED,
) -> Across:
    """Which systems differ over several collections, or over several training seeds?

    Parameters
    ----------
    collections : scores by collection
        ``{name: scores}``, each in any form that `as_scores` takes; files or folders; or a frame with the columns
        collection, system, topic, value and optionally seed and measure. A frame without topics holds means.
    missing : {"error", "zero", "drop-topic", "drop-collection", "drop-system"}
        What missing results mean.
    measure : which measures to take; all unless named
    claim : {"these", "like_these", "trained", "recipe"} or several
        Default: all that the data support. See `docs/across.md`.
    baseline : compare every other system with these; all pairs unless given
    deterministic : systems that need no seeds, such as BM25
    scale : {"raw", "standardised", "borda"}
        What is compared: scores, scores standardised per collection, or systems beaten (Borda points, which support
        the claim about collections like these alone).
    weights : weight of each collection, as a mapping or as texts ``NAME=W``; collections not named weigh 1. Then only
        claims about these collections are made
    topic_groups : mapping from topic to group, or a file that `read_topic_groups` reads
        Topics that belong together are drawn together. See `docs/compare.md`.
    alpha : level of the decisions of each claim; intervals have level 1 − alpha, simultaneously
    n_resamples : resamples of max-t, by default 9,999
    seed : seed of the resamples

    Returns
    -------
    Across
        One collection with one run per system gives the numbers of `compare`.

    References
    ----------
    Romano & Wolf, Econometrica 73 (2005); Benjamini & Heller, Biometrics 64 (2008); Satterthwaite, Biometrics Bulletin
    2 (1946).

    Examples
    --------
    >>> from cranfield import make_scores
    >>> x, y = (make_scores(n_topics=30, n_systems=2, seed=seed) for seed in (1, 2))
    >>> across({"x": x, "y": y}, n_resamples=999).to_frame()["claim"].to_list()
    ['these']
    """
    check_arguments(across, locals())
    if n_resamples is not None:
        check_resamples(n_resamples)
    asked = AcrossQuestion(
        claim=_several(claim), baseline=_several(baseline), deterministic=_several(deterministic), alpha=alpha,
        n_resamples=n_resamples, seed=seed, missing=missing, scale=scale, weights=_weight_texts(weights),
        topic_groups=None if topic_groups is None else Path("groups"),
    )  # fmt: skip
    groups = groups_of(topic_groups)
    parts = as_parts(collections, measure, missing)
    every = collect(parts, missing, groups, weights_of(asked.weights), asked.scale)
    found = [_answered(data, asked, groups) for data in every]
    data = tuple(one.data for one in found)
    first = data[0]
    settings = AcrossQuestion.in_force(
        asked,
        measures=[one.measure for one in data],
        claim=list(found[0].claims),
        n_resamples=found[0].n_resamples,
        n_collections=len(first.collections),
        collections=list(first.collections),
        n_topics=[len(labels) for labels in first.topics] or None,
        n_systems=len(first.systems),
        n_seeds=max(map(len, first.seeds)),
        topic_groups=grouped_as(first),
    )
    if len(data) == 1:
        settings = {"measure": first.measure, **settings}
    result = Across(
        pl.concat([one.pairs for one in found]),
        pl.concat([one.board for one in found]),
        pl.concat([one.sources for one in found]),
        pl.concat([one.leaders for one in found]),
        settings,
        data,
        tuple(dict.fromkeys(text for one in found for text in one.warnings)),
    )
    notify(result.warnings)
    return result


class _Found(NamedTuple):
    """What was found by one measure."""

    data: Collected
    claims: tuple[str, ...]
    n_resamples: int | None
    pairs: pl.DataFrame
    board: pl.DataFrame
    sources: pl.DataFrame
    leaders: pl.DataFrame
    warnings: tuple[str, ...]


def _weight_texts(weights: Mapping[str, float] | Sequence[str] | None) -> tuple[str, ...] | None:
    if isinstance(weights, Mapping):
        weights = [f"{name}={float(weight)!r}" for name, weight in weights.items()]
    return _several(weights)


def grouped_as(data: Collected) -> str | None:
    """Groups of topics as settings show them: how many there are on each collection."""
    if not any(data.clusters):
        return None
    return f"{summary([str(len(values)) for values in data.units], 20)} groups"


def _several(names: str | Sequence[str] | None) -> tuple[str, ...] | None:
    given = (names,) if isinstance(names, str) else tuple(dict.fromkeys(names or ()))
    return given or None


def as_parts(collections: Any, measure: str | Sequence[str] | None, missing: str) -> Any:
    """The scores by measure and collection, from whatever was given."""
    if isinstance(collections, Parts):
        return collections.by_measure
    wanted = [measure] if isinstance(measure, str) else list(measure or ())
    files = [collections] if isinstance(collections, (str, os.PathLike)) else collections
    if isinstance(files, (list, tuple)) and files and all(isinstance(one, (str, os.PathLike)) for one in files):
        asked = AcrossQuestion(measure=tuple(wanted) or None, missing=missing)
        return read_parts([os.fspath(one) for one in files], asked).by_measure
    if is_frame(collections) and collected_columns(as_polars(collections).columns) is not None:
        parts = from_table(as_polars(collections), wanted[0] if len(wanted) == 1 else None, missing)
    else:
        parts = from_scores(as_collections(collections, argument="collections"))
    for name in wanted:
        if name not in parts:
            raise UnknownNameError("measure", name, list(parts))
    return {name: parts[name] for name in wanted} if wanted else parts


# ── claims ────────────────────────────────────────────────────────────────────────────────────────────────


def supported(data: Collected) -> tuple[str, ...]:
    """The claims that the data support."""
    several = ("like_these",) if len(data.collections) >= FEWEST and data.equal_weights else ()
    if data.scores is None:
        return several
    return (*(("trained", "recipe") if data.with_seeds else ("these",)), *several)


def _claims(data: Collected, asked: AcrossQuestion) -> tuple[str, ...]:
    """The claims to test; one that the data do not support is refused."""
    can = supported(data)
    for name in asked.deterministic or ():
        if name not in data.systems:
            raise UnknownNameError("system", name, data.systems)
    if not can and not data.equal_weights:
        raise DataError(f"{data.measure}: means support a claim with equal weights only. Leave out `weights`.")
    if not can:
        raise DataError(
            f"{data.measure}: means of {plural(len(data.collections), 'collection')} support no claim. Give scores by "
            f"topic, or at least {ENOUGH} collections."
        )
    for claim in asked.claim or ():
        if claim not in can:
            raise ArgumentError(f"`claim` {claim!r} needs {_needs(claim)}. These data support: {', '.join(can)}.")
    chosen = asked.claim or can
    alone = [
        name
        for name, labels in zip(data.systems, data.seeds, strict=True)
        if len(labels) == 1 and name not in (asked.deterministic or ())
    ]
    # With scores by topic, what holds for collections like these must hold for the recipes too.
    if alone and data.with_seeds and data.scores is not None and {"recipe", "like_these"} & {*chosen}:
        raise DataError(
            f"{data.measure}: system {alone[0]!r} has one seed, which tells nothing about its recipe. Give more "
            "seeds, or use `across` with `deterministic` or the `claim` trained."
        )
    return chosen


def _needs(claim: str) -> str:
    return {
        "these": "scores by topic and one run per system",
        "like_these": f"at least {FEWEST} collections with equal weights",
        "trained": "scores by topic and several seeds",
        "recipe": "scores by topic and several seeds",
    }[claim]


def _warnings(data: Collected, claims: Sequence[str], asked: AcrossQuestion) -> list[str]:
    k = len(data.collections)
    said = list(data.warnings)
    if data.scores is None and asked.scale != "borda":
        said.append(MEANS_ONLY(measure=data.measure))
    if "like_these" in claims and k < ENOUGH:
        said.append(FEW_COLLECTIONS(count=k, df=k - 1, enough=ENOUGH))
    if "recipe" in claims and any(len(labels) == 2 for labels in data.seeds):
        said.append(FEW_SEEDS())
    if k == 1 and not data.with_seeds:
        said.append(ONE_COLLECTION(collection=data.collections[0], count=len(data.topics[0])))
        return said  # `compare` has its own
    said += data.cautions
    if not data.with_seeds:
        said += named_by_seed(data.systems)
    fewest = min(range(k), key=lambda at: len(data.topics[at])) if data.topics else 0
    if data.topics and not any(data.clusters) and len(data.topics[fewest]) < MEASURED:
        count = len(data.topics[fewest])
        said.append(FEW_TOPICS(collection=data.collections[fewest], count=count, measured=MEASURED))
    return list(dict.fromkeys(said))


def _answered(data: Collected, asked: AcrossQuestion, groups: Mapping[str, str] | None) -> _Found:
    """Everything by one measure."""
    claims = _claims(data, asked)
    order = np.argsort(-data.overall, kind="stable")
    baselines = asked.baseline or ()
    local = all_pairs(len(order))
    if baselines:
        names = [data.systems[at] for at in order]
        local = against(positions("system", baselines, names), len(order))
    pairs = Pairs(order[local.a], order[local.b])
    said = _warnings(data, claims, asked)
    tables, board = [], None
    drawn: int | None = None
    for claim in claims:
        if claim == "these" and len(data.collections) == 1:
            comparison = _compared(data, asked, groups)
            said += [text for text in comparison.warnings if text not in said]
            drawn = comparison.n_resamples
            tables.append(_as_compared(comparison))
            made = _board_as_compared(comparison)
        else:
            drawn = asked.n_resamples or MAX_T_RESAMPLES
            tested, effect = _tested(data, claim, pairs, asked, drawn)
            tables.append(_rows(data, claim, pairs, tested, effect, asked.alpha))
            made = _board_of(data, claim, pairs, tested, asked)
        board = made if board is None else board
    assert board is not None
    return _Found(
        data, claims, drawn, pl.concat(tables), _with_other_means(board, data), _source_rows(data),
        pl.DataFrame(leaders(data), schema_overrides={"topics": pl.Int64, "leader_without": pl.String}), tuple(said),
    )  # fmt: skip


def _tested(data: Collected, claim: str, pairs: Pairs, asked: AcrossQuestion, n_resamples: int) -> tuple[Claim, Array]:
    """The pairs by one claim, and their effect sizes."""
    weights = data.weights
    if claim == "like_these":
        means = data.system_means
        d = means[:, pairs.a] - means[:, pairs.b]
        tested = like_these(means, pairs.a, pairs.b, alpha=asked.alpha, n_resamples=n_resamples, seed=asked.seed)
        effect = _ratio(tested.difference, d.std(axis=0, ddof=1))
        if data.scores is None:
            return tested, effect
        # What holds for collections like these holds for these: by chance, differences may vary less between
        # collections than their topics' error allows.
        stricter, _ = _tested(data, "recipe" if data.with_seeds else "these", pairs, asked, n_resamples)
        return tested.with_stricter(stricter), effect
    spread = np.zeros(len(pairs))
    for values, weight in zip(data.averaged, weights, strict=True):
        spread += weight * (values[:, pairs.a] - values[:, pairs.b]).var(axis=0, ddof=1)
    if claim == "recipe":
        tested, _ = recipes(data.units, data.runs, weights, pairs.a, pairs.b, asked.alpha)
    else:
        tested = these_collections(
            data.averaged, weights, pairs.a, pairs.b, alpha=asked.alpha, n_resamples=n_resamples, seed=asked.seed
        )
    return tested, _ratio(tested.difference, np.sqrt(spread))


def _ratio(difference: Array, spread: Array) -> Array:
    """An effect size; not defined where the differences do not vary."""
    return np.asarray(np.divide(difference, spread, out=np.full(len(difference), np.nan), where=spread > 1e-12))


def holds_in(data: Collected, claim: str, pairs: Pairs, alpha: float) -> NDArray[np.int64]:
    """In how many collections at least each difference holds: one-sided p per collection, times the pairs.

    Partial conjunction in each direction at alpha/2 (Benjamini & Heller 2008); p-values are multiplied by the number of
    pairs first, because the claim is made for all of them.
    """
    up = np.empty((len(data.collections), len(pairs)))
    for at, values in enumerate(data.averaged):
        if claim == "recipe":
            one = np.ones(1)
            tested, _ = recipes(data.units[at : at + 1], data.runs, one, pairs.a, pairs.b, alpha)
            up[at] = np.where(tested.difference > 0, tested.p / 2, 1 - tested.p / 2)
            continue
        d = values[:, pairs.a] - values[:, pairs.b]
        error = d.std(axis=0, ddof=1) / math.sqrt(len(d))
        t = np.divide(d.mean(axis=0), error, out=np.zeros(len(pairs)), where=error > 1e-15)
        up[at] = stdtr(len(d) - 1, -t)
    counts = [replicated(np.minimum(one * len(pairs), 1.0), alpha / 2) for one in (up, 1 - up)]
    ahead = data.overall[pairs.a] >= data.overall[pairs.b]
    return np.where(ahead, counts[0], counts[1])


def _rows(data: Collected, claim: str, pairs: Pairs, tested: Claim, effect: Array, alpha: float) -> pl.DataFrame:
    names = np.array(data.systems, dtype=object)
    mean = data.overall
    held = None if data.scores is None else holds_in(data, claim, pairs, alpha)
    return pl.DataFrame(
        {
            "measure": [data.measure] * len(pairs),
            "claim": [claim] * len(pairs),
            "system_a": names[pairs.a].tolist(),
            "system_b": names[pairs.b].tolist(),
            "mean_a": mean[pairs.a],
            "mean_b": mean[pairs.b],
            "difference": tested.difference,
            "lower": _bounded(tested.lower),
            "upper": _bounded(tested.upper),
            "effect_size": pl.Series(effect).fill_nan(None),
            "p": tested.p,
            "p_flips": pl.Series(flipped(data, claim, pairs)).fill_nan(None),
            "p_adjusted": tested.p_adjusted,
            "significant": at_most(tested.p_adjusted, alpha),
            "collections": [len(data.collections)] * len(pairs),
            "replicated": pl.Series(held, dtype=pl.Int64)
            if held is not None
            else pl.Series([None] * len(pairs), dtype=pl.Int64),
        },
        schema_overrides={"measure": pl.String, "claim": pl.String, "collections": pl.Int64},
    )


def flipped(data: Collected, claim: str, pairs: Pairs) -> Array:
    """P of sign flips, per pair: of topics within collections, or of collections. None for recipes.

    All flips are listed where there are at most 8,192; otherwise the saddlepoint approximation (see `compare`).
    """
    if claim == "recipe":
        return np.full(len(pairs), np.nan)
    if claim == "like_these":
        rows = data.system_means / len(data.collections)
    else:
        rows = np.concatenate([w * table / len(table) for w, table in zip(data.weights, data.summed, strict=True)])
    scores = GridScores.of(rows)
    if len(rows) <= LISTED:
        return randomisation(scores, pairs, Resampling(n_resamples=2**LISTED)).p
    return saddlepoint(scores, pairs, "two-sided")


def _bounded(end: Array) -> pl.Series:
    """An end of an interval; missing where there is none."""
    return pl.Series(np.where(np.isfinite(end), end, np.nan)).fill_nan(None)


# ── one collection: the numbers of `compare` ──────────────────────────────────────────────────────────────


def _compared(data: Collected, asked: AcrossQuestion, groups: Mapping[str, str] | None) -> Comparison:
    matrix = ScoreMatrix((data.scores or ())[0], data.topics[0], data.systems, data.measure)
    with quietly():
        return compare(
            matrix, baseline=asked.baseline, alpha=asked.alpha, n_resamples=asked.n_resamples, seed=asked.seed,
            topic_groups=groups,
        )  # fmt: skip


def _as_compared(comparison: Comparison) -> pl.DataFrame:
    frame = comparison.to_frame()
    return frame.select(
        "measure",
        pl.lit("these").alias("claim"),
        *("system_a", "system_b", "mean_a", "mean_b", "difference", "lower", "upper", "effect_size"),
        "p",
        pl.lit(None, dtype=pl.Float64).alias("p_flips"),
        *("p_adjusted", "significant"),
        pl.lit(1, dtype=pl.Int64).alias("collections"),
        pl.col("significant").cast(pl.Int64).alias("replicated"),
    )


def _board_as_compared(comparison: Comparison) -> pl.DataFrame:
    board = comparison.leaderboard()
    return board.select(
        pl.lit(comparison.measure).alias("measure"), pl.lit("these").alias("claim"),
        *("rank", "system", "mean", "lower", "upper", "rank_lower", "rank_upper", "may_be_best"),
    )  # fmt: skip


# ── leaderboard and components ────────────────────────────────────────────────────────────────────────────


def _board_of(data: Collected, claim: str, pairs: Pairs, tested: Claim, asked: AcrossQuestion) -> pl.DataFrame:
    m = len(data.systems)
    ends = mean_intervals(data, claim, asked.alpha)
    lower: Any = [None] * m
    upper: Any = [None] * m
    best: Any = [None] * m
    if not asked.baseline:
        better = np.zeros((m, m), dtype=np.bool_)
        decided = at_most(tested.p_adjusted, asked.alpha)
        ahead = tested.difference > 0
        better[pairs.a[decided & ahead], pairs.b[decided & ahead]] = True
        better[pairs.b[decided & ~ahead], pairs.a[decided & ~ahead]] = True
        lower, upper = rank_ends(better)
        best = lower == 1
    order = np.argsort(-ends.mean, kind="stable")
    frame = pl.DataFrame(
        {
            "measure": [data.measure] * m,
            "claim": [claim] * m,
            "rank": ranks(ends.mean),
            "system": list(data.systems),
            "mean": ends.mean,
            "lower": ends.lower,
            "upper": ends.upper,
            "rank_lower": pl.Series(lower, dtype=pl.Int64),
            "rank_upper": pl.Series(upper, dtype=pl.Int64),
            "may_be_best": pl.Series(best, dtype=pl.Boolean),
        },
        schema_overrides={"rank": pl.Int64},
    )
    return frame.select(pl.all().gather(order.tolist()))


def _with_other_means(board: pl.DataFrame, data: Collected) -> pl.DataFrame:
    """The leaderboard with the standardised mean and the Borda count."""
    points = borda(data.system_means)
    other = pl.DataFrame(
        {
            "system": list(data.systems),
            "standardised_mean": standardised(data.system_means),
            "borda": points.astype(np.int64),
            "borda_rank": ranks(points),
        }
    )
    return board.join(other, on="system", how="left", maintain_order="left")


def _source_rows(data: Collected) -> pl.DataFrame:
    found = sources(data)
    total = sum(one.variance for one in found)
    return pl.DataFrame(
        {
            "measure": [data.measure] * len(found),
            "component": [one.component for one in found],
            "variance": [one.variance for one in found],
            "share": [one.variance / total if total > 0 else None for one in found],
        },
        schema_overrides={"variance": pl.Float64, "share": pl.Float64},
    )
