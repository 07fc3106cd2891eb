"""How well two orders of the same systems agree: rank correlation with intervals."""

from __future__ import annotations

import math
import os
import re
from collections.abc import Mapping, Sequence
from concurrent.futures import Executor
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Any, TypeAlias, cast

import numpy as np
from numpy.typing import NDArray

from cranfield.defaults import ALPHA, MEMORY_MB, MISSING, RANK_RESAMPLES, SEED, MissingPolicy
from cranfield.demand import Demand, resampled_sums
from cranfield.errors import ArgumentError, DataError, FileError, Problem, notify
from cranfield.executors import map_in_order
from cranfield.files import STDIN, Problems, is_file, read_bytes, shown, text_lines
from cranfield.invariants import check_interval
from cranfield.labels import check_unique, plural, summary
from cranfield.resampling import (
    OTHER_TOPICS,
    TOPICS,
    Block,
    blocks,
    draw_weights,
    grid_step,
    pieces,
    product,
    rows_within,
    to_grid,
)
from cranfield.results import Result
from cranfield.scores.frames import LONG_NAMES
from cranfield.scores.matrix import ScoreMatrix, Scores
from cranfield.scores.rank_coefficients import COEFFICIENTS, rank_correlations, systems_above, tau_half_width
from cranfield.scores.text_tables import number
from cranfield.sentences import scores as say
from cranfield.signature import signature

if TYPE_CHECKING:
    import polars as pl

_DECIMAL = re.compile(r"[+-]?\d*\.\d+([eE][+-]?\d+)?")

Order: TypeAlias = ScoreMatrix | Mapping[str, float] | Sequence[str]
"""What orders systems: scores on topics, one score per system, or the systems' names with the best first."""


@dataclass(frozen=True)
class Correlation(Result):
    """How well two orders of the same systems agree.

    Attributes
    ----------
    values : coefficient → value; None where all systems tie on one side
    published : the published interval of tau
    bootstrap : coefficient → interval over resampled topics; empty without topics
    systems, ranks : the systems, and the rank of each by the reference and by the estimate; those that tie share one
    """

    reference: str
    estimate: str
    n_systems: int
    n_topics: int | None
    values: Mapping[str, float | None]
    published: tuple[float, float]
    bootstrap: Mapping[str, tuple[float, float] | None]
    alpha: float
    n_resamples: int
    seed: int
    warnings: tuple[str, ...] = ()
    systems: tuple[str, ...] = ()
    ranks: tuple[tuple[int, ...], tuple[int, ...]] = ((), ())

    def __post_init__(self) -> None:
        what = f"the correlation of {self.reference} and {self.estimate}"
        for name, value in self.values.items():
            check_interval(what, name, -1 - 1e-12, value, 1 + 1e-12)
            ends = self.bootstrap.get(name)
            if ends is not None:
                check_interval(what, name, ends[0], value, ends[1])
        check_interval(what, "tau", self.published[0], self.values["tau"], self.published[1])

    @property
    def signature(self) -> str:
        """One line for a footnote."""
        random = {"resamples": self.n_resamples, "seed": self.seed} if self.bootstrap else {}
        return signature(
            "rank correlation",
            reference=self.reference,
            estimate=self.estimate,
            systems=self.n_systems,
            topics=self.n_topics,
            alpha=self.alpha,
            **random,
        )

    @property
    def settings(self) -> dict[str, Any]:
        """The settings in force."""
        random = {"n_resamples": self.n_resamples, "seed": self.seed} if self.bootstrap else {}
        return {
            "reference": self.reference,
            "estimate": self.estimate,
            "n_systems": self.n_systems,
            "n_topics": self.n_topics,
            "alpha": self.alpha,
            **random,
        }

    def to_frame(self) -> pl.DataFrame:
        """One row a coefficient and interval: coefficient, value, interval, lower, upper."""
        import polars as pl

        rows: list[tuple[str, float | None, str | None, float | None, float | None]] = []
        for name, value in self.values.items():
            intervals: list[tuple[str, tuple[float, float] | None]] = []
            if name == "tau":
                intervals.append(("published", self.published))
            if name in self.bootstrap:
                intervals.append(("bootstrap", self.bootstrap[name]))
            rows += [(name, value, kind, *(limits or (None, None))) for kind, limits in intervals]
            if not intervals:
                rows.append((name, value, None, None, None))
        numbers = dict.fromkeys(("value", "lower", "upper"), pl.Float64)
        schema = {"coefficient": pl.String, "value": pl.Float64, "interval": pl.String, **numbers}
        return pl.DataFrame(rows, schema=schema, orient="row")

    def __repr__(self) -> str:
        shown = ", ".join(f"{name} {'undefined' if v is None else f'{v:.4f}'}" for name, v in self.values.items())
        return f"Correlation({self.n_systems} systems: {shown})"


