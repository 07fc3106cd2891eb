"""Commands made from settings: every field of a question becomes an option, with its help, choices and default."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, get_args

import click

from cranfield.core import options as shared
from cranfield.core.defaults import CHART_ENDINGS, OUTPUT_FORMAT
from cranfield.core.errors import ArgumentError, FileError
from cranfield.core.files import reason
from cranfield.core.formats import endings, offered
from cranfield.core.labels import joined
from cranfield.core.options import REQUIRED, OptionGroup, Setting, setting
from cranfield.core.question import ARGUMENTS, Question
from cranfield.core.text import shown
from cranfield.measures.options import SCORING, RunsOrScores


class _File(click.Path):
    """A path; an impossible file name is bad usage."""

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        """The path."""
        try:
            return super().convert(value, param, ctx)
        except ValueError as error:
            self.fail(reason(error), param, ctx)


class _Number(click.ParamType):  # type: ignore[type-arg, unused-ignore]  # generic in newer versions of click alone
    """A number; the error shows how to write one."""

    def __init__(self, read: type[int] | type[float]) -> None:
        self.read = read
        self.name = "integer" if read is int else "float"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        """The number."""
        try:
            return self.read(value)
        except ValueError:
            kind, example = ("a whole number", "20") if self.read is int else ("a number", "0.5 or 20")
            again = " Repeat the option for several values." if param is not None and param.multiple else ""
            self.fail(f"{shown(str(value))} is not {kind}. Write digits only, such as {example}.{again}", param, ctx)


KINDS: dict[type, Any] = {str: click.STRING, int: _Number(int), float: _Number(float), Path: _File(path_type=Path)}


@dataclass(frozen=True, kw_only=True)
class Output(Question):
    """Where an answer goes, and in what form."""

    plot: Path | None = setting(None, "Draw a chart to this file.", find_endings=lambda: CHART_ENDINGS, group="Chart")
    chart: str | None = setting(
        None, "Chart to draw; an unknown name lists the choices.", metavar="KIND", group="Chart"
    )
    chart_title: str | None = shared.chart_title()
    chart_untitled: bool = shared.chart_untitled()
    chart_width: int | None = shared.chart_width()
    format: str | None = setting(
        None, "Output format.", choices=offered, usual=OUTPUT_FORMAT, group="Output", often=True
    )
    output: Path | None = setting(
        None,
        "Write to this file; --format or the ending sets the format.",
        "--output",
        "-o",
        find_endings=endings,
        group="Output",
        often=True,
    )
    quiet: bool = setting(False, "Hide warnings and notes; JSON still includes warnings.", group="Output")

    @property
    def look(self) -> dict[str, Any]:
        """Title and width of a chart, as `cranfield.core.charts.chart` takes them."""
        return {"title": "" if self.chart_untitled else self.chart_title, "width": self.chart_width}


def shared_by(question: type[Question]) -> list[Setting]:
    """The output options of a question's command.

    Where the question has an option of the same spelling, such as --width, the chart's is called --chart-width.
    """
    own = {flag for one in question.all() for flag in one.flags}
    offered = [
        replace(one, flags=(f"--{one.name.replace('_', '-')}",)) if one.part == "view" and own & {*one.flags} else one
        for one in Output.all()
        if one.name == "quiet" or (question.printed and (question.drawn or one.group != "Chart"))
    ]
    return [one for one in offered if not own & {*one.flags}]


MOST_USED = 5
"""How many options help shows before all others."""
FEW_OPTIONS = 7
"""A command with no more options than this needs no list of the most used."""
OTHER_WORDS = {
    "--metric": "--measure", "--metrics": "--measure", "--measures": "--measure", "--significance": "--alpha",
    "--level": "--alpha", "--confidence": "--alpha", "--out": "--output", "--file": "--output",
    "--threads": "--workers", "--jobs": "--workers", "--processes": "--workers",
    "--permutations": "--resamples", "--samples": "--resamples",
    "--iterations": "--resamples", "--bootstrap": "--resamples", "--figure": "--plot", "--adjust": "--correction",
    "--control": "--baseline", "--reference": "--baseline", "--effect": "--min-diff", "--delta": "--min-diff",
    "--cutoff": "--depth", "--run": "--system", "--runs": "--system", "--queries": "--topics",
    "--json": "--format", "--csv": "--format", "--latex": "--format", "--markdown": "--format",
}  # fmt: skip
"""Options as other tools call them."""


def option_headings(options: dict[str, Setting]) -> dict[str, str]:
    """The heading in help of every option, in the order of help: the most used first, the others by group."""
    own = [key for key in options if not key.startswith("output_")]
    wanted = [key for key, one in options.items() if one.required or one.often]
    first = [key for key in own if key in wanted]
    common = [key for key in options if key in wanted and key not in own]
    usual = [key for key in own if options[key].group == "Question" and key not in first and key not in SCORING]
    most = [*first, *usual][: MOST_USED - len(common)] + common if len(options) > FEW_OPTIONS else []
    groups = {key: "Input" if key in SCORING else one.group for key, one in options.items()}
    order = get_args(OptionGroup)
    rest = sorted(
        (key for key in options if key not in most), key=lambda key: (order.index(groups[key]), key in SCORING)
    )
    return {**dict.fromkeys(most, "Most used"), **{key: groups[key] for key in rest}}


class Command(click.Command):
    """A command with grouped options, which names all that is missing at once and suggests what was meant."""

    headings: dict[str, str]

    def format_options(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """The options below their headings."""
        records: dict[str, list[tuple[str, str]]] = {}
        for one in self.get_params(ctx):
            if isinstance(one, click.Option) and (record := one.get_help_record(ctx)) is not None:
                records.setdefault(self.headings.get(str(one.name), "Output"), []).append(record)
        for heading in sorted(records, key=["Most used", *get_args(OptionGroup)].index):
            with formatter.section(heading):
                formatter.write_dl(records[heading])

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """Read the words; one message names everything that is required and missing."""
        try:
            return super().parse_args(ctx, list(args))
        except click.NoSuchOption as error:
            from difflib import get_close_matches

            known = [flag for one in self.get_params(ctx) for flag in one.opts if flag.startswith("--")]
            meant = OTHER_WORDS.get(error.option_name)
            near = [meant] if meant in known else get_close_matches(error.option_name, known, 2)
            raise click.UsageError(f"No such option '{error.option_name}'.{did_you_mean(near)}", ctx) from None
        except click.MissingParameter:
            given, _, _ = self.make_parser(ctx).parse_args(list(args))
            values = [(one, given.get(str(one.name))) for one in self.params if one.required]
            absent = [one for one, value in values if value is None or one.value_is_missing(value)]
            if len(absent) < 2:
                raise
            files = [one.make_metavar(ctx) for one in absent if isinstance(one, click.Argument)]
            raise missing(ctx, files, [one.opts[0] for one in absent if isinstance(one, click.Option)]) from None


def did_you_mean(names: Sequence[str]) -> str:
    """The end of a message about an unknown word."""
    return f" Did you mean {joined([repr(one) for one in names], 'or')}?" if names else ""


def missing(ctx: click.Context, arguments: Sequence[str], options: Sequence[str] = ()) -> click.UsageError:
    """What a command lacks, in one sentence."""
    kinds = [(names, kind) for names, kind in ((arguments, "argument"), (options, "option")) if names]
    said = [f"{kind}{'s' * (len(names) > 1)} " + joined([f"'{one}'" for one in names]) for names, kind in kinds]
    return click.UsageError(f"Missing {', and '.join(said)}.", ctx)


def command_of(question: type[Question]) -> click.Command:
    """The command that asks a question; `cli.ask` runs it."""
    own = {one.name: one for one in question.all() if one.flags or one.argument}
    shared = {f"output_{one.name}": one for one in shared_by(question)}
    every = {**own, **shared}
    headings = option_headings({key: one for key, one in every.items() if not one.argument})
    named = [key for key, one in every.items() if one.argument]
    parameters = [*_arguments(question), *(_option(every[key], key) for key in [*named, *headings])]

    def callback(**values: Any) -> None:
        from cranfield.cli.ask import explained, run
        from cranfield.cli.output import be_quiet, refuse_early, say, use_options_of
        from cranfield.core.resources import announced_to

        use_options_of(question)
        files = {one.name: values.pop(one.name) for one in ARGUMENTS[question.takes]}
        output = Output(**{one.name: _plain(one, values[key]) for key, one in shared.items()})
        be_quiet(output.quiet)
        asked = question(**{name: _plain(one, values[name]) for name, one in own.items()})
        _refuse_neither(question, asked, files)
        refuse_early(output, asked, files)
        try:
            with announced_to(say), spread(asked):
                run(asked, output, files)
        except FileError as error:
            raise explained(error, question, files) from None

    name = question.command.rpartition(" ")[2]
    command = Command(name, params=parameters, callback=callback, help=question.__doc__, short_help=question.brief)
    command.headings = headings
    return command


@contextmanager
def spread(settings: Question) -> Iterator[None]:
    """Inside the block, work goes to the cluster that was named, if one was."""
    where = getattr(settings, "cluster", None)
    if where is None:
        yield
        return
    from cranfield.cli.output import say
    from cranfield.core.cluster import open_cluster
    from cranfield.core.executors import spread_over

    if getattr(settings, "workers", None) is not None:
        raise ArgumentError("`workers` sets threads of this process, and a cluster has its own. Leave one out.")
    with open_cluster(where, say) as executor, spread_over(executor):
        yield


def _arguments(question: type[Question]) -> Iterator[click.Parameter]:
    for one in ARGUMENTS[question.takes]:
        metavar = "QRELS RUN... | SCORES..." if issubclass(question, RunsOrScores) else one.metavar
        yield click.Argument([one.name], nargs=one.nargs, metavar=metavar, required=not question.instead)


def _refuse_neither(question: type[Question], asked: Question, files: dict[str, Any]) -> None:
    """Refuse both, or neither, of the files and the setting that replaces them."""
    if not question.instead:
        return
    flag = question.of(question.instead).flags[0]
    given = [name for name, value in files.items() if value]
    if getattr(asked, question.instead) is not None and given:
        raise ArgumentError(f"{flag} already names the files; leave out {files[given[0]]}.")
    if getattr(asked, question.instead) is None and len(given) < len(files):
        absent = [one.metavar for one in ARGUMENTS[question.takes] if one.name not in given]
        raise missing(click.get_current_context(), absent)


def _option(one: Setting, key: str) -> click.Parameter:
    """A setting as an option of click, which passes its value under this key."""
    if one.argument:
        return click.Argument(
            [key], nargs=-1 if one.several else 1, required=one.required, metavar=one.metavar,
            type=KINDS[one.kind], **({} if one.required or one.several else {"default": one.default}),
        )  # fmt: skip
    flags = [*one.flags, key]
    help = one.help if one.endings is None else f"{one.help.removesuffix('.')} ({' '.join(one.endings)})."
    help += f" [default: {one.usual}]" if one.usual else ""
    if one.kind is bool:
        return click.Option(flags, is_flag=True, default=None if one.default is None else False, help=help)
    choices = one.choices
    required = one.default is REQUIRED
    return click.Option(
        flags,
        type=_Names(choices, one.read) if choices is not None else KINDS[one.kind],
        multiple=one.several,
        required=required,
        **({} if required else {"default": one.default}),  # a default of None would count as given
        show_default=one.default is not None and not required and not one.usual,
        metavar=one.metavar,
        help=help,
    )


class _Names(click.Choice[str]):
    """A choice of names that also accepts aliases."""

    def __init__(self, choices: Sequence[str], read: Callable[[str], Any] | None) -> None:
        super().__init__(choices)
        self.read = read

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> str:
        """The name itself."""
        return super().convert(self.read(value) if self.read and isinstance(value, str) else value, param, ctx)


def _plain(one: Setting, value: Any) -> Any:
    """A value as the question takes it: None if not given; a --no flag is negated."""
    if one.kind is bool:
        return not value if one.negated and value is not None else value
    if one.several:
        return tuple(value) if value else (one.default if one.default is not REQUIRED else None)
    return value
