"""What a setting is, and the settings that many questions have, each written once."""

from __future__ import annotations

import dataclasses
import math
import types
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from numbers import Real
from pathlib import Path
from typing import Any, Final, Literal, Union, get_args, get_origin

from cranfield.core import defaults
from cranfield.core.errors import ArgumentError, UnknownNameError
from cranfield.core.labels import repr_of
from cranfield.core.registry import Registry

Part = Literal["question", "source", "view", "run", "machines"]
"""What a setting is about: the question (an argument of the public function), the input files, the view of the answer,
how the work is done, or on which machines. The last never changes a result."""

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

    The choices of a field whose type is a `Literal` are the names in it. Flags are its spellings on the command line
    (by default its name, with dashes and without a leading ``n_``). ``flags=()`` keeps it off the command line. A
    `registry` gives the choices and reads aliases; it is a function, so that nothing is imported before somebody asks.
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


def setting_of(field: dataclasses.Field[Any], hint: Any) -> Setting:
    facts: Mapping[str, Any] = field.metadata.get("facts", {})
    kind, several = _kind_of(hint)
    bare = field.name.removeprefix("n_")
    flag = f"--no-{bare}" if kind is bool and field.default is True else f"--{bare}"
    given = dict(facts)
    if names := get_args(kind) if get_origin(kind) is Literal else ():
        kind, given["find_choices"] = str, lambda: names
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


def plain_float(value: float) -> str:
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


MOST_RESAMPLES = 10_000_000
LARGEST_SEED = 2**63 - 1
MOST_SYSTEMS = 1_000_000
MOST_TOPICS = 1_000_000_000
SMALLEST, LARGEST = 1e-12, 1e12
"""Bounds of variances, differences, widths and costs: results beyond are not accurate."""


NEAREST = 1e-12
"""How near to 0 and 1 a level, a power or a share may come; quantiles beyond are not accurate."""


def share(name: str, value: Any) -> None:
    """Refuse a number that is not strictly between 0 and 1, or too near to either.

    >>> share("alpha", 1e-300)
    Traceback (most recent call last):
    cranfield.ArgumentError: `alpha` must be between 1e-12 and 1 - 1e-12; got 1e-300. Write 0.05.
    """
    others = {"power": defaults.POWER, "holdout": defaults.HOLDOUT, "p": defaults.PERSISTENCE}
    usual = others.get(name, defaults.ALPHA)
    if not 0 < value < 1:
        advice = value / 100 if 1 < value < 100 else usual
        raise ArgumentError(f"`{name}` must be between 0 and 1; got {value:g}. Write {advice:g}.")
    if not NEAREST <= value <= 1 - NEAREST:
        raise ArgumentError(
            f"`{name}` must be between {NEAREST:g} and 1 - {NEAREST:g}; got {value!r}. Write {usual:g}."
        )


def positive(name: str, value: Any) -> None:
    """Refuse a number that is not above 0, too small or too large.

    >>> positive("variance", 1e300)
    Traceback (most recent call last):
    cranfield.ArgumentError: `variance` must be between 1e-12 and 1e+12; got 1e+300.
    """
    if not value > 0:
        raise ArgumentError(f"`{name}` must be above 0; got {number_text(value)}.")
    if not SMALLEST <= value <= LARGEST:
        raise ArgumentError(f"`{name}` must be between {SMALLEST:g} and {LARGEST:g}; got {number_text(value)}.")


def not_negative(name: str, value: Any) -> None:
    """Refuse a number below 0 or too large."""
    if not 0 <= value <= LARGEST:
        instead = abs(value) if abs(value) <= LARGEST else 1
        raise ArgumentError(
            f"`{name}` must be a number from 0 to {LARGEST:g}; got {number_text(value)}. Write {number_text(instead)}."
        )


def whole(name: str, value: Any) -> None:
    """Refuse a number that is not whole, below 2 or too large."""
    most = MOST_SYSTEMS if name == "n_systems" else MOST_TOPICS
    if value < 2 or value != int(value):
        raise ArgumentError(f"`{name}` must be a whole number of at least 2; got {number_text(value)}.")
    if value > most:
        raise ArgumentError(f"`{name}` must be at most {most:,}; got {number_text(value)}.")


