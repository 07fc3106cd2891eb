"""The common way of a command: read what it is asked about, ask the library, print the answer."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from cranfield.cli.output import draw, emit, progress_bar

if TYPE_CHECKING:
    from cranfield.cli.build import OutputSettings
    from cranfield.settings import Settings


def run(settings: Settings, output: OutputSettings, files: dict[str, Any]) -> None:
    """Answer a question about files."""
    from cranfield.cli.sources import read
    from cranfield.present.answer import answer

    data = read(settings, files)
    with progress_bar(settings.work) as progress:
        result = settings.ask(*data, progress=progress) if settings.work else settings.ask(*data)
    said = answer(result, settings)
    emit(said.sheet(getattr(settings, "show", None)), output)
    draw(said, result, output)
