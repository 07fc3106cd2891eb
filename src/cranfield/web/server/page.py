"""`WebPage` and `Form`: the page of a question and the values of its form.

Every question that has a `page` gets one, and the library answers it. A module of `cranfield.web.pages` adds with
`answers` what a page does beyond that.
"""

from __future__ import annotations

import dataclasses
import importlib
import pkgutil
import re
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Any, Concatenate, TypeVar

from markupsafe import Markup, escape

from cranfield.core.answer import gathered
from cranfield.core.executors import Progress
from cranfield.core.options import REQUIRED, WIDE, Setting, setting
from cranfield.core.question import Page, Place, Question, in_words_of, questions
from cranfield.web.server.data import Dataset
from cranfield.web.server.outcome import Outcome, ask_library

Asked = TypeVar("Asked", bound=Question)
LONGEST_CHIP = 32
"""Characters of a setting's value in the line of settings."""
_COMMAND = re.compile(r";? `cranfield [^`]+`[\w ]*")
"""A clause about a command to type."""


def data(default: Any = REQUIRED, help: str = "Dataset: sample, or the id of an upload.") -> Any:
    """The setting of a page that says what it is asked about."""
    return setting(default, help, flags=(), part="source", first=True, label="Data")


@dataclass(frozen=True, kw_only=True)
class OfData(Question):
    """A question about one of the datasets."""

    data: str | None = data()


def of_data(question: type[Question]) -> type[OfData]:
    """The question with the `data` it is asked about."""
    if issubclass(question, OfData):
        return question
    made: type[OfData] = dataclass(frozen=True, kw_only=True)(
        type(f"{question.__name__}OfData", (question, OfData), {})
    )
    return made


@dataclass(frozen=True, eq=False, kw_only=True)
class WebPage(Page):
    """A page that answers one kind of question.

    Attributes
    ----------
    question : the settings, with the `data` they are asked about
    answer : who answers the question
    starts_from : the question whose outcome it needs, as a fourth argument of `answer`
    quick : whether the answer is there at once and needs no job
    stages : names the steps of its job, where they have names
    extra : gives what its template shows besides
    """

    question: type[OfData]
    answer: Callable[..., Outcome]
    starts_from: type[Question] | None
    quick: Callable[..., bool]
    stages: Callable[..., Sequence[str]]
    extra: Callable[[], object]

    @property
    def next_pages(self) -> list[WebPage]:
        """The pages it links to."""
        return [page_of(question) for question in self.leads_to()]

    @property
    def parameters(self) -> tuple[Setting, ...]:
        """The settings that its address takes."""
        return tuple(self._measure(one) if one.name == "measure" else one for one in self.question.all() if one.on_page)

    def _measure(self, one: Setting) -> Setting:
        """The measure as a page asks for it; see `by_measure`."""
        usual = f"{'the first' if self.question.by_one_measure else 'all'} in the data"
        if self.question.prefers:
            usual = f"{self.question.prefers}, else the first"
        usual = one.usual if one.usual.endswith("in the data") else usual
        return dataclasses.replace(one, help=one.help.removesuffix(WIDE), usual=usual)

    @property
    def needs_data(self) -> bool:
        """Whether it needs data to answer."""
        return self.question.of("data").required

    def suits(self, dataset: Dataset | None) -> bool:
        """Whether the question applies to these data; some need runs, or the judgments of a machine."""
        contents = dataset.peek() if dataset is not None else None
        if contents is None or self.question.takes not in ("runs", "judges"):
            return True
        return contents.has_machine if self.question.takes == "judges" else contents.has_runs

    def words(self, error: Exception) -> str:
        """An error with settings named as in addresses, for the API."""
        return in_words_of(str(error), self.question, lambda one: f"`{one.spelling}`")

    def on_form(self, text: str) -> str:
        """A message for the form: settings named by their labels, without commands to type.

        >>> pages()["gate"].on_form("name the loss with `margin`; `cranfield help tests` says more.")
        'name the loss with “Margin”.'
        >>> pages()["compare"].on_form("pass correction='holm', or --resamples 100")
        'pass “Correction” holm, or “Resamples” 100'
        """
        labels: dict[str, str] = {}
        for one in self.parameters:
            names = (one.name, f"n_{one.name}", one.spelling, *(flag.strip("-") for flag in one.flags))
            labels |= dict.fromkeys(names, f"“{one.label}”")

        def label(match: re.Match[str]) -> str:
            name, value = next((part, match[2] or "") for part in (match[1], match[3], match[4]) if part)
            return f"{labels[name]} {value}".strip() if name in labels else match[0]

        text = re.sub(r"(?<![\w-])--show (\w+)", r"“\1”", _COMMAND.sub("", text))  # a page shows all tables
        return re.sub(r"\b(\w+)='([\w-]+)'|`(\w+)`|(?<![\w-])--([a-z][a-z-]*)", label, text)

    def told(self, warnings: Iterable[str]) -> list[str]:
        """Warnings as the page lists them: similar ones are joined."""
        return [self.on_form(text) for text in gathered(warnings)]


