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
import math
import pkgutil
import re
import shlex
import types
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass
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

from cranfield.core.errors import ArgumentError, UnknownNameError
from cranfield.core.labels import repr_of
from cranfield.core.page import Page
from cranfield.core.registry import Registry

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

Part = Literal["question", "source", "view", "run", "machines"]
"""What a setting is about: the question (an argument of the public function), the input files, the view of the answer,
how the work is done, or on which machines. The last never changes a result."""

HelpGroup = Literal["Evaluate", "Compare", "Design", "Collection", "Tools"]
"""The headings of ``cranfield --help``."""
OptionGroup = Literal["Question", "Input", "Statistics", "Output", "Chart", "Machines"]
"""The headings of ``cranfield COMMAND --help``."""
_GROUP_OF: Final[Mapping[Part, OptionGroup]] = {
    "question": "Question", "source": "Input", "view": "Output", "run": "Machines", "machines": "Machines",
}  # fmt: skip

REQUIRED: Any = dataclasses.MISSING
MOST_VALUES = 12
"""Values that one setting may be given on a page."""


class QueryError(ArgumentError):
    """An address that cannot be read."""


@dataclass(frozen=True)
class Setting:
    """All there is to know about one setting.

    Attributes
    ----------
    name : its name in Python
    kind : str, int, float, bool or Path
    several : whether it takes several values
    default : what it is unless given; `REQUIRED` when it must be given
    help : one line about it
    flags : its spellings on the command line; none when it has no place there
    argument : whether it is an argument of the command line, without a flag
    metavar : what stands for its value in help
    usual : what the default means, where the default itself (such as None) does not say
    label : its name on a page
    choices : the names it can be, or None
    endings : what the endings of a file's name can be, which help lists; or None
    least, most : bounds of a number, or None
    example : a number that messages suggest, where the default is none
    read : what a typed text means, where it is not that text itself
    check : a function (name, value) that raises where a value makes no sense
    part : see `Part`
    group : its heading in help; by default that of its part
    often : whether it is among the most used, which help shows first
    chooses : whether it chooses among the data; the function that answers gets it too, where it takes it
    written : whether it names a file to write, which is refused at once where that cannot be done
    on_page : whether the page has it; `more` puts it behind "More settings"
    first : whether it comes before all others
    """

    name: str
    kind: type
    several: bool
    default: Any
    help: str
    flags: tuple[str, ...] = ()
    argument: bool = False
    metavar: str | None = None
    usual: str = ""
    label: str = ""
    find_choices: Callable[[], Sequence[str]] | None = None
    what: str = ""
    find_endings: Callable[[], Sequence[str]] | None = None
    least: float | None = None
    most: float | None = None
    example: float | None = None
    read: Callable[[str], Any] | None = None
    check: Callable[[str, Any], None] | None = None
    part: Part = "question"
    group: OptionGroup = "Question"
    often: bool = False
    chooses: bool = False
    written: bool = False
    on_page: bool = True
    more: bool = False
    first: bool = False

    @property
    def spelling(self) -> str:
        """Its name in addresses: as the command line spells it, with underscores."""
        flag = "" if self.negated or not self.flags else self.flags[0]
        return flag.strip("-").replace("-", "_") or self.name

    @property
    def spellings(self) -> tuple[str, ...]:
        """All its names in addresses: in Python, and as every long flag spells it."""
        flags = () if self.negated else (flag for flag in self.flags if flag.startswith("--"))
        return (self.name, self.spelling, *(flag.strip("-").replace("-", "_") for flag in flags))

    @property
    def required(self) -> bool:
        """Whether it must be given."""
        return self.default is REQUIRED

    @property
    def choices(self) -> tuple[str, ...] | None:
        """The names it can be: asked anew each time, because registries grow."""
        return None if self.find_choices is None else tuple(self.find_choices())

    @property
    def endings(self) -> tuple[str, ...] | None:
        """The endings its file's name can have: asked anew each time, as `choices`."""
        return None if self.find_endings is None else tuple(self.find_endings())

    @property
    def negated(self) -> bool:
        """Whether the command line's flag turns it off."""
        return self.kind is bool and self.default is True

    def accept(self, value: Any) -> Any:
        """The value in its usual form (several values as a tuple), or an error that says what is wrong with it."""
        if value is None:
            if (
                self.default is not None
                and not self.required
                and not self.argument
                and self.kind in (int, float, str, bool)
            ):
                raise ArgumentError(f"`{self.name}` cannot be None. Leave it out for the default.")
            return None
        if self.several:
            single = isinstance(value, (str, int, float, Path)) or not isinstance(value, Iterable)
            return tuple(self._one(one) for one in ([value] if single else value))
        return self._one(value)

    def _one(self, value: Any) -> Any:
        if self.read is not None and isinstance(value, str):
            value = self.read(value)
        choices = self.choices
        if choices is not None and isinstance(value, str) and value not in choices:
            raise UnknownNameError(self.what or self.name.replace("_", " "), value, choices)
        if self.kind in (int, float) and isinstance(value, (int, float)) and not isinstance(value, bool):
            if self.kind is float:
                value = self._finite(value)
            self._within(value)
        elif self.kind in (int, float) and self.read is None and not hasattr(value, "__float__"):
            example = number_text(self.default) if isinstance(self.default, (int, float)) else "a number"
            raise ArgumentError(f"`{self.name}` must be a number; got {repr_of(value)}. Write {example}.")
        if choices is not None and not isinstance(value, str):
            raise UnknownNameError(self.what or self.name.replace("_", " "), repr_of(value), choices)
        if self.check is not None:
            self.check(self.name, value)
        return value

    def _finite(self, value: float) -> float:
        try:
            number = float(value)
        except OverflowError:
            number = math.inf
        if not math.isfinite(number):
            raise ArgumentError(f"`{self.name}` must be a finite number; got {number}.")
        return number

    def _within(self, value: float) -> None:
        if self.least is not None and value < self.least:
            bound, example = f"at least {number_text(self.least)}", self.least
        elif self.most is not None and value > self.most:
            bound, example = f"at most {number_text(self.most)}", self.most
        else:
            return
        noun = "a whole number of" if self.kind is int else "a number of"
        usual = self.default if isinstance(self.default, (int, float)) else self.example or example
        raise ArgumentError(
            f"`{self.name}` must be {noun} {bound}; got {number_text(value)}. Write {number_text(usual)}."
        )

    def parse(self, texts: Sequence[str]) -> Any:
        """The value from what an address says: texts as they were typed.

        A form gives what is ticked in the order of its boxes, so the usual choices are the default in any order.
        """
        given = [part.strip() for text in texts for part in (text.split(",") if self._splits else [text])]
        given = [part for part in given if part]
        if not given:
            return None
        if not self.several:
            return self._read(given[-1])
        if len(given) > MOST_VALUES:
            raise QueryError(f"`{self.spelling}` takes at most {MOST_VALUES} values.")
        several = tuple(self._read(part) for part in given)
        boxes = self.choices is not None and isinstance(self.default, tuple)
        return self.default if boxes and sorted(several) == sorted(self.default) else several

    @property
    def _splits(self) -> bool:
        return self.several and self.kind in (int, float)

    def _read(self, text: str) -> Any:
        if self.kind is bool:
            return text.lower() in ("true", "on", "1", "yes")
        if self.kind in (int, float):
            try:
                value = self.kind(text)
                if not math.isfinite(value) or len(text) > 40:
                    raise ValueError
            except (ValueError, OverflowError):
                whole = "a whole number" if self.kind is int else "a number"
                raise QueryError(f"`{self.spelling}` must be {whole}; got {text[:60]!r}.") from None
            return value
        if len(text) > 200:
            raise QueryError(f"`{self.spelling}` is too long; at most 200 characters.")
        return self.kind(text)


