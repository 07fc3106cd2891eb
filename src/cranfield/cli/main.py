"""The program: a command for every question, ``help``, ``trec_eval``, and exit codes for errors."""

from __future__ import annotations

import atexit
import gc
import io
import math
import os
import sys
import warnings
from collections.abc import Callable
from contextlib import suppress
from typing import Any, get_args

import click

from cranfield import __version__
from cranfield.cli.build import command_of, did_you_mean
from cranfield.cli.output import be_quiet, say
from cranfield.collection.compiled import columns
from cranfield.core.errors import ArgumentError, CranfieldError, CranfieldWarning, UnknownNameError
from cranfield.core.files import no_memory, pipes_once, reason
from cranfield.core.question import GROUPS, HelpGroup, question_of, questions
from cranfield.core.resources import check_program

EXIT_CODES = {
    0: "done; for gate: pass",
    1: "bad input: a file or scores that cannot be used; for check: a problem was found",
    2: "bad usage: an unknown option, a value out of range, a missing option",
    3: "gate: fail, the candidate is shown to lose more than the margin",
    4: "gate: undecided, too few topics to tell",
    130: "interrupted",
}
"""The exit codes and their meaning."""


PAGE_WIDTH = 79
"""Columns of a page of help."""


def tests_page() -> str:
    """The significance tests, and when to use them."""
    from cranfield.questions.compare.tests import TESTS

    lines = ["Significance tests (--test) and their assumptions.", ""]
    for test in TESTS.values():
        lines.append(f"  {test.name}")
        for text in (f"{test.summary}.", f"Assumes: {test.assumes}."):
            lines.append(click.wrap_text(text, PAGE_WIDTH, initial_indent=" " * 6, subsequent_indent=" " * 8))
    advice = (
        "If in doubt, keep the default: randomisation for up to 20 comparisons, max-t for more. Use t for speed. Use "
        "unpaired tests for systems scored on different topics."
    )
    return "\n".join([*lines, "", click.wrap_text(advice, PAGE_WIDTH)])


def corrections_page() -> str:
    """The corrections for many comparisons."""
    from cranfield.questions.compare.corrections import CORRECTIONS

    lines = ["Corrections for multiple comparisons (--correction).", ""]
    for one in CORRECTIONS.values():
        told = f"{one.controls}: {one.summary}." if one.name != "none" else f"{one.summary}."
        lines += [f"  {one.name}", click.wrap_text(told, PAGE_WIDTH, initial_indent=" " * 6, subsequent_indent=" " * 8)]
    return "\n".join(lines)


def exit_codes_page() -> str:
    """The exit codes and their meaning."""
    return "\n".join(["Exit codes.", "", *(f"  {code:>3}  {meaning}" for code, meaning in EXIT_CODES.items())])


PAGES: dict[str, Callable[[], str]] = {
    "tests": tests_page,
    "corrections": corrections_page,
    "exit-codes": exit_codes_page,
}


@click.command("help", short_help="Show help for a command, the tests or the exit codes.")
@click.argument("words", nargs=-1, metavar="[COMMAND | tests | corrections | exit-codes]")
@click.pass_context
def show_help(ctx: click.Context, words: tuple[str, ...]) -> None:
    """Show the help of a command, or a page about tests, corrections or exit codes.

    Example: cranfield help design anova
    """
    if len(words) == 1 and words[0] in PAGES:
        click.echo(PAGES[words[0]]())
        return
    root = ctx.find_root()
    command: click.Command = root.command
    context = root
    for word in words:
        inside = command.get_command(context, word) if isinstance(command, click.Group) else None
        if inside is None:
            known = command.list_commands(context) if isinstance(command, click.Group) else []
            raise UnknownNameError("command", word, [*known, *PAGES])
        command = inside
        context = click.Context(command, info_name=word, parent=context)
    click.echo(command.get_help(context))


# Nothing is read here: flags, files and -h are trec_eval's.
_SETTINGS = {"ignore_unknown_options": True, "allow_extra_args": True, "help_option_names": []}


class _Help(click.Command):
    """A command whose help is trec_eval's."""

    def get_help(self, ctx: click.Context) -> str:
        """The flags."""
        from cranfield.trec_eval.arguments import help_text, parse_arguments

        return help_text(parse_arguments(["-h"])).rstrip("\n")


@click.command(
    "trec_eval",
    cls=_Help,
    context_settings=_SETTINGS,
    short_help="Run trec_eval's flags and print its lines.",
    add_help_option=False,
)
@click.argument("words", nargs=-1, type=click.UNPROCESSED)
def trec_eval(words: tuple[str, ...]) -> None:
    """Run trec_eval's flags and print its lines.

    Example: cranfield trec_eval -q -c -m all_trec qrels.txt bm25.run
    """
    import sys

    from cranfield.cli.ask import in_place_of
    from cranfield.cli.output import say
    from cranfield.core.defaults import FileKind
    from cranfield.core.errors import FileError
    from cranfield.trec_eval.arguments import help_text, parse_arguments, version_text
    from cranfield.trec_eval.evaluation import each_run

    options = parse_arguments(words)
    if options.help or options.version:
        click.echo(help_text(options) if options.help else version_text(), nl=False)
        return
    try:
        for printed in each_run(options):
            for note in printed.notes:
                say(f"note: {note}")
            sys.stdout.writelines(printed.blocks)
    except FileError as error:
        # The run, if both are one file. Preferences are no kind of file that is recognised.
        wanted: dict[str, FileKind] = {options.qrels: "qrels"} if options.format == "qrels" else {}
        wanted |= dict.fromkeys(options.runs, "run")
        raise in_place_of(wanted.get(error.path), error, "cranfield trec_eval QRELS RUN") from None


