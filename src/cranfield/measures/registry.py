"""All measures by name (built-in, of installed packages, and custom), and their parameters."""

from __future__ import annotations

import importlib
import inspect
import math
import re
import sys
import types
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass, field
from functools import cache, cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal, TypeVar, get_args, get_origin, get_type_hints

from cranfield.core.errors import ArgumentError, UnknownNameError
from cranfield.measures.aliases import TREC_NAMES, Value, plain

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray


@dataclass(frozen=True)
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


Cutoff = Annotated[int, Between(1)]
"""Number of documents that count: the number after the @."""
Level = Annotated[int, Between(1)]
"""The lowest relevance level that counts as relevant."""
Fraction = Annotated[float, Between(0, 1)]
OpenFraction = Annotated[float, Between(0, 1, open=True)]
Positive = Annotated[float, Between(0, open=True)]
_GAINS = "gains"
Gains = Annotated[str, _GAINS]
"""``linear`` (the level), ``exp`` (2^level − 1), a list such as ``1:3:7`` for levels 1, 2, 3, or ``{1:3,2:7}``."""

HIGHEST_MAPPED = 9999
"""The highest level in a mapping of gains."""
LARGEST = 1e100
"""The largest number or gain: products of two and their sums stay finite."""
REQUIRED: Any = inspect.Parameter.empty


@dataclass(frozen=True)
class Parameter:
    """One parameter of a measure: how to read it, which values are in range, and its default."""

    name: str
    default: Value | None = REQUIRED
    type: type = str
    range: Between | None = None
    choices: tuple[str, ...] = ()
    gains: bool = False

    def check(self, given: object) -> Value:
        """The value in its type, or an `ArgumentError` for a wrong type or range."""
        value = given
        if self.type is bool:
            return _flag(self.name, given)
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
            raise ArgumentError(f"`{self.name}` must be a number of magnitude at most {LARGEST:g}; got {given}")
        if self.gains:
            return check_gains(str(value), self.name)
        return value  # type: ignore[return-value]

    @property
    def kind(self) -> str:
        """A description of its values."""
        if self.gains:
            return "linear, exp or a list such as 1:3:7"
        return {bool: "True or False", int: "an integer", float: "a number"}.get(self.type, "a word")


def _flag(name: str, given: object) -> bool:
    value = {"true": True, "false": False}.get(str(given).casefold())
    if value is None:
        raise ArgumentError(f"`{name}` must be True or False; got {given!r}")
    return value


JUDGED_ONLY = Parameter("judged_only", False, bool)
"""Drop unjudged documents before scoring (condensed lists): a parameter of every measure."""


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
        if type(None) in get_args(hint):
            hint = next(part for part in get_args(hint) if part is not type(None))
        hint, *rules = get_args(hint) if get_origin(hint) is Annotated else [hint]
        choices = get_args(hint) if get_origin(hint) is Literal else ()
        kind = str if choices else hint
        if kind not in (int, float, str, bool):
            raise ArgumentError(f"parameter `{name}`: a measure takes int, float, str, bool or Literal, not {hint}")
        bounds = next((rule for rule in rules if isinstance(rule, Between)), None)
        parameters[name] = Parameter(name, argument.default, kind, bounds, choices, gains=_GAINS in rules)
    return parameters


def check_gains(text: str, name: str = "gains") -> str:
    """A gain specification in canonical spelling.

    A mapping ``{level: gain}``, as ir_measures writes it, leaves the gain of other levels at their number.

    >>> check_gains("1:3.0:7"), check_gains("{3: 9, 1: 1, 0: 1}")
    ('1:3:7', '{0:1,3:9}')
    """
    if text in ("linear", "exp"):
        return text
    if text.startswith("{"):
        return _check_mapping(text, name)
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
    return ":".join(map(_written_gain, values))


def _written_gain(value: float) -> str:
    return f"{value:g}" if float(f"{value:g}") == value else repr(value)


def _check_mapping(text: str, name: str) -> str:
    """A mapping from level to gain in canonical spelling; pairs that change nothing are omitted."""
    pairs: dict[int, float] = {}
    try:
        for part in filter(str.strip, text.strip("{}").split(",")):
            level, gain = part.split(":")
            pairs[int(level)] = float(gain)
    except ValueError:
        pairs = {-1: 0.0}
    if any(level < 0 or not 0 <= gain <= LARGEST for level, gain in pairs.items()):
        raise ArgumentError(f"`{name}` must map levels from 0 to gains from 0, as in {{1:3,2:7}}; got {text!r}")
    if max(pairs, default=0) > HIGHEST_MAPPED:
        raise ArgumentError(f"`{name}` maps levels up to {HIGHEST_MAPPED}; got {text!r}")
    changed = {level: gain for level, gain in sorted(pairs.items()) if level != gain}
    inside = ",".join(f"{level}:{_written_gain(gain)}" for level, gain in changed.items())
    return f"{{{inside}}}" if inside else "linear"