_PAGES: dict[Page, WebPage] = {}
_ROOMS: list[Place | None] = [*Place, None]
Answering = Callable[Concatenate[Asked, Dataset, Progress, ...], Outcome]


def answers(
    question: type[Asked],
    *,
    starts_from: type[Question] | None = None,
    quick: Callable[[Asked, Dataset | None], bool] = lambda question, dataset: False,
    stages: Callable[[Asked, Dataset | None], Sequence[str]] = lambda question, dataset: (),
    extra: Callable[[], object] = lambda: None,
) -> Callable[[Answering[Asked]], Answering[Asked]]:
    """Bind a function to a question's page, with what else is its own; see `WebPage`."""
    page = question.page
    if page is None:
        raise TypeError(f"{question.__name__} has no page")

    def bind(answer: Answering[Asked]) -> Answering[Asked]:
        told: dict[str, Any] = {"address": f"/{page.name}", "brief": question.brief}
        told |= {name: value for name, value in vars(page).items() if value or name not in told}
        told |= {"starts_from": starts_from, "quick": quick, "stages": stages, "extra": extra}
        _PAGES[page] = WebPage(**told, question=of_data(question), answer=answer)
        return answer

    return bind


def pages() -> dict[str, WebPage]:
    """Every page there is, in the order of the menu."""
    package = importlib.import_module("cranfield.web.pages")
    for module in pkgutil.iter_modules(package.__path__, "cranfield.web.pages."):
        importlib.import_module(module.name)
    for question in questions().values():
        if question.page is not None and question.page not in _PAGES:
            answers(question)(ask_library)
    ordered = sorted(_PAGES.values(), key=lambda one: (_ROOMS.index(one.place), one.order, one.name))
    return {one.name: one for one in ordered}


def page_of(question: type[Question]) -> WebPage:
    """The page of a question."""
    pages()
    return next(one for page, one in _PAGES.items() if page is question.page)


def documented() -> list[tuple[str, str, str, str, str]]:
    """Place, title, address, heading and brief of every page: rows of the documentation, in the order of the menu."""
    return [
        (one.place.value, one.title, f"`{one.address}`", one.heading, one.brief)
        for one in pages().values()
        if one.place is not None
    ]


@dataclass(frozen=True)
class MenuPlace:
    """A place of the menu.

    Attributes
    ----------
    title : what the menu calls it
    address : where it leads: the first of its pages that has something to say
    pages : addresses and titles of its pages, without those that do not apply to the data
    """

    title: str
    address: str
    pages: tuple[tuple[str, str], ...]


def menu(dataset: Dataset | None = None) -> list[MenuPlace]:
    """The places of the menu for these data; addresses carry them."""
    places = []
    for place in Place:
        suited = [one for one in pages().values() if one.place is place and one.suits(dataset)]
        listed = [(one.address + (f"?data={dataset.id}" if dataset else ""), one.title) for one in suited]
        first = next((at for at, one in enumerate(suited) if dataset or not one.needs_data), 0)
        address = listed[first][0] if listed else "/data"
        if place is Place.RESULT:
            address = f"/data/{dataset.id}" if dataset else "/data"
            listed = [(address, "Leaderboard and map" if dataset else "Data"), *listed]
        places.append(MenuPlace(place.value, address, tuple(listed)))
    return places


