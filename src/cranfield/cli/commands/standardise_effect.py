"""``cranfield standardise effect``: raw and standardised scores side by side."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from cranfield.cli.build import OutputSettings
    from cranfield.settings.standardise import EffectSettings


def run(settings: EffectSettings, output: OutputSettings, files: dict[str, Any]) -> None:
    """Compare; saved factors are read first."""
    from cranfield.cli.output import draw, emit
    from cranfield.cli.sources import read
    from cranfield.present.answer import answer
    from cranfield.standardise import Standardisation

    factors = None if settings.factors is None else Standardisation.load(settings.factors)
    how = {**settings.values("question", "run"), "factors": factors, "missing": settings.missing}
    result = settings.function()(*read(settings, files), **how)
    said = answer(result, settings)
    emit(said.sheet(), output)
    draw(said, result, output)