IR_MEASURES = "irm:"
"""The prefix of measures that ir_measures computes."""
ENTRY_POINTS = "cranfield.measures"
"""The entry-point group in which an installed package offers measures."""
Aggregate = Literal["mean", "sum"]
_Function = TypeVar("_Function", bound="Callable[..., NDArray[np.float64]]")


@dataclass(frozen=True)
class Definition:
    """A measure: a function from a judged ranking to one score per topic, and its documentation."""

    name: str
    function: Callable[..., NDArray[np.float64]]
    summary: str
    citation: str = ""
    family: str = "yours"
    aliases: tuple[str, ...] = ()
    aggregate: Aggregate = "mean"
    module: str = field(default="", compare=False)

    @property
    def is_ours(self) -> bool:
        """Whether it is built in."""
        return self.module.startswith("cranfield.")

    @cached_property
    def parameters(self) -> Mapping[str, Parameter]:
        """The parameters in parentheses: the keyword-only arguments of the function, and `judged_only`."""
        own = parameters_of(self.function)
        if self.name.startswith(IR_MEASURES):
            return own
        return {**own, JUDGED_ONLY.name: own.get(JUDGED_ONLY.name, JUDGED_ONLY)}

    @cached_property
    def own_parameters(self) -> Mapping[str, Parameter]:
        """The parameters except `judged_only`, which all measures have."""
        return {name: one for name, one in self.parameters.items() if one is not JUDGED_ONLY}

    @property
    def at(self) -> str:
        """The parameter that stands after the @: recall for `IPrec`, a cutoff for the others."""
        return "recall" if "recall" in self.parameters and "cutoff" not in self.parameters else "cutoff"

    @property
    def written(self) -> str:
        """The name with its parameters and their defaults.

        >>> find("RBP").written, find("P").written
        ('RBP(p=0.8,gains=linear,rel=…)@k or without @k', 'P(rel=1)@k')
        """
        own = {name: parameter.default for name, parameter in self.own_parameters.items() if name != "cutoff"}
        inside = ",".join(f"{name}={'…' if value in (None, REQUIRED) else value}" for name, value in own.items())
        text = f"{self.name}({inside})" if inside else self.name
        if "cutoff" not in self.parameters:
            return text
        return f"{text}@k" + ("" if self.parameters["cutoff"].default is REQUIRED else " or without @k")

    @property
    def usage(self) -> str:
        """How to write it, for messages.

        >>> find("P").usage
        'write P@10 or P(rel=…)@10'
        """
        own = [parameter for name, parameter in self.own_parameters.items() if name != "cutoff"]
        inside = ",".join(f"{parameter.name}=…" for parameter in own)
        needed = any(parameter.default is REQUIRED for parameter in own)
        forms = [*([] if needed else [self.name]), *([f"{self.name}({inside})"] if inside else [])]
        if "cutoff" in self.parameters:
            cut = [f"{form}@10" for form in forms]
            forms = cut if self.parameters["cutoff"].default is REQUIRED else [forms[0], cut[-1]]
        return f"write {' or '.join(forms)}"


_DEFINITIONS: dict[str, Definition] = {}
_ALIASES: dict[str, str] = {}
_GLUED = re.compile(r"(?P<stem>.*[^\W\d_])[-_:]?(?P<cutoff>\d+)")


def measure(
    name: str,
    *,
    citation: str = "",
    family: str = "yours",
    aliases: tuple[str, ...] = (),
    aggregate: Aggregate = "mean",
) -> Callable[[_Function], _Function]:
    """Make a function over the judged ranking a measure.

    The function takes a `JudgedRanking` and returns one score per topic. Its keyword-only arguments are the parameters
    of the measure, with types and defaults; ``cutoff`` is the number after the @. `cranfield measures` shows the first
    line of the docstring. The name then works everywhere in this process. On the command line, add the module
    (``my_measures.mean_level@5``), or register an entry point in the group ``cranfield.measures``.

    Examples
    --------
    >>> from cranfield.measures.registry import Cutoff
    >>> from cranfield.measures.ranking import JudgedRanking
    >>> from cranfield.measures.registry import measure
    >>> from cranfield.measures.names import parse_measure
    >>> @measure("MeanLevel")
    ... def mean_level(ranking: JudgedRanking, *, cutoff: Cutoff = 10) -> "NDArray[np.float64]":
    ...     '''Mean relevance level of the first documents.'''
    ...     return ranking.top(cutoff).clip(0).mean(axis=1)
    >>> parse_measure("MeanLevel@5").definition.summary
    'Mean relevance level of the first documents.'
    """

    def register(function: _Function) -> _Function:
        lines = (function.__doc__ or "").strip().splitlines()
        module = f"{function.__module__}.{function.__name__}"
        summary = lines[0] if lines else ""
        definition = Definition(name, function, summary, citation, family, aliases, aggregate, module)
        if not definition.is_ours:
            _families()  # loads the built-in names, which are taken
            parameters_of(function)  # reports a wrong signature at once
        taken = _DEFINITIONS.get(name)
        if taken is not None and taken.module != module:
            raise ArgumentError(f"measure {name!r} is defined already, in {taken.module}; choose another name")
        _DEFINITIONS[name] = definition
        for alias in (name, *aliases):
            _ALIASES.setdefault(plain(alias), name)
        return function

    return register