@dataclass(frozen=True, repr=False)
class Correlations(Result):
    """The correlations of two rankings by several measures."""

    correlations: tuple[Correlation, ...]

    @property
    def settings(self) -> dict[str, Any]:
        """The settings in force; what was compared, one entry per correlation."""
        every = [one.settings for one in self.correlations]
        return {**every[0], **{name: [one[name] for one in every] for name in ("reference", "estimate")}}

    @property
    def warnings(self) -> tuple[str, ...]:
        """The warnings of all of them, each once."""
        return tuple(dict.fromkeys(warning for one in self.correlations for warning in one.warnings))

    @property
    def signature(self) -> str:
        """One line for a footnote."""
        return " | ".join(one.signature for one in self.correlations)

    def to_frame(self) -> pl.DataFrame:
        """The rows of every correlation, with what was compared first."""
        import polars as pl

        return pl.concat(
            one.to_frame().select(
                pl.lit(one.reference).alias("reference"), pl.lit(one.estimate).alias("estimate"), pl.all()
            )
            for one in self.correlations
        )

    def to_dict(self) -> dict[str, Any]:
        """Everything as plain Python values."""
        return {
            "correlations": [one.to_dict() for one in self.correlations],
            "settings": self.settings,
            "signature": self.signature,
            "warnings": list(self.warnings),
        }

    def __repr__(self) -> str:
        each = [f"{one.reference} and {one.estimate}: {one.summary()}" for one in self.correlations]
        return f"Correlations({'; '.join(each)})"