os.environ.setdefault("OPENBLAS_THREAD_TIMEOUT", "4")
"""Set before numpy and scipy are imported: their idle OpenBLAS threads then sleep at once. By default each keeps a
processor busy for about 25 ms at every start."""

OTHERS: dict[str, tuple[float, HelpGroup, click.Command]] = {
    "trec_eval": (51, "Evaluate", trec_eval),
    "help": (math.inf, "Tools", show_help),
}
"""Commands that are not questions: place in the list, heading, command."""


class Program(click.Group):
    """The commands, made on demand; our errors become one line on stderr and an exit code."""

    def __init__(self, prefix: str = "", **attributes: Any) -> None:
        super().__init__(**attributes)
        self.prefix = prefix

    def list_commands(self, ctx: click.Context) -> list[str]:
        """The commands, from files to scores to answers."""
        places = {name: float(question.place) for name, question in questions().items()}
        if not self.prefix:
            places |= {name: place for name, (place, _, _) in OTHERS.items()}
        mine = [name for name in sorted(places, key=places.__getitem__) if name.startswith(self.prefix)]
        return list(dict.fromkeys(name.removeprefix(self.prefix).split()[0] for name in mine))

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        """The command of this name, made from its settings."""
        question = question_of(self.prefix + cmd_name)
        if question is not None:
            return command_of(question)
        if self.prefix:
            return None
        if (group := GROUPS.get(cmd_name)) is not None:
            return Program(f"{cmd_name} ", name=cmd_name, help=group.help, short_help=group.brief, no_args_is_help=True)
        return OTHERS[cmd_name][2] if cmd_name in OTHERS else None

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """The commands below the headings of their groups."""
        if self.prefix:
            super().format_commands(ctx, formatter)
            return
        groups: dict[str, str] = {name: heading for name, (_, heading, _) in OTHERS.items()}
        for name, question in questions().items():
            groups.setdefault(name.split()[0], question.group)
        names = self.list_commands(ctx)
        longest = max(map(len, names))
        for heading in get_args(HelpGroup):
            mine = [(name, self.get_command(ctx, name)) for name in names if groups[name] == heading]
            rows = [(name.ljust(longest), one.get_short_help_str(200)) for name, one in mine if one is not None]
            if rows:
                with formatter.section(heading):
                    formatter.write_dl(rows)

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        """As click does it; the message about an unknown command suggests those that may be meant."""
        name, *rest = args
        if name.startswith("-"):
            return super().resolve_command(ctx, args)
        if (command := self.get_command(ctx, name)) is not None:
            return name, command, rest
        from difflib import get_close_matches

        also = {**{word: one.aliases for word, one in GROUPS.items()}, **{c: q.aliases for c, q in questions().items()}}
        near = [command for command, words in also.items() if name.lower() in words]
        near = near or [one for one in questions() if one.split()[-1] == name and one != f"{self.prefix}{name}"]
        near = near or [self.prefix + one for one in get_close_matches(name, self.list_commands(ctx), 2, 0.65)]
        raise click.UsageError(f"No such command '{self.prefix}{name}'.{did_you_mean(near)}", ctx)

    def invoke(self, ctx: click.Context) -> Any:
        """Run a command: exit code 2 for bad usage, 1 for bad input, 130 when interrupted; gate has 3 and 4."""
        if self.prefix:
            return super().invoke(ctx)
        be_quiet(False)
        try:
            with pipes_once(), warnings.catch_warnings():
                # Results carry their warnings and `emit` prints them once.
                warnings.simplefilter("ignore", CranfieldWarning)
                if not {"-h", "--help", "help"} & {*sys.argv[1:]}:
                    check_program()
                return super().invoke(ctx)
        except CranfieldError as error:
            say(f"error: {error}")
            raise click.exceptions.Exit(2 if isinstance(error, ArgumentError) else 1) from None
        except BrokenPipeError:
            _drop_output()
            raise click.exceptions.Exit(0) from None
        except MemoryError:
            say(f"error: {no_memory()}")
            raise click.exceptions.Exit(1) from None
        except KeyboardInterrupt:
            say("interrupted")
            raise click.exceptions.Exit(130) from None


def _drop_output() -> None:
    """Discard the remaining output."""
    with suppress(OSError):  # not a file
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


app = Program(
    name="cranfield",
    help="Design and analyse test collections: how many topics you need, and which systems really differ.",
    epilog="Exit codes: 0 done, 1 bad input, 2 bad usage, 3 gate failed, 4 gate undecided, 130 interrupted.",
    no_args_is_help=True,
    context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 110},
)
_PARSER = "(compiled parser)" if columns is not None else "(without the compiled parser)"
app = click.version_option(__version__, "--version", message=f"cranfield %(version)s {_PARSER}")(app)


def main() -> None:
    """Entry point of the ``cranfield`` program."""
    # Imported modules stay until the end; collecting garbage among them costs a tenth of a short start.
    gc.set_threshold(200_000)
    atexit.register(gc.freeze)
    for name in ("stdout", "stderr"):
        if getattr(sys, name) is None:  # closed: the next opened file would receive the output
            setattr(sys, name, open(os.devnull, "w", encoding="utf-8"))  # noqa: PTH123
    if isinstance(sys.stdout, io.TextIOWrapper):  # other encodings lack some characters
        sys.stdout.reconfigure(encoding="utf-8", errors=sys.stdout.errors)
    try:
        try:
            app()
        finally:
            sys.stdout.flush()  # here, because errors at the exit of Python cannot be reported
    except BrokenPipeError:
        _drop_output()
        sys.exit(0)
    except OSError as error:  # a failed write to standard output, such as a full disk
        _drop_output()
        say(f"error: {error.filename or 'standard output: cannot be written'}: {reason(error)}")
        sys.exit(1)