_imports: ContextVar[bool] = ContextVar("imports", default=True)


@contextmanager
def no_imports() -> Iterator[None]:
    """Inside the block a dotted name is an unknown measure: input of a page must not import a module.

    >>> with no_imports():
    ...     find("numpy.linalg")
    Traceback (most recent call last):
    cranfield.UnknownNameError: unknown measure 'numpy.linalg'. Known: AP, P, R, Rprec, RR, Success, SetP, SetR, ….
    """
    before = _imports.set(False)
    try:
        yield
    finally:
        _imports.reset(before)


def find(name: str) -> Definition:
    """The definition of a measure by name, alias, or dotted name of its function."""
    if known(name):
        return _DEFINITIONS[name if name in _DEFINITIONS else _ALIASES[plain(name)]]
    if name.startswith(IR_MEASURES):
        from cranfield.measures.irm import definition

        return definition(name.removeprefix(IR_MEASURES))
    offered = _entry_points()
    if name in offered:
        return _by_function(name, offered[name]())
    if "." in name and _imports.get():
        return _import(name)
    if (meant := _with_cutoff(name)) is not None:
        raise UnknownNameError("measure", name, [meant])
    raise UnknownNameError("measure", name, [*known_names(), *_other_names()])


def _with_cutoff(name: str) -> str | None:
    """The correct spelling of a name with an attached cutoff (P5, ndcg-10); None for other names."""
    match = _GLUED.fullmatch(name)
    if match is None or not known(match["stem"]):
        return None
    definition = find(match["stem"])
    return f"{definition.name}@{match['cutoff']}" if "cutoff" in definition.parameters else None


def known(name: str) -> bool:
    """Whether a name is one of ours or an alias, capitals aside."""
    _families()
    return name in _DEFINITIONS or plain(name) in _ALIASES


def known_names() -> list[str]:
    """Every name, built-in and of installed packages, in the order of the families."""
    place = {module: at for at, module in enumerate(_families())}
    ours = sorted(_DEFINITIONS, key=lambda name: place.get(_DEFINITIONS[name].function.__module__, len(place)))
    return [*ours, *(name for name in _entry_points() if name not in _DEFINITIONS)]


def _other_names() -> list[str]:
    """Names of other tools that differ from ours, to suggest for an unknown name."""
    ours = {plain(name) for name in known_names()}
    others = [*TREC_NAMES, *(alias for definition in _DEFINITIONS.values() for alias in definition.aliases)]
    return [name for name in others if plain(name) not in ours]


@cache
def _families() -> tuple[str, ...]:
    """Load the modules that define the built-in measures, and return their names."""
    from cranfield.measures import binary, diversity, fairness, graded, ntcireval, overlap, user_models

    return tuple(one.__name__ for one in (binary, graded, ntcireval, user_models, overlap, diversity, fairness))


@cache
def _entry_points() -> dict[str, Callable[[], object]]:
    from importlib.metadata import entry_points

    return {point.name: point.load for point in entry_points(group=ENTRY_POINTS)}


def _import(dotted: str) -> Definition:
    """The measure with a dotted name; the current directory is searched too, as by ``python -m``."""
    module, _, attribute = dotted.replace(":", ".").rpartition(".")
    here = str(Path.cwd())
    sys.path.append(here)
    try:
        imported = importlib.import_module(module)
    except ArgumentError:
        raise
    except Exception as error:  # a foreign module may fail in any way
        what = str(error) if isinstance(error, ImportError) else f"{type(error).__name__}: {error}"
        raise ArgumentError(f"measure {dotted!r}: module {module!r} cannot be imported ({what})") from error
    finally:
        sys.path.remove(here)
    function = getattr(imported, attribute, None)
    if function is None:
        raise ArgumentError(f"measure {dotted!r}: module {module!r} has no {attribute!r}")
    return _by_function(dotted, function)


def _by_function(name: str, function: object) -> Definition:
    if found := [definition for definition in _DEFINITIONS.values() if definition.function is function]:
        return found[0]
    raise ArgumentError(
        f"measure {name!r} is a {type(function).__name__}, not a measure; "
        "decorate a function with cranfield.measures.measure"
    )
