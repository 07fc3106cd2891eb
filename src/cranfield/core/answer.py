"""What a result says: its headline, its tables, its charts and its warnings, once for every skin.

The command line, the page, the API, the report, downloads and notebooks all ask `answer` what to show; `answer.py` in
the folder of the question says it.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, TypeAlias

from cranfield.core.errors import UnknownNameError

if TYPE_CHECKING:
    from cranfield.core.charts.style import Drawing
    from cranfield.core.question import Question
    from cranfield.core.results import Result
    from cranfield.core.tables import Sheet


Drawings: TypeAlias = "Mapping[str, Callable[..., Drawing]]"
"""The charts of a result: what draws each of them, by name."""


@dataclass(frozen=True)
class Chart:
    """A chart of an answer, drawn when somebody wants to see it.

    Parameters
    ----------
    name, heading, alt : its name, its caption, and a description of what it shows
    source : the result it is drawn from
    kind, options : which of its `drawings`
    """

    name: str
    heading: str
    alt: str
    source: Result
    kind: str | None
    options: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, eq=False)
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
        from cranfield.core.formats import envelope

        first, *others = self.shown
        rows = {name: envelope(self.sheet(name))["rows"] for name in others}
        return {**envelope(self.sheet(first)), "headline": self.headline, "tables": rows}


def _once(make: Callable[..., Sheet]) -> Callable[..., Sheet]:
    """The same function, computed once."""
    made: list[Sheet] = []

    def sheet(**how: Any) -> Sheet:
        if not made:
            made.append(make(**how))
        return made[0]

    return sheet


def answer(result: Result, question: Question | None = None) -> Answer:
    """What a result says, for its question or for the default settings."""
    return result.answer(question)
