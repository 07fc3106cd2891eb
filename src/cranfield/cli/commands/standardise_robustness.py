"""``cranfield standardise robustness``: how far systems move when factors are fitted without them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from cranfield.cli.output import draw, emit
from cranfield.errors import ArgumentError

if TYPE_CHECKING:
    from cranfield.cli.build import OutputSettings
    from cranfield.settings.standardise import RobustnessSettings


def run(settings: RobustnessSettings, output: OutputSettings, files: dict[str, Any]) -> None:
    """Leave out systems, teams or those named."""
    from cranfield.cli.sources import read
    from cranfield.collection.teams import read_teams, systems_by_team
    from cranfield.present.answer import answer
    from cranfield.standardise import standardisation_robustness

    if settings.leave_out and settings.teams:
        raise ArgumentError("--leave-out and --teams both say what to leave out; give one of them")
    groups: Any = systems_by_team(read_teams(settings.teams)) if settings.teams else None
    if settings.leave_out:
        groups = {"given": list(settings.leave_out)}
    how: dict[str, Any] = {name: getattr(settings, name) for name in ("to", "a", "b")}
    result = standardisation_robustness(*read(settings, files), groups=groups, **how)
    said = answer(result, settings)
    emit(said.sheet(), output)
    draw(said, result, output)
