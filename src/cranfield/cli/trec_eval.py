"""``cranfield trec_eval``: its words go to trec_eval's own reader of flags as they are."""

from __future__ import annotations

import typer

SETTINGS = {"ignore_unknown_options": True, "allow_extra_args": True, "help_option_names": []}
"""Nothing is read here: flags, files and -h are trec_eval's."""


def command(context: typer.Context) -> None:
    """What trec_eval prints, from trec_eval's own flags.

    Example: cranfield trec_eval -q -c -m all_trec qrels.txt bm25.run
    """
    import sys

    from cranfield.cli.output import say
    from cranfield.trec_eval import parse_arguments, trec_eval
    from cranfield.trec_eval.help import help_text, version_text

    options = parse_arguments(context.args)
    if options.help or options.version:
        typer.echo(help_text(options) if options.help else version_text(), nl=False)
        return
    printed = trec_eval(options)
    for note in printed.notes:
        say(f"note: {note}")
    sys.stdout.writelines(printed.blocks)
