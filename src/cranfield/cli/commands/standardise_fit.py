"""``cranfield standardise fit``: factors to keep."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from cranfield.cli.output import emit, say, warn
from cranfield.errors import ArgumentError

if TYPE_CHECKING:
    from cranfield.cli.build import OutputSettings
    from cranfield.defaults import FactorsFormat
    from cranfield.settings.standardise import FitSettings


def run(settings: FitSettings, output: OutputSettings, files: dict[str, Any]) -> None:
    """Fit the factors; keep them in a file, or print them."""
    from cranfield.cli.sources import read
    from cranfield.present.answer import answer
    from cranfield.standardise.files import to_bytes

    trec, format = settings.trec, output.format
    if trec and format is not None:
        raise ArgumentError("--trec is a format of its own; leave out --format")
    factors = settings.ask(*read(settings, files))
    if output.output is not None and (trec or format in (None, "csv", "json")):
        kept: FactorsFormat | None = "trec" if trec else "csv" if format == "csv" else "json" if format else None
        factors.save(output.output, format=kept)
        warn(factors.warnings)
        say(f"wrote {output.output} (factors of {len(factors.to_frame())} topics and measures)")
    elif trec:
        warn(factors.warnings)
        click.echo(to_bytes(factors, "trec").decode(), nl=False)
    else:
        emit(answer(factors, settings).sheet(), output)