def correlate(
    reference: Order,
    estimate: Order,
    *,
    alpha: float = ALPHA,
    n_resamples: int = RANK_RESAMPLES,
    seed: int = SEED,
    missing: MissingPolicy = MISSING,
    workers: int | None = None,
    executor: Executor | None = None,
) -> Correlation:
    """Rank correlation between two orders of the same systems.

    Answers: do two measures, two collections or two ways of scoring rank the systems alike? Systems are matched by
    name. Score matrices rank systems by their mean over topics; means that differ by rounding alone are ties.

    Intervals: the published one, τ ± z·√(2(2m+5)/(9m(m−1))) (AIRS 2016 Table 1(g)), says how far from 0 the τ of two
    unrelated orders strays, is as wide at τ = 1 as at 0, and can pass 1. With topics there is a percentile bootstrap
    over topics as well: topics are drawn again with replacement, the same ones on both sides when both have the same
    topics (independently when they have none in common), and both orders are made anew.

    Parameters
    ----------
    reference, estimate : score matrix or scores in any form that `as_scores` takes, mapping from system to
        score, or names of systems with the best first.
        `tau_ap` takes the first as the truth; the other coefficients are symmetric.
    n_resamples : bootstrap samples; 0 for none
    missing : topics that only one of two overlapping score matrices has are an error, or dropped with
        ``"drop-topic"``
    workers, executor : how many threads, or any `concurrent.futures.Executor`; never changes a result

    References
    ----------
    Kendall, Biometrika 1938 and 1945; Yilmaz, Aslam and Robertson, SIGIR 2008 (τ_AP); Urbano and Marrero, ICTIR 2017
    (ties in τ_AP).

    Examples
    --------
    >>> correlate(["a", "b", "c", "d"], ["b", "a", "c", "d"])
    Correlation(4 systems: tau 0.6667, tau_b 0.6667, tau_ap 0.3333, tau_ap_b 0.3333)
    """
    if not 0 < alpha < 1:
        raise ArgumentError(f"`alpha` must be between 0 and 1; got {alpha:g}. Write 0.05.")
    if n_resamples < 0:
        raise ArgumentError(f"`n_resamples` must be 0 or more; got {n_resamples}")
    reference, estimate = _same_systems(_side(reference, "reference"), _side(estimate, "estimate"))
    warnings: list[str] = []
    n_topics: int | None = None
    for side in (reference, estimate):
        if isinstance(side, ScoreMatrix):
            warnings += [f"{side.measure}: {text}" for text in side.warnings]
    bootstrap: dict[str, tuple[float, float] | None] = {}
    if isinstance(reference, ScoreMatrix) and isinstance(estimate, ScoreMatrix):
        reference, estimate, shared = _topics_together(reference, estimate, missing)
        n_topics = reference.n_topics
        x, y = _on_grid(reference), _on_grid(estimate)
        totals = (x.sum(axis=0), y.sum(axis=0))
        tolerance = (_tolerance(reference), _tolerance(estimate))
        if not shared:
            warnings.append(say.APART(reference=reference.n_topics, estimate=estimate.n_topics))
        if min(reference.n_topics, estimate.n_topics) < 2 and n_resamples:
            warnings.append(say.NO_BOOTSTRAP())
        elif n_resamples:
            bootstrap = _bootstrap(x, y, tolerance, shared, alpha, n_resamples, seed, workers, executor)
    else:
        totals = (_system_values(reference), _system_values(estimate))
        tolerance = (_tolerance(reference), _tolerance(estimate))
    coefficients = rank_correlations(totals[0][None], totals[1][None], tolerance)
    point = {name: float(value[0]) for name, value in coefficients.items()}
    undefined = [name for name, value in point.items() if math.isnan(value)]
    if undefined:
        warnings.append(say.UNDEFINED(names=" and ".join(undefined)))
    ties = [_tied_pairs(side, width) for side, width in zip(totals, tolerance, strict=True)]
    if any(ties):
        warnings.append(say.TIED_PAIRS(reference=ties[0], estimate=ties[1]))
    half = tau_half_width(len(totals[0]), alpha)
    for name, ends in bootstrap.items():  # of few resamples or topics all may lie to one side
        if ends is not None and not math.isnan(point[name]):
            bootstrap[name] = (min(ends[0], point[name]), max(ends[1], point[name]))
    result = Correlation(
        _name(reference),
        _name(estimate),
        len(totals[0]),
        n_topics,
        {name: None if math.isnan(value) else value for name, value in point.items()},
        (point["tau"] - half, point["tau"] + half),
        bootstrap,
        alpha,
        n_resamples if bootstrap else 0,
        seed,
        tuple(dict.fromkeys(warnings)),
        tuple(_systems(reference)),
        (_ranks(totals[0], tolerance[0]), _ranks(totals[1], tolerance[1])),
    )
    notify(result.warnings)
    return result


def _ranks(values: NDArray[np.float64], tolerance: float) -> tuple[int, ...]:
    """Rank of each system: one more than the number of systems that are above it by more than rounding."""
    above = values[None, :] > values[:, None] + tolerance
    return tuple((1 + above.sum(axis=1)).tolist())


def _side(side: Any, argument: str) -> Order:
    """An order as it is; scores in any other form that `as_scores` takes as a matrix."""
    if isinstance(side, (ScoreMatrix, str)):
        return side
    inside = next(iter(side.values()), None) if isinstance(side, Mapping) else None
    if isinstance(side, Scores) or isinstance(inside, (Mapping, list, tuple)) or not isinstance(side, (Mapping, list)):
        from cranfield.scores.doors import as_matrix, is_scores

        if is_scores(side):
            return as_matrix(side, argument=argument)
    return cast("Order", side)


def _name(side: Order) -> str:
    return side.measure if isinstance(side, ScoreMatrix) else "given order"


def _systems(side: Order) -> tuple[str, ...]:
    return side.systems if isinstance(side, ScoreMatrix) else check_unique("system", tuple(side))


