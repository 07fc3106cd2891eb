"""What a result says: its headline, its tables, its charts and its warnings, once for every skin.

The command line, the page, the API, the report, downloads and notebooks all ask `answer` what to show; `answer.py` in
the folder of the question says it.
"""

from __future__ import annotations

import importlib
import pkgutil
import re
import string
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, TypeAlias

from cranfield.core.errors import ArgumentError, UnknownNameError
from cranfield.core.labels import summary

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


_NUMBER = r"\d+(?:[.,]\d+)*"
_VARYING = re.compile(rf"\b({_NUMBER}(?:(?:, | and ){_NUMBER})*(?: more)?|is|are)\b")
"""What may differ between similar warnings: numbers, lists of numbers, and the verb that goes with them."""
_FEW = 3


def gathered(texts: Iterable[str]) -> list[str]:
    """Warnings that say the same of several systems (or files, or measures) as one line that names them.

    >>> gathered(["bm25: no document for 2 topics", "ql: no document for 2 topics", "few topics"])
    ['bm25, ql: no document for 2 topics', 'few topics']

    More than a few that differ only in their numbers become one line with the range of each number.

    >>> print(*gathered(f"run{i}: only {i} of 1,000 documents are judged" for i in range(2, 9)), sep="\\n")
    run2, run3, run4, run5, run6 and 2 more: only 2–8 of 1,000 documents are judged
    """
    parts = [tuple(text.split(": ")) for text in dict.fromkeys(texts)]
    for place in (0, 1):  # the system's name comes first, or after that of the measures
        alike: dict[tuple[str, ...], dict[tuple[str, ...], list[str]]] = {}
        for one in parts:
            whole = len(one) <= place + 1
            before, after = (one, ()) if whole else (one[:place], one[place + 1 :])
            shape = (str(whole), *before, *(_VARYING.sub("#", part) for part in after))
            alike.setdefault(shape, {}).setdefault((*before, "", *after), []).append("" if whole else one[place])
        parts = []
        for shape, found in alike.items():
            if shape[0] == "True":
                parts += [one[:-1] for one in found]
            elif len(found) > _FEW:
                names = [name for names in found.values() for name in names]
                rest = zip(*(one[place + 1 :] for one in found), strict=True)
                parts.append((*next(iter(found))[:place], summary(names), *map(_range, rest)))
            else:
                parts += [(*one[:place], summary(names), *one[place + 1 :]) for one, names in found.items()]
    return [": ".join(one) for one in parts]


def _range(texts: Sequence[str]) -> str:
    """Texts that differ only in numbers as one, with the smallest and the largest of each number."""
    columns = zip(*(_VARYING.split(text) for text in texts), strict=True)
    return "".join(one[0] if len(set(one)) == 1 else _spread(one) for one in columns)


def _spread(words: Sequence[str]) -> str:
    """One place of similar texts: the range of its numbers; of lists the longest, left open."""
    if {"is", "are"} & set(words):
        return "are"
    if not all(re.fullmatch(_NUMBER, word) for word in words):
        return max(words, key=len) + ", …"
    in_order = sorted(words, key=lambda word: float(word.replace(",", "")))
    return f"{in_order[0]}–{in_order[-1]}"


@dataclass(frozen=True)
class Sentence:
    """A conclusion, with places for its figures.

    Parameters
    ----------
    name : room and sentence, such as ``comparison.only-best``
    template : the words; places in braces, as for `str.format`
    true_when : the condition under which it is true
    always : it is printed for any data, and true of the figures in it; otherwise it is printed only when its
        condition holds
    measured : where its coverage or error was measured: sections of docs/validation.md, or a page and its section

    Examples
    --------
    >>> Sentence("x.lead", "{system} leads by {margin:.2f}", "no mean is higher")(system="a", margin=0.1)
    'a leads by 0.10'
    """

    name: str
    template: str
    true_when: str
    always: bool = False
    measured: str = ""

    def __call__(self, **values: Any) -> str:
        return self.template.format(**values)

    @property
    def places(self) -> tuple[str, ...]:
        """What has to be filled in."""
        parsed = string.Formatter().parse(self.template)
        return tuple(dict.fromkeys(place for _, place, _, _ in parsed if place))

    @property
    def links(self) -> tuple[str, ...]:
        """The sections of the documentation that have its coverage or error.

        >>> Sentence("x.lead", "{system} leads", "no mean is higher", measured="ranks gate.md#how-often-it-errs").links
        ('validation.md#ranks', 'gate.md#how-often-it-errs')
        """
        return tuple(one if "#" in one else f"validation.md#{one}" for one in self.measured.split())

    @property
    def pattern(self) -> re.Pattern[str]:
        """Finds the sentence in a text, whatever its figures."""
        parts = [
            re.escape(literal) + ("" if place is None else ".*?")
            for literal, place, _, _ in string.Formatter().parse(self.template)
        ]
        return re.compile("".join(parts))

    @property
    def shown(self) -> str:
        """The words with the names of the places, for documentation.

        >>> Sentence("x.lead", "{system} leads by {margin:.2f}", "no mean is higher").shown
        '{system} leads by {margin}'
        """
        parsed = string.Formatter().parse(self.template)
        return "".join(literal + ("" if place is None else f"{{{place}}}") for literal, place, _, _ in parsed)


_SENTENCES: dict[str, Sentence] = {}


def sentence(name: str, template: str, true_when: str, *, always: bool = False, measured: str = "") -> Sentence:
    """Register a sentence and give it back; a name that is taken is refused."""
    if name in _SENTENCES:
        raise ArgumentError(f"sentence {name!r} is registered already; choose another name.")
    _SENTENCES[name] = Sentence(name, template, true_when, always, measured)
    return _SENTENCES[name]


def every_sentence() -> dict[str, Sentence]:
    """All of them, by name: in the same order whatever was imported before."""
    package = importlib.import_module("cranfield")
    for module in pkgutil.walk_packages(package.__path__, "cranfield."):
        if not module.name.startswith(("cranfield.cli", "cranfield.web", "cranfield.__main__")):
            importlib.import_module(module.name)
    return dict(sorted(_SENTENCES.items()))
