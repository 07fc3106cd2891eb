"""What a setting is, and what every question made of settings can do.

A question is a frozen dataclass whose fields are written with `setting`: type, default, help, bounds, choices and
spelling, once. Command line options, page forms and addresses, API parameters, code snippets and the `settings` of a
result are made from it. Every folder of `cranfield.questions` has a `question.py`, which imports no numerical library
at its top.
"""

from __future__ import annotations

import dataclasses
import importlib
import inspect
import pkgutil
import re
import shlex
import types
from collections.abc import Callable, Iterable, Mapping
from contextlib import AbstractContextManager
from dataclasses import dataclass, field
from enum import Enum
from functools import cache
from pathlib import Path
from typing import (
    TYPE_CHECKING,
    Any,
    ClassVar,
    Final,
    Literal,
    NamedTuple,
    Protocol,
    TypeAlias,
    TypeVar,
    Union,
    get_args,
    get_origin,
    get_type_hints,
)

from cranfield.core.errors import UnknownNameError
from cranfield.core.options import Part, QueryError, Setting, plain_float, setting_of

if TYPE_CHECKING:
    from cranfield.core.answer import Answer
    from cranfield.core.executors import Progress
    from cranfield.core.results import Result

R = TypeVar("R", covariant=True)
Files: TypeAlias = Mapping[str, Any]
"""The files named on a command line, by the name of the argument (see `ARGUMENTS`)."""
Bar: TypeAlias = "Callable[[str], AbstractContextManager[Progress | None]]"
"""Opens a progress bar that counts what it is told."""

Takes = Literal["scores", "collections", "batches", "families", "files", "runs", "past", "judged", "judges", "nothing"]
"""What a question is asked about: scores, collections of them, batches of topics, families of settings, files of any
kind, judgments and runs; or what its own settings name: past scores, judged collections, the judgments of several
judges, or nothing at all."""


class Argument(NamedTuple):
    """An argument of a command that names files."""

    name: str
    metavar: str
    nargs: int


_SCORES = (Argument("scores", "SCORES...", -1),)
ARGUMENTS: Final[Mapping[Takes, tuple[Argument, ...]]] = {
    "scores": _SCORES,
    "collections": _SCORES,
    "batches": _SCORES,
    "families": _SCORES,
    "files": (Argument("scores", "FILE...", -1),),
    "runs": (Argument("qrels", "QRELS", 1), Argument("runs", "RUN...", -1)),
    "past": (),
    "judged": (),
    "judges": (),
    "nothing": (),
}
"""How a command line names what a question is asked about."""

HelpGroup = Literal["Evaluate", "Compare", "Design", "Collection", "Tools"]
"""The headings of ``cranfield --help``."""
QUESTIONS: dict[str, type[Question]] = {}
"""Every question by its command; a class that names its command is in it. See `questions`."""


def _folders() -> list[str]:
    """The folders of `cranfield.questions`."""
    package = importlib.import_module("cranfield.questions")
    return [folder.name for folder in pkgutil.iter_modules(package.__path__) if folder.ispkg]


def questions() -> dict[str, type[Question]]:
    """Every question there is, in the order of the help: the `question.py` of each folder of `cranfield.questions`."""
    for folder in _folders():
        importlib.import_module(f"cranfield.questions.{folder}.question")
    return dict(sorted(QUESTIONS.items(), key=lambda item: item[1].place))


def question_of(command: str) -> type[Question] | None:
    """The question of a command. Where a folder has its first word as name, only that is imported."""
    if (folder := command.partition(" ")[0]) in _folders():
        importlib.import_module(f"cranfield.questions.{folder}.question")
    return QUESTIONS.get(command) or questions().get(command)


class Answered(Protocol[R]):
    """A question, by the type of its result."""

    @staticmethod
    def verb() -> Callable[..., R]:
        """The public function that answers it."""

    def arguments(self) -> dict[str, Any]:
        """What the function gets by name."""


class Group(NamedTuple):
    """Commands of two words that share the first: a line of help, the help of the group, and other names for it."""

    brief: str
    help: str
    aliases: tuple[str, ...] = ()


GROUPS: dict[str, Group] = {}
"""The first words of commands of two words; see `group`."""


def group(name: str, brief: str, help: str = "", aliases: tuple[str, ...] = ()) -> None:
    """Describe the commands that begin with this word."""
    GROUPS[name] = Group(brief, help or brief, aliases)