def setting(
    default: Any = REQUIRED,
    help: str = "",
    *flags: str,
    choices: Callable[[], Sequence[str]] | Sequence[str] | None = None,
    registry: Callable[[], Registry[Any]] | None = None,
    **more: Any,
) -> Any:
    """A field of a question; `Setting` lists what can be said of it.

    Flags are its spellings on the command line (by default its name, with dashes and without a leading ``n_``).
    ``flags=()`` keeps it off the command line. A `registry` gives the choices and reads aliases; it is a function, so
    that nothing is imported before somebody asks.
    """
    if registry is not None:
        find = registry
        choices = choices or (lambda: find().names)
        more.setdefault("read", lambda text: find().canonical(text))
    if choices is not None and not callable(choices):
        names = tuple(choices)
        choices = lambda: names  # noqa: E731
    known = {one.name for one in dataclasses.fields(Setting)}
    if unknown := set(more) - known:
        raise TypeError(f"unknown attributes of a setting: {', '.join(sorted(unknown))}")
    facts = {"help": help, "find_choices": choices, **more}
    if flags:
        facts["flags"] = flags
    return dataclasses.field(default=default, metadata={"facts": facts}, kw_only=True)


QUESTIONS: dict[str, type[Question]] = {}
"""Every question by its command; a class that names its command is in it. See `questions`."""