def at_least(name: str, value: Any, least: int, advice: int) -> None:
    """Refuse all but whole numbers of at least `least`.

    >>> at_least("looks", 0, 1, 5)
    Traceback (most recent call last):
    cranfield.ArgumentError: `looks` must be a whole number of at least 1; got 0. Write 5.
    """
    if isinstance(value, bool) or not isinstance(value, Real) or value % 1 or value < least:
        raise ArgumentError(f"`{name}` must be a whole number of at least {least}; got {value!r}. Write {advice}.")


def one_of(name: str, value: Any, choices: object) -> None:
    """Refuse what is none of the names of a Literal.

    >>> one_of("spending", "pocok", defaults.Spending)
    Traceback (most recent call last):
    cranfield.UnknownNameError: unknown spending 'pocok'. Did you mean 'pocock'?
    """
    if value not in defaults.names(choices):
        raise UnknownNameError(name, str(value), defaults.names(choices))


def alpha(help: str = "Significance level; intervals have level 1 - alpha.", **more: Any) -> Any:
    """The significance level."""
    return setting(defaults.ALPHA, help, label="Significance level (α)", check=share, group="Statistics", **more)


def seed() -> Any:
    """Where randomness starts."""
    return setting(
        defaults.SEED, "Seed of all random draws.", least=0, most=LARGEST_SEED, more=True, group="Statistics"
    )


def n_resamples(
    default: int | None = defaults.RESAMPLES,
    help: str = "Resamples for p-values and intervals.",
    least: int = 1,
    usual: str = "",
) -> Any:
    """Number of resamples."""
    return setting(
        default, help, least=least, most=MOST_RESAMPLES, example=defaults.RESAMPLES, more=True, usual=usual,
        group="Statistics",
    )  # fmt: skip


def workers(help: str = "Threads to use; the result stays the same.", usual: str = "all cores") -> Any:
    """How much is done at a time."""
    return setting(None, help, usual=usual, least=1, most=1024, part="run", on_page=False)


def cluster() -> Any:
    """Other machines to work on; in Python an `executor`."""
    return setting(
        None, "Dask cluster to use: scheduler address, scheduler file, or local:4. The result stays the same.",
        metavar="ADDRESS", usual="this process", check=_cluster, part="machines", on_page=False,
    )  # fmt: skip


def _cluster(name: str, value: Any) -> None:
    from cranfield.core.cluster import check_address

    check_address(name, value)


def work() -> Any:
    """A file that keeps what is finished of a long job."""
    return setting(
        None, "File that stores finished parts; an interrupted job resumes from it.", metavar="FILE",
        part="run", on_page=False,
    )  # fmt: skip


def memory() -> Any:
    """How much memory resampling may use."""
    return setting(
        defaults.MEMORY_MB, "Approximate memory limit; the result stays the same.", metavar="MB",
        least=0.001, most=10_000_000, part="run", on_page=False,
    )  # fmt: skip


def missing(default: str = defaults.MISSING) -> Any:
    """What a hole in a score table means."""
    return setting(
        default, "How to treat a missing (topic, system) score.", choices=defaults.names(defaults.MissingPolicy),
        part="source", on_page=False,
    )  # fmt: skip


WIDE = " Names the measure of a wide table."
"""What a measure is besides on the command line, where a table of systems may have no name for its measure."""


def measures(help: str = "Use only this measure; repeatable." + WIDE) -> Any:
    """The measures to use of score files, or to score runs by."""
    return measure(help, f"all in score files; {', '.join(defaults.MEASURES)} for runs", label="Measure")


ONLY_SYSTEMS = "Use only this system; repeatable."


def systems(help: str = "Use only this system, and the baselines; repeatable.") -> Any:
    """The systems to use, where not all; baselines are among them anyway."""
    return setting(
        None, help, "--system", "-s", metavar="SYSTEM", usual="all",
        part="source", on_page=False,
    )  # fmt: skip


def measure(help: str = "Use only this measure." + WIDE, usual: str = "all", **more: Any) -> Any:
    """The one measure to use of score files."""
    common: dict[str, Any] = {"metavar": "NAME", "part": "source", "chooses": True, "often": True, "usual": usual}
    return setting(None, help, "--measure", "-m", **common, **more)


