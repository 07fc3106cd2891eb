"""``cranfield simulate scores``: scores in a file have their truth in another beside it."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

from cranfield.cli.ask import show
from cranfield.cli.output import emit
from cranfield.cli.sources import read
from cranfield.compression import COMPRESSED

if TYPE_CHECKING:
    from pathlib import Path

    from cranfield.cli.build import OutputSettings
    from cranfield.settings.simulate import SimulateScoresSettings


def run(settings: SimulateScoresSettings, output: OutputSettings, files: dict[str, Any]) -> None:
    """Draw, and write both."""
    from cranfield.present.answer import answer

    result = settings.ask(*read(settings, files))
    said = answer(result, settings)
    show(said, result, settings, output)
    if settings.show == "scores" and output.output is not None and output.output.is_file():  # not a pipe or device
        emit(replace(said.sheet("truth"), warnings=()), replace(output, output=beside(output.output)))


def beside(path: Path) -> Path:
    """Where the truth of the scores in a file goes.

    >>> from pathlib import Path
    >>> beside(Path("simulated.AP.csv")).name, beside(Path("simulated.csv.gz")).name
    ('simulated.AP.truth.csv', 'simulated.truth.csv.gz')
    """
    packed = path.suffix if path.suffix.lower() in COMPRESSED else ""
    bare = path.name.removesuffix(packed)
    at = bare.rfind(".")
    stem, ending = (bare[:at], bare[at:]) if at > 0 else (bare, "")
    return path.with_name(f"{stem}.truth{ending}{packed}")
