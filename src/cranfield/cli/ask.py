"""The common way of a command: read what it is asked about, ask the library, print the answer."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

from cranfield.cli.output import draw, emit, progress_bar

if TYPE_CHECKING:
    from cranfield.cli.build import OutputSettings
    from cranfield.present.answer import Answer
    from cranfield.settings import Settings


def run(settings: Settings, output: OutputSettings, files: dict[str, Any]) -> None:
    """Answer a question about files."""
    from cranfield.cli.sources import read
    from cranfield.present.answer import answer

    data = read(settings, files)
    with progress_bar(settings.counts) as progress:
        result = settings.ask(*data, progress=progress) if settings.counts else settings.ask(*data)
    show(answer(result, settings), result, settings, output, files)


def show(
    said: Answer, result: object, settings: Settings, output: OutputSettings, files: dict[str, Any] | None = None
) -> None:
    """Print an answer, with the judgments it is about, and draw it when a chart was asked for."""
    sheet = said.sheet(getattr(settings, "show", None))
    if files is not None and "qrels" in files:
        sheet = replace(sheet, settings={"qrels": files["qrels"], **sheet.settings})
    emit(sheet, output)
    draw(said, result, output)
