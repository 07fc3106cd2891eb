"""``cranfield trec_eval``: arguments go unchanged to trec_eval's own parser."""

from __future__ import annotations

import click

# Nothing is read here: flags, files and -h are trec_eval's.
_SETTINGS = {"ignore_unknown_options": True, "allow_extra_args": True, "help_option_names": []}


class _Help(click.Command):
    """A command whose help is trec_eval's."""

    def get_help(self, ctx: click.Context) -> str:
        """The flags."""
        from cranfield.trec_eval.arguments import parse_arguments
        from cranfield.trec_eval.help import help_text

        return help_text(parse_arguments(["-h"])).rstrip("\n")


@click.command(
    "trec_eval",
    cls=_Help,
    context_settings=_SETTINGS,
    short_help="Print what trec_eval prints, from its own flags.",
    add_help_option=False,
)
@click.argument("words", nargs=-1, type=click.UNPROCESSED)
def trec_eval(words: tuple[str, ...]) -> None:
    """Print what trec_eval prints, from its own flags.

    Example: cranfield trec_eval -q -c -m all_trec qrels.txt bm25.run
    """
    import sys

    from cranfield.cli.ask import in_place_of
    from cranfield.cli.output import say
    from cranfield.core.defaults import FileKind
    from cranfield.core.errors import FileError
    from cranfield.trec_eval.arguments import parse_arguments
    from cranfield.trec_eval.evaluation import each_run
    from cranfield.trec_eval.help import help_text, version_text

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
