"""``cranfield tune``: the answer, and the held-out scores in a file."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from cranfield.cli.ask import show
from cranfield.cli.output import progress_bar, say
from cranfield.cli.sources import read

if TYPE_CHECKING:
    from cranfield.cli.build import OutputSettings
    from cranfield.settings.tuning import TuneSettings


def run(settings: TuneSettings, output: OutputSettings, files: dict[str, Any]) -> None:
    """Tune the families in score files."""
    from cranfield.present.answer import answer
    from cranfield.scores import write_scores

    result = settings.ask(*read(settings, files))
    said = answer(result, settings)
    # What cannot be computed is refused before anything is written.
    if settings.show == "curve":
        with progress_bar("resampling topics") as progress:
            said.sheet("curve", progress=progress)
    said.sheet(settings.show)
    if settings.held_out is not None:
        scores = result.held_out
        write_scores(scores, settings.held_out)
        say(f"wrote {settings.held_out}: {scores.measure}, {scores.n_topics} topics × {scores.n_systems} families")
    show(said, result, settings, output)
