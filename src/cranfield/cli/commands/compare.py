"""``cranfield compare``: the systems of score files or, with --tune, families by their held-out scores."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from cranfield.cli import ask
from cranfield.cli.output import progress_bar
from cranfield.errors import DataError

if TYPE_CHECKING:
    from cranfield.cli.build import OutputSettings
    from cranfield.settings.compare import CompareSettings


def run(settings: CompareSettings, output: OutputSettings, files: dict[str, Any]) -> None:
    """Compare systems, or tuned families."""
    if not settings.tune:
        ask.run(settings, output, files)
        return
    from cranfield.cli.sources import read_families
    from cranfield.present.answer import answer
    from cranfield.present.answers.tuning import introduced
    from cranfield.scores import Scores
    from cranfield.tuning import tune

    tuning = tune(read_families(files["scores"], settings), **settings.splitting)
    if len(tuning.families) < 2:
        raise DataError(
            f"`tune` compares families, and there is one, {tuning.families[0].name!r}; "
            "name a second, or see what tuning makes of it with `cranfield tune`"
        )
    with progress_bar(settings.counts) as progress:
        result = settings.ask(Scores([tuning.held_out]), progress=progress)
    ask.show(introduced(answer(result, settings), tuning), result, settings, output)
