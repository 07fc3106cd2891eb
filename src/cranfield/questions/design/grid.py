"""The arguments of a design: checked, crossed into a grid of cells, and laid out as rows once solved."""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import Any, TypeAlias

import numpy as np
import polars as pl
from numpy.typing import NDArray

from cranfield.core import options as bounds
from cranfield.core.answer import sentence
from cranfield.core.defaults import ALPHA, POWER
from cranfield.core.errors import ArgumentError
from cranfield.core.labels import is_several, repr_of
from cranfield.questions.design.result import Design
from cranfield.questions.variance.estimate import VarianceEstimate

Array = NDArray[np.float64]
Cells = Mapping[str, Array]
Numbers: TypeAlias = float | Iterable[float]
"""One number, or several for a grid."""
Variances: TypeAlias = float | VarianceEstimate | Iterable[float | VarianceEstimate]
"""One variance typed or estimated from scores, or several for a grid."""

MOST_CELLS = 1_000_000
"""Combinations of values that one grid may have."""
COLUMN = {"n_topics": "topics", "n_systems": "systems"}
"""Columns that are named more shortly than their argument."""
COUNTS = ("topics", "systems", "comparisons")
LEFT_EMPTY = sentence(
    "design.left-empty",
    "{count} of {designs} designs have no solution; their cells are empty. The first: {reason}",
    "some, but not all, of the designs asked for have no solution",
)


@dataclass(frozen=True)
class Grid:
    """Every combination of the arguments.

    Parameters
    ----------
    name : what the variance is called: ``variance``, or ``variance_of_difference``
    unknown : the argument to be found
    estimates : where the variance of each cell was estimated; None where it was typed
    ends : the lower and the upper ends of the variances' intervals; NaN where there are none
    cells : each argument, and the variance, as an array over the cells
    """

    name: str
    unknown: str
    estimates: list[VarianceEstimate | None]
    ends: Array
    cells: dict[str, Array]

    @classmethod
    def of(cls, name: str, variance: Variances, unknown: str, **asked: Numbers | None) -> Grid:
        """The grid of one or several variances and arguments."""
        factor = 2 if name == "variance_of_difference" else 1
        several = [variance] if isinstance(variance, VarianceEstimate) else listed(name, variance)
        estimates = [one if isinstance(one, VarianceEstimate) else None for one in several]
        known = [
            (positive(name, typed), None, None) if one is None else (one.variance, one.lower, one.upper)
            for typed, one in zip(several, estimates, strict=True)
        ]
        numbers = np.asarray(known, dtype=np.float64) * [[1 if one is None else factor] for one in estimates]
        # A single NaN stands for what the design has to find.
        values = [
            [math.nan] if given is None else [_CHECK[key](key, value) for value in listed(key, given)]
            for key, given in asked.items()
        ]
        count = math.prod(map(len, values)) * len(several)
        if count > MOST_CELLS:
            raise ArgumentError(f"the grid has {count:,} cells; at most {MOST_CELLS:,} are allowed. Give fewer values.")
        table = np.asarray(list(itertools.product(*values)), dtype=np.float64)
        cells = {key: np.tile(table[:, i], len(several)) for i, key in enumerate(asked)}
        each, *ends = np.repeat(numbers.T, len(table), axis=1)
        of_cells = [one for one in estimates for _ in table]
        return cls(name, unknown, of_cells, np.asarray(ends), cells | {"variance": each})

    @classmethod
    def of_power(
        cls, name: str, variance: Variances, *, min_diff: Numbers | None = None, n_topics: Numbers | None = None,
        power: Numbers | None = None, alpha: Numbers = ALPHA, **systems: Numbers | None,
    ) -> Grid:  # fmt: skip
        """The grid of a design by power, which is the default unless given or sought."""
        unknown, power = missing(power, n_topics=n_topics, **systems, min_diff=min_diff)
        return cls.of(
            name, variance, unknown, **systems, min_diff=min_diff, alpha=alpha, power=power, n_topics=n_topics
        )

    @property
    def of_residuals(self) -> bool:
        """Whether a variance is the residual one."""
        return any(one is not None and one.estimator == "residual" for one in self.estimates)

    def solved(self, solve: Callable[..., Array], *how: Any) -> tuple[Array, Array, Array] | tuple[Array, None, None]:
        """What `solve` finds in every cell, and what it would be at both ends of the variance's interval."""
        solution = solve(self.cells, self.unknown, *how)
        if np.isnan(self.ends).all():
            return solution, None, None
        found = np.full_like(self.ends, np.nan)
        for values, end in zip(found, self.ends, strict=True):
            some = ~np.isnan(end)
            cells = {name: all[some] for name, all in self.cells.items()} | {"variance": end[some]}
            values[some] = solve(cells, self.unknown, *how)
        return solution, found[0], found[1]

    def shown(self, *names: str) -> dict[str, Array]:
        """Arguments as columns; the variance under its own name."""
        return {self.name if name == "variance" else name: self.cells[name] for name in names}

    def end_columns(self, lower: Array | None, upper: Array | None) -> dict[str, Array]:
        """Both ends of what was found as columns, where there are any."""
        name = COLUMN.get(self.unknown, self.unknown)
        return {} if lower is None or upper is None else {f"{name}_lower": lower, f"{name}_upper": upper}

    def design(self, what: str, columns: Mapping[str, Any], settings: Mapping[str, Any], said: Iterable[str]) -> Design:
        """The design with these columns; past scores add measure and estimator. Infinite values become null."""
        labels = ("measure", "estimator") if any(self.estimates) else ()
        made: dict[str, Any] = {name: [getattr(one, name, None) for one in self.estimates] for name in labels}
        for name, values in columns.items():
            arrays = isinstance(values, np.ndarray)
            made[COLUMN.get(name, name)] = np.where(np.isfinite(values), values, np.nan) if arrays else values
        rows = pl.DataFrame(made).fill_nan(None)
        rows = rows.with_columns(pl.col(name).cast(pl.Int64) for name in made if name.split("_")[0] in COUNTS)
        inherited = dict.fromkeys(text for one in self.estimates if one is not None for text in one.inherited)
        return Design(what, COLUMN.get(self.unknown, self.unknown), rows, settings, (*inherited, *said))


