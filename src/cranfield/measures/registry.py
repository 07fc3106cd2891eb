"""All measures by name: the built-in ones, those of installed packages, and your own."""

from __future__ import annotations

import importlib
import re
import sys
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import field
from functools import cache, cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Literal, TypeVar

from cranfield.errors import ArgumentError, UnknownNameError
from cranfield.measures.aliases import COMMON_NAMES, TREC_NAMES, plain
from cranfield.measures.parameters import REQUIRED, Parameter, parameters_of
from cranfield.records import record

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

IR_MEASURES = "irm:"
"""What opens the name of a measure that ir_measures computes."""
ENTRY_POINTS = "cranfield.measures"
"""The entry-point group in which an installed package offers measures."""
FAMILIES = ("binary", "recall_points", "incomplete", "graded", "gains", "novelty", "intents")
"""The modules that define the built-in measures."""

Aggregate = Literal["mean", "sum"]
_Function = TypeVar("_Function", bound="Callable[..., NDArray[np.float64]]")


@record
class Definition:
    """What a measure computes: a function from a judged ranking to one score per topic, and what to say about it."""

    name: str
    function: Callable[..., NDArray[np.float64]]
    summary: str
    citation: str = ""
    family: str = "yours"
    aliases: tuple[str, ...] = ()
    aggregate: Aggregate = "mean"
    module: str = field(default="", compare=False)

    @cached_property
    def parameters(self) -> Mapping[str, Parameter]:
        """What may stand in the parentheses: the keyword-only arguments of the function."""
        return parameters_of(self.function)

    @property
    def written(self) -> str:
        """The name with its parameters and their defaults.

        >>> find("RBP").written, find("P").written
        ('RBP(p=0.8,gains=linear,rel=…)@k or without @k', 'P(rel=1)@k')
        """
        inside = ",".join(
            f"{name}={'…' if parameter.default in (None, REQUIRED) else parameter.default}"
            for name, parameter in self.parameters.items()
            if name != "cutoff"
        )
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
        inside = ",".join(f"{name}=…" for name in self.parameters if name != "cutoff")
        forms = [self.name, f"{self.name}({inside})"] if inside else [self.name]
        if any(p.default is REQUIRED for name, p in self.parameters.items() if name != "cutoff"):
            forms = forms[1:]
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

    The function takes a `JudgedRanking` and returns one score per topic. Its keyword-only arguments are the
    measure's parameters: their types say what is accepted, their defaults what is meant when left out, and
    ``cutoff`` is the number after the @. The first line of its docstring is the definition `cranfield measures`
    shows. Afterwards the name works everywhere in this process; on the command line name it with its module
    (``my_measures.mean_level@5``), or offer it as an entry point of the group ``cranfield.measures``.

    Examples
    --------
    >>> from cranfield.measures import Cutoff, JudgedRanking, measure, parse_measure
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
        if not module.startswith("cranfield."):
            _load_families()  # so that a name of ours is known to be taken
            parameters_of(function)  # what is wrong with its signature is said at once
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
    """Inside, a dotted name is an unknown measure: what a page's visitor writes must not import a module.

    >>> with no_imports():
    ...     find("os.path")
    Traceback (most recent call last):
    cranfield.errors.UnknownNameError: unknown measure 'os.path'. Known: AP, P, R, Rprec, RR, Success, SetP, SetR, ….
    """
    before = _imports.set(False)
    try:
        yield
    finally:
        _imports.reset(before)


def find(name: str) -> Definition:
    """The definition of a measure by its name, an alias of it, or the dotted name of its function."""
    if _by_own_name(name):
        return _DEFINITIONS[name]
    if plain(name) in _ALIASES:
        return _DEFINITIONS[_ALIASES[plain(name)]]
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
    """How a measure is written whose cutoff stands right behind its name (P5, ndcg-10); None for other names."""
    match = _GLUED.fullmatch(name)
    if match is None or not known(match["stem"]):
        return None
    definition = find(match["stem"])
    return f"{definition.name}@{match['cutoff']}" if "cutoff" in definition.parameters else None


def known(name: str) -> bool:
    """Whether a name is one of ours or an alias, capitals aside."""
    return _by_own_name(name) or plain(name) in _ALIASES


def _by_own_name(name: str) -> bool:
    """Whether a measure is called so; only as many families are loaded as it takes to find it."""
    for family in FAMILIES:
        if name in _DEFINITIONS:
            return True
        importlib.import_module(f"cranfield.measures.{family}")
    _load_families()
    return name in _DEFINITIONS


def known_names() -> list[str]:
    """Every name there is, ours and those of installed packages, in the order of the families, whichever came first."""
    _load_families()
    place = {f"cranfield.measures.{family}": at for at, family in enumerate(FAMILIES)}
    ours = sorted(_DEFINITIONS, key=lambda name: place.get(_DEFINITIONS[name].function.__module__, len(place)))
    return [*ours, *(name for name in _entry_points() if name not in _DEFINITIONS)]


def _other_names() -> list[str]:
    """The names of others that are not ours in other capitals, for advice on a name nobody has."""
    ours = {plain(name) for name in known_names()}
    others = [*TREC_NAMES, *(other for names in COMMON_NAMES.values() for other in names)]
    return [name for name in others if plain(name) not in ours]


@cache
def _load_families() -> None:
    for family in FAMILIES:
        importlib.import_module(f"cranfield.measures.{family}")
    for ours, others in COMMON_NAMES.items():
        for other in others:
            _ALIASES.setdefault(plain(other), ours)


@cache
def _entry_points() -> dict[str, Callable[[], object]]:
    from importlib.metadata import entry_points

    return {point.name: point.load for point in entry_points(group=ENTRY_POINTS)}


def _import(dotted: str) -> Definition:
    """The measure a dotted name leads to; the current directory is searched too, as ``python -m`` does."""
    module, _, attribute = dotted.replace(":", ".").rpartition(".")
    here = str(Path.cwd())
    sys.path.append(here)
    try:
        imported = importlib.import_module(module)
    except ArgumentError:
        raise
    except Exception as error:  # whatever a module of somebody else's does when it is run
        what = str(error) if isinstance(error, ImportError) else f"{type(error).__name__}: {error}"
        raise ArgumentError(f"measure {dotted!r}: module {module!r} cannot be imported ({what})") from error
    finally:
        sys.path.remove(here)
    function = getattr(imported, attribute, None)
    if function is None:
        raise ArgumentError(f"measure {dotted!r}: module {module!r} has no {attribute!r}")
    return _by_function(dotted, function)


def _by_function(name: str, function: object) -> Definition:
    for definition in _DEFINITIONS.values():
        if definition.function is function:
            return definition
    raise ArgumentError(
        f"measure {name!r} leads to a {type(function).__name__}, not to a measure; "
        "decorate a function with cranfield.measures.measure"
    )