def _same_systems(reference: Order, estimate: Order) -> tuple[Order, Order]:
    """Both sides with their systems in byte order of their names."""
    if isinstance(reference, str) or isinstance(estimate, str):
        raise ArgumentError("an order is a list of system names, best first; got a single string")
    ours, theirs = _systems(reference), _systems(estimate)
    unmatched = [s for s in ours if s not in set(theirs)] + [s for s in theirs if s not in set(ours)]
    if unmatched:
        raise DataError(
            f"{len(unmatched)} systems stand on one side only ({summary(unmatched)}); "
            "both sides must order the same systems"
        )
    if len(ours) < 2:
        raise DataError(f"a rank correlation needs at least 2 systems; there is {len(ours)}. Give more.")
    order = sorted(ours, key=str.encode)
    return _arranged(reference, order), _arranged(estimate, order)


def _arranged(side: Order, order: Sequence[str]) -> Order:
    if isinstance(side, ScoreMatrix):
        return side.require(topics=1, what="a rank correlation", tiny=True).canonical()
    if isinstance(side, Mapping):
        values = {system: float(side[system]) for system in order}
        bad = [system for system, value in values.items() if math.isnan(value)]
        if bad:
            raise DataError(f"system {bad[0]!r} has no score (NaN); an order needs a score for every system")
        return values
    places = {system: -float(place) for place, system in enumerate(side)}
    return {system: places[system] for system in order}


def _system_values(side: Order) -> NDArray[np.float64]:
    if isinstance(side, ScoreMatrix):
        return np.asarray(_on_grid(side).sum(axis=0))
    assert isinstance(side, Mapping)
    return np.array(list(side.values()), dtype=np.float64)


def _on_grid(matrix: ScoreMatrix) -> NDArray[np.float64]:
    """Scores whose sums are exact, so that they are the same on any machine and in any order."""
    return to_grid(_in_unit(matrix), matrix.n_topics)


def _in_unit(matrix: ScoreMatrix) -> NDArray[np.float64]:
    """Scores that are all tiny in a unit of their own, a power of two, so that the grid does not wipe them out."""
    _, exponent = math.frexp(float(np.abs(matrix.values).max()))
    return np.ldexp(matrix.values, -exponent) if exponent < 0 else matrix.values


def _tolerance(side: Order) -> float:
    """How far apart rounding to the grid can bring two equal sums of a score matrix."""
    return grid_step(_in_unit(side), side.n_topics) * side.n_topics if isinstance(side, ScoreMatrix) else 0.0


def _topics_together(
    reference: ScoreMatrix, estimate: ScoreMatrix, missing: MissingPolicy
) -> tuple[ScoreMatrix, ScoreMatrix, bool]:
    if set(reference.topics).isdisjoint(estimate.topics):
        return reference, estimate, False
    return *reference.align(estimate, missing=missing), True


def _tied_pairs(values: NDArray[np.float64], tolerance: float) -> int:
    _, group = systems_above(values[None], tolerance)
    return int((group - 1).sum()) // 2


def _bootstrap(
    x: NDArray[np.float64],
    y: NDArray[np.float64],
    tolerance: tuple[float, float],
    shared: bool,
    alpha: float,
    n_resamples: int,
    seed: int,
    workers: int | None,
    executor: Executor | None,
) -> dict[str, tuple[float, float] | None]:
    """Percentile intervals; None for a coefficient that some sample leaves undefined."""
    (n, m), kinds = x.shape, 1 if shared else 2
    Demand(
        f"resampling {plural(m, 'system')} on {plural(n, 'topic')}",
        resampled_sums(n, 2 * m, kinds * n_resamples),
        MEMORY_MB + 8e-6 * 5 * (x.size + y.size),
        "fewer resamples take less",
    ).foretell()
    rows = rows_within(MEMORY_MB, kinds * 24 * max(n, len(y)), workers)
    work = partial(_resampled_correlations, x, y, tolerance, shared, seed, rows)
    done = list(map_in_order(work, blocks(n_resamples), executor=executor, workers=workers))
    limits: dict[str, tuple[float, float] | None] = {}
    for name in COEFFICIENTS:
        values = np.concatenate([part[name] for part in done])
        if np.isnan(values).any():
            limits[name] = None
            continue
        low, high = np.quantile(values, [alpha / 2, 1 - alpha / 2])
        limits[name] = (float(low), float(high))
    return limits