def left_empty(nothing: NDArray[np.bool_], reason: str) -> tuple[str, ...]:
    """A warning with the number of cells without a solution; an error if no cell has one."""
    if nothing.all():
        raise ArgumentError(reason)
    return (LEFT_EMPTY(count=int(nothing.sum()), designs=len(nothing), reason=reason),)


def listed(name: str, given: object) -> list[object]:
    """One value or several as a list."""
    if isinstance(given, (str, bytes)):
        raise ArgumentError(f"`{name}` must be a number; got {given!r}.")
    values = list(given) if is_several(given) else [given]  # type: ignore[call-overload]
    if not values:
        raise ArgumentError(f"`{name}` is empty; give at least one number.")
    return values


def _number(name: str, value: object) -> float:
    try:
        number = float(value)  # type: ignore[arg-type]
    except (TypeError, ValueError):
        raise ArgumentError(f"`{name}` must be a number; got {repr_of(value)}.") from None
    except OverflowError:
        number = math.inf
    if not math.isfinite(number):
        raise ArgumentError(f"`{name}` must be a finite number; got {number}.")
    return number


def positive(name: str, value: object) -> float:
    """A number above 0.

    >>> positive("variance", -0.1)
    Traceback (most recent call last):
    cranfield.ArgumentError: `variance` must be above 0; got -0.1.
    """
    number = _number(name, value)
    if number <= 0:
        raise ArgumentError(f"`{name}` must be above 0; got {number:g}.")
    return number


def probability(name: str, value: object) -> float:
    """A number strictly between 0 and 1.

    >>> probability("power", 80)
    Traceback (most recent call last):
    cranfield.ArgumentError: `power` must be between 0 and 1; got 80. Write 0.80.
    """
    number = _number(name, value)
    if not 0 < number < 1:
        usual = number / 100 if 1 < number < 100 else POWER if name == "power" else ALPHA
        raise ArgumentError(f"`{name}` must be between 0 and 1; got {number:g}. Write {usual:.2f}.")
    return number


def count(name: str, value: object) -> float:
    """A whole number of at least 2.

    >>> count("n_systems", 1)
    Traceback (most recent call last):
    cranfield.ArgumentError: `n_systems` must be a whole number of at least 2; got 1.
    """
    number = _number(name, value)
    bounds.whole(name, number)
    return number


_CHECK = {
    **dict.fromkeys(("n_topics", "n_systems"), count), **dict.fromkeys(("alpha", "power"), probability),
    **dict.fromkeys(("min_diff", "width"), positive),
}  # fmt: skip


def missing(power: Numbers | None, **others: object) -> tuple[str, Numbers | None]:
    """The argument to solve for, and the power (the default unless it is solved for).

    >>> missing(None, n_topics=None, min_diff=0.1)
    ('n_topics', 0.8)
    >>> missing(None, n_topics=50, min_diff=0.1)
    ('power', None)
    """
    absent = [name for name, value in others.items() if value is None]
    names = ", ".join(f"`{name}`" for name in others)
    if len(absent) > 1:
        both = " and ".join(f"`{name}`" for name in absent)
        raise ArgumentError(f"{both} are missing; give all but one of {names} and `power`.")
    if absent:
        return absent[0], POWER if power is None else power
    if power is not None:
        raise ArgumentError(f"nothing to solve for: {names} and `power` are all given. Leave one of them out.")
    return "power", None
