"""Settings that many questions have, each written once."""

from __future__ import annotations

from numbers import Real
from typing import Any

from cranfield.core import defaults
from cranfield.core.errors import ArgumentError, UnknownNameError
from cranfield.core.question import number_text, setting

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
    """Refuse what is no whole number of at least `least`.

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
    default: int | None = defaults.RESAMPLES, help: str = "Number of resamples.", least: int = 1, usual: str = ""
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
