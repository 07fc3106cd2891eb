"""``cranfield help``: the help of a command, and pages about tests, corrections and exit codes."""

from __future__ import annotations

from collections.abc import Callable

import click

from cranfield.core.errors import UnknownNameError

EXIT_CODES = {
    0: "done; for gate: pass",
    1: "bad input: a file or scores that cannot be used; for check: a problem was found",
    2: "bad usage: an unknown option, a value out of range, a missing option",
    3: "gate: fail, the candidate is shown to lose more than the margin",
    4: "gate: undecided, too few topics to tell",
    130: "interrupted",
}
"""The exit codes and their meaning."""


def tests_page() -> str:
    """The significance tests, and when to use them."""
    from cranfield.questions.compare.tests import TESTS

    lines = ["Significance tests (--test) and their assumptions.", ""]
    for test in TESTS.values():
        lines += [f"  {test.name}", f"      {test.summary}.", f"      Assumes: {test.assumes}."]
    return "\n".join(
        [
            *lines,
            "",
            "If in doubt, use randomisation: it suits any number of systems. Use t for speed. Use randomised-tukey for",
            "all pairs of systems with similar variance. Unpaired tests are for systems scored on different topics.",
        ]
    )


def corrections_page() -> str:
    """The corrections for many comparisons."""
    from cranfield.questions.compare.corrections import CORRECTIONS

    lines = [f"  {one.name:<12} {one.summary}" for one in CORRECTIONS.values()]
    return "\n".join(["Corrections for multiple comparisons (--correction).", "", *lines])


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