def questions() -> dict[str, type[Question]]:
    """Every question there is, in the order of the help: the `question.py` of each folder of `cranfield.questions`."""
    package = importlib.import_module("cranfield.questions")
    for folder in pkgutil.iter_modules(package.__path__, "cranfield.questions."):
        if folder.ispkg:
            importlib.import_module(f"{folder.name}.question")
    return dict(sorted(QUESTIONS.items(), key=lambda item: item[1].place))


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
        every = [_setting_of(field, hints[field.name]) for field in dataclasses.fields(cls)]
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


def _setting_of(field: dataclasses.Field[Any], hint: Any) -> Setting:
    facts: Mapping[str, Any] = field.metadata.get("facts", {})
    kind, several = _kind_of(hint)
    bare = field.name.removeprefix("n_")
    flag = f"--no-{bare}" if kind is bool and field.default is True else f"--{bare}"
    given = dict(facts)
    flags = given.pop("flags", () if given.get("argument") else (flag.replace("_", "-"),))
    label = given.pop("label", "") or bare.replace("_", " ").capitalize()
    given.setdefault("group", _GROUP_OF[given.get("part", "question")])
    return Setting(field.name, kind, several, field.default, flags=flags, label=label, **given)


def _kind_of(hint: Any) -> tuple[type, bool]:
    """The plain type behind an annotation, and whether it takes several values."""
    if get_origin(hint) in (Union, types.UnionType):
        (hint,) = (part for part in get_args(hint) if part is not type(None))
    if get_origin(hint) is tuple:
        return get_args(hint)[0], True
    return hint, False


def _written(value: Any) -> str:
    return str(value).lower() if isinstance(value, bool) else _float(value) if isinstance(value, float) else str(value)


def _float(value: float) -> str:
    """A number as briefly as it reads back to the same."""
    short = f"{value:g}"
    return short if float(short) == value else repr(value)


def number_text(value: float) -> str:
    """A number as messages write it, however large."""
    if isinstance(value, int) and abs(value) < 10**30:
        return str(value)
    try:
        return f"{value:g}"
    except OverflowError:
        return "a number of over 300 digits"


def _literal(value: Any) -> str:
    """A value as Python writes it; a list of one is that one."""
    if isinstance(value, (list, tuple)):
        return _literal(value[0]) if len(value) == 1 else f"[{', '.join(_literal(one) for one in value)}]"
    return _float(value) if isinstance(value, float) else repr(str(value) if isinstance(value, Path) else value)
