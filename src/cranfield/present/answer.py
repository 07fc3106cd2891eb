"""What a result says: its headline, its tables, its charts and its warnings, once for every skin.

The command line, the page, the API, the report, downloads and notebooks all ask `answer` what to show; the file of
the result's room in `present/answers` says it.
"""

from __future__ import annotations

import importlib
import pkgutil
from collections.abc import Callable, Mapping
from dataclasses import field
from typing import TYPE_CHECKING, Any

from cranfield.errors import UnknownNameError
from cranfield.records import record

if TYPE_CHECKING:
    from cranfield.present.tables import Sheet
    from cranfield.settings import Settings


@record
class Chart:
    """A chart of an answer, drawn when somebody wants to see it.

    Parameters
    ----------
    name, heading, alt : its name, its caption, and what it shows in words
    source : the result it is drawn from
    kind, options : which chart of that result, see `cranfield.present.charts.chart`
    """

    name: str
    heading: str
    alt: str
    source: object
    kind: str | None
    options: Mapping[str, Any] = field(default_factory=dict)


@record(eq=False)
class Answer:
    """Everything a result says.

    Parameters
    ----------
    headline : one sentence, the one to take away
    sheets : the tables by name, made when asked for; the first is the answer proper
    charts : the charts; the first is the one drawn unless another is named
    sentences : what else belongs beside the headline
    on_page : the tables a page shows at once, where not all
    in_notebook : the tables a notebook shows, which must be quick to make, where not the first of a page
    extra : what a page needs besides, such as the systems to choose from
    """

    headline: str
    sheets: Mapping[str, Callable[..., Sheet]]
    charts: tuple[Chart, ...] = ()
    sentences: tuple[str, ...] = ()
    on_page: tuple[str, ...] | None = None
    in_notebook: tuple[str, ...] = ()
    extra: Mapping[str, Any] = field(default_factory=dict)

    def __post_init__(self) -> None:
        object.__setattr__(self, "sheets", {name: _once(make) for name, make in self.sheets.items()})

    def sheet(self, name: str | None = None, **how: Any) -> Sheet:
        """A table by name, made once; the answer proper unless named. A long one may take a `progress` callback."""
        if name is not None and name not in self.sheets:
            raise UnknownNameError("table", name, self.sheets)
        return self.sheets[name if name is not None else next(iter(self.sheets))](**how)

    @property
    def shown(self) -> tuple[str, ...]:
        """The names of the tables a page shows."""
        return tuple(self.sheets) if self.on_page is None else self.on_page

    @property
    def notebook(self) -> tuple[str, ...]:
        """The names of the tables a notebook shows."""
        return self.in_notebook or self.shown[:1]

    def chart(self, name: str) -> Chart:
        """A chart by name."""
        for one in self.charts:
            if one.name == name:
                return one
        raise UnknownNameError("chart", name, [one.name for one in self.charts])

    @property
    def signature(self) -> str:
        """One line for a footnote."""
        return self.sheet().signature

    @property
    def warnings(self) -> tuple[str, ...]:
        """What to know before relying on the answer."""
        return self.sheet().warnings

    def to_dict(self) -> dict[str, Any]:
        """The JSON of the first table, with the headline and the further tables a page shows."""
        import json

        from cranfield.present.formats.json import to_json

        first, *others = self.shown
        rows = {name: json.loads(to_json(self.sheet(name)))["rows"] for name in others}
        return {**json.loads(to_json(self.sheet(first))), "headline": self.headline, "tables": rows}


def _once(make: Callable[..., Sheet]) -> Callable[..., Sheet]:
    """The same function, which works the first time only and remembers, however it is called."""
    made: list[Sheet] = []

    def sheet(**how: Any) -> Sheet:
        if not made:
            made.append(make(**how))
        return made[0]

    return sheet


_MAKERS: dict[str, Callable[[Any, Any], Answer]] = {}


def answers(*types: str) -> Callable[[Callable[[Any, Any], Answer]], Callable[[Any, Any], Answer]]:
    """Register the function that says what results of these types say."""

    def register(make: Callable[[Any, Any], Answer]) -> Callable[[Any, Any], Answer]:
        _MAKERS.update(dict.fromkeys(types, make))
        return make

    return register


def answer(result: object, settings: Settings | None = None) -> Answer:
    """What a result says, for the question it answers (or, without one, as it is usually asked)."""
    for base in type(result).__mro__:
        if base.__name__ not in _MAKERS and base.__module__.startswith("cranfield."):
            _load(base.__module__.split(".")[1])
        if base.__name__ in _MAKERS:
            return _MAKERS[base.__name__](result, settings)
    raise UnknownNameError("kind of result", type(result).__name__, _MAKERS)


def _load(room: str) -> None:
    """Import what says the answers of a room's results, and nothing else if that can be helped."""
    package = importlib.import_module("cranfield.present.answers")
    names = [module.name for module in pkgutil.iter_modules(package.__path__)]
    for name in [room] if room in names else names:
        importlib.import_module(f"cranfield.present.answers.{name}")
