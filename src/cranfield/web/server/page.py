"""`page`: what a page is, in one call; the menu, the routes, the API, the downloads and OpenAPI are made from it."""

from __future__ import annotations

import dataclasses
import importlib
import pkgutil
import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from cranfield.present.gathering import gathered
from cranfield.records import record
from cranfield.settings import REQUIRED, Setting, Settings, in_words_of, setting
from cranfield.settings.shared import WIDE
from cranfield.web.server.data import Dataset
from cranfield.web.server.library import ask_library
from cranfield.web.server.outcome import Outcome


@dataclass(frozen=True, eq=False)
class Page:
    """A page that answers one kind of question.

    Parameters
    ----------
    name : its name among the downloads, and its address unless that is given
    title : its place in the menu
    question : the settings, with the `data` they are asked about
    heading, lead : the title on the page, and a sentence below it
    button : what sends the form
    doing : what a job does, before the name of the data
    nothing : what stands where the answer will be
    brief : what the API's description says of it
    example : what is shown when the address asks nothing
    waits : whether work starts only when the form is sent, because it takes long
    template : the template, where the general one does not do
    answer : who answers the question, where the library alone does not do
    starts_from : the page whose outcome it needs, as a fourth argument of `answer`
    quick : whether the answer is there at once and needs no job
    stages : names the steps of its job, where they have names
    live : whether the answer follows the form as it is filled in
    extra : gives what its template shows besides
    place : its place in the menu; None keeps it out
    address : where it is
    leads_to : names of kindred pages that it links to
    """

    name: str
    title: str
    question: type[Settings]
    heading: str
    doing: str
    lead: str = ""
    button: str = "Answer"
    nothing: str = "Choose data: the sample collection is one click away."
    brief: str = ""
    example: Mapping[str, str] = field(default_factory=dict)
    waits: bool = False
    template: str = "question.html"
    answer: Callable[..., Outcome] = ask_library
    starts_from: str = ""
    quick: Callable[[Any, Dataset | None], bool] = lambda question, dataset: False
    stages: Callable[[Any, Dataset | None], Sequence[str]] = lambda question, dataset: ()
    live: bool = False
    extra: Callable[[], Any] = lambda: None
    place: int | None = 1000
    address: str = ""
    leads_to: tuple[str, ...] = ()

    @property
    def next_pages(self) -> list[Page]:
        """The pages it links to."""
        return [pages()[name] for name in self.leads_to]

    @property
    def parameters(self) -> tuple[Setting, ...]:
        """What can be said in its address."""
        return tuple(self._measure(one) if one.name == "measure" else one for one in self.question.all() if one.on_page)

    def _measure(self, one: Setting) -> Setting:
        """The measure as a page asks for it; see `by_measure`."""
        usual = f"{'the first' if self.question.by_one_measure else 'all'} of the data"
        return dataclasses.replace(one, help=one.help.removesuffix(WIDE), usual=usual)

    @property
    def needs_data(self) -> bool:
        """Whether there is nothing to answer without data."""
        return self.question.of("data").required

    @property
    def needs_runs(self) -> bool:
        """Whether scores alone do not do."""
        return self.question.takes == "runs"

    def suits(self, dataset: Dataset | None) -> bool:
        """Whether there is anything to ask about these data, as far as they have been read."""
        contents = dataset.peek() if dataset is not None else None
        return contents is None or contents.has_runs or not self.needs_runs

    def first_question(self, question: Settings) -> Any:
        """The question of the page it starts from, which has all its settings but its own."""
        whole = pages()[self.starts_from].question
        return whole(**{one.name: getattr(question, one.name) for one in whole.all()})

    def words(self, error: Exception) -> str:
        """An error with settings named as addresses name them: what the API says."""
        return in_words_of(str(error), self.question, lambda one: f"`{one.spelling}`")

    def on_form(self, text: str) -> str:
        """A message or hint in the words of the form: settings by their labels, and no command to be typed.

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
            name = next(part for part in match.groups() if part)
            return labels.get(name, match[0])

        text = _COMMAND.sub("", text)
        text = re.sub(
            r"\b(\w+)='([\w-]+)'", lambda one: f"{labels[one[1]]} {one[2]}" if one[1] in labels else one[0], text
        )
        return re.sub(r"`(\w+)`|(?<![\w-])--([a-z][a-z-]*)", label, text)

    def told(self, warnings: Iterable[str]) -> list[str]:
        """Warnings as the page lists them: many that say the same as one."""
        return [self.on_form(text) for text in gathered(warnings)]


_COMMAND = re.compile(r";? `cranfield [^`]+`[\w ]*")
"""What is said of a command to be typed, up to the end of the clause."""
_PAGES: dict[str, Page] = {}


def page(name: str, title: str, settings: type[Settings], **more: Any) -> Page:
    """Register a page; see `Page` for what can be said of it. The question gets its `data` unless it has one."""
    if "data" not in {one.name for one in settings.all()}:
        with_data = {"__annotations__": {"data": str}, "data": data()}
        settings = record(kw_only=True)(type(f"{settings.__name__}OfData", (settings,), with_data))
    more.setdefault("address", f"/{name}")
    more.setdefault("brief", settings.brief)
    _PAGES[name] = Page(name, title, settings, **more)
    return _PAGES[name]


def data(default: Any = REQUIRED, help: str = "Dataset: sample, or the id an upload got.") -> Any:
    """The setting of a page that says what it is asked about."""
    return setting(default, help, flags=(), part="source", first=True, label="Data")


def pages() -> dict[str, Page]:
    """Every page there is, in the order of the menu: each module of `cranfield.web.pages` adds its own."""
    package = importlib.import_module("cranfield.web.pages")
    for module in pkgutil.iter_modules(package.__path__, "cranfield.web.pages."):
        importlib.import_module(module.name)
    return dict(sorted(_PAGES.items(), key=lambda item: 1000 if item[1].place is None else item[1].place))


def documented() -> list[tuple[str, str, str, str]]:
    """Title, address, question and what the API says of it: the rows of the documentation, in the order of the menu."""
    return [
        (one.title, f"`{one.address}`", one.heading, one.brief) for one in pages().values() if one.place is not None
    ]


def menu(dataset: Dataset | None = None) -> list[tuple[str, str]]:
    """Addresses and titles of the menu, without the pages that these data have nothing for."""
    shown = [one for one in pages().values() if one.place is not None and one.suits(dataset)]
    return [("/data", "Data"), *((one.address, one.title) for one in shown)]