def _resampled_correlations(
    x: NDArray[np.float64],
    y: NDArray[np.float64],
    tolerance: tuple[float, float],
    shared: bool,
    seed: int,
    rows: int,
    block: Block,
) -> dict[str, NDArray[np.float64]]:
    """The coefficients of a block of resamples of topics."""
    topics, others = block.generator(seed, TOPICS), block.generator(seed, OTHER_TOPICS)
    sums: list[tuple[NDArray[np.float64], NDArray[np.float64]]] = []
    for start, stop in pieces(block, rows):
        weights = draw_weights(topics, stop - start, len(x))
        other = weights if shared else draw_weights(others, stop - start, len(y))
        sums.append((product(x.T, weights.T).T, product(y.T, other.T).T))
    first, second = (np.concatenate(each) for each in zip(*sums, strict=True))
    return rank_correlations(first, second, tolerance)


def is_order(path: str | os.PathLike[str]) -> bool:
    """Whether a file is an order for `read_order`: one field per line, or two; but not two columns of scores.

    A table of scores is told by a header that names topics, or by decimal numbers where systems would stand.
    """
    name = os.fspath(path)
    if name == STDIN or not is_file(name):
        return False
    data = read_bytes(name)
    if data.startswith(b"PAR1"):
        return False
    rows = [_fields(line) for _, line in text_lines(data, name) if line.strip()]
    if not rows or len(rows[0]) > 2 or rows[0][0].casefold() in LONG_NAMES["topic"]:
        return False
    return not all(_DECIMAL.fullmatch(fields[0]) for fields in rows)


def _fields(line: str) -> list[str]:
    return re.split(r"\s*[,\t]\s*|\s+", line.strip())


def _is_header(line: int, fields: list[str], name: str) -> bool:
    """Whether the first line of an order names its columns; a word that may be a system as well is refused."""
    first, *others = (field.casefold() for field in fields)
    if first not in LONG_NAMES["system"] or (others and number(others[0]) is not None):
        return False
    if first == "system" or (others and others[0] in LONG_NAMES["value"]):
        return True
    header = "system,score" if others else "system"
    text = f"{shown(fields[0])} may be a header or a system; write the header as {header}, before it or in its place"
    raise FileError(name, [Problem(line, text)])


def read_order(path: str | os.PathLike[str]) -> dict[str, float]:
    """An order of systems from a file: one system per line with the best first, or a system and its score on each line.

    Fields are separated by a comma, a tab or blanks; a header line ``system`` or ``system,score`` is skipped. Of a
    list without scores, the first system gets the highest.

    >>> import pathlib, tempfile
    >>> file = pathlib.Path(tempfile.mkdtemp(), "order.txt")
    >>> _ = file.write_text("bm25\\nql\\n")
    >>> read_order(file)
    {'bm25': 2.0, 'ql': 1.0}
    """
    name = os.fspath(path)
    rows = [(i, _fields(line)) for i, line in text_lines(read_bytes(name), name) if line.strip()]
    if rows and _is_header(*rows[0], name):
        rows = rows[1:]
    problems = Problems(name)
    order: dict[str, float] = {}
    width = len(rows[0][1]) if rows else 1
    for place, (line, fields) in enumerate(rows):
        if len(fields) != width or width > 2:
            count = f"found {len(fields)} field{'' if len(fields) == 1 else 's'}"
            problems.add(line, f"expected a system, or a system and its score, as in the first line; {count}")
            continue
        if not fields[0]:
            problems.add(line, f"expected the name of a system, found none: {shown(','.join(fields))}")
            continue
        if fields[0] in order:
            problems.add(line, f"system {fields[0]!r} occurs twice; keep one line")
        score = number(fields[1]) if width == 2 else float(len(rows) - place)
        if score is None or not math.isfinite(score):
            problems.add(line, f"expected a finite score after the system, found {shown(fields[1])}")
            continue
        order[fields[0]] = score
    problems.raise_if_any()
    if not order:
        raise FileError(name, [Problem(0, "names no system")])
    return order