def place_of(path: str) -> str:
    """The title of the place where an address stands; nothing where it stands in none.

    >>> place_of("/data/sample"), place_of("/simulate/design"), place_of("/compare/pair"), place_of("/jobs")
    ('Result', 'Tools', 'Result', '')
    """
    if path == "/data" or path.startswith("/data/"):
        return Place.RESULT.value
    above = [one for one in pages().values() if one.place is not None and f"{path}/".startswith(f"{one.address}/")]
    return str(above[0].place.value) if above and above[0].place is not None else ""


class Form:
    """The values of a form, by the names of the settings in addresses: as typed, and the defaults for the rest."""

    def __init__(self, page: WebPage, query: Iterable[tuple[str, str]]) -> None:
        self.page = page
        self.settings = {one.spelling: one for one in page.parameters}
        spelled = {name: one.spelling for one in page.parameters for name in one.spellings}
        self.given: dict[str, list[str]] = {}
        for name, value in query:
            self.given.setdefault(spelled.get(name, name), []).append(value)

    def value(self, name: str) -> str:
        """The text in a field: as typed, or the default."""
        if name in self.given:
            return ", ".join(part for part in self.given[name] if part)
        return _text(self.settings[name].default)

    def values(self, name: str) -> list[str]:
        """The chosen values of a setting with several; its defaults if none is chosen."""
        if name not in self.given and isinstance(self.settings[name].default, tuple):
            return [_text(one) for one in self.settings[name].default]
        return [one for one in self.given.get(name, []) if one]

    def on(self, name: str) -> bool:
        """Whether a box is ticked."""
        if name in self.given:
            return self.given[name][-1].lower() in ("true", "on", "1", "yes")
        return bool(self.settings[name].default)

    def changed(self, settings: Iterable[Setting]) -> bool:
        """Whether the address sets any of these otherwise than by default."""
        return any(self.value(one.spelling) not in ("", _text(one.default)) for one in settings)

    @property
    def chips(self) -> list[tuple[str, str]]:
        """The settings in force as short texts: name and value; of the further ones only those that were changed."""
        shown = [one for name, one in self.settings.items() if name != "data" and not one.more]
        shown += [one for one in self.further if self.changed([one])]
        if self.page.question.of("data").default is None:  # the data say how much scores vary, or a variance does
            other = "variance" if self.value("data") else "measure"
            shown = [one for one in shown if not one.name.startswith(other)]
        chips = []
        for one in shown:
            if one.kind is bool:
                told = "" if not self.on(one.spelling) else "yes"
            else:
                told = self.value(one.spelling) or (one.usual if one.name == "measure" else "")
            if told:
                chips.append((one.label, told if len(told) <= LONGEST_CHIP else f"{told[:LONGEST_CHIP]}…"))
        return chips

    def choices(self, name: str) -> tuple[str, ...]:
        """The closed list behind a field."""
        return self.settings[name].choices or ()

    def help(self, one: Setting) -> Markup:
        """The help of a setting in a form; several numbers are separated by commas, not repeated options."""
        several = "; use commas for several" if one.several and one.kind in (int, float) else ""
        said = str(escape(self.page.on_form(one.help.replace("; repeatable", several))))
        return Markup(re.sub("`([^`]+)`", r"<code>\1</code>", said))

    @property
    def fields(self) -> list[Setting]:
        """The settings to be drawn one after the other: all but data and measure."""
        return [one for name, one in self.settings.items() if name not in ("data", "measure") and not one.more]

    @property
    def further(self) -> list[Setting]:
        """The settings behind "More settings"."""
        return [one for one in self.settings.values() if one.more]


def _text(default: Any) -> str:
    if default is None or default is REQUIRED:
        return ""
    if isinstance(default, (list, tuple)):
        return ", ".join(_text(one) for one in default)
    return f"{default:g}" if isinstance(default, float) else str(default)
