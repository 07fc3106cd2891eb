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
"""Bounds of variances, differences, widths and costs: beyond them no answer is worth a digit."""


NEAREST = 1e-12
"""How near to 0 and 1 a level, a power or a share may come: beyond it no quantile is worth a digit."""


def share(name: str, value: Any) -> None:
    """Refuse what is no number strictly between 0 and 1, or too near to either.

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
    """Refuse what is not above 0, or outside what can be reckoned with.

    >>> positive("variance", 1e300)
    Traceback (most recent call last):
    cranfield.ArgumentError: `variance` must be between 1e-12 and 1e+12; got 1e+300.
    """
    if not value > 0:
        raise ArgumentError(f"`{name}` must be above 0; got {number_text(value)}.")
    if not SMALLEST <= value <= LARGEST:
        raise ArgumentError(f"`{name}` must be between {SMALLEST:g} and {LARGEST:g}; got {number_text(value)}.")


def not_negative(name: str, value: Any) -> None:
    """Refuse what is below 0 or too large to reckon with."""
    if not 0 <= value <= LARGEST:
        instead = abs(value) if abs(value) <= LARGEST else 1
        raise ArgumentError(
            f"`{name}` must be a number from 0 to {LARGEST:g}; got {number_text(value)}. Write {number_text(instead)}."
        )


def whole(name: str, value: Any) -> None:
    """Refuse what is no whole number of at least 2, or more than there can be."""
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
    return setting(defaults.ALPHA, help, label="Significance level (α)", check=share, **more)


def seed() -> Any:
    """Where randomness starts."""
    return setting(defaults.SEED, "Seed of all random draws.", least=0, most=LARGEST_SEED, more=True)


def n_resamples(
    default: int | None = defaults.RESAMPLES, help: str = "How many resamples.", least: int = 1, usual: str = ""
) -> Any:
    """How many resamples."""
    return setting(default, help, least=least, most=MOST_RESAMPLES, example=defaults.RESAMPLES, more=True, usual=usual)


def workers(help: str = "Threads to use; never changes a result.", usual: str = "all cores") -> Any:
    """How much is done at a time."""
    return setting(None, help, usual=usual, least=1, most=1024, part="run", on_page=False)


def cluster() -> Any:
    """Other machines to work on; in Python an `executor`."""
    return setting(
        None, "Work on a Dask cluster: a scheduler's address, its file, or local:4; never changes a result.",
        metavar="ADDRESS", usual="this process", check=_cluster, part="machines", on_page=False,
    )  # fmt: skip


def _cluster(name: str, value: Any) -> None:
    from cranfield.core.cluster import check_address

    check_address(name, value)


def work() -> Any:
    """A file that keeps what is finished of a long job."""
    return setting(
        None, "Keep what is finished in this file; an interrupted job goes on from there.", metavar="FILE",
        part="run", on_page=False,
    )  # fmt: skip


def memory() -> Any:
    """How much memory resampling may use."""
    return setting(
        defaults.MEMORY_MB, "Approximate memory to use; never changes a result.", metavar="MB",
        least=0.001, most=10_000_000, part="run", on_page=False,
    )  # fmt: skip


def missing(default: str = defaults.MISSING) -> Any:
    """What a hole in a score table means."""
    return setting(
        default, "What a missing (topic, system) score means.", choices=defaults.names(defaults.MissingPolicy),
        part="source", on_page=False,
    )  # fmt: skip


WIDE = " For a wide table, the measure's name."
"""What a measure is besides on the command line, where a table of systems may have no name for its measure."""


def measures(help: str = "Use only this measure; repeatable." + WIDE) -> Any:
    """The measures to use of score files, or to score runs by."""
    usual = f"all of score files; runs are scored by {', '.join(defaults.MEASURES)}"
    return setting(
        None, help, "--measure", "-m", metavar="NAME", label="Measure", part="source", chooses=True, usual=usual
    )


ONLY_SYSTEMS = "Use only this system; repeatable."


def systems(help: str = "Use only this system, and the baselines; repeatable.") -> Any:
    """The systems to use, where not all; baselines are among them anyway."""
    return setting(
        None, help, "--system", "-s", metavar="SYSTEM", usual="all",
        part="source", on_page=False,
    )  # fmt: skip


def measure(help: str = "Use only this measure." + WIDE, usual: str = "all") -> Any:
    """The one measure to use of score files."""
    return setting(None, help, "--measure", "-m", metavar="NAME", part="source", chooses=True, usual=usual)


def one_measure(help: str = "Measure to use." + WIDE) -> Any:
    """The measure of a question that is about one (`Question.by_one_measure`): the command line asks for it where
    files hold several, and the page begins with their first."""
    return measure(help, usual="the only one there is")


def power(default: float | None = defaults.POWER, usual: str = "", **more: Any) -> Any:
    """The wanted probability of detecting a difference."""
    return setting(default, "Wanted power.", metavar="P", label="Power (1 − β)", check=share, usual=usual, **more)


def assurance() -> Any:
    """The wanted probability that the true power is as wanted."""
    return setting(
        defaults.ASSURANCE, "Probability that the true power is as wanted, for topics_assured.", metavar="P",
        check=share,
    )  # fmt: skip


def n_systems(default: Any = None, help: str = "How many systems will be compared.", usual: str = "") -> Any:
    """How many systems a design is for."""
    return setting(default, help, metavar="M", usual=usual, least=2, most=1_000_000)


def min_diff(default: Any = None, help: str = "Smallest difference worth detecting (best to worst).") -> Any:
    """The smallest difference worth detecting."""
    return setting(default, help, metavar="D", label="Smallest difference", check=positive)


def number_or_name(text: str) -> float | str:
    """A number where the text reads as one."""
    try:
        return float(text)
    except ValueError:
        return text


def epsilon() -> Any:
    """A correction of the F-test."""
    return setting(
        None, "F-test on shared topics: multiply its degrees of freedom by this ε.", metavar="E|past",
        usual="that of past scores; 1 for a typed variance",
        read=number_or_name, on_page=False,
    )  # fmt: skip


def method() -> Any:
    """How the power is computed."""
    return setting(defaults.DESIGN_METHOD, "How the power is computed.", choices=defaults.names(defaults.DesignMethod))


def chart_title() -> Any:
    """A title of one's own on a chart."""
    return setting(None, "Title of the chart, instead of its finding.", "--title", metavar="TEXT", part="view")


def chart_untitled() -> Any:
    """A chart for a paper, whose caption says what a title would."""
    return setting(False, "Draw the chart without its title and second line.", "--no-title", part="view")


def chart_width() -> Any:
    """How wide a chart's plot is."""
    least, most = defaults.CHART_WIDTHS
    return setting(
        None, "Width of the chart's plot in pixels, names beside it not counted.", "--width", metavar="PX",
        least=least, most=most, usual="what suits it", part="view",
    )  # fmt: skip


def teams(help: str = "The teams: a file with a system and its team on each line.") -> Any:
    """A grouping of the runs."""
    return setting(None, help, metavar="FILE", on_page=False)