def one_measure(help: str = "Measure to use." + WIDE) -> Any:
    """The measure of a question that is about one (`Question.by_one_measure`): the command line asks for it where
    files hold several, and the page begins with their first."""
    return measure(help, usual="the only one in the files")


def power(default: float | None = defaults.POWER, usual: str = "", **more: Any) -> Any:
    """The wanted probability of detecting a difference."""
    help = "Target probability of detecting the difference."
    return setting(default, help, metavar="P", label="Power (1 − β)", check=share, usual=usual, **more)


def assurance() -> Any:
    """The wanted probability that the true power is as wanted."""
    return setting(
        defaults.ASSURANCE, "Probability that the true power reaches the target, for topics_assured.", metavar="P",
        check=share,
    )  # fmt: skip


def n_systems(default: Any = None, help: str = "Number of systems to compare.", usual: str = "") -> Any:
    """How many systems a design is for."""
    return setting(default, help, metavar="M", usual=usual, least=2, most=1_000_000, often=True)


def min_diff(default: Any = None, help: str = "Smallest difference worth detecting (best to worst).") -> Any:
    """The smallest difference worth detecting."""
    return setting(default, help, metavar="D", label="Smallest difference", check=positive, often=True)


def number_or_name(text: str) -> float | str:
    """A number where the text reads as one."""
    try:
        return float(text)
    except ValueError:
        return text


def epsilon() -> Any:
    """A correction of the F-test."""
    return setting(
        None, "Multiply the degrees of freedom of the F-test on shared topics by this ε.", metavar="E|past",
        usual="estimated from past scores; 1 for a typed variance",
        read=number_or_name, group="Statistics", on_page=False,
    )  # fmt: skip


def method(default: str | None = defaults.DESIGN_METHOD) -> Any:
    """Method for computing power; without a default it is that of the design."""
    return setting(
        default,
        "Method for computing power.",
        choices=defaults.names(defaults.DesignMethod),
        group="Statistics",
        usual="" if default else f"{defaults.DESIGN_METHOD}; published with --published",
    )


def show(default: str, help: str, **more: Any) -> Any:
    """Which of its tables a command prints; a page has them all."""
    return setting(default, help, part="view", on_page=False, **more)


def chart_title() -> Any:
    """A title of one's own on a chart."""
    return setting(None, "Chart title, in place of the finding.", "--title", metavar="TEXT", part="view", group="Chart")


def chart_untitled() -> Any:
    """A chart for a paper, whose caption says what a title would."""
    return setting(False, "Draw the chart without title and subtitle.", "--no-title", part="view", group="Chart")


def chart_width() -> Any:
    """How wide a chart's plot is."""
    least, most = defaults.CHART_WIDTHS
    return setting(
        None, "Plot width in pixels, without the labels beside it.", "--width", metavar="PX",
        least=least, most=most, usual="chosen for the chart", part="view", group="Chart",
    )  # fmt: skip


def teams(
    help: str = "File with a system and its team on each line, or a table with such columns.", **more: Any
) -> Any:
    """A grouping of the runs."""
    return setting(None, help, metavar="FILE", on_page=False, **more)


def documents() -> Any:
    """Titles of the documents that ranked lists show."""
    return setting(
        None, "File with id and title of documents (JSON lines, or a table), for ranked lists.", metavar="FILE",
        on_page=False,
    )  # fmt: skip


def topic_groups(**more: Any) -> Any:
    """A grouping of the topics."""
    text = "File of lines `topic group` for topics that belong together (variants, turns, users)."
    return setting(None, text, metavar="FILE", on_page=False, **more)


def team_prefix(help: str = "Regular expression that finds the team at the start of the run tag.", **more: Any) -> Any:
    """A grouping of the runs by their names."""
    return setting(None, help, metavar="PATTERN", on_page=False, **more)


def best_per_team() -> Any:
    """The measure that chooses one run of each team."""
    return setting(
        None, "Use only the best run of each team by this measure; needs --teams or --team-prefix.", metavar="MEASURE",
        part="source", on_page=False,
    )  # fmt: skip
