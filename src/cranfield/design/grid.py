"""Arguments of a design: checked, and crossed into the cells of a grid."""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from cranfield.defaults import POWER
from cranfield.errors import ArgumentError
from cranfield.settings import shared as bounds
from cranfield.variance import VarianceEstimate

Array = NDArray[np.float64]
MOST_CELLS = 1_000_000
"""Combinations of values that one grid may have."""
Numbers: TypeAlias = float | Iterable[float]
"""One number, or several for a grid."""
Variances: TypeAlias = float | VarianceEstimate | Iterable[float | VarianceEstimate]
"""One variance typed or estimated from scores, or several for a grid."""


@dataclass(frozen=True)
class Variance:
    """A variance as a design uses it, with its interval when it came from scores."""

    value: float
    lower: float | None = None
    upper: float | None = None
    estimate: VarianceEstimate | None = None


def variances(name: str, given: Variances, *, of_difference: bool = False) -> list[Variance]:
    """The variances to design for; an estimate brings its interval along."""
    chosen = []
    for one in [given] if isinstance(given, VarianceEstimate) else listed(name, given):
        if isinstance(one, VarianceEstimate):
            factor = 2 if of_difference else 1
            ends = [None if end is None else factor * end for end in (one.lower, one.upper)]
            chosen.append(Variance(factor * one.variance, ends[0], ends[1], one))
        else:
            chosen.append(Variance(positive(name, one)))
    return chosen


def listed(name: str, given: object) -> list[object]:
    """One value or several as a list."""
    if isinstance(given, (str, bytes)):
        raise ArgumentError(f"`{name}` must be a number; got {given!r}.")
    values = list(given) if isinstance(given, Iterable) else [given]
    if not values:
        raise ArgumentError(f"`{name}` is empty; give at least one number.")
    return values


def _number(name: str, value: object) -> float:
    try:
        number = float(value)  # type: ignore[arg-type]
    except (TypeError, ValueError):
        raise ArgumentError(f"`{name}` must be a number; got {value!r}.") from None
    except OverflowError:
        number = math.inf
    if not math.isfinite(number):
        raise ArgumentError(f"`{name}` must be a finite number; got {number}.")
    return number


def positive(name: str, value: object) -> float:
    """A number above 0.

    >>> positive("variance", -0.1)
    Traceback (most recent call last):
    cranfield.errors.ArgumentError: `variance` must be above 0; got -0.1.
    """
    number = _number(name, value)
    if number <= 0:
        raise ArgumentError(f"`{name}` must be above 0; got {number:g}.")
    return number


def probability(name: str, value: object) -> float:
    """A number strictly between 0 and 1.

    >>> probability("power", 80)
    Traceback (most recent call last):
    cranfield.errors.ArgumentError: `power` must be between 0 and 1; got 80. Write 0.80.
    """
    number = _number(name, value)
    if not 0 < number < 1:
        advice = (
            f"Write {number / 100:.2f}." if 1 < number < 100 else f"Write {POWER if name == 'power' else 0.05:.2f}."
        )
        raise ArgumentError(f"`{name}` must be between 0 and 1; got {number:g}. {advice}")
    return number


def count(name: str, value: object) -> float:
    """A whole number of at least 2.

    >>> count("n_systems", 1)
    Traceback (most recent call last):
    cranfield.errors.ArgumentError: `n_systems` must be a whole number of at least 2; got 1.
    """
    number = _number(name, value)
    bounds.whole(name, number)
    return number


_CHECK = {
    "n_topics": count,
    "n_systems": count,
    "alpha": probability,
    "power": probability,
    "min_diff": positive,
    "width": positive,
}


def numbers(name: str, given: Numbers | None) -> list[float]:
    """The values of one argument, checked; a single NaN when it is what the design has to find."""
    return [math.nan] if given is None else [_CHECK[name](name, value) for value in listed(name, given)]


def missing(power: Numbers | None, **others: object) -> tuple[str, Numbers | None]:
    """Which argument is to be found, and the power wanted (the default unless it is the one).

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
        raise ArgumentError(f"nothing to find: {names} and `power` are all given. Leave one of them out.")
    return "power", None


def cross(
    variance: Sequence[Variance], arguments: Mapping[str, Sequence[float]]
) -> tuple[list[Variance], dict[str, Array]]:
    """Every combination: the variance of each cell, and each argument as an array over the cells."""
    cells = math.prod(map(len, arguments.values())) * len(variance)
    if cells > MOST_CELLS:
        raise ArgumentError(
            f"the grid has {cells:,} cells, and at most {MOST_CELLS:,} are computed; give fewer values."
        )
    table = np.asarray(list(itertools.product(*arguments.values())), dtype=np.float64)
    chosen = [one for one in variance for _ in table]
    return chosen, {name: np.tile(table[:, i], len(variance)) for i, name in enumerate(arguments)}


def inherited(given: Iterable[Variance]) -> tuple[str, ...]:
    """What the past scores behind the variances had to say, each sentence once."""
    known = [one.estimate for one in given if one.estimate is not None]
    return tuple(dict.fromkeys(text for estimate in known for text in estimate.inherited))