class Place(Enum):
    """The places of the menu, in its order; a page stands in one of them."""

    RESULT = "Result"
    TOPICS = "Topics"
    COLLECTION = "Collection"
    PLAN = "Plan next"
    TOOLS = "Tools"


@dataclass(frozen=True, eq=False, kw_only=True)
class Page:
    """The page of a question; menu, routes, form, API, downloads and OpenAPI are made from it.

    Attributes
    ----------
    name : its name among the downloads, and its address unless that is given
    title : what the menu calls it
    place : the place of the menu where it stands; None keeps it out
    order : where it comes among the pages of its place; the first is the one that the menu opens
    address : where it is
    heading, lead : the title on the page, and a sentence below it
    button : what sends the form
    doing : what a job does, before the name of the data
    nothing : what stands where the answer will be
    brief : what the API's description says of it; the question's own line of help unless given
    example : what is shown when the address asks nothing
    example_of_data : the same when the address names data; by default `example`
    waits : whether work starts only when the form is sent, because it takes long
    live : whether the answer updates while the form is filled in
    leads_to : gives the questions of kindred pages that it links to
    template : the template, where the general one does not suit
    """

    name: str
    title: str
    place: Place | None = None
    order: int = 50
    address: str = ""
    heading: str
    lead: str = ""
    button: str = "Answer"
    doing: str
    nothing: str = "Choose data: the sample collection is one click away."
    brief: str = ""
    example: Mapping[str, str] = field(default_factory=dict)
    example_of_data: Mapping[str, str] | None = None
    waits: bool = False
    live: bool = False
    leads_to: Callable[[], tuple[type[Question], ...]] = tuple
    template: str = "question.html"


