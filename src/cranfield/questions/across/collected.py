"""Scores of the same systems on several collections, by one measure: what `across` computes from."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from itertools import combinations

import numpy as np
import polars as pl
from numpy.typing import NDArray

from cranfield.core.answer import sentence
from cranfield.core.errors import ArgumentError, DataError, UnknownNameError
from cranfield.core.labels import plural, summary
from cranfield.core.recognition import collected_columns
from cranfield.questions.compare.clusters import LOOK_LIKE_TURNS, Clusters, grouped_cautions, turns
from cranfield.scores.frames import looks_like_measure
from cranfield.scores.matrix import ScoreMatrix, Scores, inherited

Array = NDArray[np.float64]
Run = tuple[str, str]
"""A system and its seed; the seed is empty where there is one run per system."""
FEWEST_SCALED = 5
"""Systems from which scores are standardised, or systems beaten counted."""
_CHOSEN = re.compile(r"best|max|top|chosen|selected", re.IGNORECASE)
DROPPED = sentence(
    "across.dropped",
    "{measure}: dropped {count} of {all} {kind}, because some scores are missing: {what}.",
    "the user asked to drop systems or collections with missing scores, and some have them",
)
TWICE = sentence(
    "across.twice",
    "{measure}: {first} and {second} have the same scores. If they are one collection, give it once: otherwise "
    "errors are too small.",
    "two collections have the same topics and the same scores of all systems",
)
OVERLAP = sentence(
    "across.overlap",
    "{measure}: {first} and {second} share {count} with the same scores. They count as independent, so errors are too "
    "small. Give each topic once.",
    "at least half of a collection's topics are in another one, with the same scores of all systems",
)
BEST_OF_SEEDS = sentence(
    "across.best-of-seeds",
    "One run per collection, of different seeds: {systems} (seeds {seeds}). If these are the best seeds, the means "
    "are too high. Report all seeds.",
    "a system has one seed per collection, and the seeds differ or are named `best`",
)


@dataclass(frozen=True, eq=False)
class Part:
    """One collection: values of its runs (topics × runs), or a single row of means without topics."""

    topics: tuple[str, ...]
    runs: tuple[Run, ...]
    values: Array
    warnings: tuple[str, ...] = ()


@dataclass(frozen=True, eq=False)
class Collected:
    """Complete scores of all systems on all collections, everything in byte order of the names.

    Attributes
    ----------
    measure, collections, systems : the labels
    seeds : the seeds of every system; one empty label without seeds
    topics : the topics of every collection; none for means alone
    scores : per collection, topics × runs; None for means alone. Runs stand by system, then by seed
    means : collections × runs
    warnings : what reading found
    clusters : per collection, which topics belong together
    weights : one per collection, summing to 1
    """

    measure: str
    collections: tuple[str, ...]
    systems: tuple[str, ...]
    seeds: tuple[tuple[str, ...], ...]
    topics: tuple[tuple[str, ...], ...]
    scores: tuple[Array, ...] | None
    means: Array
    warnings: tuple[str, ...] = ()
    clusters: tuple[Clusters | None, ...] = ()
    weights: Array = field(default_factory=lambda: np.ones(0))

    def __post_init__(self) -> None:
        if not len(self.weights):
            object.__setattr__(self, "weights", np.full(len(self.collections), 1 / len(self.collections)))

    @property
    def runs(self) -> list[slice]:
        """The columns of every system."""
        ends = np.cumsum([len(labels) for labels in self.seeds])
        return [slice(int(end) - len(labels), int(end)) for end, labels in zip(ends, self.seeds, strict=True)]

    @property
    def with_seeds(self) -> bool:
        """Whether some system has several seeds."""
        return any(len(labels) > 1 for labels in self.seeds)

    @cached_property
    def units(self) -> list[Array]:
        """Per collection, what is drawn × runs: topics, or groups of topics.

        Rows of groups have the mean of the topics, and vary as much as the mean over topics does (see `clusters`).
        """
        found = []
        for at, values in enumerate(self.scores or ()):
            clusters = self.clusters[at] if self.clusters else None
            found.append(values if clusters is None else clusters.spread(values))
        return found

    @cached_property
    def averaged(self) -> list[Array]:
        """Per collection, what is drawn × systems: the mean over the seeds of each system."""
        return [_averaged(values, self.runs) for values in self.units]

    def by_system(self, at: int) -> Array:
        """Topics × systems of one collection: the mean over the seeds of each system."""
        return _averaged((self.scores or ())[at], self.runs)

    @property
    def summed(self) -> list[Array]:
        """As `averaged`, for flips of whole groups: their signs change the sums of groups."""
        found = []
        for at in range(len(self.scores or ())):
            clusters = self.clusters[at] if self.clusters else None
            found.append(self.by_system(at) if clusters is None else clusters.sums(self.by_system(at)))
        return found

    @property
    def cautions(self) -> tuple[str, ...]:
        """That groups of topics are few, or that topics look as if they had some; of all collections together."""
        if self.clusters:  # groups of one topic each are None
            groups = [one for one in self.clusters if one is not None]
            return tuple(grouped_cautions((), min(groups, key=len))) if groups else ()
        found = [one for one in map(turns, self.topics) if one is not None]
        return (LOOK_LIKE_TURNS(groups=sum(one[0] for one in found), example=found[0][1]),) if found else ()

    @property
    def equal_weights(self) -> bool:
        """Whether all collections weigh the same."""
        return bool(np.ptp(self.weights) < 1e-12)

    @property
    def overall(self) -> Array:
        """The weighted mean over collections of every system."""
        means = self.system_means
        return np.asarray(means.mean(axis=0) if self.equal_weights else self.weights @ means)

    @property
    def system_means(self) -> Array:
        """Collections × systems: the mean over topics and seeds."""
        return _averaged(self.means, self.runs)


def _averaged(values: Array, runs: Sequence[slice]) -> Array:
    if all(at.stop - at.start == 1 for at in runs):
        return values
    return np.column_stack([values[:, at].mean(axis=1) for at in runs])


# ── from objects ──────────────────────────────────────────────────────────────────────────────────────────


def from_scores(collections: Mapping[str, Scores]) -> dict[str, dict[str, Part]]:
    """The parts by measure and collection."""
    found: dict[str, dict[str, Part]] = {}
    for name, scores in collections.items():
        for measure, matrix in scores.items():
            if matrix.values.ndim != 2:
                raise DataError(f"{name}: {measure} is scored by partition. Give scores without partitions.")
            found.setdefault(measure, {})[name] = Part(
                matrix.topics,
                tuple((system, "") for system in matrix.systems),
                np.asarray(matrix.values),
                tuple(f"{name}, {text}" for text in inherited([matrix])),
            )
    return found


def from_table(
    table: pl.DataFrame, measure: str | None, missing: str, name: str = "scores"
) -> dict[str, dict[str, Part]]:
    """The parts of a table, by measure and collection; `name` is the collection of a table with seeds alone."""
    roles = collected_columns(table.columns)
    if roles is not None and "value" not in roles:
        table, roles = _melted(table, roles)
    if roles is None or "system" not in roles:
        raise DataError(
            f"found columns {summary(table.columns)}. Give collection, system, topic and value; seed and measure are "
            "optional."
        )
    label = {
        name: pl.col(column).cast(pl.String).str.strip_chars() for name, column in roles.items() if name != "value"
    }
    frame = table.select(
        collection=label.get("collection", pl.lit(name)),
        system=label["system"],
        seed=label.get("seed", pl.lit("")),
        topic=label.get("topic", pl.lit("")),
        measure=label.get("measure", pl.lit(measure or "score")),
        value=pl.col(roles["value"]).cast(pl.Float64, strict=False),
        written=pl.col(roles["value"]).cast(pl.String),
    )
    _check_rows(frame)
    if "topic" in roles:
        summaries = frame["topic"].str.to_lowercase().is_in(["all", "amean"])
        frame = frame.filter(~summaries) if not summaries.all() else frame.with_columns(topic=pl.lit(""))
    found: dict[str, dict[str, Part]] = {}
    for (by, collection), rows in frame.group_by(["measure", "collection"], maintain_order=True):
        found.setdefault(str(by), {})[str(collection)] = _part(str(collection), str(by), rows, missing)
    return found


def _melted(table: pl.DataFrame, roles: dict[str, str]) -> tuple[pl.DataFrame, dict[str, str]]:
    """One value per row, from a table with a column per measure or, without a column of systems, per system."""
    rest = [name for name in table.columns if name not in roles.values()]
    part = "measure" if "system" in roles else "system"
    if part == "measure":
        rest = [name for name in rest if looks_like_measure(name)]
        if not rest:
            raise DataError(f"found columns {summary(table.columns)}, but none of values or of a measure. Name one.")
    long = table.with_columns(pl.col(rest).cast(pl.String)).unpivot(
        rest, index=list(roles.values()), variable_name="\0part", value_name="\0value"
    )
    return long, {**roles, part: "\0part", "value": "\0value"}


def _check_rows(frame: pl.DataFrame) -> None:
    """Refuse empty labels and values that are no finite numbers."""
    if frame.is_empty():
        raise DataError("the table has no rows. Give at least one score.")
    for name in ("collection", "system"):
        if frame[name].is_null().any() or (frame[name] == "").any():
            raise DataError(f"a row has no {name}. Fill the column {name!r}.")
    empty = frame["written"].is_null() | frame["written"].str.strip_chars().str.to_lowercase().is_in(["", "nan", "na"])
    wrong = frame.filter((frame["value"].is_null() | ~frame["value"].is_finite()) & ~empty)
    if not wrong.is_empty():
        row = wrong.row(0, named=True)
        place = f"collection {row['collection']!r}, system {row['system']!r}"
        raise DataError(f"{place}: {row['written']!r} is not a finite number. Correct the value.")


def _part(collection: str, measure: str, rows: pl.DataFrame, missing: str) -> Part:
    """The matrix of one collection and measure."""
    rows = rows.filter(rows["value"].is_not_null() & rows["value"].is_finite()).with_columns(
        seed=pl.col("seed").fill_null("")
    )
    if rows.is_empty():
        raise DataError(f"collection {collection!r} has no score by {measure}. Add its scores, or remove its rows.")
    topics = rows["topic"].unique().sort()
    runs = rows.select("system", "seed").unique().sort("system", "seed")
    places = rows.join(runs.with_row_index("run"), on=["system", "seed"], how="left", maintain_order="left").join(
        pl.DataFrame({"topic": topics}).with_row_index("at"), on="topic", how="left", maintain_order="left"
    )
    flat = places["at"].cast(pl.Int64).to_numpy() * runs.height + places["run"].cast(pl.Int64).to_numpy()
    size = len(topics) * runs.height
    if len(flat) > size or (np.bincount(flat, minlength=size) > 1).any():
        at = int(np.argmax(np.bincount(flat, minlength=size) > 1))
        system, seed = runs.row(at % runs.height)
        of = f"topic {topics[at // runs.height]!r}, " if topics[at // runs.height] else ""
        seeded = f", seed {seed!r}" if seed else ""
        raise DataError(
            f"collection {collection!r}: {of}system {system!r}{seeded} has two scores. Keep one, or add a "
            "column called seed."
        )
    values = np.full(size, np.nan)
    values[flat] = rows["value"].to_numpy()
    labels = tuple(runs.rows())
    return _complete(
        collection, measure, Part(tuple(topics.to_list()), labels, values.reshape(len(topics), -1)), missing
    )


def _complete(collection: str, measure: str, part: Part, missing: str) -> Part:
    """The part without holes, as the user decided about missing topics."""
    holes = np.isnan(part.values)
    if not holes.any():
        return part
    if missing == "zero":
        filled = np.where(holes, 0.0, part.values)
        labels = [f"{system} {seed}".strip() for system, seed in part.runs]
        said = inherited([ScoreMatrix(filled, part.topics, labels, measure, filled=holes)])
        return Part(part.topics, part.runs, filled, tuple(f"{collection}, {text}" for text in said))
    if missing == "drop-topic":
        kept = ~holes.any(axis=1)
        if kept.any():
            return Part(tuple(np.array(part.topics, dtype=object)[kept]), part.runs, part.values[kept])
    row, column = np.argwhere(holes)[0].tolist()
    raise DataError(
        f"collection {collection!r} lacks {plural(int(holes.sum()), 'score')}, such as topic {part.topics[row]!r} of "
        f"system {part.runs[column][0]!r}. Add them, or set `missing` to zero or drop-topic."
    )


# ── all collections together ──────────────────────────────────────────────────────────────────────────────


def collect(
    parts: Mapping[str, Mapping[str, Part]],
    missing: str,
    groups: Mapping[str, str] | None = None,
    weights: Mapping[str, float] | None = None,
    scale: str = "raw",
) -> list[Collected]:
    """Complete scores by every measure that all collections have; topics may be grouped, collections weighted."""
    every = sorted({name for of in parts.values() for name in of}, key=str.encode)
    shared = [measure for measure, of in parts.items() if len(of) == len(every)]
    if not shared and missing != "drop-collection":
        has = [f"{name} has {summary([m for m, of in parts.items() if name in of], 3)}" for name in every[:3]]
        raise DataError(f"no measure is in all {len(every)} collections: {'; '.join(has)}. Name a shared measure.")
    found = [_joined(measure, parts[measure], missing) for measure in shared or parts]
    return [scaled(_weighted(_grouped(data, groups), weights), scale) for data in found]


def scaled(data: Collected, scale: str) -> Collected:
    """The data on a scale that collections share: standardised scores, or Borda points.

    standardised: scores minus the mean of the systems' means, over their standard deviation, collection by collection.
    borda: the systems beaten on each collection; without topics, because points are no mean over them.
    """
    means = data.system_means
    if scale != "raw" and len(data.systems) < FEWEST_SCALED:
        raise ArgumentError(
            f"`scale` {scale!r} needs at least {FEWEST_SCALED} systems; got {len(data.systems)}. Leave it out."
        )
    if scale == "standardised":
        centre, spread = means.mean(axis=1), means.std(axis=1, ddof=1)
        spread = np.where(spread > 1e-15, spread, 1.0)
        made = [(x - c) / s for x, c, s in zip(data.scores or (), centre, spread, strict=False)]
        return replace(
            data, measure=f"{data.measure} (standardised)", means=(data.means - centre[:, None]) / spread[:, None],
            scores=None if data.scores is None else tuple(made),
        )  # fmt: skip
    if scale == "borda":
        points = (means[:, :, None] > means[:, None, :]).sum(axis=2).astype(np.float64)
        return Collected(
            f"{data.measure} (Borda)", data.collections, data.systems, tuple(("",) for _ in data.systems), (), None,
            points, data.warnings, weights=data.weights,
        )  # fmt: skip
    return data


def _grouped(data: Collected, groups: Mapping[str, str] | None) -> Collected:
    if groups is None:
        return data
    if data.scores is None:
        raise ArgumentError(f"`topic_groups` needs scores by topic; {data.measure} has means only. Leave it out.")
    return replace(data, clusters=tuple(Clusters.of(topics, groups) for topics in data.topics))


def _weighted(data: Collected, weights: Mapping[str, float] | None) -> Collected:
    if not weights:
        return data
    if unknown := [name for name in weights if name not in data.collections]:
        raise UnknownNameError("collection", unknown[0], data.collections)
    given = np.array([weights.get(name, 1.0) for name in data.collections])
    return replace(data, weights=given / given.sum())


def _joined(measure: str, parts: Mapping[str, Part], missing: str) -> Collected:
    names = sorted(parts, key=str.encode)
    renamed, said = _chosen_seeds({name: parts[name] for name in names})
    said += [text for name in names for text in parts[name].warnings]
    runs = sorted(
        {run for part in renamed.values() for run in part.runs}, key=lambda run: (run[0].encode(), run[1].encode())
    )
    there = np.array([[run in set(renamed[name].runs) for run in runs] for name in names])
    systems = sorted({system for system, _ in runs}, key=str.encode)
    if not there.all():
        if missing == "drop-collection":
            kept = [name for name, row in zip(names, there, strict=True) if row.all()]
            gone = [name for name in names if name not in kept]
            every, kind, names = len(names), "collections", kept
        elif missing == "drop-system":
            lacking = {run[0] for run, column in zip(runs, there.T, strict=True) if not column.all()}
            gone = sorted(lacking, key=str.encode)
            every, kind = len(systems), "systems"
            runs = [run for run in runs if run[0] not in lacking]
            systems = [system for system in systems if system not in lacking]
        else:
            _refuse_missing(measure, names, runs, there)
        if not names or len(systems) < 2:
            raise DataError(
                f"{measure}: nothing is left without missing scores. Set `missing` to "
                f"{'drop-system' if missing == 'drop-collection' else 'drop-collection'}, or add the scores."
            )
        said.append(DROPPED(measure=measure, count=len(gone), all=every, kind=kind, what=summary(gone)))
    if len(systems) < 2:
        raise DataError(f"{measure}: there is one system, {systems[0]}. Give at least two.")
    scores, topics = [], []
    for name in names:
        part = renamed[name]
        column = {run: at for at, run in enumerate(part.runs)}
        order = sorted(range(len(part.topics)), key=lambda at: part.topics[at].encode())
        picked = part.values[:, [column[run] for run in runs]]
        scores.append(np.ascontiguousarray(picked[order] if part.topics != ("",) else picked))
        topics.append(tuple(part.topics[at] for at in order))
    bare = [name for name, labels in zip(names, topics, strict=True) if labels in ((), ("",))]
    if bare and len(bare) < len(names):
        raise DataError(f"{measure}: {summary(bare)} has means only, the others scores by topic. Give one kind.")
    short = [name for name, labels in zip(names, topics, strict=True) if len(labels) < 2]
    if short and not bare:
        raise DataError(f"{measure}: collection {short[0]!r} has one topic. Give at least two.")
    seen: dict[tuple[tuple[str, ...], bytes], str] = {}
    for name, labels, values in zip(names, topics, scores, strict=True):
        first = seen.setdefault((labels, values.tobytes()), name)
        if first != name:
            said.append(TWICE(measure=measure, first=first, second=name))
    if not bare:
        said += _overlaps(measure, names, topics, scores)
    seeds = tuple(tuple(seed for system, seed in runs if system == one) for one in systems)
    means = np.stack([values.mean(axis=0) for values in scores])
    return Collected(
        measure, tuple(names), tuple(systems), seeds, () if bare else tuple(topics), None if bare else tuple(scores),
        means, tuple(said),
    )  # fmt: skip


def _overlaps(
    measure: str, names: Sequence[str], topics: Sequence[tuple[str, ...]], scores: Sequence[Array]
) -> list[str]:
    """Collections that share half of their topics or more, with the same scores; not those that are equal."""
    rows = [
        {(topic, row.tobytes()) for topic, row in zip(labels, values, strict=True)}
        for labels, values in zip(topics, scores, strict=True)
    ]
    found = []
    for i, j in combinations(range(len(names)), 2):
        both = len(rows[i] & rows[j])
        if 2 * both >= min(len(rows[i]), len(rows[j])) and rows[i] != rows[j]:
            found.append(OVERLAP(measure=measure, first=names[i], second=names[j], count=plural(both, "topic")))
    return found


def _refuse_missing(measure: str, names: Sequence[str], runs: Sequence[Run], there: NDArray[np.bool_]) -> None:
    row, column = np.argwhere(~there)[0].tolist()
    system, seed = runs[column]
    raise DataError(
        f"{measure}: {int((~there).sum()):,} of {there.size:,} results are missing, such as {system}"
        f"{f', seed {seed},' if seed else ''} on {names[row]}. Add them, or set `missing` to drop-collection or "
        "drop-system."
    )


def _chosen_seeds(parts: dict[str, Part]) -> tuple[dict[str, Part], list[str]]:
    """A system with one run per collection, but of different seeds: one run, and a warning that it may be the best."""
    seeds: dict[str, list[list[str]]] = {}
    for part in parts.values():
        own: dict[str, list[str]] = {}
        for system, seed in part.runs:
            own.setdefault(system, []).append(seed)
        for system, labels in own.items():
            seeds.setdefault(system, []).append(labels)
    one_each = {
        system: list(dict.fromkeys(labels[0] for labels in each))
        for system, each in seeds.items()
        if all(len(labels) == 1 for labels in each) and any(labels[0] for labels in each)
    }
    chosen = {system: labels for system, labels in one_each.items() if len(labels) > 1 or _CHOSEN.search(labels[0])}
    labels = list(dict.fromkeys(label for seeds in chosen.values() for label in seeds))
    said = [BEST_OF_SEEDS(systems=summary(list(chosen)), seeds=summary(labels, 3))] if chosen else []
    same = set(one_each)
    if not same:
        return parts, said
    renamed = {
        name: Part(part.topics, tuple((s, "" if s in same else seed) for s, seed in part.runs), part.values)
        for name, part in parts.items()
    }
    return renamed, said
