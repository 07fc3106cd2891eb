"""``cranfield design recommend``: words to paste, unless numbers are asked for."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Any

from cranfield.cli.output import draw, emit, say, warn, wrapped
from cranfield.cli.sources import read
from cranfield.files import write_atomically

if TYPE_CHECKING:
    from cranfield.cli.build import OutputSettings
    from cranfield.settings.design import RecommendSettings


def run(settings: RecommendSettings, output: OutputSettings, files: dict[str, Any]) -> None:
    """Recommend a number of topics."""
    from cranfield.present.answer import answer

    result = settings.ask(*read(settings, files))
    said = answer(result, settings)
    text = f"{result.text}\n{result.signature}\n"
    where = output.output
    words = where is None or output.format is not None or where.suffix in (".md", ".txt")
    if output.format not in (None, "markdown") or not words:
        emit(said.sheet(), output)
    elif where is None:
        warn(result.warnings)
        sys.stdout.write(wrapped(text))
    else:
        warn(result.warnings)
        write_atomically(where, text.encode())
        say(f"wrote {where}")
    draw(said, result, output)
