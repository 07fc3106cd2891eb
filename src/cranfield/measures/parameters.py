"""What may stand in the parentheses of a measure: types, ranges, choices and gains."""

from __future__ import annotations

import inspect
import math
import types
from collections.abc import Callable
from typing import Annotated, Any, Literal, get_args, get_origin, get_type_hints

from cranfield.errors import ArgumentError
from cranfield.records import record

Value = int | float | str
"""What a parameter can hold."""


@record
class Between:
    """A range: the bounds belong to it unless it is open."""

    low: float = -math.inf
    high: float = math.inf
    open: bool = False

    def __contains__(self, value: float) -> bool:
        return self.low < value < self.high if self.open else self.low <= value <= self.high

    def __str__(self) -> str:
        if self.low == self.high:
            return f"{self.low:g}"
        if self.high == math.inf:
            return f"{'above' if self.open else 'at least'} {self.low:g}"
        return f"between {self.low:g} and {self.high:g}{', both excluded' if self.open else ''}"


@record
class GainsRule:
    """Marks a parameter that names the gain of every relevance level."""


Cutoff = Annotated[int, Between(1)]
"""Only the first so many documents count: the number after the @."""
Level = Annotated[int, Between(1)]
"""The lowest relevance level that counts as relevant."""
Fraction = Annotated[float, Between(0, 1)]
OpenFraction = Annotated[float, Between(0, 1, open=True)]
Positive = Annotated[float, Between(0, open=True)]
Gains = Annotated[str, GainsRule()]
"""``linear`` (the level), ``exp`` (2^level − 1) or a list such as ``1:3:7`` for levels 1, 2, 3."""

LARGEST = 1e100
"""The largest number or gain: products of two, and their sums, are still finite."""
REQUIRED: Any = inspect.Parameter.empty


@record
class Parameter:
    """One parameter of a measure: how to read it, which values are in range, and its default."""

    name: str
    default: Value | None = REQUIRED
    type: type = str
    range: Between | None = None
    choices: tuple[str, ...] = ()
    gains: bool = False

    def check(self, given: object) -> Value:
        """The value in its own type, once it is known to be in range; an `ArgumentError` that says what is not."""
        value = given
        if isinstance(given, str) and self.type in (int, float):
            try:
                value = self.type(given)
            except ValueError:
                raise ArgumentError(f"`{self.name}` must be {self.kind}; got {given!r}") from None
        if self.type is float and isinstance(value, int):
            value = float(value) if abs(value) <= LARGEST else math.inf
        if not isinstance(value, self.type) or isinstance(value, bool):
            raise ArgumentError(f"`{self.name}` must be {self.kind}; got {given!r}")
        if self.choices and value not in self.choices:
            raise ArgumentError(f"`{self.name}` must be one of {', '.join(self.choices)}; got {given!r}")
        if self.range is not None and value not in self.range:  # type: ignore[operator]
            raise ArgumentError(f"`{self.name}` must be {self.range}; got {given}")
        if isinstance(value, float) and not abs(value) <= LARGEST:
            raise ArgumentError(f"`{self.name}` must be a number of at most {LARGEST:g} in size; got {given}")
        if self.gains:
            return check_gains(str(value), self.name)
        return value  # type: ignore[return-value]

    @property
    def kind(self) -> str:
        """What it takes, in words."""
        if self.gains:
            return "linear, exp or a list such as 1:3:7"
        return {int: "an integer", float: "a number"}.get(self.type, "a word")


def parameters_of(function: Callable[..., object]) -> dict[str, Parameter]:
    """The parameters of a measure function: its keyword-only arguments, read from their annotations."""
    parameters = {}
    for name, argument in inspect.signature(function).parameters.items():
        if argument.kind is not inspect.Parameter.KEYWORD_ONLY:
            continue
        if argument.annotation is inspect.Parameter.empty:
            raise ArgumentError(f"measure function {function.__name__}: parameter `{name}` needs a type, such as int")
        # Only this annotation is resolved: the function's other types need not exist at run time.
        holder = types.SimpleNamespace(__annotations__={name: argument.annotation})
        hint = get_type_hints(holder, function.__globals__, include_extras=True)[name]
        parameters[name] = _parameter(name, hint, argument.default)
    return parameters


def _parameter(name: str, hint: Any, default: Any) -> Parameter:
    options = [part for part in get_args(hint) if part is not type(None)] if type(None) in get_args(hint) else [hint]
    hint = options[0]
    rules: tuple[Any, ...] = ()
    if get_origin(hint) is Annotated:
        hint, *rest = get_args(hint)
        rules = tuple(rest)
    if get_origin(hint) is Literal:
        return Parameter(name, default, str, choices=get_args(hint))
    if hint not in (int, float, str):
        raise ArgumentError(f"parameter `{name}`: a measure takes int, float, str or Literal, not {hint}")
    bounds = next((rule for rule in rules if isinstance(rule, Between)), None)
    return Parameter(name, default, hint, bounds, gains=any(isinstance(rule, GainsRule) for rule in rules))


def check_gains(text: str, name: str = "gains") -> str:
    """A gain specification in its one canonical spelling.

    >>> check_gains("1:3.0:7")
    '1:3:7'
    """
    if text in ("linear", "exp"):
        return text
    try:
        values = [float(part) for part in text.split(":")]
    except ValueError:
        values = [-1.0]
    if min(values) < 0 or max(values) <= 0 or not all(map(math.isfinite, values)):
        raise ArgumentError(
            f"`{name}` must be linear, exp or the gains of levels 1, 2, … such as 1:3:7 (none negative, one positive); "
            f"got {text!r}"
        )
    if max(values) > LARGEST:
        raise ArgumentError(f"`{name}` must be at most {LARGEST:g}; got {text!r}")
    return ":".join(f"{value:g}" if float(f"{value:g}") == value else repr(value) for value in values)