@dataclass(frozen=True, kw_only=True)
class Question:
    """What a question is made of; the base of all questions.

    Class attributes
    ----------------
    command : its name on the command line, such as ``"design anova"``
    brief : one line of help
    group : its heading in ``cranfield --help``
    aliases : other words people type for it; the program suggests the command
    takes : what it is asked about
    instead : the setting that can take the place of what it is asked about, if one can
    counts : what a progress bar counts
    by_one_measure : whether it is about one measure at a time; otherwise no measure named means all there are
    prefers : the measure a page takes where none is named and the data have it, instead of the first
    place : its place in the list of commands
    printed : whether its answer is tables, which can be written to files
    drawn : whether its answer has charts
    own_file : whether its file is not, or not always, a table of the answer; then it looks at the ending itself
    slow : what a progress bar counts while a table is made, by the table's name
    page : how it is asked on the page, if it is
    """

    command: ClassVar[str] = ""
    brief: ClassVar[str] = ""
    group: ClassVar[HelpGroup] = "Tools"
    aliases: ClassVar[tuple[str, ...]] = ()
    takes: ClassVar[Takes] = "nothing"
    instead: ClassVar[str] = ""
    counts: ClassVar[str] = ""
    by_one_measure: ClassVar[bool] = False
    prefers: ClassVar[str] = ""
    place: ClassVar[int] = 1000
    printed: ClassVar[bool] = True
    drawn: ClassVar[bool] = True
    own_file: ClassVar[bool] = False
    slow: ClassVar[Mapping[str, str]] = {}
    page: ClassVar[Page | None] = None

    def __init_subclass__(cls) -> None:
        if "command" in cls.__dict__:
            QUESTIONS[cls.command] = cls

    def __post_init__(self) -> None:
        for one in self.all():
            object.__setattr__(self, one.name, one.accept(getattr(self, one.name)))
        self.check_together()

    def check_together(self) -> None:
        """Refuse settings that make no sense beside one another."""

    @classmethod
    def examples(cls) -> list[list[str]]:
        """The command lines that its docstring shows, as words without the name of the program.

        They follow ``Example:``, or stand one per line below ``Examples:``; a backslash continues a line.
        Help shows them, and the tests run them.

        >>> from cranfield.questions.variance.question import VarianceQuestion
        >>> VarianceQuestion.examples()
        [['variance', 'robust2003.AP.csv', 'robust2004.AP.csv']]
        """
        shown = inspect.cleandoc(cls.__doc__ or "").replace("\\\n", " ")
        lines = re.findall(r"^(?:Example:| +) *cranfield (.+)$", shown, re.MULTILINE)
        return [shlex.split(line) for line in lines]

    @classmethod
    @cache
    def all(cls) -> tuple[Setting, ...]:
        """Every setting, in the order of the fields."""
        hints = get_type_hints(cls)
        every = [setting_of(each, hints[each.name]) for each in dataclasses.fields(cls)]
        return tuple(sorted(every, key=lambda one: not one.first))

    @classmethod
    def of(cls, name: str) -> Setting:
        """The setting of this name in Python."""
        for one in cls.all():
            if one.name == name:
                return one
        raise UnknownNameError("setting", name, [one.name for one in cls.all()])

    def values(self, *parts: Part) -> dict[str, Any]:
        """The settings by name; of these parts only, if any are named."""
        return {one.name: getattr(self, one.name) for one in self.all() if not parts or one.part in parts}

    def changed(self) -> dict[str, Any]:
        """The settings that are not as usual."""
        return {
            one.name: value
            for one in self.all()
            if (value := getattr(self, one.name)) != one.default and not (one.required and value is None)
        }

    def to_dict(self) -> dict[str, Any]:
        """The settings of the question in plain values, as a result keeps them."""
        return self.in_force(self)

    @classmethod
    def in_force(cls, result: object = None, /, **facts: Any) -> dict[str, Any]:
        """The `settings` of a result: facts about it, then every setting of the question under its own name.

        The value comes from the facts, from the attribute of the result with its name, or from the question it keeps in
        `asked`. A missing one is an error, so that results use the names of the question.

        >>> from cranfield.questions.standardise.question import StandardisedScores
        >>> StandardisedScores.in_force(measure="AP", to="ab", a=0.15, b=0.5)
        {'measure': 'AP', 'to': 'ab', 'a': 0.15, 'b': 0.5}
        """
        names = [one.name for one in cls.all() if one.part == "question"]
        if result is None and (lacking := [name for name in names if name not in facts]):
            raise TypeError(f"settings of {cls.command or cls.__name__} not given: {', '.join(lacking)}")
        asked = getattr(result, "asked", result)
        holder = {name: result if hasattr(result, name) else asked for name in names}
        held = {name: facts[name] if name in facts else getattr(holder[name], name) for name in names}
        plain = {name: list(value) if isinstance(value, tuple) else value for name, value in held.items()}
        return {**{name: value for name, value in facts.items() if name not in plain}, **plain}

    @staticmethod
    def verb() -> Callable[..., Any]:
        """The public function that answers the question, imported when somebody asks."""
        raise NotImplementedError

    @classmethod
    def results(cls) -> tuple[type[Result], ...]:
        """The types of result it can have: those that the function says it returns."""
        verb = cls.verb()
        alone = types.SimpleNamespace(__annotations__={"return": verb.__annotations__["return"]})
        given = get_type_hints(alone, verb.__globals__)["return"]
        return tuple(get_args(given)) if get_origin(given) in (Union, types.UnionType) else (given,)

    def ask(self: Answered[R], *data: Any, **more: Any) -> R:
        """The answer of the library to the question about these data: its type is that of the function's result."""
        return self.verb()(*data, **{**self.arguments(), **more})

    def arguments(self) -> dict[str, Any]:
        """What the function gets by name: every setting of the question.

        What chooses among the data, such as a measure, has been obeyed by whoever read them; a function that takes it
        as well gets it, so that its result can tell.
        """
        taken = inspect.signature(self.verb()).parameters
        chosen = {
            one.name: value
            for one in self.all()
            if one.chooses and one.name in taken and (value := getattr(self, one.name)) is not None
        }
        return {**chosen, **self.values("question", "run")}

    def answer(self, result: Any, *data: Any) -> Answer:
        """What the result says, of the data it was asked about."""
        said: Answer = result.answer(self)
        return said

    # ── what a command does besides, where the common way does not serve ──

    def read(self, files: Files, bar: Bar) -> tuple[Any, ...] | None:
        """What it is asked about, where it reads its files itself; None where they are read as `takes` says."""

    def text(self, result: Any, to: Path | None, format: str | None) -> tuple[str | bytes, str] | None:
        """What is printed or written instead of a table, if anything, and what to say of the file besides its name.

        Words (str) are folded to the width of a terminal; the content of a file (bytes) is not.
        """

    def write_files(self, result: Any) -> Iterable[str]:
        """Write the files that its own settings name, and say which."""
        return ()

    def beside(self) -> str | None:
        """The table that goes into a second file beside that of the answer, if one does."""

    def notes(self, result: Any, to: Path | None, format: str | None) -> Iterable[str]:
        """Lines for the person at the terminal, once the answer is printed or written to a file."""
        return ()

    def exit_code(self, result: Any) -> int:
        """The number the command ends with."""
        return 0

    # ── the same question elsewhere ──

    def words(self, *files: str) -> str:
        """The command that asks the same, with what is not as usual.

        >>> from cranfield.questions.compare.question import CompareQuestion
        >>> CompareQuestion(test="t", baseline=["bm25"]).words("scores.csv")
        'cranfield compare scores.csv --test t --baseline bm25'
        """
        parts = ["cranfield", self.command, *(shlex.quote(name) for name in files)]
        changed = self.changed()
        for one in self.all():
            if one.name not in changed or not one.flags:
                continue
            value = changed[one.name]
            if one.kind is bool:
                parts.append(one.flags[0])
                continue
            for each in value if one.several else [value]:
                parts.append(f"{one.flags[0]} {shlex.quote(_written(each))}")
        return " ".join(parts)

    def call(self, *arguments: str) -> str:
        """The Python call that asks the same.

        >>> from cranfield.questions.compare.question import CompareQuestion
        >>> CompareQuestion(test="t", baseline=["bm25"]).call("scores")
        "compare(scores, test='t', baseline='bm25')"
        """
        changed = {name: value for name, value in self.changed().items() if self.of(name).part in ("question", "run")}
        named = [f"{name}={_literal(value)}" for name, value in changed.items()]
        return f"{self.verb().__name__}({', '.join([*arguments, *named])})"

    # ── the question as an address spells it ──

    @classmethod
    def from_query(cls, query: Iterable[tuple[str, str]]) -> Any:
        """The question in an address; a `QueryError` explains what cannot be read.

        A setting has the command line's name in addresses; its other names are understood too.

        >>> from cranfield.questions.compare.question import CompareQuestion
        >>> CompareQuestion.from_query([("test", "t"), ("resamples", "500")]).query()
        [('test', 't'), ('resamples', '500')]
        """
        shown = [one for one in cls.all() if one.on_page]
        known = {name: one for one in shown for name in one.spellings}
        texts: dict[str, list[str]] = {}
        for name, value in query:
            if name not in known:
                spelled = ", ".join(one.spelling for one in shown)
                raise QueryError(f"`{name[:60]}` is not a setting of this page; the settings are {spelled}.")
            if value.strip():
                texts.setdefault(known[name].name, []).append(value)
        values = {name: value for name, typed in texts.items() if (value := cls.of(name).parse(typed)) is not None}
        missing = [one.spelling for one in shown if one.required and one.name not in values]
        if missing:
            raise QueryError(" ".join(f"`{name}` is missing." for name in missing))
        return cls(**values)

    def query(self, **changes: Any) -> list[tuple[str, str]]:
        """What the address says after the question mark, as pairs: what is not as usual, in the order of the fields."""
        pairs: list[tuple[str, str]] = []
        spelled = {self.of(name).spelling: value for name, value in self.changed().items()}
        for name, value in {**spelled, **changes}.items():
            if value is None or value == "":
                continue
            several = isinstance(value, (list, tuple))
            pairs += [(name, _written(each)) for each in (value if several else [value])]
        return pairs


def in_words_of(text: str, settings: type[Question], spell: Callable[[Setting], str]) -> str:
    """A message of the library with its `argument` names as another skin spells them."""
    for one in settings.all():
        text = text.replace(f"`{one.name}`", spell(one)).replace(f"`n_{one.name}`", spell(one))
    return text


def _written(value: Any) -> str:
    return (
        str(value).lower()
        if isinstance(value, bool)
        else plain_float(value)
        if isinstance(value, float)
        else str(value)
    )


def _literal(value: Any) -> str:
    """A value as Python writes it; a list of one is that one."""
    if isinstance(value, (list, tuple)):
        return _literal(value[0]) if len(value) == 1 else f"[{', '.join(_literal(one) for one in value)}]"
    return plain_float(value) if isinstance(value, float) else repr(str(value) if isinstance(value, Path) else value)
